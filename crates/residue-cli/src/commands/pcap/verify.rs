//! `residue pcap verify`: every check value of a capture, judged.

use super::report::{self, Csv};
use super::{Capture, names, trouble};
use crate::Outcome;
use crate::output::Output;
use crate::progress::Progress;
use clap::{Args, ValueEnum};
use residue_net::check::Verdict;
use residue_net::summary::Summary;
use residue_net::verify;
use std::ffi::OsString;

const HELP: &str = "\
Verdicts: good; bad; offloaded (the field holds the pseudo-header's sum, for the network card to complete: the packet was \
captured on its sender); absent (left out, as the protocol allows); illegal (left out, and must not be); unverifiable (cut \
short, or parts not captured); length conflict (length fields contradict each other).

Causes: offload; rewritten (addresses or ports changed, the checksum not: what it lacks is the same in all packets between \
two addresses); zeroed; byte-swapped; negative-zero (0000 for FFFF, RFC 1624); other-length (right with padding or a frame \
check sequence in it, or without some bytes); other-destination (next stop of a source route in place of the last one, or \
the other way round); flipped-bit; unknown.

Offloaded values do not change the exit code unless --strict is given.

Examples:
  residue pcap verify trace.pcapng
  residue pcap verify --list trace.pcapng.gz           every check value that is not right
  residue pcap verify --csv captures/ > counts.csv     all captures in a folder
  residue pcap verify --json - < trace.pcap | jq '.captures[0].causes'
  tcpdump -w - -c 1000 | residue pcap verify";

/// `residue pcap verify`
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct VerifyArgs {
    /// Captures, or folders with captures in them; standard input if there are none
    #[arg(value_name = "FILE")]
    files: Vec<OsString>,
    /// Show every check that is not right, or `all`
    #[arg(long, value_enum, value_name = "WHICH", num_args = 0..=1, require_equals = true, default_missing_value = "wrong")]
    list: Option<Which>,
    /// Count offloaded values as bad in the exit code
    #[arg(long)]
    strict: bool,
    /// Print JSON
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Print CSV: a row for each capture and protocol, or with --list for each check
    #[arg(long)]
    csv: bool,
    /// Flows and senders to show at most
    #[arg(long, value_name = "COUNT", default_value_t = 10)]
    top: usize,
}

/// The checks to list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Which {
    /// Bad, illegal and offloaded ones, and those with length conflicts
    Wrong,
    /// Every check
    All,
}

impl Which {
    fn takes(self, verdict: Verdict) -> bool {
        self == Which::All
            || matches!(
                verdict,
                Verdict::Bad | Verdict::Illegal | Verdict::Offloaded | Verdict::LengthConflict
            )
    }
}

/// Judges and prints.
pub fn run(args: &VerifyArgs, output: &mut Output) -> anyhow::Result<()> {
    let names = names(&args.files)?;
    let several = names.len() > 1;
    let mut values = Vec::new();
    if args.csv {
        output.line(if args.list.is_some() { Csv::CHECKS } else { Csv::COUNTS })?;
    }
    for name in &names {
        if let Err(error) = one(args, name, several, &mut values, output) {
            if error.downcast_ref::<std::io::Error>().is_some_and(is_broken_pipe) {
                return Err(error);
            }
            trouble(output, name, &error);
        }
    }
    if args.json {
        output.json(&serde_json::json!({ "captures": values }))?;
    }
    Ok(())
}

fn is_broken_pipe(error: &std::io::Error) -> bool {
    error.kind() == std::io::ErrorKind::BrokenPipe
}

fn one(
    args: &VerifyArgs,
    name: &std::ffi::OsStr,
    several: bool,
    values: &mut Vec<serde_json::Value>,
    output: &mut Output,
) -> anyhow::Result<()> {
    let capture = Capture::new(name, args.list.is_some())?;
    let passes = 1 + u64::from(args.list.is_some());
    output.progress = Progress::of_bytes(capture.size() * passes);
    let progress = output.progress.clone();
    let mut summary = Summary::new();
    let reader = capture.reader(&progress).inspect_err(|_| output.progress.clear())?;
    let read = verify::packets(reader, |buffer| summary.buffer(buffer));
    let total = summary.total();
    if total.wrong() > 0 || args.strict && total.offloaded > 0 {
        output.found(Outcome::Bad);
    }
    // The causes are known when all was seen: what is listed is read again.
    let mut checks = Vec::new();
    if let Some(which) = args.list {
        let mut result = Ok(());
        verify::packets(capture.reader(&progress)?, |buffer| {
            for finding in buffer.findings().filter(|finding| which.takes(finding.verdict)) {
                if result.is_err() {
                    return;
                }
                let cause = summary.diagnosis.cause(&finding);
                if args.json {
                    checks.push(report::check_json(&finding, cause));
                } else if args.csv {
                    result = output.line(report::check_csv(name, &finding, cause));
                } else {
                    let prefix = if several { Some(name) } else { None };
                    result =
                        output.line(report::check_line(prefix, &finding, cause, output.styles));
                }
            }
        });
        result?;
    }
    output.progress.clear();
    if args.json {
        let checks = args.list.map(|_| checks);
        values.push(report::json(name, &read, &summary, args.top, checks));
    } else if args.csv {
        if args.list.is_none() {
            for line in report::counts_csv(name, &summary) {
                output.line(line)?;
            }
        }
    } else {
        for line in report::text(name, &read, &summary, args.top, output.styles) {
            output.line(line)?;
        }
        if several {
            output.line("")?;
        }
    }
    match read.error {
        Some(error) => Err(error.into()),
        None => Ok(()),
    }
}
