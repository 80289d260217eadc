//! Typed indices into the arenas of a run. Their order is the stated order of simultaneous events.

/// A node, numbered in the order of the scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

/// A directed link, numbered in the order of the scenario (a duplex link is two, forward first).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LinkId(pub u32);

/// A transport of the scenario, in the order of its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TransportId(pub u32);

macro_rules! index {
    ($($id:ident),*) => {$(
        impl $id {
            /// As an index into a vector.
            #[inline]
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

index!(NodeId, LinkId, TransportId);
