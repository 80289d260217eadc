//! What a probe says of itself: a declaration has a column's name with its unit, a sentence, and how it is read, so
//! that tables, reference and page go over the same list.

use crate::results::Column;
use std::collections::BTreeMap;

/// A name and a sentence.
pub type Named = (&'static str, &'static str);

/// What a probe adds to the results, in words.
pub struct About {
    /// Its columns of the table of flows.
    pub columns: fn() -> Vec<Named>,
    /// Its figures of the summary.
    pub figures: fn() -> Vec<Named>,
    /// Quantities of which the summary has percentiles: `NAME_p99` is a figure.
    pub percentiles: &'static [Named],
    /// Its tables, with their columns.
    pub tables: &'static [(&'static str, &'static [Named])],
}

impl About {
    /// Of a probe that adds nothing.
    pub const NOTHING: About = About { columns: Vec::new, figures: Vec::new, percentiles: &[], tables: &[] };
}

/// A column of the table of flows, read from what a probe has seen of a flow.
pub(super) struct FlowColumn<T: 'static> {
    name: &'static str,
    meaning: &'static str,
    reading: Reading<T>,
}

enum Reading<T: 'static> {
    Count(fn(&T) -> u64),
    Measure(fn(&T) -> f64),
}

/// A whole number; 0 of a flow of which nothing was seen.
pub(super) const fn count<T>(name: &'static str, meaning: &'static str, of: fn(&T) -> u64) -> FlowColumn<T> {
    FlowColumn { name, meaning, reading: Reading::Count(of) }
}

/// A measurement; missing of a flow of which nothing was seen, as where it is NaN.
pub(super) const fn measure<T>(name: &'static str, meaning: &'static str, of: fn(&T) -> f64) -> FlowColumn<T> {
    FlowColumn { name, meaning, reading: Reading::Measure(of) }
}

/// Their names and sentences.
pub(super) fn named<T>(columns: &[FlowColumn<T>]) -> Vec<Named> {
    columns.iter().map(|column| (column.name, column.meaning)).collect()
}

/// The columns of the table of flows; `seen` has what was seen of each flow.
pub(super) fn read<T>(columns: &[FlowColumn<T>], seen: &[Option<&T>]) -> Vec<(&'static str, Column)> {
    let column = |column: &FlowColumn<T>| match column.reading {
        Reading::Count(of) => Column::U64(seen.iter().map(|flow| flow.map_or(0, of)).collect()),
        Reading::Measure(of) => Column::F64(seen.iter().map(|flow| flow.map_or(f64::NAN, of)).collect()),
    };
    columns.iter().map(|one| (one.name, column(one))).collect()
}

/// What was seen of each of so many flows; each is in one of the maps at most.
pub(super) fn by_flow<'a, T>(flows: usize, maps: impl Iterator<Item = &'a BTreeMap<u32, T>>) -> Vec<Option<&'a T>> {
    let mut seen = vec![None; flows];
    maps.flatten().for_each(|(flow, one)| seen[*flow as usize] = Some(one));
    seen
}
