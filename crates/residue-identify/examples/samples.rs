//! Measures how many samples identify a CRC without a name: with random parameters and random
//! messages, the share of CRCs found.
//!
//! `cargo run --release -p residue-identify --example samples [TRIES]`

use residue::crc::Params;
use residue_identify::{Certainty, Found, Options, Sample, Samples, identify};
use std::error::Error;

/// A generator of random numbers.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn bits(&mut self, width: u8) -> u128 {
        let wide = u128::from(self.next()) << 64 | u128::from(self.next());
        wide >> (128 - u32::from(width))
    }
}

/// Returns whether a random CRC is found from this many random messages.
fn found(
    width: u8,
    count: usize,
    equal: bool,
    random: &mut Random,
) -> Result<bool, Box<dyn Error>> {
    let reflections = (random.next() >> 40 & 1 == 1, random.next() >> 40 & 1 == 1);
    let (poly, init, xorout) = (random.bits(width) | 1, random.bits(width), random.bits(width));
    let crc = Params::new("custom", width, poly, init, reflections, xorout)?;
    let mut lengths: Vec<usize> = Vec::new();
    while lengths.len() < count {
        let length = if equal { 12 } else { 4 + (random.next() >> 40) as usize % 28 };
        if equal || !lengths.contains(&length) {
            lengths.push(length);
        }
    }
    let sample = |length: usize| {
        let message: Vec<u8> = (0..length).map(|_| (random.next() >> 40) as u8).collect();
        Sample { value: crc.reference(&message), message }
    };
    let samples = Samples::new(lengths.into_iter().map(sample).collect(), width.into(), false)?;
    let report = identify(&samples, &Options::default())?;
    let right = report.hits.iter().any(|hit| match &hit.found {
        Found::Code(code) => code.params().is_some_and(|p| (p.width, p.poly) == (width, poly)),
        Found::Sum(_) | Found::Hash(_) => false,
    });
    Ok(right && report.certainty() == Certainty::Found)
}

fn main() -> Result<(), Box<dyn Error>> {
    let tries: usize = std::env::args().nth(1).map_or(Ok(24), |text| text.parse())?;
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for equal in [false, true] {
        println!("{} lengths", if equal { "equal" } else { "different" });
        for width in [8, 12, 16, 24, 32, 48, 64] {
            print!("{width:>3} bits");
            for count in 3..=8 {
                let mut right = 0;
                for _ in 0..tries {
                    right += usize::from(found(width, count, equal, &mut random)?);
                }
                print!("  {right:>3}");
                if right == tries {
                    break;
                }
            }
            println!();
        }
    }
    Ok(())
}
