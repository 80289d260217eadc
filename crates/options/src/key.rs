//! What a parameter can be, and its value without its type.

use crate::{Range, WordList, Words};
use std::borrow::Cow;
use std::fmt;
use units::{BufferSize, Duration};

/// A parameter as its users know it.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// Its name.
    pub name: &'static str,
    /// What it can be.
    pub kind: Kind,
    /// What it means; the first sentence stands alone. Each line begins with a space, as comments do.
    pub meaning: &'static str,
}

impl Key {
    /// What it means, in one sentence without its end.
    pub fn sentence(&self) -> &'static str {
        let meaning = self.meaning.trim();
        let end = meaning.find(". ").map_or(meaning, |end| &meaning[..end]);
        end.strip_suffix('.').unwrap_or(end)
    }
}

/// What a parameter can be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// True or false.
    Flag,
    /// A whole number.
    Whole(Range),
    /// A number.
    Number(Range),
    /// A number of bytes.
    Bytes,
    /// Bytes, or without a bound.
    Window,
    /// Part of a queue: packets, bytes, or a time at the rate of its link.
    Room,
    /// A span of time.
    Time(Zero),
    /// No, or so long at most.
    Delay,
    /// A word.
    Word(&'static WordList),
    /// A number of segments from 1 on, or a word.
    Segments(&'static WordList),
}

/// Whether a span of time may be zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Zero {
    /// It may.
    Allowed,
    /// It may not.
    Refused,
}

impl Kind {
    /// A span of time above zero.
    pub const POSITIVE: Kind = Kind::Time(Zero::Refused);
    /// A span of time.
    pub const SPAN: Kind = Kind::Time(Zero::Allowed);

    /// What a value must be that is not allowed.
    pub fn refuses(&self, value: Value) -> Option<Cow<'static, str>> {
        match (self, value) {
            (Kind::Whole(range), Value::Whole(number)) if !range.contains(number as f64) => {
                Some(format!("must be {range}").into())
            }
            (Kind::Number(range), Value::Number(number)) if !range.contains(number) => {
                Some(format!("must be {range}").into())
            }
            (Kind::Time(Zero::Refused), Value::Time(Duration::ZERO)) => Some("must be positive".into()),
            (Kind::Bytes, Value::Whole(0)) => Some("must be at least one byte".into()),
            (Kind::Segments(_), Value::Whole(0)) => Some("must be at least one segment".into()),
            _ => None,
        }
    }

    /// Whether both are written in the same way, whatever their ranges.
    pub fn is_like(&self, other: &Kind) -> bool {
        match (self, other) {
            (Kind::Word(one), Kind::Word(two)) | (Kind::Segments(one), Kind::Segments(two)) => one == two,
            _ => std::mem::discriminant(self) == std::mem::discriminant(other),
        }
    }
}

/// The value of a parameter, without its type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// It is not set, or has no bound.
    Nothing,
    /// Of a [`Kind::Flag`].
    Flag(bool),
    /// Whole numbers and bytes.
    Whole(u64),
    /// Of a [`Kind::Number`].
    Number(f64),
    /// A span.
    Time(Duration),
    /// Of a [`Kind::Room`].
    Room(BufferSize),
    /// A word.
    Word(&'static str),
}

/// A type that a parameter can have.
pub trait Argument: Sized {
    /// The value without the type.
    fn to_value(&self) -> Value;
    /// The typed value, if it can be one.
    fn from_value(value: Value) -> Option<Self>;
}

macro_rules! arguments {
    ($($type:ty: $variant:ident($inner:ty);)+) => {$(
        impl Argument for $type {
            fn to_value(&self) -> Value {
                Value::$variant(<$inner>::from(*self))
            }
            fn from_value(value: Value) -> Option<$type> {
                match value {
                    Value::$variant(value) => <$type>::try_from(value).ok(),
                    _ => None,
                }
            }
        }

        impl Argument for Option<$type> {
            fn to_value(&self) -> Value {
                self.as_ref().map_or(Value::Nothing, Argument::to_value)
            }
            fn from_value(value: Value) -> Option<Option<$type>> {
                if value == Value::Nothing { Some(None) } else { <$type>::from_value(value).map(Some) }
            }
        }
    )+};
}

arguments! {
    bool: Flag(bool);
    u32: Whole(u64);
    f64: Number(f64);
    Duration: Time(Duration);
    BufferSize: Room(BufferSize);
}

/// Bytes; all of them are no bound.
impl Argument for u64 {
    fn to_value(&self) -> Value {
        if *self == u64::MAX { Value::Nothing } else { Value::Whole(*self) }
    }

    fn from_value(value: Value) -> Option<u64> {
        match value {
            Value::Nothing => Some(u64::MAX),
            Value::Whole(number) => Some(number),
            _ => None,
        }
    }
}

impl Argument for Option<u64> {
    fn to_value(&self) -> Value {
        self.map_or(Value::Nothing, Value::Whole)
    }

    fn from_value(value: Value) -> Option<Option<u64>> {
        match value {
            Value::Nothing => Some(None),
            Value::Whole(number) => Some(Some(number)),
            _ => None,
        }
    }
}

impl<T: Words> Argument for T {
    fn to_value(&self) -> Value {
        Value::Word(self.word())
    }

    fn from_value(value: Value) -> Option<T> {
        match value {
            Value::Word(word) => T::from_word(word),
            _ => None,
        }
    }
}

impl<T: Words> Argument for Option<T> {
    fn to_value(&self) -> Value {
        self.map_or(Value::Nothing, |value| Value::Word(value.word()))
    }

    fn from_value(value: Value) -> Option<Option<T>> {
        if value == Value::Nothing { Some(None) } else { T::from_value(value).map(Some) }
    }
}

/// Parameters that are declared once.
pub trait Options {
    /// Where they are declared.
    fn owner(&self) -> &'static str;
    /// All that a user can set, in a fixed order.
    fn keys(&self) -> &'static [Key];
    /// The value of the parameter at this place among the keys.
    fn get(&self, place: usize) -> Value;
    /// What counts where the parameter is not set; `Nothing` if that does not follow from the others.
    fn derived(&self, place: usize) -> Value;
    /// Sets it. The value must be of the kind of its key.
    fn set(&mut self, place: usize, value: Value);

    /// Whether every parameter is in its range, and which is not.
    fn check_ranges(&self) -> Result<(), ConfigError> {
        for (place, key) in self.keys().iter().enumerate() {
            if let Some(reason) = key.kind.refuses(self.get(place)) {
                return Err(ConfigError { field: key.name, reason });
            }
        }
        Ok(())
    }

    /// The place of a key.
    fn find(&self, name: &str) -> Option<usize> {
        self.keys().iter().position(|key| key.name == name)
    }
}

/// A parameter a machine cannot run with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError {
    /// The parameter's name.
    pub field: &'static str,
    /// What it must be.
    pub reason: Cow<'static, str>,
}

impl ConfigError {
    /// Says what the parameter must be.
    pub fn new(field: &'static str, reason: &'static str) -> ConfigError {
        ConfigError { field, reason: reason.into() }
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.field, self.reason)
    }
}

impl std::error::Error for ConfigError {}

/// The first key that cannot be told from another, in a sentence that names both places. The keys of `common` are there
/// besides those of any one of `alternatives`; alternatives may share a name if it is written in the same way.
pub fn clash(common: &[&dyn Options], alternatives: &[&dyn Options]) -> Option<String> {
    let all = |options: &[&dyn Options]| -> Vec<(&'static str, &'static Key)> {
        options.iter().flat_map(|one| one.keys().iter().map(|key| (one.owner(), key))).collect()
    };
    let (fixed, varied) = (all(common), all(alternatives));
    let twice = |place: usize, (owner, key): &(&'static str, &'static Key)| {
        let shared = varied.iter().find(|(_, other)| other.name == key.name && place < fixed.len());
        let before = fixed[..place.min(fixed.len())].iter().find(|(_, other)| other.name == key.name);
        let other = before.or(shared)?;
        Some(format!("the key {:?} is declared twice: in {} and in {owner}", key.name, other.0))
    };
    let unlike = |place: usize, (owner, key): &(&'static str, &'static Key)| {
        let other = varied[..place]
            .iter()
            .find(|(before, other)| other.name == key.name && (before == owner || !other.kind.is_like(&key.kind)))?;
        let how = if other.0 == *owner { "declared twice" } else { "written in two ways" };
        Some(format!("the key {:?} is {how}: in {} and in {owner}", key.name, other.0))
    };
    let first = fixed.iter().enumerate().find_map(|(place, one)| twice(place, one));
    first.or_else(|| varied.iter().enumerate().find_map(|(place, one)| unlike(place, one)))
}
