//! Why there is no schedule of circuits.

use super::{CircuitSchedule, DemandMatrix, Site};
use std::fmt;
use units::Duration;

/// The mistake, where it is, and what is allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CircuitError {
    /// No ports, one, or too many.
    Ports {
        /// How many.
        found: usize,
    },
    /// Another number of entries than ports times ports.
    NotSquare {
        /// Rows.
        ports: usize,
        /// Entries.
        found: usize,
    },
    /// An entry of a demand that no circuit carries in the longest week.
    Demand {
        /// Its row.
        row: usize,
        /// Its column.
        column: usize,
        /// Bytes.
        found: u64,
        /// The most bytes.
        most: u64,
    },
    /// No switches, or more than ports.
    Switches {
        /// How many.
        found: usize,
        /// How many ports.
        ports: usize,
    },
    /// Circuits without capacity.
    Capacity,
    /// A week or a slice that the dark time does not leave, or that is too long.
    Time {
        /// Which.
        what: &'static str,
        /// How long.
        found: Duration,
        /// The dark time.
        reconfiguration: Duration,
    },
    /// A rule without a time that it needs.
    Missing {
        /// The rule.
        rule: &'static str,
        /// The time.
        what: &'static str,
    },
    /// A rule with a slice, where the demand says how long matchings last.
    Surplus {
        /// The rule.
        rule: &'static str,
    },
    /// An odd number of ports for a rule that matches all of them in pairs.
    Odd {
        /// The rule.
        rule: &'static str,
        /// How many.
        ports: usize,
    },
    /// Fewer slices than the rule needs.
    FewSlices {
        /// Those of the week.
        found: u64,
        /// Those of a cycle.
        needed: u64,
    },
    /// A schedule with more holds than it may have.
    TooLarge {
        /// Ports.
        ports: usize,
        /// Holds.
        holds: u64,
    },
    /// A hold that cannot be.
    Hold {
        /// Its switch.
        switch: usize,
        /// Its number within the switch, from 0.
        hold: usize,
        /// What is wrong, and what is allowed.
        reason: String,
    },
    /// A line of a file.
    Line {
        /// From 1.
        line: usize,
        /// What is wrong, and what is allowed.
        reason: String,
    },
}

impl fmt::Display for CircuitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CircuitError::Ports { found } => {
                write!(f, "{found} ports; allowed: 2 to {}", DemandMatrix::MAX_PORTS)
            }
            CircuitError::NotSquare { ports, found } => {
                write!(f, "a demand of {ports} ports has {} entries, found {found}", ports * ports)
            }
            CircuitError::Demand { row, column, found, most } => {
                write!(f, "row {row}, column {column}: found {found} B; allowed: 0 to {most} B at this capacity")
            }
            CircuitError::Switches { found, ports } => {
                write!(f, "{found} switches; allowed: 1 to {ports}, one for each port")
            }
            CircuitError::Capacity => write!(f, "circuits of 0 bps; allowed: at least 1 bps"),
            CircuitError::Time { what, found, reconfiguration } => {
                write!(f, "a {what} of {found}; allowed: longer than the reconfiguration ({reconfiguration}), ")?;
                write!(f, "at most {}", Site::LONGEST)
            }
            CircuitError::Missing { rule, what } => write!(f, "the rule {rule} needs a {what}"),
            CircuitError::Surplus { rule } => {
                write!(f, "a slice for the rule {rule}, whose matchings last as the demand says; allowed: a week alone")
            }
            CircuitError::Odd { rule, ports } => {
                write!(f, "{ports} ports for the rule {rule}; allowed: an even number, or the rule offsets")
            }
            CircuitError::FewSlices { found, needed } => {
                write!(f, "a week of {found} slices; allowed: at least {needed}, those of a cycle")
            }
            CircuitError::TooLarge { ports, holds } => {
                let most = CircuitSchedule::MAX_CIRCUITS;
                write!(f, "{holds} matchings of {ports} ports; allowed: matchings times ports up to {most}")
            }
            CircuitError::Hold { switch, hold, reason } => write!(f, "switch {switch}, matching {hold}: {reason}"),
            CircuitError::Line { line, reason } => write!(f, "line {line}: {reason}"),
        }
    }
}

impl std::error::Error for CircuitError {}
