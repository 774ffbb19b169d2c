//! `residue guard status`: the counts of the running guard.

use super::StatusArgs;
use crate::output::{Output, Styles};
use anyhow::anyhow;
use residue_guard::Counters;
use residue_guard::adapter::{self, Status};
use serde_json::Value;
use std::time::Duration;

/// Prints the counts, once or every second.
pub fn run(args: &StatusArgs, output: &mut Output) -> anyhow::Result<()> {
    loop {
        let status = adapter::ask()?.ok_or_else(|| {
            anyhow!("no guard runs in this network namespace; start one with `residue guard run`")
        })?;
        if args.prometheus {
            output.line(status.prometheus().trim_end())?;
        } else if args.json && args.watch {
            output.line(serde_json::to_string(&status)?)?;
        } else if args.json {
            output.json(&status)?;
        } else {
            for line in lines(&status, output.styles) {
                output.line(line)?;
            }
        }
        if !args.watch {
            return Ok(());
        }
        if !args.json {
            output.line("")?;
        }
        output.flush()?;
        std::thread::sleep(Duration::from_secs(1));
    }
}

/// Returns a line that says what is guarded, and how.
pub fn head(status: &Status) -> String {
    let ports = match status.ports.join(", ") {
        none if none.is_empty() => "all ports".to_string(),
        ports => format!("ports {ports}"),
    };
    let value =
        status.value.map_or_else(|| "no value".to_string(), |value| format!("value {value}"));
    let policy = if status.required { "required" } else { "preferred" };
    format!(
        "guarding {}, {ports}: {value}, {policy}; rules by {}, process {}",
        status.interface, status.rules, status.process
    )
}

/// Returns all counts, a line each.
pub fn lines(status: &Status, styles: Styles) -> Vec<String> {
    let Status { uptime, cpu_time, packets, batches, entries, counters, .. } = status;
    let share = if *uptime > 0.0 { 100.0 * cpu_time / uptime } else { 0.0 };
    let mut lines = vec![
        head(status),
        format!(
            "up {}, {cpu_time:.1} s of CPU time ({share:.0} %), {packets} packets in {batches} \
             batches",
            duration(*uptime)
        ),
    ];
    for queue in &status.queues {
        let bad = if queue.full + queue.lost > 0 { styles.bad } else { styles.dim };
        lines.push(format!(
            "{bad}queue {}: {} waiting, {} dropped as it was full, {} for want of memory{bad:#}",
            queue.number, queue.waiting, queue.full, queue.lost
        ));
    }
    lines.push(format!(
        "connections: {} guarded, {} opening, {} answering, {} closing; {} destinations where \
         something failed",
        entries.established,
        entries.opening,
        entries.answering,
        entries.closing,
        entries.destinations
    ));
    if entries.regular > 0 {
        lines.push(format!("unprotected now: {} regular connections", entries.regular));
    }
    for destination in &status.destinations {
        let request = match destination.value {
            Some(value) => format!("requests value {value}"),
            None => "regular TCP".to_string(),
        };
        let bad = if destination.value.is_none() { styles.bad } else { styles.dim };
        lines.push(format!(
            "{bad}{}: {request}: {}, {} ago; next attempt in {}{bad:#}",
            destination.address,
            destination.failure,
            duration(destination.age as f64),
            duration(destination.left as f64)
        ));
    }
    if let Some(error) = &status.state_error {
        lines.push(format!("{0}the state is not saved: {error}{0:#}", styles.bad));
    }
    let rows = values(counters, styles);
    if !rows.is_empty() {
        let head = styles.head;
        lines.push(format!(
            "{head}{:>5} {:>12} {:>14} {:>12} {:>14} {:>14} {:>12} {:>12} {:>12}{head:#}",
            "value",
            "connections",
            "segments sent",
            "both good",
            "only TCP bad",
            "only CRC bad",
            "both bad",
            "no option",
            "outside"
        ));
        lines.extend(rows);
        lines.push("Only CRC bad: errors of the network that TCP does not detect.".to_string());
    }
    // All other counters above zero, by their names.
    let all = serde_json::to_value(counters).unwrap_or_default();
    for (name, value) in all.as_object().into_iter().flatten() {
        if let Some(count) = Value::as_u64(value).filter(|&count| count > 0) {
            lines.push(format!("{}: {count}", name.replace('_', " ")));
        }
    }
    lines
}

/// Returns a row of counts for each value in use.
fn values(counters: &Counters, styles: Styles) -> Vec<String> {
    let mut rows = Vec::new();
    for (value, received) in counters.received.iter().enumerate() {
        let (agreed, sent) = (counters.agreed[value], counters.sent[value]);
        if *received == Default::default() && sent == 0 && agreed == 0 {
            continue;
        }
        let bad = if received.only_crc_bad > 0 { styles.bad } else { anstyle::Style::new() };
        rows.push(format!(
            "{:>5} {agreed:>12} {sent:>14} {:>12} {:>14} {bad}{:>14}{bad:#} {:>12} {:>12} {:>12}",
            if value == 0 { "none".to_string() } else { value.to_string() },
            received.both_good,
            received.only_tcp_bad,
            received.only_crc_bad,
            received.both_bad,
            received.missing,
            received.outside,
        ));
    }
    rows
}

fn duration(seconds: f64) -> String {
    let seconds = seconds as u64;
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} min {} s", seconds / 60, seconds % 60),
        _ => format!("{} h {} min", seconds / 3600, seconds / 60 % 60),
    }
}
