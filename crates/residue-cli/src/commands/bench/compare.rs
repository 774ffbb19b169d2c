//! `residue bench compare`: two runs side by side.

use super::options::StatisticName;
use crate::output::Output;
use anyhow::Context as _;
use clap::Args;
use residue_bench::compare;
use residue_bench::model::Run;
use std::path::{Path, PathBuf};

const HELP: &str = "\
Examples:
  residue bench --json > a.json
  residue bench compare a.json b.json --statistic mean";

// Arguments of `residue bench compare`.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct CompareArgs {
    /// First run
    #[arg(value_name = "A.json")]
    a: PathBuf,
    /// Second run
    #[arg(value_name = "B.json")]
    b: PathBuf,
    /// Statistic to compare
    #[arg(long, value_enum, default_value = "median")]
    statistic: StatisticName,
}

/// Reads both runs, and prints their ratios.
pub fn run(args: &CompareArgs, output: &mut Output) -> anyhow::Result<()> {
    let (a, b) = (read(&args.a)?, read(&args.b)?);
    output.bytes(compare(&a, &b, args.statistic.get()).as_bytes())?;
    Ok(())
}

fn read(path: &Path) -> anyhow::Result<Run> {
    let text = std::fs::read_to_string(path)
        .with_context(|| format!("cannot read `{}`", path.display()))?;
    Run::from_json(&text).with_context(|| {
        format!("`{}` is not a run; make one with `residue bench --json`", path.display())
    })
}
