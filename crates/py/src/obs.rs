//! Load-balanced burst switching, driven by hand. Times and lengths are seconds.

use crate::clock::reading;
use crate::options::{each, set, unknown_option, wrong};
use options::{Options, Words};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use sim::random::Seed;
use sim::switching::obs::by_hand::{Config, LoadMeter as Meter, Paths};
use sim::switching::obs::plan::Counting;
use units::{Duration, Instant};

/// The longest span, in seconds, and the latest time: far below what 64 bits of picoseconds hold.
const LONGEST_S: f64 = 1000.0;
const LATEST_S: f64 = 1e6;

/// `sim::switching::obs::by_hand::LoadMeter` with its τ.
#[pyclass(module = "photocol._core")]
pub struct LoadMeter {
    machine: Meter,
    interval: Duration,
    counting: Counting,
    channels: u32,
    ends: Instant,
}

#[pymethods]
impl LoadMeter {
    #[new]
    fn new(interval: f64, counting: &str, channels: u32) -> PyResult<LoadMeter> {
        let interval = span("interval", interval)?;
        if interval == Duration::ZERO || channels == 0 {
            return Err(PyValueError::new_err("interval and channels must be positive"));
        }
        let unknown = || PyValueError::new_err(format!("counting is '{counting}', must be \"arrival\" or \"clipped\""));
        let counting = Counting::from_word(counting).ok_or_else(unknown)?;
        let ends = Instant::ZERO + interval;
        Ok(LoadMeter { machine: Meter::new(interval.ps()), interval, counting, channels, ends })
    }

    /// A burst of `length` seconds comes, whose first bit is here at `t`.
    fn offer(&mut self, t: f64, length: f64) -> PyResult<()> {
        let began = Instant::from_ps(self.ends.ps() - self.interval.ps());
        let at = time(t)?;
        if at < began {
            let began = began.as_secs_f64();
            return Err(PyValueError::new_err(format!("t is {t} s, must be from {began} s (this interval) on")));
        }
        self.machine.offer(at.ps(), span("length", length)?.ps(), self.counting);
        Ok(())
    }

    /// The τ that runs ends: its load.
    fn end(&mut self) -> f64 {
        let busy = self.machine.end(self.ends.ps(), self.interval.ps());
        self.ends = self.ends + self.interval;
        busy as f64 / (self.interval.ps() as f64 * f64::from(self.channels))
    }

    #[getter]
    fn ends(&self) -> f64 {
        self.ends.as_secs_f64()
    }
}

/// `sim::switching::obs::by_hand::Paths` with its clock.
#[pyclass(module = "photocol._core")]
pub struct BurstPaths {
    machine: Paths,
    now: Instant,
}

#[pymethods]
impl BurstPaths {
    #[new]
    #[pyo3(signature = (paths, turn=0.0, seed=1, **options))]
    fn new(
        paths: Vec<(f64, f64, Vec<u32>)>,
        turn: f64,
        seed: u64,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<BurstPaths> {
        let mut config = Config::default();
        each(options, |name, value| match config.find(name) {
            Some(place) => set(&mut config, place, value),
            None => Err(unknown_option(name, config.keys().iter().map(|key| key.name))),
        })?;
        config.check_ranges().map_err(wrong)?;
        let path = |(delay, offset, links)| Ok((span("delay", delay)?.ps(), span("offset", offset)?.ps(), links));
        let paths = paths.into_iter().map(path).collect::<PyResult<Vec<_>>>()?;
        let two = |paths: Vec<_>| PyValueError::new_err(format!("there are {} paths, must be two", paths.len()));
        let paths = paths.try_into().map_err(two)?;
        let stream = Seed { seed, run: 0 }.stream("paths", "by hand");
        Ok(BurstPaths { machine: Paths::new(&config, paths, span("turn", turn)?.ps(), stream), now: Instant::ZERO })
    }

    /// A burst is complete: (path, whether it switched, hold, arrival of its first bit).
    #[pyo3(signature = (t, length, path=None))]
    fn send(&mut self, t: f64, length: f64, path: Option<usize>) -> PyResult<(usize, bool, f64, f64)> {
        let (length, path) = (span("length", length)?.ps(), path.map(one_of_two).transpose()?);
        self.now = reading(self.now, Some(time(t)?.as_secs_f64()))?;
        let sent = self.machine.send(self.now.ps(), length, path);
        let arrives = Instant::from_ps(sent.arrives).as_secs_f64();
        Ok((sent.path, sent.switched, Duration::from_ps(sent.hold).as_secs_f64(), arrives))
    }

    /// A burst that waited for a wavelength leaves.
    fn leave(&mut self, t: f64, length: f64, path: usize) -> PyResult<()> {
        let (length, path) = (span("length", length)?.ps(), one_of_two(path)?);
        self.now = reading(self.now, Some(time(t)?.as_secs_f64()))?;
        self.machine.leave(self.now.ps(), length, path);
        Ok(())
    }

    /// The load of a link is told.
    fn tell(&mut self, link: u32, load: f64) -> PyResult<()> {
        if !(0.0..=1e6).contains(&load) {
            return Err(PyValueError::new_err(format!("load is {load}, must be from 0 to 1000000")));
        }
        self.machine.tell(link, load);
        Ok(())
    }

    /// A τ has ended: whether the path changes.
    fn review(&mut self) -> bool {
        self.machine.review()
    }
}

fn one_of_two(path: usize) -> PyResult<usize> {
    let wrong = || PyValueError::new_err(format!("path is {path}, must be 0 or 1"));
    Some(path).filter(|path| *path < 2).ok_or_else(wrong)
}

fn span(name: &str, seconds: f64) -> PyResult<Duration> {
    let wrong = || PyValueError::new_err(format!("{name} is {seconds}, must be from 0 to {LONGEST_S} s"));
    Duration::from_secs_f64(seconds).filter(|span| span.as_secs_f64() <= LONGEST_S).ok_or_else(wrong)
}

fn time(t: f64) -> PyResult<Instant> {
    let wrong = || PyValueError::new_err(format!("t is {t} s, must be from 0 to {LATEST_S} s"));
    Instant::from_secs_f64(t).filter(|at| at.as_secs_f64() <= LATEST_S).ok_or_else(wrong)
}
