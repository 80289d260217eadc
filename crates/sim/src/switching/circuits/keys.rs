//! `[switching]` with `kind = "circuits"`.

use crate::language::keys::{When, keys, more_than_zero, whole};
use crate::language::{At, Key, Room, Time, Word};
use options::words;
use units::Duration;

const RESIZED: When<CircuitSwitching> =
    When::new(|keys| keys.resized_buffer.is_some(), "goes with resized_buffer, the room in a pair's day");

keys! {
    /// Circuits that come and go between racks, beside a packet network: Mukerjee et al., NSDI 2020. A rack is a node
    /// with a link to and from both switches (topology "racks"). In a pair's day its circuit drains the queue of that
    /// pair; else the rack's queues take turns on its one link to the packet switch.
    pub struct CircuitSwitching {
        /// How long a circuit stays.
        pub day: At<Time>, in more_than_zero();
        /// Before each day no circuit is there for so long.
        pub night: Key<Time> = Time(Duration::ZERO);
        /// Which racks the circuits of each day of the week join.
        pub matchings: Key<Word<Matchings>> = Word(Matchings::Offsets);
        /// Packets for another rack that may wait at a rack, not counting one in transmission.
        pub buffer: At<Room>;
        /// The same from `lead` before the pair's day until its end. Packets beyond `buffer` at that end stay.
        pub resized_buffer: Option<At<Room>>;
        /// How long before the pair's day its queue is resized.
        pub lead: Key<Time> = Time(Duration::ZERO), when RESIZED;
        /// Queues mark packets (ECN) that find so many waiting. Default: never.
        pub mark_from: Option<At<u32>>, in whole(1, u32::MAX);
        /// What drains the queue of a pair in its day.
        pub in_day: Key<Word<InDay>> = Word(InDay::Circuit);
        /// What becomes of a packet whose last bit would leave after the circuit's day.
        pub day_end: Key<Word<DayEnd>> = Word(DayEnd::Hold);
        /// Packets of the largest size for which the packet switch has room, for each input and output; smaller ones
        /// take less of it, and one in transmission none.
        pub places: Key<u32> = 3, in whole(1, 1 << 16);
        /// The packet switch begins to send a packet when its first bit is there, or when it has all of it (false).
        pub cut_through: Key<bool> = false;
        /// The node that switches packets.
        pub packet_switch: Key<String> = "packet".to_owned();
        /// The node that switches circuits.
        pub circuit_switch: Key<String> = "circuit".to_owned();
    }
}

words! {
    /// Which racks circuits join in the days of a week.
    pub enum Matchings {
        /// In day m rack i sends to rack i + m (modulo their number): a pair's way back has another day.
        Offsets = "offsets",
        /// A round-robin tournament: in a day two racks send to each other.
        Tournament = "tournament",
    }
}

words! {
    /// What drains a pair's queue in its day.
    pub enum InDay {
        /// The circuit alone.
        Circuit = "circuit",
        /// The circuit and the packet switch.
        Both = "both",
    }
}

words! {
    /// The end of a day.
    pub enum DayEnd {
        /// It waits.
        Hold = "hold",
        /// It is sent to its end, in the night.
        Finish = "finish",
        /// It is sent and lost.
        Cut = "cut",
    }
}
