//! What each hop of a path measured of a packet as it left: in-band telemetry, as HPCC and PowerTCP read it.
//!
//! Source: Y. Li et al., "HPCC: High Precision Congestion Control", SIGCOMM 2019, §3.1 and figure 7: the time, the
//! bytes that wait in the queue of the egress port, the bytes it has sent so far, and its bandwidth. A packet has room
//! for five hops there; here for [`Telemetry::HOPS`].

use units::{Instant, Rate};

/// What one egress port says of a packet that it begins to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hop {
    /// Which port: the same number for the same port.
    pub port: u32,
    /// When, on the clock of the port's node.
    pub at: Instant,
    /// Bytes that wait behind it.
    pub queue: u64,
    /// Bytes that the port had sent before it.
    pub sent: u64,
    /// The port's bit rate at that time.
    pub rate: Rate,
}

/// The hops of a packet, in the order of its path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Telemetry {
    hops: [Hop; Telemetry::HOPS],
    len: u8,
}

impl Telemetry {
    /// The most hops that a packet has room for.
    pub const HOPS: usize = 8;
    /// Bytes on the wire that HPCC reserves: 2, and 8 for each of five hops.
    pub const HPCC_LEN: u32 = 42;

    /// Of a packet that has met no port yet.
    pub const EMPTY: Telemetry = Telemetry {
        hops: [Hop { port: 0, at: Instant::ZERO, queue: 0, sent: 0, rate: Rate::from_bps(0) }; Telemetry::HOPS],
        len: 0,
    };

    /// A port adds what it measured. There is no room for more than [`Telemetry::HOPS`]: the last ones are missing.
    pub fn push(&mut self, hop: Hop) {
        if let Some(place) = self.hops.get_mut(usize::from(self.len)) {
            *place = hop;
            self.len += 1;
        }
    }

    /// The hops.
    pub fn hops(&self) -> &[Hop] {
        &self.hops[..usize::from(self.len)]
    }

    /// The rate of the slowest hop; zero if there is none.
    pub fn slowest(&self) -> Rate {
        self.hops().iter().map(|hop| hop.rate).min().unwrap_or(Rate::from_bps(0))
    }

    /// Each hop with what an earlier packet brought of the same path, where both met the same port in this place and
    /// the port's clock and count have not run backwards.
    pub fn since<'t>(&'t self, earlier: &'t Telemetry) -> impl Iterator<Item = (&'t Hop, &'t Hop)> {
        let pairs = self.hops().iter().zip(earlier.hops());
        pairs.filter(|(hop, old)| hop.port == old.port && hop.at > old.at && hop.sent >= old.sent)
    }
}

impl Default for Telemetry {
    fn default() -> Telemetry {
        Telemetry::EMPTY
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packet_keeps_its_first_eight_hops_and_compares_the_same_ports() {
        let hop =
            |port: u32, at: u64| Hop { port, at: Instant::from_ps(at), queue: 0, sent: at, rate: Rate::from_gbps(1) };
        let mut telemetry = Telemetry::EMPTY;
        (0..12).for_each(|port| telemetry.push(hop(port, 10)));
        assert_eq!(telemetry.hops().len(), Telemetry::HOPS);
        let mut later = Telemetry::EMPTY;
        [hop(0, 20), hop(7, 20), hop(2, 10), hop(3, 11)].into_iter().for_each(|hop| later.push(hop));
        let same: Vec<u32> = later.since(&telemetry).map(|(hop, _)| hop.port).collect();
        assert_eq!(same, [0, 3], "port 7 is another one, and port 2 says nothing new");
    }
}
