//! DCTCP: RFC 8257. Source of K and g: Alizadeh et al., "Data Center TCP (DCTCP)", SIGCOMM 2010.
//!
//! Once in an observation window, which is a round trip, alpha moves by g towards M, the share of acknowledged bytes
//! that were marked (§3.3 steps 1 to 8). The window comes down by alpha/2 (step 9). Otherwise it grows and answers
//! losses as Reno's does (§3.5). The receiver must say what was marked: `ecn_feedback` "dctcp" (§3.2) or "accurate".
//!
//! Step 9 needs a reading. By its place it is executed in every observation window, so that a flow gives way although
//! nothing was marked for as long as alpha is above zero. The readings are [`Cut`], of which "first-mark" is the
//! default, Linux's and ns-3's. It alone answers the marks of one flight once (§3.3: "not more than once for every
//! window of data"); the others answer at the ends of observation windows, and one flight lies in two. ACKs that tell
//! of marks raise no window (RFC 3168 §6.1.2, which §3.3 does not change). No window is below 2 MSS.
//!
//! Linux differs: while its window comes down it does not grow; alpha has 10 bits.

use super::{Asks, CongestionControl, Event, Loss, Marks, Window};
use options::{Kind, Range, Words, options, words};

words! {
    /// When the window comes down (RFC 8257 §3.3 step 9).
    pub enum Cut {
        /// At the end of every observation window with marks, by the alpha that has just taken them in.
        MarkedWindow = "marked-window",
        /// At the end of every observation window, marked or not: step 9 by the letter.
        EveryWindow = "every-window",
        /// At the first mark after a window of data without a reduction, by the alpha that there is: Linux, and RFC
        /// 3168's moment.
        FirstMark = "first-mark",
    }
}

options! {
    /// Parameters of the law.
    #[derive(Clone, Copy, Debug)]
    pub struct Config {
        /// When the window comes down.
        pub cut as "dctcp_cut": Cut = Cut::FirstMark, Kind::Word(&Cut::LIST);
        /// g, by which alpha moves to the share of marked bytes. RFC 8257 §4.2: 1/16.
        pub g as "dctcp_g": f64 = 0.0625, Kind::Number(Range::between(0.0, 1.0));
        /// alpha at the start. RFC 8257 §4.2: 1, so that the first mark halves the window.
        pub alpha as "dctcp_alpha": f64 = 1.0, Kind::Number(Range::closed(0.0, 1.0));
    }
}

/// The law of one flow.
#[derive(Clone, Debug)]
pub struct Dctcp(Box<State>);

#[derive(Clone, Debug)]
struct State {
    /// DCTCP.Alpha.
    alpha: f64,
    /// Bytes acknowledged so far: SND.UNA.
    una: u64,
    /// DCTCP.WindowEnd in the same count.
    window_end: u64,
    /// DCTCP.BytesAcked and DCTCP.BytesMarked.
    acked: u64,
    marked: u64,
    /// The end of what had been sent at the last reduction.
    reduced: u64,
    /// Bytes acknowledged since the window last grew.
    growth: u64,
}

impl CongestionControl for Dctcp {
    type Config = Config;

    const ASKS: Asks = Asks { every_ack: true, marks: Marks::Counted, ..Asks::NOTHING };

    fn new(config: &Config) -> Dctcp {
        let alpha = config.alpha;
        Dctcp(Box::new(State { alpha, una: 0, window_end: 0, acked: 0, marked: 0, reduced: 0, growth: 0 }))
    }

    fn on_ack(&mut self, config: &Config, window: &mut Window, event: &Event) {
        let state = &mut *self.0;
        state.una += event.acked;
        // Steps 1 to 3.
        state.acked += event.acked;
        state.marked += event.marked;
        let is_due = match config.cut {
            Cut::FirstMark => event.marked > 0,
            _ => false,
        };
        let is_due = state.end_window(config, event.in_flight) || is_due;
        if is_due && state.una > state.reduced && !event.in_recovery {
            state.reduced = state.una + event.in_flight;
            return state.reduce(window);
        }
        if event.acked > 0 && event.marked == 0 && !event.in_recovery && !event.is_app_limited {
            state.grow(window, event);
        }
    }

    fn figures(&self) -> Vec<(&'static str, f64)> {
        vec![("alpha", self.0.alpha)]
    }

    fn ssthresh_after(&mut self, _: &Config, _: &Window, loss: &Loss) -> u64 {
        self.0.growth = 0;
        loss.flight / 2
    }
}

impl State {
    /// Steps 4 to 8: whether an observation window is over at whose end the flow gives way.
    fn end_window(&mut self, config: &Config, in_flight: u64) -> bool {
        if self.una <= self.window_end {
            return false;
        }
        let share = (self.marked as f64 / self.acked.max(1) as f64).min(1.0);
        self.alpha = self.alpha * (1.0 - config.g) + config.g * share;
        self.window_end = self.una + in_flight;
        (self.acked, self.marked) = (0, 0);
        match config.cut {
            Cut::MarkedWindow => share > 0.0,
            Cut::EveryWindow => true,
            Cut::FirstMark => false,
        }
    }

    /// Step 9: cwnd = cwnd (1 − alpha/2).
    fn reduce(&mut self, window: &mut Window) {
        // `as` saturates.
        window.ssthresh = ((window.cwnd as f64 * (1.0 - self.alpha / 2.0)) as u64).max(2 * window.mss);
        window.cwnd = window.cwnd.min(window.ssthresh);
    }

    /// RFC 5681 §3.1.
    fn grow(&mut self, window: &mut Window, event: &Event) {
        if window.in_slow_start() {
            return window.slow_start_by(event.counts, event.acked);
        }
        self.growth += window.counted(event.acked);
        if self.growth >= window.cwnd {
            self.growth -= window.cwnd;
            window.cwnd = window.cwnd.saturating_add(window.mss);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::LossCause;
    use super::*;
    use units::Instant;

    const MSS: u64 = 1000;

    /// An ACK of a segment without a mark, with 20 in flight.
    const ACK: Event = Event { acked: MSS, in_flight: 20 * MSS, ..Event::at(Instant::ZERO) };

    fn config(cut: Cut) -> Config {
        Config { cut, ..Config::default() }
    }

    fn window(segments: u64) -> Window {
        Window { cwnd: segments * MSS, ssthresh: 2 * MSS, mss: MSS }
    }

    /// A round trip in which every segment is acknowledged, the last `marked` of them marked; the window at its end.
    fn round(law: &mut Dctcp, config: &Config, window: &mut Window, marked: u64) -> u64 {
        let segments = window.cwnd / MSS;
        for at in 0..segments {
            let marked = if at >= segments - marked { MSS } else { 0 };
            let in_flight = window.cwnd / MSS * MSS;
            law.on_ack(config, window, &Event { acked: MSS, marked, in_flight, ..Event::at(Instant::ZERO) });
        }
        window.cwnd
    }

    /// A flow with 20 segments and this alpha, whose observation window is about to begin.
    fn flow(config: &Config, alpha: f64) -> (Dctcp, Window) {
        let mut law = Dctcp::new(config);
        law.0.alpha = alpha;
        (law, window(20))
    }

    #[test]
    fn alpha_moves_by_a_sixteenth_of_the_way_to_the_share_of_marked_bytes() {
        // §3.3: Alpha = Alpha (1 − g) + g M. From 1 with nothing marked: 15/16; then with 5 of 20 bytes 15/16 · 15/16 +
        // 1/64.
        let config = config(Cut::MarkedWindow);
        let mut state = Dctcp::new(&config).0;
        (state.una, state.acked) = (1, 1);
        assert!(!state.end_window(&config, 20));
        assert_eq!(state.alpha, 0.9375);
        (state.una, state.acked, state.marked) = (22, 20, 5);
        assert!(state.end_window(&config, 20));
        assert_eq!(state.alpha, 0.9375 * 0.9375 + 0.25 / 16.0);
        assert_eq!((state.window_end, state.acked, state.marked), (42, 0, 0));
        // Within the window nothing is decided.
        state.una = 42;
        assert!(!state.end_window(&config, 0));
    }

    #[test]
    fn a_flow_all_of_whose_bytes_are_marked_halves_and_one_with_few_marks_hardly_gives_way() {
        let mut w = window(20);
        Dctcp::new(&config(Cut::FirstMark)).0.reduce(&mut w);
        assert_eq!(w.cwnd, 10_000, "alpha is 1 at the start");
        let (mut law, mut w) = flow(&config(Cut::FirstMark), 0.1);
        law.0.reduce(&mut w);
        assert_eq!((w.cwnd, w.ssthresh), (19_000, 19_000));
    }

    #[test]
    fn the_three_readings_of_step_9_differ_in_windows_without_marks() {
        for (cut, expected) in [(Cut::MarkedWindow, [21, 22]), (Cut::FirstMark, [21, 22])] {
            let (mut law, mut w) = flow(&config(cut), 0.5);
            let found = [0, 0].map(|marked| round(&mut law, &config(cut), &mut w, marked) / MSS);
            assert_eq!(found, expected, "{cut:?}");
        }
        // By the letter: 20 (1 − 0.46875/2) = 15.3 segments after a window without a mark; alpha is 15/16 of what it
        // was.
        let every = config(Cut::EveryWindow);
        let (mut law, mut w) = flow(&every, 0.5);
        law.on_ack(&every, &mut w, &Event { acked: MSS, in_flight: 19 * MSS, ..Event::at(Instant::ZERO) });
        assert_eq!((w.cwnd, law.0.alpha), (15_312, 0.46875));
    }

    #[test]
    fn a_marked_window_reduces_at_its_end_and_the_first_mark_at_once() {
        // The first ACK ends an empty window, after which alpha is 15/32; the last two of 20 ACKs tell of marks.
        let first = config(Cut::FirstMark);
        let (mut law, mut w) = flow(&first, 0.5);
        round(&mut law, &first, &mut w, 2);
        assert_eq!(w.cwnd, (20_000.0 * (1.0 - 0.46875 / 2.0)) as u64);
        let marked = config(Cut::MarkedWindow);
        let (mut law, mut w) = flow(&marked, 0.5);
        round(&mut law, &marked, &mut w, 2);
        assert_eq!(w.cwnd, 20_000, "18 ACKs without a mark pay for no segment");
        (0..2).for_each(|_| law.on_ack(&marked, &mut w, &ACK));
        // That window has 21 ACKs, since it ends with the first beyond the 20 segments in flight.
        let alpha = 0.46875 * 0.9375 + 2.0 / 21.0 / 16.0;
        assert!((law.0.alpha - alpha).abs() < 1e-12, "{} {alpha}", law.0.alpha);
        assert_eq!(w.cwnd, (20_000.0 * (1.0 - alpha / 2.0)) as u64);
    }

    #[test]
    fn by_default_the_marks_of_one_flight_reduce_the_window_once() {
        // §3.3: "not more than once for every window of data". The flight of ACKs 31 to 50 lies in two observation
        // windows of 21 ACKs.
        let reductions = |config: Config| {
            let (mut law, mut w) = flow(&config, 0.5);
            let mut reductions = 0;
            for ack in 1..=100 {
                let marked = if (31..=50).contains(&ack) { MSS } else { 0 };
                let before = w.cwnd;
                law.on_ack(&config, &mut w, &Event { marked, ..ACK });
                reductions += u32::from(w.cwnd < before);
            }
            reductions
        };
        assert_eq!((reductions(Config::default()), reductions(config(Cut::MarkedWindow))), (1, 2));
    }

    #[test]
    fn marks_of_one_window_of_data_reduce_it_once() {
        let first = config(Cut::FirstMark);
        let (mut law, mut w) = flow(&first, 0.5);
        let ack = Event { acked: MSS, marked: MSS, in_flight: 19 * MSS, ..Event::at(Instant::ZERO) };
        law.on_ack(&first, &mut w, &ack);
        let reduced = w.cwnd;
        (0..18).for_each(|_| law.on_ack(&first, &mut w, &ack));
        assert_eq!(w.cwnd, reduced);
    }

    /// RFC 8257 §3.5: a loss is answered as any TCP does, with half of the flight.
    #[test]
    fn a_loss_leaves_half_of_the_flight() {
        let (mut law, mut w) = flow(&Config::default(), 0.25);
        law.on_loss(&Config::default(), &mut w, &Loss::of(LossCause::FastRetransmit, 17 * MSS));
        assert_eq!((w.cwnd, w.ssthresh), (8500, 8500));
    }
}
