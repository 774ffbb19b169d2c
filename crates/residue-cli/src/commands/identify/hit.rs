//! A result: its names, its definition in other notations, its values.

use super::arguments::IdentifyArgs;
use crate::output::{Encoding, Output};
use anyhow::{anyhow, bail};
use residue::crc::Params;
use residue_identify::{Found, Hit, Notation};

/// Prints the definition of a hit in the notations asked for, `covered` being what it is of.
pub fn definitions(
    args: &IdentifyArgs,
    hit: &Hit,
    covered: &str,
    output: &mut Output,
) -> anyhow::Result<()> {
    let params = match &hit.found {
        Found::Code(code) => code.params(),
        _ => None,
    };
    let Some(params) = params else {
        bail!("{} is not a CRC; leave out --as", names(hit).0);
    };
    if let Some(part) = hit.part {
        output.complain(&format!("the samples hold {part} of the value of this CRC"));
    }
    if let Some(mask) = &hit.mask {
        output.complain(&format!("the samples hold the value of this CRC, {mask}"));
    }
    for name in &args.notations {
        let Some(notation) = Notation::ALL.into_iter().find(|it| it.name() == name) else {
            continue;
        };
        let text = notation.write(params).map_err(|why| anyhow!("--as {name}: {why}"))?;
        if let Some(comment) = notation.comment(&format!("{covered}; {}", hit.written())) {
            output.line(comment)?;
        }
        output.line(text)?;
    }
    Ok(())
}

/// Returns the parameters of a CRC in the form of RevEng, which `residue sum -a` reads.
pub fn line(p: &Params) -> String {
    Notation::Residue.write(p).unwrap_or_default()
}

/// Returns the name of a hit, with the part of its value that is written, and the argument for
/// `residue sum -a`, if that supports it.
pub fn names(hit: &Hit) -> (String, Option<String>) {
    let (name, code) = whole(hit);
    match (hit.part, &hit.mask) {
        (Some(part), _) => (format!("{part} of {name}"), code),
        // Only the value before the exclusive or is that of the code.
        (None, Some(_)) => (name, None),
        (None, None) => (name, code),
    }
}

fn whole(hit: &Hit) -> (String, Option<String>) {
    match &hit.found {
        Found::Sum(model) => (model.to_string(), None),
        Found::Hash(hash) => (hash.name.to_string(), None),
        Found::Code(code) => {
            let custom = code.params().filter(|params| params.name == "custom");
            match custom {
                Some(params) => ("a CRC without a name".to_string(), Some(line(params))),
                None => (code.name().to_string(), Some(code.name().to_string())),
            }
        }
    }
}

/// Returns a value in hexadecimal, for a field of `bits` bits.
pub fn encoded(value: u128, bits: u32) -> String {
    Encoding::Hex.encode(value, bits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use residue::Code;

    #[test]
    fn parameters_are_read_again() {
        for params in residue::crc::catalog::ALL {
            let code: Code = line(params).parse().unwrap();
            assert_eq!(code.params().unwrap().check, params.check, "{}", params.name);
        }
    }
}
