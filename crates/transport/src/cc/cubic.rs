//! CUBIC: RFC 9438.
//!
//! Between two losses the window follows W(t) = C (t − K)³ + W_max, flat around the window of the last loss, and is
//! never below what Reno would have (the Reno-friendly region). A loss keeps β of the flight; with fast convergence a
//! flow gives up bandwidth whose window falls from loss to loss. t leaves out the time in which something else than
//! cwnd held the flow back (§5.8).
//!
//! A slow start that no timeout has brought about (after an idle time, or after the full ACK of NewReno) ends a stage
//! and forgets no W_max; the next stage begins at its end. Reading: t counts anew then, as §4.2 has it; Linux goes on
//! with the former t.
//!
//! Windows grow by acknowledged bytes where the RFC counts ACKs, so delayed ACKs do not slow them (§4.1 allows bytes).
//! Left out: taking back a reduction that was spurious (§4.9), which is the sender's.
//!
//! The RFC's windows are real numbers, here they are bytes. Linux and ns-3 count whole segments, which matters at small
//! windows: [`Arithmetic::Segments`].

use super::gaimd::{FRACTION_BITS, SHARE, fixed};
use super::hystart::HyStart;
use super::linux_hystart::LinuxHyStart;
use super::{CongestionControl, Event, Loss, LossCause, SlowStartCounts, Wants, Window};
use options::{Kind, Range, Words, options, words};
use units::{Duration, Instant};

words! {
    /// How finely CUBIC's window moves.
    pub enum Arithmetic {
        /// By bytes.
        Bytes = "bytes",
        /// By whole segments, as in Linux and ns-3: W(t) is W_max with a whole number of segments less or more, rounded
        /// towards W_max, and the window grows by one for a whole number of acknowledged segments.
        Segments = "segments",
    }
}

words! {
    /// When a slow start ends that HyStart watches.
    pub enum HyStartRule {
        /// RFC 9406: round trips grow; the window goes on conservatively for five rounds, and back if they shrink.
        Rfc9406 = "rfc9406",
        /// Linux's CUBIC: round trips grow, or ACKs come one after the other for half of the least one; at once.
        Linux = "linux",
    }
}

options! {
    /// Parameters of RFC 9438 §4.1.
    #[derive(Clone, Copy, Debug)]
    pub struct Config {
        /// C of RFC 9438 in segments/s³: how fast the window grows away from that of the last loss.
        pub c: f64 = 0.4, Kind::Number(Range::above(0.0, 1000.0));
        /// The share of the flight that is kept at a loss.
        pub beta: f64 = 0.7, Kind::Number(SHARE);
        /// Fast convergence: whether a flow whose window falls from loss to loss gives up bandwidth (RFC 9438 §4.7).
        pub fast_convergence: bool = true, Kind::Flag;
        /// Whether the window is never below Reno's (RFC 9438 §4.3).
        pub reno_friendly: bool = true, Kind::Flag;
        /// How finely the window moves between losses; Reno's stays in bytes.
        pub arithmetic as "cubic_arithmetic": Arithmetic = Arithmetic::Bytes, Kind::Word(&Arithmetic::LIST);
        /// Slow start without hystart.
        pub slow_start_counts: SlowStartCounts = SlowStartCounts::Segment, Kind::Word(&SlowStartCounts::LIST);
        /// HyStart++ (RFC 9406): the first slow start ends when round trips grow, not only at a loss.
        pub hystart: bool = false, Kind::Flag;
        /// With hystart: when slow start ends. With "linux" all that an ACK acknowledges counts.
        pub hystart_rule: HyStartRule = HyStartRule::Rfc9406, Kind::Word(&HyStartRule::LIST);
        /// With hystart: at most this many segments of one ACK count in slow start. RFC 9406 §4.2: 8, and without a
        /// bound if segments are paced.
        pub hystart_limit: u32 = 8, Kind::Whole(Range::from(1.0));
        /// ABE (RFC 8511): a congestion mark keeps more of the flight than a loss. Needs ecn.
        pub abe: bool = false, Kind::Flag;
        /// With abe: the share of the flight that is kept at a mark. RFC 8511 §3: 0.85.
        pub beta_ecn: f64 = 0.85, Kind::Number(SHARE);
    }
}

impl Config {
    /// α, by which Reno's window with this β grows in a round trip so that it takes as much as with 1/2: §4.3.
    pub fn alpha(&self) -> f64 {
        3.0 * (1.0 - self.beta) / (1.0 + self.beta)
    }

    /// K, the seconds in which the window comes back from `cwnd` to `w_max` segments: §4.2.
    pub fn k(&self, w_max: f64, cwnd: f64) -> f64 {
        libm::cbrt((w_max - cwnd).max(0.0) / self.c)
    }

    /// W(t) in segments, for a time in seconds since K: §4.2 figure 1.
    pub fn window(&self, w_max: f64, since_k: f64) -> f64 {
        self.c * since_k * since_k * since_k + w_max
    }
}

/// The law of one flow.
#[derive(Clone, Debug)]
pub struct Cubic(Box<State>);

#[derive(Clone, Debug)]
struct State {
    /// W_max in bytes.
    w_max: u64,
    /// cwnd before the last loss, in bytes.
    cwnd_prior: u64,
    stage: Stage,
    /// W_est, what Reno would have, in bytes.
    w_est: u64,
    /// The bytes that acknowledged ones have not yet paid for: of cwnd, and of W_est with `FRACTION_BITS`.
    credit: u64,
    est_credit: u64,
    /// The first slow start, if it is watched.
    watch: Option<Watch>,
    /// By how much K is divided.
    haste: f64,
}

/// Who watches the first slow start.
#[derive(Clone, Debug)]
enum Watch {
    Rfc9406(HyStart),
    Linux(LinuxHyStart),
}

impl Watch {
    fn of(config: &Config) -> Option<Watch> {
        config.hystart.then(|| match config.hystart_rule {
            HyStartRule::Rfc9406 => Watch::Rfc9406(HyStart::default()),
            HyStartRule::Linux => Watch::Linux(LinuxHyStart::default()),
        })
    }

    fn figure(&self) -> Option<(&'static str, f64)> {
        if let Watch::Rfc9406(hystart) = self { Some(hystart.figure()) } else { None }
    }
}

/// The constants of a stage of congestion avoidance.
#[derive(Clone, Copy, Debug)]
struct Curve {
    /// K in seconds.
    k: f64,
    /// W_max in segments.
    w_max: f64,
    mss: f64,
    /// α as `fixed` has it.
    alpha: u32,
}

impl Curve {
    /// W in bytes, for a time in seconds since K.
    fn at(&self, config: &Config, since_k: f64) -> f64 {
        config.window(self.w_max, since_k) * self.mss
    }

    /// W in whole segments, rounded towards W_max.
    fn in_segments(&self, config: &Config, since_k: f64) -> u64 {
        // `as` saturates.
        let (w_max, away) = (self.w_max as u64, config.window(0.0, since_k.abs()) as u64);
        if since_k < 0.0 { w_max.saturating_sub(away) } else { w_max.saturating_add(away) }
    }
}

/// Where the flow is in congestion avoidance.
#[derive(Clone, Copy, Debug)]
enum Stage {
    /// Before it, and its curve begins flat: there has been no loss (§4.10), or the last one was a timeout (§4.8).
    Flat,
    /// Before it, and W_max is known. Slow start, after an idle time for instance, forgets none of it: §4.2.
    Known,
    /// In it.
    Running { since: Instant, last_ack: Instant, curve: Curve },
}

impl CongestionControl for Cubic {
    type Config = Config;

    fn new(config: &Config) -> Cubic {
        let (stage, watch) = (Stage::Flat, Watch::of(config));
        let state = State { w_max: 0, cwnd_prior: 0, stage, w_est: 0, credit: 0, est_credit: 0, watch, haste: 1.0 };
        Cubic(Box::new(state))
    }

    fn wants(config: &Config) -> Wants {
        Wants { every_rtt: config.hystart, marks: config.abe, ..Wants::default() }
    }

    fn on_ack(&mut self, config: &Config, window: &mut Window, event: &Event) {
        let state = &mut *self.0;
        if window.in_slow_start() {
            state.leave_stage();
            match &mut state.watch {
                Some(Watch::Rfc9406(hystart)) => hystart.on_ack(config.hystart_limit, window, event),
                Some(Watch::Linux(hystart)) => hystart.on_ack(window, event),
                None if event.is_app_limited => {}
                None => window.slow_start_by(config.slow_start_counts, event.acked),
            }
            return;
        }
        if event.is_app_limited {
            return state.pause(event.now);
        }
        let event = &Event { acked: window.counted(event.acked), ..*event };
        let (since, curve) = state.running(config, window, event.now);
        let since_k = event.now.saturating_since(since).as_secs_f64() - curve.k;
        let rtt = event.srtt.unwrap_or(Duration::ZERO).as_secs_f64();
        match config.arithmetic {
            Arithmetic::Bytes => state.grow_cubic(curve.at(config, since_k + rtt), window, event),
            Arithmetic::Segments => state.grow_by_segments(curve.in_segments(config, since_k + rtt), window, event),
        }
        if config.reno_friendly {
            state.grow_reno(curve.at(config, since_k), curve.alpha, window, event);
        }
    }

    /// β of the flight: §4.6; §4.8 after a timeout.
    fn ssthresh_after(&mut self, config: &Config, window: &Window, loss: &Loss) -> u64 {
        let state = &mut *self.0;
        state.watch = None;
        let gives_way = config.fast_convergence && window.cwnd < state.w_max;
        let kept = if gives_way { (1.0 + config.beta) / 2.0 } else { 1.0 };
        state.w_max = (window.cwnd as f64 * kept) as u64;
        state.cwnd_prior = window.cwnd;
        state.stage = match loss.cause {
            LossCause::Timeout => Stage::Flat,
            LossCause::FastRetransmit | LossCause::Contention | LossCause::ContentionOfAll | LossCause::Mark => {
                Stage::Known
            }
        };
        // RFC 8511 §4: not recommended in slow start.
        let is_mild = config.abe && loss.cause == LossCause::Mark && !window.in_slow_start();
        let beta = if is_mild { config.beta_ecn } else { config.beta };
        (loss.flight as f64 * beta) as u64
    }

    /// W_max in bytes once there is one, K in seconds in a stage, and whether HyStart++ grows conservatively while it
    /// watches.
    fn figures(&self) -> Vec<(&'static str, f64)> {
        let state = &self.0;
        let w_max = (state.w_max > 0).then_some(("w_max", state.w_max as f64));
        let k = if let Stage::Running { curve, .. } = state.stage { Some(("k", curve.k)) } else { None };
        w_max.into_iter().chain(k).chain(state.watch.as_ref().and_then(Watch::figure)).collect()
    }

    fn on_idle(&mut self, _: &Config, window: &mut Window, restart: u64, event: &Event) {
        window.cwnd = window.cwnd.min(restart);
        self.0.w_est = self.0.w_est.min(window.cwnd);
        self.0.pause(event.now);
    }
}

impl Cubic {
    /// Stages that begin come back to W_max in so much less than K.
    pub(super) fn hasten(&mut self, haste: f64) {
        self.0.haste = haste;
    }

    /// The timeout of now leaves W_max what it was, as another loss does.
    pub(super) fn remember(&mut self) {
        self.0.stage = Stage::Known;
    }
}

impl State {
    /// The time since the last ACK does not count.
    fn pause(&mut self, now: Instant) {
        if let Stage::Running { since, last_ack, .. } = &mut self.stage {
            *since = *since + now.saturating_since(*last_ack);
            *last_ack = now;
        }
    }

    /// The window is in slow start: the next stage begins at its end, towards the same W_max.
    fn leave_stage(&mut self) {
        if let Stage::Running { .. } = self.stage {
            self.stage = Stage::Known;
        }
    }

    /// An ACK in congestion avoidance, which begins with the first: since when, and the curve.
    fn running(&mut self, config: &Config, window: &Window, now: Instant) -> (Instant, Curve) {
        match &mut self.stage {
            Stage::Running { since, last_ack, curve } => {
                *last_ack = now;
                return (*since, *curve);
            }
            Stage::Known => {}
            Stage::Flat => self.w_max = window.cwnd,
        }
        let curve = self.begin(config, window);
        self.stage = Stage::Running { since: now, last_ack: now, curve };
        (now, curve)
    }

    /// A stage begins. A window that is above W_max already starts at the flat point.
    #[cold]
    fn begin(&mut self, config: &Config, window: &Window) -> Curve {
        let mss = window.mss as f64;
        self.w_max = self.w_max.max(window.cwnd);
        self.w_est = window.cwnd;
        (self.credit, self.est_credit) = (0, 0);
        let segments = |bytes: u64| match config.arithmetic {
            Arithmetic::Bytes => bytes as f64 / mss,
            Arithmetic::Segments => (bytes / window.mss) as f64,
        };
        let w_max = segments(self.w_max);
        let k = config.k(w_max, segments(window.cwnd)) / self.haste;
        // To a whole picosecond.
        let k = Duration::from_secs_f64(k).unwrap_or(Duration::MAX).as_secs_f64();
        Curve { k, w_max, mss, alpha: fixed(config.alpha()) }
    }

    /// The concave and the convex region: cwnd grows by (target − cwnd)/cwnd a segment, §4.4 and §4.5, towards W(t +
    /// RTT), in bytes, between cwnd and 1.5 cwnd.
    fn grow_cubic(&mut self, w: f64, window: &mut Window, event: &Event) {
        let most = window.cwnd.saturating_add(window.cwnd / 2);
        let target = whole(w).clamp(window.cwnd, most);
        self.credit = self.credit.saturating_add((target - window.cwnd).saturating_mul(event.acked));
        let bytes = self.credit / window.cwnd;
        self.credit %= window.cwnd;
        window.cwnd = window.cwnd.saturating_add(bytes);
    }

    /// The same in whole segments: a segment for ⌊cwnd/(target − cwnd)⌋ acknowledged ones, at least two, and hardly any
    /// at or above the target. What has been acknowledged at a higher price counts once when the price falls. So do
    /// Linux's `bictcp_update` and `tcp_cong_avoid_ai`.
    #[inline(never)]
    fn grow_by_segments(&mut self, target: u64, window: &mut Window, event: &Event) {
        let cwnd = (window.cwnd / window.mss).max(1);
        let segments = if target > cwnd { (cwnd / (target - cwnd)).max(2) } else { cwnd.saturating_mul(100) };
        let price = segments.saturating_mul(window.mss);
        let saved = std::mem::take(&mut self.credit);
        let (grown, credit) = if saved >= price { (1, event.acked) } else { (0, saved.saturating_add(event.acked)) };
        self.credit = credit % price;
        window.cwnd = window.cwnd.saturating_add((grown + credit / price).saturating_mul(window.mss));
    }

    /// The Reno-friendly region, §4.3: W_est grows by α MSS · acked/cwnd, with α = 1 once it is back at the window
    /// before the loss; where W(t), in bytes, is below, it is the window.
    fn grow_reno(&mut self, w: f64, alpha: u32, window: &mut Window, event: &Event) {
        let alpha = if self.w_est >= self.cwnd_prior { 1 << FRACTION_BITS } else { alpha };
        let gain = event.acked.saturating_mul(window.mss).saturating_mul(alpha.into());
        self.est_credit = self.est_credit.saturating_add(gain);
        let price = window.cwnd.saturating_mul(1 << FRACTION_BITS);
        self.w_est = self.w_est.saturating_add(self.est_credit / price);
        self.est_credit %= price;
        if whole(w) < self.w_est {
            window.cwnd = window.cwnd.max(self.w_est);
        }
    }
}

/// The whole bytes of a window; one beyond 2^63 ends there. (To an unsigned number the conversion costs twice as much.)
fn whole(w: f64) -> u64 {
    // `as` saturates.
    (w as i64).max(0) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    const MSS: u64 = 1000;
    const RTT: Duration = Duration::from_millis(100);

    fn window(segments: u64) -> Window {
        Window { cwnd: segments * MSS, ssthresh: 2 * MSS, mss: MSS }
    }

    fn ack(now: Instant, rtt: Duration) -> Event {
        Event { acked: MSS, srtt: Some(rtt), ..Event::at(now) }
    }

    /// A window of ACKs, spread over a round trip that begins at `now`.
    fn round(law: &mut Cubic, config: &Config, w: &mut Window, now: Instant, rtt: Duration) {
        let acks = w.cwnd / w.mss;
        for at in 0..acks {
            law.on_ack(config, w, &ack(now + Duration::from_ps(rtt.ps() / acks * at), rtt));
        }
    }

    fn lose(law: &mut Cubic, config: &Config, w: &mut Window) {
        let flight = w.cwnd;
        law.on_loss(config, w, &Loss::of(LossCause::FastRetransmit, flight));
    }

    /// The average window, in segments, if one segment in 1/p is lost: RFC 9438 §5.1 with its deterministic losses.
    fn average(config: &Config, p: f64, rtt: Duration, epochs: u32) -> f64 {
        let per_epoch = (1.0 / p) as u64;
        let (mut law, mut w, mut now) = (Cubic::new(config), window(20), Instant::ZERO);
        let mut started = now;
        for _ in 0..epochs {
            started = now;
            for _ in 0..per_epoch {
                law.on_ack(config, &mut w, &ack(now, rtt));
                now = now + Duration::from_ps(rtt.ps() * w.mss / w.cwnd);
            }
            lose(&mut law, config, &mut w);
        }
        per_epoch as f64 / (now.saturating_since(started).as_secs_f64() / rtt.as_secs_f64())
    }

    #[test]
    fn alpha_and_k_are_the_rfcs() {
        let config = Config::default();
        // §4.3: 3 · 0.3/1.7 = 0.529. K: 0.3 · 100 segments to regain at C = 0.4: ∛75 = 4.217 s.
        assert!((config.alpha() - 0.529_41).abs() < 1e-5);
        assert!((config.k(100.0, 70.0) - 4.217_16).abs() < 1e-5);
        assert_eq!(config.k(100.0, 120.0), 0.0);
    }

    #[test]
    fn the_average_windows_are_those_of_the_rfcs_tables() {
        // RFC 9438 tables 1 and 2, C = 0.4. The cubic region within 3 %; where Reno's window rules, which the RFC takes
        // from RFC 3649's rounded 1.2/√p and the law reaches by α and then 1, within 10 %. The model has one flow: no
        // fast convergence (§4.7).
        //
        // W is flat around W_max, so a flow comes to the cubic's steady state slowly: a window that is a share e too
        // large falls by C (4/3 e K)³ = 0.71 e³ of itself from one loss to the next, which leaves 1/√(1.42 n) after n
        // losses: 2.2 % after 1500.
        let config = Config { fast_convergence: false, ..Config::default() };
        let short = Duration::from_millis(10);
        for (p, rtt, expected, within, losses) in [
            (1e-3, RTT, 38.0, 0.10, 100),
            (1e-4, RTT, 187.0, 0.03, 1500),
            (1e-5, RTT, 1054.0, 0.03, 1500),
            (1e-3, short, 38.0, 0.10, 100),
            (1e-4, short, 120.0, 0.10, 100),
            (1e-5, short, 379.0, 0.10, 100),
        ] {
            let found = average(&config, p, rtt, losses);
            assert!((found - expected).abs() < within * expected, "p = {p}, RTT = {rtt:?}: {found}, {expected}");
            println!("p = {p}, RTT = {rtt:?}: {found:.1}, table {expected}");
        }
    }

    #[test]
    fn the_window_is_back_at_w_max_after_k() {
        // 1000 segments: 700 are kept, K = ∛(300/0.4) = 9.086 s, 91 round trips. Reno would have 700 + 91 · 0.53 = 748.
        let config = Config::default();
        let (mut law, mut w) = (Cubic::new(&config), window(1000));
        lose(&mut law, &config, &mut w);
        assert_eq!((w.cwnd, w.ssthresh), (700 * MSS, 700 * MSS));
        let mut now = Instant::ZERO;
        for _ in 0..91 {
            round(&mut law, &config, &mut w, now, RTT);
            now = now + RTT;
        }
        assert!((w.cwnd as f64 / 1e6 - 1.0).abs() < 0.005, "{}", w.cwnd);
        // W(2K) = W_max + 300: the mirror image.
        for _ in 0..91 {
            round(&mut law, &config, &mut w, now, RTT);
            now = now + RTT;
        }
        assert!((w.cwnd as f64 / 1.3e6 - 1.0).abs() < 0.01, "{}", w.cwnd);
    }

    #[test]
    fn fast_convergence_remembers_less_of_a_window_that_falls() {
        for (fast_convergence, expected) in [(true, 680 * MSS), (false, 800 * MSS)] {
            let config = Config { fast_convergence, ..Config::default() };
            let (mut law, mut w) = (Cubic::new(&config), window(1000));
            lose(&mut law, &config, &mut w);
            assert_eq!(law.0.w_max, 1000 * MSS);
            // The next loss at 800 < 1000: 800 · 1.7/2 = 680.
            w.cwnd = 800 * MSS;
            lose(&mut law, &config, &mut w);
            assert_eq!((law.0.w_max, w.cwnd), (expected, 560 * MSS));
        }
    }

    #[test]
    fn after_a_timeout_the_cubic_starts_flat_at_ssthresh() {
        // §4.8: ssthresh = β of the flight, cwnd = 1, then K = 0 and W_max the window at which slow start ends.
        let config = Config { reno_friendly: false, ..Config::default() };
        let (mut law, mut w) = (Cubic::new(&config), window(1000));
        law.on_loss(&config, &mut w, &Loss::of(LossCause::Timeout, 1000 * MSS));
        assert_eq!((w.cwnd, w.ssthresh), (MSS, 700 * MSS));
        w.cwnd = 700 * MSS;
        let mut now = Instant::ZERO;
        for _ in 0..20 {
            round(&mut law, &config, &mut w, now, RTT);
            now = now + RTT;
        }
        // 0.4 · 2³ = 3.2 segments in two seconds.
        assert!((700 * MSS..704 * MSS).contains(&w.cwnd), "{}", w.cwnd);
    }

    #[test]
    fn time_without_data_does_not_count() {
        let config = Config::default();
        let (mut law, mut w) = (Cubic::new(&config), window(1000));
        lose(&mut law, &config, &mut w);
        round(&mut law, &config, &mut w, Instant::ZERO, RTT);
        let before = w.cwnd;
        // An hour in which the application was slow; W after an hour would be 1.9e10 segments.
        let later = Instant::ZERO + Duration::from_secs(3600);
        law.on_ack(&config, &mut w, &Event { is_app_limited: true, ..ack(later, RTT) });
        assert_eq!(w.cwnd, before);
        round(&mut law, &config, &mut w, later, RTT);
        // C (K² − (K − 0.1)²·…): 3 · 0.4 · 9.09² · 0.1 = 9.9 segments a round trip at most.
        assert!((before..before + 20 * MSS).contains(&w.cwnd), "{}", w.cwnd - before);
        law.on_idle(&config, &mut w, 10 * MSS, &Event::at(later + Duration::from_secs(60)));
        assert_eq!(w.cwnd, 10 * MSS);
    }

    #[test]
    fn a_slow_start_without_a_timeout_forgets_no_w_max() {
        // §4.2: 1000 segments, 700 kept, then an idle time, after which the window is 10, or NewReno's full ACK with
        // little in flight. The stage begins where slow start ends, at 700: W(3 s) = 0.4 (3 − 9.086)³ + 1000 = 909.9.
        // Flat at 700 it would be 710.8.
        let config = Config { reno_friendly: false, ..Config::default() };
        for rounds_before in [0, 30] {
            let (mut law, mut w, mut now) = (Cubic::new(&config), window(1000), Instant::ZERO);
            lose(&mut law, &config, &mut w);
            for _ in 0..rounds_before {
                round(&mut law, &config, &mut w, now, RTT);
                now = now + RTT;
            }
            law.on_idle(&config, &mut w, 10 * MSS, &Event::at(now));
            while w.in_slow_start() {
                law.on_ack(&config, &mut w, &ack(now, RTT));
            }
            for _ in 0..30 {
                round(&mut law, &config, &mut w, now, RTT);
                now = now + RTT;
            }
            assert!((w.cwnd as f64 / 909_900.0 - 1.0).abs() < 0.01, "{rounds_before}: {}", w.cwnd);
        }
    }

    #[test]
    fn whole_segments_are_at_w_max_before_k() {
        // 20 segments: 14 are kept, K = ∛(6/0.4) = 2.466 s. By whole segments W is 20 as soon as 0.4 (K − t − RTT)³ <
        // 1, from t = 1.01 s on, and stays until 0.4 (t + RTT − K)³ ≥ 1, t = 3.72 s. By bytes at 1.3 s it is on its way
        // to 20 − 0.4 · 1.166³ = 19.37, at 3.6 s to 20 + 0.4 · 1.134³ = 20.58.
        for (arithmetic, early, late) in [
            (Arithmetic::Bytes, 19_270..19_470, 20_480..20_680),
            (Arithmetic::Segments, 20_000..20_001, 20_000..20_001),
        ] {
            let config = Config { arithmetic, reno_friendly: false, ..Config::default() };
            let (mut law, mut w, mut now) = (Cubic::new(&config), window(20), Instant::ZERO);
            lose(&mut law, &config, &mut w);
            for (rounds, expected) in [(13, early), (23, late)] {
                for _ in 0..rounds {
                    round(&mut law, &config, &mut w, now, RTT);
                    now = now + RTT;
                }
                assert!(expected.contains(&w.cwnd), "{arithmetic:?} at {now:?}: {}, not in {expected:?}", w.cwnd);
            }
        }
    }

    /// From t = 1.01 s on W(t + RTT) is 20, and 19 acknowledged segments, a round trip, pay for the last one. Towards
    /// W(t) the window would be there after 1.3 s, towards W(t − RTT) after 1.4 s.
    #[test]
    fn whole_segments_head_for_w_of_a_round_trip_later_too() {
        let config = Config { arithmetic: Arithmetic::Segments, reno_friendly: false, ..Config::default() };
        let (mut law, mut w) = (Cubic::new(&config), window(20));
        lose(&mut law, &config, &mut w);
        for number in 0..12 {
            round(&mut law, &config, &mut w, Instant::ZERO + Duration::from_millis(100 * number), RTT);
        }
        assert_eq!(w.cwnd, 20 * MSS);
    }

    #[test]
    fn what_was_acknowledged_at_a_higher_price_counts_once() {
        let config = Config { arithmetic: Arithmetic::Segments, ..Config::default() };
        let (mut law, mut w) = (Cubic::new(&config), window(10));
        let state = &mut law.0;
        // At the target: 1000 segments would have to be acknowledged for one.
        for _ in 0..500 {
            state.grow_by_segments(10, &mut w, &ack(Instant::ZERO, RTT));
        }
        assert_eq!(w.cwnd, 10 * MSS);
        // 10 above 10 cost a segment for each two that are acknowledged: the first ACK is given one for the 500, the
        // second completes its two.
        for expected in [11, 12, 12] {
            state.grow_by_segments(20, &mut w, &ack(Instant::ZERO, RTT));
            assert_eq!(w.cwnd, expected * MSS);
        }
    }

    #[test]
    fn rfc_8511_keeps_0_85_of_the_flight_at_a_mark() {
        for (abe, cause, ssthresh) in
            [(true, LossCause::Mark, 850), (false, LossCause::Mark, 700), (true, LossCause::FastRetransmit, 700)]
        {
            let (config, mut w) = (Config { abe, ..Config::default() }, window(1000));
            Cubic::new(&config).on_loss(&config, &mut w, &Loss::of(cause, 1000 * MSS));
            assert_eq!(w.ssthresh, ssthresh * MSS);
        }
    }

    /// §4.4 after 1000 segments of which 700 are kept, K = 9.0856 s: W(RTT) = 0.4 (0.1 − K)³ + 1000 = 709.797, so
    /// that a segment that is acknowledged is worth 9797 B/700 = 13.996 B, three worth 41.9 B.
    #[test]
    fn the_window_heads_for_w_of_a_round_trip_later_and_keeps_fractions_of_a_byte() {
        let config = Config { reno_friendly: false, ..Config::default() };
        let (mut law, mut w) = (Cubic::new(&config), window(1000));
        lose(&mut law, &config, &mut w);
        assert_eq!(law.figures(), [("w_max", 1e6)]);
        (0..3).for_each(|_| law.on_ack(&config, &mut w, &ack(Instant::ZERO, RTT)));
        assert_eq!(w.cwnd, 700_041);
        let k = law.figures()[1];
        assert!(k.0 == "k" && (k.1 - 9.085_602_964).abs() < 1e-9, "{k:?}");
    }

    /// RFC 9406 needs every round trip, RFC 8511 congestion marks.
    #[test]
    fn what_hystart_and_abe_need_is_asked_for_with_them_only() {
        for (hystart, abe) in [(true, false), (false, true)] {
            let wants = Cubic::wants(&Config { hystart, abe, ..Config::default() });
            assert_eq!(wants, Wants { every_rtt: hystart, marks: abe, ..Wants::default() });
        }
        let watched = Cubic::new(&Config { hystart: true, ..Config::default() });
        assert_eq!(watched.figures(), [("is_conservative", 0.0)]);
    }
}
