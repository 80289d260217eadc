//! What all nodes must agree on, and the instants that follow from it.
//!
//! Time is the core's: frame f begins there at `start` + f · frame. A slot of light is shorter than its slot by the
//! guard time and is meant to arrive in the middle of what the switch leaves of that.

use crate::allowance::Terms;
use crate::wire::{Carriage, Configuration, NodeId, NodeState, NodeStatus, agreed};
use std::fmt;
use units::{Duration, Instant};

/// A node and the port of the switch it stands at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member {
    /// The node.
    pub node: NodeId,
    /// The port. Nodes at one port share a combiner and a splitter.
    pub port: u16,
}

/// Declares the network: what all must agree on, and the nodes; as a master's configuration tells it, and as one is
/// told.
macro_rules! network {
    ($($(#[doc = $meaning:literal])+ $field:ident: $kind:ty,)+) => {
        /// The network. Each of its last `signalling_slots` members has a slot for signalling; in figure 3.8 the master
        /// has none.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct Network {
            $($(#[doc = $meaning])+ pub $field: $kind,)+
            /// the edge nodes, by number
            pub members: Vec<Member>,
        }

        impl Network {
            /// The network of a configuration that came from a master.
            pub fn configured(from: &Configuration) -> Result<Network, NetworkError> {
                let members = from.nodes.iter().map(|state| Member { node: state.node, port: state.port }).collect();
                Network { $($field: from.$field,)+ members }.checked()
            }

            /// The configuration that tells it, with the status of every node.
            pub fn configuration(&self, term: u64, status: impl Fn(NodeId) -> NodeStatus) -> Configuration {
                let state = |member: &Member| {
                    NodeState { node: member.node, port: member.port, status: status(member.node) }
                };
                Configuration { term, $($field: self.$field,)+ nodes: self.members.iter().map(state).collect() }
            }
        }
    };
}

agreed!(network);

/// Why a network cannot work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NetworkError {
    /// No slot, no time, or more than fits.
    Frame,
    /// More slots for signalling than members or slots of a frame.
    Signalling,
    /// The guard time must be longer than switching and shorter than a slot.
    Guard,
    /// The guard time does not bear what is unknown of clocks' drift between two measurements of T_d while a node
    /// joins.
    Holdover {
        /// The time between two measurements.
        joining: Duration,
        /// It needs at least so much.
        needed: Duration,
    },
    /// The shortest fibre is longer than the longest.
    Fibres,
    /// A node twice, unsorted, at a port that does not exist, or too many.
    Members,
    /// An answer to an invitation, which may be early or late by what fibres differ in, does not fit into the data
    /// slots.
    Window {
        /// Slots it needs.
        needed: u64,
    },
}

impl fmt::Display for NetworkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NetworkError::Frame => write!(f, "a frame has 1 to 2^20 slots of some length, and no more than an hour"),
            NetworkError::Signalling => {
                write!(f, "the frame is shorter than its signalling, or has more slots for it than there are nodes")
            }
            NetworkError::Guard => {
                write!(f, "the guard time must be longer than the switching time, shorter than a slot")
            }
            NetworkError::Holdover { joining, needed } => {
                write!(
                    f,
                    "what is not known of a clock's drift, 1 ppm, adds up for \"{joining}\" while a node joins; \
                        allowed: a guard time of at least \"{needed}\""
                )
            }
            NetworkError::Fibres => write!(f, "the shortest fibre is longer than the longest, or that than a minute"),
            NetworkError::Members => {
                write!(f, "nodes must be in order, each once, at ports of the switch; allowed: 2 to {}", NodeId::MOST)
            }
            NetworkError::Window { needed } => {
                write!(
                    f,
                    "an answer to an invitation needs {needed} data slots; lengthen the frame or bound the fibres \
                        better"
                )
            }
        }
    }
}

impl std::error::Error for NetworkError {}

/// The longest frame and fibre: far above what exists, and products of them fit 64 bits.
const LONGEST_FRAME: Duration = Duration::from_secs(3600);
const LONGEST_FIBRE: Duration = Duration::from_secs(60);
/// What is not known of a clock's drift is one in so many.
const UNKNOWN_DRIFT: u64 = 1_000_000;
/// While a node joins, so many times the longest fibre pass between two measurements of its T_d, its answer to the
/// master, and the plan that gives it slots back to it; and so many frames, which those wait for.
const JOINING: u64 = 4;
const JOINING_FRAMES: u64 = 3;

impl Network {
    /// The network, if it can work.
    pub fn checked(self) -> Result<Network, NetworkError> {
        let slots = u64::from(self.frame_slots);
        if slots == 0
            || slots > 1 << 20
            || self.slot == Duration::ZERO
            || self.slot.saturating_mul(slots) > LONGEST_FRAME
        {
            return Err(NetworkError::Frame);
        }
        let dedicated = self.carriage == Carriage::Slots;
        if self.signalling_slots > self.frame_slots || self.signalling_slots as usize > self.members.len() {
            return Err(NetworkError::Signalling);
        }
        if dedicated == (self.signalling_slots == 0) {
            return Err(NetworkError::Signalling);
        }
        if self.guard <= self.switching || self.guard >= self.slot {
            return Err(NetworkError::Guard);
        }
        if self.shortest > self.longest || self.longest > LONGEST_FIBRE || self.turnaround > LONGEST_FIBRE {
            return Err(NetworkError::Fibres);
        }
        let joining = Network::joining(self.longest, self.frame());
        if self.holdover() < joining {
            let needed = Network::guard_for_joining(self.switching, joining);
            return Err(NetworkError::Holdover { joining, needed });
        }
        let ordered = self.members.windows(2).all(|pair| pair[0].node < pair[1].node);
        let within = self.members.iter().all(|member| member.port < self.switch_size && member.node.0 < NodeId::MOST);
        if !ordered || !within || self.members.len() < 2 || self.switch_size > NodeId::MOST {
            return Err(NetworkError::Members);
        }
        match self.window() {
            needed if dedicated && needed > u64::from(self.data_slots()) => Err(NetworkError::Window { needed }),
            _ => Ok(self),
        }
    }

    /// How long after an invitation in `frame` was heard its answer leaves, so that over the shortest fibre it meets
    /// the first slot of the window of frame `answered`, and over a longer one a later slot.
    pub(super) fn answer_after(&self, node: NodeId, frame: u64, answered: u64) -> Duration {
        let Some(slot) = self.signalling_slot(node) else { return Duration::ZERO };
        let window = self.frame_slots - self.window() as u32;
        let between = self.slot_start(answered, window).saturating_since(self.slot_start(frame, slot));
        between.saturating_sub(self.shortest * 2)
    }

    /// Slots of a frame that carry data.
    pub fn data_slots(&self) -> u32 {
        self.frame_slots - self.signalling_slots
    }

    /// How long a frame lasts.
    pub fn frame(&self) -> Duration {
        self.slot * u64::from(self.frame_slots)
    }

    /// When a frame begins, by the clock of the core.
    pub fn frame_start(&self, frame: u64) -> Instant {
        self.start + self.frame().saturating_mul(frame)
    }

    /// When a slot begins at the core.
    pub fn slot_start(&self, frame: u64, slot: u32) -> Instant {
        self.frame_start(frame) + self.slot * u64::from(slot)
    }

    /// When the light of a slot shall reach the core: as far from the end of switching as from being too late.
    pub fn arrival(&self, frame: u64, slot: u32) -> Instant {
        self.slot_start(frame, slot) + (self.guard + self.switching) / 2
    }

    /// How long the light of a slot lasts.
    pub fn light(&self) -> Duration {
        self.slot.saturating_sub(self.guard)
    }

    /// By how much light may come early or late.
    pub fn tolerance(&self) -> Duration {
        self.guard.saturating_sub(self.switching) / 2
    }

    /// The frame in which an instant of the core lies; 0 before the first.
    pub fn frame_at(&self, at: Instant) -> u64 {
        at.saturating_since(self.start).ps() / self.frame().ps()
    }

    /// The member that has this number.
    pub fn member(&self, node: NodeId) -> Option<Member> {
        let at = self.members.binary_search_by_key(&node, |member| member.node).ok()?;
        Some(self.members[at])
    }

    /// The members that have a slot for signalling, with it.
    pub fn signallers(&self) -> impl Iterator<Item = (u32, Member)> {
        let first = self.members.len() - self.signalling_slots as usize;
        self.members[first..].iter().enumerate().map(|(slot, member)| (slot as u32, *member))
    }

    /// The slot in which a node signals.
    pub fn signalling_slot(&self, node: NodeId) -> Option<u32> {
        self.signallers().find(|(_, member)| member.node == node).map(|(slot, _)| slot)
    }

    /// Slots that are kept free for an answer: its own, and as many as the fibre's unknown length may shift it, there
    /// and back.
    pub fn window(&self) -> u64 {
        let unknown = self.longest.saturating_sub(self.shortest) * 2;
        1 + unknown.ps().div_ceil(self.slot.ps())
    }

    /// Requests of frame f are answered in frame f + `answer_lead`: they come in, are scheduled, and the plan goes to
    /// the core and back, before the light of that frame leaves the master.
    pub fn answer_lead(&self) -> u64 {
        let signalling = self.slot * u64::from(self.signalling_slots);
        self.frames(signalling + self.longest * 4 + self.turnaround * 3).max(1)
    }

    /// An allocation that is sent in frame h is for frame h + `use_lead`: also the slave of the last signalling slot
    /// has it before its light for the first data slot leaves. 0 only if that takes no time; paper 003 has 0.
    pub fn use_lead(&self) -> u64 {
        self.frames(self.longest * 2 + self.turnaround)
    }

    /// What the allowances of its queues depend on: a frame's slots are used by its end, and the next request says how.
    pub(super) fn terms(&self) -> Terms {
        let frames = self.answer_lead() + self.use_lead() + 1;
        Terms { slots: self.frame_slots - self.signalling_slots, frames: u32::try_from(frames).unwrap_or(u32::MAX) }
    }

    /// A node counts as silent after this number of frames without a slot from it: three, and the longest round trip.
    pub fn patience(&self) -> u64 {
        3 + self.frames(self.longest * 2 + self.turnaround)
    }

    /// Light that a node sends may meet the core for so long after its last measurement of T_d, if what is not known of
    /// its drift is 1e-6: half of the tolerance.
    pub fn holdover(&self) -> Duration {
        (self.tolerance() / 2).saturating_mul(UNKNOWN_DRIFT)
    }

    /// The longest time between two measurements of T_d while a node joins, over such fibres and with such frames.
    pub fn joining(longest: Duration, frame: Duration) -> Duration {
        longest * JOINING + frame * JOINING_FRAMES
    }

    /// The guard time, in whole microseconds, with which [`holdover`](Self::holdover) is as long as a node takes to
    /// join.
    pub fn guard_for_joining(switching: Duration, joining: Duration) -> Duration {
        let drift = joining / UNKNOWN_DRIFT;
        let guard = switching + drift * 4;
        Duration::from_micros(guard.ps().div_ceil(1_000_000) + 1)
    }

    fn frames(&self, span: Duration) -> u64 {
        span.ps().div_ceil(self.frame().ps())
    }
}
