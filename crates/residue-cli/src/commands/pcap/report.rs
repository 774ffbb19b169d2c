//! The report of a capture, as text, JSON and CSV.

use crate::output::{Styles, without_numbers, words};
use anstyle::Style;
use residue_net::Address;
use residue_net::check::Verdict;
use residue_net::diagnose::{Cause, CauseKind, Chance, Rewrite};
use residue_net::record::Record;
use residue_net::summary::{Counts, Faults, Flow, Summary, sender_name};
use residue_net::unfollowed::Unfollowed;
use residue_net::verify::{Finding, Read};
use serde_json::{Map, Value, json};
use std::ffi::OsStr;
use std::fmt::Write as _;

/// The header of the CSV table of captures and protocols.
pub const COUNTS: &str =
    "capture,protocol,good,bad,offloaded,absent,illegal,unverifiable,length_conflict";
/// The header of the CSV table of check values.
pub const CHECKS: &str = "capture,packet,protocol,verdict,reason,cause,detail,stored,computed,\
                          source,destination,source_port,destination_port,offset";

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
fn title(name: &OsStr, read: &Read, styles: Styles) -> String {
    let head = styles.head;
    let mut title = format!("{head}{}{head:#}: {}", Styles::plain(name), read.format);
    if let Some(compression) = read.compression {
        let _ = write!(title, ", {compression}");
    }
    let _ = write!(title, ", {}", count(read.packets, "packet"));
    if read.cut_packets > 0 {
        let _ = write!(title, ", {} cut short", read.cut_packets);
    }
    title
}

/// Returns the tables of a report: packets not followed, unverifiable values, causes, rewritten
/// pairs, senders and flows.
fn rankings(
    summary: &Summary,
    total: &Counts,
    unfollowed: Vec<Ranked>,
    top: usize,
    styles: Styles,
) -> Vec<String> {
    let mut lines = Vec::new();
    let mut section = |names: &[&str], rows: Vec<Ranked>, top: usize| {
        if rows.is_empty() || top == 0 {
            return;
        }
        lines.push(String::new());
        lines.extend(ranking(names, &rows, top, styles));
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
    lines
}

/// Returns the last line of a report; `ends` is the number of packets not followed.
fn conclusion(total: &Counts, ends: u64, strict: bool, styles: Styles) -> String {
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
type Ranked = (Vec<u64>, String);

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
        let text = match parts.as_slice() {
            [(_, protocol)] => format!("{cause}: {protocol}"),
            _ => {
                let parts = parts.iter().map(|(number, protocol)| format!("{protocol} {number}"));
                format!("{cause}: {}", parts.collect::<Vec<_>>().join(", "))
            }
        };
        let by_chance = chances.iter().filter(|((kind, _), _)| kind.name() == *cause);
        let by_chance = by_chance.map(|(_, &chance)| chance).reduce(Chance::max);
        let by_chance = by_chance.map_or(String::new(), |chance| format!(" ({chance} by chance)"));
        (vec![parts.iter().map(|part| part.0).sum()], text + &by_chance)
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

fn flow_text(flow: &Flow) -> String {
    let [source, destination] = flow.addresses;
    let end = |address: Address, port: Option<u16>| match port {
        Some(port) if address.bytes().len() == 16 => format!("[{address}]:{port}"),
        Some(port) => format!("{address}:{port}"),
        None => sender_name(&address),
    };
    let ports = flow.ports;
    format!(
        "{} {} -> {}",
        flow.protocol,
        end(source, ports.map(|ports| ports[0])),
        end(destination, ports.map(|ports| ports[1]))
    )
}

/// Returns a number with a noun, plural if needed.
pub fn count(number: u64, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

/// Returns a value in hexadecimal, with all digits of its width.
fn value(finding: &Finding<'_>, value: Option<u64>) -> Option<String> {
    let digits = finding.check.rule.width() as usize * 2;
    value.map(|value| format!("{value:0digits$X}"))
}

/// Returns a check value as a line of text.
pub fn check_line(
    capture: Option<&OsStr>,
    finding: &Finding<'_>,
    cause: Option<Cause>,
    styles: Styles,
) -> String {
    let check = finding.check;
    let style = match finding.verdict {
        Verdict::Good => styles.good,
        Verdict::Bad | Verdict::Illegal | Verdict::LengthConflict => styles.bad,
        _ => styles.dim,
    };
    let mut line = match capture {
        Some(name) => format!("{}: ", Styles::plain(name)),
        None => String::new(),
    };
    let flow = Flow {
        protocol: check.protocol.name,
        addresses: finding.addresses().map(Address::new),
        ports: check.ports,
    };
    let verdict = finding.verdict.name();
    let _ = write!(
        line,
        "packet {}: {}: {style}{verdict}{style:#}",
        finding.buffer.packet,
        flow_text(&flow)
    );
    if let Some(stored) = value(finding, finding.stored()) {
        let _ = write!(line, ", {stored}");
    }
    match finding.verdict {
        Verdict::Bad | Verdict::Offloaded => {
            if let Some(computed) = value(finding, finding.computed()) {
                let _ = write!(line, ", should be {computed}");
            }
            let _ = write!(line, ", {}", CauseKind::from(cause).name());
            if let Some(detail) = cause.and_then(|cause| cause.detail(finding.buffer.places)) {
                let _ = write!(line, " ({detail})");
            }
        }
        Verdict::Unverifiable(reason) => {
            let _ = write!(line, ": {}", reason.text());
        }
        _ => {}
    }
    line
}

/// Returns a check value as a row of CSV.
pub fn check_csv(capture: &OsStr, finding: &Finding<'_>, cause: Option<Cause>) -> String {
    let Record { reason, cause, detail, source, destination, offset } = Record::of(finding, cause);
    let ports = finding.check.ports;
    let port = |place: usize| ports.map_or(String::new(), |ports| ports[place].to_string());
    [
        quoted(&Styles::plain(capture)),
        finding.buffer.packet.to_string(),
        finding.check.protocol.name.into(),
        finding.verdict.name().into(),
        quoted(reason.unwrap_or_default()),
        cause.unwrap_or_default().into(),
        quoted(&detail.unwrap_or_default()),
        value(finding, finding.stored()).unwrap_or_default(),
        value(finding, finding.computed()).unwrap_or_default(),
        source.unwrap_or_default(),
        destination.unwrap_or_default(),
        port(0),
        port(1),
        offset.map_or(String::new(), |offset| offset.to_string()),
    ]
    .join(",")
}

/// Returns a check value as JSON.
pub fn check_json(finding: &Finding<'_>, cause: Option<Cause>) -> Value {
    let Record { reason, cause, detail, source, destination, offset } = Record::of(finding, cause);
    let mut row = json!({
        "packet": finding.buffer.packet,
        "protocol": finding.check.protocol.name,
        "verdict": finding.verdict.name(),
    });
    let fields = [
        ("reason", reason.map(Value::from)),
        ("cause", cause.map(Value::from)),
        ("detail", detail.map(Value::from)),
        ("stored", value(finding, finding.stored()).map(Value::from)),
        ("computed", value(finding, finding.computed()).map(Value::from)),
        ("source", source.map(Value::from)),
        ("destination", destination.map(Value::from)),
        ("ports", finding.check.ports.map(|ports| json!(ports))),
        ("offset", offset.map(Value::from)),
    ];
    for (name, field) in fields {
        if let Some(field) = field {
            row[name] = field;
        }
    }
    row
}

fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.into()
    }
}

/// Returns the counts of a capture as rows of CSV.
pub fn counts_csv(name: &OsStr, summary: &Summary) -> Vec<String> {
    let row = |(protocol, (_, counts)): (&str, &(_, &Counts))| {
        let numbers = counts.columns().map(|(_, number)| number.to_string());
        format!("{},{protocol},{}", quoted(&Styles::plain(name)), numbers.join(","))
    };
    summary.protocols().iter().map(|(name, entry)| row((name, entry))).collect()
}

/// Returns the JSON report of an unreadable capture.
pub fn unreadable(name: &OsStr, error: &anyhow::Error) -> Value {
    json!({ "capture": Styles::plain(name), "error": words(error) })
}

/// Returns the JSON report of a capture, without the list of its check values.
pub fn json(name: &OsStr, read: &Read, summary: &Summary, top: usize) -> Map<String, Value> {
    let error = read.error.as_ref().map(|error| without_numbers(&error.to_string()));
    match residue_net::json::capture(&Styles::plain(name), read, error, summary, top) {
        Value::Object(members) => members,
        other => Map::from_iter([("capture".into(), other)]),
    }
}
