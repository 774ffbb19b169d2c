//! `residue sum --check`: verifies files against a list of check values.

use super::arguments::SumArgs;
use crate::codes::{Chosen, DEFAULT};
use crate::lists::{self, Entries, Entry, List, Reading};
use crate::output::{Bracket, Encoding, Outcome, Output, Styles, escape};
use crate::progress::Progress;
use crate::read::{self, Done, Job, Source};
use crate::streams;
use anyhow::bail;
use serde::Serialize;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, IntoInnerError, Read, Seek as _};
use std::path::PathBuf;

/// Verifies the files of each list.
pub fn run(args: &SumArgs, output: &mut Output) -> anyhow::Result<()> {
    let shown = args.profile.map(|profile| profile.listed(&args.codes)).transpose()?;
    let code = match args.codes.is_empty() {
        true => shown,
        false => match args.codes.chosen()?.as_slice() {
            [one] => Some(one.clone()),
            _ => bail!("--check takes one code with -a, that of untagged lines"),
        },
    };
    let encoding = args.profile.map(|_| Encoding::Base64).or(args.encoding());
    let reading = Reading { code: code.as_ref(), encoding, zero: args.zero };
    let stdin = [OsString::from("-")];
    let lists = if args.files.is_empty() { &stdin[..] } else { &args.files };
    if args.json {
        output.open(None, Bracket::Array)?;
    }
    for name in lists {
        Checker { args, output: &mut *output, name, report: Report::default() }.list(reading)?;
    }
    if args.json {
        output.close()?;
    }
    Ok(())
}

/// Counts of the lines of a list, by outcome.
#[derive(Default)]
struct Report {
    good: usize,
    bad: usize,
    unreadable: usize,
    missing: usize,
    malformed: usize,
    error: Option<String>,
}

/// The outcome of a line, as JSON.
#[derive(Serialize)]
struct Row {
    file: String,
    code: String,
    expected: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    actual: Option<String>,
    verdict: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

struct Checker<'a> {
    args: &'a SumArgs,
    output: &'a mut Output,
    name: &'a OsStr,
    report: Report,
}

impl Checker<'_> {
    fn list(&mut self, reading: Reading<'_>) -> anyhow::Result<()> {
        if self.args.json {
            self.output.open(None, Bracket::Object)?;
            self.output.item(Some("list"), &self.name.to_string_lossy())?;
            self.output.open(Some("malformed"), Bracket::Array)?;
        }
        let cksum = Chosen::new("cksum")?;
        let list = contents(self.name, reading.zero).and_then(|file| {
            let as_cksum = Reading { code: Some(&cksum), ..reading };
            let reading = if is_of_cksum(&file, reading, as_cksum)? { as_cksum } else { reading };
            Ok((self.look(&file, reading)?, reading, file))
        });
        if self.args.json {
            self.output.close()?;
            self.output.open(Some("entries"), Bracket::Array)?;
        }
        match list {
            Ok((list, reading, file)) if list.entries > 0 => {
                if self.args.strict && list.malformed > 0 {
                    self.output.found(Outcome::Trouble);
                }
                let entries =
                    |list| io::Result::Ok(Entries::new(from_start(&file)?, reading, list));
                if Progress::wanted() {
                    let total = length(entries(list.clone())?)?;
                    self.output.progress = Progress::of_bytes(total);
                }
                self.files(entries(list.clone())?)?;
                self.output.progress.clear();
                self.summarise(&list);
            }
            Ok((list, ..)) => self.fail(match list.doubt {
                Some((line, doubt)) => format!("line {line} {doubt}"),
                None => "no properly formatted check value lines found".to_string(),
            }),
            Err(error) => self.fail(read::problem(&error)),
        }
        if self.args.json {
            self.output.close()?;
            let Report { good, bad, unreadable, missing, error, .. } = &self.report;
            let counts =
                [("good", good), ("bad", bad), ("unreadable", unreadable), ("missing", missing)];
            for (name, count) in counts {
                self.output.item(Some(name), count)?;
            }
            if let Some(error) = error {
                self.output.item(Some("error"), error)?;
            }
            self.output.close()?;
        }
        Ok(())
    }

    /// Reads through the list, and reports lines that cannot be read.
    fn look(&mut self, file: &File, reading: Reading<'_>) -> io::Result<List> {
        let Checker { args, output, name, .. } = self;
        let list = lists::look(from_start(file)?, reading, |number| {
            if args.warn && !args.status {
                let place = Styles::plain(name);
                output
                    .complain(&format!("{place}: {number}: improperly formatted check value line"));
            }
            if args.json { output.item(None, &number) } else { Ok(()) }
        })?;
        self.report.malformed = list.malformed;
        Ok(list)
    }

    /// Reports that the list cannot be used at all.
    fn fail(&mut self, why: String) {
        self.output.found(Outcome::Trouble);
        self.output.complain(&format!("{}: {why}", Styles::plain(self.name)));
        self.report.error = Some(why);
    }

    /// Reads the files and prints each line. Adjacent lines about one file share one reading.
    fn files(&mut self, mut entries: Entries<'_, impl BufRead>) -> anyhow::Result<()> {
        // If the list was standard input, nothing is left of it: `-` then names a file.
        let stdin_used = self.name == "-";
        let (mut some, mut next) = (Vec::new(), entries.next()?);
        while next.is_some() {
            let last: Option<&Entry> = some.last();
            let same = last.zip(next.as_ref()).is_some_and(|(a, b)| a.name == b.name);
            let most = if same { 2 * read::TOGETHER } else { read::TOGETHER };
            if some.len() >= most {
                self.together(&std::mem::take(&mut some), stdin_used)?;
            }
            some.extend(next);
            next = entries.next()?;
        }
        self.together(&some, stdin_used)
    }

    /// Reads the files of some adjacent lines.
    fn together(&mut self, entries: &[Entry], stdin_used: bool) -> anyhow::Result<()> {
        let groups: Vec<&[Entry]> = entries.chunk_by(|a, b| a.name == b.name).collect();
        let jobs: Vec<Job<'_>> = groups
            .iter()
            .map(|group| Job {
                source: if group[0].name == b"-" && !stdin_used {
                    Source::Stdin
                } else {
                    Source::File(PathBuf::from(file_name(&group[0].name)))
                },
                codes: group.iter().map(|entry| &*entry.code).collect(),
                sparse: self.args.sparse,
            })
            .collect();
        let progress = self.output.progress.clone();
        read::all(&jobs, &progress, |index, done| {
            let (job, group) = (&jobs[index], groups[index]);
            match done {
                Ok(done) => self.read(job, group, &done),
                Err(error) => self.unread(job, group, &error),
            }
        })
    }

    fn read(&mut self, job: &Job<'_>, group: &[Entry], done: &Done) -> anyhow::Result<()> {
        if let Some(complaint) = &done.complaint {
            self.complain(&group[0], complaint);
        }
        for ((entry, chosen), value) in group.iter().zip(&job.codes).zip(&done.values) {
            let good = entry.expected == *value
                && entry.bytes.is_none_or(|bytes| bytes == done.bytes)
                && done.complaint.is_none();
            let verdict = if good {
                self.report.good += 1;
                "OK"
            } else {
                self.report.bad += 1;
                self.output.found(Outcome::Bad);
                "FAILED"
            };
            let row = self.row(entry, chosen, verdict);
            let actual = Encoding::Hex.encode(*value, chosen.code.width());
            self.print(entry, Row { actual: Some(actual), error: done.complaint.clone(), ..row })?;
        }
        Ok(())
    }

    fn unread(&mut self, job: &Job<'_>, group: &[Entry], error: &io::Error) -> anyhow::Result<()> {
        let missing = error.kind() == io::ErrorKind::NotFound;
        let why = read::problem(error);
        let ignored = missing && self.args.ignore_missing;
        if !ignored {
            self.complain(&group[0], &why);
        }
        for (entry, chosen) in group.iter().zip(&job.codes) {
            let verdict = if ignored {
                self.report.missing += 1;
                "missing"
            } else {
                self.report.unreadable += 1;
                self.output.found(Outcome::Bad);
                "FAILED open or read"
            };
            let row = Row { error: Some(why.clone()), ..self.row(entry, chosen, verdict) };
            if !ignored || self.args.json {
                self.print(entry, row)?;
            }
        }
        Ok(())
    }

    fn complain(&mut self, entry: &Entry, why: &str) {
        let name = Styles::plain(&file_name(&entry.name));
        self.output.complain(&format!("{name}: {why}"));
    }

    fn row(&self, entry: &Entry, chosen: &Chosen, verdict: &'static str) -> Row {
        Row {
            file: String::from_utf8_lossy(&entry.name).into_owned(),
            code: chosen.label.clone(),
            expected: Encoding::Hex.encode(entry.expected, chosen.code.width()),
            actual: None,
            verdict,
            error: None,
        }
    }

    fn print(&mut self, entry: &Entry, row: Row) -> anyhow::Result<()> {
        if self.args.json {
            if !(self.args.quiet && row.verdict == "OK") {
                self.output.item(None, &row)?;
            }
            return Ok(());
        }
        if self.args.status || self.args.quiet && row.verdict == "OK" {
            return Ok(());
        }
        let (name, escaped) =
            if self.args.zero { (entry.name.clone(), false) } else { escape(&entry.name) };
        let styles = self.output.styles;
        let style = if row.verdict == "OK" { styles.good } else { styles.bad };
        let mut line = if escaped { b"\\".to_vec() } else { Vec::new() };
        line.extend(&*self.output.foreign(&name));
        line.extend(format!(": {style}{}{style:#}", row.verdict).into_bytes());
        self.output.finding(line)?;
        Ok(())
    }

    /// Prints the warnings at the end, and records the outcome of the list.
    fn summarise(&mut self, list: &List) {
        let report = &self.report;
        let (bad, unreadable, malformed) = (report.bad, report.unreadable, report.malformed);
        let nothing = report.good + bad + unreadable == 0;
        if nothing {
            self.output.found(Outcome::Bad);
        }
        if !self.args.status {
            let s = |count: usize| if count == 1 { "" } else { "s" };
            let (is, its) = (if malformed == 1 { "is" } else { "are" }, s(malformed));
            if malformed > 0 {
                self.output
                    .complain(&format!("WARNING: {malformed} line{its} {is} improperly formatted"));
            }
            if unreadable > 0 {
                let s = s(unreadable);
                self.output
                    .complain(&format!("WARNING: {unreadable} listed file{s} could not be read"));
            }
            if bad > 0 {
                let s = s(bad);
                self.output
                    .complain(&format!("WARNING: {bad} computed check value{s} did NOT match"));
            }
            if let Some((line, doubt)) = list.doubt {
                self.output.complain(&format!("line {line} {doubt}"));
            }
            if bad > 0 && list.is_assumed() {
                self.output.complain(&format!(
                    "untagged values were checked as {DEFAULT}; give -a CODE if they are of \
                     another code"
                ));
            }
            if nothing {
                let name = Styles::plain(self.name);
                self.output.complain(&format!("{name}: no file was verified"));
            }
        }
    }
}

/// Returns whether a list whose lines name no code is of cksum: each line can be, and the files
/// confirm it.
///
/// They do if some file has the length that its line states, and none is called by the length and
/// the name. Lengths up to 1 are no evidence: `sum` prints blocks in their place.
fn is_of_cksum(file: &File, plain: Reading<'_>, as_cksum: Reading<'_>) -> io::Result<bool> {
    if !lists::begins_as_cksum(from_start(file)?, plain)? {
        return Ok(false);
    }
    let list = lists::look(from_start(file)?, as_cksum, |_| Ok(()))?;
    if list.malformed > 0 {
        return Ok(false);
    }
    let mut entries = Entries::new(from_start(file)?, as_cksum, list);
    let mut confirmed = false;
    while let Some(Entry { name, bytes, .. }) = entries.next()? {
        let Some(bytes) = bytes else { continue };
        let other = [format!("{bytes} ").as_bytes(), &name].concat();
        if std::fs::symlink_metadata(file_name(&other)).is_ok() {
            return Ok(false);
        }
        let found = std::fs::metadata(file_name(&name));
        confirmed |= bytes > 1 && found.is_ok_and(|it| it.is_file() && it.len() == bytes);
    }
    Ok(confirmed)
}

/// Opens a list so that it can be read twice. Pipes, and the lines that JSON is converted to, are
/// kept in a temporary file.
fn contents(name: &OsStr, zero: bool) -> io::Result<File> {
    let file = readable_twice(name)?;
    let mut lines = BufWriter::new(tempfile::tempfile()?);
    if !lists::as_lines(from_start(&file)?, &mut lines, zero)? {
        return Ok(file);
    }
    lines.into_inner().map_err(IntoInnerError::into_error)
}

fn readable_twice(name: &OsStr) -> io::Result<File> {
    let mut input: Box<dyn Read> = if name == "-" {
        Box::new(streams::stdin()?)
    } else {
        let file = File::open(name)?;
        if file.metadata()?.is_file() {
            return Ok(file);
        }
        Box::new(file)
    };
    let mut kept = tempfile::tempfile()?;
    io::copy(&mut input, &mut kept)?;
    Ok(kept)
}

/// Returns the bytes of all files of a list.
fn length(mut entries: Entries<'_, impl BufRead>) -> io::Result<u64> {
    let (mut total, mut last) = (0u64, None);
    while let Some(Entry { name, .. }) = entries.next()? {
        // Adjacent lines about one file share one reading.
        if last.as_ref() != Some(&name) {
            let source = Source::File(PathBuf::from(file_name(&name)));
            total = total.saturating_add(read::length(&source));
            last = Some(name);
        }
    }
    Ok(total)
}

fn from_start(mut file: &File) -> io::Result<BufReader<&File>> {
    file.rewind()?;
    Ok(BufReader::with_capacity(1 << 16, file))
}

/// Returns a file name for the system.
#[cfg(unix)]
fn file_name(name: &[u8]) -> OsString {
    use std::os::unix::ffi::OsStrExt as _;
    OsStr::from_bytes(name).to_os_string()
}

/// Returns a file name for the system, where names are Unicode.
#[cfg(not(unix))]
fn file_name(name: &[u8]) -> OsString {
    String::from_utf8_lossy(name).into_owned().into()
}
