//! What is printed, and how: lines, messages, colour, and the spellings of values and file names.

mod document;

use crate::Outcome;
use crate::progress::Progress;
use crate::streams::{self, Stdout};
use anstyle::{AnsiColor, Style};
use anyhow::Context as _;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use std::ffi::OsStr;
use std::io::{self, BufWriter, IsTerminal as _, Write};
use std::path::Path;

pub use document::Bracket;

/// Makes the folder that a report is to be written into: before the work that may take minutes.
pub fn report_folder(folder: &Path) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder)
        .with_context(|| format!("cannot write the report into `{}`", folder.display()))
}

/// Standard output and standard error, kept in order.
pub struct Output {
    out: BufWriter<Stdout>,
    terminal: bool,
    worst: Outcome,
    document: document::Document,
    /// The styles to print with; plain where no colour is wanted.
    pub styles: Styles,
    /// Stands on the terminal's last line while something long goes on, and has to be moved out of the way.
    pub progress: Progress,
}

impl Output {
    /// Asks the terminal, and the environment, for colour.
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

    /// Keeps the worst of all that is found. It is to be said before anything is printed about it: printing ends the
    /// command if nobody reads on, and the exit code has to be right all the same.
    pub fn found(&mut self, outcome: Outcome) {
        self.worst = self.worst.max(outcome);
    }

    /// The worst of all that was found.
    pub fn worst(&self) -> Outcome {
        self.worst
    }

    /// Prints one of many findings. A reader that has gone is not told, but the search goes on: what it ends with is
    /// the exit code's to tell.
    pub fn finding(&mut self, line: impl AsRef<[u8]>) -> io::Result<()> {
        ignore_closed(self.line(line))
    }

    /// Prints bytes and the end of the line.
    pub fn line(&mut self, line: impl AsRef<[u8]>) -> io::Result<()> {
        self.ended(line, b'\n')
    }

    /// The same, with another end.
    pub fn ended(&mut self, line: impl AsRef<[u8]>, end: u8) -> io::Result<()> {
        let Output { out, terminal, progress, .. } = self;
        progress.aside(|| {
            out.write_all(line.as_ref())?;
            out.write_all(&[end])?;
            if *terminal { out.flush() } else { Ok(()) }
        })
    }

    /// Prints bytes as they are.
    pub fn bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.out.write_all(bytes)
    }

    /// Prints a value as JSON.
    pub fn json(&mut self, value: &impl Serialize) -> io::Result<()> {
        // Into the buffer, so that an error of the pipe stays one of the pipe.
        let mut text = serde_json::to_vec_pretty(value)?;
        text.push(b'\n');
        self.out.write_all(&text)
    }

    /// Begins a JSON array or object that is printed while its items are found: a document, an item
    /// of an array, or, with a `name`, a member of an object. A reader that has gone is ignored, as
    /// by [`Output::finding`].
    pub fn open(&mut self, name: Option<&str>, bracket: Bracket) -> io::Result<()> {
        let text = self.document.open(name, bracket);
        self.part(&text)
    }

    /// Prints an item of the array, or with a `name` a member of the object, that was opened last.
    pub fn item(&mut self, name: Option<&str>, value: &impl Serialize) -> io::Result<()> {
        let text = self.document.item(name, value)?;
        self.part(&text)
    }

    /// Ends the array or object that was opened last.
    pub fn close(&mut self) -> io::Result<()> {
        let text = self.document.close();
        self.part(&text)
    }

    /// Part of a document, out of the progress bar's way.
    fn part(&mut self, text: &[u8]) -> io::Result<()> {
        let Output { out, progress, terminal, .. } = self;
        let result = if *terminal {
            progress.aside(|| out.write_all(text).and_then(|()| out.flush()))
        } else {
            out.write_all(text)
        };
        ignore_closed(result)
    }

    /// Everything printed so far goes out.
    pub fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    /// A message on standard error, after all that was printed before it.
    pub fn complain(&mut self, message: &str) {
        let Output { out, progress, .. } = self;
        progress.aside(|| {
            // What cannot be printed is found again at the end; a message that cannot be printed has no other way.
            let _ = out.flush();
            let _ = writeln!(io::stderr(), "residue: {message}");
        });
    }
}

/// A reader that has gone is no error.
fn ignore_closed(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}

/// How things are emphasised.
#[derive(Clone, Copy)]
pub struct Styles {
    /// Headings.
    pub head: Style,
    /// What is right.
    pub good: Style,
    /// What is wrong.
    pub bad: Style,
    /// What matters less.
    pub dim: Style,
}

impl Styles {
    fn new(colour: bool) -> Styles {
        let style = |style: Style| if colour { style } else { Style::new() };
        Styles {
            head: style(Style::new().bold()),
            good: style(AnsiColor::Green.on_default()),
            bad: style(AnsiColor::Red.on_default().bold()),
            dim: style(Style::new().dimmed()),
        }
    }

    /// A name from outside, fit for a message: control characters are written as escapes.
    pub fn plain(name: &OsStr) -> String {
        let name = name.to_string_lossy();
        let escape = |c: char| {
            if c.is_control() { c.escape_default().to_string() } else { c.to_string() }
        };
        name.chars().map(escape).collect()
    }
}

/// An error with what it was about, and its causes.
pub fn words(error: &anyhow::Error) -> String {
    without_numbers(&format!("{error:#}"))
}

/// "No such file or directory (os error 2)": the number tells nobody anything.
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

/// How values are spelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Spelling {
    /// Width / 4 digits, rounded up.
    Hex,
    /// The value's bytes, highest first.
    Base64,
    /// No leading zeros.
    Decimal,
    /// The value's bytes as hexadecimal digits, highest first.
    #[value(name = "be")]
    BigEndian,
    /// The same, lowest first: as reflected CRCs go over the wire.
    #[value(name = "le")]
    LittleEndian,
}

impl Spelling {
    /// The value, spelled.
    pub fn spell(self, value: u128, width: u32) -> String {
        match self {
            Spelling::Hex => format!("{value:0digits$x}", digits = width.div_ceil(4) as usize),
            Spelling::Base64 => STANDARD.encode(octets(value, width)),
            Spelling::Decimal => value.to_string(),
            Spelling::BigEndian => digits(octets(value, width)),
            Spelling::LittleEndian => digits(octets(value, width).into_iter().rev()),
        }
    }

    /// The value that `text` spells, if it does and the value fits the width.
    pub fn read(self, text: &str, width: u32) -> Option<u128> {
        let value = match self {
            Spelling::Hex => hexadecimal(text, width.div_ceil(4) as usize)?,
            Spelling::BigEndian => hexadecimal(text, 2 * width.div_ceil(8) as usize)?,
            Spelling::LittleEndian => {
                let value = hexadecimal(text, 2 * width.div_ceil(8) as usize)?;
                value.swap_bytes() >> (128 - 8 * width.div_ceil(8))
            }
            Spelling::Decimal => {
                let proper = text.bytes().all(|c| c.is_ascii_digit());
                if proper {
                    text.parse().ok()?
                } else {
                    return None;
                }
            }
            Spelling::Base64 => {
                let bytes = STANDARD.decode(text).ok()?;
                if bytes.len() != width.div_ceil(8) as usize || bytes.len() > 16 {
                    return None;
                }
                bytes.iter().fold(0, |value, &byte| value << 8 | u128::from(byte))
            }
        };
        (width == 128 || value >> width == 0).then_some(value)
    }
}

/// The bytes of a value, highest first, as many as its width takes.
fn octets(value: u128, width: u32) -> Vec<u8> {
    let bytes = value.to_be_bytes();
    let used = (width.div_ceil(8) as usize).min(bytes.len());
    bytes[bytes.len() - used..].to_vec()
}

fn digits(bytes: impl IntoIterator<Item = u8>) -> String {
    bytes.into_iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The number that so many hexadecimal digits spell.
fn hexadecimal(text: &str, digits: usize) -> Option<u128> {
    let proper = text.len() == digits && text.bytes().all(|c| c.is_ascii_hexdigit());
    if proper { u128::from_str_radix(text, 16).ok() } else { None }
}

/// A file name as coreutils prints it: escaped, and whether it had to be.
pub fn escape(name: &[u8]) -> (Vec<u8>, bool) {
    let mut escaped = Vec::with_capacity(name.len());
    for &byte in name {
        match byte {
            b'\\' => escaped.extend(b"\\\\"),
            b'\n' => escaped.extend(b"\\n"),
            b'\r' => escaped.extend(b"\\r"),
            _ => escaped.push(byte),
        }
    }
    let changed = escaped.len() != name.len();
    (escaped, changed)
}

/// The name that was escaped; `None` if it is no such name.
pub fn unescape(escaped: &[u8]) -> Option<Vec<u8>> {
    let mut name = Vec::with_capacity(escaped.len());
    let mut bytes = escaped.iter();
    while let Some(&byte) = bytes.next() {
        name.push(match byte {
            b'\\' => match bytes.next()? {
                b'\\' => b'\\',
                b'n' => b'\n',
                b'r' => b'\r',
                _ => return None,
            },
            byte => byte,
        });
    }
    Some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings() {
        for (value, width, hex, base64, decimal) in [
            (0xe306_9283, 32, "e3069283", "4waSgw==", "3808858755"),
            (0x5, 3, "5", "BQ==", "5"),
            (0xbeef, 16, "beef", "vu8=", "48879"),
            (0x19, 5, "19", "GQ==", "25"),
            (
                u128::MAX,
                128,
                "ffffffffffffffffffffffffffffffff",
                "/////////////////////w==",
                "340282366920938463463374607431768211455",
            ),
        ] {
            for (spelling, text) in
                [(Spelling::Hex, hex), (Spelling::Base64, base64), (Spelling::Decimal, decimal)]
            {
                assert_eq!(spelling.spell(value, width), text);
                assert_eq!(spelling.read(text, width), Some(value), "{text}");
            }
        }
        for (value, width, big, little) in [
            (0xe306_9283, 32, "e3069283", "839206e3"),
            (0x123, 12, "0123", "2301"),
            (5, 3, "05", "05"),
        ] {
            for (spelling, text) in [(Spelling::BigEndian, big), (Spelling::LittleEndian, little)] {
                assert_eq!(spelling.spell(value, width), text);
                assert_eq!(spelling.read(text, width), Some(value), "{text}");
            }
        }
        assert_eq!(Spelling::LittleEndian.spell(1, 128), format!("01{:030}", 0));
        assert_eq!(Spelling::LittleEndian.read(&format!("01{:030}", 0), 128), Some(1));
        assert_eq!(Spelling::LittleEndian.read("2311", 12), None);
        assert_eq!(Spelling::BigEndian.read("123", 12), None);
        assert_eq!(Spelling::Hex.read("3f", 5), None);
        assert_eq!(Spelling::Hex.read("+f", 8), None);
        assert_eq!(Spelling::Hex.read("é", 8), None);
        assert_eq!(Spelling::Decimal.read("256", 8), None);
        assert_eq!(Spelling::Decimal.read("", 8), None);
        assert_eq!(Spelling::Base64.read("vu8", 16), None);
    }

    #[test]
    fn numbers_of_errors() {
        let told = "a: No such file (os error 2) at b: No room (os error 28)";
        assert_eq!(without_numbers(told), "a: No such file at b: No room");
        for whole in ["a (os error", "a (os error 2", "a (os error b) c", "é (os error é)"] {
            assert_eq!(without_numbers(whole), whole);
        }
    }

    #[test]
    fn names() {
        for (name, escaped) in
            [(&b"a b"[..], &b"a b"[..]), (b"a\\b\nc\r", b"a\\\\b\\nc\\r"), (b"", b"")]
        {
            assert_eq!(escape(name), (escaped.to_vec(), name != escaped));
            assert_eq!(unescape(escaped), Some(name.to_vec()));
        }
        assert_eq!(unescape(b"a\\"), None);
        assert_eq!(unescape(b"\\t"), None);
    }
}
