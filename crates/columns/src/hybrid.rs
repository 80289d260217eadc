//! Small numbers as runs of one value, or packed: Parquet's RLE/bit-packing hybrid.

use crate::BLOCK;
use crate::bits::{ROUND, pack, pack_bytes, varint};

/// Small numbers of one width so far.
#[derive(Clone, Debug)]
pub struct Hybrid {
    width: u32,
    run: u64,
    run_length: usize,
    packed: Vec<u8>,
}

impl Hybrid {
    pub fn new(width: u32) -> Hybrid {
        Hybrid { width, run: 0, run_length: 0, packed: Vec::new() }
    }

    /// A block of equal values.
    pub fn repeat(&mut self, value: u64, count: usize) {
        if value != self.run {
            self.end_run();
            self.run = value;
        }
        self.run_length += count;
    }

    /// A block of at most [`BLOCK`] values; one that is not full is the last.
    pub fn put(&mut self, values: &[u16]) {
        let mut block = [0; BLOCK];
        block[..values.len()].copy_from_slice(values);
        if values.iter().fold(0, |all, value| all | (value ^ values[0])) == 0 {
            return self.repeat(values[0].into(), values.len());
        }
        self.end_run();
        let groups = values.len().div_ceil(8);
        varint((groups as u64) << 1 | 1, &mut self.packed);
        if self.width <= 8 {
            let width = self.width as usize;
            let mut packed = [0; BLOCK + 8];
            let narrow = block.map(|one| one as u8);
            let (eights, _) = narrow.as_chunks::<8>();
            for (number, eight) in eights[..groups].iter().enumerate() {
                // The next eight overwrite what is too much.
                packed[number * width..][..8].copy_from_slice(&pack_bytes(*eight, self.width));
            }
            self.packed.extend_from_slice(&packed[..groups * width]);
        } else {
            let before = self.packed.len();
            let (rounds, _) = block.as_chunks::<ROUND>();
            rounds.iter().for_each(|round| pack(&round.map(u64::from), self.width, &mut self.packed));
            self.packed.truncate(before + groups * self.width as usize);
        }
    }

    /// Appends what there is, and begins anew.
    pub fn end(&mut self, out: &mut Vec<u8>) {
        self.end_run();
        out.append(&mut self.packed);
    }

    fn end_run(&mut self) {
        if self.run_length > 0 {
            varint((self.run_length as u64) << 1, &mut self.packed);
            self.packed.extend_from_slice(&self.run.to_le_bytes()[..self.width.div_ceil(8) as usize]);
        }
        self.run_length = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(width: u32, blocks: &[&[u16]]) -> Vec<u8> {
        let (mut hybrid, mut out) = (Hybrid::new(width), Vec::new());
        blocks.iter().for_each(|block| hybrid.put(block));
        hybrid.end(&mut out);
        out
    }

    #[test]
    fn equal_blocks_are_one_run() {
        // 256 repetitions: 512 in groups of seven bits; then the value in one byte.
        assert_eq!(written(3, &[&[5; BLOCK], &[5; BLOCK]]), [0x80, 0x04, 5]);
    }

    #[test]
    fn a_mixed_block_is_packed_and_padded_to_eight_values() {
        // One group: 1 << 1 | 1. Then 1, 0, 1, 1 from the lowest bit.
        assert_eq!(written(1, &[&[1, 0, 1, 1]]), [3, 0b1101]);
    }

    #[test]
    fn a_run_ends_before_what_is_packed() {
        let mut mixed = [0; BLOCK];
        mixed[0] = 1;
        let out = written(1, &[&[0; BLOCK], &mixed]);
        assert_eq!(out[..4], [0x80, 0x02, 0, 33]);
        assert_eq!(out[4..], [[1].as_slice(), &[0; 15]].concat());
    }
}
