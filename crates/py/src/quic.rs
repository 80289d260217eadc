//! The two ends of QUIC, driven by hand. Times are seconds on an end's clock, sizes are bytes.

use crate::clock::reading;
use crate::error::QuicError;
use crate::options::{each, set, unknown_name, unknown_option, wrong};
use crate::tcp::codepoint_name;
use options::{Options, Words};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFloat};
use std::sync::Arc;
use transport::cc::{self, Algorithm};
use transport::quic::{
    self, Ack, AckOut, ByHand, Chunk, Config, EcnCounts, Mark, ReceiverConfig, Timer, TransportError,
};
use transport::tcp::{Codepoint, keys};
use units::{Duration, Instant};

/// (number, size, stream, start, length, asks for an ACK, again, probe, codepoint); the three of a stream are `None`
/// without data, of a datagram the stream alone.
type Packet = (u64, u32, Option<u32>, Option<u64>, Option<u32>, bool, bool, bool, &'static str);
/// Ranges of numbers, from the lowest to the highest of each; the highest range first.
type RangeList = Vec<(u64, u64)>;
/// Largest Acknowledged, First ACK Range, and pairs of Gap and ACK Range Length.
type Fields = (u64, u64, RangeList);
/// ECT(0), ECT(1), CE.
type Counts = (u64, u64, u64);
/// (ranges, delay, counts, bytes permitted on all streams, on each; `None` without a bound).
type AckSaid = (RangeList, f64, Option<Counts>, Option<u64>, Vec<Option<u64>>);

/// `transport::quic::Sender` with its clock.
#[pyclass(module = "photocol._core")]
pub struct QuicSender {
    machine: quic::Sender,
    out: Vec<quic::Packet>,
    now: Instant,
}

#[pymethods]
impl QuicSender {
    #[new]
    #[pyo3(signature = (algorithm, **options))]
    fn new(algorithm: &str, options: Option<&Bound<'_, PyDict>>) -> PyResult<QuicSender> {
        let mut config = Config { algorithm: law_named(algorithm)?, ..Config::default() };
        each(options, |name, value| set_option(&mut config, name, value))?;
        config.validate().map_err(wrong)?;
        Ok(QuicSender { machine: quic::Sender::new(Arc::new(config)), out: Vec::new(), now: Instant::ZERO })
    }

    /// The application writes so many bytes at `t` (by default now), on one stream or spread over all.
    #[pyo3(signature = (size, t=None, stream=None))]
    fn write(&mut self, size: u64, t: Option<f64>, stream: Option<u32>) -> PyResult<Vec<Packet>> {
        let streams = self.machine.config().streams;
        if let Some(stream) = stream.filter(|stream| *stream >= streams) {
            return Err(PyValueError::new_err(format!(
                "stream is {stream}, must be below streams, which is {streams}"
            )));
        }
        self.now = reading(self.now, t)?;
        match stream {
            Some(stream) => self.machine.write_to(self.now, stream, size, &mut self.out),
            None => self.machine.write(self.now, size, &mut self.out),
        }
        Ok(self.sent())
    }

    /// Packets leave by hand, past window and pacing.
    fn send(&mut self, t: f64, count: u32, kind: &str, size: Option<u32>) -> PyResult<Vec<Packet>> {
        let kind = match kind {
            "data" => ByHand::Eliciting,
            "padding" => ByHand::Padding,
            "ack" => ByHand::AckOnly,
            _ => return Err(PyValueError::new_err(format!("kind is '{kind}', must be 'data', 'padding' or 'ack'"))),
        };
        let most = self.machine.config().max_datagram_size;
        let size = size.unwrap_or(most);
        if !(1..=most).contains(&size) {
            return Err(PyValueError::new_err(format!("size is {size}, must be from 1 to max_datagram_size = {most}")));
        }
        self.now = reading(self.now, Some(t))?;
        for _ in 0..count {
            self.machine.send_by_hand(self.now, kind, size, &mut self.out);
        }
        Ok(self.sent())
    }

    /// So many numbers are not used.
    fn skip(&mut self, count: u32) {
        (0..count).for_each(|_| self.machine.skip(self.now));
    }

    /// An ACK arrives.
    fn on_ack(&mut self, t: f64, said: AckSaid) -> PyResult<Vec<Packet>> {
        let (ranges, delay, counts, all, each) = said;
        let waited = Duration::from_secs_f64(delay);
        let waited = waited.ok_or_else(|| PyValueError::new_err(format!("delay is {delay}, must be seconds")))?;
        let counts = counts.map(|(ect0, ect1, ce)| EcnCounts { ect0, ect1, ce });
        let ack = Ack::new(ranges).map_err(failed)?.after(waited).with_counts(counts);
        self.now = reading(self.now, Some(t))?;
        self.machine.handle_ack(self.now, &ack, &mut self.out).map_err(failed)?;
        let each: Vec<u64> = each.into_iter().map(|limit| limit.unwrap_or(u64::MAX)).collect();
        if all.is_some() || !each.is_empty() {
            self.machine.permit(self.now, all.unwrap_or(0), &each, &mut self.out);
        }
        Ok(self.sent())
    }

    /// The clock reaches `t`; a timer that is not due does nothing.
    fn on_timer(&mut self, t: f64) -> PyResult<Vec<Packet>> {
        self.now = reading(self.now, Some(t))?;
        self.machine.handle_timeout(self.now, &mut self.out);
        Ok(self.sent())
    }

    /// Nothing more is written.
    fn stop(&mut self) {
        self.machine.stop();
    }

    /// (acknowledged, lost, acknowledged after they were lost, whether it was persistent congestion), of the last call.
    #[getter]
    fn news(&self) -> (Vec<u64>, Vec<u64>, Vec<u64>, bool) {
        let news = self.machine.news();
        (news.acked.clone(), news.lost.clone(), news.spurious.clone(), news.is_persistent)
    }

    /// The timers that run, by name, each with the time when it is due.
    #[getter]
    fn timers(&self) -> Vec<(&'static str, f64)> {
        self.machine.timers().map(|(timer, due)| said_of(timer, due)).collect()
    }

    #[getter]
    fn loss_detection_timer(&self) -> Option<(&'static str, f64)> {
        self.machine.loss_detection_timer().map(|(timer, due)| said_of(timer, due))
    }

    #[getter]
    fn next_timer(&self) -> Option<f64> {
        self.machine.next_timeout().map(Instant::as_secs_f64)
    }

    /// A variable of RFC 9002's appendices A.3 and B.2, or a count, by its name.
    fn reading<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
        let (machine, rtt) = (&self.machine, self.machine.rtt());
        let seconds = |time: Duration| Some(PyFloat::new(py, time.as_secs_f64()).into_any());
        let at = |time: Option<Instant>| time.map(|time| PyFloat::new(py, time.as_secs_f64()).into_any());
        let sampled = rtt.first_sample.is_some();
        let whole = |number: u64| Ok::<_, PyErr>(Some(number.into_pyobject(py)?.into_any()));
        Ok(match name {
            "latest_rtt" => seconds(rtt.latest).filter(|_| sampled),
            "smoothed_rtt" => seconds(rtt.smoothed),
            "rttvar" => seconds(rtt.variance),
            "min_rtt" => seconds(rtt.min).filter(|_| sampled),
            "first_rtt_sample" => at(rtt.first_sample),
            "max_ack_delay" => seconds(machine.config().peer_max_ack_delay),
            "pto_count" => whole(machine.pto_count().into())?,
            "time_of_last_ack_eliciting_packet" => at(machine.last_ack_eliciting()),
            "largest_acked_packet" => machine.largest_acked().map(whole).transpose()?.flatten(),
            "loss_time" => at(machine.loss_time()),
            "ecn_ce_counters" => whole(machine.ecn_ce_counter())?,
            "bytes_in_flight" => whole(machine.bytes_in_flight())?,
            "congestion_window" => whole(machine.cwnd())?,
            "congestion_recovery_start_time" => at(machine.recovery_start()),
            "ssthresh" => Some(machine.ssthresh()).filter(|bytes| *bytes != u64::MAX).map(whole).transpose()?.flatten(),
            "max_datagram_size" => whole(machine.config().max_datagram_size.into())?,
            "next_number" => whole(machine.next_number())?,
            "bytes_acked" => whole(machine.bytes_acked())?,
            "bytes_dropped" => whole(machine.bytes_dropped())?,
            "bytes_lost" => whole(machine.bytes_lost())?,
            "packet_threshold" => whole(machine.thresholds().0.into())?,
            "time_threshold" => Some(PyFloat::new(py, machine.thresholds().1).into_any()),
            "pacing_rate" => Some(PyFloat::new(py, machine.pacing_rate().bps() as f64).into_any()),
            _ => return Err(PyValueError::new_err(format!("there is no reading '{name}'"))),
        })
    }

    #[getter]
    fn sent_packets(&self) -> Vec<u64> {
        self.machine.sent_packets().collect()
    }

    #[getter]
    fn is_complete(&self) -> bool {
        self.machine.is_complete()
    }

    #[getter]
    fn uses_ecn(&self) -> bool {
        self.machine.uses_ecn()
    }

    /// What has been counted, by name.
    #[getter]
    fn counters<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (stats, [losses, marks, collapses]) = (self.machine.stats(), self.machine.cuts());
        let counters = PyDict::new(py);
        counters.set_item("packets_sent", stats.segments_sent)?;
        counters.set_item("retransmissions", stats.retransmissions)?;
        counters.set_item("ptos", stats.timeouts)?;
        counters.set_item("loss_events", losses)?;
        counters.set_item("mark_events", marks)?;
        counters.set_item("persistent_congestions", collapses)?;
        Ok(counters)
    }

    /// The figures that the law keeps besides the window and knows, by name.
    #[getter]
    fn figures(&self) -> Vec<(&'static str, f64)> {
        self.machine.law_figures()
    }
}

impl QuicSender {
    fn sent(&mut self) -> Vec<Packet> {
        let packet = |packet: quic::Packet| {
            let chunk = packet.chunk;
            (
                packet.number,
                packet.size,
                chunk.filter(|chunk| !chunk.is_datagram()).map(|chunk| chunk.stream),
                chunk.map(|chunk| chunk.start),
                chunk.map(|chunk| chunk.length),
                packet.is_ack_eliciting,
                packet.is_again,
                packet.is_probe,
                codepoint_name(packet.codepoint),
            )
        };
        self.out.drain(..).map(packet).collect()
    }
}

/// `transport::quic::Receiver` with its clock.
#[pyclass(module = "photocol._core")]
pub struct QuicReceiver {
    machine: quic::Receiver,
    now: Instant,
}

#[pymethods]
impl QuicReceiver {
    #[new]
    #[pyo3(signature = (**options))]
    fn new(options: Option<&Bound<'_, PyDict>>) -> PyResult<QuicReceiver> {
        let mut config = ReceiverConfig::default();
        each(options, |name, value| match config.find(name) {
            Some(place) => set(&mut config, place, value),
            None => Err(unknown_option(name, config.keys().iter().map(|key| key.name))),
        })?;
        config.validate().map_err(wrong)?;
        Ok(QuicReceiver { machine: quic::Receiver::new(Arc::new(config)), now: Instant::ZERO })
    }

    /// A packet arrives; `None` while its ACK is delayed.
    fn on_packet(
        &mut self,
        t: f64,
        number: u64,
        asks: bool,
        ecn: Option<&str>,
        chunk: Option<(Option<u32>, u64, u32)>,
    ) -> PyResult<Option<AckSaid>> {
        let mark = match ecn {
            None | Some("not-ect") => Mark::Sent(Codepoint::NotEct),
            Some("ect0") => Mark::Sent(Codepoint::Ect0),
            Some("ect1") => Mark::Sent(Codepoint::Ect1),
            Some("ce") => Mark::Experienced,
            Some(other) => {
                return Err(PyValueError::new_err(format!("ecn is '{other}', must be 'ect0', 'ect1' or 'ce'")));
            }
        };
        self.now = reading(self.now, Some(t))?;
        let chunk = chunk.map(|(stream, start, length)| {
            // No stream has the number that stands for a datagram: it is above all that are permitted.
            let stream = stream.map_or(Chunk::DATAGRAM, |stream| stream.min(Chunk::DATAGRAM - 1));
            Chunk { stream, start, length }
        });
        let packet = quic::Received { number, is_ack_eliciting: asks, mark, chunk };
        Ok(self.machine.handle_packet(self.now, &packet).map_err(failed)?.map(ack_said))
    }

    /// The clock reaches `t`: the ACK that is due.
    fn on_timer(&mut self, t: f64) -> PyResult<Option<AckSaid>> {
        self.now = reading(self.now, Some(t))?;
        Ok(self.machine.handle_timeout(self.now).map(ack_said))
    }

    /// An ACK that leaves at `t`, as with data of this end's own; `None` before the first packet.
    fn ack(&mut self, t: f64) -> PyResult<Option<AckSaid>> {
        self.now = reading(self.now, Some(t))?;
        Ok(self.machine.ack(self.now).map(ack_said))
    }

    #[getter]
    fn next_timer(&self) -> Option<f64> {
        self.machine.next_timeout().map(Instant::as_secs_f64)
    }

    #[getter]
    fn bytes_read(&self) -> u64 {
        self.machine.bytes_read()
    }

    #[getter]
    fn bytes_arrived(&self) -> u64 {
        self.machine.bytes_arrived()
    }

    #[getter]
    fn duplicates(&self) -> u64 {
        self.machine.duplicates()
    }
}

/// Ranges of an ACK frame as its fields say them: Largest Acknowledged, First ACK Range, and pairs of Gap and ACK Range
/// Length.
#[pyfunction]
pub fn quic_ack_ranges(largest: u64, first: u64, more: Vec<(u64, u64)>) -> PyResult<RangeList> {
    Ok(Ack::from_fields(largest, first, &more).map_err(failed)?.ranges().to_vec())
}

/// The fields of ranges.
#[pyfunction]
pub fn quic_ack_fields(ranges: RangeList) -> PyResult<Fields> {
    Ok(Ack::new(ranges).map_err(failed)?.fields())
}

fn said_of(timer: Timer, due: Instant) -> (&'static str, f64) {
    (timer.word(), due.as_secs_f64())
}

fn ack_said(out: AckOut) -> AckSaid {
    let counts = out.ack.ecn.map(|counts| (counts.ect0, counts.ect1, counts.ce));
    let bound = |limit: u64| (limit != u64::MAX).then_some(limit);
    let each = out.max_stream_data.iter().map(|limit| bound(*limit)).collect();
    (out.ack.ranges().to_vec(), out.ack.delay.as_secs_f64(), counts, bound(out.max_data), each)
}

/// The exception for what a peer must not say.
fn failed(error: TransportError) -> PyErr {
    QuicError::new_err(error.name())
}

/// A law by the name that TCP has for it, or by that of a host.
fn law_named(name: &str) -> PyResult<Algorithm> {
    let law = match name.strip_prefix("quic-").unwrap_or(name) {
        // These names are ways of TCP's to repair losses, and Reno's law.
        "reno" | "sack" | "rr-tcp" => None,
        law => Algorithm::from_name(law),
    };
    if law.is_some_and(Algorithm::is_told) {
        return Err(PyValueError::new_err(
            "algorithm must be a law that no router tells: by hand packets have no record",
        ));
    }
    law.ok_or_else(|| {
        let names = cc::registry().iter().filter(|entry| {
            let runs = |ecn| Config { algorithm: entry.choice, ecn, ..Config::default() }.validate().is_ok();
            let is_by_hand = !matches!(entry.name, "reno" | "sack" | "rr-tcp") && !entry.choice.is_told();
            is_by_hand && (runs(true) || runs(false))
        });
        unknown_name("algorithm", name, &names.map(|entry| entry.name).collect::<Vec<_>>())
    })
}

/// An option of the connection, or of its law.
fn set_option(config: &mut Config, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
    if let Some(place) = config.find(name) {
        return set(config, place, value);
    }
    let own = config.laws.of_mut(config.algorithm);
    match own.find(name) {
        Some(place) => set(own, place, value),
        None => Err(match keys::users(name) {
            Some(users) => PyValueError::new_err(format!("{name} is for {users}")),
            None => unknown_option(name, config.keys().iter().map(|key| key.name)),
        }),
    }
}
