//! Codes as handles: any code by name or by parameters, its properties and its kernels.

use crate::ffi::{Failure, bytes, given, pointer, residue_status, run, text, write};
use residue::crc::{Crc, Params};
use residue::{Code, Error};
use std::ffi::{CString, c_char, c_void};
use std::sync::{Arc, OnceLock};

/// A code. Constant; may be shared between threads. Created by residue_code_new, and freed when
/// residue_code_free was called as often as residue_code_new and no stream of it is left.
pub struct residue_code {
    pub(crate) code: Code,
    name: CString,
    about: CString,
    kernels: Vec<CString>,
}

/// A value of up to 128 bits: high * 2^64 + low.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct residue_wide {
    /// The lowest 64 bits.
    pub low: u64,
    /// The bits above them.
    pub high: u64,
}

/// The parameters of a CRC, in the convention of the RevEng catalogue: poly in normal notation
/// without its top term, init not reflected.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct residue_params {
    /// The width of the value in bits, 1 to 128.
    pub width: u32,
    /// Whether the lowest bit of each byte comes first.
    pub refin: bool,
    /// Whether the register's bits are reversed at the end.
    pub refout: bool,
    /// The generator polynomial.
    pub poly: residue_wide,
    /// The register before the first bit.
    pub init: residue_wide,
    /// The value to xor into the result at the end.
    pub xorout: residue_wide,
    /// The check value, of "123456789". Ignored by residue_code_from_params.
    pub check: residue_wide,
    /// The register after a message and its value. Ignored by residue_code_from_params.
    pub residue: residue_wide,
}

impl From<u128> for residue_wide {
    fn from(value: u128) -> residue_wide {
        residue_wide { low: value as u64, high: (value >> 64) as u64 }
    }
}

impl From<residue_wide> for u128 {
    fn from(value: residue_wide) -> u128 {
        u128::from(value.high) << 64 | u128::from(value.low)
    }
}

impl residue_code {
    fn new(code: Code) -> residue_code {
        let string = |text: &str| CString::new(text).unwrap_or_default();
        let kernels = code.kernels().map(|kernel| string(kernel.name)).collect();
        let about = string(code.about().unwrap_or_default());
        residue_code { name: string(code.name()), about, kernels, code }
    }

    /// Returns the value if it has no more than 64 bits.
    pub(crate) fn narrow(&self, value: u128) -> Result<u64, Failure> {
        if self.code.width() > 64 {
            let text =
                format!("{} has {} bits: use the _wide function", self.code, self.code.width());
            return Err(Failure::new(residue_status::RESIDUE_WIDE, text));
        }
        Ok(value as u64)
    }
}

/// The named codes, each created at its first use.
static NAMED: OnceLock<Vec<OnceLock<Arc<residue_code>>>> = OnceLock::new();

fn at(index: usize) -> Option<Arc<residue_code>> {
    let named = NAMED.get_or_init(|| Code::names().map(|_| OnceLock::new()).collect());
    let place = named.get(index)?;
    if let Some(made) = place.get() {
        return Some(Arc::clone(made));
    }
    let code = Code::names().nth(index)?.parse().ok()?;
    Some(Arc::clone(place.get_or_init(|| Arc::new(residue_code::new(code)))))
}

fn handle(code: Arc<residue_code>) -> *mut residue_code {
    Arc::into_raw(code).cast_mut()
}

fn find(text: &str) -> Result<Code, Failure> {
    text.parse().map_err(|error| match error {
        Error::UnknownCode(name) if name.near().next().is_none() => Failure::new(
            residue_status::RESIDUE_UNKNOWN,
            format!("no code has the name `{text}`; residue_code_at lists them"),
        ),
        other => other.into(),
    })
}

/// Returns the shared handle of a named code, or a new one.
fn shared(code: Code) -> Arc<residue_code> {
    let index = Code::names().position(|name| name == code.name());
    index.and_then(at).unwrap_or_else(|| Arc::new(residue_code::new(code)))
}

/// Returns a handle of this code.
pub(crate) fn new(code: Code) -> *mut residue_code {
    handle(shared(code))
}

/// Returns the code of this name, or null on failure. name is a name (as "crc-32/iscsi" or
/// "crc32c"; case, - and _ do not matter), or a CRC's parameters, as
/// "width=16,poly=1021,init=ffff,refin=true,refout=true,xorout=0" (hexadecimal except for the
/// width). Free it by residue_code_free; handles of named codes are shared, cost nothing and need
/// not be freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn residue_code_new(name: *const c_char) -> *mut residue_code {
    // SAFETY: the header's rules.
    pointer(|| Ok(new(find(unsafe { text(name)? })?)))
}

/// Returns the CRC of these parameters, or null if they are invalid: a width of 0 or above 128,
/// bits above the width, or a polynomial without its constant term. Free it by residue_code_free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn residue_code_from_params(
    params: *const residue_params,
) -> *mut residue_code {
    pointer(|| {
        // SAFETY: the header's rules.
        let p = unsafe { given(params, "the pointer to the parameters")? };
        let width = u8::try_from(p.width).map_err(|_| Error::Width(p.width))?;
        let (poly, init, xorout) = (p.poly.into(), p.init.into(), p.xorout.into());
        let params = Params::new("custom", width, poly, init, (p.refin, p.refout), xorout)?;
        Ok(handle(Arc::new(residue_code::new(Code::Crc(Crc::new(&params))))))
    })
}

/// Releases a code. Does nothing if code is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn residue_code_free(code: *mut residue_code) {
    if !code.is_null() {
        // SAFETY: created by `handle`, and released once.
        drop(unsafe { Arc::from_raw(code.cast_const()) });
    }
}

/// Returns the number of named codes.
#[unsafe(no_mangle)]
pub extern "C" fn residue_code_count() -> usize {
    Code::names().count()
}

/// Returns the named code of this index, from 0, as residue_code_new does; null if the index is not
/// below residue_code_count.
#[unsafe(no_mangle)]
pub extern "C" fn residue_code_at(index: usize) -> *mut residue_code {
    pointer(|| {
        let text =
            format!("there are {} codes, none with the index {index}", Code::names().count());
        let none = || Failure::new(residue_status::RESIDUE_UNKNOWN, text);
        Ok(handle(at(index).ok_or_else(none)?))
    })
}

/// Returns the name, in lower case; "custom" for a CRC outside the catalogue; empty for null. Valid
/// as long as the code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn residue_code_name(code: *const residue_code) -> *const c_char {
    // SAFETY: the header's rules.
    unsafe { code.as_ref() }.map_or(c"".as_ptr(), |code| code.name.as_ptr())
}

/// Returns a sentence that describes a code that is not a CRC; empty for CRCs. Valid as long as the
/// code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn residue_code_about(code: *const residue_code) -> *const c_char {
    // SAFETY: the header's rules.
    unsafe { code.as_ref() }.map_or(c"".as_ptr(), |code| code.about.as_ptr())
}

/// Returns the width of the value in bits; 0 for null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn residue_code_width(code: *const residue_code) -> u32 {
    // SAFETY: the header's rules.
    unsafe { code.as_ref() }.map_or(0, |code| code.code.width())
}

/// Returns whether the value's bytes go on the wire lowest first (reflected CRCs).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn residue_code_little_endian(code: *const residue_code) -> bool {
    // SAFETY: the header's rules.
    unsafe { code.as_ref() }.is_some_and(|code| code.code.little_endian())
}

/// Writes a CRC's parameters; RESIDUE_PARAMETERS for other codes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn residue_code_params(
    code: *const residue_code,
    params: *mut residue_params,
) -> residue_status {
    run(|| {
        // SAFETY: the header's rules.
        let code = unsafe { given(code, "the code")? };
        let p = code.code.params().ok_or_else(|| {
            let text = format!("{} is not a CRC and has no parameters", code.code);
            Failure::new(residue_status::RESIDUE_PARAMETERS, text)
        })?;
        let found = residue_params {
            width: p.width.into(),
            refin: p.refin,
            refout: p.refout,
            poly: p.poly.into(),
            init: p.init.into(),
            xorout: p.xorout.into(),
            check: p.check.into(),
            residue: p.residue.into(),
        };
        // SAFETY: the header's rules.
        unsafe { write(params, found) }
    })
}

/// Computes the value of data by a code of up to 64 bits.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn residue_value(
    code: *const residue_code,
    data: *const c_void,
    length: usize,
    value: *mut u64,
) -> residue_status {
    run(|| {
        // SAFETY: the header's rules.
        let (code, data) = unsafe { (given(code, "the code")?, bytes(data, length)?) };
        code.narrow(0)?;
        // SAFETY: the header's rules.
        unsafe { write(value, code.code.value(data) as u64) }
    })
}

/// Computes the value of data by any code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn residue_value_wide(
    code: *const residue_code,
    data: *const c_void,
    length: usize,
    value: *mut residue_wide,
) -> residue_status {
    run(|| {
        // SAFETY: the header's rules.
        let (code, data) = unsafe { (given(code, "the code")?, bytes(data, length)?) };
        // SAFETY: the header's rules.
        unsafe { write(value, code.code.value(data).into()) }
    })
}

/// Computes the value of data by any code, with its kernel of this name; for tests and
/// measurements. Kernels that need tables compute them at each call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn residue_value_with(
    code: *const residue_code,
    kernel: *const c_char,
    data: *const c_void,
    length: usize,
    value: *mut residue_wide,
) -> residue_status {
    run(|| {
        // SAFETY: the header's rules.
        let (code, data) = unsafe { (given(code, "the code")?, bytes(data, length)?) };
        // SAFETY: the header's rules.
        let found = code.code.value_with(unsafe { text(kernel)? }, data)?;
        // SAFETY: the header's rules.
        unsafe { write(value, found.into()) }
    })
}

/// Returns the number of kernels of the code, including those of other CPUs.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn residue_kernel_count(code: *const residue_code) -> usize {
    // SAFETY: the header's rules.
    unsafe { code.as_ref() }.map_or(0, |code| code.kernels.len())
}

/// Returns the name of the kernel of this index, best first; null if the index is not below
/// residue_kernel_count. Valid as long as the code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn residue_kernel_name(
    code: *const residue_code,
    index: usize,
) -> *const c_char {
    // SAFETY: the header's rules.
    let name = unsafe { code.as_ref() }.and_then(|code| code.kernels.get(index));
    name.map_or(std::ptr::null(), |name| name.as_ptr())
}

/// Returns whether this CPU can run the kernel of this index.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn residue_kernel_supported(code: *const residue_code, index: usize) -> bool {
    // SAFETY: the header's rules.
    let kernel = unsafe { code.as_ref() }.and_then(|code| code.code.kernels().nth(index));
    kernel.is_some_and(|kernel| kernel.supported())
}

/// Returns the name of the kernel that the library uses on this CPU; empty for null. Valid as long
/// as the code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn residue_kernel_chosen(code: *const residue_code) -> *const c_char {
    // SAFETY: the header's rules.
    let Some(code) = (unsafe { code.as_ref() }) else {
        return c"".as_ptr();
    };
    let chosen = code.code.chosen().name;
    let name = code.kernels.iter().find(|name| name.to_bytes() == chosen.as_bytes());
    name.map_or(c"".as_ptr(), |name| name.as_ptr())
}
