//! `[switching]` with `kind = "ops"`.

use crate::language::{At, Room, Speed, Time};
use crate::regime::kind::ConversionRule;
use schemars::JsonSchema;
use serde::Deserialize;

/// Optical packet switching: paper 002. Core nodes switch packets of light with a handful of packets of optical RAM at each
/// output, or slot by slot, or with fibre-delay lines; edge nodes may gather packets in macroflows that they pace at rates
/// which XCP's controllers in the network set.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OpsSwitching {
    /// Core nodes begin to send a packet when its first bit is there (default), or when they have all of it (false).
    pub cut_through: Option<At<bool>>,
    /// Data wavelengths of each fibre between edge and core nodes, each with the link's capacity. Default 1; 2 with
    /// macroflow = "separate-wavelength".
    pub wavelengths: Option<At<u32>>,
    /// A core node can send a packet on no other wavelength than it came on ("none", default), on some ("limited"), or on any
    /// ("full").
    pub conversion: Option<At<ConversionRule>>,
    /// "limited": on wavelengths whose number differs by so much at most. Default 1.
    pub conversion_range: Option<At<u32>>,

    /// Optical RAM of each output of a core node, not counting packets in transmission. Default: the buffers of the links.
    pub ram: Option<At<Room>>,
    /// The RAM of an output is for all its wavelengths together ("output", default) or for each ("wavelength").
    pub ram_per: Option<At<RamShare>>,
    /// Slotted switching instead: core nodes switch in slots that begin at multiples of this time, one packet each.
    pub slot_time: Option<At<Time>>,
    /// Slotted: what can be kept. Default: `{ places = 0 }`.
    pub slot_buffer: Option<At<SlotBuffer>>,
    /// Fibre-delay lines instead of RAM.
    pub delay_lines: Option<At<DelayLines>>,

    /// Packets of an edge node for another share a macroflow: not at all ("none", default), data and ACKs the "same",
    /// each their own ("separate"), or ACKs their own on the last wavelength, which is theirs alone
    /// ("separate-wavelength").
    pub macroflow: Option<At<MacroflowRule>>,
    /// Macroflows: TU, the part of a core output's capacity that its controllers aim at, above 0 and at most 1. Default 1.
    pub target: Option<At<f64>>,
    /// The same at outputs of edge nodes. Default 1.
    pub edge_target: Option<At<f64>>,
    /// Where controllers have the paper's 0.2, 0.056 and 0.1 for α, β and γ, and where XCP's 0.4, 0.226 and 0.1: the paper's at
    /// outputs of edge nodes and XCP's at core nodes ("edge-routers", default: the paper's words), the paper's "everywhere",
    /// XCP's everywhere ("xcp"), or the paper's at core nodes and XCP's at edge nodes ("core-routers").
    pub gains: Option<At<GainsRule>>,
    /// Weight of the spare capacity at core outputs. Default: by `gains`.
    pub alpha: Option<At<f64>>,
    /// Weight of the persistent queue at core outputs. Default: by `gains`.
    pub beta: Option<At<f64>>,
    /// The part of the traffic that is shuffled at core outputs. Default: by `gains`.
    pub gamma: Option<At<f64>>,
    /// `alpha` at outputs of edge nodes. Default: by `gains`.
    pub edge_alpha: Option<At<f64>>,
    /// `beta` at outputs of edge nodes. Default: by `gains`.
    pub edge_beta: Option<At<f64>>,
    /// `gamma` at outputs of edge nodes. Default: by `gains`.
    pub edge_gamma: Option<At<f64>>,
    /// The queue that controllers of edge outputs see: packets that their macroflow has let go and that wait for the "line"
    /// (default), or with those that wait in "macroflows".
    pub edge_queue: Option<At<EdgeQueueRule>>,
    /// Control interval, and time between the probes of a macroflow. Default "50 ms".
    pub period: Option<At<Time>>,
    /// Rate of a macroflow at its beginning. Default: 1 % of its wavelength.
    pub start_rate: Option<At<Speed>>,
    /// No feedback takes a macroflow's rate below this. Default "0.1 Mbps".
    pub floor_rate: Option<At<Speed>>,
    /// Controllers know the number of their macroflows from the "probes" of the last interval (default), from those of macroflows
    /// that sent something since the probe before ("active"), or it is "given" (the label-switched paths set up).
    pub macroflow_count: Option<At<CountRule>>,
    /// A probe tells the rate that was "sent" since the last one (default) or that is "allowed".
    pub probe_tells: Option<At<ProbeRule>>,
    /// The new rate is the one that the probe "told" (default), or the one that is "allowed", plus the feedback.
    pub feedback_changes: Option<At<ChangeRule>>,
    /// Bit rate of the control wavelength that carries probes. Default "100 Mbps".
    pub control_capacity: Option<At<Speed>>,
    /// How macroflows are spaced: "leaky-bucket" (default); "token-bucket", whose first packet after an idle time waits for a
    /// random part of its time; "round-robin", a leaky bucket that takes the flows of the macroflow in turn.
    pub smoothing: Option<At<SmoothingRule>>,
    /// "token-bucket": so many bytes may leave ahead of their time. Default 0.
    pub token_depth: Option<At<u32>>,
}

/// What optical RAM is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RamShare {
    /// All wavelengths of an output.
    Output,
    /// One wavelength.
    Wavelength,
}

/// What a slotted core node can keep.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SlotBuffer {
    /// Packets.
    pub places: At<u32>,
    /// The places are those of the node, for all outputs together, instead of each output's. Default false.
    pub shared: Option<bool>,
    /// Places are needed by packets that are still "waiting" when the slot has been sent (default), or by "all", those that
    /// are sent in the slot included.
    pub counts: Option<PlaceRule>,
}

/// Which packets need a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PlaceRule {
    /// Those that are left when the slot has been sent.
    Waiting,
    /// All.
    All,
}

/// A bank of fibre-delay lines at each output, of one step, two steps, and so on.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DelayLines {
    /// The delay of the shortest line.
    pub step: At<Time>,
    /// Number of lines.
    pub lines: At<u32>,
}

/// Which packets share a macroflow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MacroflowRule {
    /// None: no XCP.
    None,
    /// Data and ACKs.
    Same,
    /// Data; ACKs have another one.
    Separate,
    /// Data; ACKs have another one on another wavelength.
    SeparateWavelength,
}

/// Which outputs have α, β and γ "for edge routers" (paper 002, §3.1); the others have XCP's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum GainsRule {
    /// Those of edge nodes.
    EdgeRouters,
    /// Those of core nodes.
    CoreRouters,
    /// All.
    Everywhere,
    /// None.
    Xcp,
}

/// How controllers know the number of macroflows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CountRule {
    /// They count probes.
    Probes,
    /// They count those of macroflows that sent something.
    Active,
    /// They are told.
    Given,
}

/// What a probe tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ProbeRule {
    /// What was sent.
    Sent,
    /// What may be sent.
    Allowed,
}

/// What is the queue of an edge output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EdgeQueueRule {
    /// What waits for the transmitter.
    Line,
    /// And what waits in macroflows.
    Macroflows,
}

/// What feedback changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ChangeRule {
    /// What was told.
    Told,
    /// What may be sent.
    Allowed,
}

/// How macroflows are spaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SmoothingRule {
    /// Packets in their order, one by one.
    LeakyBucket,
    /// With a random beginning.
    TokenBucket,
    /// Flows in turn.
    RoundRobin,
}
