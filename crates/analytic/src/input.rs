//! What a model takes: names, units, defaults, ranges and choices, and how a text becomes a value.

use crate::Error;
use std::fmt;
use std::sync::Arc;
use units::{parse_bytes, parse_duration, parse_rate};

/// An input of a model.
#[derive(Debug)]
pub struct Input {
    /// Its name.
    pub name: &'static str,
    /// What it is, in one sentence.
    pub meaning: &'static str,
    /// What it can be.
    pub kind: Kind,
}

/// What an input can be.
#[derive(Debug)]
pub enum Kind {
    /// A number of a unit.
    Number {
        /// Its unit.
        unit: Unit,
        /// Its value if nothing is said.
        default: f64,
        /// Where it may lie.
        range: Range,
    },
    /// One of several words; the first is the default.
    Choice(&'static [Choice]),
    /// A list of numbers.
    Row {
        /// Their unit.
        unit: Unit,
        /// The list if nothing is said.
        default: &'static [f64],
        /// Where each may lie.
        range: Range,
    },
    /// A list of lists of numbers.
    Rows {
        /// Their unit.
        unit: Unit,
        /// The lists if nothing is said.
        default: &'static [&'static [f64]],
        /// Where each number may lie.
        range: Range,
    },
}

/// One word of a choice.
#[derive(Debug, PartialEq, Eq)]
pub struct Choice {
    /// The word.
    pub name: &'static str,
    /// What it means.
    pub meaning: &'static str,
}

/// The value of an input.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A number in the input's unit.
    Number(f64),
    /// The place of the word among the choices.
    Choice(usize),
    /// A list.
    Row(Arc<[f64]>),
    /// A list of lists.
    Rows(Arc<[Vec<f64>]>),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Number(number) => write!(f, "{number}"),
            Value::Choice(place) => write!(f, "choice {place}"),
            Value::Row(row) => write!(f, "{row:?}"),
            Value::Rows(rows) => write!(f, "{rows:?}"),
        }
    }
}

/// A unit: its symbol, and what else a text with a unit may say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// A ratio or a probability.
    One,
    /// Seconds; a text may say `"60 ms"`.
    Seconds,
    /// Bits per second; a text may say `"10 Gbps"`.
    BitsPerSecond,
    /// Bytes; a text may say `"9 kB"`.
    Bytes,
    /// Anything that has no other units, by its symbol.
    Named(&'static str),
}

impl Unit {
    /// The symbol that stands behind a number.
    pub const fn symbol(self) -> &'static str {
        match self {
            Unit::One => "1",
            Unit::Seconds => "s",
            Unit::BitsPerSecond => "bps",
            Unit::Bytes => "B",
            Unit::Named(symbol) => symbol,
        }
    }

    /// The number in this unit that `text` says; a text without a unit is in this unit.
    fn read(self, text: &str) -> Result<f64, String> {
        let symbol = if self == Unit::One { "" } else { self.symbol() };
        let bare = text.trim().strip_suffix(symbol).unwrap_or(text).trim();
        if let Ok(number) = bare.parse::<f64>() {
            return Ok(number);
        }
        let quantity = match self {
            Unit::Seconds => parse_duration(text).map(|span| span.as_secs_f64()),
            Unit::BitsPerSecond => parse_rate(text).map(|rate| rate.bps() as f64),
            Unit::Bytes => parse_bytes(text).map(|bytes| bytes.0 as f64),
            Unit::One => return Err("must be a number".to_owned()),
            Unit::Named(symbol) => return Err(format!("must be a number of {symbol}")),
        };
        quantity.map_err(|error| error.to_string())
    }
}

/// Where a number may lie.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// Whether the lower end itself is allowed.
    pub with_low: bool,
    /// Whether the upper end itself is allowed.
    pub with_high: bool,
    /// Whether only whole numbers are.
    pub whole: bool,
}

impl Range {
    /// From `low` to `high`, both allowed.
    pub const fn closed(low: f64, high: f64) -> Range {
        Range { low, high, with_low: true, with_high: true, whole: false }
    }

    /// Between `low` and `high`, neither allowed.
    pub const fn open(low: f64, high: f64) -> Range {
        Range { low, high, with_low: false, with_high: false, whole: false }
    }

    /// More than `low`, up to `high`.
    pub const fn above(low: f64, high: f64) -> Range {
        Range { low, high, with_low: false, with_high: true, whole: false }
    }

    /// At least `low`, less than `high`.
    pub const fn below(low: f64, high: f64) -> Range {
        Range { low, high, with_low: true, with_high: false, whole: false }
    }

    /// Whole numbers from `low` to `high`.
    pub const fn whole(low: f64, high: f64) -> Range {
        Range { low, high, with_low: true, with_high: true, whole: true }
    }

    /// Whether `value` lies in it; NaN lies nowhere.
    pub fn contains(&self, value: f64) -> bool {
        let above = value > self.low || self.with_low && value == self.low;
        let below = value < self.high || self.with_high && value == self.high;
        above && below && (!self.whole || value.fract() == 0.0)
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = if self.whole { "a whole number, " } else { "" };
        let low = if self.with_low { "at least" } else { "more than" };
        let high = if self.with_high { "at most" } else { "less than" };
        write!(f, "{kind}{low} {} and {high} {}", short(self.low), short(self.high))
    }
}

/// A number as people write it: neither a row of zeros nor a power of ten for a thousand.
fn short(number: f64) -> String {
    let plain = number == 0.0 || (1e-4..1e7).contains(&number.abs());
    if plain { number.to_string() } else { format!("{number:e}") }
}

impl Input {
    /// The value if nothing is said.
    pub fn default(&self) -> Value {
        match &self.kind {
            Kind::Number { default, .. } => Value::Number(*default),
            Kind::Choice(_) => Value::Choice(0),
            Kind::Row { default, .. } => Value::Row((*default).into()),
            Kind::Rows { default, .. } => Value::Rows(default.iter().map(|row| row.to_vec()).collect()),
        }
    }

    /// The symbol of its unit; empty for a choice.
    pub fn unit(&self) -> &'static str {
        match &self.kind {
            Kind::Number { unit, .. } | Kind::Row { unit, .. } | Kind::Rows { unit, .. } => unit.symbol(),
            Kind::Choice(_) => "",
        }
    }

    /// What is allowed, in words.
    pub fn allowed(&self) -> String {
        match &self.kind {
            Kind::Number { range, .. } => range.to_string(),
            Kind::Choice(choices) => choices.iter().map(|choice| choice.name).collect::<Vec<_>>().join(", "),
            Kind::Row { range, .. } => format!("numbers, each {range}"),
            Kind::Rows { range, .. } => format!("lists of numbers, each {range}"),
        }
    }

    /// The value that a text says: `"60 ms"`, `"as_printed"`, `"10 20 10"`, `"0 1; 1 2"`.
    pub fn read(&self, text: &str) -> Result<Value, Error> {
        let unreadable = |why| Error::Unreadable { input: self.name, found: text.to_owned(), why };
        let row = |unit: Unit, text: &str| numbers(unit, text).map_err(unreadable);
        match &self.kind {
            Kind::Number { unit, .. } => unit.read(text).map(Value::Number).map_err(unreadable),
            Kind::Choice(choices) => choices
                .iter()
                .position(|choice| choice.name == text.trim())
                .map(Value::Choice)
                .ok_or_else(|| unreadable(format!("must be one of {}", self.allowed()))),
            Kind::Row { unit, .. } => row(*unit, &unbracketed(text)).map(|row| Value::Row(row.into())),
            Kind::Rows { unit, .. } => {
                let rows = unbracketed(text).split(';').map(|part| row(*unit, part)).collect::<Result<Vec<_>, _>>();
                rows.map(|rows| Value::Rows(rows.into()))
            }
        }
    }

    /// Whether `value` is of the right kind and in range.
    pub fn check(&self, value: &Value) -> Result<(), Error> {
        match (&self.kind, value) {
            (Kind::Number { range, .. }, Value::Number(number)) => self.check_number(range, *number),
            (Kind::Choice(choices), Value::Choice(place)) if *place < choices.len() => Ok(()),
            (Kind::Row { range, .. }, Value::Row(row)) => self.check_all(range, row),
            (Kind::Rows { range, .. }, Value::Rows(rows)) => rows.iter().try_for_each(|row| self.check_all(range, row)),
            _ => Err(Error::Unreadable {
                input: self.name,
                found: value.to_string(),
                why: format!("must be {}", self.allowed()),
            }),
        }
    }

    fn check_all(&self, range: &Range, numbers: &[f64]) -> Result<(), Error> {
        numbers.iter().try_for_each(|number| self.check_number(range, *number))
    }

    fn check_number(&self, range: &Range, value: f64) -> Result<(), Error> {
        if range.contains(value) {
            return Ok(());
        }
        Err(Error::OutOfRange { input: self.name, value, allowed: range.to_string() })
    }
}

fn numbers(unit: Unit, text: &str) -> Result<Vec<f64>, String> {
    let words = text.split([' ', ',']).filter(|word| !word.is_empty());
    words.map(|word| unit.read(word)).collect()
}

/// `[[0, 1], [1, 2]]` as `0, 1; 1, 2`; what has no brackets stays as it is.
fn unbracketed(text: &str) -> String {
    if !text.trim_start().starts_with('[') {
        return text.to_owned();
    }
    let mut plain = String::new();
    let mut depth = 0;
    for letter in text.chars() {
        match letter {
            '[' => depth += 1,
            ']' => depth -= 1,
            ',' if depth == 1 && text.trim_start().starts_with("[[") => plain.push(';'),
            _ => plain.push(letter),
        }
    }
    plain
}

/// A type that an input can have in a model's own struct.
pub trait Argument: Sized {
    /// From the value of the same kind, which has been checked.
    fn from_value(value: &Value) -> Self;
    /// As a value.
    fn to_value(&self) -> Value;
}

impl Argument for f64 {
    fn from_value(value: &Value) -> f64 {
        match value {
            Value::Number(number) => *number,
            _ => f64::NAN,
        }
    }

    fn to_value(&self) -> Value {
        Value::Number(*self)
    }
}

impl Argument for u32 {
    fn from_value(value: &Value) -> u32 {
        f64::from_value(value) as u32
    }

    fn to_value(&self) -> Value {
        Value::Number(f64::from(*self))
    }
}

impl Argument for Arc<[f64]> {
    fn from_value(value: &Value) -> Arc<[f64]> {
        match value {
            Value::Row(row) => Arc::clone(row),
            _ => Arc::default(),
        }
    }

    fn to_value(&self) -> Value {
        Value::Row(Arc::clone(self))
    }
}

impl Argument for Arc<[Vec<f64>]> {
    fn from_value(value: &Value) -> Arc<[Vec<f64>]> {
        match value {
            Value::Rows(rows) => Arc::clone(rows),
            _ => Arc::default(),
        }
    }

    fn to_value(&self) -> Value {
        Value::Rows(Arc::clone(self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RTT: Input = Input {
        name: "rtt",
        meaning: "",
        kind: Kind::Number { unit: Unit::Seconds, default: 0.08, range: Range::above(0.0, 1e3) },
    };
    const ROUTES: Input = Input {
        name: "routes",
        meaning: "",
        kind: Kind::Rows { unit: Unit::One, default: &[], range: Range::whole(0.0, 9.0) },
    };

    #[test]
    fn a_quantity_is_read_in_the_unit_of_the_input() {
        assert_eq!(RTT.read("60 ms"), Ok(Value::Number(0.06)));
        assert_eq!(RTT.read("0.06"), Ok(Value::Number(0.06)));
        assert_eq!(RTT.read("0.06 s"), Ok(Value::Number(0.06)));
        assert_eq!(
            RTT.read("60 Gbps").unwrap_err().to_string(),
            "rtt = 60 Gbps: unknown unit 'Gbps'; allowed: ps, ns, us, ms, s, min, h"
        );
        assert_eq!(Unit::Named("packets").read("20 packets"), Ok(20.0));
        assert_eq!(Unit::BitsPerSecond.read("10 Gbps"), Ok(1e10));
        assert_eq!(Unit::Bytes.read("9 kB"), Ok(9000.0));
    }

    #[test]
    fn lists_are_written_with_or_without_brackets() {
        let rows = Ok(Value::Rows(vec![vec![0.0, 1.0], vec![2.0]].into()));
        assert_eq!(ROUTES.read("0 1; 2"), rows);
        assert_eq!(ROUTES.read("[[0, 1], [2]]"), rows);
    }

    #[test]
    fn what_lies_outside_the_range_is_named_with_the_range() {
        for (value, text) in [(0.0, "0"), (f64::NAN, "NaN"), (f64::INFINITY, "inf"), (-1.0, "-1")] {
            let message = RTT.check(&Value::Number(value)).unwrap_err().to_string();
            assert_eq!(message, format!("rtt = {text}: must be more than 0 and at most 1000"));
        }
        let message = ROUTES.check(&Value::Rows(vec![vec![0.5]].into())).unwrap_err().to_string();
        assert_eq!(message, "routes = 0.5: must be a whole number, at least 0 and at most 9");
    }
}
