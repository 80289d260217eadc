//! A TCP sender and a TCP receiver, driven by hand. Times are seconds on the end host's clock, sizes are bytes.

mod receiver;
mod sender;

pub use receiver::Receiver;
pub use sender::Sender;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use transport::tcp::{Control, TcpOptions};
use units::Instant;

/// (kind, whether it asks for ECN or agrees to it, timestamp).
type ControlSaid = (String, bool, Option<f64>);

const CONTROLS: [(&str, Control); 4] =
    [("syn", Control::Syn), ("syn-ack", Control::SynAck), ("fin", Control::Fin), ("fin-ack", Control::FinAck)];

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

/// The clock shows `t` seconds, or what it showed before; clocks do not run backwards.
pub fn reading(before: Instant, t: Option<f64>) -> PyResult<Instant> {
    let Some(t) = t else { return Ok(before) };
    Instant::from_secs_f64(t).filter(|now| *now >= before).ok_or_else(|| {
        PyValueError::new_err(format!("t is {t} s, must be a time from {} s (the last call) on", before.as_secs_f64()))
    })
}
