//! Parameters that are declared where they are used ([`options`]): how a scenario writes them, and how its schema
//! describes them.

use super::keys::Form;
use super::{At, ByteCount, DelayedAck, Room, Time, Window, choices, quoted};
use options::{Key, Kind, Value, WordList, Words};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error, Unexpected, Visitor};
use serde_json::{Value as Json, json};
use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;
use units::{BufferSize, Bytes};

/// A value as it was written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Setting {
    /// A value.
    Value(Value),
    /// A window of this many segments, in bytes where their size is known.
    Packets(u64),
}

impl Setting {
    /// The value, where a packet has so many bytes.
    pub fn with_packets_of(self, bytes: u32) -> Value {
        match self {
            Setting::Packets(packets) => Value::Whole(packets.saturating_mul(bytes.into())),
            Setting::Value(value) => value,
        }
    }
}

/// A given parameter.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// Its declaration.
    pub key: Key,
    /// What was written.
    pub value: At<Setting>,
}

/// Reads a value of a kind.
pub(crate) struct OfKind<'k>(pub &'k Kind);

impl<'de> DeserializeSeed<'de> for OfKind<'_> {
    type Value = Setting;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Setting, D::Error> {
        Ok(Setting::Value(match self.0 {
            Kind::Flag => Value::Flag(bool::deserialize(deserializer)?),
            Kind::Whole(_) => Value::Whole(u32::deserialize(deserializer)?.into()),
            Kind::Number(_) => Value::Number(f64::deserialize(deserializer)?),
            Kind::Bytes => Value::Whole(ByteCount::deserialize(deserializer)?.0),
            Kind::Window => return Window::deserialize(deserializer).map(|window| of_window(window.0)),
            Kind::Room => Value::Room(Room::deserialize(deserializer)?.0),
            Kind::Time(_) => Value::Time(Time::deserialize(deserializer)?.0),
            Kind::Delay => match DelayedAck::deserialize(deserializer)? {
                DelayedAck::Off => Value::Nothing,
                DelayedAck::After(span) => Value::Time(span),
            },
            Kind::Word(list) => Value::Word(deserializer.deserialize_str(OneOf(list))?),
            Kind::Segments(rules) => deserializer.deserialize_any(SegmentsOr(rules))?,
        }))
    }
}

fn of_window(window: BufferSize) -> Setting {
    match window {
        BufferSize::Packets(packets) => Setting::Packets(packets),
        BufferSize::Bytes(bytes) => Setting::Value(Value::Whole(bytes.count())),
        BufferSize::Unlimited | BufferSize::Time(_) => Setting::Value(Value::Nothing),
    }
}

/// Reads one of some words.
struct OneOf(&'static WordList);

impl OneOf {
    fn named(&self) -> Vec<&'static str> {
        self.0.words.iter().map(|one| one.word).collect()
    }
}

impl Visitor<'_> for OneOf {
    type Value = &'static str;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.named().join(", "))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<&'static str, E> {
        let names = self.named();
        let found = names.iter().find(|name| **name == text).copied();
        found.ok_or_else(|| E::custom(format!("found {}{}", quoted(text), choices(text, &names))))
    }
}

/// Reads a number of segments, or the name of a rule.
struct SegmentsOr(&'static WordList);

impl Visitor<'_> for SegmentsOr {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rules: Vec<String> = self.0.words.iter().map(|rule| quoted(rule.word)).collect();
        write!(f, "a number of segments, {}", rules.join(" or "))
    }

    fn visit_i64<E: Error>(self, segments: i64) -> Result<Value, E> {
        match u32::try_from(segments) {
            Ok(segments @ 1..) => Ok(Value::Whole(segments.into())),
            _ => Err(E::invalid_value(Unexpected::Signed(segments), &self)),
        }
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Value, E> {
        let rule = self.0.words.iter().find(|rule| rule.word == text);
        rule.map(|rule| Value::Word(rule.word)).ok_or_else(|| E::invalid_value(Unexpected::Str(text), &self))
    }
}

/// A choice of words as a scenario has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word<T>(pub T);

impl<T> Deref for Word<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.0
    }
}

impl<'de, T: Words> Deserialize<'de> for Word<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Word<T>, D::Error> {
        let word = deserializer.deserialize_str(OneOf(&T::LIST))?;
        T::from_word(word).map(Word).ok_or_else(|| D::Error::custom("it is a word of the list"))
    }
}

impl<T: Words> JsonSchema for Word<T> {
    fn schema_name() -> Cow<'static, str> {
        T::LIST.name.into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        schema_of_words(&T::LIST)
    }
}

/// The words and what they mean.
fn schema_of_words(list: &WordList) -> Schema {
    let one = |word: &options::Word| json!({ "const": word.word, "description": line(word.meaning), "type": "string" });
    let words: Vec<Json> = list.words.iter().map(one).collect();
    schema(json!({ "description": line(list.meaning), "oneOf": words }))
}

fn schema(value: Json) -> Schema {
    Schema::try_from(value).expect("an object is a schema")
}

/// Comments on one line.
fn line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What a kind allows, for the schema.
pub(crate) fn schema_of(kind: &Kind, generator: &mut SchemaGenerator) -> Json {
    match kind {
        Kind::Flag => json!({ "type": ["boolean", "null"] }),
        Kind::Whole(range) => bounded(json!({ "type": ["integer", "null"], "minimum": 0 }), range),
        Kind::Number(range) => bounded(json!({ "type": ["number", "null"] }), range),
        Kind::Bytes => of_type::<ByteCount>(generator),
        Kind::Window => of_type::<Window>(generator),
        Kind::Room => of_type::<Room>(generator),
        Kind::Time(_) => of_type::<Time>(generator),
        Kind::Delay => of_type::<DelayedAck>(generator),
        Kind::Word(list) => {
            generator.definitions_mut().insert(list.name.to_owned(), schema_of_words(list).to_value());
            json!({ "anyOf": [{ "$ref": format!("#/$defs/{}", list.name) }, { "type": "null" }] })
        }
        Kind::Segments(rules) => {
            let rules: Vec<&str> = rules.words.iter().map(|rule| rule.word).collect();
            json!({ "anyOf": [{ "type": "integer", "minimum": 1 }, { "enum": rules }, { "type": "null" }] })
        }
    }
}

fn of_type<T: JsonSchema>(generator: &mut SchemaGenerator) -> Json {
    generator.subschema_for::<Option<T>>().to_value()
}

/// A schema of numbers with the ends of their range.
fn bounded(mut schema: Json, range: &options::Range) -> Json {
    let ends = [("minimum", "exclusiveMinimum", range.low()), ("maximum", "exclusiveMaximum", range.high())];
    for (within, beyond, (end, belongs)) in ends {
        if end.is_finite() {
            schema[if belongs { within } else { beyond }] = json!(end);
        }
    }
    schema
}

/// What a key means, what is allowed and what it is otherwise.
pub(crate) fn described(key: &Key, default: Value) -> String {
    let allowed = match key.kind {
        Kind::Whole(range) | Kind::Number(range) => format!(" Allowed: {range}."),
        _ => String::new(),
    };
    let default = match (default, key.kind) {
        (Value::Nothing, Kind::Window) => " Default: unlimited.".to_owned(),
        (Value::Nothing, _) => String::new(),
        (value, kind) => written(&kind, value).map_or(String::new(), |value| format!(" Default {value}.")),
    };
    format!("{}{allowed}{default}", line(key.meaning))
}

/// A value as a scenario writes it; `None` if it cannot say that there is none.
pub(crate) fn written(kind: &Kind, value: Value) -> Option<String> {
    Some(match (kind, value) {
        (Kind::Window, Value::Nothing) => "\"unlimited\"".to_owned(),
        (Kind::Delay, Value::Nothing) => "false".to_owned(),
        (_, Value::Nothing) => return None,
        (Kind::Window, Value::Whole(bytes)) => format!("\"{}\"", Bytes(bytes)),
        (_, Value::Flag(flag)) => flag.to_string(),
        (_, Value::Whole(number)) => number.to_string(),
        (_, Value::Number(number)) => format!("{number:?}"),
        (_, Value::Time(span)) => format!("\"{span}\""),
        (_, Value::Room(room)) => Room(room).form().inline(),
        (_, Value::Word(word)) => format!("\"{word}\""),
    })
}
