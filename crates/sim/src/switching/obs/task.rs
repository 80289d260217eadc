//! What a node of an optical burst-switched network is to do later.

use super::burst::Header;

/// A route as its egress node knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RouteId {
    /// The agent of its ingress node.
    pub ingress: u32,
    /// Its name there.
    pub route: u32,
}

/// Something to do.
#[derive(Debug)]
pub enum Task {
    /// The last bit of a burst is in.
    Land(Header),
    /// The timer of an assembly queue may have ended.
    Assemble(u32),
    /// A fibre may have a free wavelength for the burst that waits for it longest.
    Open(u32),
    /// A source of bursts has one.
    Send(u32),
    /// A τ ends: loads are told.
    Measure,
    /// The paths of bursts may change.
    Review,
    /// A burst that was held leaves.
    Release(Header),
    /// Bursts before this one of a route cannot come any more.
    GiveUp(RouteId, u64),
}
