//! `[switching]` with `kind = "aapn"`.

use crate::language::{At, Speed, Time};
use schemars::JsonSchema;
use serde::Deserialize;

/// An agile all-photonic network: paper 003, chapters 2 to 4. Links with `via` (topology "aapn-star") are queues that send in
/// the slots they are granted; the core nodes switch these slots without keeping anything.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AapnSwitching {
    /// Slots in a frame.
    pub slots: At<u32>,
    /// How long a slot lasts.
    pub slot_time: At<Time>,
    /// The first slots of each frame carry no data. Default: one for each edge node where they carry requests, else 0.
    pub signalling_slots: Option<At<u32>>,
    /// The part of each slot in which nothing is sent, half of it before the data and half behind. Default "0 s".
    pub guard: Option<At<Time>>,
    /// A packet that does not fit into the rest of a slot is "cut" and goes on in the next slot of its queue (default), or
    /// waits "whole".
    pub packing: Option<At<PackingRule>>,

    /// A fixed plan: so many slots of each frame for each queue. Without it the core nodes compute a schedule for each frame.
    pub allocation: Option<At<Vec<At<Allocation>>>>,

    /// Computed schedules: the algorithm (`photocol list schedulers`). Default "bvn".
    pub scheduler: Option<At<String>>,
    /// Computed schedules: what edge nodes ask for: slots for what waits and has not been asked for ("queue", default); the
    /// same, but at least what arrived in the last frame ("last-frame") or in a weighted mean of frames ("smoothed").
    pub request: Option<At<RequestRule>>,
    /// "smoothed": the last frame has the weight 1/2^smoothing. Default 3.
    pub smoothing: Option<At<u8>>,
    /// Computed schedules: requests and grants travel "in-band", in the signalling slots (default), or "out-of-band".
    pub signalling: Option<At<Signalling>>,
    /// Computed schedules: how long a core node computes. Default "0 s".
    pub scheduling_time: Option<At<Time>>,
    /// Computed schedules: slots that nobody asked for are shared by "all" queues (default), by those "asking" for some, or
    /// stay "idle".
    pub spare_slots: Option<At<SpareRule>>,

    /// How XCP's controllers at the queues are told what is granted (XCP-CL).
    pub signal: Option<At<SignalSpec>>,
    /// Clocks that are off.
    #[serde(default)]
    pub clock: Vec<At<Clock>>,
}

/// How packets are put into slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PackingRule {
    /// A packet goes on in the next slot.
    Cut,
    /// A packet waits for a slot it fits into.
    Whole,
}

/// From a time on, a queue has so many slots of every frame. Queues that are not named have none.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Allocation {
    /// The first frame is the one that begins then or later at the core node. Default "0 s"; allocations come in the order
    /// of time.
    pub at: Option<At<Time>>,
    /// The sending edge node.
    pub from: At<String>,
    /// The receiving edge node.
    pub to: At<String>,
    /// The core node. Default: the only one.
    pub via: Option<At<String>>,
    /// Slots of each frame.
    pub slots: At<u32>,
}

/// What edge nodes ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RequestRule {
    /// Slots for what waits and has not been asked for.
    Queue,
    /// At least what arrived in the last frame.
    LastFrame,
    /// At least the weighted mean of what arrived.
    Smoothed,
}

/// How requests and grants travel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Signalling {
    /// In slots of the frames, one for each edge node.
    InBand,
    /// Beside the data.
    OutOfBand,
}

/// What happens to slots nobody asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SpareRule {
    /// All queues share them.
    All,
    /// Those who asked share them.
    Asking,
    /// They stay dark.
    Idle,
}

/// How XCP's controllers at the queues are told what is granted. Those with `follows = false` are not.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SignalSpec {
    /// They hear of a frame so long after it has begun. Default "0 s".
    pub age: Option<At<Time>>,
    /// They hear of a frame so long before it begins (schedule-ahead), rounded down to whole frames; only with a fixed plan,
    /// which is known before. Default "0 s".
    pub ahead: Option<At<Time>>,
    /// Probability that an edge node hears nothing of a frame. Default 0.
    pub loss: Option<At<f64>>,
    /// What is told is rounded down to a multiple of this. Default: it is exact.
    pub quantum: Option<At<Speed>>,
    /// What is told is the mean over the last so many frames. Default 1: each frame for itself.
    pub frames: Option<At<u32>>,
    /// A slot counts with what it carries ("payload", default), or with its guard time, as (4.1) has it ("slot").
    pub counts: Option<SignalCounts>,
}

/// What counts as a slot's capacity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SignalCounts {
    /// What it carries.
    Payload,
    /// All of it.
    Slot,
}

/// The clock of an edge node. Slots that are off by more than half of the guard time are lost at the core node.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Clock {
    /// The edge node.
    pub node: At<String>,
    /// Its slots come so late.
    pub late: Option<At<Time>>,
    /// Its slots come so early.
    pub early: Option<At<Time>>,
    /// Each slot comes up to so much earlier or later than that, uniformly.
    pub jitter: Option<At<Time>>,
}
