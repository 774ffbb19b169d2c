//! `residue bench --thesis`: the source documents, reproduced.

use super::arguments::BenchArgs;
use super::conditions::{CALLS, conditions};
use crate::output::Output;
use crate::progress::Progress;
use residue_bench::clock::Clock;
use residue_papers::reproduction::Reproduction;
use residue_papers::sahu2019;

/// Measures what the documents measured, prints the thesis's table and verdict, and writes the
/// report.
pub fn run(args: &BenchArgs, output: &mut Output) -> anyhow::Result<()> {
    args.report.prepare()?;
    let clock = Clock::calibrate();
    let mut bar = Progress::of("measuring");
    let calls = args.samples.map_or(CALLS, |samples| samples as usize);
    let pinned = args.pin.core.is_some();
    let all = Reproduction::measure(calls, pinned, args.with_counter, &clock, &mut |done, of| {
        bar.set(done, of);
    })?;
    bar.clear();
    let statistic = args.statistic.get();
    args.report.write(output, |folder| all.write(folder, statistic))?;
    if args.format.json {
        return Ok(output.json(&serde_json::json!({
            "thesis": all.thesis,
            "article": all.article,
            "claims": all.claims,
            "sklower": all.iso,
            "intel": all.iscsi,
        }))?);
    }
    conditions(output, &all.thesis)?;
    for table in sahu2019::thesis_tables(&all.thesis, statistic) {
        output.line(table.text())?;
    }
    Ok(output.paragraphs(all.verdict())?)
}
