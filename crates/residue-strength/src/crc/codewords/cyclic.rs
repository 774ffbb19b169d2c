//! The bound of Bose, Ray-Chaudhuri and Hocquenghem on the weights of a cyclic code.
//!
//! Within as many bits n as the generator's order its multiples are a cyclic code. If n is odd and
//! a factor has the order n itself, x modulo that factor is a root of unity a of order n, and the
//! generator's roots are some of its powers. If a^(s + c), a^(s + 2c), ..., a^(s + rc) are roots,
//! for some s and a c without a common divisor with n, then codewords within n bits have at least r
//! + 1 bits: r rows of a Vandermonde matrix, in which any r columns are independent.
//!
//! Meeting in the middle ends at 16 bits. CRC-82/DARC, a difference-set code of 273 bits, has
//! codewords of no fewer than 18, which only this shows.

use crate::crc::Generator;
use crate::field::{factor, gf2, integer};
use std::ops::Range;

/// The widths and orders for which the bound is computed: searches for narrower codes end without
/// it.
const WIDTHS: Range<u32> = 33..u32::MAX;
const ORDERS: Range<u64> = 3..2048;

/// Returns a lower bound on the weight of codewords within as many bits as the generator's `order`.
pub(crate) fn least_weight(generator: &Generator, order: u64) -> u32 {
    if !WIDTHS.contains(&generator.width()) { 2 } else { bound(generator.explicit(), order) }
}

/// Returns the bound for a generator of this order; 2 where there is none.
fn bound(generator: u128, order: u64) -> u32 {
    let factors = factor::factors(generator);
    let Some(field) = factors.iter().find(|factor| factor.order == order) else { return 2 };
    if !ORDERS.contains(&order) || order.is_multiple_of(2) {
        return 2;
    }
    let n = order as usize;
    let powers: Vec<u128> = gf2::powers(field.poly, 1).take(n).collect();
    let is_root = |i: usize| {
        let terms = (0..=gf2::degree(generator) as usize).filter(|term| generator >> term & 1 == 1);
        terms.fold(0, |sum, term| sum ^ powers[i * term % n]) == 0
    };
    let roots: Vec<bool> = (0..n).map(is_root).collect();
    let coprime = |&step: &usize| integer::gcd(step as u128, n as u128) == 1;
    let longest = (1..n).filter(coprime).map(|step| longest_run(&roots, step)).max();
    longest.map_or(2, |run| (run as u32 + 1).max(2))
}

/// Returns the longest run of roots in steps of `step`, around the circle; all of them if there is
/// nothing else.
fn longest_run(roots: &[bool], step: usize) -> usize {
    let n = roots.len();
    let (mut longest, mut run) = (0, 0);
    for i in 0..2 * n {
        run = if roots[i * step % n] { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest.min(n)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::gf2::{degree, product};

    #[test]
    fn bounds_of_known_codes() {
        // Hamming's code of 7 bits, Golay's of 23 (whose distance of 7 the bound does not reach),
        // codes for two and three errors of 15 bits, and the difference-set codes of 21 and 273.
        let darc = 1 << 82 | 0x308c_0111_0114_0144_0411;
        for (generator, order, least) in [
            (0b1011, 7, 3),
            (0b1100_0111_0101, 23, 5),
            (0b1_1101_0001, 15, 5),
            (0b101_0011_0111, 15, 7),
            (0b100_1101_0101, 21, 6),
            (darc, 273, 18),
            (darc, 272, 2),
        ] {
            assert_eq!(bound(generator, order), least, "{generator:b}");
        }
    }

    /// Tries every multiple of every generator of an order to 21.
    #[test]
    fn no_codeword_has_fewer_bits() {
        let mut sharp = 0;
        for generator in (9_u128..1 << 13).step_by(2) {
            let order = factor::order(&factor::factors(generator));
            let width = degree(generator);
            if order > 21 || order <= width.into() {
                continue;
            }
            let data = order as u32 - width;
            let weights = (1..1_u128 << data).map(|it| product(generator, it).count_ones());
            let (least, found) = (bound(generator, order), weights.min().unwrap());
            assert!(least <= found, "{generator:b} of order {order}: {least}, {found}");
            sharp += u32::from(least == found && found > 3);
        }
        assert!(sharp > 10, "{sharp}");
    }
}
