//! The control planes' tests in one program, since linking takes longer than most of them. `wire` stands apart because
//! it counts with an allocator of its own.
//! A new file of tests is declared here; `tests/python/test_rust_tests.py` says so if one is not.

mod random;
mod star;

mod circuits;
mod clock_coverage;
mod clock_filter;
mod faults;
mod mistakes;
mod overlay;
mod protocol;
mod reservations;
mod schedulers;
mod signalling;
