//! One polynomial, as different books write it.

use residue::crc::Params;
use serde::Serialize;

/// A CRC's polynomial in every notation. All but the last are hexadecimal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Notations {
    /// Highest power first, top term left out: `1021`.
    pub normal: String,
    /// The same, lowest power first: `8408`.
    pub reversed: String,
    /// The mirrored polynomial, highest power first: `0811`.
    pub reciprocal: String,
    /// Highest power first, constant term left out: `8810`.
    pub koopman: String,
    /// Nothing left out: `11021`.
    pub explicit: String,
    /// As a sum: `x^16 + x^12 + x^5 + 1`.
    pub terms: String,
}

impl Notations {
    /// Those of a CRC.
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
                // For a width of 128 no integer holds it.
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
    fn those_of_the_table_in_generator_rs() {
        let found = Notations::of(&CRC_16_IBM_3740);
        let Notations { normal, reversed, reciprocal, koopman, explicit, terms } = &found;
        let all = [normal, reversed, reciprocal, koopman, explicit, terms];
        assert_eq!(all, ["1021", "8408", "0811", "8810", "11021", "x^16 + x^12 + x^5 + 1"]);
        assert_eq!(Notations::of(&CRC_82_DARC).normal.len(), 21);
    }
}
