//! The conditions of a measurement.

use crate::output::Output;
use anyhow::Result;
use residue_bench::Mode;
use residue_bench::model::Run;

/// Calls of each side by which the documents' claims are judged, as many as the thesis took.
pub const CALLS: usize = 1000;

/// Prints the machine, the clock and the conditions of a run.
pub fn conditions(output: &mut Output, run: &Run) -> Result<()> {
    let m = &run.machine;
    output.line(format!("{} ({}), residue {}, {}", m.cpu, m.arch, run.residue, run.date))?;
    output.line(format!(
        "counter {}: {:.3} core cycles and {:.3} ns a tick, in steps of {} ticks; {} costs {} \
         ticks ({})",
        m.counter,
        1.0 / m.ticks_per_cycle,
        m.ns_per_tick,
        m.resolution_ticks,
        if run.mode == Mode::Thesis.name() { "reading it" } else { "an empty call" },
        (m.overhead_ticks * 100.0).round() / 100.0,
        if m.overhead_included { "included" } else { "subtracted" }
    ))?;
    output.line(format!(
        "{} {} of {} data a figure, mode {}{}",
        run.samples,
        run.samples_word(),
        run.data,
        run.mode,
        run.conditions.iter().map(|condition| format!(", {condition}")).collect::<String>()
    ))?;
    output.paragraphs([run.set_aside()].into_iter().chain(run.warnings()))?;
    Ok(output.line("")?)
}
