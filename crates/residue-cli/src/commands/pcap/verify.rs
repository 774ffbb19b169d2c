//! `residue pcap verify`: every check value of a capture, judged.

use super::report::{self, Csv};
use super::{Capture, names, trouble};
use crate::Outcome;
use crate::output::{Bracket, Output};
use crate::progress::Progress;
use clap::{Args, ValueEnum};
use residue_net::check::Verdict;
use residue_net::pcap::Reader;
use residue_net::summary::Summary;
use residue_net::verify::{self, Read};
use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::io;

const HELP: &str = "\
Verdicts: good; bad; offloaded (the field holds the pseudo-header's sum, for the network card to complete: the packet was \
captured on its sender); absent (left out, as the protocol allows); illegal (left out, and must not be); unverifiable (cut \
short, or parts not captured); length conflict (length fields contradict each other).

Causes: offload; rewritten (addresses or ports changed, the checksum not: what it lacks is the same in all packets between \
two addresses); zeroed; byte-swapped; negative-zero (0000 for FFFF, RFC 1624); other-length (right with padding or a frame \
check sequence in it, or without some bytes); other-destination (next stop of a source route in place of the last one, or \
the other way round); flipped-bit; unknown.

Not followed: packets that end at a link type, EtherType, IP protocol, tunnel or stream that residue does not read, or that \
is encrypted, once for each. Check values inside of it are not judged. Data of applications are not counted, nor are protocols \
known to hold no check value (ARP, LLDP, ...).

Exit codes: 0 nothing wrong (offloaded values, and packets not followed, count as wrong with --strict only), 1 something bad, illegal or with a length \
conflict, 2 wrong usage, or a capture could not be read to its end; what was read of it is reported.

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
    /// Count offloaded values as bad in the exit code, and packets that could not be followed to
    /// their end
    #[arg(long)]
    strict: bool,
    /// Print JSON
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Print CSV: a row for each capture and protocol, or with --list for each check
    #[arg(long)]
    csv: bool,
    /// Rewritten pairs, senders and flows to show at most
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
    if args.csv {
        output.finding(if args.list.is_some() { Csv::CHECKS } else { Csv::COUNTS })?;
    } else if args.json {
        output.open(None, Bracket::Object)?;
        output.open(Some("captures"), Bracket::Array)?;
    }
    let text = several && !args.csv && !args.json;
    let (mut wrong, mut unreadable) = (0, 0);
    for name in &names {
        let error = match judge(args, name, output) {
            Ok(mut judged) => {
                wrong += u64::from(judged.is_wrong);
                tell(args, several.then_some(name), &mut judged, output)?;
                judged.read.error.map(Into::into)
            }
            Err(error) => {
                output.progress.clear();
                if args.json {
                    output.item(None, &report::unreadable(name, &error))?;
                }
                Some(error)
            }
        };
        if let Some(error) = error {
            unreadable += 1;
            trouble(output, name, &error);
        }
        if text {
            output.finding("")?;
        }
    }
    if args.json {
        output.close()?;
        output.close()?;
    } else if text {
        let mut line = format!("{} captures, {wrong} with wrong check values", names.len());
        if unreadable > 0 {
            let _ = write!(line, ", {unreadable} that could not be read to the end");
        }
        output.line(line)?;
    }
    Ok(())
}

/// A capture, judged.
struct Judged<'a> {
    name: &'a OsStr,
    read: Read,
    summary: Summary,
    is_wrong: bool,
    /// Its packets once more, for the list: causes are known when all was seen.
    again: Option<Reader<Box<dyn io::Read + Send>>>,
}

/// Judges a capture.
fn judge<'a>(
    args: &VerifyArgs,
    name: &'a OsStr,
    output: &mut Output,
) -> anyhow::Result<Judged<'a>> {
    let capture = Capture::new(name, args.list.is_some())?;
    let passes = 1 + u64::from(args.list.is_some());
    output.progress = Progress::of_bytes(capture.size() * passes);
    let progress = output.progress.clone();
    let mut summary = Summary::new();
    let read = verify::packets(capture.reader(&progress)?, |buffer| summary.buffer(buffer));
    let total = summary.total();
    let is_wrong = total.wrong() > 0
        || args.strict && (total.offloaded > 0 || !summary.unfollowed().is_empty());
    if is_wrong {
        output.found(Outcome::Bad);
    }
    let again = args.list.map(|_| capture.reader(&progress)).transpose()?;
    Ok(Judged { name, read, summary, is_wrong, again })
}

/// Prints the report of a capture. Lines begin with `prefix`. Nothing is kept of what is listed.
fn tell(
    args: &VerifyArgs,
    prefix: Option<&OsString>,
    judged: &mut Judged<'_>,
    output: &mut Output,
) -> io::Result<()> {
    let Judged { name, read, summary, again, .. } = judged;
    if args.json {
        output.open(None, Bracket::Object)?;
        for (member, value) in &report::json(name, read, summary, args.top) {
            output.item(Some(member), value)?;
        }
        if again.is_some() {
            output.open(Some("checks"), Bracket::Array)?;
        }
    }
    if let (Some(which), Some(reader)) = (args.list, again.take()) {
        let mut result = Ok(());
        verify::packets(reader, |buffer| {
            for finding in buffer.findings().filter(|finding| which.takes(finding.verdict)) {
                if result.is_err() {
                    return;
                }
                let cause = summary.diagnosis.cause(&finding);
                result = if args.json {
                    output.item(None, &report::check_json(&finding, cause))
                } else if args.csv {
                    output.finding(report::check_csv(name, &finding, cause))
                } else {
                    let prefix = prefix.map(OsString::as_os_str);
                    output.finding(report::check_line(prefix, &finding, cause, output.styles))
                };
            }
        });
        result?;
        if args.json {
            output.close()?;
        }
    }
    output.progress.clear();
    if args.json {
        return output.close();
    }
    let lines = match (args.csv, args.list) {
        (true, None) => report::counts_csv(name, summary),
        (true, Some(_)) => Vec::new(),
        (false, _) => report::text(name, read, summary, args.top, args.strict, output.styles),
    };
    lines.into_iter().try_for_each(|line| output.finding(line))
}
