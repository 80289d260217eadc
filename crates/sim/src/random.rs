//! Named random streams.
//!
//! Nothing in a run is random except through a stream that has a name: (seed, run, entity, purpose). The name is the
//! key of a ChaCha20 generator, whose output seeds one Xoshiro256++ for the entity. Streams therefore depend neither on
//! the order in which they are made nor on one another: a new source of randomness leaves all others as they were.

mod sample;

pub use sample::{
    bernoulli, bounded_pareto, exponential, exponential_span, exponential_spans, lognormal, normal, normal_quantile,
    pareto, uniform, uniform_index, weibull,
};

use rand_chacha::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// What all streams of one run have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seed {
    /// The user's seed.
    pub seed: u64,
    /// The replication, from 0.
    pub run: u32,
}

/// One named sequence of random numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stream(Xoshiro256PlusPlus);

impl Seed {
    /// The stream of `entity` (a stable name such as `"link 3->4"` or `"traffic 0"`) for one `purpose`.
    pub fn stream(self, entity: &str, purpose: &str) -> Stream {
        let mut key = [0u8; 32];
        key[..8].copy_from_slice(&self.seed.to_le_bytes());
        key[8..12].copy_from_slice(&self.run.to_le_bytes());
        key[16..24].copy_from_slice(&fnv1a(entity).to_le_bytes());
        key[24..].copy_from_slice(&fnv1a(purpose).to_le_bytes());
        Stream(Xoshiro256PlusPlus::from_rng(&mut ChaCha20Rng::from_seed(key)))
    }
}

impl Stream {
    /// The next 64 random bits.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A number uniform in [0, 1) on the grid of 2^-53.
    #[inline]
    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }
}

/// The output function of SplitMix64 (Steele, Lea, Flood 2014), for hashes: one bit of its input moves half of its
/// output. 0 stays 0.
#[inline]
pub fn mix(mut word: u64) -> u64 {
    word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

/// SplitMix64's number after this one: the same where 0 is as good as any.
#[inline]
pub fn mixed(number: u64) -> u64 {
    mix(number.wrapping_add(0x9e37_79b9_7f4a_7c15))
}

/// The 64-bit FNV-1a hash, for turning a name into part of a key.
fn fnv1a(name: &str) -> u64 {
    name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_is_its_name_and_nothing_else() {
        let seed = Seed { seed: 1, run: 0 };
        let mut first = seed.stream("link a", "loss");
        let _ = seed.stream("link b", "loss").next_u64();
        let mut again = seed.stream("link a", "loss");
        assert_eq!(first.next_u64(), again.next_u64());
    }

    #[test]
    fn every_part_of_the_name_matters() {
        let draw = |seed, run, entity, purpose| Seed { seed, run }.stream(entity, purpose).next_u64();
        let base = draw(1, 0, "a", "x");
        assert!(
            [draw(2, 0, "a", "x"), draw(1, 1, "a", "x"), draw(1, 0, "b", "x"), draw(1, 0, "a", "y")]
                .iter()
                .all(|d| *d != base)
        );
    }

    #[test]
    fn the_first_draws_are_the_same_on_every_machine() {
        let mut stream = Seed { seed: 1, run: 0 }.stream("golden", "test");
        assert_eq!([stream.next_u64(), stream.next_u64()], GOLDEN);
    }

    const GOLDEN: [u64; 2] = [2009343717779539719, 1527327311845155246];
}
