//! The polynomial that a command is about.

use anyhow::bail;
use residue_report::{COLUMNS, text::wrapped};
use residue_strength::{Generator, Notation};

/// Parses a polynomial, and returns it with the notation it was read in. Fails if `width`
/// contradicts it.
pub fn generator(text: &str, width: Option<u32>) -> anyhow::Result<(Generator, Notation)> {
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
