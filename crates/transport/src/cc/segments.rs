//! The laws of Linux have this in common: windows of whole segments, growth by one for each so many that are
//! acknowledged, and round trips that end when what was sent last at their beginning is acknowledged.

use super::{Event, SlowStartCounts, Window};
use options::words;
use units::Duration;

words! {
    /// The numbers of a law.
    pub enum Arithmetic {
        /// Whole numbers and the constants of Linux.
        Linux = "linux",
        /// Reals and the constants of the law's paper.
        Paper = "paper",
    }
}

impl Arithmetic {
    /// A quotient: Linux leaves the fraction away.
    pub(super) fn whole(self, number: f64) -> f64 {
        match self {
            Arithmetic::Linux => number.floor(),
            Arithmetic::Paper => number,
        }
    }

    /// A window of so many bytes in segments.
    pub(super) fn segments(self, bytes: u64, mss: u64) -> f64 {
        self.whole(bytes as f64 / mss.max(1) as f64)
    }
}

/// A window of so many segments in bytes. `as` saturates.
pub(super) fn bytes(segments: f64, mss: u64) -> u64 {
    (segments * mss as f64) as u64
}

/// Microseconds, without a fraction.
pub(super) fn micros(time: Duration) -> u64 {
    time.ps() / 1_000_000
}

/// Half of a flight.
pub(super) fn half(arithmetic: Arithmetic, flight: u64, mss: u64) -> u64 {
    bytes(arithmetic.whole(arithmetic.segments(flight, mss) / 2.0), mss)
}

/// The bytes for which an ACK lets a window grow: two segments at most, as a delayed ACK covers. Linux counts what is
/// newly delivered, which after a repair is far less than what an ACK covers. Where all counts, a window at most.
pub(super) fn counted(window: &Window, event: &Event) -> u64 {
    match event.counts {
        SlowStartCounts::Segment => event.acked.min(2 * window.mss),
        SlowStartCounts::All => window.counted(event.acked),
    }
}

/// Slow start up to ssthresh, where the window is below it. Returns the bytes that are left for congestion avoidance.
pub(super) fn slow_start(window: &mut Window, acked: u64) -> u64 {
    let grown = window.cwnd.saturating_add(acked).min(window.ssthresh.max(window.cwnd));
    let rest = acked - (grown - window.cwnd);
    window.cwnd = grown;
    rest
}

/// Growth of a window.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Growth {
    /// Bytes acknowledged for which the window has not grown.
    acked: u64,
    /// Part of a byte by which it has not grown.
    part: f64,
}

impl Growth {
    /// A segment for each `per` segments acknowledged. Credit that was collected towards a larger number is worth one
    /// segment (Linux's `tcp_cong_avoid_ai`).
    pub fn one_in(&mut self, window: &mut Window, per: f64, acked: u64) {
        let step = bytes(per.max(1.0), window.mss).max(1);
        let before = u64::from(self.acked >= step);
        if before > 0 {
            self.acked = 0;
        }
        self.acked = self.acked.saturating_add(acked);
        let grown = before + self.acked / step;
        self.acked %= step;
        window.cwnd = window.cwnd.saturating_add(grown.saturating_mul(window.mss));
    }

    /// So many segments, which need not be whole.
    pub fn by(&mut self, window: &mut Window, segments: f64) {
        self.part += segments * window.mss as f64;
        let whole = self.part.floor().max(0.0);
        self.part -= whole;
        // `as` saturates.
        window.cwnd = window.cwnd.saturating_add(whole as u64);
    }

    /// Reno's segment a window.
    pub fn reno(&mut self, arithmetic: Arithmetic, window: &mut Window, acked: u64) {
        let segments = arithmetic.segments(window.cwnd, window.mss);
        match arithmetic {
            Arithmetic::Linux => self.one_in(window, segments, acked),
            Arithmetic::Paper => self.by(window, acked as f64 / window.cwnd as f64),
        }
    }
}

/// Reno's growth as Linux has it: slow start, and what is left of it for congestion avoidance.
pub(super) fn reno(growth: &mut Growth, arithmetic: Arithmetic, window: &mut Window, acked: u64) {
    let rest = slow_start(window, acked);
    if rest > 0 {
        growth.reno(arithmetic, window, rest);
    }
}

/// A round trip, over when more is acknowledged than was outstanding at its beginning.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Round {
    left: u64,
    is_over: bool,
}

impl Round {
    /// True if it is over with these bytes.
    pub fn is_over_after(&mut self, acked: u64) -> bool {
        self.is_over |= acked > self.left;
        self.left = self.left.saturating_sub(acked);
        self.is_over
    }

    /// One begins while so many bytes are outstanding.
    pub fn begin(&mut self, outstanding: u64) {
        *self = Round { left: outstanding, is_over: false };
    }
}

/// Bytes that arrive, each counted once: when SACK reports them or when they are acknowledged.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Arrivals {
    /// SACK has reported them, and no cumulative ACK has covered them.
    ahead: u64,
}

impl Arrivals {
    /// Those of an ACK.
    pub fn of(&mut self, event: &Event) -> u64 {
        let known = self.ahead.min(event.acked);
        // What a timeout has made the sender forget is reported once more.
        self.ahead = (self.ahead - known + event.sacked).min(event.in_flight);
        event.acked - known + event.sacked
    }

    /// Outstanding bytes that have not arrived, after [`Arrivals::of`] has heard of the ACK.
    pub fn missing(&self, event: &Event) -> u64 {
        event.in_flight.saturating_sub(self.ahead)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MSS: u64 = 1000;

    fn window(segments: u64) -> Window {
        Window { cwnd: segments * MSS, ssthresh: 2 * MSS, mss: MSS }
    }

    #[test]
    fn slow_start_stops_at_ssthresh_and_leaves_the_rest() {
        let mut w = Window { cwnd: 8 * MSS, ssthresh: 10 * MSS, mss: MSS };
        assert_eq!((slow_start(&mut w, 5 * MSS), w.cwnd), (3 * MSS, 10 * MSS));
        assert_eq!((slow_start(&mut w, MSS), w.cwnd), (MSS, 10 * MSS));
    }

    #[test]
    fn an_ack_counts_for_two_segments_at_most() {
        assert_eq!(
            [MSS, 2 * MSS, 500 * MSS].map(|acked| counted(&window(9), &Event::ack(acked))),
            [MSS, 2 * MSS, 2 * MSS]
        );
    }

    #[test]
    fn a_segment_is_gained_for_each_so_many() {
        // 25 segments in steps of 10: two, and 5 are left; then steps of 4: the credit of 5 is one segment at once.
        let (mut growth, mut w) = (Growth::default(), window(50));
        growth.one_in(&mut w, 10.0, 25 * MSS);
        assert_eq!((w.cwnd, growth.acked), (52 * MSS, 5 * MSS));
        growth.one_in(&mut w, 4.0, 3 * MSS);
        assert_eq!((w.cwnd, growth.acked), (53 * MSS, 3 * MSS));
    }

    #[test]
    fn parts_of_bytes_are_not_lost() {
        let (mut growth, mut w) = (Growth::default(), window(10));
        (0..3000).for_each(|_| growth.by(&mut w, 1.0 / 3000.0));
        assert!((10 * MSS + MSS - 1..=11 * MSS).contains(&w.cwnd), "{}", w.cwnd);
    }

    #[test]
    fn a_round_trip_is_over_when_something_sent_in_it_is_acknowledged() {
        let mut round = Round::default();
        assert!(round.is_over_after(1));
        round.begin(3000);
        assert_eq!([1000, 2000, 0, 1].map(|acked| round.is_over_after(acked)), [false, false, false, true]);
        assert!(round.is_over_after(0), "until the next begins");
    }

    #[test]
    fn what_sack_has_reported_counts_once() {
        let mut arrivals = Arrivals::default();
        let event = |acked, sacked| Event { sacked, in_flight: 20 * MSS, ..Event::ack(acked) };
        assert_eq!(arrivals.of(&event(0, 9 * MSS)), 9 * MSS);
        assert_eq!(arrivals.of(&event(10 * MSS, 0)), MSS);
    }
}
