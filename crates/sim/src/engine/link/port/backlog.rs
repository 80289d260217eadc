//! What is in a port: packets in transmission or waiting, and their bytes, which are counted when somebody asks.
//!
//! What is in an ordinary port lies on its fibre already, newest last, and left a delay before it arrives: the port
//! only remembers from which position on. A port has a list of its own where that is not so: packets may vanish, a gate
//! or a discipline sends them, the capacity or the delay has changed. Every port begins with one, and does without it
//! from the first packet on that finds it idle and [may](Port::may_use_fibre).

use super::{BacklogPlace, Port, PortKind};
use crate::engine::link::ring::Ring;
use crate::engine::packet::Packet;
use crate::engine::packet::admission::Count;

/// A packet that has not left. Two plain numbers, so that it travels in registers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct BacklogEntry {
    /// When its last bit leaves.
    pub(super) end: u64,
    /// Its size, plus [`LOST`] if it vanishes on the fibre.
    size_and_fate: u32,
}

const LOST: u32 = 1 << 31;

impl BacklogEntry {
    /// A packet that is not lost.
    #[inline]
    pub(super) fn new(end: u64, size: u16) -> BacklogEntry {
        BacklogEntry { end, size_and_fate: u32::from(size) }
    }

    /// Its size in bytes.
    #[inline]
    pub(super) fn size(self) -> u64 {
        u64::from(self.size_and_fate & !LOST)
    }

    /// Whether it vanishes on the fibre.
    pub(super) fn is_lost(self) -> bool {
        self.size_and_fate & LOST != 0
    }

    /// It will vanish on the fibre.
    pub(super) fn lose(&mut self) {
        self.size_and_fate |= LOST;
    }
}

/// Packets in the order in which a port accepted them, by position. What is inside is at the newer end.
pub(super) trait Backlog {
    /// The position behind the newest packet.
    fn put_in(&self) -> u64;
    /// The position of the oldest packet that the list still has; those before it have left the port.
    fn taken_out(&self) -> u64;
    /// The packet at a position.
    fn at(&self, position: u64) -> BacklogEntry;
}

impl Backlog for Ring<BacklogEntry> {
    fn put_in(&self) -> u64 {
        Ring::put_in(self)
    }

    fn taken_out(&self) -> u64 {
        Ring::taken_out(self)
    }

    #[inline]
    fn at(&self, position: u64) -> BacklogEntry {
        *self.get(position)
    }
}

/// The fibre of a port that keeps no list of its own.
#[derive(Clone, Copy, Debug)]
pub(super) struct FibreBacklog<'a> {
    fibre: &'a Ring<Packet>,
    delay: u64,
}

impl Backlog for FibreBacklog<'_> {
    fn put_in(&self) -> u64 {
        self.fibre.put_in()
    }

    fn taken_out(&self) -> u64 {
        self.fibre.taken_out()
    }

    #[inline]
    fn at(&self, position: u64) -> BacklogEntry {
        let packet = self.fibre.get(position);
        BacklogEntry::new(packet.at - self.delay, packet.size)
    }
}

/// The packets of a list from `first` on, oldest first.
pub(super) fn from<'a, L: Backlog + ?Sized>(list: &'a L, first: u64) -> impl Iterator<Item = BacklogEntry> + 'a {
    (first..list.put_in()).map(|position| list.at(position))
}

/// The bytes of some of the packets that are inside: of the oldest, as many as have been counted. A port whose buffer
/// is measured in packets, and of which nobody asks for bytes, counts none.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ByteCount {
    /// The position behind the newest of them. If the oldest packet inside is this one or a later one, all of them have
    /// left.
    tail: u64,
    bytes: u64,
}

impl ByteCount {
    /// Counts those from `first` on that are new. All bytes inside.
    fn count(&mut self, list: &impl Backlog, first: u64) -> u64 {
        if self.tail <= first {
            *self = ByteCount { tail: first, bytes: 0 };
        }
        self.bytes += from(list, self.tail).map(BacklogEntry::size).sum::<u64>();
        self.tail = list.put_in();
        self.bytes
    }

    /// The oldest packet, at `position`, has left.
    #[inline]
    fn forget(&mut self, position: u64, packet: BacklogEntry) {
        if position < self.tail {
            self.bytes -= packet.size();
        }
    }
}

impl Port {
    /// Goes past what has left.
    #[inline]
    pub(super) fn sweep(&mut self, now: u64, list: &(impl Backlog + ?Sized)) {
        let mut first = self.first_inside;
        if first < list.taken_out() {
            // They have arrived, and their sizes are not known any more.
            first = list.taken_out();
            self.counted = None;
        }
        while first < list.put_in() {
            let packet = list.at(first);
            if packet.end > now {
                break;
            }
            self.counted.iter_mut().for_each(|counted| counted.forget(first, packet));
            first += 1;
        }
        self.first_inside = first;
    }

    /// The same for a port with a list of its own, in which there is nothing else then.
    pub fn sweep_own(&mut self, now: u64) {
        self.with_own(|port, own| port.sweep(now, own));
        self.own.take_out_until(self.first_inside);
    }

    /// Bytes that wait, after a [`Port::sweep`]: those of all that is inside but the packet in transmission.
    #[inline]
    pub(super) fn waiting_bytes(&mut self, list: &impl Backlog) -> u64 {
        if list.put_in() - self.first_inside <= 1 {
            return 0;
        }
        let inside = self.counted.get_or_insert_default().count(list, self.first_inside);
        inside - list.at(self.first_inside).size()
    }

    /// Packets inside a port with a list of its own, and the bytes of those that wait.
    #[inline]
    pub(super) fn backlog(&mut self, now: u64) -> Count {
        if self.busy_until <= now {
            return Count::default();
        }
        self.with_own(|port, own| {
            port.sweep(now, own);
            Count { packets: own.put_in() - port.first_inside, bytes: port.waiting_bytes(own) }
        })
    }

    /// Lets `look` see a port beside its own list.
    #[inline]
    pub(super) fn with_own<T>(&mut self, look: impl FnOnce(&mut Port, &Ring<BacklogEntry>) -> T) -> T {
        let own = std::mem::take(&mut self.own);
        let seen = look(self, &own);
        self.own = own;
        seen
    }

    /// Lets `look` see a port beside the list of what is inside: its own, or its fibre.
    pub(super) fn with_list<T>(&mut self, fibre: &Ring<Packet>, look: impl FnOnce(&mut Port, &dyn Backlog) -> T) -> T {
        match self.list {
            BacklogPlace::Own => self.with_own(|port, own| look(port, own)),
            BacklogPlace::Fibre => look(self, &self.on_fibre(fibre)),
        }
    }

    /// Its fibre as the list of what is inside.
    #[inline]
    pub(super) fn on_fibre<'a>(&self, fibre: &'a Ring<Packet>) -> FibreBacklog<'a> {
        FibreBacklog { fibre, delay: self.delay }
    }

    /// Adds a packet to the list of its own. What has left is taken out when the list has no place.
    #[inline]
    pub(super) fn push_backlog(&mut self, end: u64, size: u16) {
        if self.own.is_full() {
            // It has been looked so often that what has left is known well enough.
            self.own.take_out_until(self.first_inside);
        }
        self.own.push(BacklogEntry::new(end, size));
    }

    /// Nothing is inside a port with a list of its own.
    pub(super) fn clear_own(&mut self) {
        self.own.clear();
        self.first_inside = self.own.put_in();
    }

    /// Whether its fibre can say from now on what is inside: nothing is, and nothing on the fibre makes what comes next
    /// arrive later than a delay after it has left. And the link is up, as nobody asks while [time](super::bounds) says
    /// enough.
    pub(super) fn may_use_fibre(&self, now: u64) -> bool {
        self.kind == PortKind::DropTail
            && !(self.has_features || self.is_watched)
            && self.is_up()
            && self.busy_until <= now
            && self.last_arrival <= now.saturating_add(self.delay)
    }

    /// From now on its fibre says what is inside; a packet of some `size` comes.
    pub(super) fn use_fibre(&mut self, size: u16, fibre: &Ring<Packet>) {
        self.own.clear();
        self.first_inside = fibre.put_in();
        self.counted = None;
        self.bound_by_time(size);
        self.list = BacklogPlace::Fibre;
    }

    /// From now on it has a list of its own, if it has none.
    pub fn use_own_list(&mut self, fibre: &Ring<Packet>) {
        if self.list == BacklogPlace::Own {
            return;
        }
        self.own.restart();
        let list = self.on_fibre(fibre);
        from(&list, self.first_inside.max(list.taken_out())).for_each(|packet| {
            self.own.push(packet);
        });
        self.first_inside = 0;
        self.counted = None;
        self.bound_by_count();
        self.follow(fibre);
        self.list = BacklogPlace::Own;
    }

    /// What must lie at the near end of its `fibre`, which ends in another partition: what is inside, in the same
    /// places, if the fibre must tell that; nothing if it has a list of its own.
    pub fn near_end(&self, fibre: &Ring<Packet>) -> Ring<Packet> {
        fibre.copy_from(match self.list {
            BacklogPlace::Own => fibre.put_in(),
            BacklogPlace::Fibre => self.first_inside.max(fibre.taken_out()),
        })
    }
}
