//! Closed-form models: their descriptions, and their answers at one point or at many.

use crate::error::ModelError;
use analytic::{Answers, Arguments, Entry, Input, Kind, Output, PointError, Value};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

/// What an input may be given as.
#[derive(FromPyObject)]
pub enum Given<'py> {
    /// As a user writes it.
    Text(String),
    /// In the input's unit.
    Number(f64),
    /// A number for each point.
    Array(PyReadonlyArray1<'py, f64>),
    /// A list.
    Row(Vec<f64>),
    /// A list of lists.
    Rows(Vec<Vec<f64>>),
}

/// All models: name, summary, source, holds, inputs, outputs.
#[pyfunction]
pub fn models(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    let descriptions = analytic::models().iter().map(|entry| described(py, entry)).collect::<PyResult<Vec<_>>>()?;
    PyList::new(py, descriptions)
}

/// Points after which a long evaluation looks for Ctrl-C.
const POINTS_AT_ONCE: usize = 64;

/// `(inputs, outputs)` as dictionaries: every input's value, and numbers and lists of numbers; where an input is an
/// array, arrays of one dimension instead, which hold the answers point by point.
#[pyfunction]
pub fn evaluate<'py>(
    py: Python<'py>,
    name: &str,
    settings: Vec<(String, Given<'py>)>,
) -> PyResult<(Bound<'py, PyDict>, Bound<'py, PyDict>)> {
    let model = analytic::find(name).map_err(|error| ModelError::new_err(error.to_string()))?;
    let many = settings.iter().any(|(_, given)| matches!(given, Given::Array(_)));
    let mut arguments = model.arguments();
    settings.iter().try_for_each(|(input, given)| set(&mut arguments, input, given))?;
    let answers = interruptibly(py, &mut arguments, |error| match many {
        true => ModelError::new_err(format!("{name}, point {}: {}", error.point, error.error)),
        false => ModelError::new_err(format!("{name}: {}", error.error)),
    })?;
    let (inputs, outputs) = (PyDict::new(py), PyDict::new(py));
    for (input, value) in model.inputs.iter().zip(arguments.values()) {
        inputs.set_item(input.name, plain(py, input, value)?)?;
    }
    for (output, answers) in model.outputs.iter().zip(answers) {
        outputs.set_item(output.name, given_back(py, answers, many)?)?;
    }
    Ok((inputs, outputs))
}

fn interruptibly(
    py: Python<'_>,
    arguments: &mut Arguments<'_>,
    told: impl Fn(PointError) -> PyErr,
) -> PyResult<Vec<Answers>> {
    let (mut answers, points) = (Vec::new(), arguments.points());
    for from in (0..points).step_by(POINTS_AT_ONCE) {
        let some = from..points.min(from + POINTS_AT_ONCE);
        py.detach(|| arguments.evaluate_some(some, &mut answers)).map_err(&told)?;
        py.check_signals()?;
    }
    Ok(answers)
}

fn set<'a>(arguments: &mut Arguments<'a>, input: &str, given: &'a Given<'_>) -> PyResult<()> {
    let done = match given {
        Given::Text(text) => arguments.set_text(input, text),
        Given::Number(number) => arguments.set(input, Value::Number(*number)),
        Given::Array(array) => arguments.vary(input, array.as_slice()?),
        Given::Row(row) => arguments.set(input, Value::Row(row.as_slice().into())),
        Given::Rows(rows) => arguments.set(input, Value::Rows(rows.as_slice().into())),
    };
    done.map_err(|error| ModelError::new_err(error.to_string()))
}

fn given_back(py: Python<'_>, answers: Answers, many: bool) -> PyResult<Bound<'_, PyAny>> {
    if many {
        return Ok(PyArray1::from_vec(py, answers.values).into_any());
    }
    match answers.width {
        None => Ok(answers.values[0].into_pyobject(py)?.into_any()),
        Some(_) => Ok(PyList::new(py, answers.values)?.into_any()),
    }
}

fn described<'py>(py: Python<'py>, entry: &'static Entry) -> PyResult<Bound<'py, PyDict>> {
    let (description, model) = (PyDict::new(py), entry.item);
    for (key, text) in
        [("name", entry.name), ("summary", entry.summary), ("source", entry.source), ("holds", model.holds)]
    {
        description.set_item(key, text)?;
    }
    let inputs = model.inputs.iter().map(|input| described_input(py, input)).collect::<PyResult<Vec<_>>>()?;
    let outputs = model.outputs.iter().map(|output| described_output(py, output)).collect::<PyResult<Vec<_>>>()?;
    description.set_item("inputs", inputs)?;
    description.set_item("outputs", outputs)?;
    Ok(description)
}

fn described_input<'py>(py: Python<'py>, input: &Input) -> PyResult<Bound<'py, PyDict>> {
    let description = PyDict::new(py);
    description.set_item("name", input.name)?;
    description.set_item("meaning", input.meaning)?;
    description.set_item("unit", input.unit())?;
    description.set_item("allowed", input.allowed())?;
    description.set_item("default", plain(py, input, &input.default())?)?;
    let (kind, choices): (&str, Vec<(&str, &str)>) = match &input.kind {
        Kind::Number { .. } => ("number", Vec::new()),
        Kind::Choice(choices) => ("choice", choices.iter().map(|choice| (choice.name, choice.meaning)).collect()),
        Kind::Row { .. } => ("row", Vec::new()),
        Kind::Rows { .. } => ("rows", Vec::new()),
    };
    description.set_item("kind", kind)?;
    description.set_item("choices", choices)?;
    Ok(description)
}

fn described_output<'py>(py: Python<'py>, output: &Output) -> PyResult<Bound<'py, PyDict>> {
    let description = PyDict::new(py);
    for (key, text) in [("name", output.name), ("unit", output.unit), ("meaning", output.meaning)] {
        description.set_item(key, text)?;
    }
    Ok(description)
}

/// A value as Python has it: a float, a word, a list, a list of lists.
fn plain<'py>(py: Python<'py>, input: &Input, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    Ok(match (value, &input.kind) {
        (Value::Choice(place), Kind::Choice(choices)) => choices[*place].name.into_pyobject(py)?.into_any(),
        (Value::Number(number), _) => number.into_pyobject(py)?.into_any(),
        (Value::Row(row), _) => PyList::new(py, row.iter())?.into_any(),
        (Value::Rows(rows), _) => PyList::new(py, rows.iter().map(Vec::as_slice))?.into_any(),
        (Value::Choice(_), _) => py.None().into_bound(py),
    })
}
