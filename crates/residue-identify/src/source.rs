//! Source code of CRCs as functions of programming languages, by three methods.
//!
//! A language is a template (`source/*.txt`), which shows the code for all CRCs and methods, and
//! the words to fill in. Every function takes the value of the data so far and returns the value
//! with further data, as zlib's `crc32` does. Between the two, it holds the register in a word of
//! the language: in its lowest bits if the lowest bit of a byte comes first, else in its highest.

mod c;
mod go;
mod java;
mod javascript;
pub(crate) mod model;
mod python;
mod rust;

pub use model::Method;
use model::{camel, lower_camel, snake};
use residue::crc::Params;

/// A programming language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

impl Language {
    /// All languages.
    pub const ALL: [Language; 6] = [
        Language::C,
        Language::Go,
        Language::Java,
        Language::JavaScript,
        Language::Python,
        Language::Rust,
    ];

    /// Returns the name in lower case, as it is given on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Language::C => "c",
            Language::Go => "go",
            Language::Java => "java",
            Language::JavaScript => "javascript",
            Language::Python => "python",
            Language::Rust => "rust",
        }
    }

    /// Returns the name of the function of a CRC; in Java, of its class.
    #[must_use]
    pub fn function(self, params: &Params) -> String {
        match self {
            Language::C | Language::Python | Language::Rust => snake(params),
            Language::Go | Language::Java => camel(params),
            Language::JavaScript => lower_camel(params),
        }
    }

    /// Returns the widest CRC, in bits, whose register has a type for the method.
    fn widest(self, method: Method) -> u8 {
        match (self, method) {
            (Language::Python | Language::Rust, Method::Bitwise | Method::Table)
            | (Language::JavaScript, Method::Bitwise) => 128,
            (Language::JavaScript, Method::Slicing) => 32,
            _ => 64,
        }
    }

    /// Returns the source of a CRC as a function, by a method.
    ///
    /// The function takes the value of the data so far and returns the value with further data, as
    /// zlib's `crc32` does.
    ///
    /// # Errors
    /// If the language has no integer type that the method could use for a register of this width;
    /// names the languages that have one, or else the methods that do with it.
    pub fn source(self, params: &Params, method: Method) -> Result<String, String> {
        let width = params.width;
        if width > self.widest(method) {
            let languages = Language::ALL.into_iter().filter(|it| width <= it.widest(method));
            let languages: Vec<&str> = languages.map(Language::name).collect();
            let have = match languages.as_slice() {
                [] => "the method bitwise in javascript, python or rust has them".to_string(),
                all => format!("there are such in {}", all.join(", ")),
            };
            let (name, method) = (self.name(), method.name());
            return Err(format!("{name} has no integers of {width} bits for {method}: {have}"));
        }
        let source = match self {
            Language::C => c::source,
            Language::Go => go::source,
            Language::Java => java::source,
            Language::JavaScript => javascript::source,
            Language::Python => python::source,
            Language::Rust => rust::source,
        };
        Ok(source(params, method))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use residue::crc::catalog;

    #[test]
    fn no_word_of_a_template_is_left() {
        for params in catalog::ALL {
            for (language, method) in
                Language::ALL.into_iter().flat_map(|it| Method::ALL.map(|method| (it, method)))
            {
                let source = language.source(params, method).unwrap_or_default();
                assert!(!source.contains('$'), "{source}");
            }
        }
    }
}
