//! `residue sum --explain`: the arithmetic of a value, step by step.

use super::arguments::{SumArgs, bytes};
use crate::codes::{self, Chosen};
use crate::hex;
use crate::output::{Encoding, Output};
use anyhow::bail;
use residue_identify::explain;
use serde::Serialize;

/// Shows the arithmetic of each input by each code.
pub fn run(args: &SumArgs, output: &mut Output) -> anyhow::Result<()> {
    let mut inputs: Vec<Vec<u8>> = args.text.iter().map(|text| text.as_bytes().to_vec()).collect();
    for hex in &args.hex {
        inputs.push(bytes(hex)?);
    }
    if inputs.is_empty() {
        bail!("--explain needs an input; give --text STRING or --hex BYTES");
    }
    let codes = args.codes.chosen()?;
    let mut rows = Vec::new();
    for input in &inputs {
        for chosen in &codes {
            rows.push(Row::of(chosen, input)?);
        }
    }
    if args.json {
        output.json(&rows)?;
        return Ok(());
    }
    for (number, row) in rows.iter().enumerate() {
        if number > 0 {
            output.line("")?;
        }
        let head = output.styles.head;
        output.line(format!("{head}{}{head:#}", row.code))?;
        for line in &row.text {
            output.line(line)?;
        }
    }
    Ok(())
}

/// The arithmetic of one input by one code.
#[derive(Serialize)]
struct Row {
    code: String,
    /// The bytes of the input in hexadecimal.
    input: String,
    value: String,
    base64: String,
    decimal: String,
    /// The printed lines.
    text: Vec<String>,
}

impl Row {
    fn of(chosen: &Chosen, input: &[u8]) -> anyhow::Result<Row> {
        let (mut data, mut text) = (input.to_vec(), Vec::new());
        if chosen.cksum {
            let length = codes::length_octets(input.len() as u64);
            text.push(format!(
                "The message is the input, followed by its length of {} bytes in {} octet(s), \
                 lowest first.",
                input.len(),
                length.len()
            ));
            data.extend(length);
        }
        let shown = explain::explain(&chosen.code, &data)?;
        text.extend(shown.lines);
        if chosen.cksum {
            text.push(format!("decimal    {}", shown.value));
        }
        let encode = |encoding: Encoding, value| encoding.encode(value, chosen.code.width());
        // The arithmetic is independent of the library; if they differ, one of them is wrong.
        let value = chosen.code.value(&data);
        if value != shown.value {
            bail!(
                "{}: the library's value is {}, but the arithmetic gives {}: please report this",
                chosen.label,
                encode(Encoding::Hex, value),
                encode(Encoding::Hex, shown.value)
            );
        }
        Ok(Row {
            code: chosen.label.clone(),
            input: hex::digits(input.iter().copied()),
            value: encode(Encoding::Hex, value),
            base64: encode(Encoding::Base64, value),
            decimal: encode(Encoding::Decimal, value),
            text,
        })
    }
}
