//! The machines of DLCC's edge and core nodes, driven by hand. Times are seconds, rates slots per second, backlogs
//! slots.

use crate::clock::reading;
use crate::reservation::duration;
use options::Words;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use sim::switching::ops::dlcc::keys::OpsAcks;
use sim::switching::ops::dlcc::negotiation::{Reservations, Verdict};
use sim::switching::ops::dlcc::ops_acks::{self, Book, Forged, Heard, Real};
use sim::switching::ops::dlcc::rate::{Part, SlotRate};
use sim::switching::ops::dlcc::reaction::{Reaction, ReactionConfig};
use sim::switching::ops::dlcc::rules::AckConfig;
use sim::switching::ops::dlcc::smoothing::{Estimate, EstimateConfig};
use std::collections::BTreeMap;
use transport::tcp::SackBlock;
use units::{Duration, Instant};

/// The most units that end in one call.
const MOST_UNITS: u64 = 10_000_000;

/// (ack, sack, ece).
type Ack = (u64, Vec<(u64, u64)>, bool);

/// `smoothing::Estimate` with its clock.
#[pyclass(module = "photocol._core")]
pub struct DlccEstimate {
    machine: Estimate,
    unit: u64,
    now: Instant,
}

#[pymethods]
impl DlccEstimate {
    #[new]
    fn new(first_rate: f64, unit_s: f64, nu_rule: &str, nu: f64, tau_s: f64) -> PyResult<DlccEstimate> {
        if !(0.0..1.0).contains(&nu) {
            return Err(PyValueError::new_err(format!("nu is {nu}; allowed: from 0 to below 1")));
        }
        let unit = positive("unit_s", unit_s)?;
        let (rule, drain) = (word("nu_rule", nu_rule)?, positive("tau_s", tau_s)?);
        let config = EstimateConfig { unit, rule, memory: Part::nearest(nu), drain };
        let machine = Estimate::new(config, slot_rate("first_rate", first_rate)?);
        Ok(DlccEstimate { machine, unit, now: Instant::ZERO })
    }

    fn on_rate(&mut self, service: f64, available: f64) -> PyResult<()> {
        self.machine.set_service(slot_rate("service", service)?, slot_rate("available", available)?);
        Ok(())
    }

    fn on_arrival(&mut self, slots: u32) {
        self.machine.handle_arrival(slots.into());
    }

    fn on_timer(&mut self, t: f64, backlog: u32) -> PyResult<()> {
        let now = reading(self.now, Some(t))?;
        if (now.ps() - self.now.ps()) / self.unit > MOST_UNITS {
            return Err(PyValueError::new_err(format!("t is {t} s: more than {MOST_UNITS} units end; allowed: fewer")));
        }
        self.now = now;
        self.machine.handle_timeout(now.ps(), backlog.into());
        Ok(())
    }

    fn take_mean(&mut self) -> Option<f64> {
        self.machine.take_mean().map(per_second)
    }

    #[getter]
    fn smoothed(&self) -> f64 {
        per_second(self.machine.smoothed())
    }

    #[getter]
    fn next_timer(&self) -> f64 {
        Instant::from_ps(self.machine.next_timeout()).as_secs_f64()
    }
}

/// `reaction::Reaction`.
#[pyclass(module = "photocol._core")]
pub struct DlccReaction {
    machine: Reaction,
}

#[pymethods]
impl DlccReaction {
    #[new]
    fn new(loss_mean: &str, floor: f64) -> PyResult<DlccReaction> {
        if !(floor > 0.0 && floor <= 1.0) {
            return Err(PyValueError::new_err(format!("floor is {floor}; allowed: above 0 and at most 1")));
        }
        let config = ReactionConfig { mean: word("loss_mean", loss_mean)?, floor: Part::nearest(floor) };
        Ok(DlccReaction { machine: Reaction::new(config) })
    }

    fn on_loss(&mut self, rate: f64, backlog: u32) -> PyResult<()> {
        self.machine.handle_loss(slot_rate("rate", rate)?, backlog.into());
        Ok(())
    }

    fn on_decision(&mut self, backlog: u32) -> bool {
        self.machine.handle_decision(backlog.into())
    }

    fn rate(&self, scheduled: f64) -> PyResult<f64> {
        Ok(per_second(self.machine.rate(slot_rate("scheduled", scheduled)?)))
    }
}

/// `negotiation::Reservations`.
#[pyclass(module = "photocol._core")]
pub struct DlccReservations {
    machine: Reservations,
}

#[pymethods]
impl DlccReservations {
    #[new]
    fn new(capacity: f64, beyond: &str, begun: BTreeMap<u32, f64>) -> PyResult<DlccReservations> {
        let rates = begun.into_iter().map(|(flow, rate)| Ok((flow, slot_rate("begun", rate)?)));
        let rates = rates.collect::<PyResult<Vec<_>>>()?;
        let machine = Reservations::new(slot_rate("capacity", capacity)?, word("beyond", beyond)?, rates);
        Ok(DlccReservations { machine })
    }

    /// The rate that it may use, and whether it was promised.
    fn ask(&mut self, flow: u32, rate: f64) -> PyResult<(f64, bool)> {
        Ok(match self.machine.ask(flow, slot_rate("rate", rate)?) {
            Verdict::Promised(rate) => (per_second(rate), true),
            Verdict::Refused(rate) => (per_second(rate), false),
        })
    }
}

/// `ops_acks::Book` with its clock.
#[pyclass(module = "photocol._core")]
pub struct DlccBook {
    machine: Book,
    now: Instant,
}

#[pymethods]
impl DlccBook {
    #[new]
    fn new(
        ops_acks: &str,
        discard: &str,
        guard: bool,
        copies: u32,
        acks_per: &str,
        times_s: (f64, f64, f64),
    ) -> PyResult<DlccBook> {
        let (record_s, soonest_report_s, report_time_s) = times_s;
        let form = word::<OpsAcks>("ops_acks", ops_acks)?.form();
        let no_form = || PyValueError::new_err("ops_acks is 'off': there is no book; allowed: another word");
        if !(1..=64).contains(&copies) {
            return Err(PyValueError::new_err(format!("artificial_acks is {copies}; allowed: from 1 to 64")));
        }
        let config = AckConfig {
            form: form.ok_or_else(no_form)?,
            discard: word("discard", discard)?,
            guarded: guard,
            named: word("acks_per", acks_per)?,
            copies,
            memory: positive("record_s", record_s)?,
            soonest_report: duration("soonest_report_s", soonest_report_s)?.ps(),
            report_time: duration("report_time_s", report_time_s)?.ps(),
        };
        Ok(DlccBook { machine: Book::new(config), now: Instant::ZERO })
    }

    fn on_data(&mut self, t: f64, seq: u64, end: u64) -> PyResult<()> {
        if end <= seq {
            return Err(PyValueError::new_err(format!("a segment of {seq} to {end}; allowed: at least 1 B")));
        }
        self.now = reading(self.now, Some(t))?;
        self.machine.handle_data(self.now.ps(), seq, end);
        Ok(())
    }

    /// What the notification was worth, and the ACKs that leave for the source.
    fn on_loss(&mut self, t: f64, seq: u64) -> PyResult<(&'static str, Vec<Ack>)> {
        self.now = reading(self.now, Some(t))?;
        let mut out = Vec::new();
        let heard = match self.machine.handle_loss(self.now.ps(), seq, &mut out) {
            Heard::New => "new",
            Heard::Unknown => "unknown",
            Heard::Repeated => "repeated",
        };
        Ok((heard, acks(&out)))
    }

    fn on_timer(&mut self, t: f64) -> PyResult<Vec<Ack>> {
        self.now = reading(self.now, Some(t))?;
        let mut out = Vec::new();
        self.machine.poll(self.now.ps(), &mut out);
        Ok(acks(&out))
    }

    /// Whether an ACK of the receiver goes on to the source.
    fn on_ack(&mut self, t: f64, ack: u64, sack: Vec<(u64, u64)>, window: Option<u64>, marks: bool) -> PyResult<bool> {
        self.now = reading(self.now, Some(t))?;
        let sack: Vec<SackBlock> = sack.into_iter().map(|(start, end)| SackBlock { start, end }).collect();
        let real = Real { ack, sack: &sack, window, marks };
        Ok(self.machine.handle_ack(self.now.ps(), &real) == ops_acks::Verdict::Pass)
    }

    #[getter]
    fn next_timer(&self) -> Option<f64> {
        let next = Some(self.machine.next_timeout()).filter(|next| *next != u64::MAX);
        next.map(|next| Instant::from_ps(next).as_secs_f64())
    }

    /// Lost segments that the source was told to forget, and whether the receiver has long asked for one.
    #[getter]
    fn holes(&self) -> (usize, bool) {
        (self.machine.orphans(), self.machine.is_stuck())
    }
}

fn acks(forged: &[Forged]) -> Vec<Ack> {
    let blocks = |ack: &Forged| ack.sack.as_slice().iter().map(|block| (block.start, block.end)).collect();
    forged.iter().map(|ack| (ack.ack, blocks(ack), ack.echo)).collect()
}

fn word<W: Words>(name: &str, text: &str) -> PyResult<W> {
    let words: Vec<_> = W::LIST.words.iter().map(|one| one.word).collect();
    let unknown = || PyValueError::new_err(format!("{name} is '{text}'; allowed: {}", words.join(", ")));
    W::from_word(text).ok_or_else(unknown)
}

fn positive(name: &str, seconds: f64) -> PyResult<u64> {
    let nothing = || PyValueError::new_err(format!("{name} is {seconds} s; allowed: above 0"));
    duration(name, seconds).map(Duration::ps).ok().filter(|ps| *ps > 0).ok_or_else(nothing)
}

/// To a thousandth of a slot per second.
fn slot_rate(name: &str, rate: f64) -> PyResult<SlotRate> {
    if !(0.0..=1e15).contains(&rate) {
        return Err(PyValueError::new_err(format!("{name} is {rate}; allowed: from 0 to 1e15 slots per second")));
    }
    Ok(SlotRate::from_count((1000.0 * rate).round() as u64))
}

fn per_second(rate: SlotRate) -> f64 {
    rate.count() as f64 / 1000.0
}
