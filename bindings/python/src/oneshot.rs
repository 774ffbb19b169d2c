//! One-shot functions, each for one code. At 64 bytes the call costs more than the code, so they
//! take their arguments from the interpreter's own array (`METH_FASTCALL`), without pyo3's general
//! handling of arguments.

use crate::buffer;
use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyString;
use std::ffi::CStr;
use std::ptr;

/// A code with its own function.
trait OneShot {
    /// Name of the function in Python.
    const NAME: &CStr;
    /// Documentation of the function, after its signature in the format that `inspect` reads.
    const DOC: &CStr;
    /// Value of the empty message, with which a sequence of pieces starts. `None` if a value is not
    /// sufficient to continue from.
    const START: Option<u64> = None;
    /// Largest value, all ones.
    const MOST: u64;

    fn value(data: &[u8]) -> u64;

    /// Returns the value of data that follows other data with `value`.
    fn extend(_value: u64, data: &[u8]) -> u64 {
        Self::value(data)
    }
}

macro_rules! one_shots {
    ($(
        $code:ident $name:literal $most:ident $value:expr,
        $(from $start:literal $extend:expr,)?
        $doc:literal;
    )*) => {
        $(
            struct $code;
            impl OneShot for $code {
                const NAME: &CStr =
                    match CStr::from_bytes_with_nul(concat!($name, "\0").as_bytes()) {
                        Ok(name) => name,
                        Err(_) => panic!("a zero byte"),
                    };
                const DOC: &CStr = {
                    let doc = concat!(
                        $name, "(data", $(", value=", $start,)? ")\n--\n\n", $doc, "\0"
                    );
                    match CStr::from_bytes_with_nul(doc.as_bytes()) {
                        Ok(doc) => doc,
                        Err(_) => panic!("a zero byte"),
                    }
                };
                $(const START: Option<u64> = Some($start);)?
                const MOST: u64 = $most::MAX as u64;
                #[inline(always)]
                fn value(data: &[u8]) -> u64 {
                    let value: fn(&[u8]) -> $most = $value;
                    value(data).into()
                }
                $(
                    #[inline(always)]
                    fn extend(value: u64, data: &[u8]) -> u64 {
                        let extend: fn(u64, &[u8]) -> u64 = $extend;
                        extend(value, data)
                    }
                )?
            }
        )*

        /// Adds all functions to the module.
        pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
            $(function::<$code>(module)?;)*
            Ok(())
        }
    };
}

one_shots! {
    Crc32c "crc32c" u32 residue::crc32c,
        from 0 |value, data| residue::crc32c_extend(value as u32, data).into(),
        "Computes CRC-32C (Castagnoli, CRC-32/ISCSI). To continue, pass the value of the preceding \
         data.";
    Crc32 "crc32" u32 residue::crc32,
        from 0 |value, data| residue::crc32_extend(value as u32, data).into(),
        "Computes CRC-32 (CRC-32/ISO-HDLC, as in zlib). To continue, pass the value of the \
         preceding data.";
    Crc64Nvme "crc64_nvme" u64 residue::crc64_nvme,
        from 0 |value, data| residue::crc64_nvme_extend(value, data),
        "Computes CRC-64/NVME. To continue, pass the value of the preceding data.";
    Adler32 "adler32" u32 residue::adler32,
        from 1 |value, data| residue::adler32_extend(value as u32, data).into(),
        "Computes Adler-32 (as in zlib). To continue, pass the value of the preceding data.";
    Internet "internet_checksum" u16 residue::internet::checksum,
        "Computes the Internet checksum (RFC 1071), complemented: a big-endian value, as headers \
         store it.";
    Xns "xns" u16 residue::xns::checksum,
        "Computes the checksum of XNS IDP: add-and-left-cycle over big-endian 16-bit words.";
    Fletcher16 "fletcher16" u16 residue::fletcher16,
        "Computes Fletcher-16: sums of bytes modulo 255, the second sum in the upper half.";
    Fletcher32 "fletcher32" u32 residue::fletcher32,
        "Computes Fletcher-32: sums of little-endian 16-bit words modulo 65535, the second sum in \
         the upper half.";
    Fletcher32Be "fletcher32_be" u32 residue::fletcher::fletcher32_be,
        "Computes Fletcher-32 over big-endian 16-bit words: sums modulo 65535, the second sum in \
         the upper half.";
}

fn function<C: OneShot>(module: &Bound<'_, PyModule>) -> PyResult<()> {
    // The interpreter keeps a pointer to the definition. A module is created once per interpreter,
    // and never unloaded.
    let definition = Box::leak(Box::new(ffi::PyMethodDef {
        ml_name: C::NAME.as_ptr(),
        ml_meth: ffi::PyMethodDefPointer { PyCFunctionFastWithKeywords: call::<C> },
        ml_flags: ffi::METH_FASTCALL | ffi::METH_KEYWORDS,
        ml_doc: C::DOC.as_ptr(),
    }));
    let name = PyString::new(module.py(), "residue");
    // SAFETY: the definition is never freed and its flags are those of its function; the other
    // arguments are alive.
    let function = unsafe {
        let new = ffi::PyCFunction_NewEx(definition, ptr::null_mut(), name.as_ptr());
        Bound::from_owned_ptr_or_err(module.py(), new)?
    };
    module.add(C::NAME.to_string_lossy().as_ref(), function)
}

/// Entry point for the interpreter. Returns a value, or null with an exception set.
unsafe extern "C" fn call<C: OneShot>(
    _: *mut ffi::PyObject,
    arguments: *const *mut ffi::PyObject,
    count: ffi::Py_ssize_t,
    names: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: the interpreter calls with its lock held, and with `count` living arguments.
    let py = unsafe { Python::assume_attached() };
    let result = match (count, names.is_null()) {
        // SAFETY: there is one argument, alive during the call.
        (1, true) => unsafe { plain::<C>(py, *arguments) },
        // SAFETY: as above; and the names of arguments are a tuple of strings.
        _ => unsafe { named::<C>(py, arguments, count, names) },
    };
    match result {
        // SAFETY: the thread is attached.
        Ok(value) => unsafe { ffi::PyLong_FromUnsignedLongLong(value) },
        Err(error) => {
            error.restore(py);
            ptr::null_mut()
        }
    }
}

#[inline(always)]
unsafe fn plain<C: OneShot>(py: Python<'_>, data: *mut ffi::PyObject) -> PyResult<u64> {
    // SAFETY: the caller guarantees that the object is alive.
    let data = unsafe { Borrowed::from_ptr(py, data) };
    buffer::compute(&data, C::value)
}

/// Computes a value from two arguments, or from some given by name.
#[inline(never)]
unsafe fn named<C: OneShot>(
    py: Python<'_>,
    arguments: *const *mut ffi::PyObject,
    count: ffi::Py_ssize_t,
    names: *mut ffi::PyObject,
) -> PyResult<u64> {
    let function = C::NAME.to_string_lossy();
    let most = 1 + usize::from(C::START.is_some());
    let unnamed = count as usize;
    if unnamed > most {
        return Err(PyTypeError::new_err(format!(
            "{function}() takes at most {most} arguments ({unnamed} given)"
        )));
    }
    let mut given: [*mut ffi::PyObject; 2] = [ptr::null_mut(); 2];
    for (place, slot) in given.iter_mut().enumerate().take(unnamed) {
        // SAFETY: there are `count` arguments without a name.
        *slot = unsafe { *arguments.add(place) };
    }
    let names = if names.is_null() {
        Vec::new()
    } else {
        // SAFETY: where there are names, they are a tuple, which the caller holds.
        unsafe { Borrowed::from_ptr(py, names) }.extract::<Vec<String>>()?
    };
    for (place, name) in names.iter().enumerate() {
        let parameter = ["data", "value"][..most].iter().position(|known| known == name);
        let slot = parameter.map(|parameter| &mut given[parameter]);
        match slot {
            // SAFETY: arguments with names follow those without.
            Some(slot) if slot.is_null() => *slot = unsafe { *arguments.add(unnamed + place) },
            Some(_) => {
                return Err(PyTypeError::new_err(format!(
                    "{function}() got multiple values for argument '{name}'"
                )));
            }
            None => {
                return Err(PyTypeError::new_err(format!(
                    "{function}() got an unexpected keyword argument '{name}'"
                )));
            }
        }
    }
    let [data, value] = given;
    if data.is_null() {
        return Err(PyTypeError::new_err(format!("{function}() missing required argument 'data'")));
    }
    if value.is_null() {
        // SAFETY: the caller guarantees that its arguments are alive.
        return unsafe { plain::<C>(py, data) };
    }
    // SAFETY: as above.
    let (data, value) = unsafe { (Borrowed::from_ptr(py, data), Borrowed::from_ptr(py, value)) };
    let value = masked(&value, C::MOST)?;
    buffer::compute(&data, |data| C::extend(value, data))
}

/// Masks a Python integer to the bits of `most`, as `zlib.crc32` does.
fn masked(value: &Bound<'_, PyAny>, most: u64) -> PyResult<u64> {
    // SAFETY: the thread is attached, and the number alive.
    let bits = unsafe { ffi::PyLong_AsUnsignedLongLongMask(value.as_ptr()) };
    if bits == u64::MAX
        && let Some(error) = PyErr::take(value.py())
    {
        return Err(error);
    }
    Ok(bits & most)
}
