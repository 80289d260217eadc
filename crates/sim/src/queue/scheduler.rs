//! Disciplines that decide when packets leave, or in what order: what they are told, and what they answer.

use super::{Parameters, Site};
use std::collections::VecDeque;
use units::ByteTime;

/// What a packet says of congestion (RFC 3168 §5, RFC 9331 §2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ecn {
    /// It is dropped instead.
    #[default]
    NotCapable,
    /// ECT(0): it may be marked, and its sender takes a mark for a loss.
    Classic,
    /// ECT(1): it may be marked, and its sender expects many marks.
    Scalable,
    /// CE: it is marked.
    Marked,
}

impl Ecn {
    /// Whether it may be marked instead of dropped.
    pub fn is_capable(self) -> bool {
        self != Ecn::NotCapable
    }
}

/// What a discipline may do with a packet's payload.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// Nothing: it is sent whole or dropped.
    #[default]
    Whole,
    /// It may be cut off; its end knows what a header alone says.
    Trimmable,
    /// It has been: a header is left.
    Trimmed,
    /// It has none: an ACK, or what asks for more.
    Control,
}

/// A packet that waits, as its discipline knows it. The packet proper stays with the owner of the queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Item {
    /// What its owner calls it.
    pub id: u32,
    /// Its size on the wire.
    pub size: u16,
    /// The band that it is in, 0 the first.
    pub priority: u8,
    /// What it says of congestion.
    pub ecn: Ecn,
    /// Packets of one flow go one way between two ends.
    pub flow: u64,
    /// What may be done with its payload.
    pub form: Form,
    /// Bytes that a discipline has cut off it; they are not in its size any more.
    pub cut: u16,
    /// When it came, in picoseconds.
    pub arrived: u64,
}

impl Item {
    /// How long it has waited.
    pub fn sojourn(&self, now: u64) -> u64 {
        now.saturating_sub(self.arrived)
    }

    /// The same, marked.
    pub fn marked(self) -> Item {
        Item { ecn: Ecn::Marked, ..self }
    }

    /// Its first `header` bytes, which are all that is left of it.
    pub fn trimmed(self, header: u16) -> Item {
        let size = self.size.min(header);
        Item { size, cut: self.size - size, form: Form::Trimmed, ..self }
    }
}

/// Why a discipline dropped a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// To tell its sender of congestion.
    Early,
    /// There was no room for it, or for another one that came.
    Full,
    /// There was no room for the header that is left of it, which goes back to its sender.
    Returned,
}

/// A packet that a discipline drops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dropped {
    /// The packet.
    pub item: Item,
    /// Why.
    pub reason: Reason,
}

/// How much may wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Room {
    /// So many packets.
    Packets(u64),
    /// So many bytes.
    Bytes(u64),
    /// No bound.
    Unlimited,
    /// None is needed: the transmitter is free, and the packet leaves at once.
    NotNeeded,
}

/// How much waits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Held {
    /// Packets.
    pub packets: u64,
    /// Their bytes.
    pub bytes: u64,
}

impl Held {
    /// One more.
    pub fn add(&mut self, item: &Item) {
        self.packets += 1;
        self.bytes += u64::from(item.size);
    }

    /// One less.
    pub fn remove(&mut self, item: &Item) {
        self.packets -= 1;
        self.bytes -= u64::from(item.size);
    }

    /// Whether more waits than there is room for.
    pub fn exceeds(&self, room: Room) -> bool {
        match room {
            Room::Packets(places) => self.packets > places,
            Room::Bytes(bytes) => self.bytes > bytes,
            Room::Unlimited | Room::NotNeeded => false,
        }
    }

    /// Whether there is room for one more.
    pub fn admits(&self, room: Room, item: &Item) -> bool {
        let mut after = *self;
        after.add(item);
        !after.exceeds(room)
    }
}

/// Numbers by name, with their unit in it.
pub type Figures = Vec<(&'static str, f64)>;

/// A discipline that holds what waits, and is asked for the next packet whenever the transmitter is free, until it says
/// that there is none. It reads no clock: what it does at intervals it makes up for when it is next called, for nothing
/// changes in between.
pub trait Scheduler: Sized {
    /// Its parameters.
    type Config: Parameters + Copy;

    /// An empty queue.
    fn new(config: &Self::Config, site: Site) -> Self;

    /// A packet comes, and what waits must not exceed `room` afterwards; what is dropped for that or to tell a sender
    /// is added to `dropped`.
    fn enqueue(&mut self, now: u64, item: Item, room: Room, dropped: &mut Vec<Dropped>);

    /// The transmitter is free: the packet that leaves, perhaps marked. `None` only if nothing waits any more.
    fn dequeue(&mut self, now: u64, dropped: &mut Vec<Dropped>) -> Option<Item>;

    /// Whether a packet that comes while nothing waits and the transmitter is free need not be put in and taken out:
    /// it leaves as it is, whatever there was, and [`Scheduler::pass`] is told of it.
    fn may_pass(&self) -> bool {
        false
    }

    /// Such a packet of this size, form and flow leaves; so much may wait at its port. The queue is then as if it had
    /// been put in and taken out, and asked in vain behind it.
    fn pass(&mut self, _size: u16, _form: Form, _flow: u64, _room: Room) {}

    /// Forgets what waits.
    fn clear(&mut self);

    /// The port sends a byte in so much time from now on.
    fn set_byte_time(&mut self, _: ByteTime) {}

    /// What it knows of congestion, for those who look.
    fn figures(&self) -> Figures {
        Vec::new()
    }
}

/// A first-in-first-out queue of a discipline.
#[derive(Clone, Debug, Default)]
pub struct Fifo {
    items: VecDeque<Item>,
    bytes: u64,
}

impl Fifo {
    /// At the end.
    pub fn push(&mut self, item: Item) {
        self.bytes += u64::from(item.size);
        self.items.push_back(item);
    }

    /// From the front.
    pub fn pop(&mut self) -> Option<Item> {
        let item = self.items.pop_front()?;
        self.bytes -= u64::from(item.size);
        Some(item)
    }

    /// From the end.
    pub fn pop_newest(&mut self) -> Option<Item> {
        let item = self.items.pop_back()?;
        self.bytes -= u64::from(item.size);
        Some(item)
    }

    /// The one that leaves next.
    pub fn first(&self) -> Option<&Item> {
        self.items.front()
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Their bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Both.
    pub fn held(&self) -> Held {
        Held { packets: self.len() as u64, bytes: self.bytes }
    }

    /// Forgets them.
    pub fn clear(&mut self) {
        *self = Fifo::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(size: u16) -> Item {
        Item { size, arrived: 30, ..Item::default() }
    }

    #[test]
    fn packets_and_bytes_are_counted_from_both_ends() {
        let mut fifo = Fifo::default();
        [100, 20, 3].into_iter().for_each(|size| fifo.push(item(size)));
        assert_eq!((fifo.held(), fifo.first()), (Held { packets: 3, bytes: 123 }, Some(&item(100))));
        assert_eq!((fifo.pop(), fifo.bytes(), fifo.len()), (Some(item(100)), 23, 2));
        assert_eq!((fifo.pop_newest(), fifo.bytes(), fifo.is_empty()), (Some(item(3)), 20, false));
        fifo.clear();
        assert_eq!((fifo.held(), fifo.is_empty(), fifo.pop(), fifo.pop_newest()), (Held::default(), true, None, None));
    }

    #[test]
    fn what_fills_the_room_to_the_last_packet_or_byte_is_admitted() {
        let mut held = Held { packets: 2, bytes: 900 };
        let admits = |held: Held, room| held.admits(room, &item(100));
        assert_eq!([3, 2].map(|places| admits(held, Room::Packets(places))), [true, false]);
        assert_eq!([1000, 999].map(|bytes| admits(held, Room::Bytes(bytes))), [true, false]);
        assert!(admits(held, Room::Unlimited));
        held.remove(&item(100));
        assert_eq!(held, Held { packets: 1, bytes: 800 });
    }

    /// A header is no longer than the packet was; what is cut and what is left are the packet.
    #[test]
    fn a_packet_is_marked_or_trimmed_and_has_waited_since_it_came() {
        assert_eq!([item(1500).sojourn(50), item(1500).sojourn(20)], [20, 0]);
        assert_eq!(item(1500).marked().ecn, Ecn::Marked);
        let parts = |size| (item(size).trimmed(64).size, item(size).trimmed(64).cut, item(size).trimmed(64).form);
        assert_eq!([parts(1500), parts(40)], [(64, 1436, Form::Trimmed), (40, 0, Form::Trimmed)]);
        let capable = [Ecn::NotCapable, Ecn::Classic, Ecn::Scalable, Ecn::Marked].map(Ecn::is_capable);
        assert_eq!(capable, [false, true, true, true]);
    }
}
