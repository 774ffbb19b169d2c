//! `residue strength`: which errors codes miss.

mod claims;
mod data;
mod sums;

use crate::output::Output;
use clap::{Args, Subcommand};

/// Arguments of `residue strength`.
#[derive(Debug, Args)]
pub struct StrengthArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Damage real data as networks and disks do, and count what each code misses
    Data(data::DataArgs),
    /// Judge what the source documents say: each statement, its exact condition, and a proof
    Claims(claims::ClaimsArgs),
    /// Count what sums miss, exactly: distances, pairs of bits, bursts, swaps, insertions
    Sums(sums::SumsArgs),
}

/// Runs the command.
pub fn run(args: &StrengthArgs, output: &mut Output) -> anyhow::Result<()> {
    match &args.what {
        What::Claims(args) => claims::run(args, output),
        What::Data(args) => data::run(args, output),
        What::Sums(args) => sums::run(args, output),
    }
}
