//! Polynomials in textbook notation.

/// Parses a sum of powers of x, as `x^16 + x^12 + x^5 + 1`, and returns the degree and the other
/// terms.
///
/// Bit i of the terms is the coefficient of x^i. Case, spaces and the order do not matter, and
/// `x**16` is accepted. Returns `None` if the text has another format, a power occurs twice, or the
/// degree is not 1 to 128.
///
/// ```
/// use residue::crc::terms;
/// assert_eq!(terms("x^16 + x^12 + x^5 + 1"), Some((16, 0x1021)));
/// assert_eq!(terms("1021"), None);
/// ```
#[must_use]
pub fn terms(text: &str) -> Option<(u8, u128)> {
    let (mut low, mut top) = (0_u128, false);
    for term in text.split('+') {
        let power = power(term.trim())?;
        let seen = if power == 128 { top } else { low >> power & 1 == 1 };
        if seen {
            return None;
        }
        if power == 128 {
            top = true;
        } else {
            low |= 1 << power;
        }
    }
    if top {
        return Some((128, low));
    }
    let degree = low.checked_ilog2().filter(|&degree| degree > 0)?;
    Some((degree as u8, low ^ 1 << degree))
}

/// Returns the exponent of `1`, `x` or `x^n`, up to 128.
fn power(term: &str) -> Option<u8> {
    if term == "1" {
        return Some(0);
    }
    let rest = term.strip_prefix(['x', 'X'])?.trim_start();
    if rest.is_empty() {
        return Some(1);
    }
    let digits = rest.strip_prefix('^').or(rest.strip_prefix("**")).unwrap_or(rest).trim_start();
    let proper = !digits.is_empty() && digits.bytes().all(|c| c.is_ascii_digit());
    digits.parse().ok().filter(|&power| proper && power <= 128)
}

#[cfg(test)]
mod tests {
    use super::terms;

    #[test]
    fn sums_of_powers() {
        let all = [
            "x^16+x^12+x^5+1",
            "X16 + X12 + X5 + 1",
            " x**16 + x ** 12 + x^ 5 + x^0 ",
            "1+x^5+x^12+x^16",
            "x^16+x^12+x^5+1",
        ];
        for text in all {
            assert_eq!(terms(text), Some((16, 0x1021)), "{text}");
        }
        assert_eq!(terms("x"), Some((1, 0)));
        assert_eq!(terms("x+1"), Some((1, 1)));
        assert_eq!(terms("x^128+x^127+1"), Some((128, 1 | 1 << 127)));
        for wrong in [
            "",
            "1",
            "1021",
            "0x1021",
            "x^",
            "x^129",
            "x^16++1",
            "x^16+1+1",
            "x^16+2",
            "x^-1",
            "+",
            "x16x",
            "x^16+x^16",
            "x^99999999999",
            "y^2+1",
            "x^+5",
            "x^128+x^128",
        ] {
            assert_eq!(terms(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn every_catalogue_polynomial_is_read_from_its_terms() {
        extern crate std;
        use std::{format, string::String, vec::Vec};
        for params in super::super::catalog::ALL {
            let powers = (0..params.width).rev().filter(|i| params.poly >> i & 1 == 1);
            let rest: Vec<String> = powers.map(|i| format!("x^{i}")).collect();
            let text = format!("x^{}+{}", params.width, rest.join("+"));
            assert_eq!(terms(&text), Some((params.width, params.poly)), "{}", params.name);
            for text in [text.clone(), text.replace('+', " + ")] {
                let code: crate::Code =
                    format!("width={},poly={text}", params.width).parse().unwrap();
                assert_eq!(code.params().unwrap().poly, params.poly, "{text}");
            }
            assert!(format!("width=127,poly={text}").parse::<crate::Code>().is_err());
        }
    }
}
