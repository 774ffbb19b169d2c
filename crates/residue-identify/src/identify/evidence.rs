//! How much the samples say: the bits of information in their values that a code can explain.
//!
//! The values of n messages are not n independent trials. By a linear code, the value of a message
//! that is the sum of others is that of the others: only independent messages count (`rank`). And
//! whatever describes the values in few bits, such as a counter, leaves no more than these bits to
//! be explained: a code that fits is a chance hit if as many codes were tried (`length`, `rules`).

mod columns;
mod length;
mod rank;
mod rules;

use super::found::{Counted, Hit};
use super::reading::Reading;
use super::relation::Relation;
use super::sample::Sample;
pub(super) use rank::{MOST_COUNTED, independent};
use std::cell::RefCell;

/// The information in some samples.
pub(super) struct Evidence {
    /// Different samples, in the order in which they were given, [`MOST_COUNTED`] at most.
    samples: Vec<Sample>,
    /// The bits of the shortest description of the values, for one who knows the messages.
    described: f64,
    /// The relation that describes all values best, if it is no chance hit.
    pub relation: Option<Relation>,
    /// Independent messages, by the reading and how they count.
    ranks: RefCell<Vec<(Reading, Counted, usize)>>,
}

/// Returns the samples that count.
fn counted(all: &[Sample]) -> Vec<Sample> {
    let mut samples: Vec<Sample> = Vec::new();
    for sample in all {
        if samples.len() == MOST_COUNTED {
            break;
        }
        if samples.iter().all(|other| other.message != sample.message) {
            samples.push(sample.clone());
        }
    }
    samples
}

impl Evidence {
    /// Weighs samples with values of `bits` bits.
    pub fn of(all: &[Sample], bits: u32) -> Evidence {
        let samples = counted(all);
        let messages: Vec<&[u8]> = samples.iter().map(|sample| &sample.message[..]).collect();
        let values: Vec<u128> = samples.iter().map(|sample| sample.value).collect();
        let rules::Described { length, relation } = rules::describe(&messages, &values, bits, None);
        // It holds for all samples, not only for those that were counted.
        let relation = relation.filter(|relation| {
            let mut places = all.iter().enumerate();
            let counter = all.len() > samples.len();
            !counter || places.all(|(i, it)| relation.field(&it.message, i) == Some(it.value))
        });
        Evidence { samples, described: length, relation, ranks: RefCell::new(Vec::new()) }
    }

    /// Returns the information that a hit explains, in bits.
    pub fn explained(&self, hit: &Hit, bits: u32) -> f64 {
        let messages = || -> Vec<Vec<u8>> {
            self.samples.iter().filter_map(|it| hit.reading.apply(&it.message)).collect()
        };
        let counted = hit.found.counted();
        let mut ranks = self.ranks.borrow_mut();
        let known =
            ranks.iter().find(|(reading, how, _)| (*reading, *how) == (hit.reading, counted));
        let rank = match known {
            Some((_, _, rank)) => *rank,
            None => {
                let rank = independent_messages(&messages(), counted);
                ranks.push((hit.reading, counted, rank));
                rank
            }
        };
        (hit.found.information(bits) * rank as f64).min(self.described)
    }

    /// Returns whether nothing can be found with certainty, as the relation describes the values by
    /// less than it takes to choose between this number of trials.
    pub fn is_settled(&self, tried: f64, certain: f64) -> bool {
        self.relation.as_ref().is_some_and(|it| it.length - tried.log2() < -certain)
    }
}

/// A field of some messages, as what may be described by the other bytes.
pub(super) struct Field {
    /// The bits of the shortest description of its values.
    pub described: f64,
    /// The relation that describes them best, if it is no chance hit.
    pub relation: Option<Relation>,
}

impl Field {
    /// Weighs the field of these bytes, [`MOST_COUNTED`] messages at most, at the place that `at`
    /// returns for a length.
    pub fn of(messages: &[&[u8]], at: &dyn Fn(usize) -> Option<usize>, bytes: usize) -> Field {
        let value = |message: &&[u8]| {
            let at = at(message.len())?;
            let field = message.get(at..at + bytes)?;
            Some(field.iter().fold(0, |value, &byte| value << 8 | u128::from(byte)))
        };
        let values: Option<Vec<u128>> = messages.iter().map(value).collect();
        let Some(values) = values else { return Field { described: 0.0, relation: None } };
        let bits = 8 * bytes as u32;
        let rules::Described { length, relation } =
            rules::describe(messages, &values, bits, Some((at, bytes)));
        Field { described: length, relation }
    }
}

/// Returns the number of messages that are independent for a kind of code.
pub(super) fn independent_messages(messages: &[Vec<u8>], counted: Counted) -> usize {
    let messages: Vec<&[u8]> = messages.iter().map(Vec::as_slice).collect();
    match counted {
        Counted::Bits => rank::over_bits(&messages),
        Counted::Bytes => rank::over_bytes(&messages),
        Counted::Different => rank::different(&messages),
    }
}
