//! Marking by a step: a packet that finds at least a threshold waiting is marked. Source: RFC 8257 §3.1 (DCTCP), whose
//! switches compare the instantaneous queue with K; the idea of one threshold is Ramakrishnan and Jain's (ACM TOCS
//! 8(2), 1990).
//!
//! Reading: K is what waits when the packet comes, neither it nor the one in transmission counted. Left out: marking
//! when a packet leaves.

use super::{Arrival, Discipline, Parameters, Site, Verdict};
use options::{ConfigError, Kind, Words, options, words};
use units::{BufferSize, Bytes};

words! {
    /// What becomes of packets that cannot be marked.
    pub enum Others {
        /// They wait as they would without a threshold.
        Accept = "accept",
        /// They are dropped where others are marked.
        Drop = "drop",
    }
}

options! {
    /// The parameters.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Config {
        /// What waits when packets begin to be marked: packets, bytes, or a time at the link's capacity.
        pub threshold: BufferSize = BufferSize::Packets(20), Kind::Room;
        /// What becomes there of packets that are not ECN-capable.
        pub others: Others = Others::Accept, Kind::Word(&Others::LIST);
    }
}

/// A queue with a threshold.
#[derive(Debug)]
pub struct Step(Config);

impl Parameters for Config {
    fn validate(&self) -> Result<(), ConfigError> {
        match self.threshold {
            BufferSize::Unlimited => Err(ConfigError::new("threshold", "must be packets, bytes or a time")),
            _ => Ok(()),
        }
    }

    fn marks(&self) -> bool {
        true
    }
}

impl Discipline for Step {
    type Config = Config;

    fn new(config: &Config, _: Site) -> Step {
        Step(*config)
    }

    fn handle_arrival(&mut self, arrival: &Arrival) -> Verdict {
        let is_congested = match self.0.threshold {
            BufferSize::Packets(packets) => arrival.packets >= packets,
            BufferSize::Bytes(Bytes(bytes)) => arrival.bytes >= bytes,
            BufferSize::Time(_) | BufferSize::Unlimited => false,
        };
        match (is_congested, arrival.is_capable, self.0.others) {
            (false, ..) | (true, false, Others::Accept) => Verdict::Accept,
            (true, true, _) => Verdict::Mark,
            (true, false, Others::Drop) => Verdict::Drop,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(config: Config, packets: u64, is_capable: bool) -> Verdict {
        let arrival = Arrival { now: 0, size: 1500, is_capable, packets, bytes: 1500 * packets, idle_since: None };
        Step(config).handle_arrival(&arrival)
    }

    #[test]
    fn the_packet_that_finds_the_threshold_waiting_is_marked_and_the_one_before_is_not() {
        let config = Config { threshold: BufferSize::Packets(3), ..Config::default() };
        assert_eq!([2, 3].map(|packets| verdict(config, packets, true)), [Verdict::Accept, Verdict::Mark]);
        let config = Config { threshold: BufferSize::Bytes(Bytes(4500)), ..Config::default() };
        assert_eq!([2, 3].map(|packets| verdict(config, packets, true)), [Verdict::Accept, Verdict::Mark]);
    }

    #[test]
    fn what_cannot_be_marked_waits_or_is_dropped() {
        let config = |others| Config { threshold: BufferSize::Packets(3), others };
        assert_eq!(verdict(config(Others::Accept), 9, false), Verdict::Accept);
        assert_eq!(verdict(config(Others::Drop), 9, false), Verdict::Drop);
        assert_eq!(verdict(config(Others::Drop), 2, false), Verdict::Accept);
    }
}
