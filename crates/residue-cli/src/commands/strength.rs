//! `residue strength`: which errors codes miss.

mod data;

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
}

/// Runs the command.
pub fn run(args: &StrengthArgs, output: &mut Output) -> anyhow::Result<()> {
    match &args.what {
        What::Data(args) => data::run(args, output),
    }
}
