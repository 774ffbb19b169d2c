//! `residue.Params`: the parameters that define a CRC.

use crate::convert::Count;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use residue::crc::Params;

/// The parameters that define a CRC, in the Rocksoft model and the RevEng catalogue.
///
/// `poly` is in "normal" notation, without the top term: bit i is the coefficient of x^i. `init` is
/// not reflected. `check` is the value of b"123456789", `residue` the register after a message and
/// its value; both follow from the other parameters.
#[pyclass(frozen, get_all, eq, hash, name = "Params", module = "residue")]
#[derive(PartialEq, Eq, Hash)]
pub struct PyParams {
    /// Width of the value in bits, 1 to 128.
    width: u8,
    /// Generator polynomial without its top term.
    poly: u128,
    /// Initial value of the register.
    init: u128,
    /// Whether the lowest bit of each byte comes first.
    refin: bool,
    /// Whether the register's bits are reversed at the end.
    refout: bool,
    /// Constant that is XORed into the value at the end.
    xorout: u128,
    /// Check value: the value of b"123456789".
    check: u128,
    /// Register, reversed if `refout`, after a message and its value.
    residue: u128,
    /// Name in the catalogue, or "custom".
    name: String,
}

impl PyParams {
    /// Converts the library's parameters.
    pub fn of(params: &Params) -> PyParams {
        let &Params { name, width, poly, init, refin, refout, xorout, check, residue } = params;
        PyParams { width, poly, init, refin, refout, xorout, check, residue, name: name.into() }
    }
}

#[pymethods]
impl PyParams {
    #[new]
    #[pyo3(
        signature = (
            width, poly, init = Count(0), refin = false, refout = false, xorout = Count(0)
        ),
        text_signature = "(width, poly, init=0, refin=False, refout=False, xorout=0)"
    )]
    fn __new__(
        width: Count<u32>,
        poly: Count<u128>,
        init: Count<u128>,
        refin: bool,
        refout: bool,
        xorout: Count<u128>,
    ) -> PyResult<PyParams> {
        let narrow = u8::try_from(width.0).map_err(|_| residue::Error::Width(width.0));
        let params = narrow.and_then(|width| {
            Params::new("custom", width, poly.0, init.0, (refin, refout), xorout.0)
        });
        params
            .map(|params| PyParams::of(&params))
            .map_err(|error| PyValueError::new_err(error.to_string()))
    }

    /// Formats the parameters in RevEng's format, which `Code` reads.
    pub fn __str__(&self) -> String {
        let PyParams { width, poly, init, refin, refout, xorout, .. } = self;
        format!(
            "width={width} poly={poly:x} init={init:x} refin={refin} refout={refout} \
             xorout={xorout:x}"
        )
    }

    fn __repr__(&self) -> String {
        let PyParams { width, poly, init, refin, refout, xorout, .. } = self;
        let truth = |yes: &bool| if *yes { "True" } else { "False" };
        format!(
            "residue.Params(width={width}, poly={poly:#x}, init={init:#x}, refin={}, refout={}, \
             xorout={xorout:#x})",
            truth(refin),
            truth(refout)
        )
    }

    #[allow(clippy::type_complexity)]
    fn __reduce__<'py>(
        slf: &Bound<'py, PyParams>,
    ) -> (Bound<'py, PyAny>, (u8, u128, u128, bool, bool, u128)) {
        let PyParams { width, poly, init, refin, refout, xorout, .. } = *slf.get();
        (slf.get_type().into_any(), (width, poly, init, refin, refout, xorout))
    }
}
