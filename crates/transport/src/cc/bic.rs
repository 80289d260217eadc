//! BIC: L. Xu, K. Harfoush and I. Rhee, "Binary increase congestion control (BIC) for fast long-distance networks",
//! INFOCOM 2004.
//!
//! The window before the last loss is the one to find again: growth is half of the distance to it in a round trip, at
//! most S_max segments, at least S_min, and beyond it the same in mirror image (max probing). A flow that loses below
//! it aims lower, so that a newer flow gets room (fast convergence). Windows of less than 14 segments are Reno's.
//!
//! The paper's: S_max 32, S_min 0.01, a loss takes 1/8, the middle is aimed at. Linux's: S_max 16, a loss takes
//! 205/1024, a quarter of the distance a round trip, near the maximum a segment in 5 windows; before any loss a segment
//! for 20 acknowledged; all that for ACKs, whose number it reckons from the mean of segments an ACK covers. A timeout
//! forgets the maximum.

use super::segments::{Arithmetic, Growth, bytes, counted, slow_start};
use super::{CongestionControl, Event, Loss, LossCause, Window};
use options::{Kind, Range, Words, options};
use units::Instant;

options! {
    /// Parameters of the law.
    #[derive(Clone, Copy, Debug)]
    pub struct Config {
        /// The numbers of the law.
        pub arithmetic: Arithmetic = Arithmetic::Linux, Kind::Word(&Arithmetic::LIST);
        /// Segments of a window below which the law is Reno's. The paper's and Linux's: 14.
        pub low_window as "bic_low_window": u32 = 14, Kind::Whole(Range::closed(2.0, 1e6));
        /// A loss below the last maximum lowers what is aimed at.
        pub fast_convergence as "bic_fast_convergence": bool = true, Kind::Flag;
    }
}

/// The law of one flow.
#[derive(Clone, Debug)]
pub enum Bic {
    /// With Linux's numbers.
    Linux(Box<Linux>),
    /// With the paper's.
    Paper(Box<Paper>),
}

impl CongestionControl for Bic {
    type Config = Config;

    fn new(config: &Config) -> Bic {
        match config.arithmetic {
            Arithmetic::Linux => Bic::Linux(Box::default()),
            Arithmetic::Paper => Bic::Paper(Box::default()),
        }
    }

    fn on_ack(&mut self, config: &Config, window: &mut Window, event: &Event) {
        if let Bic::Linux(state) = self {
            // In sixteenths; the mean moves by a sixteenth of the way.
            let segments = counted(window, event) / window.mss.max(1);
            state.per_ack = (state.per_ack + segments).saturating_sub(state.per_ack >> 4);
        }
        if event.is_app_limited {
            return;
        }
        let acked = slow_start(window, counted(window, event));
        if acked == 0 {
            return;
        }
        match self {
            Bic::Linux(state) => {
                state.set_per_segment(config, window.cwnd / window.mss.max(1), event.now);
                state.growth.one_in(window, state.per_segment as f64, acked);
            }
            Bic::Paper(state) => state.grow(config, window),
        }
    }

    fn on_loss(&mut self, config: &Config, window: &mut Window, loss: &Loss) {
        let flight = config.arithmetic.segments(loss.flight, window.mss);
        let kept = match self {
            Bic::Linux(state) => state.cut(config, flight as u64) as f64,
            Bic::Paper(state) => state.cut(config, flight),
        };
        window.cut(loss.cause, bytes(kept, window.mss));
        if loss.cause == LossCause::Timeout {
            *self = Bic::new(config);
        }
    }
}

/// A quarter of the distance is gone in a round trip.
const PART: u64 = 4;
const MAX_INCREMENT: u64 = 16;
/// Near the maximum: round trips for PART segments.
const SMOOTH: u64 = 20;
/// The window is looked at again after a 32nd of a second.
const STALE_PS: u64 = 31_000_000_000;

/// Windows in segments.
#[derive(Clone, Copy, Debug)]
pub struct Linux {
    growth: Growth,
    /// The window before the last loss, lowered by fast convergence; 0 if there was none.
    maximum: u64,
    /// Segments acknowledged for each by which the window grows, for which window, and since when.
    per_segment: u64,
    window: u64,
    since: Instant,
    /// Mean of segments that an ACK covers, in sixteenths.
    per_ack: u64,
}

impl Default for Linux {
    fn default() -> Linux {
        let growth = Growth::default();
        Linux { growth, maximum: 0, per_segment: 0, window: 0, since: Instant::ZERO, per_ack: 32 }
    }
}

impl Linux {
    fn set_per_segment(&mut self, config: &Config, window: u64, now: Instant) {
        if self.window == window && now.saturating_since(self.since).ps() <= STALE_PS {
            return;
        }
        (self.window, self.since) = (window, now);
        if window <= u64::from(config.low_window) {
            self.per_segment = window;
            return;
        }
        let mut per_segment = self.search(window);
        if self.maximum == 0 {
            per_segment = per_segment.min(20);
        }
        self.per_segment = (16 * per_segment / self.per_ack.max(1)).max(1);
    }

    fn search(&self, window: u64) -> u64 {
        let near = window * SMOOTH / PART;
        if window < self.maximum {
            return match (self.maximum - window) / PART {
                0 | 1 => near,
                distance => window / distance.min(MAX_INCREMENT),
            };
        }
        match window - self.maximum {
            beyond if beyond < PART => near,
            beyond if beyond < MAX_INCREMENT * (PART - 1) => window * (PART - 1) / beyond,
            _ => window / MAX_INCREMENT,
        }
    }

    /// What a loss leaves of a flight.
    fn cut(&mut self, config: &Config, flight: u64) -> u64 {
        let lowers = config.fast_convergence && flight < self.maximum;
        self.maximum = if lowers { flight * (1024 + 819) / 2048 } else { flight };
        self.window = 0;
        if flight <= u64::from(config.low_window) { flight / 2 } else { flight * 819 / 1024 }
    }
}

const S_MAX: f64 = 32.0;
const S_MIN: f64 = 0.01;
const BETA: f64 = 0.125;

/// Windows in segments; infinite where nothing is known.
#[derive(Clone, Copy, Debug)]
pub struct Paper {
    growth: Growth,
    maximum: f64,
    minimum: f64,
    target: f64,
    probe: Option<Probe>,
}

/// Max probing: growth doubles when the window has passed `target`.
#[derive(Clone, Copy, Debug)]
struct Probe {
    growth: f64,
    target: f64,
}

impl Default for Paper {
    fn default() -> Paper {
        let growth = Growth::default();
        Paper { growth, maximum: f64::INFINITY, minimum: 0.0, target: f64::INFINITY, probe: None }
    }
}

impl Paper {
    /// An ACK.
    fn grow(&mut self, config: &Config, window: &mut Window) {
        let before = window.cwnd as f64 / window.mss as f64;
        if before < f64::from(config.low_window) {
            return self.growth.by(window, 1.0 / before);
        }
        let growth = self.probe.map_or((self.target - before).clamp(S_MIN, S_MAX), |probe| probe.growth);
        self.growth.by(window, growth / before);
        let after = window.cwnd as f64 / window.mss as f64;
        match &mut self.probe {
            Some(probe) => {
                if after >= probe.target {
                    probe.growth *= 2.0;
                    probe.target = after + probe.growth;
                }
                if probe.growth >= S_MAX {
                    self.probe = None;
                }
            }
            None if after < self.maximum => {
                self.minimum = after;
                self.target = (self.maximum + self.minimum) / 2.0;
            }
            None => {
                self.probe = Some(Probe { growth: 1.0, target: after + 1.0 });
                (self.maximum, self.target) = (f64::INFINITY, f64::INFINITY);
            }
        }
    }

    /// What a loss leaves of a flight.
    fn cut(&mut self, config: &Config, flight: f64) -> f64 {
        if flight < f64::from(config.low_window) {
            return flight / 2.0;
        }
        let kept = flight * (1.0 - BETA);
        let before = self.maximum;
        // Not below a maximum that nobody has seen.
        let lowers = config.fast_convergence && before.is_finite() && before > flight;
        self.maximum = if lowers { (flight + kept) / 2.0 } else { flight };
        self.minimum = kept;
        self.target = (self.maximum + self.minimum) / 2.0;
        self.probe = None;
        kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MSS: u64 = 1000;

    fn linux(maximum: u64, window: u64) -> u64 {
        let mut state = Linux { maximum, per_ack: 16, ..Linux::default() };
        state.set_per_segment(&Config::default(), window, Instant::ZERO);
        state.per_segment
    }

    /// A maximum of 1000: 16 a window while a quarter of the distance is more, then the quarter, then 4 in 20 windows.
    #[test]
    fn linux_goes_a_quarter_of_the_distance_in_a_round_trip() {
        assert_eq!([linux(1000, 800), linux(1000, 960), linux(1000, 993)], [50, 96, 4965]);
        assert_eq!([linux(1000, 1002), linux(1000, 1012), linux(1000, 1060)], [5010, 253, 66]);
        assert_eq!([linux(0, 1000), linux(0, 100), linux(1000, 14)], [20, 6, 14]);
    }

    /// Two segments an ACK: half as many ACKs.
    #[test]
    fn linux_reckons_by_acks() {
        let mut state = Linux { maximum: 1000, per_ack: 32, ..Linux::default() };
        state.set_per_segment(&Config::default(), 800, Instant::ZERO);
        assert_eq!(state.per_segment, 25);
    }

    #[test]
    fn a_loss_keeps_four_fifths_in_linux_and_seven_eighths_in_the_paper() {
        let config = Config::default();
        let mut state = Linux::default();
        assert_eq!((state.cut(&config, 1000), state.maximum), (799, 1000));
        // Fast convergence: 800 · 1843/2048.
        assert_eq!((state.cut(&config, 800), state.maximum), (639, 719));
        assert_eq!(state.cut(&config, 14), 7);
        let mut paper = Paper::default();
        assert_eq!((paper.cut(&config, 1000.0), paper.maximum, paper.target), (875.0, 1000.0, 937.5));
        assert_eq!((paper.cut(&config, 900.0), paper.maximum, paper.target), (787.5, 843.75, 815.625));
        assert_eq!(paper.cut(&config, 13.0), 6.5);
    }

    /// After a loss at 1000 the window of 875 gains 32 in each of two round trips, then half of the distance or less.
    #[test]
    fn the_paper_searches_the_middle_and_then_probes() {
        let config = Config { arithmetic: Arithmetic::Paper, ..Config::default() };
        let (mut state, mut window) = (Paper::default(), Window { cwnd: 875 * MSS, ssthresh: MSS, mss: MSS });
        state.cut(&config, 1000.0);
        state.grow(&config, &mut window);
        // min(62.5, 32)/875 of a segment.
        assert_eq!(window.cwnd, 875_036);
        let mut rounds = vec![];
        for _ in 0..20 {
            (0..window.cwnd / MSS).for_each(|_| state.grow(&config, &mut window));
            rounds.push(window.cwnd / MSS);
        }
        assert_eq!((rounds[0], rounds[1], rounds[19]), (906, 937, 999), "{rounds:?}");
        assert!(rounds.is_sorted());
        window.cwnd = 1000 * MSS;
        state.grow(&config, &mut window);
        assert!(state.probe.is_some_and(|probe| probe.growth == 1.0), "{state:?}");
        (0..1100).for_each(|_| state.grow(&config, &mut window));
        assert!((1001 * MSS..1004 * MSS).contains(&window.cwnd), "{}", window.cwnd);
    }

    #[test]
    fn a_timeout_forgets_the_maximum() {
        let (config, mut window) = (Config::default(), Window { cwnd: 100 * MSS, ssthresh: MSS, mss: MSS });
        let mut law = Bic::new(&config);
        law.on_loss(&config, &mut window, &Loss::of(LossCause::Timeout, 100 * MSS));
        assert_eq!((window.cwnd, window.ssthresh), (MSS, 79 * MSS));
        assert!(matches!(law, Bic::Linux(state) if state.maximum == 0));
    }

    /// The paper's slow start beyond the maximum: 1, 2, 4, 8 and 16 segments a window of ACKs, then S_max = 32.
    #[test]
    fn probes_double_until_they_are_s_max() {
        let config = Config { arithmetic: Arithmetic::Paper, ..Config::default() };
        let (mut state, mut window) = (Paper::default(), Window { cwnd: 1000 * MSS, ssthresh: MSS, mss: MSS });
        state.cut(&config, 1000.0);
        state.grow(&config, &mut window);
        let mut seen: Vec<(f64, u64)> = vec![];
        while let Some(probe) = state.probe.filter(|_| seen.len() < 9) {
            if seen.last().is_none_or(|(growth, _)| *growth != probe.growth) {
                seen.push((probe.growth, window.cwnd / MSS));
            }
            state.grow(&config, &mut window);
        }
        assert_eq!(seen, [(1.0, 1000), (2.0, 1001), (4.0, 1003), (8.0, 1007), (16.0, 1015)]);
        let before = window.cwnd;
        (0..before / MSS).for_each(|_| state.grow(&config, &mut window));
        assert!((31 * MSS..=32 * MSS).contains(&(window.cwnd - before)), "{}", window.cwnd - before);
    }

    /// Linux's bictcp_acked(): the mean moves by a sixteenth of the way, from two segments an ACK. Both: a window of
    /// ten segments grows by one in a round trip, a tenth by each ACK.
    #[test]
    fn acks_are_counted_in_sixteenths_and_small_windows_grow_as_renos() {
        let small = || Window { cwnd: 10 * MSS, ssthresh: MSS, mss: MSS };
        let per_ack = |acks: &[u64]| {
            let (config, mut window, mut state) = (Config::default(), small(), Bic::new(&Config::default()));
            acks.iter().for_each(|segments| state.on_ack(&config, &mut window, &Event::ack(segments * MSS)));
            let Bic::Linux(state) = state else { unreachable!("the default") };
            state.per_ack
        };
        assert_eq!([per_ack(&[2]), per_ack(&[1]), per_ack(&[1, 1])], [32, 31, 31]);
        let (config, mut window) = (Config { arithmetic: Arithmetic::Paper, ..Config::default() }, small());
        Bic::new(&config).on_ack(&config, &mut window, &Event::ack(MSS));
        assert_eq!(window.cwnd, 10 * MSS + MSS / 10);
    }
}
