//! Finds the code that gave the values of some messages, as `residue identify` does.

use crate::text::{bytes, spec};
use residue_identify::{
    Certainty, Found, Hit, Options, Report, Sample, Samples, identify as search,
};
use serde::Deserialize;
use serde_json::{Value, json};

/// The samples, as typed, and where their values are.
#[derive(Debug, Deserialize)]
pub struct Asked {
    /// A sample on each line.
    samples: String,
    /// Number of bytes at the end of each message that are its value, in unknown byte order. If 0,
    /// the value is the last word of the line.
    trailer: usize,
    /// Whether messages are text; otherwise, they are hexadecimal.
    text: bool,
}

/// Returns the codes that fit.
///
/// # Errors
/// If a line is no sample, or the samples cannot be of one code.
pub fn identify(asked: &Asked) -> Result<Value, String> {
    let mut list = Vec::new();
    let mut bits = 0;
    for (i, line) in asked.samples.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let (sample, width) =
            sample(line, asked).map_err(|error| format!("line {}: {error}", i + 1))?;
        bits = bits.max(width);
        list.push(sample);
    }
    let samples = Samples::new(list, bits.max(1), asked.trailer > 0);
    let samples = samples.map_err(|error| error.to_string())?;
    let report = search(&samples, &Options::default()).map_err(|error| error.to_string())?;
    Ok(answer(&samples, &report))
}

/// Parses a line, and returns the sample with the bits of its value.
fn sample(line: &str, asked: &Asked) -> Result<(Sample, u32), String> {
    let number = |bytes: &[u8]| bytes.iter().fold(0, |value, &byte| value << 8 | u128::from(byte));
    let message = |text: &str| match asked.text {
        true => Ok(text.as_bytes().to_vec()),
        false => {
            let plain = text.replace([',', ':', '-', '_'], " ");
            bytes("the message", plain.strip_prefix("0x").unwrap_or(&plain))
        }
    };
    if asked.trailer > 0 {
        let mut message = message(line)?;
        let end = message.len().checked_sub(asked.trailer.min(16));
        let end = end.ok_or_else(|| format!("{} bytes are too few", message.len()))?;
        let value = message.split_off(end);
        return Ok((Sample { message, value: number(&value) }, 8 * value.len() as u32));
    }
    let (text, value) = line.rsplit_once(char::is_whitespace).unwrap_or(("", line));
    let digits = value.strip_prefix("0x").or(value.strip_prefix("0X")).unwrap_or(value);
    if !(1..=32).contains(&digits.len()) || !digits.bytes().all(|c| c.is_ascii_hexdigit()) {
        return Err(format!("expected a value of 1 to 32 hexadecimal digits, got `{value}`"));
    }
    let value = u128::from_str_radix(digits, 16).map_err(|error| error.to_string())?;
    Ok((Sample { message: message(text.trim_end())?, value }, 4 * digits.len() as u32))
}

fn answer(samples: &Samples, report: &Report) -> Value {
    let bits = samples.bits();
    let digits = bits.div_ceil(4) as usize;
    let hex = |value: u128| format!("{value:0digits$x}");
    let decisive = report.decisive.as_ref().map(|it| {
        let message: String = it.message.iter().map(|byte| format!("{byte:02x}")).collect();
        json!({
            "message": message,
            "values": it.values.iter().map(|&value| hex(value)).collect::<Vec<_>>(),
        })
    });
    let contradicting: Vec<Value> = report.strangers.iter().map(|&i| json!(i + 1)).collect();
    json!({
        "samples": samples.list().len(),
        "bits": bits,
        "certainty": report.certainty().name(),
        "sure": matches!(report.certainty(), Certainty::Found),
        "hits": report.hits.iter().take(20).map(hit).collect::<Vec<_>>(),
        "more": report.hits.len().saturating_sub(20),
        "undecided": report.undecided,
        "not_tried": report.untried.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "contradicting": contradicting,
        "decisive": decisive,
        "relation": report.relation.as_ref().map(ToString::to_string),
    })
}

fn hit(hit: &Hit) -> Value {
    let (name, about, params) = match &hit.found {
        Found::Sum(model) => (model.to_string(), None, None),
        Found::Hash(hash) => (hash.to_string(), Some(hash.about), None),
        Found::Code(code) => {
            let name = code.params().is_none_or(|params| params.name != "custom");
            let name = if name { code.name() } else { "a CRC without a name" };
            (name.to_string(), code.about(), code.params().map(ToString::to_string))
        }
    };
    let spec = match &hit.found {
        Found::Code(code) => Some(spec(code)),
        Found::Sum(_) | Found::Hash(_) => None,
    };
    let name = hit.part.map_or(name.clone(), |part| format!("{part} of {name}"));
    json!({
        "name": name,
        "about": about,
        "params": params,
        "spec": spec,
        "message": hit.reading.to_string(),
        "value": hit.form.to_string(),
        "chance_log2": hit.chance,
        // If the samples do not show a sum's modulus, any above this number is possible.
        "modulus_above": hit.unreached.map(|most| most as u64),
        // Other pairs of init and xorout that give all these values, as a power of two, and those
        // among them that no message of whole bytes can distinguish.
        "pairs_log2": hit.family.as_ref().map(|family| family.dimension()),
        "same_log2": hit.family.as_ref().map(|family| family.inherent),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use residue::Code;

    fn asked(samples: &str, trailer: usize, text: bool) -> Result<Value, String> {
        identify(&Asked { samples: samples.into(), trailer, text })
    }

    #[test]
    fn a_named_code_and_one_without_a_name() {
        let found = asked("# from a file\n123456789 0xe3069283\nabc 364b3fb7\n", 0, true).unwrap();
        assert_eq!(
            (&found["certainty"], &found["hits"][0]["name"]),
            (&json!("found"), &json!("crc-32/iscsi"))
        );
        let code: Code = "width=16,poly=0x6f63,init=0x1d0f,refin=false,refout=false,xorout=0x55aa"
            .parse()
            .unwrap();
        let messages = ["a", "bcd", "message", "longer message", "0123456789 0123456789"];
        let lines: Vec<String> =
            messages.iter().map(|it| format!("{it} {:04x}", code.value(it.as_bytes()))).collect();
        let found = asked(&lines.join("\n"), 0, true).unwrap();
        assert!(found["hits"][0]["params"].as_str().unwrap().contains("poly=6f63"), "{found}");
        let spec = found["hits"][0]["spec"].as_str().unwrap().parse::<Code>().unwrap();
        assert_eq!(spec.value(b"other"), code.value(b"other"));
    }

    #[test]
    fn values_at_the_end_of_the_messages() {
        let found = asked("01030000000ac5cd\n01 03 00 01 00 01 d5 ca", 2, false).unwrap();
        assert_eq!(found["hits"][0]["name"], "crc-16/modbus", "{found}");
    }

    #[test]
    fn what_is_no_sample() {
        for (samples, trailer, says) in [
            ("", 0, "no sample"),
            ("3132 xyz", 0, "line 1: expected a value"),
            ("\n313 12", 0, "line 2: the message"),
            ("31", 2, "line 1: 1 bytes are too few"),
            ("31 12\n31 13", 0, "same message"),
        ] {
            let said = asked(samples, trailer, false).unwrap_err();
            assert!(said.contains(says), "{samples:?}: {said}");
        }
    }
}
