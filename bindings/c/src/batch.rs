//! Values of many packets at once, and copies with a value.

use crate::code::{residue_code, residue_wide};
use crate::ffi::{Failure, bytes, given, null, overlap, residue_status, run, write};
use residue::{batch, copy};
use std::ffi::c_void;
use std::mem::MaybeUninit;

/// A piece of data; laid out as struct iovec.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct residue_slice {
    /// The first byte; may be null if the length is 0.
    pub data: *const c_void,
    /// The length in bytes.
    pub length: usize,
}

/// Packets per round, in arrays on the stack.
const ROUND: usize = 128;

fn overlapping(text: &str) -> Failure {
    Failure::new(residue_status::RESIDUE_OVERLAP, text)
}

/// Returns source and destination of a copy, whose value goes to `value`.
///
/// # Safety
///
/// `from` must be null or valid for reads, and `to` null or valid for writes, of `length` bytes,
/// for all of `'a`.
pub unsafe fn apart<'a, V>(
    to: *mut c_void,
    from: *const c_void,
    length: usize,
    value: *mut V,
) -> Result<(&'a [u8], &'a mut [MaybeUninit<u8>]), Failure> {
    if value.is_null() {
        return Err(null("the pointer to the result"));
    }
    // SAFETY: the header's rules.
    let (from, there) = unsafe { (bytes(from, length)?, bytes(to, length)?) };
    if there.is_empty() {
        return Ok((&[], &mut []));
    }
    let (a, b) = ((from.as_ptr().addr(), length), (to.addr(), length));
    if overlap(a, b) {
        let text = "source and destination overlap; move the data, then take its value";
        return Err(overlapping(text));
    }
    let value = (value.addr(), size_of::<V>());
    if overlap(a, value) || overlap(b, value) {
        let text = "the value overlaps the source or the destination; give it memory of its own";
        return Err(overlapping(text));
    }
    // SAFETY: not null, not too long, and disjoint from `from`; the caller guarantees that it is
    // valid for writes.
    Ok((from, unsafe { std::slice::from_raw_parts_mut(to.cast(), length) }))
}

/// Copies length bytes, as memcpy, and computes their value by any code, for most codes in one
/// pass. RESIDUE_OVERLAP if any two of source, destination and value share a byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn residue_copy(
    code: *const residue_code,
    to: *mut c_void,
    from: *const c_void,
    length: usize,
    value: *mut residue_wide,
) -> residue_status {
    run(|| {
        // SAFETY: the header's rules.
        let code = unsafe { given(code, "the code")? };
        // SAFETY: the header's rules.
        let (from, to) = unsafe { apart(to, from, length, value)? };
        let found = copy::code(&code.code, from, to);
        // SAFETY: the header's rules.
        unsafe { write(value, found.into()) }
    })
}

/// Passes the packets to `work`, up to `ROUND` at a time, with the index of the first. Does nothing
/// if a pointer is wrong, or `values` shares a byte with the packets or their array.
///
/// # Safety
///
/// `packets` must be null or valid for reads of `count` elements, and each element's data for reads
/// of its length; `values` must be null or valid for writes of `count` elements.
unsafe fn rounds<V>(
    packets: *const residue_slice,
    values: *mut V,
    count: usize,
    mut work: impl FnMut(&[&[u8]], usize) -> Result<(), Failure>,
) -> Result<(), Failure> {
    if count == 0 {
        return Ok(());
    }
    if packets.is_null() || values.is_null() {
        let text = "the pointer to the packets or to the values is null";
        return Err(Failure::new(residue_status::RESIDUE_NULL, text));
    }
    if count > isize::MAX as usize / size_of::<residue_slice>() {
        let text = format!("{count} packets exceed any memory; is the count negative?");
        return Err(Failure::new(residue_status::RESIDUE_LENGTH, text));
    }
    let places = (values.addr(), count * size_of::<V>());
    if overlap(places, (packets.addr(), count * size_of::<residue_slice>())) {
        let text = "the values overlap the array of packets; give them memory of their own";
        return Err(overlapping(text));
    }
    // SAFETY: not null and not too many; the caller guarantees that they are valid for reads.
    let packets = unsafe { std::slice::from_raw_parts(packets, count) };
    for (index, packet) in packets.iter().enumerate() {
        // SAFETY: the header's rules.
        unsafe { bytes(packet.data, packet.length)? };
        // The values of a round are written before the packets of the next are read.
        if overlap(places, (packet.data.addr(), packet.length)) {
            let text = format!("the values overlap packet {index}; give them memory of their own");
            return Err(overlapping(&text));
        }
    }
    let mut slices: [&[u8]; ROUND] = [&[]; ROUND];
    for (round, packets) in packets.chunks(ROUND).enumerate() {
        for (slice, packet) in slices.iter_mut().zip(packets) {
            // SAFETY: the header's rules.
            *slice = unsafe { bytes(packet.data, packet.length)? };
        }
        work(&slices[..packets.len()], round * ROUND)?;
    }
    Ok(())
}

/// Returns `count` elements from `index` on, zeroed.
///
/// # Safety
///
/// `values` must be valid for writes of `index + count` elements for all of `'a`, and all-zero
/// bytes must be a valid `V`.
unsafe fn places<'a, V>(values: *mut V, index: usize, count: usize) -> &'a mut [V] {
    // SAFETY: the caller guarantees that the elements are valid for writes; callers in C may leave
    // them uninitialised, therefore they are zeroed before they become a slice.
    unsafe {
        let first = values.add(index);
        first.write_bytes(0, count);
        std::slice::from_raw_parts_mut(first, count)
    }
}

/// Computes the CRC-32C of each of count packets. In this function and the following ones,
/// RESIDUE_OVERLAP if values shares a byte with a packet or with the array of packets; packets may
/// overlap each other.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn residue_batch_crc32c(
    packets: *const residue_slice,
    count: usize,
    values: *mut u32,
) -> residue_status {
    // SAFETY: the header's rules; each round has its own places.
    run(|| unsafe {
        rounds(packets, values, count, |packets, index| {
            Ok(batch::crc32c(packets, places(values, index, packets.len()))?)
        })
    })
}

/// Computes the Internet checksum of each of count packets.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn residue_batch_internet(
    packets: *const residue_slice,
    count: usize,
    values: *mut u16,
) -> residue_status {
    // SAFETY: the header's rules; each round has its own places.
    run(|| unsafe {
        rounds(packets, values, count, |packets, index| {
            Ok(batch::internet(packets, places(values, index, packets.len()))?)
        })
    })
}

/// Computes the value of each of count packets, by any code of up to 64 bits.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn residue_batch(
    code: *const residue_code,
    packets: *const residue_slice,
    count: usize,
    values: *mut u64,
) -> residue_status {
    run(|| {
        // SAFETY: the header's rules.
        let code = unsafe { given(code, "the code")? };
        code.narrow(0)?;
        // SAFETY: the header's rules; each round has its own places.
        unsafe {
            rounds(packets, values, count, |packets, index| {
                let mut wide = [0; ROUND];
                let wide = &mut wide[..packets.len()];
                batch::each(&code.code, packets, wide)?;
                let places = places(values, index, packets.len());
                places.iter_mut().zip(wide).for_each(|(place, wide)| *place = *wide as u64);
                Ok(())
            })
        }
    })
}
