//! The report on a comparison: a page with figures, and a folder of it.

use super::figures::figures;
use super::{csv, findings, table};
use crate::answers::compare::Comparison;
use residue_report::number::grouped;
use residue_report::text::{escaped, marked_up};
use residue_report::{files, page};
use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};

/// Returns the report as one page that loads nothing else.
#[must_use]
pub fn page(comparison: &Comparison) -> String {
    let title = "Error-detection codes side by side";
    let about = format!("{} bits of data", grouped(comparison.data_bits));
    let mut out = page::head(title, &about);
    let _ = write!(
        out,
        "<header>\n<h1>{title}</h1>\n<p class=\"faint\">{about} · residue {}</p>\n<nav>\
         <a href=\"#figures\">Figures</a><a href=\"#tables\">Table</a></nav>\n</header>\n<main>\n",
        escaped(&comparison.residue)
    );
    let findings = findings(comparison);
    if !findings.is_empty() {
        out.push_str("<div class=\"verdict\">\n");
        for sentence in findings {
            let _ = writeln!(out, "<p>{}</p>", marked_up(&sentence));
        }
        out.push_str("</div>\n");
    }
    page::section(&mut out, "figures", "Figures", |out| {
        figures(comparison).iter().for_each(|figure| page::figure(out, figure));
    });
    page::section(&mut out, "tables", "Table", |out| {
        page::table(out, &table(comparison));
    });
    let _ = write!(
        out,
        "</main>\n<footer>Made with residue {}. Nothing here is sampled.</footer>\n</body>\n\
         </html>\n",
        escaped(&comparison.residue)
    );
    out
}

/// Writes the report into a folder, which is created if it is missing, and returns the paths, the
/// page first.
///
/// The files are `index.html`, `figure-distances.svg`, `figure-probabilities.svg`, `compare.csv`
/// and `compare.json`.
///
/// # Errors
///
/// Returns an error if they cannot be written.
pub fn write(dir: &Path, comparison: &Comparison) -> io::Result<Vec<PathBuf>> {
    let json = serde_json::to_string_pretty(comparison)? + "\n";
    let data = [("compare.csv", csv(comparison)), ("compare.json", json)];
    files::write_report(dir, &figures(comparison), &data, &page(comparison))
}

#[cfg(test)]
mod tests {
    use super::super::tests::comparison;
    use super::*;
    use residue_report::csv::parse;
    use std::fs;

    #[test]
    fn a_report_is_whole() {
        let place = tempfile::tempdir().unwrap();
        let mut comparison = comparison();
        comparison.codes[0].code = "<a & b>, \"c\"\u{1b}".into();
        let paths = write(place.path(), &comparison).unwrap();
        assert_eq!(paths.len(), 5);
        let page = fs::read_to_string(&paths[0]).unwrap();
        let parsing = roxmltree::ParsingOptions { allow_dtd: true, ..Default::default() };
        let page = roxmltree::Document::parse_with_options(&page, parsing).unwrap();
        let count =
            |name: &str| page.descendants().filter(|node| node.tag_name().name() == name).count();
        assert_eq!((count("svg"), count("table")), (2, 1));
        let lines = parse(&csv(&comparison));
        assert!(lines.iter().all(|line| line.len() == 7) && lines.len() > 30);
    }
}
