//! What stands before a slot in a datagram: which plane it travels on, and by how much its last sender was later than
//! it should have been.
//!
//! A photonic switch and a fibre let light pass; programs need some microseconds to pass on a datagram, and sometimes
//! milliseconds. Like a transparent clock of IEEE 1588 they say how late they were, and who stamps the arrival takes
//! that off. How late it was is known exactly only when it has left, so where it matters a correction follows in a
//! datagram of its own (`relay`). Light that a node sends has no such number: its lateness is real, and two-step stamps
//! tell it. How many datagrams share the light of a slot says how long this one's lasts. 16 bytes, little-endian: `pl`,
//! version, plane, datagrams of the slot less one (u16), step, number of the step, lateness in ps (i64).

use control::signalling::SlotPart;
use units::Instant;

/// Bytes before a slot.
pub(crate) const HEAD: usize = 16;
/// The code of the block of an answer to an invitation: its slot is not known beforehand.
pub(crate) const ANSWER: u8 = 2;
const MAGIC: [u8; 2] = *b"pl";
const VERSION: u8 = 1;

/// How a slot travels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Plane {
    /// Through the switch.
    Light,
    /// To and from its controller.
    Beside,
}

/// Whether the lateness is the last word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// It is.
    Final,
    /// A correction with this number follows.
    Follows(u8),
    /// This is the correction with this number, and no slot.
    Correction(u8),
}

/// What stands before a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) plane: Plane,
    /// How many datagrams share the light of the slot, 1 to [`SlotPart::MOST`].
    pub(crate) datagrams: u16,
    pub(crate) step: Step,
    /// How much later than it should the datagram left its last sender, in picoseconds.
    pub(crate) late: i64,
}

impl Line {
    pub(crate) fn bytes(self) -> [u8; HEAD] {
        let mut bytes = [0; HEAD];
        bytes[..2].copy_from_slice(&MAGIC);
        (bytes[2], bytes[3]) = (VERSION, matches!(self.plane, Plane::Beside).into());
        bytes[4..6].copy_from_slice(&(self.datagrams - 1).to_le_bytes());
        (bytes[6], bytes[7]) = match self.step {
            Step::Final => (0, 0),
            Step::Follows(number) => (1, number),
            Step::Correction(number) => (2, number),
        };
        bytes[8..].copy_from_slice(&self.late.to_le_bytes());
        bytes
    }

    /// The line and the slot behind it.
    pub(crate) fn of(datagram: &[u8]) -> Option<(Line, &[u8])> {
        let (head, slot) = datagram.split_first_chunk::<HEAD>()?;
        let plane = match head {
            [b'p', b'l', VERSION, 0, ..] => Plane::Light,
            [b'p', b'l', VERSION, 1, ..] => Plane::Beside,
            _ => return None,
        };
        let step = match (head[6], head[7]) {
            (0, 0) => Step::Final,
            (1, number) => Step::Follows(number),
            (2, number) => Step::Correction(number),
            _ => return None,
        };
        let datagrams = u16::from_le_bytes([head[4], head[5]]).checked_add(1).filter(|of| *of <= SlotPart::MOST)?;
        let late = i64::from_le_bytes(*head.last_chunk()?);
        Some((Line { plane, datagrams, step, late }, slot))
    }

    /// Light, on time, of a slot of so many datagrams.
    pub(crate) fn light(datagrams: u16) -> Line {
        Line { plane: Plane::Light, datagrams, step: Step::Final, late: 0 }
    }

    /// A message beside the light.
    pub(crate) fn beside() -> Line {
        Line { plane: Plane::Beside, ..Line::light(1) }
    }

    /// By how much its last sender was late, in picoseconds. More than a second is believed to be none.
    pub(crate) fn lateness(self) -> u64 {
        if (0..1_000_000_000_000).contains(&self.late) { self.late as u64 } else { 0 }
    }

    /// When it would have arrived, had its last sender been on time.
    pub(crate) fn corrected(self, stamp: Instant) -> Instant {
        Instant::from_ps(stamp.ps().saturating_sub(self.lateness()))
    }
}

/// Fields of a slot's header that a switch needs, without a key: `docs/protocol.md`, header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Label {
    pub(crate) class: u8,
    pub(crate) source: u16,
    pub(crate) destination: u16,
    pub(crate) frame: u64,
    pub(crate) slot: u32,
    pub(crate) piece: u16,
    pub(crate) sequence: u64,
    /// The code of the first block, 0 without one.
    pub(crate) first_block: u8,
}

impl Label {
    pub(crate) fn of(slot: &[u8]) -> Option<Label> {
        let header: &[u8; 64] = slot.first_chunk()?;
        let two = |at: usize| u16::from_le_bytes([header[at], header[at + 1]]);
        let eight = |at: usize| header[at..at + 8].iter().rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte));
        Some(Label {
            class: header[3],
            source: two(4),
            destination: two(6),
            frame: eight(8),
            slot: u32::from(two(16)) | u32::from(two(18)) << 16,
            piece: two(20),
            sequence: eight(40),
            first_block: slot.get(64).copied().unwrap_or(0),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use control::wire::{Block, Class, Header, Key, Management, NodeId, Slot, Stamp};

    #[test]
    fn a_line_is_read_as_it_was_written_and_nothing_else_is_one() {
        let line = Line { plane: Plane::Beside, datagrams: 5, step: Step::Follows(200), late: 12_345_678 };
        let datagram = [&line.bytes()[..], b"slot"].concat();
        assert_eq!(Line::of(&datagram), Some((line, &b"slot"[..])));
        assert_eq!(Line::of(&datagram[..15]), None);
        assert_eq!(Line::of(b"pc\x01\x00............"), None);
        assert_eq!(line.corrected(Instant::from_ps(20_000_000)), Instant::from_ps(7_654_322));
        assert_eq!(Line { late: i64::MAX, ..line }.corrected(Instant::from_ps(7)), Instant::from_ps(7));
    }

    /// SplitMix64.
    fn next(state: &mut u64) -> u64 {
        *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = *state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Arbitrary bytes, and lines with some bits changed, of every length: what is taken is what would be written, and
    /// whatever lateness it names, the stamp that comes out is no later than the one that went in.
    #[test]
    fn whatever_bytes_come_a_line_is_one_that_would_be_written_or_none() {
        let (mut state, mut taken) = (1, 0);
        for round in 0..200_000 {
            let mut bytes: Vec<u8> = (0..next(&mut state) % 40).map(|_| next(&mut state) as u8).collect();
            if round % 2 == 0 {
                let (plane, datagrams) =
                    ([Plane::Light, Plane::Beside][round / 2 % 2], 1 + round as u16 % SlotPart::MOST);
                let number = next(&mut state) as u8;
                let step = [Step::Final, Step::Follows(number), Step::Correction(number)][round % 3];
                let line = Line { plane, datagrams, step, late: next(&mut state) as i64 };
                bytes = line.bytes().to_vec();
                if round % 4 == 0 {
                    let bit = (next(&mut state) % 128) as usize;
                    bytes[bit / 8] ^= 1 << (bit % 8);
                }
                bytes.truncate((next(&mut state) % 20) as usize);
            }
            let Some((line, slot)) = Line::of(&bytes) else { continue };
            taken += 1;
            assert_eq!([&line.bytes()[..], slot].concat(), bytes);
            for stamp in [0, 1, 1 << 40, u64::MAX].map(Instant::from_ps) {
                assert!(line.corrected(stamp) <= stamp);
            }
            let _ = Label::of(slot);
        }
        assert!(taken > 10_000, "{taken}");
    }

    #[test]
    fn a_label_is_what_the_wire_says() {
        let header = Header {
            class: Class::Data,
            source: NodeId(3),
            destination: NodeId(259),
            frame: 1 << 40,
            slot: 70_000,
            piece: 9,
            stamp: Stamp::Exact,
            reserved: 0,
            session: 5,
            peer_session: 0,
            sequence: 77,
            sent_at: Instant::from_ps(9),
        };
        let blocks = vec![Block::from(Management { topic: 1, bytes: vec![2] })];
        let bytes = Slot { header, blocks }.encode(&Key::new(&[1; 16]).unwrap()).unwrap();
        let label = Label::of(&bytes).unwrap();
        assert_eq!((label.class, label.source, label.destination, label.frame), (1, 3, 259, 1 << 40));
        assert_eq!((label.slot, label.piece, label.sequence, label.first_block), (70_000, 9, 77, 34));
        assert_eq!(Label::of(&bytes[..63]), None);
    }
}
