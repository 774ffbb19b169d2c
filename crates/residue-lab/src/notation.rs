//! A CRC's polynomial in the notations that no number of its width holds.

use residue::crc::Params;

/// With its top term, in hexadecimal: `11021`.
#[must_use]
pub fn explicit(params: &Params) -> String {
    match 1u128.checked_shl(params.width.into()) {
        Some(top) => format!("{:x}", top | params.poly),
        // For a width of 128 no integer holds it.
        None => format!("1{:032x}", params.poly),
    }
}

/// As a sum: `x^16 + x^12 + x^5 + 1`.
#[must_use]
pub fn terms(params: &Params) -> String {
    let term = |power: u8| match power {
        0 => "1".to_string(),
        1 => "x".to_string(),
        power => format!("x^{power}"),
    };
    let lower = (0..params.width).rev().filter(|power| params.poly >> power & 1 == 1).map(term);
    let terms: Vec<String> = [term(params.width)].into_iter().chain(lower).collect();
    terms.join(" + ")
}
