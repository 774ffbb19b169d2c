//! The text format of Prometheus, in which both engines report their status.

use crate::memory::Destination;
use serde::Serialize;
use serde_json::Value;
use std::fmt::Write as _;

/// Returns the fields of a structure, by their names.
pub(crate) fn object(value: &impl Serialize) -> serde_json::Map<String, Value> {
    let value = serde_json::to_value(value).unwrap_or_default();
    value.as_object().cloned().unwrap_or_default()
}

/// Returns the name of a variant without data.
fn object_name(value: &impl Serialize) -> String {
    let value = serde_json::to_value(value).unwrap_or_default();
    value.as_str().unwrap_or_default().to_string()
}

/// Returns a JSON number, or 0.
pub(crate) fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_default()
}

/// Formats labels, whose names are our own.
pub(crate) fn labels(pairs: &[(&str, &str)]) -> String {
    let escaped =
        |value: &str| value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    let pairs: Vec<String> =
        pairs.iter().map(|(name, value)| format!("{name}=\"{}\"", escaped(value))).collect();
    format!("{{{}}}", pairs.join(","))
}

/// Metrics in the text format of Prometheus.
#[derive(Default)]
pub(crate) struct Metrics(String);

impl Metrics {
    pub(crate) fn finish(self) -> String {
        self.0
    }

    /// Adds the destinations that get a weaker request.
    pub(crate) fn destinations(&mut self, destinations: &[Destination]) {
        let destinations = destinations.iter().map(|destination| {
            let value = destination.value.map_or("none".to_string(), |value| value.to_string());
            let failure = object_name(&destination.failure);
            let pairs = [
                ("address", &*destination.address),
                ("requested", &*value),
                ("failure", &*failure),
            ];
            (labels(&pairs), destination.age as f64)
        });
        let words = "Seconds since a value failed for a destination that gets a weaker request";
        self.metric("failed_destination_age_seconds", words, "gauge", destinations);
    }

    /// Adds all counters of a structure, by their names.
    pub(crate) fn counters(&mut self, counters: &impl Serialize) {
        for (name, value) in object(counters) {
            let metric = format!("{name}_total");
            let values = value.as_array().map(Vec::as_slice).unwrap_or_default();
            // An array has an element for each value, from 0 on.
            let by_value = values.iter().enumerate();
            match value {
                Value::Array(_) if name == "received" => {
                    let rows = by_value.skip(1).flat_map(|(at, verdicts)| {
                        let verdicts = verdicts.as_object().cloned().unwrap_or_default();
                        verdicts.into_iter().map(move |(verdict, count)| {
                            let labels =
                                labels(&[("value", &at.to_string()), ("verdict", &verdict)]);
                            (labels, number(&count))
                        })
                    });
                    self.metric(
                        "received_total",
                        "Segments received, by value and verdict",
                        "counter",
                        rows,
                    );
                }
                Value::Array(_) => {
                    let rows = by_value
                        .map(|(at, count)| (labels(&[("value", &at.to_string())]), number(count)));
                    self.metric(&metric, &name.replace('_', " "), "counter", rows);
                }
                _ => self.metric(
                    &metric,
                    &name.replace('_', " "),
                    "counter",
                    [(String::new(), number(&value))],
                ),
            }
        }
    }

    pub(crate) fn metric(
        &mut self,
        name: &str,
        help: &str,
        kind: &str,
        rows: impl IntoIterator<Item = (String, f64)>,
    ) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.0, "# HELP residue_guard_{name} {help}");
        let _ = writeln!(self.0, "# TYPE residue_guard_{name} {kind}");
        for (labels, value) in rows {
            let _ = writeln!(self.0, "residue_guard_{name}{labels} {value}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_escaped() {
        assert_eq!(labels(&[("a", "b\"c\\\nd"), ("e", "f")]), r#"{a="b\"c\\\nd",e="f"}"#);
    }
}
