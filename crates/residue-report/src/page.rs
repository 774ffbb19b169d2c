//! One HTML file with its style and its figures inside, which loads nothing else. All text is
//! escaped.

use std::fmt::Write as _;

use crate::table::Table;
use crate::text::{escaped, marked_up};

const STYLE: &str = include_str!("page/style.css");

/// The line by which a page is known as ours.
pub const GENERATOR: &str = "<meta name=\"generator\" content=\"residue\" />";

/// One drawn figure.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Figure {
    /// A word for links and file names: `fastest`, or the number `6.5` that it has in a document.
    pub id: String,
    /// The subject of the figure or table.
    pub title: String,
    /// The caption, in full sentences; the drawing itself has the legend.
    pub caption: String,
    /// A complete SVG document of 900 by 560 CSS pixels.
    pub svg: String,
}

/// Returns the beginning of a page, to where its body begins. `about` follows the title: a date,
/// or a subject.
#[must_use]
pub fn head(title: &str, about: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\" />\n\
         {GENERATOR}\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\" />\n\
         <title>{}, {}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n",
        escaped(title),
        escaped(about)
    )
}

/// Appends a section with a heading.
pub fn section(out: &mut String, id: &str, title: &str, body: impl FnOnce(&mut String)) {
    let _ = write!(out, "<section id=\"{id}\">\n<h2>{title}</h2>\n");
    body(out);
    out.push_str("</section>\n");
}

/// Appends a figure.
pub fn figure(out: &mut String, figure: &Figure) {
    let id = escaped(&figure.id);
    let _ = write!(
        out,
        "<figure id=\"figure-{id}\">\n<h3 class=\"unseen\">{}</h3>\n",
        figure_heading(figure)
    );
    plate(out, figure);
    out.push_str("</figure>\n");
}

/// Returns a figure's heading, for outlines and screen readers only: the title stands in the
/// drawing as well.
fn figure_heading(figure: &Figure) -> String {
    match figure.id.starts_with(|c: char| c.is_ascii_digit()) {
        true => escaped(&format!("Figure {}: {}", figure.id, figure.title)),
        false => escaped(&figure.title),
    }
}

/// Marked up, and with compiler options such as -O3 kept whole at the end of a line.
fn prose(text: &str) -> String {
    marked_up(text).replace(" -O", " \u{2011}O").replace("(-O", "(\u{2011}O")
}

/// Appends a figure's drawing and its caption.
pub fn plate(out: &mut String, figure: &Figure) {
    let caption = prose(&figure.caption);
    let _ = write!(
        out,
        "<div class=\"plate\">{}</div>\n<figcaption>{caption}</figcaption>\n",
        figure.svg.trim()
    );
}

/// Appends a table and its note.
pub fn table(out: &mut String, table: &Table) {
    let (id, note) = (escaped(table.id), prose(&table.note));
    let _ = write!(out, "<div class=\"scroll\" id=\"table-{id}\">\n{}</div>\n", table.html());
    let _ = writeln!(out, "<p class=\"note\">{note}</p>");
}
