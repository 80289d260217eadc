//! What a run leaves: tidy tables with units in the column names, and a summary.

/// One column of a table.
#[derive(Clone, Debug, PartialEq)]
pub enum Column {
    /// Counts and ids.
    U64(Vec<u64>),
    /// Measurements; a missing one is NaN.
    F64(Vec<f64>),
    /// Names.
    Text(Vec<String>),
    /// A few names in many rows.
    Names {
        /// The names.
        names: Vec<String>,
        /// Which of them a row has.
        rows: Vec<u32>,
    },
    /// Yes or no.
    Bool(Vec<bool>),
}

/// A table: named columns of equal length.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// Columns in order.
    pub columns: Vec<(&'static str, Column)>,
}

/// A named figure of the summary.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// For example `mean_core_utilization`.
    pub name: &'static str,
    /// The value.
    pub value: f64,
    /// Its unit, `"1"` for a ratio.
    pub unit: &'static str,
}

/// What happened, event by event.
#[derive(Clone, Debug)]
pub struct Trace {
    /// One row an event, in their order.
    pub events: columns::File,
    /// When the last one happened, in picoseconds.
    pub last: u64,
    /// Later events for which there was no room.
    pub left_out: u64,
}

/// Everything a finished run has to say.
#[derive(Clone, Debug, Default)]
pub struct Results {
    /// One row a flow.
    pub flows: Table,
    /// One row a directed link.
    pub links: Table,
    /// One row a sample.
    pub series: Table,
    /// One row a (place, class, cause) with at least one drop.
    pub drops: Table,
    /// What probes say in tables of their own, by name.
    pub probes: Vec<(&'static str, Table)>,
    /// What happened, if that was asked for.
    pub trace: Option<Trace>,
    /// Sentences on what misleads in these figures.
    pub remarks: Vec<String>,
    /// The figures of `summary.json`.
    pub summary: Vec<Figure>,
    /// Hash over every arrival, equal for equal runs.
    pub fingerprint: u64,
    /// Events handled (arrivals and timer expiries that did something).
    pub events: u64,
    /// Packets sent on links.
    pub packet_hops: u64,
}

impl Results {
    /// The table of that name, if there is one.
    pub fn table(&self, name: &str) -> Option<&Table> {
        match name {
            "flows" => Some(&self.flows),
            "links" => Some(&self.links),
            "series" => Some(&self.series),
            "drops" => Some(&self.drops),
            _ => self.probes.iter().find(|(probe, _)| *probe == name).map(|(_, table)| table),
        }
    }
}
