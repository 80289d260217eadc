//! `queue = { kind = "red", … }` of a link: a queue discipline and its parameters, which it declares.

use crate::language::Parameter;
use crate::language::keys::{Explained, Form, KeyName, Written};
use crate::language::{At, AtSeed, Fault, OfKind, Setting, choices, described, quote, quoted, schema_of, written};
use crate::queue::{self, Config};
use options::{ConfigError, Key};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde_json::{Map, json};
use std::borrow::Cow;
use std::fmt;
use std::sync::OnceLock;

/// A queue discipline as it is written.
#[derive(Clone, Debug)]
pub struct QueueTable {
    /// Its name.
    pub kind: At<String>,
    /// The given parameters.
    pub given: Vec<Parameter>,
}

impl QueueTable {
    /// The discipline with the given parameters.
    pub(crate) fn config(&self) -> Result<Config, Fault> {
        let names: Vec<&str> = queue::list().iter().map(|entry| entry.name).collect();
        let unknown = || format!("there is no queue discipline {}{}", quoted(&self.kind), choices(&self.kind, &names));
        let mut config = Config::named(&self.kind).ok_or_else(|| self.kind.fault(unknown()))?;
        for Parameter { key, value } in &self.given {
            let Setting::Value(setting) = **value else { continue };
            let place = config.options().and_then(|options| options.find(key.name));
            match (config.options_mut(), place) {
                (Some(options), Some(place)) => options.set(place, setting),
                _ => return Err(value.fault(format!("the key {} is for {}", quoted(key.name), users(key.name)))),
            }
        }
        config.validate().map_err(|why| self.wrong(&why))?;
        Ok(config)
    }

    /// A parameter that the discipline cannot have, at its place if it was given.
    pub(crate) fn wrong(&self, why: &ConfigError) -> Fault {
        let given = self.given.iter().find(|one| one.key.name == why.field);
        given.map_or_else(|| self.kind.fault(why.to_string()), |one| one.value.fault(why.to_string()))
    }
}

/// The disciplines that have the key.
fn users(key: &str) -> String {
    let has = |name: &&str| Config::named(name).is_some_and(|one| one.options().is_some_and(|o| o.find(key).is_some()));
    queue::list().iter().map(|entry| entry.name).filter(has).collect::<Vec<_>>().join(" and ")
}

/// A discipline as it is written out.
pub(crate) fn explained(config: &Config) -> Written {
    let mut table = Explained::default();
    if let Some(options) = config.options() {
        for (place, key) in options.keys().iter().enumerate() {
            table.add(key.name, key.meaning, written(&key.kind, options.get(place)).map(Written::Inline));
        }
    }
    Written::Table(table.of_kind("kind", config.name()))
}

/// Every declared key once, in the order of the disciplines, with what the schema says of it.
fn declared() -> &'static [(Key, String)] {
    static DECLARED: OnceLock<Vec<(Key, String)>> = OnceLock::new();
    DECLARED.get_or_init(|| {
        let mut all: Vec<(Key, String)> = Vec::new();
        for entry in queue::list() {
            let config = Config::named(entry.name).expect("a name of the list");
            let Some(options) = config.options() else { continue };
            for (place, key) in options.keys().iter().enumerate() {
                let meaning = format!("{}: {}", entry.name, described(key, options.get(place)));
                match all.iter_mut().find(|(known, _)| known.name == key.name) {
                    Some((known, meanings)) => {
                        assert!(known.kind.is_like(&key.kind), "the key {} is written in two ways", key.name);
                        *meanings = format!("{meanings} {meaning}");
                    }
                    None => all.push((*key, meaning)),
                }
            }
        }
        all
    })
}

/// The names of all keys.
fn names() -> &'static [&'static str] {
    static NAMES: OnceLock<Vec<&'static str>> = OnceLock::new();
    NAMES.get_or_init(|| ["kind"].into_iter().chain(declared().iter().map(|(key, _)| key.name)).collect())
}

impl Form for QueueTable {
    fn form(&self) -> Written {
        self.config().map_or_else(|_| Written::Inline(quote(&self.kind)), |config| explained(&config))
    }

    fn check_keys(&self) -> Result<(), Fault> {
        self.config().map(drop)
    }
}

impl<'de> Deserialize<'de> for QueueTable {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<QueueTable, D::Error> {
        deserializer.deserialize_map(Table)
    }
}

struct Table;

impl<'de> Visitor<'de> for Table {
    type Value = QueueTable;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a table such as {{ kind = \"red\" }}")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<QueueTable, A::Error> {
        let (mut kind, mut given) = (None, Vec::new());
        while let Some(name) = entries.next_key_seed(KeyName(names()))? {
            match declared().iter().find(|(key, _)| key.name == name) {
                None => kind = Some(entries.next_value()?),
                Some((key, _)) => {
                    let value = entries.next_value_seed(AtSeed(OfKind(&key.kind)))?;
                    given.push(Parameter { key: *key, value });
                }
            }
        }
        let kind = kind.ok_or_else(|| A::Error::missing_field("kind"))?;
        Ok(QueueTable { kind, given })
    }
}

impl JsonSchema for QueueTable {
    fn schema_name() -> Cow<'static, str> {
        "Queue".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let kinds: Vec<_> = queue::list()
            .iter()
            .map(|entry| json!({ "const": entry.name, "description": entry.summary, "type": "string" }))
            .collect();
        let mut properties = Map::new();
        properties.insert("kind".to_owned(), json!({ "description": "Its name.", "oneOf": kinds }));
        for (key, meaning) in declared() {
            let mut schema = schema_of(&key.kind, generator);
            schema["description"] = meaning.as_str().into();
            properties.insert(key.name.to_owned(), schema);
        }
        let about = "A queue discipline of an output port, and its parameters.";
        let table = json!({
            "type": "object", "description": about, "additionalProperties": false, "required": ["kind"],
            "properties": properties
        });
        Schema::try_from(table).expect("an object is a schema")
    }
}
