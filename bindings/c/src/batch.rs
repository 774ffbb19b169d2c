//! Many packets at once, and copies that are checked as they are made.

use crate::border::{Failure, bytes, given, residue_status, run, write};
use crate::code::{residue_code, residue_wide};
use residue::{batch, copy};
use std::ffi::c_void;
use std::mem::MaybeUninit;

/// A piece of data; laid out as struct iovec.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct residue_slice {
    /// Where it begins; may be null if the length is 0.
    pub data: *const c_void,
    /// Its bytes.
    pub length: usize,
}

/// So many packets at a time, from the stack.
const ROUND: usize = 128;

/// Source and destination of a copy.
///
/// # Safety
/// The header's rules.
pub unsafe fn apart<'a>(
    to: *mut c_void,
    from: *const c_void,
    length: usize,
) -> Result<(&'a [u8], &'a mut [MaybeUninit<u8>]), Failure> {
    // SAFETY: the header's rules.
    let (from, there) = unsafe { (bytes(from, length)?, bytes(to, length)?) };
    if there.is_empty() {
        return Ok((&[], &mut []));
    }
    let (a, b) = (from.as_ptr().addr(), to.addr());
    if a < b + length && b < a + length {
        let text = "source and destination overlap; move the data, then take its value";
        return Err(Failure::new(residue_status::RESIDUE_OVERLAP, text));
    }
    // SAFETY: not null, not too long, and apart from `from`; the caller vouches that it may be written.
    Ok((from, unsafe { std::slice::from_raw_parts_mut(to.cast(), length) }))
}

/// Copies length bytes, as memcpy, and gives their value by any code, for most codes in one pass.
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
        let (code, (from, to)) = unsafe { (given(code, "the code")?, apart(to, from, length)?) };
        let found = copy::code(&code.code, from, to);
        // SAFETY: the header's rules.
        unsafe { write(value, found.into()) }
    })
}

/// Some packets at a time to `work`, with their index. Nothing is done if a pointer is wrong.
///
/// # Safety
/// The header's rules.
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
        let text = format!("no memory holds {count} packets; is the count negative?");
        return Err(Failure::new(residue_status::RESIDUE_LENGTH, text));
    }
    // SAFETY: not null and not too many; the caller vouches for them.
    let packets = unsafe { std::slice::from_raw_parts(packets, count) };
    for packet in packets {
        // SAFETY: the header's rules.
        unsafe { bytes(packet.data, packet.length)? };
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

/// The places of `count` values from `index` on.
///
/// # Safety
/// There are so many, of a type for which zero bytes are a value.
unsafe fn places<'a, V>(values: *mut V, index: usize, count: usize) -> &'a mut [V] {
    // SAFETY: the caller vouches for the places; what callers in C leave uninitialised is zero when it becomes a slice.
    unsafe {
        let first = values.add(index);
        first.write_bytes(0, count);
        std::slice::from_raw_parts_mut(first, count)
    }
}

/// The CRC-32C of each of count packets.
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

/// The Internet checksum of each of count packets.
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

/// The value of each of count packets, by any code of up to 64 bits.
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
