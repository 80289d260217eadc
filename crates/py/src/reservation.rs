//! The wavelengths of an output fibre of a burst switch, booked one burst at a time. Times are seconds.

use crate::clock::reading;
use crate::options::unknown_name;
use crate::xcp::rate;
use control::reservation::{
    Algorithm, Arriving, Booking, Conversion, DelayLines, FibreConfig, Refusal, Signalling, registry,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use units::{ByteTime, Duration, Instant, Rate};

/// (wavelength, held for, first bit leaves, lasts), or why there is none.
#[derive(IntoPyObject)]
pub enum Answer {
    Booked((u16, f64, f64, f64)),
    Refused(&'static str),
}

/// `control::reservation::Fibre` with its clock and the capacity of a wavelength.
#[pyclass(module = "photocol._core")]
pub struct Fibre {
    machine: control::reservation::Fibre,
    capacity: Rate,
    byte: ByteTime,
    now: Instant,
}

#[pymethods]
impl Fibre {
    #[new]
    #[allow(clippy::too_many_arguments, reason = "the keywords of the Python class, one by one")]
    fn new(
        wavelengths: u16,
        capacity: &Bound<'_, PyAny>,
        rule: &str,
        signalling: &str,
        conversion: Option<u16>,
        lines: (f64, u32),
        switching_s: f64,
        guard_s: f64,
    ) -> PyResult<Fibre> {
        if wavelengths == 0 {
            return Err(PyValueError::new_err("a fibre of 0 wavelengths; allowed: at least 1"));
        }
        let (capacity, byte) = byte_time(rate(capacity)?)?;
        let config = FibreConfig {
            channels: wavelengths,
            algorithm: Algorithm::from_name(rule).ok_or_else(|| unknown(rule))?,
            signalling: match signalling {
                "jet" => Signalling::Jet,
                "jit" => Signalling::Jit,
                other => {
                    return Err(PyValueError::new_err(format!("signalling is '{other}'; allowed: 'jet', 'jit'")));
                }
            },
            conversion: match conversion {
                None => Conversion::Full,
                Some(0) => Conversion::None,
                Some(range) => Conversion::Limited(range),
            },
            lines: DelayLines { unit: duration("line_s", lines.0)?, count: lines.1 },
            switching: duration("switching_s", switching_s)?,
            guard: duration("guard_s", guard_s)?,
        };
        Ok(Fibre { machine: control::reservation::Fibre::new(config), capacity, byte, now: Instant::ZERO })
    }

    /// Bursts from now on last as at this rate.
    fn set_capacity(&mut self, capacity: &Bound<'_, PyAny>) -> PyResult<()> {
        (self.capacity, self.byte) = byte_time(rate(capacity)?)?;
        Ok(())
    }

    #[getter]
    fn capacity(&self) -> u64 {
        self.capacity.bps()
    }

    /// A header has been processed at `t`: its burst arrives at `at` on `wavelength`, or has none yet.
    fn reserve(&mut self, t: f64, at: f64, size: u32, wavelength: Option<u16>) -> PyResult<Answer> {
        if size == 0 {
            return Err(PyValueError::new_err("a burst of 0 B; allowed: at least 1"));
        }
        let at = reading(Instant::ZERO, Some(at))?;
        self.now = reading(self.now, Some(t))?;
        let length = self.byte.of(size);
        let booked = match wavelength {
            Some(wavelength) => self.machine.reserve(self.now, &Arriving { at, length, wavelength }),
            None => self.machine.reserve_new(self.now, at, length),
        };
        Ok(match booked {
            Ok(Booking { channel, delay, at, length }) => {
                Answer::Booked((channel, delay.as_secs_f64(), at.as_secs_f64(), length.as_secs_f64()))
            }
            Err(Refusal::Late) => Answer::Refused("late"),
            Err(Refusal::Contention) => Answer::Refused("contention"),
        })
    }

    /// Where the last reservation of each wavelength ends.
    #[getter]
    fn horizons(&self) -> Vec<f64> {
        let table = self.machine.table();
        (0..table.channels()).map(|channel| Instant::from_ps(table.horizon(channel)).as_secs_f64()).collect()
    }
}

fn byte_time(capacity: Rate) -> PyResult<(Rate, ByteTime)> {
    let nothing = || PyValueError::new_err("a capacity of 0 b/s; allowed: above 0");
    Ok((capacity, ByteTime::at(capacity).ok_or_else(nothing)?))
}

pub fn duration(name: &str, seconds: f64) -> PyResult<Duration> {
    let wrong = || PyValueError::new_err(format!("{name} is {seconds} s; allowed: 0 or more"));
    Duration::from_secs_f64(seconds).ok_or_else(wrong)
}

fn unknown(rule: &str) -> PyErr {
    let names: Vec<_> = registry().iter().map(|entry| entry.name).collect();
    unknown_name("rule", rule, &names)
}
