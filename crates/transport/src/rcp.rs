//! RCP's router: one rate for all flows that leave by a port, which it writes into packets that carry a higher one.
//!
//! Source: N. Dukkipati, M. Kobayashi, R. Zhang-Shen, N. McKeown, "Processor Sharing Flows in the Internet", IWQoS
//! 2005, eq. (2): once in T = min(`rcp_interval`, d), R becomes R · (1 + (T/d) (α (C − y) − β q/d)/C), with the mean
//! round trip d that packets tell, the traffic y of the last T, and the queue q.
//!
//! Readings. R starts as `rcp_start` of C. The first packet with a round trip sets d and begins an interval, each other
//! one moves d by `rcp_gain`. By the equation alone R may become nothing or less where several flows begin to send at
//! the rate that an idle port offers: it falls to `rcp_least_factor` of itself at most in an interval, and never below
//! `rcp_least` packets in a round trip, nor above C. y is what comes to the port, whether there is room for it or not;
//! q is what waits when the interval is looked at, which is when the next packet comes.

pub use crate::telemetry::Offer;

use crate::cc::rcp::Config;
use units::{Duration, Instant, Rate};

/// The controller of one port. Rates are in bytes a second, times in seconds.
#[derive(Clone, Debug)]
pub struct Router {
    config: Config,
    capacity: f64,
    rate: f64,
    rtt: Option<f64>,
    arrived: u64,
    /// When the interval began, and when it ends.
    began: Instant,
    due: Instant,
}

impl Router {
    /// That of a port whose capacity is this.
    pub fn new(config: &Config, capacity: Rate, now: Instant) -> Router {
        let capacity = bytes_per_second(capacity);
        let (rate, due) = (config.start * capacity, now + config.interval);
        Router { config: *config, capacity, rate, rtt: None, arrived: 0, began: now, due }
    }

    /// Whether an interval is over at `now`.
    pub fn is_due(&self, now: Instant) -> bool {
        self.due <= now
    }

    /// When an interval is over.
    pub fn next_timeout(&self) -> Instant {
        self.due
    }

    /// The capacity that it reckons with from now on.
    pub fn set_capacity(&mut self, capacity: Rate) {
        self.capacity = bytes_per_second(capacity);
    }

    /// Looks at the intervals that are over; so many bytes have been waiting since.
    pub fn handle_timeout(&mut self, now: Instant, queue: u64) {
        while self.is_due(now) {
            let before = self.rate;
            self.end_interval(queue as f64);
            if self.rate == before && self.is_due(now) {
                // Nothing comes, and the rate is at one of its bounds: all intervals until now are alike.
                let length = self.due.saturating_since(self.began).ps().max(1);
                let missed = now.saturating_since(self.began).ps() / length;
                self.began = self.began + Duration::from_ps(missed * length);
                self.due = self.began + Duration::from_ps(length);
            }
        }
    }

    /// A packet comes; intervals that are over have been looked at.
    pub fn handle_arrival(&mut self, size: u32) {
        self.arrived += u64::from(size);
    }

    /// A packet with an offer leaves.
    pub fn handle_departure(&mut self, now: Instant, offer: &mut Offer) {
        if offer.rtt > Duration::ZERO {
            let told = offer.rtt.as_secs_f64();
            if self.rtt.is_none() {
                self.rtt = Some(told);
                self.begin(now);
            }
            self.rtt = self.rtt.map(|rtt| rtt + self.config.gain * (told - rtt));
        }
        offer.rate = offer.rate.min(self.rate());
    }

    /// The rate that it offers to each flow.
    pub fn rate(&self) -> Rate {
        // `as` saturates.
        Rate::from_bps((8.0 * self.rate) as u64)
    }

    fn end_interval(&mut self, queue: f64) {
        let span = self.due.saturating_since(self.began).as_secs_f64();
        if let Some(rtt) = self.rtt
            && self.capacity > 0.0
        {
            let spare = self.capacity - self.arrived as f64 / span;
            let wish = self.config.alpha * spare - self.config.beta * queue / rtt;
            self.rate *= (1.0 + span / rtt * wish / self.capacity).max(self.config.least_factor);
            self.rate = self.rate.max(self.config.least * PACKET_BYTES / rtt);
        }
        // A port that stands still has nothing to share, and goes on where it was.
        if self.capacity > 0.0 {
            self.rate = self.rate.min(self.capacity);
        }
        self.begin(self.due);
    }

    /// An interval begins.
    fn begin(&mut self, now: Instant) {
        (self.arrived, self.began) = (0, now);
        let longest = self.config.interval.as_secs_f64();
        let next = self.rtt.map_or(longest, |rtt| rtt.min(longest));
        // `as` saturates.
        self.due = now + Duration::from_ps(((next * 1e12) as u64).max(LEAST_INTERVAL.ps()));
    }
}

/// A packet of the least rate.
const PACKET_BYTES: f64 = 1500.0;

/// The shortest interval, whatever packets tell of their round trips.
const LEAST_INTERVAL: Duration = Duration::from_micros(1);

fn bytes_per_second(rate: Rate) -> f64 {
    rate.bps() as f64 / 8.0
}

#[cfg(test)]
mod tests {
    use super::*;

    const CAPACITY: Rate = Rate::from_mbps(8);

    fn at(ms: u64) -> Instant {
        Instant::ZERO + Duration::from_millis(ms)
    }

    /// A port of 1 MB/s with a mean round trip of 100 ms, T = 10 ms, R = 50 kB/s.
    fn router() -> Router {
        let mut router = Router::new(&Config::default(), CAPACITY, Instant::ZERO);
        let mut offer = Offer { rtt: Duration::from_millis(100), ..Offer::NONE };
        router.handle_departure(Instant::ZERO, &mut offer);
        assert_eq!(offer.rate, Rate::from_bps(400_000), "0.05 of 8 Mb/s");
        router
    }

    /// Eq. (2): 5000 B in 10 ms are y = 500 kB/s; q = 10 kB. R = 50 000 · (1 + 0.1 (0.4 · 500 000 − 0.226 · 100
    /// 000)/10^6) = 50 887 B/s.
    #[test]
    fn the_rate_follows_spare_capacity_and_queue() {
        let mut router = router();
        (0..5).for_each(|_| router.handle_arrival(1000));
        router.handle_timeout(at(10), 10_000);
        assert!((router.rate - 50_887.0).abs() < 1e-6, "{}", router.rate);
        assert_eq!(router.due, at(20));
    }

    /// Four times the capacity would leave 1 − 0.1 · 0.4 · 3, which is far from a half, with T = d 1 − 1.2; a half
    /// remains, and never less than a hundredth of 1500 B in a round trip.
    #[test]
    fn the_rate_at_most_halves_and_a_packet_in_a_hundred_round_trips_remains() {
        let config = Config { interval: Duration::from_millis(100), ..Config::default() };
        let mut router = Router::new(&config, CAPACITY, Instant::ZERO);
        router.handle_departure(Instant::ZERO, &mut Offer { rtt: Duration::from_millis(100), ..Offer::NONE });
        router.handle_arrival(400_000);
        router.handle_timeout(at(100), 0);
        assert!((router.rate - 25_000.0).abs() < 1e-6, "{}", router.rate);
        for round in 2..30 {
            router.handle_arrival(400_000);
            router.handle_timeout(at(100 * round), 0);
        }
        assert!((router.rate - 150.0).abs() < 1e-6, "{}", router.rate);
    }

    /// y = C and no queue: the rate stays where it is, whatever it is.
    #[test]
    fn a_full_link_without_a_queue_is_at_rest() {
        let mut router = router();
        for round in 1..20 {
            router.handle_arrival(10_000);
            router.handle_timeout(at(10 * round), 0);
        }
        assert!((router.rate - 50_000.0).abs() < 1e-6, "{}", router.rate);
    }

    /// An idle port offers all that it has: 20 · 1.04^n passes 1 after 77 intervals of 10 ms. A long pause costs no
    /// more than that.
    #[test]
    fn an_idle_port_offers_its_capacity_and_passes_over_what_is_alike() {
        let mut router = router();
        router.handle_timeout(at(760), 0);
        assert!(router.rate() < CAPACITY);
        router.handle_timeout(at(770), 0);
        assert_eq!(router.rate(), CAPACITY);
        router.handle_timeout(at(1 << 33), 0);
        assert!(router.due > at(1 << 33) && router.due <= at((1 << 33) + 10));
    }

    /// Eq. (2) divides by the capacity, and has nothing to say of none.
    #[test]
    fn a_port_that_stands_still_keeps_its_rate() {
        let mut router = router();
        router.set_capacity(Rate::from_bps(0));
        (0..100).for_each(|_| router.handle_arrival(1000));
        router.handle_timeout(at(500), 100_000);
        assert_eq!(router.rate(), Rate::from_bps(400_000));
        router.set_capacity(CAPACITY);
        (0..100).for_each(|_| router.handle_arrival(100));
        router.handle_timeout(at(510), 0);
        assert!((router.rate - 50_000.0).abs() < 1e-6, "y = C and no queue: {}", router.rate);
    }

    #[test]
    fn a_packet_keeps_the_least_rate_of_its_path_and_moves_the_mean_round_trip() {
        let mut router = router();
        let mut offer = Offer { rtt: Duration::from_millis(150), rate: Rate::from_bps(1000) };
        router.handle_departure(at(1), &mut offer);
        assert_eq!((offer.rate, offer.of_path()), (Rate::from_bps(1000), Some(Rate::from_bps(1000))));
        // 100 + 0.02 · 50 ms.
        assert!((router.rtt.unwrap() - 0.101).abs() < 1e-12);
        assert_eq!(Offer::NONE.of_path(), None);
    }

    #[test]
    fn absurd_round_trips_queues_and_capacities_leave_a_rate_between_its_bounds() {
        for (rtt, queue, capacity) in
            [(1, u64::MAX, 1), (u64::MAX, 0, u64::MAX), (1, 0, 0), (u64::MAX / 2, u64::MAX, 5)]
        {
            let mut router = Router::new(&Config::default(), Rate::from_bps(capacity), Instant::ZERO);
            let mut offer = Offer { rtt: Duration::from_ps(rtt), ..Offer::NONE };
            for ms in 1..100 {
                router.handle_departure(at(ms), &mut offer);
                router.handle_arrival(u32::MAX);
                router.handle_timeout(at(ms), queue);
                assert!(router.rate >= 0.0 && router.rate <= router.capacity, "{}", router.rate);
            }
        }
    }
}
