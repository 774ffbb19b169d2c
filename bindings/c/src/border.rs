//! What happens at the border: failures become numbers and a text, pointers become slices, no panic passes.

use residue::{Error, cpu};
use std::cell::Cell;
use std::ffi::{CStr, CString, c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;

/// The version of this header: major * 10000 + minor * 100 + patch.
#[allow(dead_code)] // For the header.
pub const RESIDUE_VERSION: u32 = 100;

/// How a function ended. The numbers do not change.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum residue_status {
    /// Done.
    RESIDUE_OK = 0,
    /// A pointer is null that may not be.
    RESIDUE_NULL = 1,
    /// A length is larger than any memory (PTRDIFF_MAX).
    RESIDUE_LENGTH = 2,
    /// No code, or no kernel of this code, has this name; or there is none at this index.
    RESIDUE_UNKNOWN = 3,
    /// These are no parameters of a CRC.
    RESIDUE_PARAMETERS = 4,
    /// This CPU lacks what the kernel needs.
    RESIDUE_UNSUPPORTED = 5,
    /// The code's values have more than 64 bits: use the function whose name ends with _wide.
    RESIDUE_WIDE = 6,
    /// The two are of different codes.
    RESIDUE_DIFFERENT = 7,
    /// The data is split inside a word of this code.
    RESIDUE_ODD_SPLIT = 8,
    /// No data has this value, or not beside the other one.
    RESIDUE_IMPOSSIBLE = 9,
    /// A range or a part is longer than the data, or not as long as what replaces it, or the data would reach 2^64 bytes.
    RESIDUE_RANGE = 10,
    /// A text is not UTF-8, or not a partial's.
    RESIDUE_TEXT = 11,
    /// The text does not fit into the buffer.
    RESIDUE_SPACE = 12,
    /// Source and destination overlap.
    RESIDUE_OVERLAP = 13,
    /// A mistake in this library; please report it.
    RESIDUE_INTERNAL = 99,
}

/// A failure and its text.
pub struct Failure(residue_status, String);

impl Failure {
    pub fn new(status: residue_status, text: impl Into<String>) -> Failure {
        Failure(status, text.into())
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        let status = match error {
            Error::OddSplit { .. } => residue_status::RESIDUE_ODD_SPLIT,
            Error::DifferentCodes => residue_status::RESIDUE_DIFFERENT,
            Error::ImpossibleValue { .. } | Error::Contradiction => {
                residue_status::RESIDUE_IMPOSSIBLE
            }
            Error::TooLong
            | Error::PartTooLong { .. }
            | Error::LengthsDiffer { .. }
            | Error::RangeOutside { .. } => residue_status::RESIDUE_RANGE,
            Error::BadPartial => residue_status::RESIDUE_TEXT,
            Error::UnknownCode | Error::UnknownKernel => residue_status::RESIDUE_UNKNOWN,
            Error::UnsupportedKernel(_) => residue_status::RESIDUE_UNSUPPORTED,
            Error::MissingParameter(_)
            | Error::BadParameter
            | Error::Width(_)
            | Error::TooWide(_)
            | Error::EvenPolynomial
            | Error::WrongCheck => residue_status::RESIDUE_PARAMETERS,
            _ => residue_status::RESIDUE_INTERNAL,
        };
        Failure(status, error.to_string())
    }
}

/// The most bytes of an error's text, with the zero byte at its end.
const LONGEST: usize = 1024;

/// A text that stays where it is. Its last byte is always zero, so that whoever reads it while it
/// changes ends inside.
struct Text([Cell<u8>; LONGEST]);

impl Text {
    /// Takes as much of a text as has room, in whole characters.
    fn set(&self, text: &str) {
        let end = text.floor_char_boundary(LONGEST - 1);
        // C's texts end at the first zero byte.
        let bytes = text.as_bytes()[..end].iter().map(|&byte| if byte == 0 { b' ' } else { byte });
        for (place, byte) in self.0.iter().zip(bytes.chain([0])) {
            place.set(byte);
        }
    }
}

thread_local! {
    // Without a destructor: it is there until its thread has ended.
    static LAST: Text = const { Text([const { Cell::new(0) }; LONGEST]) };
}

/// What was wrong when a function last failed on this thread, as an English sentence of at most
/// 1023 bytes; empty if none has. The pointer is the thread's own, always the same, and good until
/// the thread ends, as that of strerror; the next failure on the thread replaces the text. Copy it
/// to keep it.
#[unsafe(no_mangle)]
pub extern "C" fn residue_last_error() -> *const c_char {
    LAST.with(|last| last.0.as_ptr().cast())
}

static MASK_ERROR: OnceLock<CString> = OnceLock::new();

/// What is wrong with RESIDUE_CPU in the environment, as an English sentence: the library ignores a
/// tier that it does not know. Empty if nothing is. Read at the first call; good for ever.
#[unsafe(no_mangle)]
pub extern "C" fn residue_cpu_mask_error() -> *const c_char {
    let text = || CString::new(cpu::mask_error()?).ok();
    MASK_ERROR.get_or_init(|| catch_unwind(text).ok().flatten().unwrap_or_default()).as_ptr()
}

/// The version of the library, as "0.1.0". RESIDUE_VERSION is that of the header.
#[unsafe(no_mangle)]
pub extern "C" fn residue_version() -> *const c_char {
    const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");
    VERSION.as_ptr().cast()
}

/// Runs the body of a function; a failure becomes a status and a text, and a panic too.
pub fn run(body: impl FnOnce() -> Result<(), Failure>) -> residue_status {
    let result = catch_unwind(AssertUnwindSafe(body));
    let Failure(status, text) = match result {
        Ok(Ok(())) => return residue_status::RESIDUE_OK,
        Ok(Err(failure)) => failure,
        Err(_) => Failure::new(residue_status::RESIDUE_INTERNAL, "a mistake in libresidue"),
    };
    LAST.with(|last| last.set(&text));
    status
}

/// As [`run`], for functions that return a pointer.
pub fn pointer<T>(body: impl FnOnce() -> Result<*mut T, Failure>) -> *mut T {
    let mut made = std::ptr::null_mut();
    run(|| {
        made = body()?;
        Ok(())
    });
    made
}

/// The bytes at `data`.
///
/// # Safety
/// The header's rules.
pub unsafe fn bytes<'a>(data: *const c_void, length: usize) -> Result<&'a [u8], Failure> {
    if length == 0 {
        return Ok(&[]);
    }
    if data.is_null() {
        let text = format!("the data's pointer is null, its length {length} bytes");
        return Err(Failure::new(residue_status::RESIDUE_NULL, text));
    }
    if length > isize::MAX as usize {
        let text = format!("no data is {length} bytes long; is the length negative?");
        return Err(Failure::new(residue_status::RESIDUE_LENGTH, text));
    }
    // SAFETY: not null and not too long; the caller vouches for the bytes.
    Ok(unsafe { std::slice::from_raw_parts(data.cast(), length) })
}

/// The bytes at `data`, for functions that cannot fail: none if they cannot be.
///
/// # Safety
/// The header's rules.
#[inline]
pub unsafe fn bytes_or_none<'a>(data: *const c_void, length: usize) -> &'a [u8] {
    if data.is_null() || length > isize::MAX as usize {
        return &[];
    }
    // SAFETY: not null and not too long; the caller vouches for the bytes.
    unsafe { std::slice::from_raw_parts(data.cast(), length) }
}

/// What a pointer points to.
///
/// # Safety
/// The header's rules.
pub unsafe fn given<'a, T>(pointer: *const T, what: &str) -> Result<&'a T, Failure> {
    // SAFETY: null, or the caller vouches for it.
    unsafe { pointer.as_ref() }.ok_or_else(|| null(what))
}

/// What a pointer points to, to be changed.
///
/// # Safety
/// The header's rules.
pub unsafe fn changed<'a, T>(pointer: *mut T, what: &str) -> Result<&'a mut T, Failure> {
    // SAFETY: null, or the caller vouches for it.
    unsafe { pointer.as_mut() }.ok_or_else(|| null(what))
}

/// Writes a result, whose place need not be initialised.
///
/// # Safety
/// The header's rules.
pub unsafe fn write<T>(place: *mut T, value: T) -> Result<(), Failure> {
    if place.is_null() {
        return Err(null("the pointer to the result"));
    }
    // SAFETY: not null, and the caller vouches for it.
    unsafe { place.write(value) };
    Ok(())
}

/// A string.
///
/// # Safety
/// The header's rules.
pub unsafe fn text<'a>(text: *const c_char) -> Result<&'a str, Failure> {
    if text.is_null() {
        return Err(null("the pointer to the text"));
    }
    // SAFETY: not null, and the caller vouches for its zero byte.
    let text = unsafe { CStr::from_ptr(text) };
    let not = |_| Failure::new(residue_status::RESIDUE_TEXT, "the text is not UTF-8");
    text.to_str().map_err(not)
}

fn null(what: &str) -> Failure {
    Failure::new(residue_status::RESIDUE_NULL, format!("{what} is null"))
}
