//! Check values as text.

use crate::hex;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// An encoding of check values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Encoding {
    /// Hexadecimal, with width / 4 digits, rounded up.
    Hex,
    /// Base64 of the value's bytes, highest first.
    Base64,
    /// Decimal, without leading zeros.
    Decimal,
    /// Hexadecimal digits of the value's bytes, highest first.
    #[value(name = "be")]
    BigEndian,
    /// Hexadecimal digits of the value's bytes, lowest first, as reflected CRCs are transmitted.
    #[value(name = "le")]
    LittleEndian,
}

impl Encoding {
    /// Writes a value of `width` bits.
    pub fn encode(self, value: u128, width: u32) -> String {
        match self {
            Encoding::Hex => format!("{value:0digits$x}", digits = width.div_ceil(4) as usize),
            Encoding::Base64 => STANDARD.encode(octets(value, width)),
            Encoding::Decimal => value.to_string(),
            Encoding::BigEndian => hex::digits(octets(value, width)),
            Encoding::LittleEndian => hex::digits(octets(value, width).into_iter().rev()),
        }
    }

    /// Reads a value. Returns `None` if `text` is not in this encoding, or the value does not fit
    /// `width`.
    pub fn decode(self, text: &str, width: u32) -> Option<u128> {
        let value = match self {
            Encoding::Hex => hexadecimal(text, width.div_ceil(4) as usize)?,
            Encoding::BigEndian => hexadecimal(text, 2 * width.div_ceil(8) as usize)?,
            Encoding::LittleEndian => {
                let value = hexadecimal(text, 2 * width.div_ceil(8) as usize)?;
                value.swap_bytes() >> (128 - 8 * width.div_ceil(8))
            }
            Encoding::Decimal => {
                // `parse` alone would take a sign.
                let proper = text.bytes().all(|c| c.is_ascii_digit());
                text.parse().ok().filter(|_| proper)?
            }
            Encoding::Base64 => {
                let bytes = STANDARD.decode(text).ok()?;
                if bytes.len() != width.div_ceil(8) as usize || bytes.len() > 16 {
                    return None;
                }
                bytes.iter().fold(0, |value, &byte| value << 8 | u128::from(byte))
            }
        };
        (width == 128 || value >> width == 0).then_some(value)
    }
}

/// Returns the bytes of a value of `width` bits, highest first.
fn octets(value: u128, width: u32) -> Vec<u8> {
    let bytes = value.to_be_bytes();
    let used = (width.div_ceil(8) as usize).min(bytes.len());
    bytes[bytes.len() - used..].to_vec()
}

/// Reads a number of exactly `digits` hexadecimal digits.
fn hexadecimal(text: &str, digits: usize) -> Option<u128> {
    let proper = text.len() == digits && text.bytes().all(|c| c.is_ascii_hexdigit());
    if proper { u128::from_str_radix(text, 16).ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings() {
        for (value, width, hex, base64, decimal) in [
            (0xe306_9283, 32, "e3069283", "4waSgw==", "3808858755"),
            (0x5, 3, "5", "BQ==", "5"),
            (0xbeef, 16, "beef", "vu8=", "48879"),
            (0x19, 5, "19", "GQ==", "25"),
            (
                u128::MAX,
                128,
                "ffffffffffffffffffffffffffffffff",
                "/////////////////////w==",
                "340282366920938463463374607431768211455",
            ),
        ] {
            for (encoding, text) in
                [(Encoding::Hex, hex), (Encoding::Base64, base64), (Encoding::Decimal, decimal)]
            {
                assert_eq!(encoding.encode(value, width), text);
                assert_eq!(encoding.decode(text, width), Some(value), "{text}");
            }
        }
        for (value, width, big, little) in [
            (0xe306_9283, 32, "e3069283", "839206e3"),
            (0x123, 12, "0123", "2301"),
            (5, 3, "05", "05"),
        ] {
            for (encoding, text) in [(Encoding::BigEndian, big), (Encoding::LittleEndian, little)] {
                assert_eq!(encoding.encode(value, width), text);
                assert_eq!(encoding.decode(text, width), Some(value), "{text}");
            }
        }
        assert_eq!(Encoding::LittleEndian.encode(1, 128), format!("01{:030}", 0));
        assert_eq!(Encoding::LittleEndian.decode(&format!("01{:030}", 0), 128), Some(1));
        assert_eq!(Encoding::LittleEndian.decode("2311", 12), None);
        assert_eq!(Encoding::BigEndian.decode("123", 12), None);
        assert_eq!(Encoding::Hex.decode("3f", 5), None);
        assert_eq!(Encoding::Hex.decode("+f", 8), None);
        assert_eq!(Encoding::Hex.decode("é", 8), None);
        assert_eq!(Encoding::Decimal.decode("256", 8), None);
        assert_eq!(Encoding::Decimal.decode("", 8), None);
        assert_eq!(Encoding::Base64.decode("vu8", 16), None);
    }
}
