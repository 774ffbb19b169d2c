//! Codes as named on the command line and in lists.

use anyhow::bail;
use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use residue::crc::{Crc, catalog};
use residue::{Code, Error};
use residue_report::names;
use std::collections::{BTreeSet, HashSet};
use std::ffi::OsStr;

/// The code computed unless another is named.
pub const DEFAULT: &str = "crc-32/iscsi";

/// A code, and how it was named.
#[derive(Clone, Debug)]
pub struct Chosen {
    /// The code itself.
    pub code: Code,
    /// The name in output, which is also valid as input.
    pub label: String,
    /// Whether the length is appended to the data, as the program cksum does.
    pub cksum: bool,
}

impl Chosen {
    /// Finds a code by name, alias or parameters.
    pub fn new(text: &str) -> Result<Chosen, Error> {
        if text.eq_ignore_ascii_case("cksum") {
            let code = Code::Crc(Crc::new(&catalog::CRC_32_CKSUM));
            return Ok(Chosen { code, label: "cksum".into(), cksum: true });
        }
        let code: Code = text.parse()?;
        let label = match code.params() {
            Some(params) if text.contains('=') => params.to_string(),
            _ => code.name().to_string(),
        };
        Ok(Chosen { code, label, cksum: false })
    }

    /// Finds a code as [`Chosen::new`] does; an error names the text and similar names.
    pub fn parse(text: &str) -> anyhow::Result<Chosen> {
        match Chosen::new(text) {
            Ok(chosen) => Ok(chosen),
            Err(Error::UnknownCode(name)) => bail!("{}", names::unknown(&name)),
            Err(error) => bail!("`{}`: {error}", text.escape_debug()),
        }
    }

    /// Returns the label for a tagged line: a name in capitals, or parameters in the form that the
    /// library reads.
    pub fn tag(&self) -> String {
        if self.label.contains('=') { self.label.clone() } else { self.label.to_uppercase() }
    }

    /// Returns the value of `stream`, which has seen `bytes` bytes.
    pub fn value(&self, mut stream: residue::Stream<'_>, bytes: u64) -> u128 {
        if self.cksum {
            stream.update(&length_octets(bytes));
        }
        stream.value()
    }
}

/// Accepts any text as a code, and offers the known names to shell completion.
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

/// Returns the octets of a length as cksum appends them (POSIX): lowest first, without leading
/// zeros.
pub fn length_octets(bytes: u64) -> Vec<u8> {
    let needed = (u64::BITS - bytes.leading_zeros()).div_ceil(8) as usize;
    bytes.to_le_bytes().into_iter().take(needed).collect()
}

/// Returns the codes of all `-a` options, each of which may name several, or the default code.
pub fn parse_all(texts: &[String]) -> anyhow::Result<Vec<Chosen>> {
    let (mut chosen, mut labels) = (Vec::new(), HashSet::new());
    for name in texts.iter().flat_map(|text| split(text)) {
        let one = Chosen::parse(&name)?;
        // Duplicates are dropped.
        if labels.insert(one.label.clone()) {
            chosen.push(one);
        }
    }
    if chosen.is_empty() {
        chosen.push(Chosen::parse(DEFAULT)?);
    }
    Ok(chosen)
}

/// Splits a list of codes at commas, except between the parameters of one CRC. A repeated key
/// starts the next CRC.
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
