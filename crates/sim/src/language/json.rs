//! JSON as the tree that TOML becomes: every value and every key knows where it was written.

use super::tree::{Entry, Node, Origin, Value, quoted};
use serde::Deserialize;
use serde::de::{Deserializer, Error as _, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::fmt;

/// Deeper than any scenario; the reader calls itself that often at most.
const MAX_DEPTH: u32 = 64;

/// What is wrong, and at which byte.
pub(super) struct Wrong {
    pub offset: usize,
    pub message: String,
}

/// The tree of a JSON text.
pub(super) fn parse(text: &str, file: u32) -> Result<Node, Wrong> {
    let whole: &RawValue = serde_json::from_str(text).map_err(|why| wrong(text, 0, &why))?;
    Reader { text, file }.node(whole, 0)
}

struct Reader<'t> {
    text: &'t str,
    file: u32,
}

impl<'t> Reader<'t> {
    fn node(&self, raw: &'t RawValue, depth: u32) -> Result<Node, Wrong> {
        let start = self.start(raw);
        if depth > MAX_DEPTH {
            return Err(Wrong { offset: start, message: format!("not JSON: nested more than {MAX_DEPTH} deep") });
        }
        let origin = Origin { file: self.file, start: start as u32 };
        let source = raw.get();
        let value = match source.as_bytes().first() {
            Some(b'{') => self.table(self.read::<Members>(source, start)?, depth)?,
            Some(b'[') => {
                let items: Vec<&RawValue> = self.read(source, start)?;
                Value::List(items.into_iter().map(|item| self.node(item, depth + 1)).collect::<Result<_, _>>()?)
            }
            _ => scalar(self.read(source, start)?),
        };
        Ok(Node { value, origin, id: 0 })
    }

    fn table(&self, members: Members<'t>, depth: u32) -> Result<Value, Wrong> {
        let mut entries = BTreeMap::new();
        for (raw, value) in members.0 {
            let start = self.start(raw);
            let key: String = self.read(raw.get(), start)?;
            // Python's None says that the key is not given.
            if value.get() == "null" {
                continue;
            }
            let entry =
                Entry { key: Origin { file: self.file, start: start as u32 }, node: self.node(value, depth + 1)? };
            if entries.contains_key(&key) {
                let message = format!("not JSON: the key {} is given twice", quoted(&key));
                return Err(Wrong { offset: start, message });
            }
            entries.insert(key, entry);
        }
        Ok(Value::Table(entries))
    }

    fn read<T: Deserialize<'t>>(&self, source: &'t str, start: usize) -> Result<T, Wrong> {
        serde_json::from_str(source).map_err(|why| wrong(source, start, &why))
    }

    /// Where a part of the text begins, of which it is a slice.
    fn start(&self, part: &RawValue) -> usize {
        part.get().as_ptr() as usize - self.text.as_ptr() as usize
    }
}

fn scalar(value: serde_json::Value) -> Value {
    match value {
        serde_json::Value::Bool(value) => Value::Bool(value),
        serde_json::Value::Number(number) => match number.as_i64() {
            Some(integer) => Value::Integer(integer),
            None => Value::Float(number.as_f64().unwrap_or(f64::NAN)),
        },
        serde_json::Value::String(text) => Value::Text(text),
        _ => Value::Other("null".to_owned()),
    }
}

/// The error of the JSON reader, which counts lines and columns from the beginning of `source`; it begins at byte
/// `start`.
fn wrong(source: &str, start: usize, why: &serde_json::Error) -> Wrong {
    let before = source.split_inclusive('\n').take(why.line().saturating_sub(1)).map(str::len).sum::<usize>();
    let text = why.to_string();
    let message = text.rsplit_once(" at line ").map_or(text.as_str(), |(message, _)| message);
    Wrong { offset: start + before + why.column().saturating_sub(1), message: format!("not JSON: {message}") }
}

/// The members of an object in their order, unread.
struct Members<'t>(Vec<(&'t RawValue, &'t RawValue)>);

impl<'de: 't, 't> Deserialize<'de> for Members<'t> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Members<'t>, D::Error> {
        struct All<'t>(std::marker::PhantomData<&'t ()>);
        impl<'de: 't, 't> Visitor<'de> for All<'t> {
            type Value = Members<'t>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members<'t>, A::Error> {
                let mut members = Vec::new();
                while let Some(key) = map.next_key::<&'de RawValue>()? {
                    if !key.get().starts_with('"') {
                        return Err(A::Error::custom("key must be a string"));
                    }
                    members.push((key, map.next_value::<&'de RawValue>()?));
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(All(std::marker::PhantomData))
    }
}
