//! The transports' tests in one program, since linking takes longer than most of them.
//! A new file of tests is declared here; `tests/python/test_rust_tests.py` says so if one is not.

mod harness;

mod bounds;
mod bursts;
mod connection;
mod ecn;
mod frto;
mod gap;
mod hystart;
mod linux;
mod linux_bbr;
mod linux_windows;
mod loss_recovery;
mod modern;
mod prr;
mod quic_datagrams;
mod quic_laws;
mod quinn;
mod rack;
mod robustness;
mod rooms;
mod rr_tcp;
mod second_programs;
mod sender;
mod speed;
mod undo;
mod xcp;
