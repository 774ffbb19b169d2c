//! `residue bench --tune`: what the profile of this CPU should say.

use crate::output::Output;
use crate::progress::Progress;
use clap::Args;
use residue_bench::clock::Clock;
use residue_bench::tune::{Comparison, Crossover, Found, Point, TIE, tune};
use residue_report::number::significant;
use residue_report::text::wrapped;
use residue_report::{COLUMNS, Row, Table};
use std::time::Duration;

/// The options `--tune` and `--time-limit`.
#[derive(Debug, Args)]
pub struct TuneArgs {
    /// Measure what the profile of this CPU should say, and print it as Rust
    #[arg(
        long = "tune",
        conflicts_with_all = [
            "codes", "kernel", "full", "sizes", "extra", "mixed", "samples", "mode", "statistic",
            "data", "misaligned", "cold", "seed", "csv", "folder",
        ]
    )]
    pub wanted: bool,

    /// Time limit of --tune; every comparison runs at least once
    #[arg(
        long,
        value_name = "SECONDS",
        default_value_t = 60,
        requires = "wanted",
        value_parser = clap::value_parser!(u32).range(0..=86_400)
    )]
    time_limit: u32,
}

/// Measures and prints the profile.
pub fn run(args: &TuneArgs, json: bool, output: &mut Output) -> anyhow::Result<()> {
    let clock = Clock::calibrate();
    let mut bar = Progress::of("measuring");
    let limit = Duration::from_secs(args.time_limit.into());
    let tuning = tune(limit, &clock, &mut |done, of| bar.set(done, of))?;
    bar.clear();
    if json {
        return Ok(output.json(&tuning)?);
    }
    output.line(format!("{}, residue {}, {}", tuning.cpu, tuning.residue, tuning.date))?;
    if let Some(warning) = tuning.load.too_busy() {
        output.line(wrapped(&warning, COLUMNS))?;
    }
    output.line("")?;
    for comparison in &tuning.products {
        let title = format!("product for long data, {}", comparison.code);
        output.line(table(title, comparison).text())?;
    }
    for Found { field, built_in, measured, comparison } in &tuning.lengths {
        let found = match measured {
            Some(Crossover::From(bytes)) => bytes.to_string(),
            Some(Crossover::NotFound) => "not found".to_string(),
            None => "not measured, because this CPU lacks a kernel".to_string(),
        };
        let title = format!("{field}: {found}; built in: {built_in}");
        match comparison {
            Some(one) => output.line(table(format!("{title}; {}", one.code), one).text())?,
            None => output.line(format!("{title}\n"))?,
        }
    }
    output.line(format!("Beside the built-in profile, {}:", tuning.built_in))?;
    for finding in &tuning.findings {
        output.line(wrapped(finding, COLUMNS))?;
    }
    output.line("\nFor PROFILES in crates/residue/src/cpu/profile.rs:")?;
    Ok(output.bytes(tuning.entry.as_bytes())?)
}

/// Returns the times of a comparison.
fn table(title: String, comparison: &Comparison) -> Table {
    let row = |point: &Point| {
        let [simple, other] = point.ns.map(|ns| significant(ns, 4));
        let values = vec![simple, other, significant(point.ratio(), 3)];
        Row::Values(point.bytes.to_string(), values)
    };
    let heads = comparison.kernels.into_iter().chain(["ratio"]);
    Table {
        id: "tune",
        title,
        note: format!(
            "Nanoseconds a call, medians of the quietest rounds. Ratios up to {} are a tie.",
            1.0 + TIE
        ),
        stub: "bytes",
        heads: heads.map(String::from).collect(),
        together: 1,
        rows: comparison.points.iter().map(row).collect(),
    }
}
