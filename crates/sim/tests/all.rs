//! The simulator's tests in one program, since each program is linked with the whole simulator. `runs` stands apart
//! because it is built unoptimized too, `allocation` because it counts with an allocator of its own.
//! A new file of tests is declared here; `tests/python/test_rust_tests.py` says so if one is not.

mod support;

mod aapn;
mod burst_losses;
mod circles;
mod circuits;
mod connections;
mod conservation;
mod contacts;
mod data_centres;
mod delay_laws;
mod dlcc;
mod engine_rooms;
mod external;
mod flow_delays;
mod host_queues;
mod hostile;
mod jitter;
mod links;
mod load_balancing;
mod lost_throughput;
mod ndp;
mod news;
mod obs;
mod ocs;
mod ops;
mod queues;
mod quic;
mod quic_told;
mod rack_pairs;
mod rooms;
mod rotor;
mod shared_ways;
mod signalled;
mod stars;
mod starving;
mod tcp_formula;
mod telemetry;
mod threads;
mod told;
mod wavelengths;
mod work;
mod work_parts;
mod xcp;
