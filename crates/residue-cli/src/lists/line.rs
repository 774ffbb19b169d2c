//! A line of a list.

use super::codes::Codes;
use crate::codes::Chosen;
use crate::output::{Encoding, unescape};
use std::fmt;
use std::rc::Rc;

/// Options for reading a list.
#[derive(Clone, Copy, Debug)]
pub struct Reading<'a> {
    /// Code of untagged lines.
    pub code: Option<&'a Chosen>,
    /// Encoding of values, if known.
    pub encoding: Option<Encoding>,
    /// Whether lines end with a zero byte, and names are not escaped.
    pub zero: bool,
}

/// The unclear part of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// The code: the value does not have the width of the default.
    Code,
    /// Whether the line is of cksum, or the name starts with a number.
    Cksum,
    /// Whether the first or the last word is the value.
    Order,
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Doubt::Code => "names no code; give it with -a CODE",
            Doubt::Cksum => {
                "may be `value bytes name`, as printed by cksum; give -a cksum, or the code with \
                 -a CODE"
            }
            Doubt::Order => {
                "may be `value name` or `name value`; give the code with -a CODE if the value \
                 comes first"
            }
        })
    }
}

/// A valid line, before the whole list has determined how its numbers are read.
pub struct Raw {
    pub name: Vec<u8>,
    pub code: Rc<Chosen>,
    pub bytes: Option<u64>,
    pub value: Number,
}

/// A value as written.
///
/// Hexadecimal and base64 have a number of characters that depends on the width of the code, never
/// equal without a `=`. Digits alone may also be decimal.
#[derive(Clone, Copy)]
pub enum Number {
    /// Not decimal.
    Fixed(u128),
    /// Decimal.
    Decimal(u128),
    /// Decimal or not, depending on the other lines.
    Either { fixed: u128, decimal: u128 },
}

/// Parses a line. The error says what is unclear, if the line lacks only the code.
pub fn parse(line: &[u8], reading: Reading<'_>, codes: &mut Codes) -> Result<Raw, Option<Doubt>> {
    let (rest, escaped) = match line.strip_prefix(b"\\") {
        Some(rest) if !reading.zero => (rest, true),
        _ => (line, false),
    };
    if let Some(raw) = tagged(rest, escaped, reading, codes) {
        return Ok(raw);
    }
    let line = Untagged::split(line, rest, escaped, reading).ok_or(None)?;
    match codes.given() {
        Some(chosen) => line.of_code(chosen).ok_or(None),
        None => line.guess(codes),
    }
}

/// A line that names no code, with the parts that its forms have.
struct Untagged<'a> {
    /// The first word.
    written: &'a str,
    /// The text after the first word and one character.
    rest: &'a [u8],
    /// The text after the two characters that usually stand between value and name, the second a
    /// star for binary files. Some tools write one space or a tab.
    after: Option<&'a [u8]>,
    escaped: bool,
    /// `bytes name`, if the line can be of cksum, which escapes nothing.
    cksum: Option<(u64, &'a [u8])>,
    /// Whether the line is tagged with an unknown code, by another program.
    foreign: bool,
    backwards: Option<Backwards<'a>>,
    reading: Reading<'a>,
}

impl<'a> Untagged<'a> {
    /// Splits a `line`, of which `unmarked` is without the mark of an escaped name.
    fn split(
        line: &'a [u8],
        unmarked: &'a [u8],
        escaped: bool,
        reading: Reading<'a>,
    ) -> Option<Untagged<'a>> {
        let end = unmarked.iter().position(|&byte| byte == b' ' || byte == b'\t')?;
        let rest = &unmarked[end + 1..];
        let foreign = unmarked.windows(4).any(|four| four == b") = ");
        Some(Untagged {
            written: std::str::from_utf8(&unmarked[..end]).unwrap_or_default(),
            rest,
            after: rest.strip_prefix(b" ").or(rest.strip_prefix(b"*")),
            escaped,
            cksum: if escaped { None } else { bytes_and_name(rest) },
            foreign,
            backwards: if foreign || reading.zero { None } else { backwards(line) },
            reading,
        })
    }

    /// Reads the line as `value name`.
    fn forwards(&self, chosen: Rc<Chosen>) -> Option<Raw> {
        let name = unescaped(self.after.unwrap_or(self.rest), self.escaped)?;
        decoded(name, chosen, self.written, self.reading.encoding)
    }

    /// Reads the line with the code that the user named.
    fn of_code(&self, chosen: Rc<Chosen>) -> Option<Raw> {
        if let (true, Some((bytes, name))) = (chosen.cksum, self.cksum) {
            let raw = decoded(name.to_vec(), chosen, self.written, self.reading.encoding)?;
            return Some(Raw { bytes: Some(bytes), ..raw });
        }
        self.forwards(Rc::clone(&chosen)).or_else(|| self.backwards?.raw(chosen))
    }

    /// Reads the line as one of the default code, or of an SFV file.
    fn guess(&self, codes: &mut Codes) -> Result<Raw, Option<Doubt>> {
        let default = codes.default().ok_or(None)?;
        let first = self.forwards(default);
        if let Some(raw) = first.filter(|raw| self.is_sure(raw)) {
            if self.after.is_none() {
                let digits = self.written.bytes().all(|c| c.is_ascii_digit());
                if digits && self.cksum.is_some() {
                    return Err(Some(Doubt::Cksum));
                }
                if self.backwards.is_some() {
                    return Err(Some(Doubt::Order));
                }
            }
            codes.assumed = true;
            return Ok(raw);
        }
        // The first word may be a value of unknown width.
        let likely = self.written.len() > 1
            && self.written.bytes().all(|c| c.is_ascii_alphanumeric() || b"+/=".contains(&c))
            && self.written.bytes().any(|c| c.is_ascii_digit());
        if let Some(found) = self.backwards.filter(|_| !(likely && self.after.is_some())) {
            let crc32 = codes.named(SFV).map_err(|_| None)?;
            return found.raw(crc32).ok_or(None);
        }
        if likely && self.cksum.is_some() && self.after.is_none() {
            return Err(Some(Doubt::Cksum));
        }
        Err((!self.foreign && likely).then_some(Doubt::Code))
    }

    /// Whether a value has the width of the default code beyond doubt.
    fn is_sure(&self, raw: &Raw) -> bool {
        match raw.value {
            Number::Fixed(_) | Number::Either { .. } => true,
            // A short decimal number may be of any code.
            Number::Decimal(_) => self.reading.encoding.is_some() || self.written.len() >= 9,
        }
    }
}

/// Returns a name as the system has it, if it is usable.
fn unescaped(name: &[u8], escaped: bool) -> Option<Vec<u8>> {
    let name = if escaped { unescape(name)? } else { name.to_vec() };
    usable(&name).then_some(name)
}

/// The code of SFV files.
pub const SFV: &str = "crc-32/iso-hdlc";

/// Returns whether a file can have this name: it is not empty, and holds no zero byte, where the
/// system would end it.
fn usable(name: &[u8]) -> bool {
    !name.is_empty() && !name.contains(&0)
}

/// Reads `bytes name`, which cksum prints after the value.
fn bytes_and_name(rest: &[u8]) -> Option<(u64, &[u8])> {
    let space = rest.iter().position(|&byte| byte == b' ')?;
    let bytes = std::str::from_utf8(&rest[..space]).ok()?.parse().ok()?;
    let name = &rest[space + 1..];
    (!name.is_empty()).then_some((bytes, name))
}

/// A line of an SFV file: the name, then the value of 32 bits.
#[derive(Clone, Copy)]
struct Backwards<'a> {
    name: &'a [u8],
    written: &'a str,
}

/// Reads `name value`.
fn backwards(line: &[u8]) -> Option<Backwards<'_>> {
    let line = line.trim_ascii_end();
    let space = line.iter().rposition(|&byte| byte == b' ' || byte == b'\t')?;
    let written = std::str::from_utf8(&line[space + 1..]).ok()?;
    Encoding::Hex.decode(written, 32)?;
    let name = line[..space].trim_ascii_end();
    usable(name).then_some(Backwards { name, written })
}

impl Backwards<'_> {
    fn raw(self, chosen: Rc<Chosen>) -> Option<Raw> {
        let fits = chosen.code.width() == 32 && !chosen.cksum;
        let hex = Some(Encoding::Hex);
        if fits { decoded(self.name.to_vec(), chosen, self.written, hex) } else { None }
    }
}

/// Reads `CODE (name) = value`.
fn tagged(line: &[u8], escaped: bool, reading: Reading<'_>, codes: &mut Codes) -> Option<Raw> {
    let open = line.windows(2).position(|two| two == b" (")?;
    let close = line.windows(4).rposition(|four| four == b") = ")?;
    let name = unescaped(line.get(open + 2..close)?, escaped)?;
    let label = std::str::from_utf8(&line[..open]).ok()?;
    let written = std::str::from_utf8(&line[close + 4..]).ok()?.trim_end();
    decoded(name, codes.named(label).ok()?, written, reading.encoding)
}

/// Decodes a value in the encodings that it may have. Returns `None` if it has none of them.
fn decoded(
    name: Vec<u8>,
    code: Rc<Chosen>,
    written: &str,
    encoding: Option<Encoding>,
) -> Option<Raw> {
    let (width, cksum) = (code.code.width(), code.cksum);
    let prefixed = written.strip_prefix("0x").or(written.strip_prefix("0X"));
    if let Some(digits) = prefixed {
        // Hexadecimal for sure, and often written without leading zeros.
        let usual = encoding.is_none_or(|encoding| encoding == Encoding::Hex);
        let digits = format!("{digits:0>places$}", places = width.div_ceil(4) as usize);
        let value = if usual && !written.ends_with(['x', 'X']) {
            Encoding::Hex.decode(&digits, width)
        } else {
            None
        };
        return Some(Raw { name, code, bytes: None, value: Number::Fixed(value?) });
    }
    let read = |wanted: Encoding| {
        let usual = encoding.is_none_or(|encoding| encoding == wanted);
        // cksum prints decimal numbers only.
        let possible = !cksum || wanted != Encoding::Hex;
        if usual && possible { wanted.decode(written, width) } else { None }
    };
    // Used only if named, because these look like hexadecimal.
    let octets = match encoding {
        Some(order @ (Encoding::BigEndian | Encoding::LittleEndian)) => {
            order.decode(written, width)
        }
        _ => None,
    };
    let fixed = read(Encoding::Hex).or(read(Encoding::Base64)).or(octets);
    let value = match (fixed, read(Encoding::Decimal)) {
        (Some(fixed), Some(decimal)) => Number::Either { fixed, decimal },
        (Some(fixed), None) => Number::Fixed(fixed),
        (None, decimal) => Number::Decimal(decimal?),
    };
    Some(Raw { name, code, bytes: None, value })
}
