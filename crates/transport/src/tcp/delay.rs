//! What TD-FR knows of a flow: `recovery::delayed` keeps it.

use units::Instant;

/// The clock of the duplicate ACKs of one hole.
#[derive(Clone, Copy, Debug)]
pub(super) struct Delay {
    /// When the first of them came, if any has.
    pub(super) first: Option<Instant>,
    /// When the hole counts as lost.
    pub(super) due: Instant,
}

impl Default for Delay {
    fn default() -> Delay {
        Delay { first: None, due: Instant::NEVER }
    }
}

impl Delay {
    /// When it wants to be served.
    pub(super) fn wake(&self) -> Instant {
        self.due
    }
}
