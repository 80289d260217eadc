//! NDP's hosts. Source: M. Handley, C. Raiciu, A. Agache, A. Voinescu, A. W. Moore, G. Antichi, M. Wójcik,
//! "Re-architecting datacenter networks and stacks for low latency and high performance", SIGCOMM 2017, §3.2.
//!
//! | file | holds |
//! |---|---|
//! | `sender` | a window at once, then a packet for each PULL: what was not received first |
//! | `receiver` | an ACK for each packet, a NACK for each header |
//! | `pulls` | the queue of PULLs of a receiving host: flows take turns, at the rate of its link |
//!
//! Packets are numbered by their first byte. A host that carries NDP tells a receiver of whole packets and headers,
//! sends its answer at once and adds a PULL of the flow to the host's [`Pulls`]. Switches trim, which is
//! a queue discipline and none of a host's business.
//!
//! Readings. PULLs are numbered and the sender sends a packet for each number that it has not seen (§3.2.2), but not
//! more than it has sent before. A header that comes back is sent again at once only if no PULL is on its way (§3.2.4),
//! else when it is pulled. A packet of which nothing was heard for `resend_after` is sent again; so is one that waits
//! for a PULL 100 times as long, which the paper does not say.
//!
//! Left out: to leave out paths by their losses (§3.2.3; the network knows the paths among which packets are
//! sprayed, an end only its turn), priorities among pulled
//! flows, the set-up of connections in the first window, and a sender that paces itself to several receivers.

mod pulls;
mod receiver;
mod sender;

pub use pulls::Pulls;
pub use receiver::Receiver;
pub use sender::Sender;

use options::{Kind, Range, Words, options, words};
use units::Duration;

words! {
    /// How an end chooses among the paths that a network which sprays has for its packets.
    pub enum PathOrder {
        /// It goes through all of them, in an order that is drawn anew each time (§3.2.3).
        Permuted = "permuted",
        /// It draws one for each packet.
        Random = "random",
    }
}

options! {
    /// The parameters.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Config {
        fixed {
            /// Payload of a full packet.
            pub payload: u32 = 1436;
        }
        /// Packets that leave at once at the start (the paper's IW).
        pub first_window: u32 = 30, Kind::Whole(Range::closed(1.0, 65_535.0));
        /// A packet of which neither an ACK nor a NACK has come for so long is sent again. Doubled each time, until
        /// something comes.
        pub resend_after: Duration = Duration::from_millis(1), Kind::POSITIVE;
        /// How an end chooses among the paths that a network which sprays has for its packets.
        pub path_order: PathOrder = PathOrder::Permuted, Kind::Word(&PathOrder::LIST);
    }
}
