//! ACKs as an edge node reads and makes them.

use transport::tcp::{SackBlock, SackList};

/// Ranges that the receiver has said it holds.
const MOST_RANGES: usize = 256;

/// An artificial ACK.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Forged {
    /// The next byte that the receiver is said to expect.
    pub ack: u64,
    /// What it is said to hold beyond it.
    pub sack: SackList,
    /// It echoes a congestion mark.
    pub echo: bool,
}

impl Forged {
    /// One that acknowledges everything below a number, and says no more.
    pub fn plain(ack: u64) -> Forged {
        Forged { ack, sack: SackList::EMPTY, echo: false }
    }
}

/// An ACK of a receiver as the edge node reads it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Real<'a> {
    /// Its number.
    pub ack: u64,
    /// Its SACK blocks.
    pub sack: &'a [SackBlock],
    /// The window that it offers, where it is not the one of the flow's beginning.
    pub window: Option<u64>,
    /// It says something of congestion marks.
    pub marks: bool,
}

/// What a receiver has said it holds above its ACKs.
#[derive(Clone, Debug, Default)]
pub struct Held {
    ranges: Vec<SackBlock>,
}

impl Held {
    /// The receiver acknowledges `ack` and holds these blocks: whether one of them is new.
    pub fn handle_ack(&mut self, ack: u64, sack: &[SackBlock]) -> bool {
        self.ranges.retain(|range| range.end > ack);
        let mut news = false;
        for block in sack.iter().filter(|block| block.start >= ack && !block.is_empty()) {
            if self.ranges.iter().any(|range| range.contains(*block)) {
                continue;
            }
            news = true;
            let touches = |range: &SackBlock| range.start <= block.end && block.start <= range.end;
            let join = |joined: SackBlock, range: &SackBlock| SackBlock {
                start: joined.start.min(range.start),
                end: joined.end.max(range.end),
            };
            let joined = self.ranges.iter().filter(|range| touches(range)).fold(*block, join);
            self.ranges.retain(|range| !touches(range));
            self.ranges.push(joined);
            self.ranges.truncate(MOST_RANGES);
        }
        news
    }
}

/// Whether the first block is of a segment that came again (RFC 2883 §4).
pub fn reports_a_repetition(ack: u64, sack: &[SackBlock]) -> bool {
    let Some((first, others)) = sack.split_first() else { return false };
    first.start < ack || others.iter().any(|other| other.contains(*first))
}

/// Blocks of these ranges; of a first one that is enough by itself, no more than `bytes`.
pub fn blocks(ranges: &[SackBlock], bytes: u64) -> SackList {
    let mut sack = SackList::EMPTY;
    for (number, range) in ranges.iter().enumerate() {
        let end = if number == 0 && ranges.len() == 1 { range.end.min(range.start + bytes) } else { range.end };
        sack.push(SackBlock { start: range.start, end });
    }
    sack
}
