//! `[[news]]`.

use crate::language::keys::{When, Within, keys};
use crate::language::{At, Key, Names, Time, Word};
use options::words;
use transport::cc::NewsWay;

keys! {
    /// What senders are told of changes of links: that a circuit comes, goes, or is about to. Only senders hear it
    /// whose data cross the link and whose window law listens ("retcp", "tdtcp", "satcp", a law in Python with
    /// `on_news`). A change is one of capacity or state, by `[[event]]`; each capacity of a link has a number, 0 the
    /// first. Of the circuits of `[switching]` with kind = "circuits" or "rotor", senders between the two racks hear; 0
    /// is the packet switch, or what two racks have at the start. Rotor switches mark nothing. Of circuits that a
    /// policy sets (kind = "ocs"), senders between the two nodes hear as they are decided, and the number is that of
    /// the circuits. Of pairs of hosts whose routes are known in time, as over satellites, senders hear when another
    /// route begins, how wide it is and how long the round trip of its empty path; laws that reckon with that ("hpcc",
    /// "powertcp", "theta-powertcp") listen too.
    pub struct LinkNews {
        /// "a->b" for one direction, "a-b" for both, or a list of such. This, `circuit` or `pair`.
        pub link: Option<At<Names>>;
        /// Two racks, or nodes with ports, whose circuit it is: "a->b" for one direction, "a-b" for both, a list of
        /// such, or "all".
        pub circuit: Option<At<Names>>;
        /// Two hosts whose routes change in time ("contacts", "constellation"): "a->b" for one direction, "a-b" for
        /// both, a list of such, or "all".
        pub pair: Option<At<Names>>;
        /// From when on senders are told that a circuit is there. Default "day".
        pub begins: Option<At<Word<Begins>>>, when OF_CIRCUITS;
        /// "mark": data packets that leave while the link has another capacity than at first are marked, and ACKs echo
        /// it. "message": the switch tells each sender. "schedule": senders know the changes ahead.
        pub way: At<Word<NewsWay>>;
        /// From the change until the message is at the sender; it is no packet and meets no queue. Default "0 s".
        pub delay: Option<At<Time>>, when BY_MESSAGE;
        /// So long before a change its senders act on it; at most the duration of the run. Default "0 s".
        pub lead: Option<At<Time>>, when BY_SCHEDULE;
        /// Standard deviation of the error of the time that is said, normal and drawn for each change. Default "0 s".
        pub time_error: Option<At<Time>>, when BY_SCHEDULE;
        /// Standard deviation of the error of the capacity that is said, as a share of it; normal and drawn for each
        /// change, at least -1. Marks say no capacity.
        pub capacity_error: Key<f64> = 0.0, in Within::new("0 to 10", |share| (0.0..=10.0).contains(share)),
            when NOT_BY_MARKS;
    }
}

words! {
    /// From when on a circuit counts as there.
    pub enum Begins {
        /// As its day begins.
        Day = "day",
        /// As its queue is resized, `lead` before the day (`switching.resized_buffer`).
        Resize = "resize",
    }
}

const OF_CIRCUITS: When<LinkNews> = When::new(|news| news.circuit.is_some(), "goes with circuit");
const NOT_BY_MARKS: When<LinkNews> =
    When::new(|news| news.way.0 != NewsWay::Mark, "goes with way = \"message\" or \"schedule\"");
const BY_MESSAGE: When<LinkNews> = When::new(|news| news.way.0 == NewsWay::Message, "goes with way = \"message\"");
const BY_SCHEDULE: When<LinkNews> = When::new(|news| news.way.0 == NewsWay::Schedule, "goes with way = \"schedule\"");
