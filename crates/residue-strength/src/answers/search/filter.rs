//! Finds how far a candidate keeps a Hamming distance, at the least cost: most candidates fail
//! within microseconds.
//!
//! First every multiple that is a few bits longer than the generator is weighed. Then the codeword
//! is extended bit by bit. Moved so that its last bit is place 0, a codeword of w bits that was not
//! found at a shorter length has place 0, the newest place i, and w - 2 places between: x^i + 1 is
//! the sum of w - 2 powers. About half of these are taken from a table of the sums so far, and the
//! others are tried. Short lengths and small weights come first (Koopman's order), and the place at
//! which the candidate fails is the exact limit of the distance.
//!
//! A sum that shares places with the powers tried is still a codeword, of fewer bits: it has place
//! i and place 0.

use crate::field::{factor, gf2};

/// The data bits for which a distance holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    /// To this length, and no further.
    Exactly(u64),
    /// At least to this length, where the search was ended or its table was full.
    AtLeast(u64),
}

/// Data bits to which every multiple is weighed: more where tables of sums are large.
const SHORT: [u32; 4] = [0, 5, 6, 12];

/// The widest generators whose sums are marked in an array of bits: of two megabytes.
const MARKED: u32 = 24;

/// The most sums in a table for wider generators, and the most that are tried: beyond, the method
/// of the profiles is faster.
const ENTRIES: f64 = 4_194_304.0;
const TRIES: f64 = 1_048_576.0;

/// Finds how far generators of one width keep one Hamming distance, with buffers that are reused.
pub(super) struct Filter {
    width: u32,
    distance: u32,
    sums: Sums,
    /// The powers of x from place 1.
    powers: Vec<u64>,
}

enum Sums {
    Marked(Marked),
    Hashed(Hashed),
}

impl Filter {
    /// Creates a filter for a width of 3 to 64 and a distance from 3.
    pub fn new(width: u32, distance: u32) -> Filter {
        let sums = if width <= MARKED {
            Sums::Marked(Marked { bits: vec![0; 1 << width.saturating_sub(6)], used: Vec::new() })
        } else {
            Sums::Hashed(Hashed::new())
        };
        Filter { width, distance, sums, powers: Vec::new() }
    }

    /// Returns the distance.
    pub fn distance(&self) -> u32 {
        self.distance
    }

    /// Returns how far this generator keeps the distance.
    pub fn reach(&mut self, explicit: u128) -> Reach {
        // Beside x + 1, only even weights count.
        let parity = explicit.count_ones().is_multiple_of(2);
        let weight = self.distance - 1 - u32::from(parity && self.distance.is_multiple_of(2));
        let split = Split::new(weight);
        let short = SHORT[split.summed.min(3) as usize];
        for top in 0..short {
            if lightest_multiple(explicit, top) < self.distance {
                return Reach::Exactly(top.into());
            }
        }
        let width = u64::from(self.width);
        if weight == 2 {
            let order = factor::order(&factor::factors(explicit));
            return Reach::Exactly(order.saturating_sub(width));
        }
        let stop = match &self.sums {
            // No distance holds for longer than the order.
            Sums::Marked(_) => 1 << self.width,
            Sums::Hashed(_) => split.longest(),
        };
        let start = width + u64::from(short);
        let place = match &mut self.sums {
            Sums::Marked(sums) => grow(explicit, split, start, stop, &mut self.powers, sums),
            Sums::Hashed(sums) => grow(explicit, split, start, stop, &mut self.powers, sums),
        };
        match place {
            Ok(place) => Reach::Exactly(place - width),
            Err(length) => Reach::AtLeast(length.saturating_sub(width).max(short.into())),
        }
    }
}

/// Returns the least weight of a codeword that takes exactly `top` + 1 bits of data.
fn lightest_multiple(explicit: u128, top: u32) -> u32 {
    if top == 0 {
        return explicit.count_ones();
    }
    // The coefficients of 1 and x^top stay; those between take all values, in the order of Gray.
    let mut word = explicit ^ explicit << top;
    let mut least = word.count_ones();
    for step in 1..1_u32 << (top - 1) {
        word ^= explicit << (step.trailing_zeros() + 1);
        least = least.min(word.count_ones());
    }
    least
}

/// The division of the places between the first and the last.
#[derive(Clone, Copy)]
struct Split {
    /// The largest number of places in the table's sums.
    summed: u32,
    /// The largest number of places that are tried.
    tried: u32,
}

impl Split {
    /// Divides the places of codewords of up to `weight` bits, from 2.
    fn new(weight: u32) -> Split {
        let between = weight - 2;
        Split { summed: between.div_ceil(2), tried: between / 2 }
    }

    /// Returns the longest codeword for which trying is cheap, in bits.
    fn longest(self) -> u64 {
        // n^k / k! = most
        let length = |most: f64, k: u32| {
            let factorial: f64 = (1..=k).map(f64::from).product();
            (most * factorial).powf(1.0 / f64::from(k))
        };
        length(ENTRIES, self.summed).min(length(TRIES, self.tried + 1)) as u64
    }
}

/// Returns the first place from `start` to below `stop` that is the top of a codeword of too few
/// bits; else the length, in bits, that has none.
fn grow<S: Set>(
    explicit: u128,
    split: Split,
    start: u64,
    stop: u64,
    powers: &mut Vec<u64>,
    sums: &mut S,
) -> Result<u64, u64> {
    sums.clear();
    powers.clear();
    for (place, power) in (0..stop).zip(gf2::powers(explicit, 1_u64)).skip(1) {
        if place >= start && (power == 1 || is_sum(power ^ 1, split.tried, powers, sums)) {
            return Ok(place);
        }
        if !add(power, split.summed - 1, powers, sums) {
            return Err(place + 1);
        }
        powers.push(power);
    }
    Err(stop)
}

/// Returns whether the sum is one of the table's and up to `tried` powers more.
fn is_sum<S: Set>(sum: u64, tried: u32, powers: &[u64], sums: &S) -> bool {
    if tried == 1 {
        return sums.has(sum) || powers.iter().any(|power| sums.has(sum ^ power));
    }
    let others = || powers.iter().enumerate();
    sums.has(sum)
        || tried > 0
            && others().any(|(i, power)| is_sum(sum ^ power, tried - 1, &powers[..i], sums))
}

/// Adds the sum, and its sums with up to `more` powers; returns `false` if there is no room.
fn add<S: Set>(sum: u64, more: u32, powers: &[u64], sums: &mut S) -> bool {
    let mut others = powers.iter().enumerate();
    sums.add(sum)
        && (more == 0 || others.all(|(i, power)| add(sum ^ power, more - 1, &powers[..i], sums)))
}

/// A set of sums.
trait Set {
    fn clear(&mut self);
    /// Adds a sum; returns `false` if there is no room.
    fn add(&mut self, sum: u64) -> bool;
    fn has(&self, sum: u64) -> bool;
}

/// A set with a bit for every value.
struct Marked {
    bits: Vec<u64>,
    /// The indices of words that are not 0.
    used: Vec<u32>,
}

impl Set for Marked {
    fn clear(&mut self) {
        self.used.drain(..).for_each(|word| self.bits[word as usize] = 0);
    }

    fn add(&mut self, sum: u64) -> bool {
        let word = &mut self.bits[(sum >> 6) as usize];
        if *word == 0 {
            self.used.push((sum >> 6) as u32);
        }
        *word |= 1 << (sum & 63);
        true
    }

    fn has(&self, sum: u64) -> bool {
        self.bits[(sum >> 6) as usize] >> (sum & 63) & 1 == 1
    }
}

/// A table with open addressing, at most half full.
///
/// 0 marks a free slot: it is no sum of a codeword without two equal powers.
struct Hashed {
    slots: Vec<u64>,
    used: Vec<u32>,
}

/// The initial number of slots: what a core's first cache holds.
const SLOTS: usize = 1 << 11;

impl Hashed {
    fn new() -> Hashed {
        Hashed { slots: vec![0; SLOTS], used: Vec::new() }
    }

    /// Returns the slot of the sum, or the free one for it.
    fn slot(&self, sum: u64) -> usize {
        // The fractional part of the golden ratio spreads best.
        let mask = self.slots.len() - 1;
        let shift = 64 - self.slots.len().trailing_zeros();
        let mut slot = (sum.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> shift) as usize;
        while self.slots[slot] != sum && self.slots[slot] != 0 {
            slot = (slot + 1) & mask;
        }
        slot
    }
}

impl Set for Hashed {
    fn clear(&mut self) {
        if self.slots.len() > SLOTS {
            self.slots.truncate(SLOTS);
            self.slots.fill(0);
        } else {
            self.used.iter().for_each(|&slot| self.slots[slot as usize] = 0);
        }
        self.used.clear();
    }

    fn add(&mut self, sum: u64) -> bool {
        if 2 * self.used.len() >= self.slots.len() {
            if self.used.len() as f64 >= ENTRIES {
                return false;
            }
            let old = std::mem::take(&mut self.slots);
            self.slots = vec![0; 2 * old.len()];
            self.used.clear();
            old.into_iter().filter(|&sum| sum != 0).for_each(|sum| {
                self.add(sum);
            });
        }
        let slot = self.slot(sum);
        if self.slots[slot] == 0 {
            self.slots[slot] = sum;
            self.used.push(slot as u32);
        }
        true
    }

    fn has(&self, sum: u64) -> bool {
        sum != 0 && self.slots[self.slot(sum)] != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crc::{Generator, Limit, Profile};
    use crate::{Effort, Kind};

    impl Reach {
        fn data(self) -> u64 {
            match self {
                Reach::Exactly(data) | Reach::AtLeast(data) => data,
            }
        }
    }

    /// Returns the data bits to which each distance to `most` holds, by trying all codewords of up
    /// to `longest` data bits.
    fn tried(explicit: u64, most: usize, longest: u32) -> Vec<u64> {
        let mut limits = vec![u64::from(longest); most + 1];
        for top in (0..longest).rev() {
            for factor in 1_u64 << top..2 << top {
                let word = (0..=top)
                    .filter(|i| factor >> i & 1 == 1)
                    .fold(0_u64, |sum, i| sum ^ explicit << i);
                let above = (word.count_ones() as usize + 1).min(most + 1);
                limits[above..].fill(u64::from(top));
            }
        }
        limits
    }

    #[test]
    fn every_narrow_generator_against_trying_all() {
        let longest = 13;
        for width in 3..=8 {
            for distance in 3..=width + 1 {
                let mut filter = Filter::new(width, distance);
                let mut hashed =
                    Filter { sums: Sums::Hashed(Hashed::new()), ..Filter::new(width, distance) };
                for explicit in ((1 << width) + 1..2 << width).step_by(2) {
                    let expected = tried(explicit, 9, longest)[distance as usize];
                    let reach = filter.reach(explicit.into()).data();
                    assert_eq!(reach.min(longest.into()), expected, "{explicit:b}, {distance}");
                    let hashed = hashed.reach(explicit.into()).data();
                    assert_eq!(hashed.min(longest.into()), expected, "{explicit:b}, {distance}");
                }
            }
        }
    }

    /// Compares whole limits with a method that shares only the powers.
    #[test]
    fn agrees_with_profiles() {
        let mut random = fastrand::Rng::with_seed(7);
        for (width, most) in [(8, 9), (9, 9), (12, 8), (16, 8), (17, 8), (20, 6), (25, 5), (27, 6)]
        {
            for _ in 0..4 {
                let explicit = (1 << width) | (random.u128(..) % (1 << width)) | 1;
                let limits = limits_as_filtered(explicit, most, &Effort::new());
                assert!(limits.iter().all(|limit| limit.kind == Kind::Exact), "{explicit:x}");
            }
        }
    }

    /// Tries generators of any kind: without known factors, with x + 1, and products of two, by
    /// themselves and mirrored.
    #[test]
    #[ignore = "long"]
    fn agrees_with_profiles_of_any_width() {
        let mut random = fastrand::Rng::with_seed(8);
        // What takes longer stays a bound.
        let effort = Effort { sums: 1 << 20, ..Effort::new() };
        for width in (8..=64).step_by(8) {
            let mut any = |degree: u32| 1 << degree | random.u128(..1 << degree) | 1;
            let part = width / 3;
            for explicit in [
                any(width),
                gf2::product(3, any(width - 1)),
                gf2::product(any(part), any(width - part)),
            ] {
                let limits = limits_as_filtered(explicit, 5, &effort);
                let mirrored = explicit.reverse_bits() >> (127 - width);
                let mirrored = limits_as_filtered(mirrored, 5, &effort);
                let lengths = |limits: &[Limit]| -> Vec<(u64, Kind)> {
                    limits.iter().map(|limit| (limit.data, limit.kind)).collect()
                };
                assert_eq!(lengths(&limits), lengths(&mirrored), "{explicit:x}");
            }
        }
    }

    /// Returns the limits of distances to `most`, after comparing them with the filter's.
    fn limits_as_filtered(explicit: u128, most: u32, effort: &Effort<'_>) -> Vec<Limit> {
        let generator = Generator::new(explicit).unwrap();
        let width = generator.width();
        let limits = Profile::to(&generator, most, effort).limits;
        for limit in &limits {
            let what = format!("{explicit:x}, HD {}", limit.distance);
            match (Filter::new(width, limit.distance).reach(explicit), limit.kind) {
                (Reach::Exactly(data), Kind::Exact) => assert_eq!(data, limit.data, "{what}"),
                (Reach::Exactly(data), _) => assert!(data >= limit.data, "{what}"),
                (Reach::AtLeast(data), kind) => {
                    assert!(data <= limit.data || kind != Kind::Exact, "{what}");
                    assert!(width > MARKED, "{what}");
                }
            }
        }
        limits
    }

    /// Checks that a table that was full and cleared is as good as new.
    #[test]
    fn used_again() {
        let known = 0x1_1edc_6f41;
        let mut filter = Filter::new(32, 6);
        for explicit in [known, 0x1_04c1_1db7, known, 0x1_0000_00af, known] {
            let fresh = Filter::new(32, 6).reach(explicit);
            assert_eq!(filter.reach(explicit), fresh);
        }
        assert!(matches!(filter.reach(known), Reach::AtLeast(data) if data > 1000));
        assert_eq!(Filter::new(32, 4).reach(0x1_04c1_1db7), Reach::Exactly(91_607));
        assert_eq!(Filter::new(32, 4).reach(known), Reach::Exactly(2_147_483_615));
    }
}
