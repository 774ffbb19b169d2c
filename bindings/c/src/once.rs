//! One-shot functions: each family by name.
//!
//! Those that return a value alone have the ABI `C-unwind`: they hand over to a kernel, which does
//! not panic, by a jump. `C` would make it a call, to abort the program if it did.

use crate::ffi::{bytes, residue_status, run, value_of, write};
use residue::crc::{CRC_32, CRC_32C, CRC_64_NVME};
use residue::fletcher::check_octets;
use residue::{adler, copy, fletcher, internet, xns};
use std::ffi::c_void;

/// Computes CRC-32C: iSCSI, SCTP, ext4, Btrfs, NVMe/TCP. "123456789" gives 0xe3069283.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn residue_crc32c(data: *const c_void, length: usize) -> u32 {
    // SAFETY: the header's rules.
    unsafe { value_of(data, length, residue::crc32c) }
}

/// Computes CRC-32: Ethernet, zip, gzip, PNG; zlib's crc32. "123456789" gives 0xcbf43926.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn residue_crc32(data: *const c_void, length: usize) -> u32 {
    // SAFETY: the header's rules.
    unsafe { value_of(data, length, residue::crc32) }
}

/// Computes CRC-64/NVME: NVMe, S3. "123456789" gives 0xae8b14860a799888.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn residue_crc64_nvme(data: *const c_void, length: usize) -> u64 {
    // SAFETY: the header's rules.
    unsafe { value_of(data, length, residue::crc64_nvme) }
}

/// Computes Adler-32: zlib streams. "Wikipedia" gives 0x11e60398; no data 1.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn residue_adler32(data: *const c_void, length: usize) -> u32 {
    // SAFETY: the header's rules.
    unsafe { value_of(data, length, residue::adler32) }
}

/// Computes the Internet checksum (RFC 1071) of IPv4, TCP, UDP and ICMP, complemented, as a
/// big-endian value: store it by htons(). Returns 0 for data that contains its correct checksum.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn residue_internet_checksum(
    data: *const c_void,
    length: usize,
) -> u16 {
    // SAFETY: the header's rules.
    unsafe { value_of(data, length, internet::checksum) }
}

/// Updates an Internet checksum after the 16-bit field old_field, at an even offset, became
/// new_field (RFC 1624). All three are big-endian values.
#[unsafe(no_mangle)]
pub extern "C" fn residue_internet_update(checksum: u16, old_field: u16, new_field: u16) -> u16 {
    internet::update(checksum, old_field, new_field)
}

/// Computes the checksum of XNS IDP and IPX, of the packet after its checksum field; never 0xffff.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn residue_xns_checksum(data: *const c_void, length: usize) -> u16 {
    // SAFETY: the header's rules.
    unsafe { value_of(data, length, xns::checksum) }
}

/// Computes Fletcher-16: sums of bytes modulo 255, the second in the upper byte. "abcde" gives
/// 0xc8f0.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn residue_fletcher16(data: *const c_void, length: usize) -> u16 {
    // SAFETY: the header's rules.
    unsafe { value_of(data, length, residue::fletcher16) }
}

/// Computes Fletcher-32: sums of little-endian 16-bit words modulo 65535, the second in the upper
/// half; an odd last byte is padded with a zero byte. "abcde" gives 0xf04fc729.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn residue_fletcher32(data: *const c_void, length: usize) -> u32 {
    // SAFETY: the header's rules.
    unsafe { value_of(data, length, residue::fletcher32) }
}

/// Computes Fletcher-32 of big-endian words.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn residue_fletcher32_be(data: *const c_void, length: usize) -> u32 {
    // SAFETY: the header's rules.
    unsafe { value_of(data, length, fletcher::fletcher32_be) }
}

/// Continues a CRC-32C with further bytes. To start, pass crc 0, that of no data.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn residue_crc32c_extend(
    crc: u32,
    data: *const c_void,
    length: usize,
) -> u32 {
    // SAFETY: the header's rules.
    unsafe { value_of(data, length, |bytes| residue::crc32c_extend(crc, bytes)) }
}

/// Continues a CRC-32 with further bytes: zlib's crc32. To start, pass crc 0, that of no data.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn residue_crc32_extend(
    crc: u32,
    data: *const c_void,
    length: usize,
) -> u32 {
    // SAFETY: the header's rules.
    unsafe { value_of(data, length, |bytes| residue::crc32_extend(crc, bytes)) }
}

/// Continues a CRC-64/NVME with further bytes. To start, pass crc 0, that of no data.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn residue_crc64_nvme_extend(
    crc: u64,
    data: *const c_void,
    length: usize,
) -> u64 {
    // SAFETY: the header's rules.
    unsafe { value_of(data, length, |bytes| residue::crc64_nvme_extend(crc, bytes)) }
}

/// Continues an Adler-32 with further bytes: zlib's adler32. To start, pass adler 1, that of no
/// data.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn residue_adler32_extend(
    adler: u32,
    data: *const c_void,
    length: usize,
) -> u32 {
    // SAFETY: the header's rules.
    unsafe { value_of(data, length, |bytes| residue::adler32_extend(adler, bytes)) }
}

/// Computes the CRC-32C of two pieces of data from the value of each; second_length is the length
/// of the second in bytes. Takes time logarithmic in second_length. (Any code:
/// residue_partial_concat.)
#[unsafe(no_mangle)]
pub extern "C" fn residue_crc32c_combine(first: u32, second: u32, second_length: u64) -> u32 {
    CRC_32C.combine(first, second, second_length)
}

/// Computes the CRC-32 of two pieces of data from the value of each: zlib's crc32_combine.
#[unsafe(no_mangle)]
pub extern "C" fn residue_crc32_combine(first: u32, second: u32, second_length: u64) -> u32 {
    CRC_32.combine(first, second, second_length)
}

/// Computes the CRC-64/NVME of two pieces of data from the value of each.
#[unsafe(no_mangle)]
pub extern "C" fn residue_crc64_nvme_combine(first: u64, second: u64, second_length: u64) -> u64 {
    CRC_64_NVME.combine(first, second, second_length)
}

/// Computes the Adler-32 of two pieces of data from the value of each: zlib's adler32_combine.
#[unsafe(no_mangle)]
pub extern "C" fn residue_adler32_combine(first: u32, second: u32, second_length: u64) -> u32 {
    adler::combine(first, second, second_length)
}

/// Copies length bytes and computes their CRC-32C in one pass. RESIDUE_OVERLAP if any two of
/// source, destination and value share a byte. (Any code: residue_copy.)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn residue_copy_crc32c(
    to: *mut c_void,
    from: *const c_void,
    length: usize,
    value: *mut u32,
) -> residue_status {
    run(|| {
        // SAFETY: the header's rules.
        let (from, to) = unsafe { crate::batch::apart(to, from, length, value)? };
        let crc = copy::crc32c(from, to);
        // SAFETY: the header's rules.
        unsafe { write(value, crc) }
    })
}

/// Writes the two check octets of ISO 8473 (TP4, IS-IS, OSPF) at this offset of the packet, which
/// makes its sums zero modulo 255. Neither octet is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn residue_iso8473_place(
    packet: *mut c_void,
    length: usize,
    offset: usize,
) -> residue_status {
    run(|| {
        // SAFETY: the header's rules.
        let checked = unsafe { bytes(packet, length)? }.len();
        let packet = if checked == 0 {
            &mut []
        } else {
            // SAFETY: not null and not too long; the caller guarantees that the bytes are valid for
            // writes.
            unsafe { std::slice::from_raw_parts_mut(packet.cast(), checked) }
        };
        check_octets::place(packet, offset).map(drop).ok_or_else(|| {
            crate::ffi::Failure::new(
                residue_status::RESIDUE_RANGE,
                format!("two octets at byte {offset} do not fit into {length} bytes"),
            )
        })
    })
}

/// Returns whether both sums of the packet, check octets included, are zero modulo 255.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn residue_iso8473_verify(packet: *const c_void, length: usize) -> bool {
    // SAFETY: the header's rules.
    unsafe { value_of(packet, length, check_octets::verify) }
}

/// Counts one hop in an XNS packet's checksum; packet_length is the packet's length field. 0xffff
/// (no checksum) stays.
#[unsafe(no_mangle)]
pub extern "C" fn residue_xns_update_hop(checksum: u16, packet_length: u16) -> u16 {
    xns::update_hop(checksum, packet_length)
}
