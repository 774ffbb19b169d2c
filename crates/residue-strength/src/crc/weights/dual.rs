//! The weights of a code by those of its dual, with MacWilliams' identity.
//!
//! The dual code's words are the combinations of the rows of the check matrix, whose columns are
//! the powers of x modulo g. With B_i the number of its words of weight i, the identity is sum of
//! A_w z^w = 2^-r sum of B_i (1 - z)^i (1 + z)^(n - i). The powers that all terms share are taken
//! out first, so that only a polynomial of the degree by which the dual's weights differ is left to
//! be multiplied with (1 - z^2)^c.

use super::{spectrum, windows};
use crate::Effort;
use crate::crc::Generator;
use crate::field::gf2;
use num_bigint::{BigInt, BigUint};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Counts the codewords of each weight, to `most`, by the words of the dual code.
///
/// Returns `None` if the time is up before.
pub(super) fn counts(
    generator: &Generator,
    length: usize,
    most: Option<u32>,
    effort: &Effort<'_>,
) -> Option<Vec<BigUint>> {
    let columns: Vec<u64> = gf2::powers(generator.explicit(), 1).take(length).collect();
    let dual = words(generator, &columns, effort)?;
    let most = most.map_or(length, |most| most as usize);
    let counts = mac_williams(&dual, most, effort)?.into_iter();
    Some(counts.map(|count| count.to_biguint().unwrap_or_default() >> generator.width()).collect())
}

/// Returns the primitive polynomial that is the generator, or x + 1 times that is, of a degree that
/// suits windows.
pub(super) fn sliding(generator: &Generator) -> Option<u128> {
    let (other, rest) = gf2::divide(generator.explicit(), 3);
    let poly = if rest == 0 { other } else { generator.explicit() };
    windows::suit(poly).then_some(poly)
}

/// Returns the number of words of the dual code of each weight.
fn words(generator: &Generator, columns: &[u64], effort: &Effort<'_>) -> Option<Vec<u64>> {
    let words = match sliding(generator) {
        Some(poly) => windows::distribution(poly, columns.len(), effort)?,
        None if generator.has_parity() => {
            let others: Vec<u64> = columns.iter().map(|column| column >> 1).collect();
            spectrum::distribution(&others, generator.width() - 1, effort)?
        }
        None => spectrum::distribution(columns, generator.width(), effort)?,
    };
    if !generator.has_parity() {
        return Some(words);
    }
    // Every power of x has an odd number of bits, as x + 1 divides g: the sum of all rows is the
    // word of ones. With it in place of the first row, the combinations of the others are half of
    // all, and their complements are the other half. So are the words of the factor beside x + 1.
    let both = words.iter().zip(words.iter().rev());
    Some(both.map(|(count, complement)| count + complement).collect())
}

/// Returns the coefficients, to z^`most`, of the sum of B_i (1 - z)^i (1 + z)^(n - i), i from 0 to
/// n.
///
/// Returns `None` if the time is up before.
fn mac_williams(dual: &[u64], most: usize, effort: &Effort<'_>) -> Option<Vec<BigInt>> {
    let n = dual.len() - 1;
    // No row but those of weight 0 and n lies far from n / 2; these two are added at the end.
    let inner = || dual.iter().enumerate().filter(|&(i, &count)| i > 0 && i < n && count > 0);
    let (low, high) = match (inner().next(), inner().next_back()) {
        (Some((low, _)), Some((high, _))) => (low, high),
        _ => (n / 2, n / 2),
    };
    // Of (1-z)^(i-low) (1+z)^(high-i), by Horner's rule with two variables.
    let mut mixed = vec![BigInt::ZERO];
    let mut plus = vec![BigInt::from(1)];
    for i in (low..=high).rev() {
        if !(effort.spend)(mixed.len() as u64) {
            return None;
        }
        if i < high {
            times_linear(&mut mixed, -1, most);
            times_linear(&mut plus, 1, most);
        }
        if dual[i] > 0 && i > 0 && i < n {
            mixed.resize(mixed.len().max(plus.len()), BigInt::ZERO);
            mixed.iter_mut().zip(&plus).for_each(|(sum, term)| *sum += term * dual[i]);
        }
    }
    let common = low.min(n - high);
    for _ in common..low {
        times_linear(&mut mixed, -1, most);
    }
    for _ in common..n - high {
        times_linear(&mut mixed, 1, most);
    }
    let squares = binomials(common, most / 2);
    let all = binomials(n, most);
    let coefficient = |j: usize| {
        let terms = mixed.iter().enumerate().take(j + 1).filter(|(i, term)| {
            (j - i).is_multiple_of(2) && (j - i) / 2 <= common && **term != BigInt::ZERO
        });
        let mut sum = BigInt::ZERO;
        for (i, term) in terms {
            let product = term * &squares[(j - i) / 2];
            if ((j - i) / 2).is_multiple_of(2) { sum += product } else { sum -= product }
        }
        sum += &all[j] * dual[0];
        let last = &all[j] * dual[n];
        if j.is_multiple_of(2) { sum + last } else { sum - last }
    };
    let (next, found) = (AtomicUsize::new(0), Mutex::new(vec![BigInt::ZERO; most + 1]));
    let work = || {
        loop {
            let j = next.fetch_add(1, Ordering::Relaxed);
            if j > most || !(effort.spend)(mixed.len() as u64) {
                break;
            }
            let value = coefficient(j);
            if let Ok(mut found) = found.lock() {
                found[j] = value;
            }
        }
    };
    thread::scope(|scope| {
        for _ in 1..effort.threads {
            scope.spawn(work);
        }
        work();
    });
    // A spent budget leaves some out.
    (!effort.is_spent()).then(|| found.into_inner().unwrap_or_default())
}

/// Multiplies by 1 + `sign` z, and drops the terms above z^`most`.
fn times_linear(poly: &mut Vec<BigInt>, sign: i32, most: usize) {
    if poly.len() <= most {
        poly.push(BigInt::ZERO);
    }
    for i in (1..poly.len()).rev() {
        let (left, right) = poly.split_at_mut(i);
        if sign > 0 { right[0] += &left[i - 1] } else { right[0] -= &left[i - 1] }
    }
}

/// Returns n over 0, 1, ..., `most`.
fn binomials(n: usize, most: usize) -> Vec<BigInt> {
    let mut value = BigInt::from(1);
    (0..=most)
        .map(|k| {
            if k > 0 {
                value = &value * n.saturating_sub(k - 1) / k;
            }
            value.clone()
        })
        .collect()
}
