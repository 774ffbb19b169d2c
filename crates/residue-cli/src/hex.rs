//! Bytes in hexadecimal, as arguments hold them and as they are printed.

/// Reads bytes in hexadecimal. Spaces, colons and a leading `0x` are ignored. Returns `None` if a
/// digit is missing or wrong.
pub fn parse(text: &str) -> Option<Vec<u8>> {
    let text = text.trim();
    let text = text.strip_prefix("0x").or(text.strip_prefix("0X")).unwrap_or(text);
    let digits = text.chars().filter(|c| !c.is_whitespace() && *c != ':');
    let digits: Vec<u8> =
        digits.map(|c| c.to_digit(16).map(|digit| digit as u8)).collect::<Option<_>>()?;
    let (pairs, rest) = digits.as_chunks::<2>();
    rest.is_empty().then(|| pairs.iter().map(|[high, low]| high << 4 | low).collect())
}

/// Writes bytes in hexadecimal, two digits each.
pub fn digits(bytes: impl IntoIterator<Item = u8>) -> String {
    bytes.into_iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes() {
        for text in ["0102ff", "0x0102FF", "0X01:02:ff", " 01 02\tff\n", "0:1 0:2ff"] {
            assert_eq!(parse(text), Some(vec![1, 2, 255]), "{text}");
        }
        assert_eq!(parse(""), Some(Vec::new()));
        for wrong in ["0", "123", "0x1", "gg", "é1", "0x0x01", "+1", "-1"] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
        assert_eq!(digits([1, 2, 255]), "0102ff");
    }
}
