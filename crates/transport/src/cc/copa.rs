//! Copa: V. Arun, H. Balakrishnan, "Copa: Practical Delay-Based Congestion Control for the Internet", NSDI 2018, §2.
//!
//! The law measures how long packets queue, dq: the shortest round trip of the last half of a smoothed one
//! (RTTstanding) above the shortest of the last ten seconds. With each segment acknowledged the window grows by v/(δ
//! cwnd) segments while the rate, cwnd/RTTstanding, is at most the target 1/(δ dq), and shrinks by as much while it is
//! above. v doubles once in a round trip from the third on in which the window moves one way, and is 1 again when it
//! turns. Segments are paced at 2 cwnd/RTTstanding. Until the rate first passes its target the window doubles in each
//! round trip.
//!
//! `copa_mode = "switching"` is §2.2: where five round trips pass in which the queue is never nearly empty (dq below a
//! tenth of the greatest of the last four round trips), others fill it. Then 1/δ grows by one in a round trip and a
//! loss halves it, from 1/`copa_delta` on, which is also the least.
//!
//! Readings. A round trip is a window of ACKs. The window's direction is where it lies beside its size of a round trip
//! ago. A step of v/(δ cwnd) is at most the window that is acknowledged, so that a fast law at most doubles.
//!
//! Its authors' programs number every packet anew, so that the loss of a copy shows as any other does: here it runs on
//! RACK-TLP, without which each lost copy would end in a timeout, as no loss slows the flow down.
//!
//! Left out: an answer to losses in the default mode, which the paper has none of either. A timeout leaves one segment,
//! and slow start follows until something is measured again.

use super::base_rtt::keep_window;
use super::segments::{Arrivals, Round};
use super::{Asks, CongestionControl, Event, Loss, LossCause, Marks, Wants, Window};
use options::{Kind, Range, Words, options, words};
use std::collections::VecDeque;
use units::{Duration, Instant, PS_PER_SECOND, Rate};

words! {
    /// Whether the law looks for others that fill the queue.
    pub enum Mode {
        /// It does not: δ stays.
        Default = "default",
        /// It does, and competes with them.
        Switching = "switching",
    }
}

options! {
    /// Parameters of the law.
    #[derive(Clone, Copy, Debug)]
    pub struct Config {
        /// δ: the weight of delay against throughput. §2.1: 0.5, for which a flow keeps 2.5 packets in the queue.
        pub delta as "copa_delta": f64 = 0.5, Kind::Number(Range::closed(0.001, 10.0));
        /// Whether the law competes with others that fill the queue.
        pub mode as "copa_mode": Mode = Mode::Default, Kind::Word(&Mode::LIST);
        /// How long the shortest round trip counts. §2: ten seconds.
        pub memory as "copa_memory": Duration = Duration::from_secs(10), Kind::POSITIVE;
    }
}

/// The shortest of what was measured of late, or the longest of its negative.
#[derive(Clone, Debug, Default)]
struct Shortest(VecDeque<(Instant, u64)>);

impl Shortest {
    /// A value of now; what is older than `span` counts no more. The shortest.
    fn add(&mut self, now: Instant, span: Duration, value: u64) -> u64 {
        while self.0.back().is_some_and(|(_, last)| *last >= value) {
            self.0.pop_back();
        }
        self.0.push_back((now, value));
        while self.0.len() > 1 && self.0.front().is_some_and(|(at, _)| now.saturating_since(*at) > span) {
            self.0.pop_front();
        }
        self.0.front().map_or(value, |(_, shortest)| *shortest)
    }
}

/// The law of one flow.
#[derive(Clone, Debug)]
pub struct Copa(Box<State>);

#[derive(Clone, Debug)]
struct State {
    recent: Shortest,
    ever: Shortest,
    /// The longest of the last four round trips, as how much it is below all time.
    longest: Shortest,
    /// RTTstanding and RTTmin in picoseconds; 0 before the first sample.
    standing: u64,
    least: u64,
    /// In segments; 0 before the first ACK.
    cwnd: f64,
    has_started: bool,
    velocity: f64,
    /// Round trips in a row in which the window has moved this way.
    grows: bool,
    same: u32,
    round: Round,
    /// cwnd when the round trip began.
    before: f64,
    /// 1/δ beside others that fill the queue; `None` in the default mode.
    competing: Option<f64>,
    /// Whether no round trip has been measured since a timeout.
    is_blind: bool,
    /// Round trips since the queue was nearly empty last.
    full: u32,
    arrivals: Arrivals,
}

/// Round trips without a nearly empty queue after which others fill it. §2.2.
const FULL: u32 = 5;

impl CongestionControl for Copa {
    type Config = Config;

    const ASKS: Asks = Asks { pacing: true, every_ack: true, marks: Marks::Unheard, ..Asks::NOTHING };

    fn new(_: &Config) -> Copa {
        Copa(Box::new(State {
            recent: Shortest::default(),
            ever: Shortest::default(),
            longest: Shortest::default(),
            standing: 0,
            least: 0,
            cwnd: 0.0,
            has_started: false,
            velocity: 1.0,
            grows: true,
            same: 0,
            round: Round::default(),
            before: 0.0,
            competing: None,
            is_blind: false,
            full: 0,
            arrivals: Arrivals::default(),
        }))
    }

    fn wants(_: &Config) -> Wants {
        Wants { every_rtt: true, ..Wants::default() }
    }

    fn on_ack(&mut self, config: &Config, window: &mut Window, event: &Event) {
        let state = &mut *self.0;
        state.begin(window);
        if let Some(rtt) = event.rtt_sample {
            state.measure(config, event, rtt.ps().max(1));
            state.is_blind = false;
        }
        let arrived = state.arrivals.of(event);
        if state.is_blind {
            return state.slow_start(window, arrived);
        }
        if state.standing == 0 {
            return;
        }
        if state.round.is_over_after(arrived) {
            state.round.begin(state.arrivals.missing(event));
            state.end_round(config);
        }
        let acked = window.counted(arrived) as f64 / window.mss as f64;
        state.move_window(config, acked, event.is_app_limited);
        state.show(window);
    }

    fn on_loss(&mut self, config: &Config, window: &mut Window, loss: &Loss) {
        if let Some(inverse) = &mut self.0.competing {
            *inverse = (*inverse / 2.0).max(1.0 / config.delta);
        }
        keep_window(window, loss);
        if loss.cause == LossCause::Timeout {
            (self.0.velocity, self.0.is_blind) = (1.0, true);
        }
    }

    fn pacing_rate(&self, _: &Config, window: &Window, _: Option<Duration>) -> Option<Rate> {
        let ps = u128::from(self.0.standing);
        let bps = (u128::from(window.cwnd) * 16 * u128::from(PS_PER_SECOND)).checked_div(ps)?;
        Some(Rate::from_bps(u64::try_from(bps).unwrap_or(u64::MAX)))
    }

    fn figures(&self) -> Vec<(&'static str, f64)> {
        let state = &*self.0;
        let seconds = |ps: u64| ps as f64 / PS_PER_SECOND as f64;
        vec![
            ("standing_rtt_s", seconds(state.standing)),
            ("least_rtt_s", seconds(state.least)),
            ("velocity", state.velocity),
            ("competes", f64::from(u8::from(state.competing.is_some()))),
        ]
    }
}

impl State {
    /// The window is what it was, unless somebody else has set it.
    fn begin(&mut self, window: &Window) {
        if self.cwnd == 0.0 || window.cwnd != self.shown(window.mss) {
            self.cwnd = window.cwnd as f64 / window.mss as f64;
            self.before = if self.before == 0.0 { self.cwnd } else { self.before };
        }
    }

    fn shown(&self, mss: u64) -> u64 {
        ((self.cwnd * mss as f64).round() as u64).max(mss)
    }

    fn show(&self, window: &mut Window) {
        window.cwnd = self.shown(window.mss);
    }

    /// After a timeout only copies are acknowledged, which measure nothing (RFC 6298 §3): RFC 5681 §3.1.
    fn slow_start(&mut self, window: &mut Window, arrived: u64) {
        if window.in_slow_start() {
            self.cwnd += window.counted(arrived) as f64 / window.mss as f64;
            self.show(window);
        }
    }

    fn measure(&mut self, config: &Config, event: &Event, rtt: u64) {
        let srtt = event.srtt.map_or(rtt, |srtt| srtt.ps());
        self.standing = self.recent.add(event.now, Duration::from_ps(srtt / 2), rtt);
        // A short memory may have forgotten what is standing.
        self.least = self.ever.add(event.now, config.memory, rtt).min(self.standing);
        let longest = u64::MAX - self.longest.add(event.now, Duration::from_ps(srtt.saturating_mul(4)), u64::MAX - rtt);
        if self.standing - self.least <= longest.saturating_sub(self.least) / 10 {
            self.full = 0;
        }
    }

    /// §2.1: the velocity; §2.2: the mode.
    fn end_round(&mut self, config: &Config) {
        let grows = self.cwnd > std::mem::replace(&mut self.before, self.cwnd);
        if !self.has_started {
            return;
        }
        self.same = if grows == self.grows { self.same.saturating_add(1) } else { 1 };
        self.velocity = if self.same > 3 { 2.0 * self.velocity } else { 1.0 };
        self.grows = grows;
        self.full = self.full.saturating_add(1);
        if config.mode == Mode::Switching {
            let least = 1.0 / config.delta;
            self.competing = (self.full > FULL).then(|| self.competing.map_or(least, |inverse| inverse + 1.0));
        }
    }

    /// 1/δ.
    fn inverse_delta(&self, config: &Config) -> f64 {
        self.competing.unwrap_or(1.0 / config.delta)
    }

    /// So many segments are acknowledged.
    fn move_window(&mut self, config: &Config, acked: f64, is_app_limited: bool) {
        let inverse = self.inverse_delta(config);
        // cwnd/RTTstanding ≤ 1/(δ dq).
        let has_room = self.cwnd * (self.standing - self.least) as f64 <= inverse * self.standing as f64;
        if !self.has_started {
            self.has_started = !has_room;
            if has_room && !is_app_limited {
                self.cwnd += acked;
            }
            return;
        }
        // The step is bounded by the window, and the velocity with it.
        self.velocity = self.velocity.min((self.cwnd / inverse).max(1.0));
        let step = self.velocity * inverse * acked / self.cwnd;
        match has_room {
            true if is_app_limited => {}
            true => self.cwnd += step,
            false => self.cwnd = (self.cwnd - step).max(1.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MSS: u64 = 1000;

    fn law(cwnd: f64) -> (Copa, Window) {
        let mut law = Copa::new(&Config::default());
        law.0.cwnd = cwnd;
        (law.0.has_started, law.0.before) = (true, cwnd);
        let window = Window { cwnd: law.0.shown(MSS), ssthresh: u64::MAX, mss: MSS };
        (law, window)
    }

    /// An ACK of a segment at a time and with a round trip in milliseconds.
    fn ack(at: u64, rtt: u64) -> Event {
        let time = |ms| Some(Duration::from_millis(ms));
        let at = Instant::ZERO + Duration::from_millis(at);
        Event { acked: MSS, rtt_sample: time(rtt), srtt: time(100), in_flight: 1 << 40, ..Event::at(at) }
    }

    /// RTTmin 100 ms, RTTstanding 110 ms: the target is 1/(0.5 · 10 ms) = 200 packets a second, 22 packets. A window of
    /// 20 grows by 1/(0.5 · 20) = 0.1 segments, one of 25 shrinks by 0.08.
    #[test]
    fn the_window_moves_towards_22_packets() {
        for (cwnd, then) in [(20.0, 20_100), (25.0, 24_920)] {
            let (mut law, mut window) = law(cwnd);
            law.0.ever.add(Instant::ZERO, Duration::from_secs(10), 100_000_000_000);
            law.on_ack(&Config::default(), &mut window, &ack(1000, 110));
            assert_eq!(window.cwnd, then);
            // 2 · cwnd/110 ms.
            let rate = law.pacing_rate(&Config::default(), &window, None).unwrap();
            assert_eq!(rate, Rate::from_bps(16 * then * 1000 / 110));
        }
    }

    /// RTTstanding is over the last 50 ms: 120, 110 and 130 ms, 30 ms apart; the 110 counts at 60 ms, not at 90.
    #[test]
    fn the_standing_round_trip_is_the_shortest_of_the_last_half_of_one() {
        let (mut law, mut window) = law(20.0);
        let mut standing = |at, rtt| {
            law.on_ack(&Config::default(), &mut window, &ack(at, rtt));
            law.0.standing / 1_000_000_000
        };
        assert_eq!([standing(0, 120), standing(30, 110), standing(60, 130), standing(90, 130)], [120, 110, 110, 130]);
    }

    /// §2.1: v doubles from the fourth round trip on that goes the same way, and is 1 again after a turn.
    #[test]
    fn the_velocity_doubles_after_three_round_trips_one_way() {
        let (config, (mut law, _)) = (Config::default(), law(1000.0));
        let mut seen = Vec::new();
        for step in [1.0, 1.0, 1.0, 1.0, 1.0, -1.0, -1.0] {
            law.0.cwnd += step;
            law.0.end_round(&config);
            seen.push(law.0.velocity);
        }
        assert_eq!(seen, [1.0, 1.0, 1.0, 2.0, 4.0, 1.0, 1.0]);
    }

    /// From 10 segments with an empty queue each segment acknowledged adds one; with 10 ms of queue in 110 the target
    /// is 22 packets, and the window that has passed it stays.
    #[test]
    fn it_starts_by_doubling_until_the_rate_passes_its_target() {
        let (config, mut law) = (Config::default(), Copa::new(&Config::default()));
        let mut window = Window { cwnd: 10 * MSS, ssthresh: u64::MAX, mss: MSS };
        (0..20).for_each(|at| law.on_ack(&config, &mut window, &ack(at, 100)));
        assert_eq!(window.cwnd, 30 * MSS);
        law.on_ack(&config, &mut window, &ack(200, 110));
        assert_eq!((window.cwnd, law.0.has_started), (30 * MSS, true));
    }

    /// §2.2: in the sixth round trip with a queue that is never below a tenth of its greatest 1/δ is 2, then 3; a loss
    /// halves it; an empty queue ends that.
    #[test]
    fn beside_others_that_fill_the_queue_delta_shrinks() {
        let config = Config { mode: Mode::Switching, ..Config::default() };
        let (mut law, mut window) = law(100.0);
        (0..6).for_each(|_| law.0.end_round(&config));
        assert_eq!(law.0.inverse_delta(&config), 2.0);
        assert!(law.0.competing.is_some());
        (0..3).for_each(|_| law.0.end_round(&config));
        assert_eq!(law.0.inverse_delta(&config), 5.0);
        law.on_loss(&config, &mut window, &Loss::of(LossCause::FastRetransmit, 1000));
        assert_eq!((law.0.inverse_delta(&config), window.cwnd), (2.5, 100_000));
        law.on_ack(&config, &mut window, &ack(0, 100));
        law.0.end_round(&config);
        assert!(law.0.competing.is_none());
    }

    #[test]
    fn a_loss_changes_nothing_and_a_timeout_leaves_one_segment() {
        let (config, (mut law, mut window)) = (Config::default(), law(50.0));
        law.on_loss(&config, &mut window, &Loss::of(LossCause::FastRetransmit, 1000));
        assert_eq!(window.cwnd, 50_000);
        law.on_loss(&config, &mut window, &Loss::of(LossCause::Timeout, 1000));
        assert_eq!(window.cwnd, 1000);
    }
}
