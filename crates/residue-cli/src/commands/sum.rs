//! `residue sum`: check values of files.

mod arguments;
mod check;
mod explain;
mod inputs;
mod print;
mod profile;
mod self_test;

use crate::output::Output;
use anyhow::bail;

pub use arguments::SumArgs;

/// Computes check values, or runs one of the other modes.
pub fn run(args: &SumArgs, output: &mut Output) -> anyhow::Result<()> {
    if args.check {
        return check::run(args, output);
    }
    if args.explain {
        return explain::run(args, output);
    }
    if args.self_test {
        return self_test::run(args, output);
    }
    if args.quiet {
        bail!("--quiet goes with --check or --self-test");
    }
    match args.profile {
        Some(profile) => profile::run(args, profile, output),
        None => print::run(args, &args.codes.chosen()?, output),
    }
}
