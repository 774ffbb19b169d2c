//! The result of a search as JSON.

use super::advice;
use super::arguments::IdentifyArgs;
use super::hit::{encoded, line, names};
use crate::hex;
use residue::Code;
use residue_identify::{Certainty, Found, HashKind, Hit, Report, Samples, Stage};
use serde_json::{Value, json};

/// Returns the result as JSON.
pub fn document(args: &IdentifyArgs, samples: &Samples, report: &Report) -> Value {
    let bits = samples.bits();
    let hits: Vec<Value> = report.hits.iter().map(|hit| entry(hit, bits)).collect();
    let strangers: Vec<Value> = report
        .strangers
        .iter()
        .filter_map(|&i| {
            let sample = samples.list().get(i)?;
            let expected = report.hits.first()?.field(&sample.message, bits);
            Some(json!({
                "sample": i + 1,
                "value": encoded(sample.value, bits),
                "expected": expected.map(|value| encoded(value, bits)),
            }))
        })
        .collect();
    let decisive = report.decisive.as_ref().map(|decisive| {
        let message = hex::digits(decisive.message.iter().copied());
        let values: Vec<String> =
            decisive.values.iter().map(|&value| encoded(value, bits)).collect();
        json!({ "message": message, "values": values })
    });
    let not_tried: Vec<String> = report.untried.iter().map(ToString::to_string).collect();
    let searched = Stage::ALL
        .into_iter()
        .filter(|&stage| stage <= report.stage && (!stage.is_named() || !args.no_catalogue));
    json!({
        "samples": samples.list().len(),
        "bits": bits,
        "found": report.certainty() == Certainty::Found,
        "convincing": report.convincing(),
        "certainty": report.certainty().name(),
        "undecided_widths": if report.convincing() { None } else { Some(&report.undecided) },
        "not_tried": not_tried,
        "tried": report.tried,
        "searched": searched.map(|stage| stage.name()).collect::<Vec<_>>(),
        "hits": hits,
        "by_chance": report.weak,
        "contradicting": strangers,
        "decisive": decisive,
        "advice": advice::of_samples(samples, report),
        "relation": report.relation.as_ref().map(ToString::to_string),
    })
}

/// Returns what a hit is, in every kind of search.
pub(super) fn hit(hit: &Hit) -> Value {
    let (name, code) = names(hit);
    let params = match &hit.found {
        Found::Code(code) => code.params().map(line),
        Found::Sum(_) | Found::Hash(_) => None,
    };
    let detects = !matches!(&hit.found, Found::Hash(hash) if hash.kind == HashKind::Hash);
    json!({
        "name": name,
        "code": code,
        "params": params,
        "error_detection": detects,
        "chance_log2": hit.chance,
        "modulus_reached": hit.unreached.map(|_| false),
        "modulus_above": hit.unreached.map(|most| most as u64),
    })
}

fn entry(hit: &Hit, bits: u32) -> Value {
    let mut value = self::hit(hit);
    let width = match &hit.found {
        Found::Code(code) => Code::width(code),
        Found::Sum(_) => bits,
        Found::Hash(hash) => hash.width,
    };
    let family = hit.family.as_ref();
    for (name, member) in [
        ("width", json!(width)),
        ("message", json!(hit.reading.to_string())),
        ("left_out", json!([hit.reading.lead, hit.reading.trail])),
        ("value", json!(hit.form.to_string())),
        ("part", json!(hit.part.map(|part| part.to_string()))),
        ("combined_with", json!(hit.mask.as_ref().map(|mask| mask.to_string()))),
        ("pairs_log2", json!(family.map(|family| family.dimension()))),
        ("same_on_bytes_log2", json!(family.map(|family| family.inherent))),
        ("names", json!(family.map(|family| family.names.clone()))),
    ] {
        value[name] = member;
    }
    value
}
