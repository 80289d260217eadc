//! A TCP receiver, driven by hand.

use super::{ControlSaid, control_of, echoed, said_of};
use crate::clock::reading;
use crate::options::{each, set, unknown_option, wrong};
use options::Options;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::Arc;
use transport::tcp::{self, EcnNews, ReceiverActions};
use units::Instant;

/// (ack, window, blocks, whether it echoes a mark, the field ACE, the timestamp that it echoes).
type AckOut = (u64, u64, Vec<(u64, u64)>, bool, Option<u8>, Option<f64>);
/// `transport::tcp::Receiver` with its clock.
#[pyclass(module = "photocol._core")]
pub struct Receiver {
    machine: tcp::Endpoint,
    now: Instant,
    /// What the last call has acknowledged before the ACK that it returned.
    earlier: Vec<AckOut>,
}

#[pymethods]
impl Receiver {
    #[new]
    #[pyo3(signature = (**options))]
    fn new(options: Option<&Bound<'_, PyDict>>) -> PyResult<Receiver> {
        let mut config = tcp::ReceiverConfig::default();
        each(options, |name, value| match config.find(name) {
            Some(place) => set(&mut config, place, value),
            None => Err(unknown_option(name, config.keys().iter().map(|key| key.name))),
        })?;
        config.validate().map_err(wrong)?;
        Ok(Receiver { machine: tcp::Endpoint::new(Arc::new(config)), now: Instant::ZERO, earlier: Vec::new() })
    }

    /// A segment arrives, with its mark or the sender's news of a smaller window; `None` while its acknowledgement is
    /// delayed.
    #[pyo3(signature = (t, seq, length, ecn=None, timestamp=None))]
    fn on_segment(
        &mut self,
        t: f64,
        seq: u64,
        length: u32,
        ecn: Option<&str>,
        timestamp: Option<f64>,
    ) -> PyResult<Option<AckOut>> {
        let news = match ecn {
            Some("ce") => Some(EcnNews::CongestionExperienced),
            Some("cwr") => Some(EcnNews::WindowReduced),
            Some(other) => return Err(PyValueError::new_err(format!("ecn is {other:?}, must be \"ce\" or \"cwr\""))),
            None => Some(EcnNews::NotMarked),
        };
        let stamp = echoed(timestamp)?;
        self.now = reading(self.now, Some(t))?;
        let mut actions = ReceiverActions::default();
        news.into_iter().for_each(|news| self.machine.receiver_mut().handle_ecn(news, &mut actions));
        self.machine.handle_segment(self.now, seq, length, stamp, &mut actions);
        Ok(self.sent(actions))
    }

    /// A SYN or a FIN arrives: the answer.
    fn on_control(&mut self, t: f64, control: ControlSaid) -> PyResult<Option<ControlSaid>> {
        let asked = control_of(control)?;
        self.now = reading(self.now, Some(t))?;
        Ok(self.machine.handle_control(asked).and_then(said_of))
    }

    /// The clock reaches `t`; a timer that is not due does nothing.
    fn on_timer(&mut self, t: f64) -> PyResult<Option<AckOut>> {
        self.now = reading(self.now, Some(t))?;
        let mut actions = ReceiverActions::default();
        self.machine.handle_timeout(self.now, &mut actions);
        Ok(self.sent(actions))
    }

    #[getter]
    fn earlier(&self) -> Vec<AckOut> {
        self.earlier.clone()
    }

    #[getter]
    fn next_timer(&self) -> Option<f64> {
        self.machine.next_timeout().map(Instant::as_secs_f64)
    }

    #[getter]
    fn bytes_received(&self) -> u64 {
        self.machine.receiver().bytes_received()
    }

    #[getter]
    fn duplicates(&self) -> u64 {
        self.machine.receiver().duplicates()
    }
}

impl Receiver {
    /// The last acknowledgement of one input; what came before it, which only feedback "dctcp" brings about, is kept.
    fn sent(&mut self, actions: ReceiverActions) -> Option<AckOut> {
        let echo = self.machine.options().timestamp.map(Instant::as_secs_f64);
        let mut acks: Vec<AckOut> = actions.acks.iter().map(|out| said(out, echo)).collect();
        let last = acks.pop();
        self.earlier = acks;
        last
    }
}

fn said(out: &tcp::AckOut, echo: Option<f64>) -> AckOut {
    let sack = out.sack.as_slice().iter().map(|block| (block.start, block.end)).collect();
    (out.ack, out.window, sack, out.ecn_echo.is_ece(), out.ecn_echo.ace(), echo)
}
