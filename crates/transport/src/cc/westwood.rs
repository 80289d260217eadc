//! Westwood+: L. A. Grieco and S. Mascolo, "Performance evaluation and comparison of Westwood+, New Reno, and Vegas TCP
//! congestion control", ACM CCR 34(2), 2004; S. Mascolo et al., "TCP Westwood", MobiCom 2001.
//!
//! Reno's growth. A loss does not halve the window but sets ssthresh to what the path carries, BWE · RTTmin, where BWE
//! filters one sample of the returning ACKs a round trip: what they have covered, over the time that took. So losses
//! that are no congestion cost little.
//!
//! Readings: the filter is a parameter, since implementations differ in it. A sample is over when SRTT has passed. cwnd
//! never grows at a loss. RTTmin is never forgotten. Linux differs: a sample takes at least 50 ms; samples are filtered
//! twice by 7/8; a mark (ECE) acts as a loss, as it does here.

use super::segments::Arrivals;
use super::{Asks, CongestionControl, Event, Loss, Window};
use options::{Kind, Words, options, words};
use units::{Duration, Instant};

words! {
    /// How samples of the bandwidth are filtered.
    pub enum Filter {
        /// 7/8 of the estimate and 1/8 of the sample.
        Exponential = "exponential",
        /// That twice in a row, as in Linux.
        Linux = "linux",
        /// 9/10 of the estimate and 1/10 of the mean of this sample and the last, as in ns-3 (Tustin).
        Tustin = "tustin",
    }
}

options! {
    /// Parameters of the law.
    #[derive(Clone, Copy, Debug)]
    pub struct Config {
        /// How samples of the bandwidth are filtered.
        pub filter as "bandwidth_filter": Filter = Filter::Exponential, Kind::Word(&Filter::LIST);
    }
}

/// The law of one flow.
#[derive(Clone, Debug)]
pub struct Westwood(Box<State>);

#[derive(Clone, Debug)]
struct State {
    bandwidth: Bandwidth,
    /// The shortest round trip so far.
    min_rtt: Duration,
    /// When the running sample began; `None` before the first ACK.
    since: Option<Instant>,
    /// Bytes that have arrived in it.
    arrived: u64,
    arrivals: Arrivals,
    /// Bytes acknowledged since the window last grew.
    acked: u64,
}

/// BWE in bytes per second.
#[derive(Clone, Copy, Debug, Default)]
struct Bandwidth {
    estimate: f64,
    /// The value of the first of two filters, or the last sample.
    first: f64,
}

impl Bandwidth {
    fn add(&mut self, filter: Filter, sample: f64) {
        if self.estimate == 0.0 {
            (self.estimate, self.first) = (sample, sample);
            return;
        }
        let last = self.first;
        (self.first, self.estimate) = match filter {
            Filter::Exponential => (sample, (7.0 * self.estimate + sample) / 8.0),
            Filter::Linux => {
                let first = (7.0 * last + sample) / 8.0;
                (first, (7.0 * self.estimate + first) / 8.0)
            }
            Filter::Tustin => (sample, 0.9 * self.estimate + 0.1 * (sample + last) / 2.0),
        };
    }
}

impl CongestionControl for Westwood {
    type Config = Config;

    const ASKS: Asks = Asks { every_ack: true, ..Asks::NOTHING };

    fn new(_: &Config) -> Westwood {
        let bandwidth = Bandwidth::default();
        Westwood(Box::new(State {
            bandwidth,
            min_rtt: Duration::MAX,
            since: None,
            arrived: 0,
            arrivals: Arrivals::default(),
            acked: 0,
        }))
    }

    fn on_ack(&mut self, config: &Config, window: &mut Window, event: &Event) {
        let state = &mut *self.0;
        state.measure(config, event);
        if event.acked == 0 || event.is_app_limited || event.in_recovery || event.ecn_echo {
            return;
        }
        if window.in_slow_start() {
            return window.slow_start_by(event.counts, event.acked);
        }
        state.acked += window.counted(event.acked);
        if state.acked >= window.cwnd {
            state.acked -= window.cwnd;
            window.cwnd = window.cwnd.saturating_add(window.mss);
        }
    }

    /// BWE · RTTmin; half of the flight before the first sample.
    fn ssthresh_after(&mut self, _: &Config, _: &Window, loss: &Loss) -> u64 {
        let state = &mut *self.0;
        state.acked = 0;
        match state.bandwidth.estimate > 0.0 && state.min_rtt != Duration::MAX {
            // `as` saturates.
            true => (state.bandwidth.estimate * state.min_rtt.as_secs_f64()) as u64,
            false => loss.flight / 2,
        }
    }
}

impl State {
    /// RTTmin, and what has arrived; a sample ends when a round trip has passed.
    fn measure(&mut self, config: &Config, event: &Event) {
        if let Some(rtt) = event.rtt_sample {
            self.min_rtt = self.min_rtt.min(rtt);
        }
        self.arrived = self.arrived.saturating_add(self.arrivals.of(event));
        let (Some(since), Some(srtt)) = (self.since, event.srtt) else {
            (self.since, self.arrived) = (Some(event.now), 0);
            return;
        };
        let took = event.now.saturating_since(since);
        if took >= srtt && took > Duration::ZERO {
            self.bandwidth.add(config.filter, self.arrived as f64 / took.as_secs_f64());
            (self.since, self.arrived) = (Some(event.now), 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cc::LossCause;

    const MSS: u64 = 1000;
    const RTT: Duration = Duration::from_millis(100);

    fn window(segments: u64) -> Window {
        Window { cwnd: segments * MSS, ssthresh: 2 * MSS, mss: MSS }
    }

    /// ACKs of a segment each for `rounds` round trips of 100 ms at `per_round` segments; returns when they are over.
    fn run(law: &mut Westwood, config: &Config, from_ms: u64, rounds: u64, per_round: u64) -> u64 {
        let mut w = window(per_round);
        for at in 0..rounds * per_round {
            let now = Instant::ZERO + Duration::from_micros(1000 * from_ms + 100_000 * at / per_round);
            let ack = Event { acked: MSS, srtt: Some(RTT), rtt_sample: Some(RTT), ..Event::at(now) };
            law.on_ack(config, &mut w, &ack);
        }
        from_ms + 100 * rounds
    }

    fn ssthresh(law: &mut Westwood, config: &Config, segments: u64) -> u64 {
        let mut w = window(segments);
        law.on_loss(config, &mut w, &Loss::of(LossCause::FastRetransmit, segments * MSS));
        assert!(w.cwnd <= segments * MSS, "a loss never raises cwnd");
        w.ssthresh
    }

    #[test]
    fn after_a_loss_ssthresh_is_bwe_times_rtt_min() {
        // 20 segments of 1000 B in 100 ms: BWE = 200 kB/s; RTTmin = 100 ms: 20 segments are kept of 40 in flight.
        let config = Config::default();
        let mut law = Westwood::new(&config);
        run(&mut law, &config, 0, 10, 20);
        assert_eq!(ssthresh(&mut law, &config, 40), 20 * MSS);
        assert_eq!(ssthresh(&mut law, &config, 10), 20 * MSS);
    }

    #[test]
    fn before_the_first_sample_a_loss_halves_the_flight() {
        let config = Config::default();
        assert_eq!(ssthresh(&mut Westwood::new(&config), &config, 16), 8 * MSS);
    }

    #[test]
    fn a_timeout_leaves_one_segment_and_the_same_ssthresh() {
        let (config, mut w) = (Config::default(), window(40));
        let mut law = Westwood::new(&config);
        run(&mut law, &config, 0, 10, 20);
        law.on_loss(&config, &mut w, &Loss::of(LossCause::Timeout, 40 * MSS));
        assert_eq!((w.cwnd, w.ssthresh), (MSS, 20 * MSS));
    }

    #[test]
    fn each_filter_takes_its_share_of_a_sample() {
        // From 100 to 200: 7/8·100 + 200/8 = 112.5; twice: 7/8·100 + 112.5/8 = 101.5625; 90 + 0.1·150 = 105.
        for (filter, expected) in [(Filter::Exponential, 112.5), (Filter::Linux, 101.5625), (Filter::Tustin, 105.0)] {
            let mut bandwidth = Bandwidth::default();
            bandwidth.add(filter, 100.0);
            assert_eq!(bandwidth.estimate, 100.0);
            bandwidth.add(filter, 200.0);
            assert!((bandwidth.estimate - expected).abs() < 1e-9, "{filter:?}: {}", bandwidth.estimate);
        }
    }

    #[test]
    fn what_sack_has_reported_counts_once() {
        let mut law = Westwood::new(&Config::default());
        let at = |ms| Event { srtt: Some(RTT), ..Event::at(Instant::ZERO + Duration::from_millis(ms)) };
        let config = Config::default();
        law.on_ack(&config, &mut window(10), &at(0));
        law.on_ack(&config, &mut window(10), &Event { sacked: 9 * MSS, in_flight: 10 * MSS, ..at(10) });
        law.on_ack(&config, &mut window(10), &Event { acked: 10 * MSS, in_recovery: true, ..at(100) });
        // 10 segments in 100 ms.
        assert_eq!(law.0.bandwidth.estimate, 100_000.0);
    }
}
