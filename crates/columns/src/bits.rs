//! Packing: numbers of a fixed width side by side, the first in the lowest bits.

/// How many numbers are packed at a time: with any width they fill whole bytes.
pub const ROUND: usize = 32;

/// How many bits `value` needs.
pub fn width(value: u64) -> u32 {
    u64::BITS - value.leading_zeros()
}

/// Appends numbers at `width` bits each; one function for each width, so that all shifts are known to the compiler.
#[inline]
pub fn pack(values: &[u64; ROUND], width: u32, out: &mut Vec<u8>) {
    macro_rules! by_width {
        ($($width:literal)*) => {
            match width {
                $($width => pack_at::<$width>(values, out),)*
                _ => unreachable!("a number of 64 bits needs no more"),
            }
        };
    }
    by_width!(
        0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38
        39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 64
    )
}

fn pack_at<const WIDTH: usize>(values: &[u64; ROUND], out: &mut Vec<u8>) {
    let mut words = [0u64; ROUND];
    let mut place = 0;
    macro_rules! one {
        ($($number:literal)*) => {$(
            let (word, shift) = (place / 64, place % 64);
            if WIDTH > 0 {
                words[word] |= values[$number] << shift;
                if shift + WIDTH > 64 {
                    words[word + 1] = values[$number] >> (64 - shift);
                }
            }
            place += WIDTH;
        )*};
    }
    one!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31);
    let mut bytes = [0; 8 * ROUND];
    bytes.chunks_exact_mut(8).zip(words).for_each(|(bytes, word)| bytes.copy_from_slice(&word.to_le_bytes()));
    out.extend_from_slice(&bytes[..place / 8]);
}

/// Eight numbers below 256 at `width` bits each: the first `width` bytes.
#[inline]
pub fn pack_bytes(values: [u8; 8], width: u32) -> [u8; 8] {
    let gap = 8 - width;
    let eight = u64::from_le_bytes(values);
    // Neighbours move together: two, four, eight numbers.
    let pairs = eight & 0x00ff_00ff_00ff_00ff | (eight & 0xff00_ff00_ff00_ff00) >> gap;
    let fours = pairs & 0x0000_ffff_0000_ffff | (pairs & 0xffff_0000_ffff_0000) >> (2 * gap);
    let packed = fours & 0x0000_0000_ffff_ffff | (fours & 0xffff_ffff_0000_0000) >> (4 * gap);
    packed.to_le_bytes()
}

/// Appends `value` in groups of seven bits, the lowest first (ULEB128).
pub fn varint(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Signed numbers as unsigned ones, small where they are near zero.
pub fn zigzag(value: i64) -> u64 {
    (value << 1 ^ value >> 63) as u64
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// The reverse of [`pack`].
    pub fn unpack(bytes: &[u8], width: u32, place: usize) -> u64 {
        let bit = |number: usize| u64::from(bytes[number / 8] >> (number % 8) & 1);
        (0..width as usize).map(|one| bit(place * width as usize + one) << one).sum()
    }

    #[test]
    fn three_bits_each_as_in_the_formats_own_example() {
        // parquet-format, Encodings: 0 to 7 at three bits are 10001000 11000110 11111010.
        let out = pack_bytes([0, 1, 2, 3, 4, 5, 6, 7], 3);
        assert_eq!(out[..3], [0b1000_1000, 0b1100_0110, 0b1111_1010]);
    }

    #[test]
    fn every_width_comes_back() {
        for width in 0..=64 {
            let wild = |n: usize| (n as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let values: [u64; ROUND] = std::array::from_fn(|n| wild(n).checked_shr(64 - width).unwrap_or(0));
            let mut out = Vec::new();
            pack(&values, width, &mut out);
            assert_eq!(out.len(), 4 * width as usize);
            let back: Vec<u64> = (0..32).map(|place| unpack(&out, width, place)).collect();
            assert_eq!(back, values);
        }
    }

    #[test]
    fn bytes_are_packed_as_numbers_are() {
        for width in 0..=8 {
            let values: [u64; ROUND] = std::array::from_fn(|n| (n as u64 * 37 % 256) & ((1 << width) - 1));
            let (mut one, mut other) = (Vec::new(), Vec::new());
            pack(&values, width, &mut one);
            for some in values.chunks(8) {
                other.extend_from_slice(&pack_bytes(std::array::from_fn(|n| some[n] as u8), width)[..width as usize]);
            }
            assert_eq!(one, other);
        }
    }

    #[test]
    fn numbers_in_groups_of_seven_bits() {
        let mut out = Vec::new();
        varint(300, &mut out);
        assert_eq!(out, [0xac, 0x02]);
        assert_eq!([0, -1, 1, -2].map(zigzag), [0, 1, 2, 3]);
        assert_eq!(zigzag(i64::MIN), u64::MAX);
    }
}
