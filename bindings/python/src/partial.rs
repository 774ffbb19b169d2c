//! `residue.Partial`: the result of a part of some data.

use crate::buffer;
use crate::code::{PyCode, number, refused};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use residue::Code;
use std::sync::Arc;

/// The result of a part of some data: its code, value and length.
#[pyclass(frozen, name = "Partial", module = "residue")]
pub struct PyPartial {
    code: Arc<Code>,
    value: u128,
    length: u64,
}

impl PyPartial {
    /// Of data, or of none.
    pub fn of(code: &Arc<Code>, data: Option<&Bound<'_, PyAny>>) -> PyResult<PyPartial> {
        let (value, length) = match data {
            Some(data) => buffer::compute(data, |data| (code.value(data), data.len() as u64))?,
            None => (code.value(&[]), 0),
        };
        Ok(PyPartial { code: code.clone(), value, length })
    }

    fn joined(&self, next: &PyPartial) -> PyResult<PyPartial> {
        if self.code.name() != next.code.name() || self.code.params() != next.code.params() {
            return Err(refused(residue::Error::DifferentCodes));
        }
        let pair = ((self.value, self.length), (next.value, next.length));
        let value = self.code.combine(pair.0, pair.1).map_err(refused)?;
        let length = self.length.checked_add(next.length);
        let length = length.ok_or_else(|| PyValueError::new_err("more than 2^64 - 1 bytes"))?;
        Ok(PyPartial { code: self.code.clone(), value, length })
    }
}

#[pymethods]
impl PyPartial {
    /// The code.
    #[getter]
    fn code(&self) -> PyCode {
        PyCode::new(&self.code)
    }

    /// The value, as if the part were all of the data.
    #[getter]
    fn value<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        number(py, self.value)
    }

    /// Bytes of the part.
    #[getter]
    fn length(&self) -> u64 {
        self.length
    }

    fn __add__(&self, next: &PyPartial) -> PyResult<PyPartial> {
        self.joined(next)
    }

    fn __eq__(&self, other: &PyPartial) -> bool {
        self.code.name() == other.code.name()
            && self.code.params() == other.code.params()
            && (self.value, self.length) == (other.value, other.length)
    }

    fn __repr__(&self) -> String {
        let digits = self.code.width().div_ceil(4) as usize;
        format!(
            "<residue.Partial {} of {} bytes: {:0digits$x}>",
            self.code, self.length, self.value
        )
    }

    #[staticmethod]
    fn _restore(code: &Bound<'_, PyAny>, value: u128, length: u64) -> PyResult<PyPartial> {
        Ok(PyPartial { code: PyCode::of(code)?.get().get().clone(), value, length })
    }

    fn __reduce__<'py>(
        slf: &Bound<'py, PyPartial>,
    ) -> PyResult<(Bound<'py, PyAny>, (PyCode, u128, u64))> {
        let partial = slf.get();
        let make = slf.get_type().getattr("_restore")?;
        Ok((make, (partial.code(), partial.value, partial.length)))
    }
}

/// The partial result of parts that follow one another.
#[pyfunction]
#[pyo3(signature = (*partials))]
pub fn concat(partials: Vec<Bound<'_, PyPartial>>) -> PyResult<PyPartial> {
    let mut parts = partials.iter().map(Bound::get);
    let first = parts.next().ok_or_else(|| {
        PyTypeError::new_err("concat() needs at least one part: without any it knows no code")
    })?;
    let start = PyPartial { code: first.code.clone(), value: first.value, length: first.length };
    parts.try_fold(start, |whole, part| whole.joined(part))
}
