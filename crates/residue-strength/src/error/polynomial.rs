//! Faults of a polynomial as it is written.

use crate::field::gf2::WIDEST;
use crate::field::notation::Notation;
use std::fmt;

/// The fault of a polynomial as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The text is neither a code's name nor a hexadecimal number.
    NotHexadecimal,
    /// The code is not a CRC.
    NoCrc(String),
    /// The degree is outside 3 to [`WIDEST`].
    Degree(u32),
    /// The degree is above 64, and the order or a factor does not fit 64 bits.
    Order(u32),
    /// The constant term is missing.
    Even,
    /// The polynomial has more bits than the width.
    TooWide {
        /// The bits needed.
        bits: u32,
        /// The width given, or that of the digits.
        width: u32,
    },
    /// The notation implies another width than was given.
    OtherWidth {
        /// The width of the notation.
        is: u32,
        /// The width that was given.
        given: u32,
    },
    /// Several notations are possible, and no catalogue knows the polynomial.
    Ambiguous(Vec<(Notation, u128)>),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::NotHexadecimal => f.write_str(
                "neither a code of `residue list` nor a polynomial; write it in hexadecimal, as \
                 normal:04c11db7 or koopman:82608edb (also reversed:, reciprocal:, explicit:), or \
                 as x^16+x^12+x^5+1",
            ),
            Fault::NoCrc(name) => write!(f, "{name} is not a CRC and has no generator polynomial"),
            Fault::Degree(degree) => {
                write!(f, "a generator's degree has to be 3 to {WIDEST} here, not {degree}")
            }
            Fault::Order(degree) => write!(
                f,
                "of generators above degree 64, as this one of degree {degree}, only those are \
                 analysed whose factors have degrees of at most 64 and whose order is below 2^64"
            ),
            Fault::Even => f.write_str(
                "the polynomial has no constant term: the code would ignore its last bits; is the \
                 notation another?",
            ),
            Fault::TooWide { bits, width } => {
                write!(f, "the polynomial has {bits} bits, more than its width of {width}")
            }
            Fault::OtherWidth { is, given } => {
                write!(f, "in this notation the polynomial has width {is}, not {given}")
            }
            Fault::Ambiguous(readings) => {
                f.write_str("which notation is it? It may be")?;
                for (i, (notation, explicit)) in readings.iter().enumerate() {
                    let or = if i == 0 { "" } else { "," };
                    write!(f, "{or} {}: (whole: {explicit:x})", notation.name())?;
                }
                f.write_str("; write the notation before the digits, with its colon")
            }
        }
    }
}
