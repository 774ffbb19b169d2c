//! The hits of a stage of the search, and the count of its trials.

use super::family::Family;
use super::hashes::Hash;
use super::mask::Mask;
use super::reading::{Form, Part, Place, Reading};
use super::sample::{Read, Sample};
use super::sums::{Kind, Model};
use super::untried::Untried;
use residue::Code;
use residue::crc::Crc;
use std::collections::BTreeSet;

/// The base-2 logarithm of the largest probability of a chance hit for a result to be convincing.
pub const CONVINCING: f64 = -10.0;

/// The messages whose values are information of their own about a code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Counted {
    /// Those that are no sums of others, bit by bit: of codes linear over GF(2).
    Bits,
    /// Those that are no sums of others, as numbers: of sums.
    Bytes,
    /// Those that are different: of hash functions.
    Different,
}

/// A code that was found.
#[derive(Clone, Debug)]
pub enum Found {
    /// A named code, or a CRC.
    Code(Box<Code>),
    /// A sum.
    Sum(Model),
    /// A hash function, or the checksum of a program.
    Hash(&'static Hash),
}

impl Found {
    /// Returns the bits of a value that stands in a field of `bits` bits.
    pub(super) fn width(&self, bits: u32) -> u32 {
        match self {
            Found::Code(code) => code.width(),
            Found::Sum(_) => bits,
            Found::Hash(hash) => hash.width,
        }
    }

    /// Returns the bits of information in a value in a field of `bits` bits, if all were equally
    /// likely.
    pub(super) fn information(&self, bits: u32) -> f64 {
        match self {
            Found::Code(_) | Found::Hash(_) => self.width(bits).min(bits).into(),
            Found::Sum(model) => model.information(),
        }
    }

    /// Returns which messages count.
    pub(super) fn counted(&self) -> Counted {
        match self {
            Found::Code(code) if code.params().is_some() || code.name().starts_with("xor") => {
                Counted::Bits
            }
            Found::Sum(Model { kind: Kind::Xor, .. }) => Counted::Bits,
            Found::Sum(Model { kind: Kind::Iterated { step, .. }, .. }) => match step.is_linear() {
                true => Counted::Bits,
                false => Counted::Different,
            },
            Found::Sum(Model { kind: Kind::Bsd, .. }) | Found::Hash(_) => Counted::Different,
            Found::Code(_) | Found::Sum(_) => Counted::Bytes,
        }
    }

    /// Returns the value of a message.
    pub(super) fn value(&self, message: &[u8], bits: u32) -> u128 {
        match self {
            Found::Code(code) => code.value(message),
            Found::Sum(model) => model.value(message, bits),
            Found::Hash(hash) => hash.value(message),
        }
    }
}

/// A code that has the values of all samples.
#[derive(Clone, Debug)]
pub struct Hit {
    /// The code.
    pub found: Found,
    /// The CRCs that differ in init and xorout only and that the samples cannot distinguish.
    pub family: Option<Family>,
    /// The way the message is fed to it.
    pub reading: Reading,
    /// The way its value is written.
    pub form: Form,
    /// The part of the value that is written, if the field is narrower than the value.
    pub part: Option<Part>,
    /// What the value is combined with by exclusive or, if that depends on the message.
    pub mask: Option<Mask>,
    /// The greatest sum of the samples, if the code is a sum and they do not show its modulus:
    /// every greater modulus gives their values as well.
    pub unreached: Option<u128>,
    /// The logarithm to base 2 of the number of chance hits to be expected among all that was tried
    /// up to this stage.
    pub chance: f64,
}

impl Hit {
    /// Returns the value of a message as it is written in a field of `bits` bits; `None` if the
    /// message is too short, or no sample shows what the value is combined with.
    #[must_use]
    pub fn field(&self, message: &[u8], bits: u32) -> Option<u128> {
        let mask = self.mask.as_ref().map_or(Some(0), |mask| mask.of(message))?;
        let message = self.reading.apply(message)?;
        let value = self.found.value(&message, bits) ^ mask;
        Some(self.form.field(value, bits, self.found.width(bits)))
    }

    /// Returns what the field holds, in words.
    #[must_use]
    pub fn written(&self) -> String {
        match (self.part, &self.mask) {
            (Some(part), _) => format!("{part} of the value, {}", self.form.order),
            (None, Some(mask)) => format!("the value, {mask}, {}", self.form),
            (None, None) => format!("the value {}", self.form),
        }
    }

    pub(super) fn fits(&self, sample: &Sample, bits: u32) -> bool {
        self.field(&sample.message, bits) == Some(sample.value)
    }

    /// Returns whether it is equal to another hit, found in another way.
    pub(super) fn same(&self, other: &Hit) -> bool {
        let found = match (&self.found, &other.found) {
            (Found::Code(a), Found::Code(b)) => a == b,
            (Found::Sum(a), Found::Sum(b)) => a == b,
            (Found::Hash(a), Found::Hash(b)) => a.name == b.name,
            _ => false,
        };
        let same = found && self.reading == other.reading && self.form == other.form;
        same && self.mask == other.mask
    }
}

/// The results of a stage.
#[derive(Default)]
pub(super) struct Tally {
    /// The number of trials, in this stage and before.
    pub tried: f64,
    /// The hits with all values; [`Hit::chance`] does not yet count the number of trials.
    pub hits: Vec<Hit>,
    /// The number of further hits that chance alone explains.
    pub weak: usize,
    /// Widths at which the samples leave unknown generators open.
    pub undecided: BTreeSet<u32>,
    /// What was not tried on these samples.
    pub untried: BTreeSet<Untried>,
}

impl Tally {
    /// Records a family that fits.
    ///
    /// `unknown` bits were chosen for it to do so, besides init and xorout.
    pub fn family(
        &mut self,
        family: Family,
        samples: usize,
        unknown: u32,
        read: &Read,
        form: Form,
    ) {
        let width = f64::from(family.params.width);
        let chosen = if !family.names.is_empty() {
            // One of the hundred or so named codes.
            7.0
        } else if family.is_plain() {
            2.0 + f64::from(unknown)
        } else {
            2.0 * width - family.dimension() as f64 + f64::from(unknown)
        };
        let chance = chosen - width * samples as f64;
        if chance + self.tried.log2() >= 0.0 {
            self.weak += 1;
            return;
        }
        self.hits.push(Hit {
            found: Found::Code(Box::new(Code::Crc(Crc::new(&family.params)))),
            family: Some(family),
            reading: read.reading,
            form,
            part: None,
            mask: None,
            unreached: None,
            chance,
        });
    }
}

/// Moves each CRC before wider ones that the same common divisor of the samples gives.
///
/// In a wider field, a narrow value at the end where the register's highest bit is written is that
/// register times a power of x. If the samples happen to have another factor in common, the
/// generator times this factor fits as well, as that of a wider CRC. This one does not explain why
/// the other bits of the field are zero.
pub(super) fn narrowest_first(hits: &mut [Hit]) {
    for i in 1..hits.len() {
        if let Some(first) = (0..i).find(|&first| is_wider(&hits[first], &hits[i])) {
            hits[first..=i].rotate_right(1);
        }
    }
}

/// Returns whether a CRC without a name may be another, in a field that is wider than its value.
fn is_wider(wide: &Hit, narrow: &Hit) -> bool {
    let (Found::Code(a), Found::Code(b)) = (&wide.found, &narrow.found) else { return false };
    let (Some(a), Some(b)) = (a.params(), b.params()) else { return false };
    let alike = (wide.reading, wide.form.order, a.refin, a.refout)
        == (narrow.reading, narrow.form.order, b.refin, b.refout);
    let named = wide.family.as_ref().is_some_and(|family| !family.names.is_empty());
    let end = if b.refout { Place::Low } else { Place::High };
    alike && !named && a.width > b.width && narrow.form.place == end
}
