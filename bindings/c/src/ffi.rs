//! The interface to C: failures become a status and a text, pointers become slices, and no panic
//! unwinds into C.

use residue::{Error, cpu};
use std::cell::Cell;
use std::ffi::{CStr, CString, c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;

/// The version of this header: major * 10000 + minor * 100 + patch.
#[allow(dead_code)] // For the header.
pub const RESIDUE_VERSION: u32 = 100;

/// The result of a function. The numbers never change.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum residue_status {
    /// Success.
    RESIDUE_OK = 0,
    /// A pointer is null but must not be.
    RESIDUE_NULL = 1,
    /// A length exceeds any memory (PTRDIFF_MAX).
    RESIDUE_LENGTH = 2,
    /// No code, or no kernel of the code, has this name or index.
    RESIDUE_UNKNOWN = 3,
    /// The parameters do not define a CRC, or the code is not a CRC.
    RESIDUE_PARAMETERS = 4,
    /// This CPU cannot run the kernel.
    RESIDUE_UNSUPPORTED = 5,
    /// The code's values have more than 64 bits: use the function whose name ends with _wide.
    RESIDUE_WIDE = 6,
    /// The two arguments are of different codes.
    RESIDUE_DIFFERENT = 7,
    /// The data is split inside a word of this code.
    RESIDUE_ODD_SPLIT = 8,
    /// No data has this value, alone or beside the other value.
    RESIDUE_IMPOSSIBLE = 9,
    /// A range or a part is longer than the data, or differs in length from its replacement, or the
    /// data would reach 2^64 bytes.
    RESIDUE_RANGE = 10,
    /// A text is not UTF-8, or not the text of a partial.
    RESIDUE_TEXT = 11,
    /// The text does not fit into the buffer.
    RESIDUE_SPACE = 12,
    /// Source and destination overlap, or a function that writes while it reads would write its
    /// values over its arguments.
    RESIDUE_OVERLAP = 13,
    /// A bug in this library; please report it.
    RESIDUE_INTERNAL = 99,
}

/// A failure: its status and its text.
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
            Error::UnknownCode(_) | Error::UnknownKernel => residue_status::RESIDUE_UNKNOWN,
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

/// The size of the buffer of an error's text, including its terminating zero byte.
const LONGEST: usize = 1024;

/// A text at a fixed address. Its last byte is always zero: a reader during a change stays inside.
struct Text([Cell<u8>; LONGEST]);

impl Text {
    /// Stores a text, truncated to whole characters.
    fn set(&self, text: &str) {
        let end = text.floor_char_boundary(LONGEST - 1);
        // Strings of C end at the first zero byte.
        let bytes = text.as_bytes()[..end].iter().map(|&byte| if byte == 0 { b' ' } else { byte });
        for (place, byte) in self.0.iter().zip(bytes.chain([0])) {
            place.set(byte);
        }
    }
}

thread_local! {
    // Without a destructor: it is valid until its thread has ended.
    static LAST: Text = const { Text([const { Cell::new(0) }; LONGEST]) };
}

/// Returns why a function last failed on this thread, as an English sentence of at most 1023 bytes;
/// empty if none has failed. The pointer is the thread's own, constant, and valid until the thread
/// ends, as that of strerror; the next failure on the thread replaces the text. Copy it to keep it.
#[unsafe(no_mangle)]
pub extern "C" fn residue_last_error() -> *const c_char {
    LAST.with(|last| last.0.as_ptr().cast())
}

static MASK_ERROR: OnceLock<CString> = OnceLock::new();

/// Returns what is wrong with RESIDUE_CPU or RESIDUE_PROFILE in the environment, as an English
/// sentence; empty if nothing is. The library ignores unknown names. Read at the first call; valid
/// forever.
#[unsafe(no_mangle)]
pub extern "C" fn residue_cpu_mask_error() -> *const c_char {
    let text = || CString::new(cpu::mask_error()?).ok();
    MASK_ERROR.get_or_init(|| catch_unwind(text).ok().flatten().unwrap_or_default()).as_ptr()
}

/// Returns the version of the library, as "0.1.0". RESIDUE_VERSION is that of the header.
#[unsafe(no_mangle)]
pub extern "C" fn residue_version() -> *const c_char {
    const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");
    VERSION.as_ptr().cast()
}

/// Runs the body of a function; turns a failure or a panic into a status and a text.
pub fn run(body: impl FnOnce() -> Result<(), Failure>) -> residue_status {
    let result = catch_unwind(AssertUnwindSafe(body));
    let Failure(status, text) = match result {
        Ok(Ok(())) => return residue_status::RESIDUE_OK,
        Ok(Err(failure)) => failure,
        Err(_) => {
            Failure::new(residue_status::RESIDUE_INTERNAL, "a bug in libresidue; please report it")
        }
    };
    LAST.with(|last| last.set(&text));
    status
}

/// Runs the body of a function that returns a pointer, which is null on failure.
pub fn pointer<T>(body: impl FnOnce() -> Result<*mut T, Failure>) -> *mut T {
    let mut made = std::ptr::null_mut();
    run(|| {
        made = body()?;
        Ok(())
    });
    made
}

/// Returns the bytes at `data`.
///
/// # Safety
///
/// `data` must be null or valid for reads of `length` bytes for all of `'a`.
pub unsafe fn bytes<'a>(data: *const c_void, length: usize) -> Result<&'a [u8], Failure> {
    if length == 0 {
        return Ok(&[]);
    }
    if data.is_null() {
        let text = format!("the pointer to the data is null, but its length is {length} bytes");
        return Err(Failure::new(residue_status::RESIDUE_NULL, text));
    }
    if length > isize::MAX as usize {
        let text = format!("the length of {length} bytes exceeds any memory; is it negative?");
        return Err(Failure::new(residue_status::RESIDUE_LENGTH, text));
    }
    // SAFETY: not null and not too long; the caller guarantees that the bytes are valid for reads.
    Ok(unsafe { std::slice::from_raw_parts(data.cast(), length) })
}

/// Returns `value` of the bytes at `data`, for functions that cannot fail: of no bytes if the
/// pointer is null or the length impossible.
///
/// # Safety
///
/// `data` must be null or valid for reads of `length` bytes.
#[inline]
pub unsafe fn value_of<V>(data: *const c_void, length: usize, value: impl FnOnce(&[u8]) -> V) -> V {
    /// A call. Else the compiler would select the address without a branch, and a call for short
    /// data would wait for the value of the one before, in whose register it makes the condition;
    /// or it would lay out this case, which no caller wants to be fast, before the other.
    #[cold]
    #[inline(never)]
    fn of_none<V>(value: impl FnOnce(&[u8]) -> V) -> V {
        value(&[])
    }
    if data.is_null() || length > isize::MAX as usize {
        return of_none(value);
    }
    // SAFETY: not null and not too long; the caller guarantees that the bytes are valid for reads.
    value(unsafe { std::slice::from_raw_parts(data.cast(), length) })
}

/// Returns whether two ranges, each an address and a number of bytes, share a byte.
pub fn overlap(first: (usize, usize), second: (usize, usize)) -> bool {
    let (lower, upper) = if first.0 <= second.0 { (first, second) } else { (second, first) };
    // The end of a range may be the end of all addresses, so ends are not computed.
    lower.1 != 0 && upper.1 != 0 && upper.0 - lower.0 < lower.1
}

/// Returns a reference to what `pointer` points to.
///
/// # Safety
///
/// `pointer` must be null or valid for reads of a `T` for all of `'a`.
pub unsafe fn given<'a, T>(pointer: *const T, what: &str) -> Result<&'a T, Failure> {
    // SAFETY: null, or valid, as the caller guarantees.
    unsafe { pointer.as_ref() }.ok_or_else(|| null(what))
}

/// Returns a mutable reference to what `pointer` points to.
///
/// # Safety
///
/// `pointer` must be null or valid for reads and writes of a `T`, and unaliased, for all of `'a`.
pub unsafe fn changed<'a, T>(pointer: *mut T, what: &str) -> Result<&'a mut T, Failure> {
    // SAFETY: null, or valid and unaliased, as the caller guarantees.
    unsafe { pointer.as_mut() }.ok_or_else(|| null(what))
}

/// Writes a result.
///
/// # Safety
///
/// `place` must be null or valid for writes of a `T`; it may be uninitialised.
pub unsafe fn write<T>(place: *mut T, value: T) -> Result<(), Failure> {
    if place.is_null() {
        return Err(null("the pointer to the result"));
    }
    // SAFETY: not null, and valid for writes, as the caller guarantees.
    unsafe { place.write(value) };
    Ok(())
}

/// Returns a string.
///
/// # Safety
///
/// `text` must be null or point to a string that ends with a zero byte and is valid for reads for
/// all of `'a`.
pub unsafe fn text<'a>(text: *const c_char) -> Result<&'a str, Failure> {
    if text.is_null() {
        return Err(null("the pointer to the text"));
    }
    // SAFETY: not null, and the caller guarantees the terminating zero byte.
    let text = unsafe { CStr::from_ptr(text) };
    let not = |_| Failure::new(residue_status::RESIDUE_TEXT, "the text is not UTF-8");
    text.to_str().map_err(not)
}

pub fn null(what: &str) -> Failure {
    Failure::new(residue_status::RESIDUE_NULL, format!("{what} is null"))
}
