//! Numbers as packed differences: DELTA_BINARY_PACKED, in blocks of 128 with four parts.

use crate::BLOCK;
use crate::bits::{ROUND, pack, varint, width, zigzag};

/// Parts of a block, each with a width of its own.
const PARTS: usize = BLOCK / ROUND;

/// The numbers of a row group so far.
#[derive(Clone, Debug)]
pub struct Delta {
    first: u64,
    last: u64,
    count: usize,
    /// Differences that do not fill a block yet.
    open: [i64; BLOCK],
    open_count: usize,
    packed: Vec<u8>,
}

impl Delta {
    pub fn new() -> Delta {
        Delta { first: 0, last: 0, count: 0, open: [0; BLOCK], open_count: 0, packed: Vec::new() }
    }

    #[inline]
    pub fn put(&mut self, values: &[u64]) {
        let mut rest = values;
        if let ([first, others @ ..], 0) = (values, self.count) {
            (self.first, self.last, rest) = (*first, *first, others);
        }
        self.count += values.len();
        while let [next, ..] = rest {
            let (now, later) = rest.split_at(rest.len().min(BLOCK - self.open_count));
            let open = &mut self.open[self.open_count..][..now.len()];
            open[0] = next.wrapping_sub(self.last) as i64;
            // Side by side, which the compiler does several at a time.
            open[1..]
                .iter_mut()
                .zip(now.windows(2))
                .for_each(|(place, two)| *place = two[1].wrapping_sub(two[0]) as i64);
            self.last = now[now.len() - 1];
            self.open_count += now.len();
            if self.open_count == BLOCK {
                self.end_block();
            }
            rest = later;
        }
    }

    /// Appends the values, and begins anew.
    pub fn end(&mut self, out: &mut Vec<u8>) {
        if self.open_count > 0 {
            self.end_block();
        }
        for number in [BLOCK as u64, PARTS as u64, self.count as u64, zigzag(self.first as i64)] {
            varint(number, out);
        }
        out.append(&mut self.packed);
        self.count = 0;
    }

    /// The least difference, the width of each part, the parts. Parts without a value are left out.
    fn end_block(&mut self) {
        self.open[self.open_count..].fill(i64::MAX);
        let least = least(&self.open);
        // What lies behind the last value of its part is zero.
        self.open[self.open_count..].fill(least);
        varint(zigzag(least), &mut self.packed);
        let head = self.packed.len();
        self.packed.extend_from_slice(&[0; PARTS]);
        let (parts, _) = self.open.as_chunks::<ROUND>();
        for (number, part) in parts[..self.open_count.div_ceil(ROUND)].iter().enumerate() {
            let above = part.map(|difference| difference.wrapping_sub(least) as u64);
            let width = width(above.iter().fold(0, |all, one| all | one));
            self.packed[head + number] = width as u8;
            pack(&above, width, &mut self.packed);
        }
        self.open_count = 0;
    }
}

/// The least of them, by four chains of comparisons that do not wait for each other.
fn least(differences: &[i64; BLOCK]) -> i64 {
    let mut least = [i64::MAX; 4];
    for four in differences.as_chunks::<4>().0 {
        least.iter_mut().zip(four).for_each(|(one, other)| *one = (*one).min(*other));
    }
    least.into_iter().fold(i64::MAX, i64::min)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::tests::unpack;

    fn number(bytes: &mut &[u8]) -> u64 {
        let mut value = 0;
        for shift in (0..).step_by(7) {
            let (byte, rest) = bytes.split_first().unwrap();
            *bytes = rest;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                break;
            }
        }
        value
    }

    fn signed(bytes: &mut &[u8]) -> i64 {
        let value = number(bytes);
        (value >> 1) as i64 ^ -((value & 1) as i64)
    }

    fn read(mut bytes: &[u8]) -> Vec<u64> {
        assert_eq!((number(&mut bytes), number(&mut bytes)), (BLOCK as u64, PARTS as u64));
        let count = number(&mut bytes) as usize;
        let mut values = vec![signed(&mut bytes) as u64];
        while values.len() < count {
            let least = signed(&mut bytes);
            let (widths, rest) = bytes.split_at(PARTS);
            bytes = rest;
            for width in widths.iter().map(|one| u32::from(*one)) {
                for place in 0..ROUND.min(count - values.len()) {
                    let last = values[values.len() - 1];
                    values.push(last.wrapping_add(unpack(bytes, width, place)).wrapping_add(least as u64));
                }
                bytes = &bytes[(width * ROUND as u32 / 8) as usize * usize::from(width > 0)..];
                if values.len() == count {
                    break;
                }
            }
        }
        assert!(bytes.is_empty());
        values
    }

    fn comes_back(values: &[u64], at_once: usize) {
        let (mut delta, mut out) = (Delta::new(), Vec::new());
        values.chunks(at_once).for_each(|some| delta.put(some));
        delta.end(&mut out);
        assert_eq!(read(&out), values);
    }

    #[test]
    fn the_formats_own_example() {
        // parquet-format, Encodings, example 2: 7, 5, 3, 1, 2, 3, 4, 5 have the least difference -2, and 0 or 3 above
        // it: 2 bits.
        let (mut delta, mut out) = (Delta::new(), Vec::new());
        delta.put(&[7, 5, 3, 1, 2, 3, 4, 5]);
        delta.end(&mut out);
        assert_eq!(out[..10], [0x80, 1, 4, 8, 14, 3, 2, 0, 0, 0]);
        assert_eq!(out[10..], [0b1100_0000, 0b0011_1111, 0, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn whatever_is_put_comes_back() {
        for count in [1, 2, 31, 32, 33, 128, 129, 130, 161, 1000] {
            let line: Vec<u64> = (0..count).map(|n| 1_000_000 + 12_000 * n).collect();
            let wild: Vec<u64> = line.iter().map(|n| n.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
            for at_once in [1, 7, 128] {
                comes_back(&line, at_once);
                comes_back(&wild, at_once);
            }
        }
    }

    #[test]
    fn a_steady_line_takes_six_bytes_a_block() {
        let (mut delta, mut out) = (Delta::new(), Vec::new());
        delta.put(&(0..129).map(|n| 5 * n).collect::<Vec<_>>());
        delta.end(&mut out);
        // Header: 128 and 129 take two bytes each, 4 and 0 one each. Block: least difference and four widths.
        assert_eq!(out.len(), 6 + 5);
    }
}
