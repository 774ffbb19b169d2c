//! The compiled part of the Python package `residue`. Its public interface is declared in
//! `python/residue/_residue.pyi`.

#![deny(unsafe_code)]

mod batch;
#[allow(unsafe_code)]
mod buffer;
mod code;
mod convert;
#[allow(unsafe_code)]
mod hash;
mod kernel;
#[allow(unsafe_code)]
mod oneshot;
mod params;
mod partial;
mod pcap;
mod strength;
mod strength_jobs;
mod work;

/// The module `residue._residue`. It has no state that the interpreter's lock protects.
#[pyo3::pymodule(gil_used = false)]
mod _residue {
    use pyo3::prelude::*;

    #[pymodule_export]
    use super::batch::{_batch_each, _batch_rows, _batch_spans};
    #[pymodule_export]
    use super::code::PyCode;
    #[pymodule_export]
    use super::hash::PyHash;
    #[pymodule_export]
    use super::kernel::PyKernel;
    #[pymodule_export]
    use super::params::PyParams;
    #[pymodule_export]
    use super::partial::PyPartial;
    #[pymodule_export]
    use super::partial::concat;
    #[pymodule_export]
    use super::pcap::_pcap_verify;
    #[pymodule_export]
    use super::strength::{
        _strength_advise, _strength_compare, _strength_distance, _strength_profile,
        _strength_seconds, _strength_weights, _strength_widths,
    };
    #[pymodule_export]
    use super::strength_jobs::{
        _data_part, _data_text, _search_merge, _search_range, _search_seconds, PyDataJob,
    };

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("RELEASE", super::buffer::RELEASE)?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        super::oneshot::add(module)
    }

    /// Returns a hash object for data in pieces, like those of `hashlib`.
    #[pyfunction]
    #[pyo3(signature = (code, data = None))]
    fn new(code: &Bound<'_, PyAny>, data: Option<&Bound<'_, PyAny>>) -> PyResult<PyHash> {
        PyHash::of(PyCode::of(code)?.get().get(), data)
    }

    /// Returns an object that continues to hash after `length` bytes of data whose value is
    /// `value`.
    ///
    /// Codes of words longer than a byte (XNS, Fletcher-32) raise ValueError for data that end
    /// inside a word.
    #[pyfunction]
    fn resume(
        code: &Bound<'_, PyAny>,
        value: &Bound<'_, PyAny>,
        length: super::convert::Count<u64>,
    ) -> PyResult<PyHash> {
        PyCode::of(code)?.get().resume(value, length)
    }

    /// Returns the partial result of data, to be concatenated with others.
    #[pyfunction]
    #[pyo3(signature = (code, data = None))]
    fn partial(code: &Bound<'_, PyAny>, data: Option<&Bound<'_, PyAny>>) -> PyResult<PyPartial> {
        PyPartial::of(PyCode::of(code)?.get().get(), data)
    }

    /// Returns the value of data by a code.
    #[pyfunction]
    fn value<'py>(
        code: &Bound<'py, PyAny>,
        data: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        PyCode::of(code)?.get().value(data)
    }

    /// Returns the name of the kernel that computes a code on this CPU.
    #[pyfunction]
    fn backend(code: &Bound<'_, PyAny>) -> PyResult<&'static str> {
        Ok(PyCode::of(code)?.get().get().chosen().name)
    }

    /// Returns the error in the environment variables `RESIDUE_CPU` and `RESIDUE_PROFILE`, or None.
    #[pyfunction]
    fn _mask_error() -> Option<String> {
        residue::cpu::mask_error()
    }

    /// Returns the names of all codes, sums first.
    #[pyfunction]
    fn codes() -> Vec<&'static str> {
        residue::Code::names().collect()
    }

    /// Returns the aliases, each with the name of its code.
    #[pyfunction]
    fn aliases() -> std::collections::BTreeMap<&'static str, &'static str> {
        residue::Code::aliases().collect()
    }
}
