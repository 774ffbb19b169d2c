//! The choice of a code as a table, sentences and CSV.

mod findings;

pub use findings::findings;

use crate::Kind;
use crate::answers::advise::{Advice, Candidate, Instructions, Target, Wanted};
use residue_report::csv::{Sheet, or_empty};
use residue_report::number::{grouped, significant};
use residue_report::{Row, Table};
use std::fmt::Write as _;

/// The share of a limit above which the limit is near.
const NEAR: f64 = 0.9;

fn limit(candidate: &Candidate) -> String {
    match candidate.holds_to {
        None => "any".into(),
        Some(known) if known.kind == Kind::Exact.name() => grouped(known.value),
        Some(known) => format!("≥{}", grouped(known.value)),
    }
}

/// Returns a table of the codes that meet the requirements, or of the nearest.
#[must_use]
pub fn table(advice: &Advice) -> Table {
    let wanted = &advice.wanted;
    let (which, rows) = match advice.codes.is_empty() {
        false => ("Codes".into(), &advice.codes),
        true => {
            let tried = advice.rejected.len();
            (format!("None of {tried} known codes does. The nearest"), &advice.nearest)
        }
    };
    let distance = wanted.distance > 2;
    let mut heads = vec!["bits".to_string()];
    if distance {
        heads.extend(["holds to, bits", "data take", "HD beyond"].map(String::from));
    }
    if wanted.has_errors() {
        heads.extend(wanted.lengths().map(|bits| format!("P, {} bits", grouped(bits))));
        heads.push("a year".into());
    }
    heads.push("GB/s".into());
    if !wanted.has_errors() {
        heads.push("cycles/B".into());
    }
    heads.push("kernel".into());
    let timed = rows.iter().find_map(|code| code.speed.as_ref()).map_or(0, |speed| speed.bytes);
    Table {
        id: "advise",
        title: format!("{which} {}", asked(wanted)),
        note: note(wanted, timed),
        stub: "code",
        heads,
        together: 1,
        rows: rows.iter().map(|candidate| row(candidate, wanted)).collect(),
    }
}

fn row(candidate: &Candidate, wanted: &Wanted) -> Row {
    let mut values = vec![candidate.width.to_string()];
    if wanted.distance > 2 {
        values.push(limit(candidate));
        values.push(match candidate.holds_to {
            None => "-".into(),
            Some(_) => match candidate.used(wanted.data_bits) {
                used if used <= 1.0 => format!("{} %", significant(100.0 * used, 3)),
                _ => "too much".into(),
            },
        });
        values.push(candidate.then.map_or("-".into(), |distance| distance.to_string()));
    }
    if wanted.has_errors() {
        let at = |place: usize| candidate.chances.get(place);
        values.extend((0..=wanted.shorter.len()).map(|place| {
            at(place).map_or("-".into(), |at| match at.undetected.kind {
                "exact" => significant(at.undetected.value, 3),
                _ => format!("~{}", significant(at.undetected.value, 2)),
            })
        }));
        let years = candidate.chances.iter().map(|at| at.per_year).reduce(f64::max);
        values.push(years.map_or("-".into(), |years| significant(years, 2)));
    }
    let speed = candidate.speed.as_ref();
    let rate = |ns: f64, bytes: usize| significant(bytes as f64 / ns.max(1e-9), 3);
    values.push(speed.map_or("-".into(), |speed| rate(speed.ns, speed.bytes)));
    if !wanted.has_errors() {
        values.push(speed.map_or("-".into(), |speed| significant(speed.cycles_per_byte, 3)));
    }
    values.push(speed.map_or("-".into(), |speed| speed.kernel.into()));
    Row::Values(candidate.code.clone(), values)
}

/// Describes the requirements.
fn asked(wanted: &Wanted) -> String {
    let mut parts = Vec::new();
    if wanted.distance > 2 {
        parts.push(format!("that keep a Hamming distance of {}", wanted.distance));
    }
    if wanted.burst > 1 {
        parts.push(format!("that detect all bursts of up to {} bits", wanted.burst));
    }
    match wanted.target {
        Some(Target::Message(most)) => {
            parts.push(format!("with at most {most:e} undetected errors a message"));
        }
        Some(Target::Hour(most)) => {
            parts.push(format!("with at most {} undetected errors an hour", plain(most)));
        }
        Some(Target::Year(most)) => {
            parts.push(format!("with at most {} undetected errors a year", plain(most)));
        }
        None => {}
    }
    let lengths: Vec<String> = wanted.lengths().map(grouped).collect();
    format!(
        "{} in {} bits of data ({} bytes), of at most {} bits",
        if parts.is_empty() { "for errors".into() } else { parts.join(", ") },
        lengths.join(", "),
        grouped(wanted.data_bits.div_ceil(8)),
        wanted.width
    )
}

/// Writes a number, small ones with an exponent.
fn plain(number: f64) -> String {
    if number < 1e-3 { format!("{number:e}") } else { number.to_string() }
}

/// Writes a speed in the largest unit in which it is at least 1.
pub(super) fn speed(bits_per_second: f64) -> String {
    let units = [("Gb/s", 1e9), ("Mb/s", 1e6), ("kb/s", 1e3)];
    let unit = units.into_iter().find(|(_, unit)| bits_per_second >= *unit);
    let (name, unit) = unit.unwrap_or(("b/s", 1.0));
    format!("{} {name}", significant(bits_per_second / unit, 3))
}

/// Explains the columns.
fn note(wanted: &Wanted, timed: usize) -> String {
    let mut note = String::new();
    if wanted.distance > 2 {
        note.push_str(
            "holds to: the longest data with that distance, exact, or ≥ a bound; data take: the \
             share of it that your data take; HD beyond: the distance one bit beyond. ",
        );
    }
    if wanted.has_errors() {
        note.push_str("P: the probability that a message is wrong and accepted");
        if let Some(rate) = wanted.rate {
            let _ = write!(note, ", each bit wrong with probability {rate:e}");
        }
        if wanted.damaged > 0.0 {
            let _ = write!(
                note,
                ", {:e} of all messages damaged beyond single bits, of which a CRC counts as \
                 missing ten times the share of uniform data, or more where more was measured, and \
                 a sum all",
                wanted.damaged
            );
        }
        let _ = write!(
            note,
            "; ~: errors of few bits counted, of more bits taken as undetected in the share of \
             random data. a year: on {} of {} in 365 days, at the worst length. ",
            if wanted.files { "files read without pause" } else { "a full link" },
            speed(wanted.link)
        );
    }
    if timed > 0 {
        let _ = write!(note, "GB/s: measured now, on {timed} bytes, with the kernel ");
        note.push_str(match wanted.instructions {
            Instructions::Here => "that is chosen on this CPU.",
            Instructions::Crc => {
                "for a CPU with an instruction for CRC-32C and no carry-less multiplication."
            }
            Instructions::None => "for a CPU without vectors and instructions for CRCs.",
        });
    }
    note.trim_end().into()
}

/// Writes every code, those that meet the requirements first, one per line, with a header.
///
/// Lines end in CR LF.
#[must_use]
pub fn csv(advice: &Advice) -> String {
    let mut sheet = Sheet::new(
        "code,width,meets,required_distance,longest_data_bits,longest_kind,then,kernel,bytes,ns,\
         cycles_per_byte,undetected,undetected_kind,per_year,reasons",
    );
    let rows = advice.codes.iter().map(|code| (code, true));
    for (code, meets) in rows.chain(advice.rejected.iter().map(|code| (code, false))) {
        let speed = code.speed.as_ref();
        let worst =
            code.chances.iter().max_by(|a, b| a.undetected.value.total_cmp(&b.undetected.value));
        // Any data have the distance 2.
        let (to, kind) = (code.holds_to.map(|to| to.value), code.holds_to.map(|to| to.kind));
        sheet.cells(&[&code.code, &code.width, &meets, &advice.wanted.distance]);
        sheet.cells(&[&or_empty(to), &or_empty(kind), &or_empty(code.then)]);
        sheet.cells(&[
            &or_empty(speed.map(|speed| speed.kernel)),
            &or_empty(speed.map(|speed| speed.bytes)),
            &or_empty(speed.map(|speed| speed.ns)),
            &or_empty(speed.map(|speed| speed.cycles_per_byte)),
        ]);
        sheet.cells(&[
            &or_empty(worst.map(|at| format!("{:e}", at.undetected.value))),
            &or_empty(worst.map(|at| at.undetected.kind)),
            &or_empty(worst.map(|at| format!("{:e}", at.per_year))),
        ]);
        sheet.cells(&[&code.reasons.join("; ")]).end();
    }
    sheet.text()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::advise::advise;
    use crate::{Effort, Error};

    fn ask(data_bits: u64, distance: u32, width: u32) -> Advice {
        let time = |names: &[(String, &str)], _| {
            let times = (1..=names.len()).map(|n| Some((n as f64, 0.1)));
            Ok::<_, Error>(times.collect())
        };
        let wanted = Wanted::new(data_bits, distance, width);
        advise(&wanted, &Effort::new().within(1)).unwrap().timed(time).unwrap()
    }

    #[test]
    fn codes_that_do_are_listed_with_their_limits() {
        let advice = ask(32_700, 4, 16);
        let text = findings(&advice).join("\n");
        assert!(
            text.contains("Near the limit") && text.contains("51 bits further, then HD 2"),
            "{text}"
        );
        assert!(text.contains("is of the narrowest (16 bits)"));
        let text = table(&advice).text();
        assert!(text.contains("32,751") && text.contains("GB/s"), "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= residue_report::COLUMNS));
        assert!(residue_report::csv::parse(&csv(&advice)).iter().all(|line| line.len() == 15));
    }

    #[test]
    fn reasons_and_probabilities_are_printed() {
        let mut wanted = Wanted::new(1024, 2, 16);
        wanted.rate = Some(1e-6);
        wanted.target = Some(Target::Year(1e3));
        wanted.shorter = vec![512];
        let advice = advise(&wanted, &Effort::new().within(1)).unwrap();
        let text = findings(&advice).join("\n");
        assert!(text.contains("Ranked by width") && text.contains("\n1. "), "{text}");
        assert!(text.contains("Not: ") && text.contains("undetected errors a year at"), "{text}");
        let text = table(&advice).text();
        assert!(text.contains("P, 1,024 bits") && text.contains("P, 512 bits"), "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= residue_report::COLUMNS));
        assert!(residue_report::csv::parse(&csv(&advice)).iter().all(|line| line.len() == 15));
    }

    #[test]
    fn small_numbers_and_slow_links_are_readable() {
        assert_eq!([1e-9, 0.01, 2.0].map(plain), ["1e-9", "0.01", "2"]);
        let speeds = [100e9, 10e9, 1e6, 9600.0, 300.0].map(speed);
        assert_eq!(speeds, ["100 Gb/s", "10.0 Gb/s", "1.00 Mb/s", "9.60 kb/s", "300 b/s"]);
    }

    #[test]
    fn where_none_does_a_width_is_named() {
        let advice = ask(12_000, 6, 24);
        assert!(advice.codes.is_empty() && !advice.nearest.is_empty());
        let text = findings(&advice).join("\n");
        assert!(text.contains("at least 28 bits") && text.contains("of 29 bits has it"), "{text}");
        assert!(
            text.contains("residue strength search --width 29 --length 12000 --hd 6"),
            "{text}"
        );
        assert!(table(&advice).title.contains(" known codes does. The nearest"));
        assert!(text.contains("may take") && advice.search_seconds > Some(0.0), "{text}");
    }
}
