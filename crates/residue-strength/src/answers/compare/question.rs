//! What a comparison is of: codes, a length, bit error rates, traffic.

use crate::codes::additive::Additive;
use crate::crc::{Generator, Weights, profile};
use crate::{Effort, Error};
use residue::Code;

/// Bytes that Ethernet adds to the data of a frame: preamble and delimiter, header, check sequence,
/// gap.
const AROUND: u64 = 8 + 14 + 4 + 12;

/// The shortest data of an Ethernet frame, in bytes; shorter data are padded.
const LEAST: u64 = 46;

/// The rate at which frames are sent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Traffic {
    /// Frames per second.
    Frames(f64),
    /// The frames that a full Ethernet link of this many bits per second carries.
    Link(f64),
}

impl Traffic {
    /// Returns frames per second, each with `data_bits` bits of data.
    #[must_use]
    pub fn frames(self, data_bits: u64) -> f64 {
        match self {
            Traffic::Frames(frames) => frames,
            Traffic::Link(speed) => {
                let bytes = data_bits.div_ceil(8).max(LEAST).saturating_add(AROUND);
                speed / 8.0 / bytes as f64
            }
        }
    }

    /// Returns the speed of the link, if that was given.
    #[must_use]
    pub fn link(self) -> Option<f64> {
        match self {
            Traffic::Frames(_) => None,
            Traffic::Link(speed) => Some(speed),
        }
    }
}

/// Seconds within which all weights of a CRC are counted without being asked for.
const AT_ONCE: f64 = 1.0;

/// A code to be compared.
#[derive(Clone, Debug)]
pub enum Subject {
    /// A CRC and its name as given.
    Crc(String, Generator),
    /// A sum of at most 32 bits.
    Sum(Box<Additive>),
}

impl Subject {
    /// Parses a code's name, a CRC's parameters, or a polynomial as [`Generator::parse`] reads it.
    ///
    /// # Errors
    /// Returns [`Error::Polynomial`].
    pub fn parse(text: &str) -> Result<Subject, Error> {
        let text = text.trim();
        match text.parse::<Code>() {
            Ok(code @ Code::Sum(_)) => Additive::of(&code, code.name())
                .map(|sum| Subject::Sum(Box::new(sum)))
                .ok_or_else(|| Error::TooWide(code.name().into())),
            Ok(code) => {
                let name = if code.name() == "custom" { text } else { code.name() };
                let (generator, _) = Generator::parse(text, None)?;
                Ok(Subject::Crc(name.escape_debug().to_string(), generator))
            }
            Err(_) => {
                let (generator, _) = Generator::parse(text, None)?;
                Ok(Subject::Crc(text.escape_debug().to_string(), generator))
            }
        }
    }

    /// Returns its name.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Subject::Crc(name, _) => name,
            Subject::Sum(sum) => sum.name(),
        }
    }

    /// Returns bits of its value.
    #[must_use]
    pub fn width(&self) -> u32 {
        match self {
            Subject::Crc(_, generator) => generator.width(),
            Subject::Sum(sum) => sum.width(),
        }
    }

    /// Estimates the seconds that [`compare`](super::compare) takes for it.
    #[must_use]
    pub fn seconds(&self, question: &Question, effort: &Effort<'_>) -> f64 {
        match self {
            Subject::Crc(_, generator) => {
                // Which weight is the first is not known yet: as if it were the sixth.
                let plan = plan(generator, question, 6, effort);
                let weights = plan
                    .map_or(0.0, |most| Weights::seconds(generator, question.data, most, effort));
                effort.seconds(profile::sums_to(generator, u32::MAX, effort)) + weights
            }
            Subject::Sum(_) => 0.5,
        }
    }
}

/// The question that all codes are compared by.
#[derive(Clone, Debug)]
pub struct Question {
    /// Bits of data.
    pub data: u64,
    /// Bit error rates, above 0 and up to 1/2, as they are written.
    pub rates: Vec<String>,
    /// Frames that are sent.
    pub traffic: Traffic,
    /// Whether to count all weights of CRCs, as far as the budget allows, and not only the first
    /// ones.
    pub exact: bool,
}

/// Returns the weight up to which to count: `Some(None)` for all, `None` if not even pairs can be
/// counted in time.
pub(super) fn plan(
    generator: &Generator,
    question: &Question,
    distance: u32,
    effort: &Effort<'_>,
) -> Option<Option<u32>> {
    let patience = effort.seconds(effort.sums);
    let seconds = |most| Weights::seconds(generator, question.data, most, effort);
    let worth = if question.exact { patience } else { AT_ONCE };
    if seconds(None) <= worth {
        return Some(None);
    }
    [distance.max(4), 4, 3, 2].into_iter().find(|&most| seconds(Some(most)) <= patience).map(Some)
}
