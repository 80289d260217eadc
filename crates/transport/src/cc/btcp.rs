//! BTCP's window law: X. Yu, C. Qiao and Y. Liu, "TCP implementations and false time out detection in OBS networks",
//! INFOCOM 2004. Reno's law on SACK; what it adds is that a *false timeout* (a window all of which was in one lost
//! burst, so that no duplicate ACK could show the loss) acts as a loss that duplicate ACKs show: the window is halved
//! and repaired, and there is no slow start.
//!
//! Three ways to tell, by their names:
//!
//! - BLE, burst length estimation: the sender keeps the longest run of bytes that SACK showed lost in one piece. A
//!   timeout with no more than that outstanding is false.
//! - BACK, burst acknowledgement: the ingress tells which segments each assembled burst holds. A timeout all of whose
//!   outstanding bytes were in one burst is false.
//! - BNAK, burst negative acknowledgement: the ingress tells which segments were in a lost burst. The sender repairs
//!   them at once and does not wait for the timer.
//!
//! Only the abstract was to be had: the rules are reconstructed (docs/deviations.md). A second timeout without progress
//! is never false.

use super::reno::{self, Reno};
use super::{BurstNews, CongestionControl, Event, Loss, SlowStartCounts, Window};
use options::{Kind, Words, options, words};

words! {
    /// How BTCP tells a false timeout.
    pub enum Detector {
        /// By the longest run of lost bytes so far (burst length estimation).
        Ble = "ble",
        /// By the list of segments of each burst (burst acknowledgements).
        Back = "back",
        /// By the news that a burst was lost (burst negative acknowledgements).
        Bnak = "bnak",
    }
}

options! {
    /// Parameters of the law.
    #[derive(Clone, Copy, Debug)]
    pub struct Config {
        /// How a false timeout is told.
        pub detector: Detector = Detector::Ble, Kind::Word(&Detector::LIST);
    }
}

/// Reno's growth on byte counting.
const RENO: reno::Config = reno::Config {
    increase: reno::Increase::ByteCounting,
    slow_start_counts: SlowStartCounts::Segment,
    hystart: false,
    hystart_limit: 8,
    abe: false,
    beta_ecn: 0.8,
};

/// The law of one flow: Reno's. The sender tells false timeouts.
#[derive(Clone, Debug)]
pub struct Btcp(Reno);

impl CongestionControl for Btcp {
    type Config = Config;

    fn new(_: &Config) -> Btcp {
        Btcp(Reno::new(&RENO))
    }

    #[inline]
    fn on_ack(&mut self, _: &Config, window: &mut Window, event: &Event) {
        let reno = reno::Config { slow_start_counts: event.counts, ..RENO };
        self.0.on_ack(&reno, window, event);
    }

    fn ssthresh_after(&mut self, _: &Config, window: &Window, loss: &Loss) -> u64 {
        self.0.ssthresh_after(&RENO, window, loss)
    }

    fn burst_news(config: &Config) -> BurstNews {
        BurstNews::FalseTimeouts(config.detector)
    }
}
