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
mod gated;
mod queued;
mod reading;

pub use reading::{Leaving, Reading};

use super::features::{LossProcess, PortFeatures, Streams};
use super::gated::GatedTransmitter;
use super::optical::{AgentBacklog, LeastBacklog};
use super::ring::Ring;
use crate::engine::packet::Packet;
use crate::engine::packet::admission::{Admission, Cause, Count, Interceptor};
use crate::model::{Buffer, Light, PortRule};
use crate::queue::Verdict;
use transport::xcp::Header;
use units::ByteTime;

use backlog::{Backlog, BacklogEntry, ByteCount};
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
    /// The fibre of packets that go [the fast path](PortKind::is_fast), and says what is inside; for other ports one
    /// beyond all fibres. So one comparison says both.
    fast_fibre: u32,
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
    /// Its fibre among those of its partition.
    target: u32,
    state: State,
    light: Light,
    kind: PortKind,
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

/// What becomes of a packet that enters a port, in a bit each, so that the usual case, none of them, is known at once:
/// [`Port::offer`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PortKind(u8);

impl PortKind {
    /// An agent takes it first.
    const INTERCEPTED: u8 = 1;
    /// One that no agent takes: [`Port::offer_optical`].
    const OPTICAL: u8 = 2;
    /// The same: something with its [`PortFeatures`], [`Port::offer_past_interceptor`].
    const WITH_FEATURES: u8 = 4;
    /// Its features are a gate and nothing else: [`Port::offer_to_gate_alone`] does as well.
    const GATED: u8 = 8;
    /// The port has a list of its own of what is inside. With `OPTICAL` or `WITH_FEATURES` always.
    const OWN_LIST: u8 = 16;

    /// Whether it goes the fast path: [`Port::fast_fibre`].
    fn is_fast(self) -> bool {
        self.0 & (PortKind::INTERCEPTED | PortKind::OWN_LIST) == 0
    }

    /// Whether an agent takes it first.
    #[inline]
    pub fn is_intercepted(self) -> bool {
        self.0 & PortKind::INTERCEPTED != 0
    }

    /// Whether one that no agent takes goes the fast path only after [`Port::use_fibre`], if ever.
    #[inline]
    pub fn has_own_list(self) -> bool {
        self.0 & PortKind::OWN_LIST != 0
    }

    /// Whether it ever may.
    fn may_use_fibre(self) -> bool {
        self.0 & (PortKind::OPTICAL | PortKind::WITH_FEATURES) == 0
    }

    /// Whether one that no agent takes enters an optical packet switch.
    #[inline]
    pub fn is_optical(self) -> bool {
        self.0 & PortKind::OPTICAL != 0
    }

    /// Whether one that no agent takes meets a gate and nothing else.
    #[inline]
    pub fn is_gated(self) -> bool {
        self.0 & PortKind::GATED != 0
    }

    /// Whether one that no agent takes needs what few ports have.
    #[inline]
    pub fn has_features(self) -> bool {
        self.0 & PortKind::WITH_FEATURES != 0
    }

    fn with(self, bit: u8) -> PortKind {
        PortKind(self.0 | bit)
    }

    fn without(self, bit: u8) -> PortKind {
        PortKind(self.0 & !bit)
    }
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
    /// Instead of a fibre: none has this number.
    const NO_FIBRE: u32 = u32::MAX;

    /// An idle port; `None` if the capacity is too small to have a byte time.
    pub fn new(config: PortConfig) -> Option<Port> {
        let PortConfig { rule, streams, interceptor } = config;
        let features = PortFeatures::new(&rule, streams, interceptor);
        let light = rule.light;
        let manner = match &features {
            Some(features) if features.acts_besides_gate() => PortKind::WITH_FEATURES,
            Some(features) if features.acts() => PortKind::WITH_FEATURES | PortKind::GATED,
            _ if light == Light::None => 0,
            _ => PortKind::OPTICAL,
        };
        let kind =
            PortKind(manner | PortKind::OWN_LIST | if interceptor.is_some() { PortKind::INTERCEPTED } else { 0 });
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
            least_backlog: LeastBacklog::default(),
            kept: AgentBacklog::default(),
            target: 0,
            fast_fibre: Port::NO_FIBRE,
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
        self.set_kind(self.kind);
    }

    /// From now on packets enter in that way.
    fn set_kind(&mut self, kind: PortKind) {
        self.kind = kind;
        self.fast_fibre = if kind.is_fast() { self.target } else { Port::NO_FIBRE };
    }

    /// The place of the fibre of packets that go [the fast path](PortKind::is_fast), beyond all fibres for other ports.
    #[inline]
    pub fn fast_fibre(&self) -> usize {
        self.fast_fibre as usize
    }

    /// How long its packets are on the fibre.
    pub fn delay(&self) -> u64 {
        self.delay
    }

    /// A packet of `size` bytes arrives at the port, which has a list of its own.
    #[inline(always)]
    pub fn offer(&mut self, now: u64, size: u16) -> Admission {
        match self.accept_within_bounds(now, size) {
            Some(end) => Admission::Scheduled(self.send(end, size)),
            None => self.offer_crowded(now, size),
        }
    }

    /// The same where it must be looked whether there is room.
    #[inline(never)]
    fn offer_crowded(&mut self, now: u64, size: u16) -> Admission {
        match self.with_own(|port, own| port.accept_crowded(now, size, own)) {
            Ok(end) => Admission::Scheduled(self.send(end, size)),
            Err(cause) => Admission::Dropped(cause),
        }
    }

    /// A packet is sent, the last bit at `end`, by a port with a list of its own. When it is at the far end.
    #[inline]
    fn send(&mut self, end: u64, size: u16) -> u64 {
        self.push_backlog(end, size);
        self.leave(end, size)
    }

    /// A packet arrives at the port, whose `fibre` says what is inside. When it is at the far end; `None` if it must be
    /// looked whether there is room, which [`Port::carry_crowded`] does.
    #[inline(always)]
    pub fn carry(&mut self, now: u64, size: u16, fibre: &Ring<Packet>) -> Option<u64> {
        self.note_offered(size);
        let start = self.busy_until.max(now);
        let duration = self.byte_time.of_packet(size).ps();
        let is_bounded = self.has_room_by_time(size, start - now)
            || self.has_room_by_count(now, start - now + duration, fibre.put_in());
        is_bounded.then(|| self.accept(now, start, duration) + self.delay)
    }

    /// The same for the packet that has just arrived, where it must be looked. The cause if it is dropped.
    #[inline]
    pub fn carry_crowded(&mut self, now: u64, size: u16, fibre: &Ring<Packet>) -> Result<u64, Cause> {
        let list = self.on_fibre(fibre);
        self.accept_crowded(now, size, &list).map(|end| end + self.delay)
    }

    /// A packet arrives at a port with a list of its own, which is asked by number. When its last bit leaves; `None` if
    /// it must be looked whether there is room, which [`Port::accept_crowded`] does.
    #[inline(always)]
    fn accept_within_bounds(&mut self, now: u64, size: u16) -> Option<u64> {
        self.note_offered(size);
        let start = self.busy_until.max(now);
        // A port whose bytes are long is never bounded.
        let duration = self.byte_time.of_packet(size).ps();
        let is_bounded = self.has_room_by_count(now, start - now + duration, self.own.put_in());
        is_bounded.then(|| self.accept(now, start, duration))
    }

    /// A packet is offered.
    #[inline]
    fn note_offered(&mut self, size: u16) {
        self.offered += 1;
        self.offered_bytes += u64::from(size);
    }

    /// Packets and bytes offered since the start.
    fn offered(&self) -> Count {
        Count { packets: self.offered, bytes: self.offered_bytes }
    }

    /// The packet that has just arrived, where it must be looked whether there is room. When its last bit leaves, or
    /// why it is dropped.
    #[inline]
    fn accept_crowded(&mut self, now: u64, size: u16, list: &impl Backlog) -> Result<u64, Cause> {
        if size != self.only_size && self.only_size != SEVERAL {
            self.bound_by_count();
        }
        let duration = self.lasts(size);
        if self.busy_until <= now {
            if self.is_stretched {
                self.is_stretched = false;
                self.set_bounds();
            }
            if self.state == State::Down {
                return Err(self.refuse(Cause::Unreachable, size));
            }
            self.first_inside = list.put_in();
        } else {
            self.sweep(now, list);
            if !self.has_room(now, size, duration, list) {
                return Err(self.refuse(Cause::Congestion, size));
            }
            let waiting = (list.put_in() - self.first_inside) as u32;
            if waiting > self.max_waiting {
                self.max_waiting = waiting;
                self.set_bounds();
            }
        }
        Ok(self.accept(now, self.busy_until.max(now), duration))
    }

    /// A packet that has come now is transmitted from `start` on, for `duration`. When its last bit leaves.
    #[inline(always)]
    fn accept(&mut self, now: u64, start: u64, duration: u64) -> u64 {
        let (waited, is_beyond) = self.waited.overflowing_add(start - now);
        self.waited = waited;
        if is_beyond {
            self.waited_above += 1;
        }
        self.transmit(start, duration)
    }

    /// A packet leaves with its last bit at `end`. When it is at the far end: a delay later, and as long as it lasts
    /// behind the packet before it, also where the delay has become shorter meanwhile.
    #[inline]
    fn leave(&mut self, end: u64, size: u16) -> u64 {
        self.last_arrival = (self.last_arrival + self.lasts(size)).max(end + self.delay);
        self.last_arrival
    }

    /// Waiting time accepted since the start, in packet-picoseconds. (80 bits of them: a million packets that wait for
    /// two weeks.)
    fn waited(&self) -> u128 {
        u128::from(self.waited_above) << 64 | u128::from(self.waited)
    }

    fn set_waited(&mut self, waited: u128) {
        (self.waited, self.waited_above) = (waited as u64, (waited >> 64) as u16);
    }

    /// A packet is sent from `start` on, for `duration`, behind those before it. When its last bit leaves.
    #[inline]
    fn transmit(&mut self, start: u64, duration: u64) -> u64 {
        let end = start + duration;
        self.busy += duration;
        self.busy_until = end;
        end
    }

    /// What becomes of a packet that enters it.
    #[inline]
    pub fn kind(&self) -> PortKind {
        self.kind
    }

    /// [`Port::offer`] in an optical packet switch.
    #[inline]
    pub fn offer_optical(&mut self, now: u64, size: u16) -> Admission {
        self.least_backlog.note(self.busy_until.saturating_sub(now));
        let is_first_bit = self.light == Light::FirstBit;
        let Some(end) = self.accept_within_bounds(now, size) else {
            return match self.offer_crowded(now, size) {
                Admission::Scheduled(at) if is_first_bit => Admission::Scheduled(at - self.lasts(size)),
                offer => offer,
            };
        };
        let at = self.send(end, size);
        // The time of the packet is known here already: a bounded port's bytes are short.
        Admission::Scheduled(if is_first_bit { at - self.byte_time.of_packet(size).ps() } else { at })
    }

    /// Whether it has anything that most ports do without.
    #[inline]
    pub fn has_extras(&self) -> bool {
        self.features.is_some()
    }

    /// The agent before it.
    #[inline]
    pub fn interceptor(&self) -> Option<Interceptor> {
        self.features.as_ref().and_then(|features| features.interceptor)
    }

    /// [`Port::offer`] for any port and a packet that no agent takes; `header` is the packet's congestion header, if it
    /// has one. If it says [`Admission::Queued`], [`Port::release`] is to be called.
    #[inline(never)]
    pub fn offer_past_interceptor(&mut self, now: u64, packet: &Packet, header: Option<&mut Header>) -> Admission {
        let Some(mut features) = self.features.take() else { return self.offer_optical(now, packet.size) };
        let offer = self.offer_with(now, packet, header, &mut features);
        self.features = Some(features);
        offer
    }

    /// The same for a port that may have everything.
    fn offer_with(
        &mut self,
        now: u64,
        packet: &Packet,
        mut header: Option<&mut Header>,
        features: &mut PortFeatures,
    ) -> Admission {
        let size = packet.size;
        let verdict = self.judge(now, packet, features);
        let PortFeatures { loss, controller, gate, line, marked, .. } = features;
        if let Some(controller) = controller {
            self.serve(now, &mut controller.router, gate);
            let waiting = self.queue_bytes(now, gate);
            controller.router.handle_arrival(u32::from(size), header.as_deref(), waiting);
        }
        let arrival_before = self.last_arrival;
        let mut offer = match (&mut *gate, line, verdict) {
            (_, _, Verdict::Drop) => {
                self.note_offered(size);
                Admission::Dropped(self.refuse(Cause::Early, size))
            }
            (_, Some(line), _) => self.offer_to_discipline(now, packet, line),
            (Some(gate), _, verdict) => self.offer_to_gate(now, packet, verdict, gate),
            (None, None, _) => self.offer_optical(now, size),
        };
        if !matches!(offer, Admission::Dropped(_))
            && let (Some(controller), Some(header)) = (controller, &mut header)
        {
            controller.router.handle_departure(u32::from(size), header);
        }
        offer = self.meet_fate(offer, size, arrival_before, gate, loss);
        if verdict == Verdict::Mark && !matches!(offer, Admission::Dropped(_)) {
            *marked += 1;
            offer = offer.marked();
        }
        offer
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

    /// Its packets go the way of those of a port with [`PortFeatures`], where they are traced. Nothing has been sent
    /// yet.
    pub fn watch(&mut self) {
        self.set_kind(self.kind.with(PortKind::WITH_FEATURES | PortKind::OWN_LIST));
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

    /// A packet that is carried may not arrive, and those behind it wait for none that does not. What is held meets its
    /// fate when it is sent.
    #[inline]
    fn meet_fate(
        &mut self,
        offer: Admission,
        size: u16,
        arrival_before: u64,
        gate: &mut Option<GatedTransmitter>,
        loss: &mut LossProcess,
    ) -> Admission {
        if matches!(offer, Admission::Scheduled(_))
            && let Some(dropped) = self.fate(size, gate, loss)
        {
            self.last_arrival = arrival_before;
            return dropped;
        }
        offer
    }

    /// What becomes of the packet just accepted, if it does not arrive.
    #[inline]
    fn fate(&mut self, size: u16, gate: &mut Option<GatedTransmitter>, loss: &mut LossProcess) -> Option<Admission> {
        let Some(gate) = gate else { return loss.strikes().then(|| self.lose(size)) };
        let cause = gate.fate(loss)?;
        self.dropped.add(size);
        Some(Admission::Dropped(cause))
    }

    /// The packet just accepted will vanish on the fibre.
    fn lose(&mut self, size: u16) -> Admission {
        let newest = self.own.len() - 1;
        self.own.nth_mut(newest).lose();
        self.dropped.add(size);
        Admission::Dropped(Cause::Random)
    }

    #[cold]
    fn refuse(&mut self, cause: Cause, size: u16) -> Cause {
        self.dropped.add(size);
        self.refused.add(size);
        cause
    }
}

#[cfg(test)]
pub(in crate::engine) mod tests;
