//! The notations of a polynomial.
//!
//! | notation | x^16 + x^12 + x^5 + 1 | what it leaves out |
//! |---|---|---|
//! | `normal` | 1021 | the top term; highest power first |
//! | `reversed` | 8408 | the top term; lowest power first |
//! | `reciprocal` | 0811 | the top term, of the mirrored polynomial x^16 P(1/x) |
//! | `koopman` | 8810 | the constant term; highest power first |
//! | `explicit` | 11021 | nothing |

use residue::crc::Params;
use serde::Serialize;

/// A notation of a polynomial.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Notation {
    /// Highest power first, without the top term.
    Normal,
    /// Lowest power first, without the top term.
    Reversed,
    /// The mirrored polynomial, highest power first, without its top term.
    Reciprocal,
    /// Highest power first, without the constant term.
    Koopman,
    /// Highest power first, whole.
    Explicit,
}

impl Notation {
    /// Every notation.
    pub const ALL: [Notation; 5] = [
        Notation::Normal,
        Notation::Reversed,
        Notation::Reciprocal,
        Notation::Koopman,
        Notation::Explicit,
    ];

    /// Returns its name, in lower case.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Notation::Normal => "normal",
            Notation::Reversed => "reversed",
            Notation::Reciprocal => "reciprocal",
            Notation::Koopman => "koopman",
            Notation::Explicit => "explicit",
        }
    }
}

/// A CRC's polynomial in every notation. All but the last are hexadecimal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Notations {
    /// Highest power first, top term left out: `1021`.
    pub normal: String,
    /// Lowest power first, top term left out: `8408`.
    pub reversed: String,
    /// The mirrored polynomial, highest power first: `0811`.
    pub reciprocal: String,
    /// Highest power first, constant term left out: `8810`.
    pub koopman: String,
    /// Nothing left out: `11021`.
    pub explicit: String,
    /// A sum of powers: `x^16 + x^12 + x^5 + 1`.
    pub terms: String,
}

impl Notations {
    /// Returns the notations of a CRC's polynomial.
    #[must_use]
    pub fn of(params: &Params) -> Notations {
        let digits = usize::from(params.width).div_ceil(4);
        let hex = |value: u128| format!("{value:0digits$x}");
        Notations {
            normal: hex(params.poly),
            reversed: hex(params.reversed()),
            reciprocal: hex(params.reciprocal()),
            koopman: hex(params.koopman()),
            explicit: match 1u128.checked_shl(params.width.into()) {
                Some(top) => format!("{:x}", top | params.poly),
                // A polynomial of width 128 fits no integer.
                None => format!("1{:032x}", params.poly),
            },
            terms: terms(params),
        }
    }
}

fn terms(params: &Params) -> String {
    let term = |power: u8| match power {
        0 => "1".to_string(),
        1 => "x".to_string(),
        power => format!("x^{power}"),
    };
    let lower = (0..params.width).rev().filter(|power| params.poly >> power & 1 == 1).map(term);
    let terms: Vec<String> = [term(params.width)].into_iter().chain(lower).collect();
    terms.join(" + ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use residue::crc::catalog::{CRC_16_IBM_3740, CRC_82_DARC};

    #[test]
    fn those_of_the_table_above() {
        let found = Notations::of(&CRC_16_IBM_3740);
        let Notations { normal, reversed, reciprocal, koopman, explicit, terms } = &found;
        let all = [normal, reversed, reciprocal, koopman, explicit, terms];
        assert_eq!(all, ["1021", "8408", "0811", "8810", "11021", "x^16 + x^12 + x^5 + 1"]);
        assert_eq!(Notations::of(&CRC_82_DARC).normal.len(), 21);
    }
}
