//! An output port: a transmitter with a waiting room, at the sending end of a fibre.
//!
//! Wherever the order of departures is known, a packet's departure is computed when it arrives, so no event marks the
//! end of a transmission. Conventions, which decide drop rates at buffers of a few packets:
//!
//! * the waiting room does not count the packet in transmission: "K packets" means K + 1 in the system;
//! * a packet whose transmission starts, or whose last bit leaves, exactly now is no longer waiting, or in
//!   transmission;
//! * departures come before arrivals of the same instant.
//!
//! Sums over time (utilization, mean queue) are integers and exact: a packet's waiting time is known when it arrives,
//! and [`Port::reading`] takes off what lies in the future.
//!
//! [`Port::enqueue`] is the way in, [`Port::release`] the way out of a port that holds packets back.

mod agent_backlog;
mod changes;
mod control;
mod delivery;
mod enqueue;
mod pause;
mod reading;
mod release;
mod telemetry;
mod windows;

pub use reading::Reading;

use super::backlog::Backlog;
use super::disciplined_queue::DisciplinedQueue;
use super::features::PortFeatures;
use super::gated::GatedTransmitter;
use super::optical::{AgentBacklog, LeastBacklog};
use crate::engine::packet::Packet;
use crate::engine::packet::admission::{Cause, Count, Interceptor};
use crate::links::AtPort;
use crate::model::{Buffer, DelayLaw, Light, Opening, PortRule};
use crate::queue::{self, Schedule, Site};
use crate::random::Stream;
use units::ByteTime;

/// The packets that a link lost when it went down.
#[derive(Debug, Default)]
pub struct LinkDownLosses {
    /// Taken back from the fibre, newest first.
    pub from_fibre: Vec<Packet>,
    /// Held in the port.
    pub held: Vec<Packet>,
}

/// An output port. Its fields are in the order in which a packet meets them.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct Port {
    /// The number of its fibre among those of its partition.
    fibre: u32,
    /// An agent that takes its packets first.
    interceptor: Option<Interceptor>,
    /// Whether what happens to its packets is traced or captured.
    is_watched: bool,
    /// Whether the link is up.
    is_up: bool,
    /// Whether it is a plain port: its room alone decides about a packet. See [`Port::is_plain_now`].
    is_plain: bool,
    /// Whether records of packets grow, so that it makes room for what it will measure.
    makes_room: bool,
    /// Whether a discipline decides about a packet, but not about one that finds nothing here: see [`Port::pass_on`].
    passes_on: bool,
    /// Whether the host behind it is told when packets leave.
    tells_departures: bool,
    /// How long a byte lasts.
    byte_time: ByteTime,
    /// Offered since the start.
    offered: Count,
    /// From the port to the far end of its fibre, in picoseconds; the least of a delay that is a law of time.
    delay: u64,
    /// When the packet sent last is at the far end. A fibre does not let packets overtake, also where the delay has
    /// become shorter.
    last_arrival: u64,
    /// The packets inside that have their time to leave, and sums over time.
    backlog: Backlog,
    /// The most that may wait, not counting the packet in transmission.
    room: Count,
    /// The way of a packet through the port, and what only ports of that kind have.
    kind: PortKind,
    /// What most ports do without: a discipline that judges arrivals, XCP's controller, properties of the fibre.
    features: Option<Box<PortFeatures>>,
    /// Packets that wait elsewhere for their time: with an agent, or in the discipline. For most ports, none ever did.
    kept: Option<Box<AgentBacklog>>,
    /// Dropped since the start, those lost on the fibre included.
    dropped: Count,
    /// The part of `dropped` that was not transmitted.
    refused: Count,
    /// Packets marked since the start.
    marked: u64,
}

/// What decides when a packet leaves.
#[derive(Debug)]
enum PortKind {
    /// First in, first out.
    DropTail,
    /// The same in an optical packet switch.
    Optical(Optical),
    /// Windows of time.
    Gated(Box<GatedTransmitter>),
    /// A queue discipline.
    Disciplined(Box<DisciplinedQueue>),
}

/// What waits leaves as it came.
const IN_ORDER: queue::Config = queue::Config::Priority(queue::priority::Config { bands: 1, push_out: false });

/// A port of an optical packet switch.
#[derive(Debug)]
struct Optical {
    /// Whether its fibre says when the first bit of a packet arrives, not the last.
    tells_first_bit: bool,
    /// The least that it had still to send.
    least_backlog: LeastBacklog,
}

/// What a port is built from.
#[derive(Debug)]
pub struct PortConfig {
    /// What it does besides what every port does.
    pub rule: PortRule,
    /// Where the random choices of its discipline come from.
    pub stream: Stream,
    /// What the properties of its link do.
    pub fibre: AtPort,
    /// The delay, if it is a law of time; that of the rule is its least.
    pub law: Option<DelayLaw>,
    /// The agent that takes its packets first.
    pub interceptor: Option<Interceptor>,
}

impl PortKind {
    fn new(rule: &PortRule, site: impl Fn() -> Site) -> PortKind {
        let in_order = || rule.is_decided_late.then(|| Schedule::new(&IN_ORDER, &site)).flatten();
        if let Some(schedule) = Schedule::new(&rule.queue, &site).or_else(in_order) {
            return PortKind::Disciplined(Box::new(DisciplinedQueue::new(schedule, rule.buffer)));
        }
        match (rule.opening, rule.light) {
            (Opening::InWindows(packing), _) => PortKind::Gated(Box::new(GatedTransmitter::new(packing))),
            (Opening::Always, Light::None) => PortKind::DropTail,
            (Opening::Always, light) => PortKind::Optical(Optical {
                tells_first_bit: light == Light::FirstBit,
                least_backlog: LeastBacklog::default(),
            }),
        }
    }
}

impl Port {
    /// An idle port; `None` if the capacity is too small to have a byte time.
    pub fn new(config: PortConfig) -> Option<Port> {
        let PortConfig { rule, stream, fibre, law, interceptor } = config;
        let byte_time = ByteTime::at(rule.capacity)?;
        let site = || Site { byte_time, stream: stream.clone() };
        let mut port = Port {
            interceptor,
            fibre: 0,
            is_watched: false,
            is_up: true,
            is_plain: false,
            makes_room: false,
            passes_on: false,
            tells_departures: false,
            offered: Count::default(),
            byte_time,
            room: room(rule.buffer),
            backlog: Backlog::new(),
            delay: rule.delay.ps(),
            last_arrival: 0,
            kind: PortKind::new(&rule, site),
            features: PortFeatures::new(&rule, site, fibre, law),
            kept: None,
            dropped: Count::default(),
            refused: Count::default(),
            marked: 0,
        };
        port.is_plain = port.is_plain_now();
        Some(port)
    }

    /// Whether its room alone decides about a packet, and its bytes are short enough for [`ByteTime::of_packet`]: first
    /// in, first out, without features, and the link is up.
    fn is_plain_now(&self) -> bool {
        let is_first_out = matches!(self.kind, PortKind::DropTail) && self.features.is_none();
        is_first_out && self.is_up && self.byte_time.is_short()
    }

    /// The port will not change. So a packet that finds its transmitter free is sent at once, unless its discipline
    /// wants to be asked, and the end of a transmission behind which nothing waits is no event.
    pub fn pass_on(&mut self) {
        self.passes_on =
            self.features.is_none() && !self.tells_departures && self.line().is_some_and(DisciplinedQueue::may_pass_on);
    }

    /// The host behind it is told when packets leave.
    pub fn tell_departures(&mut self) {
        self.tells_departures = true;
    }

    /// Whether it is.
    #[inline]
    pub fn tells_departures(&self) -> bool {
        self.tells_departures
    }

    /// Its fibre among those of its partition.
    #[inline]
    pub fn fibre(&self) -> u32 {
        self.fibre
    }

    /// Its packets go over that fibre of its partition from now on.
    pub fn connect(&mut self, fibre: u32) {
        self.fibre = fibre;
    }

    /// How long its packets are on the fibre at least.
    pub fn delay(&self) -> u64 {
        self.delay
    }

    /// The agent that takes its packets first.
    #[inline]
    pub fn interceptor(&self) -> Option<Interceptor> {
        self.interceptor
    }

    /// Whether what happens to its packets is traced or captured.
    #[inline]
    pub fn is_watched(&self) -> bool {
        self.is_watched
    }

    /// Its packets are traced or captured from now on. Nothing has been sent yet.
    pub fn watch(&mut self) {
        self.is_watched = true;
        if let PortKind::Gated(gate) = &mut self.kind {
            gate.hold_all();
        }
    }

    /// Whether packets overtake one another on its fibre.
    pub fn lets_overtake(&self) -> bool {
        self.features.as_ref().is_some_and(|features| features.fibre.lets_overtake)
    }

    /// When all that has its time has left.
    pub fn busy_until(&self) -> u64 {
        self.backlog.busy_until()
    }

    /// How long a packet of `size` bytes is, in picoseconds.
    #[inline]
    pub fn lasts(&self, size: u16) -> u64 {
        self.byte_time.of(u32::from(size)).ps()
    }

    /// Whether its fibre says when the first bit of a packet arrives.
    #[inline]
    pub fn tells_first_bit(&self) -> bool {
        matches!(self.kind, PortKind::Optical(Optical { tells_first_bit: true, .. }))
    }

    /// When the packet that has its time last begins to leave, and when it has left.
    pub fn newest(&self) -> Option<(u64, u64)> {
        self.backlog.newest().map(|newest| (newest.start, newest.end))
    }

    /// Packets and bytes that wait at `now`, until which the backlog has been swept: not the one in transmission, and
    /// not what an agent keeps.
    #[inline(always)]
    fn waiting(&self, now: u64) -> Count {
        match &self.kind {
            PortKind::DropTail | PortKind::Optical(_) => self.backlog.behind_first(),
            PortKind::Gated(gate) => self.backlog.waiting(now).plus(gate.waiting(now)),
            PortKind::Disciplined(line) => line.held(),
        }
    }

    /// Its queue, if a discipline decides when packets leave.
    fn line(&self) -> Option<&DisciplinedQueue> {
        if let PortKind::Disciplined(line) = &self.kind { Some(line) } else { None }
    }

    fn line_mut(&mut self) -> Option<&mut DisciplinedQueue> {
        if let PortKind::Disciplined(line) = &mut self.kind { Some(line) } else { None }
    }

    /// Packets and bytes inside that have no time to leave.
    fn unscheduled(&self) -> Count {
        match &self.kind {
            PortKind::DropTail | PortKind::Optical(_) => Count::default(),
            PortKind::Gated(gate) => gate.unplaced(),
            PortKind::Disciplined(line) => line.held(),
        }
    }

    /// Packets that stay here because no window has room for them yet, or wait for their discipline.
    pub fn held(&self) -> u64 {
        self.unscheduled().packets
    }

    /// Shows every packet that is held.
    pub fn for_each_held(&mut self, change: impl FnMut(&mut Packet)) {
        match &mut self.kind {
            PortKind::DropTail | PortKind::Optical(_) => {}
            PortKind::Gated(gate) => gate.for_each_unplaced(change),
            PortKind::Disciplined(line) => line.for_each(change),
        }
    }

    /// A packet does not get into the port.
    #[cold]
    fn refuse(&mut self, cause: Cause, size: u16) -> Cause {
        self.dropped.add(size);
        self.refused.add(size);
        cause
    }

    /// The agent before the port drops a packet that was for it.
    pub fn refuse_before(&mut self, cause: Cause, size: u16) {
        self.offered.add(size);
        self.refuse(cause, size);
    }
}

/// What a buffer holds at most.
fn room(buffer: Buffer) -> Count {
    let (packets, bytes) = match buffer {
        Buffer::Packets(places) => (places, u64::MAX),
        Buffer::Bytes(bytes) => (u64::MAX, bytes.count()),
        Buffer::Unlimited => (u64::MAX, u64::MAX),
    };
    Count { packets, bytes }
}

#[cfg(test)]
mod by_flow_tests;
#[cfg(test)]
mod gated_tests;
#[cfg(test)]
mod law_tests;
#[cfg(test)]
mod passing_tests;
#[cfg(test)]
mod spacing_tests;
#[cfg(test)]
pub(in crate::engine) mod tests;
