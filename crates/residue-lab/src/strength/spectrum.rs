//! The weights of all words of a linear code of few dimensions.
//!
//! Column i of a code's matrix says which of its d generating words have bit i set. A message m of d bits gives the word
//! with bits <m, column i>; its weight is (n - W(m)) / 2 with W(m) = sum over i of (-1)^<m, column i>. W is a
//! Walsh-Hadamard transform, of a table that counts each column, and takes d additions for each message. A table of 2^32
//! would not fit: for each value of the message's upper bits, the columns are added with the signs those bits give them
//! into a table of the lower bits alone, which stays in the cache.

use super::Effort;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

/// Bits of a message within a table.
const LOW: u32 = 14;

/// Upper bits that a thread takes at a time.
const BATCH: u64 = 64;

/// How many of the 2^`dimensions` messages give a word of each weight, from 0 to the number of columns.
pub(super) fn distribution(columns: &[u64], dimensions: u32, effort: &Effort<'_>) -> Vec<u64> {
    let low = dimensions.min(LOW);
    let (next, parts) = (AtomicU64::new(0), 1_u64 << (dimensions - low));
    let total = Mutex::new(vec![0; columns.len() + 1]);
    let work = || {
        let mut table = vec![0; 1 << low];
        // Twice as many counters, by turns: one that is counted up again at once would have to wait.
        let mut counts = vec![[0_u64; 2]; columns.len() + 1];
        loop {
            let start = next.fetch_add(BATCH, Ordering::Relaxed);
            if start >= parts {
                break;
            }
            for upper in start..(start + BATCH).min(parts) {
                signed(columns, low, upper, &mut table);
                transform(&mut table);
                for pair in table.chunks(2) {
                    for (turn, &sum) in pair.iter().enumerate() {
                        counts[(columns.len() as i32 - sum) as usize / 2][turn] += 1;
                    }
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
    total.into_inner().unwrap_or_default()
}

/// Counts the columns by their lower bits, those negative that the upper bits of the message say so of.
fn signed(columns: &[u64], low: u32, upper: u64, table: &mut [i32]) {
    table.fill(0);
    let (mask, upper) = ((1 << low) - 1, upper << low);
    for column in columns {
        table[(column & mask) as usize] += 1 - 2 * ((column & upper).count_ones() & 1) as i32;
    }
}

/// The Walsh-Hadamard transform, in place.
fn transform(table: &mut [i32]) {
    let mut half = 1;
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
            assert_eq!(distribution(&columns, dimensions, &Effort::new()), expected);
        }
    }
}
