//! `[[traffic]]`.

use crate::language::{At, FlowSize, PairsSpec, Size, Speed, Time};
use schemars::JsonSchema;
use serde::Deserialize;

/// A rule that yields flows: between whom, when, and what each sends.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Traffic {
    /// For tables and random streams; unique. Default: "traffic-N" with its number from 0.
    pub name: Option<At<String>>,
    /// A `[transport.NAME]`, the name of a built-in algorithm, or "udp".
    pub transport: At<String>,

    /// Sources and destinations: a list of pairs that take turns; "random": drawn for each flow, all ordered pairs of
    /// distinct edge nodes and hosts alike; "all": each of those pairs in turn. Default: the pairs of the topology if it
    /// has some (dumbbell: l<i> to r<i>; parking-lot: source to sink, then across each hop).
    pub pairs: Option<At<PairsSpec>>,
    /// The source, with `to` instead of `pairs`.
    pub from: Option<At<String>>,
    /// The destination, with `from` instead of `pairs`.
    pub to: Option<At<String>>,
    /// The nodes of "random" and "all". Default: all edge nodes and hosts, or all nodes if there are none.
    pub among: Option<At<Vec<At<String>>>>,

    /// "fixed" (default): `flows` flows from `start` on; "poisson": a Poisson process of starts.
    pub arrivals: Option<At<ArrivalLaw>>,
    /// Number of flows in all. Default: one a pair.
    pub flows: Option<At<u32>>,
    /// The first possible start. Default "0 s".
    pub start: Option<At<Time>>,
    /// Starts are uniform over this span after `start`. Default "0 s": all at once.
    pub spread: Option<At<Time>>,
    /// Poisson: the mean time between starts.
    pub mean_gap: Option<At<Time>>,
    /// Poisson: the mean number of starts in a second, instead of `mean_gap`.
    pub flows_per_second: Option<At<f64>>,
    /// Poisson: no start from then on. Default: the end of the run.
    pub until: Option<At<Time>>,
    /// Poisson: with `over`, the number of starts; otherwise the process ends after so many.
    pub count: Option<At<u32>>,
    /// Poisson: the span after `start` that `count` starts fall into.
    pub over: Option<At<Time>>,
    /// Poisson with `count` and `over`. true (default): exactly `count` starts, that is the process given its number,
    /// whose starts are independent and uniform. false: the mean gap is over/count and the number is random.
    pub conditioned: Option<At<bool>>,
    /// Exactly these flows.
    pub list: Option<At<Vec<At<Listed>>>>,
    /// Exactly the flows of this CSV file, with the header `start_s,source,destination[,size_bytes]`.
    pub file: Option<At<String>>,

    /// When flows stop sending at the latest. Default: at the end of the run.
    pub stop: Option<At<Time>>,
    /// TCP: what a flow sends, "greedy" (default) or a size.
    pub size: Option<At<FlowSize>>,
    /// TCP: so many segments of a flow in a row are one burst, which is lost as a whole.
    pub bursts: Option<At<Bursts>>,
    /// UDP: "constant" (default), "poisson" or "on-off".
    pub load: Option<At<LoadLaw>>,
    /// UDP: bit rate on the wire, headers included. "poisson": the mean rate; "on-off": the rate while on.
    pub rate: Option<At<Speed>>,
    /// UDP with load "poisson": packets all of the transport's size (default), or exponential with that mean.
    pub sizes: Option<At<SizeLaw>>,
    /// UDP with load "on-off": the law of the on-times.
    pub on: Option<At<Sojourn>>,
    /// UDP with load "on-off": the law of the off-times.
    pub off: Option<At<Sojourn>>,
}

/// Segments of each flow in a row, copies included, are one burst, which the source drops as a whole. Nothing waits for a
/// burst to fill; a lost one ends when the sender knows.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Bursts {
    /// Segments of a burst.
    pub segments: At<u32>,
    /// Each burst is lost with this probability.
    pub loss: Option<At<f64>>,
    /// Exactly these bursts of each flow are lost, numbered from 0, instead of `loss`.
    pub lose: Option<At<Vec<u64>>>,
    /// Senders that listen (tcp-eng; btcp with "bnak") are told of a lost burst, a round trip after it. Default false.
    pub notify: Option<At<bool>>,
}

/// When flows start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ArrivalLaw {
    /// A number of flows, at once or spread.
    Fixed,
    /// A Poisson process.
    Poisson,
}

/// How a UDP source sends; no source reacts to the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LoadLaw {
    /// A packet every packet_size/rate.
    Constant,
    /// Packets as a Poisson process.
    Poisson,
    /// On and off by turns.
    #[serde(alias = "on_off")]
    OnOff,
}

/// The law of packet sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SizeLaw {
    /// All alike.
    Fixed,
    /// Exponential, rounded to whole bytes, at least 1 B.
    Exponential,
}

/// The law of an on-time or off-time; the key `law` chooses.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(tag = "law")]
pub enum Sojourn {
    /// Always the mean.
    Constant(SojournConstant),
    /// Exponential.
    Exponential(SojournExponential),
    /// Pareto. On-off sources with shape a in (1, 2) add up to traffic with the Hurst parameter (3 − a)/2.
    Pareto(SojournPareto),
}

/// Always the mean.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SojournConstant {
    /// The duration.
    pub mean: At<Time>,
}

/// Exponential.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SojournExponential {
    /// Mean duration.
    pub mean: At<Time>,
}

/// Pareto.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SojournPareto {
    /// Mean duration.
    pub mean: At<Time>,
    /// Shape, greater than 1.
    pub shape: Option<At<f64>>,
    /// Hurst parameter H in (0.5, 1), instead of the shape 3 − 2H.
    pub hurst: Option<At<f64>>,
}

/// One flow of a list.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Listed {
    /// When it starts.
    pub start: Time,
    /// Where.
    pub source: At<String>,
    /// To whom.
    pub destination: At<String>,
    /// What it sends, if not what the traffic says.
    pub size: Option<Size>,
}
