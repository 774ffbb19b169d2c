//! Lengths of data, as arguments of all commands.

/// Names of units, with their bits.
const UNITS: [(&str, u64); 16] = [
    ("b", 1),
    ("bit", 1),
    ("bits", 1),
    ("k", 1000),
    ("M", 1_000_000),
    ("G", 1_000_000_000),
    ("kbit", 1000),
    ("Mbit", 1_000_000),
    ("Gbit", 1_000_000_000),
    ("B", 8),
    ("kB", 8000),
    ("MB", 8_000_000),
    ("GB", 8_000_000_000),
    ("KiB", 8 << 10),
    ("MiB", 8 << 20),
    ("GiB", 8 << 30),
];

/// Reads a length in bits, with an optional unit: `1500B`, `1.5kB`, `1e9`, `64 KiB`.
pub fn bits(text: &str) -> Result<u64, String> {
    length(text, 1).and_then(some)
}

/// Reads a length in bytes, with an optional unit as in [`bits`].
pub fn bytes(text: &str) -> Result<u64, String> {
    bytes_or_none(text).and_then(some)
}

/// Reads a length in bytes that fits memory and may be 0.
pub fn size(text: &str) -> Result<usize, String> {
    bytes_or_none(text).and_then(|bytes| usize::try_from(bytes).map_err(|_| TOO_LONG.into()))
}

fn some(length: u64) -> Result<u64, String> {
    match length {
        0 => Err("length 0: give at least one bit".into()),
        length => Ok(length),
    }
}

fn bytes_or_none(text: &str) -> Result<u64, String> {
    // Here k, M and G alone are thousands of bytes, not of bits.
    let bits = match text.trim_end().strip_suffix(['k', 'M', 'G']) {
        Some(_) => length(&format!("{}B", text.trim_end()), 8)?,
        None => length(text, 8)?,
    };
    if bits % 8 == 0 { Ok(bits / 8) } else { Err("expected a whole number of bytes".into()) }
}

const TOO_LONG: &str = "too long: give at most 2^62 bits";

/// Reads a length in bits; a number without a unit counts units of `plain` bits.
fn length(text: &str, plain: u64) -> Result<u64, String> {
    let text = text.trim();
    // An exponent belongs to the number: 1e9.
    let end = text.rfind(|c: char| c.is_ascii_digit()).map_or(0, |last| last + 1);
    let (number, unit) = text.split_at(end);
    let number = number.trim_end();
    let unit = match unit.trim() {
        "" => plain,
        unit => UNITS.iter().find(|(name, _)| *name == unit).map(|(_, bits)| *bits).ok_or_else(
            || {
                format!(
                    "unknown unit `{}`: expected bits, B, kB, MB, GB, KiB, MiB or GiB",
                    unit.escape_debug()
                )
            },
        )?,
    };
    let wrong =
        || "expected a length as 12000, 1500B, 1.5kB or 1e9, of a whole number of bits".to_string();
    let (digits, exponent) = match number.split_once(['e', 'E']) {
        Some((digits, exponent)) => {
            let proper = exponent.strip_prefix('+').unwrap_or(exponent);
            let proper = proper.bytes().all(|c| c.is_ascii_digit()) && proper.len() < 4;
            (digits, exponent.parse::<u32>().ok().filter(|_| proper).ok_or_else(wrong)?)
        }
        None => (number, 0),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let whole = whole.replace(['_', ','], "");
    let fraction = fraction.trim_end_matches('0');
    let all = format!("{whole}{fraction}");
    if all.is_empty() && !digits.contains('0') || !all.bytes().all(|c| c.is_ascii_digit()) {
        return Err(wrong());
    }
    // Exact: all digits as an integer, times the unit, times a power of ten for the exponent and
    // the decimal point.
    let value: u128 = match all.as_str() {
        "" => 0,
        all => all.parse().map_err(|_| TOO_LONG.to_string())?,
    };
    let power = i64::from(exponent) - fraction.len() as i64;
    let ten = u32::try_from(power.unsigned_abs()).ok().and_then(|power| 10_u128.checked_pow(power));
    let bits = value.checked_mul(unit.into()).ok_or(TOO_LONG)?;
    let bits = match (ten, power < 0) {
        (Some(ten), true) if bits % ten == 0 => bits / ten,
        (_, true) => return Err(wrong()),
        (Some(ten), false) => bits.checked_mul(ten).ok_or(TOO_LONG)?,
        (None, false) => return Err(TOO_LONG.into()),
    };
    u64::try_from(bits).ok().filter(|&bits| bits <= 1 << 62).ok_or_else(|| TOO_LONG.into())
}

#[cfg(test)]
mod tests {
    use super::{bits, bytes};

    #[test]
    fn lengths_with_units_fractions_and_exponents() {
        for (text, expected) in [
            ("12112", 12_112),
            ("12,112", 12_112),
            ("1_000", 1000),
            ("1500B", 12_000),
            ("1.5kB", 12_000),
            ("1.5 kB", 12_000),
            ("1.50kB", 12_000),
            ("1.5k", 1500),
            ("1e9", 1_000_000_000),
            ("1E+9", 1_000_000_000),
            ("1.5e3B", 12_000),
            ("0.125B", 1),
            (".5kB", 4000),
            ("1MiB", 8 << 20),
            ("2GiB", 16 << 30),
            ("64bits", 64),
            ("64 b", 64),
            ("9Mbit", 9_000_000),
            ("2.5e-1e", 0),
        ] {
            assert_eq!(bits(text).ok(), Some(expected).filter(|&bits| bits > 0), "{text}");
        }
        for (text, expected) in [
            ("1500", 1500),
            ("1.5k", 1500),
            ("1.5kB", 1500),
            ("64KiB", 64 << 10),
            ("1e6", 1_000_000),
            ("16bits", 2),
        ] {
            assert_eq!(bytes(text), Ok(expected), "{text}");
        }
        assert!(bytes("9bits").is_err());
    }

    #[test]
    fn lengths_that_are_refused() {
        for wrong in [
            "",
            "0",
            "0B",
            "0.0",
            "B",
            ".",
            "-1",
            "1.5",
            "1.3B",
            "9KB",
            "99999999999999999999",
            "999999999999999999B",
            "1é",
            "1e",
            "1e99",
            "1e99999999999",
            "e9",
            "1.2.3",
            "1 2",
            "nan",
            "0x10",
            "1e-9",
            "+1",
        ] {
            assert!(bits(wrong).is_err(), "{wrong}: {:?}", bits(wrong));
        }
    }
}
