//! From a flow to its law: a jump by the law's place in the enum.

use super::{
    Algorithm, Config, CongestionControl, Event, Feedback, Host, Law, Loss, LostSegment, Measured, News, Registered,
    Window, own,
};
use units::{Duration, Instant, Rate};

impl Law {
    pub(crate) fn new(algorithm: Algorithm, config: &Config) -> Law {
        (algorithm.entry().item.start)(config)
    }

    /// The event is made where it is read, so that a law does not pay for the fields that others read.
    #[inline]
    pub(crate) fn on_ack(&mut self, config: &Config, window: &mut Window, event: impl FnOnce() -> Event) {
        // By far the most usual one: a comparison, where the others are a jump through a table.
        if let Law::Reno(law) = self {
            return law.on_ack(&config.reno, window, &event());
        }
        with_law!(self, law => law.on_ack(own(law, config), window, &event()))
    }

    /// The same for an event that has been made.
    pub(crate) fn on_event(&mut self, config: &Config, window: &mut Window, event: &Event) {
        with_law!(self, law => tell(law, config, window, event))
    }

    pub(crate) fn on_host(&mut self, host: &Host) {
        with_law!(self, law => law.on_host(host))
    }

    pub(crate) fn on_loss(&mut self, config: &Config, window: &mut Window, loss: &Loss) {
        with_law!(self, law => law.on_loss(own(law, config), window, loss))
    }

    pub(crate) fn on_repeated_timeout(&mut self, config: &Config, window: &mut Window, event: &Event) {
        with_law!(self, law => law.on_repeated_timeout(own(law, config), window, event))
    }

    pub(crate) fn on_idle(&mut self, config: &Config, window: &mut Window, restart: u64, event: &Event) {
        with_law!(self, law => law.on_idle(own(law, config), window, restart, event))
    }

    pub(crate) fn on_lost(&mut self, config: &Config, window: &mut Window, lost: &LostSegment, now: Instant) {
        with_law!(self, law => law.on_lost(own(law, config), window, lost, now))
    }

    pub(crate) fn on_undo(&mut self, config: &Config, window: &mut Window, now: Instant) {
        with_law!(self, law => law.on_undo(own(law, config), window, now))
    }

    pub(crate) fn on_restart(&mut self, config: &Config, window: &mut Window, event: &Event) {
        with_law!(self, law => law.on_restart(own(law, config), window, event))
    }

    pub(crate) fn cwnd_after_recovery(&self, window: &Window) -> u64 {
        with_law!(self, law => law.cwnd_after_recovery(window))
    }

    pub(crate) fn pacing_rate(&self, config: &Config, window: &Window, srtt: Option<Duration>) -> Option<Rate> {
        with_law!(self, law => law.pacing_rate(own(law, config), window, srtt))
    }

    pub(crate) fn figures(&self) -> Vec<(&'static str, f64)> {
        with_law!(self, law => law.figures())
    }

    pub(crate) fn on_feedback(&mut self, config: &Config, window: &mut Window, feedback: &Feedback) {
        with_law!(self, law => law.on_feedback(own(law, config), window, feedback))
    }

    pub(crate) fn on_telemetry(&mut self, config: &Config, window: &mut Window, measured: &Measured) {
        with_law!(self, law => law.on_telemetry(own(law, config), window, measured))
    }

    pub(crate) fn on_news(&mut self, config: &Config, window: &mut Window, news: &News) {
        with_law!(self, law => law.on_news(own(law, config), window, news))
    }
}

/// A law hears of an ACK. Not inlined, so that the jump to it does not save the registers that another law uses.
#[inline(never)]
fn tell<L: Registered>(law: &mut L, config: &Config, window: &mut Window, event: &Event) {
    law.on_ack(L::own(config), window, event);
}
