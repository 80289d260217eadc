//! Typed values out of the tree: a serde deserializer whose faults name the innermost node.
//!
//! Two things differ from a plain deserializer. An enum with data is a table whose key `kind` (or `law`) names the
//! variant while the other keys are the variant's own; serde's derive for externally tagged enums then yields it
//! without buffering, which would lose the places. And [`At`] keeps the number of the node, for what only `resolve` can
//! judge.

use super::error::{Fault, Place};
use super::nearest::choices;
use super::tree::{Entry, Node, Tree, Value, quoted};
use super::value::RAW;
use serde::de::value::StrDeserializer;
use serde::de::{self, DeserializeSeed, Deserializer, Error as _, Expected, IntoDeserializer, Unexpected, Visitor};
use serde::{Deserialize, forward_to_deserialize_any};
use std::collections::btree_map;
use std::fmt;
use std::ops::Deref;

/// A value with the number of the node it was read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct At<T> {
    value: T,
    node: u32,
}

impl<T> At<T> {
    /// The value alone.
    pub fn into_inner(self) -> T {
        self.value
    }

    /// Another value in the same place.
    pub(crate) fn map<U>(self, change: impl FnOnce(T) -> U) -> At<U> {
        At { value: change(self.value), node: self.node }
    }

    /// A fault of this value.
    pub(crate) fn fault(&self, message: impl Into<String>) -> Fault {
        Fault::new(self.place(), message)
    }

    pub(crate) fn place(&self) -> Place {
        Place::Node(self.node)
    }

    /// Its place, without the value.
    pub(crate) fn mark(&self) -> At<()> {
        At { value: (), node: self.node }
    }

    pub(crate) fn node(&self) -> u32 {
        self.node
    }
}

impl<T> Deref for At<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.value
    }
}

const AT: &str = "$photocol::At";

impl<'de, T: Deserialize<'de>> Deserialize<'de> for At<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<At<T>, D::Error> {
        AtSeed(std::marker::PhantomData).deserialize(deserializer)
    }
}

impl<T: schemars::JsonSchema> schemars::JsonSchema for At<T> {
    fn inline_schema() -> bool {
        T::inline_schema()
    }
    fn schema_name() -> std::borrow::Cow<'static, str> {
        T::schema_name()
    }
    fn schema_id() -> std::borrow::Cow<'static, str> {
        T::schema_id()
    }
    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        T::json_schema(generator)
    }
}

/// Reads a value with its node where only a value says what it can be: a seed knows it.
pub(crate) struct AtSeed<S>(pub S);

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for AtSeed<S> {
    type Value = At<S::Value>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<At<S::Value>, D::Error> {
        struct NodeThenValue<S>(S);
        impl<'de, S: DeserializeSeed<'de>> Visitor<'de> for NodeThenValue<S> {
            type Value = At<S::Value>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "a value of a scenario tree")
            }
            fn visit_seq<A: de::SeqAccess<'de>>(self, mut parts: A) -> Result<At<S::Value>, A::Error> {
                let node = parts.next_element()?.ok_or_else(|| A::Error::custom("the node's number is missing"))?;
                let value = parts.next_element_seed(self.0)?;
                Ok(At { value: value.ok_or_else(|| A::Error::custom("the value is missing"))?, node })
            }
        }
        deserializer.deserialize_newtype_struct(AT, NodeThenValue(self.0))
    }
}

/// Reads the whole tree as a `T`.
pub(crate) fn from_tree<'t, T: Deserialize<'t>>(tree: &'t Tree) -> Result<T, Fault> {
    let root = &tree.root;
    T::deserialize(Reader { node: root, hidden: None, tree }).map_err(|fault| fault.or_at(Place::Node(root.id)))
}

/// A position in the tree. `hidden` is the key that already served to choose an enum's variant.
#[derive(Clone, Copy)]
struct Reader<'t> {
    node: &'t Node,
    hidden: Option<&'t str>,
    tree: &'t Tree,
}

impl<'t> Reader<'t> {
    fn child(self, node: &'t Node) -> Reader<'t> {
        Reader { node, hidden: None, tree: self.tree }
    }

    fn read<S: DeserializeSeed<'t>>(self, seed: S) -> Result<S::Value, Fault> {
        seed.deserialize(self).map_err(|fault| fault.or_at(Place::Node(self.node.id)))
    }

    /// The text of a `--set` value, which is a text wherever one is wanted even if it also reads as a number.
    fn assigned_text(self) -> Option<&'t str> {
        let source = self.tree.files.get(self.node.origin);
        let scalar = matches!(self.node.value, Value::Bool(_) | Value::Integer(_) | Value::Float(_));
        (scalar && source.kind == super::tree::TextKind::Assignment).then_some(source.text.as_str())
    }
}

impl<'de> Deserializer<'de> for Reader<'de> {
    type Error = Fault;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match &self.node.value {
            Value::Bool(value) => visitor.visit_bool(*value),
            Value::Integer(value) => visitor.visit_i64(*value),
            Value::Float(value) => visitor.visit_f64(*value),
            Value::Text(text) => visitor.visit_borrowed_str(text),
            Value::Other(what) => Err(Fault::invalid_type(Unexpected::Other(what), &visitor)),
            Value::Date(_) => Err(Fault::invalid_type(Unexpected::Other(&self.node.describe()), &visitor)),
            Value::List(items) => visitor.visit_seq(Items { reader: self, rest: items.iter() }),
            Value::Table(entries) => visitor.visit_map(Members { reader: self, rest: entries.iter(), value: None }),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_some(self)
    }

    /// In the place of a list, anything else is tried as its only element, to say what elements are.
    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        if let Value::List(_) = &self.node.value {
            return self.deserialize_any(visitor);
        }
        let alone = visitor.visit_seq(Items { reader: self, rest: std::slice::from_ref(self.node).iter() });
        let element = match alone.err().filter(|fault| fault.place == Place::Node(self.node.id)) {
            Some(fault) => fault.message.rsplit_once("; allowed: ").map(|(_, element)| element.to_owned()),
            None => None,
        };
        let found = self.node.describe();
        Err(Fault::custom(match element {
            Some(element) => format!("found {found}; allowed: a list, each of it {element}"),
            None => format!("found {found}; allowed: a list of such"),
        }))
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> Result<V::Value, Fault> {
        if name == AT {
            visitor.visit_seq(NodeAndValue { reader: self, given: 0 })
        } else if name == RAW {
            visitor.visit_str(&self.node.inline())
        } else {
            visitor.visit_newtype_struct(self)
        }
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.assigned_text() {
            Some(text) => visitor.visit_borrowed_str(text),
            None => self.deserialize_any(visitor),
        }
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.deserialize_str(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        match &self.node.value {
            Value::Text(_) => visitor.visit_enum(Variant { tag: self.node, content: self }),
            Value::Table(entries) => {
                let tag = if matches!(name, "Sojourn" | "FlowSizeLaw" | "RoundTripLaw") { "law" } else { "kind" };
                let Some(entry) = entries.get(tag) else {
                    let message = format!("the key \"{tag}\" is missing; allowed: {}", variants.join(", "));
                    return Err(Fault::missing(Place::Node(self.node.id), message));
                };
                visitor.visit_enum(Variant { tag: &entry.node, content: Reader { hidden: Some(tag), ..self } })
            }
            _ => Err(Fault::custom(format!("found {}; allowed: {}", self.node.describe(), variants.join(", ")))),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char bytes byte_buf unit unit_struct tuple
        tuple_struct map struct identifier ignored_any
    }
}

/// The elements of a list.
struct Items<'t> {
    reader: Reader<'t>,
    rest: std::slice::Iter<'t, Node>,
}

impl<'t> de::SeqAccess<'t> for Items<'t> {
    type Error = Fault;

    fn next_element_seed<S: DeserializeSeed<'t>>(&mut self, seed: S) -> Result<Option<S::Value>, Fault> {
        self.rest.next().map(|node| self.reader.child(node).read(seed)).transpose()
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.rest.len())
    }
}

/// The entries of a table.
struct Members<'t> {
    reader: Reader<'t>,
    rest: btree_map::Iter<'t, String, Entry>,
    value: Option<&'t Node>,
}

impl<'t> de::MapAccess<'t> for Members<'t> {
    type Error = Fault;

    fn next_key_seed<S: DeserializeSeed<'t>>(&mut self, seed: S) -> Result<Option<S::Value>, Fault> {
        let hidden = self.reader.hidden;
        let Some((key, entry)) = self.rest.by_ref().find(|(key, _)| Some(key.as_str()) != hidden) else {
            return Ok(None);
        };
        self.value = Some(&entry.node);
        let text: StrDeserializer<'_, Fault> = key.as_str().into_deserializer();
        let place = || Place::Key(self.reader.node.id, key.clone());
        seed.deserialize(text).map(Some).map_err(|fault| fault.or_at(place()))
    }

    fn next_value_seed<S: DeserializeSeed<'t>>(&mut self, seed: S) -> Result<S::Value, Fault> {
        let node = self.value.take().ok_or_else(|| Fault::custom("a value is read after its key"))?;
        self.reader.child(node).read(seed)
    }
}

/// What [`At`] reads: the node's number, then its value.
struct NodeAndValue<'t> {
    reader: Reader<'t>,
    given: u8,
}

impl<'t> de::SeqAccess<'t> for NodeAndValue<'t> {
    type Error = Fault;

    fn next_element_seed<S: DeserializeSeed<'t>>(&mut self, seed: S) -> Result<Option<S::Value>, Fault> {
        self.given += 1;
        match self.given {
            1 => seed.deserialize(self.reader.node.id.into_deserializer()).map(Some),
            _ => self.reader.read(seed).map(Some),
        }
    }
}

/// A variant's name and its content.
struct Variant<'t> {
    tag: &'t Node,
    content: Reader<'t>,
}

impl<'t> de::EnumAccess<'t> for Variant<'t> {
    type Error = Fault;
    type Variant = Reader<'t>;

    fn variant_seed<S: DeserializeSeed<'t>>(self, seed: S) -> Result<(S::Value, Reader<'t>), Fault> {
        let place = Place::Node(self.tag.id);
        let Value::Text(name) = &self.tag.value else {
            return Err(Fault::new(place, format!("found {}; allowed: a name in quotes", self.tag.describe())));
        };
        let text: StrDeserializer<'_, Fault> = name.as_str().into_deserializer();
        Ok((seed.deserialize(text).map_err(|fault| fault.or_at(place))?, self.content))
    }
}

impl<'t> de::VariantAccess<'t> for Reader<'t> {
    type Error = Fault;

    fn unit_variant(self) -> Result<(), Fault> {
        Ok(())
    }

    fn newtype_variant_seed<S: DeserializeSeed<'t>>(self, seed: S) -> Result<S::Value, Fault> {
        self.read(seed)
    }

    fn tuple_variant<V: Visitor<'t>>(self, _len: usize, visitor: V) -> Result<V::Value, Fault> {
        self.deserialize_any(visitor)
    }

    fn struct_variant<V: Visitor<'t>>(self, _: &'static [&'static str], visitor: V) -> Result<V::Value, Fault> {
        self.deserialize_any(visitor)
    }
}

impl de::Error for Fault {
    fn custom<M: fmt::Display>(message: M) -> Fault {
        Fault::new(Place::Unknown, message.to_string())
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Fault {
        Fault::custom(format!("found {}; allowed: {}", found_text(found), allowed_text(expected)))
    }

    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> Fault {
        Fault::invalid_type(found, expected)
    }

    fn invalid_length(found: usize, expected: &dyn Expected) -> Fault {
        Fault::custom(format!("found {found} elements; allowed: {}", allowed_text(expected)))
    }

    fn unknown_variant(found: &str, allowed: &'static [&'static str]) -> Fault {
        Fault::custom(format!("found {}{}", quoted(found), choices(found, allowed)))
    }

    fn unknown_field(found: &str, allowed: &'static [&'static str]) -> Fault {
        Fault::custom(format!("unknown key {}{}", quoted(found), choices(found, allowed)))
    }

    fn missing_field(key: &'static str) -> Fault {
        Fault::missing(Place::Unknown, format!("the key \"{key}\" is missing"))
    }

    fn duplicate_field(key: &'static str) -> Fault {
        Fault::custom(format!("the key \"{key}\" is given twice"))
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.message)
    }
}

impl std::error::Error for Fault {}

fn found_text(found: Unexpected<'_>) -> String {
    match found {
        Unexpected::Bool(value) => value.to_string(),
        Unexpected::Signed(value) => value.to_string(),
        Unexpected::Unsigned(value) => value.to_string(),
        Unexpected::Float(value) => format!("{value:?}"),
        Unexpected::Str(text) => quoted(text),
        Unexpected::Seq => "a list".to_owned(),
        Unexpected::Map => "a table".to_owned(),
        other => other.to_string(),
    }
}

/// Serde's names of types in a user's words.
fn allowed_text(expected: &dyn Expected) -> String {
    let text = expected.to_string();
    match text.as_str() {
        "u32" => format!("a whole number from 0 to {}", u32::MAX),
        "u64" => "a whole number from 0".to_owned(),
        "f64" => "a number".to_owned(),
        "a boolean" => "true or false".to_owned(),
        "a string" => "a text in quotes".to_owned(),
        "a sequence" => "a list".to_owned(),
        "a map" => "a table".to_owned(),
        _ if text.starts_with("struct ") => "a table".to_owned(),
        _ => text,
    }
}
