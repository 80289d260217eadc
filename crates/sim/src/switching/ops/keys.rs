//! `[switching]` with `kind = "ops"`.

use super::dlcc::keys::DlccKeys;
use super::plan::{Arbitration, Count, LEAST_RATE};
use crate::language::keys::{When, Within, a_rate, keys, more_than_zero, whole};
use crate::language::{At, Key, Room, Speed, Time, Word};
use crate::switching::kind::ConversionRule;
use options::words;
use transport::xcp::{Changes, Tells, WavelengthConfig};
use units::Rate;

/// More wavelengths of a fibre than this are a mistake.
const MOST_WAVELENGTHS: u32 = 256;

const LIMITED: When<OpsSwitching> =
    When::new(|keys| keys.conversion.0 == ConversionRule::Limited, "belongs to conversion = \"limited\"");
const SLOTTED: When<OpsSwitching> =
    When::new(|keys| keys.slot_time.is_some(), "belongs to slotted switching, with slot_time");
const IN_RAM: When<OpsSwitching> = When::new(
    |keys| keys.slot_time.is_none() && keys.delay_lines.is_none(),
    "is for packets that wait in RAM; allowed without slots and delay lines",
);
const MACROFLOWS: When<OpsSwitching> = When::new(
    |keys| keys.macroflow.0 != MacroflowRule::None,
    "belongs to macroflows; allowed with macroflow = \"same\", \"separate\", \"separate-wavelength\"",
);
const CONTROLLED: When<OpsSwitching> =
    When::new(|keys| keys.macroflow.0 != MacroflowRule::None || keys.dlcc.is_some(), "belongs to macroflows and dlcc");
const TOKENS: When<OpsSwitching> =
    When::new(|keys| keys.smoothing.0 == SmoothingRule::TokenBucket, "belongs to smoothing = \"token-bucket\"");

const SENT: When<OpsSwitching> =
    When::new(|keys| keys.probe_tells.0 == Tells::Sent, "belongs to probe_tells = \"sent\"");

/// Of an estimate that remembers.
fn a_memory() -> Within<f64> {
    Within::new("0 to below 1", |memory| (0.0..1.0).contains(memory))
}

/// TU.
fn a_target() -> Within<f64> {
    Within::new("a target utilization above 0 and at most 1", |target| *target > 0.0 && *target <= 1.0)
}

/// Of a controller.
fn a_weight() -> Within<f64> {
    Within::new("0 to 1", |weight| (0.0..=1.0).contains(weight))
}

keys! {
    /// Optical packet switching: paper 002. Core nodes switch packets of light with a handful of packets of optical RAM
    /// at each output, or slot by slot, or with fibre-delay lines; edge nodes may gather packets in macroflows that
    /// they pace at rates which XCP's controllers in the network set.
    pub struct OpsSwitching {
        /// Core nodes begin to send a packet when its first bit is there, or when they have all of it (false).
        pub cut_through: Key<bool> = true;
        /// Data wavelengths of each fibre between edge and core nodes, each with the link's capacity. Default 1; 2 with
        /// macroflow = "separate-wavelength".
        pub wavelengths: Option<At<u32>>, in whole(1, MOST_WAVELENGTHS);
        /// To which wavelengths core nodes can convert.
        pub conversion: Key<Word<ConversionRule>> = Word(ConversionRule::None);
        /// A packet changes to wavelengths whose number differs by this much at most.
        pub conversion_range: Key<u32> = 1, in whole(1, 256), when LIMITED;

        /// Optical RAM of each output of a core node, not counting packets in transmission. Default: the buffers of the
        /// links.
        pub ram: Option<At<Room>>, when IN_RAM;
        /// Whose RAM that is.
        pub ram_per: Key<Word<RamShare>> = Word(RamShare::Output), when IN_RAM;
        /// Slotted switching instead: core nodes switch in slots that begin at multiples of this time, one packet each.
        pub slot_time: Option<At<Time>>, in more_than_zero();
        /// What can be kept from slot to slot.
        pub slot_buffer: Key<SlotBuffer> = SlotBuffer::unsaid(), when SLOTTED;
        /// Fibre-delay lines instead of RAM.
        pub delay_lines: Option<At<DelayLines>>;

        /// Which packets of an edge node for another share a macroflow.
        pub macroflow: Key<Word<MacroflowRule>> = Word(MacroflowRule::None);
        /// TU, the part of a core output's capacity that its controllers aim at.
        pub target: Key<f64> = 1.0, in a_target(), when MACROFLOWS;
        /// The same at outputs of edge nodes.
        pub edge_target: Key<f64> = 1.0, in a_target(), when MACROFLOWS;
        /// Where controllers have the paper's 0.2, 0.056 and 0.1 for α, β and γ, and where XCP's 0.4, 0.226 and 0.1.
        pub gains: Key<Word<GainsRule>> = Word(GainsRule::EdgeRouters), when MACROFLOWS;
        /// Weight of the spare capacity at core outputs. Default: by `gains`.
        pub alpha: Option<At<f64>>, in a_weight(), when MACROFLOWS;
        /// Weight of the persistent queue at core outputs. Default: by `gains`.
        pub beta: Option<At<f64>>, in a_weight(), when MACROFLOWS;
        /// The part of the traffic that is shuffled at core outputs. Default: by `gains`.
        pub gamma: Option<At<f64>>, in a_weight(), when MACROFLOWS;
        /// `alpha` at outputs of edge nodes. Default: by `gains`.
        pub edge_alpha: Option<At<f64>>, in a_weight(), when MACROFLOWS;
        /// `beta` at outputs of edge nodes. Default: by `gains`.
        pub edge_beta: Option<At<f64>>, in a_weight(), when MACROFLOWS;
        /// `gamma` at outputs of edge nodes. Default: by `gains`.
        pub edge_gamma: Option<At<f64>>, in a_weight(), when MACROFLOWS;
        /// The queue that controllers of edge outputs see.
        pub edge_queue: Key<Word<EdgeQueueRule>> = Word(EdgeQueueRule::Line), when MACROFLOWS;
        /// Control interval, and time between the probes of a macroflow.
        pub period: Key<Time> = Time(WavelengthConfig::new(Rate::from_gbps(1)).interval), in more_than_zero(),
            when MACROFLOWS;
        /// Rate of a macroflow at its beginning. Default: 1 % of its wavelength.
        pub start_rate: Option<At<Speed>>, in a_rate(), when MACROFLOWS;
        /// No feedback takes a macroflow's rate below this.
        pub floor_rate: Key<Speed> = Speed(LEAST_RATE), in a_rate(), when MACROFLOWS;
        /// How controllers know the number of their macroflows.
        pub macroflow_count: Key<Word<Count>> = Word(Count::Probes), when MACROFLOWS;
        /// The rate that a probe tells.
        pub probe_tells: Key<Word<Tells>> = Word(Tells::Sent), when MACROFLOWS;
        /// How much of the rate that a macroflow told before is in the one that its next probe tells: 0 tells what was
        /// sent since the last probe, 0.875 remembers some eight of them.
        pub probe_memory: Key<f64> = 0.0, in a_memory(), when MACROFLOWS, when SENT;
        /// The rate to which feedback is added.
        pub feedback_changes: Key<Word<Changes>> = Word(Changes::Told), when MACROFLOWS;
        /// Bit rate of the control wavelength that carries probes, or requests and notifications.
        pub control_capacity: Key<Speed> = Speed(Rate::from_mbps(100)), in a_rate(), when CONTROLLED;
        /// How the packets of macroflows are spaced.
        pub smoothing: Key<Word<SmoothingRule>> = Word(SmoothingRule::LeakyBucket), when MACROFLOWS;
        /// The number of bytes that may leave ahead of their time.
        pub token_depth: Key<u32> = 0, when MACROFLOWS, when TOKENS;
        /// Another control of the edge nodes: they are told of slots that congestion has lost.
        pub dlcc: Option<At<DlccKeys>>, when SLOTTED;
    }
}

words! {
    /// What optical RAM is for.
    pub enum RamShare {
        /// All wavelengths of an output together.
        Output = "output",
        /// One wavelength.
        Wavelength = "wavelength",
    }
}

keys! {
    /// What a slotted core node can keep.
    pub struct SlotBuffer {
        /// Packets.
        pub places: Key<u32> = 0;
        /// The places are those of the node, for all outputs together, instead of each output's.
        pub shared: Key<bool> = false;
        /// Which packets need a place.
        pub counts: Key<Word<PlaceRule>> = Word(PlaceRule::Waiting);
        /// In which order the arrivals of a slot get places.
        pub arbitration: Key<Word<Arbitration>> = Word(Arbitration::FirstCome);
    }
}

words! {
    /// Which packets need a place.
    pub enum PlaceRule {
        /// Those that are left when the slot has been sent.
        Waiting = "waiting",
        /// All, those that are sent in the slot included.
        All = "all",
    }
}

keys! {
    /// A bank of fibre-delay lines at each output, of one step, two steps, and so on.
    pub struct DelayLines {
        /// The delay of the shortest line.
        pub step: At<Time>, in more_than_zero();
        /// Number of lines.
        pub lines: At<u32>, in whole(1, 1 << 20);
    }
}

words! {
    /// Which packets share a macroflow.
    pub enum MacroflowRule {
        /// None: no XCP.
        None = "none",
        /// Data and ACKs.
        Same = "same",
        /// Data; ACKs have another one.
        Separate = "separate",
        /// Data; ACKs have another one on the last wavelength, which is theirs alone.
        SeparateWavelength = "separate-wavelength",
    }
}

words! {
    /// Which outputs have α, β and γ "for edge routers" (paper 002, §3.1); the others have XCP's.
    pub enum GainsRule {
        /// Those of edge nodes: the paper's words.
        EdgeRouters = "edge-routers",
        /// Those of core nodes.
        CoreRouters = "core-routers",
        /// All.
        Everywhere = "everywhere",
        /// None.
        Xcp = "xcp",
    }
}

words! {
    /// What is the queue of an edge output.
    pub enum EdgeQueueRule {
        /// Packets that their macroflow has let go and that wait for the transmitter.
        Line = "line",
        /// Those, and what waits in macroflows.
        Macroflows = "macroflows",
    }
}

words! {
    /// How macroflows are spaced.
    pub enum SmoothingRule {
        /// Packets in their order, one by one.
        LeakyBucket = "leaky-bucket",
        /// The same, but the first after an idle time waits for a random part of its time.
        TokenBucket = "token-bucket",
        /// One by one, the flows of the macroflow in turn.
        RoundRobin = "round-robin",
    }
}
