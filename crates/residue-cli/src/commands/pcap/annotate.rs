//! `residue pcap annotate`: a copy of a capture with comments, which Wireshark shows.

use super::compare::unrelated;
use super::report::{count, value};
use super::target::has_folder;
use super::{Capture, trouble};
use crate::output::{Output, Styles};
use crate::progress::Progress;
use crate::streams;
use anyhow::{Context as _, bail};
use clap::Args;
use residue_net::check::Verdict;
use residue_net::compare::{self, Event, Options};
use residue_net::diagnose::{Cause, CauseKind};
use residue_net::pcap::patch;
use residue_net::rewrite::{Editor, Fate};
use residue_net::summary::Summary;
use residue_net::verify::{self, Finding};
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

const HELP: &str = "\
Every packet with a wrong check value gets a comment with its cause, and every packet that reaches \
a protocol that is not followed one with its name. With --before or --after, a second capture of \
the same traffic, taken at another point, is compared (see `residue pcap compare`): lost, extra, \
duplicated, reordered and altered packets get comments, too. Offloaded values are not wrong, and \
get none unless --offloaded is given.

The comments are those of pcapng, which Wireshark and tshark show as frame.comment. Nothing else \
changes: packets, times, blocks and options stay as they are. Captures in other formats become \
pcapng. OUT is compressed if its name ends in .gz or .zst. Simple packet blocks have no place for \
comments; they are counted.

Exit codes: 0 annotated, 2 wrong usage, or a capture could not be read to its end; the part before \
is annotated, and of a pcapng capture the rest copied.

Examples:
  residue pcap annotate trace.pcap -o noted.pcapng
  residue pcap annotate wan.pcap --before lan.pcap -o noted.pcapng
  tshark -r noted.pcapng -Y 'frame.comment contains \"residue: rewritten\"'";

// Arguments of `residue pcap annotate`.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct AnnotateArgs {
    /// Capture to annotate; `-` is standard input
    #[arg(value_name = "FILE")]
    file: OsString,
    /// Write the annotated capture to this file (pcapng)
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    /// Compare with this capture, taken at a point before
    #[arg(long, value_name = "CAPTURE", conflicts_with = "after")]
    before: Option<OsString>,
    /// Compare with this capture, taken at a point behind
    #[arg(long, value_name = "CAPTURE")]
    after: Option<OsString>,
    /// Note offloaded values, too
    #[arg(long)]
    offloaded: bool,
}

/// Comments by the number of their packet.
type Notes = BTreeMap<u64, Vec<String>>;

/// Verifies the capture, compares it if asked to, and writes the copy.
pub fn run(args: &AnnotateArgs, output: &mut Output) -> anyhow::Result<()> {
    let is_stdout = args.output.as_os_str() == "-";
    if is_stdout {
        streams::stdout().check()?;
    }
    has_folder(&args.output)?;
    let other = args.before.as_deref().or(args.after.as_deref());
    if other == Some(OsStr::new("-")) && args.file == "-" {
        bail!("both captures are standard input; name a file for one of them");
    }
    let capture = Capture::new(&args.file, true)?;
    let passes = 3 + 2 * u64::from(other.is_some());
    output.progress = Progress::of_bytes(capture.size() * passes);
    let progress = output.progress.clone();
    let within = || Styles::plain(&args.file);
    let mut notes = verified(args, &capture, &progress).with_context(within)?;
    if let Some(other) = other {
        let error = compared(args, &capture, other, &progress, &mut notes)?;
        if let Some(error) = error {
            trouble(output, other, &error.into());
        }
    }
    let noted = notes.len() as u64;
    let input = capture.open(&progress).with_context(within)?;
    let mut editor = Editor::new(input, true, |packet| match notes.remove(&packet.number) {
        Some(notes) => Fate::Noted(notes),
        None => Fate::Kept,
    })
    .with_context(within)?;
    patch::copy_to_file(&mut editor, &args.output, capture.path(), &[])
        .with_context(|| Styles::plain(args.output.as_os_str()))?;
    output.progress.clear();
    let (error, without_place) = editor.finish();
    if !is_stdout {
        output.finding(format!("{} annotated", count(noted - without_place, "packet")))?;
        if without_place > 0 {
            let packets = count(without_place, "simple packet block");
            output.finding(format!("{packets} without a place for comments"))?;
        }
    }
    if let Some(error) = error {
        trouble(output, &args.file, &error.into());
    }
    Ok(())
}

/// Returns the comments about check values, and about what was not followed.
fn verified(args: &AnnotateArgs, capture: &Capture, progress: &Progress) -> anyhow::Result<Notes> {
    let mut summary = Summary::new();
    verify::counted(capture.shared_reader(progress)?, capture.threads(), &mut summary, &mut |_| {});
    let mut notes = Notes::new();
    // An error is reported when the copy is written.
    verify::packets(capture.reader(progress)?, |buffer| {
        for finding in buffer.findings().map(|it| summary.diagnosis.judged(it)) {
            let is_noted = match finding.verdict {
                Verdict::Bad | Verdict::Illegal | Verdict::LengthConflict => true,
                Verdict::Offloaded => args.offloaded,
                Verdict::Good | Verdict::Absent | Verdict::Unverifiable(_) => false,
            };
            if is_noted {
                let cause = summary.diagnosis.cause(&finding);
                notes.entry(buffer.packet).or_default().push(of_value(&finding, cause));
            }
        }
        for (unfollowed, _) in &buffer.found.unfollowed {
            let note = format!("residue: not followed: {unfollowed}");
            let all = notes.entry(buffer.packet).or_default();
            if !all.contains(&note) {
                all.push(note);
            }
        }
    });
    Ok(notes)
}

/// Returns the comment about a check value: its cause first, to be filtered by.
fn of_value(finding: &Finding<'_>, cause: Option<Cause>) -> String {
    let name = match finding.verdict {
        Verdict::Bad | Verdict::Offloaded => CauseKind::from(cause).name(),
        verdict => verdict.name(),
    };
    let mut note = format!("residue: {name}: {}", finding.check.protocol.name);
    let values = [finding.stored(), finding.computed()].map(|it| value(finding, it));
    if let [Some(stored), Some(computed)] = values {
        note += &format!(" {stored}, should be {computed}");
    }
    if let Some(detail) = cause.and_then(|cause| cause.detail(finding.buffer.places)) {
        note += &format!(" ({detail})");
    }
    note
}

/// Adds the comments about what a comparison with another capture shows. Returns why that one could
/// not be read to its end, if so.
fn compared(
    args: &AnnotateArgs,
    capture: &Capture,
    other: &OsStr,
    progress: &Progress,
    notes: &mut Notes,
) -> anyhow::Result<Option<residue_net::Error>> {
    let other_capture = Capture::new(other, true)?;
    // Where the annotated capture was taken.
    let own = usize::from(args.before.is_some());
    let reader = |point: usize| {
        let (capture, name) =
            if point == own { (capture, &*args.file) } else { (&other_capture, other) };
        capture.reader(progress).with_context(|| Styles::plain(name))
    };
    let sketches = [compare::sketch(reader(0)?), compare::sketch(reader(1)?)];
    let readers = [reader(0)?, reader(1)?];
    let name = Styles::plain(Path::new(other).file_name().unwrap_or(other));
    let mut note = |number: u64, text: String| {
        notes.entry(number).or_default().push(format!("residue: {text}"));
    };
    let mut report =
        compare::run(&sketches, readers, Options::default(), &mut |event| match event {
            Event::Lost { point, seen, .. } if point == own => {
                note(seen.number, format!("lost: not in {name}"));
            }
            Event::Extra { point, seen, .. } if point == own => {
                note(seen.number, format!("extra: not in {name}"));
            }
            Event::Duplicated { point, seen, of, .. } if point == own => {
                note(seen.number, format!("duplicated: a copy of packet {of}"));
            }
            Event::Reordered { numbers, .. } => {
                note(numbers[own], format!("reordered: packet {} in {name}", numbers[1 - own]));
            }
            _ => {}
        });
    if let Some(why) = unrelated(&report) {
        bail!("{name}: {why}");
    }
    for (number, group) in compare::groups(&report.altered).iter().enumerate() {
        for &member in &group.members {
            let it = &report.altered[member];
            note(
                it.packets[own],
                format!(
                    "altered: group {}, {}, {}: packet {} in {name}; {}",
                    number + 1,
                    it.damage.shape.text(),
                    it.outcome.name(),
                    it.packets[1 - own],
                    group.culprit()
                ),
            );
        }
    }
    Ok(report.points[1 - own].error.take())
}
