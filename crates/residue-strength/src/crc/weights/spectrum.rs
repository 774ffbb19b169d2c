//! The weight distribution of a linear code of few dimensions.
//!
//! Column i of a code's matrix says which of its d generating words have bit i set. A message m of
//! d bits gives the word with bits <m, column i>; its weight is (n - W(m)) / 2 with W(m) = sum over
//! i of (-1)^<m, column i>. W is a Walsh-Hadamard transform, of a table that counts each column,
//! and takes d additions for each message. A table of 2^32 would not fit: for each value of the
//! message's upper bits, the columns are added with the signs those bits give them into a table of
//! the lower bits alone, which stays in the cache.
//!
//! The steps of the transform may be taken in any order. Those over neighbours suit no vector
//! instruction, so the table is treated as a matrix: all steps are taken over whole rows, half of
//! them after the matrix was transposed.

use crate::Effort;
use std::ops::{Add, AddAssign, Sub};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

/// The number of bits of a message within a table.
const LOW: u32 = 14;

/// The number of upper bits' values that a thread takes at a time.
const BATCH: u64 = 64;

/// An integer type that holds the sums.
trait Cell
where
    Self: Copy + Default + Send + From<i8> + Into<i32>,
    Self: Add<Output = Self> + Sub<Output = Self> + AddAssign,
{
}

impl Cell for i16 {}
impl Cell for i32 {}

/// Returns how many of the 2^`dimensions` messages give a word of each weight, from 0 to the number
/// of columns; `None` if the time is up before.
pub(super) fn distribution(
    columns: &[u64],
    dimensions: u32,
    effort: &Effort<'_>,
) -> Option<Vec<u64>> {
    // Narrow sums are twice as many to a vector.
    if i16::try_from(columns.len()).is_ok() {
        counted::<i16>(columns, dimensions, effort)
    } else {
        counted::<i32>(columns, dimensions, effort)
    }
}

fn counted<C: Cell>(columns: &[u64], dimensions: u32, effort: &Effort<'_>) -> Option<Vec<u64>> {
    let low = dimensions.min(LOW);
    // The parts of a column that choose its place in the table, and its sign.
    let places: Vec<u16> =
        columns.iter().map(|column| (column & ((1 << low) - 1)) as u16).collect();
    let uppers: Vec<u32> = columns.iter().map(|column| (column >> low) as u32).collect();
    let (next, parts) = (AtomicU64::new(0), 1_u64 << (dimensions - low));
    let (total, ended) = (Mutex::new(vec![0; columns.len() + 1]), AtomicBool::new(false));
    let each = (1 << low) + columns.len() as u64;
    let work = || {
        let (mut table, mut turned) = (vec![C::default(); 1 << low], vec![C::default(); 1 << low]);
        // Two counters take turns: one that is incremented again at once would must wait.
        let mut counts = vec![[0_u64; 2]; columns.len() + 1];
        loop {
            let start = next.fetch_add(BATCH, Ordering::Relaxed);
            if start >= parts {
                break;
            }
            let end = (start + BATCH).min(parts);
            if !(effort.spend)((end - start) * each) {
                ended.store(true, Ordering::Relaxed);
                break;
            }
            for upper in start..end {
                signed(&places, &uppers, upper as u32, &mut table);
                transform(&mut table, &mut turned);
                for (i, &sum) in turned.iter().enumerate() {
                    counts[(columns.len() as i32 - sum.into()) as usize / 2][i % 2] += 1;
                }
            }
            (effort.tell)(start, parts);
        }
        if let Ok(mut total) = total.lock() {
            total.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count[0] + count[1]);
        }
    };
    thread::scope(|scope| {
        for _ in 1..effort.threads.min(parts.div_ceil(BATCH) as usize) {
            scope.spawn(work);
        }
        work();
    });
    (!ended.into_inner()).then(|| total.into_inner().unwrap_or_default())
}

/// Counts the columns by their lower bits, with the signs that the upper bits of the message give
/// them.
fn signed<C: Cell>(places: &[u16], uppers: &[u32], upper: u32, table: &mut [C]) {
    table.fill(C::default());
    let mut odd = [0_u8; 256];
    for (places, uppers) in places.chunks(odd.len()).zip(uppers.chunks(odd.len())) {
        // The parity by shifts, which vectors have, and not by counting bits, which they have not.
        for (odd, column) in odd.iter_mut().zip(uppers) {
            let mut bits = column & upper;
            bits ^= bits >> 16;
            bits ^= bits >> 8;
            bits ^= bits >> 4;
            bits ^= bits >> 2;
            bits ^= bits >> 1;
            *odd = (bits & 1) as u8;
        }
        for (place, odd) in places.iter().zip(odd) {
            table[usize::from(*place)] += C::from(1 - 2 * odd as i8);
        }
    }
}

/// Computes the Walsh-Hadamard transform into `turned`, in another order, and destroys the table.
fn transform<C: Cell>(table: &mut [C], turned: &mut [C]) {
    let bits = table.len().ilog2();
    let (width, height) = (1 << (bits / 2), 1 << (bits - bits / 2));
    steps(table, width);
    for (row, cells) in table.chunks_exact(width).enumerate() {
        for (column, &cell) in cells.iter().enumerate() {
            turned[column * height + row] = cell;
        }
    }
    steps(turned, height);
}

/// Takes the steps over rows of `width`.
fn steps<C: Cell>(table: &mut [C], width: usize) {
    let mut half = width;
    while half < table.len() {
        for block in table.chunks_exact_mut(2 * half) {
            let (left, right) = block.split_at_mut(half);
            for (a, b) in left.iter_mut().zip(right) {
                (*a, *b) = (*a + *b, *a - *b);
            }
        }
        half *= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_of_small_codes() {
        let mut random = fastrand::Rng::with_seed(3);
        for (dimensions, length) in [(1, 1), (3, 9), (9, 30), (17, 21)] {
            let columns: Vec<u64> = (0..length).map(|_| random.u64(..1 << dimensions)).collect();
            let mut expected = vec![0; length + 1];
            for message in 0..1_u64 << dimensions {
                let set = |column: &&u64| (**column & message).count_ones() % 2 == 1;
                expected[columns.iter().filter(set).count()] += 1;
            }
            let expected = Some(expected);
            assert_eq!(distribution(&columns, dimensions, &Effort::new()), expected);
            assert_eq!(counted::<i32>(&columns, dimensions, &Effort::new()), expected);
        }
    }
}
