//! Samples: messages with their values.

use super::reading::{Form, Reading, from_digits};
use crate::Error;
use crate::error::{MOST_BYTES, Unusable};

/// A message and the value it came with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sample {
    /// The bytes that the value may be of.
    pub message: Vec<u8>,
    /// The value's bytes or digits as a number, as they are written: the first is the highest.
    pub value: u128,
}

/// Samples of one unknown code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Samples {
    list: Vec<Sample>,
    bits: u32,
    octets: bool,
}

impl Samples {
    /// Creates samples with values in fields of `bits` bits (4 for each hexadecimal digit).
    ///
    /// `octets`: values were found as bytes, whose order is undecided.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Samples`] if they cannot be of any code, or are too long.
    pub fn new(list: Vec<Sample>, bits: u32, octets: bool) -> Result<Samples, Error> {
        let fault = |unusable| Err(Error::Samples(unusable));
        if list.is_empty() {
            return fault(Unusable::None);
        }
        if !(1..=128).contains(&bits) {
            return fault(Unusable::Width(bits));
        }
        if let Some(i) = list.iter().position(|sample| sample.value > u128::MAX >> (128 - bits)) {
            return fault(Unusable::TooWide(i));
        }
        let bytes = list.iter().map(|sample| sample.message.len()).fold(0, usize::saturating_add);
        if bytes > MOST_BYTES {
            return fault(Unusable::TooLong(bytes));
        }
        let mut order: Vec<usize> = (0..list.len()).collect();
        order.sort_by_key(|&i| &list[i].message);
        for pair in order.windows(2) {
            let (a, b) = (&list[pair[0]], &list[pair[1]]);
            if a.message == b.message && a.value != b.value {
                return fault(Unusable::Contradiction(pair[0].min(pair[1]), pair[0].max(pair[1])));
            }
        }
        Ok(Samples { list, bits, octets })
    }

    /// Returns the samples.
    #[must_use]
    pub fn list(&self) -> &[Sample] {
        &self.list
    }

    /// Returns bits of a value's field.
    #[must_use]
    pub fn bits(&self) -> u32 {
        self.bits
    }

    /// Returns whether the order of the values' bytes is open from the start.
    #[must_use]
    pub fn octets(&self) -> bool {
        self.octets
    }

    /// Returns the samples with the values that their characters write as hexadecimal digits, as in
    /// records of text; `None` if a value has other characters.
    #[must_use]
    pub fn from_digits(&self) -> Option<Samples> {
        if !self.bits.is_multiple_of(16) {
            return None;
        }
        let number = |value: u128| {
            let text = &value.to_be_bytes()[16 - self.bits as usize / 8..];
            Some(from_digits(text)?.iter().fold(0, |number, &byte| number << 8 | u128::from(byte)))
        };
        let read = |sample: &Sample| {
            Some(Sample { message: sample.message.clone(), value: number(sample.value)? })
        };
        let list = self.list.iter().map(read).collect::<Option<_>>()?;
        Some(Samples { list, bits: self.bits / 2, octets: self.octets })
    }

    /// Returns the samples at these places.
    pub(super) fn some(&self, places: &[usize]) -> Samples {
        let list = places.iter().filter_map(|&i| self.list.get(i).cloned()).collect();
        Samples { list, ..*self }
    }

    /// Returns different samples, shortest first; a repeated sample adds no information.
    pub(super) fn distinct(&self) -> Vec<Sample> {
        let mut list = self.list.clone();
        list.sort_by(|a, b| (a.message.len(), &a.message).cmp(&(b.message.len(), &b.message)));
        list.dedup();
        list
    }
}

/// Different samples, as some [`Reading`] takes their messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Read {
    pub reading: Reading,
    pub messages: Vec<Vec<u8>>,
}

impl Read {
    /// Reads the samples; `None` if a message is too short for the reading.
    pub fn new(reading: Reading, samples: &[Sample]) -> Option<Read> {
        let messages = samples.iter().map(|sample| reading.apply(&sample.message));
        Some(Read { reading, messages: messages.collect::<Option<_>>()? })
    }
}

/// What a stage of the search is asked: the settings of which code give the samples' values?
#[derive(Clone, Copy)]
pub(super) struct Query<'a> {
    pub samples: &'a [Sample],
    /// Bits of a value's field.
    pub bits: u32,
    /// The ways to feed the messages.
    pub reads: &'a [Read],
    /// The ways to write the values.
    pub forms: &'a [Form],
}
