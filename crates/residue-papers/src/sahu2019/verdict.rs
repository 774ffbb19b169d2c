//! The meaning of a run, in plain English.

use crate::claims::{Compared, Report};
use residue_bench::model::{Cell, Run, fastest};

/// The thesis's sizes, and one more, with what they stand for.
const SIZES: [(usize, &str); 4] = [
    (64, "an acknowledgement"),
    (1500, "a full Ethernet frame"),
    (9000, "a jumbo frame"),
    (65536, "64 KiB"),
];

/// Returns the fastest code at each size, in one sentence each; its calls are those of `run`, or in
/// batches if it has these. Empty if the run holds none of the sizes 64, 1500, 9000 and 65536.
#[must_use]
pub fn fastest_codes(run: &Run) -> Vec<String> {
    let (cells, calls) = match (run.steady.is_empty(), run.mode.as_str()) {
        (true, "thesis") => (&run.cells, "single calls"),
        (true, "latency") => (&run.cells, "calls that wait for each other"),
        (true, _) => (&run.cells, "batches"),
        (false, _) => (&run.steady, "batches"),
    };
    let sentence = |&(bytes, stands_for): &(usize, &str)| {
        let best = fastest_of_all(cells, bytes)?;
        Some(format!(
            "{bytes} bytes ({stands_for}), in {calls}: the fastest of all that was measured is {} \
             by `{}`, {:.1} ns or {:.1} GB/s ({:.3} cycles a byte).",
            best.code,
            best.kernel,
            best.ns,
            bytes as f64 / best.ns.max(1e-3),
            best.median
        ))
    };
    SIZES.iter().filter_map(sentence).collect()
}

fn fastest_of_all(cells: &[Cell], bytes: usize) -> Option<&Cell> {
    // The baselines and the mod-256 mistakes are no candidates.
    let real = |cell: &&Cell| {
        let name = cell.code.as_str();
        !name.starts_with("xor-") && !name.starts_with("sum-") && !name.contains("/mod")
    };
    let here = cells.iter().filter(|cell| cell.extra == 0 && cell.bytes == bytes);
    here.filter(real).min_by(|a, b| a.median.total_cmp(&b.median))
}

/// Describes the verdict on the thesis's conclusion ([`crate::claims::conclusion`]), and what it
/// takes to protect a stream by the fastest kernels of a run, as paragraphs.
#[must_use]
pub fn verdict(report: &Report, run: &Run) -> Vec<String> {
    let list = |all: &[Compared]| all.iter().map(Compared::text).collect::<Vec<_>>().join(", ");
    let sentence = |judged: &crate::claims::Judged| {
        let claim = judged.claim.trim_start_matches("... and ");
        let here = if judged.here.is_empty() { "-".into() } else { list(&judged.here) };
        format!("“{claim}” {}: {here}", judged.verdict.name())
    };
    let claims: Vec<String> = report.claims.iter().map(sentence).collect();
    let mut text = format!(
        "The thesis's conclusion, by its own algorithms and single calls, as the ratio of both \
         times with its interval: {}.",
        claims.join("; ")
    );
    let today: Vec<&Compared> = report.claims.iter().flat_map(|judged| &judged.today).collect();
    if !today.is_empty() {
        // The first claim's ratio is CRC over checksum, the others' are checksum over CRC.
        let list: Vec<String> = today.iter().map(|compared| compared.text()).collect();
        let (first, others) = list.split_first().unwrap_or_else(|| unreachable!("not empty"));
        text += &format!(
            " With today's kernels, in batches: CRC-32C over checksum {first}, checksum over \
             CRC-32C {}.",
            others.join(", ")
        );
    }
    if let Some(busy) = &report.busy {
        text += &format!(" {busy} Only ratios clear by a quarter are judged.");
    }
    let mut paragraphs = vec![text];
    let cells = if run.steady.is_empty() { &run.cells } else { &run.steady };
    let best = |code| fastest(cells, code, 1500);
    if let (Some(crc), Some(sum)) = (best("crc-32/iscsi"), best("internet")) {
        let share = |cell: &Cell| cell.ns / 1500.0 * 125.0;
        paragraphs.push(format!(
            "To protect one 10 Gbit/s stream of full frames (1.25 GB/s), CRC-32C takes {:.1} % of \
             one core of this CPU by `{}`, the TCP checksum {:.1} % by `{}`.",
            share(crc),
            crc.kernel,
            share(sum),
            sum.kernel
        ));
    }
    paragraphs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims::{self, Document, Judged, Verdict};
    use residue_bench::example;

    #[test]
    fn the_mode_of_a_sentence_is_named() {
        let mut run = example::x86();
        assert!(fastest_codes(&run)[0].contains("in single calls"));
        run.steady.clone_from(&run.cells);
        assert!(fastest_codes(&run)[0].contains("in batches"));
        assert!(fastest_codes(&example::empty()).is_empty());
    }

    #[test]
    fn the_conclusion_is_that_of_the_claims() {
        let clock = residue_bench::clock::Clock::NANOSECONDS;
        let report = claims::conclusion(10, &clock, &mut |_, _| ()).expect("a report");
        assert_eq!(report.claims.len(), 3);
        let text = verdict(&report, &example::x86()).join(" ");
        for judged in &report.claims {
            assert!(text.contains(judged.verdict.name()), "{text}");
        }
        assert!(text.contains("10 Gbit/s"));
    }

    #[test]
    fn a_busy_machine_is_named() {
        let judged = Judged {
            document: Document::Thesis,
            place: "6.1",
            claim: "... and at 9000 bytes",
            published: "72 %",
            here: Vec::new(),
            verdict: Verdict::NotHere,
            today: Vec::new(),
        };
        let report = Report { cpu: "x".into(), busy: Some("Busy.".into()), claims: vec![judged] };
        let text = verdict(&report, &example::empty()).join(" ");
        assert!(text.contains("“at 9000 bytes” not here") && text.contains("Busy."), "{text}");
    }
}
