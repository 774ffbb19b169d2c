//! Partial results: joined, split and changed without the data.

use crate::code::{residue_code, residue_wide};
use crate::ffi::{Failure, bytes, given, pointer, residue_status, run, text, write};
use residue::{Partial, partial};
use std::ffi::{c_char, c_void};
use std::io::Write;

/// The value and the length of some data, from which residue_partial_concat and the like compute in
/// time logarithmic in the lengths. A plain struct that may be copied and stored; it does not hold
/// its code, which is passed beside it.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct residue_partial {
    /// The value.
    pub value: residue_wide,
    /// The length of the data, in bytes.
    pub bytes: u64,
}

/// The size of a buffer for the text of any partial, including its terminating zero byte.
pub const RESIDUE_PARTIAL_TEXT: usize = 256;

impl From<&Partial<'_>> for residue_partial {
    fn from(partial: &Partial<'_>) -> residue_partial {
        residue_partial { value: partial.value().into(), bytes: partial.bytes() }
    }
}

/// Returns the partial at a pointer.
///
/// # Safety
///
/// `partial` must be null or valid for reads.
unsafe fn read<'a>(
    code: &'a residue_code,
    partial: *const residue_partial,
    what: &str,
) -> Result<Partial<'a>, Failure> {
    // SAFETY: the header's rules.
    let partial = unsafe { given(partial, what)? };
    Ok(Partial::new(&code.code, partial.value.into(), partial.bytes)?)
}

/// Writes the result of an operation on two partials.
///
/// # Safety
///
/// `code`, `first` and `second` must be null or valid for reads, and `result` null or valid for
/// writes.
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

/// Computes the partial of data.
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

/// Computes the partial of first's data followed by second's: AB from A and B. RESIDUE_ODD_SPLIT if
/// A ends inside a word of the code. result may be an argument, in this function and the following
/// ones.
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

/// Computes the partial of whole's data without its beginning: B from AB and A.
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

/// Computes the partial of whole's data without its end: A from AB and B.
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

/// Computes the partial of the data followed by this many zero bytes.
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

/// Computes the partial of whole's data after a range of it was replaced: the range at this offset,
/// with the partial old_part, by data of equal length with the partial new_part.
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

/// Computes the partial of whole's data after the bytes old_data at this offset were replaced by
/// new_data. Works for all codes at any offset, unlike residue_partial_replace.
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

/// Writes the partial as a line of text, CODE:VALUE:BYTES, as "crc-32/iscsi:e3069283:9", with a
/// zero byte. size is that of the buffer: RESIDUE_PARTIAL_TEXT is always enough.
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
        // SAFETY: at most `size` bytes, for which the caller guarantees that `buffer` is valid for
        // writes.
        unsafe { std::ptr::copy_nonoverlapping(text.as_ptr(), buffer.cast(), length) };
        Ok(())
    })
}

/// Parses the text of a partial. RESIDUE_DIFFERENT if it is of another code.
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

/// Returns the code that the text of a partial names, as residue_code_new does; null on failure.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn residue_partial_parse_code(line: *const c_char) -> *mut residue_code {
    pointer(|| {
        // SAFETY: the header's rules.
        let (code, ..) = partial::parse(unsafe { text(line)? })?;
        Ok(crate::code::new(code))
    })
}
