//! The test vectors of `vectors/values/`, compiled in, and a reader for files of that form.
//!
//! `vectors/README.md` defines the form: `name | input | value | source`, one record a line.

use crate::Error;
pub use crate::error::{LONGEST, Problem};
use residue::Code;
use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

macro_rules! files {
    ($($name:literal),*) => {
        /// The compiled-in files, by name.
        pub const FILES: &[(&str, &str)] =
            &[$(($name, include_str!(concat!("../../vectors/values/", $name)))),*];
    };
}

files! {
    "internet.txt", "xns.txt", "fletcher.txt", "trailers.txt", "baseline.txt", "koopman.txt",
    "dual.txt", "adler.txt", "crc.txt"
}

/// A line of a file: the value of a code for some bytes, and its source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vector {
    /// The code's name.
    pub code: String,
    /// The bytes.
    pub input: Input,
    /// The value.
    pub value: u128,
    /// The source it was read in, or `computed`.
    pub source: String,
}

/// The bytes of a vector, in the notation of `vectors/README.md`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input(Form);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Form {
    Empty,
    Text(String),
    Hex(Vec<u8>),
    /// Byte i is a function of `what` and i; `length` bytes from i = `start`.
    Pattern {
        kind: Kind,
        what: usize,
        length: usize,
        start: usize,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Rep,
    Ramp,
    Mul,
    Inc,
    Dec,
}

impl Kind {
    const ALL: &[(&str, Kind)] = &[
        ("rep", Kind::Rep),
        ("ramp", Kind::Ramp),
        ("mul", Kind::Mul),
        ("inc", Kind::Inc),
        ("dec", Kind::Dec),
    ];

    fn byte(self, what: usize, i: usize) -> u8 {
        (match self {
            Kind::Rep => what,
            Kind::Ramp => i % what,
            Kind::Mul => i.wrapping_mul(what),
            Kind::Inc => what.wrapping_add(i),
            Kind::Dec => what.wrapping_sub(i),
        }) as u8
    }
}

impl Input {
    /// Creates the bytes of `hex:`.
    #[must_use]
    pub fn hex(bytes: &[u8]) -> Input {
        Input(Form::Hex(bytes.to_vec()))
    }

    /// Returns their number.
    #[must_use]
    pub fn length(&self) -> usize {
        match &self.0 {
            Form::Empty => 0,
            Form::Text(text) => text.len(),
            Form::Hex(bytes) => bytes.len(),
            Form::Pattern { length, .. } => *length,
        }
    }

    /// Returns the bytes.
    #[must_use]
    pub fn bytes(&self) -> Cow<'_, [u8]> {
        match &self.0 {
            Form::Empty => Cow::Borrowed(&[]),
            Form::Text(text) => Cow::Borrowed(text.as_bytes()),
            Form::Hex(bytes) => Cow::Borrowed(bytes),
            &Form::Pattern { kind, what, length, start } => {
                let places = start..start.saturating_add(length);
                Cow::Owned(places.map(|i| kind.byte(what, i)).collect())
            }
        }
    }
}

impl FromStr for Input {
    type Err = ();

    fn from_str(text: &str) -> Result<Input, ()> {
        if text == "empty" {
            return Ok(Input(Form::Empty));
        }
        let (name, body) = text.split_once(':').ok_or(())?;
        if body.len() > 2 * LONGEST {
            return Err(());
        }
        let form = match name {
            "text" if body.len() <= LONGEST => Form::Text(body.to_string()),
            "hex" => Form::Hex(octets(body).ok_or(())?),
            _ => {
                let &(_, kind) = Kind::ALL.iter().find(|(n, _)| *n == name).ok_or(())?;
                let (what, count) = body.split_once('*').ok_or(())?;
                let (length, start) = match (count.split_once('@'), kind) {
                    (Some((length, start)), Kind::Mul) => (length, start.parse().map_err(|_| ())?),
                    _ => (count, 0),
                };
                let length = length.parse().map_err(|_| ())?;
                let what = match kind {
                    Kind::Ramp | Kind::Mul => what.parse().map_err(|_| ())?,
                    _ => usize::from(u8::from_str_radix(what, 16).map_err(|_| ())?),
                };
                if length > LONGEST || kind == Kind::Ramp && what == 0 {
                    return Err(());
                }
                Form::Pattern { kind, what, length, start }
            }
        };
        Ok(Input(form))
    }
}

impl fmt::Display for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Form::Empty => f.write_str("empty"),
            Form::Text(text) => write!(f, "text:{text}"),
            Form::Hex(bytes) => {
                f.write_str("hex:")?;
                bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
            }
            Form::Pattern { kind, what, length, start } => {
                let name = Kind::ALL.iter().find(|(_, k)| k == kind).map_or("", |(name, _)| name);
                match kind {
                    Kind::Ramp | Kind::Mul => write!(f, "{name}:{what}*{length}")?,
                    _ => write!(f, "{name}:{what:02x}*{length}")?,
                }
                if *start == 0 { Ok(()) } else { write!(f, "@{start}") }
            }
        }
    }
}

/// Returns the bytes of an even number of hexadecimal digits; `None` for anything else.
fn octets(digits: &str) -> Option<Vec<u8>> {
    let digit = |&c: &u8| char::from(c).to_digit(16).map(|digit| digit as u8);
    let (pairs, rest) = digits.as_bytes().as_chunks::<2>();
    let octet = |[high, low]: &[u8; 2]| Some(digit(high)? << 4 | digit(low)?);
    if rest.is_empty() { pairs.iter().map(octet).collect() } else { None }
}

/// Reads the lines of a file; `file` is its name for messages.
///
/// # Errors
///
/// Returns an error for the first line that is no vector.
pub fn parse(file: &str, text: &str) -> Result<Vec<Vector>, Error> {
    let lines = text.lines().enumerate();
    let lines = lines.filter(|(_, line)| !line.starts_with('#') && !line.trim().is_empty());
    let located = |line: usize| {
        move |problem| Error::Vector { file: file.to_string(), line: line + 1, problem }
    };
    lines.map(|(number, line)| vector(line).map_err(located(number))).collect()
}

fn vector(line: &str) -> Result<Vector, Problem> {
    let fields: Vec<&str> = line.split(" | ").map(str::trim).collect();
    let &[name, input, value, source] = fields.as_slice() else {
        return Err(Problem::Fields(fields.len()));
    };
    if fields.iter().any(|field| field.is_empty()) {
        return Err(Problem::Fields(fields.len()));
    }
    let code: Code = name.parse().map_err(|_| Problem::Code(name.to_string()))?;
    let wrong = || Problem::Value(value.to_string());
    let digits = code.width().div_ceil(4) as usize;
    // `from_str_radix` would take a sign as well.
    if value.len() != digits || !value.bytes().all(|c| c.is_ascii_hexdigit()) {
        return Err(wrong());
    }
    let number = u128::from_str_radix(value, 16).map_err(|_| wrong())?;
    if number > u128::MAX >> (128 - code.width().clamp(1, 128)) {
        return Err(wrong());
    }
    Ok(Vector {
        code: code.name().to_string(),
        input: input.parse().map_err(|()| Problem::Input(input.to_string()))?,
        value: number,
        source: source.to_string(),
    })
}

/// Returns every compiled-in vector.
///
/// # Errors
/// Returns an error if a file was edited into something that cannot be read.
pub fn all() -> Result<Vec<Vector>, Error> {
    let mut vectors = Vec::new();
    for (file, text) in FILES {
        vectors.extend(parse(file, text)?);
    }
    Ok(vectors)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_compiled_in_can_be_read() {
        let vectors = all().unwrap();
        assert!(vectors.len() > 300, "{}", vectors.len());
        for vector in &vectors {
            assert_eq!(vector.input.to_string().parse(), Ok(vector.input.clone()));
            assert_eq!(vector.input.bytes().len(), vector.input.length());
        }
    }

    #[test]
    fn inputs() {
        let bytes = |text: &str| text.parse::<Input>().unwrap().bytes().into_owned();
        assert_eq!(bytes("empty"), b"");
        assert_eq!(bytes("text:a:b"), b"a:b");
        assert_eq!(bytes("rep:ff*3"), [255; 3]);
        assert_eq!(bytes("ramp:2*3"), [0, 1, 0]);
        assert_eq!(bytes("mul:100*2@2"), [200, 44]);
        assert_eq!(bytes("inc:fe*3"), [254, 255, 0]);
        assert_eq!(bytes("dec:01*3"), [1, 0, 255]);
        for bad in [
            "",
            "text",
            "hex:0",
            "hex:é0",
            "hex:+1",
            "rep:100*1",
            "rep:ff",
            "rep:ff*-1",
            "ramp:0*3",
            "inc:00*3@1",
            "rep:ff*99999999999",
            "mul:1*1@-1",
            "walk:1*2",
            "rep:ff*16777217",
        ] {
            assert_eq!(bad.parse::<Input>(), Err(()), "{bad}");
        }
        assert_eq!(bytes("mul:1*2@18446744073709551615").len(), 0);
    }

    #[test]
    fn a_bad_line_is_named() {
        for (line, problem) in [
            ("xns | empty | 0000", Problem::Fields(3)),
            ("xns | empty |  | x", Problem::Fields(4)),
            ("xnx | empty | 0000 | x", Problem::Code("xnx".into())),
            ("xns | full | 0000 | x", Problem::Input("full".into())),
            ("xns | empty | 000 | x", Problem::Value("000".into())),
            ("xns | empty | +000 | x", Problem::Value("+000".into())),
            ("crc-5/usb | empty | 20 | x", Problem::Value("20".into())),
        ] {
            let error = parse("f.txt", &format!("# comment\n\n{line}\n")).unwrap_err();
            assert_eq!(error, Error::Vector { file: "f.txt".into(), line: 3, problem });
            assert!(error.to_string().starts_with("f.txt:3: "));
        }
    }
}
