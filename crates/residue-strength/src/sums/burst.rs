//! Bursts: errors whose first and last wrong bit are a given number of bits apart.

use serde::Serialize;

use super::constants::{Counts, constants};
use crate::codes::additive::{Additive, Group, Work};

/// The undetected bursts of one length.
#[derive(Clone, Debug, Serialize)]
pub struct Burst {
    /// Bits from the first wrong bit to the last, both counted.
    pub bits: usize,
    /// The undetected share of all patterns in uniform data, for a first bit at each bit of a unit
    /// (a byte of CRCs), in the order in which they are sent: highest first, lowest first for
    /// reflected CRCs.
    pub by_phase: Vec<f64>,
    /// The mean over the phases.
    pub mean: f64,
    /// Whether all are detected whatever the data.
    pub all_seen: bool,
}

/// Computes the exact share of bursts of `bits` bits, 1 to 33, that are undetected.
///
/// The first and the last bit are wrong, those between with probability 1/2, and the data are
/// uniform. The share is the number of ways to add zero, over a power of two.
#[must_use]
pub fn burst(code: &Additive, bits: usize) -> Burst {
    let bits = bits.clamp(1, 33);
    let mut constants = constants(code, 12);
    // A reflected CRC sends the lowest bit first.
    if code.reflected() {
        constants.chunks_mut(8).for_each(<[u32]>::reverse);
    }
    let share = |phase: usize| code.within(Ways(&constants[phase..phase + bits]));
    let by_phase: Vec<f64> = (0..code.unit_bits()).map(share).collect();
    let mean = by_phase.iter().sum::<f64>() / by_phase.len() as f64;
    Burst { bits, all_seen: by_phase.iter().all(|&share| share == 0.0), by_phase, mean }
}

struct Ways<'a>(&'a [u32]);

impl Work for Ways<'_> {
    type Output = f64;
    fn run<G: Group>(self, group: G) -> f64 {
        // A wrong bit adds its constant or takes it away, one way each; a right one adds nothing,
        // in two ways (it may be set or not), if it may be right.
        let ways = |constants: &[u32], first: bool, last: bool| {
            let mut sums = Counts::default();
            sums.insert(0, 1u64);
            for (place, &constant) in constants.iter().enumerate() {
                let wrong = first && place == 0 || last && place + 1 == constants.len();
                let mut next = Counts::with_capacity_and_hasher(2 * sums.len(), Default::default());
                for (sum, count) in sums {
                    if !wrong {
                        *next.entry(sum).or_insert(0) += 2 * count;
                    }
                    *next.entry(group.add(sum, constant)).or_insert(0) += count;
                    *next.entry(group.sub(sum, constant)).or_insert(0) += count;
                }
                sums = next;
            }
            sums
        };
        let bits = self.0.len();
        if bits == 1 {
            return f64::from(self.0[0] == 0);
        }
        let (front, back) = self.0.split_at(bits / 2);
        let (front, back) = (ways(front, true, false), ways(back, false, true));
        let zero = |(&sum, &count): (&u32, &u64)| {
            u128::from(count) * u128::from(back.get(&group.sub(0, sum)).copied().unwrap_or(0))
        };
        let missed: u128 = front.iter().map(zero).sum();
        // Two ways for each end, four for each bit between.
        missed as f64 / (2.0 * bits as f64 - 2.0).exp2()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(name: &str, bits: usize) -> Burst {
        burst(&Additive::named(name).unwrap(), bits)
    }

    #[test]
    fn bursts_are_counted_as_if_each_were_made() {
        for name in ["internet", "fletcher-16/mod256", "sum-8", "xns", "crc-4/interlaken"] {
            let code = Additive::named(name).unwrap();
            for (bits, phase) in [(2, 0), (6, 5), (7, 3), (9, 6), (8, 7)] {
                let (mut missed, mut of) = (0u32, 0u32);
                for data in 0u64..1 << bits {
                    for inner in 0u64..1 << (bits - 2) {
                        let pattern = 1 | inner << 1 | 1 << (bits - 1);
                        let bytes = |value: u64| {
                            let wide = u128::from(value) << (96 - bits - phase);
                            wide.to_be_bytes()[4..].to_vec()
                        };
                        missed += u32::from(
                            code.element(&bytes(data)) == code.element(&bytes(data ^ pattern)),
                        );
                        of += 1;
                    }
                }
                let share = burst(&code, bits).by_phase[phase % code.unit_bits()];
                assert_eq!(share, f64::from(missed) / f64::from(of), "{name} {bits} {phase}");
            }
        }
    }

    #[test]
    fn bursts_as_the_literature_has_them() {
        for bits in 1..=15 {
            assert!(of("internet", bits).all_seen, "{bits}");
        }
        // All 16 bits alike and all wrong, at any phase: one pattern of 2^14, two data of 2^16.
        assert_eq!(of("internet", 16).by_phase, [2f64.powi(-29); 16]);
        // A multiple of the modulus has as many bits as the modulus.
        for (name, bits) in
            [("fletcher-16", 7), ("dual-16", 7), ("fletcher-32", 15), ("dual-32", 15)]
        {
            assert!((1..=bits).all(|bits| of(name, bits).all_seen), "{name}");
            assert!(!of(name, bits + 1).all_seen, "{name}");
        }
        for bits in [2, 16, 17] {
            assert_eq!(of("crc-16/arc", bits).all_seen, bits < 17);
        }
        assert_eq!(of("crc-16/arc", 17).mean, 2f64.powi(-15));
        assert_eq!(of("crc-16/arc", 33).mean, 2f64.powi(-16));
        // What Sklower's 2^-20 should be (bits of each byte highest first, mean over the phases).
        let fletcher = of("fletcher-16", 16).mean;
        assert!((fletcher - 4.193e-7).abs() < 1e-10, "{fletcher}");
        assert!(of("adler-32", 16).by_phase[0] == 0.0);
    }
}
