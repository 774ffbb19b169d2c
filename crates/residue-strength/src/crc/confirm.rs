//! Confirms the limit of four-bit errors by the method that did not find it: logarithms or meeting
//! in the middle.

use super::codewords::lightest::{self, Search};
use super::codewords::logarithm::{COST, four_bits, preferred};
use super::{Generator, Profile, Witness};
use crate::Effort;

/// An independent confirmation of the limit that errors of four bits set in a profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Confirmation {
    /// Whether the confirmation is by logarithms; if not it is by meeting in the middle.
    pub by_logarithms: bool,
    /// The shortest undetected error of four bits, if there is one within [`Confirmation::length`].
    pub witness: Option<Witness>,
    /// The length to which codewords were searched, in bits.
    pub length: u64,
    /// Whether the profile agrees: an error of equal span limits a Hamming distance, or none does
    /// up to the length.
    pub agrees: bool,
}

/// Finds the limit that errors of four bits set in a profile by the method that did not find it.
///
/// Returns `None` if logarithms cannot be taken, or the work exceeds the budget.
#[must_use]
pub fn confirm(profile: &Profile, effort: &Effort<'_>) -> Option<Confirmation> {
    let generator = &profile.generator;
    let (first, length) = four_bits_of(profile)?;
    let by_logarithms = !found_by_logarithms(generator, first, length);
    let found = if by_logarithms {
        four_bits(generator, length, effort)?.map(|places| places.to_vec())
    } else {
        let end = length.min(lightest::longest_turned(profile.order, 4));
        match lightest::search(generator, 4, 0, end, effort) {
            Search::Found(places) => Some(places),
            Search::NoneTo(searched) if searched == end => None,
            Search::NoneTo(_) => return None,
        }
    };
    let witness = found.and_then(|places| Witness::new(generator, &places));
    let agrees = witness.as_ref().map(Witness::span) == first.map(Witness::span);
    Some(Confirmation { by_logarithms, witness, length, agrees })
}

/// Estimates the cost of [`confirm`], in sums of powers ([`Effort::seconds`]).
#[must_use]
pub fn cost(profile: &Profile) -> u64 {
    let Some((first, length)) = four_bits_of(profile) else { return 0 };
    if found_by_logarithms(&profile.generator, first, length) {
        u64::try_from(lightest::sums(4, length)).unwrap_or(u64::MAX)
    } else {
        length.saturating_mul(COST)
    }
}

/// Returns whether the profile has this error of four bits, or the lack of one, from logarithms.
fn found_by_logarithms(generator: &Generator, first: Option<&Witness>, length: u64) -> bool {
    let span = first.and_then(|witness| u64::try_from(witness.span()).ok());
    preferred(generator, span.unwrap_or(length))
}

/// Returns the shortest error of four bits that a profile knows, and the length to search for it
/// again, in bits.
fn four_bits_of(profile: &Profile) -> Option<(Option<&Witness>, u64)> {
    let four = |witness: &&Witness| witness.weight() == 4;
    let first = profile.limits.iter().filter_map(|limit| limit.witness.as_ref()).find(four);
    let length = match first {
        // The search must not end at the limit that it is to confirm.
        Some(witness) => u64::try_from(witness.span() + witness.span() / 64 + 16).ok()?,
        // No four bits are undetected as far as five or more are needed.
        None => {
            let five = profile.limits.iter().find(|limit| limit.distance > 4)?;
            five.data + u64::from(profile.generator.width())
        }
    };
    Some((first, length.min(profile.order)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn profiles_are_confirmed() {
        for (name, span) in [("crc-32", Some(3007)), ("koopman:d175", Some(110)), ("crc-32c", None)]
        {
            let (generator, _) = Generator::parse(name, None).unwrap();
            let profile = Profile::new(&generator, &Effort::new());
            let found = confirm(&profile, &Effort::new());
            assert_eq!(found.as_ref().and_then(|c| c.witness.as_ref()).map(Witness::span), span);
            assert!(found.is_none_or(|confirmation| confirmation.agrees));
            // A wrong limit is detected.
            let mut wrong = profile;
            wrong.limits.iter_mut().for_each(|limit| limit.witness = None);
            assert!(
                confirm(&wrong, &Effort::new()).is_none_or(|c| c.agrees == c.witness.is_none())
            );
        }
    }
}
