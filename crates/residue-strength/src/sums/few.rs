//! Counts the undetected errors of two and of three bits of a sum in uniform data.
//!
//! Each set of bits counts with the share of the signs for which its constants add up to nothing.

use super::constants::Counts;
use crate::codes::additive::Group;
use std::collections::{BTreeMap, BTreeSet};

/// Returns A_2: two different constants never cancel; two alike do with half of the signs.
pub(super) fn pairs<G: Group>(group: G, unlike: &[(u32, u64)]) -> f64 {
    let of_one = |&(constant, count): &(u32, u64)| {
        choose(count, 2) * if group.sub(0, constant) == constant { 1.0 } else { 0.5 }
    };
    unlike.iter().map(of_one).sum()
}

/// Returns `count` over `of`.
pub(super) fn choose(count: u64, of: u64) -> f64 {
    (0..of).map(|i| count.saturating_sub(i) as f64 / (i + 1) as f64).product()
}

/// The search for three bits whose constants add up to nothing.
pub(super) struct Triples<'a, G> {
    group: G,
    unlike: &'a [(u32, u64)],
    places: Places,
}

/// Where each constant, of either sign, is.
enum Places {
    /// One more than the place of each element, 0 if it is no constant: for small elements.
    Dense(Vec<u32>),
    /// By element, with a filter before the table that most sums do not pass.
    Sparse(Counts, Vec<bool>),
}

impl Places {
    /// The elements below which a table has all of them, and the size of the filter for others.
    const SMALL: u32 = 1 << 20;

    fn new(elements: &[[u32; 2]]) -> Places {
        let largest = elements.iter().flatten().copied().max().unwrap_or(0);
        let each = || (0..).zip(elements).flat_map(|(place, both)| both.map(|it| (place, it)));
        if largest < Places::SMALL {
            let mut table = vec![0; largest as usize + 1];
            each().for_each(|(place, element)| table[element as usize] = place as u32 + 1);
            return Places::Dense(table);
        }
        let (mut table, mut filter) = (Counts::default(), vec![false; Places::SMALL as usize]);
        for (place, element) in each() {
            table.insert(element, place);
            filter[Places::slot(element)] = true;
        }
        Places::Sparse(table, filter)
    }

    fn slot(element: u32) -> usize {
        (element.wrapping_mul(0x9e37_79b1) >> 12) as usize
    }

    /// Returns the place of an element or its opposite.
    fn find(&self, element: u32) -> Option<usize> {
        match self {
            Places::Dense(table) => (*table.get(element as usize)? as usize).checked_sub(1),
            Places::Sparse(table, filter) if filter[Places::slot(element)] => {
                table.get(&element).map(|&place| place as usize)
            }
            Places::Sparse(..) => None,
        }
    }
}

impl<'a, G: Group> Triples<'a, G> {
    pub fn new(group: G, unlike: &'a [(u32, u64)]) -> Self {
        let both = |&(constant, _): &(u32, u64)| [constant, group.sub(0, constant)];
        let elements: Vec<[u32; 2]> = unlike.iter().map(both).collect();
        Triples { group, unlike, places: Places::new(&elements) }
    }

    /// Returns the share of the signs, of the constant at `place` and of two others, for which they
    /// cancel: of eight signs those with a positive first one, twice.
    fn signs(&self, place: usize) -> f64 {
        let constant = self.unlike[place].0;
        if self.group.sub(0, constant) == constant { 4.0 / 8.0 } else { 2.0 / 8.0 }
    }

    /// Returns A_3.
    pub fn count(&self) -> f64 {
        let Triples { group, unlike, .. } = self;
        let mut triples = 0.0;
        for (i, &(a, of_a)) in unlike.iter().enumerate() {
            if let Some(other) = self.places.find(group.add(a, a)) {
                triples += match other == i {
                    // a + a is -a; or a, which would be 0.
                    true => choose(of_a, 3) * 0.25,
                    false => choose(of_a, 2) * unlike[other].1 as f64 * self.signs(other),
                };
            }
        }
        // Sums of pairs are elements only if those of their classes are classes of elements.
        let mut classes: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for (place, &(constant, _)) in unlike.iter().enumerate() {
            classes.entry(group.class(constant)).or_default().push(place);
        }
        let of_opposites = unlike.iter().map(|&(constant, _)| group.class(group.sub(0, constant)));
        let known: BTreeSet<u32> = classes.keys().copied().chain(of_opposites).collect();
        let classes: Vec<Vec<usize>> = classes.into_values().collect();
        for (number, first) in classes.iter().enumerate() {
            for second in &classes[number..] {
                let (a, b) = (unlike[first[0]].0, unlike[second[0]].0);
                let may =
                    [group.add(a, b), group.sub(a, b)].map(|it| known.contains(&group.class(it)));
                if may.contains(&true) {
                    triples += self.of_classes(first, second, may);
                }
            }
        }
        triples
    }

    /// Returns the part of A_3 whose two constants of lowest places are of these classes, as far as
    /// their sum and their difference may be elements.
    fn of_classes(&self, first: &[usize], second: &[usize], [sum, difference]: [bool; 2]) -> f64 {
        let mut triples = 0.0;
        let mut note = |i: usize, j: usize, element: u32| {
            if let Some(k) = self.places.find(element).filter(|&k| k > i.max(j)) {
                let bits = |place: usize| self.unlike[place].1 as f64;
                triples += bits(i) * bits(j) * bits(k) * self.signs(k);
            }
        };
        for (number, &i) in first.iter().enumerate() {
            let a = self.unlike[i].0;
            // Within one class each pair comes once.
            let rest = if std::ptr::eq(first, second) { &second[number + 1..] } else { second };
            for &j in rest {
                let b = self.unlike[j].0;
                if sum {
                    note(i, j, self.group.add(a, b));
                }
                if difference {
                    note(i, j, self.group.sub(a, b));
                }
            }
        }
        triples
    }
}

/// Returns A_3 of bits each of which counts twice the next one, modulo an odd number; `None` if
/// they do not, or two count alike up to sign.
///
/// Three bits that cancel do so wherever they are moved: those that begin with the last bit stand
/// for all.
pub(super) fn triples_of_powers<G: Group>(group: G, bits: &[u32]) -> Option<f64> {
    let last = *bits.last()?;
    let minus = |constant: u32| group.sub(0, constant);
    let mut signless: Vec<u32> = bits.iter().map(|&it| it.min(minus(it))).collect();
    signless.sort_unstable();
    let are_powers = bits.windows(2).all(|pair| pair[0] == group.add(pair[1], pair[1]));
    let unlike = signless.windows(2).all(|pair| pair[0] < pair[1]);
    if !are_powers || !unlike || signless.iter().any(|&it| it == minus(it)) {
        return None;
    }
    let elements: Vec<[u32; 2]> = bits.iter().rev().map(|&it| [it, minus(it)]).collect();
    let places = Places::new(&elements);
    let mut triples = 0.0;
    for (second, &[constant, _]) in elements.iter().enumerate().skip(1) {
        for sum in [group.add(last, constant), group.sub(last, constant)] {
            if let Some(third) = places.find(sum).filter(|&third| third > second) {
                // Of eight signs two.
                triples += (bits.len() - third) as f64 / 4.0;
            }
        }
    }
    Some(triples)
}

#[cfg(test)]
mod tests {
    use super::super::channel::bits;
    use super::super::{Channel, two_bits};
    use super::*;
    use crate::codes::additive::{Additive, Work};

    /// A_2 and A_3 of these bits, as counted here and by trying all.
    struct Both<'a>(&'a [u32]);

    impl Work for Both<'_> {
        type Output = [[f64; 2]; 2];
        fn run<G: Group>(self, group: G) -> [[f64; 2]; 2] {
            let minus = |constant: u32| group.sub(0, constant);
            let equal = |sum: u32, constant: u32| {
                let signs = [constant, minus(constant)];
                signs.into_iter().filter(|&signed| signed == sum).count() as f64
            };
            let (mut two, mut three) = (0.0, 0.0);
            for (i, &a) in self.0.iter().enumerate() {
                for (j, &b) in self.0.iter().enumerate().skip(i + 1) {
                    two += equal(a, b) / 2.0;
                    for sum in [group.add(a, b), group.sub(a, b)] {
                        three += self.0[j + 1..].iter().map(|&c| equal(sum, c) / 4.0).sum::<f64>();
                    }
                }
            }
            let mut unlike: BTreeMap<u32, u64> = BTreeMap::new();
            for &constant in self.0 {
                *unlike.entry(constant.min(minus(constant))).or_default() += 1;
            }
            let unlike: Vec<(u32, u64)> = unlike.into_iter().collect();
            if let Some(moved) = triples_of_powers(group, self.0) {
                assert_eq!(moved, three);
            }
            [[pairs(group, &unlike), two], [Triples::new(group, &unlike).count(), three]]
        }
    }

    #[test]
    fn counts_against_trying_all() {
        let mut triples = 0.0;
        for name in [
            "fletcher-32",
            "fletcher-32/be",
            "fletcher-32/mod65536",
            "adler-32",
            "fletcher-16",
            "fletcher-16/mod256",
            "koopman-16",
            "koopman-32",
            "dual-16",
            "dual-32",
            "sum-32",
            "sum-8",
            "xor-16",
            "xns",
        ] {
            let code = Additive::named(name).unwrap();
            for bytes in [2, 7, 24] {
                let [two, three] = code.within(Both(&bits(&code, bytes)));
                assert_eq!(two[0], two[1], "{name} {bytes}");
                assert_eq!(three[0], three[1], "{name} {bytes}");
                triples += three[0];
            }
        }
        assert!(triples > 100.0, "{triples}");
    }

    #[test]
    fn powers_are_known_as_such() {
        struct Of<'a>(&'a [u32]);
        impl Work for Of<'_> {
            type Output = Option<f64>;
            fn run<G: Group>(self, group: G) -> Option<f64> {
                triples_of_powers(group, self.0)
            }
        }
        for (name, bytes, is_some) in [
            ("koopman-8", 13, true),
            ("koopman-8", 14, false),
            ("koopman-16", 4094, true),
            ("koopman-16", 4095, false),
            ("koopman-32", 100, true),
            ("fletcher-32", 100, false),
            ("sum-32", 8, false),
        ] {
            let code = Additive::named(name).unwrap();
            let found = code.within(Of(&bits(&code, bytes)));
            assert_eq!(found.is_some(), is_some, "{name} {bytes}");
        }
    }

    #[test]
    fn shares_of_pairs_agree_with_those_of_all_figures() {
        for name in ["fletcher-32", "adler-32", "koopman-32", "dual-16", "sum-32", "internet"] {
            let code = Additive::named(name).unwrap();
            let share = Channel::share_of_pairs(&code, 64);
            for other in
                [Channel::new(&code, 64).unwrap().share(2).unwrap(), two_bits(&code, 64).share]
            {
                assert!((share - other).abs() <= 1e-12 * share, "{name} {share} {other}");
            }
        }
    }
}
