//! The metrics that the alerts and the dashboard of `examples/` name.

pub const ALERTS: &str = include_str!("../../../../examples/prometheus-alerts.yaml");
pub const DASHBOARD: &str = include_str!("../../../../examples/grafana-dashboard.json");

/// Asserts that `text`, which a program prints for Prometheus, has every metric of this prefix that
/// the examples name.
pub fn has_all_of_the_examples(text: &str, prefix: &str) {
    let mut named = 0;
    for example in [ALERTS, DASHBOARD] {
        for (at, _) in example.match_indices(prefix) {
            let is_name = |c: char| c.is_ascii_lowercase() || c == '_';
            let name = example[at..].split(|c| !is_name(c)).next().expect("a name");
            let is_it = |line: &str| {
                line.strip_prefix(name).is_some_and(|rest| rest.starts_with(['{', ' ']))
            };
            assert!(text.lines().any(is_it), "{name}: {text}");
            named += 1;
        }
    }
    assert!(named >= 5, "{named}");
}
