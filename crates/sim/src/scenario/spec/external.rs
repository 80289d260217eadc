//! `[external]`.

use crate::language::keys::{Within, keys};
use crate::language::{At, Key, Size};
use units::Bytes;

keys! {
    /// Hosts outside of the simulator, as `photocol emulate` has them. Flows that begin or end at one are left out; a
    /// flow for each pair of these hosts carries their packets.
    pub struct External {
        /// The nodes whose hosts are outside, two at least.
        pub hosts: At<Vec<At<String>>>;
        /// The longest packet that they send.
        pub mtu: Key<Size> = Size(Bytes(1500)), in Within::new("68 B to 65535 B", an_mtu);
        /// What they sent in an earlier run, relative to the scenario's file: a table with the columns time_ps, from,
        /// to, bytes, ecn, in the order of time.
        pub recording: Option<At<String>>;
    }
}

/// From the least of IPv4 (RFC 791) on.
fn an_mtu(size: &Size) -> bool {
    (68..=65_535).contains(&size.0.count())
}
