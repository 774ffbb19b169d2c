//! The polynomial that a command is about.

use crate::codes::Names;
use anyhow::bail;
use clap::Args;
use residue_report::{COLUMNS, text::wrapped};
use residue_strength::{Generator, Notation};

// The polynomial that a command is about.
#[derive(Debug, Args)]
pub struct Polynomial {
    /// Name of a CRC, or a polynomial
    // A subcommand may stand in its place.
    #[arg(
        value_name = "POLY",
        required = true,
        value_parser = Names,
        hide_possible_values = true
    )]
    polynomial: Option<String>,
    /// Degree, if the digits are ambiguous
    #[arg(long, value_name = "BITS")]
    width: Option<u32>,
}

impl Polynomial {
    /// Returns the text.
    pub fn text(&self) -> &str {
        self.polynomial.as_deref().unwrap_or_default()
    }

    /// Parses the polynomial, and returns it with the notation it was read in. Fails if the width
    /// contradicts it.
    pub fn generator(&self) -> anyhow::Result<(Generator, Notation)> {
        let (text, width) = (self.text(), self.width);
        let (generator, read) = Generator::parse(text, width)?;
        match width {
            Some(width) if width != generator.width() => bail!(
                "--width {width}: `{}` has {} bits; leave out --width",
                text.escape_debug(),
                generator.width()
            ),
            _ => Ok((generator, read)),
        }
    }
}

/// Describes a polynomial in a few lines.
pub fn polynomial_as_text(generator: &Generator, read: Notation) -> Vec<String> {
    let notations: Vec<String> = Notation::ALL
        .iter()
        .map(|&notation| format!("{} {}", notation.name(), generator.digits(notation)))
        .collect();
    let mut lines = vec![
        format!("polynomial  {} bits, read as {}", generator.width(), read.name()),
        format!("            {}", notations.join("  ")),
    ];
    let names: Vec<&str> = generator.names().collect();
    if !names.is_empty() {
        let names = names.join(", ");
        let wrapped = wrapped(&names, COLUMNS - 12);
        lines.extend(
            wrapped
                .lines()
                .zip(["used by"].into_iter().chain(std::iter::repeat("")))
                .map(|(line, label)| format!("{label:12}{line}")),
        );
    }
    lines
}
