//! Values that may be written in more than one form.

use super::{At, Place};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Error, SeqAccess, Unexpected, Visitor};
use std::borrow::Cow;
use std::fmt;
use units::Duration;

/// One name or a list of names.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Names {
    /// A text.
    One(String),
    /// A list of texts.
    Many(Vec<At<String>>),
}

impl At<Names> {
    /// Each name and its place.
    pub(crate) fn each(&self) -> Vec<(&str, Place)> {
        match &**self {
            Names::One(name) => vec![(name, self.place())],
            Names::Many(names) => names.iter().map(|name| (name.as_str(), name.place())).collect(),
        }
    }
}

/// All of a kind, or some.
#[derive(Clone, Debug)]
pub enum Choice<T> {
    /// `"all"`.
    All,
    /// A list.
    Some(Vec<At<T>>),
}

/// Between whom flows run: a rule, or a list of pairs of node names.
#[derive(Clone, Debug)]
pub enum PairsSpec {
    /// `"random"`: drawn for each flow.
    Random,
    /// `"all"`: every ordered pair.
    All,
    /// `"permutation"`: each node to a partner of its own, drawn for the run.
    Permutation,
    /// `[["a", "b"], …]`, source first.
    List(Vec<At<(String, String)>>),
}

impl PairsSpec {
    /// The pairs of a list.
    pub(crate) fn list(&self) -> Option<Vec<(String, String)>> {
        let PairsSpec::List(pairs) = self else { return None };
        Some(pairs.iter().map(|pair| (**pair).clone()).collect())
    }
}

/// Anything, as TOML on one line: a value that is read elsewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Raw(pub String);

/// By this name a tree gives the text of a value.
pub(crate) const RAW: &str = "$photocol::Raw";

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Raw, D::Error> {
        struct Text;
        impl Visitor<'_> for Text {
            type Value = Raw;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "a value of a scenario tree")
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<Raw, E> {
                Ok(Raw(text.to_owned()))
            }
        }
        deserializer.deserialize_newtype_struct(RAW, Text)
    }
}

/// `delayed_ack`: no, yes (200 ms), or this long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DelayedAck {
    /// Every segment is acknowledged at once.
    Off,
    /// An ACK waits at most this long.
    After(Duration),
}

/// `mss`, `packet_size` and the like: a whole number of bytes, or a size with a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ByteCount(pub u64);

/// `size` of a flow: `"greedy"`, or a size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlowSize {
    /// There is always more to send.
    Greedy,
    /// A number of bytes of payload.
    Bytes(u64),
}

/// A point of a distribution of sizes: `["10 kB", 0.15]`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CdfPoint {
    /// The size in bytes.
    pub bytes: u64,
    /// The probability of at most that.
    pub probability: f64,
}

/// Declares a visitor that accepts the given forms; every other form is answered with what is allowed.
macro_rules! forms {
    ($type:ty, [$($generic:ident)?], $allowed:literal, { $($methods:tt)* }) => {
        impl<'de $(, $generic: Deserialize<'de>)?> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<$type, D::Error> {
                struct Forms<T>(std::marker::PhantomData<T>);
                impl<'de $(, $generic: Deserialize<'de>)?> Visitor<'de> for Forms<$type> {
                    type Value = $type;
                    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                        write!(f, $allowed)
                    }
                    $($methods)*
                }
                deserializer.deserialize_any(Forms::<$type>(std::marker::PhantomData))
            }
        }
    };
}

forms!(Names, [], "a name in quotes, or a list of names", {
    fn visit_str<E: Error>(self, text: &str) -> Result<Names, E> {
        Ok(Names::One(text.to_owned()))
    }
    fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<Names, A::Error> {
        elements(items).map(Names::Many)
    }
});

forms!(Choice<T>, [T], "\"all\", or a list such as [0, 3] of flows and [\"a->b\"] of links", {
    fn visit_str<E: Error>(self, text: &str) -> Result<Choice<T>, E> {
        match text {
            "all" => Ok(Choice::All),
            _ => Err(E::invalid_value(Unexpected::Str(text), &self)),
        }
    }
    fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<Choice<T>, A::Error> {
        elements(items).map(Choice::Some)
    }
});

forms!(PairsSpec, [], "\"random\", \"all\", \"permutation\", or a list of pairs such as [[\"a\", \"b\"]]", {
    fn visit_str<E: Error>(self, text: &str) -> Result<PairsSpec, E> {
        match text {
            "random" => Ok(PairsSpec::Random),
            "all" => Ok(PairsSpec::All),
            "permutation" => Ok(PairsSpec::Permutation),
            _ => Err(E::invalid_value(Unexpected::Str(text), &self)),
        }
    }
    fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<PairsSpec, A::Error> {
        elements(items).map(PairsSpec::List)
    }
});

forms!(DelayedAck, [], "true (200 ms), false, or a time in quotes such as \"100 ms\"", {
    fn visit_bool<E: Error>(self, on: bool) -> Result<DelayedAck, E> {
        // RFC 1122 §4.2.3.2 allows up to 500 ms; 200 ms is what most systems use.
        Ok(if on { DelayedAck::After(Duration::from_millis(200)) } else { DelayedAck::Off })
    }
    fn visit_str<E: Error>(self, text: &str) -> Result<DelayedAck, E> {
        match units::parse_duration(text) {
            Ok(span) if span > Duration::ZERO => Ok(DelayedAck::After(span)),
            _ => Err(E::invalid_value(Unexpected::Str(text), &self)),
        }
    }
});

forms!(ByteCount, [], "a whole number of bytes, or a size in quotes such as \"1500 B\"", {
    fn visit_i64<E: Error>(self, bytes: i64) -> Result<ByteCount, E> {
        u64::try_from(bytes).map(ByteCount).map_err(|_| E::invalid_value(Unexpected::Signed(bytes), &self))
    }
    fn visit_str<E: Error>(self, text: &str) -> Result<ByteCount, E> {
        match units::parse_bytes(text) {
            Ok(bytes) => Ok(ByteCount(bytes.count())),
            Err(why) => Err(E::custom(format!("found {text:?}: {why}"))),
        }
    }
});

forms!(FlowSize, [], "\"greedy\" or a size in quotes such as \"10 MB\"", {
    fn visit_str<E: Error>(self, text: &str) -> Result<FlowSize, E> {
        match (text, units::parse_bytes(text)) {
            ("greedy", _) => Ok(FlowSize::Greedy),
            (_, Ok(bytes)) => Ok(FlowSize::Bytes(bytes.count())),
            (_, Err(why)) => Err(E::custom(format!("found {text:?}: {why}"))),
        }
    }
});

forms!(CdfPoint, [], "a size and a probability such as [\"10 kB\", 0.15]", {
    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<CdfPoint, A::Error> {
        let (size, probability) = (items.next_element::<ByteCount>()?, items.next_element::<f64>()?);
        let more = items.next_element::<f64>()?.is_some();
        match (size, probability) {
            (Some(size), Some(probability)) if !more => Ok(CdfPoint { bytes: size.0, probability }),
            _ => Err(A::Error::invalid_length(0, &self)),
        }
    }
});

fn elements<'de, T: Deserialize<'de>, A: SeqAccess<'de>>(mut items: A) -> Result<Vec<T>, A::Error> {
    let mut list = Vec::new();
    while let Some(item) = items.next_element()? {
        list.push(item);
    }
    Ok(list)
}

impl<T: JsonSchema> JsonSchema for Choice<T> {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        format!("Choice_of_{}", T::schema_name()).into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let items = generator.subschema_for::<T>();
        json_schema!({ "anyOf": [{ "const": "all" }, { "type": "array", "items": items }] })
    }
}

macro_rules! schemas {
    ($($type:ty, $name:literal, $schema:tt;)*) => {$(
        impl JsonSchema for $type {
            fn inline_schema() -> bool {
                true
            }
            fn schema_name() -> Cow<'static, str> {
                $name.into()
            }
            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!($schema)
            }
        }
    )*};
}

schemas! {
    Names, "Names", { "anyOf": [{ "type": "string" }, { "type": "array", "items": { "type": "string" } }] };
    PairsSpec, "Pairs", { "anyOf": [{ "enum": ["random", "all", "permutation"] }, { "type": "array", "items":
        { "type": "array", "items": { "type": "string" }, "minItems": 2, "maxItems": 2 } }] };
    CdfPoint, "CdfPoint", { "type": "array", "prefixItems": [{ "type": ["string", "integer"] }, { "type": "number" }],
        "minItems": 2, "maxItems": 2, "examples": [["10 kB", 0.15]] };
    DelayedAck, "DelayedAck", { "type": ["boolean", "string"], "examples": [true, false, "100 ms"] };
    ByteCount, "ByteCount", { "anyOf": [{ "type": "integer", "minimum": 0 }, { "type": "string" }] };
    Raw, "Anything", {};
    FlowSize, "FlowSize", { "type": "string", "examples": ["greedy", "10 MB"] };
}
