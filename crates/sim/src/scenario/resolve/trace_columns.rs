//! The columns of a `[[link_trace]]` in CSV: their names, and what they say in which unit.

use super::properties::changing_keys;
use crate::links::LinkKey;
use options::Value;
use std::sync::LazyLock;

/// A column of a table: what it says, in which unit.
#[derive(Clone, Copy)]
pub(super) enum Column {
    Time(&'static str),
    Capacity(&'static str),
    Delay(&'static str),
    Buffer(&'static str),
    /// A property that is a time.
    TimeOf(&'static LinkKey, &'static str),
    /// One that is a number.
    NumberOf(&'static LinkKey),
    State,
}

const TIMES: [&str; 4] = ["s", "ms", "us", "ns"];

/// The columns by their names: times of properties behind the delay, numbers behind the buffer.
pub(super) fn known_columns() -> &'static [(String, Column)] {
    static COLUMNS: LazyLock<Vec<(String, Column)>> = LazyLock::new(|| {
        let is_time = |key: &&LinkKey| matches!(key.usual, Value::Time(_));
        let (times, numbers): (Vec<_>, Vec<_>) = changing_keys().partition(is_time);
        let mut all = Vec::new();
        let mut add = |name: String, column| all.push((name, column));
        TIMES.iter().for_each(|unit| add(format!("time_{unit}"), Column::Time(unit)));
        for unit in ["bps", "kbps", "Mbps", "Gbps"] {
            add(format!("capacity_{}", unit.to_lowercase()), Column::Capacity(unit));
        }
        TIMES.iter().for_each(|unit| add(format!("delay_{unit}"), Column::Delay(unit)));
        for key in times {
            TIMES.iter().for_each(|unit| add(format!("{}_{unit}", key.key.name), Column::TimeOf(key, unit)));
        }
        for (name, unit) in [("packets", "packets"), ("bytes", "B"), ("kb", "kB"), ("mb", "MB")] {
            add(format!("buffer_{name}"), Column::Buffer(unit));
        }
        numbers.into_iter().for_each(|key| add(key.key.name.to_owned(), Column::NumberOf(key)));
        add("state".to_owned(), Column::State);
        add("buffer_gb".to_owned(), Column::Buffer("GB"));
        all
    });
    &COLUMNS
}

/// What there is a column of besides the time, in words.
pub(super) fn known_properties() -> String {
    let mut all: Vec<&str> = Vec::new();
    for property in known_columns().iter().map(|(_, column)| column.property()) {
        if property != "time" && !all.contains(&property) {
            all.push(property);
        }
    }
    all.join(", ")
}

impl Column {
    /// What it says something of.
    pub fn property(self) -> &'static str {
        match self {
            Column::Time(_) => "time",
            Column::Capacity(_) => "capacity",
            Column::Delay(_) => "delay",
            Column::Buffer(_) => "buffer",
            Column::TimeOf(key, _) | Column::NumberOf(key) => key.key.name,
            Column::State => "state",
        }
    }
}
