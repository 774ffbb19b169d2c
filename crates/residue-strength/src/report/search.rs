//! The polynomials that a search found, as text, CSV and JSON.

use crate::answers::search::{Found, Outcome, Question};
use crate::codes::Undetected;
use crate::crc::{Generator, Limit, named};
use crate::field::Notation;
use crate::{Error, Kind};
use residue_report::csv::Sheet;
use residue_report::number::grouped;
use residue_report::{Row, Table};
use serde_json::{Value, json};

/// The number of lines of the table in [`text`]; [`csv`] and [`json`] have all.
const SHOWN: usize = 50;

/// Writes a sentence, and a table of the first fifty polynomials; of a survey a line for each.
///
/// # Errors
/// Returns [`Error::Unconfirmed`].
pub fn text(outcome: &Outcome) -> Result<String, Error> {
    outcome.found.iter().try_for_each(|found| undetected(found).map(drop))?;
    let mut lines = vec![sentence(outcome)];
    if !outcome.missing.is_empty() {
        lines.push(format!(
            "{:.1} % of the candidates were tried; missing: {}",
            100.0 * outcome.tried,
            outcome.missing.join(", ")
        ));
    }
    if !outcome.found.is_empty() {
        lines.push(String::new());
        if outcome.task.question() == Question::Survey {
            lines.extend(outcome.found.iter().map(profile));
        } else {
            lines.push(table(outcome).text().trim_end().to_string());
            if outcome.found.len() > SHOWN {
                let more = grouped(outcome.found.len() - SHOWN);
                lines.push(format!("and {more} more: --csv and --json print all"));
            }
        }
    }
    Ok(lines.join("\n") + "\n")
}

fn sentence(outcome: &Outcome) -> String {
    let pairs = grouped(outcome.found.len());
    let (width, kind) = (outcome.task.width(), outcome.kind().name());
    match outcome.task.question() {
        Question::Keep { distance, data } => format!(
            "{pairs} polynomials of width {width} have HD {distance} at {} bits of data, and their \
             mirror images ({kind})",
            grouped(data)
        ),
        Question::Longest { distance } => match outcome.found.first() {
            Some(best) => format!(
                "HD {distance} holds to {} bits of data at width {width}, for {pairs} polynomials \
                 and their mirror images ({kind})",
                grouped(best.data())
            ),
            None => format!("no polynomial of width {width} has HD {distance} ({kind})"),
        },
        Question::Survey => format!(
            "{pairs} polynomials of width {width} and their mirror images: data bits to which HD \
             3, 4, 5, ... hold ({kind})"
        ),
    }
}

fn table(outcome: &Outcome) -> Table {
    Table {
        id: "search",
        title: "Found, in Koopman's notation:".into(),
        note: String::new(),
        stub: "polynomial",
        heads: ["mirrored", "normal", "HD holds to", "figure", "factors", "names"]
            .map(String::from)
            .to_vec(),
        together: 1,
        rows: outcome.found.iter().take(SHOWN).map(row).collect(),
    }
}

fn row(found: &Found) -> Row {
    let generator = &found.generator;
    let (data, kind) = first_limit(&found.limits);
    let values = vec![
        generator.reciprocal().digits(Notation::Koopman),
        generator.digits(Notation::Normal),
        data,
        kind.name().to_string(),
        factors(found),
        names(generator).join(", "),
    ];
    Row::Values(generator.digits(Notation::Koopman), values)
}

/// Returns the first limit and its kind.
fn first_limit(limits: &[Limit]) -> (String, Kind) {
    let kind = limits.first().map_or(Kind::AtLeast, |limit| limit.kind);
    let at_least = if kind == Kind::AtLeast { "≥ " } else { "" };
    (format!("{at_least}{}", grouped(limits.first().map_or(0, |limit| limit.data))), kind)
}

/// Writes the degrees of the irreducible factors as the literature does: {1,15}.
fn factors(found: &Found) -> String {
    let factors = found.factors();
    let degrees = factors
        .iter()
        .flat_map(|factor| std::iter::repeat_n(factor.degree().to_string(), factor.times as usize));
    format!("{{{}}}", degrees.collect::<Vec<_>>().join(","))
}

/// Returns the names of the polynomial and its mirror image.
fn names(generator: &Generator) -> Vec<&'static str> {
    let mirrored = generator.reciprocal();
    let mut names: Vec<_> = generator.names().chain(mirrored.names()).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Writes a line of a survey.
fn profile(found: &Found) -> String {
    let limit = |limit: &Limit| {
        let at_least = if limit.kind == Kind::AtLeast { "≥" } else { "" };
        format!("{at_least}{}", limit.data)
    };
    let limits: Vec<String> = found.limits.iter().map(limit).collect();
    let line = format!(
        "{}  {}  {{{}}}  {}",
        found.generator.digits(Notation::Koopman),
        found.generator.reciprocal().digits(Notation::Koopman),
        limits.join(","),
        names(&found.generator).join(", ")
    );
    line.trim_end().to_string()
}

/// Confirms the errors that prove a polynomial's limits.
fn undetected(found: &Found) -> Result<Vec<Option<Undetected>>, Error> {
    let (name, code) = named("", &found.generator);
    found.limits.iter().map(|limit| Undetected::of_limit(limit, (&name, &code))).collect()
}

/// Writes a row for each polynomial, or for each limit of a survey.
///
/// # Errors
/// Returns [`Error::Unconfirmed`].
pub fn csv(outcome: &Outcome) -> Result<String, Error> {
    let mut sheet = Sheet::of_lines(
        "koopman,mirrored,normal,distance,data_bits,kind,undetected_data,undetected_check,factors,\
         names,search",
    );
    for found in &outcome.found {
        let generator = &found.generator;
        let mirrored = generator.reciprocal().digits(Notation::Koopman);
        let [koopman, normal] =
            [Notation::Koopman, Notation::Normal].map(|it| generator.digits(it));
        let degrees = factors(found).trim_matches(['{', '}']).replace(',', " ");
        let (names, kind) = (names(generator).join(" "), outcome.kind().name());
        let mut row = |distance: u32, data: &str, limit: Kind, error: Option<&Undetected>| {
            sheet.cells(&[&koopman, &mirrored, &normal, &distance, &data, &limit.name()]);
            let [bits, check] = Undetected::cells(error);
            sheet.cells(&[&bits, &check]);
            sheet.cells(&[&degrees, &names, &kind]).end();
        };
        if found.limits.is_empty() {
            row(2, "", Kind::Exact, None);
        }
        for (limit, error) in found.limits.iter().zip(undetected(found)?) {
            row(limit.distance, &limit.data.to_string(), limit.kind, error.as_ref());
        }
    }
    Ok(sheet.text())
}

/// Returns the whole outcome.
///
/// # Errors
/// Returns [`Error::Unconfirmed`].
pub fn json(outcome: &Outcome) -> Result<Value, Error> {
    let limit = |(limit, error): (&Limit, Option<Undetected>)| {
        json!({
            "distance": limit.distance,
            "data_bits": limit.data,
            "kind": limit.kind.name(),
            "undetected": error,
        })
    };
    let found = |found: &Found| {
        let errors = undetected(found)?;
        Ok(json!({
            "polynomial": found.generator.json(),
            "mirrored": found.generator.reciprocal().json(),
            "factors": factors(found),
            "limits": found.limits.iter().zip(errors).map(limit).collect::<Value>(),
        }))
    };
    let task = outcome.task;
    Ok(json!({
        "width": task.width(),
        "distance": task.distance(),
        "data_bits": match task.question() {
            Question::Keep { data, .. } => Some(data),
            _ => None,
        },
        "kind": outcome.kind().name(),
        "tried": outcome.tried,
        "missing": outcome.missing,
        "found": outcome.found.iter().map(found).collect::<Result<Value, Error>>()?,
    }))
}
