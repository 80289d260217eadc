//! Segments and ACKs. Sequence numbers are `u64` byte offsets in the flow; they never wrap.

/// A range of bytes `[start, end)` that the receiver holds (or, as D-SACK, has received twice).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SackBlock {
    /// The first byte.
    pub start: u64,
    /// The byte after the last one.
    pub end: u64,
}

impl SackBlock {
    /// The number of bytes.
    #[inline]
    pub const fn len(self) -> u64 {
        self.end.saturating_sub(self.start)
    }

    /// True if the block holds nothing, or is inverted.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.end <= self.start
    }

    /// True if a byte lies in both.
    #[inline]
    pub const fn overlaps(self, other: SackBlock) -> bool {
        self.start < other.end && other.start < self.end
    }

    /// True if every byte of `other` lies in this block.
    #[inline]
    pub const fn contains(self, other: SackBlock) -> bool {
        self.start <= other.start && other.end <= self.end
    }
}

/// The blocks of one SACK option, at most four (RFC 2018 §3, without timestamps); a D-SACK block comes first.
/// Exactly one cache line: an empty block ends the list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(align(64))]
pub struct SackList {
    blocks: [SackBlock; SackList::CAPACITY],
}

impl SackList {
    /// The number of blocks that fit.
    pub const CAPACITY: usize = 4;

    /// No blocks.
    pub const EMPTY: SackList = SackList { blocks: [SackBlock { start: 0, end: 0 }; SackList::CAPACITY] };

    /// The blocks in the order in which they travel.
    #[inline]
    pub fn as_slice(&self) -> &[SackBlock] {
        &self.blocks[..self.len()]
    }

    /// The first of these blocks, none of which is empty.
    #[inline]
    pub fn of(blocks: impl Iterator<Item = SackBlock>) -> SackList {
        let mut list = SackList::EMPTY;
        list.blocks.iter_mut().zip(blocks).for_each(|(place, block)| *place = block);
        list
    }

    /// Adds a block behind the others; what does not fit is left out, and so is an empty block.
    #[inline]
    pub fn push(&mut self, block: SackBlock) {
        let len = self.len();
        if len < SackList::CAPACITY && !block.is_empty() {
            self.blocks[len] = block;
        }
    }

    /// The blocks beyond the first `count` are left out.
    pub fn truncate(&mut self, count: usize) {
        self.blocks.iter_mut().skip(count).for_each(|block| *block = SackBlock::default());
    }

    /// True if there are no blocks.
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.blocks[0].is_empty()
    }

    /// The number of blocks.
    #[inline]
    pub fn len(&self) -> usize {
        self.blocks.iter().position(|block| block.is_empty()).unwrap_or(SackList::CAPACITY)
    }
}

/// A data segment to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// The offset of the first payload byte.
    pub seq: u64,
    /// Payload bytes.
    pub len: u32,
    /// True if some of these bytes have been sent before.
    pub retransmission: bool,
}

/// The outputs of a sender; the host drains them after each call and keeps their capacity.
#[derive(Clone, Debug, Default)]
pub struct Actions {
    /// Segments to send, in order.
    pub segments: Vec<Segment>,
    /// Packets without payload to send, behind them; only a [`Connection`](super::Connection) has any.
    pub controls: Vec<super::Control>,
}

/// An acknowledgement as it arrives at the sender; it carries no payload.
#[derive(Clone, Copy, Debug)]
pub struct Ack<'a> {
    /// The next byte the receiver expects.
    pub ack: u64,
    /// The advertised window in bytes from `ack`.
    pub window: u64,
    /// SACK blocks in the order in which they travelled, D-SACK first.
    pub sack: &'a [SackBlock],
    /// True if it echoes a congestion mark: ECE of RFC 3168.
    pub ecn_echo: bool,
}

/// An acknowledgement as the receiver sends it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AckOut {
    /// The next byte expected.
    pub ack: u64,
    /// The advertised window in bytes from `ack`.
    pub window: u64,
    /// SACK blocks, D-SACK first.
    pub sack: SackList,
    /// Its congestion marks.
    pub ecn_echo: EcnEcho,
}

/// The congestion marks of an acknowledgement: the flag ECE, or a counter in its place and that of two flags
/// more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EcnEcho(u8);

impl EcnEcho {
    /// Nothing.
    pub const NONE: EcnEcho = EcnEcho(0);
    /// A mark is echoed: ECE of RFC 3168.
    pub const ECE: EcnEcho = EcnEcho(1);
    const COUNTER: u8 = 8;

    /// The field ACE of RFC 9768: the packets that arrived marked, of which three bits travel.
    pub const fn counter(packets: u8) -> EcnEcho {
        EcnEcho(EcnEcho::COUNTER | packets & 7)
    }

    /// True if it echoes a mark by the flag.
    #[inline]
    pub const fn is_ece(self) -> bool {
        self.0 == EcnEcho::ECE.0
    }

    /// The field ACE, if it carries one.
    pub const fn ace(self) -> Option<u8> {
        if self.0 & EcnEcho::COUNTER != 0 { Some(self.0 & 7) } else { None }
    }

    /// Four bits: ECE, CWR and AE as they stand in the header, and whether they are a counter.
    #[inline]
    pub const fn bits(self) -> u8 {
        self.0
    }
}

impl AckOut {
    /// The same acknowledgement as the sender reads it.
    #[inline]
    pub fn as_ack(&self) -> Ack<'_> {
        Ack { ack: self.ack, window: self.window, sack: self.sack.as_slice(), ecn_echo: self.ecn_echo.is_ece() }
    }
}

/// Takes the D-SACK block off the front: RFC 2883 §4, §5: it lies below the ACK, or within the second block.
pub(super) fn split_dsack<'a>(ack: &Ack<'a>) -> (Option<SackBlock>, &'a [SackBlock]) {
    match *ack.sack {
        [first, ref rest @ ..] if first.end <= ack.ack => (Some(first), rest),
        [first, second, ..] if second.contains(first) => (Some(first), &ack.sack[1..]),
        _ => (None, ack.sack),
    }
}
