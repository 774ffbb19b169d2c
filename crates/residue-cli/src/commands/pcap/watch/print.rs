//! The counts of a watch, as text, JSON and metrics.

use super::metrics::{self, Metrics};
use super::state::{Ending, State};
use crate::commands::pcap::report::{self, count};
use crate::output::Styles;
use residue_net::time::rfc3339;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// Packets and bits per second.
struct Rates {
    seconds: f64,
    packets: f64,
    bits: f64,
}

impl Rates {
    /// Returns the rates of the last interval, or of the whole time at the end.
    fn of(state: &State<'_>, ended: bool) -> Rates {
        let (before, now) = (state.before, Instant::now());
        let counts = state.live.counts;
        let seconds = now.duration_since(state.start).as_secs_f64();
        let (time, packets, bytes) = if ended {
            (seconds, counts.packets, counts.bytes)
        } else {
            let time = now.duration_since(before.time).as_secs_f64();
            (time, counts.packets - before.packets, counts.bytes - before.bytes)
        };
        let time = time.max(0.001);
        Rates { seconds, packets: packets as f64 / time, bits: bytes as f64 * 8.0 / time }
    }

    fn bits(&self) -> String {
        match self.bits {
            bits if bits >= 1e9 => format!("{:.2} Gbit/s", bits / 1e9),
            bits if bits >= 1e6 => format!("{:.1} Mbit/s", bits / 1e6),
            bits => format!("{:.0} kbit/s", bits / 1e3),
        }
    }
}

/// Returns the counts as text.
pub fn lines(state: &State<'_>, ending: Option<Ending>, styles: Styles) -> Vec<String> {
    let Styles { head, bad, .. } = styles;
    let counts = state.live.counts;
    let rates = Rates::of(state, ending.is_some());
    let packets = count(counts.packets, "packet");
    let mut title = format!("{head}{}{head:#}: {:.0} s, {packets}", state.source, rates.seconds);
    if state.args.filtered.filter.is_some() {
        let _ = write!(title, ", {} selected", counts.selected);
    }
    // Rates of a moment would mean nothing.
    if rates.seconds >= 0.5 {
        let _ = write!(title, ", {:.0} packets/s, {}", rates.packets, rates.bits());
    }
    if counts.cut_packets > 0 {
        let _ = write!(title, ", {} cut short", counts.cut_packets);
    }
    let mut lines = vec![title];
    let losses = state.losses;
    if losses.dropped > 0 {
        lines.push(format!(
            "{bad}{} not verified{bad:#}: dropped by the kernel, as its buffer was full (--buffer)",
            count(losses.dropped, "packet")
        ));
    }
    if losses.passed_over > 0 {
        lines.push(format!(
            "{bad}{} not verified{bad:#}: passed over, as most of the buffer was waiting",
            count(losses.passed_over, "packet")
        ));
    }
    if state.merged > 0 {
        lines.push(format!(
            "{} longer than the MTU: merged on receipt, or not segmented yet",
            count(state.merged, "packet")
        ));
    }
    let mut table = report::counts(&state.live.summary, state.args.top, false, styles);
    let conclusion = conclusion(state, table.pop(), styles);
    // A table that is longer than the terminal is cut at its end.
    if ending.is_none() {
        // The line before the conclusion is empty.
        table.pop();
        lines.extend(conclusion);
        lines.extend(table);
    } else {
        lines.extend(table);
        lines.extend(conclusion);
    }
    lines
}

/// Returns the conclusion of the table, with more about its numbers.
fn conclusion(state: &State<'_>, last: Option<String>, styles: Styles) -> Vec<String> {
    let bad = styles.bad;
    let mut lines = Vec::from_iter(last);
    match state.live.counts.never_completed {
        0 => {}
        several => lines.push(format!(
            "{bad}{several} of them{bad:#}: the sum of the pseudo-header, which no card will \
             complete; the sender's offload fails"
        )),
    }
    lines.extend(state.damaged.as_ref().map(|damaged| {
        let mut line = format!("{} written", count(damaged.written, "damaged packet"));
        if damaged.left_out > 0 {
            let _ = write!(line, ", {} left out, as the file is full", damaged.left_out);
        }
        line
    }));
    lines
}

/// Returns the counts as JSON.
pub fn json(state: &State<'_>, ending: Option<Ending>) -> Value {
    let counts = state.live.counts;
    let rates = Rates::of(state, ending.is_some());
    let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let mut value = residue_net::json::counts(&state.live.summary, state.args.top);
    let fields = [
        ("type", json!("watch")),
        ("source", json!(state.source)),
        ("time", json!(rfc3339(time.as_nanos() as u64))),
        ("seconds", json!(rounded(rates.seconds))),
        ("ended", json!(ending.map(Ending::name))),
        ("packets", json!(counts.packets)),
        ("selected_packets", json!(state.args.filtered.filter.as_ref().map(|_| counts.selected))),
        ("bytes", json!(counts.bytes)),
        ("packets_per_second", json!(rates.packets.round())),
        ("bits_per_second", json!(rates.bits.round())),
        ("cut_packets", json!(counts.cut_packets)),
        ("wrong_packets", json!(counts.wrong_packets)),
        ("merged_packets", json!(state.merged)),
        (
            "not_verified",
            json!({
                "dropped_by_kernel": state.losses.dropped,
                "passed_over": state.losses.passed_over,
            }),
        ),
        ("to_complete", json!(counts.to_complete)),
        ("never_completed", json!(counts.never_completed)),
        ("written", json!(state.damaged.as_ref().map(|damaged| damaged.written))),
        ("left_out", json!(state.damaged.as_ref().map(|damaged| damaged.left_out))),
    ];
    for (name, field) in fields {
        value[name] = field;
    }
    value
}

fn rounded(seconds: f64) -> f64 {
    (seconds * 1000.0).round() / 1000.0
}

/// Returns the counts in the text format of Prometheus.
pub fn prometheus(state: &State<'_>) -> String {
    let (counts, losses) = (state.live.counts, state.losses);
    let mut text = Metrics::new(&state.source);
    let uptime = state.start.elapsed().as_secs_f64();
    text.gauge("uptime_seconds", "Seconds since the start", [(vec![], uptime)]);
    text.counter("packets_total", "Packets verified", [(vec![], counts.packets)]);
    text.counter("bytes_total", "Bytes of these packets", [(vec![], counts.bytes)]);
    text.counter(
        "packets_not_verified_total",
        "Packets not verified, by reason",
        [
            (vec![("why", "dropped_by_kernel")], losses.dropped),
            (vec![("why", "passed_over")], losses.passed_over),
        ],
    );
    text.counter(
        "wrong_packets_total",
        "Packets with a wrong check value",
        [(vec![], counts.wrong_packets)],
    );
    text.counter(
        "never_completed_total",
        "Bad values that are the sum of the pseudo-header alone",
        [(vec![], counts.never_completed)],
    );
    let protocols = state.live.summary.protocols();
    let rows = protocols.iter().flat_map(|(name, (_, counts))| {
        counts.columns().map(|(verdict, number)| {
            (vec![("protocol", *name), ("verdict", metrics::verdict(verdict))], number)
        })
    });
    text.counter("check_values_total", "Check values, by protocol and verdict", rows);
    let tally = state.live.summary.diagnosis.tally();
    let rows = tally.iter().map(|((cause, protocol), &number)| {
        (vec![("protocol", *protocol), ("cause", cause.name())], number as f64)
    });
    // Not counters: later packets may change the cause of earlier ones.
    text.gauge("causes", "Bad and offloaded values, by protocol and cause", rows);
    text.finish()
}
