//! Source code of a CRC as a function in six languages, by three methods.
//!
//! Every function takes the value of the data so far and returns the value with further data, as
//! zlib's `crc32` does. Between the two, it holds the register in a word of the language: in its
//! lowest bits if the lowest bit of a byte comes first, else in its highest.

mod go;
mod java;
mod javascript;
mod python;
mod rust;
#[cfg(test)]
mod tests;

use residue::crc::Params;
pub use residue_identify::source::Method;
use residue_identify::source::{Model, c, down, snake};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

/// A language of the generated code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum Language {
    /// C11.
    C,
    /// Go.
    Go,
    /// Java, as a class.
    Java,
    /// JavaScript, as a module; values above 32 bits are of type `BigInt`.
    JavaScript,
    /// Python 3.
    Python,
    /// Rust.
    Rust,
}

/// Reads a method by its name, as an attribute of a field.
pub fn method<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Method, D::Error> {
    let name = String::deserialize(deserializer)?;
    let method = Method::ALL.into_iter().find(|method| method.name() == name);
    method.ok_or_else(|| D::Error::custom(format!("unknown method `{name}`")))
}

/// Returns the source of the CRC.
///
/// # Errors
/// If the language has no integer type that the method could use for a register of this width.
pub fn source(params: &Params, language: Language, method: Method) -> Result<String, String> {
    let widest = match (language, method) {
        (Language::Python, Method::Bitwise | Method::Table)
        | (Language::Rust, Method::Bitwise | Method::Table)
        | (Language::JavaScript, Method::Bitwise) => 128,
        (Language::JavaScript, Method::Slicing) => 32,
        _ => 64,
    };
    if params.width > widest {
        return Err(format!(
            "{language:?} has no fast integers for this method above {widest} bits: choose another \
             method or language"
        ));
    }
    Ok(match language {
        Language::C => c(params, method)?,
        Language::Go => go::source(params, method),
        Language::Java => java::source(params, method),
        Language::JavaScript => javascript::source(params, method),
        Language::Python => python::source(params, method),
        Language::Rust => rust::source(params, method),
    })
}

/// Returns the name in languages that capitalise words, such as `Crc32Iscsi`.
fn camel(params: &Params) -> String {
    let capital = |word: &str| {
        let (first, rest) = word.split_at(word.len().min(1));
        first.to_uppercase() + rest
    };
    snake(params).split('_').map(capital).collect()
}

/// Joins the eight terms of a step of [`Method::Slicing`], four on a line. `term` gets the number
/// of the table and of the byte, from 0 for the first.
fn eight(indent: &str, term: impl Fn(u32, u32) -> String) -> String {
    let terms: Vec<String> = (0..8).map(|byte| term(7 - byte, byte)).collect();
    let [first, second] = [&terms[..4], &terms[4..]].map(|terms| terms.join(" ^ "));
    format!("{first}\n{indent}^ {second}")
}
