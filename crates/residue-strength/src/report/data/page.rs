//! The report on real data: a page with figures, and a folder of it.

use super::figures::figures;
use super::{csv, findings, origin, tables};
use crate::data::Run;
use residue_report::text::{day, escaped, marked_up};
use residue_report::{files, page};
use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};

/// Returns the report as one page that loads nothing else.
#[must_use]
pub fn page(run: &Run) -> String {
    let title = "What error-detection codes miss on real data";
    let mut out = page::head(title, &day(&run.date));
    let _ = write!(
        out,
        "<header>\n<h1>{title}</h1>\n<p class=\"faint\">{} · seed {} · residue {}</p>\n<nav>\
         <a href=\"#verdict\">Verdict</a><a href=\"#data\">Data</a><a href=\"#figures\">Figures</a>\
         <a href=\"#tables\">Tables</a></nav>\n</header>\n<main>\n",
        escaped(&run.date),
        run.seed,
        escaped(&run.residue)
    );
    page::section(&mut out, "verdict", "Verdict", |out| {
        out.push_str("<div class=\"verdict\">\n");
        for sentence in findings(run) {
            let _ = writeln!(out, "<p>{}</p>", marked_up(&sentence));
        }
        out.push_str("</div>\n");
    });
    page::section(&mut out, "data", "Data", |out| {
        out.push_str("<dl>\n");
        for source in &run.sources {
            let _ = writeln!(
                out,
                "<dt>{}</dt><dd>{}</dd>",
                escaped(&source.name),
                escaped(&origin(source))
            );
        }
        out.push_str("</dl>\n");
    });
    page::section(&mut out, "figures", "Figures", |out| {
        figures(run).iter().for_each(|figure| page::figure(out, figure));
    });
    page::section(&mut out, "tables", "Tables", |out| {
        tables(run, true).iter().for_each(|table| page::table(out, table));
    });
    let _ = write!(
        out,
        "</main>\n<footer>Every figure is sampled. Made with residue {}. The experiments are those \
         of Stone, Greenwald, Partridge and Hughes, 1998.</footer>\n</body>\n</html>\n",
        escaped(&run.residue)
    );
    out
}

/// Writes the report into a folder, which is created if it is missing, and returns the paths, the
/// page first.
///
/// The files are `index.html`, `figure-TEST.svg` for each test, `data.csv` and `data.json`.
///
/// # Errors
///
/// Returns an error if they cannot be written.
pub fn write(dir: &Path, run: &Run) -> io::Result<Vec<PathBuf>> {
    let json = serde_json::to_string_pretty(run)? + "\n";
    let data = [("data.csv", csv(run)), ("data.json", json)];
    files::write_report(dir, &figures(run), &data, &page(run))
}

#[cfg(test)]
mod tests {
    use super::super::tests::run;
    use super::*;
    use crate::data::Test;
    use residue_report::csv::parse;
    use std::fs;

    #[test]
    fn a_report_is_whole() {
        let place = tempfile::tempdir().unwrap();
        let mut run = run();
        run.sources[0].name = "<a & b>, \"c\"\u{1b}".into();
        let paths = write(place.path(), &run).unwrap();
        assert_eq!(paths.len(), 3 + Test::ALL.len());
        let page = fs::read_to_string(&paths[0]).unwrap();
        let parsing = roxmltree::ParsingOptions { allow_dtd: true, ..Default::default() };
        let page = roxmltree::Document::parse_with_options(&page, parsing).unwrap();
        let count =
            |name: &str| page.descendants().filter(|node| node.tag_name().name() == name).count();
        assert_eq!((count("svg"), count("table")), (Test::ALL.len(), 2 * (Test::ALL.len() + 2)));
        let json = fs::read_to_string(place.path().join("data.json")).unwrap();
        let back: Run = serde_json::from_str(&json).unwrap();
        assert_eq!(csv(&back), csv(&run));
        assert_eq!(parse(&csv(&run)).len(), 1 + 2 * 3 * Test::ALL.len());
    }
}
