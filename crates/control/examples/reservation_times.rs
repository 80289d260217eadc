//! How long a reservation takes, by wavelengths and by how many reservations each of them holds: `cargo run --release
//! --example reservation_times`. The figures are in docs/validation/obs.md.
#![allow(clippy::disallowed_types, clippy::disallowed_methods, reason = "measuring needs a clock")]

use control::reservation::{Algorithm, Arriving, Conversion, DelayLines, Fibre, FibreConfig, Signalling, registry};
use std::time::Instant as Clock;
use units::{Duration, Instant};

const REQUESTS: u64 = 2_000_000;
/// Mean length of a burst in picoseconds.
const LENGTH: u64 = 60_000_000;

fn main() {
    println!("LAUC-VF, load 0.7, offsets spread so that a channel holds the reservations given");
    println!("wavelengths  reservations  ns per request  dropped");
    for channels in [1, 4, 8, 16, 32, 64] {
        row(channels, 2, Algorithm::LaucVf);
    }
    for reservations in [10, 100, 1_000, 10_000, 100_000] {
        row(8, reservations, Algorithm::LaucVf);
    }
    println!("8 wavelengths with about 10 reservations each, by rule");
    for entry in registry() {
        print!("{:<10}", entry.name);
        row(8, 10, entry.choice);
    }
}

/// Requests at load 0.7 whose bursts begin up to so far ahead that a channel holds `reservations`.
fn row(channels: u16, reservations: u64, algorithm: Algorithm) {
    let mut fibre = Fibre::new(FibreConfig {
        channels,
        algorithm,
        signalling: Signalling::Jet,
        conversion: Conversion::Full,
        lines: DelayLines::default(),
        switching: Duration::ZERO,
        guard: Duration::ZERO,
    });
    let mut random = 1u64;
    let mut uniform = |below: u64| {
        // xorshift64 (Marsaglia 2003).
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        random % below.max(1)
    };
    // A channel holds reservations over the mean offset; at 0.7 of them per length.
    let farthest = 2 * reservations * LENGTH * 10 / 7;
    let gap = LENGTH * 10 / 7 / u64::from(channels);
    let (mut now, mut dropped) = (0, 0u64);
    let warm_up = 4 * reservations * u64::from(channels);
    let mut begun = Clock::now();
    for number in 0..REQUESTS + warm_up {
        if number == warm_up {
            (begun, dropped) = (Clock::now(), 0);
        }
        now += uniform(2 * gap);
        let at = Instant::from_ps(now + uniform(farthest));
        let length = Duration::from_ps(LENGTH / 2 + uniform(LENGTH));
        let burst = Arriving { at, length, wavelength: 0 };
        dropped += u64::from(fibre.reserve(Instant::from_ps(now), &burst).is_err());
    }
    let nanoseconds = begun.elapsed().as_secs_f64() * 1e9 / REQUESTS as f64;
    let share = dropped as f64 / REQUESTS as f64;
    println!("{channels:>11}  {reservations:>12}  {nanoseconds:>14.0}  {share:>7.3}");
}
