//! Lists of check values, as `residue sum`, cksum and other tools print them.

mod codes;
mod json;
mod line;
#[cfg(test)]
mod tests;

use crate::codes::Chosen;
use codes::Codes;
pub use line::{Doubt, Reading};
use line::{Number, Raw, parse};
use std::io::{self, BufRead};
use std::rc::Rc;

pub use json::as_lines;

/// A line of a list: a file and its expected value.
#[derive(Debug)]
pub struct Entry {
    /// Name of the file, as written in the list.
    pub name: Vec<u8>,
    /// Code of the value.
    pub code: Rc<Chosen>,
    /// Expected length of the file, in lists of cksum.
    pub bytes: Option<u64>,
    /// Expected value.
    pub expected: u128,
}

/// Findings on a list as a whole.
#[derive(Clone, Debug, Default)]
pub struct List {
    codes: Codes,
    /// Number of valid lines.
    pub entries: usize,
    /// Number of invalid lines.
    pub malformed: usize,
    /// The first line that lacks only the code, with what is unclear about it.
    pub doubt: Option<(usize, Doubt)>,
    /// Whether numbers that may be decimal are.
    all_decimal: bool,
}

impl List {
    /// Returns whether untagged lines were taken to be of the default code.
    pub fn is_assumed(&self) -> bool {
        self.codes.assumed
    }
}

/// Reads through a list, and hands the number of each invalid line, from 1, to `malformed`.
///
/// This decides whether numbers are decimal. A number is never tried in two ways, because a wrong
/// value must not get a second chance: it is decimal only if some line must be decimal, and none
/// must be in another encoding.
pub fn look(
    input: impl BufRead,
    reading: Reading<'_>,
    mut malformed: impl FnMut(usize) -> io::Result<()>,
) -> io::Result<List> {
    let mut list = List { codes: Codes::new(reading.code), ..List::default() };
    let (mut any_decimal, mut any_fixed) = (false, false);
    let mut lines = Lines::new(input, reading.zero);
    while let Some((number, line)) = lines.next()? {
        match parse(line, reading, &mut list.codes) {
            Ok(raw) => {
                list.entries += 1;
                // Lines of cksum are always decimal, whatever the others are.
                if !raw.code.cksum {
                    any_decimal |= matches!(raw.value, Number::Decimal(_));
                    any_fixed |= matches!(raw.value, Number::Fixed(_));
                }
            }
            Err(doubt) => {
                list.malformed += 1;
                malformed(number)?;
                list.doubt = list.doubt.or(doubt.map(|doubt| (number, doubt)));
            }
        }
    }
    list.all_decimal = any_decimal && !any_fixed;
    Ok(list)
}

/// Returns whether the first line of a list may be of cksum, and names no code.
pub fn begins_as_cksum(input: impl BufRead, reading: Reading<'_>) -> io::Result<bool> {
    let mut codes = Codes::new(reading.code);
    let first =
        Lines::new(input, reading.zero).next()?.map(|(_, line)| parse(line, reading, &mut codes));
    Ok(matches!(first, Some(Err(Some(Doubt::Cksum)))))
}

/// The valid lines of a list, after [`look`].
pub struct Entries<'a, R> {
    lines: Lines<R>,
    reading: Reading<'a>,
    list: List,
}

impl<'a, R: BufRead> Entries<'a, R> {
    /// Starts at the first line of `input`.
    pub fn new(input: R, reading: Reading<'a>, list: List) -> Entries<'a, R> {
        Entries { lines: Lines::new(input, reading.zero), reading, list }
    }

    /// Returns the next valid line.
    pub fn next(&mut self) -> io::Result<Option<Entry>> {
        while let Some((_, line)) = self.lines.next()? {
            if let Ok(raw) = parse(line, self.reading, &mut self.list.codes) {
                let expected = match raw.value {
                    Number::Fixed(value) | Number::Decimal(value) => value,
                    Number::Either { decimal, .. } if self.list.all_decimal => decimal,
                    Number::Either { fixed, .. } => fixed,
                };
                let Raw { name, code, bytes, .. } = raw;
                return Ok(Some(Entry { name, code, bytes, expected }));
            }
        }
        Ok(None)
    }
}

/// The lines of a list, without empty ones and comments.
struct Lines<R> {
    input: R,
    zero: bool,
    number: usize,
    line: Vec<u8>,
}

impl<R: BufRead> Lines<R> {
    fn new(input: R, zero: bool) -> Lines<R> {
        Lines { input, zero, number: 0, line: Vec::new() }
    }

    /// Returns the next line and its number, from 1.
    fn next(&mut self) -> io::Result<Option<(usize, &[u8])>> {
        let end = if self.zero { 0 } else { b'\n' };
        loop {
            self.line.clear();
            if self.input.read_until(end, &mut self.line)? == 0 {
                return Ok(None);
            }
            self.number += 1;
            self.line.pop_if(|last| *last == end);
            // A line end of Windows: names that end in a carriage return are escaped.
            self.line.pop_if(|last| *last == b'\r' && !self.zero);
            if self.number == 1 && self.line.starts_with(b"\xef\xbb\xbf") {
                self.line.drain(..3);
            }
            // `#` starts a comment in lists of sums, `;` in SFV files.
            if !matches!(self.line.first(), None | Some(b'#' | b';')) {
                break;
            }
        }
        Ok(Some((self.number, &self.line)))
    }
}
