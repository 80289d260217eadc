//! A TCP sender and a TCP receiver, driven by hand. Times are seconds on the end host's clock, sizes are bytes.

mod receiver;
mod sender;
mod telemetry;

pub use receiver::Receiver;
pub use sender::Sender;

use options::Words;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use transport::cc::PathChange;
use transport::tcp::{Codepoint, Control, TcpOptions};
use units::{Duration, Instant, Rate};

/// (kind, whether it asks for ECN or agrees to it, timestamp).
type ControlSaid = (String, bool, Option<f64>);

const CONTROLS: [(&str, Control); 4] =
    [("syn", Control::Syn), ("syn-ack", Control::SynAck), ("fin", Control::Fin), ("fin-ack", Control::FinAck)];

/// (turn, way, division, capacity in bit/s, when, round trip of the empty path in seconds).
type NewsIn = (String, String, Option<u16>, Option<f64>, Option<f64>, Option<f64>);

/// A change of the path, which is now unless it says when.
fn change_of(news: NewsIn, now: Instant) -> PyResult<PathChange> {
    let (turn, way, division, capacity, at, base_rtt) = news;
    let turn = word_of("turn", &turn)?;
    let way = word_of("way", &way)?;
    let bad = |bps| PyValueError::new_err(format!("capacity is {bps} bit/s, must be None or from 0 to 1e15"));
    let rate = |bps: f64| (0.0..=1e15).contains(&bps).then(|| Rate::from_bps(bps as u64)).ok_or_else(|| bad(bps));
    let capacity = capacity.map(rate).transpose()?;
    let wrong = |at| PyValueError::new_err(format!("at is {at} s, must be a reading of the clock, from 0 s on"));
    let at = at.map(|at| Instant::from_secs_f64(at).ok_or_else(|| wrong(at))).transpose()?.unwrap_or(now);
    let wrong = |rtt| PyValueError::new_err(format!("base_rtt is {rtt} s, must be above 0 s"));
    let span = |rtt: f64| Duration::from_secs_f64(rtt).filter(|span| *span > Duration::ZERO).ok_or_else(|| wrong(rtt));
    let base_rtt = base_rtt.map(span).transpose()?;
    Ok(PathChange { way, turn, division, capacity, base_rtt, at })
}

/// The ECN field of a packet that leaves.
pub fn codepoint_name(codepoint: Codepoint) -> &'static str {
    match codepoint {
        Codepoint::NotEct => "not-ect",
        Codepoint::Ect0 => "ect0",
        Codepoint::Ect1 => "ect1",
    }
}

fn word_of<W: Words>(name: &str, said: &str) -> PyResult<W> {
    let words = || W::LIST.words.iter().map(|one| one.word).collect::<Vec<_>>().join(", ");
    W::from_word(said).ok_or_else(|| PyValueError::new_err(format!("{name} is '{said}', must be one of {}", words())))
}

/// What a packet without payload says.
fn said_of(options: TcpOptions) -> Option<ControlSaid> {
    let name = CONTROLS.iter().find(|(_, control)| Some(*control) == options.control)?.0;
    Some((name.to_owned(), options.ecn_setup, options.timestamp.map(Instant::as_secs_f64)))
}

fn control_of(said: ControlSaid) -> PyResult<TcpOptions> {
    let (name, ecn_setup, timestamp) = said;
    let found = CONTROLS.iter().find(|(one, _)| *one == name);
    let control = found.map(|(_, control)| *control).ok_or_else(|| {
        PyValueError::new_err(format!("kind is {name:?}, must be \"syn\", \"syn-ack\", \"fin\" or \"fin-ack\""))
    })?;
    Ok(TcpOptions { ecn_setup, timestamp: echoed(timestamp)?, ..control.into() })
}

fn echoed(timestamp: Option<f64>) -> PyResult<Option<Instant>> {
    let wrong =
        |stamp| PyValueError::new_err(format!("timestamp is {stamp} s, must be a reading of a clock, from 0 s on"));
    timestamp.map(|stamp| Instant::from_secs_f64(stamp).ok_or_else(|| wrong(stamp))).transpose()
}
