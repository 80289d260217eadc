//! The event engine: integer picoseconds, one event-list entry per busy fibre, machines that are told the time.
//!
//! Six rooms, each of which knows those above it only:
//!
//! | room | holds |
//! |---|---|
//! | `packet` | packets and what they carry, messages, what becomes of a packet; containers by flow; [`Observer`] |
//! | `link` | output ports with their queues and gates, fibres, random loss, changes of links |
//! | `node` | hosts, agents and what they reach; forwarding, the event list; timers of flows |
//! | `execute` | the loop over the events of a partition, in order or node after node; where everything is |
//! | `observe` | trace, capture, samples, what probes are; accounts |
//! | `parallel` | where to cut a network, conservative synchronisation, migration |
//!
//! Words that stand for one thing everywhere in the engine:
//!
//! | word | means |
//! |---|---|
//! | fabric | the ports and fibres of a partition: what a packet meets between two hosts |
//! | leaf | a place in the event list: that of a departing port, a fibre, an agent, or of all timers |
//! | listed | arrivals have their places in the event list; in windowed execution they have none |
//! | line | what waits before a transmitter, in the order that a queue discipline gives |
//! | news | what a node tells a sender of its path, beside the packets: a capacity, or a segment that is lost |
//! | effort | events until a thread looks up: the program may be interrupted, or give work away |
//!
//! `world` stands outside of them: it puts all together, those who watch too, and runs it.
//!
//! [`Observer`]: packet::observer::Observer

pub(crate) mod execute;
pub(crate) mod link;
pub(crate) mod node;
pub(crate) mod observe;
pub(crate) mod packet;
pub(crate) mod parallel;
pub(crate) mod world;

pub use execute::windowed::Schedule;
pub use node::counters::{Direction, Record};
pub use observe::accounts::Accounts;
pub use observe::capture::{CaptureOptions, CaptureWriter};
pub use parallel::sync::FaultInjection;
pub use world::{Options, Parallelism, RunError};
