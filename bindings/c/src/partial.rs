//! Partial results: put together, taken apart and changed without the data.

use crate::border::{Failure, bytes, given, pointer, residue_status, run, text, write};
use crate::code::{residue_code, residue_wide};
use residue::{Partial, partial};
use std::ffi::{c_char, c_void};
use std::io::Write;

/// The value and the length of some data: what residue_partial_concat and the others work with, in time logarithmic in the
/// lengths. A plain struct that may be copied and kept; it does not know its code, which is given beside it.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct residue_partial {
    /// The value.
    pub value: residue_wide,
    /// The length of the data, in bytes.
    pub bytes: u64,
}

/// Bytes that the text of any partial fits into, its zero byte included.
pub const RESIDUE_PARTIAL_TEXT: usize = 256;

impl From<&Partial<'_>> for residue_partial {
    fn from(partial: &Partial<'_>) -> residue_partial {
        residue_partial { value: partial.value().into(), bytes: partial.bytes() }
    }
}

/// The partial at this pointer.
///
/// # Safety
/// The header's rules.
unsafe fn read<'a>(
    code: &'a residue_code,
    partial: *const residue_partial,
    what: &str,
) -> Result<Partial<'a>, Failure> {
    // SAFETY: the header's rules.
    let partial = unsafe { given(partial, what)? };
    Ok(Partial::new(&code.code, partial.value.into(), partial.bytes)?)
}

/// What is computed of two partials.
///
/// # Safety
/// The header's rules.
unsafe fn of_two(
    code: *const residue_code,
    first: *const residue_partial,
    second: *const residue_partial,
    result: *mut residue_partial,
    operation: impl for<'a> Fn(&Partial<'a>, &Partial<'a>) -> Result<Partial<'a>, residue::Error>,
) -> residue_status {
    run(|| {
        // SAFETY: the header's rules.
        unsafe {
            let code = given(code, "the code")?;
            let first = read(code, first, "the first partial")?;
            let second = read(code, second, "the second partial")?;
            write(result, (&operation(&first, &second)?).into())
        }
    })
}

/// The partial of data.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn residue_partial_of(
    code: *const residue_code,
    data: *const c_void,
    length: usize,
    result: *mut residue_partial,
) -> residue_status {
    run(|| {
        // SAFETY: the header's rules.
        let (code, data) = unsafe { (given(code, "the code")?, bytes(data, length)?) };
        // SAFETY: the header's rules.
        unsafe { write(result, (&code.code.partial(data)).into()) }
    })
}

/// The partial of first's data with second's after it: AB from A and B. RESIDUE_ODD_SPLIT if A ends inside a word of the
/// code. (result may be one of the two, here and below.)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn residue_partial_concat(
    code: *const residue_code,
    first: *const residue_partial,
    second: *const residue_partial,
    result: *mut residue_partial,
) -> residue_status {
    // SAFETY: the header's rules.
    unsafe { of_two(code, first, second, result, |first, second| first.concat(second)) }
}

/// The partial of whole's data without its beginning: B from AB and A.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn residue_partial_remove_prefix(
    code: *const residue_code,
    whole: *const residue_partial,
    prefix: *const residue_partial,
    result: *mut residue_partial,
) -> residue_status {
    // SAFETY: the header's rules.
    unsafe { of_two(code, whole, prefix, result, |whole, prefix| whole.remove_prefix(prefix)) }
}

/// The partial of whole's data without its end: A from AB and B.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn residue_partial_remove_suffix(
    code: *const residue_code,
    whole: *const residue_partial,
    suffix: *const residue_partial,
    result: *mut residue_partial,
) -> residue_status {
    // SAFETY: the header's rules.
    unsafe { of_two(code, whole, suffix, result, |whole, suffix| whole.remove_suffix(suffix)) }
}

/// The partial of the data followed by this many zero bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn residue_partial_extend_by_zeroes(
    code: *const residue_code,
    partial: *const residue_partial,
    count: u64,
    result: *mut residue_partial,
) -> residue_status {
    // SAFETY: the header's rules.
    unsafe { of_two(code, partial, partial, result, |partial, _| partial.extend_by_zeroes(count)) }
}

/// The partial of whole's data after the range that begins at this offset, whose data is old_part's, became new_part's, of the
/// same length.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn residue_partial_replace(
    code: *const residue_code,
    whole: *const residue_partial,
    offset: u64,
    old_part: *const residue_partial,
    new_part: *const residue_partial,
    result: *mut residue_partial,
) -> residue_status {
    run(|| {
        // SAFETY: the header's rules.
        unsafe {
            let code = given(code, "the code")?;
            let whole = read(code, whole, "the partial of the whole")?;
            let old = read(code, old_part, "the old partial")?;
            let new = read(code, new_part, "the new partial")?;
            write(result, (&whole.replace(offset, &old, &new)?).into())
        }
    })
}

/// The partial of whole's data after the bytes old_data, at this offset, became new_data. Unlike residue_partial_replace at any
/// offset, for all codes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn residue_partial_update(
    code: *const residue_code,
    whole: *const residue_partial,
    offset: u64,
    old_data: *const c_void,
    new_data: *const c_void,
    length: usize,
    result: *mut residue_partial,
) -> residue_status {
    run(|| {
        // SAFETY: the header's rules.
        unsafe {
            let code = given(code, "the code")?;
            let whole = read(code, whole, "the partial of the whole")?;
            let (old, new) = (bytes(old_data, length)?, bytes(new_data, length)?);
            let updated = code.code.update(whole.value(), whole.bytes(), offset, old, new);
            let outside = residue::Error::RangeOutside {
                offset,
                length: length as u64,
                bytes: whole.bytes(),
            };
            let value = updated.ok_or(outside)?;
            write(result, residue_partial { value: value.into(), bytes: whole.bytes() })
        }
    })
}

/// Writes the partial as one line of text, CODE:VALUE:BYTES, as "crc-32/iscsi:e3069283:9", with a zero byte. size is that of
/// the buffer: RESIDUE_PARTIAL_TEXT is enough.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn residue_partial_format(
    code: *const residue_code,
    partial: *const residue_partial,
    buffer: *mut c_char,
    size: usize,
) -> residue_status {
    run(|| {
        // SAFETY: the header's rules.
        let partial = unsafe { read(given(code, "the code")?, partial, "the partial")? };
        let mut text = [0; RESIDUE_PARTIAL_TEXT];
        let mut rest = &mut text[..RESIDUE_PARTIAL_TEXT - 1];
        let written = write!(rest, "{partial}");
        let length = RESIDUE_PARTIAL_TEXT - rest.len();
        if written.is_err() || length > size {
            let text = format!("the text has {length} bytes, the buffer {size}");
            return Err(Failure::new(residue_status::RESIDUE_SPACE, text));
        }
        if buffer.is_null() {
            return Err(Failure::new(residue_status::RESIDUE_NULL, "the buffer is null"));
        }
        // SAFETY: as many bytes as `size` at most, which the caller vouches for.
        unsafe { std::ptr::copy_nonoverlapping(text.as_ptr(), buffer.cast(), length) };
        Ok(())
    })
}

/// Reads a partial's text. RESIDUE_DIFFERENT if it is of another code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn residue_partial_parse(
    code: *const residue_code,
    line: *const c_char,
    result: *mut residue_partial,
) -> residue_status {
    run(|| {
        // SAFETY: the header's rules.
        let (code, line) = unsafe { (given(code, "the code")?, text(line)?) };
        let partial = Partial::parse(&code.code, line)?;
        // SAFETY: the header's rules.
        unsafe { write(result, (&partial).into()) }
    })
}

/// The code that a partial's text names; null on failure. As if made by residue_code_new.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn residue_partial_parse_code(line: *const c_char) -> *mut residue_code {
    pointer(|| {
        // SAFETY: the header's rules.
        let (code, ..) = partial::parse(unsafe { text(line)? })?;
        Ok(crate::code::new(code))
    })
}
