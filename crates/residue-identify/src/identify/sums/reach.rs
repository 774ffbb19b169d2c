//! Sums that never reach their modulus, so that the samples do not show it.

use super::model::{Kind, Model, Sums};
use super::{RECOMMENDED, USUAL};
use crate::identify::found::{Found, Hit};
use crate::identify::sample::Sample;
use residue::Code;
use residue::code::Sum;

/// The settings of a sum of the samples as integers, without a modulus.
struct Whole {
    model: Model,
    /// The greatest value of a sum.
    most: u128,
    start: i128,
    /// The second sum's start.
    second: i128,
}

/// Returns the settings of a named code that is a sum with a modulus, or a pair of such.
fn named(code: &Code) -> Option<Model> {
    let Code::Sum(sum) = code else { return None };
    let pair = |first_high| Kind::Weighted { first_high, late: false, second: 0 };
    let plain = Kind::Plain { negated: false };
    let (kind, unit, little, modulus, start) = match sum {
        Sum::Internet => (Kind::Plain { negated: true }, 2, false, 65_535, 65_535),
        Sum::Fletcher16 => (pair(false), 1, false, 255, 0),
        Sum::Fletcher32 => (pair(false), 2, true, 65_535, 0),
        Sum::Fletcher32Be => (pair(false), 2, false, 65_535, 0),
        Sum::Fletcher16Mod256 => (pair(false), 1, false, 256, 0),
        Sum::Fletcher32Mod65536 => (pair(false), 2, true, 65_536, 0),
        Sum::Rfc1146B8 => (pair(true), 1, false, 255, 0),
        Sum::Rfc1146B16 => (pair(true), 2, false, 65_535, 0),
        Sum::Adler32 => (pair(false), 1, false, 65_521, 1),
        Sum::Sum8 => (plain, 1, false, 1 << 8, 0),
        Sum::Sum16 => (plain, 2, false, 1 << 16, 0),
        Sum::Sum32 => (plain, 4, false, 1 << 32, 0),
        Sum::Dual16 => (pair(false), 4, false, 253, 0),
        Sum::Dual32 => (pair(false), 4, false, 65_525, 0),
        // Rotations, remainders and octets that bring sums to zero contain the modulus at once;
        // exclusive or has none.
        _ => return None,
    };
    Some(Model { kind, unit, little, modulus, start, end_around: false })
}

/// Returns the settings with which the samples have their values as integers; `None` if a sum
/// reaches the modulus, or there is none.
fn whole(hit: &Hit, samples: &[Sample], bits: u32) -> Option<Whole> {
    let (model, solved) = match &hit.found {
        Found::Code(code) => (named(code)?, false),
        Found::Sum(model) => (*model, true),
        Found::Hash(_) => return None,
    };
    let half = hit.found.width(bits) / 2;
    let mut all: Option<Whole> = None;
    for sample in samples {
        let message = hit.reading.apply(&sample.message)?;
        let value = hit.found.value(&message, bits);
        let sums = Sums::of(&message, model.unit, model.little);
        let plain = sums.plain as i128;
        let (start, second, most) = match model.kind {
            Kind::Plain { negated: false } => (value as i128 - plain, 0, value),
            Kind::Plain { negated: true } => (value as i128 + plain, 0, value),
            Kind::Weighted { first_high, late, .. } => {
                let halves = [value & ((1 << half) - 1), value >> half];
                let [a, b] = if first_high { [halves[1], halves[0]] } else { halves };
                let start = a as i128 - plain;
                let weighted = sums.weighted as i128 - if late { plain } else { 0 };
                (start, b as i128 - sums.count as i128 * start - weighted, a.max(b))
            }
            _ => return None,
        };
        let other = all.get_or_insert(Whole { model, most, start, second });
        if (other.start, other.second) != (start, second) {
            return None;
        }
        other.most = other.most.max(most);
    }
    let all = all?;
    let second = if let Kind::Weighted { second, .. } = model.kind { second } else { 0 };
    let own = (all.start, all.second) == (model.start as i128, second as i128);
    (solved || own).then_some(all)
}

/// Returns the greatest value of a sum, if the samples do not show its modulus: every greater one
/// gives their values as well.
pub(in crate::identify) fn unreached(hit: &Hit, samples: &[Sample], bits: u32) -> Option<u128> {
    whole(hit, samples, bits).map(|whole| whole.most)
}

/// Returns the sums with other usual moduli that give the samples' values as well.
pub(in crate::identify) fn others(hit: &Hit, samples: &[Sample], bits: u32) -> Vec<Found> {
    // A sum takes the whole field.
    let Some(whole) = whole(hit, samples, bits).filter(|_| hit.found.width(bits) == bits) else {
        return Vec::new();
    };
    let pair = matches!(whole.model.kind, Kind::Weighted { .. });
    let top = 1_u128 << if pair { bits / 2 } else { bits };
    let mut moduli = [&[top, top - 1], &USUAL[..], &RECOMMENDED[..]].concat();
    moduli.retain(|&modulus| {
        modulus <= top && modulus > whole.most && modulus != whole.model.modulus
    });
    moduli.sort_unstable();
    moduli.dedup();
    let model = |modulus: u128| {
        let residue = |start: i128| start.rem_euclid(modulus as i128) as u128;
        let mut model = Model { modulus, start: residue(whole.start), ..whole.model };
        if let Kind::Weighted { second, .. } = &mut model.kind {
            *second = residue(whole.second);
        }
        Found::Sum(model)
    };
    moduli.into_iter().map(model).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The settings are those of the code: they give its values.
    #[test]
    fn settings_of_named_codes() {
        let mut random = residue_testing::Random(1);
        let mut count = 0;
        for code in Code::all() {
            let Some(model) = named(&code) else { continue };
            count += 1;
            for length in [1, 2, 5, 30, 200, 1000] {
                let message = random.bytes(length);
                let [own, other] = [code.value(&message), model.value(&message, code.width())];
                assert_eq!(own, other, "{code} of {length} bytes");
            }
        }
        assert_eq!(count, 14);
    }
}
