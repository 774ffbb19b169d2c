//! `residue.Code`: a code chosen by name or by its parameters.

use crate::buffer;
use crate::convert::{Count, number, refused, value_of};
use crate::hash::PyHash;
use crate::kernel::PyKernel;
use crate::params::PyParams;
use crate::partial::PyPartial;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyString};
use residue::code::Sum;
use residue::{Code, Partial, adler};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// An error-detection code.
///
/// `Code(name)`: a name or an alias, as `residue.codes()` and `residue.aliases()` list them (case,
/// `-` and `_` do not matter), or the parameters of a CRC in RevEng's format: "width=16 poly=1021
/// init=ffff refin=true refout=true xorout=0" (hexadecimal, except for the width). `Code(params)`:
/// a CRC from `residue.Params`.
///
/// Values are integers. A code is immutable; it can be shared between threads and pickled.
#[pyclass(frozen, name = "Code", module = "residue")]
pub struct PyCode {
    code: Arc<Code>,
}

/// The name of CRCs outside the catalogue.
const CUSTOM: &str = "custom";

/// Cache of codes by the names that were requested.
static KNOWN: PyOnceLock<Py<PyDict>> = PyOnceLock::new();

/// Largest number of names to keep: some 300 codes and a user's own parameters.
const MOST_KNOWN: usize = 1024;

impl PyCode {
    /// Returns the code that an argument denotes: a `Code`, a name or parameters.
    ///
    /// # Errors
    /// `ValueError` if there is none, `TypeError` if the argument is something else.
    pub fn of<'py>(argument: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyCode>> {
        if let Ok(code) = argument.cast::<PyCode>() {
            return Ok(code.clone());
        }
        let py = argument.py();
        if argument.is_exact_instance_of::<PyString>() {
            let known = KNOWN.get_or_init(py, || PyDict::new(py).unbind()).bind(py);
            if let Some(code) = known.get_item(argument)? {
                return Ok(code.cast_into()?);
            }
            let new = Bound::new(py, PyCode { code: Arc::new(parsed(argument)?) })?;
            if known.len() >= MOST_KNOWN {
                known.clear();
            }
            known.set_item(argument, &new)?;
            return Ok(new);
        }
        Bound::new(py, PyCode { code: Arc::new(parsed(argument)?) })
    }

    /// Wraps a code of the library.
    pub fn new(code: &Arc<Code>) -> PyCode {
        PyCode { code: code.clone() }
    }

    /// Returns the library's code.
    pub fn get(&self) -> &Arc<Code> {
        &self.code
    }

    /// Returns the text from which `Code` creates an equal code.
    pub fn text(&self) -> String {
        match self.code.params() {
            Some(params) if params.name == CUSTOM => PyParams::of(params).__str__(),
            _ => self.code.name().to_string(),
        }
    }
}

fn parsed(argument: &Bound<'_, PyAny>) -> PyResult<Code> {
    let text = if let Ok(params) = argument.cast::<PyParams>() {
        params.get().__str__()
    } else if let Ok(text) = argument.cast::<PyString>() {
        text.to_str()?.to_owned()
    } else {
        return Err(PyTypeError::new_err(format!(
            "expected a code: a str (its name, or the parameters of a CRC), residue.Params or \
             residue.Code, not {}",
            argument.get_type().name()?
        )));
    };
    text.parse().map_err(|error| match error {
        residue::Error::UnknownCode(name) => PyValueError::new_err(name.to_string()),
        error => PyValueError::new_err(format!("{text:?}: {error}")),
    })
}

#[pymethods]
impl PyCode {
    #[new]
    #[pyo3(signature = (name, /))]
    fn __new__(name: &Bound<'_, PyAny>) -> PyResult<PyCode> {
        Ok(PyCode { code: PyCode::of(name)?.get().code.clone() })
    }

    /// Returns the value of data of any length.
    pub fn value<'py>(&self, data: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        number(data.py(), buffer::compute(data, |data| self.code.value(data))?)
    }

    /// Returns the value of data, computed by the kernel of this name. For tests and comparisons:
    /// `value` uses the best kernel.
    fn value_with<'py>(
        &self,
        kernel: &str,
        data: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let value = buffer::compute(data, |data| self.code.value_with(kernel, data))?;
        let value = value.map_err(|error| PyValueError::new_err(format!("{kernel:?}: {error}")))?;
        number(data.py(), value)
    }

    /// Returns the value of data by the definition of the code, one unit at a time: the slow
    /// reference against which all kernels are tested.
    fn reference<'py>(&self, data: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        number(data.py(), buffer::compute(data, |data| self.code.reference(data))?)
    }

    /// Returns the value of two concatenated pieces of data, from the value of each and the length
    /// of the second in bytes.
    ///
    /// Sums of words also need the length of the first (`length1`), as the second may begin inside
    /// a word; raises ValueError if it does and the values are not sufficient. `Partial` keeps the
    /// lengths.
    #[pyo3(signature = (value1, value2, length2, length1 = None))]
    fn combine<'py>(
        &self,
        value1: &Bound<'py, PyAny>,
        value2: &Bound<'py, PyAny>,
        length2: Count<u64>,
        length1: Option<Count<u64>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let width = self.code.width();
        let (first, second) = (value_of(value1, width)?, value_of(value2, width)?);
        let value = match (&*self.code, length1) {
            (Code::Crc(crc), _) => crc.combine(first, second, length2.0),
            (Code::Sum(Sum::Adler32), _) => {
                adler::combine(first as u32, second as u32, length2.0).into()
            }
            (code, Some(Count(length1))) => {
                let first = Partial::new(code, first, length1).map_err(refused)?;
                let second = Partial::new(code, second, length2.0).map_err(refused)?;
                first.concat(&second).map_err(refused)?.value()
            }
            (code, None) => {
                return Err(PyTypeError::new_err(format!(
                    "combine() needs length1 for {code}, the length of the first piece in bytes: \
                     the second may begin inside a word"
                )));
            }
        };
        number(value1.py(), value)
    }

    /// Returns the new value of `length` bytes of data with this value after the bytes `old` at
    /// `offset` were replaced by `new`. Does not need the rest of the data.
    fn update_value<'py>(
        &self,
        value: &Bound<'py, PyAny>,
        length: Count<u64>,
        offset: Count<u64>,
        old: &Bound<'py, PyAny>,
        new: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (py, length, offset) = (value.py(), length.0, offset.0);
        let before = value_of(value, self.code.width())?;
        let whole = Partial::new(&self.code, before, length).map_err(refused)?;
        let after = buffer::with(old, |old| {
            buffer::with(new, |new| {
                if old.len() != new.len() {
                    let [old, new] = [old, new].map(|data| data.len() as u64);
                    return Err(refused(residue::Error::LengthsDiffer { old, new }));
                }
                let work = || self.code.update(whole.value(), length, offset, old, new);
                buffer::unlocked(py, old.len(), work).ok_or_else(|| {
                    let count = old.len() as u64;
                    let bytes = length;
                    refused(residue::Error::RangeOutside { offset, length: count, bytes })
                })
            })
        })???;
        number(py, after)
    }

    /// Returns a hash object for data in pieces, like those of `hashlib`.
    #[pyo3(signature = (data = None))]
    #[pyo3(name = "new")]
    fn hash(&self, data: Option<&Bound<'_, PyAny>>) -> PyResult<PyHash> {
        PyHash::of(&self.code, data)
    }

    /// Returns an object that continues to hash after `length` bytes of data whose value is
    /// `value`.
    pub fn resume(&self, value: &Bound<'_, PyAny>, length: Count<u64>) -> PyResult<PyHash> {
        PyHash::resume(&self.code, value_of(value, self.code.width())?, length.0)
    }

    /// Returns the partial result of data, to be concatenated with others.
    #[pyo3(signature = (data = None))]
    fn partial(&self, data: Option<&Bound<'_, PyAny>>) -> PyResult<PyPartial> {
        PyPartial::of(&self.code, data)
    }

    /// The code's name, in lower case; "custom" for a CRC outside the catalogue.
    #[getter]
    fn name(&self) -> &'static str {
        self.code.name()
    }

    /// Width of the value in bits.
    #[getter]
    fn width(&self) -> u32 {
        self.code.width()
    }

    /// Width of the value in bytes, rounded up.
    #[getter]
    fn digest_size(&self) -> u32 {
        self.code.width().div_ceil(8)
    }

    /// Description of a code that is not a CRC; None for CRCs, which their parameters define.
    #[getter]
    fn about(&self) -> Option<&'static str> {
        self.code.about()
    }

    /// Parameters of a CRC; None for sums.
    #[getter]
    fn params(&self) -> Option<PyParams> {
        self.code.params().map(PyParams::of)
    }

    /// Whether the value is sent lowest byte first (reflected CRCs).
    #[getter]
    fn little_endian(&self) -> bool {
        self.code.little_endian()
    }

    /// The kernels of the code, best first, including those of other CPUs.
    #[getter]
    fn kernels(&self) -> Vec<PyKernel> {
        self.code.kernels().map(PyKernel::of).collect()
    }

    /// Name of the kernel that runs on this CPU.
    #[getter]
    fn backend(&self) -> &'static str {
        self.code.chosen().name
    }

    fn __eq__(&self, other: &PyCode) -> bool {
        self.code == other.code
    }

    fn __hash__(&self) -> u64 {
        // Equal codes may have different names, but check values and widths are the same.
        let mut hasher = DefaultHasher::new();
        (self.code.width(), self.code.value(b"123456789")).hash(&mut hasher);
        hasher.finish()
    }

    fn __repr__(&self) -> String {
        format!("residue.Code({:?})", self.text())
    }

    fn __str__(&self) -> String {
        self.text()
    }

    fn __reduce__<'py>(slf: &Bound<'py, PyCode>) -> (Bound<'py, PyAny>, (String,)) {
        (slf.get_type().into_any(), (slf.get().text(),))
    }
}
