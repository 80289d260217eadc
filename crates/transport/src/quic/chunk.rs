//! Where the bytes of a packet belong.

/// Bytes of a stream in a packet, or of a datagram.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Chunk {
    /// The number of the stream.
    pub stream: u32,
    /// Bytes.
    pub length: u32,
    /// The place of the first in the stream.
    pub start: u64,
}

impl Chunk {
    /// Stands in the place of a stream's number: the bytes are a datagram.
    pub const DATAGRAM: u32 = u32::MAX;

    /// Whether the bytes are a datagram and not a stream's.
    pub fn is_datagram(&self) -> bool {
        self.stream == Chunk::DATAGRAM
    }

    /// The place behind the last byte.
    pub fn end(&self) -> u64 {
        self.start.saturating_add(self.length.into())
    }
}
