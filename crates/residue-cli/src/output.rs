//! Printing: lines, JSON, messages, colour, and how a command ended.

mod document;
mod encoding;
mod escape;
mod visible;

use crate::progress::Progress;
use crate::streams::{self, Stdout};
use anstyle::{AnsiColor, Style};
use residue_report::COLUMNS;
use residue_report::text::wrapped;
use serde::Serialize;
use std::borrow::Cow;
use std::ffi::OsStr;
use std::io::{self, BufWriter, IsTerminal as _, Write};
use std::process::ExitCode;

pub use document::Bracket;
pub use encoding::Encoding;
pub use escape::{escape, unescape};
pub use visible::{Form, Kept, visible};

/// How a command ended; of several outcomes the greatest counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// Nothing is wrong.
    Good,
    /// A check value is wrong.
    Bad,
    /// The arguments are wrong, or some input cannot be read.
    Trouble,
    /// Ctrl-C has ended the work; what was printed is what it had found.
    Interrupted,
}

impl Outcome {
    /// Returns the exit code.
    pub fn code(self) -> u8 {
        match self {
            Outcome::Good => 0,
            Outcome::Bad => 1,
            Outcome::Trouble => 2,
            // As shells report a program that SIGINT has ended.
            Outcome::Interrupted => 130,
        }
    }
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> ExitCode {
        ExitCode::from(outcome.code())
    }
}

/// Standard output and standard error, kept in order, and the outcome of the command.
pub struct Output {
    out: BufWriter<Stdout>,
    terminal: bool,
    worst: Outcome,
    document: document::Document,
    /// The styles to print with; plain where colour is not wanted.
    pub styles: Styles,
    /// The progress bar on the terminal's last line; set aside while something is printed.
    pub progress: Progress,
}

impl Output {
    /// Opens standard output, with colour if the terminal and the environment allow it.
    pub fn new() -> Output {
        let stdout = io::stdout();
        let choice = anstream::AutoStream::choice(&stdout);
        Output {
            terminal: stdout.is_terminal(),
            worst: Outcome::Good,
            document: document::Document::default(),
            out: BufWriter::with_capacity(1 << 16, streams::stdout()),
            styles: Styles::new(choice != anstream::ColorChoice::Never),
            progress: Progress::none(),
        }
    }

    /// Records an outcome. Call this before printing what led to it: a closed pipe ends the command
    /// at the next line, and the exit code must already be right.
    pub fn found(&mut self, outcome: Outcome) {
        self.worst = self.worst.max(outcome);
    }

    /// Returns the worst outcome recorded.
    pub fn worst(&self) -> Outcome {
        self.worst
    }

    /// Prints one of many findings. If the reader has closed the pipe, the search still goes on,
    /// because the exit code depends on all findings.
    pub fn finding(&mut self, line: impl AsRef<[u8]>) -> io::Result<()> {
        ignore_closed(self.line(line))
    }

    /// Prints bytes and a newline.
    pub fn line(&mut self, line: impl AsRef<[u8]>) -> io::Result<()> {
        self.ended(line, b'\n')
    }

    /// Prints paragraphs, wrapped to the width of tables.
    pub fn paragraphs<T: AsRef<str>>(
        &mut self,
        texts: impl IntoIterator<Item = T>,
    ) -> io::Result<()> {
        texts.into_iter().try_for_each(|text| self.line(wrapped(text.as_ref(), COLUMNS)))
    }

    /// Prints a line of a list, which other programs read: with names as they are, except on a
    /// terminal. The final byte is `end`.
    pub fn entry(&mut self, line: impl AsRef<[u8]>, end: u8) -> io::Result<()> {
        let line = self.foreign(line.as_ref());
        self.ended(line, end)
    }

    /// Returns text from outside as standard output gets it.
    pub fn foreign<'a>(&self, text: &'a [u8]) -> Cow<'a, [u8]> {
        self.shown(text, Form::Text, Kept::Nothing)
    }

    /// Prints bytes and a final byte `end`.
    pub fn ended(&mut self, line: impl AsRef<[u8]>, end: u8) -> io::Result<()> {
        let line = line.as_ref();
        // Lines of JSON are objects.
        let form = if line.starts_with(b"{") { Form::Json } else { Form::Text };
        let line = self.shown(line, form, Kept::Layout);
        let Output { out, terminal, progress, .. } = self;
        progress.aside(|| {
            out.write_all(&line)?;
            out.write_all(&[end])?;
            if *terminal { out.flush() } else { Ok(()) }
        })
    }

    /// Prints a text of several lines, to its end.
    pub fn bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        let bytes = self.shown(bytes, Form::Text, Kept::Layout);
        self.out.write_all(&bytes)
    }

    /// Returns what standard output gets of a text.
    fn shown<'a>(&self, text: &'a [u8], form: Form, kept: Kept) -> Cow<'a, [u8]> {
        if self.terminal { visible(text, form, kept) } else { Cow::Borrowed(text) }
    }

    /// Prints a value as JSON.
    pub fn json(&mut self, value: &impl Serialize) -> io::Result<()> {
        // Through a buffer: serde_json would wrap an error of the pipe in one of its own.
        let mut text = serde_json::to_vec_pretty(value)?;
        text.push(b'\n');
        let text = self.shown(&text, Form::Json, Kept::Layout);
        self.out.write_all(&text)
    }

    /// Opens a JSON array or object whose items are printed as they are found. With a `name` it is
    /// a member of the object opened last. A closed pipe is ignored, as by [`Output::finding`].
    pub fn open(&mut self, name: Option<&str>, bracket: Bracket) -> io::Result<()> {
        let text = self.document.open(name, bracket);
        self.part(&text)
    }

    /// Prints an item of the array, or with a `name` a member of the object, opened last.
    pub fn item(&mut self, name: Option<&str>, value: &impl Serialize) -> io::Result<()> {
        let text = self.document.item(name, value)?;
        self.part(&text)
    }

    /// Closes the array or object opened last.
    pub fn close(&mut self) -> io::Result<()> {
        let text = self.document.close();
        self.part(&text)
    }

    /// Prints part of a JSON document.
    fn part(&mut self, text: &[u8]) -> io::Result<()> {
        let text = &*self.shown(text, Form::Json, Kept::Layout);
        let Output { out, progress, terminal, .. } = self;
        let result = if *terminal {
            progress.aside(|| out.write_all(text).and_then(|()| out.flush()))
        } else {
            out.write_all(text)
        };
        ignore_closed(result)
    }

    /// Writes everything printed so far.
    pub fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    /// Prints a message on standard error, after everything printed before it. Its lines after the
    /// first are indented by two blanks.
    pub fn complain(&mut self, message: &str) {
        let message = visible::message(message);
        let Output { out, progress, .. } = self;
        progress.aside(|| {
            // The final flush reports a failure again; a failure to print the message is lost.
            let _ = out.flush();
            let _ = writeln!(io::stderr(), "residue: {message}");
        });
    }
}

/// Takes a closed pipe for success.
fn ignore_closed(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}

/// The styles of printed text.
#[derive(Clone, Copy)]
pub struct Styles {
    /// Headings.
    pub head: Style,
    /// Right values.
    pub good: Style,
    /// Wrong values.
    pub bad: Style,
    /// Secondary text.
    pub dim: Style,
}

impl Styles {
    /// Returns styles without colour.
    pub fn none() -> Styles {
        Styles::new(false)
    }

    fn new(colour: bool) -> Styles {
        let style = |style: Style| if colour { style } else { Style::new() };
        Styles {
            head: style(Style::new().bold()),
            good: style(AnsiColor::Green.on_default()),
            bad: style(AnsiColor::Red.on_default().bold()),
            dim: style(Style::new().dimmed()),
        }
    }

    /// Returns a name from outside with control characters escaped, for use in a message.
    pub fn plain(name: &OsStr) -> String {
        visible::plain(&name.to_string_lossy())
    }
}

/// Returns the message of an error with its contexts and causes.
pub fn words(error: &anyhow::Error) -> String {
    without_numbers(&format!("{error:#}"))
}

/// Removes the numbers of system errors: "No such file or directory (os error 2)".
pub fn without_numbers(text: &str) -> String {
    const START: &str = " (os error ";
    let mut words = String::new();
    let mut rest = text;
    while let Some(start) = rest.find(START) {
        let (before, from) = rest.split_at(start);
        let digits = from[START.len()..].trim_start_matches(|c: char| c.is_ascii_digit());
        words += before;
        rest = match digits.strip_prefix(')') {
            Some(after) => after,
            None => {
                words += START;
                &from[START.len()..]
            }
        };
    }
    words + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_errors() {
        let text = "a: No such file (os error 2) at b: No room (os error 28)";
        assert_eq!(without_numbers(text), "a: No such file at b: No room");
        for whole in ["a (os error", "a (os error 2", "a (os error b) c", "é (os error é)"] {
            assert_eq!(without_numbers(whole), whole);
        }
    }
}
