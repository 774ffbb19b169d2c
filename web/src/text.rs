//! Numbers and codes as text.

use residue::Code;

/// Returns the text that [`Code`] reads: the name, or the parameters of a CRC without one.
pub fn spec(code: &Code) -> String {
    match code.params() {
        Some(params) if params.name == "custom" => params.to_string(),
        _ => code.name().to_string(),
    }
}

/// Formats a value in hexadecimal with all digits of its width.
pub fn formatted(code: &Code, value: u128) -> String {
    format!("{value:0digits$x}", digits = code.width().div_ceil(4) as usize)
}

/// Parses pairs of hexadecimal digits.
pub fn bytes(what: &str, text: &str) -> Result<Vec<u8>, String> {
    let digits: Vec<u32> = text
        .chars()
        .filter(|c| !c.is_whitespace())
        .map(|c| c.to_digit(16).ok_or_else(|| format!("{what}: `{c}` is not a hexadecimal digit")))
        .collect::<Result<_, _>>()?;
    if digits.len() % 2 == 1 {
        return Err(format!("{what}: {} digits are not a whole number of bytes", digits.len()));
    }
    Ok(digits.chunks(2).map(|pair| (pair[0] << 4 | pair[1]) as u8).collect())
}

/// Parses a hexadecimal number, with or without `0x`; spaces and underscores may group digits.
pub fn hexadecimal(what: &str, text: &str) -> Result<u128, String> {
    let plain: String = text.chars().filter(|c| !c.is_whitespace() && *c != '_').collect();
    let digits = plain.strip_prefix("0x").or(plain.strip_prefix("0X")).unwrap_or(&plain);
    if digits.is_empty() {
        return Err(format!("{what} is empty; write hexadecimal digits"));
    }
    if let Some(wrong) = digits.chars().find(|c| !c.is_ascii_hexdigit()) {
        return Err(format!("{what}: `{}` is not a hexadecimal digit", wrong.escape_debug()));
    }
    u128::from_str_radix(digits, 16).map_err(|_| format!("{what} has more than 128 bits"))
}
