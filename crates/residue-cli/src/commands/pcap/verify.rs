//! `residue pcap verify`: verifies every check value of a capture.

use super::report;
use super::{Capture, names, trouble};
use crate::output::{Bracket, Format, Outcome, Output};
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
Verdicts: good; bad; offloaded (the field holds the sum of the pseudo-header, which the network \
card completes after the capture on the sender); absent (left out, as the protocol allows); \
illegal (left out, but required); unverifiable (cut short, or partly not captured); length \
conflict (length fields contradict each other).

Causes: offload (also a zero IPv4 header checksum of a sender that leaves others to its card); \
rewritten (addresses or ports were changed but the checksum was not: all packets between two \
addresses are wrong by the same amount); offload-rewritten (the same, in the sum of the \
pseudo-header); zeroed; filled (the field repeats the byte around it); not-complemented; \
byte-swapped; negative-zero (0000 for FFFF, RFC 1624); no-pseudo-header; other-length (right if \
padding or a frame check sequence is included, or some bytes are left out); other-destination \
(computed with the next hop of a source route in place of the last, or vice versa); copied \
(packets with other contents have the same value); contradiction (the IPv4 header cannot be \
right); flipped-bit; changed-byte; unknown. A cause is named if it would fit by chance at most \
once in a thousand such captures; the report says how probable that is.

Not followed: packets that reach a link type, EtherType, IP protocol, tunnel or stream that \
residue does not read, or that is encrypted; a packet is counted once for each. Check values \
inside are not verified. Application data, and protocols without check values (ARP, LLDP, ...), \
are not counted.

Exit codes: 0 nothing wrong, 1 something bad, illegal or with a length conflict (with --strict \
also offloaded values, and packets not followed), 2 wrong usage, or a capture could not be read to \
its end; the part before is reported. CSV has a row for each capture and protocol, or with --list \
for each check value.

Examples:
  residue pcap verify trace.pcapng
  residue pcap verify --list trace.pcapng.gz           every wrong check value
  residue pcap verify --csv captures/ > counts.csv     all captures in a folder
  residue pcap verify --json - < trace.pcap | jq '.captures[0].causes'
  tcpdump -w - -c 1000 | residue pcap verify";

/// Arguments of `residue pcap verify`.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct VerifyArgs {
    /// Captures, or folders of captures [default: standard input]
    #[arg(value_name = "FILE")]
    files: Vec<OsString>,
    /// List the wrong check values, or `all` of them
    #[arg(
        long,
        value_enum,
        value_name = "WHICH",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "wrong"
    )]
    list: Option<Which>,
    /// Count offloaded values, and packets not followed, as wrong
    #[arg(long)]
    strict: bool,
    #[command(flatten)]
    format: Format,
    /// Show at most this many rewritten pairs, senders and flows
    #[arg(long, value_name = "COUNT", default_value_t = 10)]
    top: usize,
}

/// The check values to list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Which {
    /// Bad, illegal and offloaded values, and those with a length conflict
    Wrong,
    /// All check values
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

/// Verifies the captures, and prints a report of each.
pub fn run(args: &VerifyArgs, output: &mut Output) -> anyhow::Result<()> {
    let names = names(&args.files)?;
    let several = names.len() > 1;
    if args.format.csv {
        output.finding(if args.list.is_some() { report::CHECKS } else { report::COUNTS })?;
    } else if args.format.json {
        output.open(None, Bracket::Object)?;
        output.open(Some("captures"), Bracket::Array)?;
    }
    let text = several && !args.format.csv && !args.format.json;
    let (mut wrong, mut unreadable) = (0, 0);
    for name in &names {
        let error = match examine(args, name, output) {
            Ok(mut verified) => {
                wrong += u64::from(verified.is_wrong);
                print(args, several.then_some(name), &mut verified, output)?;
                verified.read.error.map(Into::into)
            }
            Err(error) => {
                output.progress.clear();
                if args.format.json {
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
    if args.format.json {
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

/// A verified capture.
struct Verified<'a> {
    name: &'a OsStr,
    read: Read,
    summary: Summary,
    is_wrong: bool,
    /// The packets once more, for the list: causes are known only after the first pass.
    again: Option<Reader<Box<dyn io::Read + Send>>>,
}

/// Verifies a capture.
fn examine<'a>(
    args: &VerifyArgs,
    name: &'a OsStr,
    output: &mut Output,
) -> anyhow::Result<Verified<'a>> {
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
    Ok(Verified { name, read, summary, is_wrong, again })
}

/// Prints the report of a capture. Listed lines start with `prefix`; they are printed one by one,
/// in constant memory.
fn print(
    args: &VerifyArgs,
    prefix: Option<&OsString>,
    verified: &mut Verified<'_>,
    output: &mut Output,
) -> io::Result<()> {
    let Verified { name, read, summary, again, .. } = verified;
    if args.format.json {
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
            let findings = buffer.findings().map(|finding| summary.diagnosis.judged(finding));
            for finding in findings.filter(|finding| which.takes(finding.verdict)) {
                if result.is_err() {
                    return;
                }
                let cause = summary.diagnosis.cause(&finding);
                result = if args.format.json {
                    output.item(None, &report::check_json(&finding, cause))
                } else if args.format.csv {
                    output.finding(report::check_csv(name, &finding, cause))
                } else {
                    let prefix = prefix.map(OsString::as_os_str);
                    output.finding(report::check_line(prefix, &finding, cause, output.styles))
                };
            }
        });
        result?;
        if args.format.json {
            output.close()?;
        }
    }
    output.progress.clear();
    if args.format.json {
        return output.close();
    }
    let lines = match (args.format.csv, args.list) {
        (true, None) => report::counts_csv(name, summary),
        (true, Some(_)) => Vec::new(),
        (false, _) => report::text(name, read, summary, args.top, args.strict, output.styles),
    };
    lines.into_iter().try_for_each(|line| output.finding(line))
}
