//! What a window law answers, and the ways to repair losses on which it runs.

use super::{Asks, Event, Feedback, Host, Loss, LostSegment, Measured, News, Wants, Window, btcp, tcp_eng};
use crate::ConfigError;
use options::{Options, words};
use units::{Duration, Instant, Rate};

words! {
    /// How losses that duplicate ACKs show are repaired.
    pub enum LossRecovery {
        /// RFC 5681 §3.2: the first ACK of new data ends fast recovery.
        Reno = "reno",
        /// RFC 6582: a partial ACK repairs the next hole.
        NewReno = "newreno",
        /// RFC 6675: from what the receiver reports.
        Sack = "sack",
        /// As "sack", with a threshold of duplicate ACKs that follows the reordering it sees, and the window back after
        /// a spurious fast retransmit: RR-TCP.
        RrTcp = "rr-tcp",
        /// As "sack", but a fast retransmit waits for half a round trip, or for as long as the third duplicate ACK was
        /// behind the first: TD-FR.
        TdFr = "td-fr",
        /// RACK-TLP, RFC 8985: what was sent before something that has been delivered is lost after a while; a probe
        /// when no ACKs come.
        Rack = "rack",
        /// What Linux does, as far as it is here: RACK-TLP, with PRR (RFC 9937), D-SACK undo and F-RTO with SACK unless
        /// reduction, undo and frto say otherwise. Linux's ssthresh is a share of cwnd, not of the flight, and its PRR
        /// divides by that cwnd; its RTO is never closer than 200 ms to SRTT.
        Linux = "linux",
    }
}

/// A sender's answer to an edge node's news about bursts. Anything but ignoring it needs SACK.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BurstNews {
    /// Nothing.
    Ignored,
    /// A timeout that one lost burst explains acts as a loss that duplicate ACKs show; a reported burst is repaired.
    FalseTimeouts(btcp::Detector),
    /// A burst that contention dropped is repaired, and is a [`Contention`](super::LossCause::Contention) to the law,
    /// or a [`ContentionOfAll`](super::LossCause::ContentionOfAll).
    Contention(tcp_eng::BenTimeout),
}

/// A window law. What it answers is the [`Window`] that it leaves behind; the sender only bounds cwnd, between one
/// segment and `max_cwnd`. Its loss recovery decides what is sent again and, without SACK, inflates cwnd meanwhile.
pub trait CongestionControl: Sized {
    /// Its parameters, which its users can set.
    type Config: Options;

    /// Its needs that others do not pay for.
    const ASKS: Asks = Asks::NOTHING;

    /// The law at the start of a flow.
    fn new(config: &Self::Config) -> Self;

    /// An error if there is no law with these parameters, each of which is in its range.
    fn validate(_: &Self::Config) -> Result<(), ConfigError> {
        Ok(())
    }

    /// What its host knows, before anything is sent.
    fn on_host(&mut self, _: &Host) {}

    /// New bytes are acknowledged outside of fast recovery; or any ACK, for laws that ask for [`Asks::every_ack`].
    fn on_ack(&mut self, config: &Self::Config, window: &mut Window, event: &Event);

    /// The new ssthresh in bytes at a loss, which [`Window::cut`] bounds below. Half of the flight: RFC 5681 §3.1 eq.
    /// (4).
    fn ssthresh_after(&mut self, _: &Self::Config, _: &Window, loss: &Loss) -> u64 {
        loss.flight / 2
    }

    /// A loss. Laws whose cwnd is not at ssthresh afterwards answer here.
    fn on_loss(&mut self, config: &Self::Config, window: &mut Window, loss: &Loss) {
        let ssthresh = self.ssthresh_after(config, window, loss);
        window.cut(loss.cause, ssthresh);
    }

    /// The timer expires for a segment that it has already sent again: ssthresh stays (RFC 5681 §3.1).
    fn on_repeated_timeout(&mut self, _: &Self::Config, window: &mut Window, _: &Event) {
        window.cwnd = window.mss;
    }

    /// The flow has been idle for longer than the RTO. `restart` is the window that RFC 5681 §4.1 leaves then;
    /// `u64::MAX` if the configuration does not ask for that.
    fn on_idle(&mut self, _: &Self::Config, window: &mut Window, restart: u64, _: &Event) {
        window.cwnd = window.cwnd.min(restart);
    }

    /// A segment has been found lost; only laws that ask for [`Asks::each_loss`] hear of it, before they hear of what
    /// that brings about.
    fn on_lost(&mut self, _: &Self::Config, _: &mut Window, _: &LostSegment, _now: Instant) {}

    /// The last loss turns out to have been none. Only laws that ask for [`Asks::model`] hear of it; others forget what
    /// they did at it. cwnd comes back by itself.
    fn on_undo(&mut self, _: &Self::Config, _: &mut Window, _now: Instant) {}

    /// Data are about to leave of a flow that has had nothing in flight; only laws that ask for [`Asks::every_ack`]
    /// hear of it.
    fn on_restart(&mut self, _: &Self::Config, _: &mut Window, _: &Event) {}

    /// Where cwnd returns to when a fast recovery that inflated it is over.
    fn cwnd_after_recovery(&self, window: &Window) -> u64 {
        window.ssthresh
    }

    /// The rate at which segments leave if they are paced; `None` is cwnd/SRTT.
    fn pacing_rate(&self, _: &Self::Config, _: &Window, _: Option<Duration>) -> Option<Rate> {
        None
    }

    /// Its state besides the window, as people read it: names with values in bytes, seconds, bits per second or
    /// shares.
    fn figures(&self) -> Vec<(&'static str, f64)> {
        Vec::new()
    }

    /// The network says by how much to change the throughput.
    fn on_feedback(&mut self, _: &Self::Config, _: &mut Window, _: &Feedback) {}

    /// An ACK brings what the hops of the path measured, before [`on_ack`](CongestionControl::on_ack) hears of it; only
    /// laws that ask for [`Asks::telemetry`] do. cwnd as it is left counts at once.
    fn on_telemetry(&mut self, _: &Self::Config, _: &mut Window, _: &Measured) {}

    /// The path has changed, or will; only laws that want [`Wants::news`] hear of it. cwnd as it is left counts at
    /// once.
    fn on_news(&mut self, _: &Self::Config, _: &mut Window, _: &News) {}

    /// Its needs that follow from its parameters.
    fn wants(_: &Self::Config) -> Wants {
        Wants::default()
    }

    /// The sender's answer to news about bursts.
    fn burst_news(_: &Self::Config) -> BurstNews {
        BurstNews::Ignored
    }
}
