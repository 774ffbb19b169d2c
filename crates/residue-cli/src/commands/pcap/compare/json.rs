//! The comparison as JSON: one object per line.

use super::arguments::CompareArgs;
use super::filter::frames;
use super::text::numbers;
use crate::output::{Styles, without_numbers};
use residue_net::compare::{
    Altered, Direction, Event, Example, Flow, Group, Kind, Point, Report, Toward, Traffic,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Returns an event other than an altered packet as a line.
pub fn event(event: &Event<'_>) -> String {
    let one = |name: &str, toward: Toward, point: usize, number: u64, flow: &Flow| {
        json!({
            "event": name,
            "toward": toward.name(),
            "capture": if point == 0 { "before" } else { "after" },
            "packet": number,
            "flow": of_flow(flow),
        })
    };
    let both = |name: &str, toward: Toward, numbers: [u64; 2], flow: &Flow| {
        json!({
            "event": name,
            "toward": toward.name(),
            "before": numbers[0],
            "after": numbers[1],
            "flow": of_flow(flow),
        })
    };
    let value = match *event {
        Event::Lost { toward, point, seen } => one("lost", toward, point, seen.number, &seen.flow),
        Event::Extra { toward, point, seen } => {
            one("extra", toward, point, seen.number, &seen.flow)
        }
        Event::Duplicated { toward, point, seen, of } => {
            let mut value = one("duplicated", toward, point, seen.number, &seen.flow);
            value["of"] = of.into();
            value
        }
        Event::Reordered { toward, numbers, flow } => both("reordered", toward, numbers, &flow),
        Event::Late { toward, numbers, flow, above } => {
            let mut value = both("late", toward, numbers, &flow);
            value["nanoseconds_above_least"] = above.into();
            value
        }
        Event::Altered { altered, .. } => self::altered(altered, None),
    };
    value.to_string()
}

fn of_flow(flow: &Flow) -> Value {
    let [source, destination] = flow.addresses.map(|address| address.to_string());
    json!({
        "protocol": flow.protocol,
        "source": source,
        "destination": destination,
        "ports": flow.ports,
    })
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn example(example: &Example) -> Value {
    json!({
        "offset": example.offset,
        "expected": hex(&example.expected),
        "arrived": hex(&example.arrived),
    })
}

fn altered(it: &Altered, group: Option<usize>) -> Value {
    let fields: Vec<Value> = it
        .fields
        .iter()
        .map(|field| json!({ "protocol": field.protocol, "field": field.name }))
        .collect();
    let mut value = json!({
        "event": "altered",
        "toward": it.toward.name(),
        "before": it.packets[0],
        "after": it.packets[1],
        "flow": of_flow(&it.flow),
        "outcome": it.outcome.name(),
        "checks": it.checks,
        "shape": it.damage.shape.name(),
        "fields": fields,
        "offset": it.damage.offset,
        "length": it.damage.length,
        "bytes": it.bytes,
        "bits": it.bits,
        "translated": it.translated,
        "hops": it.hops,
        "example": example(&it.example),
    });
    if it.grown != 0 {
        value["length_change"] = it.grown.into();
    }
    if let Some((bit, new)) = it.bit {
        value["bit"] = bit.into();
        if let Some(new) = new {
            value["bit_value"] = u8::from(new).into();
        }
    }
    if let Some((unit, distance)) = it.moved {
        value["moved"] = json!({ "bytes": unit, "distance": distance });
    }
    if let Some(group) = group {
        value["group"] = group.into();
    }
    value
}

fn counts<T: ToString>(counts: &BTreeMap<T, u64>) -> Value {
    counts.iter().map(|(key, count)| (key.to_string(), json!(count))).collect()
}

fn group(number: usize, group: &Group) -> Value {
    let outcomes: Value =
        group.outcomes.iter().map(|(it, count)| (it.name().to_string(), json!(count))).collect();
    let fields: Value = group
        .fields
        .iter()
        .map(|(field, count)| (format!("{} {}", field.protocol, field.name), json!(count)))
        .collect();
    let mut value = json!({
        "event": "group",
        "group": number,
        "toward": group.toward.name(),
        "packets": group.members.len(),
        "outcomes": outcomes,
        "fields": fields,
        "bits": counts(&group.bits),
        "offsets_modulo_64": counts(&group.offsets),
        "lengths": counts(&group.lengths),
        "hops": counts(&group.hops),
        "translated": group.translated,
        "culprit": group.culprit(),
    });
    match group.kind {
        Kind::Shape(shape) => value["pattern"] = shape.name().into(),
        Kind::Stuck { from_data, offset, bit, value: is } => {
            value["pattern"] = "stuck bit".into();
            value["stuck"] = json!({
                "from": if from_data { "data" } else { "ip" },
                "offset_modulo_64": offset,
                "bit": bit,
                "value": u8::from(is),
            });
        }
    }
    value
}

fn direction(it: &Direction) -> Value {
    let mut value = json!({
        "matched": it.matched,
        "lost": it.lost,
        "extra": it.extra,
        "duplicated": it.duplicated,
        "reordered": it.reordered,
        "late": it.late,
        "altered": it.altered,
        "altered_unnoticed": it.unnoticed,
        "translated": it.translated,
        "service_changed": it.service,
        "identification_changed": it.identification,
        "options_changed": it.other,
        "checks_completed": it.completed,
        "checks_corrected": it.corrected,
        "sent_again": it.again,
        "repaired": it.repaired,
        "connections_opened": it.openings,
        "resegmented": it.resegmented,
        "hops": counts(&it.hops),
    });
    if it.delays.packets > 0 {
        value["nanoseconds"] = json!({
            "least": it.delays.least,
            "most": it.delays.most,
            "median_above_least": it.delays.above_least(0.5),
            "p99_above_least": it.delays.above_least(0.99),
        });
    }
    value
}

fn point(name: &std::ffi::OsStr, it: &Point) -> Value {
    let mut value = json!({
        "capture": Styles::plain(name),
        "packets": it.counts.packets,
        "compared": it.compared,
        "outside": it.outside,
        "local": it.local,
        "copies": it.counts.copies,
        "without_ip": it.counts.without_ip,
        "fragments": it.counts.fragments,
        "reassembled": it.counts.reassembled,
        "incomplete": it.counts.incomplete,
        "cut": it.counts.cut,
    });
    if let Some(error) = &it.error {
        value["error"] = without_numbers(&error.to_string()).into();
    }
    value
}

fn traffic(event: &str, toward: Toward, it: &Traffic) -> Value {
    let mut value = json!({
        "event": event,
        "toward": toward.name(),
        "matched": it.matched,
        "lost": it.lost,
        "repaired": it.repaired,
        "sent_again": it.again,
        "altered": it.altered,
        "reordered": it.reordered,
    });
    let at = |share| it.above.quantile(share);
    if let (Some(median), Some(p99), Some(most)) = (at(0.5), at(0.99), at(1.0)) {
        value["nanoseconds_above_least"] = json!({ "median": median, "p99": p99, "most": most });
    }
    value
}

/// Returns the traffic of each flow, and in each interval of the time.
fn flows(report: &Report) -> Vec<Value> {
    let survey = &report.survey;
    let mut lines = Vec::new();
    for (toward, flow, it) in survey.flows() {
        let mut value = traffic("by_flow", toward, it);
        value["flow"] = of_flow(&flow);
        lines.push(value);
    }
    for (toward, intervals) in [Toward::After, Toward::Before].into_iter().zip(&survey.intervals) {
        for (at, it) in intervals.iter().enumerate() {
            let Some([from, to]) = survey.ends(at) else { continue };
            let mut value = traffic("by_time", toward, it);
            value["from_nanoseconds"] = from.into();
            value["to_nanoseconds"] = to.into();
            lines.push(value);
        }
    }
    lines
}

/// Returns the altered packets, the groups and the summary as lines.
pub fn conclusion(args: &CompareArgs, report: &Report, groups: &[Group]) -> Vec<String> {
    let mut group_of = vec![None; report.altered.len()];
    for (number, group) in groups.iter().enumerate() {
        for &member in &group.members {
            group_of[member] = Some(number + 1);
        }
    }
    let of = report.altered.iter().zip(group_of);
    let mut lines: Vec<String> = of.map(|(it, group)| altered(it, group).to_string()).collect();
    lines.extend(groups.iter().enumerate().map(|(at, it)| {
        let mut value = group(at + 1, it);
        let members: Vec<&Altered> = it.members.iter().map(|&at| &report.altered[at]).collect();
        let filter = |point| frames(numbers(&members, point));
        value["filters"] = json!({ "before": filter(0), "after": filter(1) });
        value.to_string()
    }));
    if args.flows {
        lines.extend(flows(report).iter().map(Value::to_string));
    }
    let summary = json!({
        "event": "summary",
        "before": point(args.names()[0], &report.points[0]),
        "after": point(args.names()[1], &report.points[1]),
        "toward_after": direction(&report.directions[0]),
        "toward_before": direction(&report.directions[1]),
        "clock_nanoseconds": report.clocks.timed.then_some(report.clocks.difference),
        "clock_drift_ppb": report.clocks.timed.then_some(report.clocks.drift),
        "groups": groups.len(),
        "altered_not_grouped":
            report.total(|it| it.altered).saturating_sub(report.altered.len() as u64),
        "left_early": report.crowded,
        "seems_swapped": report.seems_swapped(),
    });
    lines.push(summary.to_string());
    lines
}
