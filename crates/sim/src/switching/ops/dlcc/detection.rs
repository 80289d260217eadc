//! Whether a loss is due to congestion or to contention (DLCC, Lu and Hunter 2009, §III.B).
//!
//! The congestion descriptor is the mean arrival rate over a window. A loss is due to congestion if the descriptor is
//! at its threshold or above, and has been for longer than `hold`. The paper's words are a window of 2T with T = 0.4 to
//! 1 s and a hold of two round trips; with bursts of 200 ms they never fire (`docs/deviations.md`).

use super::rate::SlotRate;
use super::window::Window;

/// The parameters of detection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DetectionConfig {
    /// The descriptor is a mean over this, in picoseconds.
    pub window: u64,
    /// The least number of packets in a window that is no contention.
    pub least: u64,
    /// The descriptor must have been at the threshold for this, in picoseconds.
    pub hold: u64,
}

/// What a loss is due to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Packets met by chance.
    Contention,
    /// More came than leaves.
    Congestion,
}

/// The congestion descriptor of an output or an input.
#[derive(Clone, Debug)]
pub struct Descriptor {
    config: DetectionConfig,
    arrivals: Window,
    /// Since when it has been at its threshold or above.
    high_since: Option<u64>,
}

impl Descriptor {
    /// One to which nothing has come.
    pub fn new(config: DetectionConfig) -> Descriptor {
        Descriptor { config, arrivals: Window::new(config.window), high_since: None }
    }

    /// A packet arrives, to be lost or not.
    pub fn handle_arrival(&mut self, now: u64) {
        let (least, high_since) = (self.config.least, &mut self.high_since);
        self.arrivals.advance(now, |count| {
            if count < least {
                *high_since = None;
            }
        });
        self.arrivals.add();
        if self.arrivals.count(now) >= least && self.high_since.is_none() {
            self.high_since = Some(now);
        }
    }

    /// Whether the descriptor is at its threshold or above.
    pub fn is_high(&self) -> bool {
        self.high_since.is_some()
    }

    /// Why a packet that has just arrived is lost.
    pub fn reason(&self, now: u64) -> Reason {
        match self.high_since {
            Some(since) if now - since >= self.config.hold => Reason::Congestion,
            _ => Reason::Contention,
        }
    }

    /// The descriptor, at the time of the last arrival.
    pub fn rate(&self, now: u64) -> SlotRate {
        SlotRate::of(self.arrivals.count(now), self.config.window)
    }
}

/// The loss rate that notifications carry: losses due to congestion over the same window.
#[derive(Clone, Debug)]
pub struct LossMeter {
    window: u64,
    losses: Window,
}

impl LossMeter {
    /// A meter over a window in picoseconds.
    pub fn new(window: u64) -> LossMeter {
        LossMeter { window, losses: Window::new(window) }
    }

    /// A packet is lost due to congestion: the rate, this loss included.
    pub fn handle_loss(&mut self, now: u64) -> SlotRate {
        self.losses.advance(now, |_| {});
        self.losses.add();
        SlotRate::of(self.losses.count(now), self.window)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A window of 64 slots of 100 ps, a threshold of 48 packets: 3/4.
    fn descriptor(hold: u64) -> Descriptor {
        Descriptor::new(DetectionConfig { window: 6400, least: 48, hold })
    }

    /// A packet every `gap` from `from` to `to`.
    fn arrive(descriptor: &mut Descriptor, from: u64, to: u64, gap: u64) {
        (from..to).step_by(gap as usize).for_each(|now| descriptor.handle_arrival(now));
    }

    #[test]
    fn a_short_burst_is_contention_and_a_long_one_congestion() {
        let mut descriptor = descriptor(0);
        arrive(&mut descriptor, 0, 4700, 100);
        assert_eq!(descriptor.reason(4700), Reason::Contention, "47 packets");
        arrive(&mut descriptor, 4700, 4800, 100);
        assert_eq!(descriptor.reason(4800), Reason::Congestion, "48 packets");
        arrive(&mut descriptor, 4800, 64_000, 200);
        assert_eq!(descriptor.reason(64_000), Reason::Contention, "half of the rate");
    }

    /// A window of 240 slots of 83.8 us and a threshold of 0.95, 228 packets, held for a window: a load of 0.96 (230.4
    /// packets) is above it, one of 0.94 (225.6) never.
    #[test]
    fn a_steady_load_just_above_the_threshold_is_congestion_whatever_the_hold() {
        const SLOT: u64 = 83_800;
        let reasons = |load: u64| {
            let window = 240 * SLOT;
            let mut descriptor = Descriptor::new(DetectionConfig { window, least: 228, hold: window });
            let arrivals = (0..).map(|number| number * SLOT * 100 / load).take_while(|now| *now < 20 * window);
            let read = |now| {
                descriptor.handle_arrival(now);
                (now > 3 * window).then(|| descriptor.reason(now))
            };
            arrivals.filter_map(read).collect::<Vec<_>>()
        };
        assert!(reasons(96).iter().all(|reason| *reason == Reason::Congestion));
        assert!(reasons(94).iter().all(|reason| *reason == Reason::Contention));
    }

    #[test]
    fn a_hold_asks_for_patience_and_starts_again_when_the_rate_falls() {
        let mut descriptor = descriptor(10_000);
        arrive(&mut descriptor, 0, 14_700, 100);
        assert_eq!(descriptor.reason(14_600), Reason::Contention, "high since 4700");
        assert_eq!(descriptor.reason(14_700), Reason::Congestion);
        arrive(&mut descriptor, 100_000, 104_800, 100);
        assert_eq!(descriptor.reason(104_800), Reason::Contention, "it was low in between");
    }

    #[test]
    fn the_loss_rate_is_that_of_the_window() {
        let mut meter = LossMeter::new(6400);
        let rates: Vec<SlotRate> = [0, 100, 200, 100_000].map(|now| meter.handle_loss(now)).to_vec();
        assert_eq!(rates, [1, 2, 3, 1].map(|losses| SlotRate::of(losses, 6400)));
    }
}
