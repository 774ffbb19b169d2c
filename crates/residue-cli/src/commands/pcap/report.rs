//! The report of a capture, as text, JSON and CSV.

mod row;

pub use row::{CHECKS, Shown, check_csv, check_json, check_line, flow_of, flow_text, value};

use crate::output::{Styles, without_numbers, words};
use anstyle::Style;
use residue_net::diagnose::{CauseKind, Rewrite};
use residue_net::summary::{Counts, Faults, Summary, sender_name};
use residue_net::unfollowed::Unfollowed;
use residue_net::verify::Read;
use residue_report::csv::quoted;
use serde_json::{Value, json};
use std::ffi::OsStr;
use std::fmt::Write as _;

/// The header of the CSV table of captures and protocols.
pub const COUNTS: &str =
    "capture,protocol,good,bad,offloaded,absent,illegal,unverifiable,length_conflict";

/// Returns the report of a capture as text. With `strict`, offloaded values are wrong.
pub fn text(
    name: &OsStr,
    read: &Read,
    summary: &Summary,
    top: usize,
    strict: bool,
    styles: Styles,
) -> Vec<String> {
    let mut lines = vec![title(name, read, styles)];
    lines.extend(counts(summary, top, strict, styles));
    lines
}

/// Returns the counts of a summary, and a conclusion. With `strict`, offloaded values are wrong.
pub fn counts(summary: &Summary, top: usize, strict: bool, styles: Styles) -> Vec<String> {
    let mut lines = Vec::new();
    let total = summary.total();
    let any = total.total() > 0;
    if any {
        lines.push(String::new());
        lines.extend(protocols(summary, &total, styles));
    } else {
        lines.push("no check values that are known".into());
    }
    let unfollowed = unfollowed(summary);
    let ends: u64 = unfollowed.iter().map(|(numbers, _)| numbers[0]).sum();
    lines.extend(rankings(summary, &total, unfollowed, top, styles));
    if any || ends > 0 {
        lines.push(String::new());
        lines.push(conclusion(&total, ends, strict, styles));
    }
    lines
}

/// Returns the first line of a report.
pub fn title(name: &OsStr, read: &Read, styles: Styles) -> String {
    let head = styles.head;
    let mut title = format!("{head}{}{head:#}: {}", Styles::plain(name), read.format);
    if let Some(compression) = read.compression {
        let _ = write!(title, ", {compression}");
    }
    let _ = write!(title, ", {}", count(read.packets, "packet"));
    if let Some(selected) = read.selected {
        let _ = write!(title, ", {selected} selected");
    }
    if read.cut_packets > 0 {
        let _ = write!(title, ", {} cut short", read.cut_packets);
    }
    title
}

/// A table of a report: the names of its columns, its rows, and how many of them to show.
pub struct Section {
    pub names: Vec<&'static str>,
    pub rows: Vec<Ranked>,
    pub top: usize,
}

/// Returns the tables of a report as text.
fn rankings(
    summary: &Summary,
    total: &Counts,
    unfollowed: Vec<Ranked>,
    top: usize,
    styles: Styles,
) -> Vec<String> {
    let mut lines = Vec::new();
    for Section { names, rows, top } in sections(summary, total, unfollowed, top) {
        lines.push(String::new());
        lines.extend(ranking(&names, &rows, top, styles));
    }
    lines
}

/// Returns the tables of a report: packets not followed, unverifiable values, causes, rewritten
/// pairs, senders and flows.
pub fn sections(
    summary: &Summary,
    total: &Counts,
    unfollowed: Vec<Ranked>,
    top: usize,
) -> Vec<Section> {
    let mut sections = Vec::new();
    let mut section = |names: &[&'static str], rows: Vec<Ranked>, top: usize| {
        if !(rows.is_empty() || top == 0) {
            sections.push(Section { names: names.to_vec(), rows, top });
        }
    };
    section(&["packets", "not followed"], unfollowed, usize::MAX);
    let reasons = total.unverifiable.iter();
    let reasons = reasons.map(|(reason, &number)| (vec![number], reason.text().into())).collect();
    section(&["values", "unverifiable"], reasons, usize::MAX);
    section(&["values", "cause"], causes(summary), usize::MAX);
    let rewrites = summary.diagnosis.rewrites();
    let rewrites = rewrites.iter().map(|it| (vec![it.packets], rewrite_text(it))).collect();
    section(&["packets", "rewritten"], rewrites, top);
    let row = |faults: &Faults, text| (vec![faults.wrong, faults.offloaded], text);
    let senders = summary.senders();
    let senders = senders.iter().map(|(address, faults)| row(faults, sender_name(address)));
    section(&["wrong", "offloaded", "sender"], senders.collect(), top);
    let flows = summary.flows();
    let flows = flows.iter().map(|(flow, faults)| row(faults, flow_text(flow)));
    section(&["wrong", "offloaded", "flow"], flows.collect(), top);
    sections
}

/// Returns the last line of a report; `ends` is the number of packets not followed.
pub fn conclusion(total: &Counts, ends: u64, strict: bool, styles: Styles) -> String {
    let Styles { bad, good, .. } = styles;
    let mut line = match total.wrong() + if strict { total.offloaded } else { 0 } {
        0 if total.total() == 0 => "nothing judged".into(),
        0 => format!("{good}nothing wrong{good:#}"),
        wrong => format!("{bad}{} wrong{bad:#}", count(wrong, "check value")),
    };
    if total.offloaded > 0 {
        let among = if strict { " of them" } else { "" };
        let _ = write!(line, ", {}{among} left to the network card", total.offloaded);
    }
    if total.unverifiable() > 0 {
        let _ = write!(line, ", {} unverifiable", total.unverifiable());
    }
    if ends > 0 {
        let style = if strict { bad } else { Style::new() };
        let _ = write!(line, ", {style}{} not followed{style:#}", count(ends, "packet"));
    }
    line
}

/// Returns the protocols that residue does not follow, with the number of their packets.
pub fn unfollowed(summary: &Summary) -> Vec<Ranked> {
    let text = |it: Option<Unfollowed>| it.map_or("others".into(), |it| it.to_string());
    summary.unfollowed().into_iter().map(|(it, packets)| (vec![packets], text(it))).collect()
}

/// Returns the table of protocols. Verdicts other than good and bad have a column if they occur.
fn protocols(summary: &Summary, total: &Counts, styles: Styles) -> Vec<String> {
    let Styles { head, bad, .. } = styles;
    let protocols = summary.protocols();
    let titles = protocols.values().map(|(protocol, _)| protocol.title.chars().count());
    let width = titles.max().unwrap_or(0).max("protocol".len());
    let totals = total.columns();
    let shown = (0..totals.len()).filter(|&place| place < 2 || totals[place].1 > 0);
    let shown: Vec<(usize, usize)> = shown
        .map(|place| (place, totals[place].0.len().max(totals[place].1.to_string().len())))
        .collect();
    let mut title = format!("{head}{:<width$}", "protocol");
    for &(place, column) in &shown {
        let _ = write!(title, "  {:>column$}", totals[place].0);
    }
    let mut lines = vec![format!("{title}{head:#}")];
    for (protocol, counts) in protocols.values() {
        let mut line = format!("{:<width$}", protocol.title);
        for &(place, column) in &shown {
            let (name, number) = counts.columns()[place];
            let wrong = matches!(name, "bad" | "illegal" | "length conflict") && number > 0;
            let number = dash(number);
            let _ = if wrong {
                write!(line, "  {bad}{number:>column$}{bad:#}")
            } else {
                write!(line, "  {number:>column$}")
            };
        }
        lines.push(line);
    }
    lines
}

/// Numbers, and a text that says what they count.
pub type Ranked = (Vec<u64>, String);

/// Returns a table of the first `top` rows. Numbers come first, because names may be long; columns
/// of zeros are left out.
fn ranking(names: &[&str], rows: &[Ranked], top: usize, styles: Styles) -> Vec<String> {
    let head = styles.head;
    let Some((last, numbers)) = names.split_last() else { return Vec::new() };
    let largest = |place: usize| rows.iter().map(|(row, _)| row[place]).max().unwrap_or(0);
    let shown = (0..numbers.len()).filter(|&place| largest(place) > 0);
    let shown: Vec<(usize, usize)> = shown
        .map(|place| (place, numbers[place].len().max(largest(place).to_string().len())))
        .collect();
    let line = |cells: &dyn Fn(usize) -> String, text: &str| {
        let cells = shown.iter().map(|&(place, width)| format!("{:>width$}  ", cells(place)));
        cells.collect::<String>() + text
    };
    let mut lines = vec![format!("{head}{}{head:#}", line(&|place| numbers[place].into(), last))];
    for (row, text) in rows.iter().take(top) {
        lines.push(line(&|place| dash(row[place]), text));
    }
    if rows.len() > top {
        let rest = format!("and {} more (--top shows more)", rows.len() - top);
        lines.push(line(&|_| String::new(), &rest));
    }
    lines
}

fn dash(number: u64) -> String {
    if number == 0 { "-".into() } else { number.to_string() }
}

/// Returns the causes with their protocols, the most frequent first.
fn causes(summary: &Summary) -> Vec<Ranked> {
    let mut by_cause: Vec<(&str, Vec<(u64, &str)>)> = Vec::new();
    let chances = summary.diagnosis.chances();
    for ((cause, protocol), number) in summary.diagnosis.tally() {
        let cause = cause.name();
        match by_cause.iter_mut().find(|entry| entry.0 == cause) {
            Some((_, parts)) => parts.push((number, protocol)),
            None => by_cause.push((cause, vec![(number, protocol)])),
        }
    }
    let row = |(cause, parts): &mut (&str, Vec<(u64, &str)>)| {
        parts.sort_by_key(|part| std::cmp::Reverse(part.0));
        // The chance of one protocol says nothing of another.
        let by_chance = |protocol: &str| {
            let mut all = chances.iter();
            let own = all.find(|((kind, of), _)| kind.name() == *cause && *of == protocol);
            own.map_or(String::new(), |(_, chance)| format!(" ({chance} by chance)"))
        };
        let part = |(number, protocol): &(u64, &str)| match parts.len() {
            1 => format!("{protocol}{}", by_chance(protocol)),
            _ => format!("{protocol} {number}{}", by_chance(protocol)),
        };
        let text = parts.iter().map(part).collect::<Vec<_>>().join(", ");
        (vec![parts.iter().map(|part| part.0).sum()], format!("{cause}: {text}"))
    };
    let mut rows: Vec<Ranked> = by_cause.iter_mut().map(row).collect();
    rows.sort_by_key(|(numbers, _)| std::cmp::Reverse(numbers[0]));
    rows
}

fn rewrite_text(rewrite: &Rewrite) -> String {
    let mut text = format!(
        "{} -> {}, lacking {:04X}: {} changed",
        rewrite.source,
        rewrite.destination,
        rewrite.lacking,
        if rewrite.addresses_only { "an address was" } else { "an address or a port was" },
    );
    if rewrite.kind == CauseKind::OffloadRewritten {
        text += "; the network card had not completed the checksum";
    }
    match rewrite.likely.as_slice() {
        [] => {}
        [(is_source, address)] => {
            let which = if *is_source { rewrite.source } else { rewrite.destination };
            let _ = write!(text, ", as if {which} had been {address}");
        }
        several => {
            let list: Vec<String> =
                several.iter().take(4).map(|(_, address)| address.to_string()).collect();
            let _ = write!(text, ", which one of {} would explain", list.join(", "));
        }
    }
    let _ = write!(text, " ({} by chance)", rewrite.chance);
    text
}

/// Returns a number with a noun, plural if needed.
pub fn count(number: u64, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

/// Returns the counts of a capture as rows of CSV.
pub fn counts_csv(name: &OsStr, summary: &Summary) -> Vec<String> {
    let row = |(protocol, (_, counts)): (&str, &(_, &Counts))| {
        let numbers = counts.columns().map(|(_, number)| number.to_string());
        format!("{},{protocol},{}", quoted(&Styles::plain(name)), numbers.join(","))
    };
    summary.protocols().iter().map(|(name, entry)| row((name, entry))).collect()
}

/// Returns the JSON line of an unreadable capture.
pub fn unreadable(name: &OsStr, error: &anyhow::Error) -> Value {
    json!({ "type": "error", "capture": Styles::plain(name), "error": words(error) })
}

/// Returns the report of a capture as a line of JSON, without the list of its check values.
pub fn json(name: &OsStr, read: &Read, summary: &Summary, top: usize) -> Value {
    let error = read.error.as_ref().map(|error| without_numbers(&error.to_string()));
    let mut value = residue_net::json::capture(&Styles::plain(name), read, error, summary, top);
    value["type"] = "capture".into();
    value
}
