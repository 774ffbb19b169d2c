//! Peers in C, and a view of bytes as words: the only unsafe code here.
//!
//! Each function gets a slice's pointer and length, reads those bytes and no others, and keeps
//! nothing.

#![allow(unsafe_code)]

/// Returns the bytes as words in memory order.
///
/// # Panics
/// If they do not start at an even address.
pub fn words(data: &[u8]) -> &[u16] {
    // SAFETY: every bit pattern is a u16.
    let (head, words, _) = unsafe { data.align_to() };
    assert!(head.is_empty(), "words start at even addresses");
    words
}

/// libdeflate, from its crate.
pub mod libdeflate {
    /// CRC-32.
    pub fn crc32(data: &[u8]) -> u32 {
        // SAFETY: see the module.
        unsafe { libdeflate_sys::libdeflate_crc32(0, data.as_ptr().cast(), data.len()) }
    }

    /// Adler-32.
    pub fn adler32(data: &[u8]) -> u32 {
        // SAFETY: see the module.
        unsafe { libdeflate_sys::libdeflate_adler32(1, data.as_ptr().cast(), data.len()) }
    }
}

/// zlib-ng, from its crate. Its functions have names of their own (`zng_...`), so zlib can stand
/// beside it.
pub mod zlib_ng {
    /// CRC-32.
    pub fn crc32(data: &[u8]) -> u32 {
        // SAFETY: see the module.
        unsafe { libz_ng_sys::crc32(0, data.as_ptr(), data.len() as u32) as u32 }
    }

    /// Adler-32.
    pub fn adler32(data: &[u8]) -> u32 {
        // SAFETY: see the module.
        unsafe { libz_ng_sys::adler32(1, data.as_ptr(), data.len() as u32) as u32 }
    }

    // Functions inside the library, among which it chooses by the CPU.
    unsafe extern "C" {
        fn crc32_chorba(crc: u32, data: *const u8, length: usize) -> u32;
        #[cfg(target_arch = "x86_64")]
        fn crc32_chorba_sse2(crc: u32, data: *const u8, length: usize) -> u32;
        fn adler32_c(adler: u32, data: *const u8, length: usize) -> u32;
    }

    /// CRC-32 for any CPU.
    pub fn chorba(data: &[u8]) -> u32 {
        // SAFETY: see the module.
        unsafe { crc32_chorba(0, data.as_ptr(), data.len()) }
    }

    /// CRC-32 with SSE2, which every x86-64 CPU has.
    #[cfg(target_arch = "x86_64")]
    pub fn chorba_sse2(data: &[u8]) -> u32 {
        // SAFETY: see the module.
        unsafe { crc32_chorba_sse2(0, data.as_ptr(), data.len()) }
    }

    /// Adler-32 for any CPU.
    pub fn adler32_portable(data: &[u8]) -> u32 {
        // SAFETY: see the module.
        unsafe { adler32_c(1, data.as_ptr(), data.len()) }
    }
}

/// zlib, from the system.
#[cfg(zlib)]
pub mod zlib {
    use std::ffi::{c_uint, c_ulong};

    unsafe extern "C" {
        #[link_name = "crc32"]
        fn c_crc32(crc: c_ulong, data: *const u8, length: c_uint) -> c_ulong;
        #[link_name = "adler32"]
        fn c_adler32(adler: c_ulong, data: *const u8, length: c_uint) -> c_ulong;
    }

    /// CRC-32.
    pub fn crc32(data: &[u8]) -> u32 {
        // SAFETY: see the module.
        unsafe { c_crc32(0, data.as_ptr(), data.len() as c_uint) as u32 }
    }

    /// Adler-32.
    pub fn adler32(data: &[u8]) -> u32 {
        // SAFETY: see the module.
        unsafe { c_adler32(1, data.as_ptr(), data.len() as c_uint) as u32 }
    }
}

/// Google's crc32c, from the system.
#[cfg(google)]
pub mod google {
    unsafe extern "C" {
        fn crc32c_value(data: *const u8, length: usize) -> u32;
    }

    /// CRC-32C.
    pub fn crc32c(data: &[u8]) -> u32 {
        // SAFETY: see the module.
        unsafe { crc32c_value(data.as_ptr(), data.len()) }
    }
}

/// ISA-L, from the system.
#[cfg(isal)]
pub mod isal {
    use std::ffi::{c_int, c_uint};

    unsafe extern "C" {
        fn crc32_iscsi(data: *const u8, length: c_int, init: c_uint) -> c_uint;
        fn crc32_iscsi_base(data: *const u8, length: c_int, init: c_uint) -> c_uint;
        fn crc32_gzip_refl(init: u32, data: *const u8, length: u64) -> u32;
        fn crc32_gzip_refl_base(init: u32, data: *const u8, length: u64) -> u32;
        fn isal_adler32(init: u32, data: *const u8, length: u64) -> u32;
        fn adler32_base(init: u32, data: *const u8, length: u32) -> u32;
    }

    /// CRC-32C. The function leaves both complements to its caller.
    pub fn iscsi(data: &[u8]) -> u32 {
        // SAFETY: see the module.
        !unsafe { crc32_iscsi(data.as_ptr(), data.len() as c_int, !0) }
    }

    /// CRC-32C without the CPU's help.
    pub fn iscsi_base(data: &[u8]) -> u32 {
        // SAFETY: see the module.
        !unsafe { crc32_iscsi_base(data.as_ptr(), data.len() as c_int, !0) }
    }

    /// CRC-32.
    pub fn gzip(data: &[u8]) -> u32 {
        // SAFETY: see the module.
        unsafe { crc32_gzip_refl(0, data.as_ptr(), data.len() as u64) }
    }

    /// CRC-32 without the CPU's help.
    pub fn gzip_base(data: &[u8]) -> u32 {
        // SAFETY: see the module.
        unsafe { crc32_gzip_refl_base(0, data.as_ptr(), data.len() as u64) }
    }

    /// Adler-32.
    pub fn adler32(data: &[u8]) -> u32 {
        // SAFETY: see the module.
        unsafe { isal_adler32(1, data.as_ptr(), data.len() as u64) }
    }

    /// Adler-32 without the CPU's help.
    pub fn portable_adler32(data: &[u8]) -> u32 {
        // SAFETY: see the module.
        unsafe { adler32_base(1, data.as_ptr(), data.len() as u32) }
    }
}
