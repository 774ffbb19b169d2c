//! The shown arithmetic: lines and value.

/// The arithmetic as text, and its result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// The lines to print: ASCII, at most about 160 columns.
    pub lines: Vec<String>,
    /// The resulting value.
    pub value: u128,
}

/// Writes the bytes in hexadecimal, and as text where they are text.
pub(super) fn input(data: &[u8]) -> String {
    let hex: Vec<String> = data.iter().map(|byte| format!("{byte:02x}")).collect();
    match std::str::from_utf8(data) {
        _ if data.is_empty() => "no bytes".to_string(),
        Ok(text) if data.iter().all(|byte| matches!(byte, b' '..=b'~')) => {
            format!("{}  (`{text}`)", hex.join(" "))
        }
        _ => hex.join(" "),
    }
}
