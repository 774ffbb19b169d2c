//! Finds a further sample that would decide between the hits.

use super::found::{Found, Hit};
use super::sample::Samples;
use super::sums;
use residue::Code;
use residue::crc::Crc;

/// The number of hits between which a decision is searched.
const MOST: usize = 16;

/// A message, and its value by each hit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decisive {
    /// The message.
    pub message: Vec<u8>,
    /// Its value by each hit, as it would be written, in the order of [`super::Report::hits`]; by
    /// the first 16; then by others that the samples do not distinguish from them: the first sum
    /// with another modulus, or a second member of its family if there is no other hit.
    pub values: Vec<u128>,
}

/// Finds the shortest simple message that distinguishes most of the hits.
pub(super) fn between(hits: &[Hit], samples: &Samples) -> Option<Decisive> {
    let mut hits: Vec<Hit> = hits.iter().take(MOST).cloned().collect();
    if let Some(open) = hits.iter().find(|hit| hit.unreached.is_some()).cloned() {
        for found in sums::others(&open, samples.list(), samples.bits()) {
            let other = Hit { found, ..open.clone() };
            if hits.iter().all(|hit| !hit.same(&other)) {
                hits.push(other);
            }
        }
    }
    if let [hit] = &hits[..] {
        let [_, other] = hit.family.as_ref()?.two()?;
        let found = Found::Code(Box::new(Code::Crc(Crc::new(&other))));
        hits.push(Hit { found, ..hit.clone() });
    }
    let mut best: Option<(usize, Decisive)> = None;
    let short = [1, 2, 3, 4, 5, 8, 9, 16, 17, 32, 33, 64, 65, 128];
    let short = short.map(|length| (0..length).map(|i| 0x31 + (7 * i % 90) as u8).collect());
    // Great sums, which reach a modulus.
    let great = [129, 258, 514, 1028].map(|length| vec![0xff; length]);
    for message in short.into_iter().chain(great) {
        let message: Vec<u8> = message;
        // No longer message than is needed.
        if message.len() > 128 && best.is_some() {
            break;
        }
        // A message with a known value decides nothing more.
        if samples.list().iter().any(|sample| sample.message == message) {
            continue;
        }
        let values = hits.iter().map(|hit| hit.field(&message, samples.bits()));
        let Some(values) = values.collect::<Option<Vec<u128>>>() else { continue };
        let mut different = values.clone();
        different.sort_unstable();
        different.dedup();
        let count = different.len();
        if count > best.as_ref().map_or(1, |(count, _)| *count) {
            best = Some((count, Decisive { message, values }));
        }
    }
    best.map(|(_, decisive)| decisive)
}
