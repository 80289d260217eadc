//! ABC's sender: P. Goyal, A. Agarwal, R. Netravali, M. Alizadeh, H. Balakrishnan, "ABC: A Simple Explicit Congestion
//! Controller for Wireless Networks", NSDI 2020, §3.1 and eq. (3).
//!
//! A segment that comes back with "accelerate" adds one to the window, one with "brake" takes one off it; so with each
//! ACK two segments leave or none. Besides, each segment acknowledged adds 1/w: one in a round trip, which makes flows
//! equal. The window is at most twice what is in flight. A brake is a congestion mark (CE), which the queue `abc`
//! gives.
//!
//! Readings. Marks are told by ACKs as DCTCP's are, or by AccECN. A loss halves the window (the paper: as TCP's).
//!
//! Left out: the second window for bottlenecks that are not ABC's, CUBIC's (§4.1).

use super::segments::Arrivals;
use super::{Asks, CongestionControl, Event, Marks, Window};
use options::{Kind, Range, options};

options! {
    /// Parameters of the law.
    #[derive(Clone, Copy, Debug)]
    pub struct Config {
        /// Segments by which the window grows in a round trip besides what marks say. Eq. (3): 1.
        pub increase as "abc_increase": f64 = 1.0, Kind::Number(Range::closed(0.0, 1000.0));
    }
}

/// The law of one flow.
#[derive(Clone, Copy, Debug)]
pub struct Abc {
    /// In segments; 0 before the first ACK.
    cwnd: f64,
    arrivals: Arrivals,
}

impl CongestionControl for Abc {
    type Config = Config;

    const ASKS: Asks = Asks { every_ack: true, marks: Marks::Counted, ..Asks::NOTHING };

    fn new(_: &Config) -> Abc {
        Abc { cwnd: 0.0, arrivals: Arrivals::default() }
    }

    fn on_ack(&mut self, config: &Config, window: &mut Window, event: &Event) {
        let mss = window.mss as f64;
        // The window is what it was, unless somebody else has set it.
        if self.cwnd == 0.0 || window.cwnd != self.shown(window.mss) {
            self.cwnd = window.cwnd as f64 / mss;
        }
        let all = self.arrivals.of(event);
        let part = window.counted(all) as f64 / all.max(1) as f64 / mss;
        let (acked, braked) = (all as f64 * part, event.marked.min(all) as f64 * part);
        let change = acked - 2.0 * braked + config.increase * acked / self.cwnd;
        if change < 0.0 || !(event.is_app_limited || event.in_recovery) {
            self.cwnd = (self.cwnd + change).max(1.0);
            let most = 2.0 * (event.in_flight as f64 / mss + acked);
            if change > 0.0 {
                self.cwnd = self.cwnd.min(most.max(1.0)).max(self.cwnd - change);
            }
        }
        window.cwnd = self.shown(window.mss);
    }
}

impl Abc {
    fn shown(&self, mss: u64) -> u64 {
        ((self.cwnd * mss as f64).round() as u64).max(mss)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MSS: u64 = 1000;

    fn ack(acked: u64, marked: u64) -> Event {
        Event { acked: acked * MSS, marked: marked * MSS, in_flight: 100 * MSS, ..Event::ack(0) }
    }

    fn after(acks: &[(u64, u64)]) -> f64 {
        let (mut law, mut window) =
            (Abc::new(&Config::default()), Window { cwnd: 20_000, ssthresh: u64::MAX, mss: MSS });
        acks.iter().for_each(|(acked, marked)| law.on_ack(&Config::default(), &mut window, &ack(*acked, *marked)));
        law.cwnd
    }

    /// Eq. (3): w + 1 + 1/w or w − 1 + 1/w.
    #[test]
    fn an_acceleration_adds_a_segment_and_a_brake_takes_one() {
        assert!((after(&[(1, 0)]) - 21.05).abs() < 1e-12);
        assert!((after(&[(1, 1)]) - 19.05).abs() < 1e-12);
        assert!((after(&[(2, 1)]) - 20.1).abs() < 1e-12, "one of each");
    }

    /// A round trip of 20 segments of which half brake leaves 20 and about one more.
    #[test]
    fn half_of_each_leaves_the_additive_increase() {
        let found = after(&[(1, 0), (1, 1)].repeat(10));
        assert!((found - 21.0).abs() < 0.05, "{found}");
    }

    #[test]
    fn the_window_is_at_most_twice_the_flight_and_at_least_a_segment() {
        let (config, mut law) = (Config::default(), Abc::new(&Config::default()));
        let mut window = Window { cwnd: 20_000, ssthresh: u64::MAX, mss: MSS };
        let few = Event { in_flight: 9500, ..ack(1, 0) };
        law.on_ack(&config, &mut window, &few);
        assert_eq!(window.cwnd, 21_000, "2 · 10.5");
        (0..50).for_each(|_| law.on_ack(&config, &mut window, &ack(1, 1)));
        assert_eq!(window.cwnd, MSS);
    }

    #[test]
    fn a_flow_that_its_application_holds_back_does_not_grow() {
        let (config, mut law) = (Config::default(), Abc::new(&Config::default()));
        let mut window = Window { cwnd: 20_000, ssthresh: u64::MAX, mss: MSS };
        law.on_ack(&config, &mut window, &Event { is_app_limited: true, ..ack(1, 0) });
        assert_eq!(window.cwnd, 20_000);
        law.on_ack(&config, &mut window, &Event { is_app_limited: true, ..ack(1, 1) });
        assert_eq!(window.cwnd, 19_050);
    }
}
