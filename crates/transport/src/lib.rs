//! End-host protocols as state machines without input or output.
//!
//! A machine is told what happened and at what reading of its node's clock (`handle_*(now, …, &mut Actions)`), says
//! when it next wants to be woken (`next_timeout`), and leaves what it wants sent in `Actions`, which the host drains
//! after each call. No machine owns a clock, a socket, a thread, a random number or a logger, and none knows that a
//! simulator exists.
//!
//! - [`tcp`]: sender and receiver of a one-way byte stream; on request with handshake and teardown.
//! - [`cc`]: the window laws, one a file, and their registry.
//! - [`xcp`]: congestion header, receiver and routers of XCP, whose sender is [`tcp`]'s.
//! - [`ndp`]: sender, receiver and pull queue of NDP, for switches that trim packets.
//! - [`quic`]: sender and receiver of QUIC's streams, without handshake and encryption.
//! - [`rcp`]: the controller of a port of RCP, and what its packets carry.
//! - [`telemetry`]: what each hop of a path measured of a packet.
//! - [`fuzz`]: the machines driven by arbitrary bytes, for fuzzers and property tests.

pub mod cc;
mod clash;
pub mod fuzz;
pub mod ndp;
pub mod quic;
pub mod rcp;
pub mod tcp;
pub mod telemetry;
pub mod xcp;

pub use clash::clash;
pub use options::ConfigError;

/// The code of the README runs.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
