//! Eager: AIMD with other numbers than TCP's. The window grows by some segments for each window of acknowledged bytes,
//! and a loss leaves a share of the flight. Source: none, it is an example.

use options::{Kind, Range, options};
use transport::cc::{CongestionControl, Event, Loss, Window};

options! {
    /// Parameters of the law.
    #[derive(Clone, Copy, Debug)]
    pub struct Config {
        /// Segments by which the window grows in a round trip.
        pub segments: u32 = 2, Kind::Whole(Range::closed(1.0, 1000.0));
        /// The share of the flight that a loss leaves.
        pub share: f64 = 0.75, Kind::Number(Range::closed(0.01, 0.99));
    }
}

/// The law of one flow.
#[derive(Clone, Debug)]
pub struct Eager {
    /// Bytes acknowledged since the window last grew.
    acked: u64,
}

impl CongestionControl for Eager {
    type Config = Config;

    fn new(_: &Config) -> Eager {
        Eager { acked: 0 }
    }

    fn on_ack(&mut self, config: &Config, window: &mut Window, event: &Event) {
        if event.is_app_limited {
            return;
        }
        if window.in_slow_start() {
            return window.slow_start(event.acked);
        }
        self.acked += window.counted(event.acked);
        if self.acked >= window.cwnd {
            self.acked -= window.cwnd;
            window.cwnd += u64::from(config.segments) * window.mss;
        }
    }

    fn ssthresh_after(&mut self, config: &Config, _: &Window, loss: &Loss) -> u64 {
        self.acked = 0;
        (config.share * loss.flight as f64) as u64
    }
}
