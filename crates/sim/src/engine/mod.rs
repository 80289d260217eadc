//! The event engine: integer picoseconds, one event-list entry per busy fibre, machines that are told the time.
//!
//! | file | holds |
//! |---|---|
//! | [`world`](World) | a run from scenario to tables; what happens from outside |
//! | `build`, `report` | scenario → world; world → tables |
//! | `partition` | the loop, the order of events, the fingerprint |
//! | `net`, `port`, `ring`, `tree` | paths, output ports, fibres, the event list |
//! | `hosts`, `timers`, `forced`, `capture` | machines of the flows and their deadlines; orders; pcapng |
//! | `accounts`, `sampler` | conservation and warm-up; samples |

mod accounts;
mod build;
mod capture;
mod forced;
mod hosts;
mod net;
mod packet;
mod partition;
mod port;
#[cfg(test)]
mod queueing_tests;
mod report;
mod ring;
mod sampler;
mod timers;
mod tree;
mod world;

pub use accounts::Accounts;
pub use capture::Output;
pub use world::{CaptureOptions, Options, RunError, World};
