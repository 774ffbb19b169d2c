//! The rivals: one line each.
//!
//! `detected` chooses by the CPU's features, `portable` runs the same code everywhere, `fallback`
//! is what a detecting peer does on a lesser CPU, where it can be called by name.

use crate::contender::{
    ADLER_32, CRC_32, CRC_32C, CRC_64, Call, Contender, FLETCHER_16, FLETCHER_32, INTERNET, Takes,
    Way, singly,
};
use crate::foreign;

/// A rival in batches too, whose values are of this width.
macro_rules! each {
    ($values:ident, $rival:ident, $code:expr, $name:expr, $call:expr) => {
        Contender { many: Some(singly!($values, $call)), ..$rival($code, $name, $call) }
    };
}

/// Everyone but `residue`.
pub const RIVALS: &[Contender] = &[
    each!(wide, detected, CRC_32C, "crc-fast", |data| crc_fast::crc32_iscsi(data).into()),
    each!(wide, detected, CRC_32C, "crc32c", |data| crc32c::crc32c(data).into()),
    #[cfg(isal)]
    each!(wide, detected, CRC_32C, "ISA-L", |data| foreign::isal::iscsi(data).into()),
    #[cfg(isal)]
    each!(wide, fallback, CRC_32C, "ISA-L base", |data| foreign::isal::iscsi_base(data).into()),
    #[cfg(google)]
    each!(wide, detected, CRC_32C, "google-crc32c", |data| foreign::google::crc32c(data).into()),
    each!(wide, portable, CRC_32C, "crc", |data| CRC_CRC_32C.checksum(data).into()),
    detected(CRC_32, "crc-fast", |data| crc_fast::crc32_iso_hdlc(data).into()),
    detected(CRC_32, "crc32fast", |data| crc32fast::hash(data).into()),
    detected(CRC_32, "libdeflate", |data| foreign::libdeflate::crc32(data).into()),
    detected(CRC_32, "zlib-ng", |data| foreign::zlib_ng::crc32(data).into()),
    detected(CRC_32, "zlib-rs", |data| zlib_rs::crc32::crc32(0, data).into()),
    #[cfg(isal)]
    detected(CRC_32, "ISA-L", |data| foreign::isal::gzip(data).into()),
    #[cfg(zlib)]
    portable(CRC_32, "zlib", |data| foreign::zlib::crc32(data).into()),
    portable(CRC_32, "crc", |data| CRC_CRC_32.checksum(data).into()),
    fallback(CRC_32, "crc32fast baseline", |data| crc32fast_baseline(data).into()),
    fallback(CRC_32, "zlib-ng chorba", |data| foreign::zlib_ng::chorba(data).into()),
    #[cfg(target_arch = "x86_64")]
    fallback(CRC_32, "zlib-ng sse2", |data| foreign::zlib_ng::chorba_sse2(data).into()),
    #[cfg(isal)]
    fallback(CRC_32, "ISA-L base", |data| foreign::isal::gzip_base(data).into()),
    detected(CRC_64, "crc-fast", crc_fast::crc64_nvme),
    detected(CRC_64, "crc64fast-nvme", |data| nvme(crc64fast_nvme::Digest::new(), data)),
    portable(CRC_64, "crc", |data| CRC_CRC_64.checksum(data)),
    fallback(CRC_64, "crc64fast-nvme table", |data| {
        nvme(crc64fast_nvme::Digest::new_table(), data)
    }),
    each!(narrow, detected, INTERNET, "s2n-quic-core", |data| {
        s2n_quic_core::inet::checksum::checksum(data).into()
    }),
    each!(narrow, portable, INTERNET, "internet-checksum", |data| internet_checksum(data).into()),
    each!(narrow, portable, INTERNET, "etherparse", |data| etherparse(data).into()),
    each!(narrow, fallback, INTERNET, "s2n-quic-core generic", |data| s2n_generic(data).into()),
    detected(ADLER_32, "simd-adler32", |data| simd_adler32::adler32(&data).into()),
    detected(ADLER_32, "zlib-rs", |data| zlib_rs::adler32::adler32(1, data).into()),
    detected(ADLER_32, "libdeflate", |data| foreign::libdeflate::adler32(data).into()),
    detected(ADLER_32, "zlib-ng", |data| foreign::zlib_ng::adler32(data).into()),
    #[cfg(isal)]
    detected(ADLER_32, "ISA-L", |data| foreign::isal::adler32(data).into()),
    portable(ADLER_32, "adler2", |data| adler2::adler32_slice(data).into()),
    #[cfg(zlib)]
    portable(ADLER_32, "zlib", |data| foreign::zlib::adler32(data).into()),
    fallback(ADLER_32, "simd-adler32 scalar", |data| simd_adler32_scalar(data).into()),
    fallback(ADLER_32, "zlib-ng c", |data| foreign::zlib_ng::adler32_portable(data).into()),
    #[cfg(isal)]
    fallback(ADLER_32, "ISA-L base", |data| foreign::isal::portable_adler32(data).into()),
    portable(FLETCHER_16, "fletcher", |data| fletcher::calc_fletcher16(data).into()),
    words(FLETCHER_32, "fletcher", |data| fletcher::calc_fletcher32(foreign::words(data)).into()),
];

const fn detected(code: &'static str, name: &'static str, call: Call) -> Contender {
    Contender {
        code,
        name,
        way: Way::Detected,
        takes: Takes::Bytes,
        below: usize::MAX,
        call,
        many: None,
        singly: None,
        copied: None,
    }
}

const fn portable(code: &'static str, name: &'static str, call: Call) -> Contender {
    Contender { way: Way::Portable, ..detected(code, name, call) }
}

const fn fallback(code: &'static str, name: &'static str, call: Call) -> Contender {
    Contender { way: Way::Fallback, ..detected(code, name, call) }
}

const fn words(code: &'static str, name: &'static str, call: Call) -> Contender {
    Contender { takes: Takes::Words, ..portable(code, name, call) }
}

/// The crate's fastest tables.
type Table = crc::Table<16>;
static CRC_CRC_32C: crc::Crc<u32, Table> = crc::Crc::<u32, Table>::new(&crc::CRC_32_ISCSI);
static CRC_CRC_32: crc::Crc<u32, Table> = crc::Crc::<u32, Table>::new(&crc::CRC_32_ISO_HDLC);
static CRC_CRC_64: crc::Crc<u64, Table> = crc::Crc::<u64, Table>::new(&crc::CRC_64_NVME);

fn nvme(mut digest: crc64fast_nvme::Digest, data: &[u8]) -> u64 {
    digest.write(data);
    digest.sum64()
}

fn crc32fast_baseline(data: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::internal_new_baseline(0, 0);
    hasher.update(data);
    hasher.finalize()
}

fn internet_checksum(data: &[u8]) -> u16 {
    u16::from_be_bytes(internet_checksum::checksum(data))
}

fn etherparse(data: &[u8]) -> u16 {
    etherparse::checksum::Sum16BitWords::new().add_slice(data).ones_complement().to_be()
}

fn s2n_generic(data: &[u8]) -> u16 {
    use std::hash::Hasher;
    let mut checksum = s2n_quic_core::inet::checksum::Checksum::generic();
    checksum.write(data);
    checksum.finish()
}

fn simd_adler32_scalar(data: &[u8]) -> u32 {
    let (a, b) = simd_adler32::imp::scalar::update(1, 0, data);
    u32::from(b) << 16 | u32::from(a)
}
