//! What a slot holds.

use control::wire::Header;

/// What a slot holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SlotRoom {
    /// Bytes of blocks, if it is one datagram. Every further one takes a header of them.
    pub(crate) slot: usize,
    /// Bytes of blocks in one datagram.
    pub(crate) datagram: usize,
}

impl SlotRoom {
    /// How many datagrams a full slot has.
    pub(crate) fn datagrams(self) -> usize {
        (self.slot + Header::LENGTH).div_ceil(self.datagram.min(self.slot) + Header::LENGTH)
    }
}
