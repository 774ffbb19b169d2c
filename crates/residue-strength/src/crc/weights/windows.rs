//! The weights of the words of a dual code whose generator is primitive, by a window that slides.
//!
//! The dual code of a CRC of length n has a word for each linear map m of residues to bits: m(1),
//! m(x), ..., m(x^(n-1)). If x has every residue but 0 among its powers, all maps but 0 are
//! m(x^t ...) for one map m, and the words are the windows of n bits of one sequence s(t) = m(x^t)
//! of period 2^r - 1 (a maximal-length sequence). From one window to the next the weight changes by
//! s(t + n) - s(t). Each of the 2^r - 1 words so takes one step, whatever its length (Fujiwara,
//! Kasami and Lin 1989 count weights so; Chun and Wolf 1994).
//!
//! m is the coefficient of x^(r-1). Eight steps of it depend on the eight highest coefficients, as
//! in the table-driven computation of CRCs.

use crate::Effort;
use crate::field::factor;
use crate::field::gf2::{degree, power};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

/// The least degree that is worth the tables.
const LEAST: u32 = 17;

/// Windows that slide side by side, so that the counters of one do not wait for each other.
const LANES: usize = 4;

/// Steps of a lane in a part of the work.
const STEPS: u64 = 1 << 20;

/// Returns whether [`distribution`] covers the polynomial, of degree 32 at most.
pub(super) fn suit(poly: u128) -> bool {
    let primitive = || factor::factors(poly).iter().all(|it| it.times == 1 && it.is_primitive());
    (LEAST..=32).contains(&degree(poly)) && factor::factors(poly).len() == 1 && primitive()
}

/// The sequence, eight steps at a time.
struct Sequence {
    poly: u128,
    width: u32,
    /// By the eight highest coefficients: the next eight bits, first one highest, and what the
    /// residue is to be changed by.
    table: Vec<(u8, u32)>,
}

impl Sequence {
    fn new(poly: u128) -> Sequence {
        let width = degree(poly);
        let mut sequence = Sequence { poly, width, table: Vec::new() };
        let entry = |upper: u32| {
            let mut residue = upper << (width - 8);
            let bits = (0..8).fold(0_u8, |bits, _| bits << 1 | sequence.step(&mut residue) as u8);
            (bits, residue)
        };
        sequence.table = (0..256).map(entry).collect();
        sequence
    }

    /// Returns the bit of a residue, and multiplies it by x.
    fn step(&self, residue: &mut u32) -> u32 {
        let bit = *residue >> (self.width - 1) & 1;
        let mask = u32::MAX >> (32 - self.width);
        *residue = (*residue << 1 ^ self.poly as u32 & bit.wrapping_neg()) & mask;
        bit
    }

    /// Returns the next eight bits, the first one highest.
    #[inline(always)]
    fn eight(&self, residue: &mut u32) -> u8 {
        let (bits, change) = self.table[(*residue >> (self.width - 8)) as usize & 0xff];
        let mask = u32::MAX >> (32 - self.width);
        *residue = (*residue << 8 & mask) ^ change;
        bits
    }

    /// Returns the residue at a place of the sequence.
    fn at(&self, place: u64) -> u32 {
        power(2, place.into(), self.poly) as u32
    }
}

/// A window of the sequence.
#[derive(Clone, Copy)]
struct Window {
    /// The residues at its first bit, and at the first bit behind it.
    ends: [u32; 2],
    weight: u32,
}

impl Window {
    fn new(sequence: &Sequence, place: u64, length: usize) -> Window {
        let first = sequence.at(place);
        let mut end = first;
        let eights = (0..length / 8).map(|_| sequence.eight(&mut end).count_ones());
        let mut weight = eights.sum::<u32>();
        weight += (0..length % 8).map(|_| sequence.step(&mut end)).sum::<u32>();
        Window { ends: [first, end], weight }
    }

    /// Slides by one bit.
    fn step(&mut self, sequence: &Sequence) {
        let [leaving, entering] = self.ends.each_mut().map(|end| sequence.step(end));
        self.weight = self.weight + entering - leaving;
    }
}

/// Returns the number of words of each weight, from 0 to `length`, of the dual code of a primitive
/// polynomial; `None` if the time is up before.
pub(super) fn distribution(poly: u128, length: usize, effort: &Effort<'_>) -> Option<Vec<u64>> {
    let sequence = &Sequence::new(poly);
    let words = (1_u64 << degree(poly)) - 1;
    let part = LANES as u64 * STEPS;
    let parts = words.div_ceil(part);
    let (next, ended) = (AtomicU64::new(0), AtomicBool::new(false));
    let mut zero = vec![0; length + 1];
    zero[0] = 1;
    let total = Mutex::new(zero);
    let work = || {
        let mut counts = vec![[0_u64; LANES]; length + 1];
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= parts {
                break;
            }
            // A step is worth a tenth of a sum of powers.
            if !(effort.spend)(part / 10) {
                ended.store(true, Ordering::Relaxed);
                break;
            }
            let start = index * part;
            match words - start >= part {
                true => slide(sequence, start, length, &mut counts),
                // The last ones, one by one.
                false => {
                    let mut window = Window::new(sequence, start, length);
                    for _ in start..words {
                        counts[window.weight as usize][0] += 1;
                        window.step(sequence);
                    }
                }
            }
            (effort.tell)(index, parts);
        }
        if let Ok(mut total) = total.lock() {
            total.iter_mut().zip(counts).for_each(|(sum, lanes)| *sum += lanes.iter().sum::<u64>());
        }
    };
    thread::scope(|scope| {
        for _ in 1..effort.threads.min(parts as usize) {
            scope.spawn(work);
        }
        work();
    });
    (!ended.into_inner()).then(|| total.into_inner().unwrap_or_default())
}

/// Counts the windows from `start` on, [`STEPS`] for each lane.
fn slide(sequence: &Sequence, start: u64, length: usize, counts: &mut [[u64; LANES]]) {
    let window = |lane| Window::new(sequence, start + lane as u64 * STEPS, length);
    let mut windows: [Window; LANES] = std::array::from_fn(window);
    for _ in 0..STEPS / 8 {
        let mut bits = [[0_u32; 2]; LANES];
        for (bits, window) in bits.iter_mut().zip(&mut windows) {
            *bits = window.ends.each_mut().map(|end| sequence.eight(end).into());
        }
        for step in (0..8).rev() {
            for (lane, (window, [leaving, entering])) in windows.iter_mut().zip(bits).enumerate() {
                if let Some(counts) = counts.get_mut(window.weight as usize) {
                    counts[lane] += 1;
                }
                window.weight = window.weight + (entering >> step & 1) - (leaving >> step & 1);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crc::weights::spectrum;
    use crate::field::gf2;

    /// Compares the windows with the transform.
    #[test]
    fn windows_have_the_weights_of_all_words() {
        // x^17 + x^3 + 1, x^20 + x^3 + 1, x^23 + x^5 + 1 are primitive.
        for (poly, lengths) in [
            (1_u128 << 17 | 9, [17, 100, 4000]),
            (1 << 20 | 9, [20, 33, 1000]),
            (1 << 23 | 33, [23, 64, 259]),
        ] {
            assert!(suit(poly), "{poly:x}");
            for length in lengths {
                let columns: Vec<u64> = gf2::powers(poly, 1).take(length).collect();
                let expected = spectrum::distribution(&columns, degree(poly), &Effort::new());
                assert_eq!(distribution(poly, length, &Effort::new()), expected, "{poly:x}");
            }
        }
    }

    #[test]
    fn others_do_not_suit() {
        // Of degree 16; two factors; irreducible and not primitive.
        for poly in [0x1_002d, 3 * (1 << 17 | 9), 0x1_a833_982b] {
            assert!(!suit(poly), "{poly:x}");
        }
        assert!(
            distribution(1 << 20 | 9, 30, &Effort { spend: &|_| false, ..Effort::new() }).is_none()
        );
    }
}
