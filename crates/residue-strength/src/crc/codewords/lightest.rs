//! Codewords of low weight, by meeting in the middle.
//!
//! A codeword is a set of places whose powers of x add up to 0 modulo g. Moved so that its last
//! place is 0, it is split in two halves with the same sum.
//!
//! *Odd weight 2m + 1.* Place 0 is set apart, and the other 2m places are two m-sets whose sums
//! differ by x^0 = 1: their sums are equal but for the last bit. All m-sets of places from 1 are
//! compared with each other.
//!
//! *Even weight 2m.* A code that is cut out of a cyclic one is invariant under shifts. The codeword
//! is shifted once more, by less than s places, until the lowest place of its *second* half is a
//! multiple of s. (Its first half has the lowest place of all, now below s.) Only m-sets whose
//! lowest place is below s or a multiple of s are compared: about s n^(m-1) + n^m / s of them,
//! least at s = sqrt(n/m). That makes weight 4 a matter of n^1.5 sums instead of n^2.
//!
//! (Known searches fix one bit and try all but two others: Koopman's `hdlen`.)

use super::collide::{self, Anchor, collisions, mix};
use crate::Effort;
use crate::crc::Generator;
use crate::field::gf2::{self, Residue};

/// The largest weight of codewords that are searched, in bits.
pub const HEAVIEST: usize = 16;

/// A codeword: its places in rising order, the first 0; entries after its weight are 0.
pub(crate) type Word = [u32; HEAVIEST];

/// Returns the bits of a codeword, from the first set to the last.
pub(crate) fn span(word: &Word) -> u64 {
    u64::from(word.iter().copied().max().unwrap_or(0)) + 1
}

/// The cost of finding all codewords of `weight` within `length` bits.
pub(crate) struct Plan {
    /// Places in a half.
    half: u32,
    /// For even weights: the distance of the places at which the second half may start.
    stride: u32,
    /// Powers of x that are needed.
    places: u32,
    odd: bool,
    /// Sums of powers to compare.
    pub sums: u128,
    anchors: u128,
}

impl Plan {
    /// Plans a search for weights from 3 to [`HEAVIEST`] within 3 to 2^31 bits.
    pub fn new(weight: u32, length: u64) -> Plan {
        let (half, odd) = (weight / 2, weight % 2 == 1);
        let n = u128::from(length);
        let stride = if odd { 0 } else { (n / u128::from(half)).isqrt().max(1) };
        // Of a set's lowest place, and then of the others.
        let sets = |of: u32| match stride {
            0 => binomial(n - 1, of),
            _ => {
                stride * binomial(n - 1, of - 1)
                    + (0..n / stride).map(|i| binomial(n - i * stride, of - 1)).sum::<u128>()
            }
        };
        let (sums, anchors) = if n > 1 << 22 && half > 2 {
            (u128::MAX, u128::MAX)
        } else {
            (sets(half), sets(half - 1).max(1))
        };
        let places = (length as u32).saturating_add(stride as u32);
        Plan { half, stride: stride as u32, places, odd, sums, anchors }
    }

    /// Returns whether the plan is within the budget, for a generator of this width.
    pub fn fits(&self, width: u32, effort: &Effort<'_>) -> bool {
        self.sums <= effort.sums.into() && self.memory(width) <= effort.memory.into()
    }

    /// Returns the memory that the search takes, in bytes.
    pub fn memory(&self, width: u32) -> u128 {
        match width {
            ..=64 => self.memory_of::<u64>(),
            _ => self.memory_of::<u128>(),
        }
    }

    fn memory_of<R: Residue>(&self) -> u128 {
        // The powers and the keys.
        let places = u128::from(self.places) * 2 * size_of::<R>() as u128;
        let places_of_anchor = size_of::<u32>() as u128 * u128::from(self.half.saturating_sub(1));
        let anchor = size_of::<Anchor<R>>() as u128 + places_of_anchor;
        places
            .saturating_add(self.anchors.saturating_mul(anchor))
            .saturating_add(collide::memory::<R>(self.places.into(), self.anchors))
    }
}

/// Returns the binomial coefficient n (n-1) ... (n-k+1) / k!.
fn binomial(n: u128, k: u32) -> u128 {
    (0..u128::from(k))
        .fold(1, |product: u128, i| product.saturating_mul(n.saturating_sub(i)) / (i + 1))
}

/// Returns all codewords of `weight` (3 to [`HEAVIEST`]) within `length` bits (to 2^31) whose last
/// bit is set, each once, in order.
///
/// Returns `None` if the time is up before.
pub(crate) fn codewords(
    generator: &Generator,
    weight: u32,
    length: u64,
    effort: &Effort<'_>,
) -> Option<Vec<Word>> {
    if weight < 3 || weight as usize > HEAVIEST || length < u64::from(weight) {
        return Some(Vec::new());
    }
    match generator.width() {
        ..=64 => by_residues::<u64>(generator, weight, length, effort),
        _ => by_residues::<u128>(generator, weight, length, effort),
    }
}

/// Finds the codewords, with residues in integers that hold them.
fn by_residues<R: Residue>(
    generator: &Generator,
    weight: u32,
    length: u64,
    effort: &Effort<'_>,
) -> Option<Vec<Word>> {
    let plan = Plan::new(weight, length);
    let powers: Vec<R> =
        gf2::powers(generator.explicit(), R::of(1)).take(plan.places as usize).collect();
    // For odd weights the last bit is left out, in which the sums differ.
    let width = generator.width() - u32::from(plan.odd);
    let keys: Vec<R> =
        powers.iter().map(|&power| mix(power >> u32::from(plan.odd), width)).collect();
    let sets = Anchors::new(&plan, &keys);
    // The tables take as long as some millions of sums.
    if effort.is_spent() {
        return None;
    }
    let mut words: Vec<Word> = collisions(&keys, width, &sets.anchors, effort)?
        .into_iter()
        .filter_map(|sums| {
            let zero = plan.odd.then_some(0);
            let halves = sums
                .iter()
                .flat_map(|&(anchor, place)| sets.places(anchor).iter().copied().chain([place]));
            word(halves.chain(zero), weight, length, &powers)
        })
        .collect();
    words.sort_unstable();
    words.dedup();
    Some(words)
}

/// Returns the codeword of these places, if it is one of this weight and length.
///
/// Places that occur twice cancel.
fn word<R: Residue>(
    places: impl Iterator<Item = u32>,
    weight: u32,
    length: u64,
    powers: &[R],
) -> Option<Word> {
    let (mut word, mut used) = ([0; HEAVIEST], 0);
    let mut sum = R::default();
    for place in places {
        sum ^= powers[place as usize];
        match word[..used].iter().position(|&other| other == place) {
            Some(twice) => {
                used -= 1;
                word[twice] = word[used];
            }
            None => {
                *word.get_mut(used)? = place;
                used += 1;
            }
        }
    }
    let set = &mut word[..used];
    if sum != R::default() || used != weight as usize {
        return None;
    }
    set.sort_unstable();
    let least = set[0];
    set.iter_mut().for_each(|place| *place -= least);
    word[used..].fill(0);
    (span(&word) <= length).then_some(word)
}

/// All sets of places that are half a codeword but for its highest place.
struct Anchors<R> {
    anchors: Vec<Anchor<R>>,
    /// Their places, `size` for each.
    places: Vec<u32>,
    size: usize,
}

impl<R: Residue> Anchors<R> {
    fn new(plan: &Plan, keys: &[R]) -> Anchors<R> {
        let size = plan.half as usize - 1;
        let mut all = Anchors { anchors: Vec::new(), places: Vec::new(), size };
        if size == 0 {
            all.anchors.push(Anchor { key: R::default(), after: 0 });
            return all;
        }
        let mut set = vec![0; size];
        // Moved, the second half may begin after the codeword's length.
        for first in 0..plan.places {
            let may_start = match plan.stride {
                0 => first > 0,
                stride => first < stride || first.is_multiple_of(stride),
            };
            if may_start {
                set[0] = first;
                all.grow(&mut set, 1, keys[first as usize], keys, plan);
            }
        }
        all
    }

    /// Adds all sets that begin with `set[..filled]`.
    fn grow(&mut self, set: &mut [u32], filled: usize, key: R, keys: &[R], plan: &Plan) {
        let last = set[filled - 1];
        if filled == set.len() {
            self.anchors.push(Anchor { key, after: last });
            self.places.extend_from_slice(set);
            return;
        }
        for place in last + 1..plan.places {
            set[filled] = place;
            self.grow(set, filled + 1, key ^ keys[place as usize], keys, plan);
        }
    }

    fn places(&self, anchor: u32) -> &[u32] {
        let start = anchor as usize * self.size;
        &self.places[start..start + self.size]
    }
}

/// The result of a search for the shortest codeword of a weight.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Search {
    /// The places of the shortest codeword.
    Found(Vec<u64>),
    /// No codeword exists up to this length; if it is shorter than asked for, more would have cost
    /// too much.
    NoneTo(u64),
}

/// Returns the longest span that must be searched to know the shortest codeword of `weight`.
///
/// Within as many bits as the generator's order the code is cyclic: a codeword can be rotated until
/// its widest gap, of at least order / weight, is outside.
pub(crate) fn longest_turned(order: u64, weight: u32) -> u64 {
    order - order.div_ceil(weight.into()) + 1
}

/// Searches the shortest codeword of `weight` that is longer than `from` and has at most `to` bits,
/// at most the generator's order.
///
/// Each search is longer than the one before: the work is that of the codeword's length, whatever
/// `to` is.
pub(crate) fn shortest(
    generator: &Generator,
    order: u64,
    weight: u32,
    from: u64,
    to: u64,
    effort: &Effort<'_>,
) -> Search {
    let turned = longest_turned(order, weight);
    let end = to.min(turned);
    let mut searched = from.min(to);
    for sums in effort.rounds() {
        match search(generator, weight, searched, end, &Effort { sums, ..*effort }) {
            Search::NoneTo(length) if length < end => searched = length,
            Search::NoneTo(_) => return Search::NoneTo(to),
            found => return found,
        }
        if effort.is_spent() {
            break;
        }
    }
    Search::NoneTo(searched)
}

/// Makes one search for codewords longer than `from`, to `to` bits at most, as far as the sums and
/// the time allow.
pub(crate) fn search(
    generator: &Generator,
    weight: u32,
    from: u64,
    to: u64,
    effort: &Effort<'_>,
) -> Search {
    let length = longest(generator.width(), weight, from, to, effort);
    if length <= from {
        return Search::NoneTo(from);
    }
    let Some(words) = codewords(generator, weight, length, effort) else {
        return Search::NoneTo(from);
    };
    match words.into_iter().min_by_key(|word| (span(word), *word)) {
        Some(word) => {
            Search::Found(word[..weight as usize].iter().map(|&place| place.into()).collect())
        }
        None => Search::NoneTo(length),
    }
}

/// Returns the longest span, up to `to` bits, within which all codewords may be searched at once;
/// `from` if that is not longer.
pub(crate) fn longest(width: u32, weight: u32, from: u64, to: u64, effort: &Effort<'_>) -> u64 {
    if weight as usize > HEAVIEST {
        return from;
    }
    let fits = |length: u64| Plan::new(weight, length).fits(width, effort);
    let (mut most, mut too_long) = (from, to.min(1 << 31) + 1);
    // In most searches everything fits.
    if too_long > most + 1 && fits(too_long - 1) {
        return too_long - 1;
    }
    while too_long > most + 1 {
        let middle = most + (too_long - most) / 2;
        if fits(middle) { most = middle } else { too_long = middle }
    }
    most
}

/// Estimates the span of the first codeword among random ones, in bits.
pub(crate) fn expected_span(generator: &Generator, weight: u32) -> f64 {
    let values = f64::from(generator.width()) - f64::from(u8::from(generator.has_parity()));
    let arrangements: f64 = (1..weight).map(|i| f64::from(i).log2()).sum();
    ((values + arrangements) / (f64::from(weight) - 1.0)).exp2()
}

/// Estimates the sums to find the shortest codeword of `weight` within `to` bits, or to give up.
pub(crate) fn expected_cost(
    generator: &Generator,
    to: u64,
    weight: u32,
    effort: &Effort<'_>,
) -> u64 {
    let length = (expected_span(generator, weight) * 1.5) as u64;
    let sums = Plan::new(weight, length.min(to).min(1 << 31)).sums;
    // The searches before the last one, which may reach too far, are as much again.
    2 * u64::try_from(sums).unwrap_or(u64::MAX).min(effort.sums)
}

/// Returns the sums to compare for all codewords of `weight` within `length` bits.
pub(crate) fn sums(weight: u32, length: u64) -> u128 {
    Plan::new(weight, length.min(1 << 31)).sums
}

/// Returns the sums to find all codewords of `weight` within `length` bits; `None` if that is
/// beyond the budget.
pub(crate) fn cost(width: u32, weight: u32, length: u64, effort: &Effort<'_>) -> Option<u64> {
    let plan = Plan::new(weight, length);
    plan.fits(width, effort).then_some(plan.sums as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn generator(text: &str) -> Generator {
        Generator::parse(text, None).unwrap().0
    }

    /// Returns all multiples of the generator, with the last bit set, within this many bits.
    fn multiples(generator: &Generator, length: u32) -> impl Iterator<Item = u128> {
        let g = generator.explicit();
        (0..1_u128 << (length - generator.width() - 1)).map(move |upper| {
            let factor = upper << 1 | 1;
            (0..64).filter(|i| factor >> i & 1 == 1).fold(0, |sum, i| sum ^ g << i)
        })
    }

    #[test]
    #[ignore = "long"]
    fn every_codeword_of_short_codes() {
        for text in
            ["normal:07", "normal:1d", "normal:2f", "normal:1021", "koopman:8d95", "normal:864cfb"]
        {
            let generator = generator(text);
            let length = generator.width() + 11;
            for weight in 3..=12 {
                let mut expected: Vec<Word> = multiples(&generator, length)
                    .filter(|word| word.count_ones() == weight)
                    .map(|word| {
                        let mut places = [0; HEAVIEST];
                        let set = (0..128).filter(|place| word >> place & 1 == 1);
                        places.iter_mut().zip(set).for_each(|(to, place)| *to = place);
                        places
                    })
                    .collect();
                expected.sort_unstable();
                let found = codewords(&generator, weight, length.into(), &Effort::new());
                assert_eq!(found, Some(expected), "{text}, weight {weight}");
            }
        }
    }

    /// Checks a codeword whose second half stands at its end and is moved beyond it.
    #[test]
    fn codeword_with_its_places_at_the_end() {
        for (text, places) in
            [("explicit:189cd", vec![0, 2, 3, 88]), ("reciprocal:89cd", vec![0, 85, 86, 88])]
        {
            let found = shortest(&generator(text), u64::MAX, 4, 0, 89, &Effort::new());
            assert_eq!(found, Search::Found(places), "{text}");
        }
    }

    #[test]
    fn shortest_of_crc_32() {
        let (crc, order) = (generator("crc-32"), u32::MAX.into());
        for (weight, data) in [(3, 91_608_u64), (4, 2975), (5, 269), (6, 172), (7, 92), (8, 58)] {
            match shortest(&crc, order, weight, 0, data + 32 + 100, &Effort::new()) {
                Search::Found(places) => assert_eq!(places.last(), Some(&(data + 31))),
                other => panic!("{other:?}"),
            }
            let before = shortest(&crc, order, weight, 0, data + 31, &Effort::new());
            assert_eq!(before, Search::NoneTo(data + 31));
        }
        let small = Effort { sums: 1000, ..Effort::new() };
        assert!(matches!(shortest(&crc, order, 4, 0, 3100, &small), Search::NoneTo(n) if n < 1000));
    }
}
