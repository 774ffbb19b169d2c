//! The comparison as text.

use super::super::report::count;
use super::arguments::CompareArgs;
use super::filter::frames;
use crate::output::Styles;
use residue_net::compare::{
    Altered, Direction, Event, Flow, Group, Kind, Outcome, Point, Report, Toward, Traffic,
};
use residue_net::survey::Shape;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Number of flows with losses that are shown.
const MOST_FLOWS: usize = 5;
/// Largest number of packets of a group in a display filter; --json has all.
const MOST_FILTERED: usize = 20;

/// Returns an event as a line.
pub fn event(event: &Event<'_>, styles: Styles) -> String {
    let capture = |point: usize| if point == 0 { "before" } else { "after" };
    let pair = |[one, two]: [u64; 2]| format!("before {one}, after {two}");
    match event {
        Event::Lost { point, seen, .. } => {
            format!("lost: {} {}: {}", capture(*point), seen.number, flow(&seen.flow))
        }
        Event::Extra { point, seen, .. } => {
            format!("extra: {} {}: {}", capture(*point), seen.number, flow(&seen.flow))
        }
        Event::Duplicated { point, seen, of, .. } => {
            let place = capture(*point);
            format!("duplicated: {place} {}, of {of}: {}", seen.number, flow(&seen.flow))
        }
        Event::Reordered { numbers, flow: it, .. } => {
            format!("reordered: {}: {}", pair(*numbers), flow(it))
        }
        Event::Late { numbers, flow: it, above, .. } => {
            format!("late by {}: {}: {}", time(*above), pair(*numbers), flow(it))
        }
        Event::Altered { altered, .. } => {
            let bad = styles.bad;
            let mut line = format!(
                "{bad}altered{bad:#}: {}: {}: {}, {}",
                pair(altered.packets),
                flow(&altered.flow),
                altered.damage.shape.text(),
                fields(altered.fields.iter().map(|field| (field.protocol, field.name)))
            );
            let _ = write!(line, ", {}", outcome(altered));
            line
        }
    }
}

fn outcome(it: &Altered) -> String {
    let checks: Vec<&str> = it.checks.iter().copied().collect();
    match checks.as_slice() {
        [] => it.outcome.name().into(),
        names => format!("{} ({})", it.outcome.name(), names.join(", ")),
    }
}

/// Returns the names of fields, each protocol once.
fn fields<'a>(all: impl Iterator<Item = (&'a str, &'a str)>) -> String {
    let mut by: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    all.for_each(|(protocol, name)| by.entry(protocol).or_default().push(name));
    let one = |(protocol, names): (&&str, &Vec<&str>)| format!("{protocol} {}", names.join(", "));
    by.iter().map(one).collect::<Vec<_>>().join("; ")
}

pub fn flow(flow: &Flow) -> String {
    let name = match flow.protocol {
        1 => "icmp".into(),
        6 => "tcp".into(),
        17 => "udp".into(),
        58 => "icmpv6".into(),
        132 => "sctp".into(),
        number => format!("protocol {number}"),
    };
    let ports = matches!(flow.protocol, 6 | 17 | 33 | 132 | 136);
    let end = |at: usize| match flow.addresses[at] {
        address if ports && address.bytes().len() == 16 => {
            format!("[{address}]:{}", flow.ports[at])
        }
        address if ports => format!("{address}:{}", flow.ports[at]),
        address => address.to_string(),
    };
    format!("{name} {} -> {}", end(0), end(1))
}

/// Returns a time in a unit that suits it.
pub fn time(nanoseconds: i64) -> String {
    let value = nanoseconds as f64;
    match nanoseconds.unsigned_abs() {
        0..10_000 => format!("{nanoseconds} ns"),
        10_000..1_000_000 => format!("{:.1} us", value / 1e3),
        1_000_000..10_000_000_000 => format!("{:.1} ms", value / 1e6),
        _ => format!("{:.3} s", value / 1e9),
    }
}

/// Returns the report.
pub fn conclusion(
    args: &CompareArgs,
    report: &Report,
    groups: &[Group],
    styles: Styles,
) -> Vec<String> {
    let names = args.names().map(Styles::plain);
    let mut lines = Vec::new();
    for (name, point) in names.iter().zip(&report.points) {
        lines.push(format!("{name}: {}", of_point(point)));
    }
    lines.push(String::new());
    lines.extend(table(args, report, &names, styles));
    lines.extend(rewriting(report, &names));
    lines.extend(losses(args, report, &names));
    let kept = report.altered.len() as u64;
    for (number, group) in groups.iter().take(args.top).enumerate() {
        lines.push(String::new());
        lines.extend(of_group(number + 1, group, report, &names, styles));
    }
    if groups.len() > args.top {
        lines.push(String::new());
        lines.push(format!("and {} more groups (--top shows more)", groups.len() - args.top));
    }
    if report.total(|it| it.altered) > kept {
        lines.push(format!("only the first {kept} altered packets are grouped"));
    }
    if report.seems_swapped() {
        lines.push(String::new());
        let [after, before] = &report.directions;
        lines.push(if after.matched == 0 {
            let name = &names[0];
            format!(
                "every TTL is lower in {name}: the captures seem to be given in the wrong order"
            )
        } else {
            format!(
                "all {} are opened toward {}: unless that is meant, give the captures in the other \
                 order; what is said of each direction holds",
                count(before.openings, "TCP connection"),
                names[0]
            )
        });
    }
    if report.crowded > 0 {
        lines.push(String::new());
        lines.push(format!(
            "too many packets waited for their partner ({} times): some count as lost or extra; \
             --waiting allows more",
            report.crowded
        ));
    }
    lines.push(String::new());
    lines.push(last(report, groups, styles));
    lines
}

pub fn of_point(point: &Point) -> String {
    let counts = &point.counts;
    let mut line = count(counts.packets, "packet");
    let parts = [
        (counts.without_ip, "without an IP header, not compared"),
        (counts.reassembled, "reassembled from fragments"),
        (counts.incomplete, "with missing fragments, not compared"),
        (counts.cut, "cut"),
        (counts.copies, "copies left out, as the capture holds every packet twice"),
        (point.outside, "from outside of the other capture's time"),
        (point.local, "between neighbours on a link"),
    ];
    for (number, text) in parts {
        if number > 0 {
            let _ = write!(line, ", {number} {text}");
        }
    }
    line
}

/// A number of the packets in a direction.
type Number = fn(&Direction) -> u64;

/// Returns the table of both directions, or of the one that has packets.
fn table(args: &CompareArgs, report: &Report, names: &[String; 2], styles: Styles) -> Vec<String> {
    let used = |it: &Direction| it.matched + it.lost + it.extra + it.duplicated > 0;
    let [after, before] = &report.directions;
    let mut shown: Vec<(Toward, String)> = Vec::new();
    if used(after) || !used(before) {
        shown.push((Toward::After, format!("toward {}", names[1])));
    }
    if used(before) {
        shown.push((Toward::Before, format!("toward {}", names[0])));
    }
    let rows: [(&str, Number, bool); 10] = [
        ("matched", |it| it.matched, true),
        ("lost", |it| it.lost, true),
        ("  repaired", |it| it.repaired, false),
        ("sent again", |it| it.again, false),
        ("duplicated", |it| it.duplicated, true),
        ("reordered", |it| it.reordered, true),
        ("late", |it| it.late, args.late.is_some()),
        ("extra", |it| it.extra, false),
        ("altered", |it| it.altered, true),
        ("  unnoticed", |it| it.unnoticed, false),
    ];
    let head = styles.head;
    let widths: Vec<usize> = shown.iter().map(|(_, name)| name.chars().count().max(10)).collect();
    let mut title = format!("{head}{:<12}", "packets");
    for ((_, name), width) in shown.iter().zip(&widths) {
        let _ = write!(title, "  {name:>width$}");
    }
    let mut lines = vec![format!("{title}{head:#}")];
    for (name, number, always) in rows {
        if !always && report.total(number) == 0 {
            continue;
        }
        let style = if name.contains("alter") || name.contains("unnoticed") {
            styles.bad
        } else {
            anstyle::Style::new()
        };
        let mut line = format!("{name:<12}");
        for ((toward, _), width) in shown.iter().zip(&widths) {
            let value = number(&report.directions[*toward as usize]);
            let style = if value > 0 { style } else { anstyle::Style::new() };
            let text = if value == 0 { "-".into() } else { value.to_string() };
            let _ = write!(line, "  {style}{text:>width$}{style:#}");
        }
        lines.push(line);
        if name == "lost" && report.total(|it| it.lost) > 0 {
            let mut line = format!("{:<12}", "  of all");
            for ((toward, _), width) in shown.iter().zip(&widths) {
                let loss = 100.0 * report.survey.total(*toward).loss();
                let _ = write!(line, "  {:>width$}", format!("{loss:.2} %"));
            }
            lines.push(line);
        }
    }
    lines
}

/// Returns what devices changed as they are to, and the times.
pub fn rewriting(report: &Report, names: &[String; 2]) -> Vec<String> {
    let mut lines = Vec::new();
    let parts: [(&str, Number); 6] = [
        ("addresses or ports", |it| it.translated),
        ("type of service", |it| it.service),
        ("identification", |it| it.identification),
        ("segment size or quoted packet", |it| it.other),
        ("offloaded check value completed", |it| it.completed),
        ("wrong or absent check value corrected", |it| it.corrected),
    ];
    let mut parts: Vec<String> = parts
        .into_iter()
        .filter_map(|(name, number)| {
            let number = report.total(number);
            (number > 0).then(|| format!("{name} ({number})"))
        })
        .collect();
    let mut hops: BTreeMap<i16, u64> = BTreeMap::new();
    for direction in &report.directions {
        for (&by, &number) in direction.hops.iter().filter(|(by, _)| **by != 0) {
            *hops.entry(by).or_default() += number;
        }
    }
    parts.extend(hops.iter().take(8).map(|(by, number)| {
        let what = if *by > 0 { "lowered" } else { "raised" };
        format!("TTL {what} by {} ({number})", by.unsigned_abs())
    }));
    if !parts.is_empty() {
        lines.push(String::new());
        lines.push(format!("rewritten: {}", parts.join(", ")));
    }
    lines.extend(segmentation(report, names));
    if report.clocks.drift != 0 {
        lines.push(format!(
            "the clock of {} gains {:.1} ppm on that of {}; the times below are without that",
            names[1],
            report.clocks.drift as f64 / 1e3,
            names[0]
        ));
    }
    for (at, direction) in report.directions.iter().enumerate() {
        let delays = &direction.delays;
        if delays.packets > 0 {
            lines.push(format!(
                "time from {} to {}: {} at least, on clocks that may differ; above that: median \
                 {}, 99 % {}, all {}",
                names[at],
                names[1 - at],
                time(delays.least),
                time(delays.above_least(0.5)),
                time(delays.above_least(0.99)),
                time(delays.most.saturating_sub(delays.least)),
            ));
        }
    }
    lines
}

/// Returns the flows with the most losses, or with --flows all, most losses first.
fn losses(args: &CompareArgs, report: &Report, names: &[String; 2]) -> Vec<String> {
    let all = report.survey.flows();
    let most = if args.flows { all.len() } else { MOST_FLOWS };
    let shown = all.iter().filter(|(_, _, it)| args.flows || it.lost > 0).take(most);
    let row = |(toward, it, traffic): &(Toward, Flow, &Traffic)| {
        let at = |share| traffic.above.quantile(share).map_or("-".into(), time);
        format!(
            "{:>8}  {:>7.2} %  {:>8}  {:>10}  {:>10}  toward {}: {}",
            traffic.lost,
            100.0 * traffic.loss(),
            traffic.matched,
            at(0.5),
            at(0.99),
            names[1 - *toward as usize],
            flow(it)
        )
    };
    let mut lines: Vec<String> = shown.map(row).collect();
    if lines.is_empty() {
        return lines;
    }
    lines.insert(0, "    lost     of all   matched      median        99 %  flow".into());
    lines.insert(0, String::new());
    let lossy = all.iter().filter(|(_, _, it)| it.lost > 0).count();
    if !args.flows && lossy > MOST_FLOWS {
        let more = lossy - MOST_FLOWS;
        lines.push(format!("and {more} more flows with losses (--flows shows all flows)"));
    }
    lines
}

/// Returns where segmentation offload has TCP data in fewer packets.
fn segmentation(report: &Report, names: &[String; 2]) -> Option<String> {
    let at = |point: usize| report.total(|it| it.resegmented[point]);
    let counts = [at(0), at(1)];
    let fewer = usize::from(counts[1] < counts[0]);
    (counts != [0, 0]).then(|| {
        format!(
            "segmentation differs, which offload does at {}: the same data are in {} there and in \
             {} in {}",
            names[fewer],
            count(counts[fewer], "packet"),
            counts[1 - fewer],
            names[1 - fewer],
        )
    })
}

pub fn last(report: &Report, groups: &[Group], styles: Styles) -> String {
    let altered = report.total(|it| it.altered);
    let unnoticed = report.total(|it| it.unnoticed);
    let Styles { good, bad, .. } = styles;
    if report.total(|it| it.matched + it.resegmented[0]) == 0 {
        return "nothing compared".into();
    }
    if altered == 0 {
        return format!("{good}nothing altered{good:#}");
    }
    format!(
        "{bad}{} altered{bad:#} in {}, {unnoticed} of them unnoticed",
        count(altered, "packet"),
        count(groups.len() as u64, "group")
    )
}

pub fn title(kind: Kind) -> String {
    match kind {
        Kind::Stuck { from_data, offset, bit, value } => format!(
            "bit {bit} stuck at {} in byte {offset} modulo 64 from the {}",
            u8::from(value),
            if from_data { "data" } else { "IP header" }
        ),
        Kind::Shape(Shape::Header) => "length".into(),
        Kind::Shape(shape) => shape.text().into(),
    }
}

/// Returns the numbers of altered packets at a point, in order.
pub fn numbers(members: &[&Altered], point: usize) -> Vec<u64> {
    let mut numbers: Vec<u64> = members.iter().map(|it| it.packets[point]).collect();
    numbers.sort_unstable();
    numbers
}

fn of_group(
    number: usize,
    group: &Group,
    report: &Report,
    names: &[String; 2],
    styles: Styles,
) -> Vec<String> {
    let Styles { head, dim, .. } = styles;
    let members: Vec<&Altered> = group.members.iter().map(|&at| &report.altered[at]).collect();
    let mut lines = vec![format!(
        "{head}group {number}: {}: {}{head:#}",
        count(members.len() as u64, "packet"),
        title(group.kind)
    )];
    lines.push(format!("  in        {}", fields_of(group)));
    lines.push(format!("  checksum  {}", outcomes(group)));
    let pattern = pattern(group);
    if !pattern.is_empty() {
        lines.push(format!("  pattern   {pattern}"));
    }
    lines.push(format!("  likely    {}", group.culprit()));
    lines.push(format!("  next      {}", group.next()));
    let shown: Vec<String> = members
        .iter()
        .take(5)
        .map(|it| format!("{} -> {}", it.packets[0], it.packets[1]))
        .collect();
    let more = if members.len() > 5 { ", ..." } else { "" };
    lines.push(format!("  packets   {}{more}", shown.join(", ")));
    if members.len() <= MOST_FILTERED {
        for (point, name) in names.iter().enumerate() {
            let head = if point == 0 { "  filter  " } else { "          " };
            lines.push(format!("{head}  {name}: {}", frames(numbers(&members, point))));
        }
    }
    if let Some(first) = members.first() {
        lines.push(format!("  {dim}example   {}{dim:#}", flow(&first.flow)));
        lines.extend(hex(first, styles));
    }
    lines
}

/// Returns the names of the altered fields of a group.
pub fn fields_of(group: &Group) -> String {
    fields(group.fields.keys().map(|field| (field.protocol, field.name)))
}

/// Returns how the check values of a group turned out.
pub fn outcomes(group: &Group) -> String {
    let one = |(outcome, count): (&Outcome, &u64)| format!("{} {count}", meaning(*outcome));
    group.outcomes.iter().map(one).collect::<Vec<_>>().join("; ")
}

fn meaning(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Noticed => "wrong after, so noticed:",
        Outcome::Recomputed => "computed anew, so right again:",
        Outcome::Blind => "unchanged and still right:",
        Outcome::Unprotected => "none:",
        Outcome::Unknown => "cannot be judged:",
    }
}

/// Returns what the packets of a group have in common.
pub fn pattern(group: &Group) -> String {
    fn common<T: ToString>(name: &str, counts: &BTreeMap<T, u64>, parts: &mut Vec<String>) {
        let total: u64 = counts.values().sum();
        match counts.len() {
            0 => {}
            1 => {
                let all = if total > 1 { " in all" } else { "" };
                let value = counts.keys().next().map_or(String::new(), T::to_string);
                parts.push(format!("{name} {value}{all}"));
            }
            several => {
                let (noun, rest) = name.split_once(' ').unwrap_or((name, ""));
                parts.push(format!("{several} {noun}s {rest}").trim_end().to_string());
            }
        }
    }
    let mut parts = Vec::new();
    if matches!(group.kind, Kind::Shape(_)) {
        common("bit", &group.bits, &mut parts);
        let values = group.values.iter().map(|(value, count)| (u8::from(*value), *count));
        let values: BTreeMap<u8, u64> = values.collect();
        if values.len() == 1 {
            common("new value", &values, &mut parts);
        }
        common("offset modulo 64", &group.offsets, &mut parts);
        common("length", &group.lengths, &mut parts);
    }
    let moves: BTreeMap<i64, u64> =
        group.moves.iter().fold(BTreeMap::new(), |mut all, ((_, distance), count)| {
            *all.entry(*distance).or_default() += count;
            all
        });
    common("distance", &moves, &mut parts);
    parts.join(", ")
}

/// Returns the bytes around the first altered one, with marks below altered ones, and the bits of
/// the first.
pub fn hex(it: &Altered, styles: Styles) -> Vec<String> {
    let Styles { good, bad, .. } = styles;
    let example = &it.example;
    let mut lines = Vec::new();
    let rows = example.expected.chunks(16).zip(example.arrived.chunks(16));
    for (row, (expected, arrived)) in rows.enumerate() {
        let offset = example.offset + row * 16;
        if row > 0 && expected == arrived {
            break;
        }
        let bytes =
            |bytes: &[u8]| -> String { bytes.iter().map(|byte| format!(" {byte:02x}")).collect() };
        let differs = |at: usize| expected.get(at) != arrived.get(at);
        let marks: String = (0..expected.len().max(arrived.len()))
            .map(|at| if differs(at) { " ^^" } else { "   " })
            .collect();
        lines.push(format!("    {offset:04x}  sent   {good}{}{good:#}", bytes(expected)));
        lines.push(format!("          came   {bad}{}{bad:#}", bytes(arrived)));
        lines.push(format!("                 {}", marks.trim_end()));
    }
    let bytes = example.expected.iter().zip(&example.arrived).enumerate();
    if let Some((at, (old, new))) = bytes.into_iter().find(|(_, (a, b))| a != b) {
        let place = example.offset + at;
        lines.push(format!("    byte {place} from the IP header: {old:08b} -> {new:08b}"));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_a_unit() {
        for (nanoseconds, text) in [
            (0, "0 ns"),
            (9_999, "9999 ns"),
            (12_345, "12.3 us"),
            (-2_500_000, "-2.5 ms"),
            (12_300_000, "12.3 ms"),
            (i64::MAX, "9223372036.855 s"),
        ] {
            assert_eq!(time(nanoseconds), text);
        }
    }
}
