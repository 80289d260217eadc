//! What an edge node does with its optical rate when it hears of losses (DLCC, Lu and Hunter 2009, §III.C): it sends at
//! `R_schedule` − `R_loss`, and asks for no other rate until its buffer holds less than at the decision before.
//!
//! Notified is what is still lost. If o slots a second too many come, and m of them are taken off, o − m are lost;
//! their mean tends to m = o/2. So the paper's mean takes off half of the excess, however long it lasts; the largest
//! takes off all of it.

use super::rate::{Part, SlotRate};
use options::words;

words! {
    /// What is taken off the scheduled rate when several notifications have come; the printed line refers to itself.
    pub enum LossMean {
        /// The mean of all loss rates since the first notification, the newest included.
        Running = "running",
        /// As printed: R_0, then R_1, and the mean of R_1 to R_{i−1}, which are R_1 already, ever after.
        Printed = "printed",
        /// The mean since the last decision about the rate.
        SinceDecision = "since-decision",
        /// No mean: the largest since the first notification.
        Largest = "largest",
    }
}

/// The parameters of the reaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReactionConfig {
    /// Which mean.
    pub mean: LossMean,
    /// At least this part of the scheduled rate is sent.
    pub floor: Part,
}

/// Notified loss rates and what follows from them.
#[derive(Clone, Debug)]
pub struct Reaction {
    config: ReactionConfig,
    notified: Option<Notified>,
}

#[derive(Clone, Copy, Debug)]
struct Notified {
    sum: u128,
    count: u64,
    all: u64,
    taken_off: SlotRate,
    /// What the buffer held at the last decision, or at the first notification.
    backlog: u64,
}

impl Reaction {
    /// Nothing was notified.
    pub fn new(config: ReactionConfig) -> Reaction {
        Reaction { config, notified: None }
    }

    /// A notification with a loss rate; the buffer holds `backlog` slots.
    pub fn handle_loss(&mut self, loss: SlotRate, backlog: u64) {
        let first = Notified { sum: 0, count: 0, all: 0, taken_off: loss, backlog };
        let notified = self.notified.get_or_insert(first);
        notified.sum += u128::from(loss.count());
        notified.count += 1;
        notified.all += 1;
        notified.taken_off = match self.config.mean {
            LossMean::Printed if notified.all > 2 => notified.taken_off,
            LossMean::Printed => loss,
            LossMean::Largest => notified.taken_off.max(loss),
            LossMean::Running | LossMean::SinceDecision => {
                SlotRate::from_count((notified.sum / u128::from(notified.count)) as u64)
            }
        };
    }

    /// A decision about the rate is due, and the buffer holds `backlog` slots: whether another rate may be asked for.
    /// "This sending rate is retained … until … the ingress buffer occupancy … has decreased"; an empty buffer cannot
    /// decrease.
    pub fn handle_decision(&mut self, backlog: u64) -> bool {
        let Some(notified) = &mut self.notified else { return true };
        if backlog < notified.backlog || backlog == 0 {
            self.notified = None;
            return true;
        }
        notified.backlog = backlog;
        if self.config.mean == LossMean::SinceDecision {
            (notified.sum, notified.count) = (0, 0);
        }
        false
    }

    /// The rate to be sent at, of a scheduled one.
    pub fn rate(&self, scheduled: SlotRate) -> SlotRate {
        match &self.notified {
            None => scheduled,
            Some(notified) => scheduled.less(notified.taken_off).max(scheduled.part(self.config.floor)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rates(mean: LossMean, losses: &[u64]) -> Vec<u64> {
        let mut reaction = Reaction::new(ReactionConfig { mean, floor: Part::nearest(0.125) });
        let after = |loss: &u64| {
            reaction.handle_loss(SlotRate::from_count(*loss), 10);
            reaction.rate(SlotRate::from_count(1000)).count()
        };
        losses.iter().map(after).collect()
    }

    /// 100, 300, 500: means 100, 200, 300; as printed R_0 = 100, R_1 = 300, R_2 = R_1.
    #[test]
    fn each_reading_takes_off_what_it_says() {
        assert_eq!(rates(LossMean::Running, &[100, 300, 500]), [900, 800, 700]);
        assert_eq!(rates(LossMean::SinceDecision, &[100, 300, 500]), [900, 800, 700]);
        assert_eq!(rates(LossMean::Printed, &[100, 300, 500, 700]), [900, 700, 700, 700]);
        assert_eq!(rates(LossMean::Largest, &[100, 300, 200]), [900, 700, 700]);
        assert_eq!(rates(LossMean::Running, &[5000]), [125], "the floor");
    }

    #[test]
    fn only_the_mean_since_the_decision_forgets_what_was_before_it() {
        let config = |mean| ReactionConfig { mean, floor: Part::nearest(0.0) };
        for (mean, rate) in [(LossMean::Running, 800), (LossMean::SinceDecision, 700)] {
            let mut reaction = Reaction::new(config(mean));
            reaction.handle_loss(SlotRate::from_count(100), 10);
            assert!(!reaction.handle_decision(20));
            reaction.handle_loss(SlotRate::from_count(300), 20);
            assert_eq!(reaction.rate(SlotRate::from_count(1000)).count(), rate);
        }
    }

    #[test]
    fn the_rate_is_frozen_until_the_buffer_holds_less() {
        let mut reaction = Reaction::new(ReactionConfig { mean: LossMean::Running, floor: Part::nearest(0.1) });
        assert!(reaction.handle_decision(5), "nothing was notified");
        reaction.handle_loss(SlotRate::from_count(100), 10);
        assert_eq!([12, 12, 11].map(|backlog| reaction.handle_decision(backlog)), [false, false, true]);
        assert_eq!(reaction.rate(SlotRate::from_count(1000)).count(), 1000);
        reaction.handle_loss(SlotRate::from_count(100), 0);
        assert!(reaction.handle_decision(0), "an empty buffer cannot hold less");
    }
}
