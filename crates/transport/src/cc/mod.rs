//! Congestion control: how the window grows and how far it falls.
//!
//! A window law is one file with its source, its parameters and its tests; the line in `laws!` below registers it under
//! a name, together with the loss recovery it runs on, or under several. The laws of flows live in an enum: a million
//! flows have their state where it is used, and an ACK costs a jump. What the laws share (slow start, the loss window,
//! the caps) is [`Window`]. A law knows neither the sender that runs it nor the routers that talk to it: what networks
//! tell a sender (lost bursts, explicit rates) is the sender's business.
//!
//! `law` says what a law answers; `event` and `news` what it is told; `window` is what it moves; `registered` is the
//! list of all.

pub mod abc;
mod ahead;
mod base_rtt;
pub mod bbr;
pub mod bbr3;
pub mod bic;
pub mod btcp;
pub mod cdg;
mod classic_ecn;
pub mod copa;
pub mod cubic;
pub mod dctcp;
mod event;
#[cfg(test)]
pub mod example;
pub mod external;
mod extra_acked;
pub mod gaimd;
pub mod highspeed;
pub mod hpcc;
pub mod htcp;
pub mod hybla;
pub mod hystart;
pub mod illinois;
mod law;
pub mod linux_hystart;
#[cfg(test)]
pub mod listener;
pub mod lp;
pub mod max_filter;
mod news;
pub mod nv;
mod old_window;
pub mod powertcp;
pub mod prague;
pub mod rcp;
mod registered;
pub mod reno;
pub mod retcp;
pub mod satcp;
pub mod scalable;
mod segments;
pub mod swift;
pub mod tcp_eng;
pub mod tdtcp;
pub mod theta_powertcp;
pub mod vegas;
pub mod veno;
pub mod westwood;
mod window;
pub mod xcp;
pub mod yeah;

pub use self::event::{
    Asks, Event, Feedback, Fit, Host, Loss, LossCause, LostSegment, Marks, Measured, RateSample, Wants,
};
pub use self::law::{BurstNews, CongestionControl, LossRecovery};
pub use self::news::{News, NewsWay, PathChange, Turn};
pub use self::registered::registry;
pub use self::segments::Arithmetic;
pub use self::window::{SlowStartCounts, Window};
use crate::ConfigError;
use options::{Options, one_of, registry};

/// An algorithm, by name.
pub type Entry = options::Entry<Algorithm, Declared>;

/// The registry's facts of an algorithm besides its name: its loss recovery, and what its window law says of itself.
#[derive(Clone, Copy, Debug)]
pub struct Declared {
    recovery: LossRecovery,
    asks: Asks,
    wants: fn(&Config) -> Wants,
    burst_news: fn(&Config) -> BurstNews,
    validate: fn(&Config) -> Result<(), ConfigError>,
    options: fn(&Config) -> &dyn Options,
    options_mut: fn(&mut Config) -> &mut dyn Options,
    start: fn(&Config) -> Law,
}

impl Declared {
    const fn of<L: Registered>(recovery: LossRecovery) -> Declared {
        Declared {
            recovery,
            asks: L::ASKS,
            wants: |all| L::wants(L::own(all)),
            burst_news: |all| L::burst_news(L::own(all)),
            validate: |all| L::validate(L::own(all)),
            options: |all| L::own(all),
            options_mut: |all| L::own_mut(all),
            start: |all| L::new(L::own(all)).into(),
        }
    }
}

/// A law with its place among all.
trait Registered: CongestionControl<Config: 'static> + Into<Law> {
    /// Its parameters.
    fn own(all: &Config) -> &Self::Config;
    /// The same, to be set.
    fn own_mut(all: &mut Config) -> &mut Self::Config;
}

/// The parameters of a law's own.
#[inline]
fn own<'a, L: Registered>(_: &L, all: &'a Config) -> &'a L::Config {
    L::own(all)
}

/// Declares the window laws, each with the names under which it runs on a loss recovery: `Variant = "name", recovery,
/// "source", "sentence";`.
// Over 40 lines: a law is named once, and four tables of laws follow.
macro_rules! laws {
    ($($(#[cfg($on:meta)])? $module:ident::$law:ident {
        $($(#[cfg($also:meta)])? $variant:ident = $name:literal, $recovery:ident, $source:literal, $summary:literal;)+
    })+) => {
        registry! {
            /// A window law together with its loss recovery.
            pub enum Algorithm: Declared {
                $($($(#[cfg($also)])? $variant = $name, $source, $summary:
                    Declared::of::<$module::$law>(LossRecovery::$recovery);)+)+
            }
        }

        one_of! {
            /// The state of the law of one flow.
            #[derive(Clone, Debug)]
            pub(crate) enum Law, with_law { $($(#[cfg($on)])? $law($module::$law)),+ }
        }

        /// The parameters of all laws.
        #[derive(Clone, Debug, Default)]
        pub struct Config {
            $($(#[cfg($on)])?
            #[doc = concat!("Those of [`", stringify!($law), "`](", stringify!($module), "::", stringify!($law), ").")]
            pub $module: <$module::$law as CongestionControl>::Config,)+
        }

        $($(#[cfg($on)])?
        impl From<$module::$law> for Law {
            fn from(law: $module::$law) -> Law {
                Law::$law(law)
            }
        }

        $(#[cfg($on)])?
        impl Registered for $module::$law {
            fn own(all: &Config) -> &Self::Config {
                &all.$module
            }

            fn own_mut(all: &mut Config) -> &mut Self::Config {
                &mut all.$module
            }
        })+
    };
}

laws! {
    reno::Reno {
        Reno = "reno", Reno, "RFC 5681",
            "Additive increase by one segment per round trip, halving on loss; fast recovery ends at the first new \
                ACK.";
        NewReno = "newreno", NewReno, "RFC 5681, RFC 6582",
            "Reno's window; a partial ACK in fast recovery repairs the next hole.";
        Sack = "sack", Sack, "RFC 5681, RFC 6675",
            "Reno's window; losses are repaired from selective acknowledgements.";
        RrTcp = "rr-tcp", RrTcp, "Zhang, Karp, Floyd, Peterson 2003; RFC 6675, RFC 2883, RFC 3708",
            "RR-TCP: Reno's window; SACK recovery whose threshold of duplicate ACKs learns how much reordering is \
                normal.";
    }
    highspeed::HighSpeed {
        HighSpeed = "highspeed", Sack, "RFC 3649, RFC 6675",
            "HighSpeed TCP: increase and decrease depend on the window; SACK recovery.";
        HsRrTcp = "hs-rr-tcp", RrTcp, "Charbonneau, Vokkarane 2011; RFC 3649; RR-TCP's",
            "HS-RR-TCP: HighSpeed's window on RR-TCP's recovery.";
    }
    xcp::Xcp {
        Xcp = "xcp", Sack, "Katabi, Handley, Rohrs 2002; draft-falk-xcp-spec-03; RFC 6675",
            "XCP: routers say in a congestion header how far to change the window; SACK recovery.";
    }
    gaimd::Gaimd {
        Gaimd = "gaimd", Sack, "Yang, Lam 2000; RFC 6675",
            "GAIMD(alpha, beta): any additive increase and multiplicative decrease; SACK recovery.";
        Baimd = "baimd", Sack, "Shihada, Ho et al. 2006; RFC 6675",
            "BAIMD: GAIMD at the sender; every lost burst is congestion; SACK recovery.";
    }
    btcp::Btcp {
        Btcp = "btcp", Sack, "Yu, Qiao, Liu 2004; RFC 6675",
            "BTCP: a timeout that one lost burst explains acts as duplicate ACKs do; Reno's window, SACK recovery.";
    }
    tcp_eng::TcpEng {
        TcpEng = "tcp-eng", Sack, "Shihada, Ho, Zhang (TCP-ENG); RFC 6675",
            "TCP-ENG: GAIMD that is told which bursts contention dropped; SACK recovery.";
    }
    cubic::Cubic {
        Cubic = "cubic", Sack, "RFC 9438, RFC 6675",
            "CUBIC: the window follows a cubic of the time since the last loss, never below Reno's; SACK recovery.";
    }
    bbr::Bbr {
        Bbr = "bbr", Rack, "draft-cardwell-iccrg-bbr-congestion-control-00; RFC 8985",
            "BBR, version 1: sends at the bandwidth that it measures, with the shortest round trip's worth in flight; \
                RACK-TLP.";
    }
    bbr3::Bbr3 {
        Bbr3 = "bbr3", Rack, "draft-ietf-ccwg-bbr-06; RFC 8985",
            "BBR, version 3: BBR that keeps below what lost more than 2 %, and probes for more every two to three \
                seconds; RACK-TLP.";
    }
    dctcp::Dctcp {
        Dctcp = "dctcp", Sack, "RFC 8257, RFC 6675",
            "DCTCP: the window comes down by half of the share of marked bytes; needs queues that mark; SACK recovery.";
    }
    prague::Prague {
        Prague = "prague", Sack, "draft-briscoe-iccrg-prague-congestion-control-04; RFC 9331, RFC 9768, RFC 6675",
            "TCP Prague: DCTCP for the Internet's low-latency queues: ECT(1), accurate ECN, paced; SACK recovery.";
    }
    vegas::Vegas {
        Vegas = "vegas", Sack, "Brakmo, Peterson 1995; RFC 6675",
            "Vegas: one to three segments in queues, by the round-trip time; SACK recovery.";
    }
    westwood::Westwood {
        WestwoodPlus = "westwood+", Sack, "Grieco, Mascolo 2004; RFC 6675",
            "Westwood+: Reno's growth; a loss leaves the measured bandwidth times the shortest round trip; SACK \
                recovery.";
    }
    scalable::Scalable {
        Scalable = "scalable", Sack, "Kelly 2003; Linux; RFC 6675",
            "Scalable TCP: a hundredth of a segment for each acknowledged, an eighth less at a loss; SACK recovery.";
    }
    htcp::Htcp {
        Htcp = "htcp", Sack, "Shorten, Leith 2004; Linux; RFC 6675",
            "H-TCP: growth by the time since the last loss; a loss leaves the share that empties the queue; SACK \
                recovery.";
    }
    bic::Bic {
        Bic = "bic", Sack, "Xu, Harfoush, Rhee 2004; Linux; RFC 6675",
            "BIC: a binary search for the window before the last loss; SACK recovery.";
    }
    illinois::Illinois {
        Illinois = "illinois", Sack, "Liu, Başar, Srikant 2008; Linux; RFC 6675",
            "Illinois: losses say when the window falls, delay says how fast it grows and how far it falls; SACK \
                recovery.";
    }
    yeah::Yeah {
        Yeah = "yeah", Sack, "Baiocchi, Castellani, Vacirca 2007; Linux; RFC 6675",
            "YeAH: Scalable TCP's growth while queues are short, Reno's while they are long; SACK recovery.";
    }
    veno::Veno {
        Veno = "veno", Sack, "Fu, Liew 2003; Linux; RFC 6675",
            "Veno: Reno that takes a loss with short queues for one by chance; SACK recovery.";
    }
    hybla::Hybla {
        Hybla = "hybla", Sack, "Caini, Firrincieli 2004; Linux; RFC 6675",
            "Hybla: a long round trip gains as much in a second as one of 25 ms; SACK recovery.";
    }
    lp::Lp {
        Lp = "lp", Sack, "Kuzmanovic, Knightly 2006; Linux; RFC 6675",
            "TCP-LP: gives way to all others at the first sign of delay; SACK recovery.";
    }
    cdg::Cdg {
        Cdg = "cdg", Sack, "Hayes, Armitage 2011; Linux; RFC 6675",
            "CDG: backs off, by chance, where the delay grows from round trip to round trip; SACK recovery.";
    }
    nv::Nv {
        Nv = "nv", Sack, "Brakmo, Linux 2016; RFC 6675",
            "NV: Vegas for data centres: the window of the greatest rate and the shortest round trip, and ten \
                segments; SACK recovery.";
    }
    retcp::ReTcp {
        ReTcp = "retcp", Sack, "Mukerjee et al. 2020; its Linux module; RFC 6675",
            "reTCP: Reno's window, which jumps when a circuit comes and when it goes, as it is told; SACK recovery.";
    }
    tdtcp::TdTcp {
        TdTcp = "tdtcp", Rack, "Chen et al. 2022; RFC 8985",
            "TDTCP: a window, round trips and losses for each division of time, of which it is told; RACK-TLP.";
    }
    satcp::SaTcp {
        SaTcp = "satcp", Sack, "Cao, Zhang 2023; its Linux module; RFC 9438; RFC 6675",
            "SaTCP: CUBIC that comes back sooner from losses around a change of the path; SACK recovery.";
    }
    swift::Swift {
        Swift = "swift", Sack, "Kumar et al. 2020; RFC 6675",
            "Swift: the delay is kept at a target that grows with hops and with small windows; SACK recovery.";
    }
    hpcc::Hpcc {
        Hpcc = "hpcc", Sack, "Li et al. 2019; RFC 6675",
            "HPCC: the window follows the most loaded hop, as switches measure it in every packet; SACK recovery.";
    }
    powertcp::PowerTcp {
        PowerTcp = "powertcp", Sack, "Addanki, Michel, Schmid 2022; RFC 6675",
            "PowerTCP: the window follows the product of queue and rate that hops measure, or of delay; SACK recovery.";
    }
    theta_powertcp::ThetaPowerTcp {
        ThetaPowerTcp = "theta-powertcp", Sack, "Addanki, Michel, Schmid 2022; RFC 6675",
            "θ-PowerTCP: PowerTCP by the round trip and its change, where no switch says anything; SACK recovery.";
    }
    copa::Copa {
        Copa = "copa", Rack, "Arun, Balakrishnan 2018; RFC 8985",
            "Copa: the rate aims at the inverse of the queueing delay, and some packets stay queued; RACK-TLP.";
    }
    rcp::Rcp {
        Rcp = "rcp", Sack, "Dukkipati et al. 2005; RFC 6675",
            "RCP: routers say one rate for all flows, at which segments are paced; SACK recovery.";
    }
    abc::Abc {
        Abc = "abc", Sack, "Goyal et al. 2020; RFC 6675",
            "ABC: each packet comes back with accelerate or brake, as queues of the same name mark it; SACK recovery.";
    }
    external::External {
        External = "python", Sack, "docs/guide/law-in-python.md; RFC 6675",
            "A law of your own, a class in Python that the key law names; slow; SACK recovery.";
    }
    #[cfg(test)]
    example::Gentle {
        #[cfg(test)]
        Gentle = "gentle", Sack, "docs/guide/add-a-law.md", "An example for the tests, and no law to use.";
    }
    #[cfg(test)]
    listener::Listener {
        #[cfg(test)]
        Listener = "listener", Sack, "", "A law for the tests that asks for all there is and keeps what it is told.";
    }
}

// Behind the macro that it uses.
mod dispatch;
