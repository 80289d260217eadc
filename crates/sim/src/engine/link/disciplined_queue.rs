//! What waits at a port whose discipline decides when packets leave: the discipline knows packets by number, the line
//! has them.

use super::meter::Meter;
use super::optical::AgentBacklog;
use crate::engine::packet::admission::{Admission, Cause, Count};
use crate::engine::packet::{Class, Flags, Packet};
use crate::model::Buffer;
use crate::queue::{Dropped, Ecn, Form, Item, Reason, Room, Schedule};
use std::sync::Arc;
use units::ByteTime;

/// The waiting packets of a port with a [`Schedule`].
#[derive(Debug)]
pub struct DisciplinedQueue {
    schedule: Schedule,
    room: Room,
    /// By number; free places are in `free`.
    packets: Vec<Option<Packet>>,
    free: Vec<u32>,
    bytes: u64,
    cut: u64,
    /// What the discipline has dropped and the port has not counted.
    dropped: Vec<Dropped>,
    /// Whether the discipline is to be asked when the transmitter is free.
    is_armed: bool,
    /// The link has no capacity.
    pub pause: Option<Pause>,
    /// When the last pause ended, or the last opportunity came.
    pub resumed: u64,
    /// Where packets leave at given instants only: what is left of the present one.
    pub turn: Option<Turn>,
    /// What waits here, over time.
    pub kept: AgentBacklog,
    /// The least of what a packet says of congestion that makes it leave marked: [`Ecn::Marked`], by its discipline,
    /// unless the link is a circuit that tells of itself by marks.
    marked_from: Ecn,
    /// What it measures for packets that ask, if it does.
    pub meter: Option<Box<Meter>>,
    /// The place of the port's departures in the event list.
    pub leaf: u32,
    /// The bands of the flows, if they have several.
    pub bands: Option<Arc<[u8]>>,
}

/// A transmitter that stands still.
#[derive(Clone, Copy, Debug)]
pub struct Pause {
    /// Since when, in picoseconds.
    pub since: u64,
    /// The time that the rest of the packet in transmission would have taken, if that stands still too.
    pub left: Option<u64>,
}

/// An instant at which so many bytes may leave.
#[derive(Clone, Copy, Debug, Default)]
pub struct Turn {
    /// Bytes that may yet leave.
    pub bytes: u64,
    /// Bytes that a packet still lacks of which a part has left.
    pub rest: u32,
}

impl Turn {
    /// A part of a packet leaves: how many bytes of the `rest`.
    pub fn serve(&mut self) -> u32 {
        let part = u64::from(self.rest).min(self.bytes) as u32;
        self.rest -= part;
        self.bytes -= u64::from(part);
        part
    }
}

impl DisciplinedQueue {
    /// An empty one.
    pub fn new(schedule: Schedule, buffer: Buffer) -> DisciplinedQueue {
        DisciplinedQueue {
            schedule,
            room: room(buffer),
            packets: Vec::new(),
            free: Vec::new(),
            bytes: 0,
            cut: 0,
            dropped: Vec::new(),
            is_armed: false,
            marked_from: Ecn::Marked,
            pause: None,
            resumed: 0,
            turn: None,
            kept: AgentBacklog::default(),
            meter: None,
            leaf: 0,
            bands: None,
        }
    }

    /// There is other room for packets that come; those that wait stay.
    pub fn set_room(&mut self, buffer: Buffer) {
        self.room = room(buffer);
    }

    /// The discipline is asked as soon as the transmitter is free, but not before `now`, if it may have something.
    pub fn resume(&mut self, now: u64) {
        self.is_armed |= self.held().packets > 0;
        self.resumed = now;
    }

    /// The discipline is asked when the packet is over that is still in transmission.
    pub fn await_transmitter(&mut self) {
        self.is_armed = true;
    }

    /// The discipline need not be asked until a packet comes.
    pub fn forget_transmitter(&mut self) {
        self.is_armed = false;
    }

    /// Whether a packet may leave without having been in the queue.
    pub fn may_pass_on(&self) -> bool {
        self.pause.is_none() && self.turn.is_none() && self.schedule.may_pass()
    }

    /// A packet leaves as it comes, while nothing waits. True if it is measured.
    pub fn pass(&mut self, now: u64, packet: &Packet) -> bool {
        self.schedule.pass(packet.size, form_of(packet), flow_of(packet), self.room);
        let Some(meter) = &mut self.meter else { return false };
        meter.handle_arrival(now, packet.size, 0);
        meter.add(packet.size);
        true
    }

    /// Packets that wait, and their bytes.
    pub fn held(&self) -> Count {
        Count { packets: (self.packets.len() - self.free.len()) as u64, bytes: self.bytes }
    }

    /// Whether the transmitter sends, so that there is a departure to come.
    pub fn is_armed(&self) -> bool {
        self.is_armed
    }

    /// Whether it may send: its link has a capacity, or an instant at which packets may leave has come.
    pub fn may_send(&self) -> bool {
        self.pause.is_none() && self.turn.is_none_or(|turn| turn.bytes > 0)
    }

    /// A byte lasts so long from now on.
    pub fn set_byte_time(&mut self, byte_time: ByteTime) {
        self.schedule.set_byte_time(byte_time);
    }

    /// A packet comes.
    pub fn accept(&mut self, now: u64, packet: &Packet) {
        if let Some(meter) = &mut self.meter {
            meter.handle_arrival(now, packet.size, self.bytes);
        }
        let is_free = !self.is_armed && self.pause.is_none() && self.turn.is_none();
        let room = if is_free { Room::NotNeeded } else { self.room };
        let id = self.store(packet);
        let ecn = ecn_of(packet.flags);
        let priority = self.bands.as_ref().and_then(|bands| bands.get(packet.flow as usize)).map_or(0, |band| *band);
        let (size, flow, form) = (packet.size, flow_of(packet), form_of(packet));
        let item = Item { id, size, priority, ecn, flow, form, cut: 0, arrived: now };
        self.schedule.enqueue(now, item, room, &mut self.dropped);
    }

    /// A packet comes while others wait for the packet in transmission to end; `None` if none do. It waits with them,
    /// and nothing has to happen unless one is dropped.
    pub fn join(&mut self, now: u64, packet: &Packet) -> Option<Admission> {
        if !self.is_armed {
            return None;
        }
        self.accept(now, packet);
        if !self.dropped.is_empty() {
            return Some(Admission::Queued);
        }
        self.note_held(now);
        Some(Admission::Blocked)
    }

    /// Whether there is nothing more to do before the packet in transmission ends.
    pub fn is_settled(&self) -> bool {
        self.dropped.is_empty()
    }

    /// So much waits from now on.
    pub fn note_held(&mut self, now: u64) {
        let Count { packets, bytes } = self.held();
        self.kept.set(now, packets, bytes);
    }

    /// A packet that the discipline has dropped, as it came, and why; the bytes of its header if that goes back.
    pub fn take_dropped(&mut self) -> Option<(Packet, Cause, u16)> {
        let Dropped { item, reason } = self.dropped.pop()?;
        let cause = match reason {
            Reason::Early => Cause::Early,
            Reason::Full => Cause::Congestion,
            Reason::Returned => Cause::Returned,
        };
        Some((self.take(item.id), cause, item.size))
    }

    /// The transmitter is free: the packet that it sends, and whether it was marked or trimmed here.
    pub fn next(&mut self, now: u64) -> Option<(Packet, bool)> {
        let next = self.schedule.dequeue(now, &mut self.dropped);
        self.is_armed = next.is_some();
        let item = next?;
        let packet = self.take(item.id);
        if item.cut > 0 {
            self.cut += u64::from(item.cut);
            return Some((Packet { size: item.size, flags: packet.flags.with(Flags::TRIMMED), ..packet }, true));
        }
        let is_marked = item.ecn >= self.marked_from && !packet.flags.has(Flags::MARKED);
        Some((if is_marked { packet.marked() } else { packet }, is_marked))
    }

    /// Bytes that were cut off packets that have left, since the start.
    pub fn cut(&self) -> u64 {
        self.cut
    }

    /// Whether all that leaves from now on, and may be marked, is.
    pub fn mark_all(&mut self, is_on: bool) {
        self.marked_from = if is_on { Ecn::Classic } else { Ecn::Marked };
    }

    /// Takes everything; nothing is sent any more.
    pub fn clear(&mut self) -> Vec<Packet> {
        self.schedule.clear();
        self.is_armed = false;
        self.bytes = 0;
        self.free.clear();
        self.packets.drain(..).flatten().collect()
    }

    /// Shows every packet that waits.
    pub fn for_each(&mut self, change: impl FnMut(&mut Packet)) {
        self.packets.iter_mut().flatten().for_each(change);
    }

    fn store(&mut self, packet: &Packet) -> u32 {
        self.bytes += u64::from(packet.size);
        match self.free.pop() {
            Some(id) => {
                self.packets[id as usize] = Some(*packet);
                id
            }
            None => {
                self.packets.push(Some(*packet));
                (self.packets.len() - 1) as u32
            }
        }
    }

    fn take(&mut self, id: u32) -> Packet {
        let packet = self.packets[id as usize].take().expect("a discipline names a packet once");
        self.free.push(id);
        self.bytes -= u64::from(packet.size);
        packet
    }
}

fn room(buffer: Buffer) -> Room {
    match buffer {
        Buffer::Packets(places) => Room::Packets(places),
        Buffer::Bytes(bytes) => Room::Bytes(bytes.count()),
        Buffer::Unlimited => Room::Unlimited,
    }
}

/// Data and ACKs of one connection are two flows, as their addresses and ports are.
fn flow_of(packet: &Packet) -> u64 {
    let way = match packet.class {
        Class::Data | Class::Datagram => 0,
        Class::Ack => 1,
        Class::Control | Class::Unit => 2,
    };
    u64::from(packet.flow) << 2 | way
}

/// Bits of flags mean what they mean for the class of the packet.
fn form_of(packet: &Packet) -> Form {
    match packet.class {
        Class::Ack => Form::Control,
        Class::Data if packet.flags.has(Flags::TRIMMED) => Form::Trimmed,
        Class::Data if packet.flags.has(Flags::TRIMMABLE) => Form::Trimmable,
        _ => Form::Whole,
    }
}

fn ecn_of(flags: Flags) -> Ecn {
    match (flags.has(Flags::CAPABLE), flags.has(Flags::MARKED)) {
        (true, true) => Ecn::Marked,
        (true, false) if flags.has(Flags::SCALABLE) => Ecn::Scalable,
        (true, false) => Ecn::Classic,
        (false, _) => Ecn::NotCapable,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::{Config, Site};
    use crate::random::Seed;
    use units::Rate;

    fn site() -> Site {
        let byte_time = ByteTime::at(Rate::from_gbps(1)).unwrap();
        Site { byte_time, stream: Seed { seed: 1, run: 0 }.stream("port", "queue") }
    }

    fn queue(name: &str, buffer: Buffer) -> DisciplinedQueue {
        DisciplinedQueue::new(Schedule::new(&Config::named(name).unwrap(), site).unwrap(), buffer)
    }

    fn packet(seq: u64, size: u16, flags: Flags) -> Packet {
        Packet { seq, size, flags, ..Packet::default() }
    }

    /// RFC 3168 §5 and RFC 9331 §2: the codepoints; a mark of a packet that may not be marked says nothing.
    #[test]
    fn what_a_packet_says_is_what_its_flags_say() {
        let ecn = |flags: &[Flags]| ecn_of(flags.iter().fold(Flags::NONE, |all, flag| all.with(*flag)));
        let (capable, scalable, marked) = (Flags::CAPABLE, Flags::SCALABLE, Flags::MARKED);
        assert_eq!([ecn(&[]), ecn(&[marked]), ecn(&[scalable])], [Ecn::NotCapable; 3]);
        assert_eq!([ecn(&[capable]), ecn(&[capable, scalable])], [Ecn::Classic, Ecn::Scalable]);
        assert_eq!([ecn(&[capable, marked]), ecn(&[capable, scalable, marked])], [Ecn::Marked; 2]);
        let form = |class, flags| form_of(&Packet { class, flags, ..Packet::default() });
        assert_eq!(form(Class::Data, Flags::TRIMMABLE), Form::Trimmable);
        assert_eq!(form(Class::Data, Flags::TRIMMABLE.with(Flags::TRIMMED)), Form::Trimmed);
        assert_eq!([form(Class::Data, Flags::NONE), form(Class::Datagram, Flags::TRIMMABLE)], [Form::Whole; 2]);
        assert_eq!(form(Class::Ack, Flags::TRIMMED), Form::Control);
        let flow = |class, flow| flow_of(&Packet { class, flow, ..Packet::default() });
        assert_eq!([flow(Class::Data, 0), flow(Class::Datagram, 0), flow(Class::Data, 5)], [0, 0, 20]);
        assert_eq!([flow(Class::Ack, 5), flow(Class::Control, 5), flow(Class::Unit, 5)], [21, 22, 22]);
    }

    /// The first need not wait; of the others two have room, in packets or in bytes.
    #[test]
    fn what_comes_to_a_free_transmitter_needs_no_room() {
        for buffer in [Buffer::Packets(2), Buffer::Bytes(units::Bytes(3000))] {
            let mut queue = queue("drr", Buffer::Packets(0));
            queue.accept(0, &packet(0, 1500, Flags::NONE));
            assert_eq!(queue.next(0).map(|(packet, _)| packet.seq), Some(0));
            assert!(queue.is_armed());
            queue.set_room(buffer);
            (1..4).for_each(|seq| queue.accept(0, &packet(seq, 1500, Flags::NONE)));
            let dropped = queue.take_dropped().map(|(packet, cause, size)| (packet.seq, cause, size));
            assert_eq!((dropped, queue.take_dropped().is_none()), (Some((3, Cause::Congestion, 1500)), true));
            assert_eq!(queue.held(), Count { packets: 2, bytes: 3000 });
            assert_eq!([1, 2].map(|_| queue.next(0).map(|(packet, _)| packet.seq)), [Some(1), Some(2)]);
            assert_eq!((queue.next(0).is_none(), queue.is_armed(), queue.held()), (true, false, Count::default()));
        }
    }

    #[test]
    fn a_queue_that_is_cleared_gives_all_back_and_waits_for_nothing() {
        let mut queue = queue("drr", Buffer::Unlimited);
        (0..3).for_each(|seq| queue.accept(0, &packet(seq, 100, Flags::NONE)));
        queue.next(0);
        let left: Vec<u64> = queue.clear().iter().map(|packet| packet.seq).collect();
        assert_eq!((left, queue.held(), queue.is_armed()), (vec![1, 2], Count::default(), false));
        queue.resume(5);
        assert_eq!((queue.is_armed(), queue.resumed), (false, 5), "nothing waits");
        queue.accept(6, &packet(9, 100, Flags::NONE));
        queue.resume(7);
        assert!(queue.is_armed());
        let mut seen = Vec::new();
        queue.for_each(|packet| seen.push(packet.seq));
        assert_eq!(seen, [9]);
    }

    /// A circuit marks what may be marked and is not yet; else only the discipline does.
    #[test]
    fn while_all_are_marked_those_are_that_can_be() {
        let mut queue = queue("drr", Buffer::Unlimited);
        let flags = [Flags::NONE, Flags::CAPABLE, Flags::CAPABLE.with(Flags::MARKED)];
        let marked = |queue: &mut DisciplinedQueue| {
            (0..).zip(flags).for_each(|(seq, flags)| queue.accept(0, &packet(seq, 100, flags)));
            [0, 1, 2].map(|_| queue.next(0).map(|(packet, here)| (packet.flags.has(Flags::MARKED), here)).unwrap())
        };
        assert_eq!(marked(&mut queue), [(false, false), (false, false), (true, false)]);
        queue.mark_all(true);
        assert_eq!(marked(&mut queue), [(false, false), (true, true), (true, false)]);
        queue.mark_all(false);
        assert_eq!(marked(&mut queue), [(false, false), (false, false), (true, false)]);
    }

    /// NDP (SIGCOMM 2017, §3.1): the ninth that waits loses all but 64 B.
    #[test]
    fn what_is_cut_off_is_counted_when_the_header_leaves() {
        let mut queue = queue("ndp", Buffer::Packets(20));
        (0..9).for_each(|seq| queue.accept(0, &packet(seq, 1500, Flags::TRIMMABLE)));
        queue.await_transmitter();
        queue.accept(0, &packet(9, 1500, Flags::TRIMMABLE));
        assert_eq!((queue.cut(), queue.held()), (0, Count { packets: 10, bytes: 15_000 }));
        let (header, is_changed) = queue.next(0).unwrap();
        assert_eq!((header.size, header.flags.has(Flags::TRIMMED), is_changed), (64, true, true));
        assert_eq!((queue.cut(), queue.held()), (1436, Count { packets: 9, bytes: 13_500 }));
    }
}
