//! Describes codes, as `residue list` does.

use crate::text::{formatted, hexadecimal, spec};
use residue::Code;
use residue::crc::Params;
use residue_strength::Notations;
use serde::Deserialize;
use serde_json::{Value, json};

/// A code by its name, or a CRC by its parameters, as typed.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub enum Described {
    /// A name or an alias, or parameters as [`Code`] reads them.
    Named {
        /// Name as typed.
        code: String,
    },
    /// A CRC by its parameters.
    Parameters(Typed),
}

/// The parameters of a CRC, as typed.
#[derive(Debug, Deserialize)]
pub struct Typed {
    width: String,
    poly: String,
    /// Notation of the polynomial: `normal`, `reversed`, `reciprocal` or `koopman`.
    notation: String,
    init: String,
    xorout: String,
    refin: bool,
    refout: bool,
}

impl Described {
    /// Returns the code.
    ///
    /// # Errors
    /// If no code has this name, or the parameters do not define a CRC.
    pub fn code(&self) -> Result<Code, String> {
        let spec = match self {
            Described::Named { code } => code.clone(),
            Described::Parameters(typed) => typed.spec()?,
        };
        spec.parse().map_err(|error: residue::Error| error.to_string())
    }
}

impl Typed {
    fn spec(&self) -> Result<String, String> {
        let width: u32 = self.width.trim().parse().map_err(|_| {
            let width = self.width.trim().escape_debug();
            format!("width: expected a number of bits, got `{width}`")
        })?;
        if !(1..=128).contains(&width) {
            return Err(format!("width: a CRC's width is 1 to 128 bits, not {width}"));
        }
        let mask = u128::MAX >> (128 - width);
        let number = |what: &str, text: &str| match hexadecimal(what, text)? {
            value if value & !mask != 0 => {
                Err(format!("{what}: {value:x} has more than {width} bits"))
            }
            value => Ok(value),
        };
        let written = number("poly", &self.poly)?;
        let mirrored = |value: u128| value.reverse_bits() >> (128 - width);
        let top = mask ^ mask >> 1;
        let poly = match self.notation.as_str() {
            "reversed" => mirrored(written),
            "reciprocal" => (mirrored(written) << 1 | 1) & mask,
            "koopman" if written & top == 0 => {
                return Err(
                    "poly: Koopman's notation has the top bit set; choose another notation".into(),
                );
            }
            "koopman" => (written << 1 | 1) & mask,
            _ => written,
        };
        let (init, xorout) = (number("init", &self.init)?, number("xorout", &self.xorout)?);
        let Typed { refin, refout, .. } = self;
        Ok(format!(
            "width={width},poly={poly:x},init={init:x},refin={refin},refout={refout},\
             xorout={xorout:x}"
        ))
    }
}

fn aliases(name: &str) -> Vec<&'static str> {
    Code::aliases().filter(|(_, of)| *of == name).map(|(alias, _)| alias).collect()
}

/// Lists every code with a name, for a table of them.
pub fn list() -> Value {
    let codes = Code::all().map(|code| {
        let hex = |value: u128| formatted(&code, value);
        json!({
            "name": code.name(),
            "bits": code.width(),
            "crc": code.params().map(|params| json!({
                "poly": hex(params.poly),
                "init": hex(params.init),
                "refin": params.refin,
                "refout": params.refout,
                "xorout": hex(params.xorout),
            })),
            "little_endian": code.little_endian(),
            "aliases": aliases(code.name()),
        })
    });
    json!({ "version": env!("CARGO_PKG_VERSION"), "codes": codes.collect::<Vec<_>>() })
}

/// Describes a code in full.
pub fn describe(code: &Code) -> Value {
    let mut value = json!({
        "spec": spec(code),
        "name": code.name(),
        "bits": code.width(),
        "little_endian": code.little_endian(),
        "about": code.about(),
        "aliases": aliases(code.name()),
        "check": formatted(code, code.value(b"123456789")),
    });
    if let Some(params) = code.params() {
        value["crc"] = crc(code, params);
    }
    value
}

fn crc(code: &Code, params: &Params) -> Value {
    let hex = |value: u128| formatted(code, value);
    let same = |other: &&Params| Params { name: params.name, ..**other } == *params;
    let known = residue::crc::catalog::ALL.iter().copied();
    let known: Vec<&str> = known.filter(|it| same(&it)).map(|it| it.name).collect();
    json!({
        "width": params.width,
        "poly": hex(params.poly),
        "init": hex(params.init),
        "refin": params.refin,
        "refout": params.refout,
        "xorout": hex(params.xorout),
        "residue": hex(params.residue),
        "known": known,
        "notations": Notations::of(params),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(poly: &str, notation: &str) -> Result<Code, String> {
        let typed = json!({
            "width": "32", "poly": poly, "notation": notation,
            "init": "0xFFFF_FFFF", "xorout": "ffffffff", "refin": true, "refout": true,
        });
        serde_json::from_value::<Described>(typed).unwrap().code()
    }

    #[test]
    fn one_polynomial_in_every_notation() {
        let params = residue::crc::catalog::CRC_32_ISO_HDLC;
        for (notation, value) in [
            ("normal", params.poly),
            ("reversed", params.reversed()),
            ("reciprocal", params.reciprocal()),
            ("koopman", params.koopman()),
        ] {
            let code = typed(&format!("{value:x}"), notation).unwrap();
            assert_eq!(code.value(b"123456789"), 0xcbf4_3926, "{notation}");
            assert_eq!(describe(&code)["crc"]["known"][0], "crc-32/iso-hdlc");
        }
    }

    #[test]
    fn mistyped_parameters() {
        for (poly, notation, says) in [
            ("", "normal", "poly is empty"),
            ("4c11db7g", "normal", "`g`"),
            ("104c11db7", "normal", "more than 32 bits"),
            ("04c11db6", "normal", "constant term"),
            ("04c11db7", "koopman", "top bit"),
        ] {
            let error = typed(poly, notation).unwrap_err();
            assert!(error.contains(says), "{error}");
        }
    }
}
