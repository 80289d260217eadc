//! The estimate of T_d and of its drift: a Kalman filter of two states.
//!
//! Between samples T_d grows by its drift, which wanders. A sample is trusted by how late it may be: of an exchange
//! both ways by half of what its round trip has above the shortest, of a single way by what it lies above the estimate,
//! since queues and schedulers only add delay. When many samples in a row lie on one side, further than samples usually
//! do, the path or the clock has changed, and the filter starts again. It does so, too, when few samples have come and
//! most of them contradict the first: if that was late, its lateness looks like drift, and what lies above a line that
//! falls looks late for long.
//!
//! No sample is early. One far below the estimate of a single way, or with a round trip far shorter than all before,
//! says that the estimate came from late ones: its offset and its drift are doubted. Lateness shifts all samples alike,
//! so the stated error has two parts: what the filter knows by counting samples, and how far those lie apart
//! (`scatter`).

use super::regression::{Line, Recent};
use super::sample::Sample;
use super::scatter::Scatter;
use units::{Duration, Instant, PS_PER_SECOND};

/// What is known of clocks and stamps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FilterConfig {
    /// The standard error of a stamp that nothing delayed.
    pub stamp_error: Duration,
    /// The largest drift there may be at the start, as a ratio.
    pub largest_drift: f64,
    /// How much the drift wanders in a second, as a ratio.
    pub wander: f64,
    /// This many samples in a row that lie on one side are a change of path or clock. A queue that is busy for longer
    /// looks the same.
    pub change_after: u32,
}

impl Default for FilterConfig {
    /// Software stamps and quartz clocks.
    fn default() -> FilterConfig {
        FilterConfig { stamp_error: Duration::from_ps(200_000), largest_drift: 2e-4, wander: 1e-8, change_after: 32 }
    }
}

/// What became of a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heard {
    /// It entered the estimate.
    Taken,
    /// It is older than one that has entered.
    Stale,
    /// After a row of samples that contradict what came before, the filter has started again from it.
    Restarted,
}

/// T_d at an instant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// T_d, in picoseconds.
    pub difference: i64,
    /// Its change, as a ratio to the sender's time.
    pub drift: f64,
    /// The standard error of `difference`, in picoseconds: twice that covers the truth at 98 of 100 instants, also
    /// where samples wait in queues, as long as no queue is busy for [`FilterConfig::change_after`] samples in a row.
    pub error: f64,
}

/// The filter.
#[derive(Clone, Debug)]
pub struct ClockFilter {
    config: FilterConfig,
    state: Option<State>,
    recent: Recent,
    scatter: Scatter,
    /// The time since which drift may have added up unseen: it follows the samples that were earlier than expected.
    since: Instant,
    /// Samples since the start, and how many of them lay far above the estimate in a row.
    age: u64,
    above: u64,
    /// Samples in a row on one side: above if positive.
    row: i64,
    /// How far above the estimate samples usually lie, in picoseconds: a running mean.
    lateness: f64,
    restarts: u64,
}

/// Offset in ps above `base`, drift in ps per second; covariances of the same.
#[derive(Clone, Copy, Debug)]
struct State {
    at: Instant,
    base: i64,
    offset: f64,
    drift: f64,
    variance: f64,
    covariance: f64,
    drift_variance: f64,
    shortest: u64,
}

const PS: f64 = PS_PER_SECOND as f64;
/// From this number of standard errors on a sample counts as being on one side.
const FAR: f64 = 5.0;
/// This many samples in a row that lie far above, and are more than half of all, contradict the first ones.
const EARLY: u64 = 4;
/// After a doubt, drift may have added up since this part of the time later.
const SINCE: u64 = 8;
/// The weight of a sample in the mean lateness.
const LATENESS_WEIGHT: f64 = 1.0 / 64.0;

impl ClockFilter {
    /// A filter that knows nothing.
    pub fn new(config: FilterConfig) -> ClockFilter {
        ClockFilter {
            config,
            state: None,
            recent: Recent::default(),
            scatter: Scatter::default(),
            since: Instant::ZERO,
            age: 0,
            above: 0,
            row: 0,
            lateness: 0.0,
            restarts: 0,
        }
    }

    /// A measurement came.
    pub fn observe(&mut self, sample: Sample) -> Heard {
        let Some(state) = self.state else {
            self.start(sample);
            return Heard::Taken;
        };
        if sample.at < state.at {
            return Heard::Stale;
        }
        let mut state = state.predicted(sample.at, self.config.wander);
        let innovation = (i128::from(sample.difference) - i128::from(state.base)) as f64 - state.offset;
        if self.began_wrongly(innovation, &state) {
            self.start(sample);
            return Heard::Restarted;
        }
        if self.has_changed(innovation, &state, sample) {
            self.restarts += 1;
            self.recent = Recent::default();
            self.start(sample);
            return Heard::Restarted;
        }
        self.doubt_late_samples(innovation, &mut state, sample);
        let late = lateness(innovation, &mut state, sample);
        let variance = self.stamp_variance() + late * late;
        self.scatter.note(innovation, late, self.stamp_variance() / variance);
        state.correct(innovation, variance);
        self.state = Some(state);
        self.recent.push(sample);
        Heard::Taken
    }

    fn start(&mut self, sample: Sample) {
        let drift = self.config.largest_drift * PS;
        (self.age, self.above, self.row, self.lateness) = (1, 0, 0, 0.0);
        (self.scatter, self.since) = (Scatter::default(), sample.at);
        self.recent.push(sample);
        self.state = Some(State {
            at: sample.at,
            base: sample.difference,
            offset: 0.0,
            drift: 0.0,
            variance: self.stamp_variance(),
            covariance: 0.0,
            drift_variance: drift * drift,
            shortest: sample.round_trip.unwrap_or(u64::MAX),
        });
    }

    /// A sample that is earlier than expected says that those before it were late.
    fn doubt_late_samples(&mut self, innovation: f64, state: &mut State, sample: Sample) {
        let early = match sample.round_trip {
            Some(trip) => state.shortest.saturating_sub(trip) as f64 / 2.0,
            None => -innovation,
        };
        if early <= FAR * self.error(state) {
            return;
        }
        let span = sample.at.saturating_since(self.since);
        let drift = early / (span.ps() as f64 / PS).max(f64::MIN_POSITIVE);
        state.doubt(early, drift, self.config.largest_drift * PS);
        self.since = self.since + span / SINCE;
    }

    /// Whether most samples, this one included, contradict the first ones.
    fn began_wrongly(&mut self, innovation: f64, state: &State) -> bool {
        self.age += 1;
        self.above = if innovation > FAR * self.error(state) { self.above + 1 } else { 0 };
        self.above >= EARLY && self.above * 2 > self.age
    }

    /// Whether the last samples, this one included, cannot be noise.
    fn has_changed(&mut self, innovation: f64, state: &State, sample: Sample) -> bool {
        let error = self.error(state);
        // What a round trip explains is no change.
        let explained = sample.round_trip.map_or(0.0, |trip| trip.saturating_sub(state.shortest) as f64 / 2.0);
        self.row = match innovation {
            above if above > FAR * error + self.lateness + explained => self.row.max(0) + 1,
            below if below < -FAR * error - explained => self.row.min(0) - 1,
            _ => 0,
        };
        // A spike, or the first samples after a change, count as what is still usual.
        let late = innovation.clamp(0.0, FAR * (error + self.lateness));
        self.lateness += LATENESS_WEIGHT * (late - self.lateness);
        self.row.unsigned_abs() >= u64::from(self.config.change_after)
    }

    /// The standard error of what a sample that nothing delayed is expected to be.
    fn error(&self, state: &State) -> f64 {
        (state.variance + self.stamp_variance()).sqrt()
    }

    fn stamp_variance(&self) -> f64 {
        let error = self.config.stamp_error.ps().max(1) as f64;
        error * error
    }

    /// T_d for what leaves at `at`; nothing before the first sample.
    pub fn estimate(&self, at: Instant) -> Option<Estimate> {
        let state = self.state?.predicted(at, self.config.wander);
        let difference = i128::from(state.base) + state.offset.round() as i128;
        Some(Estimate {
            difference: difference.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64,
            drift: state.drift / PS,
            error: (state.variance + self.scatter.variance()).sqrt(),
        })
    }

    /// When light must leave, by the sender's clock, to arrive at `arrival` of the other: T − T_d (3.5), with T_d at
    /// that instant. Nothing before the first sample, or if it ought to have left before the clock's zero.
    pub fn send_time(&self, arrival: Instant) -> Option<Instant> {
        let state = self.state?;
        // t + base + offset + drift · (t − at) = arrival, solved for t − at.
        let gap = i128::from(arrival.ps()) - i128::from(state.base) - i128::from(state.at.ps());
        let after = (gap as f64 - state.offset) / (1.0 + state.drift / PS);
        let left = i128::from(state.at.ps()) + after.round() as i128;
        u64::try_from(left).ok().map(Instant::from_ps)
    }

    /// When light that leaves at `sent` arrives, by the other clock.
    pub fn arrival(&self, sent: Instant) -> Option<Instant> {
        let there = i128::from(sent.ps()) + i128::from(self.estimate(sent)?.difference);
        u64::try_from(there).ok().map(Instant::from_ps)
    }

    /// The straight line through the best of the last samples: the cross-check.
    pub fn line(&self) -> Option<Line> {
        self.recent.line()
    }

    /// How often the path or a clock has changed.
    pub fn restarts(&self) -> u64 {
        self.restarts
    }

    /// When the last sample was taken that counts.
    pub fn last(&self) -> Option<Instant> {
        self.state.map(|state| state.at)
    }
}

impl State {
    /// The state at `at`, before or after: drift, wander and what they do to the errors.
    fn predicted(mut self, at: Instant, wander: f64) -> State {
        let seconds = (i128::from(at.ps()) - i128::from(self.at.ps())) as f64 / PS;
        let span = seconds.abs();
        let noise = (wander * PS).powi(2);
        self.offset += self.drift * seconds;
        self.variance += seconds * (2.0 * self.covariance + seconds * self.drift_variance) + noise * span.powi(3) / 3.0;
        self.covariance += seconds * self.drift_variance + noise * seconds * span / 2.0;
        self.drift_variance += noise * span;
        self.at = at;
        self
    }

    /// The estimate came from samples that were late by `early` more: so far may it be off, and its drift by `drift`.
    /// The offset is no longer thought to come from drift.
    fn doubt(&mut self, early: f64, drift: f64, largest: f64) {
        self.variance += early * early;
        self.covariance = 0.0;
        self.drift_variance = self.drift_variance.max((self.drift_variance + drift * drift).min(largest * largest));
    }

    fn correct(&mut self, innovation: f64, variance: f64) {
        let total = self.variance + variance;
        let (gain, drift_gain) = (self.variance / total, self.covariance / total);
        self.offset += gain * innovation;
        self.drift += drift_gain * innovation;
        self.drift_variance -= drift_gain * self.covariance;
        self.covariance -= gain * self.covariance;
        self.variance -= gain * self.variance;
    }
}

/// How late a sample may be, in picoseconds: by half of what its round trip has above the shortest, or by what a single
/// way has above the estimate.
fn lateness(innovation: f64, state: &mut State, sample: Sample) -> f64 {
    match sample.round_trip {
        Some(trip) => {
            state.shortest = state.shortest.min(trip);
            (trip - state.shortest) as f64 / 2.0
        }
        None => (innovation - state.variance.sqrt()).max(0.0),
    }
}
