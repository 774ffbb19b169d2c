//! A table, and its two faces: text for a terminal and HTML.

use crate::text::{escaped, padded, shortened, wrapped};

/// The width of a terminal that every text table fits into.
pub const COLUMNS: usize = 108;

/// The most characters of a name. It may come from a file and must not push the figures off the
/// screen.
const STUB_LIMIT: usize = 30;

/// One line of a [`Table`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Row {
    /// A heading between the lines.
    Group(String),
    /// A name and its values, as many as the table has columns.
    Values(String, Vec<String>),
    /// A name and published values, shown less strongly.
    Published(String, Vec<String>),
}

/// A table of text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// A word for links: `6.1`, `a1`.
    pub id: &'static str,
    /// The subject of the figure or table.
    pub title: String,
    /// A note on how to read it; may be empty.
    pub note: String,
    /// The heading of the column of names.
    pub stub: &'static str,
    /// The headings of the columns of values.
    pub heads: Vec<String>,
    /// The number of neighbouring columns that belong together, ours first and the published ones
    /// after it; blocks of a text table are cut between such groups.
    pub together: usize,
    /// The lines.
    pub rows: Vec<Row>,
}

impl Table {
    /// Returns whether it has no value at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.iter().all(|row| matches!(row, Row::Group(_)))
    }

    /// Returns the table for a terminal of [`COLUMNS`] columns. A wider table is cut into blocks of
    /// columns, one below the other, each with the names. Ends in a line end.
    #[must_use]
    pub fn text(&self) -> String {
        let mut out = format!("{}\n", wrapped(&self.title, COLUMNS));
        if !self.note.is_empty() {
            out.push_str(&wrapped(&self.note, COLUMNS));
            out.push('\n');
        }
        let stub = self.stub_width();
        let widths: Vec<usize> =
            (0..self.heads.len()).map(|column| self.column_width(column)).collect();
        let mut first = 0;
        while first < widths.len() {
            let end = self.block_end(stub, &widths, first);
            out.push('\n');
            self.block(&mut out, stub, &widths, first..end);
            first = end;
        }
        out
    }

    /// Returns the end of the block of columns that starts at `first`.
    fn block_end(&self, stub: usize, widths: &[usize], first: usize) -> usize {
        let (mut end, mut used) = (first, stub);
        while end < widths.len() && (end == first || used + 2 + widths[end] <= COLUMNS) {
            used += 2 + widths[end];
            end += 1;
        }
        // A group that does not fit moves to the next block, unless the block would stay empty.
        let whole = first + (end - first) / self.together.max(1) * self.together.max(1);
        if end < widths.len() && whole > first { whole } else { end }
    }

    fn block(
        &self,
        out: &mut String,
        stub: usize,
        widths: &[usize],
        columns: std::ops::Range<usize>,
    ) {
        let mut line = |name: &str, values: &[String]| {
            let mut text = padded(name, stub, false);
            for column in columns.clone() {
                let value = values.get(column).map_or("", String::as_str);
                text.push_str("  ");
                text.push_str(&padded(value, widths[column], true));
            }
            out.push_str(text.trim_end());
            out.push('\n');
        };
        let heads: Vec<String> =
            self.heads.iter().map(|head| shortened(head, STUB_LIMIT)).collect();
        line(self.stub, &heads);
        let rules: Vec<String> = widths.iter().map(|&width| "-".repeat(width)).collect();
        line(&"-".repeat(stub), &rules);
        for row in &self.rows {
            match row {
                Row::Group(name) => line(&shortened(name, STUB_LIMIT), &[]),
                Row::Values(name, values) | Row::Published(name, values) => {
                    let values: Vec<String> =
                        values.iter().map(|value| shortened(value, STUB_LIMIT)).collect();
                    line(&format!("  {}", shortened(name, STUB_LIMIT)), &values);
                }
            }
        }
    }

    fn stub_width(&self) -> usize {
        let width = |row: &Row| match row {
            Row::Group(name) => name.chars().count().min(STUB_LIMIT),
            Row::Values(name, _) | Row::Published(name, _) => {
                name.chars().count().min(STUB_LIMIT) + 2
            }
        };
        self.rows.iter().map(width).max().unwrap_or(0).max(self.stub.chars().count())
    }

    fn column_width(&self, column: usize) -> usize {
        let width = |row: &Row| match row {
            Row::Group(_) => 0,
            Row::Values(_, values) | Row::Published(_, values) => {
                values.get(column).map_or(0, |value| value.chars().count())
            }
        };
        let values = self.rows.iter().map(width).max().unwrap_or(0);
        values.max(self.heads[column].chars().count()).min(STUB_LIMIT)
    }

    /// Returns the table as an HTML `<table>`, with the title as its caption. Everything is
    /// escaped.
    #[must_use]
    pub fn html(&self) -> String {
        let mut out = format!("<table>\n<caption>{}</caption>\n<thead><tr>", escaped(&self.title));
        out.push_str(&format!("<th scope=\"col\">{}</th>", escaped(self.stub)));
        for head in &self.heads {
            out.push_str(&format!("<th scope=\"col\">{}</th>", escaped(head)));
        }
        out.push_str("</tr></thead>\n<tbody>\n");
        for row in &self.rows {
            let (class, name, values) = match row {
                Row::Group(name) => {
                    let span = self.heads.len() + 1;
                    let name = escaped(name);
                    out.push_str(&format!(
                        "<tr class=\"group\"><th scope=\"rowgroup\" colspan=\"{span}\">{name}</th>\
                         </tr>\n"
                    ));
                    continue;
                }
                Row::Values(name, values) => ("", name, values),
                Row::Published(name, values) => (" class=\"published\"", name, values),
            };
            out.push_str(&format!("<tr{class}><th scope=\"row\">{}</th>", escaped(name)));
            for column in 0..self.heads.len() {
                let value = values.get(column).map_or("", String::as_str);
                // In a group of columns the first is ours.
                let class =
                    if column % self.together.max(1) == 0 { "" } else { " class=\"published\"" };
                out.push_str(&format!("<td{class}>{}</td>", escaped(value)));
            }
            out.push_str("</tr>\n");
        }
        out.push_str("</tbody>\n</table>\n");
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(columns: usize) -> Table {
        let values = |text: &str| vec![text.to_string(); columns];
        Table {
            id: "t",
            title: "Title".into(),
            note: "A note.".into(),
            stub: "kernel",
            heads: (0..columns).map(|n| format!("{n} B")).collect(),
            together: 3,
            rows: vec![
                Row::Group("crc-32/iscsi".into()),
                Row::Values("<x>\u{1b}[31m".into(), values("0.128 ±0.0002")),
                Row::Published("a very long name ".repeat(9), values("1")),
                Row::Values("short".into(), vec![]),
            ],
        }
    }

    #[test]
    fn text_fits_the_terminal_and_lines_up() {
        for columns in [0, 1, 3, 13, 40] {
            let text = table(columns).text();
            assert!(text.lines().all(|line| line.chars().count() <= COLUMNS), "{text}");
            assert!(!text.contains('\u{1b}'));
        }
        let text = table(2).text();
        let ends: Vec<usize> = text.lines().skip(3).map(|line| line.chars().count()).collect();
        assert_eq!(ends[0], ends[1], "{text}");
        assert_eq!(ends[1], ends[3], "{text}");
    }

    #[test]
    fn html_is_well_formed_and_escaped() {
        let html = table(3).html();
        let document = roxmltree::Document::parse(&html).unwrap();
        assert_eq!(document.descendants().filter(|node| node.has_tag_name("td")).count(), 9);
        assert!(html.contains("&lt;x&gt;"));
    }
}
