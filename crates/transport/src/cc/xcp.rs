//! XCP's window law: Katabi et al. 2002 §3.3, draft-falk-xcp-spec-03, ns-2.35.
//!
//! The window moves by feedback · SRTT and is never below one segment. ACKs by themselves do not open it. It stays
//! where it is while something else than the window holds the flow back, unless the feedback is negative.
//!
//! A loss acts on the window as on TCP's, which is what ns-2's agents do and what paper 003's collapse rests on:
//! duplicate ACKs halve it, the retransmission timer sets it to one segment, and feedback goes on from there.
//! [`LossReaction::RepairOnly`] leaves the window to the feedback when duplicate ACKs show a loss; a timeout still sets
//! it to one segment. The sender's headers are written in [`tcp`](crate::tcp).

use super::{Asks, CongestionControl, Event, Feedback, Loss, LossCause, Window};
use options::{Kind, Words, options, words};
use units::{Duration, PS_PER_SECOND};

words! {
    /// What a loss does to XCP's window.
    pub enum LossReaction {
        /// As to TCP's: half of the flight, one segment after a timeout.
        Tcp = "tcp",
        /// Nothing if duplicate ACKs show it: the lost segment is sent again and the window stays. One segment after a
        /// timeout.
        RepairOnly = "repair-only",
    }
}

words! {
    /// Whether feedback counts that comes with an ACK of nothing new.
    pub enum DuplicateAcks {
        /// It does, as in ns-2's full TCP: while a hole waits for its repair the network goes on to move the window.
        Obey = "obey",
        /// It is lost, as in ns-2's one-way Reno: the window stands still while a hole waits for its repair.
        Ignore = "ignore",
    }
}

options! {
    /// Parameters of the law.
    #[derive(Clone, Copy, Debug)]
    pub struct Config {
        /// What duplicate ACKs do to the window besides the retransmission.
        pub loss as "loss_reaction": LossReaction = LossReaction::Tcp, Kind::Word(&LossReaction::LIST);
        /// The feedback that comes on a duplicate ACK. ns-2's two agents differ in it.
        pub duplicate_acks: DuplicateAcks = DuplicateAcks::Obey, Kind::Word(&DuplicateAcks::LIST);
    }
}

/// The window law `xcp`.
#[derive(Clone, Copy, Debug)]
pub struct Xcp {
    /// The part of a byte that past feedback left over, in units of 10^-12 B.
    remainder: i64,
}

impl CongestionControl for Xcp {
    type Config = Config;

    const ASKS: Asks = Asks { congestion_header: true, ..Asks::NOTHING };

    fn new(_: &Config) -> Xcp {
        Xcp { remainder: 0 }
    }

    /// The network opens the window, not the ACKs.
    #[inline]
    fn on_ack(&mut self, _: &Config, _: &mut Window, _: &Event) {}

    fn ssthresh_after(&mut self, config: &Config, window: &Window, loss: &Loss) -> u64 {
        self.remainder = 0;
        match (config.loss, loss.cause) {
            (
                LossReaction::RepairOnly,
                LossCause::FastRetransmit | LossCause::Contention | LossCause::ContentionOfAll | LossCause::Mark,
            ) => window.cwnd,
            (LossReaction::RepairOnly, LossCause::Timeout) | (LossReaction::Tcp, _) => loss.flight / 2,
        }
    }

    /// cwnd = max(cwnd + feedback · SRTT, MSS): Katabi et al. 2002 §3.3. Fractions of a byte are kept: a flow with many
    /// packets in flight gets its feedback in pieces of less than a byte.
    /// While something else holds the flow back the window does not grow.
    fn on_feedback(&mut self, config: &Config, window: &mut Window, feedback: &Feedback) {
        let ignored = !feedback.acks_new_data && config.duplicate_acks == DuplicateAcks::Ignore;
        if ignored || (feedback.change >= 0 && feedback.is_app_limited) {
            return;
        }
        let (bytes, remainder) = split(feedback.change, feedback.srtt, self.remainder);
        let wanted = window.cwnd.saturating_add_signed(bytes);
        self.remainder = if wanted < window.mss { 0 } else { remainder };
        window.cwnd = wanted.max(window.mss);
    }
}

/// feedback · SRTT and what was left over, in whole bytes and 10^-12 B.
#[inline]
fn split(feedback: i32, srtt: Duration, remainder: i64) -> (i64, i64) {
    let unit = PS_PER_SECOND as i64;
    let exact =
        i64::try_from(srtt.ps()).ok().and_then(|ps| ps.checked_mul(i64::from(feedback))?.checked_add(remainder));
    if let Some(change) = exact {
        return (change.div_euclid(unit), change.rem_euclid(unit));
    }
    // A large feedback over a long RTT.
    let change = i128::from(feedback) * i128::from(srtt.ps()) + i128::from(remainder);
    let bytes = change.div_euclid(i128::from(unit)).clamp(i128::from(i64::MIN), i128::from(i64::MAX));
    (bytes as i64, change.rem_euclid(i128::from(unit)) as i64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn window(cwnd: u64) -> Window {
        Window { cwnd, ssthresh: u64::MAX, mss: 1000 }
    }

    fn tell(law: &mut Xcp, window: &mut Window, change: i32, srtt: Duration) {
        let feedback = Feedback { change, srtt, acks_new_data: true, is_app_limited: false };
        law.on_feedback(&Config::default(), window, &feedback);
    }

    const RTT: Duration = Duration::from_millis(100);

    #[test]
    fn the_window_grows_by_feedback_times_srtt() {
        // Paper 003 §4.2: 600 kb/s = 75 000 B/s more at an RTT of 20 ms are 1500 B, one packet of 1500 B.
        let (mut law, mut w) = (Xcp::new(&Config::default()), Window { cwnd: 6000, ssthresh: u64::MAX, mss: 1500 });
        tell(&mut law, &mut w, 75_000, Duration::from_millis(20));
        assert_eq!(w.cwnd, 7500);
    }

    #[test]
    fn fractions_of_a_byte_add_up() {
        // 1 B/s at 100 ms is a tenth of a byte: ten of them are one, and −10 take it away again.
        let (mut law, mut w) = (Xcp::new(&Config::default()), window(10_000));
        (0..9).for_each(|_| tell(&mut law, &mut w, 1, RTT));
        assert_eq!(w.cwnd, 10_000);
        tell(&mut law, &mut w, 1, RTT);
        assert_eq!(w.cwnd, 10_001);
        (0..10).for_each(|_| tell(&mut law, &mut w, -1, RTT));
        assert_eq!(w.cwnd, 10_000);
    }

    #[test]
    fn the_window_is_never_below_a_segment_and_never_overflows() {
        let (mut law, mut w) = (Xcp::new(&Config::default()), window(10_000));
        tell(&mut law, &mut w, i32::MIN, Duration::MAX);
        assert_eq!(w.cwnd, 1000);
        w.cwnd = u64::MAX - 1;
        tell(&mut law, &mut w, i32::MAX, Duration::MAX);
        assert_eq!(w.cwnd, u64::MAX);
    }

    #[test]
    fn a_loss_halves_the_flight_or_is_only_repaired() {
        let cut = |loss, cause| {
            let config = Config { loss, ..Config::default() };
            Xcp::new(&config).ssthresh_after(&config, &window(20_000), &Loss::of(cause, 8000))
        };
        assert_eq!(cut(LossReaction::Tcp, LossCause::FastRetransmit), 4000);
        assert_eq!(cut(LossReaction::RepairOnly, LossCause::FastRetransmit), 20_000);
        assert_eq!(cut(LossReaction::RepairOnly, LossCause::Timeout), 4000);
    }

    proptest! {
        #[test]
        fn whole_bytes_and_remainder_make_feedback_times_srtt(
            feedback: i32,
            ps in 0u64..1 << 61,
            left in 0i64..1_000_000_000_000,
        ) {
            let (bytes, remainder) = split(feedback, Duration::from_ps(ps), left);
            prop_assert!((0..1_000_000_000_000).contains(&remainder));
            let whole = i128::from(bytes) * 1_000_000_000_000 + i128::from(remainder);
            prop_assert_eq!(whole, i128::from(feedback) * i128::from(ps) + i128::from(left));
        }
    }
}
