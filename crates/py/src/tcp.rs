//! A TCP sender and a TCP receiver, driven by hand. Times are seconds on the end host's clock, sizes are bytes.

use crate::xcp::{self, Header};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::Arc;
use transport::cc::xcp::{DuplicateAcks, LossReaction};
use transport::cc::{self, Algorithm, btcp, gaimd, reno, tcp_eng};
use transport::tcp::{
    self, Ack, Actions, BurstReport, FastRetransmitGuard, InitialWindow, LossRecovery, PartialAckTimer, PhaseName,
    ReceiverActions, SackAfterTimeout, SackBlock,
};
use units::{Duration, Instant};

/// (seq, length, retransmission).
type Segment = (u64, u32, bool);
/// (ack, window, blocks).
type AckOut = (u64, u64, Vec<(u64, u64)>);

/// `transport::tcp::Sender` with its clock and its list of actions.
#[pyclass(module = "photocol._core")]
pub struct Sender {
    machine: tcp::Sender,
    actions: Actions,
    mss: u32,
    now: Instant,
    /// The peer's last advertised window.
    window: u64,
}

#[pymethods]
impl Sender {
    #[new]
    #[pyo3(signature = (algorithm, **options))]
    fn new(algorithm: &str, options: Option<&Bound<'_, PyDict>>) -> PyResult<Sender> {
        let mut config = tcp::SenderConfig { algorithm: algorithm_named(algorithm)?, ..Default::default() };
        each(options, |name, value| set_sender(&mut config, name, value))?;
        config.validate().map_err(wrong)?;
        let (mss, window) = (config.mss, config.initial_peer_window);
        Ok(Sender {
            machine: tcp::Sender::new(Arc::new(config)),
            actions: Actions::default(),
            mss,
            now: Instant::ZERO,
            window,
        })
    }

    /// The application writes `segments` full-sized segments at `t` (by default now).
    #[pyo3(signature = (segments, t=None))]
    fn write(&mut self, segments: u64, t: Option<f64>) -> PyResult<Vec<Segment>> {
        self.now = reading(self.now, t)?;
        self.machine.write(self.now, segments.saturating_mul(u64::from(self.mss)), &mut self.actions);
        Ok(self.sent())
    }

    /// An acknowledgement arrives; `window=None` leaves the advertised window as it was.
    #[pyo3(signature = (t, ack, sack=Vec::new(), window=None, feedback=0))]
    fn on_ack(
        &mut self,
        t: f64,
        ack: u64,
        sack: Vec<(u64, u64)>,
        window: Option<u64>,
        feedback: i32,
    ) -> PyResult<Vec<Segment>> {
        self.now = reading(self.now, Some(t))?;
        self.window = window.unwrap_or(self.window);
        self.machine.handle_feedback(ack, feedback);
        let sack: Vec<_> = sack.into_iter().map(|(start, end)| SackBlock { start, end }).collect();
        self.machine.handle_ack(
            self.now,
            &Ack { ack, window: self.window, sack: &sack, ecn_echo: false },
            &mut self.actions,
        );
        Ok(self.sent())
    }

    /// An edge node tells about a burst with these segments.
    fn on_burst_report(&mut self, t: f64, report: &str, segments: Vec<(u64, u64)>) -> PyResult<Vec<Segment>> {
        let report = burst_report(report)?;
        self.now = reading(self.now, Some(t))?;
        let segments: Vec<_> = segments.into_iter().map(|(start, end)| SackBlock { start, end }).collect();
        self.machine.handle_burst_report(self.now, report, &segments, &mut self.actions);
        Ok(self.sent())
    }

    /// The clock reaches `t`; a timer that is not due does nothing.
    fn on_timer(&mut self, t: f64) -> PyResult<Vec<Segment>> {
        self.now = reading(self.now, Some(t))?;
        self.machine.handle_timeout(self.now, &mut self.actions);
        Ok(self.sent())
    }

    /// The congestion header of what the last call sent.
    #[getter]
    fn header(&self) -> Option<Header> {
        self.machine.congestion_header().as_ref().map(xcp::fields)
    }

    #[getter]
    fn next_timer(&self) -> Option<f64> {
        self.machine.next_timeout().map(Instant::as_secs_f64)
    }

    #[getter]
    fn mss(&self) -> u32 {
        self.mss
    }

    #[getter]
    fn cwnd(&self) -> u64 {
        self.machine.cwnd()
    }

    /// `None` while "arbitrarily high".
    #[getter]
    fn ssthresh(&self) -> Option<u64> {
        Some(self.machine.ssthresh()).filter(|bytes| *bytes != u64::MAX)
    }

    #[getter]
    fn pipe(&self) -> u64 {
        self.machine.pipe()
    }

    #[getter]
    fn flight_size(&self) -> u64 {
        self.machine.flight_size()
    }

    #[getter]
    fn bytes_acked(&self) -> u64 {
        self.machine.bytes_acked()
    }

    #[getter]
    fn dupthresh(&self) -> u32 {
        self.machine.dupthresh()
    }

    #[getter]
    fn phase(&self) -> &'static str {
        match self.machine.phase() {
            PhaseName::SlowStart => "slow_start",
            PhaseName::CongestionAvoidance => "congestion_avoidance",
            PhaseName::FastRecovery => "fast_recovery",
        }
    }

    #[getter]
    fn rto(&self) -> f64 {
        self.machine.rto().as_secs_f64()
    }

    #[getter]
    fn srtt(&self) -> Option<f64> {
        self.machine.srtt().map(Duration::as_secs_f64)
    }

    /// What the sender has done so far, by the names of the table `flows`.
    #[getter]
    fn counters<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let stats = self.machine.stats();
        let counters = PyDict::new(py);
        counters.set_item("segments_sent", stats.segments_sent)?;
        counters.set_item("retransmissions", stats.retransmissions)?;
        counters.set_item("fast_retransmits", stats.fast_retransmits)?;
        counters.set_item("false_fast_retransmits", stats.false_fast_retransmits)?;
        counters.set_item("timeouts", stats.timeouts)?;
        counters.set_item("false_timeouts", stats.false_timeouts)?;
        Ok(counters)
    }
}

impl Sender {
    fn sent(&mut self) -> Vec<Segment> {
        self.actions.segments.drain(..).map(|segment| (segment.seq, segment.len, segment.retransmission)).collect()
    }
}

/// `transport::tcp::Receiver` with its clock.
#[pyclass(module = "photocol._core")]
pub struct Receiver {
    machine: tcp::Receiver,
    now: Instant,
}

#[pymethods]
impl Receiver {
    #[new]
    #[pyo3(signature = (**options))]
    fn new(options: Option<&Bound<'_, PyDict>>) -> PyResult<Receiver> {
        let mut config = tcp::ReceiverConfig::default();
        each(options, |name, value| set_receiver(&mut config, name, value))?;
        config.validate().map_err(wrong)?;
        Ok(Receiver { machine: tcp::Receiver::new(Arc::new(config)), now: Instant::ZERO })
    }

    /// A segment arrives; `None` while its acknowledgement is delayed.
    fn on_segment(&mut self, t: f64, seq: u64, length: u32) -> PyResult<Option<AckOut>> {
        self.now = reading(self.now, Some(t))?;
        let mut actions = ReceiverActions::default();
        self.machine.handle_segment(self.now, seq, length, &mut actions);
        Ok(sent(&mut actions))
    }

    /// The clock reaches `t`; a timer that is not due does nothing.
    fn on_timer(&mut self, t: f64) -> PyResult<Option<AckOut>> {
        self.now = reading(self.now, Some(t))?;
        let mut actions = ReceiverActions::default();
        self.machine.handle_timeout(self.now, &mut actions);
        Ok(sent(&mut actions))
    }

    #[getter]
    fn next_timer(&self) -> Option<f64> {
        self.machine.next_timeout().map(Instant::as_secs_f64)
    }

    #[getter]
    fn bytes_received(&self) -> u64 {
        self.machine.bytes_received()
    }

    #[getter]
    fn duplicates(&self) -> u64 {
        self.machine.duplicates()
    }
}

/// The acknowledgement of one input: there is at most one.
fn sent(actions: &mut ReceiverActions) -> Option<AckOut> {
    let out = actions.acks.pop()?;
    Some((out.ack, out.window, out.sack.as_slice().iter().map(|block| (block.start, block.end)).collect()))
}

fn set_sender(config: &mut tcp::SenderConfig, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
    match name {
        "paced" => config.paced = value.extract()?,
        "mss" => config.mss = value.extract()?,
        "initial_cwnd" => config.initial_cwnd = initial_window(value)?,
        "initial_ssthresh" => config.initial_ssthresh = value.extract()?,
        "max_cwnd" => config.max_cwnd = value.extract()?,
        "initial_peer_window" => config.initial_peer_window = value.extract()?,
        "min_rto" => config.min_rto = span(name, value)?,
        "max_rto" => config.max_rto = span(name, value)?,
        "initial_rto" => config.initial_rto = span(name, value)?,
        "clock_granularity" => config.clock_granularity = span(name, value)?,
        "fast_retransmit_guard" => config.fast_retransmit_guard = Some(guard(value)?),
        "partial_ack_timer" => config.partial_ack_timer = partial_ack_timer(value)?,
        "sack_after_timeout" => config.sack_after_timeout = sack_after_timeout(value)?,
        "increase" => config.laws.reno.increase = increase(value)?,
        "dupthresh" => config.dupthresh = value.extract()?,
        "limited_transmit" => config.limited_transmit = value.extract()?,
        "rescue_retransmission" => config.rescue_retransmission = value.extract()?,
        "idle_restart" => config.idle_restart = value.extract()?,
        "recovery" => config.recovery = Some(recovery(value)?),
        "loss" => config.laws.xcp.loss = loss_reaction(value)?,
        "beta" => (config.laws.gaimd.beta, config.laws.tcp_eng.beta) = twice(value)?,
        "alpha" => (config.laws.gaimd.alpha, config.laws.tcp_eng.alpha) = twice(value)?,
        "relation" => {
            let relation = relation(value)?;
            (config.laws.gaimd.relation, config.laws.tcp_eng.relation) = (relation, relation);
        }
        "alpha_applies" => config.laws.tcp_eng.alpha_applies = alpha_applies(value)?,
        "congestion_beta" => config.laws.tcp_eng.congestion_beta = value.extract()?,
        "detector" => config.laws.btcp.detector = detector(value)?,
        "duplicate_acks" => config.laws.xcp.duplicate_acks = duplicate_acks(value)?,
        _ => return Err(unknown_option(name)),
    }
    Ok(())
}

fn set_receiver(config: &mut tcp::ReceiverConfig, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
    match name {
        "delayed_ack" => config.delayed_ack = Some(span(name, value)?),
        "mss" => config.mss = value.extract()?,
        "sack" => config.sack = value.extract()?,
        "dsack" => config.dsack = value.extract()?,
        "window" => config.window = value.extract()?,
        _ => return Err(unknown_option(name)),
    }
    Ok(())
}

/// Calls `set` for every option that is not `None`.
pub fn each(
    options: Option<&Bound<'_, PyDict>>,
    mut set: impl FnMut(&str, &Bound<'_, PyAny>) -> PyResult<()>,
) -> PyResult<()> {
    for (name, value) in options.into_iter().flat_map(|options| options.iter()).filter(|(_, value)| !value.is_none()) {
        set(&name.extract::<String>()?, &value)?;
    }
    Ok(())
}

fn algorithm_named(name: &str) -> PyResult<Algorithm> {
    Algorithm::from_name(name).ok_or_else(|| {
        let names: Vec<_> = cc::registry().iter().map(|entry| entry.name).collect();
        PyValueError::new_err(format!("algorithm '{name}' is unknown; there are: {}", names.join(", ")))
    })
}

fn initial_window(value: &Bound<'_, PyAny>) -> PyResult<InitialWindow> {
    if let Ok(segments) = value.extract() {
        return Ok(InitialWindow::Segments(segments));
    }
    match value.extract::<String>().as_deref() {
        Ok("rfc3390") => Ok(InitialWindow::Rfc3390),
        Ok("rfc6928") => Ok(InitialWindow::Rfc6928),
        _ => Err(PyValueError::new_err("initial_cwnd must be a number of segments, 'rfc3390' or 'rfc6928'")),
    }
}

fn recovery(value: &Bound<'_, PyAny>) -> PyResult<LossRecovery> {
    match value.extract::<String>().as_deref() {
        Ok("reno") => Ok(LossRecovery::Reno),
        Ok("newreno") => Ok(LossRecovery::NewReno),
        Ok("sack") => Ok(LossRecovery::Sack),
        _ => Err(PyValueError::new_err("recovery must be 'reno', 'newreno' or 'sack'")),
    }
}

fn guard(value: &Bound<'_, PyAny>) -> PyResult<FastRetransmitGuard> {
    match value.extract::<String>().as_deref() {
        Ok("timeout") => Ok(FastRetransmitGuard::Timeout),
        Ok("recovery") => Ok(FastRetransmitGuard::Recovery),
        _ => Err(PyValueError::new_err("fast_retransmit_guard must be 'timeout' or 'recovery'")),
    }
}

fn partial_ack_timer(value: &Bound<'_, PyAny>) -> PyResult<PartialAckTimer> {
    match value.extract::<String>().as_deref() {
        Ok("impatient") => Ok(PartialAckTimer::Impatient),
        Ok("slow-but-steady") => Ok(PartialAckTimer::SlowButSteady),
        _ => Err(PyValueError::new_err("partial_ack_timer must be 'impatient' or 'slow-but-steady'")),
    }
}

fn sack_after_timeout(value: &Bound<'_, PyAny>) -> PyResult<SackAfterTimeout> {
    match value.extract::<String>().as_deref() {
        Ok("discard") => Ok(SackAfterTimeout::Discard),
        Ok("keep") => Ok(SackAfterTimeout::Keep),
        _ => Err(PyValueError::new_err("sack_after_timeout must be 'discard' or 'keep'")),
    }
}

fn increase(value: &Bound<'_, PyAny>) -> PyResult<reno::Increase> {
    match value.extract::<String>().as_deref() {
        Ok("byte-counting") => Ok(reno::Increase::ByteCounting),
        Ok("per-ack") => Ok(reno::Increase::PerAck),
        _ => Err(PyValueError::new_err("increase must be 'byte-counting' or 'per-ack'")),
    }
}

/// A value for two laws.
fn twice<'py, T: FromPyObjectOwned<'py> + Copy>(value: &Bound<'py, PyAny>) -> PyResult<(T, T)> {
    let value = value.extract().map_err(Into::into)?;
    Ok((value, value))
}

fn burst_report(name: &str) -> PyResult<BurstReport> {
    match name {
        "assembled" => Ok(BurstReport::Assembled),
        "lost" => Ok(BurstReport::Lost),
        "contention" => Ok(BurstReport::LostToContention),
        _ => Err(PyValueError::new_err("report must be 'assembled', 'lost' or 'contention'")),
    }
}

fn relation(value: &Bound<'_, PyAny>) -> PyResult<gaimd::Relation> {
    match value.extract::<String>().as_deref() {
        Ok("triple-duplicate") => Ok(gaimd::Relation::TripleDuplicate),
        Ok("timeout") => Ok(gaimd::Relation::Timeout),
        _ => Err(PyValueError::new_err("relation must be 'triple-duplicate' or 'timeout'")),
    }
}

fn alpha_applies(value: &Bound<'_, PyAny>) -> PyResult<tcp_eng::AlphaApplies> {
    match value.extract::<String>().as_deref() {
        Ok("ben-only") => Ok(tcp_eng::AlphaApplies::BenOnly),
        Ok("large-window") => Ok(tcp_eng::AlphaApplies::LargeWindow),
        Ok("ben-period") => Ok(tcp_eng::AlphaApplies::BenPeriod),
        _ => Err(PyValueError::new_err("alpha_applies must be 'ben-only', 'large-window' or 'ben-period'")),
    }
}

fn detector(value: &Bound<'_, PyAny>) -> PyResult<btcp::Detector> {
    match value.extract::<String>().as_deref() {
        Ok("ble") => Ok(btcp::Detector::Ble),
        Ok("back") => Ok(btcp::Detector::Back),
        Ok("bnak") => Ok(btcp::Detector::Bnak),
        _ => Err(PyValueError::new_err("detector must be 'ble', 'back' or 'bnak'")),
    }
}

fn loss_reaction(value: &Bound<'_, PyAny>) -> PyResult<LossReaction> {
    match value.extract::<String>().as_deref() {
        Ok("tcp") => Ok(LossReaction::Tcp),
        Ok("repair-only") => Ok(LossReaction::RepairOnly),
        _ => Err(PyValueError::new_err("loss must be 'tcp' or 'repair-only'")),
    }
}

fn duplicate_acks(value: &Bound<'_, PyAny>) -> PyResult<DuplicateAcks> {
    match value.extract::<String>().as_deref() {
        Ok("obey") => Ok(DuplicateAcks::Obey),
        Ok("ignore") => Ok(DuplicateAcks::Ignore),
        _ => Err(PyValueError::new_err("duplicate_acks must be 'obey' or 'ignore'")),
    }
}

/// The clock shows `t` seconds, or what it showed before; clocks do not run backwards.
pub fn reading(before: Instant, t: Option<f64>) -> PyResult<Instant> {
    let Some(t) = t else { return Ok(before) };
    Instant::from_secs_f64(t).filter(|now| *now >= before).ok_or_else(|| {
        PyValueError::new_err(format!("t is {t} s, must be a time from {} s (the last call) on", before.as_secs_f64()))
    })
}

pub fn span(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Duration> {
    let seconds = value.extract()?;
    Duration::from_secs_f64(seconds)
        .ok_or_else(|| PyValueError::new_err(format!("{name} is {seconds}, must be seconds")))
}

pub fn wrong(error: tcp::ConfigError) -> PyErr {
    PyValueError::new_err(error.to_string())
}

pub fn unknown_option(name: &str) -> PyErr {
    PyTypeError::new_err(format!("unknown option '{name}'"))
}
