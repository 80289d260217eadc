//! The scenario as a tree of values that know where they were written, before it has types.
//!
//! TOML and JSON become the same tree; layers and `--set` work on it; the deserializer in [`super::de`] reads typed
//! values from it. Every node has a number, so that a fault needs to carry only that to find file, line and key.

use super::error::{Error, Fault, Place, position};
use super::text::quote;
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;
use std::path::PathBuf;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A value and where it was written.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Node {
    pub value: Value,
    pub origin: Origin,
    /// Its number in the finished tree, see [`Tree::new`].
    pub id: u32,
}

/// What a text can say.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Bool(bool),
    Integer(i64),
    Float(f64),
    Text(String),
    /// A date or a time, as it is written.
    Date(String),
    /// A number beyond all others, or a JSON null in a list; nothing in a scenario is one.
    Other(String),
    List(Vec<Node>),
    Table(BTreeMap<String, Entry>),
}

/// A key's place and its value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Entry {
    pub key: Origin,
    pub node: Node,
}

/// A span of bytes in one of the [`Files`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Origin {
    pub file: u32,
    pub start: u32,
}

/// The texts a scenario was made of.
#[derive(Clone, Debug, Default)]
pub(crate) struct Files(pub Vec<SourceText>);

/// One text.
#[derive(Clone, Debug)]
pub(crate) struct SourceText {
    /// As error messages name it.
    pub name: String,
    pub text: String,
    /// What relative paths in it are relative to.
    pub folder: PathBuf,
    pub kind: TextKind,
}

/// How a text is written, which decides how a place in it is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextKind {
    Toml,
    Json,
    /// A Python dict on its way as JSON: no places, only key paths.
    Dict,
    /// The value of one `--set path=value`.
    Assignment,
}

/// A layered tree whose nodes are numbered, with the texts it came from.
pub(crate) struct Tree {
    pub root: Node,
    pub files: Files,
}

impl Files {
    pub fn add(&mut self, text: SourceText) -> u32 {
        self.0.push(text);
        self.0.len() as u32 - 1
    }

    pub fn get(&self, origin: Origin) -> &SourceText {
        &self.0[origin.file as usize]
    }
}

impl Tree {
    pub fn new(mut root: Node, files: Files) -> Tree {
        number(&mut root, &mut 0);
        Tree { root, files }
    }

    /// The user's message for a fault.
    pub fn error(&self, fault: Fault) -> Error {
        let mut error = self.at(&fault.place, fault.message);
        if let Some(first) = &fault.first {
            let first = self.at(first, String::new()).place(error.file.as_deref());
            error.message.push_str(&format!("; the first is {first}"));
        }
        if fault.is_missing && self.is_begun(&fault.place) {
            error.message.push_str("; the table is new, made by --set");
        }
        error
    }

    /// Whether a table is there only because `--set` names it.
    fn is_begun(&self, place: &Place) -> bool {
        let Place::Node(node) = place else { return false };
        find(&self.root, *node, "").is_some_and(|(_, node)| self.files.get(node.origin).kind == TextKind::Assignment)
    }

    /// A message about a place.
    fn at(&self, place: &Place, message: String) -> Error {
        let (node, key) = match place {
            Place::Node(node) | Place::Data { node, .. } => (*node, None),
            Place::Key(node, key) => (*node, Some(key.as_str())),
            Place::Unknown => (self.root.id, None),
        };
        let Some((path, node)) = find(&self.root, node, "") else {
            return Error { file: None, line: None, column: None, key: String::new(), message };
        };
        let (path, origin) = match (key, &node.value) {
            (Some(key), Value::Table(entries)) => {
                (join(&path, key), entries.get(key).map_or(node.origin, |entry| entry.key))
            }
            _ => (path, node.origin),
        };
        let mut error = self.files.error_at(origin, path, message);
        if let Place::Data { file, line, column, .. } = place {
            (error.file, error.line, error.column) = (Some(file.clone()), Some(*line), Some(*column));
        }
        error
    }
}

impl Files {
    /// A message about what stands at `origin`.
    pub fn error_at(&self, origin: Origin, key: String, message: String) -> Error {
        let text = self.get(origin);
        let (line, column) = match text.kind {
            TextKind::Toml | TextKind::Json => Some(position(&text.text, origin.start as usize)).unzip(),
            TextKind::Dict | TextKind::Assignment => (None, None),
        };
        let file = (text.kind != TextKind::Dict).then(|| text.name.clone());
        Error { file, line, column, key, message }
    }
}

impl Node {
    /// The tree of a TOML text.
    pub fn from_toml(table: &Spanned<DeTable<'_>>, file: u32) -> Node {
        toml_table(table.get_ref(), Origin { file, start: table.span().start as u32 })
    }

    /// The tree of one TOML value.
    pub fn from_toml_value(value: &Spanned<DeValue<'_>>, file: u32) -> Node {
        let origin = Origin { file, start: value.span().start as u32 };
        let value = match value.get_ref() {
            DeValue::Table(table) => return toml_table(table, origin),
            DeValue::Array(items) => Value::List(items.iter().map(|item| Node::from_toml_value(item, file)).collect()),
            DeValue::String(text) => Value::Text(text.to_string()),
            DeValue::Boolean(value) => Value::Bool(*value),
            DeValue::Integer(number) => match i64::from_str_radix(number.as_str(), number.radix()) {
                Ok(number) => Value::Integer(number),
                Err(_) => Value::Other(format!("the integer {} (beyond 64 bits)", number.as_str())),
            },
            DeValue::Float(number) => match number.as_str().parse() {
                Ok(number) => Value::Float(number),
                Err(_) => Value::Other(format!("the number {}", number.as_str())),
            },
            DeValue::Datetime(date) => Value::Date(date.to_string()),
        };
        Node { value, origin, id: 0 }
    }

    /// The value as TOML on one line.
    pub fn inline(&self) -> String {
        let pair = |(key, entry): (&String, &Entry)| format!("{} = {}", quote(key), entry.node.inline());
        match &self.value {
            Value::Bool(value) => value.to_string(),
            Value::Integer(value) => value.to_string(),
            Value::Float(value) => toml::Value::Float(*value).to_string(),
            Value::Text(text) | Value::Other(text) => quote(text),
            Value::Date(date) => date.clone(),
            Value::List(items) => format!("[{}]", items.iter().map(Node::inline).collect::<Vec<_>>().join(", ")),
            Value::Table(entries) => format!("{{ {} }}", entries.iter().map(pair).collect::<Vec<_>>().join(", ")),
        }
    }

    /// The text that it is.
    pub fn text(&self) -> Option<String> {
        if let Value::Text(text) = &self.value { Some(text.clone()) } else { None }
    }

    /// What a message calls the value.
    pub fn describe(&self) -> String {
        match &self.value {
            Value::Bool(value) => value.to_string(),
            Value::Integer(value) => value.to_string(),
            Value::Float(value) => format!("{value:?}"),
            Value::Text(text) => quoted(text),
            Value::Date(date) => format!("the date {date}"),
            Value::Other(what) => what.clone(),
            Value::List(_) => "a list".to_owned(),
            Value::Table(_) => "a table".to_owned(),
        }
    }
}

/// As plain TOML: no copy of the tree is made for it.
impl Serialize for Node {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.value {
            Value::Bool(value) => serializer.serialize_bool(*value),
            Value::Integer(value) => serializer.serialize_i64(*value),
            Value::Float(value) => serializer.serialize_f64(*value),
            Value::Text(text) | Value::Date(text) | Value::Other(text) => serializer.serialize_str(text),
            Value::List(items) => serializer.collect_seq(items),
            Value::Table(entries) => serializer.collect_map(entries.iter().map(|(key, entry)| (key, &entry.node))),
        }
    }
}

/// A user's text in quotes, cut where it is long.
pub(crate) fn quoted(text: &str) -> String {
    const SHOWN: usize = 60;
    match text.char_indices().nth(SHOWN) {
        Some((cut, _)) => format!("{:?}…", &text[..cut]),
        None => format!("{text:?}"),
    }
}

/// The path of `key` below `path`.
pub(crate) fn join(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

fn toml_table(table: &DeTable<'_>, origin: Origin) -> Node {
    let entry = |(key, value): (&Spanned<_>, &Spanned<_>)| {
        let key_origin = Origin { file: origin.file, start: key.span().start as u32 };
        (toml_key(key), Entry { key: key_origin, node: Node::from_toml_value(value, origin.file) })
    };
    Node { value: Value::Table(table.iter().map(entry).collect()), origin, id: 0 }
}

fn toml_key(key: &Spanned<std::borrow::Cow<'_, str>>) -> String {
    key.get_ref().to_string()
}

fn number(node: &mut Node, next: &mut u32) {
    node.id = *next;
    *next += 1;
    match &mut node.value {
        Value::List(items) => items.iter_mut().for_each(|item| number(item, next)),
        Value::Table(entries) => entries.values_mut().for_each(|entry| number(&mut entry.node, next)),
        _ => {}
    }
}

/// The node with this number and its key path.
fn find<'t>(node: &'t Node, id: u32, path: &str) -> Option<(String, &'t Node)> {
    if node.id == id {
        return Some((path.to_owned(), node));
    }
    // Numbers are given depth first, so the child that holds `id` is the last whose own number does not exceed it.
    match &node.value {
        Value::List(items) => {
            let index = items.partition_point(|item| item.id <= id).checked_sub(1)?;
            find(&items[index], id, &join(path, &index.to_string()))
        }
        Value::Table(entries) => {
            let (key, entry) = entries.iter().take_while(|(_, entry)| entry.node.id <= id).last()?;
            find(&entry.node, id, &join(path, key))
        }
        _ => None,
    }
}
