//! `residue pcap fix`: repairs check values.

mod doubled;

use super::report::count;
use super::{Capture, Changed, FEW, Target, trouble};
use crate::names::names;
use crate::options::Json;
use crate::output::{Bracket, Outcome, Output, without_numbers};
use crate::progress::Progress;
use anyhow::Context as _;
use clap::Args;
use residue_net::Error;
use residue_net::diagnose::CauseKind;
use residue_net::fix::{self, Kept, Policy, Repair, Repairer, Repairs};
use residue_net::json::not_followed;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io;
use std::mem::replace;

const HELP: &str = "\
Only bytes of check values are changed. Good values, values of which covered bytes are missing, \
length fields, headers, block options, comments, secrets and time stamps stay as they are. Inner \
values are repaired before the outer values that cover them; outer values that were right are \
updated.

By default only values whose cause cannot be damaged data are repaired: offloaded checksums, and \
addresses rewritten without an update. Other wrong values may be the only trace of damage; repair \
them with --all or --only CAUSE (`residue pcap verify --help` lists the causes). For every value \
left wrong, the reason is printed, with the option that would repair it. Omitted UDP \
checksums stay omitted; a UDP checksum of 0 is written as FFFF.

With --drop-doubled no value is changed: of packets that are equal from the IP header on and \
within 20 ms, the second of each pair is left out, if 19 of 20 packets are there twice.

FILE may be compressed. OUT is compressed if its name ends in .gz or .zst; it may be FILE, or `-`.

Exit codes: 0 no wrong value is left, 1 some are left, 2 wrong usage, or the capture could not be \
read to its end; the rest is copied unchanged.

Examples:
  residue pcap fix trace.pcap -o good.pcap
  residue pcap fix trace.pcap --in-place            change the bytes where they are
  residue pcap fix trace.pcap --dry-run --list      print what would be changed
  residue pcap fix trace.pcap -o good.pcap --only byte-swapped,zeroed
  residue pcap fix span.pcap -o once.pcap --drop-doubled";

// Arguments of `residue pcap fix`.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct FixArgs {
    #[command(flatten)]
    target: Target,
    /// Repair all wrong values, whatever the cause
    #[arg(long, conflicts_with = "only")]
    all: bool,
    /// Repair only values with these causes, separated by commas
    #[arg(
        long,
        value_name = "CAUSE",
        value_delimiter = ',',
        value_parser = names::<CauseKind>(CauseKind::ALL.map(CauseKind::name))
    )]
    only: Vec<CauseKind>,
    /// Repair packets of length 0 as well, which segmentation offload leaves
    #[arg(long)]
    tso: bool,
    /// Leave out the copies of a capture that holds every packet twice, as that of a mirror port
    /// may; change nothing else
    #[arg(long, conflicts_with_all = ["all", "only", "tso", "list", "in_place"])]
    drop_doubled: bool,
    /// List every change: packet, protocol, offset in the file, old and new bytes
    #[arg(long)]
    list: bool,
    #[command(flatten)]
    format: Json,
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
}

/// Reads the capture to find the repairs, rewrites it, and prints what was done.
pub fn run(args: &FixArgs, output: &mut Output) -> anyhow::Result<()> {
    args.target.check(args.list || args.format.json)?;
    if args.drop_doubled {
        return doubled::leave_out(&args.target, args.format.json, output);
    }
    let capture = Capture::new(&args.target.file, true)?;
    let passes = if args.target.output.is_some() { 3 } else { 2 };
    output.progress = Progress::of_bytes(capture.size() * passes);
    let mut changes = Changes::new(args);
    let mut repairer =
        diagnose(args, &capture, &mut changes, output).with_context(|| args.target.name())?;
    let unread = rewrite(args, &capture, &repairer, &mut changes, output)
        .with_context(|| args.target.name())?;
    output.progress.clear();
    let begun = changes.begin(output);
    let Changes { counts, repaired, kept, result, .. } = changes;
    let left = Left::of(&repairer, repaired, kept);
    if left.wrong > 0 {
        output.found(Outcome::Bad);
    }
    let error = repairer.read.error.take().or(unread);
    if error.is_some() {
        output.found(Outcome::Trouble);
    }
    result.and(begun)?;
    if args.format.json {
        print_json(args, &repairer, &counts, &left, error.as_ref(), output)?;
    } else if !args.target.is_stdout() {
        print_text(args, &repairer, &counts, &left, output)?;
    }
    if let Some(error) = error {
        trouble(output, &args.target.file, &error.into());
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
        capture.shared(&progress).map_err(|source| Error::Io { doing, source })?.reader()
    };
    Repairer::on_threads(capture.threads(), open, args.policy(), |repair| {
        changes.record(repair, output);
    })
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
    let across = repairer.across();
    let wrong = total.bad + total.offloaded;
    // Right values change where they cover changes across packets; and where reading fails, the
    // part before must still be copied.
    let changed = match (across.is_empty(), &repairer.read.error) {
        (true, None) if wrong <= FEW => Changed::FewWrong,
        (true, _) => Changed::Wrong,
        (false, _) => Changed::Any,
    };
    args.target.rewrite(capture, &progress, &across, changed, |buffer, edits| {
        let Repairs { repairs, kept } = repairer.examine(buffer);
        for repair in repairs {
            edits.extend(repair.edits());
            changes.record(&repair, output);
        }
        for kept in kept {
            *changes.kept.entry(kept).or_default() += 1;
        }
    })
}

/// Numbers of repairs by cause and protocol.
type Counts = BTreeMap<(&'static str, &'static str), u64>;

/// The repairs so far, printed as they are found, because they are not kept.
struct Changes<'a> {
    args: &'a FixArgs,
    counts: Counts,
    /// Numbers of repaired values that were wrong, and of those that were offloaded.
    repaired: [u64; 2],
    /// Values left in single packets.
    kept: fix::Left,
    /// Whether the JSON document has begun.
    begun: bool,
    /// The first error of printing.
    result: io::Result<()>,
}

impl<'a> Changes<'a> {
    fn new(args: &'a FixArgs) -> Self {
        let (counts, kept) = (Counts::new(), fix::Left::new());
        Changes { args, counts, repaired: [0; 2], kept, begun: false, result: Ok(()) }
    }

    /// Begins the JSON document, unless it has begun. The capture must have been read once, so that
    /// an unreadable one prints no JSON.
    fn begin(&mut self, output: &mut Output) -> io::Result<()> {
        if !self.args.format.json || replace(&mut self.begun, true) {
            return Ok(());
        }
        output.open(None, Bracket::Object)?;
        output.item(Some("capture"), &self.args.target.name())?;
        if self.args.list { output.open(Some("changes"), Bracket::Array) } else { Ok(()) }
    }

    /// Counts a repair, and prints it if asked to. After an error of printing nothing more happens.
    fn record(&mut self, repair: &Repair, output: &mut Output) {
        if self.result.is_ok() {
            *self.counts.entry((cause_name(repair), repair.protocol)).or_default() += 1;
            if !repair.follows {
                self.repaired[usize::from(repair.offloaded)] += 1;
            }
            self.result = self.print(repair, output);
        }
    }

    fn print(&mut self, repair: &Repair, output: &mut Output) -> io::Result<()> {
        if !self.args.list {
            return Ok(());
        }
        if !self.args.format.json {
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
    /// The reasons.
    reasons: fix::Left,
}

impl Left {
    /// Counts what is left; `kept` are the values left in single packets.
    fn of(repairer: &Repairer, [wrong, offloaded]: [u64; 2], kept: fix::Left) -> Left {
        let mut reasons = kept;
        for (&reason, number) in repairer.left() {
            *reasons.entry(reason).or_default() += number;
        }
        let total = repairer.summary.total();
        Left {
            repaired: wrong + offloaded,
            wrong: total.wrong().saturating_sub(wrong),
            offloaded: total.offloaded.saturating_sub(offloaded),
            reasons,
        }
    }
}

/// Returns why a value is left, and the options that would repair it.
fn why(kept: Kept, args: &FixArgs) -> (String, Option<String>) {
    let (text, options) = match kept {
        Kept::Cause { cause, length_zero } => {
            let name = cause.name();
            let text = if !args.only.is_empty() {
                format!("{name}, which is not among the causes of --only")
            } else if cause == CauseKind::Unknown {
                "no cause is known, so it may show damage".into()
            } else {
                format!("{name}, which may show damage")
            };
            let tso = if length_zero { " with --tso" } else { "" };
            (text, Some(format!("--all or --only {name}{tso}")))
        }
        Kept::LengthZero => {
            ("the length of the packet is 0, so its end is a guess".into(), Some("--tso".into()))
        }
        Kept::Cut => ("the packet is cut short, and another check value covers it".into(), None),
        Kept::Contested => ("two check values claim its bytes".into(), None),
        Kept::LengthConflict => {
            ("length fields contradict each other, so that no value is right".into(), None)
        }
        Kept::Illegal => ("the sender left it out, though it must not".into(), None),
    };
    (text, options)
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
    let reason = |(&(kept, protocol), number): (&(Kept, &str), &u64)| {
        let (why, options) = why(kept, args);
        json!({ "protocol": protocol, "values": number, "reason": why, "options": options })
    };
    let reasons: Vec<Value> = left.reasons.iter().map(reason).collect();
    output.item(Some("left_because"), &reasons)?;
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
    for (&(kept, protocol), number) in &left.reasons {
        let (why, options) = why(kept, args);
        let options = options.map_or(String::new(), |options| format!(" ({options} repairs it)"));
        output.finding(format!("{number:>8}  left: {protocol}: {why}{options}"))?;
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
