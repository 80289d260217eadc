//! Segments that meet their fates by order of the scenario.

use units::Duration;

/// A named segment of a flow meets a fate when its source emits it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forced {
    /// The flow's number in the order of flow ids.
    pub flow: u32,
    /// The segment: byte offset divided by the segment size, from 0 (UDP: the datagram's number).
    pub segment: u64,
    /// Which transmission of it, from 1.
    pub copy: u32,
    /// What happens.
    pub fate: Fate,
}

/// What becomes of a forced segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It vanishes (cause `forced`).
    Drop,
    /// It leaves the host this much later.
    Delay(Duration),
    /// It leaves twice.
    Duplicate,
}
