//! The tests with processes, in one program.
//! A new file of tests is declared here; `tests/python/test_rust_tests.py` says so if one is not.

mod demo;

mod carriages;
mod core_failure;
mod departures;
mod matrices;
mod routers;
mod stars;
mod two_worlds;
