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
    let (mut constants, mut times) = ([None; 16], [0; 16]);
    // Numbers of a whole byte seldom come twice.
    let (mut are_numbers, mut are_constants) = (true, half != Half::Both);
    for (sample, &rest) in samples.iter().zip(rests) {
        let number = half.of(*sample.message.get(at.at(sample.message.len())?)?);
        are_numbers &= rest == number.into();
        if are_constants {
            let number = usize::from(number);
            times[number] += 1;
            are_constants = *constants[number].get_or_insert(rest) == rest;
        }
        if !are_numbers && !are_constants {
            return None;
        }
    }
    if are_numbers {
        return Some((None, 0.0));
    }
    // Where those that come twice are one, the others are of wrong samples.
    let twice = constants.iter().zip(times).filter(|(_, times)| *times > 1);
    let mut confirmed: Vec<u128> = twice.filter_map(|(constant, _)| *constant).collect();
    confirmed.sort_unstable();
    confirmed.dedup();
    if confirmed.len() < 2 {
        return None;
    }
    let count = constants.iter().flatten().count();
    (count + FEWEST <= samples.len()).then(|| (Some(constants.to_vec()), count as f64))
}
