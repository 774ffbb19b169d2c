//! Measures how many samples identify a CRC without a name: with random parameters and random
//! messages, the share of CRCs found.
//!
//! `cargo run --release -p residue-identify --example samples [TRIES]`

mod random;

use random::Random;
use residue_identify::{Certainty, Found, Options, Sample, Samples, identify};
use std::error::Error;

/// Returns whether a random CRC is found from this many random messages.
fn found(
    width: u8,
    count: usize,
    equal: bool,
    random: &mut Random,
) -> Result<bool, Box<dyn Error>> {
    let crc = random.crc(width)?;
    let lengths = if equal { vec![12; count] } else { random.lengths(count) };
    let list = lengths
        .into_iter()
        .map(|length| {
            let message = random.message(length);
            Sample { value: crc.reference(&message), message }
        })
        .collect();
    let samples = Samples::new(list, width.into(), false)?;
    let report = identify(&samples, &Options::default())?;
    let right = report.hits.iter().any(|hit| match &hit.found {
        Found::Code(code) => code.params().is_some_and(|p| (p.width, p.poly) == (width, crc.poly)),
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
