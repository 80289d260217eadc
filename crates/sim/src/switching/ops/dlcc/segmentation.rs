//! Packets cut into slots, and put together again. A piece says which one of how many it is in the upper bits of its
//! packet's number: [`Piece`].

use crate::engine::packet::{Class, Packet};
use std::collections::BTreeMap;

/// The bits of a packet's number that are the host's. They limit the bytes of a flow where packets are cut.
const NUMBER_BITS: u32 = 48;
/// The first number that is too large.
pub const FIRST_BEYOND: u64 = 1 << NUMBER_BITS;
/// The most pieces of a packet.
pub const MOST_PIECES: u32 = 255;

/// A part of a packet, or a whole one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The packet's number, as its host gave it.
    pub number: u64,
    /// From 0.
    pub index: u32,
    /// How many; 1 for a whole packet.
    pub of: u32,
}

impl Piece {
    /// What a packet's number says.
    pub fn read(seq: u64) -> Piece {
        let number = seq & (FIRST_BEYOND - 1);
        let (index, of) = ((seq >> NUMBER_BITS) as u32 & 0xff, (seq >> (NUMBER_BITS + 8)) as u32);
        Piece { number, index, of: of.max(1) }
    }

    /// The last piece of its packet, or a whole packet.
    pub fn is_last(self) -> bool {
        self.index + 1 == self.of
    }

    fn written(self) -> u64 {
        self.number | u64::from(self.index) << NUMBER_BITS | u64::from(self.of) << (NUMBER_BITS + 8)
    }
}

/// How packets become slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut {
    /// Bytes of a slot that are a packet's.
    pub payload: u16,
    /// Bytes of a slot that are its own header.
    pub header: u16,
}

impl Cut {
    /// The number of slots that a packet takes.
    pub fn slots(self, size: u16) -> u32 {
        // Nearly all are no longer than a slot, and a division is slow.
        if size <= self.payload { 1 } else { u32::from(size).div_ceil(u32::from(self.payload)) }
    }

    /// The slots of a packet, in order. What it carries besides itself is in the last one.
    pub fn pieces(self, packet: Packet) -> impl Iterator<Item = Packet> {
        let of = self.slots(packet.size);
        (0..of).map(move |index| {
            let left = packet.size - (index as u16) * self.payload;
            let (size, seq) = (left.min(self.payload) + self.header, packet.seq);
            if of == 1 {
                return Packet { size, ..packet };
            }
            let last = index + 1 == of;
            let payload = if last { packet.payload } else { crate::engine::packet::NO_PAYLOAD };
            Packet { size, payload, seq: Piece { number: seq, index, of }.written(), ..packet }
        })
    }
}

/// What becomes of a slot at the far end.
#[derive(Debug, PartialEq, Eq)]
pub enum Arrived {
    /// The packet is whole.
    Whole,
    /// It waits for others.
    Waits,
    /// The slots before it are missing: it is of no use.
    Useless,
}

/// Puts packets together. The slots of a flow come in order.
#[derive(Debug, Default)]
pub struct Assembler {
    header: u16,
    partial: BTreeMap<(u32, Class), Partial>,
}

#[derive(Debug)]
struct Partial {
    number: u64,
    pieces: Vec<Packet>,
}

impl Assembler {
    /// Slots have this header.
    pub fn new(header: u16) -> Assembler {
        Assembler { header, partial: BTreeMap::new() }
    }

    /// A slot comes. `packet` becomes what it is a part of, if it is whole. Pieces that will never be whole are put in
    /// `lost`.
    pub fn handle_slot(&mut self, packet: &mut Packet, lost: &mut Vec<Packet>) -> Arrived {
        let piece = Piece::read(packet.seq);
        let key = (packet.flow, packet.class);
        if piece.index == 0
            && let Some(old) = self.partial.remove(&key)
        {
            lost.extend(old.pieces);
        }
        if piece.of == 1 {
            packet.size -= self.header;
            return Arrived::Whole;
        }
        let partial = match piece.index {
            0 => self.partial.entry(key).or_insert(Partial { number: piece.number, pieces: Vec::new() }),
            _ => match self.partial.get_mut(&key) {
                Some(partial) if (partial.number, partial.pieces.len()) == (piece.number, piece.index as usize) => {
                    partial
                }
                _ => return Arrived::Useless,
            },
        };
        if !piece.is_last() {
            partial.pieces.push(*packet);
            return Arrived::Waits;
        }
        let before: u16 = partial.pieces.iter().map(|other| other.size - self.header).sum();
        *packet = Packet { size: before + packet.size - self.header, seq: piece.number, ..*packet };
        self.partial.remove(&key);
        Arrived::Whole
    }

    /// Slots that wait.
    pub fn len(&self) -> usize {
        self.partial.values().map(|partial| partial.pieces.len()).sum()
    }

    /// Shows each of them.
    pub fn for_each(&mut self, change: &mut dyn FnMut(&mut Packet)) {
        self.partial.values_mut().flat_map(|partial| &mut partial.pieces).for_each(change);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_packet_is_cut_into_as_many_slots_as_it_needs() {
        let cut = Cut { payload: 568, header: 8 };
        let sizes = |size| cut.pieces(Packet { size, ..Packet::default() }).map(|piece| piece.size).collect::<Vec<_>>();
        assert_eq!(sizes(568), [576]);
        assert_eq!(sizes(1500), [576, 576, 372]);
        assert_eq!((cut.slots(569), cut.slots(0)), (2, 1));
    }

    proptest! {
        /// What has lost no slot comes out as it was; everything else is counted, slot by slot.
        #[test]
        fn what_has_lost_no_slot_comes_out_whole(
            packets in prop::collection::vec((0u32..3, 1u16..3000), 1..40),
            losses in prop::collection::vec(any::<bool>(), 400),
        ) {
            let cut = Cut { payload: 500, header: 10 };
            let mut assembler = Assembler::new(10);
            let (mut lost, mut out, mut expected) = (Vec::new(), Vec::new(), Vec::new());
            let (mut dropped, mut slots, mut number) = (0, 0, 0);
            for (flow, size) in packets {
                let whole = Packet { seq: number, flow, size, ..Packet::default() };
                number += u64::from(size);
                let mut all_there = true;
                for mut piece in cut.pieces(whole) {
                    let is_lost = losses[slots % losses.len()];
                    slots += 1;
                    if is_lost {
                        (all_there, dropped) = (false, dropped + 1);
                        continue;
                    }
                    match assembler.handle_slot(&mut piece, &mut lost) {
                        Arrived::Whole => out.push((piece.seq, piece.flow, piece.size)),
                        Arrived::Useless => lost.push(piece),
                        Arrived::Waits => {}
                    }
                }
                if all_there {
                    expected.push((whole.seq, whole.flow, whole.size));
                }
            }
            prop_assert_eq!(&out, &expected);
            let in_whole: usize = out.iter().map(|(.., size)| cut.slots(*size) as usize).sum();
            prop_assert_eq!(dropped + lost.len() + assembler.len() + in_whole, slots);
        }
    }
}
