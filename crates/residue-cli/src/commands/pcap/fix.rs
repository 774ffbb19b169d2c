//! `residue pcap fix`: check values repaired.

use super::{Capture, trouble};
use crate::Outcome;
use crate::output::{Output, Styles};
use crate::progress::Progress;
use anyhow::{Context as _, bail};
use clap::Args;
use residue_net::diagnose::{Cause, UNKNOWN};
use residue_net::fix::{self, Policy, Repair};
use residue_net::pcap::patch;
use serde_json::json;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::PathBuf;

const HELP: &str = "\
Only bytes of check values are changed: never in packets that are good, cut short or incomplete, never in length fields or \
headers; block options, comments, secrets and time stamps stay as they are. Inner values are repaired before the outer ones \
that cover them.

By default those values are repaired whose cause cannot be damaged data: offloaded checksums, and addresses rewritten \
without an update. Others may be the only trace of damage, and are repaired with --all, or --only CAUSE (see `residue pcap \
verify --help` for the causes). UDP checksums left out stay so; a UDP checksum of 0 is written FFFF.

FILE may be compressed; OUT is, if its name ends in .gz or .zst. OUT may be FILE, or `-`.

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
    /// Where to write the repaired capture
    #[arg(short, long, value_name = "OUT", conflicts_with_all = ["in_place", "dry_run"])]
    output: Option<PathBuf>,
    /// Change the capture itself
    #[arg(long, conflicts_with = "dry_run")]
    in_place: bool,
    /// Change nothing; say what would be
    #[arg(short = 'n', long)]
    dry_run: bool,
    /// Repair all wrong values, whatever the cause
    #[arg(long, conflicts_with = "only")]
    all: bool,
    /// Repair values with these causes, separated by commas
    #[arg(long, value_name = "CAUSE", value_delimiter = ',', value_parser = Cause::NAMES)]
    only: Vec<String>,
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

/// Repairs.
pub fn run(args: &FixArgs, output: &mut Output) -> anyhow::Result<()> {
    if args.output.is_none() && !args.in_place && !args.dry_run {
        bail!("say where to: -o OUT, --in-place or --dry-run");
    }
    if args.in_place && args.file == "-" {
        bail!("--in-place needs a file, not the standard input");
    }
    let to_stdout = args.output.as_ref().is_some_and(|path| path.as_os_str() == "-");
    if to_stdout && (args.list || args.json) {
        bail!("the repaired capture goes to the standard output: no --list and no --json there");
    }
    let mut policy = if args.all {
        Policy::all()
    } else if args.only.is_empty() {
        Policy::default()
    } else {
        Policy::of(&args.only.iter().map(String::as_str).collect::<Vec<_>>())
    };
    policy.tso = args.tso;

    let capture = Capture::new(&args.file, true)?;
    output.progress = Progress::of_bytes(capture.size() * 2);
    let progress = output.progress.clone();
    let mut counts: BTreeMap<(&str, &str), u64> = BTreeMap::new();
    let mut rows = Vec::new();
    let mut result = Ok(());
    let open = || {
        capture
            .open(&progress)
            .map_err(|source| residue_net::Error::Io { doing: "open the capture", source })
    };
    let plan = fix::plan(open, &policy, |repair| {
        *counts.entry((cause_name(repair), repair.protocol)).or_default() += 1;
        if args.list && args.json {
            rows.push(json!({
                "packet": repair.packet,
                "protocol": repair.protocol,
                "cause": cause_name(repair),
                "bytes": repair.bytes.iter().map(|&(offset, old, new)| json!({
                    "offset": offset, "old": old, "new": new,
                })).collect::<Vec<_>>(),
            }));
        } else if args.list && result.is_ok() {
            result = output.line(repair_line(repair));
        }
    });
    output.progress.clear();
    let plan = plan.with_context(|| Styles::plain(&args.file))?;
    result?;
    if args.in_place {
        if !plan.edits.is_empty()
            && let Some(path) = capture.path()
        {
            patch::in_place_file(path, &plan.edits).with_context(|| Styles::plain(&args.file))?;
        }
    } else if let Some(path) = &args.output {
        let input = capture.open(&Progress::none())?;
        patch::copy_to_file(input, path, capture.path(), &plan.edits)
            .with_context(|| Styles::plain(path.as_os_str()))?;
    }
    let total = plan.summary.total();
    let followers: u64 =
        counts.iter().filter(|((cause, _), _)| *cause == FOLLOWS).map(|(_, count)| count).sum();
    let repaired = plan.repairs - followers;
    let left = (total.wrong() + total.offloaded).saturating_sub(repaired);
    if total.wrong() > 0 && left > 0 {
        output.found(Outcome::Bad);
    }
    if args.json {
        let mut repairs = json!({});
        for ((cause, protocol), number) in &counts {
            repairs[*cause][*protocol] = (*number).into();
        }
        let mut value = json!({
            "capture": Styles::plain(&args.file),
            "packets": plan.read.packets,
            "repaired": repaired,
            "left": left,
            "repairs": repairs,
            "dry_run": args.dry_run,
        });
        if args.list {
            value["changes"] = rows.into();
        }
        output.json(&value)?;
    } else if !to_stdout {
        for ((cause, protocol), number) in &counts {
            output.line(format!("{cause:<18} {number:>8}  {protocol}"))?;
        }
        let would = if args.dry_run { "would be repaired" } else { "repaired" };
        output.line(format!("{repaired} {would}, {left} wrong left as they are"))?;
    }
    if let Some(error) = plan.read.error {
        trouble(output, &args.file, &error.into());
    }
    Ok(())
}

/// Stands for a cause where a value was right, and followed a repair inside of what it covers.
const FOLLOWS: &str = "follows";

fn cause_name(repair: &Repair) -> &'static str {
    if repair.follows { FOLLOWS } else { repair.cause.map_or(UNKNOWN, Cause::name) }
}

fn repair_line(repair: &Repair) -> String {
    let mut line =
        format!("packet {}: {}: {}:", repair.packet, repair.protocol, cause_name(repair));
    for (offset, old, new) in &repair.bytes {
        let _ = write!(line, " {offset}:{old:02x}->{new:02x}");
    }
    line
}
