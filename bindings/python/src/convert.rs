//! Numbers and errors, from Python and to it.

use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;

/// Converts an error of the library to Python's.
pub fn refused(error: residue::Error) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// Converts a value to a Python number. Most fit 64 bits, which is faster.
pub fn number(py: Python<'_>, value: u128) -> PyResult<Bound<'_, PyAny>> {
    Ok(match u64::try_from(value) {
        Ok(value) => value.into_pyobject(py)?.into_any(),
        Err(_) => value.into_pyobject(py)?.into_any(),
    })
}

/// Converts a Python number to a value of a code of this width.
///
/// # Errors
/// `ValueError` if it has more bits, or is negative.
pub fn value_of(value: &Bound<'_, PyAny>, width: u32) -> PyResult<u128> {
    match value.extract::<u128>() {
        Ok(number) if width >= 128 || number >> width == 0 => Ok(number),
        Err(error) if error.is_instance_of::<PyTypeError>(value.py()) => Err(error),
        _ => Err(PyValueError::new_err(format!(
            "{value} is not a value of this code: expected 0 to 2^{width} - 1 ({width} bits)"
        ))),
    }
}

/// A length, a count, or another number that is not negative. Negative numbers raise `ValueError`;
/// pyo3 alone would raise `OverflowError`.
#[derive(Clone, Copy)]
pub struct Count<T>(pub T);

impl<'a, 'py, T: FromPyObject<'a, 'py, Error = PyErr>> FromPyObject<'a, 'py> for Count<T> {
    type Error = PyErr;

    fn extract(number: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        T::extract(number).map(Count).map_err(|error| {
            if !error.is_instance_of::<PyOverflowError>(number.py()) {
                return error;
            }
            let bits = 8 * size_of::<T>();
            PyValueError::new_err(format!(
                "{} is out of range: give a whole number from 0 to 2^{bits} - 1",
                *number
            ))
        })
    }
}
