//! The timers of a sender one by one, for those who drive it by hand. A network serves all that are due:
//! [`Sender::handle_timeout`].

use super::delay::Delay;
use super::ecn::EcnSender;
use super::{Actions, Sender};
use options::words;
use units::Instant;

words! {
    /// A timer of a connection's sending end.
    pub enum Timer {
        /// Retransmission (RFC 6298), which is the persist timer while the peer's window is closed.
        Retransmission = "rto",
        /// Reordering (RFC 8985 §6.2).
        Reordering = "rack",
        /// Tail loss probe (RFC 8985 §7).
        Probe = "tlp",
        /// The next paced segment.
        Pacing = "pacing",
        /// The wait of recovery "td-fr" after the first duplicate ACK.
        Delay = "td-fr",
        /// What congestion marks hold back at the least window.
        Marks = "marks",
        /// A SYN or a FIN that has no answer yet.
        Control = "control",
    }
}

impl Sender {
    /// When this timer is due; `None` while it does not run.
    pub fn due(&self, timer: Timer) -> Option<Instant> {
        let features = self.features.as_deref();
        let at = match timer {
            Timer::Retransmission => Some(self.timer()),
            Timer::Reordering => self.rack().map(|rack| rack.timer()),
            Timer::Probe => self.probe_timer(),
            Timer::Pacing => Some(self.pacer_wake()),
            Timer::Delay => features.and_then(|features| features.delay.as_ref()).map(Delay::wake),
            Timer::Marks => self.ecn().map(EcnSender::wake),
            Timer::Control => None,
        };
        at.filter(|at| *at != Instant::NEVER)
    }

    /// The clock has reached `now`: serves this timer if it is due; others wait, whether they are due or not.
    pub fn handle_timer(&mut self, now: Instant, timer: Timer, actions: &mut Actions) {
        if self.due(timer).is_none_or(|at| at > now) {
            return;
        }
        match timer {
            Timer::Retransmission => self.serve_retransmission_timer(now, actions),
            Timer::Reordering => self.serve_reordering_timer(now, actions),
            Timer::Probe => self.serve_probe_timer(now, actions),
            Timer::Delay => self.serve_delay(now, actions),
            Timer::Marks => {
                self.end_hold(now);
                self.transmit(now, actions);
            }
            Timer::Pacing => self.transmit(now, actions),
            Timer::Control => {}
        }
        self.settle_timers(now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cc::{Algorithm, LossRecovery};
    use crate::tcp::{Ack, InitialWindow, SenderConfig};
    use std::sync::Arc;
    use units::Duration;

    /// Four segments leave at 0 and one is acknowledged at 100 ms: the probe is due at 300 ms (2 SRTT). Served at 5 s
    /// it sets the timeout, 1 s later.
    #[test]
    fn a_timer_that_is_not_named_waits_although_it_is_due() {
        let at = |ms| Instant::ZERO + Duration::from_millis(ms);
        let config = SenderConfig {
            algorithm: Algorithm::Sack,
            recovery: Some(LossRecovery::Rack),
            mss: 1000,
            initial_cwnd: InitialWindow::Segments(4),
            ..SenderConfig::default()
        };
        let mut sender = Sender::new(Arc::new(config));
        let mut actions = Actions::default();
        sender.write(at(0), 4000, &mut actions);
        sender.handle_ack(at(100), &Ack { ack: 1000, window: 1 << 20, sack: &[], ecn_echo: false }, &mut actions);
        actions.segments.clear();
        assert_eq!(sender.due(Timer::Probe), Some(at(300)));
        // The timeout is due too, at 1100 ms.
        sender.handle_timer(at(5000), Timer::Pacing, &mut actions);
        sender.handle_timer(at(5000), Timer::Reordering, &mut actions);
        assert!(actions.segments.is_empty());
        sender.handle_timer(at(5000), Timer::Probe, &mut actions);
        assert_eq!(actions.segments.iter().map(|segment| segment.seq).collect::<Vec<_>>(), [3000]);
        assert_eq!((sender.due(Timer::Probe), sender.due(Timer::Retransmission)), (None, Some(at(6000))));
    }
}
