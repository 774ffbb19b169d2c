//! Computes the Hamming distances of a CRC, and the limit that errors of four bits set a second
//! time, by an independent method.
//!
//! ```text
//! cargo run --release -p residue-strength --example confirm -- crc-64/nvme 5
//! ```
//!
//! The arguments are a CRC or a polynomial, as `residue strength` takes them, and the largest
//! Hamming distance. Ends with status 1 if the methods disagree or the second one cannot decide.

use residue_strength::{Effort, Generator, Profile, Witness, logarithm};
use std::process::ExitCode;

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

fn refused(error: &dyn std::fmt::Display) -> ExitCode {
    eprintln!("confirm: {error}");
    ExitCode::from(2)
}
