//! Tables of which each key is declared once: name, type, default, range, who may use it, and a comment that is what it means.
//!
//! [`keys!`] makes of the declarations the struct that is read, the check of each key by itself, the schema (and with it
//! `docs/scenario.md`), and what `check --explain` writes. What keys mean together is for the code that reads the struct.

use super::{
    At, ByteCount, Choice, Fault, FlowSize, Length, Names, PairsSpec, Place, Room, Size, Speed, Text, Time, Word,
    quote, quoted,
};
use options::{Kind, Options, Words};
use serde::de::{DeserializeSeed, Deserializer, Error, Visitor};
use std::fmt;
use std::ops::Deref;
use units::{BufferSize, Bytes, Duration};

/// The value of a key that has a default: as given, or the usual one.
#[derive(Clone, Copy)]
pub struct Key<T> {
    value: T,
    node: Option<At<()>>,
}

impl<T> Key<T> {
    pub(crate) fn usual(value: T) -> Key<T> {
        Key { value, node: None }
    }

    /// Where it was given.
    pub(crate) fn place(&self) -> Option<Place> {
        self.node.as_ref().map(At::place)
    }

    /// A fault of this value; without a place if it was not given.
    pub(crate) fn fault(&self, message: impl Into<String>) -> Fault {
        Fault::new(self.place().unwrap_or(Place::Unknown), message)
    }
}

impl<T> Deref for Key<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T: fmt::Debug> fmt::Debug for Key<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value.fmt(f)
    }
}

/// What a field of a table is: a required key, one that may be left out, one with a default, a list of tables.
pub(crate) trait Field: Sized {
    /// The type of the key's value.
    type Value;
    /// The key is there.
    fn given(at: At<Self::Value>) -> Self;
    /// It is not; `None` if it must be.
    fn absent() -> Option<Self>;
    /// Its value, given or usual.
    fn value(&self) -> Option<&Self::Value>;
    /// Where it was given.
    fn place(&self) -> Option<Place>;
}

impl<T> Field for At<T> {
    type Value = T;
    fn given(at: At<T>) -> At<T> {
        at
    }
    fn absent() -> Option<At<T>> {
        None
    }
    fn value(&self) -> Option<&T> {
        Some(self)
    }
    fn place(&self) -> Option<Place> {
        Some(At::place(self))
    }
}

impl<T> Field for Option<At<T>> {
    type Value = T;
    fn given(at: At<T>) -> Option<At<T>> {
        Some(at)
    }
    fn absent() -> Option<Option<At<T>>> {
        Some(None)
    }
    fn value(&self) -> Option<&T> {
        self.as_deref()
    }
    fn place(&self) -> Option<Place> {
        self.as_ref().map(At::place)
    }
}

impl<T> Field for Key<T> {
    type Value = T;
    fn given(at: At<T>) -> Key<T> {
        Key { node: Some(at.mark()), value: at.into_inner() }
    }
    fn absent() -> Option<Key<T>> {
        None
    }
    fn value(&self) -> Option<&T> {
        Some(self)
    }
    fn place(&self) -> Option<Place> {
        Key::place(self)
    }
}

impl<T> Field for Vec<At<T>> {
    type Value = Vec<At<T>>;
    fn given(at: At<Vec<At<T>>>) -> Vec<At<T>> {
        at.into_inner()
    }
    fn absent() -> Option<Vec<At<T>>> {
        Some(Vec::new())
    }
    fn value(&self) -> Option<&Vec<At<T>>> {
        (!self.is_empty()).then_some(self)
    }
    fn place(&self) -> Option<Place> {
        None
    }
}

/// Where a value may lie.
pub(crate) struct Within<T> {
    /// What is allowed, in words.
    pub words: String,
    holds: Box<dyn Fn(&T) -> bool>,
}

impl<T: Form> Within<T> {
    /// What is allowed, in words, and whether a value is.
    pub fn new(words: impl Into<String>, holds: impl Fn(&T) -> bool + 'static) -> Within<T> {
        Within { words: words.into(), holds: Box::new(holds) }
    }

    /// The fault of a given value.
    pub fn check(&self, field: &impl Field<Value = T>) -> Result<(), Fault> {
        match (field.value(), field.place()) {
            (Some(value), Some(place)) if !(self.holds)(value) => {
                let message = format!("found {}; allowed: {}", value.form().inline(), self.words);
                Err(Fault::new(place, message))
            }
            _ => Ok(()),
        }
    }
}

/// A time that is not zero.
pub(crate) fn more_than_zero() -> Within<Time> {
    Within::new("more than zero", |time: &Time| time.0 > Duration::ZERO)
}

/// A time up to another.
pub(crate) fn at_most(most: Duration) -> Within<Time> {
    Within::new(format!("at most \"{most}\""), move |time: &Time| time.0 <= most)
}

/// A probability.
pub(crate) fn a_probability() -> Within<f64> {
    Within::new("a probability from 0 to 1", |value| (0.0..=1.0).contains(value))
}

/// A rate at which a byte lasts a second at most.
pub(crate) fn a_rate() -> Within<Speed> {
    Within::new("8 bps to 1000 Tbps", |speed: &Speed| super::rate_in_range(speed.0, || Place::Unknown).is_ok())
}

/// A whole number.
pub(crate) fn whole<N: Copy + PartialOrd + fmt::Display + Form + 'static>(low: N, high: N) -> Within<N> {
    Within::new(format!("{low} to {high}"), move |number| *number >= low && *number <= high)
}

/// A number as a machine declares it.
pub(crate) fn as_declared(options: &dyn Options, name: &str) -> Within<f64> {
    let key = options.find(name).map(|place| options.keys()[place]).expect("the machine declares the key");
    match key.kind {
        Kind::Number(range) => Within::new(range.to_string(), move |number| range.contains(*number)),
        kind => unreachable!("{name} is a number, not {kind:?}"),
    }
}

/// When a key may be used; else it is refused.
pub(crate) struct When<K> {
    /// Whether it may.
    pub holds: fn(&K) -> bool,
    /// Why it may not: "goes with …".
    pub because: &'static str,
}

impl<K> When<K> {
    pub const fn new(holds: fn(&K) -> bool, because: &'static str) -> When<K> {
        When { holds, because }
    }

    /// The fault of a given key.
    pub fn check(&self, keys: &K, name: &str, place: Option<Place>) -> Result<(), Fault> {
        match place {
            Some(place) if !(self.holds)(keys) => {
                Err(Fault::new(place, format!("the key {} {}", quoted(name), self.because)))
            }
            _ => Ok(()),
        }
    }
}

/// A value as it is written.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Written {
    /// On its line.
    Inline(String),
    /// A table.
    Table(Explained),
    /// A list of tables.
    Tables(Vec<Explained>),
}

impl Written {
    /// On one line.
    pub fn inline(&self) -> String {
        let list = |parts: Vec<String>| format!("[{}]", parts.join(", "));
        match self {
            Written::Inline(text) => text.clone(),
            Written::Table(table) => table.inline(),
            Written::Tables(tables) => list(tables.iter().map(Explained::inline).collect()),
        }
    }
}

/// A type whose values can be written as a scenario has them.
pub(crate) trait Form {
    /// The value as it is written.
    fn form(&self) -> Written;

    /// Checks the keys in it, if it has some, each by itself.
    fn check_keys(&self) -> Result<(), Fault> {
        Ok(())
    }
}

macro_rules! forms {
    ($($type:ty, $value:ident => $text:expr;)+) => {$(
        impl Form for $type {
            fn form(&self) -> Written {
                let $value = self;
                Written::Inline($text)
            }
        }
    )+};
}

forms! {
    bool, flag => flag.to_string();
    u8, number => number.to_string();
    u32, number => number.to_string();
    u64, number => number.to_string();
    f64, number => format!("{number:?}");
    String, text => quote(text);
    Time, time => format!("\"{}\"", time.0);
    Speed, speed => format!("\"{}\"", speed.0);
    Size, size => format!("\"{}\"", size.0);
    ByteCount, count => format!("\"{} B\"", count.0);
    Room, room => format!("\"{}\"", match room.0 {
        BufferSize::Packets(packets) => format!("{packets} packets"),
        BufferSize::Bytes(bytes) => bytes.to_string(),
        BufferSize::Time(span) => span.to_string(),
        BufferSize::Unlimited => "unlimited".to_owned(),
    });
    Length, length => format!("\"{} m\"", length.0.metres);
    FlowSize, size => match size {
        FlowSize::Greedy => "\"greedy\"".to_owned(),
        FlowSize::Bytes(bytes) => format!("\"{}\"", Bytes(*bytes)),
    };
    Names, names => match names {
        Names::One(name) => quote(name),
        Names::Many(names) => names.form().inline(),
    };
    (String, String), pair => format!("[{}, {}]", quote(&pair.0), quote(&pair.1));
    PairsSpec, pairs => match pairs {
        PairsSpec::Random => "\"random\"".to_owned(),
        PairsSpec::All => "\"all\"".to_owned(),
        PairsSpec::List(pairs) => pairs.form().inline(),
    };
}

impl<T: Form> Form for Choice<T> {
    fn form(&self) -> Written {
        match self {
            Choice::All => Written::Inline("\"all\"".to_owned()),
            Choice::Some(some) => some.form(),
        }
    }
}

impl<T: Words> Form for Word<T> {
    fn form(&self) -> Written {
        Written::Inline(format!("\"{}\"", self.word()))
    }
}

impl<T: Form> Form for Vec<At<T>> {
    fn form(&self) -> Written {
        let (mut tables, mut others) = (Vec::new(), Vec::new());
        for item in self {
            match item.form() {
                Written::Table(table) => tables.push(table),
                other => others.push(other.inline()),
            }
        }
        if others.is_empty() { Written::Tables(tables) } else { Written::Inline(format!("[{}]", others.join(", "))) }
    }

    fn check_keys(&self) -> Result<(), Fault> {
        self.iter().try_for_each(|item| item.check_keys())
    }
}

/// A table as it is written out: its keys in their order, with what counts where a key is not given.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Explained(Vec<Row>);

#[derive(Clone, Debug, PartialEq)]
struct Row {
    key: &'static str,
    /// `None`: it is not given and has no default.
    value: Option<Written>,
    /// What it means.
    sentence: &'static str,
}

impl Explained {
    /// Adds a key; `meaning` is its comment.
    pub fn add(&mut self, key: &'static str, meaning: &'static str, value: Option<Written>) {
        self.0.push(Row { key, value, sentence: first_sentence(meaning) });
    }

    /// Says what counts for a key that is not given: `"signalling_slots"`, or `"assembly.timer"` in a table.
    pub fn derive(&mut self, path: &str, value: Written) {
        let (key, rest) = path.split_once('.').map_or((path, None), |(key, rest)| (key, Some(rest)));
        let row = self.0.iter_mut().find(|row| row.key == key).expect("what is derived is a key of the table");
        match (rest, &mut row.value) {
            (Some(rest), Some(Written::Table(table))) => table.derive(rest, value),
            (_, unsaid) => *unsaid = Some(value),
        }
    }

    /// The same as a table of a kind, which this key says.
    pub fn of_kind(mut self, key: &'static str, kind: &str) -> Explained {
        self.0.insert(0, Row { key, value: Some(Written::Inline(quote(kind))), sentence: "" });
        self
    }

    /// Leaves out keys that are of no use here.
    pub fn leave_out(&mut self, keys: &[&str]) {
        self.0.retain(|row| !keys.contains(&row.key));
    }

    fn inline(&self) -> String {
        let said = self.0.iter().filter_map(|row| Some((row.key, row.value.as_ref()?)));
        let rows: Vec<String> = said.map(|(key, value)| format!("{key} = {}", value.inline())).collect();
        format!("{{ {} }}", rows.join(", "))
    }

    /// Writes the keys, then lists of tables as sections below `name`.
    pub fn write(&self, name: &str, text: &mut Text) {
        const SHORT: usize = 6;
        let said = || self.0.iter().filter_map(|row| Some((row, row.value.as_ref()?)));
        let is_section =
            |value: &Written| matches!(value, Written::Tables(all) if all.iter().any(|one| one.0.len() > SHORT));
        for (row, value) in said().filter(|(_, value)| !is_section(value)) {
            match value {
                Written::Tables(tables) => {
                    text.line(&format!("{} = [", row.key));
                    tables.iter().for_each(|table| text.line(&format!("    {},", table.inline())));
                    text.line("]");
                }
                value => text.key(row.key, value.inline(), row.sentence),
            }
        }
        for (row, value) in said().filter(|(_, value)| is_section(value)) {
            let Written::Tables(tables) = value else { continue };
            let section = format!("{name}.{}", row.key);
            for table in tables {
                text.line(&format!("\n[[{section}]]"));
                table.write(&section, text);
            }
        }
    }
}

/// The first sentence of a comment, without its end.
fn first_sentence(meaning: &'static str) -> &'static str {
    let meaning = meaning.trim();
    let end = meaning.find(". ").map_or(meaning, |end| &meaning[..end]);
    end.strip_suffix('.').unwrap_or(end)
}

/// What the schema says of a key.
pub(crate) fn meaning(comment: &str, allowed: Option<String>, because: &[&str], usual: Option<Written>) -> String {
    let mut text = unindented(comment);
    // What is allowed elsewhere is for the message only.
    let brief = |because: &str| because.split("; ").next().unwrap_or(because).to_owned();
    because.iter().for_each(|because| text += &format!(" It {}.", brief(because)));
    text += &allowed.map_or(String::new(), |allowed| format!(" Allowed: {allowed}."));
    text + &usual.map_or(String::new(), |usual| format!(" Default {}.", usual.inline()))
}

/// Reads the name of a key that is one of these.
#[derive(Clone, Copy)]
pub(crate) struct KeyName(pub &'static [&'static str]);

impl<'de> DeserializeSeed<'de> for KeyName {
    type Value = &'static str;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<&'static str, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for KeyName {
    type Value = &'static str;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a key")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<&'static str, E> {
        self.0.iter().find(|known| **known == name).copied().ok_or_else(|| E::unknown_field(name, self.0))
    }
}

/// Declares a table. A field's type says whether its key is required (`At<T>`), may be left out (`Option<At<T>>`), has a default
/// (`Key<T>`, with `= default`), or is a list of tables (`Vec<At<T>>`). `in` says where the value may lie, `when` who may
/// use the key, once or more.
macro_rules! keys {
    (
        $(#[doc = $about:literal])+
        $vis:vis struct $name:ident {
            $($(#[doc = $doc:literal])+ pub $field:ident: $type:ty $(= $default:expr)? $(, in $within:expr)? $(, when $when:expr)*;)*
        }
    ) => {
        $(#[doc = $about])+
        #[derive(Clone, Debug)]
        $vis struct $name { $($(#[doc = $doc])+ pub $field: $type),* }

        #[allow(dead_code, unused_imports, unused_mut, unused_variables, reason = "some tables have no keys")]
        impl $name {
            const NAMES: &'static [&'static str] = &[$(stringify!($field)),*];

            /// The table of which nothing is said, if all of it can be left out.
            pub(crate) fn unsaid() -> $name {
                $name { $($field: $crate::language::keys::absent!($type $(, $default)?).expect("no key is required")),* }
            }

            /// Checks each key by itself, whether it is of use here first.
            pub(crate) fn check(&self) -> Result<(), $crate::language::Fault> {
                use $crate::language::keys::{Field, Form};
                $($(
                    let when: &$crate::language::keys::When<$name> = &$when;
                    when.check(self, stringify!($field), self.$field.place())?;
                )*)*
                $($(
                    let within: $crate::language::keys::Within<<$type as Field>::Value> = $within;
                    within.check(&self.$field)?;
                )?)*
                $(Field::value(&self.$field).map_or(Ok(()), Form::check_keys)?;)*
                Ok(())
            }

            /// The table as it is written out.
            pub(crate) fn explained(&self) -> $crate::language::keys::Explained {
                use $crate::language::keys::{Field, Form};
                let mut table = $crate::language::keys::Explained::default();
                $(
                    let is_of_use = true $(&& {
                        let when: &$crate::language::keys::When<$name> = &$when;
                        (when.holds)(self)
                    })*;
                    let value = Field::value(&self.$field).filter(|_| is_of_use).map(Form::form);
                    table.add(stringify!($field), concat!($($doc),+), value);
                )*
                table
            }
        }

        impl $crate::language::keys::Form for $name {
            fn form(&self) -> $crate::language::keys::Written {
                $crate::language::keys::Written::Table(self.explained())
            }

            fn check_keys(&self) -> Result<(), $crate::language::Fault> {
                self.check()
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<$name, D::Error> {
                struct Table;
                impl<'de> serde::de::Visitor<'de> for Table {
                    type Value = $name;
                    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        write!(f, "a table")
                    }
                    #[allow(unused_imports, unused_mut, unused_variables, reason = "some tables have no keys")]
                    fn visit_map<A: serde::de::MapAccess<'de>>(self, mut entries: A) -> Result<$name, A::Error> {
                        use $crate::language::keys::{Field, KeyName, absent};
                        $(let mut $field = None;)*
                        while let Some(key) = entries.next_key_seed(KeyName($name::NAMES))? {
                            $(if key == stringify!($field) {
                                $field = Some(<$type as Field>::given(entries.next_value()?));
                                continue;
                            })*
                        }
                        $(let $field = $field.or_else(|| absent!($type $(, $default)?));)*
                        Ok($name { $($field: match $field {
                            Some(value) => value,
                            None => return Err(serde::de::Error::missing_field(stringify!($field))),
                        }),* })
                    }
                }
                deserializer.deserialize_map(Table)
            }
        }

        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            #[allow(unused_imports, unused_variables, unused_mut, unused_assignments, reason = "some tables have no keys")]
            fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                use $crate::language::keys::{Field, Form, absent, meaning, unindented};
                let (mut properties, mut required) = (serde_json::Map::new(), Vec::<&str>::new());
                $(
                    let usual: Option<$type> = absent!($type $(, $default)?);
                    let (mut allowed, mut because) = (None, Vec::new());
                    $(
                        let within: $crate::language::keys::Within<<$type as Field>::Value> = $within;
                        allowed = Some(within.words);
                    )?
                    $(
                        let when: &$crate::language::keys::When<$name> = &$when;
                        because.push(when.because);
                    )*
                    let mut schema = match usual {
                        Some(_) => generator.subschema_for::<Option<<$type as Field>::Value>>(),
                        None => {
                            required.push(stringify!($field));
                            generator.subschema_for::<<$type as Field>::Value>()
                        }
                    };
                    let usual = usual.as_ref().and_then(Field::value).map(Form::form);
                    schema.insert("description".to_owned(), meaning(concat!($($doc),+), allowed, &because, usual).into());
                    properties.insert(stringify!($field).to_owned(), schema.to_value());
                )*
                let mut table = serde_json::json!({
                    "type": "object", "description": unindented(concat!($($about),+)), "additionalProperties": false,
                    "properties": properties,
                });
                if !required.is_empty() {
                    table["required"] = required.into();
                }
                schemars::Schema::try_from(table).expect("an object is a schema")
            }
        }
    };
}

/// What a field is whose key is not there.
macro_rules! absent {
    ($type:ty) => {
        <$type as $crate::language::keys::Field>::absent()
    };
    ($type:ty, $default:expr) => {{
        let usual: $type = $crate::language::keys::Key::usual($default);
        Some(usual)
    }};
}

pub(crate) use {absent, keys};

/// A comment on one line.
pub(crate) fn unindented(comment: &str) -> String {
    comment.split_whitespace().collect::<Vec<_>>().join(" ")
}
