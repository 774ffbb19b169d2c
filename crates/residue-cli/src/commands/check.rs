//! `residue sum --check`: do files still have the values of a list?

use crate::Outcome;
use crate::args::SumArgs;
use crate::codes::{self, Chosen};
use crate::lists::{self, Entry, List, Reading};
use crate::output::{Output, Spelling, Styles, escape};
use crate::progress::Progress;
use crate::read::{self, Done, Job, Source};
use crate::streams;
use anyhow::bail;
use serde::Serialize;
use std::ffi::{OsStr, OsString};
use std::io::{self, Read as _};
use std::path::PathBuf;

/// Checks the files of each list.
pub fn run(args: &SumArgs, output: &mut Output) -> anyhow::Result<()> {
    let shown = args.profile.map(|profile| profile.listed(&args.codes)).transpose()?;
    let code = match args.codes.as_slice() {
        [] => shown,
        texts => match codes::parse_all(texts)?.as_slice() {
            [one] => Some(one.clone()),
            _ => bail!("--check takes one code, that of lines which name none"),
        },
    };
    let spelling = args.profile.map(|_| Spelling::Base64).or(args.spelling());
    let reading = Reading { code: code.as_ref(), spelling, zero: args.zero };
    let stdin = [OsString::from("-")];
    let lists = if args.files.is_empty() { &stdin[..] } else { &args.files };
    let mut reports = Vec::new();
    for name in lists {
        let mut checker = Checker { args, output: &mut *output, report: Report::of(name) };
        checker.list(name, reading)?;
        reports.push(checker.report);
    }
    if args.json {
        output.json(&reports)?;
    }
    Ok(())
}

/// What became of a list.
#[derive(Serialize)]
struct Report {
    list: String,
    good: usize,
    bad: usize,
    unreadable: usize,
    missing: usize,
    /// The numbers of the lines that could not be read.
    malformed: Vec<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    entries: Vec<Row>,
}

/// What became of a line.
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

impl Report {
    fn of(list: &OsStr) -> Report {
        Report {
            list: list.to_string_lossy().into_owned(),
            good: 0,
            bad: 0,
            unreadable: 0,
            missing: 0,
            malformed: Vec::new(),
            error: None,
            entries: Vec::new(),
        }
    }
}

struct Checker<'a> {
    args: &'a SumArgs,
    output: &'a mut Output,
    report: Report,
}

impl Checker<'_> {
    fn list(&mut self, name: &OsStr, reading: Reading<'_>) -> anyhow::Result<()> {
        let text = match contents(name) {
            Ok(text) => text,
            Err(error) => {
                self.fail(read::problem(&error));
                return Ok(());
            }
        };
        let list = lists::parse(&text, reading);
        drop(text);
        self.report.malformed.clone_from(&list.malformed);
        if self.args.warn && !self.args.status {
            for number in &list.malformed {
                let place = Styles::plain(name);
                self.output
                    .complain(&format!("{place}: {number}: improperly formatted check value line"));
            }
        }
        if list.entries.is_empty() {
            self.fail(match list.nameless {
                Some(line) => {
                    format!("line {line} names no code; say which one it is with -a CODE")
                }
                None => "no properly formatted check value lines found".to_string(),
            });
            return Ok(());
        }
        if self.args.strict && !list.malformed.is_empty() {
            self.output.found(Outcome::Trouble);
        }
        self.files(&list, name == "-")?;
        self.conclude();
        Ok(())
    }

    /// The whole list is of no use.
    fn fail(&mut self, why: String) {
        self.output.found(Outcome::Trouble);
        self.output.complain(&format!("{}: {why}", Styles::plain(OsStr::new(&self.report.list))));
        self.report.error = Some(why);
    }

    /// Reads the files and tells of each line. Neighbouring lines of one file are served by one reading.
    fn files(&mut self, list: &List, stdin_used: bool) -> anyhow::Result<()> {
        let groups: Vec<&[Entry]> = list.entries.chunk_by(|a, b| a.name == b.name).collect();
        let jobs: Vec<Job<'_>> = groups
            .iter()
            .map(|group| Job {
                // The list was standard input: nothing is left there, and a file `-` will not be found.
                source: if group[0].name == b"-" && !stdin_used {
                    Source::Stdin
                } else {
                    Source::File(PathBuf::from(file_name(&group[0].name)))
                },
                codes: group.iter().map(|entry| &list.codes[entry.code]).collect(),
            })
            .collect();
        self.output.progress = Progress::of_bytes(read::total(&jobs));
        let progress = self.output.progress.clone();
        read::all(&jobs, &progress, |index, done| {
            let (job, group) = (&jobs[index], groups[index]);
            match done {
                Ok(done) => self.read(job, group, &done),
                Err(error) => self.unread(job, group, &error),
            }
        })?;
        self.output.progress.clear();
        Ok(())
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
            let actual = Spelling::Hex.spell(*value, chosen.code.width());
            self.tell(entry, Row { actual: Some(actual), error: done.complaint.clone(), ..row })?;
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
                self.tell(entry, row)?;
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
            expected: Spelling::Hex.spell(entry.expected, chosen.code.width()),
            actual: None,
            verdict,
            error: None,
        }
    }

    fn tell(&mut self, entry: &Entry, row: Row) -> anyhow::Result<()> {
        if self.args.json {
            if !(self.args.quiet && row.verdict == "OK") {
                self.report.entries.push(row);
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
        line.extend(name);
        line.extend(format!(": {style}{}{style:#}", row.verdict).into_bytes());
        self.output.finding(line)?;
        Ok(())
    }

    /// The warnings at the end, and what the list amounts to.
    fn conclude(&mut self) {
        let report = &self.report;
        let (bad, unreadable, malformed) = (report.bad, report.unreadable, report.malformed.len());
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
            if nothing {
                let name = Styles::plain(OsStr::new(&self.report.list));
                self.output.complain(&format!("{name}: no file was verified"));
            }
        }
    }
}

/// All of a list.
fn contents(name: &OsStr) -> io::Result<Vec<u8>> {
    if name != "-" {
        return std::fs::read(name);
    }
    let mut text = Vec::new();
    streams::stdin()?.read_to_end(&mut text)?;
    Ok(text)
}

/// The name as the system takes it.
#[cfg(unix)]
fn file_name(name: &[u8]) -> OsString {
    use std::os::unix::ffi::OsStrExt as _;
    OsStr::from_bytes(name).to_os_string()
}

/// The name as the system takes it; elsewhere names are Unicode.
#[cfg(not(unix))]
fn file_name(name: &[u8]) -> OsString {
    String::from_utf8_lossy(name).into_owned().into()
}
