//! Every algorithm, table, figure, listing, claim and proposal of the documents: where it is here,
//! the command that shows it, and whether it is reproduced (`published/fidelity.csv`).

use residue_report::text::{escaped, marked_up};
use std::fmt::Write as _;

/// A point of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Point {
    /// The author and year.
    pub document: String,
    /// The page or section.
    pub place: String,
    /// `algorithm`, `claim`, `example`, `figure`, `formula`, `listing`, `method`, `proposal` or
    /// `table`.
    pub kind: String,
    /// The point, in our words.
    pub point: String,
    /// Where it is here, separated by semicolons: kernels as `code:kernel`, files, and numbers of
    /// figures and tables of the report.
    pub here: String,
    /// The command that shows it; empty where none does.
    pub command: String,
    /// `reproduced`, `differs because ...` or `needs ...`.
    pub state: String,
}

impl Point {
    /// Returns the parts of [`Point::here`].
    pub fn places_here(&self) -> impl Iterator<Item = &str> {
        self.here.split("; ").filter(|part| !part.is_empty())
    }
}

/// Returns all points, by document, in the order of its pages.
///
/// # Panics
/// If a line of the file has other than seven fields.
#[must_use]
pub fn points() -> Vec<Point> {
    let read = |row: &Vec<String>| {
        let [document, place, kind, point, here, command, state] = row.as_slice() else {
            panic!("a line of fidelity.csv has other than seven fields: {row:?}");
        };
        let field = |text: &str| text.to_string();
        Point {
            document: field(document),
            place: field(place),
            kind: field(kind),
            point: field(point),
            here: field(here),
            command: field(command),
            state: field(state),
        }
    };
    published!("fidelity").iter().skip(1).map(read).collect()
}

/// Appends a table for each document to a page.
pub(crate) fn tables(out: &mut String) {
    for of in points().chunk_by(|a, b| a.document == b.document) {
        let count = |start: &str| of.iter().filter(|point| point.state.starts_with(start)).count();
        let _ = write!(
            out,
            "<h3>{}</h3>\n<p>{} points: {} reproduced, {} differ, {} need what is not \
             here.</p>\n<div class=\"scroll\">\n<table class=\"prose\">\n<thead><tr><th>place</th>\
             <th>point, where it is here, command</th><th>state</th></tr></thead>\n<tbody>\n",
            escaped(&of[0].document),
            of.len(),
            count("reproduced"),
            count("differs"),
            count("needs")
        );
        for point in of {
            let _ = write!(
                out,
                "<tr><th>{}</th><td>{}: {}",
                escaped(&point.place),
                point.kind,
                escaped(&point.point)
            );
            if !point.here.is_empty() {
                let _ = write!(out, "<br /><span class=\"faint\">{}</span>", escaped(&point.here));
            }
            if !point.command.is_empty() {
                let _ = write!(out, "<br /><code>{}</code>", escaped(&point.command));
            }
            let _ = writeln!(out, "</td><td>{}</td></tr>", marked_up(&point.state));
        }
        out.push_str("</tbody>\n</table>\n</div>\n");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims::CLAIMS;
    use std::collections::BTreeSet;
    use std::path::Path;

    const KINDS: [&str; 9] = [
        "algorithm",
        "claim",
        "example",
        "figure",
        "formula",
        "listing",
        "method",
        "proposal",
        "table",
    ];

    #[test]
    fn every_line_is_whole() {
        let all = points();
        assert!(all.len() > 250);
        let mut seen = BTreeSet::new();
        for point in &all {
            let Point { place, kind, state, command, .. } = point;
            assert!(!place.is_empty() && KINDS.contains(&kind.as_str()), "{point:?}");
            let known = ["differs because ", "needs ", "reproduced"];
            assert!(known.iter().any(|start| state.starts_with(start)), "{point:?}");
            assert!(!command.is_empty() || !state.starts_with("reproduced"), "{point:?}");
            assert!(seen.insert((&point.document, &point.point)), "twice: {point:?}");
        }
    }

    #[test]
    fn kernels_and_files_exist() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let mut kernels = 0;
        for point in points() {
            for part in point.places_here() {
                if let Some((code, kernel)) = part.split_once(':') {
                    let code: residue::Code = code.parse().expect("a code");
                    assert!(code.kernels().any(|known| known.name == kernel), "{part}");
                    kernels += 1;
                } else if part.contains('/') {
                    assert!(root.join(part).exists(), "{part}");
                } else {
                    let number = part.strip_prefix("Figure ").or(part.strip_prefix("Table "));
                    assert!(number.is_some() || part.starts_with("table "), "{part}");
                }
            }
        }
        assert!(kernels > 30);
    }

    #[test]
    fn every_judged_claim_is_a_line() {
        let judged = |point: &Point| point.command == "residue bench claims";
        let points = points();
        let lines: Vec<_> =
            points.iter().filter(|point| judged(point) && point.kind == "claim").collect();
        for claim in CLAIMS {
            let line = (claim.document.name(), claim.text);
            let found = lines.iter().any(|p| (p.document.as_str(), p.point.as_str()) == line);
            assert!(found, "{line:?}");
        }
        // The abstract repeats four of them.
        let own = lines.iter().filter(|point| !point.document.contains("abstract")).count();
        assert_eq!(own, CLAIMS.len());
    }
}
