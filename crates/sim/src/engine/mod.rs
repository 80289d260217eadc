//! The event engine: integer picoseconds, one event-list entry per busy fibre, machines that are told the time.
//!
//! | file | holds |
//! |---|---|
//! | `world`, `build` | a run, and what happens from outside; how it is made |
//! | `agent`, `node_context` | machines at nodes, and what they can reach |
//! | `agent_setup`, `counters` | how agents come into a world, and what they count |
//! | `partition`, `execution_mode` | the loop, the order of events, the fingerprint; in which ways arrivals are handled |
//! | `windowed` | the same events node after node, where that is faster |
//! | `layout`, `migrate`, `partitioner`, `sync` | who has what; repartitioning; where to cut; threads and conservative synchronisation |
//! | `fabric`, `port`, `ring`, `tournament_tree` | paths, output ports, fibres, the event list |
//! | `prefetch` | what is brought into the cache before it is needed |
//! | `admission`, `features`, `disciplined_queue` | what a port answers; what a plain port does without |
//! | `gated`, `optical` | ports that send only in granted slots; ports of an optical packet switch |
//! | `hosts`, `arena`, `timers`, `forced`, `capture` | machines of the flows and their deadlines; orders; pcapng |
//! | `datagrams` | a source of UDP |
//! | `delays`, `reordering` | one-way delays and the order of packets, where they are asked for |
//! | `loss_attribution` | what flows did not get of their paths, where it is asked for |
//! | `accounts`, `sampler` | conservation and warm-up; samples |
//! | `trace` | what happened, event by event |

pub(crate) mod accounts;
pub(crate) mod admission;
pub(crate) mod agent;
pub(crate) mod agent_setup;
mod app;
mod arena;
pub(crate) mod build;
mod capture;
pub(crate) mod counters;
mod datagrams;
pub(crate) mod delays;
pub(crate) mod disciplined_queue;
mod execution_mode;
pub(crate) mod fabric;
pub(crate) mod features;
mod forced;
pub(crate) mod gated;
pub(crate) mod hosts;
pub(crate) mod layout;
pub(crate) mod loss_attribution;
mod migrate;
pub(crate) mod node_context;
pub(crate) mod optical;
pub(crate) mod packet;
pub(crate) mod partition;
mod partitioner;
pub(crate) mod port;
pub(crate) mod prefetch;
#[cfg(test)]
mod queueing_tests;
pub(crate) mod reordering;
pub(crate) mod ring;
mod sampler;
#[cfg(test)]
mod speed_tests;
mod sync;
mod timers;
pub(crate) mod tournament_tree;
pub(crate) mod trace;
mod windowed;
pub(crate) mod world;

pub use accounts::Accounts;
pub use capture::CaptureWriter;
pub use counters::{Direction, Record};
pub use sync::FaultInjection;
pub use windowed::Schedule;
pub use world::{CaptureOptions, Options, Parallelism, RunError};
