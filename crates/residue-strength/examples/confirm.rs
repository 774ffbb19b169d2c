//! Computes the Hamming distances of a CRC, and the limit that errors of four bits set a second
//! time, by an independent method.
//!
//! ```text
//! cargo run --release -p residue-strength --example confirm -- crc-64/nvme 5
//! ```
//!
//! The arguments are a CRC or a polynomial, as `residue strength` takes them, and the largest
//! Hamming distance. The second method is meeting in the middle where the first one is logarithms,
//! and the reverse. Where logarithms cannot be taken, and the codeword is short, it is all pairs.
//! Ends with status 1 if the methods disagree or the second one cannot decide.

use residue_strength::{Effort, Generator, Profile, Witness, logarithm};
use std::collections::HashSet;
use std::process::ExitCode;

/// The longest codeword in which all pairs of bits are tried: 34 billion pairs.
const ALL_PAIRS: u64 = 1 << 18;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [polynomial, most] = arguments.as_slice() else {
        eprintln!("usage: confirm CODE HD, as crc-32 5");
        return ExitCode::from(2);
    };
    let (generator, most) = match (Generator::parse(polynomial, None), most.parse()) {
        (Ok((generator, _)), Ok(most)) => (generator, most),
        (Err(error), _) => return refused(&error),
        (_, Err(error)) => return refused(&error),
    };
    let effort = Effort { sums: u64::MAX, ..Effort::new() };
    let profile = Profile::to(&generator, most, &effort);
    for limit in &profile.limits {
        println!("HD {}: {} bits ({})", limit.distance, limit.data, limit.kind.name());
    }
    let Some(confirmation) = logarithm::confirm(&profile, &effort) else {
        let four = |witness: &&Witness| witness.weight() == 4;
        let first = profile.limits.iter().filter_map(|limit| limit.witness.as_ref()).find(four);
        let span = first.and_then(|witness| u64::try_from(witness.span()).ok());
        if let Some(span) = span.filter(|&span| span <= ALL_PAIRS) {
            return by_all_pairs(&generator, span);
        }
        println!("not decided by the second method: the polynomial must be primitive, or x + 1");
        println!("times a primitive one, with small divisors of 2^degree - 1");
        return ExitCode::FAILURE;
    };
    let way = if confirmation.by_logarithms { "logarithms" } else { "meeting in the middle" };
    let places = confirmation.witness.as_ref().map(Witness::places);
    let agrees = if confirmation.agrees { "agrees" } else { "DISAGREES" };
    println!(
        "{way}, in codewords of {} bits: {agrees}; shortest undetected error of four bits: {}",
        confirmation.length,
        places.map_or("none".to_string(), |places| format!("{places:?}"))
    );
    if confirmation.agrees { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Looks for 1 + x^a = x^b + x^c, a < b < c, among all pairs of b and c, the least c first, and
/// compares the number of bits from 1 to x^c with `span`, that of the profile's error.
fn by_all_pairs(generator: &Generator, span: u64) -> ExitCode {
    let found = shortest_of_four(generator, span);
    let agrees = found.is_some_and(|c| c as u64 + 1 == span);
    let of = found.map_or("none".to_string(), |c| format!("{} bits long", c + 1));
    println!(
        "all pairs, in codewords of {span} bits: {}; shortest undetected error of four bits: {of}",
        if agrees { "agrees" } else { "DISAGREES" }
    );
    if agrees { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Returns the exponent of the last bit of the shortest undetected error of four bits, in
/// codewords of `length` bits.
fn shortest_of_four(generator: &Generator, length: u64) -> Option<usize> {
    // A filter of 2^23 bits, most of them 0, stands before the set.
    let place = |power: u128| ((power as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 41) as usize;
    let mut filter = vec![0_u64; 1 << 17];
    let (mut known, mut powers) = (HashSet::new(), Vec::new());
    let mut power = 1_u128;
    for c in 0..length as usize {
        for &before in &powers {
            let sum = power ^ before ^ 1;
            let at = place(sum);
            // With a = b, 1 + x^c = 0 would be an error of two bits.
            if filter[at / 64] >> (at % 64) & 1 == 1 && sum != before && known.contains(&sum) {
                return Some(c);
            }
        }
        if c > 0 {
            known.insert(power);
            filter[place(power) / 64] |= 1 << (place(power) % 64);
            powers.push(power);
        }
        power <<= 1;
        if power >> generator.width() & 1 == 1 {
            power ^= generator.explicit();
        }
    }
    None
}

fn refused(error: &dyn std::fmt::Display) -> ExitCode {
    eprintln!("confirm: {error}");
    ExitCode::from(2)
}
