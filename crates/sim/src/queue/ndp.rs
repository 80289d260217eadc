//! Packet trimming. Source: M. Handley, C. Raiciu, A. Agache, A. Voinescu, A. W. Moore, G. Antichi, M. Wójcik,
//! "Re-architecting datacenter networks and stacks for low latency and high performance", SIGCOMM 2017, §3.1.
//!
//! There are two queues. Data waits in one of a few packets; headers of trimmed packets, ACKs, NACKs and PULLs wait in
//! the other. While both have something, `ratio` headers leave for each packet of data. Data that finds its queue full
//! is trimmed to its header, or, with probability 1/2, the newest packet of that queue is, and the other one stays:
//! else phase effects would always hit the same senders. A header that finds no room goes back to its sender, or is
//! dropped.
//!
//! Reading: the room of the port (`buffer`) is for both queues together, and headers have all of it but the share of
//! data, which they never take; the paper gives both the same memory (8 packets of 9 kB, 1125 headers of 64 B). What is
//! no larger than a header waits with headers, whole. Packets that may not be trimmed (TCP, UDP) are dropped where
//! others are trimmed.

use super::scheduler::{Dropped, Fifo, Form, Held, Item, Reason, Room, Scheduler};
use super::{Parameters, Site};
use crate::random::{Stream, uniform_index};
use options::{ConfigError, Kind, Range, Words, options, words};
use units::{BufferSize, Bytes};

words! {
    /// Which packet loses its payload.
    pub enum Trims {
        /// The one that comes or the newest that waits, with equal probability.
        Either = "either",
        /// The one that comes.
        Arriving = "arriving",
    }
}

words! {
    /// What becomes of a header without room.
    pub enum Overflow {
        /// It goes back to its sender, if each link of its way has one back.
        Return = "return",
        /// It is dropped.
        Drop = "drop",
    }
}

options! {
    /// The parameters.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Config {
        /// Data that may wait: packets, bytes, or a time at the link's capacity.
        pub data: BufferSize = BufferSize::Packets(8), Kind::Room;
        /// Bytes that stay of a trimmed packet.
        pub header: u32 = 64, Kind::Bytes;
        /// Headers that leave for each packet of data, while both wait.
        pub ratio: u32 = 10, Kind::Whole(Range::closed(1.0, 1_000_000.0));
        /// Which packet is trimmed where data finds no room.
        pub trims: Trims = Trims::Either, Kind::Word(&Trims::LIST);
        /// What becomes of a header without room.
        pub overflow: Overflow = Overflow::Return, Kind::Word(&Overflow::LIST);
    }
}

/// Data and headers.
#[derive(Debug)]
pub struct Ndp {
    config: Config,
    stream: Stream,
    data: Fifo,
    headers: Fifo,
    /// Headers that have left since the last packet of data.
    in_a_row: u32,
    /// The largest packet of data that has come.
    largest: u64,
}

impl Parameters for Config {
    fn validate(&self) -> Result<(), ConfigError> {
        let wrong = |key, reason: &'static str| Err(ConfigError::new(key, reason));
        match (self.data, self.header) {
            (BufferSize::Unlimited, _) => wrong("data", "must be packets, bytes or a time"),
            (BufferSize::Packets(0), _) => wrong("data", "must be at least a packet"),
            (_, header) if header > u32::from(u16::MAX) => wrong("header", "must be at most 65535 B"),
            _ => Ok(()),
        }
    }

    fn marks(&self) -> bool {
        false
    }

    fn trims(&self) -> bool {
        true
    }
}

impl Ndp {
    fn held(&self) -> Held {
        let (data, headers) = (self.data.held(), self.headers.held());
        Held { packets: data.packets + headers.packets, bytes: data.bytes + headers.bytes }
    }

    fn has_room_for_data(&self, item: &Item) -> bool {
        match self.config.data {
            BufferSize::Packets(places) => (self.data.len() as u64) < places,
            BufferSize::Bytes(Bytes(bytes)) => self.data.bytes() + u64::from(item.size) <= bytes,
            BufferSize::Time(_) | BufferSize::Unlimited => true,
        }
    }

    /// The part of the room that is for data, whether it is there or not; 0 of a room without bound.
    fn share(&self, room: Room) -> u64 {
        match (room, self.config.data) {
            (Room::Packets(_), BufferSize::Packets(places)) => places,
            (Room::Packets(_), BufferSize::Bytes(Bytes(bytes))) => bytes / self.largest.max(1),
            (Room::Bytes(_), BufferSize::Packets(places)) => places.saturating_mul(self.largest),
            (Room::Bytes(_), BufferSize::Bytes(Bytes(bytes))) => bytes,
            _ => 0,
        }
    }

    fn has_room_for_header(&self, header: &Item, room: Room) -> bool {
        let share = self.share(room);
        let (data, headers) = (self.data.held(), self.headers.held());
        match room {
            Room::Packets(places) => headers.packets + 1 + data.packets.max(share) <= places,
            Room::Bytes(bytes) => headers.bytes + u64::from(header.size) + data.bytes.max(share) <= bytes,
            Room::Unlimited | Room::NotNeeded => true,
        }
    }

    /// Whether data may wait: in the queue of data, whatever the room, and in the room.
    fn admits(&self, item: &Item, room: Room) -> bool {
        self.has_room_for_data(item) && self.held().admits(room, item)
    }

    /// The one that is trimmed, if either may be: the packet that comes, or the newest that waits, whose place it
    /// takes.
    fn chosen(&mut self, item: Item, room: Room) -> Option<Item> {
        if self.config.trims == Trims::Either && uniform_index(&mut self.stream, 2) == 1 {
            let newest = self.data.pop_newest();
            if newest.is_some_and(|newest| newest.form == Form::Trimmable) && self.admits(&item, room) {
                self.data.push(item);
                return newest;
            }
            newest.into_iter().for_each(|newest| self.data.push(newest));
        }
        (item.form == Form::Trimmable).then_some(item)
    }

    fn add_header(&mut self, header: Item, room: Room, dropped: &mut Vec<Dropped>) {
        if self.has_room_for_header(&header, room) {
            return self.headers.push(header);
        }
        let returns = header.form != Form::Control && self.config.overflow == Overflow::Return;
        dropped.push(Dropped { item: header, reason: if returns { Reason::Returned } else { Reason::Full } });
    }
}

impl Scheduler for Ndp {
    type Config = Config;

    fn new(config: &Config, site: Site) -> Ndp {
        let (data, headers) = (Fifo::default(), Fifo::default());
        Ndp { config: *config, stream: site.stream, data, headers, in_a_row: 0, largest: 0 }
    }

    fn enqueue(&mut self, _: u64, item: Item, room: Room, dropped: &mut Vec<Dropped>) {
        let header = self.config.header as u16;
        match item.form {
            Form::Trimmed | Form::Control => return self.add_header(item, room, dropped),
            Form::Trimmable if item.size <= header => return self.add_header(item, room, dropped),
            Form::Trimmable | Form::Whole => {}
        }
        self.largest = self.largest.max(item.size.into());
        if room == Room::NotNeeded || self.admits(&item, room) {
            return self.data.push(item);
        }
        match self.chosen(item, room) {
            Some(trimmed) => self.add_header(trimmed.trimmed(header), room, dropped),
            None => dropped.push(Dropped { item, reason: Reason::Full }),
        }
    }

    fn dequeue(&mut self, _: u64, _: &mut Vec<Dropped>) -> Option<Item> {
        let is_turn_of_data = self.headers.is_empty() || self.in_a_row >= self.config.ratio;
        if is_turn_of_data && let Some(item) = self.data.pop() {
            self.in_a_row = 0;
            return Some(item);
        }
        // Headers that leave while no data waits have nobody's turn.
        self.in_a_row = if self.data.is_empty() { 0 } else { self.in_a_row + 1 };
        self.headers.pop()
    }

    fn may_pass(&self) -> bool {
        true
    }

    fn pass(&mut self, size: u16, form: Form, _: u64, _: Room) {
        let is_header = match form {
            Form::Trimmed | Form::Control => true,
            Form::Trimmable => size <= self.config.header as u16,
            Form::Whole => false,
        };
        if !is_header {
            self.largest = self.largest.max(size.into());
        }
        self.in_a_row = 0;
    }

    fn clear(&mut self) {
        self.data.clear();
        self.headers.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::by_hand::tests::site;

    const ROOM: Room = Room::Packets(100);

    fn packet(id: u32) -> Item {
        Item { id, size: 1500, form: Form::Trimmable, ..Item::default() }
    }

    fn filled(config: Config, packets: u32, room: Room) -> (Ndp, Vec<Dropped>) {
        let (mut queue, mut dropped) = (Ndp::new(&config, site()), Vec::new());
        (0..packets).for_each(|id| queue.enqueue(0, packet(id), room, &mut dropped));
        (queue, dropped)
    }

    fn drained(queue: &mut Ndp) -> Vec<Item> {
        std::iter::from_fn(|| queue.dequeue(0, &mut Vec::new())).collect()
    }

    /// Whatever has left before, a packet that passes leaves the queue as one that is put in and taken out does, and
    /// the transmitter that is asked in vain behind it.
    #[test]
    fn what_passes_leaves_no_other_trace_than_what_is_put_in_and_taken_out() {
        let forms = [Form::Trimmable, Form::Whole, Form::Trimmed, Form::Control];
        for (size, form) in [40, 64, 65, 1500].into_iter().flat_map(|size| forms.map(|form| (size, form))) {
            let (mut asked, mut passed) =
                (filled(Config::default(), 30, ROOM).0, filled(Config::default(), 30, ROOM).0);
            drained(&mut asked);
            drained(&mut passed);
            let item = Item { id: 7, size, form, ..Item::default() };
            asked.enqueue(0, item, Room::NotNeeded, &mut Vec::new());
            assert_eq!((asked.dequeue(0, &mut Vec::new()), asked.dequeue(0, &mut Vec::new())), (Some(item), None));
            passed.pass(size, form, 0, ROOM);
            let state = |queue: &Ndp| (queue.held(), queue.in_a_row, queue.largest, queue.stream.clone());
            assert_eq!(format!("{:?}", state(&asked)), format!("{:?}", state(&passed)), "{size} B, {form:?}");
        }
    }

    /// §3.1: ten headers for each packet. 8 of 40 packets wait whole, the other 32 as headers of 64 B.
    #[test]
    fn ten_headers_leave_for_each_packet_of_data() {
        let (mut queue, dropped) = filled(Config::default(), 40, ROOM);
        assert_eq!(dropped, []);
        let sizes: Vec<u16> = drained(&mut queue).iter().map(|item| item.size).collect();
        let row = |headers: usize| [vec![64; headers], vec![1500]].concat();
        let all = [row(10), row(10), row(10), row(2), vec![1500; 4]].concat();
        assert_eq!(sizes, all);
    }

    /// The queue of data has its own bound (§3.1: eight packets): of 20 packets 12 are trimmed. And
    /// a packet alone that is larger than the bound finds it full, unless the transmitter is free.
    #[test]
    fn data_are_trimmed_behind_their_own_bound_in_any_room() {
        for trims in [Trims::Either, Trims::Arriving] {
            for room in [Room::Packets(100), Room::Bytes(1_000_000), Room::Unlimited] {
                let (queue, dropped) = filled(Config { trims, ..Config::default() }, 20, room);
                assert_eq!((queue.data.len(), queue.headers.len(), dropped), (8, 12, vec![]), "{trims:?} {room:?}");
                let narrow = Config { trims, data: BufferSize::Bytes(Bytes(1000)), ..Config::default() };
                let (queue, _) = filled(narrow, 1, room);
                assert_eq!((queue.data.len(), queue.headers.len()), (0, 1), "{trims:?} {room:?}");
            }
        }
        let narrow = Config { data: BufferSize::Bytes(Bytes(1000)), ..Config::default() };
        assert_eq!(filled(narrow, 1, Room::NotNeeded).0.data.len(), 1);
    }

    /// The one that comes or the newest that waits, with probability 1/2 each: of 10⁴ packets that find the queue full
    /// half the time the other one. Four standard deviations of a fair coin are 200.
    #[test]
    fn either_packet_is_trimmed_as_a_fair_coin_says() {
        let (mut queue, mut dropped) = filled(Config::default(), 8, Room::Packets(20_000));
        let came = 8..10_008;
        came.clone().for_each(|id| queue.enqueue(0, packet(id), Room::Packets(20_000), &mut dropped));
        let headers = drained(&mut queue);
        let headers: Vec<u32> = headers.iter().filter(|item| item.cut == 1436).map(|item| item.id).collect();
        assert_eq!(headers.len(), 10_000);
        let own = came.zip(&headers).filter(|(id, header)| id == *header).count();
        assert!((4800..5200).contains(&own), "{own}");
        let (mut queue, _) = filled(Config { trims: Trims::Arriving, ..Config::default() }, 12, ROOM);
        let order: Vec<u32> = drained(&mut queue).iter().map(|item| item.id).collect();
        assert_eq!(order, [8, 9, 10, 11, 0, 1, 2, 3, 4, 5, 6, 7]);
    }

    /// §3.1: the memory of eight packets of 9 kB holds 1125 headers of 64 B.
    #[test]
    fn as_many_bytes_as_data_hold_the_papers_headers_and_the_next_one_goes_back() {
        let jumbo = |id| Item { size: 9000, ..packet(id) };
        for (overflow, reason) in [(Overflow::Return, Reason::Returned), (Overflow::Drop, Reason::Full)] {
            let config = Config { overflow, ..Config::default() };
            let (mut queue, mut dropped) = (Ndp::new(&config, site()), Vec::new());
            (0..8 + 1125 + 2).for_each(|id| queue.enqueue(0, jumbo(id), Room::Bytes(144_000), &mut dropped));
            assert_eq!((queue.headers.len(), queue.data.len()), (1125, 8));
            let gone: Vec<_> = dropped.iter().map(|one| (one.item.size, one.item.cut, one.reason)).collect();
            assert_eq!(gone, [(64, 8936, reason); 2]);
        }
    }

    #[test]
    fn headers_do_not_take_the_share_of_data() {
        let (mut queue, mut dropped) = (Ndp::new(&Config::default(), site()), Vec::new());
        let ack = |id| Item { id, size: 64, form: Form::Control, ..Item::default() };
        (0..50).for_each(|id| queue.enqueue(0, ack(id), Room::Packets(20), &mut dropped));
        assert_eq!((queue.headers.len(), dropped.len(), dropped[0].reason), (12, 38, Reason::Full));
        (50..58).for_each(|id| queue.enqueue(0, packet(id), Room::Packets(20), &mut dropped));
        assert_eq!((queue.data.len(), dropped.len()), (8, 38));
    }

    #[test]
    fn what_may_not_be_trimmed_is_dropped_and_what_is_as_small_as_a_header_goes_with_headers() {
        let tcp = |id| Item { form: Form::Whole, ..packet(id) };
        let (mut queue, mut dropped) = (Ndp::new(&Config::default(), site()), Vec::new());
        (0..9).for_each(|id| queue.enqueue(0, tcp(id), ROOM, &mut dropped));
        assert_eq!(dropped, [Dropped { item: tcp(8), reason: Reason::Full }]);
        queue.enqueue(0, Item { size: 64, ..packet(9) }, ROOM, &mut dropped);
        let first = queue.dequeue(0, &mut dropped).unwrap();
        assert_eq!((first.id, first.size, first.cut), (9, 64, 0));
    }

    /// Three packets of 1500 B are 4500 B, and leave no room for a fourth; the rest of the room is that of headers.
    #[test]
    fn the_share_of_data_is_packets_or_bytes_in_either_unit_of_the_room() {
        let data = |data, room| {
            let (queue, _) = filled(Config { data, trims: Trims::Arriving, ..Config::default() }, 400, room);
            (queue.data.len(), queue.headers.len())
        };
        let (three, bytes) = (BufferSize::Packets(3), BufferSize::Bytes(Bytes(4500)));
        assert_eq!([data(three, Room::Packets(20)), data(bytes, Room::Packets(20))], [(3, 17); 2]);
        // 4500 B and a hundred headers of 64 B.
        assert_eq!([data(three, Room::Bytes(10_900)), data(bytes, Room::Bytes(10_900))], [(3, 100); 2]);
        assert_eq!(data(BufferSize::Bytes(Bytes(4499)), Room::Packets(20)), (2, 18));
    }

    #[test]
    fn a_queue_without_room_for_data_or_with_headers_beyond_a_packet_is_refused() {
        let field = |config: Config| config.validate().err().map(|error| error.field);
        let (data, header) =
            (|data| Config { data, ..Config::default() }, |header| Config { header, ..Config::default() });
        assert_eq!([data(BufferSize::Unlimited), data(BufferSize::Packets(0))].map(field), [Some("data"); 2]);
        assert_eq!(field(data(BufferSize::Packets(1))), None);
        assert_eq!([header(65_535), header(65_536)].map(field), [None, Some("header")]);
    }

    /// What waits may be TCP's: then the packet that comes is trimmed, and none is lost.
    #[test]
    fn the_newest_that_waits_keeps_its_place_if_it_may_not_be_trimmed() {
        let (mut queue, mut dropped) = filled(Config::default(), 7, ROOM);
        queue.enqueue(0, Item { form: Form::Whole, ..packet(7) }, ROOM, &mut dropped);
        (8..40).for_each(|id| queue.enqueue(0, packet(id), ROOM, &mut dropped));
        let data: Vec<u32> = drained(&mut queue).iter().filter(|item| item.cut == 0).map(|item| item.id).collect();
        assert_eq!((data, dropped), ((0..8).collect(), vec![]));
    }

    /// §3.1: the ratio of headers to data is of the time in which both wait.
    #[test]
    fn headers_that_leave_while_no_data_waits_have_nobodys_turn() {
        let (mut queue, mut dropped) = (Ndp::new(&Config::default(), site()), Vec::new());
        let ack = |id| Item { id, size: 64, form: Form::Control, ..Item::default() };
        (0..12).for_each(|id| queue.enqueue(0, ack(id), ROOM, &mut dropped));
        (0..10).for_each(|_| assert!(queue.dequeue(0, &mut Vec::new()).is_some()));
        queue.enqueue(0, packet(12), ROOM, &mut dropped);
        assert_eq!(drained(&mut queue).iter().map(|item| item.id).collect::<Vec<_>>(), [10, 11, 12]);
    }
}
