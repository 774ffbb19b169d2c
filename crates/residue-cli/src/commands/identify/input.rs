//! Samples: in arguments, in lines of files, or as frames that end in the value.

use super::arguments::IdentifyArgs;
use crate::hex;
use crate::output::Styles;
use crate::read::problem;
use crate::streams;
use anyhow::{Context as _, anyhow, bail};
use residue_identify::conform::vectors::Input;
use residue_identify::{MOST_BYTES, Sample, Samples};
use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Reads all samples, in the order given.
pub(super) fn samples(args: &IdentifyArgs) -> anyhow::Result<Samples> {
    let mut given = Vec::new();
    for text in &args.list {
        given.push(one(text, args).with_context(|| format!("sample `{}`", text.escape_debug()))?);
    }
    for path in &args.samples {
        let name = Styles::plain(path.as_os_str());
        let text = String::from_utf8(contents(path)?)
            .map_err(|_| anyhow!("{name}: not a text file; give samples as lines `INPUT VALUE`"))?;
        for (number, text) in text.lines().enumerate() {
            let text = text.trim();
            if !text.is_empty() && !text.starts_with('#') {
                given
                    .push(one(text, args).with_context(|| format!("{name}: line {}", number + 1))?);
            }
        }
    }
    let bits = given.iter().map(|(_, bits)| *bits).max().unwrap_or(8);
    let list = given.into_iter().map(|(sample, _)| sample).collect();
    Ok(Samples::new(list, bits, args.trailer.is_some())?)
}

/// Reads a sample, and returns it with the bits of its value.
fn one(text: &str, args: &IdentifyArgs) -> anyhow::Result<(Sample, u32)> {
    if let Some(trailer) = args.trailer.map(usize::from) {
        let mut message = bytes(text)?;
        let Some(end) = message.len().checked_sub(trailer) else {
            bail!("{} bytes, fewer than --trailer {trailer}", message.len());
        };
        let value = message.split_off(end);
        let value = value.iter().fold(0, |value, &byte| value << 8 | u128::from(byte));
        return Ok((Sample { message, value }, 8 * trailer as u32));
    }
    let end = text.rfind(|c: char| c.is_whitespace() || c == ':').with_context(|| {
        "expected INPUT:VALUE, as 313233:107b2fb2 (or use --trailer N if it is the last N bytes)"
    })?;
    let (message, value) = text.split_at(end);
    let message = message.trim_end_matches(|c: char| c.is_whitespace() || ":,;|".contains(c));
    let (value, bits) = number(value[1..].trim(), args.decimal)?;
    Ok((Sample { message: bytes(message)?, value }, bits))
}

/// Reads a value, and returns it with the bits of its field.
fn number(text: &str, decimal: bool) -> anyhow::Result<(u128, u32)> {
    let wrong = || {
        let base = if decimal { "a decimal number" } else { "1 to 32 hexadecimal digits" };
        anyhow!("value `{}`: expected {base}", text.escape_debug())
    };
    if decimal {
        let proper = !text.is_empty() && text.bytes().all(|c| c.is_ascii_digit());
        let value: u128 = text.parse().ok().filter(|_| proper).ok_or_else(wrong)?;
        let needed = u128::BITS - value.leading_zeros();
        // Decimal digits leave the width open; fields of machine words are likely.
        let bits = [8, 16, 32, 64].into_iter().find(|&bits| bits >= needed).unwrap_or(128);
        return Ok((value, bits));
    }
    let digits = text.strip_prefix("0x").or(text.strip_prefix("0X")).unwrap_or(text);
    let proper = (1..=32).contains(&digits.len()) && digits.bytes().all(|c| c.is_ascii_hexdigit());
    let value = u128::from_str_radix(digits, 16).ok().filter(|_| proper).ok_or_else(wrong)?;
    Ok((value, 4 * digits.len() as u32))
}

/// Reads the bytes of a message.
fn bytes(text: &str) -> anyhow::Result<Vec<u8>> {
    if let Some(name) = text.strip_prefix('@') {
        return contents(Path::new(name));
    }
    if let Ok(input) = text.parse::<Input>() {
        return Ok(input.bytes().into_owned());
    }
    hex::parse(text).with_context(|| {
        format!(
            "message `{}`: expected an even number of hexadecimal digits, @FILE, text:abc or empty",
            text.escape_debug()
        )
    })
}

/// Reads a file, if it is not too long for a sample.
pub(super) fn contents(path: &Path) -> anyhow::Result<Vec<u8>> {
    let name = Styles::plain(path.as_os_str());
    let read = |reader: &mut dyn Read| {
        let mut bytes = Vec::new();
        reader.take(MOST_BYTES as u64 + 1).read_to_end(&mut bytes).map(|_| bytes)
    };
    let bytes = if path.as_os_str() == OsStr::new("-") {
        streams::stdin().and_then(|mut input| read(&mut input))
    } else {
        File::open(path).and_then(|mut file| read(&mut file))
    };
    let bytes = bytes.map_err(|error| anyhow!("{name}: {}", problem(&error)))?;
    if bytes.len() > MOST_BYTES {
        bail!("{name}: more than {MOST_BYTES} bytes; use a shorter message");
    }
    Ok(bytes)
}
