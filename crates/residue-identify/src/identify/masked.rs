//! Tries named codes whose value is combined, by exclusive or, with something that depends on a
//! byte of the message: the byte itself, as a counter, or a constant for each number in half of it.
//!
//! The latter are data IDs that are covered but not sent, of which the counter chooses one (profile
//! 2 of AUTOSAR's E2E protection). A CRC is linear: such a byte after the message changes the CRC
//! of the message and a zero byte by a constant for each ID.

use super::catalogue::Named;
use super::found::{Hit, Tally};
use super::locate::Anchor;
use super::mask::{Half, Mask};
use super::reading::{Form, Padding, Place, Reading};
use super::sample::{Read, Sample};

/// The bytes at either end of a message that may be a counter.
const NEAR: usize = 4;
/// Samples beyond one for each constant, below which anything fits.
const FEWEST: usize = 3;

/// Proposes codes, of whose values those of all samples differ by a mask.
///
/// `counted`: the number of samples whose values the chance of a hit takes as independent.
pub(super) fn search(
    (samples, bits): (&[Sample], u32),
    (codes, forms): (&[Named], &[Form]),
    counted: usize,
    tally: &mut Tally,
) {
    let zero = Reading { padding: Padding::Zeros(1), ..Reading::PLAIN };
    for read in [Reading::PLAIN, zero].into_iter().filter_map(|it| Read::new(it, samples)) {
        for code in codes.iter().filter(|code| code.width(bits) == bits) {
            let found = code.found();
            let values: Vec<u128> =
                read.messages.iter().map(|message| found.value(message, bits)).collect();
            for &form in forms.iter().filter(|form| form.place == Place::Low) {
                let rest =
                    |(value, sample): (&u128, &Sample)| value ^ form.ordered(sample.value, bits);
                let rests: Vec<u128> = values.iter().zip(samples).map(rest).collect();
                // A constant is a final exclusive or.
                if rests.iter().all(|rest| *rest == rests[0]) {
                    continue;
                }
                for (at, half) in numbers() {
                    tally.tried += 2.0;
                    let Some((constants, free)) = constants(samples, &rests, at, half) else {
                        continue;
                    };
                    tally.hits.push(Hit {
                        found: found.clone(),
                        family: None,
                        reading: read.reading,
                        form,
                        part: None,
                        mask: Some(Mask { at, half, constants }),
                        unreached: None,
                        chance: f64::from(bits) * (free - counted as f64),
                    });
                }
            }
        }
    }
}

/// Returns the places of numbers that are tried.
fn numbers() -> impl Iterator<Item = (Anchor, Half)> {
    let ends = (0..NEAR).map(Anchor::Start).chain((1..=NEAR).map(Anchor::End));
    ends.flat_map(|at| Half::ALL.map(|half| (at, half)))
}

/// The constants of a mask, if it is not the number itself, and how many of them there are.
type Constants = (Option<Vec<Option<u128>>>, f64);

/// Returns the constants for each number at a place; `None` if they contradict each other, or a
/// sample is too short.
fn constants(samples: &[Sample], rests: &[u128], at: Anchor, half: Half) -> Option<Constants> {
    let number =
        |sample: &Sample| Some(half.of(*sample.message.get(at.at(sample.message.len())?)?));
    let numbers: Vec<u8> = samples.iter().map(number).collect::<Option<_>>()?;
    if numbers.iter().zip(rests).all(|(&number, &rest)| rest == number.into()) {
        return Some((None, 0.0));
    }
    // Numbers of a whole byte seldom come twice.
    if half == Half::Both {
        return None;
    }
    let mut constants = vec![None; 16];
    for (&number, &rest) in numbers.iter().zip(rests) {
        if *constants[usize::from(number)].get_or_insert(rest) != rest {
            return None;
        }
    }
    // Where those that come twice are one, the others are of wrong samples.
    let twice =
        |number: &usize| numbers.iter().filter(|it| usize::from(**it) == *number).count() > 1;
    let mut confirmed: Vec<u128> = (0..16).filter(twice).filter_map(|it| constants[it]).collect();
    confirmed.sort_unstable();
    confirmed.dedup();
    if confirmed.len() < 2 {
        return None;
    }
    let count = constants.iter().flatten().count();
    (count + FEWEST <= samples.len()).then_some((Some(constants), count as f64))
}
