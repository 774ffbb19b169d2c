//! The samples of one reading, and the sums that are tried on them.

use super::model::Model;
use crate::identify::found::{Found, Hit, Tally};
use crate::identify::reading::Form;
use crate::identify::sample::{Read, Sample};

/// The greatest chance factor in a common divisor of samples that is removed from it.
pub(super) const MOST_FACTOR: u128 = 64;

/// The samples of one reading, prepared to solve for settings.
pub(in crate::identify) struct Known<'a> {
    pub read: &'a Read,
    /// The values, their bytes in the order of a number.
    pub values: Vec<u128>,
    pub samples: &'a [Sample],
    pub bits: u32,
    pub form: Form,
}

impl Known<'_> {
    /// Records a model if it has all values. `free` bits of it were chosen after the samples.
    pub fn propose(&self, model: Model, free: f64, tally: &mut Tally) {
        tally.tried += 1.0;
        let right = |(message, value): (&Vec<u8>, &u128)| model.value(message, self.bits) == *value;
        if self.read.messages.iter().zip(&self.values).all(right) {
            tally.hits.push(Hit {
                found: Found::Sum(model),
                family: None,
                reading: self.read.reading,
                form: self.form,
                part: None,
                mask: None,
                unreached: None,
                chance: free - model.information() * self.samples.len() as f64,
            });
        }
    }
}

/// Returns the greatest common divisor of two numbers.
pub fn gcd(a: u128, b: u128) -> u128 {
    if b == 0 { a } else { gcd(b, a % b) }
}
