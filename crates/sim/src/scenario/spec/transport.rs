//! `[transport.NAME]`: what a packet is made of, and the parameters of sender, receiver and window law, which declare
//! them.

use crate::hosts;
use crate::hosts::keys::Keys;
use crate::language::keys::{KeyName, Keyed, Table as _, keys};
use crate::language::{At, AtSeed, ByteCount, OfKind, Parameter, Place, Setting, Word, described, schema_of};
use crate::model::{Record, RecordSize};
use options::{Key, Options, Value};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde_json::Value as Json;
use std::borrow::Cow;
use std::fmt;
use std::sync::OnceLock;
use transport::cc;
use transport::tcp;
use transport::tcp::{ReceiverConfig, SenderConfig};
use transport::telemetry::Echo;
use units::Duration;

keys! {
    /// The keys that no machine declares.
    pub struct Wire {
        /// A built-in congestion control or host (`photocol list transports`). The keys of a host ("linux-cubic") that
        /// the table gives count more than the host's. Default: the NAME of the table.
        pub algorithm: Option<At<String>>;
        /// With algorithm = "python", which needs not be said then: the class of the law, "module:Class" or
        /// "file.py:Class", under `@photocol.law`. Only where Python runs the scenario.
        pub law: Option<At<String>>;
        /// Size of a full data packet on the wire, headers included. Default 1500 B.
        pub packet_size: Option<At<ByteCount>>;
        /// Bytes that headers add to each data segment on the wire. Default 40 (IP and TCP without options); 60 for
        /// xcp, 56 for rcp, 82 for laws that read telemetry: HPCC's 42 B, room for five hops; a host's own where it is
        /// not TCP.
        pub header: Option<At<ByteCount>>;
        /// Size of an ACK on the wire, and of all else that a receiver says. Default 40 B; 60 B for xcp, 56 B for rcp,
        /// 82 B for laws that read telemetry; a host's own where it is not TCP.
        pub ack_size: Option<At<ByteCount>>;
        /// With a law that reads what hops measure: its bytes on the wire. Default "reserved".
        pub telemetry_size: Option<At<Word<RecordSize>>>;
        /// With such a law: what ACKs carry back of it. Default "whole".
        pub telemetry_echo: Option<At<Word<Echo>>>;
    }
}

/// A way to send.
#[derive(Clone, Debug)]
pub struct Transport {
    /// What no machine declares.
    pub wire: Wire,
    /// The given parameters of sender, receiver and law.
    pub given: Vec<Parameter>,
}

impl Default for Transport {
    fn default() -> Transport {
        Transport { wire: Wire::unsaid(), given: Vec::new() }
    }
}

impl Transport {
    /// A given parameter.
    pub fn get(&self, name: &str) -> Option<&Parameter> {
        self.given.iter().find(|one| one.key.name == name)
    }

    /// Whether a flag is given and true.
    pub(crate) fn is_on(&self, name: &str) -> bool {
        self.get(name).is_some_and(|one| matches!(*one.value, Setting::Value(Value::Flag(true))))
    }

    pub(crate) fn place(&self, name: &str) -> Option<Place> {
        self.get(name).map(|one| one.value.place())
    }

    /// The table as a kind of host reads it.
    pub(crate) fn host_keys(&self) -> Keys<'_> {
        let Wire { packet_size, header, ack_size, .. } = self.wire;
        Keys { kind: "", packet_size, header, ack_size, record: self.record(), by_marks: false, given: &self.given }
    }

    /// How packets carry what hops measure.
    pub(crate) fn record(&self) -> Record {
        let (wire, usual) = (&self.wire, Record::default());
        Record {
            size: wire.telemetry_size.as_ref().map_or(usual.size, |word| word.0),
            echo: wire.telemetry_echo.as_ref().map_or(usual.echo, |word| word.0),
        }
    }
}

/// What a scenario does not say of a sender. Runs have the least timeout of ns-2 and Linux, with which they are
/// compared.
pub(crate) fn usual_sender() -> SenderConfig {
    SenderConfig { min_rto: Duration::from_millis(200), ..SenderConfig::default() }
}

/// A parameter's declaration, and what the schema says of it.
struct Declared {
    key: Key,
    meaning: String,
}

/// Every declared parameter once, in the order of sender, receiver, laws.
fn declared() -> &'static [Declared] {
    static DECLARED: OnceLock<Vec<Declared>> = OnceLock::new();
    DECLARED.get_or_init(|| {
        let (sender, receiver) = (usual_sender(), ReceiverConfig::default());
        let mut all: Vec<Declared> = Vec::new();
        let mut add = |key: &Key, meaning: String| match all.iter_mut().find(|one| one.key.name == key.name) {
            Some(known) => known.meaning = format!("{} {meaning}", known.meaning),
            None => all.push(Declared { key: *key, meaning }),
        };
        let is_shared = |name: &str| sender.find(name).is_some();
        for one in tcp::keys::all() {
            let users = if one.algorithms.is_empty() { String::new() } else { one.algorithms.join(", ") + ": " };
            // A run's own default, and none where it follows from the sizes of packets.
            let default = match sender.find(one.key.name).filter(|_| one.algorithms.is_empty()) {
                Some(_) if one.key.name == "mss" => Value::Nothing,
                Some(place) => sender.get(place),
                None => one.default,
            };
            add(&one.key, format!("{users}{}", described(&one.key, default)));
        }
        for key in receiver.keys().iter().filter(|key| !is_shared(key.name)) {
            add(key, described(key, Value::Nothing));
        }
        for (names, key, meaning) in of_hosts() {
            add(&key, format!("{}: {meaning}", names.join(", ")));
        }
        all
    })
}

/// The parameters of hosts besides TCP, each with the kinds for which the same is said of it.
fn of_hosts() -> Vec<(Vec<&'static str>, Key, String)> {
    let mut all: Vec<(Vec<&str>, Key, String)> = Vec::new();
    for (name, own) in hosts::options() {
        for (place, key) in own.keys().iter().enumerate() {
            let meaning = described(key, own.get(place));
            match all.iter_mut().find(|one| one.1.name == key.name && one.2 == meaning) {
                Some((names, ..)) => names.push(name),
                None => all.push((vec![name], *key, meaning)),
            }
        }
    }
    all
}

/// A key of `[transport.NAME]` that a machine declares too, in a sentence that names both places.
pub(crate) fn clash() -> Option<String> {
    twice(Wire::names())
}

fn twice(own: &[&str]) -> Option<String> {
    let (sender, receiver) = (usual_sender(), ReceiverConfig::default());
    let laws = cc::registry().iter().map(|entry| sender.laws.of(entry.choice));
    let receiving: &dyn Options = &receiver;
    let kinds: Vec<_> = hosts::options().map(|(_, own)| own).collect();
    let kinds = kinds.iter().map(|own| &**own);
    let mut machines = sender.parts().into_iter().chain([receiving]).chain(kinds).chain(laws);
    machines.find_map(|machine| {
        let key = own.iter().find(|key| machine.find(key).is_some())?;
        Some(format!("the key {key:?} is declared twice: in {}::Wire and in {}", module_path!(), machine.owner()))
    })
}

/// The names of all keys.
fn names() -> &'static [&'static str] {
    static NAMES: OnceLock<Vec<&'static str>> = OnceLock::new();
    NAMES.get_or_init(|| Wire::names().iter().copied().chain(declared().iter().map(|one| one.key.name)).collect())
}

impl<'de> Deserialize<'de> for Transport {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Transport, D::Error> {
        deserializer.deserialize_map(Table)
    }
}

struct Table;

impl<'de> Visitor<'de> for Table {
    type Value = Transport;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a table")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Transport, A::Error> {
        let (mut wire, mut given) = (<Wire as Keyed>::Given::default(), Vec::new());
        while let Some(name) = entries.next_key_seed(KeyName(names()))? {
            if Wire::read(&mut wire, name, &mut entries)? {
                continue;
            }
            let key = declared().iter().find(|one| one.key.name == name).expect("a name of the list").key;
            let value = entries.next_value_seed(AtSeed(OfKind(&key.kind)))?;
            given.push(Parameter { key, value });
        }
        Ok(Transport { wire: Wire::complete(wire).map_err(A::Error::missing_field)?, given })
    }
}

impl JsonSchema for Transport {
    fn schema_name() -> Cow<'static, str> {
        "Transport".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut table = Wire::json_schema(generator);
        table.insert(
            "description".to_owned(),
            "A way to send. Kinds of host besides TCP have sizes and keys of their own.".into(),
        );
        let properties = table.get_mut("properties").and_then(Json::as_object_mut).expect("a table has properties");
        for Declared { key, meaning } in declared() {
            let mut schema = schema_of(&key.kind, generator);
            schema["description"] = Json::from(meaning.as_str());
            properties.insert(key.name.to_owned(), schema);
        }
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_that_a_machine_declares_too_is_told_with_both_places() {
        assert_eq!(clash(), None);
        let told = "the key \"beta\" is declared twice: in sim::scenario::spec::transport::Wire and in transport::cc::";
        let found = twice(&["header", "beta"]).expect("laws have a beta");
        assert!(found.starts_with(told) && found.ends_with("::Config"), "{found}");
    }
}
