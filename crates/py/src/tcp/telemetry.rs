//! What an ACK brings back of what ports measured and said, given by hand.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use transport::cc::{self, Algorithm};
use transport::rcp::Offer;
use transport::telemetry::{Hop, NextRate, Telemetry};
use units::{Duration, Instant, Rate};

/// (port, when, bytes waiting, bytes sent, bit/s, when the rate changes, bit/s then).
pub type HopIn = (u32, f64, u64, u64, f64, Option<f64>, Option<f64>);

/// The record of these hops and the rate that RCP's ports offer, for a sender that reads it.
pub fn told(law: Algorithm, hops: &[HopIn], offered: Option<f64>) -> PyResult<Option<Telemetry>> {
    if !hops.is_empty() && !law.reads_hops() {
        return Err(unread("telemetry", Algorithm::reads_hops));
    }
    if offered.is_some() && law != Algorithm::Rcp {
        return Err(unread("offered", |law| law == Algorithm::Rcp));
    }
    if hops.is_empty() && offered.is_none() {
        return Ok(None);
    }
    if hops.len() > Telemetry::HOPS {
        let message = format!("telemetry has {} hops, must have at most {}", hops.len(), Telemetry::HOPS);
        return Err(PyValueError::new_err(message));
    }
    let mut told = Telemetry::EMPTY;
    for hop in hops {
        told.push(hop_of(hop)?);
    }
    let rate = offered.map(|bps| rate("offered", bps)).transpose()?.unwrap_or(Offer::NONE.rate);
    Ok(Some(told.with_offer(Offer { rtt: Duration::ZERO, rate })))
}

fn hop_of(hop: &HopIn) -> PyResult<Hop> {
    let (port, t, queue, sent, bps, next_at, next_bps) = hop;
    let next = match (next_at, next_bps) {
        (Some(at), Some(bps)) => Some(NextRate { at: instant(*at)?, rate: rate("next_rate", *bps)? }),
        (None, None) => None,
        _ => return Err(PyValueError::new_err("a hop has both next_at and next_rate, or neither")),
    };
    Ok(Hop { port: *port, at: instant(*t)?, queue: *queue, sent: *sent, rate: rate("rate", *bps)?, next })
}

fn instant(t: f64) -> PyResult<Instant> {
    let wrong = || PyValueError::new_err(format!("a hop's time is {t} s, must be a reading of a clock, from 0 s on"));
    Instant::from_secs_f64(t).ok_or_else(wrong)
}

/// Bits per second.
pub fn rate(name: &str, bps: f64) -> PyResult<Rate> {
    let wrong = || PyValueError::new_err(format!("{name} is {bps}, must be from 0 to 1e18 bit/s"));
    (0.0..=1e18).contains(&bps).then(|| Rate::from_bps(bps.round() as u64)).ok_or_else(wrong)
}

fn unread(name: &str, reads: impl Fn(Algorithm) -> bool) -> PyErr {
    let laws = cc::registry().iter().filter(|entry| reads(entry.choice)).map(|entry| entry.name);
    let laws: Vec<&str> = laws.collect();
    PyValueError::new_err(format!(
        "{name} is given, and this sender's law reads none; laws that do: {}",
        laws.join(", ")
    ))
}
