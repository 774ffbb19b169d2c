//! `residue pcap fix`: check values repaired.

use super::report::count;
use super::{Capture, Target, trouble};
use crate::Outcome;
use crate::output::{Bracket, Output, Styles, without_numbers};
use crate::progress::Progress;
use anyhow::Context as _;
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use residue_net::diagnose::CauseKind;
use residue_net::fix::{Policy, Repair, Repairer};
use residue_net::json::not_followed;
use serde_json::json;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt::Write as _;

const HELP: &str = "\
Only bytes of check values are changed: never in packets that are good, cut short or incomplete, never in length fields or \
headers; block options, comments, secrets and time stamps stay as they are. Inner values are repaired before the outer ones \
that cover them; outer ones that were right follow.

By default those values are repaired whose cause cannot be damaged data: offloaded checksums, and addresses rewritten \
without an update. Others may be the only trace of damage, and are repaired with --all, or --only CAUSE (see `residue pcap \
verify --help` for the causes). UDP checksums left out stay so; a UDP checksum of 0 is written FFFF.

FILE may be compressed; OUT is, if its name ends in .gz or .zst. OUT may be FILE, or `-`.

Exit codes: 0 nothing wrong is left, 1 something is, 2 wrong usage, or the capture could not be read to its end; what \
follows there is copied as it is.

Examples:
  residue pcap fix trace.pcap -o good.pcap
  residue pcap fix trace.pcap --in-place            changes the bytes where they are
  residue pcap fix trace.pcap --dry-run --list      what would be changed
  residue pcap fix trace.pcap -o good.pcap --only byte-swapped,zeroed";

/// `residue pcap fix`
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct FixArgs {
    /// The capture; `-` is the standard input
    #[arg(value_name = "FILE")]
    file: OsString,
    #[command(flatten)]
    target: Target,
    /// Repair all wrong values, whatever the cause
    #[arg(long, conflicts_with = "only")]
    all: bool,
    /// Repair values with these causes, separated by commas
    #[arg(long, value_name = "CAUSE", value_delimiter = ',', value_parser = causes())]
    only: Vec<CauseKind>,
    /// Repair packets of length 0, too, as segmentation offload leaves them
    #[arg(long)]
    tso: bool,
    /// Show every change: packet, protocol, offset in the file, old and new bytes
    #[arg(long)]
    list: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Reads a cause by its name.
fn causes() -> impl TypedValueParser<Value = CauseKind> {
    PossibleValuesParser::new(CauseKind::ALL.map(CauseKind::name))
        .try_map(|name| name.parse::<CauseKind>())
}

/// Repairs.
pub fn run(args: &FixArgs, output: &mut Output) -> anyhow::Result<()> {
    args.target.check(&args.file, args.list || args.json)?;
    let mut policy = if args.all {
        Policy::all()
    } else if args.only.is_empty() {
        Policy::default()
    } else {
        Policy::of(args.only.iter().copied())
    };
    policy.tso = args.tso;

    let capture = Capture::new(&args.file, true)?;
    output.progress = Progress::of_bytes(capture.size() * 2);
    let progress = output.progress.clone();
    let mut tally = Tally { args, counts: BTreeMap::new(), begun: false };
    let mut result = Ok(());
    let open = || {
        let doing = "open the capture";
        let input = capture.open(&progress);
        capture.begin(input.map_err(|source| residue_net::Error::Io { doing, source })?)
    };
    let named = || Styles::plain(&args.file);
    let repairer = Repairer::new(open, policy, |repair| {
        if result.is_ok() {
            result = tally.take(repair, output);
        }
    });
    let repairer = repairer.with_context(named)?;
    let total = repairer.summary.total();
    let mut error = None;
    if total.bad + total.offloaded > 0 || args.target.output.is_some() {
        let rewritten =
            args.target.rewrite(&capture, &progress, &repairer.across(), |buffer, edits| {
                for repair in repairer.repairs(buffer) {
                    edits.extend(repair.edits());
                    if result.is_ok() {
                        result = tally.take(&repair, output);
                    }
                }
            });
        error = rewritten.with_context(named)?;
    }
    output.progress.clear();
    let begun = tally.begin(output);
    let counts = tally.counts;
    // What follows a repair was right.
    let own = counts.iter().filter(|((cause, _), _)| *cause != FOLLOWS);
    let (offloaded, others): (Vec<_>, Vec<_>) =
        own.partition(|((cause, _), _)| *cause == CauseKind::Offload.name());
    let sum = |part: Vec<(_, &u64)>| part.into_iter().map(|(_, count)| count).sum::<u64>();
    let (offloaded, others) = (sum(offloaded), sum(others));
    let repaired = offloaded + others;
    let left = total.wrong().saturating_sub(others);
    let left_offloaded = total.offloaded.saturating_sub(offloaded);
    if left > 0 {
        output.found(Outcome::Bad);
    }
    let error = repairer.read.error.or(error);
    if error.is_some() {
        output.found(Outcome::Trouble);
    }
    result.and(begun)?;
    if args.json {
        let mut repairs = json!({});
        for ((cause, protocol), number) in &counts {
            repairs[*cause][*protocol] = (*number).into();
        }
        if args.list {
            output.close()?;
        }
        output.item(Some("packets"), &repairer.read.packets)?;
        let error = error.as_ref().map(|error| without_numbers(&error.to_string()));
        output.item(Some("error"), &error)?;
        output.item(Some("repaired"), &repaired)?;
        output.item(Some("left"), &json!({ "wrong": left, "offloaded": left_offloaded }))?;
        output.item(Some("repairs"), &repairs)?;
        output.item(Some("not_followed"), &not_followed(&repairer.summary))?;
        output.item(Some("dry_run"), &args.target.dry_run)?;
        output.close()?;
    } else if !args.target.is_stdout() {
        for ((cause, protocol), number) in &counts {
            output.finding(format!("{number:>8}  {cause}: {protocol}"))?;
        }
        let would = if args.target.dry_run { "would be repaired" } else { "repaired" };
        let mut line = format!("{repaired} {would}, {left} wrong left as they are");
        if left_offloaded > 0 {
            let _ = write!(line, ", {left_offloaded} offloaded");
        }
        let ends: u64 = repairer.summary.unfollowed().iter().map(|(_, packets)| packets).sum();
        if ends > 0 {
            let _ = write!(line, ", {} not followed", count(ends, "packet"));
        }
        if left + left_offloaded > 0 && !args.all {
            line += " (--all repairs all that can be)";
        }
        output.finding(line)?;
    }
    if let Some(error) = error {
        trouble(output, &args.file, &error.into());
    }
    Ok(())
}

/// The repairs so far.
struct Tally<'a> {
    args: &'a FixArgs,
    /// By cause and protocol.
    counts: BTreeMap<(&'static str, &'static str), u64>,
    /// The JSON document has begun.
    begun: bool,
}

impl Tally<'_> {
    /// Begins the JSON document: not before the capture could be read, and the changes first, as
    /// they are not kept.
    fn begin(&mut self, output: &mut Output) -> std::io::Result<()> {
        if !self.args.json || std::mem::replace(&mut self.begun, true) {
            return Ok(());
        }
        output.open(None, Bracket::Object)?;
        output.item(Some("capture"), &Styles::plain(&self.args.file))?;
        if self.args.list { output.open(Some("changes"), Bracket::Array) } else { Ok(()) }
    }

    fn take(&mut self, repair: &Repair, output: &mut Output) -> std::io::Result<()> {
        *self.counts.entry((cause_name(repair), repair.protocol)).or_default() += 1;
        if self.args.list && self.args.json {
            let byte = |&(offset, old, new): &(u64, u8, u8)| json!({ "offset": offset, "old": old, "new": new });
            let row = json!({
                "packet": repair.packet,
                "protocol": repair.protocol,
                "cause": cause_name(repair),
                "bytes": repair.bytes.iter().map(byte).collect::<Vec<_>>(),
            });
            self.begin(output)?;
            output.item(None, &row)?;
        } else if self.args.list {
            output.finding(repair_line(repair))?;
        }
        Ok(())
    }
}

/// Stands for a cause where a value was right, and followed a repair inside of what it covers.
const FOLLOWS: &str = "follows";

fn cause_name(repair: &Repair) -> &'static str {
    if repair.follows { FOLLOWS } else { CauseKind::from(repair.cause).name() }
}

fn repair_line(repair: &Repair) -> String {
    let mut line =
        format!("packet {}: {}: {}:", repair.packet, repair.protocol, cause_name(repair));
    for (offset, old, new) in &repair.bytes {
        let _ = write!(line, " {offset}:{old:02x}->{new:02x}");
    }
    line
}
