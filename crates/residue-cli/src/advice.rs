//! The advice at the end of a report: what is certain, what is not, what to do next.

use crate::output::{Output, Styles};
use residue_report::text::wrapped;
use serde::Serialize;
use std::io;

/// Columns of the text.
const COLUMNS: usize = 100;

/// What follows from a result.
#[derive(Clone, Debug, Serialize)]
pub struct Advice {
    /// What the result shows.
    pub certain: String,
    /// What it does not show.
    pub not_certain: String,
    /// What to do.
    pub next: String,
}

impl Advice {
    /// Prints it below a report.
    pub fn print(&self, output: &mut Output) -> io::Result<()> {
        output.line("")?;
        self.lines(output.styles).into_iter().try_for_each(|line| output.line(line))
    }

    /// Returns it as lines of text, wrapped.
    pub fn lines(&self, styles: Styles) -> Vec<String> {
        let head = styles.head;
        let mut lines = Vec::new();
        for (name, text) in
            [("Certain", &self.certain), ("Not certain", &self.not_certain), ("Next", &self.next)]
        {
            let text = wrapped(&format!("{name}: {text}"), COLUMNS);
            let text = text.replacen(&format!("{name}:"), &format!("{head}{name}:{head:#}"), 1);
            lines.extend(text.lines().map(String::from));
        }
        lines
    }
}
