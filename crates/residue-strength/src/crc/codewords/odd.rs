//! Bounds on the odd weights of codewords.
//!
//! A codeword is a sum of powers of x that is 0 modulo every divisor of the generator. Modulo x + 1
//! no odd number of powers adds up to 0; modulo x^4 + x^3 + x^2 + x + 1, whose powers of x are 1,
//! x, x^2, x^3 and their sum, no fewer than five. Searches for codewords of three bits would go on
//! to the generator's order, in vain.
//!
//! The sums of k powers follow from those of k - 1: one is added, and the sum is multiplied by x as
//! often as it changes. Sums of k powers are sums of k + 2, too, and each value is visited once for
//! odd k and once for even.

use crate::crc::Generator;
use crate::field::gf2::{degree, product};
use crate::field::{Factor, factor};

/// The largest degree of the divisors that are examined: half a million values.
const DEGREE: u32 = 18;

/// Returns a lower bound on the odd weights of codewords, as far as small divisors of the generator
/// show one.
///
/// Codewords of that weight need not exist. Returns `None` if no codeword has an odd weight.
pub(crate) fn least_weight(generator: &Generator) -> Option<u32> {
    let power = |factor: &Factor| (0..factor.times).fold(1, |all, _| product(all, factor.poly));
    let fits = |divisor: &u128| degree(*divisor) <= DEGREE;
    // Each factor, and as many of them at once as may be.
    let alone: Vec<u128> =
        factor::factors(generator.explicit()).iter().map(power).filter(fits).collect();
    let together = alone.iter().scan(1, |all, &one| {
        *all = product(*all, one);
        Some(*all)
    });
    let together: Vec<u128> = together.take_while(fits).collect();
    alone.iter().chain(together.last()).try_fold(1, |most, &p| Some(least_modulo(p)?.max(most)))
}

/// Returns the least odd number of powers of x that add up to 0 modulo `p`.
fn least_modulo(p: u128) -> Option<u32> {
    let top = 1 << degree(p);
    // Whether an even, or an odd, number of powers adds up to a value.
    let mut reached = [vec![false; top], vec![false; top]];
    let mut sums = vec![0];
    for count in 1.. {
        let reached = &mut reached[count as usize % 2];
        let mut longer = Vec::new();
        for sum in sums {
            let mut next = sum ^ 1;
            while !reached[next] {
                reached[next] = true;
                longer.push(next);
                next <<= 1;
                if next & top != 0 {
                    next ^= p as usize;
                }
            }
        }
        if count % 2 == 1 && reached[0] {
            return Some(count);
        }
        if longer.is_empty() {
            break;
        }
        sums = longer;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_weights_of_small_divisors() {
        // x + 1, x^2 + x + 1, all terms to x^4 and to x^10, a primitive one, and two of which only
        // the product has none of three: x^2 + x + 1 wants places that differ modulo 3, and x^6 +
        // x^3 + 1 such as do not.
        for (p, least) in [
            (0b11, None),
            (0b111, Some(3)),
            (0b1_1111, Some(5)),
            (0b111_1111_1111, Some(11)),
            (0b1011, Some(3)),
            (0b100_1001, Some(3)),
            (0b1_1111_1111, Some(9)),
            (0b11_0011, None),
        ] {
            assert_eq!(least_modulo(p), least, "{p:b}");
        }
    }

    #[test]
    fn no_codeword_of_fewer_odd_bits() {
        let mut found = [0; 3];
        for explicit in (9..1 << 11).step_by(2) {
            let generator = Generator::new(explicit).unwrap();
            // All multiples of up to 20 bits.
            let odd = (1..1_u128 << (20 - degree(explicit)))
                .map(|multiple| product(explicit, multiple).count_ones())
                .filter(|weight| weight % 2 == 1)
                .min();
            match (least_weight(&generator), odd) {
                (None, odd) => {
                    assert_eq!(odd, None, "{explicit:b}");
                    assert!(generator.has_parity());
                    found[0] += 1;
                }
                (Some(least), odd) => {
                    assert!(odd.is_none_or(|odd| odd >= least), "{explicit:b}");
                    found[if least > 3 { 1 } else { 2 }] += 1;
                }
            }
        }
        assert!(found.iter().all(|&count| count > 30), "{found:?}");
    }
}
