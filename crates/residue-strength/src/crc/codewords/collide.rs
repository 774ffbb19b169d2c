//! Finds equal sums among very many, in little memory.
//!
//! Meet in the middle needs all pairs of equal sums `anchor + key[place]`, where anchors and keys
//! are vectors over GF(2) and places come after the anchor. There may be 10^10 sums, too many to
//! keep. But sums are linear: the highest bits of a sum are those of its anchor plus those of its
//! key. With the keys (or the anchors, if they are more) in buckets by their highest bits, all sums
//! with highest bits q are found in one bucket for each of the others, without looking elsewhere.
//! The sums are made and compared in 2^b parts, small enough for a bitmap in the cache, and the
//! parts are shared among threads.
//!
//! Within a part, a bitmap of a hash of each sum (more of its bits) shows which hashes occur twice;
//! sums with such a hash are computed again, kept, and sorted.

use crate::Effort;
use crate::field::gf2::{Residue, ones};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

/// A part of a sum: a vector, and the place after which the other part must be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Anchor<R> {
    pub key: R,
    pub after: u32,
}

/// A sum: the number of its anchor, and the place of its key.
pub(super) type Sum = (u32, u32);

/// Counts the sums of places to `places` with these anchors.
pub(super) fn count<R>(anchors: &[Anchor<R>], places: usize) -> u64 {
    anchors.iter().map(|anchor| (places as u64).saturating_sub(u64::from(anchor.after) + 1)).sum()
}

/// Returns the memory that [`collisions`] takes beside keys and anchors, in bytes.
pub(super) fn memory<R>(keys: u128, anchors: u128) -> u128 {
    // Both in parts; anchors in buckets are sorted first, which takes a copy of them.
    let anchor_copies = if keys > anchors { 1 } else { 2 };
    let parts = keys.saturating_add(anchors.saturating_mul(anchor_copies));
    // A bucket's start is kept twice, in eight bytes, and buckets hold eight parts or more.
    parts.saturating_mul(size_of::<Part<R>>() as u128 + 1)
}

/// Returns all pairs of different sums with equal values; `None` if the time is up.
///
/// `width` is the bits of keys. An anchor's key is added to those of `keys` from `after + 1`.
pub(super) fn collisions<R: Residue>(
    keys: &[R],
    width: u32,
    anchors: &[Anchor<R>],
    effort: &Effort<'_>,
) -> Option<Vec<[Sum; 2]>> {
    let sums = count(anchors, keys.len());
    let spread = Spread::new(keys, width, anchors, sums);
    let (next, parts) = (AtomicU64::new(0), 1 << spread.bits);
    let each = (sums >> spread.bits).max(1);
    let (found, ended) = (Mutex::new(Vec::new()), AtomicBool::new(false));
    let work = || {
        let mut scratch = Scratch::new(width, sums >> spread.bits, spread.bits);
        let mut mine = Vec::new();
        loop {
            let part = next.fetch_add(1, Ordering::Relaxed);
            if part >= parts {
                break;
            }
            if !(effort.spend)(each) {
                ended.store(true, Ordering::Relaxed);
                break;
            }
            scratch.part(part, &spread, &mut mine);
            (effort.tell)(part, parts);
        }
        if let Ok(mut found) = found.lock() {
            found.append(&mut mine);
        }
    };
    // Threads cost more than a thousand sums.
    let threads = effort.threads.min(parts as usize).max(1);
    thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(work);
        }
        work();
    });
    (!ended.into_inner()).then(|| found.into_inner().unwrap_or_default())
}

/// Mixes the lowest `width` bits, linearly and reversibly: powers of x next to each other have
/// nearly the same bits, and buckets should be equally full.
pub(super) fn mix<R: Residue>(key: R, width: u32) -> R {
    let mask: R = ones(width);
    let mut key = key & mask;
    for [left, right] in [[width / 3 + 1, width / 2 + 1], [width / 5 + 1, width / 7 + 1]] {
        // `x + x shifted` is reversible, as its matrix is triangular.
        key ^= key << left & mask;
        key ^= key >> right;
    }
    key
}

/// Returns the highest `bits` of a word.
fn highest<R: Residue>(word: R, bits: u32) -> usize {
    (word >> 1 >> (R::BITS - 1 - bits)).low() as usize
}

/// One part of a sum: its key at the top of a word, and its place.
///
/// An outer part at `order` is combined with the inner ones of lower order.
#[derive(Clone, Copy, Default)]
struct Part<R> {
    key: R,
    order: u32,
    number: u32,
}

/// The fewer of anchors and keys, and the more of them in buckets by their highest bits, in rising
/// order within each.
struct Spread<R> {
    bits: u32,
    outer: Vec<Part<R>>,
    starts: Vec<u32>,
    inner: Vec<Part<R>>,
    /// Whether the keys are the inner ones.
    keys_inside: bool,
}

impl<R: Residue> Spread<R> {
    fn new(keys: &[R], width: u32, anchors: &[Anchor<R>], sums: u64) -> Spread<R> {
        let keys_inside = keys.len() > anchors.len();
        let shift = R::BITS - width;
        // A place goes with the anchors it is after: counted backwards, where the places are
        // inside.
        let order = |place: u32| if keys_inside { !place } else { place };
        let of_anchors = || {
            anchors.iter().zip(0..).map(|(anchor, number)| Part {
                key: anchor.key << shift,
                order: order(anchor.after),
                number,
            })
        };
        let of_keys = || {
            (0..keys.len() as u32).map(|place| Part {
                key: keys[place as usize] << shift,
                order: order(place),
                number: place,
            })
        };
        // Parts of 2^17 sums have a bitmap of a quarter of a megabyte; buckets of fewer than eight
        // are mostly overhead.
        let fullest = keys.len().max(anchors.len()).max(1).ilog2().saturating_sub(3);
        let bits = sums.max(1).ilog2().saturating_sub(17).min(fullest).min(width);
        let (outer, (starts, inner)) = if keys_inside {
            // There may be so many that a second copy of them, to be sorted, is too much. Their
            // order is known.
            (of_anchors().collect(), in_buckets(|| of_keys().rev(), bits))
        } else {
            let mut inner: Vec<Part<R>> = of_anchors().collect();
            inner.sort_by_key(|part| part.order);
            (of_keys().collect(), in_buckets(|| inner.iter().copied(), bits))
        };
        Spread { bits, outer, starts, inner, keys_inside }
    }

    /// Calls `visit` with every sum whose highest bits are `part`, and with the numbers of its two
    /// parts.
    fn each(&self, part: u64, mut visit: impl FnMut(R, u32, u32)) {
        for outer in &self.outer {
            let bucket = highest(outer.key, self.bits) ^ part as usize;
            let range = self.starts[bucket] as usize..self.starts[bucket + 1] as usize;
            for inner in self.inner[range].iter().take_while(|inner| inner.order < outer.order) {
                visit(outer.key ^ inner.key, outer.number, inner.number);
            }
        }
    }

    /// Returns the sum of an outer and an inner part.
    fn sum(&self, (outer, inner): (u32, u32)) -> Sum {
        if self.keys_inside { (outer, inner) } else { (inner, outer) }
    }
}

/// Sorts the parts into buckets by their highest bits, in their given order, and returns where each
/// bucket starts.
fn in_buckets<R: Residue, I: Iterator<Item = Part<R>>>(
    parts: impl Fn() -> I,
    bits: u32,
) -> (Vec<u32>, Vec<Part<R>>) {
    let mut starts = vec![0; (1 << bits) + 1];
    for part in parts() {
        starts[highest(part.key, bits) + 1] += 1;
    }
    for bucket in 1..starts.len() {
        starts[bucket] += starts[bucket - 1];
    }
    let mut next = starts.clone();
    let mut sorted = vec![Part::default(); starts[starts.len() - 1] as usize];
    for part in parts() {
        let slot = &mut next[highest(part.key, bits)];
        sorted[*slot as usize] = part;
        *slot += 1;
    }
    (starts, sorted)
}

/// The buffers of a thread.
struct Scratch<R> {
    /// Bits of a sum that choose the part, and those after them that are its hash.
    skip: u32,
    hash: u32,
    seen: Vec<u64>,
    twice: Vec<u64>,
    kept: Vec<(R, u32, u32)>,
}

impl<R: Residue> Scratch<R> {
    fn new(width: u32, sums: u64, skip: u32) -> Scratch<R> {
        let hash = (sums.max(1).ilog2() + 4).min(width - skip).clamp(6, 32);
        let words = 1 << (hash - 6);
        Scratch { skip, hash, seen: vec![0; words], twice: vec![0; words], kept: Vec::new() }
    }

    fn part(&mut self, part: u64, spread: &Spread<R>, found: &mut Vec<[Sum; 2]>) {
        let Scratch { skip, hash, seen, twice, kept } = self;
        let slot = |sum: R| {
            let hash = highest(sum << *skip, *hash);
            (hash / 64, 1 << (hash % 64))
        };
        seen.fill(0);
        twice.fill(0);
        let mut any = false;
        spread.each(part, |sum, _, _| {
            let (word, bit) = slot(sum);
            if seen[word] & bit != 0 {
                twice[word] |= bit;
                any = true;
            }
            seen[word] |= bit;
        });
        if !any {
            return;
        }
        kept.clear();
        spread.each(part, |sum, outer, inner| {
            let (word, bit) = slot(sum);
            if twice[word] & bit != 0 {
                kept.push((sum, outer, inner));
            }
        });
        kept.sort_unstable();
        for equal in kept.chunk_by(|a, b| a.0 == b.0) {
            for (i, first) in equal.iter().enumerate() {
                for second in &equal[..i] {
                    found.push([spread.sum((second.1, second.2)), spread.sum((first.1, first.2))]);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mixing_is_linear_and_reversible() {
        for width in 2..=64_u32 {
            let mut rows: Vec<u64> = (0..width).map(|bit| mix(1 << bit, width)).collect();
            assert_eq!(mix(0b11_u64, width), rows[0] ^ rows[1]);
            let mut rank = 0;
            for bit in 0..width {
                let Some(at) = rows.iter().position(|row| row >> bit & 1 == 1) else { continue };
                let pivot = rows.swap_remove(at);
                rows.iter_mut().filter(|row| **row >> bit & 1 == 1).for_each(|row| *row ^= pivot);
                rank += 1;
            }
            assert_eq!(rank, width);
        }
    }

    #[test]
    fn finds_what_trying_all_finds() {
        let mut random = fastrand::Rng::with_seed(5);
        for (width, places, anchors) in
            [(9, 40, 5), (14, 300, 12), (30, 3000, 60), (29, 60, 3000), (64, 50, 3)]
        {
            let keys: Vec<u64> = (0..places).map(|_| random.u64(..) >> (64 - width)).collect();
            let mut anchors: Vec<Anchor<u64>> = (0..anchors)
                .map(|_| Anchor {
                    key: random.u64(..) >> (64 - width),
                    after: random.u32(..places),
                })
                .collect();
            anchors.push(Anchor { key: anchors[0].key, after: 0 });
            let mut sums: Vec<(u64, u32, u32)> = Vec::new();
            for (number, anchor) in anchors.iter().enumerate() {
                for place in anchor.after + 1..places {
                    sums.push((anchor.key ^ keys[place as usize], number as u32, place));
                }
            }
            assert_eq!(count(&anchors, keys.len()), sums.len() as u64);
            sums.sort_unstable();
            let mut expected = Vec::new();
            for (i, first) in sums.iter().enumerate() {
                for second in sums[i + 1..].iter().take_while(|second| second.0 == first.0) {
                    expected.push([(first.1, first.2), (second.1, second.2)]);
                }
            }
            let mut found = collisions(&keys, width, &anchors, &Effort::new()).unwrap();
            found.iter_mut().for_each(|pair| pair.sort_unstable());
            found.sort_unstable();
            expected.iter_mut().for_each(|pair: &mut [Sum; 2]| pair.sort_unstable());
            expected.sort_unstable();
            assert_eq!(found, expected, "width {width}");
            assert!(!expected.is_empty());
            // These sums again, at the top of wider words.
            let keys: Vec<u128> = keys.iter().map(|&key| u128::from(key) << 30).collect();
            let anchors: Vec<Anchor<u128>> = anchors
                .iter()
                .map(|anchor| Anchor { key: u128::from(anchor.key) << 30, after: anchor.after })
                .collect();
            let mut found = collisions(&keys, width + 30, &anchors, &Effort::new()).unwrap();
            found.iter_mut().for_each(|pair| pair.sort_unstable());
            found.sort_unstable();
            assert_eq!(found, expected, "width {}", width + 30);
        }
    }
}
