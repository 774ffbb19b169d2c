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

mod crc32c;
mod internet;

use crate::code::of_sum;
use crate::crc::compiled::CompiledIn;
use crate::crc::crc32c::Crc32c;
use crate::crc::of_family;
use crate::internet as rfc1071;
use crate::kernel::{Dispatch, Family};
use crate::{Code, Error};
use core::ops::Range;
pub(crate) use crc32c::Lockstep;
pub(crate) use internet::Grouped;

/// The packets of a batch, made from `&[&[u8]]`, from an array of slices, or from [`Spans`].
#[derive(Clone, Copy, Debug)]
pub struct Packets<'a>(Form<'a>);

#[derive(Clone, Copy, Debug)]
enum Form<'a> {
    Slices(&'a [&'a [u8]]),
    Spans(Spans<'a>),
}

impl<'a> Packets<'a> {
    /// Returns the number of packets.
    #[must_use]
    pub const fn len(&self) -> usize {
        match self.0 {
            Form::Slices(slices) => slices.len(),
            Form::Spans(spans) => spans.spans.len(),
        }
    }

    /// Returns whether there are no packets.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the packets of a range of indices, which must be in bounds.
    fn part(self, range: Range<usize>) -> Packets<'a> {
        Packets(match self.0 {
            Form::Slices(slices) => Form::Slices(slices.get(range).unwrap_or_default()),
            Form::Spans(Spans { base, spans }) => {
                Form::Spans(Spans { base, spans: spans.get(range).unwrap_or_default() })
            }
        })
    }

    /// Computes the value of each packet on its own.
    #[inline(always)]
    fn singly<V>(self, values: &mut [V], value: impl Fn(&[u8]) -> V) {
        match self.0 {
            Form::Slices(slices) => singly(slices, values, value),
            Form::Spans(spans) => singly(spans, values, value),
        }
    }

    /// Checks, before any work, that there are exactly as many places for values as packets.
    fn places(&self, values: usize) -> Result<(), Error> {
        let packets = self.len();
        if packets == values { Ok(()) } else { Err(Error::BatchLength { packets, values }) }
    }
}

impl<'a> From<&'a [&'a [u8]]> for Packets<'a> {
    fn from(slices: &'a [&'a [u8]]) -> Self {
        Packets(Form::Slices(slices))
    }
}

impl<'a, const N: usize> From<&'a [&'a [u8]; N]> for Packets<'a> {
    fn from(slices: &'a [&'a [u8]; N]) -> Self {
        Packets(Form::Slices(slices))
    }
}

impl<'a> From<Spans<'a>> for Packets<'a> {
    fn from(spans: Spans<'a>) -> Self {
        Packets(Form::Spans(spans))
    }
}

/// Packets as parts of one buffer, such as a receive ring or a capture file.
///
/// Each has a start and a length in bytes. They may overlap.
#[derive(Clone, Copy, Debug)]
pub struct Spans<'a> {
    base: &'a [u8],
    spans: &'a [(u32, u32)],
}

impl<'a> Spans<'a> {
    /// Makes the spans `(start, length)` of `base`.
    ///
    /// # Errors
    /// [`Error::SpanOutside`] for the first span that reaches past the end of `base`.
    pub fn new(base: &'a [u8], spans: &'a [(u32, u32)]) -> Result<Self, Error> {
        let outside = |&(start, length): &(u32, u32)| {
            u64::from(start) + u64::from(length) > base.len() as u64
        };
        match spans.iter().position(outside) {
            None => Ok(Spans { base, spans }),
            Some(index) => {
                let (start, length) = spans[index];
                Err(Error::SpanOutside { index, start, length, bytes: base.len() as u64 })
            }
        }
    }
}

/// A source of packets, as kernels read it.
trait Source<'a>: Copy {
    /// Returns the packet at `index`, which must be below their number.
    fn packet(self, index: usize) -> &'a [u8];
}

impl<'a> Source<'a> for &'a [&'a [u8]] {
    #[inline(always)]
    fn packet(self, index: usize) -> &'a [u8] {
        self.get(index).copied().unwrap_or_default()
    }
}

impl<'a> Source<'a> for Spans<'a> {
    #[inline(always)]
    fn packet(self, index: usize) -> &'a [u8] {
        let Some(&(start, length)) = self.spans.get(index) else {
            return &[];
        };
        // `Spans::new` checked that it lies inside.
        let (start, length) = (start as usize, length as usize);
        self.base.get(start..start.saturating_add(length)).unwrap_or_default()
    }
}

/// Computes the Internet checksum of each packet, of any length, as
/// [`internet::checksum`](crate::internet::checksum) does.
///
/// # Errors
/// [`Error::BatchLength`] if `values` is not as long as `packets`; nothing is written then.
pub fn internet<'a>(packets: impl Into<Packets<'a>>, values: &mut [u16]) -> Result<(), Error> {
    let packets = packets.into();
    packets.places(values.len())?;
    if rfc1071::BEST.batch(&(), packets, values).is_none() {
        packets.singly(values, rfc1071::checksum);
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
    if Crc32c::BEST.batch(&(), packets, values).is_none() {
        packets.singly(values, crate::crc32c);
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
        Code::Sum(_) => packets.singly(values, |packet| code.value(packet)),
        Code::Crc(crc) => of_family!(crc, |best, with| widened(best, with, packets, values)),
    }
    Ok(())
}

/// Computes the values by the kernel of a family, some packets at a time, and widens them.
fn widened<F: Family<Value: Into<u128>>>(
    best: &Dispatch<F>,
    with: &F::With,
    packets: Packets<'_>,
    values: &mut [u128],
) {
    const ROUND: usize = 128;
    if !best.batches() {
        return packets.singly(values, |packet| best.oneshot(with, packet).into());
    }
    let mut narrow = [F::finish(with, F::start(with)); ROUND];
    for (round, values) in values.chunks_mut(ROUND).enumerate() {
        let part = packets.part(round * ROUND..round * ROUND + values.len());
        let narrow = &mut narrow[..values.len()];
        if best.batch(with, part, narrow).is_some() {
            values.iter_mut().zip(narrow).for_each(|(value, narrow)| *value = (*narrow).into());
        }
    }
}

/// Computes each packet on its own.
#[inline(always)]
fn singly<'a, V>(packets: impl Source<'a>, values: &mut [V], value: impl Fn(&[u8]) -> V) {
    for (index, place) in values.iter_mut().enumerate() {
        *place = value(packets.packet(index));
    }
}

#[cfg(test)]
mod tests;
