//! What waits at a rack for other racks.

use crate::engine::link::ring::Ring;
use crate::engine::packet::{Class, Packet};
use crate::model::Buffer;

/// A queue that has become empty keeps memory for so many packets.
const KEPT_PLACES: usize = 1024;
/// Bits of a word.
const WORD: usize = u64::BITS as usize;

/// Packets in the order in which they came.
#[derive(Debug, Default)]
pub(super) struct Queue {
    packets: Ring<Waiting>,
    bytes: u64,
}

/// A packet that waits.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Waiting {
    /// It.
    pub packet: Packet,
    /// When it came to this rack.
    pub arrived: u64,
    /// The rack that it goes to.
    pub to: u32,
}

/// Queues for each rack: one, or one for each host or pair of hosts.
#[derive(Debug)]
pub(super) struct Queues {
    all: Vec<Queue>,
    /// By rack: which are not empty, a bit each in so many words.
    filled: Vec<u64>,
    words: usize,
    /// By rack: what waits.
    taken: Vec<Room>,
    /// Queues for each rack.
    parts: usize,
    /// Which of them is looked at first.
    turn: usize,
    /// Whether a queue has a first packet that may leave where the former one, or none, could not.
    has_news: bool,
}

/// A number of packets and bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Room {
    packets: u64,
    bytes: u64,
}

impl Queue {
    /// One more.
    pub fn push(&mut self, waiting: Waiting) {
        self.bytes += u64::from(waiting.packet.size);
        self.packets.push(waiting);
    }

    /// The first one leaves.
    pub fn pop(&mut self) -> Option<Waiting> {
        let waiting = self.packets.pop()?;
        self.bytes -= u64::from(waiting.packet.size);
        if self.packets.is_empty() && self.packets.places() > KEPT_PLACES {
            self.packets = Ring::new();
        }
        Some(waiting)
    }

    /// Bytes of the first one.
    pub fn first(&self) -> Option<u16> {
        self.packets.front().map(|waiting| waiting.packet.size)
    }

    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.packets.is_empty()
    }

    /// Whether the first one may take a detour: a message may not, since only its ends know where it goes.
    pub fn may_detour(&self) -> bool {
        self.packets.front().is_some_and(|waiting| waiting.packet.class != Class::Control)
    }

    /// Bytes of all.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Shows every packet.
    pub fn for_each_mut(&mut self, change: &mut dyn FnMut(&mut Packet)) {
        self.packets.for_each_mut(|waiting| change(&mut waiting.packet));
    }
}

impl Queues {
    /// Empty ones for so many racks.
    pub fn new(racks: usize, parts: usize) -> Queues {
        let all = (0..racks * parts).map(|_| Queue::default()).collect();
        let words = parts.div_ceil(WORD);
        let (filled, taken) = (vec![0; racks * words], vec![Room::default(); racks]);
        Queues { all, filled, words, taken, parts, turn: 0, has_news: false }
    }

    /// A packet comes to a queue for a rack.
    pub fn push(&mut self, rack: u32, part: usize, waiting: Waiting) {
        let (rack, part) = (rack as usize, part % self.parts);
        self.filled[rack * self.words + part / WORD] |= 1 << (part % WORD);
        self.taken[rack].add(waiting.packet.size);
        let queue = &mut self.all[rack * self.parts + part];
        self.has_news |= queue.is_empty();
        queue.push(waiting);
    }

    /// The first packet of a queue leaves.
    pub fn pop(&mut self, number: usize) -> Option<Waiting> {
        let (rack, part) = (number / self.parts, number % self.parts);
        self.turn = part + 1;
        let waiting = self.all[number].pop()?;
        match self.all[number].first() {
            Some(next) => self.has_news |= next < waiting.packet.size || waiting.packet.class == Class::Control,
            None => self.filled[rack * self.words + part / WORD] &= !(1 << (part % WORD)),
        }
        self.taken[rack].remove(waiting.packet.size);
        Some(waiting)
    }

    /// Whether there is a first packet since the last call that may leave where the former one could not: where nothing
    /// was, it is smaller, or behind a message.
    pub fn take_news(&mut self) -> bool {
        std::mem::take(&mut self.has_news)
    }

    /// Whether something waits for a rack.
    #[inline]
    pub fn has(&self, rack: u32) -> bool {
        self.taken[rack as usize].packets > 0
    }

    /// One queue for a rack that has a packet for which its part has so many bytes left, and the packet's size.
    #[inline]
    pub fn pick(&self, rack: u32, left: &[u64]) -> Option<(usize, u16)> {
        if !self.has(rack) {
            return None;
        }
        let mut found = self.filled(rack, self.turn).filter_map(|part| {
            let number = rack as usize * self.parts + part;
            let size = self.all[number].first()?;
            (left[part] >= u64::from(size)).then_some((number, size))
        });
        found.next()
    }

    /// The parts of the queues for a rack that are not empty, from one on and then from the first on.
    #[inline]
    fn filled(&self, rack: u32, from: usize) -> impl Iterator<Item = usize> {
        let words = &self.filled[rack as usize * self.words..][..self.words];
        let bits = move |is_before: bool| {
            words.iter().zip((0..).step_by(WORD)).flat_map(move |(word, first)| {
                let later = u64::MAX.checked_shl(from.saturating_sub(first) as u32).unwrap_or(0);
                ones(word & if is_before { !later } else { later }).map(move |bit| first + bit)
            })
        };
        bits(false).chain(bits(true))
    }

    /// The numbers of all queues that are not empty, in order.
    pub fn all_filled(&self) -> impl Iterator<Item = u32> {
        let racks = (0u32..).zip(&self.taken).filter(|(_, taken)| taken.packets > 0);
        racks.flat_map(move |(rack, _)| self.filled(rack, 0).map(move |part| rack * self.parts as u32 + part as u32))
    }

    /// The queue of this number.
    pub fn at(&self, number: usize) -> &Queue {
        &self.all[number]
    }

    /// Those for a rack, by part.
    pub fn of(&self, rack: u32) -> &[Queue] {
        &self.all[rack as usize * self.parts..][..self.parts]
    }

    /// All, by rack and part.
    pub fn all(&self) -> &[Queue] {
        &self.all
    }

    /// Queues for each rack.
    pub fn parts(&self) -> usize {
        self.parts
    }

    /// What waits for a rack.
    #[inline]
    pub fn taken(&self, rack: u32) -> Room {
        self.taken[rack as usize]
    }

    /// Shows every packet.
    pub fn for_each_mut(&mut self, change: &mut dyn FnMut(&mut Packet)) {
        self.all.iter_mut().for_each(|queue| queue.for_each_mut(change));
    }
}

/// The places of the ones of a word, the lowest first.
fn ones(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let place = word.trailing_zeros();
        word &= word.checked_sub(1)?;
        Some(place as usize)
    })
}

impl Room {
    /// How many bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// One more packet.
    pub fn add(&mut self, size: u16) {
        (self.packets, self.bytes) = (self.packets + 1, self.bytes + u64::from(size));
    }

    /// One less.
    pub fn remove(&mut self, size: u16) {
        (self.packets, self.bytes) = (self.packets - 1, self.bytes - u64::from(size));
    }

    /// How many packets.
    pub fn packets(&self) -> u64 {
        self.packets
    }

    /// Whether a buffer that is taken up so far has no room for one more.
    pub fn is_full(&self, buffer: Buffer, size: u16) -> bool {
        match buffer {
            Buffer::Packets(places) => self.packets >= places,
            Buffer::Bytes(room) => self.bytes + u64::from(size) > room.count(),
            Buffer::Unlimited => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queues_are_looked_at_in_turn_whatever_their_number() {
        let waiting = |size| Waiting { packet: Packet { size, ..Packet::default() }, ..Waiting::default() };
        for parts in [1, 6, 64, 65, 200] {
            let mut queues = Queues::new(3, parts);
            let chosen: Vec<usize> = (0..parts).filter(|part| part % 3 != 1).collect();
            for part in &chosen {
                queues.push(1, *part, waiting(100));
                assert!(queues.take_news(), "it was empty");
                queues.push(1, *part, waiting(60));
                assert!(!queues.take_news());
            }
            let numbers = chosen.iter().map(|part| (parts + part) as u32);
            assert!(queues.all_filled().eq(numbers), "{parts} parts");
            for from in 0..=parts {
                let turns: Vec<usize> = (from..parts).chain(0..from).filter(|part| part % 3 != 1).collect();
                assert!(queues.filled(1, from).eq(turns), "{parts} parts from {from}");
            }
            assert_eq!(
                (queues.has(0), queues.has(1), queues.taken(1).bytes()),
                (false, true, 160 * chosen.len() as u64)
            );
            // The first one has no bytes left; the second one may send a packet of 100 bytes.
            let mut left = vec![100; parts];
            left[0] = 99;
            assert_eq!(queues.pick(1, &left), chosen.get(1).map(|part| (parts + part, 100)));
            assert_eq!(queues.pop(parts).unwrap().packet.size, 100);
            assert!(queues.take_news(), "the next one is smaller");
            assert_eq!(queues.pop(parts).unwrap().packet.size, 60);
            assert!(!queues.take_news(), "it is empty");
            assert!(queues.pop(parts).is_none() && queues.pop(0).is_none());
        }
    }

    /// What waits, two of 100 B, and a buffer in either unit: one more packet of 100 B fits where the last one ends it.
    #[test]
    fn a_buffer_is_full_where_one_more_would_exceed_it() {
        let mut room = Room::default();
        [300, 100, 100].into_iter().for_each(|size| room.add(size));
        room.remove(300);
        assert_eq!((room.packets(), room.bytes()), (2, 200));
        assert_eq!([2, 3].map(|places| room.is_full(Buffer::Packets(places), 100)), [true, false]);
        let bytes = [299, 300].map(|bytes| room.is_full(Buffer::Bytes(units::Bytes(bytes)), 100));
        assert_eq!((bytes, room.is_full(Buffer::Unlimited, 100)), ([true, false], false));
    }

    #[test]
    fn messages_take_no_detour_and_what_is_behind_one_is_news() {
        let of = |class, to| Waiting { packet: Packet { size: 100, class, ..Packet::default() }, arrived: 0, to };
        let mut queues = Queues::new(2, 1);
        queues.push(1, 0, of(Class::Control, 1));
        queues.push(1, 0, of(Class::Data, 1));
        queues.push(1, 0, of(Class::Data, 1));
        assert!(queues.take_news() && !queues.at(1).may_detour() && !queues.at(0).may_detour());
        assert_eq!(
            (queues.at(1).bytes(), queues.of(1)[0].bytes(), queues.all().len(), queues.parts()),
            (300, 300, 2, 1)
        );
        queues.pop(1);
        assert!(queues.take_news() && queues.at(1).may_detour(), "a message was before it");
        queues.pop(1);
        assert!(!queues.take_news(), "it is no smaller");
        let mut seen = 0;
        queues.for_each_mut(&mut |packet| seen += packet.size);
        assert_eq!((seen, queues.at(1).bytes(), queues.taken(1).packets()), (100, 100, 1));
    }

    /// A burst of more than the kept places leaves no memory behind; one of fewer keeps its own.
    #[test]
    fn a_queue_gives_back_the_memory_of_a_burst() {
        let places = |count: usize| {
            let mut queue = Queue::default();
            (0..count).for_each(|_| queue.push(Waiting::default()));
            while queue.pop().is_some() {}
            queue.packets.places()
        };
        assert!((1..=KEPT_PLACES).contains(&places(10)) && places(3 * KEPT_PLACES) < KEPT_PLACES);
        assert_eq!(places(KEPT_PLACES), KEPT_PLACES);
    }
}
