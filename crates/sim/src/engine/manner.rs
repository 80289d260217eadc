//! In which way a partition handles arrivals. Each is compiled by itself, so that what need not be asked costs nothing.

/// What is asked.
pub trait Manner {
    /// Whether the event list has the arrivals.
    const LISTED: bool;
    /// Whether a node may have agents, or departures that are events.
    const FULL: bool;
    /// Whether anything may be fetched early.
    const FORESEES: bool;
}

/// Event after event.
pub struct ByTime;

/// The turn of a node with agents or departures that are events.
pub struct FullTurn;

/// The turn of a node without, where something is fetched early.
pub struct ForeseeingTurn;

/// The turn of a node without, where nothing is.
pub struct PlainTurn;

impl Manner for ByTime {
    const LISTED: bool = true;
    const FULL: bool = true;
    const FORESEES: bool = true;
}

impl Manner for FullTurn {
    const LISTED: bool = false;
    const FULL: bool = true;
    const FORESEES: bool = true;
}

impl Manner for ForeseeingTurn {
    const LISTED: bool = false;
    const FULL: bool = false;
    const FORESEES: bool = true;
}

impl Manner for PlainTurn {
    const LISTED: bool = false;
    const FULL: bool = false;
    const FORESEES: bool = false;
}
