//! The rows of a comparison, one for each code.

use super::question::{Question, plan};
use crate::codes::Undetected;
use crate::codes::additive::Additive;
use crate::crc::probability::{self, Curve};
use crate::crc::{Generator, Profile, Weights, named};
use crate::sums::{self, Channel, burst};
use crate::{Effort, Error, Kind};
use num_bigint::BigUint;
use serde::Serialize;

/// The numbers of wrong bits whose shares are listed.
pub const FEW: std::ops::RangeInclusive<u32> = 2..=6;

/// Seconds in 365 days.
pub const YEAR: f64 = 365.0 * 86_400.0;

/// A figure and its kind.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Known<T> {
    /// The figure.
    pub value: T,
    /// Its kind's name.
    pub kind: &'static str,
}

impl<T> Known<T> {
    pub(crate) fn new(value: T, kind: Kind) -> Known<T> {
        Known { value, kind: kind.name() }
    }
}

/// The strength of one code.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// Its name.
    pub code: String,
    /// Bits of its value.
    pub width: u32,
    /// Whether it is a CRC.
    pub crc: bool,
    /// The Hamming distance.
    pub distance: Known<u32>,
    /// The longest data with that distance, in bits; `None` if any data have it.
    pub holds_to: Option<Known<u64>>,
    /// The longest data with each distance from 3, in bits.
    pub limits: Vec<(u32, Known<u64>)>,
    /// Errors of few bits.
    pub few: Vec<Few>,
    /// Undetected errors at each rate.
    pub probabilities: Vec<Probability>,
    /// The share of random data that is accepted.
    pub random: f64,
    /// The length up to which every burst is detected, in bits.
    pub burst: u32,
    /// The probability of an undetected error at many rates.
    pub curve: Vec<(f64, Known<f64>)>,
}

/// Errors of one number of bits.
#[derive(Clone, Debug, Serialize)]
pub struct Few {
    /// Wrong bits.
    pub weight: u32,
    /// The number of undetected errors; `None` for sums, where it depends on the data.
    pub undetected: Option<String>,
    /// Their exact share of all errors of this many bits.
    pub share: f64,
}

/// The probability of an undetected error.
#[derive(Clone, Debug, Serialize)]
pub struct Probability {
    /// The bit error rate, as it was written.
    pub rate: String,
    /// The probability for a frame; `None` if no weight above 0 was counted.
    pub undetected: Option<Known<f64>>,
    /// The expected frames in 365 days.
    pub per_year: Option<Known<f64>>,
}

/// Computes the row of a CRC.
pub(super) fn crc(
    name: &str,
    generator: &Generator,
    profile: Profile,
    question: &Question,
    rates: &[f64],
    effort: &Effort<'_>,
) -> Result<Row, Error> {
    let (label, code) = named(name, generator);
    for limit in &profile.limits {
        Undetected::of_limit(limit, (&label, &code))?;
    }
    let (distance, kind) = profile.distance(question.data);
    let limits: Vec<(u32, Known<u64>)> = profile
        .limits
        .iter()
        .map(|limit| (limit.distance, Known::new(limit.data, limit.kind)))
        .collect();
    let weights = match plan(generator, question, distance, effort) {
        // If the time is up, what is not counted is left out.
        Some(most) => Weights::new(generator, question.data, most, effort).ok(),
        None => None,
    };
    let counted = |weight: u32| {
        let weights = weights.as_ref()?;
        let count = weights.counts.get(weight as usize)?;
        let errors = weights.errors(weight);
        (errors != BigUint::ZERO).then(|| Few {
            weight,
            undetected: Some(count.to_string()),
            share: probability::quotient(count, &errors),
        })
    };
    let complete = weights.as_ref().is_some_and(Weights::complete);
    let curve = weights.as_ref().map(Curve::new);
    let at = |rate: f64| {
        let value = curve.as_ref()?.at(rate);
        let kind = if complete { Kind::Exact } else { Kind::AtLeast };
        (value > 0.0).then(|| Known::new(value, kind))
    };
    Ok(Row {
        code: name.into(),
        width: generator.width(),
        crc: true,
        distance: Known::new(distance, kind),
        holds_to: limits.iter().find(|limit| limit.0 == distance).map(|limit| limit.1),
        few: FEW.filter_map(counted).collect(),
        probabilities: probabilities(question, rates, at),
        random: (-f64::from(generator.width())).exp2(),
        burst: generator.width(),
        curve: many(at),
        limits,
    })
}

/// Computes the row of a sum.
pub(super) fn sum(code: &Additive, question: &Question, rates: &[f64]) -> Result<Row, Error> {
    let bytes = usize::try_from(question.data.div_ceil(8)).unwrap_or(usize::MAX);
    let distance = sums::distance(code)?;
    let three_to = distance.as_ref().map_or(0, |distance| distance.three_to);
    let distance = if bytes <= three_to { 3 } else { 2 };
    // Errors of two bits go on being undetected in longer data, and errors of three are in the
    // shortest.
    let kind = Kind::Exact;
    let limits = match three_to {
        0 => Vec::new(),
        bytes => vec![(3, Known::new(8 * bytes as u64, Kind::Exact))],
    };
    let channel = Channel::new(code, bytes);
    let counted = |weight| {
        let share = channel.as_ref()?.share(weight)?;
        Some(Few { weight, undetected: None, share })
    };
    let at = |rate: f64| {
        let channel = channel.as_ref()?;
        channel.at(rate).map(|value| Known::new(value, channel.kind()))
    };
    let seen = |&bits: &u32| burst(code, bits as usize).all_seen;
    Ok(Row {
        code: code.name().into(),
        width: code.width(),
        crc: false,
        distance: Known::new(distance, kind),
        holds_to: (distance == 3).then(|| Known::new(8 * three_to as u64, Kind::Exact)),
        limits,
        few: FEW.filter_map(counted).collect(),
        probabilities: probabilities(question, rates, at),
        random: 1.0 / code.elements(),
        burst: (1..=code.width()).take_while(seen).last().unwrap_or(0),
        curve: many(at),
    })
}

fn probabilities(
    question: &Question,
    rates: &[f64],
    at: impl Fn(f64) -> Option<Known<f64>>,
) -> Vec<Probability> {
    let each = question.rates.iter().zip(rates);
    let frames = question.traffic.frames(question.data) * YEAR;
    each.map(|(text, &rate)| {
        let undetected = at(rate);
        let yearly = |known: Known<f64>| Known { value: known.value * frames, ..known };
        Probability { rate: text.clone(), undetected, per_year: undetected.map(yearly) }
    })
    .collect()
}

/// Returns the probability at rates from 10^-9 to 1/2, six in each power of ten.
fn many(at: impl Fn(f64) -> Option<Known<f64>>) -> Vec<(f64, Known<f64>)> {
    let rates =
        (0..53).map(|step| 10f64.powf(f64::from(step) / 6.0 - 9.0)).filter(|&rate| rate < 0.5);
    rates.chain([0.5]).filter_map(|rate| Some((rate, at(rate)?))).collect()
}
