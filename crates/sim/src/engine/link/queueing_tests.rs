//! An output port against queueing theory. Bounds are four standard errors of independent replications, so a right port
//! fails about one time in 16 000; the seeds are fixed.

use super::port::{Port, PortConfig};
use crate::engine::packet::admission::{Admission, Cause};
use crate::links::AtPort;
use crate::model::{Buffer, PortRule};
use crate::random::{Seed, Stream, exponential};
use analytic::md1k;
use units::{Duration, Rate};

const REPLICATIONS: u32 = 20;
const PACKETS: u32 = 100_000;
/// 1 Gb/s: a byte lasts 8 ns.
const BYTE_PS: f64 = 8000.0;
const MEAN_SIZE: f64 = 1000.0;

struct Outcome {
    mean_waiting: f64,
    drop_share: f64,
    utilization: f64,
}

fn exponential_size(stream: &mut Stream) -> u16 {
    exponential(stream, MEAN_SIZE).round().clamp(1.0, 65535.0) as u16
}

fn fixed_size(_: &mut Stream) -> u16 {
    MEAN_SIZE as u16
}

/// Poisson packets at `load` erlang, the sizes drawn by `size`.
fn replicate(run: u32, load: f64, buffer: Buffer, size: fn(&mut Stream) -> u16) -> Outcome {
    let seed = Seed { seed: 11, run };
    let (mut gaps, mut sizes) = (seed.stream("source", "gaps"), seed.stream("source", "sizes"));
    let rule = PortRule::plain(Rate::from_gbps(1), Duration::from_millis(1), buffer);
    let (stream, fibre) = (seed.stream("port", "queue"), AtPort::default());
    let mut port = Port::new(PortConfig { rule, stream, fibre, law: None, interceptor: None }).unwrap();
    let (mut now, mut drops) = (0, 0);
    for _ in 0..PACKETS {
        now += exponential(&mut gaps, MEAN_SIZE * BYTE_PS / load).round() as u64;
        let offer = port.offer(now, size(&mut sizes));
        drops += u32::from(offer == Admission::Dropped(Cause::Congestion));
    }
    let reading = port.reading(now);
    Outcome {
        mean_waiting: reading.waited as f64 / now as f64,
        drop_share: f64::from(drops) / f64::from(PACKETS),
        utilization: reading.busy as f64 / now as f64,
    }
}

/// Asserts that the mean over replications is within four standard errors of `expected`.
fn assert_mean(name: &str, values: &[f64], expected: f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0);
    let error = (variance / n).sqrt();
    assert!((mean - expected).abs() < 4.0 * error, "{name}: {mean} ± {error}, expected {expected}");
}

fn outcomes(load: f64, buffer: Buffer, size: fn(&mut Stream) -> u16) -> Vec<Outcome> {
    (0..REPLICATIONS).map(|run| replicate(run, load, buffer, size)).collect()
}

fn each(outcomes: &[Outcome], of: fn(&Outcome) -> f64) -> Vec<f64> {
    outcomes.iter().map(of).collect()
}

/// Probability that a Poisson packet is refused by M/D/1 with `places` waiting places.
fn mdlk_blocking(load: f64, places: u64) -> f64 {
    md1k::evaluate(&md1k::Inputs { load, places: places as u32 }).unwrap().blocking
}

#[test]
fn m_m_1_has_rho_squared_over_one_minus_rho_waiting() {
    for load in [0.3, 0.7] {
        let found = outcomes(load, Buffer::Unlimited, exponential_size);
        assert_mean("waiting", &each(&found, |o| o.mean_waiting), load * load / (1.0 - load));
        assert_mean("utilization", &each(&found, |o| o.utilization), load);
    }
}

#[test]
fn m_d_1_has_half_as_many_waiting_as_m_m_1() {
    let found = outcomes(0.7, Buffer::Unlimited, fixed_size);
    assert_mean("waiting", &each(&found, |o| o.mean_waiting), 0.7 * 0.7 / (1.0 - 0.7) / 2.0);
}

#[test]
fn m_d_1_with_k_waiting_places_refuses_as_the_embedded_chain_says() {
    for (load, places) in [(0.5, 0), (0.8, 1), (0.9, 6), (1.2, 3)] {
        let found = outcomes(load, Buffer::Packets(places), fixed_size);
        assert_mean("drops", &each(&found, |o| o.drop_share), mdlk_blocking(load, places));
    }
}

#[test]
fn a_buffer_in_bytes_for_k_packets_of_one_size_is_a_buffer_of_k_packets() {
    let bytes = Buffer::Bytes(units::Bytes(6 * MEAN_SIZE as u64 + 999));
    let (a, b) = (replicate(0, 0.9, bytes, fixed_size), replicate(0, 0.9, Buffer::Packets(6), fixed_size));
    assert_eq!((a.drop_share, a.mean_waiting), (b.drop_share, b.mean_waiting));
}
