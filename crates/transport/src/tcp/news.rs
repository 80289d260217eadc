//! News of the flow's path, told to laws that listen.

use super::phase::Phase;
use super::{Actions, Sender};
use crate::cc::{Event, News, PathChange};
use units::Instant;

impl Sender {
    /// A message of the switch has come, or the schedule has: the path changes. What the law's window then admits
    /// leaves at once. Laws that do not listen hear nothing, and nothing happens.
    pub fn handle_news(&mut self, now: Instant, change: PathChange, actions: &mut Actions) {
        if self.config.hears_news() || change.base_rtt.is_some() && self.config.hears_base_rtts() {
            self.tell_news(now, change);
            self.transmit(now, actions);
            self.settle_timers(now);
        }
    }

    /// The law hears of its path.
    pub(super) fn tell_news(&mut self, now: Instant, change: PathChange) {
        if let Some(number) = change.division {
            self.change_division(now, number);
        }
        let is_app_limited = !self.is_cwnd_limited();
        let (in_recovery, srtt) = (matches!(self.phase, Phase::FastRecovery(_)), self.rtt.srtt());
        let in_flight = self.nxt - self.una;
        let pipe = self.pipe_by_division();
        let event = Event { in_flight, pipe, srtt, is_app_limited, in_recovery, ..Event::at(now) };
        self.law.on_news(&self.config.laws, &mut self.window, &News { change, event });
        self.set_cwnd(self.window.cwnd);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cc::{Algorithm, NewsWay};
    use crate::tcp::{Ack, Codepoint, Segment, SenderConfig};
    use std::sync::Arc;
    use units::Duration;

    const MSS: u64 = 1000;

    fn sender(path_marks: bool) -> (Sender, Actions) {
        let config = SenderConfig { algorithm: Algorithm::ReTcp, path_marks, mss: MSS as u32, ..Default::default() };
        config.validate().unwrap();
        let (mut sender, mut actions) = (Sender::new(Arc::new(config)), Actions::default());
        sender.write(Instant::ZERO, u64::MAX, &mut actions);
        (sender, actions)
    }

    #[test]
    fn the_first_ack_of_data_that_met_the_circuit_tells_and_so_does_the_first_of_data_that_did_not() {
        let (mut sender, mut actions) = sender(true);
        let first = sender.cwnd();
        let mut cwnd = |segments: u64, ecn_echo| {
            let now = Instant::ZERO + Duration::from_millis(segments);
            sender.handle_ack(now, &Ack { ack: segments * MSS, window: 1 << 30, sack: &[], ecn_echo }, &mut actions);
            sender.cwnd()
        };
        // Slow start adds a segment for each ACK; then the window is doubled, and at the end halved.
        assert_eq!(cwnd(1, false), first + MSS);
        assert_eq!([cwnd(2, true), cwnd(3, true)], [2 * (first + 2 * MSS), 2 * (first + 2 * MSS) + MSS]);
        assert_eq!(cwnd(4, false), (2 * (first + 2 * MSS) + 2 * MSS) / 2);
        assert_eq!(sender.stats().ecn_reductions, 0, "a mark is no congestion");
        let copy = sender.ecn_of(&Segment { seq: 0, len: MSS as u32, retransmission: true }).unwrap();
        assert_eq!((copy.codepoint, copy.window_reduced), (Codepoint::Ect0, false), "a copy may meet a circuit too");
    }

    #[test]
    fn a_message_opens_the_window_and_what_it_admits_leaves_at_once() {
        let (mut sender, mut actions) = sender(false);
        let sent = actions.segments.len();
        let at = Instant::ZERO + Duration::from_millis(1);
        let change = PathChange { way: NewsWay::Message, ..PathChange::marked(at, true) };
        sender.handle_news(at, change, &mut actions);
        assert_eq!(actions.segments.len(), 2 * sent);
        assert!(!sender.has_ecn(), "without path_marks nothing may be marked");
    }

    #[test]
    fn marks_of_the_path_need_a_law_that_listens() {
        let field = |config: SenderConfig| config.validate().map_err(|why| why.field);
        assert_eq!(field(SenderConfig { path_marks: true, ..Default::default() }), Err("path_marks"));
        let algorithm = Algorithm::ReTcp;
        assert_eq!(field(SenderConfig { path_marks: true, algorithm, ..Default::default() }), Ok(()));
    }
}
