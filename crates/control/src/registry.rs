//! What the registries of this crate have in common: algorithms that can be named.

/// An algorithm as it can be named.
#[derive(Clone, Copy, Debug)]
pub struct Entry<A> {
    /// The name.
    pub name: &'static str,
    /// The algorithm.
    pub algorithm: A,
    /// One sentence.
    pub summary: &'static str,
    /// Where it is described.
    pub source: &'static str,
}

/// The algorithm of that name.
pub(crate) fn find<A: Copy>(entries: &[Entry<A>], name: &str) -> Option<A> {
    entries.iter().find(|entry| entry.name == name).map(|entry| entry.algorithm)
}
