//! Codes side by side, as a table, sentences, CSV and a page with figures.

use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};

use crate::strength::Kind;
use crate::strength::compare::{self, Comparison, FEW, Known, YEAR};
use residue_report::number::{grouped, significant};
use residue_report::text::{escaped, marked_up};
use residue_report::{Row, Table};
use residue_report::{files, page as html};

/// `≥` before what is a bound.
fn bound<T>(known: &Known<T>) -> &'static str {
    if known.kind == Kind::AtLeast.name() { "≥" } else { "" }
}

/// A number as exponents are read best: `3.087e-19`, but `0.0312`.
fn small(value: f64) -> String {
    if value != 0.0 && !(1e-4..1e6).contains(&value.abs()) {
        format!("{value:.3e}")
    } else {
        significant(value, 4)
    }
}

fn share(known: Option<&Known<f64>>) -> String {
    known.map_or("-".into(), |known| format!("{}{}", bound(known), small(known.value)))
}

/// One row for each code.
#[must_use]
pub fn table(comparison: &Comparison) -> Table {
    let rates = || {
        let first = comparison.codes.first().map_or(&[][..], |row| &row.probabilities);
        first.iter().map(|probability| &probability.rate)
    };
    let mut heads: Vec<String> = ["bits", "HD", "to, bits", "bursts"].map(String::from).to_vec();
    heads.extend(FEW.map(|weight| format!("{weight} wrong")));
    heads.push("random".into());
    heads.extend(rates().map(|rate| format!("P at {rate}")));
    heads.extend(rates().map(|rate| format!("a year, {rate}")));
    let row = |row: &compare::Row| {
        let to = match &row.holds_to {
            None => "any".into(),
            Some(known) => format!("{}{}", bound(known), grouped(known.value)),
        };
        let mut values = vec![
            row.width.to_string(),
            format!("{}{}", bound(&row.distance), row.distance.value),
            to,
            row.burst.to_string(),
        ];
        values.extend(FEW.map(|weight| {
            let few = row.few.iter().find(|few| few.weight == weight);
            few.map_or("-".into(), |few| small(few.share))
        }));
        values.push(small(row.random));
        values.extend(row.probabilities.iter().map(|p| share(p.undetected.as_ref())));
        values.extend(row.probabilities.iter().map(|p| share(p.per_year.as_ref())));
        Row::Values(row.code.clone(), values)
    };
    Table {
        id: "compare",
        title: format!(
            "What codes miss in {} bits of data ({} bytes)",
            grouped(comparison.data_bits),
            grouped(comparison.data_bits.div_ceil(8))
        ),
        note: format!(
            "Exact, but for what has ≥ before it: a bound, the terms that were counted. HD: Hamming distance; to: the longest \
             data that have it; bursts: all of so many bits are seen. 2 to 6 wrong: the share of errors of so many bits that \
             is not seen, of CRCs A_w / C(n, w) over data and check value, of sums over uniform data, the check value being \
             right. random: the share of random data taken for right. P: probability of an undetected error in a frame at a \
             bit error rate; a year: P x {} frames a second{} x {YEAR} seconds. -: not counted.",
            match comparison.frames_per_second {
                few @ ..1000.0 => significant(few, 6),
                many => grouped(many.round() as u64),
            },
            comparison.link_bits_per_second.map_or(String::new(), |speed| format!(
                " (Ethernet of {} Gb/s, full)",
                speed / 1e9
            ))
        ),
        stub: "code",
        heads,
        together: 1,
        rows: comparison.codes.iter().map(row).collect(),
    }
}

/// What the comparison shows, a sentence each: every code against the first, by its share at the first rate.
#[must_use]
pub fn findings(comparison: &Comparison) -> Vec<String> {
    let known = |row: &compare::Row| {
        row.probabilities.first().and_then(|p| Some((p.rate.clone(), p.undetected?)))
    };
    let Some((first, (rate, least))) =
        comparison.codes.first().and_then(|row| Some((row, known(row)?)))
    else {
        return Vec::new();
    };
    let other = |row: &compare::Row| {
        let (_, here) = known(row)?;
        let (more, factor) = match here.value >= least.value {
            true => ("more", here.value / least.value),
            false => ("fewer", least.value / here.value),
        };
        let about = match (bound(&least), bound(&here), more) {
            ("", "", _) => "",
            ("", _, "more") => "at least ",
            ("", _, _) => "at most ",
            _ => "about ",
        };
        Some(format!("{} {about}{} times {more}", row.code, small(factor)))
    };
    let others: Vec<String> = comparison.codes.iter().skip(1).filter_map(other).collect();
    if others.is_empty() {
        return Vec::new();
    }
    vec![format!(
        "At a bit error rate of {rate} {} lets through {} of the frames; {}.",
        first.code,
        share(Some(&least)),
        others.join(", ")
    )]
}

/// Every figure, one a line, with a header. Lines end in CR LF.
#[must_use]
pub fn csv(comparison: &Comparison) -> String {
    let mut out = String::from("code,width,data_bits,quantity,at,value,kind\r\n");
    let data = comparison.data_bits;
    for row in &comparison.codes {
        let code = residue_report::csv::quoted(&row.code);
        let mut line = |quantity: &str, at: &str, value: &str, kind: &str| {
            let _ = write!(out, "{code},{},{data},{quantity},{at},{value},{kind}\r\n", row.width);
        };
        let exact = Kind::Exact.name();
        line("distance", "", &row.distance.value.to_string(), row.distance.kind);
        for (distance, limit) in &row.limits {
            let at = distance.to_string();
            line("longest_data_bits", &at, &limit.value.to_string(), limit.kind);
        }
        for few in &row.few {
            let at = few.weight.to_string();
            if let Some(count) = &few.undetected {
                line("undetected_errors", &at, count, exact);
            }
            line("share_undetected", &at, &few.share.to_string(), exact);
        }
        for probability in &row.probabilities {
            if let Some(known) = &probability.undetected {
                line("probability", &probability.rate, &known.value.to_string(), known.kind);
            }
            if let Some(known) = &probability.per_year {
                line("frames_a_year", &probability.rate, &known.value.to_string(), known.kind);
            }
        }
        line("share_of_random_data", "", &row.random.to_string(), exact);
        line("bursts_seen_bits", "", &row.burst.to_string(), exact);
    }
    out
}

/// The report as one page that loads nothing else.
#[must_use]
pub fn page(comparison: &Comparison) -> String {
    let title = "Error-detection codes side by side";
    let about = format!("{} bits of data", grouped(comparison.data_bits));
    let mut out = html::head(title, &about);
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
    html::section(&mut out, "figures", "Figures", |out| {
        super::figures::strength_compare(comparison)
            .iter()
            .for_each(|figure| html::figure(out, figure));
    });
    html::section(&mut out, "tables", "Table", |out| {
        html::table(out, &table(comparison));
    });
    let _ = write!(
        out,
        "</main>\n<footer>Made with residue {}. Nothing here is sampled.</footer>\n</body>\n</html>\n",
        escaped(&comparison.residue)
    );
    out
}

/// Writes `index.html`, `figure-distances.svg`, `figure-probabilities.svg`, `compare.csv` and `compare.json` into a folder,
/// which is made if it is missing. Returns the paths, the page first.
///
/// # Errors
/// If they cannot be written.
pub fn write(dir: &Path, comparison: &Comparison) -> io::Result<Vec<PathBuf>> {
    let json = serde_json::to_string_pretty(comparison)? + "\n";
    let data = [("compare.csv", csv(comparison)), ("compare.json", json)];
    files::write_report(
        dir,
        &super::figures::strength_compare(comparison),
        &data,
        &page(comparison),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strength::Effort;
    use crate::strength::compare::{Question, Subject, Traffic, compare};
    use std::fs;

    fn comparison() -> Comparison {
        let subjects: Vec<Subject> = ["crc-16/dnp", "internet", "fletcher-16", "crc-64/nvme"]
            .iter()
            .map(|text| Subject::parse(text).unwrap())
            .collect();
        let rates = ["1e-6", "0.5"].map(String::from).to_vec();
        let traffic = Traffic::Frames(1e6);
        let question = Question { data: 512, rates, traffic, exact: false };
        let effort = Effort { sums: 1 << 16, ..Effort::new() };
        compare(&subjects, &question, &effort).unwrap()
    }

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
        let lines = residue_report::csv::parse(&csv(&comparison));
        assert!(lines.iter().all(|line| line.len() == 7) && lines.len() > 30);
    }

    #[test]
    fn text_fits_the_terminal_and_tells_bounds() {
        let comparison = comparison();
        let text = table(&comparison).text();
        assert!(text.lines().all(|line| line.chars().count() <= residue_report::COLUMNS));
        assert!(text.contains("≥") && text.contains("2,032"), "{text}");
        assert!(findings(&comparison)[0].contains("times"), "{:?}", findings(&comparison));
    }
}
