//! Codes as they are asked for on the command line and in lists.

use anyhow::bail;
use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use residue::crc::{Crc, catalog};
use residue::{Code, Error};
use residue_report::names;
use std::collections::BTreeSet;
use std::ffi::OsStr;

/// What is computed if nothing is said.
pub const DEFAULT: &str = "crc-32/iscsi";

/// A code, and what is peculiar to how it was asked for.
#[derive(Clone, Debug)]
pub struct Chosen {
    /// The code.
    pub code: Code,
    /// What names it in output and is understood as input.
    pub label: String,
    /// Whether the data are followed by their length, as the program cksum has it.
    pub cksum: bool,
}

impl Chosen {
    /// A name, an alias, or parameters.
    pub fn new(text: &str) -> Result<Chosen, Error> {
        if text.eq_ignore_ascii_case("cksum") {
            let code = Code::Crc(Crc::new(&catalog::CRC_32_CKSUM));
            return Ok(Chosen { code, label: "cksum".into(), cksum: true });
        }
        let code: Code = text.parse()?;
        let label = match code.params() {
            Some(p) if text.contains('=') => format!(
                "width={},poly={:x},init={:x},refin={},refout={},xorout={:x}",
                p.width, p.poly, p.init, p.refin, p.refout, p.xorout
            ),
            _ => code.name().to_string(),
        };
        Ok(Chosen { code, label, cksum: false })
    }

    /// The same, with a message for the user who asked for it.
    pub fn parse(text: &str) -> anyhow::Result<Chosen> {
        match Chosen::new(text) {
            Ok(chosen) => Ok(chosen),
            Err(Error::UnknownCode) => bail!("`{}`: {}", text.escape_debug(), names::unknown(text)),
            Err(error) => bail!("`{}`: {error}", text.escape_debug()),
        }
    }

    /// The label of a tagged line: names in capitals. Parameters stay as they are, the library reads them so.
    pub fn tag(&self) -> String {
        if self.label.contains('=') { self.label.clone() } else { self.label.to_uppercase() }
    }

    /// The value of all that `stream` has seen, which is `bytes` long.
    pub fn value(&self, mut stream: residue::Stream<'_>, bytes: u64) -> u128 {
        if self.cksum {
            stream.update(&length_octets(bytes));
        }
        stream.value()
    }
}

/// Parses any text as a code, and offers the names to shells that complete arguments.
#[derive(Clone)]
pub struct Names;

impl TypedValueParser for Names {
    type Value = String;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<String, clap::Error> {
        StringValueParser::new().parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let aliases = Code::aliases().map(|(alias, _)| alias);
        Some(Box::new(Code::names().chain(aliases).map(PossibleValue::new)))
    }
}

/// The octets of a length as POSIX's cksum appends them: lowest first, as many as are needed.
pub fn length_octets(bytes: u64) -> Vec<u8> {
    let needed = (u64::BITS - bytes.leading_zeros()).div_ceil(8) as usize;
    bytes.to_le_bytes().into_iter().take(needed).collect()
}

/// The codes of all `-a`, each of which may name several; the default if there are none.
pub fn parse_all(texts: &[String]) -> anyhow::Result<Vec<Chosen>> {
    let mut chosen: Vec<Chosen> = Vec::new();
    for name in texts.iter().flat_map(|text| split(text)) {
        let one = Chosen::parse(&name)?;
        // Twice the same is once.
        if chosen.iter().all(|other| other.label != one.label) {
            chosen.push(one);
        }
    }
    if chosen.is_empty() {
        chosen.push(Chosen::parse(DEFAULT)?);
    }
    Ok(chosen)
}

/// Splits at commas, but for those between a CRC's parameters. A key that comes again starts another CRC.
pub fn split(text: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let mut keys = BTreeSet::new();
    for part in text.split(',').map(str::trim) {
        let key = part.split_once('=').map(|(key, _)| key.to_string());
        match (key, names.last_mut()) {
            (Some(key), Some(last)) if last.contains('=') && !keys.contains(&key) => {
                last.push(',');
                last.push_str(part);
                keys.insert(key);
            }
            (key, _) => {
                keys = key.into_iter().collect();
                names.push(part.to_string());
            }
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas() {
        let texts =
            ["crc-32,width=16,poly=1021,init=ffff, xns,poly=7,width=8,width=8,poly=31".to_string()];
        let labels: Vec<String> =
            parse_all(&texts).unwrap().into_iter().map(|one| one.label).collect();
        assert_eq!(
            labels,
            [
                "crc-32/iso-hdlc",
                "width=16,poly=1021,init=ffff,refin=false,refout=false,xorout=0",
                "xns",
                "width=8,poly=7,init=0,refin=false,refout=false,xorout=0",
                "width=8,poly=31,init=0,refin=false,refout=false,xorout=0",
            ]
        );
        for label in labels {
            assert_eq!(Chosen::parse(&label).unwrap().label, label);
        }
    }

    #[test]
    fn lengths_as_cksum_has_them() {
        assert!(length_octets(0).is_empty());
        assert_eq!(length_octets(9), [9]);
        assert_eq!(length_octets(0x1234), [0x34, 0x12]);
        assert_eq!(length_octets(u64::MAX), [255; 8]);
        let cksum = Chosen::parse("cksum").unwrap();
        let mut stream = cksum.code.stream();
        stream.update(b"123456789");
        assert_eq!(cksum.value(stream, 9), 930_766_865);
    }
}
