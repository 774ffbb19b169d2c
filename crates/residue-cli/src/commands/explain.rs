//! `residue sum --explain`: the arithmetic of a short input.

use crate::args::SumArgs;
use crate::codes::{self, Chosen};
use crate::commands::sum;
use crate::output::{Output, Spelling};
use anyhow::bail;
use residue_identify::explain;
use serde::Serialize;

/// Shows the arithmetic of each input by each code.
pub fn run(args: &SumArgs, output: &mut Output) -> anyhow::Result<()> {
    let mut inputs: Vec<Vec<u8>> = args.text.iter().map(|text| text.as_bytes().to_vec()).collect();
    for hex in &args.hex {
        inputs.push(sum::bytes(hex)?);
    }
    if inputs.is_empty() {
        bail!("--explain needs its input as --text STRING or --hex BYTES");
    }
    let codes = codes::parse_all(&args.codes)?;
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
    /// The input's bytes, in hexadecimal.
    input: String,
    value: String,
    base64: String,
    decimal: String,
    /// What is printed, a line each.
    text: Vec<String>,
}

impl Row {
    fn of(chosen: &Chosen, input: &[u8]) -> anyhow::Result<Row> {
        let (mut data, mut text) = (input.to_vec(), Vec::new());
        if chosen.cksum {
            let length = codes::length_octets(input.len() as u64);
            text.push(format!(
                "The message is the input, and its length of {} bytes in {} octet(s), lowest first.",
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
        let spell = |spelling: Spelling, value| spelling.spell(value, chosen.code.width());
        // Shown without the library: if they differ, one of them is wrong and must not be believed.
        let value = chosen.code.value(&data);
        if value != shown.value {
            bail!(
                "{}: the library's value is {}, but the arithmetic gives {}: please report this",
                chosen.label,
                spell(Spelling::Hex, value),
                spell(Spelling::Hex, shown.value)
            );
        }
        Ok(Row {
            code: chosen.label.clone(),
            input: input.iter().map(|byte| format!("{byte:02x}")).collect(),
            value: spell(Spelling::Hex, value),
            base64: spell(Spelling::Base64, value),
            decimal: spell(Spelling::Decimal, value),
            text,
        })
    }
}
