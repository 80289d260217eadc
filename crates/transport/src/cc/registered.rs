//! The registry of laws by name, and what it says of each.

use super::{Algorithm, Asks, BurstNews, Config, Entry, LossRecovery, Wants};
use crate::ConfigError;
use options::Options;

/// Every algorithm there is, in a fixed order.
pub fn registry() -> &'static [Entry] {
    Algorithm::REGISTRY
}

impl Algorithm {
    /// How it repairs losses, unless its user asks for another way.
    pub const fn recovery(self) -> LossRecovery {
        self.entry().item.recovery
    }

    /// Its needs that others do not pay for.
    #[inline]
    pub const fn asks(self) -> Asks {
        self.entry().item.asks
    }

    /// Its needs that follow from its parameters.
    pub fn wants(self, config: &Config) -> Wants {
        (self.entry().item.wants)(config)
    }

    /// Its sender's answer to news about bursts.
    pub fn burst_news(self, config: &Config) -> BurstNews {
        (self.entry().item.burst_news)(config)
    }

    /// True if its segments and ACKs must carry a congestion header that routers on the path write.
    #[inline]
    pub const fn needs_header(self) -> bool {
        self.asks().congestion_header
    }

    /// True if the network writes into its data packets, and ACKs bring that back.
    #[inline]
    pub const fn is_told(self) -> bool {
        self.needs_header() || self.reads_telemetry()
    }

    /// True if its data packets carry what the hops of their path measure.
    #[inline]
    pub const fn reads_telemetry(self) -> bool {
        self.asks().telemetry
    }

    /// True if it goes by the measurements themselves; RCP goes by a rate that ports write beside them.
    pub fn reads_hops(self) -> bool {
        self.reads_telemetry() && self != Algorithm::Rcp
    }
}

impl Config {
    /// An error if the law of an algorithm cannot run with its parameters.
    pub fn validate(&self, algorithm: Algorithm) -> Result<(), ConfigError> {
        self.of(algorithm).check_ranges()?;
        (algorithm.entry().item.validate)(self)
    }

    /// The parameters of an algorithm's law.
    pub fn of(&self, algorithm: Algorithm) -> &dyn Options {
        (algorithm.entry().item.options)(self)
    }

    /// The same, to be set.
    pub fn of_mut(&mut self, algorithm: Algorithm) -> &mut dyn Options {
        (algorithm.entry().item.options_mut)(self)
    }
}

#[cfg(test)]
mod tests {
    use super::super::prague::Fallback;
    use super::super::{Event, Law, Loss, LossCause, Marks, RateSample, Window};
    use super::*;
    use units::{Duration, Instant};

    #[test]
    fn every_algorithm_is_found_under_its_name() {
        for entry in registry() {
            assert_eq!(Algorithm::from_name(entry.name), Some(entry.choice));
            assert_eq!(entry.choice.name(), entry.name);
        }
        assert_eq!(Algorithm::from_name("tahoe"), None);
    }

    fn names(holds: impl Fn(Asks, Wants) -> bool) -> Vec<&'static str> {
        let config = Config::default();
        let laws = registry().iter().filter(|one| !["gentle", "listener"].contains(&one.name));
        laws.filter(|one| holds(one.choice.asks(), one.choice.wants(&config))).map(|one| one.name).collect()
    }

    /// Pacing is part of BBR and Prague (drafts), and of the papers of Swift, HPCC, PowerTCP, Copa and RCP.
    #[test]
    fn laws_whose_source_paces_ask_for_it() {
        let paced = ["bbr", "bbr3", "prague", "swift", "hpcc", "powertcp", "theta-powertcp", "copa", "rcp"];
        assert_eq!(names(|asks, _| asks.pacing), paced);
    }

    /// What routers write: XCP's header; the measurements of HPCC and PowerTCP (INT), and RCP's rate.
    #[test]
    fn laws_that_the_network_tells_ask_for_its_words() {
        assert_eq!(names(|asks, _| asks.congestion_header), ["xcp"]);
        assert_eq!(names(|asks, _| asks.telemetry), ["hpcc", "powertcp", "rcp"]);
        let all: Vec<_> = registry().iter().map(|one| one.choice).collect();
        let of = |holds: fn(Algorithm) -> bool| -> Vec<_> {
            all.iter().filter(|one| holds(**one)).map(|one| one.name()).collect()
        };
        assert_eq!(of(Algorithm::is_told), ["xcp", "hpcc", "powertcp", "rcp"]);
        assert_eq!(of(Algorithm::reads_hops), ["hpcc", "powertcp"]);
    }

    /// Delivery rates: BBR's model, and the rate_sample that Linux's tcp_nv reads. A model of the path sets cwnd in BBR
    /// alone; its third version hears of each lost segment too (draft-ietf-ccwg-bbr-06, BBRHandleLostPacket).
    #[test]
    fn laws_with_a_model_of_the_path_ask_for_what_feeds_it() {
        assert_eq!(names(|asks, _| asks.rate_samples), ["bbr", "bbr3", "nv", "python"]);
        assert_eq!(names(|asks, _| asks.model), ["bbr", "bbr3"]);
        assert_eq!(names(|asks, _| asks.each_loss), ["bbr3"]);
    }

    /// DCTCP, Prague and ABC count marks themselves; Prague's packets say so (RFC 9331). BBR, Copa, Swift and
    /// θ-PowerTCP go by rates and delays.
    #[test]
    fn marks_are_losses_except_to_laws_that_count_them_or_go_by_delay() {
        let with = |marks| names(move |asks, _| asks.marks == marks);
        assert_eq!(with(Marks::Counted), ["dctcp", "abc"]);
        assert_eq!(with(Marks::CountedFinely), ["prague"]);
        assert_eq!(with(Marks::Unheard), ["bbr", "bbr3", "swift", "theta-powertcp", "copa"]);
        assert_eq!(with(Marks::OfPath), [""; 0]);
    }

    /// Laws that Linux calls from `pkts_acked`, or that read `rtt_us` of each rate sample; and those whose paper
    /// takes the round trip of every packet.
    #[test]
    fn laws_that_go_by_delay_have_every_round_trip() {
        let delays =
            ["bbr", "bbr3", "htcp", "illinois", "yeah", "veno", "lp", "cdg", "nv", "swift", "theta-powertcp", "copa"];
        assert_eq!(names(|_, wants| wants.every_rtt), delays);
        assert_eq!(names(|_, wants| wants.news), ["retcp", "tdtcp", "satcp"]);
        assert_eq!(names(|_, wants| wants.base_rtts), ["hpcc", "powertcp", "theta-powertcp"]);
        assert_eq!(names(|_, wants| wants.division_rtt), ["tdtcp"]);
    }

    /// Laws that count round trips, rates or marks also while losses are repaired.
    #[test]
    fn laws_that_count_hear_of_every_ack() {
        let counting = [
            "bbr",
            "bbr3",
            "dctcp",
            "prague",
            "westwood+",
            "htcp",
            "illinois",
            "yeah",
            "lp",
            "cdg",
            "nv",
            "tdtcp",
            "swift",
            "copa",
            "abc",
            "python",
        ];
        assert_eq!(names(|asks, _| asks.every_ack), counting);
    }

    /// After ACKs of a segment of 1000 B each ms, with a round trip of 20 ms and a delivery rate of 8 Mb/s.
    fn figures_of(name: &str) -> Vec<(&'static str, f64)> {
        let (algorithm, config) = (Algorithm::from_name(name).unwrap(), Config::default());
        let mut law = Law::new(algorithm, &config);
        let mut window = Window { cwnd: 10_000, ssthresh: u64::MAX, mss: 1000 };
        let rtt = Some(Duration::from_millis(20));
        for ms in 20..60_u64 {
            let rate_sample = RateSample {
                delivered: 20_000,
                interval: Duration::from_millis(20),
                prior_delivered: 1000 * (ms - 20),
                is_app_limited: false,
                tx_in_flight: 20_000,
                lost: 0,
            };
            let event = Event {
                now: Instant::ZERO + Duration::from_millis(ms),
                rtt_sample: rtt,
                srtt: rtt,
                in_flight: 20_000,
                rate_sample: Some(rate_sample),
                ..Event::ack(1000)
            };
            law.on_event(&config, &mut window, &event);
        }
        law.figures()
    }

    /// 40 ACKs are two round trips of 20 segments. BBR: 20 000 B in 20 ms are 8 Mb/s. DCTCP (RFC 8257 §3.3): no mark in
    /// two windows leaves (15/16)² of α = 1. H-TCP starts with α = 1, β = 1/2, YeAH with two of Reno's segments.
    /// Without queueing delay Illinois has α = 10, β = 1/8, and YeAH, Veno, NV and Copa find no queue. A delay far
    /// above its target halves Swift's window in each round trip: 10, 5, 2.5. TDTCP's one division has 10 + 40
    /// segments.
    #[test]
    fn figures_are_in_the_units_of_their_names() {
        let seconds = 0.02;
        let bbr = vec![("max_bandwidth", 8e6), ("rounds", 2.0), ("min_rtt", seconds)];
        let copa = vec![("standing_rtt_s", seconds), ("least_rtt_s", seconds), ("velocity", 1.0), ("competes", 0.0)];
        let expected = [
            ("bbr", bbr.clone()),
            ("bbr3", bbr),
            ("dctcp", vec![("alpha", 0.878_906_25)]),
            ("htcp", vec![("htcp_alpha", 1.0), ("htcp_beta", 0.5)]),
            ("illinois", vec![("illinois_alpha", 10.0), ("illinois_beta", 0.125)]),
            ("yeah", vec![("queued_segments", 0.0), ("reno_segments", 2.0)]),
            ("veno", vec![("queued_segments", 0.0)]),
            ("hybla", vec![("hybla_srtt_s", seconds)]),
            ("lp", vec![("mean_delay_s", seconds), ("least_delay_s", seconds)]),
            ("nv", vec![("most_rate_bps", 8e6), ("halvings", 0.0)]),
            ("retcp", vec![("circuit", 0.0)]),
            ("tdtcp", vec![("division", 0.0), ("division_cwnd", 50_000.0)]),
            ("swift", vec![("swift_cwnd_segments", 2.5)]),
            ("copa", copa),
        ];
        for (name, figures) in expected {
            assert_eq!(figures_of(name), figures, "{name}");
        }
        for name in
            ["reno", "sack", "highspeed", "xcp", "gaimd", "btcp", "tcp-eng", "cubic", "scalable", "bic", "satcp"]
        {
            assert_eq!(figures_of(name), [], "{name}");
        }
    }

    /// A window of 20 segments in full flight after a loss without a timer, in hundredths of a segment.
    fn kept_of_20_segments(algorithm: Algorithm, in_flight: u64) -> u64 {
        let config = Config::default();
        let mut window = Window { cwnd: 20_000, ssthresh: u64::MAX, mss: 1000 };
        Law::new(algorithm, &config).on_loss(&config, &mut window, &Loss::of(LossCause::FastRetransmit, in_flight));
        window.ssthresh / 10
    }

    /// RFC 5681 §3.1 eq. (4): half of the flight, in laws whose source leaves that as it is, and in those that know
    /// nothing of the path yet.
    #[test]
    fn laws_that_take_over_tcps_halving_leave_half_of_the_flight() {
        let halving = [
            "reno",
            "newreno",
            "sack",
            "rr-tcp",
            "xcp",
            "btcp",
            "dctcp",
            "prague",
            "vegas",
            "westwood+",
            "htcp",
            "illinois",
            "hybla",
            "lp",
            "cdg",
            "retcp",
            "abc",
            "python",
        ];
        for name in halving {
            let algorithm = Algorithm::from_name(name).unwrap();
            assert_eq!(kept_of_20_segments(algorithm, 16_000), 800, "{name}");
        }
    }

    /// RFC 3168 §6.1.2: no growth by an ACK that echoes a mark; and none by one that acknowledges nothing new, or while
    /// losses are being repaired, when the recovery moves cwnd. (No round trips are measured: LP halves at the first.)
    #[test]
    fn laws_that_hear_of_every_ack_grow_by_the_usual_ones_only() {
        for name in ["htcp", "illinois", "yeah", "lp", "cdg", "westwood+", "tdtcp"] {
            let (algorithm, config) = (Algorithm::from_name(name).unwrap(), Config::default());
            let usual = Event { srtt: Some(Duration::from_millis(20)), in_flight: 10_000, ..Event::ack(1000) };
            let grown = |event: Event| {
                let (mut law, mut window) =
                    (Law::new(algorithm, &config), Window { cwnd: 10_000, ssthresh: u64::MAX, mss: 1000 });
                (1..5).for_each(|ms| {
                    let now = Instant::ZERO + Duration::from_millis(ms);
                    law.on_event(&config, &mut window, &Event { now, ..event });
                });
                window.cwnd.abs_diff(10_000)
            };
            assert_eq!(grown(usual), 4000, "{name}");
            for event in [
                Event { in_recovery: true, ..usual },
                Event { ecn_echo: true, ..usual },
                Event { acked: 0, sacked: 1000, ..usual },
                Event { is_app_limited: true, ..usual },
            ] {
                assert_eq!(grown(event), 0, "{name}: {event:?}");
            }
        }
    }

    #[test]
    fn a_law_that_cannot_be_is_refused_with_the_key_that_is_wrong() {
        let mut config = Config::default();
        assert!(registry().iter().all(|one| config.validate(one.choice).is_ok()));
        config.highspeed.low_window = config.highspeed.high_window;
        let refused = |config: &Config, choice| config.validate(choice).err().map(|error| error.field);
        assert_eq!(refused(&config, Algorithm::HighSpeed), Some("high_window"));
        config.cubic.beta = 1.0;
        assert_eq!([refused(&config, Algorithm::Cubic), refused(&config, Algorithm::Sack)], [Some("beta"), None]);
    }

    /// Needs that only some parameters bring: HyStart++ every round trip, ABE marks, Prague's fallback by delay round
    /// trips, TDTCP's holes of its own their losses.
    #[test]
    fn parameters_bring_needs() {
        let mut config = Config::default();
        let wants = |config: &Config, algorithm: Algorithm| algorithm.wants(config);
        assert_eq!(wants(&config, Algorithm::Sack), Wants::default());
        (config.reno.hystart, config.cubic.hystart) = (true, true);
        let every_rtt = Wants { every_rtt: true, ..Wants::default() };
        assert_eq!([Algorithm::Sack, Algorithm::Cubic].map(|law| wants(&config, law)), [every_rtt; 2]);
        (config.reno, config.cubic) = Default::default();
        (config.reno.abe, config.cubic.abe) = (true, true);
        let marks = Wants { marks: true, ..Wants::default() };
        assert_eq!([Algorithm::Sack, Algorithm::Cubic].map(|law| wants(&config, law)), [marks; 2]);
        let fallbacks = [Fallback::Delay, Fallback::Off].map(|fallback| {
            config.prague.fallback = fallback;
            wants(&config, Algorithm::Prague).every_rtt
        });
        assert_eq!(fallbacks, [true, false]);
    }

    /// Linux's tcpnv_reset(): with the first new data after a loss all is measured anew. 10 000 B in 20 ms are 4 Mb/s,
    /// where 8 Mb/s were before.
    #[test]
    fn nv_measures_anew_after_a_loss() {
        let (algorithm, config) = (Algorithm::from_name("nv").unwrap(), Config::default());
        let (mut law, mut window) = (Law::new(algorithm, &config), Window { cwnd: 20_000, ssthresh: 1, mss: 1000 });
        let rate = |law: &Law| law.figures()[0].1;
        let mut ack = |law: &mut Law, delivered| {
            let interval = Duration::from_millis(20);
            let rate_sample = Some(RateSample {
                delivered,
                interval,
                prior_delivered: 0,
                is_app_limited: false,
                tx_in_flight: 0,
                lost: 0,
            });
            let event = Event { rtt_sample: Some(interval), in_flight: 20_000, rate_sample, ..Event::ack(1000) };
            law.on_event(&config, &mut window, &event);
        };
        ack(&mut law, 20_000);
        ack(&mut law, 10_000);
        assert_eq!(rate(&law), 8e6, "the greatest");
        let mut at_loss = Window { cwnd: 20_000, ssthresh: 1, mss: 1000 };
        law.on_loss(&config, &mut at_loss, &Loss::of(LossCause::FastRetransmit, 20_000));
        ack(&mut law, 10_000);
        assert_eq!(rate(&law), 4e6);
    }

    /// What the user says in bits per second is what the figures say.
    #[test]
    fn bbr_begins_with_the_bandwidth_that_its_user_names() {
        let mut config = Config::default();
        (config.bbr.start_bandwidth, config.bbr3.start_bandwidth) = (Some(8e6), Some(8e6));
        for name in ["bbr", "bbr3"] {
            let law = Law::new(Algorithm::from_name(name).unwrap(), &config);
            assert_eq!(law.figures()[0], ("max_bandwidth", 8e6), "{name}");
        }
    }
}
