//! `residue pcap survey`: classifies damage to TCP segments.

use super::{Capture, Captures, trouble};
use crate::options::Format;
use crate::output::{Output, Styles};
use crate::progress::Progress;
use clap::Args;
use residue_net::summary::Summary;
use residue_net::survey::Survey;
use residue_net::verify;
use residue_report::csv::Sheet;
use serde_json::{Value, json};
use std::ffi::OsStr;

const HELP: &str = "\
Compares every TCP segment with a bad checksum with a good copy of the same bytes, usually a \
retransmission, and classifies the difference, as Stone and Partridge did (SIGCOMM 2000). Segments \
that are bad because of offload or rewritten addresses are counted separately.

Only counts and shapes are printed: no addresses, no data, no times. The result can be published. \
CSV has a row for each shape.

Examples:
  residue pcap survey captures/
  residue pcap survey --json trace.pcap | jq .shapes";

// Arguments of `residue pcap survey`.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct SurveyArgs {
    #[command(flatten)]
    captures: Captures,
    #[command(flatten)]
    format: Format,
}

/// Surveys all captures, and prints the counts.
pub fn run(args: &SurveyArgs, output: &mut Output) -> anyhow::Result<()> {
    let mut survey = Survey::new();
    let (mut captures, mut unfollowed) = (0, 0);
    for name in &args.captures.names()? {
        match one(name, &mut survey, &mut unfollowed, output) {
            Ok(()) => captures += 1,
            Err(error) => trouble(output, name, &error),
        }
        output.progress.clear();
    }
    args.format.print(
        output,
        &as_json(&survey, captures, unfollowed),
        || csv(&survey),
        |output| {
            let lines = text(&survey, captures, unfollowed, output.styles);
            Ok(lines.into_iter().try_for_each(|line| output.line(line))?)
        },
    )
}

/// Surveys a capture, and counts its packets that are not followed to their end.
fn one(
    name: &OsStr,
    survey: &mut Survey,
    unfollowed: &mut u64,
    output: &mut Output,
) -> anyhow::Result<()> {
    let capture = Capture::new(name, true)?;
    output.progress = Progress::of_bytes(capture.size() * 3);
    let progress = output.progress.clone();
    let mut summary = Summary::new();
    verify::packets(capture.reader(&progress)?, |buffer| summary.buffer(buffer));
    *unfollowed += summary.unfollowed().iter().map(|(_, packets)| packets).sum::<u64>();
    verify::packets(capture.reader(&progress)?, |buffer| {
        buffer.findings().for_each(|finding| survey.learn(&finding, &summary.diagnosis));
    });
    let read = verify::packets(capture.reader(&progress)?, |buffer| {
        buffer.findings().for_each(|finding| survey.compare(&finding));
    });
    survey.finish();
    read.error.map_or(Ok(()), |error| Err(error.into()))
}

fn csv(survey: &Survey) -> String {
    let mut sheet = Sheet::of_lines("shape,segments");
    survey.shapes.iter().for_each(|(shape, count)| sheet.row(&[&shape.name(), count]));
    sheet.text()
}

fn text(survey: &Survey, captures: u64, unfollowed: u64, styles: Styles) -> Vec<String> {
    let Styles { head, .. } = styles;
    let mut lines = vec![
        format!("{:<44} {:>12}", "captures", captures),
        format!("{:<44} {:>12}", "TCP segments judged", survey.segments),
        format!("{:<44} {:>12}", "  good", survey.good),
        format!("{:<44} {:>12}", "  left to the network card", survey.offloaded),
        format!("{:<44} {:>12}", "  addresses or ports rewritten", survey.rewritten),
        format!("{:<44} {:>12}", "  bad", survey.bad),
        format!("{:<44} {:>12}", "    compared with a good copy", survey.matched()),
        format!("{:<44} {:>12}", "    without a good copy", survey.unmatched()),
    ];
    if unfollowed > 0 {
        lines.push(format!("{:<44} {unfollowed:>12}", "packets not followed"));
    }
    if survey.bad > 0 && survey.segments > 0 {
        lines.push(format!("one bad in {} segments", survey.segments / survey.bad));
    }
    if survey.matched() > 0 {
        lines.push(String::new());
        lines.push(format!("{head}what differs{head:#}"));
        for (shape, count) in &survey.shapes {
            lines.push(format!("  {:<12} {count:>10}  {}", shape.name(), shape.text()));
        }
    }
    for (title, counts) in [
        ("bytes from the first to the last", &survey.lengths),
        ("first byte, modulo 64", &survey.offsets),
    ] {
        if !counts.is_empty() {
            lines.push(String::new());
            lines.push(format!("{head}{title}{head:#}"));
            let up_to = if std::ptr::eq(counts, &survey.lengths) { "up to " } else { "" };
            for (at, count) in counts {
                lines.push(format!("  {:<12} {count:>10}", format!("{up_to}{at}")));
            }
        }
    }
    lines
}

fn as_json(survey: &Survey, captures: u64, unfollowed: u64) -> Value {
    let counts = |counts: &std::collections::BTreeMap<u32, u64>| -> Value {
        counts.iter().map(|(at, count)| (at.to_string(), json!(count))).collect()
    };
    json!({
        "captures": captures,
        "segments": survey.segments,
        "good": survey.good,
        "offloaded": survey.offloaded,
        "rewritten": survey.rewritten,
        "bad": survey.bad,
        "matched": survey.matched(),
        "unmatched": survey.unmatched(),
        "packets_not_followed": unfollowed,
        "shapes": survey.shapes.iter()
            .map(|(shape, count)| (shape.name().to_string(), json!(count)))
            .collect::<Value>(),
        "lengths": counts(&survey.lengths),
        "offsets_modulo_64": counts(&survey.offsets),
    })
}
