//! `[[news]]`.

use crate::language::keys::{When, keys};
use crate::language::{At, Names, Time, Word};
use options::words;
use transport::cc::NewsWay;

keys! {
    /// What senders are told of changes of links: that a circuit comes, goes, or is about to. Only senders hear it
    /// whose data cross the link and whose window law listens ("retcp", "tdtcp", a law in Python with `on_news`). A
    /// change is one of capacity or state, by `[[event]]`; each capacity of a link has a number, 0 the first. Of the
    /// circuits of `[switching]` with kind = "circuits" or "rotor", senders between the two racks hear; 0 is the packet
    /// switch, or what two racks have at the start. Rotor switches mark nothing.
    pub struct LinkNews {
        /// "a->b" for one direction, "a-b" for both, or a list of such. This or `circuit`.
        pub link: Option<At<Names>>;
        /// Two racks whose circuit it is: "a->b" for one direction, "a-b" for both, a list of such, or "all".
        pub circuit: Option<At<Names>>;
        /// From when on senders are told that a circuit is there. Default "day".
        pub begins: Option<At<Word<Begins>>>, when OF_CIRCUITS;
        /// "mark": data packets that leave while the link has another capacity than at first are marked, and ACKs echo
        /// it. "message": the switch tells each sender. "schedule": senders know the changes ahead.
        pub way: At<Word<NewsWay>>;
        /// From the change until the message is at the sender; it is no packet and meets no queue. Default "0 s".
        pub delay: Option<At<Time>>, when BY_MESSAGE;
        /// So long before a change its senders act on it; at most the duration of the run. Default "0 s".
        pub lead: Option<At<Time>>, when BY_SCHEDULE;
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
const BY_MESSAGE: When<LinkNews> = When::new(|news| news.way.0 == NewsWay::Message, "goes with way = \"message\"");
const BY_SCHEDULE: When<LinkNews> = When::new(|news| news.way.0 == NewsWay::Schedule, "goes with way = \"schedule\"");
