//! `[switching]`, one regime a file.

mod aapn;
mod obs;
mod ops;

pub use aapn::{
    AapnSwitching, Allocation, Clock, PackingRule, RequestRule, SignalCounts, SignalSpec, Signalling, SpareRule,
};
pub use obs::{
    AckRule, AssemblySpec, BlockedRule, BurstSpec, ContentionRule, IngressSpec, LengthRule, NotificationSpec,
    ObsSignalling, ObsSwitching, PartRule, QueueRule, RetransmissionSpec,
};

pub use ops::{
    ChangeRule, ConversionRule, CountRule, DelayLines, EdgeQueueRule, GainsRule, MacroflowRule, OpsSwitching,
    PlaceRule, ProbeRule, RamShare, SlotBuffer, SmoothingRule,
};

use schemars::JsonSchema;
use serde::Deserialize;

/// What the network switches; the key `kind` chooses, the other keys belong to that kind.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(tag = "kind")]
pub enum Switching {
    /// Packets, each by itself.
    Packets(Packets),
    /// Slots of frames, in an agile all-photonic network.
    Aapn(Box<AapnSwitching>),
    /// Packets of light, in an optical packet-switched network.
    Ops(Box<OpsSwitching>),
    /// Bursts, announced by headers.
    Obs(Box<ObsSwitching>),
}

/// Packets, each by itself: every node with links is a router.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Packets {}
