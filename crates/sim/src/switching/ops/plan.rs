//! Optical packet switching, resolved.

use crate::model::LinkId;
use options::words;
use transport::xcp::{Changes, Gains, Tells};
use units::{Duration, Rate};

/// The switches, and what carries data between them.
#[derive(Clone, Debug, PartialEq)]
pub struct Switches {
    /// Core nodes begin to send what they have the first bit of.
    pub cut_through: bool,
    /// To which wavelengths core nodes can convert.
    pub conversion: Conversion,
    /// Where packets are kept that meet.
    pub store: Store,
    /// When a store counts as congested; `None`: nobody asks.
    pub congestion: Option<Congestion>,
    /// What carries data and control, in the order of the first wavelengths' links.
    pub fibres: Vec<Fibre>,
    /// Who shares a macroflow, where there are some.
    pub scheme: Option<Scheme>,
}

impl Switches {
    /// Data wavelengths of a fibre.
    pub fn wavelengths(&self) -> u32 {
        self.fibres.first().map_or(1, |fibre| fibre.wavelengths.len() as u32)
    }

    /// Whether packets that meet need more than ports with buffers.
    pub fn needs_store(&self) -> bool {
        let must_tell = self.congestion.is_some();
        match self.store {
            Store::Ram { .. } if must_tell => true,
            Store::Ram { shared } => self.wavelengths() > 1 && (shared || self.conversion != Conversion::None),
            Store::Slots(_) | Store::Lines { .. } => true,
        }
    }
}

/// One direction of a fibre between edge and core nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fibre {
    /// The links of its data wavelengths; at least one.
    pub wavelengths: Vec<LinkId>,
    /// That of its control wavelength, where there are macroflows.
    pub control: Option<LinkId>,
}

/// To which wavelengths a core node can convert.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conversion {
    /// To none.
    None,
    /// To those whose number differs by this much at most.
    Limited(u32),
    /// To all.
    Full,
}

/// Where packets are kept that meet at a core node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Store {
    /// In RAM: the buffers of the links.
    Ram {
        /// The first wavelength's buffer is for all wavelengths of the output.
        shared: bool,
    },
    /// In places for packets of a slot.
    Slots(Slots),
    /// In fibre-delay lines of one step, two steps, …, a bank for each wavelength of each output.
    Lines {
        /// The shortest.
        step: Duration,
        /// How many.
        lines: u32,
    },
}

/// When a store counts as congested: a packet that finds it so is marked, and the edge control hears of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Congestion {
    /// Packets that it keeps where the packet is to wait: for its output or wavelength, or in the room that all share.
    pub from: u64,
}

/// Slotted switching.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slots {
    /// Slots begin at multiples of this.
    pub slot: Duration,
    /// Packets that can be kept.
    pub places: u32,
    /// By the node, and not by each output.
    pub shared: bool,
    /// Packets that are sent in the slot need a place too.
    pub all_count: bool,
    /// In which order the arrivals of a slot get places.
    pub arbitration: Arbitration,
}

words! {
    /// In which order the arrivals of a slot get places.
    pub enum Arbitration {
        /// In the order in which they come: as long as inputs keep their phases, the same one has the last place.
        FirstCome = "first-come",
        /// In an order drawn for each slot, when it begins. Until then they wait at the inputs, and no queue counts
        /// them.
        Random = "random",
    }
}

/// Macroflows and their control.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MacroflowRules {
    /// Who shares one.
    pub scheme: Scheme,
    /// TU of core outputs.
    pub target: f64,
    /// TU of edge outputs.
    pub edge_target: f64,
    /// α, β and γ at core outputs.
    pub gains: Gains,
    /// The same at edge outputs.
    pub edge_gains: Gains,
    /// Packets that wait in macroflows are part of the queue that controllers of edge outputs see.
    pub edge_queue_kept: bool,
    /// Of controllers and probes.
    pub period: Duration,
    /// `None`: 1 % of the wavelength.
    pub start: Option<Rate>,
    /// The least rate.
    pub floor: Rate,
    /// How controllers know how many macroflows pass.
    pub count: Count,
    /// What probes tell.
    pub tells: Tells,
    /// The part of what was told before in what is told next.
    pub memory: f64,
    /// What feedback changes.
    pub changes: Changes,
    /// How packets are spaced.
    pub smoothing: Smoothing,
}

/// No feedback takes a macroflow's rate below this, unless another floor is given.
pub const LEAST_RATE: Rate = Rate::from_bps(100_000);

words! {
    /// How controllers know how many macroflows pass.
    pub enum Count {
        /// They count the probes of the last interval.
        Probes = "probes",
        /// They count those of macroflows that sent something since the probe before.
        Active = "active",
        /// They are told (the label-switched paths set up).
        Given = "given",
    }
}

/// Who shares a macroflow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// Data and ACKs of an edge node for another.
    Same,
    /// Data, and apart from them ACKs.
    Separate,
    /// The same, with the last wavelength for ACKs alone.
    SeparateWavelength,
}

/// How a macroflow's packets are spaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Smoothing {
    /// One by one.
    LeakyBucket,
    /// The first after an idle time waits for a random part of its time.
    TokenBucket {
        /// Bytes that may leave ahead of their time.
        depth: u32,
    },
    /// One by one, the flows in turn.
    RoundRobin,
}
