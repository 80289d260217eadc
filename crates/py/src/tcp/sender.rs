//! A TCP sender, or the sending end of a connection, driven by hand.

use super::telemetry::{self, HopIn};
use super::{ControlSaid, NewsIn, change_of, codepoint_name, control_of, echoed, said_of};
use crate::clock::reading;
use crate::law::{PythonMaker, Shared};
use crate::options::{each, misplaced, set, unknown_name, wrong};
use crate::xcp::{self, Header};
use options::Words;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::Arc;
use transport::cc::external::Maker;
use transport::cc::{self, Algorithm};
use transport::tcp::{self, Ack, Actions, BurstReport, Control, PhaseName, Preset, SackBlock, TcpOptions, Timer};
use units::{Duration, Instant};

/// (seq, length, retransmission).
type Segment = (u64, u32, bool);
/// (ack, blocks, window if it is another, feedback of a congestion header, whether it echoes a mark, the field ACE,
/// echoed timestamp, what hops measured, the rate that ports offer).
type AckIn = (u64, Vec<(u64, u64)>, Option<u64>, i32, bool, Option<u8>, Option<f64>, Vec<HopIn>, Option<f64>);
/// `transport::tcp::Connection` with its clock and its list of actions; without handshake and teardown it is a bare
/// sender.
#[pyclass(module = "photocol._core")]
pub struct Sender {
    machine: tcp::Connection,
    actions: Actions,
    /// What the last call sent without payload.
    controls: Vec<Control>,
    mss: u32,
    algorithm: Algorithm,
    now: Instant,
    /// The peer's last advertised window.
    window: u64,
    /// Who makes its law, if that is a class in Python.
    law: Option<Arc<PythonMaker>>,
}

#[pymethods]
impl Sender {
    #[new]
    #[pyo3(signature = (algorithm, **options))]
    fn new(algorithm: &Bound<'_, PyAny>, options: Option<&Bound<'_, PyDict>>) -> PyResult<Sender> {
        let (algorithm, preset, law) = algorithm_or_law(algorithm)?;
        let mut config = tcp::SenderConfig { algorithm, ..Default::default() };
        if let Some(preset) = preset {
            preset.apply(&mut config, &mut tcp::ReceiverConfig::default());
        }
        each(options, |name, value| match config.part_mut(name) {
            Some((part, place)) => set(part, place, value),
            None => Err(misplaced(name)),
        })?;
        if let Some(law) = &law {
            let maker = Shared(Arc::clone(law));
            config.paced |= maker.paces();
            config.laws.external.maker = Some(Arc::new(maker));
        }
        config.validate().map_err(wrong)?;
        let (mss, window) = (config.mss, config.initial_peer_window);
        Ok(Sender {
            machine: tcp::Connection::new(Arc::new(config)),
            actions: Actions::default(),
            controls: Vec::new(),
            mss,
            algorithm,
            now: Instant::ZERO,
            window,
            law,
        })
    }

    /// The application writes `segments` full-sized segments at `t` (by default now).
    #[pyo3(signature = (segments, t=None))]
    fn write(&mut self, segments: u64, t: Option<f64>) -> PyResult<Vec<Segment>> {
        self.now = reading(self.now, t)?;
        self.machine.write(self.now, segments.saturating_mul(u64::from(self.mss)), &mut self.actions);
        self.sent()
    }

    /// An acknowledgement arrives.
    fn on_ack(&mut self, t: f64, arrived: AckIn) -> PyResult<Vec<Segment>> {
        let (ack, sack, window, feedback, ece, ace, timestamp, hops, offered) = arrived;
        let told = telemetry::told(self.algorithm, &hops, offered)?;
        if ece && !self.machine.sender().has_ecn() {
            return Err(PyValueError::new_err("ece is True, and this sender has no ECN; give it ecn=True"));
        }
        if ace.is_some() && !self.machine.sender().reads_ace() {
            let advice = "give it ecn_feedback=\"accurate\"";
            return Err(PyValueError::new_err(format!(
                "ace is given, and this sender reads no counter of marks; {advice}"
            )));
        }
        if ace.is_some_and(|ace| ace > 7) {
            return Err(PyValueError::new_err("ace must be from 0 to 7: three bits"));
        }
        let options = TcpOptions { timestamp: echoed(timestamp)?, ..TcpOptions::default() };
        self.now = reading(self.now, Some(t))?;
        self.window = window.unwrap_or(self.window);
        self.machine.sender_mut().handle_feedback(ack, feedback);
        if let Some(told) = told {
            self.machine.sender_mut().handle_telemetry(self.now, ack, &told);
        }
        if let Some(ace) = ace.or_else(|| self.machine.sender().ace_if_all_marked(ack).filter(|_| ece)) {
            self.machine.sender_mut().handle_ace(ace);
        }
        let sack: Vec<_> = sack.into_iter().map(|(start, end)| SackBlock { start, end }).collect();
        let ack = Ack { ack, window: self.window, sack: &sack, ecn_echo: ece };
        self.machine.handle_ack(self.now, &ack, options, &mut self.actions);
        self.sent()
    }

    /// An answer to a SYN or a FIN arrives.
    fn on_control(&mut self, t: f64, control: ControlSaid) -> PyResult<Vec<Segment>> {
        let answer = control_of(control)?;
        self.now = reading(self.now, Some(t))?;
        self.machine.handle_control(self.now, answer, &mut self.actions);
        self.sent()
    }

    /// The application writes nothing more.
    fn end(&mut self, t: f64) -> PyResult<Vec<Segment>> {
        self.now = reading(self.now, Some(t))?;
        self.machine.end(self.now, &mut self.actions);
        self.sent()
    }

    /// The packets without payload that the last call sent, behind its segments.
    #[getter]
    fn controls(&self) -> Vec<ControlSaid> {
        let said = |control: &Control| said_of(self.machine.control_options(self.now, *control));
        self.controls.iter().filter_map(said).collect()
    }

    #[getter]
    fn state(&self) -> &'static str {
        self.machine.state_name()
    }

    #[getter]
    fn is_complete(&self) -> bool {
        self.machine.is_complete()
    }

    #[getter]
    fn uses_ecn(&self) -> bool {
        self.machine.sender().has_ecn()
    }

    /// An edge node tells about a burst with these segments.
    fn on_burst_report(&mut self, t: f64, report: &str, segments: Vec<(u64, u64)>) -> PyResult<Vec<Segment>> {
        let report = burst_report(report)?;
        self.now = reading(self.now, Some(t))?;
        let segments: Vec<_> = segments.into_iter().map(|(start, end)| SackBlock { start, end }).collect();
        self.machine.sender_mut().handle_burst_report(self.now, report, &segments, &mut self.actions);
        self.sent()
    }

    /// The path changes, or will; a law that does not listen hears nothing.
    fn on_news(&mut self, t: f64, news: NewsIn) -> PyResult<Vec<Segment>> {
        let now = reading(self.now, Some(t))?;
        let change = change_of(news, now)?;
        self.now = now;
        self.machine.sender_mut().handle_news(self.now, change, &mut self.actions);
        self.sent()
    }

    /// The clock reaches `t`; a timer that is not due does nothing. With `timer` no other is served.
    #[pyo3(signature = (t, timer=None))]
    fn on_timer(&mut self, t: f64, timer: Option<&str>) -> PyResult<Vec<Segment>> {
        let timer = timer.map(timer_named).transpose()?;
        self.now = reading(self.now, Some(t))?;
        match timer {
            Some(timer) => self.machine.handle_timer(self.now, timer, &mut self.actions),
            None => self.machine.handle_timeout(self.now, &mut self.actions),
        }
        self.sent()
    }

    /// The timers that run, by name, each with the time when it is due.
    #[getter]
    fn timers(&self) -> Vec<(&'static str, f64)> {
        let names = Timer::LIST.words.iter().map(|one| one.word);
        let due = |name| Some((name, self.machine.due(Timer::from_word(name)?)?.as_secs_f64()));
        names.filter_map(due).collect()
    }

    /// What a segment of the last call says about congestion, (ECT, CWR, codepoint); `None` without ECN.
    fn ecn_of(&self, seq: u64, length: u32, retransmission: bool) -> Option<(bool, bool, &'static str)> {
        let said = self.machine.sender().ecn_of(&tcp::Segment { seq, len: length, retransmission })?;
        Some((said.is_capable(), said.window_reduced, codepoint_name(said.codepoint)))
    }

    /// The congestion header of what the last call sent.
    #[getter]
    fn header(&self) -> Option<Header> {
        self.machine.sender().congestion_header().as_ref().map(xcp::fields)
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
        self.machine.sender().cwnd()
    }

    /// Bits per second; `None` unless segments are paced, and before there is a rate.
    #[getter]
    fn pacing_rate(&self) -> Option<f64> {
        self.machine.sender().pacing_rate().map(|rate| rate.bps() as f64)
    }

    /// `None` while "arbitrarily high".
    #[getter]
    fn ssthresh(&self) -> Option<u64> {
        Some(self.machine.sender().ssthresh()).filter(|bytes| *bytes != u64::MAX)
    }

    #[getter]
    fn pipe(&self) -> u64 {
        self.machine.sender().pipe()
    }

    #[getter]
    fn flight_size(&self) -> u64 {
        self.machine.sender().flight_size()
    }

    #[getter]
    fn bytes_acked(&self) -> u64 {
        self.machine.sender().bytes_acked()
    }

    #[getter]
    fn lost(&self) -> u64 {
        self.machine.sender().lost()
    }

    /// `None` unless RACK finds the losses.
    #[getter]
    fn reordering_window(&self) -> Option<f64> {
        self.machine.sender().reordering_window().map(Duration::as_secs_f64)
    }

    #[getter]
    fn probe_timer(&self) -> Option<f64> {
        self.machine.sender().probe_timer().map(Instant::as_secs_f64)
    }

    #[getter]
    fn dupthresh(&self) -> u32 {
        self.machine.sender().dupthresh()
    }

    /// `None` unless the recovery is RR-TCP's.
    #[getter]
    fn fa_ratio(&self) -> Option<f64> {
        self.machine.sender().fa_ratio()
    }

    /// How often each reordering length has been seen; `None` unless the recovery is RR-TCP's.
    #[getter]
    fn histogram<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let Some(lengths) = self.machine.sender().reordering_lengths() else { return Ok(None) };
        let histogram = PyDict::new(py);
        lengths.into_iter().try_for_each(|(length, count)| histogram.set_item(length, count))?;
        Ok(Some(histogram))
    }

    #[getter]
    fn phase(&self) -> &'static str {
        match self.machine.sender().phase() {
            PhaseName::SlowStart => "slow_start",
            PhaseName::CongestionAvoidance => "congestion_avoidance",
            PhaseName::FastRecovery => "fast_recovery",
        }
    }

    #[getter]
    fn rto(&self) -> f64 {
        self.machine.sender().rto().as_secs_f64()
    }

    #[getter]
    fn rttvar(&self) -> Option<f64> {
        self.machine.sender().rttvar().map(Duration::as_secs_f64)
    }

    /// `None` unless RACK finds the losses.
    #[getter]
    fn reordering_seen(&self) -> Option<bool> {
        self.machine.sender().reordering_seen()
    }

    /// The figures that the law keeps besides the window and knows, by name.
    #[getter]
    fn figures(&self) -> Vec<(&'static str, f64)> {
        self.machine.sender().law_figures()
    }

    /// What the host knows of the link by which the flow leaves it.
    #[pyo3(signature = (line_rate, header))]
    fn tell_host(&mut self, line_rate: Option<f64>, header: u32) -> PyResult<()> {
        let line_rate = line_rate.map(|bps| telemetry::rate("line_rate", bps)).transpose()?;
        self.machine.sender_mut().tell_host(&cc::Host { line_rate, header, base_rtt: None });
        Ok(())
    }

    #[getter]
    fn srtt(&self) -> Option<f64> {
        self.machine.sender().srtt().map(Duration::as_secs_f64)
    }

    /// What the sender has done so far, by the names of the table `flows`.
    #[getter]
    fn counters<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let stats = self.machine.sender().stats();
        let counters = PyDict::new(py);
        counters.set_item("segments_sent", stats.segments_sent)?;
        counters.set_item("retransmissions", stats.retransmissions)?;
        counters.set_item("fast_retransmits", stats.fast_retransmits)?;
        counters.set_item("false_fast_retransmits", stats.false_fast_retransmits)?;
        counters.set_item("timeouts", stats.timeouts)?;
        counters.set_item("false_timeouts", stats.false_timeouts)?;
        counters.set_item("ecn_reductions", stats.ecn_reductions)?;
        Ok(counters)
    }
}

impl Sender {
    /// What has left, unless a law in Python has failed.
    fn sent(&mut self) -> PyResult<Vec<Segment>> {
        self.controls = std::mem::take(&mut self.actions.controls);
        let failed = self.law.as_ref().and_then(|law| Python::attach(|py| law.failure(py)));
        let segments = self.actions.segments.drain(..);
        let sent = segments.map(|segment| (segment.seq, segment.len, segment.retransmission)).collect();
        failed.map_or(Ok(sent), Err)
    }
}

/// The law of a sender, the host whose settings it has, and who makes the law if that is a class in Python.
type Named = (Algorithm, Option<Preset>, Option<Arc<PythonMaker>>);

/// A built-in algorithm or host by its name, or a class under `@photocol.law`.
fn algorithm_or_law(given: &Bound<'_, PyAny>) -> PyResult<Named> {
    let Ok(name) = given.extract::<String>() else {
        let name: String = given.py().import("photocol.laws")?.getattr("name_of")?.call1((given,))?.extract()?;
        return Ok((Algorithm::External, None, Some(Arc::new(PythonMaker::new(&name, given)?))));
    };
    if let Some(preset) = Preset::from_name(&name) {
        return Ok((preset.algorithm(), Some(preset), None));
    }
    match algorithm_named(&name)? {
        Algorithm::External => Err(PyValueError::new_err("give the class of the law itself instead of 'python'")),
        algorithm => Ok((algorithm, None, None)),
    }
}

fn algorithm_named(name: &str) -> PyResult<Algorithm> {
    Algorithm::from_name(name).ok_or_else(|| {
        let named = cc::registry().iter().filter(|entry| entry.choice != Algorithm::External);
        let presets = tcp::presets().iter().map(|preset| preset.name);
        let names: Vec<_> = presets.chain(named.map(|entry| entry.name)).collect();
        unknown_name("algorithm", name, &names)
    })
}

fn timer_named(name: &str) -> PyResult<Timer> {
    let names = || Timer::LIST.words.iter().map(|one| one.word).collect::<Vec<_>>().join(", ");
    let unknown = || PyValueError::new_err(format!("timer is '{name}', must be one of {}", names()));
    Timer::from_word(name).ok_or_else(unknown)
}

fn burst_report(name: &str) -> PyResult<BurstReport> {
    match name {
        "assembled" => Ok(BurstReport::Assembled),
        "lost" => Ok(BurstReport::Lost),
        "contention" => Ok(BurstReport::LostToContention),
        _ => Err(PyValueError::new_err("report must be 'assembled', 'lost' or 'contention'")),
    }
}
