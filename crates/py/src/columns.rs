//! Tables as dictionaries of numpy arrays and lists; a few names in many rows are the list of them and an array of
//! places.

use numpy::ToPyArray;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};
use sim::results::{Column, Table};

/// `{column: array}`, in order.
pub fn table<'py>(py: Python<'py>, table: &Table) -> PyResult<Bound<'py, PyDict>> {
    // Where the crate `numpy` loads numpy itself, an exception that comes meanwhile (Ctrl-C) would be a panic.
    py.import("numpy")?;
    let columns = PyDict::new(py);
    for (name, column) in &table.columns {
        columns.set_item(name, values(py, column)?)?;
    }
    Ok(columns)
}

fn values<'py>(py: Python<'py>, column: &Column) -> PyResult<Bound<'py, PyAny>> {
    Ok(match column {
        Column::U64(values) => values.to_pyarray(py).into_any(),
        Column::F64(values) => values.to_pyarray(py).into_any(),
        Column::Bool(values) => values.to_pyarray(py).into_any(),
        Column::Text(values) => text(py, values)?.into_any(),
        Column::Names { names, rows } => (text(py, names)?, rows.to_pyarray(py)).into_pyobject(py)?.into_any(),
    })
}

/// A list of strings; neighbours that are equal share one.
fn text<'py>(py: Python<'py>, values: &[String]) -> PyResult<Bound<'py, PyList>> {
    let list = PyList::empty(py);
    let mut last: Option<(&str, Bound<'py, PyString>)> = None;
    for value in values {
        let string = match &last {
            Some((text, string)) if text == value => string.clone(),
            _ => PyString::new(py, value),
        };
        list.append(&string)?;
        last = Some((value, string));
    }
    Ok(list)
}
