//! Writes a CRC down as other tools and languages take it.

use crate::source::model::{Model, snake};
use crate::source::{Language, Method};
use residue::crc::Params;

/// The notations of a CRC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notation {
    /// The parameters as `residue sum -a` reads them.
    Residue,
    /// A line of the RevEng catalogue.
    Reveng,
    /// A constant for the Rust crate `crc`.
    CrcCrate,
    /// A function of the Python package `crcmod`.
    Crcmod,
    /// A function, one bit at a time.
    Function(Language),
}

impl Notation {
    /// All notations.
    pub const ALL: [Notation; 10] = {
        use Notation::{CrcCrate, Crcmod, Function, Residue, Reveng};
        let [c, go, java, javascript, python, rust] = Language::ALL;
        [
            Residue,
            Reveng,
            CrcCrate,
            Crcmod,
            Function(c),
            Function(go),
            Function(java),
            Function(javascript),
            Function(python),
            Function(rust),
        ]
    };

    /// Returns the name, as it is given on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Notation::Residue => "residue",
            Notation::Reveng => "reveng",
            Notation::CrcCrate => "crc",
            Notation::Crcmod => "crcmod",
            Notation::Function(language) => language.name(),
        }
    }

    /// Returns a comment as the tool or language takes it; `None` if it has none.
    #[must_use]
    pub fn comment(self, text: &str) -> Option<String> {
        match self {
            Notation::Residue | Notation::Reveng => None,
            Notation::Crcmod | Notation::Function(Language::Python) => Some(format!("# {text}")),
            Notation::Function(Language::C) => Some(format!("/* {text} */")),
            Notation::CrcCrate | Notation::Function(_) => Some(format!("// {text}")),
        }
    }

    /// Writes a CRC in this notation, without a newline at the end.
    ///
    /// # Errors
    /// Returns why it cannot be written: crcmod has whole bytes and one order of bits only,
    /// and C, Go and Java have integers of 64 bits.
    pub fn write(self, params: &Params) -> Result<String, String> {
        match self {
            Notation::Residue => Ok(fields(params, ",")),
            Notation::Reveng => {
                let name = params.name.to_uppercase();
                Ok(format!("{}  name=\"{name}\"", fields(params, "  ")))
            }
            Notation::CrcCrate => Ok(crc_crate(params)),
            Notation::Crcmod => crcmod(params).map_err(str::to_string),
            Notation::Function(language) => {
                Ok(language.source(params, Method::Bitwise)?.trim_end().to_string())
            }
        }
    }
}

/// Returns a number in hexadecimal, with the digits of the width.
fn hex(params: &Params, value: u128) -> String {
    format!("0x{value:0digits$x}", digits = usize::from(params.width).div_ceil(4))
}

fn fields(params: &Params, separator: &str) -> String {
    let hex = |value| hex(params, value);
    [
        format!("width={}", params.width),
        format!("poly={}", hex(params.poly)),
        format!("init={}", hex(params.init)),
        format!("refin={}", params.refin),
        format!("refout={}", params.refout),
        format!("xorout={}", hex(params.xorout)),
        format!("check={}", hex(params.check)),
        format!("residue={}", hex(params.residue)),
    ]
    .join(separator)
}

fn crc_crate(params: &Params) -> String {
    let hex = |value| hex(params, value);
    format!(
        "pub const {name}: crc::Algorithm<u{bits}> = crc::Algorithm {{\n    width: {width},\n    \
         poly: {poly},\n    init: {init},\n    refin: {refin},\n    refout: {refout},\n    \
         xorout: {xorout},\n    check: {check},\n    residue: {residue},\n}};",
        name = snake(params).to_uppercase(),
        bits = Model::new(params, &[8, 16, 32, 64, 128]).bits,
        width = params.width,
        poly = hex(params.poly),
        init = hex(params.init),
        refin = params.refin,
        refout = params.refout,
        xorout = hex(params.xorout),
        check = hex(params.check),
        residue = hex(params.residue),
    )
}

fn crcmod(params: &Params) -> Result<String, &'static str> {
    if !matches!(params.width, 8 | 16 | 24 | 32 | 64) {
        return Err("crcmod has CRCs of 8, 16, 24, 32 and 64 bits only");
    }
    if params.refin != params.refout {
        return Err("crcmod has one order of bits for input and output");
    }
    // crcmod starts with initCrc xor xorOut, in the order of its register.
    let init = if params.refin { params.reflect(params.init) } else { params.init };
    Ok(format!(
        "{name} = crcmod.mkCrcFun(0x1{poly:0digits$x}, initCrc={init}, rev={rev}, \
         xorOut={xorout})",
        name = snake(params),
        poly = params.poly,
        digits = usize::from(params.width).div_ceil(4),
        init = hex(params, init ^ params.xorout),
        rev = if params.refin { "True" } else { "False" },
        xorout = hex(params, params.xorout),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use residue::crc::catalog;

    #[test]
    fn notations() {
        let kermit = Params { name: "custom", ..catalog::CRC_16_KERMIT };
        let written = |notation: Notation| notation.write(&kermit).unwrap();
        assert_eq!(
            written(Notation::Residue),
            "width=16,poly=0x1021,init=0x0000,refin=true,refout=true,xorout=0x0000,check=0x2189,\
             residue=0x0000"
        );
        assert_eq!(
            Notation::Reveng.write(&catalog::CRC_16_KERMIT).unwrap(),
            "width=16  poly=0x1021  init=0x0000  refin=true  refout=true  xorout=0x0000  \
             check=0x2189  residue=0x0000  name=\"CRC-16/KERMIT\""
        );
        assert_eq!(
            written(Notation::Crcmod),
            "crc_16_custom = crcmod.mkCrcFun(0x11021, initCrc=0x0000, rev=True, xorOut=0x0000)"
        );
        assert!(written(Notation::CrcCrate).starts_with(
            "pub const CRC_16_CUSTOM: crc::Algorithm<u16> = crc::Algorithm {\n    width: 16,\n"
        ));
        let of = |language: Language, method| language.source(&catalog::CRC_82_DARC, method);
        for (method, says) in [
            (Method::Bitwise, "82 bits for bitwise: there are such in javascript, python, rust"),
            (Method::Table, "82 bits for table: there are such in python, rust"),
            (Method::Slicing, "82 bits for slicing: the method bitwise in javascript, python or"),
        ] {
            assert!(of(Language::C, method).unwrap_err().contains(says), "{method:?}");
            assert_eq!(of(Language::Rust, method).is_err(), method == Method::Slicing);
        }
        assert!(Notation::Crcmod.write(&catalog::CRC_12_UMTS).is_err());
    }
}
