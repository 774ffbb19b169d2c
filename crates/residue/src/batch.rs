//! Check values of many small packets at once.
//!
//! A call for each packet spends more on the call, the last fold and the wait for its result than
//! on the bytes. A batch shares these costs: the Internet checksum sums several packets side by
//! side and folds all sums in one vector, CRC-32C runs four chains of its instruction in lockstep.
//! Other codes are computed packet by packet.
//!
//! Packets are slices, or [`Spans`] of one buffer. Values are those of the one-shot functions, in
//! the order of the packets. Nothing is allocated.
//!
//! ```
//! use residue::batch::{self, Spans};
//! let packets: [&[u8]; 3] = [b"123456789", b"", b"1234"];
//! let mut values = [0; 3];
//! batch::crc32c(&packets, &mut values)?;
//! assert_eq!(values, packets.map(residue::crc32c));
//!
//! let spans = Spans::new(b"123456789", &[(0, 4), (4, 5)])?;
//! let mut values = [0; 2];
//! batch::internet(spans, &mut values)?;
//! assert_eq!(values, [b"1234".as_slice(), b"56789"].map(residue::internet::checksum));
//! # Ok::<(), residue::Error>(())
//! ```

use crate::Error;
use crate::body::Family;
pub use crate::body::{Packets, Spans};
use crate::code::{Code, of_sum};
use crate::crc::{compiled::Crc32c, of_family};
use crate::kernel::Dispatch;
use crate::sums::internet::{self as rfc1071, Internet};
use crate::sums::running::Summed;

/// Computes the Internet checksum of each packet, of any length, as
/// [`internet::checksum`](crate::internet::checksum) does.
///
/// # Errors
/// [`Error::BatchLength`] if `values` is not as long as `packets`; nothing is written then.
pub fn internet<'a>(packets: impl Into<Packets<'a>>, values: &mut [u16]) -> Result<(), Error> {
    let packets = packets.into();
    packets.places(values.len())?;
    if Internet::DISPATCH.batch(&(), packets, values).is_none() {
        packets.one_by_one(values, rfc1071::checksum);
    }
    Ok(())
}

/// Computes the CRC-32C of each packet, of any length, as [`crc32c`](crate::crc32c) does.
///
/// # Errors
/// [`Error::BatchLength`] if `values` is not as long as `packets`; nothing is written then.
pub fn crc32c<'a>(packets: impl Into<Packets<'a>>, values: &mut [u32]) -> Result<(), Error> {
    let packets = packets.into();
    packets.places(values.len())?;
    if Crc32c::DISPATCH.batch(&(), packets, values).is_none() {
        packets.one_by_one(values, crate::crc::crc32c::crc32c);
    }
    Ok(())
}

/// Computes the value of each packet by any code, as [`Code::value`] does.
///
/// # Errors
/// [`Error::BatchLength`] if `values` is not as long as `packets`; nothing is written then.
pub fn each<'a>(
    code: &Code,
    packets: impl Into<Packets<'a>>,
    values: &mut [u128],
) -> Result<(), Error> {
    let packets = packets.into();
    packets.places(values.len())?;
    match code {
        Code::Sum(sum) if sum.is_plain() => {
            of_sum!(sum.family(), |best| widened(best, &(), packets, values));
        }
        Code::Sum(_) => packets.one_by_one(values, |packet| code.value(packet)),
        Code::Crc(crc) => of_family!(crc, |best, context| widened(best, context, packets, values)),
    }
    Ok(())
}

/// Computes the values by the kernel of a family, some packets at a time, and widens them.
fn widened<F: Family<Value: Into<u128>>>(
    best: &Dispatch<F>,
    context: &F::Context,
    packets: Packets<'_>,
    values: &mut [u128],
) {
    const ROUND: usize = 128;
    if !best.batches() {
        return packets.one_by_one(values, |packet| best.oneshot(context, packet).into());
    }
    let mut narrow = [F::finish(context, F::start(context)); ROUND];
    for (round, values) in values.chunks_mut(ROUND).enumerate() {
        let part = packets.part(round * ROUND..round * ROUND + values.len());
        let narrow = &mut narrow[..values.len()];
        if best.batch(context, part, narrow).is_some() {
            values.iter_mut().zip(narrow).for_each(|(value, narrow)| *value = (*narrow).into());
        }
    }
}
