//! In which way a partition handles arrivals. Each is compiled by itself, so that what need not be asked costs nothing.

/// What is asked.
pub trait ExecutionMode {
    /// Whether the event list has the arrivals.
    const LISTED: bool;
    /// Whether a node may have agents, or departures that are events.
    const FULL: bool;
}

/// Event after event.
pub struct Global;

/// A window of a node with agents or departures that are events.
pub struct FullWindow;

/// A window of a node without.
pub struct PlainWindow;

impl ExecutionMode for Global {
    const LISTED: bool = true;
    const FULL: bool = true;
}

impl ExecutionMode for FullWindow {
    const LISTED: bool = false;
    const FULL: bool = true;
}

impl ExecutionMode for PlainWindow {
    const LISTED: bool = false;
    const FULL: bool = false;
}
