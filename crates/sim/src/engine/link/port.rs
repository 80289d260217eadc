//! An output port: a first-in-first-out transmitter with a waiting room, at the sending end of a fibre.
//!
//! The departure of a packet is computed when it arrives, so no event marks the end of a transmission. Conventions,
//! which decide drop rates at buffers of a few packets:
//!
//! * the waiting room does not count the packet in transmission: "K packets" means K + 1 in the system;
//! * a packet whose transmission starts, or whose last bit leaves, exactly now is no longer waiting, or in transmission;
//! * departures come before arrivals of the same instant.
//!
//! Sums over time (utilization, mean queue) are integers and exact: a packet's waiting time is known when it arrives,
//! and [`Port::reading`] takes off what lies in the future.

mod agent_backlog;
mod backlog;
mod bounds;
mod changes;
mod control;
mod disciplined;
mod enqueue;
mod gated;
mod pause;
mod queued;
mod reading;

pub use reading::Reading;

use super::features::{PortFeatures, Streams};
use super::gated::GatedTransmitter;
use super::optical::{AgentBacklog, LeastBacklog};
use super::ring::Ring;
use crate::engine::packet::Packet;
use crate::engine::packet::admission::{Cause, Count, Interceptor};
use crate::model::{Buffer, Light, PortRule};
use units::ByteTime;

use backlog::{BacklogEntry, ByteCount};
use bounds::SEVERAL;

/// The packets that a link lost when it went down.
#[derive(Debug, Default)]
pub struct LinkDownLosses {
    /// Taken back from the fibre, newest first.
    pub from_fibre: Vec<Packet>,
    /// Held in the port.
    pub held: Vec<Packet>,
}

/// An output port. The fields lie in the order of need.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct Port {
    busy_until: u64,
    byte_time: ByteTime,
    delay: u64,
    /// Packets offered since the start.
    offered: u64,
    /// Transmission time accepted since the start, in picoseconds.
    busy: u64,
    /// Bytes offered since the start. (They do not lie beside the packets: the compiler would add to both at once, in
    /// five instructions.)
    offered_bytes: u64,
    /// Its fibre among those of its partition.
    target: u32,
    /// The size of all packets that are inside, [`SEVERAL`] if they have several, or if nobody knows.
    only_size: u16,
    /// Waiting time accepted since the start, in packet-picoseconds: the upper part of [`Port::waited`].
    waited_above: u16,
    /// While a packet of that size waits no longer there is room for it, and it is no new maximum. Where there are
    /// several sizes: there is room for a packet that will have left so soon after it came.
    time_bound: u64,
    /// The lower part of the waiting time.
    waited: u64,
    /// The position of the oldest packet that is in transmission or waits in the list of those: its fibre, or a list of
    /// its own. Swept only when their number could matter, so some from there on may be gone.
    first_inside: u64,
    /// Where packets have several sizes: while fewer are inside there is room for one more, and it is no new maximum; 0
    /// where that must be looked at in any case. (No memory holds 2^32 packets.)
    count_bound: u32,
    /// Most packets that waited at once since the last [`Port::restart_maximum`].
    max_waiting: u32,
    kind: PortKind,
    /// Where what is inside can be read.
    list: BacklogPlace,
    /// An agent takes its packets first.
    is_intercepted: bool,
    /// It has more than an agent before it.
    has_features: bool,
    /// What happens to its packets is traced or captured.
    is_watched: bool,
    state: State,
    light: Light,
    /// Whether something may be inside that came at another capacity.
    is_stretched: bool,
    // The two cache lines up to here are all that a packet touches that is carried where there is room.
    buffer: Buffer,
    /// What is inside, and perhaps what has left, where the fibre does not say it.
    own: Ring<BacklogEntry>,
    /// No arrival at the far end comes before this one: a fibre does not let packets overtake. Kept up to date with a
    /// list of its own.
    last_arrival: u64,
    /// Bytes inside, as far as they have been counted, if anybody has asked.
    counted: Option<Box<ByteCount>>,
    /// Only kept up to date by a port of an optical packet switch.
    least_backlog: LeastBacklog,
    /// What few ports have.
    features: Option<Box<PortFeatures>>,
    /// Packets and bytes dropped since the start, those lost on the fibre included.
    dropped: Count,
    /// The part of `dropped` that was refused without being transmitted.
    refused: Count,
    /// What an agent keeps for it, or its own line.
    kept: AgentBacklog,
}

/// What decides when a packet leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PortKind {
    /// First in, first out.
    DropTail,
    /// The same in an optical packet switch.
    Optical,
    /// Windows of time.
    Gated,
    /// A queue discipline.
    Disciplined,
}

/// Where the packets inside a port can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BacklogPlace {
    /// On its fibre.
    Fibre,
    /// In a list of its own.
    Own,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Up,
    Down,
}

/// What a port is built from.
#[derive(Debug)]
pub struct PortConfig {
    /// What it does besides what every port does.
    pub rule: PortRule,
    /// Where its random choices come from.
    pub streams: Streams,
    /// The agent that takes its packets first.
    pub interceptor: Option<Interceptor>,
}

impl Port {
    /// An idle port; `None` if the capacity is too small to have a byte time.
    pub fn new(config: PortConfig) -> Option<Port> {
        let PortConfig { rule, streams, interceptor } = config;
        let features = PortFeatures::new(&rule, streams, interceptor);
        let light = rule.light;
        let kind = match &features {
            Some(features) if features.line.is_some() => PortKind::Disciplined,
            Some(features) if features.gate.is_some() => PortKind::Gated,
            _ if light == Light::None => PortKind::DropTail,
            _ => PortKind::Optical,
        };
        let mut port = Port {
            byte_time: ByteTime::at(rule.capacity)?,
            delay: rule.delay.ps(),
            busy_until: 0,
            offered: 0,
            offered_bytes: 0,
            busy: 0,
            waited: 0,
            waited_above: 0,
            counted: None,
            is_stretched: false,
            first_inside: 0,
            own: Ring::new(),
            count_bound: 0,
            time_bound: 0,
            only_size: SEVERAL,
            buffer: rule.buffer,
            max_waiting: 0,
            last_arrival: 0,
            state: State::Up,
            light,
            kind,
            list: BacklogPlace::Own,
            is_intercepted: interceptor.is_some(),
            has_features: features.as_ref().is_some_and(|features| features.acts()),
            is_watched: false,
            least_backlog: LeastBacklog::default(),
            kept: AgentBacklog::default(),
            target: 0,
            features,
            dropped: Count::default(),
            refused: Count::default(),
        };
        port.set_bounds();
        Some(port)
    }

    /// Its fibre among those of its partition.
    #[inline]
    pub fn target(&self) -> u32 {
        self.target
    }

    /// Its packets go over that fibre of its partition from now on.
    pub fn connect(&mut self, target: u32) {
        self.target = target;
    }

    /// How long its packets are on the fibre.
    pub fn delay(&self) -> u64 {
        self.delay
    }

    /// Waiting time accepted since the start, in packet-picoseconds. (80 bits of them: a million packets that wait for
    /// two weeks.)
    fn waited(&self) -> u128 {
        u128::from(self.waited_above) << 64 | u128::from(self.waited)
    }

    fn set_waited(&mut self, waited: u128) {
        (self.waited, self.waited_above) = (waited as u64, (waited >> 64) as u16);
    }

    /// Whether an agent takes its packets first.
    #[inline]
    pub fn is_intercepted(&self) -> bool {
        self.is_intercepted
    }

    /// Whether what happens to its packets is traced or captured.
    #[inline]
    pub fn is_watched(&self) -> bool {
        self.is_watched
    }

    /// The agent before it.
    #[inline]
    pub fn interceptor(&self) -> Option<Interceptor> {
        self.features.as_ref().and_then(|features| features.interceptor)
    }

    /// The agent before the port drops a packet that was for it.
    pub fn refuse_before(&mut self, cause: Cause, size: u16) {
        self.note_offered(size);
        self.refuse(cause, size);
    }

    /// When all that it has accepted has left.
    pub fn busy_until(&self) -> u64 {
        self.busy_until
    }

    /// Bytes offered since the start.
    pub fn offered_bytes(&self) -> u64 {
        self.offered_bytes
    }

    /// Its packets are traced or captured from now on. Nothing has been sent yet.
    pub fn watch(&mut self) {
        self.is_watched = true;
        self.gate_mut().into_iter().for_each(GatedTransmitter::hold_all);
    }

    /// How long a packet of `size` bytes is, in picoseconds.
    #[inline]
    pub fn lasts(&self, size: u16) -> u64 {
        self.byte_time.of(u32::from(size)).ps()
    }

    /// Whether its fibre says when the first bit of a packet arrives.
    pub fn tells_first_bit(&self) -> bool {
        self.light == Light::FirstBit
    }

    /// When the packet of `size` bytes that was accepted last begins to leave, and when it has left.
    pub fn newest(&self, size: u16) -> (u64, u64) {
        let placed = self.gate().and_then(GatedTransmitter::newest);
        placed.unwrap_or((self.busy_until.saturating_sub(self.lasts(size)), self.busy_until))
    }

    /// Packets marked since the start.
    pub fn marked(&self) -> u64 {
        self.features.as_ref().map_or(0, |features| features.marked)
    }
}

#[cfg(test)]
pub(in crate::engine) mod tests;
