//! Names of codes: those that a misspelt one may mean, and short ones for figures.

use residue::{Code, Error, UnknownName};

/// Says that no code has this name, and which names are near it, or where all are.
#[must_use]
pub fn unknown(name: &UnknownName) -> String {
    match name.near().next() {
        Some(_) => name.to_string(),
        None => {
            let name = name.given().escape_debug();
            format!("no code has the name `{name}`; `residue list` names them")
        }
    }
}

/// Returns the names and aliases that may have been meant, nearest first; none for the name of a
/// code.
#[must_use]
pub fn near(name: &str) -> Vec<&'static str> {
    match name.parse::<Code>() {
        Err(Error::UnknownCode(name)) => name.near().collect(),
        _ => Vec::new(),
    }
}

/// Returns the short name of a code, for figures: `CRC-32C` for `crc-32/iscsi`.
#[must_use]
pub fn short(code: &str) -> &str {
    match code {
        "crc-32/iscsi" => "CRC-32C",
        "internet" => "Internet",
        "adler-32" => "Adler-32",
        "fletcher-32" => "Fletcher-32",
        other => other,
    }
}
