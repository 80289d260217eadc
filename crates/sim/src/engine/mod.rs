//! The event engine: integer picoseconds, one event-list entry per busy fibre, machines that are told the time.
//!
//! | file | holds |
//! |---|---|
//! | `world`, `build` | a run, and what happens from outside; how it is made |
//! | `agent`, `bench` | machines at nodes, and what they can reach |
//! | `equipment`, `ledger` | how agents come into a world, and what they count |
//! | `partition`, `manner` | the loop, the order of events, the fingerprint; in which ways arrivals are handled |
//! | `rounds` | the same events node after node, where that is faster |
//! | `parts`, `deal`, `balance`, `workers` | who has what; dealing it again; where to cut; threads |
//! | `net`, `port`, `ring`, `tree` | paths, output ports, fibres, the event list |
//! | `fetch` | what is brought into the cache before it is needed |
//! | `offer`, `extras` | what a port answers; what a plain port does without |
//! | `gate`, `optical` | ports that send only in granted slots; ports of an optical packet switch |
//! | `hosts`, `arena`, `timers`, `forced`, `capture` | machines of the flows and their deadlines; orders; pcapng |
//! | `datagrams` | a source of UDP |
//! | `delays`, `reordering` | one-way delays and the order of packets, where they are asked for |
//! | `shortfall` | what flows did not get of their paths, where it is asked for |
//! | `accounts`, `sampler` | conservation and warm-up; samples |
//! | `trace` | what happened, event by event |

pub(crate) mod accounts;
pub(crate) mod agent;
mod arena;
mod balance;
pub(crate) mod bench;
pub(crate) mod build;
mod capture;
mod datagrams;
mod deal;
pub(crate) mod delays;
pub(crate) mod equipment;
pub(crate) mod extras;
pub(crate) mod fetch;
mod forced;
pub(crate) mod gate;
pub(crate) mod hosts;
pub(crate) mod ledger;
pub(crate) mod line;
mod manner;
pub(crate) mod net;
pub(crate) mod offer;
pub(crate) mod optical;
pub(crate) mod packet;
pub(crate) mod partition;
pub(crate) mod parts;
pub(crate) mod port;
#[cfg(test)]
mod queueing_tests;
pub(crate) mod reordering;
pub(crate) mod ring;
mod rounds;
mod sampler;
pub(crate) mod shortfall;
#[cfg(test)]
mod speed_tests;
mod timers;
pub(crate) mod trace;
pub(crate) mod tree;
mod workers;
pub(crate) mod world;
mod writers;

pub use accounts::Accounts;
pub use capture::CaptureWriter;
pub use ledger::{Direction, Record};
pub use rounds::Course;
pub use workers::Disturbance;
pub use world::{CaptureOptions, Options, Parallelism, RunError};
