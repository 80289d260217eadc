//! `[link_defaults]`, `[[node]]`, `[[link]]`.

use super::properties::{Own, PropertyKeys};
use super::queue::QueueTable;
use crate::language::keys::{Table, Within, a_rate, as_declared, keys, more_than_zero};
use crate::language::{At, Key, Length, PortRoom, Speed, Time, Word};
use crate::model::Role;
use transport::xcp::{RouterConfig, Unclaimed};
use units::Duration;

/// What the tables about links have in common.
pub(crate) struct Shared<'t> {
    pub capacity: Option<At<Speed>>,
    pub delay: Option<At<Time>>,
    pub length: Option<At<Length>>,
    pub buffer: Option<At<PortRoom>>,
    pub queue: Option<&'t At<QueueTable>>,
    pub properties: &'t PropertyKeys<Own>,
    pub xcp: Option<&'t At<XcpPort>>,
    pub telemetry: Option<At<bool>>,
}

/// A table about links.
pub(crate) trait LinkKeys {
    /// The keys that all of them have.
    fn shared(&self) -> Shared<'_>;
}

/// Declares a table about links: its own keys, and those that all have.
// Over 40 lines: keys that three tables share are written once, with the function that reads them.
macro_rules! link_keys {
    ($(#[doc = $about:literal])+ pub struct $name:ident { $($before:tt)* } and { $($after:tt)* }) => {
        keys! {
            $(#[doc = $about])+
            pub struct $name {
                $($before)*
                /// Bit rate.
                pub capacity: Option<At<Speed>>, in a_rate();
                /// Propagation delay.
                pub delay: Option<At<Time>>;
                /// Length of fibre, instead of the delay.
                pub length: Option<At<Length>>;
                /// Waiting room of the output port, not counting the packet in transmission. "1 BDP of 40 ms" is a
                /// bandwidth-delay product: the capacity for 40 ms. "1 BDP" alone takes the longest round trip of the
                /// traffic whose data or ACKs pass the link: propagation there and back, by the routes and with the
                /// delays at the start. A link that none passes takes the longest of all.
                pub buffer: Option<At<PortRoom>>;
                /// What becomes of packets before the buffer is full: `photocol list queues`. Default: nothing
                /// (drop-tail); at a link that leaves a host of leaf-spine, fat-tree, racks or rotor, flows take turns
                /// (drr).
                pub queue: Option<At<QueueTable>>;
                /// The keys that properties declare.
                pub properties: PropertyKeys<Own>;
                /// XCP's controller at the port. Default: none.
                pub xcp: Option<At<XcpPort>>;
                /// Whether the port writes what it measures into packets that ask for it (HPCC, PowerTCP). Default:
                /// yes, but at a link that leaves a host.
                pub telemetry: Option<At<bool>>;
                $($after)*
            }
        }

        impl LinkKeys for $name {
            fn shared(&self) -> Shared<'_> {
                Shared {
                    capacity: self.capacity,
                    delay: self.delay,
                    length: self.length,
                    buffer: self.buffer,
                    queue: self.queue.as_ref(),
                    properties: &self.properties,
                    xcp: self.xcp.as_ref(),
                    telemetry: self.telemetry,
                }
            }
        }
    };
}

link_keys! {
    /// What links have unless they say otherwise. A link takes each property from the first of: its own `[[link]]`, the
    /// keys of `[topology]`, the table here for the role of the node it leaves, this table. Without any of these a
    /// buffer has room for 100 packets, as in ns-3, and nothing is lost.
    pub struct LinkDefaults {} and {
        /// Delay of a kilometre of fibre. Default "5 us".
        pub delay_per_km: Option<At<Time>>, in more_than_zero();
        /// For links that leave a core node.
        pub core: Option<At<ClassDefaults>>;
        /// For links that leave an edge node.
        pub edge: Option<At<ClassDefaults>>;
        /// For links that leave a host.
        pub host: Option<At<ClassDefaults>>;
    }
}

impl Default for LinkDefaults {
    fn default() -> LinkDefaults {
        LinkDefaults::unsaid()
    }
}

link_keys! {
    /// What the links of a class have unless they say otherwise.
    pub struct ClassDefaults {} and {}
}

/// ns-2's constants.
fn usual() -> RouterConfig {
    RouterConfig::default()
}

keys! {
    /// XCP's controller at an output port: Katabi, Handley, Rohrs 2002; the constants are ns-2's. `xcp = {}` is one
    /// with all defaults.
    pub struct XcpPort {
        /// Whether there is a controller.
        pub enabled: Key<bool> = true;
        /// Weight of the spare capacity.
        pub alpha: Key<f64> = usual().alpha, in as_declared(&usual(), "alpha");
        /// Weight of the persistent queue.
        pub beta: Key<f64> = usual().beta, in as_declared(&usual(), "beta");
        /// The part of the traffic that is shuffled.
        pub gamma: Key<f64> = usual().gamma, in as_declared(&usual(), "gamma");
        /// The capacity that it believes. Default: that of the link.
        pub capacity: Option<At<Speed>>, in a_rate();
        /// Whether it is told when the capacity of the link changes during the run (XCP-CL); if not, it goes on
        /// believing what it did (original XCP, which knows the rated capacity).
        pub follows: Key<bool> = true;
        /// It is told a new capacity so long before the link has it, where tables of this scenario say when that is. In
        /// a network of circuits as `xcp_lead` does; slots are told ahead by their own `signal`.
        pub ahead: Key<Time> = Time(Duration::ZERO);
        /// What becomes of an offer that a sender or another router had cut already.
        pub unclaimed: Key<Word<Unclaimed>> = Word(usual().unclaimed);
        /// The queue's minimum is taken over at least this time, else over half of the mean round trip. Default "2 ms";
        /// with switching.protocol = "simulated" two frames, if that is longer, for a controller that follows its
        /// slots: a queue is dark for a part of each.
        pub queue_interval: Option<At<Time>>, in more_than_zero();
        /// It decides once in a mean round trip, but not more often than this, and where no packet has told of one
        /// again after it. Default ns-2's, "1 ms" and "50 ms": long where round trips last some 10 µs.
        pub interval: Option<At<Time>>, in more_than_zero();
    }
}

keys! {
    /// A node.
    pub struct Node {
        /// Unique; links, traffic and tables use it.
        pub name: At<String>;
        /// What it is for statistics and random pairs.
        pub role: Key<Word<Role>> = Word(Role::Host);
        /// Degrees north of the equator. With both coordinates of all nodes, pictures are maps; delays do not follow
        /// from them.
        pub latitude: Option<At<f64>>, in Within::new("-90 to 90", |degrees| (-90.0..=90.0).contains(degrees));
        /// Degrees east of Greenwich.
        pub longitude: Option<At<f64>>, in Within::new("-360 to 360", |degrees| (-360.0..=360.0).contains(degrees));
    }
}

link_keys! {
    /// A link between two nodes, by default in both directions. One that the topology has already is changed by the
    /// keys given here.
    pub struct Link {
        /// One end.
        pub from: At<String>;
        /// The other end.
        pub to: At<String>;
    } and {
        /// The core node of an agile all-photonic network through which the link's light passes. The link is a queue
        /// that sends in granted slots, its delay that of the links from its ends to the core node.
        pub via: Option<At<String>>;
        /// Weight for shortest paths. Default: the delay in picoseconds.
        pub cost: Option<At<u64>>;
        /// Both directions, or only from `from` to `to`.
        pub duplex: Key<bool> = true;
        /// Another link besides the one that is there already.
        pub parallel: Key<bool> = false;
    }
}
