//! `residue sum --explain`: the arithmetic of a short input.

use crate::Outcome;
use crate::args::SumArgs;
use crate::codes::{self, Chosen};
use crate::commands::sum;
use crate::output::{Output, Spelling};
use anyhow::bail;
use residue_lab::explain;

/// Shows the arithmetic of each input by each code.
pub fn run(args: &SumArgs, output: &mut Output) -> anyhow::Result<Outcome> {
    let mut inputs: Vec<Vec<u8>> = args
        .text
        .iter()
        .map(|text| text.as_bytes().to_vec())
        .collect();
    for hex in &args.hex {
        inputs.push(sum::bytes(hex)?);
    }
    if inputs.is_empty() {
        bail!("--explain needs its input as --text STRING or --hex BYTES");
    }
    let codes = codes::parse_all(&args.codes)?;
    let mut first = true;
    for input in &inputs {
        for chosen in &codes {
            if !std::mem::replace(&mut first, false) {
                output.line("")?;
            }
            one(chosen, input, output)?;
        }
    }
    Ok(Outcome::Good)
}

fn one(chosen: &Chosen, input: &[u8], output: &mut Output) -> anyhow::Result<()> {
    let mut data = input.to_vec();
    let head = output.styles.head;
    output.line(format!("{head}{}{head:#}", chosen.label))?;
    if chosen.cksum {
        let length = codes::length_octets(input.len() as u64);
        output.line(format!(
            "The message is the input, and its length of {} bytes in {} octet(s), lowest first.",
            input.len(),
            length.len()
        ))?;
        data.extend(length);
    }
    let shown = explain::explain(&chosen.code, &data)?;
    for line in &shown.lines {
        output.line(line)?;
    }
    if chosen.cksum {
        output.line(format!("decimal    {}", shown.value))?;
    }
    // Shown without the library: if they differ, one of them is wrong and must not be believed.
    let value = chosen.code.value(&data);
    if value != shown.value {
        let value = Spelling::Hex.spell(value, chosen.code.width());
        bail!(
            "{}: the library's value is {value}, not what is shown: please report this",
            chosen.label
        );
    }
    Ok(())
}
