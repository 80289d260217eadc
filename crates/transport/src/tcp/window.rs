//! The congestion window of a sender: what its law is told of ACKs, losses and idle times, and the bounds within which
//! the law moves it.

use super::{Sender, SsthreshFrom};
use crate::cc::{Event, Loss, LossCause};
use units::Instant;

impl Sender {
    /// True if the congestion window is what limits the flow.
    #[inline]
    pub(super) fn is_cwnd_limited(&self) -> bool {
        if self.nxt - self.una + self.window.mss > self.window.cwnd {
            return true;
        }
        if self.is_queue_full() {
            return self.filled_cwnd();
        }
        let unsent = (self.written - self.nxt).min(self.window.mss);
        unsent > 0 && self.nxt.saturating_add(unsent) <= self.edge
    }

    /// Tells the law of an ACK, with all that it may ask for.
    pub(super) fn tell_law_in_full(&mut self, mut event: Event) {
        (event.srtt, event.in_flight) = (self.rtt.srtt(), self.in_flight_for_law());
        event.pipe = self.pipe_by_division();
        event.lost = self.news_of_losses();
        if event.lost > 0 {
            self.tell_losses(event.now);
        }
        let before = self.deflated_cwnd();
        let inflation = self.window.cwnd - before;
        self.window.cwnd = before;
        self.law.on_event(&self.config.laws, &mut self.window, &event);
        self.set_cwnd(self.window.cwnd.saturating_add(inflation));
        if self.window.cwnd < before + inflation && self.lowers_cwnd_for_marks() {
            self.note_answer();
        }
    }

    /// The segments found lost, to laws that ask for each.
    fn tell_losses(&mut self, now: Instant) {
        let segments = self.features.as_mut().and_then(|features| features.segments.as_mut());
        let Some(lost) = segments.and_then(|segments| segments.lost_untold()) else { return };
        for segment in lost.drain(..) {
            self.law.on_lost(&self.config.laws, &mut self.window, &segment, now);
        }
    }

    /// Bytes found lost since the law was last told.
    #[inline]
    pub(super) fn news_of_losses(&mut self) -> u64 {
        let segments = self.features.as_mut().and_then(|features| features.segments.as_mut());
        segments.map_or(0, |segments| segments.news_of_losses())
    }

    /// Bytes outstanding; for laws that measure rates, bytes in the network.
    fn in_flight_for_law(&self) -> u64 {
        match self.config.algorithm.asks().model {
            true => self.pipe(),
            false => self.nxt - self.una,
        }
    }

    /// Bytes in the network, for laws that keep divisions of time.
    pub(super) fn pipe_by_division(&self) -> Option<u64> {
        let keeps = self.features.as_ref().is_some_and(|features| features.divisions.is_some());
        keeps.then(|| self.pipe())
    }

    /// New bytes are acknowledged outside of fast recovery.
    #[inline(always)]
    pub(super) fn tell_law(&mut self, ack: Event) {
        let (rtt, in_flight) = (&self.rtt, self.nxt - self.una);
        let event = || Event { srtt: rtt.srtt(), in_flight, ..ack };
        self.law.on_ack(&self.config.laws, &mut self.window, event);
        match ack.is_app_limited {
            true => self.bound_cwnd(),
            false => self.set_cwnd(self.window.cwnd),
        }
    }

    /// A loss: the law moves ssthresh and cwnd.
    pub(super) fn lose(&mut self, now: Instant, cause: LossCause, in_flight: u64) {
        self.remember_window();
        self.note_cut();
        let cwnd = self.deflated_cwnd();
        let flight = match self.config.ssthresh_from {
            SsthreshFrom::Flight => in_flight.min(cwnd),
            SsthreshFrom::Cwnd => cwnd,
        };
        let lost = self.newly_lost(cause);
        self.news_of_losses();
        self.tell_losses(now);
        let loss = Loss { cause, flight, event: Event { lost, in_flight, ..self.loss_event(now) } };
        self.window.cwnd = cwnd;
        self.law.on_loss(&self.config.laws, &mut self.window, &loss);
        self.set_cwnd(self.window.cwnd);
    }

    /// The timer expires again for the same segment.
    pub(super) fn lose_again(&mut self, now: Instant) {
        self.keep_window_for_eifel();
        self.note_cut();
        let event = self.loss_event(now);
        self.law.on_repeated_timeout(&self.config.laws, &mut self.window, &event);
        self.set_cwnd(self.window.cwnd);
    }

    /// The outstanding bytes that count as lost: after a timeout all that is not SACKed, else what SACK shows, and the
    /// first segment in any case.
    fn newly_lost(&self, cause: LossCause) -> u64 {
        match cause {
            LossCause::Mark => 0,
            LossCause::Timeout => self.not_held(),
            LossCause::FastRetransmit | LossCause::Contention | LossCause::ContentionOfAll => {
                let first =
                    self.scoreboard.hole(self.una, self.nxt).map_or(0, |hole| self.first_segment_of(hole).len());
                self.lost().max(first)
            }
        }
    }

    /// The event of a loss.
    fn loss_event(&self, now: Instant) -> Event {
        let is_app_limited = !self.is_cwnd_limited();
        let pipe = self.pipe_by_division();
        Event { srtt: self.rtt.srtt(), in_flight: self.flight_size(), pipe, is_app_limited, ..Event::at(now) }
    }

    /// A law may move the window of a flow that something else holds back; few do, so this stays out of the way of the
    /// rest.
    #[cold]
    fn bound_cwnd(&mut self) {
        self.set_cwnd(self.window.cwnd);
    }

    /// Sets cwnd within its bounds.
    #[inline]
    pub(super) fn set_cwnd(&mut self, bytes: u64) {
        self.window.cwnd = bytes.max(self.window.mss).min(self.config.max_cwnd);
    }

    /// RFC 5681 §4.1: after an idle time beyond the RTO, cwnd is at most the initial window.
    pub(super) fn restart_after_idle(&mut self, now: Instant) {
        let quiet = self.una == self.nxt && self.nxt > 0;
        let idle = quiet && now.saturating_since(self.last_sent) > self.rtt.rto();
        if quiet && self.config.algorithm.asks().every_ack {
            let event = Event { srtt: self.rtt.srtt(), is_app_limited: true, ..Event::at(now) };
            self.law.on_restart(&self.config.laws, &mut self.window, &event);
        }
        if idle {
            let restart =
                if self.config.idle_restart { self.config.initial_cwnd.bytes(self.config.mss) } else { u64::MAX };
            let event = Event { srtt: self.rtt.srtt(), is_app_limited: true, ..Event::at(now) };
            self.law.on_idle(&self.config.laws, &mut self.window, restart, &event);
            self.set_cwnd(self.window.cwnd);
        }
    }
}
