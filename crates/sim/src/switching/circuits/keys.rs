//! `[switching]` with `kind = "circuits"`.

use crate::language::keys::{When, keys, more_than_zero, whole};
use crate::language::{At, Key, Room, Time, Word};
use control::scheduler::circuits::Algorithm;
use options::words;
use units::Duration;

const RESIZED: When<CircuitSwitching> =
    When::new(|keys| keys.resized_buffer.is_some(), "goes with resized_buffer, the room in a pair's day");

const MARKS: When<CircuitSwitching> = When::new(
    |keys| keys.resized_buffer.is_some() && keys.mark_from.is_some(),
    "goes with resized_buffer and mark_from, whose place it takes while the queue is larger",
);
const NIGHT: When<CircuitSwitching> =
    When::new(|keys| keys.file.is_none(), "goes with day or demand; a file has its own nights");
const TURNS: When<CircuitSwitching> = When::new(|keys| keys.day.is_some(), "goes with day");
const DEMAND: When<CircuitSwitching> = When::new(|keys| keys.demand.is_some(), "goes with demand");

keys! {
    /// Circuits that come and go between racks, beside a packet network: Mukerjee et al., NSDI 2020. A rack is a node
    /// with a link to and from both switches (topology "racks"). In a pair's day its circuit drains the queue of that
    /// pair; else the rack's queues take turns on its one link to the packet switch.
    pub struct CircuitSwitching {
        /// How long a circuit stays, in a week of matchings in turn. This, `file` or `demand`.
        pub day: Option<At<Time>>, in more_than_zero();
        /// Before each day no circuit is there for so long.
        pub night: Key<Time> = Time(Duration::ZERO), when NIGHT;
        /// Which racks the circuits of each day of the week join.
        pub matchings: Key<Word<Matchings>> = Word(Matchings::Offsets), when TURNS;
        /// The week of a file that `photocol schedule -o` has written, its ports the racks, of one switch; relative to
        /// the scenario's folder.
        pub file: Option<At<String>>;
        /// A file with the bytes that each rack has for each other in a week: a line a rack, with commas or spaces
        /// between. The week is scheduled for it.
        pub demand: Option<At<String>>;
        /// How long the week lasts.
        pub week: Option<At<Time>>, in more_than_zero(), when DEMAND;
        /// The rule of the schedule (`photocol list circuit-schedules`).
        pub rule: Key<String> = Algorithm::Solstice.name().to_owned(), when DEMAND;
        /// A night and a day, for the rules that need it.
        pub slice: Option<At<Time>>, in more_than_zero(), when DEMAND;
        /// Packets for another rack that may wait at a rack, not counting one in transmission.
        pub buffer: At<Room>;
        /// The same from `lead` before the pair's day until its end. Packets beyond `buffer` at that end stay.
        pub resized_buffer: Option<At<Room>>;
        /// How long before the pair's day its queue is resized.
        pub lead: Key<Time> = Time(Duration::ZERO), when RESIZED;
        /// XCP's controllers stand at a rack's queues where its link to the packet switch has `xcp`. One that follows
        /// is told so long ahead whether its pair has its circuit or its part of the packet switch; at most a week.
        pub xcp_lead: Key<Time> = Time(Duration::ZERO);
        /// Queues mark packets (ECN) that find so many waiting. Default: never.
        pub mark_from: Option<At<u32>>, in whole(1, u32::MAX);
        /// The same while the queue is resized. Default: `mark_from`. Etalon: in proportion to the room.
        pub resized_mark_from: Option<At<u32>>, in whole(1, u32::MAX), when MARKS;
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
