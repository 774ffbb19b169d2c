//! Comma-separated values after RFC 4180, whose text spreadsheets do not compute.
//!
//! Spreadsheets take a cell that begins with `=`, `+`, `-` or `@` for a formula, which may run
//! programs or send data elsewhere, and names of files can begin so. Text that would be a formula
//! is therefore preceded by an apostrophe (OWASP, *CSV Injection*). Numbers are unchanged.

use std::borrow::Cow;
use std::fmt::Display;

/// A table as text: the names of its columns, and rows of as many cells.
#[derive(Debug)]
pub struct Sheet {
    text: String,
    columns: usize,
    /// The cells of the row that is not ended.
    row: Vec<String>,
    end: &'static str,
}

impl Sheet {
    /// Begins a table with these names, separated by commas. Its lines end in CR LF.
    #[must_use]
    pub fn new(names: &str) -> Sheet {
        Sheet::ending("\r\n", names)
    }

    /// Begins a table whose lines end in LF, for programs that read lines.
    #[must_use]
    pub fn of_lines(names: &str) -> Sheet {
        Sheet::ending("\n", names)
    }

    fn ending(end: &'static str, names: &str) -> Sheet {
        Sheet {
            text: format!("{names}{end}"),
            columns: names.split(',').count(),
            row: Vec::new(),
            end,
        }
    }

    /// Adds cells to the row.
    pub fn cells(&mut self, cells: &[&dyn Display]) -> &mut Self {
        self.row.extend(cells.iter().map(|cell| quoted(&cell.to_string()).into_owned()));
        self
    }

    /// Ends the row, which has a cell for each name.
    pub fn end(&mut self) {
        debug_assert_eq!(self.row.len(), self.columns, "{:?}", self.row);
        self.text += &self.row.join(",");
        self.text += self.end;
        self.row.clear();
    }

    /// Adds a whole row.
    pub fn row(&mut self, cells: &[&dyn Display]) {
        self.cells(cells).end();
    }

    /// Returns the whole text.
    #[must_use]
    pub fn text(self) -> String {
        self.text
    }
}

/// Returns the cell of a value that may be missing.
#[must_use]
pub fn or_empty(value: Option<impl Display>) -> String {
    value.map_or(String::new(), |value| value.to_string())
}

/// Returns a text as a field of a line.
///
/// The field is in quotes if it holds a comma, a quote or a line end. Text that a spreadsheet would
/// take for a formula gets an apostrophe in front, which [`parse`] removes; a number such as `-1.5`
/// does not.
#[must_use]
pub fn quoted(field: &str) -> Cow<'_, str> {
    let field = if is_formula(field) && !is_number(field) {
        Cow::Owned(format!("'{field}"))
    } else {
        Cow::Borrowed(field)
    };
    if field.contains([',', '"', '\r', '\n']) {
        Cow::Owned(format!("\"{}\"", field.replace('"', "\"\"")))
    } else {
        field
    }
}

/// Returns whether a spreadsheet may take a text for a formula, whatever number of apostrophes is
/// in front: an apostrophe that belongs to the text must stay when one is removed.
fn is_formula(text: &str) -> bool {
    // Some programs drop white space in front, and take the wide forms for the narrow ones.
    let starts =
        ['=', '+', '-', '@', '\t', '\r', '\n', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}'];
    text.trim_start_matches('\'').starts_with(starts)
}

/// Returns whether a text is a decimal number, as numbers are written.
fn is_number(text: &str) -> bool {
    // Names such as `-inf` are numbers to `parse` alone.
    let digits = |c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.' | 'e' | 'E');
    text.chars().all(digits) && text.parse::<f64>().is_ok()
}

/// Returns a field without the apostrophe of [`quoted`].
fn unguarded(field: String) -> String {
    match field.strip_prefix('\'') {
        Some(text) if is_formula(text) && !is_number(text) => text.to_string(),
        _ => field,
    }
}

/// Returns the lines of a table, each as its fields, without the apostrophes of [`quoted`]; empty
/// lines are left out.
#[must_use]
pub fn parse(text: &str) -> Vec<Vec<String>> {
    let mut lines = Vec::new();
    let (mut line, mut field, mut in_quotes) = (Vec::new(), String::new(), false);
    let mut chars = text.chars().peekable();
    loop {
        match chars.next() {
            Some('"') if in_quotes && chars.peek() == Some(&'"') => {
                chars.next();
                field.push('"');
            }
            Some('"') => in_quotes = !in_quotes,
            Some(c) if in_quotes => field.push(c),
            Some(',') => line.push(unguarded(std::mem::take(&mut field))),
            Some('\r') => {}
            Some('\n') | None => {
                line.push(unguarded(std::mem::take(&mut field)));
                if line.len() > 1 || !line[0].is_empty() {
                    lines.push(std::mem::take(&mut line));
                }
                line.clear();
                in_quotes = false;
                if chars.peek().is_none() {
                    return lines;
                }
            }
            Some(c) => field.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_quoted_only_where_they_must_be() {
        assert_eq!(quoted("crc-32/iscsi"), "crc-32/iscsi");
        assert_eq!(quoted("a,b"), "\"a,b\"");
        assert_eq!(quoted("say \"x\""), "\"say \"\"x\"\"\"");
        assert_eq!(quoted("two\nlines"), "\"two\nlines\"");
    }

    #[test]
    fn rows_have_a_cell_for_each_name() {
        let mut sheet = Sheet::new("name,value,note");
        sheet.row(&[&"a,b", &-1.5, &or_empty(None::<u32>)]);
        sheet.cells(&[&"=1", &7]).cells(&[&or_empty(Some(true))]).end();
        assert_eq!(sheet.text(), "name,value,note\r\n\"a,b\",-1.5,\r\n'=1,7,true\r\n");
        assert_eq!(Sheet::of_lines("a,b").text(), "a,b\n");
    }

    #[test]
    fn text_is_no_formula() {
        for (text, field) in [
            ("=1+1", "'=1+1"),
            ("+cmd|' /C calc'!A0", "'+cmd|' /C calc'!A0"),
            ("-x", "'-x"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("\t=1", "'\t=1"),
            ("\r=1", "\"'\r=1\""),
            ("\n=1", "\"'\n=1\""),
            ("\u{ff1d}1", "'\u{ff1d}1"),
            ("=HYPERLINK(\"a\",\"b\")", "\"'=HYPERLINK(\"\"a\"\",\"\"b\"\")\""),
            // The apostrophe of the text itself is kept.
            ("'=1", "''=1"),
            ("''-x", "'''-x"),
            ("-1.5-2", "'-1.5-2"),
            ("-inf", "'-inf"),
            ("-", "'-"),
        ] {
            assert_eq!(quoted(text), field);
        }
        for harmless in ["-1.5", "+2e-7", "-1E6", "a=1", "it's", "'quoted'", "'", "", "'1"] {
            assert_eq!(quoted(harmless), harmless);
        }
    }

    #[test]
    fn every_text_reads_back() {
        let parts = ["", "'", "''", "=", "-", "@", "\t", "\n", "\r", ",", "\"", "1", "x"];
        for (a, b) in parts.iter().flat_map(|a| parts.map(|b| (a, b))) {
            for c in parts {
                let text = format!("{a}{b}{c}");
                let line = format!("1,{},2\r\n", quoted(&text));
                assert_eq!(parse(&line), [["1", &text, "2"]], "{line:?}");
            }
        }
    }

    #[test]
    fn odd_input_is_read_without_complaint() {
        assert!(parse("").is_empty());
        assert!(parse("\n\r\n").is_empty());
        assert_eq!(parse("a,\"b"), vec![vec!["a".to_string(), "b".to_string()]]);
        assert_eq!(parse("a,b\r\n,\n").len(), 2);
    }
}
