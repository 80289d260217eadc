//! What the two models of a file transfer over load-balanced OBS share. Source: N. Charbonneau and V. M. Vokkarane,
//! "Performance modeling of HS-RR-TCP over load-balanced optical burst-switched (OBS) networks" (paper 004), §4 and
//! appendix; slips as docs/reference/corrections.md explains.
//!
//! Bursts alternate between a path of one-way delay d_s and one that is δ longer; ACKs take the shorter. Slow start
//! runs to T, congestion avoidance on; a burst holds X packets.

use crate::declare::choice;
use crate::{Error, Kind, Range, Unit};

choice! {
    /// When slow start ends. The appendix sums the packets sent, §4 speaks of the window.
    SlowStart {
        Packets = "packets", "After P = ⌈log₂(T + 1)⌉ rounds, which send at least T packets (appendix); then windows \
            from T + 1.";
        Window = "window", "After ⌈log₂ T⌉ rounds, when the window reaches T; then windows from T.";
    }
}

pub(crate) const DELAY: Kind = Kind::Number { unit: Unit::Seconds, default: 0.01, range: Range::closed(1e-6, 100.0) };
pub(crate) const DIFFERENCE: Kind =
    Kind::Number { unit: Unit::Seconds, default: 0.01, range: Range::closed(0.0, 100.0) };
pub(crate) const RATE: Kind = Kind::Number { unit: Unit::BitsPerSecond, default: 1e9, range: Range::closed(1e3, 1e15) };
pub(crate) const ASSEMBLY: Kind = Kind::Number { unit: Unit::Seconds, default: 0.0, range: Range::closed(0.0, 100.0) };
pub(crate) const OFFSET: Kind = Kind::Number { unit: Unit::Seconds, default: 0.0, range: Range::closed(0.0, 100.0) };
pub(crate) const BURST: Kind =
    Kind::Number { unit: Unit::Named("packets"), default: 1000.0, range: Range::whole(1.0, 1e9) };
pub(crate) const THRESHOLD: Kind =
    Kind::Number { unit: Unit::Named("packets"), default: 512.0, range: Range::whole(1.0, 1e9) };
pub(crate) const PACKET: Kind = Kind::Number { unit: Unit::Bytes, default: 1000.0, range: Range::closed(1.0, 1e6) };
pub(crate) const FILE: Kind = Kind::Number { unit: Unit::Bytes, default: 1e9, range: Range::closed(1.0, 1e15) };

/// A transfer in the units of the equations: seconds and packets.
pub(crate) struct Transfer {
    /// 2t_a + 2t_o: what a round spends at the edges.
    pub edges: f64,
    /// d_s.
    pub short: f64,
    /// δ.
    pub difference: f64,
    /// S/R.
    pub packet_s: f64,
    /// T.
    pub threshold: f64,
    /// When slow start ends.
    pub slow_start: SlowStart,
    /// O/S.
    pub packets: f64,
}

/// What slow start does.
pub(crate) struct Start {
    /// Packets it sends.
    pub packets: f64,
    /// How long it takes, connection set-up included.
    pub seconds: f64,
    /// Whether the file ends in it.
    pub all: bool,
}

impl Transfer {
    /// Fails if a window of T does not fit in one burst, which the model assumes.
    pub(crate) fn check(threshold: f64, burst: f64) -> Result<(), Error> {
        if threshold > burst {
            let why = format!("slow start must end within one burst of {burst} packets");
            return Err(Error::Impossible { input: "threshold", value: threshold, why });
        }
        Ok(())
    }

    /// A round but for transmission, at the mean of both paths: eq. (2) and 2t_a + 2t_o.
    pub(crate) fn mean_round(&self) -> f64 {
        self.edges + 2.0 * self.short + self.difference / 2.0
    }

    /// The window before the first round of congestion avoidance, which has one packet more.
    pub(crate) fn reached(&self) -> f64 {
        match self.slow_start {
            SlowStart::Packets => self.threshold,
            SlowStart::Window => self.threshold - 1.0,
        }
    }

    /// Eqs. (1), (3) and the appendix: the number of rounds, fewer if the file is shorter.
    pub(crate) fn start(&self) -> Start {
        let whole = match self.slow_start {
            // ⌈log₂(T + 1)⌉ of a whole number.
            SlowStart::Packets => self.threshold.log2().floor() + 1.0,
            SlowStart::Window => self.threshold.log2().ceil(),
        };
        let rounds = whole.min((self.packets + 1.0).log2().ceil().max(1.0));
        let sent = rounds.exp2() - 1.0;
        let set_up = 2.0 * (self.edges + 2.0 * self.short);
        let seconds = set_up + rounds * self.mean_round() + sent.min(self.packets) * self.packet_s;
        Start { packets: sent.min(self.packets), seconds, all: self.packets <= sent }
    }

    /// `rounds` rounds with windows first + 1, first + 2, …: eqs. (8) and (9), and those after the last false
    /// detection.
    pub(crate) fn climb(&self, first: f64, rounds: f64) -> f64 {
        rounds * self.mean_round() + self.packet_s * (rounds * first + (rounds * rounds + rounds) / 2.0)
    }
}

/// The least number of rounds with windows first + 1, first + 2, … that send this number of packets.
pub(crate) fn rounds_to_send(packets: f64, first: f64) -> f64 {
    let half = first + 0.5;
    // √(h² + 2n) − h without cancellation.
    (2.0 * packets / ((half * half + 2.0 * packets).sqrt() + half)).ceil()
}
