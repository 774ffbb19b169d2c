//! The packets of a batch.

use crate::Error;
use core::ops::Range;

/// The packets of a batch, made from `&[&[u8]]`, from an array of slices, or from [`Spans`].
#[derive(Clone, Copy, Debug)]
pub struct Packets<'a>(pub(crate) Form<'a>);

/// The two forms that packets come in. Kernels are compiled for each.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Form<'a> {
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
    pub(crate) fn part(self, range: Range<usize>) -> Packets<'a> {
        Packets(match self.0 {
            Form::Slices(slices) => Form::Slices(slices.get(range).unwrap_or_default()),
            Form::Spans(Spans { base, spans }) => {
                Form::Spans(Spans { base, spans: spans.get(range).unwrap_or_default() })
            }
        })
    }

    /// Computes the value of each packet on its own.
    #[inline(always)]
    pub(crate) fn one_by_one<V>(self, values: &mut [V], value: impl Fn(&[u8]) -> V) {
        match self.0 {
            Form::Slices(slices) => one_by_one(slices, values, value),
            Form::Spans(spans) => one_by_one(spans, values, value),
        }
    }

    /// Checks, before any work, that there are exactly as many places for values as packets.
    pub(crate) fn places(&self, values: usize) -> Result<(), Error> {
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
pub(crate) trait Source<'a>: Copy {
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

/// Computes each packet on its own.
#[inline(always)]
fn one_by_one<'a, V>(packets: impl Source<'a>, values: &mut [V], value: impl Fn(&[u8]) -> V) {
    for (index, place) in values.iter_mut().enumerate() {
        *place = value(packets.packet(index));
    }
}
