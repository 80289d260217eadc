//! The parameters of both ends and of the window law, as one list. What both ends must agree on is said once: the
//! peer's limits are those of the other end, sizes follow from `packet_size` and `header`.

use options::{Key, Kind, Options, Value, Word, WordList};
use std::sync::LazyLock;
use transport::cc::{self, Algorithm};
use transport::quic::{Config, ReceiverConfig};

/// The key by which a window law is chosen.
pub(super) const CHOICE: &str = "congestion_control";
/// What follows from other keys.
const HIDDEN: [&str; 7] = [
    "max_datagram_size",
    "overhead",
    "peer_max_ack_delay",
    "peer_ack_delay_exponent",
    "peer_max_data",
    "peer_max_stream_data",
    "max_streams",
];
/// What RFC 9002's own law has of TCP's.
const OF_NEWRENO: [&str; 2] = ["hystart", "hystart_limit"];

/// Where a parameter stands.
#[derive(Clone, Copy, Debug)]
enum Part {
    Sender,
    Receiver,
    Law,
    Choice,
}

/// The keys, each with its part and its place there; the choice of a law is the last one.
#[derive(Debug)]
struct Table {
    keys: Vec<Key>,
    places: Vec<(Part, usize)>,
}

/// The laws that can be chosen; of what is said of each its way to repair losses does not count.
static LAWS: LazyLock<WordList> = LazyLock::new(|| {
    let can_run = cc::registry().iter().filter(|entry| Config::can_run(entry.choice));
    let words: Vec<Word> = can_run.map(|entry| Word { word: entry.name, meaning: entry.summary }).collect();
    let meaning = "A window law; losses are repaired as QUIC has it, and what routers tell travels beside the packet.";
    WordList { name: "QuicCongestionControl", meaning, words: words.leak() }
});

/// The table without a law, then those of all laws in the order of their registry.
static TABLES: LazyLock<Vec<Table>> = LazyLock::new(|| {
    let laws = cc::registry().iter().map(|entry| Some(entry.choice));
    std::iter::once(None).chain(laws).map(Table::new).collect()
});

impl Table {
    fn new(law: Option<Algorithm>) -> Table {
        let (sender, receiver) = (Config::default(), ReceiverConfig::default());
        let has_own_law = law.is_none_or(|law| law == Algorithm::NewReno);
        let mut table = Table { keys: Vec::new(), places: Vec::new() };
        table.add(Part::Sender, &sender, |name| {
            !HIDDEN.contains(&name) && (has_own_law || name != "loss_reduction_factor")
        });
        table.add(Part::Receiver, &receiver, |name| !HIDDEN.contains(&name));
        if let Some(law) = law {
            table.add(Part::Law, sender.laws.of(law), |name| !has_own_law || OF_NEWRENO.contains(&name));
        }
        let meaning = " The window law: RFC 9002's, or one of TCP's.";
        table.keys.push(Key { name: CHOICE, kind: Kind::Word(&LAWS), meaning });
        table.places.push((Part::Choice, 0));
        table
    }

    fn add(&mut self, part: Part, options: &dyn Options, is_shown: impl Fn(&str) -> bool) {
        let shown = options.keys().iter().enumerate().filter(|(_, key)| is_shown(key.name));
        for (place, key) in shown {
            self.keys.push(*key);
            self.places.push((part, place));
        }
    }
}

/// Those of a connection.
#[derive(Clone, Debug)]
pub(super) struct Parameters {
    pub sender: Config,
    pub receiver: ReceiverConfig,
    table: &'static Table,
    has_choice: bool,
}

impl Parameters {
    /// Those of a connection with this window law.
    pub fn of(algorithm: Algorithm) -> Parameters {
        let place = cc::registry().iter().position(|entry| entry.choice == algorithm);
        let sender = Config { algorithm, ..Config::default() };
        Parameters { sender, ..Parameters::with(place.map_or(0, |place| place + 1)) }
    }

    /// Those that no window law declares.
    pub fn declared() -> Parameters {
        Parameters::with(0)
    }

    fn with(table: usize) -> Parameters {
        let (sender, receiver) = (Config::default(), ReceiverConfig::default());
        Parameters { sender, receiver, table: &TABLES[table], has_choice: false }
    }

    /// The same, where the window law is a key.
    pub fn with_choice(self) -> Parameters {
        Parameters { has_choice: true, ..self }
    }

    /// What one end says of itself the other one knows (RFC 9000 §18.2).
    pub fn agree(&mut self) {
        let (sender, receiver) = (&mut self.sender, &mut self.receiver);
        sender.peer_max_ack_delay = receiver.max_ack_delay;
        sender.peer_ack_delay_exponent = receiver.ack_delay_exponent;
        sender.peer_max_data = receiver.receive_window;
        sender.peer_max_stream_data = receiver.stream_window;
        receiver.max_streams = sender.streams;
    }
}

impl Options for Parameters {
    fn owner(&self) -> &'static str {
        concat!(module_path!(), "::Parameters")
    }

    fn keys(&self) -> &'static [Key] {
        &self.table.keys[..self.table.keys.len() - usize::from(!self.has_choice)]
    }

    fn get(&self, place: usize) -> Value {
        match self.table.places[place] {
            (Part::Sender, place) => self.sender.get(place),
            (Part::Receiver, place) => self.receiver.get(place),
            (Part::Law, place) => self.sender.laws.of(self.sender.algorithm).get(place),
            (Part::Choice, _) => Value::Word(self.sender.algorithm.name()),
        }
    }

    fn derived(&self, place: usize) -> Value {
        match self.table.places[place] {
            (Part::Sender, place) => self.sender.derived(place),
            (Part::Receiver, place) => self.receiver.derived(place),
            (Part::Law, place) => self.sender.laws.of(self.sender.algorithm).derived(place),
            (Part::Choice, _) => Value::Nothing,
        }
    }

    fn set(&mut self, place: usize, value: Value) {
        match self.table.places[place] {
            (Part::Sender, place) => self.sender.set(place, value),
            (Part::Receiver, place) => self.receiver.set(place, value),
            (Part::Law, place) => self.sender.laws.of_mut(self.sender.algorithm).set(place, value),
            (Part::Choice, _) => assert_eq!(value, self.get(place), "the keys follow from the law"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_of_a_connection_is_declared_twice() {
        for entry in cc::registry() {
            let own = Parameters::of(entry.choice).with_choice();
            assert_eq!(options::clash(&[&own], &[]), None, "{}", entry.name);
        }
    }

    #[test]
    fn each_key_reads_what_was_set() {
        for entry in cc::registry().iter().filter(|entry| Config::can_run(entry.choice)) {
            let mut own = Parameters::of(entry.choice).with_choice();
            for place in 0..own.keys().len() {
                let value = own.get(place);
                own.set(place, value);
                assert_eq!(own.get(place), value, "{} of {}", own.keys()[place].name, entry.name);
            }
        }
    }
}
