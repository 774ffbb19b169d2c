//! The JSON report of a capture (feature `json`), as `residue pcap verify --json` prints it.

use crate::check::Protocol;
use crate::diagnose::Chance;
use crate::summary::{Counts, Faults, Summary, sender_name};
use crate::time::rfc3339;
use crate::unfollowed::Unfollowed;
use crate::verify::Read;
use serde_json::{Value, json};

/// The JSON Schema of a line of `residue pcap verify --json`. The report of [`capture`] is a line
/// of type `capture`, without its type.
pub const SCHEMA: &str = include_str!("json/pcap-verify.schema.json");

/// The JSON Schema of a line of `residue pcap compare --json`.
pub const COMPARE_SCHEMA: &str = include_str!("json/pcap-compare.schema.json");

/// Returns the protocols that were not followed: registry (`kind`), number, name, all of these as
/// in reports (`protocol`), and the number of packets. One without a kind stands for all that are
/// not counted separately.
#[must_use]
pub fn not_followed(summary: &Summary) -> Value {
    let row = |&(unfollowed, packets): &(Option<Unfollowed>, u64)| {
        json!({
            "kind": unfollowed.map(|it| it.numbering.name()),
            "value": unfollowed.map(|it| it.value),
            "name": unfollowed.and_then(Unfollowed::name),
            "protocol": unfollowed.map(|it| it.to_string()),
            "packets": packets,
        })
    };
    summary.unfollowed().iter().map(row).collect()
}

/// Returns a probability with two significant digits; the smallest is 1e-300.
fn probability(chance: Chance) -> Value {
    let log10 = chance.log10().max(-300.0);
    let exponent = log10.floor();
    let digits = (10f64.powf(log10 - exponent) * 10.0).round();
    // Read from text, because multiples of powers of ten have long fractions.
    format!("{digits}e{}", exponent - 1.0).parse::<f64>().map_or(Value::Null, Value::from)
}

/// Returns the report of the capture called `name`. `error` is the reason why it could not be read
/// to its end, if so; of rewritten pairs, senders and flows, the first `top` are included.
#[must_use]
pub fn capture(
    name: &str,
    read: &Read,
    error: Option<String>,
    summary: &Summary,
    top: usize,
) -> Value {
    let mut value = counts(summary, top);
    let fields = [
        ("capture", json!(name)),
        ("format", json!(read.format.to_string())),
        ("compression", json!(read.compression.map(|compression| compression.to_string()))),
        ("packets", json!(read.packets)),
        ("cut_packets", json!(read.cut_packets)),
        ("selected_packets", json!(read.selected)),
        ("first_time", json!(read.times.map(|[first, _]| rfc3339(first)))),
        ("last_time", json!(read.times.map(|[_, last]| rfc3339(last)))),
        ("links", read.links.iter().map(ToString::to_string).collect()),
        ("error", json!(error)),
    ];
    for (name, field) in fields {
        value[name] = field;
    }
    value
}

/// Returns the counts of a summary; of rewritten pairs, senders and flows, the first `top` are
/// included.
#[must_use]
pub fn counts(summary: &Summary, top: usize) -> Value {
    let counts = |counts: &Counts| {
        let mut value = json!({});
        for (name, number) in counts.columns() {
            value[name.replace(' ', "_")] = number.into();
        }
        let reasons = counts.unverifiable.iter();
        value["reasons"] =
            reasons.map(|(reason, n)| (reason.text().to_string(), json!(n))).collect();
        value
    };
    let mut causes = json!({});
    for ((cause, protocol), number) in summary.diagnosis.tally() {
        causes[cause.name()][protocol] = number.into();
    }
    let mut chances = json!({});
    for ((cause, protocol), chance) in summary.diagnosis.chances() {
        chances[cause.name()][protocol] = probability(chance);
    }
    let faults = |faults: &Faults| json!({ "wrong": faults.wrong, "offloaded": faults.offloaded });
    let protocols = summary.protocols();
    let protocol = |(name, (protocol, entry)): (&&str, &(&Protocol, &Counts))| {
        let mut value = counts(entry);
        value["title"] = protocol.title.into();
        value["source"] = protocol.source.into();
        (name.to_string(), value)
    };
    json!({
        "total": counts(&summary.total()),
        "protocols": protocols.iter().map(protocol).collect::<serde_json::Map<_, _>>(),
        "causes": causes,
        "chances": chances,
        "not_followed": not_followed(summary),
        "rewritten": summary.diagnosis.rewrites().iter().take(top).map(|rewrite| json!({
            "cause": rewrite.kind.name(),
            "source": rewrite.source.to_string(),
            "destination": rewrite.destination.to_string(),
            "lacking": format!("{:04X}", rewrite.lacking),
            "packets": rewrite.packets,
            "chance": probability(rewrite.chance),
            "addresses_only": rewrite.addresses_only,
            "likely": rewrite.likely.iter().map(|(is_source, address)| json!({
                "in_place_of": if *is_source { "source" } else { "destination" },
                "address": address.to_string(),
            })).collect::<Vec<_>>(),
        })).collect::<Vec<_>>(),
        "senders": summary.senders().iter().take(top).map(|(address, found)| {
            let mut value = faults(found);
            value["address"] = sender_name(address).into();
            value
        }).collect::<Vec<_>>(),
        "flows": summary.flows().iter().take(top).map(|(flow, found)| {
            let mut value = faults(found);
            value["protocol"] = flow.protocol.into();
            value["source"] = sender_name(&flow.addresses[0]).into();
            value["destination"] = sender_name(&flow.addresses[1]).into();
            value["ports"] = json!(flow.ports);
            value
        }).collect::<Vec<_>>(),
    })
}
