//! zlib's check values under zlib's names, computed by residue: loaded before zlib by `LD_PRELOAD`,
//! it serves unmodified programs.
//!
//! Built with the feature `zlib-names` only. Signatures, start values and the meaning of a null
//! pointer are those of zlib.h, version 1.3.1. Negative lengths, which zlib does not define, give 0
//! (`crc32_combine`) and FFFFFFFF (`adler32_combine`, as in zlib).

#![cfg(feature = "zlib-names")]
#![allow(clippy::missing_safety_doc)] // zlib.h's: as many bytes at `buf` as `len` says, or null.

use residue::crc::CRC_32;
use std::ffi::{c_long, c_uint, c_ulong};

/// Returns the bytes at `buf`, or `None` for null, by which zlib's callers ask for the start value.
///
/// # Safety
///
/// `buf` must be null or valid for reads of `len` bytes for all of `'a`.
unsafe fn bytes<'a>(buf: *const u8, len: usize) -> Option<&'a [u8]> {
    if buf.is_null() || len > isize::MAX as usize {
        return None;
    }
    // SAFETY: not null and not too long; the caller guarantees that the bytes are valid for reads.
    Some(unsafe { std::slice::from_raw_parts(buf, len) })
}

/// Continues a CRC-32 with the bytes at `buf`; 0 for null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crc32_z(crc: c_ulong, buf: *const u8, len: usize) -> c_ulong {
    // SAFETY: zlib.h's.
    let data = unsafe { bytes(buf, len) };
    data.map_or(0, |data| residue::crc32_extend(crc as u32, data).into())
}

/// Continues a CRC-32 with the bytes at `buf`; 0 for null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crc32(crc: c_ulong, buf: *const u8, len: c_uint) -> c_ulong {
    // SAFETY: zlib.h's.
    unsafe { crc32_z(crc, buf, len as usize) }
}

/// Continues an Adler-32 with the bytes at `buf`; 1 for null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adler32_z(adler: c_ulong, buf: *const u8, len: usize) -> c_ulong {
    // SAFETY: zlib.h's.
    let data = unsafe { bytes(buf, len) };
    data.map_or(1, |data| residue::adler32_extend(adler as u32, data).into())
}

/// Continues an Adler-32 with the bytes at `buf`; 1 for null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adler32(adler: c_ulong, buf: *const u8, len: c_uint) -> c_ulong {
    // SAFETY: zlib.h's.
    unsafe { adler32_z(adler, buf, len as usize) }
}

/// Computes the CRC-32 of two pieces of data; `len2` is the length of the second.
#[unsafe(no_mangle)]
pub extern "C" fn crc32_combine64(crc1: c_ulong, crc2: c_ulong, len2: i64) -> c_ulong {
    let Ok(length) = u64::try_from(len2) else {
        return 0;
    };
    CRC_32.combine(crc1 as u32, crc2 as u32, length).into()
}

/// Computes the CRC-32 of two pieces of data; `len2` is the length of the second.
#[allow(clippy::useless_conversion)] // Not on every target.
#[unsafe(no_mangle)]
pub extern "C" fn crc32_combine(crc1: c_ulong, crc2: c_ulong, len2: c_long) -> c_ulong {
    crc32_combine64(crc1, crc2, len2.into())
}

/// Returns the operator that `crc32_combine_op` takes for pieces of this length: x^(8 len2),
/// reflected, as zlib's is.
#[unsafe(no_mangle)]
pub extern "C" fn crc32_combine_gen64(len2: i64) -> c_ulong {
    // The register 1: init and xorout, which are equal, cancel.
    crc32_combine64(1 << 31, 0, len2)
}

/// Returns the operator that `crc32_combine_op` takes for pieces of this length.
#[allow(clippy::useless_conversion)] // Not on every target.
#[unsafe(no_mangle)]
pub extern "C" fn crc32_combine_gen(len2: c_long) -> c_ulong {
    crc32_combine_gen64(len2.into())
}

/// Computes `crc32_combine` for a length that `crc32_combine_gen` prepared.
#[unsafe(no_mangle)]
pub extern "C" fn crc32_combine_op(crc1: c_ulong, crc2: c_ulong, op: c_ulong) -> c_ulong {
    let (mut product, mut power) = (0, crc1 as u32);
    for bit in (0..32).rev() {
        product ^= power & (op as u32 >> bit & 1).wrapping_neg();
        power = power >> 1 ^ (0xedb8_8320 & (power & 1).wrapping_neg());
    }
    c_ulong::from(product ^ crc2 as u32)
}

/// Computes the Adler-32 of two pieces of data; `len2` is the length of the second.
#[unsafe(no_mangle)]
pub extern "C" fn adler32_combine64(adler1: c_ulong, adler2: c_ulong, len2: i64) -> c_ulong {
    match u64::try_from(len2) {
        Ok(length) => residue::adler::combine(adler1 as u32, adler2 as u32, length).into(),
        Err(_) => 0xffff_ffff,
    }
}

/// Computes the Adler-32 of two pieces of data; `len2` is the length of the second.
#[allow(clippy::useless_conversion)] // Not on every target.
#[unsafe(no_mangle)]
pub extern "C" fn adler32_combine(adler1: c_ulong, adler2: c_ulong, len2: c_long) -> c_ulong {
    adler32_combine64(adler1, adler2, len2.into())
}

/// The table of Sarwate's algorithm: the register after each byte, from zero.
static TABLE: [u32; 256] = {
    let (mut table, mut byte) = ([0; 256], 0);
    while byte < 256 {
        let (mut register, mut bit) = (byte as u32, 0);
        while bit < 8 {
            register = register >> 1 ^ (0xedb8_8320 & (register & 1).wrapping_neg());
            bit += 1;
        }
        table[byte] = register;
        byte += 1;
    }
    table
};

/// Returns the table of Sarwate's algorithm, 256 values.
#[unsafe(no_mangle)]
pub extern "C" fn get_crc_table() -> *const u32 {
    TABLE.as_ptr()
}
