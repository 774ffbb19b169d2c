//! `residue pcap fix`: repairs check values.

use super::report::count;
use super::{Capture, Target, trouble};
use crate::output::{Bracket, Outcome, Output, Styles, without_numbers};
use crate::progress::Progress;
use anyhow::Context as _;
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use residue_net::Error;
use residue_net::diagnose::CauseKind;
use residue_net::fix::{Policy, Repair, Repairer};
use residue_net::json::not_followed;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::io;
use std::mem::replace;

const HELP: &str = "\
Only bytes of check values are changed. Good, truncated and incomplete packets, length fields, \
headers, block options, comments, secrets and time stamps stay as they are. Inner values are \
repaired before the outer values that cover them; outer values that were right are updated.

By default only values whose cause cannot be damaged data are repaired: offloaded checksums, and \
addresses rewritten without an update. Other wrong values may be the only trace of damage; repair \
them with --all or --only CAUSE (`residue pcap verify --help` lists the causes). Omitted UDP \
checksums stay omitted; a UDP checksum of 0 is written as FFFF.

FILE may be compressed. OUT is compressed if its name ends in .gz or .zst; it may be FILE, or `-`.

Exit codes: 0 no wrong value is left, 1 some are left, 2 wrong usage, or the capture could not be \
read to its end; the rest is copied unchanged.

Examples:
  residue pcap fix trace.pcap -o good.pcap
  residue pcap fix trace.pcap --in-place            change the bytes where they are
  residue pcap fix trace.pcap --dry-run --list      print what would be changed
  residue pcap fix trace.pcap -o good.pcap --only byte-swapped,zeroed";

/// Arguments of `residue pcap fix`.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct FixArgs {
    /// Capture to read; `-` is standard input
    #[arg(value_name = "FILE")]
    file: OsString,
    #[command(flatten)]
    target: Target,
    /// Repair all wrong values, whatever the cause
    #[arg(long, conflicts_with = "only")]
    all: bool,
    /// Repair only values with these causes, separated by commas
    #[arg(long, value_name = "CAUSE", value_delimiter = ',', value_parser = causes())]
    only: Vec<CauseKind>,
    /// Repair packets of length 0 as well, which segmentation offload leaves
    #[arg(long)]
    tso: bool,
    /// List every change: packet, protocol, offset in the file, old and new bytes
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

impl FixArgs {
    fn policy(&self) -> Policy {
        let policy = if self.all {
            Policy::all()
        } else if self.only.is_empty() {
            Policy::default()
        } else {
            Policy::of(self.only.iter().copied())
        };
        Policy { tso: self.tso, ..policy }
    }

    fn name(&self) -> String {
        Styles::plain(&self.file)
    }
}

/// Reads the capture to find the repairs, rewrites it, and prints what was done.
pub fn run(args: &FixArgs, output: &mut Output) -> anyhow::Result<()> {
    args.target.check(&args.file, args.list || args.json)?;
    let capture = Capture::new(&args.file, true)?;
    output.progress = Progress::of_bytes(capture.size() * 2);
    let mut changes = Changes { args, counts: BTreeMap::new(), begun: false, result: Ok(()) };
    let mut repairer =
        diagnose(args, &capture, &mut changes, output).with_context(|| args.name())?;
    let unread =
        rewrite(args, &capture, &repairer, &mut changes, output).with_context(|| args.name())?;
    output.progress.clear();
    let begun = changes.begin(output);
    let Changes { counts, result, .. } = changes;
    let left = Left::of(&repairer, &counts);
    if left.wrong > 0 {
        output.found(Outcome::Bad);
    }
    let error = repairer.read.error.take().or(unread);
    if error.is_some() {
        output.found(Outcome::Trouble);
    }
    result.and(begun)?;
    if args.json {
        print_json(args, &repairer, &counts, &left, error.as_ref(), output)?;
    } else if !args.target.is_stdout() {
        print_text(args, &repairer, &counts, &left, output)?;
    }
    if let Some(error) = error {
        trouble(output, &args.file, &error.into());
    }
    Ok(())
}

/// Reads the capture, once or several times, to find what is wrong. Repairs that span several
/// packets are recorded here.
fn diagnose(
    args: &FixArgs,
    capture: &Capture,
    changes: &mut Changes<'_>,
    output: &mut Output,
) -> Result<Repairer, Error> {
    let progress = output.progress.clone();
    let open = || {
        let doing = "open the capture";
        let input = capture.open(&progress).map_err(|source| Error::Io { doing, source })?;
        capture.begin(input)
    };
    Repairer::new(open, args.policy(), |repair| changes.record(repair, output))
}

/// Writes the repaired capture, if there is something to repair or a file to write. Returns the
/// error that ended reading early, if any.
fn rewrite(
    args: &FixArgs,
    capture: &Capture,
    repairer: &Repairer,
    changes: &mut Changes<'_>,
    output: &mut Output,
) -> anyhow::Result<Option<Error>> {
    let total = repairer.summary.total();
    if total.bad + total.offloaded == 0 && args.target.output.is_none() {
        return Ok(None);
    }
    let progress = output.progress.clone();
    args.target.rewrite(capture, &progress, &repairer.across(), |buffer, edits| {
        for repair in repairer.repairs(buffer) {
            edits.extend(repair.edits());
            changes.record(&repair, output);
        }
    })
}

/// Numbers of repairs by cause and protocol.
type Counts = BTreeMap<(&'static str, &'static str), u64>;

/// The repairs so far, printed as they are found, because they are not kept.
struct Changes<'a> {
    args: &'a FixArgs,
    counts: Counts,
    /// Whether the JSON document has begun.
    begun: bool,
    /// The first error of printing.
    result: io::Result<()>,
}

impl Changes<'_> {
    /// Begins the JSON document, unless it has begun. The capture must have been read once, so that
    /// an unreadable one prints no JSON.
    fn begin(&mut self, output: &mut Output) -> io::Result<()> {
        if !self.args.json || replace(&mut self.begun, true) {
            return Ok(());
        }
        output.open(None, Bracket::Object)?;
        output.item(Some("capture"), &self.args.name())?;
        if self.args.list { output.open(Some("changes"), Bracket::Array) } else { Ok(()) }
    }

    /// Counts a repair, and prints it if asked to. After an error of printing nothing more happens.
    fn record(&mut self, repair: &Repair, output: &mut Output) {
        if self.result.is_ok() {
            *self.counts.entry((cause_name(repair), repair.protocol)).or_default() += 1;
            self.result = self.print(repair, output);
        }
    }

    fn print(&mut self, repair: &Repair, output: &mut Output) -> io::Result<()> {
        if !self.args.list {
            return Ok(());
        }
        if !self.args.json {
            return output.finding(repair_line(repair));
        }
        let bytes = repair.bytes.iter();
        let bytes: Vec<Value> = bytes
            .map(|(offset, old, new)| json!({ "offset": offset, "old": old, "new": new }))
            .collect();
        let row = json!({
            "packet": repair.packet,
            "protocol": repair.protocol,
            "cause": cause_name(repair),
            "bytes": bytes,
        });
        self.begin(output)?;
        output.item(None, &row)
    }
}

/// The numbers of values repaired and left.
struct Left {
    repaired: u64,
    /// Wrong values left, without offloaded ones.
    wrong: u64,
    offloaded: u64,
}

impl Left {
    fn of(repairer: &Repairer, counts: &Counts) -> Left {
        let (mut offloaded, mut others) = (0, 0);
        for ((cause, _), number) in counts {
            match *cause {
                // These values were right before.
                FOLLOWS => {}
                cause if cause == CauseKind::Offload.name() => offloaded += number,
                _ => others += number,
            }
        }
        let total = repairer.summary.total();
        Left {
            repaired: offloaded + others,
            wrong: total.wrong().saturating_sub(others),
            offloaded: total.offloaded.saturating_sub(offloaded),
        }
    }
}

/// Prints the rest of the JSON document, after the list of changes.
fn print_json(
    args: &FixArgs,
    repairer: &Repairer,
    counts: &Counts,
    left: &Left,
    error: Option<&Error>,
    output: &mut Output,
) -> io::Result<()> {
    let mut repairs = json!({});
    for ((cause, protocol), number) in counts {
        repairs[*cause][*protocol] = (*number).into();
    }
    if args.list {
        output.close()?;
    }
    output.item(Some("packets"), &repairer.read.packets)?;
    output.item(Some("error"), &error.map(|error| without_numbers(&error.to_string())))?;
    output.item(Some("repaired"), &left.repaired)?;
    output.item(Some("left"), &json!({ "wrong": left.wrong, "offloaded": left.offloaded }))?;
    output.item(Some("repairs"), &repairs)?;
    output.item(Some("not_followed"), &not_followed(&repairer.summary))?;
    output.item(Some("dry_run"), &args.target.dry_run)?;
    output.close()
}

/// Prints the counts of repairs, and a line about the values left.
fn print_text(
    args: &FixArgs,
    repairer: &Repairer,
    counts: &Counts,
    left: &Left,
    output: &mut Output,
) -> io::Result<()> {
    for ((cause, protocol), number) in counts {
        output.finding(format!("{number:>8}  {cause}: {protocol}"))?;
    }
    let would = if args.target.dry_run { "would be repaired" } else { "repaired" };
    let mut line = format!("{} {would}, {} wrong left as they are", left.repaired, left.wrong);
    if left.offloaded > 0 {
        let _ = write!(line, ", {} offloaded", left.offloaded);
    }
    let ends: u64 = repairer.summary.unfollowed().iter().map(|(_, packets)| packets).sum();
    if ends > 0 {
        let _ = write!(line, ", {} not followed", count(ends, "packet"));
    }
    if left.wrong + left.offloaded > 0 && !args.all {
        line += " (--all repairs all that can be)";
    }
    output.finding(line)
}

/// The name for a value that was right, and is updated because data that it covers is repaired.
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
