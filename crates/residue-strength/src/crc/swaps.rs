//! The share of swapped blocks that a CRC does not detect, in uniform data.
//!
//! Two blocks with exclusive or u, D bits apart, that change places add u (x^D + 1) x^k to the
//! message. It is undetected exactly if the generator g divides u (x^D + 1), that is, if h = g /
//! gcd(g, x^D + 1) divides u: of uniform blocks of at least as many bits as h has, a share of
//! 2^-deg h.
//!
//! A factor of order e and multiplicity t divides x^D + 1 as often as the power of two in D, at
//! most t times, if e divides D. So 2^deg gcd is a product of 2^d or 1 for conditions of the form
//! "c divides D". Multiplied out, it is a sum over sets of conditions, and the mean over all D is
//! the sum of the shares of D that the least common multiples divide.

use super::Generator;
use crate::field::factor::factors;
use crate::field::integer::gcd;

/// The sizes of blocks that are tried, in bits: a byte to 4 KiB.
const SIZES: std::ops::RangeInclusive<u32> = 3..=15;

/// Returns the largest share of two swapped blocks that is not detected in `data` bits of uniform
/// bytes: of blocks of any size at places that are a power of two of bits apart, from bytes to 4
/// KiB.
///
/// Returns 0 if the data have no two bytes.
#[must_use]
pub fn undetected(generator: &Generator, data: u64) -> f64 {
    let conditions = conditions(generator);
    let share =
        |size: u32| Swaps { size: 1 << size, blocks: data >> size, conditions: &conditions };
    let shares = SIZES.map(share).filter(|swaps| swaps.blocks > 1).map(|swaps| swaps.share());
    shares.fold(0.0, f64::max) * (-f64::from(generator.width())).exp2()
}

/// Returns pairs of c and d: 2^deg gcd(g, x^D + 1) is the product of the 2^d for which c divides D.
fn conditions(generator: &Generator) -> Vec<(u64, u32)> {
    let mut all = Vec::new();
    for factor in factors(generator.explicit()) {
        // Of D = 2^k D' it divides x^D + 1 as often as 2^k.
        let (mut power, mut often) = (1_u32, 0);
        while often < factor.times {
            let more = power.min(factor.times) - often;
            all.push((factor.order.saturating_mul(power.into()), more * factor.degree()));
            (power, often) = (2 * power, power);
        }
    }
    all
}

/// Two blocks of a message that change places.
struct Swaps<'a> {
    /// Bits of a block.
    size: u64,
    /// Blocks in the message.
    blocks: u64,
    conditions: &'a [(u64, u32)],
}

impl Swaps<'_> {
    /// Returns the mean of 2^deg gcd(g, x^D + 1).
    fn share(&self) -> f64 {
        self.sum(1, 0)
    }

    /// Returns the sum over the sets that add conditions from `next` on to one with the least
    /// common multiple `lcm`.
    fn sum(&self, lcm: u64, next: usize) -> f64 {
        let here = self.distances(lcm);
        if here == 0.0 {
            return 0.0;
        }
        let rest = self.conditions.iter().enumerate().skip(next);
        here + rest
            .map(|(place, &(c, d))| {
                let both = u128::from(lcm) / gcd(lcm.into(), c.into()) * u128::from(c);
                match u64::try_from(both) {
                    Ok(both) => (f64::from(d).exp2() - 1.0) * self.sum(both, place + 1),
                    Err(_) => 0.0,
                }
            })
            .sum::<f64>()
    }

    /// Returns the share of pairs of blocks whose distance in bits is a multiple of `lcm`.
    fn distances(&self, lcm: u64) -> f64 {
        let step = lcm as f64 / gcd(lcm.into(), self.size.into()) as f64;
        let blocks = self.blocks as f64;
        let steps = ((blocks - 1.0) / step).floor();
        let pairs = steps * blocks - step * steps * (steps + 1.0) / 2.0;
        pairs / (blocks * (blocks - 1.0) / 2.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crc::named;
    use crate::field::gf2;

    fn generator(text: &str) -> Generator {
        Generator::parse(text, None).unwrap().0
    }

    /// All pairs, each with the greatest common divisor.
    #[test]
    fn the_mean_over_all_pairs_is_that_of_each() {
        // Among them (x + 1)^8, multiple factors, short periods.
        for text in [
            "crc-8/smbus",
            "crc-16/arc",
            "crc-10/gsm",
            "x^8+1",
            "x^7+1",
            "x^14+x^7+1",
            "x^12+1",
            "crc-16/profibus",
            "koopman:13a6f65c",
            "crc-82/darc",
            "x^24+x^12+1",
        ] {
            let generator = generator(text);
            let g = generator.explicit();
            for (size, blocks) in [(3, 2), (3, 3), (4, 40), (5, 300_u64)] {
                let mut sum = 0.0;
                for distance in 1..blocks {
                    let power = gf2::power(2, u128::from(distance << size), g);
                    let common = gf2::gcd(g, power ^ 1);
                    let missing = gf2::degree(g) - gf2::degree(common);
                    sum += (blocks - distance) as f64 * (-f64::from(missing)).exp2();
                }
                let expected = sum / (blocks * (blocks - 1) / 2) as f64;
                let conditions = conditions(&generator);
                let swaps = Swaps { size: 1 << size, blocks, conditions: &conditions };
                let found = swaps.share() * (-f64::from(generator.width())).exp2();
                assert!((found / expected - 1.0).abs() < 1e-9, "{text} {size} {blocks}");
            }
        }
    }

    /// CRC-64/XZ has three factors of degree 15 and x + 1 twice: blocks 32,767 bytes apart are as
    /// if compared by 17 bits.
    #[test]
    fn a_wide_code_with_factors_of_short_periods_is_as_weak_as_the_rest() {
        let xz = generator("crc-64/xz");
        let found = undetected(&xz, 8 << 30);
        assert!((2e-10..3e-10).contains(&found), "{found}");
        assert_eq!(undetected(&generator("crc-64/nvme"), 8 << 30), 0.5_f64.powi(64));
        assert_eq!(undetected(&xz, 8), 0.0);

        let (_, code) = named("crc-64/xz", &xz);
        let mut random = fastrand::Rng::with_seed(3);
        let (mut data, mut undetected) = (vec![0; 32_767 + 8], 0);
        random.fill(&mut data);
        let crc_of = |data: &[u8]| code.value(data);
        let trials = 1 << 19;
        // The value is linear: of swaps of words with exclusive or u, that of a message of zeros
        // but for two words u. Changes of the first word suffice.
        let zero = crc_of(&vec![0; data.len()]);
        let column = |bit: usize| {
            let mut message = vec![0; data.len()];
            message[bit / 8] ^= 1 << (bit % 8);
            message[32_767 + bit / 8] ^= 1 << (bit % 8);
            crc_of(&message) ^ zero
        };
        let columns: Vec<_> = (0..64).map(column).collect();
        for _ in 0..trials {
            let u = random.u64(1..);
            let change = (0..64).filter(|bit| u >> bit & 1 == 1);
            undetected += u32::from(change.fold(0, |sum, bit| sum ^ columns[bit]) == 0);
        }
        // 2^-17 of them.
        assert!((1..=14).contains(&undetected), "{undetected}");
    }
}
