//! `residue pcap compare`: what changed between two captures of the same traffic.

mod arguments;
mod filter;
mod json;
mod page;
mod text;
mod write;

use super::separate::separate;
use super::{Capture, trouble};
use crate::output::{Outcome, Output, Styles};
use crate::progress::Progress;
use anyhow::{Context as _, bail};
pub use arguments::CompareArgs;
use residue_net::compare::{self, Event, Options, Report};
use residue_net::replace::replace;
use std::ffi::OsStr;
use std::io;
use std::path::Path;

/// Compares the captures, and prints what changed.
pub fn run(args: &CompareArgs, output: &mut Output) -> anyhow::Result<()> {
    if args.schema {
        return Ok(output.line(residue_net::json::COMPARE_SCHEMA.trim_end())?);
    }
    if args.names() == ["-", "-"] {
        bail!("both captures are standard input; name a file for one of them");
    }
    if let Some(path) = &args.write {
        separate("--write", path, args.names())?;
    }
    args.report.prepare()?;
    let report = match &args.write {
        None => examine::<io::Sink>(args, output, None)?,
        Some(path) => written(args, path, output)?,
    };
    let other = |it: &compare::Direction| it.lost + it.extra + it.duplicated + it.reordered;
    if report.total(|it| it.altered) > 0 || args.strict && report.total(other) > 0 {
        output.found(Outcome::Bad);
    }
    let unrelated = unrelated(&report);
    match unrelated {
        Some(_) => output.found(Outcome::Trouble),
        None => args.report.write(output, |folder| page::write(args, &report, folder))?,
    }
    let groups = compare::groups(&report.altered);
    if args.json {
        for line in json::conclusion(args, &report, &groups) {
            output.finding(line)?;
        }
    } else {
        for line in text::conclusion(args, &report, &groups, output.styles) {
            output.finding(line)?;
        }
    }
    if let Some(both) = unrelated {
        output.complain(&both);
    }
    for (name, point) in args.names().into_iter().zip(report.points) {
        if let Some(error) = point.error {
            trouble(output, name, &error.into());
        }
    }
    Ok(())
}

/// The least share of the packets of either capture that the other must have, one in so many.
const LEAST: u64 = 100;

/// Returns what to say if too few packets are in both captures to be of the same traffic. Those
/// from before or after the time of the other capture do not count.
pub fn unrelated(report: &Report) -> Option<String> {
    let points = report.points.each_ref();
    let apart = |point: &compare::Point| point.outside + point.local;
    let [one, two] = points.map(|point| point.compared.saturating_sub(apart(point)));
    let matched = report.total(|it| it.matched + it.resegmented[0].min(it.resegmented[1]));
    let least = one.min(two);
    if points.iter().any(|point| point.compared == 0) || matched > 0 && matched * LEAST >= least {
        return None;
    }
    let both = match matched {
        0 => "no packet is".into(),
        _ => format!("{matched} of {least} packets are"),
    };
    Some(format!(
        "{both} in both captures, too few to say anything of the others; are they of the same \
         traffic, do their times overlap, and are 40 bytes or more captured behind the IP header?"
    ))
}

/// Compares the captures, and writes the altered packets to a file; no file if that fails.
fn written(args: &CompareArgs, path: &Path, output: &mut Output) -> anyhow::Result<Report> {
    let mut result = None;
    let done = replace(path, None, |file| {
        let mut pairs = write::Pairs::new(io::BufWriter::new(file))?;
        let report = examine(args, output, Some(&mut pairs));
        let failed = report.is_err();
        result = Some(report);
        if failed {
            return Err(io::Error::other("the captures cannot be compared"));
        }
        pairs.finish().map(drop)
    });
    match result {
        Some(Err(error)) => Err(error),
        Some(Ok(report)) => {
            done.with_context(|| Styles::plain(path.as_os_str()))?;
            Ok(report)
        }
        None => {
            done.with_context(|| Styles::plain(path.as_os_str()))?;
            bail!("nothing was compared")
        }
    }
}

/// Reads both captures, twice each; prints and writes events as they are found.
fn examine<W: io::Write>(
    args: &CompareArgs,
    output: &mut Output,
    mut pairs: Option<&mut write::Pairs<W>>,
) -> anyhow::Result<Report> {
    let names = args.names();
    let open = |name: &OsStr| Capture::new(name, true);
    let captures = [open(names[0])?, open(names[1])?];
    let size: u64 = captures.iter().map(Capture::size).sum();
    output.progress = Progress::of_bytes(size * 2);
    let progress = output.progress.clone();
    let reader = |point: usize| {
        captures[point].reader(&progress).with_context(|| Styles::plain(names[point]))
    };
    let sketches = [compare::sketch(reader(0)?), compare::sketch(reader(1)?)];
    let readers = [reader(0)?, reader(1)?];
    let options = Options {
        window: args.window,
        most: args.waiting,
        late: args.late,
        difference: args.clock,
    };
    let mut result = Ok(());
    let report = compare::run(&sketches, readers, options, &mut |event| {
        if result.is_err() {
            return;
        }
        if let (Some(pairs), Event::Altered { altered, bytes }) = (&mut pairs, &event) {
            result = pairs.add(altered, *bytes);
        }
        if result.is_ok() {
            result = event_line(args, &event, output);
        }
    });
    output.progress.clear();
    result?;
    Ok(report)
}

/// Prints an event. Altered packets are printed as JSON when their groups are known.
fn event_line(args: &CompareArgs, event: &Event<'_>, output: &mut Output) -> io::Result<()> {
    match event {
        Event::Altered { .. } if args.json => Ok(()),
        _ if args.json => output.finding(json::event(event)),
        _ if args.list => output.finding(text::event(event, output.styles)),
        _ => Ok(()),
    }
}
