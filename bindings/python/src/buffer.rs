//! Access to the bytes of Python objects without a copy.
//!
//! While a thread reads the bytes without the interpreter's lock, other threads may write them, as
//! with `hashlib` and `zlib`: the value is then that of some mixture of old and new bytes. The
//! memory stays valid: an exported buffer cannot be resized or freed.

use pyo3::exceptions::{PyBufferError, PyTypeError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyString;
use std::ffi::{CStr, c_int};
use std::marker::PhantomData;
use std::slice;

/// Smallest number of bytes for which the interpreter's lock is released.
///
/// Releasing the lock and taking it again costs tens of nanoseconds if no other thread waits for
/// it, and up to the switch interval (5 ms) otherwise. 64 KiB take 3 µs.
pub const RELEASE: usize = 64 << 10;

/// A buffer of an object, borrowed until this is dropped.
pub struct Lent<'py> {
    view: ffi::Py_buffer,
    py: PhantomData<Python<'py>>,
}

impl<'py> Lent<'py> {
    /// Returns the buffer of `object`, contiguous and in C order.
    ///
    /// # Errors
    /// `TypeError` if it has none, `BufferError` if it is not contiguous.
    pub fn of(object: &Bound<'py, PyAny>) -> PyResult<Lent<'py>> {
        // SAFETY: `object` is alive.
        if unsafe { ffi::PyByteArray_CheckExact(object.as_ptr()) } == 0 {
            // With the format, to refuse references to objects. Some arrays (of dates) cannot
            // export a format.
            if let Ok(lent) = Lent::shaped(object) {
                return if is_of_objects(lent.format()) {
                    Err(of_objects(object))
                } else {
                    Ok(lent)
                };
            }
        }
        Lent::with(object, ffi::PyBUF_SIMPLE)
    }

    /// Returns the buffer of `object` with its shape and format.
    ///
    /// # Errors
    /// As of [`Lent::of`].
    pub fn shaped(object: &Bound<'py, PyAny>) -> PyResult<Lent<'py>> {
        Lent::with(object, ffi::PyBUF_C_CONTIGUOUS | ffi::PyBUF_FORMAT)
    }

    /// Returns the writable buffer of `object`.
    ///
    /// # Errors
    /// As of [`Lent::of`], and if it is read-only.
    pub fn writable(object: &Bound<'py, PyAny>) -> PyResult<Lent<'py>> {
        Lent::with(object, ffi::PyBUF_C_CONTIGUOUS | ffi::PyBUF_FORMAT | ffi::PyBUF_WRITABLE)
    }

    #[inline]
    fn with(object: &Bound<'py, PyAny>, flags: c_int) -> PyResult<Lent<'py>> {
        let mut view = ffi::Py_buffer::new();
        // SAFETY: `object` is alive and the thread attached, as `Bound` shows; `view` is released
        // in `drop` if it was filled.
        if unsafe { ffi::PyObject_GetBuffer(object.as_ptr(), &mut view, flags) } == 0 {
            Ok(Lent { view, py: PhantomData })
        } else {
            Err(explained(object, PyErr::fetch(object.py())))
        }
    }

    /// Returns the bytes.
    #[inline]
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: the exporter says that `len` bytes are at `buf` until the view is released.
        unsafe { bytes_at(self.view.buf.cast(), self.view.len) }
    }

    /// Returns the bytes for writing. Only for a view from [`Lent::writable`].
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        if self.view.readonly != 0 || self.view.len <= 0 {
            return &mut [];
        }
        // SAFETY: as in `bytes`; and the exporter says that they may be written.
        unsafe { slice::from_raw_parts_mut(self.view.buf.cast(), self.view.len as usize) }
    }

    /// Returns the number of elements in each dimension; empty if the shape was not requested.
    pub fn shape(&self) -> &[isize] {
        if self.view.shape.is_null() {
            return &[];
        }
        // SAFETY: where there is a shape, it has `ndim` entries.
        unsafe { slice::from_raw_parts(self.view.shape, self.view.ndim as usize) }
    }

    /// Returns the size of an element in bytes.
    pub fn item(&self) -> usize {
        self.view.itemsize as usize
    }

    /// Returns the format of the elements, as in the module `struct`, without a mark of native
    /// order.
    pub fn format(&self) -> &[u8] {
        if self.view.format.is_null() {
            return b"B";
        }
        // SAFETY: a format is a string that ends in zero, and lives as long as the view.
        let format = unsafe { CStr::from_ptr(self.view.format) }.to_bytes();
        format.strip_prefix(b"@").or(format.strip_prefix(b"=")).unwrap_or(format)
    }
}

impl Drop for Lent<'_> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: the view was filled by `PyObject_GetBuffer`, and the thread is attached, as `'py`
        // shows.
        unsafe { ffi::PyBuffer_Release(&mut self.view) }
    }
}

/// Returns the `length` bytes at `start` as a slice; `start` may be null for no bytes.
///
/// # Safety
///
/// If `length` is above 0, `start` must be valid for reads of `length` bytes for all of `'a`.
unsafe fn bytes_at<'a>(start: *const u8, length: ffi::Py_ssize_t) -> &'a [u8] {
    if length <= 0 {
        return &[];
    }
    // SAFETY: guaranteed by the caller.
    unsafe { slice::from_raw_parts(start, length as usize) }
}

/// Passes the bytes of `object` to `take`.
///
/// # Errors
/// As of [`Lent::of`].
#[inline(always)]
pub fn with<'py, R>(object: &Bound<'py, PyAny>, take: impl FnOnce(&[u8]) -> R) -> PyResult<R> {
    let pointer = object.as_ptr();
    // SAFETY: `object` is alive and the thread attached. `bytes` objects do not change, so their
    // bytes can be read for as long as the object is held, which is to the end of this function.
    if unsafe { ffi::PyBytes_CheckExact(pointer) } != 0 {
        let data =
            unsafe { bytes_at(ffi::PyBytes_AsString(pointer).cast(), ffi::PyBytes_Size(pointer)) };
        return Ok(take(data));
    }
    Ok(take(Lent::of(object)?.bytes()))
}

/// Passes the bytes of `object` to `take`, from [`RELEASE`] bytes on without the interpreter's
/// lock.
///
/// # Errors
/// As of [`Lent::of`].
#[inline(always)]
pub fn compute<R: Send>(
    object: &Bound<'_, PyAny>,
    take: impl FnOnce(&[u8]) -> R + Send,
) -> PyResult<R> {
    let py = object.py();
    with(object, |data| unlocked(py, data.len(), || take(data)))
}

/// Runs `work` on this many bytes, from [`RELEASE`] bytes on without the interpreter's lock.
#[inline(always)]
pub fn unlocked<R: Send>(py: Python<'_>, bytes: usize, work: impl FnOnce() -> R + Send) -> R {
    if bytes < RELEASE { work() } else { py.detach(work) }
}

/// Returns whether elements of a format are Python objects. Names of fields are between colons.
fn is_of_objects(format: &[u8]) -> bool {
    format.split(|&byte| byte == b':').step_by(2).any(|types| types.contains(&b'O'))
}

#[cold]
fn of_objects(object: &Bound<'_, PyAny>) -> PyErr {
    let name = object.get_type().name().map_or_else(|_| "buffer".into(), |name| name.to_string());
    PyTypeError::new_err(format!(
        "this {name} holds references to objects, not their bytes: \
         convert it to numbers first, for example with array.astype(...)"
    ))
}

/// Rewords the exporter's error to say what to do.
#[cold]
fn explained(object: &Bound<'_, PyAny>, error: PyErr) -> PyErr {
    let py = object.py();
    if object.is_instance_of::<PyString>() {
        return PyTypeError::new_err(
            "expected bytes, got a str: encode it first, as in text.encode()",
        );
    }
    // memoryview raises BufferError, numpy ValueError.
    if error.is_instance_of::<PyBufferError>(py) || error.is_instance_of::<PyValueError>(py) {
        let new = PyBufferError::new_err(format!(
            "cannot read this {} in place: {}; \
             pass a C-contiguous copy, as numpy.ascontiguousarray(it) or bytes(it)",
            object.get_type().name().map_or_else(|_| "buffer".into(), |name| name.to_string()),
            error.value(py),
        ));
        new.set_cause(py, Some(error));
        return new;
    }
    error
}
