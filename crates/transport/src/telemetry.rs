//! What each hop of a path measured of a packet as it left: in-band telemetry, as HPCC and PowerTCP read it.
//!
//! Source: Y. Li et al., "HPCC: High Precision Congestion Control", SIGCOMM 2019, §3.1 and figure 7: the time, the
//! bytes that wait in the queue of the egress port, the bytes it has sent so far, and its bandwidth. A packet has room
//! for five hops there; here for [`Telemetry::HOPS`].
//!
//! A port whose capacity is a known function of time says its next one too ([`NextRate`]), as XCP-CL's controllers are
//! told: a law reckons with it from some time before it is there ([`Telemetry::ahead`]).

use options::words;
use units::{Duration, Instant, Rate};

words! {
    /// What a receiver sends back of what a packet brought.
    pub enum Echo {
        /// All hops.
        Whole = "whole",
        /// The last hop of the path, whose measurement is the newest.
        Newest = "newest",
        /// The hop whose queue lasts longest at its rate; of equals the slowest, of those the first.
        Maximum = "maximum",
    }
}

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
    /// The one after it, where the network knows it.
    pub next: Option<NextRate>,
}

/// What a port will have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NextRate {
    /// From when on, on the clock of the port's node.
    pub at: Instant,
    /// The bit rate; zero if it will stand still.
    pub rate: Rate,
}

/// What a packet of RCP carries: its ports write it as they write what they measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offer {
    /// The sender's round trip; zero before it has measured one.
    pub rtt: Duration,
    /// The least rate of the ports so far; `u64::MAX` bits a second before the first.
    pub rate: Rate,
}

impl Offer {
    /// Bytes on the wire: rate, rate of the way back, round trip, and protocol, length and flags, four bytes each.
    pub const LEN: u32 = 16;
    /// No port has said anything.
    pub const NONE: Offer = Offer { rtt: Duration::ZERO, rate: Rate::from_bps(u64::MAX) };

    /// The rate that the path offers; `None` where no port has said one.
    pub fn of_path(&self) -> Option<Rate> {
        (self.rate < Offer::NONE.rate).then_some(self.rate)
    }
}

/// The hops of a packet, in the order of its path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Telemetry {
    hops: [Hop; Telemetry::HOPS],
    len: u8,
    /// Whether each hop makes the packet longer.
    grows: bool,
    /// What RCP's ports say, and what its senders tell them.
    pub offer: Offer,
}

/// What a port that will stand still is reckoned with.
const STANDSTILL: Rate = Rate::from_bps(1);

impl Hop {
    /// Whether its queue lasts longer than another's, or as long at a lower rate.
    fn is_more_loaded(&self, other: &Hop) -> bool {
        let lasts = |of: &Hop, rate: Rate| u128::from(of.queue) * u128::from(rate.bps().max(1));
        let (own, its) = (lasts(self, other.rate), lasts(other, self.rate));
        own > its || own == its && self.rate < other.rate
    }
}

impl Telemetry {
    /// The most hops that a packet has room for.
    pub const HOPS: usize = 8;
    /// Bytes on the wire of a record without hops: HPCC, §4.1.
    pub const HEAD_LEN: u32 = 2;
    /// Bytes of a hop.
    pub const HOP_LEN: u32 = 8;
    /// Bytes that HPCC reserves: room for five hops.
    pub const HPCC_LEN: u32 = Telemetry::HEAD_LEN + 5 * Telemetry::HOP_LEN;

    /// Of a packet that has met no port yet.
    pub const EMPTY: Telemetry = Telemetry {
        hops: [Hop { port: 0, at: Instant::ZERO, queue: 0, sent: 0, rate: Rate::from_bps(0), next: None };
            Telemetry::HOPS],
        len: 0,
        grows: false,
        offer: Offer::NONE,
    };

    /// The same with another offer.
    pub fn with_offer(self, offer: Offer) -> Telemetry {
        Telemetry { offer, ..self }
    }

    /// The same of a packet that becomes longer with each hop, if it `grows`.
    pub fn growing(self, grows: bool) -> Telemetry {
        Telemetry { grows, ..self }
    }

    /// Bytes by which the hops so far have made the packet longer.
    pub fn grown_len(&self) -> u32 {
        if self.grows { Telemetry::HOP_LEN * u32::from(self.len) } else { 0 }
    }

    /// Bytes by which the next hop will.
    pub fn next_len(&self) -> u32 {
        if self.grows && usize::from(self.len) < Telemetry::HOPS { Telemetry::HOP_LEN } else { 0 }
    }

    /// What a receiver sends back of it.
    pub fn echoed(&self, echo: Echo) -> Telemetry {
        let hop = match echo {
            Echo::Whole => return *self,
            Echo::Newest => self.hops().last(),
            // The first of equals stays.
            Echo::Maximum => self.hops().iter().reduce(|most, hop| if hop.is_more_loaded(most) { hop } else { most }),
        };
        let mut told = Telemetry { len: 0, ..*self };
        hop.into_iter().for_each(|hop| told.push(*hop));
        told
    }

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

    /// The same for a law that reckons with the next rate of a port from `lead` before its time on, counted from when
    /// the packet left that port. A round trip is the lead with which the segments that are sent now find it.
    pub fn ahead(&self, lead: Duration) -> Telemetry {
        let mut told = *self;
        for hop in &mut told.hops[..usize::from(self.len)] {
            if let Some(next) = hop.next.filter(|next| next.at <= hop.at + lead) {
                hop.rate = next.rate.max(STANDSTILL);
            }
        }
        told
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
        let hop = |port: u32, at: u64| Hop {
            port,
            at: Instant::from_ps(at),
            queue: 0,
            sent: at,
            rate: Rate::from_gbps(1),
            next: None,
        };
        let mut telemetry = Telemetry::EMPTY;
        (0..12).for_each(|port| telemetry.push(hop(port, 10)));
        assert_eq!(telemetry.hops().len(), Telemetry::HOPS);
        let mut later = Telemetry::EMPTY;
        [hop(0, 20), hop(7, 20), hop(2, 10), hop(3, 11)].into_iter().for_each(|hop| later.push(hop));
        let same: Vec<u32> = later.since(&telemetry).map(|(hop, _)| hop.port).collect();
        assert_eq!(same, [0, 3], "port 7 is another one, and port 2 says nothing new");
    }

    /// 1000 B at 1 Gb/s last 8 µs, 2500 B at 4 Gb/s 5 µs. HPCC, §4.1: 2 B, and 8 B a hop.
    #[test]
    fn a_receiver_sends_all_hops_back_or_one_and_a_record_that_grows_has_their_bytes() {
        let hop = |port: u32, queue: u64, gbps: u64| Hop {
            port,
            at: Instant::from_ps(port.into()),
            queue,
            sent: 0,
            rate: Rate::from_gbps(gbps),
            next: None,
        };
        let mut told = Telemetry::EMPTY.growing(true);
        let mut lengths = Vec::new();
        for hop in [hop(0, 0, 1), hop(1, 1000, 1), hop(2, 2500, 4), hop(3, 4000, 4)] {
            lengths.push((told.grown_len(), told.next_len()));
            told.push(hop);
        }
        assert_eq!(lengths, [(0, 8), (8, 8), (16, 8), (24, 8)]);
        let ports = |echo| told.echoed(echo).hops().iter().map(|hop| hop.port).collect::<Vec<u32>>();
        assert_eq!(ports(Echo::Whole), [0, 1, 2, 3]);
        assert_eq!(ports(Echo::Newest), [3]);
        assert_eq!(ports(Echo::Maximum), [1], "4000 B at 4 Gb/s last as long, at a higher rate");
        assert_eq!(told.echoed(Echo::Maximum).grown_len(), 8);
        (0..9).for_each(|port| told.push(hop(port, 0, 1)));
        assert_eq!((told.grown_len(), told.next_len()), (64, 0));
        assert_eq!((Telemetry::EMPTY.grown_len(), Telemetry::EMPTY.next_len()), (0, 0));
        assert!(Telemetry::EMPTY.echoed(Echo::Newest).hops().is_empty());
        assert_eq!(Telemetry::HPCC_LEN, 42);
    }

    /// A port of 1 Gb/s that has 4 Gb/s from 300 on, and another that stands still then: with a lead of 100 they count
    /// for what left at 200 or later.
    #[test]
    fn the_next_rate_counts_from_its_lead_on() {
        let rates = |at: u64, lead: u64| {
            let mut telemetry = Telemetry::EMPTY;
            for next in [Rate::from_gbps(4), Rate::from_bps(0)] {
                let next = Some(NextRate { at: Instant::from_ps(300), rate: next });
                telemetry.push(Hop {
                    port: 0,
                    at: Instant::from_ps(at),
                    queue: 0,
                    sent: 0,
                    rate: Rate::from_gbps(1),
                    next,
                });
            }
            let told = telemetry.ahead(Duration::from_ps(lead));
            [told.hops()[0].rate.bps(), told.hops()[1].rate.bps()]
        };
        let (now, then) = ([1_000_000_000; 2], [4_000_000_000, 1]);
        assert_eq!([rates(199, 100), rates(200, 100), rates(299, 0)], [now, then, now]);
    }
}
