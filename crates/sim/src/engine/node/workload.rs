//! Work that depends on work, as the engine knows it: it lets flows go when others have arrived.

use crate::results::{Figure, Table};
use std::fmt::Debug;
use units::Instant;

/// How far a flow has come.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// The flow.
    pub flow: u32,
    /// Bytes of it, all from the first on.
    pub bytes: u64,
    /// Whether they have arrived; if not, they are acknowledged.
    pub has_arrived: bool,
}

/// A flow is to send so many bytes more, or to start.
#[derive(Clone, Copy, Debug)]
pub struct Release {
    /// The flow.
    pub flow: u32,
    /// The bytes.
    pub bytes: u64,
}

/// What lets flows go. It stands above hosts of any kind, and knows none.
pub trait Workload: Debug + Send {
    /// A flow has come further, perhaps one that is not its own: whether something is done by that.
    fn handle_progress(&mut self, now: Instant, progress: Progress, released: &mut Vec<Release>) -> bool;

    /// When it wants to be called; [`Instant::NEVER`] while it waits for flows alone.
    fn next_timeout(&self) -> Instant;

    /// Its deadline has come.
    fn handle_timeout(&mut self, now: Instant, released: &mut Vec<Release>);

    /// What has been done when.
    fn tables(&self, run: u32) -> Vec<(&'static str, Table)>;

    /// The same in some numbers.
    fn figures(&self) -> Vec<Figure>;
}
