//! Schedules of reconfigurable switches. Demands are numpy arrays of bytes, times are picoseconds, -1 is "idle".

use crate::options::unknown_name;
use crate::xcp::rate;
use control::scheduler::IDLE;
use control::scheduler::circuits::{
    self, Algorithm, CircuitError, Coverage, DemandMatrix, Hold, Order, Readings, Remainder, Site, Stuffing, Threshold,
    registry,
};
use numpy::{IntoPyArray, PyArray2, PyArrayMethods, PyReadonlyArray2, PyUntypedArrayMethods};
use options::Words;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::collections::BTreeMap;
use units::Duration;

/// (switch, start, length, output of each input).
type Row = (usize, u64, u64, Vec<i32>);

/// `control::scheduler::circuits::CircuitSchedule`.
#[pyclass(module = "photocol._core", frozen)]
pub struct CircuitSchedule(pub circuits::CircuitSchedule);

#[pymethods]
impl CircuitSchedule {
    /// Of its holds, switch after switch; as many switches as the largest number says.
    #[staticmethod]
    fn of_holds(ports: usize, week_ps: u64, reconfiguration_ps: u64, holds: Vec<Row>) -> PyResult<CircuitSchedule> {
        // One more than there may be is refused with the rest.
        let most = ports.min(DemandMatrix::MAX_PORTS) + 1;
        let count = holds.iter().map(|row| row.0.saturating_add(1)).max().unwrap_or(1).min(most);
        let mut switches = vec![Vec::new(); count];
        for (switch, start, length, outputs) in holds {
            let output = |output: &i32| match *output {
                -1 => Ok(IDLE),
                output => u16::try_from(output).ok().filter(|output| *output != IDLE).ok_or_else(|| {
                    PyValueError::new_err(format!("switch {switch}: output {output}; allowed: -1, or a port"))
                }),
            };
            let outputs = outputs.iter().map(output).collect::<PyResult<_>>()?;
            let hold = Hold { start: Duration::from_ps(start), length: Duration::from_ps(length), outputs };
            switches[switch.min(count - 1)].push(hold);
        }
        let (week, reconfiguration) = (Duration::from_ps(week_ps), Duration::from_ps(reconfiguration_ps));
        circuits::CircuitSchedule::new(ports, week, reconfiguration, switches).map(CircuitSchedule).map_err(wrong)
    }

    #[staticmethod]
    fn from_csv(text: &str) -> PyResult<CircuitSchedule> {
        circuits::CircuitSchedule::from_csv(text).map(CircuitSchedule).map_err(wrong)
    }

    fn to_csv(&self) -> String {
        self.0.to_csv()
    }

    fn holds(&self) -> Vec<Row> {
        let output = |output: &u16| if *output == IDLE { -1 } else { i32::from(*output) };
        let row = |switch: usize, hold: &Hold| {
            (switch, hold.start.ps(), hold.length.ps(), hold.outputs.iter().map(output).collect())
        };
        let switches = self.0.switches().iter().enumerate();
        switches.flat_map(|(switch, holds)| holds.iter().map(move |hold| row(switch, hold))).collect()
    }

    #[getter]
    fn ports(&self) -> usize {
        self.0.ports()
    }

    #[getter]
    fn switches(&self) -> usize {
        self.0.switches().len()
    }

    #[getter]
    fn week_ps(&self) -> u64 {
        self.0.week().ps()
    }

    #[getter]
    fn reconfiguration_ps(&self) -> u64 {
        self.0.reconfiguration().ps()
    }

    #[getter]
    fn length_ps(&self) -> u64 {
        self.0.length().ps()
    }

    #[getter]
    fn duty(&self) -> f64 {
        self.0.duty()
    }

    /// Picoseconds a week from each port to each.
    #[getter]
    fn light<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u64>>> {
        square(py, self.0.light(), self.0.ports())
    }

    /// What it carries of a demand.
    fn coverage(
        &self,
        demand: PyReadonlyArray2<'_, u64>,
        capacity: &Bound<'_, PyAny>,
        packet_capacity: &Bound<'_, PyAny>,
    ) -> PyResult<CircuitCoverage> {
        let (demand, capacity, packet) = (matrix(&demand)?, rate(capacity)?, rate(packet_capacity)?);
        let coverage = Coverage::of(&self.0, &demand, capacity, packet).map_err(wrong)?;
        Ok(CircuitCoverage { ports: demand.ports(), coverage })
    }
}

/// `control::scheduler::circuits::Coverage`.
#[pyclass(module = "photocol._core", frozen)]
pub struct CircuitCoverage {
    ports: usize,
    coverage: Coverage,
}

#[pymethods]
impl CircuitCoverage {
    #[getter]
    fn carried<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u64>>> {
        square(py, self.coverage.carried.clone(), self.ports)
    }

    #[getter]
    fn left<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u64>>> {
        square(py, self.coverage.left.clone(), self.ports)
    }

    #[getter]
    fn packet(&self) -> u64 {
        self.coverage.packet
    }

    #[getter]
    fn share(&self) -> f64 {
        self.coverage.share
    }

    #[getter]
    fn scale(&self) -> f64 {
        self.coverage.scale
    }

    #[getter]
    fn longest_left(&self) -> u64 {
        u64::try_from(self.coverage.longest_left()).unwrap_or(u64::MAX)
    }
}

/// The schedule of a demand by a rule. The capacities are that of a circuit and that of the packet network. Times are
/// texts with a unit or seconds; `readings` are words by their names.
#[pyfunction]
#[pyo3(signature = (demand, algorithm, switches, capacities, times, readings, seed))]
pub fn circuit_schedule(
    demand: PyReadonlyArray2<'_, u64>,
    algorithm: &str,
    switches: usize,
    capacities: [Bound<'_, PyAny>; 2],
    times: BTreeMap<String, Bound<'_, PyAny>>,
    readings: BTreeMap<String, String>,
    seed: u64,
) -> PyResult<CircuitSchedule> {
    let unknown = || {
        let names: Vec<_> = registry().iter().map(|entry| entry.name).collect();
        unknown_name("rule", algorithm, &names)
    };
    let rule = Algorithm::from_name(algorithm).ok_or_else(unknown)?;
    let of = |name: &str| times.get(name).map(|value| time(name, value)).transpose();
    let site = Site {
        switches,
        capacity: rate(&capacities[0])?,
        packet_capacity: rate(&capacities[1])?,
        reconfiguration: of("reconfiguration")?.unwrap_or(Duration::ZERO),
        week: of("week")?,
        slice: of("slice")?,
    };
    let readings = Readings {
        shortest: of("shortest")?,
        threshold: word("threshold", &readings)?.unwrap_or(Threshold::PowerOfTwo),
        stuffing: word("stuffing", &readings)?.unwrap_or(Stuffing::Rows),
        remainder: word("remainder", &readings)?.unwrap_or(Remainder::Dark),
        order: word("order", &readings)?.unwrap_or(Order::Together),
        seed,
    };
    let (demand, py) = (matrix(&demand)?, demand.py());
    let planned = py.detach(|| circuits::plan(rule, &demand, &site, &readings));
    planned.map(CircuitSchedule).map_err(wrong)
}

/// A span of time: a text with a unit, or seconds.
fn time(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Duration> {
    if let Ok(text) = value.extract::<String>() {
        return units::parse_duration(&text).map_err(|why| PyValueError::new_err(format!("{name} is '{text}': {why}")));
    }
    let seconds: f64 = value.extract()?;
    let wrong = || PyValueError::new_err(format!("{name} is {seconds} s; allowed: 0 to 60 s"));
    Duration::from_secs_f64(seconds).filter(|time| *time <= Site::LONGEST).ok_or_else(wrong)
}

fn word<W: Words>(name: &str, readings: &BTreeMap<String, String>) -> PyResult<Option<W>> {
    let Some(text) = readings.get(name) else { return Ok(None) };
    let wrong = || {
        let words: Vec<_> = W::LIST.words.iter().map(|word| word.word).collect();
        PyValueError::new_err(format!("{name} is '{text}'; allowed: {}", words.join(", ")))
    };
    W::from_word(text).map(Some).ok_or_else(wrong)
}

fn square<'py>(py: Python<'py>, entries: Vec<u64>, ports: usize) -> PyResult<Bound<'py, PyArray2<u64>>> {
    entries.into_pyarray(py).reshape([ports, ports])
}

fn matrix(demand: &PyReadonlyArray2<'_, u64>) -> PyResult<DemandMatrix> {
    let shape = demand.shape();
    if shape[0] != shape[1] {
        let message = format!("a demand of {} rows has {} columns; allowed: as many", shape[0], shape[1]);
        return Err(PyValueError::new_err(message));
    }
    DemandMatrix::new(shape[0], demand.as_array().iter().copied().collect()).map_err(wrong)
}

fn wrong(error: CircuitError) -> PyErr {
    PyValueError::new_err(error.to_string())
}
