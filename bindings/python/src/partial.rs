//! `residue.Partial`: the value and length of a part of some data, to be combined with others.

use crate::buffer;
use crate::code::PyCode;
use crate::convert::{Count, number, refused, value_of};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use residue::{Code, Partial};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// A code with the value and the length of some data. Created by `residue.partial`, `Code.partial`,
/// `Hash.partial`, or from a known value and length: `Partial(code, value, length)`.
///
/// From partials follow the values of data that is concatenated, split, extended or changed in the
/// middle, without the data. Names are those of Abseil's CRC library; `concat` is zlib's
/// crc32_combine. Partials are immutable and can be pickled.
///
/// Codes of words longer than a byte (XNS, Fletcher-32, the sums of words) raise ValueError if data
/// is appended inside a word.
#[pyclass(frozen, name = "Partial", module = "residue")]
pub struct PyPartial {
    code: Arc<Code>,
    value: u128,
    length: u64,
}

impl PyPartial {
    /// Returns the partial of `data`, or of no data.
    pub fn of(code: &Arc<Code>, data: Option<&Bound<'_, PyAny>>) -> PyResult<PyPartial> {
        let (value, length) = match data {
            Some(data) => buffer::compute(data, |data| (code.value(data), data.len() as u64))?,
            None => (code.value(&[]), 0),
        };
        Ok(PyPartial { code: code.clone(), value, length })
    }

    /// Converts a partial of the library.
    pub fn new(code: &Arc<Code>, partial: &Partial<'_>) -> PyPartial {
        PyPartial { code: code.clone(), value: partial.value(), length: partial.bytes() }
    }

    fn get(&self) -> PyResult<Partial<'_>> {
        Partial::new(&self.code, self.value, self.length).map_err(refused)
    }

    /// Applies `work` to this partial and others.
    fn from<const N: usize>(
        &self,
        others: [&PyPartial; N],
        work: impl FnOnce(Partial<'_>, [Partial<'_>; N]) -> Result<(u128, u64), residue::Error>,
    ) -> PyResult<PyPartial> {
        let mut parts = [self.get()?; N];
        for (part, other) in parts.iter_mut().zip(others) {
            *part = other.get()?;
        }
        let (value, length) = work(self.get()?, parts).map_err(refused)?;
        Ok(PyPartial { code: self.code.clone(), value, length })
    }
}

/// Returns the value and the length of a partial of the library.
fn stored(partial: Partial<'_>) -> (u128, u64) {
    (partial.value(), partial.bytes())
}

#[pymethods]
impl PyPartial {
    #[new]
    fn __new__(
        code: &Bound<'_, PyAny>,
        value: &Bound<'_, PyAny>,
        length: Count<u64>,
    ) -> PyResult<PyPartial> {
        let code = PyCode::of(code)?.get().get().clone();
        let value = value_of(value, code.width())?;
        let partial = PyPartial { code, value, length: length.0 };
        partial.get()?;
        Ok(partial)
    }

    /// Parses a partial in the format of str(partial): "crc-32/iscsi:e3069283:9".
    #[staticmethod]
    fn parse(text: &str) -> PyResult<PyPartial> {
        let (code, value, length) = residue::partial::parse(text).map_err(refused)?;
        let partial = PyPartial { code: Arc::new(code), value, length };
        partial.get()?;
        Ok(partial)
    }

    /// Code of the partial.
    #[getter]
    fn code(&self) -> PyCode {
        PyCode::new(&self.code)
    }

    /// Value of the part, as if it were all of the data.
    #[getter]
    fn value<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        number(py, self.value)
    }

    /// Length of the part in bytes.
    #[getter]
    fn length(&self) -> u64 {
        self.length
    }

    /// Returns the partial of this part followed by others.
    #[pyo3(signature = (*others))]
    fn concat(&self, others: Vec<Bound<'_, PyPartial>>) -> PyResult<PyPartial> {
        others.iter().try_fold(self.from([], |whole, []| Ok(stored(whole)))?, |whole, next| {
            whole.from([next.get()], |whole, [next]| whole.concat(&next).map(stored))
        })
    }

    /// Returns the partial of this part followed by data.
    fn extend(&self, data: &Bound<'_, PyAny>) -> PyResult<PyPartial> {
        let next = PyPartial::of(&self.code, Some(data))?;
        self.from([&next], |whole, [next]| whole.concat(&next).map(stored))
    }

    /// Returns the partial of this part followed by zero bytes, as padding or a hole in a file.
    fn extend_by_zeroes(&self, count: Count<u64>) -> PyResult<PyPartial> {
        self.from([], |whole, []| whole.extend_by_zeroes(count.0).map(stored))
    }

    /// Returns the partial of this part without a prefix: B from AB and A.
    fn remove_prefix(&self, prefix: &PyPartial) -> PyResult<PyPartial> {
        self.from([prefix], |whole, [prefix]| whole.remove_prefix(&prefix).map(stored))
    }

    /// Returns the partial of this part without a suffix: A from AB and B.
    fn remove_suffix(&self, suffix: &PyPartial) -> PyResult<PyPartial> {
        self.from([suffix], |whole, [suffix]| whole.remove_suffix(&suffix).map(stored))
    }

    /// Returns the partial of this part after the range at `offset` with the partial `old` was
    /// replaced by one of equal length with the partial `new`.
    fn replace(&self, offset: Count<u64>, old: &PyPartial, new: &PyPartial) -> PyResult<PyPartial> {
        self.from([old, new], |whole, [old, new]| whole.replace(offset.0, &old, &new).map(stored))
    }

    fn __add__(&self, next: &PyPartial) -> PyResult<PyPartial> {
        self.from([next], |whole, [next]| whole.concat(&next).map(stored))
    }

    fn __eq__(&self, other: &PyPartial) -> bool {
        self.code == other.code && (self.value, self.length) == (other.value, other.length)
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (self.value, self.length).hash(&mut hasher);
        hasher.finish()
    }

    fn __str__(&self) -> PyResult<String> {
        Ok(self.get()?.to_string())
    }

    fn __repr__(&self) -> PyResult<String> {
        Ok(format!("<residue.Partial {}>", self.get()?))
    }

    fn __reduce__<'py>(slf: &Bound<'py, PyPartial>) -> PyResult<Reduced<'py>> {
        let partial = slf.get();
        let value = number(slf.py(), partial.value)?;
        Ok((slf.get_type().into_any(), (partial.code(), value, partial.length)))
    }
}

type Reduced<'py> = (Bound<'py, PyAny>, (PyCode, Bound<'py, PyAny>, u64));

/// Returns the partial of consecutive parts.
#[pyfunction]
#[pyo3(signature = (*partials))]
pub fn concat(partials: Vec<Bound<'_, PyPartial>>) -> PyResult<PyPartial> {
    let mut partials = partials;
    if partials.is_empty() {
        return Err(PyTypeError::new_err(
            "concat() needs at least one partial: without one, the code is unknown",
        ));
    }
    partials.remove(0).get().concat(partials)
}
