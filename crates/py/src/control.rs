//! Frame schedulers, demand and frames. Matrices are numpy arrays; slots and nodes count from 0, and -1 is "idle".

use crate::options::unknown_name;
use crate::xcp::rate;
use control::demand::{self, Forecast};
use control::frame::Frame;
use control::scheduler::{self, Algorithm, IDLE, Requests, registry};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use units::Duration;

/// `control::scheduler::FrameScheduler`.
#[pyclass(module = "photocol._core")]
pub struct FrameScheduler(scheduler::FrameScheduler);

#[pymethods]
impl FrameScheduler {
    #[new]
    fn new(algorithm: &str) -> PyResult<FrameScheduler> {
        let unknown = || {
            let names: Vec<_> = registry().iter().map(|entry| entry.name).collect();
            unknown_name("scheduler", algorithm, &names)
        };
        let algorithm = Algorithm::from_name(algorithm).ok_or_else(unknown)?;
        Ok(FrameScheduler(scheduler::FrameScheduler::new(algorithm)))
    }

    /// The schedule of the next frame.
    fn schedule(&mut self, py: Python<'_>, requests: PyReadonlyArray2<'_, u32>, frame: u32) -> PyResult<FrameSchedule> {
        let requests = matrix(&requests)?;
        let scheduler = &mut self.0;
        let schedule = py.detach(|| scheduler.schedule(&requests, frame)).map_err(wrong)?;
        Ok(FrameSchedule { requests, schedule })
    }

    #[getter]
    fn algorithm(&self) -> &'static str {
        self.0.algorithm().name()
    }
}

/// `control::scheduler::Schedule` with the requests it is for.
#[pyclass(module = "photocol._core", frozen)]
pub struct FrameSchedule {
    requests: Requests,
    schedule: scheduler::Schedule,
}

#[pymethods]
impl FrameSchedule {
    #[getter]
    fn nodes(&self) -> usize {
        self.schedule.nodes()
    }

    #[getter]
    fn frame(&self) -> u32 {
        self.schedule.frame()
    }

    #[getter]
    fn length(&self) -> u32 {
        self.schedule.length()
    }

    #[getter]
    fn requested(&self) -> u64 {
        self.requests.total()
    }

    #[getter]
    fn longest_line(&self) -> u64 {
        self.requests.longest_line()
    }

    #[getter]
    fn served(&self) -> u64 {
        self.schedule.served(&self.requests)
    }

    /// The first slot of each block.
    #[getter]
    fn starts<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u32>> {
        self.schedule.blocks().map(|block| block.start).collect::<Vec<_>>().into_pyarray(py)
    }

    /// The slots of each block.
    #[getter]
    fn slots<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u32>> {
        self.schedule.blocks().map(|block| block.slots).collect::<Vec<_>>().into_pyarray(py)
    }

    /// The output of each input in each block, one row a block.
    #[getter]
    fn outputs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<i32>>> {
        let output = |output: &u16| if *output == IDLE { -1 } else { i32::from(*output) };
        let outputs: Vec<i32> = self.schedule.blocks().flat_map(|block| block.outputs.iter().map(output)).collect();
        outputs.into_pyarray(py).reshape([self.schedule.blocks().len(), self.schedule.nodes()])
    }

    /// The slots in which each input is connected to each output.
    #[getter]
    fn granted<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u32>>> {
        self.schedule.granted().into_pyarray(py).reshape([self.schedule.nodes(), self.schedule.nodes()])
    }
}

/// `control::scheduler::share`.
#[pyfunction]
#[pyo3(signature = (requests, frame, turn=0, weights=None))]
pub fn share_slots<'py>(
    requests: PyReadonlyArray2<'py, u32>,
    frame: u32,
    turn: u64,
    weights: Option<PyReadonlyArray2<'py, u32>>,
) -> PyResult<Bound<'py, PyArray2<u32>>> {
    let py = requests.py();
    let requests = matrix(&requests)?;
    let weights = weights.as_ref().map(matrix).transpose()?;
    if weights.as_ref().is_some_and(|weights| weights.nodes() != requests.nodes()) {
        return Err(PyValueError::new_err("weights for another number of nodes; allowed: a weight for each request"));
    }
    let shared = py.detach(|| match &weights {
        Some(weights) => scheduler::share_weighted(&requests, frame, turn, weights),
        None => scheduler::share(&requests, frame, turn),
    });
    shared.slots().to_vec().into_pyarray(py).reshape([requests.nodes(), requests.nodes()])
}

/// `control::scheduler::Islip`.
#[pyclass(module = "photocol._core")]
pub struct Islip(scheduler::Islip);

#[pymethods]
impl Islip {
    #[new]
    fn new() -> Islip {
        Islip(scheduler::Islip::default())
    }

    /// The output of each input after each iteration of a slot, -1 for none; one row an iteration.
    fn iterations(&mut self, requests: PyReadonlyArray2<'_, u32>, most: u32) -> PyResult<Vec<Vec<i32>>> {
        let output = |output: u16| if output == IDLE { -1 } else { i32::from(output) };
        let after = self.0.iterations(&matrix(&requests)?, most);
        Ok(after.into_iter().map(|outputs| outputs.into_iter().map(output).collect()).collect())
    }

    #[getter]
    fn grant_pointers(&self) -> Vec<usize> {
        self.0.grant_pointers().to_vec()
    }

    #[getter]
    fn accept_pointers(&self) -> Vec<usize> {
        self.0.accept_pointers().to_vec()
    }
}

/// `control::frame::Frame::rate`, in bits per second.
#[pyfunction]
pub fn frame_rate(capacity: &Bound<'_, PyAny>, granted: u32, frame: u32) -> PyResult<u64> {
    if frame == 0 {
        return Err(PyValueError::new_err("a frame of 0 slots; allowed: at least 1"));
    }
    Ok(Frame { slots: frame, slot: Duration::from_ps(1) }.rate(rate(capacity)?, granted).bps())
}

/// `control::demand::Demand`.
#[pyclass(module = "photocol._core")]
pub struct Demand(demand::Demand);

#[pymethods]
impl Demand {
    #[new]
    fn new(forecast: &str, shift: u8) -> PyResult<Demand> {
        let forecast = match forecast {
            "last-frame" => Forecast::LastFrame,
            "smoothed" => Forecast::Smoothed { shift },
            "predicted" => Forecast::Predicted { shift },
            other => {
                let allowed = "'last-frame', 'smoothed', 'predicted'";
                return Err(PyValueError::new_err(format!("forecast is '{other}'; allowed: {allowed}")));
            }
        };
        Ok(Demand(demand::Demand::new(forecast)))
    }

    fn observe(&mut self, slots: u32) {
        self.0.observe(slots);
    }

    #[getter]
    fn request(&self) -> u32 {
        self.0.request()
    }
}

fn matrix(requests: &PyReadonlyArray2<'_, u32>) -> PyResult<Requests> {
    let shape = requests.shape();
    if shape[0] != shape[1] {
        let message = format!("a request matrix of {} rows has {} columns; allowed: as many", shape[0], shape[1]);
        return Err(PyValueError::new_err(message));
    }
    Requests::new(shape[0], requests.as_array().iter().copied().collect()).map_err(wrong)
}

fn wrong(error: impl std::error::Error) -> PyErr {
    PyValueError::new_err(error.to_string())
}
