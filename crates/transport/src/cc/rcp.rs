//! RCP: N. Dukkipati, M. Kobayashi, R. Zhang-Shen, N. McKeown, "Processor Sharing Flows in the Internet", IWQoS 2005,
//! and N. Dukkipati's thesis, Stanford 2007: ports say a rate, and a sender sends at it.
//!
//! Each packet tells its round trip and brings back the least rate of the ports that it passed, which
//! [`rcp`](crate::rcp) computes by the parameters here. Segments are paced at that rate. The window is what leaves in
//! two round trips and a segment, so that it never holds the rate back while ACKs come, delayed ones too, and a sender
//! whose ACKs stay away stops.
//!
//! Readings. α and β are recalled: XCP's stable pair. There is no SYN that asks for a rate: the first window does. A
//! rate counts bytes on the wire: a sender paces the payload of so many. However low the rate, a segment leaves in four
//! round trips, where ns-2's program sends a packet without payload to hear of a new rate (`REF_FACT`).
//!
//! Left out: a rate for the way back, and a flow that asks for less than the ports offer. A loss leaves the window to
//! the rate; a timeout leaves one segment until the next ACK.

use super::base_rtt::keep_window;
use super::{Asks, CongestionControl, Event, Host, Loss, Measured, Window};
use options::{Kind, Range, options};
use units::{Duration, PS_PER_SECOND, Rate};

options! {
    /// Parameters of the ports, which all senders of a network share.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Config {
        /// α: weight of the spare capacity.
        pub alpha as "rcp_alpha": f64 = 0.4, Kind::Number(Range::above(0.0, 10.0));
        /// β: weight of the queue.
        pub beta as "rcp_beta": f64 = 0.226, Kind::Number(Range::closed(0.0, 10.0));
        /// Ports decide once in this time, or once in the mean round trip where that is shorter.
        pub interval as "rcp_interval": Duration = Duration::from_millis(10), Kind::POSITIVE;
        /// By which part of the difference a packet moves the mean round trip d of a port.
        pub gain as "rcp_gain": f64 = 0.02, Kind::Number(Range::above(0.0, 1.0));
        /// The rate at the start, as a share of the port's capacity.
        pub start as "rcp_start": f64 = 0.05, Kind::Number(Range::above(0.0, 1.0));
        /// To which part of itself the rate falls in an interval at most.
        pub least_factor as "rcp_least_factor": f64 = 0.5, Kind::Number(Range::closed(0.0, 1.0));
        /// Packets in a mean round trip, of 1500 B, below which the rate does not fall.
        pub least as "rcp_least": f64 = 0.01, Kind::Number(Range::above(0.0, 1000.0));
        /// Ports reckon so long ahead with the capacity that they will have.
        pub ahead: Duration = Duration::ZERO, Kind::SPAN;
    }
}

/// Round trips in which a segment leaves at least: without one no port would be heard.
const NEWS: f64 = 4.0;

/// The law of one flow.
#[derive(Clone, Debug)]
pub struct Rcp(Box<State>);

#[derive(Clone, Copy, Debug, Default)]
struct State {
    /// The least rate of the ports, once one has said any.
    rate: Option<Rate>,
    host: Host,
}

impl CongestionControl for Rcp {
    type Config = Config;

    const ASKS: Asks = Asks { telemetry: true, pacing: true, by_rate: true, ..Asks::NOTHING };

    fn new(_: &Config) -> Rcp {
        Rcp(Box::default())
    }

    fn on_host(&mut self, host: &Host) {
        self.0.host = *host;
    }

    fn on_ack(&mut self, _: &Config, window: &mut Window, event: &Event) {
        self.set_window(window, event);
    }

    fn on_telemetry(&mut self, _: &Config, window: &mut Window, measured: &Measured) {
        if let Some(rate) = measured.telemetry.offer.of_path() {
            self.0.rate = Some(rate);
        }
        self.set_window(window, &measured.event);
    }

    fn on_loss(&mut self, _: &Config, window: &mut Window, loss: &Loss) {
        keep_window(window, loss);
    }

    fn pacing_rate(&self, _: &Config, window: &Window, srtt: Option<Duration>) -> Option<Rate> {
        let rate = self.payload_rate(window.mss)?;
        // `as` saturates.
        let least = srtt.map_or(0.0, |srtt| 8.0 * window.mss as f64 / (NEWS * srtt.as_secs_f64()));
        Some(rate.max(Rate::from_bps(least as u64)))
    }

    fn figures(&self) -> Vec<(&'static str, f64)> {
        self.0.rate.into_iter().map(|rate| ("rate_bps", rate.bps() as f64)).collect()
    }
}

impl Rcp {
    /// Bits of payload in a second of the rate.
    fn payload_rate(&self, mss: u64) -> Option<Rate> {
        // `as` saturates.
        self.0.rate.map(|rate| Rate::from_bps(self.0.host.payload(rate.bps() as f64, mss, 0) as u64))
    }

    /// What the rate sends in two round trips, and a segment.
    fn set_window(&self, window: &mut Window, event: &Event) {
        if let (Some(rate), Some(srtt)) = (self.payload_rate(window.mss), event.srtt) {
            let bytes = 2 * u128::from(rate.bps()) * u128::from(srtt.ps()) / u128::from(8 * PS_PER_SECOND);
            window.cwnd = u64::try_from(bytes).unwrap_or(u64::MAX).saturating_add(window.mss);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cc::LossCause;
    use crate::telemetry::Offer;
    use crate::telemetry::Telemetry;
    use units::Instant;

    const FEW: Window = Window { cwnd: 10_000, ssthresh: u64::MAX, mss: 1000 };

    /// 80 Mb/s for 10 ms are 100 kB; in packets of 1000 B and 250 B of headers 80 kB are payload.
    #[test]
    fn segments_are_paced_at_the_rate_and_the_window_is_two_round_trips_of_it() {
        let (config, mut window) = (Config::default(), Window { cwnd: 10_000, ssthresh: u64::MAX, mss: 1000 });
        let mut law = Rcp::new(&config);
        let event = Event { srtt: Some(Duration::from_millis(10)), ..Event::at(Instant::ZERO) };
        let mut told = |law: &mut Rcp, rate| {
            let telemetry = Telemetry::EMPTY.with_offer(Offer { rate, ..Offer::NONE });
            law.on_telemetry(&config, &mut window, &Measured { telemetry: &telemetry, ack: 1, next: 2, event });
            window.cwnd
        };
        assert_eq!(told(&mut law, Offer::NONE.rate), 10_000, "no port has said anything");
        assert_eq!(told(&mut law, Rate::from_mbps(80)), 201_000);
        law.on_host(&Host { header: 250, ..Host::default() });
        assert_eq!(told(&mut law, Rate::from_mbps(80)), 161_000);
        assert_eq!(law.payload_rate(1000), Some(Rate::from_mbps(64)));
        assert_eq!(law.pacing_rate(&config, &FEW, event.srtt), Some(Rate::from_mbps(64)));
        law.on_host(&Host::default());
        assert_eq!(told(&mut law, Rate::from_bps(1)), 1000, "a segment, after 8000 s");
        assert_eq!(law.pacing_rate(&config, &window, None), Some(Rate::from_bps(1)));
        // 8000 bits in 4 · 10 ms.
        assert_eq!(law.pacing_rate(&config, &window, event.srtt), Some(Rate::from_bps(200_000)));
        law.on_loss(&config, &mut window, &Loss::of(LossCause::Timeout, 5000));
        assert_eq!(window.cwnd, 1000);
    }
}
