//! ln(1 − u) of several numbers at once, to the bit what `libm::log1p(-u)` says.
//!
//! The steps are those of FreeBSD's `s_log1p.c`, which `libm` has, without their branches, so that the compiler does
//! each step for all numbers side by side. Two of them are not needed here: u is on a stream's grid of 2⁻⁵³ below 1, so
//! 1 − u is exact and leaves no error to be corrected, and it is neither negative nor below 2⁻⁵³. A test compares the
//! two. Why it is here: `docs/decisions/0013-logarithms.md`.

/// The bits of 1 and of √½, of which only the upper half counts.
const ONE: u64 = 0x3ff0_0000 << 32;
const ROOT_OF_HALF: u64 = 0x3fe6_a09e << 32;
const MANTISSA: u64 = (1 << 52) - 1;
/// The bits of 2⁵².
const INTEGER: u64 = 0x4330_0000 << 32;
/// From here on u is so large that 1 − u is below √½. These are its bits.
const REDUCED_FROM: u64 = 0x3fd2_bec5 << 32;

const LN2_HIGH: f64 = f64::from_bits(0x3fe6_2e42_fee0_0000);
const LN2_LOW: f64 = f64::from_bits(0x3dea_39ef_3579_3c76);
/// (ln(1 + f) − ln(1 − f)) / s − 2 for s = f/(2 + f), by powers of s².
const LG: [u64; 7] = [
    0x3fe5_5555_5555_5593,
    0x3fd9_9999_9997_fa04,
    0x3fd2_4924_9422_9359,
    0x3fcc_71c5_1d8e_78af,
    0x3fc7_4664_96cb_03de,
    0x3fc3_9a09_d078_c69f,
    0x3fc2_f112_df3e_5244,
];

/// ln(1 − u) of each u, which is in [0, 1) on the grid of 2⁻⁵³. A function by itself: within another the compiler does
/// not pair the numbers.
#[inline(never)]
pub(super) fn of_ones_without<const N: usize>(units: [f64; N]) -> [f64; N] {
    units.map(of_one_without)
}

#[inline(always)]
fn of_one_without(unit: f64) -> f64 {
    // 1 − u = 2^k · (1 + f), 1 + f between √½ and √2.
    let sum = (1.0 - unit).to_bits() + (ONE - ROOT_OF_HALF);
    let reduced = f64::from_bits((sum & MANTISSA) + ROOT_OF_HALF) - 1.0;
    let exponent = f64::from_bits(sum >> 52 | INTEGER) - (f64::from_bits(INTEGER) + 1023.0);
    let is_small = unit < f64::from_bits(REDUCED_FROM);
    let f = if is_small { -unit } else { reduced };
    let k = if is_small { 0.0 } else { exponent };
    // k · ln 2 + ln(1 + f).
    let [lg1, lg2, lg3, lg4, lg5, lg6, lg7] = LG.map(f64::from_bits);
    let half_square = 0.5 * f * f;
    let s = f / (2.0 + f);
    let z = s * s;
    let w = z * z;
    let even = w * (lg2 + w * (lg4 + w * lg6));
    let odd = z * (lg1 + w * (lg3 + w * (lg5 + w * lg7)));
    s * (half_square + (odd + even)) + k * LN2_LOW - half_square + f + k * LN2_HIGH
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const GRID: f64 = 1.0 / (1u64 << 53) as f64;

    /// By `libm`; zero without its sign, which nobody asks for.
    fn simple(units: [f64; 4]) -> [u64; 4] {
        units.map(|unit| (libm::log1p(-unit) + 0.0).to_bits())
    }

    fn check(units: [f64; 4]) {
        assert_eq!(of_ones_without(units).map(|ln| (ln + 0.0).to_bits()), simple(units), "{units:?}");
    }

    #[test]
    fn at_the_ends_and_where_the_reduction_begins() {
        check([0.0, GRID, 2.0 * GRID, 0.5]);
        check([1.0 - GRID, 1.0 - 2.0 * GRID, 1.0 - 3.0 * GRID, 0.75]);
        let first = (f64::from_bits(REDUCED_FROM) / GRID) as u64;
        for unit in first - 2000..first + 2000 {
            check([0, 1000, 2000, 1 << 23].map(|more| (unit + more) as f64 * GRID));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(20_000) })]

        #[test]
        fn the_same_bits_as_libm(units in prop::array::uniform4(0..1u64 << 53), shift in prop::array::uniform4(0..53)) {
            // Small ones as often as others, and those near 1.
            let unit = |i: usize| (units[i] >> shift[i]) as f64 * GRID;
            check([unit(0), unit(1), 1.0 - GRID - unit(2), unit(3)]);
        }
    }
}
