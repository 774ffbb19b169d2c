//! A comparison of codes as a table, sentences, CSV and a page with figures.

#[cfg(feature = "figures")]
mod figures;
#[cfg(feature = "figures")]
mod page;

use std::fmt::Display;

use super::advise::speed;
use crate::Kind;
use crate::answers::compare::{self, Comparison, FEW, Known, Probability, YEAR};
#[cfg(feature = "figures")]
pub use page::{page, write};
use residue_report::csv::Sheet;
use residue_report::number::{grouped, significant};
use residue_report::{Row, Table};

/// Returns `≥` for a bound.
fn bound<T>(known: &Known<T>) -> &'static str {
    if known.kind == Kind::AtLeast.name() { "≥" } else { "" }
}

/// Writes a number with an exponent if it is small: `3.087e-19`, but `0.0312`.
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

/// Returns a table with a row for each code.
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
            "Undetected errors in {} bits of data ({} bytes)",
            grouped(comparison.data_bits),
            grouped(comparison.data_bits.div_ceil(8))
        ),
        note: format!(
            "Exact, but for what has ≥ before it: a bound, the terms that were counted. HD: \
             Hamming distance; to: the longest data that have it; bursts: all of so many bits are \
             detected. 2 to 6 wrong: the undetected share of errors of so many bits, of CRCs A_w \
             / C(n, w) over data and check value, of sums over uniform data, the check value being \
             right. random: the share of random data that is accepted. P: probability of an \
             undetected error in a frame at a bit error rate; a year: P x {} frames a second{} x \
             {YEAR} seconds. -: not counted.",
            match comparison.frames_per_second {
                few @ ..1000.0 => significant(few, 6),
                many => grouped(many.round() as u64),
            },
            comparison
                .link_bits_per_second
                .map_or(String::new(), |link| format!(" (Ethernet of {}, full)", speed(link)))
        ),
        stub: "code",
        heads,
        together: 1,
        rows: comparison.codes.iter().map(row).collect(),
    }
}

/// Returns the findings, a sentence each: every code against the first, by its share at the first
/// rate.
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

/// Writes every figure, one per line, with a header.
///
/// Lines end in CR LF.
#[must_use]
pub fn csv(comparison: &Comparison) -> String {
    let mut sheet = Sheet::new("code,width,data_bits,quantity,at,value,kind");
    let data = comparison.data_bits;
    for row in &comparison.codes {
        let mut line = |quantity: &str, at: &dyn Display, value: &dyn Display, kind: &str| {
            sheet.row(&[&row.code, &row.width, &data, &quantity, at, value, &kind]);
        };
        let exact = Kind::Exact.name();
        line("distance", &"", &row.distance.value, row.distance.kind);
        for (distance, limit) in &row.limits {
            line("longest_data_bits", distance, &limit.value, limit.kind);
        }
        for few in &row.few {
            if let Some(count) = &few.undetected {
                line("undetected_errors", &few.weight, count, exact);
            }
            line("share_undetected", &few.weight, &few.share, exact);
        }
        for Probability { rate, undetected, per_year } in &row.probabilities {
            for (name, known) in [("probability", undetected), ("frames_a_year", per_year)] {
                if let Some(known) = known {
                    line(name, rate, &known.value, known.kind);
                }
            }
        }
        line("share_of_random_data", &"", &row.random, exact);
        line("bursts_seen_bits", &"", &row.burst, exact);
    }
    sheet.text()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Effort;
    use crate::answers::compare::{Question, Subject, Traffic, compare};

    pub(super) fn comparison() -> Comparison {
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
    fn text_fits_the_terminal_and_shows_bounds() {
        let comparison = comparison();
        let text = table(&comparison).text();
        assert!(text.lines().all(|line| line.chars().count() <= residue_report::COLUMNS));
        assert!(text.contains("≥") && text.contains("2,032"), "{text}");
        assert!(findings(&comparison)[0].contains("times"), "{:?}", findings(&comparison));
    }
}
