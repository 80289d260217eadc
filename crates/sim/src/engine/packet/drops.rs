//! Where packets were dropped, and why.

use super::admission::{Cause, Count};
use super::fields::Class;
use std::collections::BTreeMap;

/// Where a packet was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DropPlace {
    /// At the port of this link (the engine's numbering), or on its fibre.
    Link(u32),
    /// At the host that sent this flow's packet.
    Host(u32),
}

/// Packets dropped since the start, by place, class and cause.
pub type Drops = BTreeMap<(DropPlace, Class, Cause), Count>;
