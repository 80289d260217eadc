//! The event engine: integer picoseconds, one event-list entry per busy fibre, machines that are told the time.
//!
//! | file | holds |
//! |---|---|
//! | [`world`](World) | a run from scenario to tables; what happens from outside |
//! | `build`, `report` | scenario → world; world → tables |
//! | `partition` | the loop, the order of events, the fingerprint |
//! | `parts`, `deal`, `balance`, `crew` | who has what; dealing it anew; where to cut; threads |
//! | `net`, `port`, `ring`, `tree` | paths, output ports, fibres, the event list |
//! | `offer`, `extras` | what a port answers; what a plain port does without |
//! | `gate`, `optical` | ports that send only in granted slots; ports of an optical packet switch |
//! | `hosts`, `arena`, `timers`, `forced`, `bursts`, `capture` | machines of the flows and their deadlines; orders; pcapng |
//! | `datagrams` | a source of UDP |
//! | `accounts`, `sampler` | conservation and warm-up; samples |

mod accounts;
mod arena;
mod balance;
mod build;
mod bursts;
mod capture;
mod crew;
mod datagrams;
mod deal;
pub(crate) mod extras;
mod forced;
pub(crate) mod gate;
mod hosts;
pub(crate) mod net;
pub(crate) mod offer;
pub(crate) mod optical;
pub(crate) mod packet;
mod partition;
mod parts;
mod port;
#[cfg(test)]
mod queueing_tests;
mod report;
pub(crate) mod ring;
mod sampler;
#[cfg(test)]
mod speed_tests;
mod timers;
pub(crate) mod tree;
mod world;

pub use accounts::Accounts;
pub use capture::Output;
pub use crew::Disturbance;
pub use world::{CaptureOptions, Options, Parallelism, RunError, World};
