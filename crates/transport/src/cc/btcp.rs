//! BTCP's window law: X. Yu, C. Qiao and Y. Liu, "TCP implementations and false time out detection in OBS networks",
//! INFOCOM 2004. Reno's law on SACK; what it adds is that a *false timeout* (a window all of which was in one lost burst,
//! so that no duplicate ACK could show the loss) acts as a loss that duplicate ACKs show: the window is halved and repaired,
//! and there is no slow start.
//!
//! Three ways to tell, by their names:
//!
//! - BLE, burst length estimation: the sender keeps the longest run of bytes that SACK showed lost in one piece. A timeout
//!   with no more than that outstanding is false.
//! - BACK, burst acknowledgement: the ingress tells which segments each assembled burst holds. A timeout all of whose
//!   outstanding bytes were in one burst is false.
//! - BNAK, burst negative acknowledgement: the ingress tells which segments were in a lost burst. The sender repairs them at
//!   once and does not wait for the timer.
//!
//! Only the abstract was to be had: the rules are reconstructed (docs/deviations.md). A second timeout without progress is
//! never false.

use super::reno::{self, Reno};
use super::{CongestionControl, Loss, LossCause, Window};
use crate::tcp::SackBlock;
use crate::tcp::bursts::{BurstAware, BurstReport, Reports};
use std::collections::VecDeque;

/// How a false timeout is told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Detector {
    /// By the longest run of lost bytes so far.
    #[default]
    Ble,
    /// By the list of segments of each burst.
    Back,
    /// By the news that a burst was lost.
    Bnak,
}

/// Parameters of the law.
#[derive(Clone, Copy, Debug, Default)]
pub struct Config {
    /// How a false timeout is told.
    pub detector: Detector,
}

/// Bursts remembered at most, and blocks of one; the oldest go first.
const MOST_BURSTS: usize = 1024;
const MOST_BLOCKS: usize = 64;

/// The law of one flow.
#[derive(Clone, Debug)]
pub struct Btcp(Box<State>);

#[derive(Clone, Debug)]
struct State {
    reno: Reno,
    detector: Detector,
    /// The longest run of lost bytes.
    longest: u64,
    /// The bursts not yet acknowledged, oldest first.
    assembled: VecDeque<Box<[SackBlock]>>,
    reports: Reports,
}

/// Reno's growth on byte counting.
const RENO: reno::Config = reno::Config { increase: reno::Increase::ByteCounting };

impl CongestionControl for Btcp {
    type Config = Config;

    fn new(config: &Config) -> Btcp {
        Btcp(Box::new(State {
            reno: Reno::new(&RENO),
            detector: config.detector,
            longest: 0,
            assembled: VecDeque::new(),
            reports: Reports::default(),
        }))
    }

    #[inline]
    fn increase(&mut self, _: &Config, window: &mut Window, acked: u64) {
        self.0.reno.increase(&RENO, window, acked);
    }

    fn ssthresh_after(&mut self, _: &Config, window: &Window, loss: Loss) -> u64 {
        self.0.reno.ssthresh_after(&RENO, window, loss)
    }

    fn bursts(&self) -> Option<&dyn BurstAware> {
        Some(&*self.0)
    }

    fn bursts_mut(&mut self) -> Option<&mut dyn BurstAware> {
        Some(&mut *self.0)
    }
}

impl BurstAware for State {
    fn wants(&self) -> BurstReport {
        match self.detector {
            Detector::Ble => BurstReport::Nothing,
            Detector::Back => BurstReport::Assembled,
            Detector::Bnak => BurstReport::Lost,
        }
    }

    fn cause(&self) -> LossCause {
        LossCause::FastRetransmit
    }

    fn reports(&self) -> &Reports {
        &self.reports
    }

    fn reports_mut(&mut self) -> &mut Reports {
        &mut self.reports
    }

    fn note_run(&mut self, bytes: u64) {
        self.longest = self.longest.max(bytes);
    }

    fn note_assembled(&mut self, segments: &[SackBlock], una: u64) {
        while self.assembled.front().is_some_and(|burst| burst.iter().all(|block| block.end <= una)) {
            self.assembled.pop_front();
        }
        if self.assembled.len() == MOST_BURSTS {
            self.assembled.pop_front();
        }
        self.assembled.push_back(segments.iter().take(MOST_BLOCKS).copied().collect());
    }

    fn is_false_timeout(&self, missing: &[SackBlock]) -> bool {
        match self.detector {
            Detector::Ble => missing.iter().map(|block| block.len()).sum::<u64>() <= self.longest,
            Detector::Back => self.assembled.iter().any(|burst| missing.iter().all(|block| is_within(*block, burst))),
            Detector::Bnak => false,
        }
    }
}

/// Whether the segments of `burst`, in any order, hold all of `block`.
fn is_within(block: SackBlock, burst: &[SackBlock]) -> bool {
    let mut reached = block.start;
    while reached < block.end {
        let next = burst.iter().filter(|part| part.start <= reached).map(|part| part.end).max();
        match next.filter(|end| *end > reached) {
            Some(end) => reached = end,
            None => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(start: u64, end: u64) -> SackBlock {
        SackBlock { start, end }
    }

    #[test]
    fn ble_compares_what_is_missing_with_the_longest_run() {
        let mut law = Btcp::new(&Config { detector: Detector::Ble });
        assert!(!law.0.is_false_timeout(&[block(0, 1000)]), "nothing is known yet");
        law.0.note_run(5000);
        law.0.note_run(3000);
        assert!(law.0.is_false_timeout(&[block(10_000, 15_000)]));
        assert!(!law.0.is_false_timeout(&[block(10_000, 13_000), block(14_000, 17_000)]));
    }

    #[test]
    fn back_asks_whether_one_burst_held_all_that_is_missing() {
        let mut law = Btcp::new(&Config { detector: Detector::Back });
        law.0.note_assembled(&[block(0, 1000), block(1000, 2000), block(5000, 6000)], 0);
        law.0.note_assembled(&[block(2000, 4000)], 0);
        assert!(law.0.is_false_timeout(&[block(0, 2000), block(5000, 6000)]));
        assert!(!law.0.is_false_timeout(&[block(1000, 3000)]), "in two bursts");
        law.0.note_assembled(&[block(6000, 7000)], 6000);
        assert!(!law.0.is_false_timeout(&[block(2000, 4000)]), "acknowledged bursts are forgotten");
    }
}
