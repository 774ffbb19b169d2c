//! Lists of check values, as `residue sum` and its relatives print them.

mod json;

use crate::codes::{Chosen, DEFAULT};
use crate::output::{Spelling, unescape};
use std::fmt;
use std::io::{self, BufRead};

pub use json::as_lines;

/// A line: the value that a file should have.
#[derive(Debug)]
pub struct Entry {
    /// The file's name, as the list's maker was given it.
    pub name: Vec<u8>,
    /// Which of the list's codes.
    pub code: usize,
    /// The length that the file should have, in lists of cksum.
    pub bytes: Option<u64>,
    /// The value.
    pub expected: u128,
}

/// What a list says as a whole.
#[derive(Clone, Debug, Default)]
pub struct List {
    /// The codes that its lines name, and the one given by the user.
    codes: Vec<Chosen>,
    /// How many proper lines it has.
    pub entries: usize,
    /// How many others.
    pub malformed: usize,
    /// The first line that would be proper if the code was known, and what is missing in it.
    pub doubt: Option<(usize, Doubt)>,
    /// Whether lines that name no code were taken for the default's.
    pub assumed: bool,
    /// Numbers that may be decimal are.
    all_decimal: bool,
}

/// What is missing in a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// The code: the value is not as wide as the default's.
    Code,
    /// It may be one of cksum's, or a value and a name with a number before it.
    Cksum,
    /// The first and the last word may be the value.
    Order,
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Doubt::Code => "names no code; say which one it is with -a CODE",
            Doubt::Cksum => {
                "may be `value bytes name`, as of cksum: say so with -a cksum, or the code with -a CODE"
            }
            Doubt::Order => {
                "may be `value name` or `name value`; say which code it is with -a CODE, and the value is taken to come first"
            }
        })
    }
}

/// How a list is to be read.
#[derive(Clone, Copy, Debug)]
pub struct Reading<'a> {
    /// The code of lines that name none.
    pub code: Option<&'a Chosen>,
    /// How values are spelled, if that is known.
    pub spelling: Option<Spelling>,
    /// Lines end with a zero byte, and names are not escaped.
    pub zero: bool,
}

/// What a line holds, before the whole list has told how its numbers are to be read.
struct Raw {
    name: Vec<u8>,
    code: usize,
    bytes: Option<u64>,
    value: Number,
}

/// A value as it is written. Hexadecimal and base64 have as many characters as the code's width wants, never the same
/// number of both without a `=`; digits alone may be decimal as well.
#[derive(Clone, Copy)]
enum Number {
    Fixed(u128),
    Decimal(u128),
    Either { fixed: u128, decimal: u128 },
}

/// Looks through a list, and shows the number of each line that is not proper, from 1.
///
/// It decides between decimal numbers and others. A number is never taken both ways, as a wrong
/// value must not get a second chance: it is decimal only if another line can be nothing else, and
/// none must be one of the others.
pub fn look(
    input: impl BufRead,
    reading: Reading<'_>,
    mut malformed: impl FnMut(usize) -> io::Result<()>,
) -> io::Result<List> {
    let mut list = List { codes: reading.code.cloned().into_iter().collect(), ..List::default() };
    let (mut any_decimal, mut any_fixed) = (false, false);
    let mut lines = Lines::new(input, reading.zero);
    while let Some((number, line)) = lines.next()? {
        match self::line(line, reading, &mut list) {
            Ok(raw) => {
                list.entries += 1;
                // What cksum prints is decimal beside hexadecimal numbers, too.
                if !list.codes[raw.code].cksum {
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

/// The proper lines of a list that was looked through.
pub struct Entries<'a, R> {
    lines: Lines<R>,
    reading: Reading<'a>,
    list: List,
}

impl<'a, R: BufRead> Entries<'a, R> {
    /// From the first line of `input` on.
    pub fn new(input: R, reading: Reading<'a>, list: List) -> Entries<'a, R> {
        Entries { lines: Lines::new(input, reading.zero), reading, list }
    }

    /// The codes that lines name by their number.
    pub fn codes(&self) -> &[Chosen] {
        &self.list.codes
    }

    /// The next one.
    pub fn next(&mut self) -> io::Result<Option<Entry>> {
        while let Some((_, line)) = self.lines.next()? {
            if let Ok(raw) = self::line(line, self.reading, &mut self.list) {
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

/// The lines of a list, but for empty ones and comments.
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

    /// The next one, and its number, from 1.
    fn next(&mut self) -> io::Result<Option<(usize, &[u8])>> {
        let end = if self.zero { 0 } else { b'\n' };
        loop {
            self.line.clear();
            if self.input.read_until(end, &mut self.line)? == 0 {
                return Ok(None);
            }
            self.number += 1;
            self.line.pop_if(|last| *last == end);
            // Lists that went through Windows; a name that ends so is escaped.
            self.line.pop_if(|last| *last == b'\r' && !self.zero);
            if self.number == 1 && self.line.starts_with(b"\xef\xbb\xbf") {
                self.line.drain(..3);
            }
            // Comments of sums' lists, and of SFV files.
            if !matches!(self.line.first(), None | Some(b'#' | b';')) {
                break;
            }
        }
        Ok(Some((self.number, &self.line)))
    }
}

/// One line. The error tells what is missing, if it is no more than the code.
fn line(whole: &[u8], reading: Reading<'_>, list: &mut List) -> Result<Raw, Option<Doubt>> {
    let (line, escaped) = match whole.strip_prefix(b"\\") {
        Some(rest) if !reading.zero => (rest, true),
        _ => (whole, false),
    };
    let name = |name: &[u8]| {
        let name = if escaped { unescape(name)? } else { name.to_vec() };
        usable(&name).then_some(name)
    };
    if let Some(raw) = tagged(line, name, reading, &mut list.codes) {
        return Ok(raw);
    }
    let end = line.iter().position(|&byte| byte == b' ' || byte == b'\t').ok_or(None)?;
    let (value, rest) = line.split_at(end);
    let written = std::str::from_utf8(value).unwrap_or_default();
    // `value bytes name`, the name as it is.
    let cksum = if escaped { None } else { bytes_and_name(&rest[1..]) };
    // Two characters stand between value and name, the second a star for a binary file; some tools
    // write one, or a tab.
    let rest = &rest[1..];
    let after = rest.strip_prefix(b" ").or(rest.strip_prefix(b"*"));
    let named = |code: usize, chosen: &Chosen| {
        spelled(name(after.unwrap_or(rest))?, code, chosen, written, reading.spelling)
    };
    // A line of another program's, tagged with a code that is not known.
    let foreign = line.windows(4).any(|four| four == b") = ");
    let backwards = if foreign || reading.zero { None } else { backwards(whole) };
    if let Some(chosen) = reading.code {
        if let (true, Some((bytes, name))) = (chosen.cksum, cksum) {
            let raw = spelled(name.to_vec(), 0, chosen, written, reading.spelling).ok_or(None)?;
            return Ok(Raw { bytes: Some(bytes), ..raw });
        }
        let first = named(0, chosen);
        return first.or_else(|| backwards?.raw(0, chosen)).ok_or(None);
    }
    let default = Chosen::new(DEFAULT).map_err(|_| None)?;
    let code = place(&default, &list.codes);
    let sure = |raw: &Raw| match raw.value {
        Number::Fixed(_) | Number::Either { .. } => true,
        // Short numbers may be any code's.
        Number::Decimal(_) => reading.spelling.is_some() || written.len() >= 9,
    };
    if let Some(raw) = named(code, &default).filter(sure) {
        if after.is_none() {
            let digits = written.bytes().all(|c| c.is_ascii_digit());
            if digits && cksum.is_some() {
                return Err(Some(Doubt::Cksum));
            }
            if backwards.is_some() {
                return Err(Some(Doubt::Order));
            }
        }
        list.assumed = true;
        add(default, &mut list.codes);
        return Ok(raw);
    }
    // Its width is unknown, but a value it may be.
    let likely = written.len() > 1
        && written.bytes().all(|c| c.is_ascii_alphanumeric() || b"+/=".contains(&c))
        && written.bytes().any(|c| c.is_ascii_digit());
    if let Some(found) = backwards.filter(|_| !(likely && after.is_some())) {
        let crc32 = Chosen::new(SFV).map_err(|_| None)?;
        let raw = found.raw(place(&crc32, &list.codes), &crc32).ok_or(None)?;
        add(crc32, &mut list.codes);
        return Ok(raw);
    }
    if likely && cksum.is_some() && after.is_none() {
        return Err(Some(Doubt::Cksum));
    }
    Err((!foreign && likely).then_some(Doubt::Code))
}

/// The code of SFV files.
const SFV: &str = "crc-32/iso-hdlc";

/// No file has an empty name, and the system would take one with a zero byte to end there.
fn usable(name: &[u8]) -> bool {
    !name.is_empty() && !name.contains(&0)
}

/// The place of a code among the list's, or the one that it would have.
fn place(chosen: &Chosen, codes: &[Chosen]) -> usize {
    codes.iter().position(|known| known.label == chosen.label).unwrap_or(codes.len())
}

/// Takes a code into the list's, if it is none of them.
fn add(chosen: Chosen, codes: &mut Vec<Chosen>) {
    if place(&chosen, codes) == codes.len() {
        codes.push(chosen);
    }
}

/// `bytes name`, what cksum prints after the value.
fn bytes_and_name(rest: &[u8]) -> Option<(u64, &[u8])> {
    let space = rest.iter().position(|&byte| byte == b' ')?;
    let bytes = std::str::from_utf8(&rest[..space]).ok()?.parse().ok()?;
    let name = &rest[space + 1..];
    (!name.is_empty()).then_some((bytes, name))
}

/// A line of an SFV file: the name, and the value of 32 bits.
#[derive(Clone, Copy)]
struct Backwards<'a> {
    name: &'a [u8],
    written: &'a str,
}

/// `name value`
fn backwards(line: &[u8]) -> Option<Backwards<'_>> {
    let line = line.trim_ascii_end();
    let space = line.iter().rposition(|&byte| byte == b' ' || byte == b'\t')?;
    let written = std::str::from_utf8(&line[space + 1..]).ok()?;
    Spelling::Hex.read(written, 32)?;
    let name = line[..space].trim_ascii_end();
    usable(name).then_some(Backwards { name, written })
}

impl Backwards<'_> {
    fn raw(self, code: usize, chosen: &Chosen) -> Option<Raw> {
        let fits = chosen.code.width() == 32 && !chosen.cksum;
        let hex = Some(Spelling::Hex);
        if fits { spelled(self.name.to_vec(), code, chosen, self.written, hex) } else { None }
    }
}

/// `CODE (name) = value`
fn tagged(
    line: &[u8],
    unescaped: impl Fn(&[u8]) -> Option<Vec<u8>>,
    reading: Reading<'_>,
    codes: &mut Vec<Chosen>,
) -> Option<Raw> {
    let open = line.windows(2).position(|two| two == b" (")?;
    let close = line.windows(4).rposition(|four| four == b") = ")?;
    let name = unescaped(line.get(open + 2..close)?)?;
    let label = std::str::from_utf8(&line[..open]).ok()?;
    let written = std::str::from_utf8(&line[close + 4..]).ok()?.trim_end();
    // Most lists name one code many times.
    if let Some(place) = codes.iter().position(|known| known.label.eq_ignore_ascii_case(label)) {
        return spelled(name, place, &codes[place], written, reading.spelling);
    }
    let chosen = Chosen::new(label).ok()?;
    // It may have been named by an alias.
    let raw = spelled(name, place(&chosen, codes), &chosen, written, reading.spelling)?;
    add(chosen, codes);
    Some(raw)
}

/// The value in the spellings it may have; `None` if it has none.
fn spelled(
    name: Vec<u8>,
    code: usize,
    chosen: &Chosen,
    written: &str,
    spelling: Option<Spelling>,
) -> Option<Raw> {
    let width = chosen.code.width();
    let prefixed = written.strip_prefix("0x").or(written.strip_prefix("0X"));
    if let Some(digits) = prefixed {
        // It says that it is hexadecimal, and such numbers are often written without zeros in
        // front.
        let usual = spelling.is_none_or(|spelling| spelling == Spelling::Hex);
        let digits = format!("{digits:0>places$}", places = width.div_ceil(4) as usize);
        let value = if usual && !written.ends_with(['x', 'X']) {
            Spelling::Hex.read(&digits, width)
        } else {
            None
        };
        return Some(Raw { name, code, bytes: None, value: Number::Fixed(value?) });
    }
    let read = |wanted: Spelling| {
        let usual = spelling.is_none_or(|spelling| spelling == wanted);
        // The program cksum knows decimal numbers only.
        let possible = !chosen.cksum || wanted != Spelling::Hex;
        if usual && possible { wanted.read(written, width) } else { None }
    };
    // Never guessed: they look like hexadecimal.
    let octets = match spelling {
        Some(order @ (Spelling::BigEndian | Spelling::LittleEndian)) => order.read(written, width),
        _ => None,
    };
    let fixed = read(Spelling::Hex).or(read(Spelling::Base64)).or(octets);
    let value = match (fixed, read(Spelling::Decimal)) {
        (Some(fixed), Some(decimal)) => Number::Either { fixed, decimal },
        (Some(fixed), None) => Number::Fixed(fixed),
        (None, decimal) => Number::Decimal(decimal?),
    };
    Some(Raw { name, code, bytes: None, value })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::iter;

    /// What is in a list: its entries, the numbers of other lines, and what it says as a whole.
    struct Whole {
        entries: Vec<Entry>,
        malformed: Vec<usize>,
        doubt: Option<(usize, Doubt)>,
        assumed: bool,
        codes: Vec<Chosen>,
    }

    fn parse(text: &[u8], reading: Reading<'_>) -> Whole {
        let mut malformed = Vec::new();
        let note = |number| {
            malformed.push(number);
            Ok(())
        };
        let list = look(text, reading, note).unwrap();
        assert_eq!(list.malformed, malformed.len());
        let (count, doubt, assumed) = (list.entries, list.doubt, list.assumed);
        let mut lines = Entries::new(text, reading, list);
        let entries: Vec<Entry> = iter::from_fn(|| lines.next().unwrap()).collect();
        assert_eq!(entries.len(), count);
        Whole { entries, malformed, doubt, assumed, codes: lines.list.codes }
    }

    fn read(text: &str, code: Option<&str>) -> Whole {
        let code = code.map(|name| Chosen::parse(name).unwrap());
        parse(text.as_bytes(), Reading { code: code.as_ref(), spelling: None, zero: false })
    }

    fn names(list: &Whole) -> Vec<&str> {
        list.entries.iter().map(|entry| std::str::from_utf8(&entry.name).unwrap()).collect()
    }

    #[test]
    fn lines_of_many_makers() {
        let text = "# comment\n\ne3069283  a\ne3069283 *b\nE3069283\tc\r\ne3069283  d d\n4waSgw==  e\n\
                    \\e3069283  f\\\\\\n\nCRC-32/ISCSI (g) = h) = e3069283\nCRC32C (i) = 4waSgw==\n";
        let list = read(text, Some("crc32c"));
        assert_eq!(list.malformed, [0; 0]);
        assert_eq!(names(&list), ["a", "b", "c", "d d", "e", "f\\\n", "g) = h", "i"]);
        assert!(list.entries.iter().all(|entry| entry.expected == 0xe306_9283 && entry.code == 0));
    }

    #[test]
    fn lines_that_are_none() {
        let text = "e3069283\ne306928  a\ng3069283  a\n\\e3069283  a\\t\nSHA256 (a) = e3069283\n\
                    CRC-32C (a) = e30692\nCRC-32C () = e3069283\ne3069283  a\0b\n\u{fffd}  \n=\n \n";
        let list = read(text, Some("crc32c"));
        assert_eq!(list.entries.len(), 0, "{:?}", list.entries);
        assert_eq!(list.malformed.len(), 11);
    }

    #[test]
    fn decimal_or_hexadecimal() {
        let first = |text: &str| read(text, Some("crc32c")).entries.remove(0).expected;
        assert_eq!(first("12345678  a\n"), 0x1234_5678);
        assert_eq!(first("12345678  a\n87654321  b\n"), 0x1234_5678);
        assert_eq!(first("12345678  a\ne3069283  b\n"), 0x1234_5678);
        assert_eq!(first("12345678  a\n3808858755  b\n"), 12_345_678);
        assert_eq!(first("3808858755  b\n"), 3_808_858_755);
        // One stray line does not turn a list whose others cannot be decimal.
        assert_eq!(first("12345678  a\ne3069283  b\n5  c\n"), 0x1234_5678);
        // cksum knows decimal numbers only, which says nothing of other codes.
        let mixed = "CRC-32C (a) = 12345678\nCKSUM (a) = 5\nCKSUM (b) = 12345678\n";
        let values: Vec<u128> =
            read(mixed, None).entries.iter().map(|entry| entry.expected).collect();
        assert_eq!(values, [0x1234_5678, 5, 12_345_678]);
    }

    #[test]
    fn decimal_or_base64() {
        let first = |text: &str| read(text, Some("crc-24/ble")).entries.remove(0).expected;
        assert_eq!(first("1234  a\n"), 0x00d7_6df8);
        assert_eq!(first("1234  a\nAAAA  b\n"), 0x00d7_6df8);
        assert_eq!(first("1234  a\n12345  b\n"), 1234);
        assert_eq!(first("123456  a\n12345  b\n"), 123_456);
        assert_eq!(first("123456  a\n"), 0x12_3456);
    }

    #[test]
    fn lists_of_cksum() {
        let list = read("930766865 9 a b\n930766865  c\nCKSUM (d) = 12345678\n", Some("cksum"));
        assert_eq!(names(&list), ["a b", "c", "d"]);
        assert_eq!(list.entries[0].bytes, Some(9));
        assert_eq!(list.entries[2].expected, 12_345_678);
    }

    #[test]
    fn a_code_is_missing() {
        for (line, doubt) in [
            ("bb3d  a\n", Some(Doubt::Code)),
            ("995dc9bbdf1939fa  a\n", Some(Doubt::Code)),
            ("12345  a\n", Some(Doubt::Code)),
            ("1234  deadbeef\n", Some(Doubt::Code)),
            ("930766865 9 a\n", Some(Doubt::Cksum)),
            ("12 9 a\n", Some(Doubt::Cksum)),
            ("cafebabe A3B1C2D4\n", Some(Doubt::Order)),
            ("hello world\n", None),
        ] {
            let list = read(line, None);
            assert_eq!(list.doubt, doubt.map(|doubt| (1, doubt)), "{line}");
            assert!(list.entries.is_empty() && !list.assumed, "{line}");
        }
    }

    #[test]
    fn untagged_values_as_wide_as_the_default_are_its() {
        for line in [
            "e3069283  a",
            "E3069283 *a",
            "e3069283 a",
            "e3069283\ta",
            "4waSgw==  a",
            "3808858755  a",
            "0xe3069283  a",
            "0XE3069283 a",
        ] {
            let list = read(line, None);
            assert_eq!((list.entries.len(), list.entries[0].expected), (1, 0xe306_9283), "{line}");
            assert_eq!(list.codes[list.entries[0].code].label, DEFAULT);
            assert!(list.assumed);
        }
        assert_eq!(read("0x5  a", Some("crc32c")).entries[0].expected, 5);
        assert_eq!(read("0xBB3D  a", Some("crc-16/arc")).entries[0].expected, 0xbb3d);
        for wrong in ["0x  a", "0x123456789  a", "0xg  a"] {
            assert!(read(wrong, Some("crc32c")).entries.is_empty(), "{wrong}");
        }
    }

    #[test]
    fn lists_of_sfv_files() {
        let text = "; Generated by somebody\r\n;\r\na.bin CBF43926\r\nb c.bin   cbf43926\r\ntrack1 cbf43926\n\\x.y cbf43926\n";
        let list = read(text, None);
        assert_eq!(
            (names(&list), list.malformed.len()),
            (vec!["a.bin", "b c.bin", "track1", "\\x.y"], 0)
        );
        for entry in &list.entries {
            assert_eq!((entry.expected, &*list.codes[entry.code].label), (0xcbf4_3926, SFV));
        }
        let list = read("a.bin e3069283\n", Some("crc32c"));
        assert_eq!((names(&list), list.codes[0].label.as_str()), (vec!["a.bin"], DEFAULT));
        assert!(read("a.bin e3069283\n", Some("crc-16")).entries.is_empty());
    }

    #[test]
    fn noise_is_no_list() {
        let mut state = 1u32;
        let mut noise = Vec::new();
        for _ in 0..100_000 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            noise.push(b" \\\n\r()=*0f1cC-/\0\xff"[(state >> 16) as usize % 17]);
        }
        for zero in [false, true] {
            for code in [None, Some("cksum"), Some("crc-8")] {
                let code = code.map(|name| Chosen::parse(name).unwrap());
                parse(&noise, Reading { code: code.as_ref(), spelling: None, zero });
            }
        }
    }
}
