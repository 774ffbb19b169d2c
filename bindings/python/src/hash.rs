//! `residue.Hash`: values of data in pieces, in the style of `hashlib`.

use crate::buffer;
use crate::code::PyCode;
use crate::convert::{number, refused};
use crate::partial::PyPartial;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::PyBytes;
use residue::{Code, Stream};
use std::convert::Infallible;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A stream and its code.
#[derive(Clone)]
struct Owned {
    /// Borrows from `code`, and is dropped before it.
    stream: Stream<'static>,
    code: Arc<Code>,
}

impl Owned {
    fn new(code: &Arc<Code>) -> Owned {
        let Ok(owned) = Owned::of(code, |code| Ok::<_, Infallible>(code.stream()));
        owned
    }

    /// Takes a stream of the code from `make`.
    fn of<E>(
        code: &Arc<Code>,
        make: impl for<'a> FnOnce(&'a Code) -> Result<Stream<'a>, E>,
    ) -> Result<Owned, E> {
        let code = code.clone();
        // SAFETY: the code is in an allocation of its own, which nothing changes or moves while
        // `code` holds it, and `code` is dropped after the stream. The stream never leaves this
        // type.
        let stream = unsafe { std::mem::transmute::<Stream<'_>, Stream<'static>>(make(&code)?) };
        Ok(Owned { stream, code })
    }
}

/// A hash object for data in pieces, in the style of `hashlib`. Created by `residue.new` and
/// `Code.new`.
///
/// Threads may share an object: each piece is added as a whole, in the order of the calls.
#[pyclass(frozen, name = "Hash", module = "residue")]
pub struct PyHash {
    state: Mutex<Owned>,
}

impl PyHash {
    /// Returns a hash object of `data`, if given, or of no data.
    pub fn of(code: &Arc<Code>, data: Option<&Bound<'_, PyAny>>) -> PyResult<PyHash> {
        let hash = PyHash { state: Mutex::new(Owned::new(code)) };
        if let Some(data) = data {
            hash.update(data)?;
        }
        Ok(hash)
    }

    /// Returns a hash object that continues after `length` bytes of data with the value `value`.
    pub fn resume(code: &Arc<Code>, value: u128, length: u64) -> PyResult<PyHash> {
        let owned = Owned::of(code, |code| code.resume(value, length)).map_err(refused)?;
        Ok(PyHash { state: Mutex::new(owned) })
    }

    /// Locks the stream. Releases the interpreter's lock while it waits for other threads, which
    /// may need that lock.
    fn state(&self, py: Python<'_>) -> MutexGuard<'_, Owned> {
        self.state.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner)
    }

    fn bytes(&self, py: Python<'_>) -> ([u8; 16], usize) {
        let state = self.state(py);
        let size = state.code.width().div_ceil(8) as usize;
        (state.stream.value().to_be_bytes(), size)
    }
}

#[pymethods]
impl PyHash {
    /// Adds the next bytes.
    fn update(&self, data: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = data.py();
        buffer::with(data, |data| {
            let mut guard = self.state(py);
            let state: &mut Owned = &mut guard;
            buffer::unlocked(py, data.len(), || state.stream.update(data));
        })
    }

    /// Returns the value so far as bytes, highest first.
    fn digest<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let (bytes, size) = self.bytes(py);
        PyBytes::new(py, &bytes[16 - size..])
    }

    /// Returns the value so far in hexadecimal, two digits per byte.
    fn hexdigest(&self, py: Python<'_>) -> String {
        let (bytes, size) = self.bytes(py);
        bytes[16 - size..].iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// The value so far.
    #[getter]
    fn value<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let value = self.state(py).stream.value();
        number(py, value)
    }

    /// Returns the partial result so far, to be concatenated with others.
    fn partial(&self, py: Python<'_>) -> PyPartial {
        let state = self.state(py);
        PyPartial::new(&state.code, &state.stream.partial())
    }

    /// Number of bytes added so far.
    #[getter]
    fn length(&self, py: Python<'_>) -> u64 {
        self.state(py).stream.bytes()
    }

    /// Returns an independent copy.
    fn copy(&self, py: Python<'_>) -> PyHash {
        PyHash { state: Mutex::new(self.state(py).clone()) }
    }

    fn __copy__(&self, py: Python<'_>) -> PyHash {
        self.copy(py)
    }

    fn __deepcopy__(&self, memo: &Bound<'_, PyAny>) -> PyHash {
        self.copy(memo.py())
    }

    /// Code of the hash.
    #[getter]
    fn code(&self, py: Python<'_>) -> PyCode {
        PyCode::new(&self.state(py).code)
    }

    /// Name of the code.
    #[getter]
    fn name(&self, py: Python<'_>) -> &'static str {
        self.state(py).code.name()
    }

    /// Width of the value in bytes, rounded up.
    #[getter]
    fn digest_size(&self, py: Python<'_>) -> usize {
        self.bytes(py).1
    }

    // Programs read files in multiples of the block size: with 1, they would be slow.
    /// Size of a block, 64. The codes themselves have no blocks.
    #[getter]
    fn block_size(&self) -> u32 {
        64
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(PyTypeError::new_err(
            "a Hash cannot be pickled, like those of hashlib: pickle hash.partial() instead",
        ))
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let state = self.state(py);
        format!("<residue.Hash {} of {} bytes>", state.code, state.stream.bytes())
    }
}
