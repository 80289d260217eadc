//! Gentle: a law made up for `docs/guide/add-a-law.md`, not for use. The window grows by a number of segments in 100
//! ms, whatever the round-trip time. A loss leaves 7/8 of the flight, while ssthresh remembers half of it for the next
//! slow start. Segments are always paced, at 5/4 of cwnd/SRTT. Left out: any reason to believe that it is a good law.

use super::{Asks, CongestionControl, Event, Loss, LossCause, Window};
use options::{Kind, Range, options};
use units::{Duration, PS_PER_SECOND, Rate};

options! {
    /// Parameters of the law.
    #[derive(Clone, Copy, Debug)]
    pub struct Config {
        /// Segments by which the window grows in 100 ms.
        pub segments: u32 = 1, Kind::Whole(Range::closed(1.0, 1000.0));
    }
}

/// The law of one flow; it remembers nothing.
#[derive(Clone, Copy, Debug)]
pub struct Gentle;

impl CongestionControl for Gentle {
    type Config = Config;

    const ASKS: Asks = Asks { pacing: true, ..Asks::NOTHING };

    fn new(_: &Config) -> Gentle {
        Gentle
    }

    fn on_ack(&mut self, config: &Config, window: &mut Window, event: &Event) {
        if event.is_app_limited {
            return;
        }
        if window.in_slow_start() {
            return window.slow_start(event.acked);
        }
        // A window of ACKs, which is a round trip, makes segments · SRTT/100 ms. `as` saturates.
        let srtt = event.srtt.unwrap_or(Duration::ZERO).as_secs_f64();
        let per_window = f64::from(config.segments) * window.mss as f64 * srtt / 0.1;
        let windows = window.counted(event.acked) as f64 / window.cwnd as f64;
        window.cwnd = window.cwnd.saturating_add((per_window * windows) as u64);
    }

    fn on_loss(&mut self, _: &Config, window: &mut Window, loss: &Loss) {
        window.cut(loss.cause, loss.flight / 2);
        if loss.cause != LossCause::Timeout {
            window.cwnd = window.cwnd.max(loss.flight / 8 * 7);
        }
    }

    fn pacing_rate(&self, _: &Config, window: &Window, srtt: Option<Duration>) -> Option<Rate> {
        let ps = u128::from(srtt?.ps()).max(1);
        let bps = u128::from(window.cwnd) * 10 * u128::from(PS_PER_SECOND) / ps;
        Some(Rate::from_bps(u64::try_from(bps).unwrap_or(u64::MAX)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use units::Instant;

    #[test]
    fn ten_acks_in_200_ms_make_two_segments() {
        let (config, mut window) = (Config::default(), Window { cwnd: 10_000, ssthresh: 5000, mss: 1000 });
        let ack = Event { acked: 1000, srtt: Some(Duration::from_millis(200)), ..Event::at(Instant::ZERO) };
        (0..10).for_each(|_| Gentle.on_ack(&config, &mut window, &ack));
        // 2 · 1000/cwnd of a segment each, while cwnd grows from 10 to 12: a bit less than two.
        assert!((11_800..12_000).contains(&window.cwnd), "{}", window.cwnd);
    }
}
