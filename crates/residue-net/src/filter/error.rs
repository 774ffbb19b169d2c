//! Errors of filters, with the place in the expression.

use std::fmt;
use std::ops::Range;

/// An expression that is no filter. It is printed as a message, the expression, and a caret at the
/// place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilterError {
    expression: String,
    place: Range<usize>,
    message: String,
}

impl FilterError {
    pub(super) fn new(expression: &str, place: Range<usize>, message: impl Into<String>) -> Self {
        FilterError { expression: expression.into(), place, message: message.into() }
    }

    /// Returns the range of wrong bytes in the expression; empty at its end, if something is
    /// missing.
    #[must_use]
    pub fn place(&self) -> Range<usize> {
        self.place.clone()
    }

    /// Returns the message alone.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }
}

/// Largest numbers of characters shown before and behind the place.
const BEFORE: usize = 50;
const BEHIND: usize = 20;

impl fmt::Display for FilterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // One column for each character: no control characters, no long expressions.
        let shown = |text: &str| -> Vec<char> {
            text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
        };
        let Range { start, end } = self.place;
        let parts = [0..start, start..end, end..self.expression.len()];
        let [before, wrong, behind] =
            parts.map(|part| shown(self.expression.get(part).unwrap_or_default()));
        let cut = before.len() > BEFORE + 3;
        let before: String = match cut {
            true => "...".chars().chain(before[before.len() - BEFORE..].iter().copied()).collect(),
            false => before.iter().collect(),
        };
        let width = wrong.len().clamp(1, BEFORE);
        let after: String = wrong.iter().chain(&behind).take(width + BEHIND).collect();
        let dots = if wrong.len() + behind.len() > width + BEHIND { "..." } else { "" };
        let indent = " ".repeat(before.chars().count());
        let line = format!("{before}{after}{dots}");
        write!(f, "{}\n  {}\n  {indent}{}", self.message, line.trim_end(), "^".repeat(width))
    }
}

impl std::error::Error for FilterError {}
