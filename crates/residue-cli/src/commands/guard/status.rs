//! `residue guard status`: the counts of the running guard.

use super::arguments::StatusArgs;
use crate::output::{Outcome, Output, Styles};
use anyhow::anyhow;
use residue_guard::kernel;
use residue_guard::queue::{self, Status};
use residue_guard::{Counters, Destination};
use std::time::Duration;

/// The status of either engine.
#[derive(serde::Serialize)]
#[serde(untagged)]
enum Either {
    Kernel(Box<kernel::Status>),
    Queue(Box<Status>),
}

impl Either {
    fn of_this_namespace() -> anyhow::Result<Either> {
        if let Some(status) = kernel::status()? {
            return Ok(Either::Kernel(Box::new(status)));
        }
        let status = queue::ask()?.ok_or_else(|| {
            anyhow!("no guard runs in this network namespace; start one with `residue guard on`")
        })?;
        Ok(Either::Queue(Box::new(status)))
    }

    fn prometheus(&self) -> String {
        match self {
            Either::Kernel(status) => status.prometheus(),
            Either::Queue(status) => status.prometheus(),
        }
    }

    fn lines(&self, styles: Styles) -> Vec<String> {
        match self {
            Either::Kernel(status) => kernel_lines(status, styles),
            Either::Queue(status) => lines(status, styles),
        }
    }
}

/// Prints the counts, once or every second.
pub fn run(args: &StatusArgs, output: &mut Output) -> anyhow::Result<()> {
    loop {
        let status = Either::of_this_namespace()?;
        if let Either::Kernel(status) = &status
            && (status.broken.is_some() || status.warning.is_some())
        {
            output.found(Outcome::Bad);
        }
        if args.prometheus {
            output.line(status.prometheus().trim_end())?;
        } else if args.format.json && args.watch {
            output.line(serde_json::to_string(&status)?)?;
        } else if args.format.json {
            output.json(&status)?;
        } else {
            for line in status.lines(output.styles) {
                output.line(line)?;
            }
        }
        if !args.watch {
            return Ok(());
        }
        if !args.format.json {
            output.line("")?;
        }
        output.flush()?;
        std::thread::sleep(Duration::from_secs(1));
    }
}

/// Returns a line that says what the kernel engine guards, and how.
pub fn kernel_head(status: &kernel::Status) -> String {
    let ports = match status.ports.join(", ") {
        none if none.is_empty() => "all ports".to_string(),
        ports => format!("ports {ports}"),
    };
    let value = status.value.map_or_else(
        || "switched off, but open connections are guarded to their end".to_string(),
        |value| format!("value {value}"),
    );
    let policy = if status.required { "required" } else { "preferred" };
    let cgroup = status.cgroup.as_ref().map(|folder| Styles::plain(folder.as_os_str()));
    let cgroup = cgroup.map(|folder| format!(", cgroup {folder}"));
    let mut parts: Vec<&str> = Vec::new();
    for part in status.interfaces.iter().flat_map(|interface| &interface.parts) {
        if !parts.contains(&part.as_str()) {
            parts.push(part);
        }
    }
    let threaded = status.interfaces.iter().filter(|each| each.receive_threads == Some(true));
    let threads = match threaded.map(|each| each.name.as_str()).collect::<Vec<_>>().join(" and ") {
        none if none.is_empty() => none,
        some => format!("; threads receive from {some}"),
    };
    let crc = if status.kernel_crc32c { "; the kernel computes CRC-32C" } else { "" };
    format!(
        "guarding {}, {ports}{}: {value}, {policy}; in the kernel, by {}{crc}{threads}",
        names(status),
        cgroup.unwrap_or_default(),
        parts.join(", ")
    )
}

/// Returns the names of the guarded interfaces.
pub fn names(status: &kernel::Status) -> String {
    let names: Vec<&str> = status.interfaces.iter().map(|each| each.name.as_str()).collect();
    names.join(" and ")
}

/// Returns all counts of the kernel engine, a line each.
pub fn kernel_lines(status: &kernel::Status, styles: Styles) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(why) = &status.broken {
        let bad = styles.bad;
        let all = status.interfaces.iter().all(|interface| interface.broken.is_some());
        let what = if all { "NOTHING IS PROTECTED" } else { "NOT ALL INTERFACES ARE PROTECTED" };
        lines.push(format!(
            "{bad}{what}: {why}. Run `residue guard clean`, then `residue guard \
             on`{bad:#}"
        ));
    }
    if let Some(warning) = &status.warning {
        lines.push(format!("{}{warning}{:#}", styles.bad, styles.bad));
    }
    lines.push(kernel_head(status));
    lines.push(format!("on for {}", duration(status.uptime)));
    lines.push(format!(
        "connections: {} guarded, {} unprotected",
        status.guarded, status.unprotected
    ));
    lines.extend(destinations(&status.destinations, styles));
    lines.extend(table(&status.counters, styles));
    lines.extend(named(&status.counters));
    lines.extend(named(&status.kernel));
    lines
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
        "guarding {}, {ports}: {value}, {policy}; rules by {}, {}",
        status.interface,
        status.rules,
        process(status)
    )
}

/// Names the process of a guard.
pub fn process(status: &Status) -> String {
    match status.process {
        0 => "a process that is not visible here".to_string(),
        number => format!("process {number}"),
    }
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
    lines.extend(destinations(&status.destinations, styles));
    if let Some(error) = &status.state_error {
        lines.push(format!("{0}the state is not saved: {error}{0:#}", styles.bad));
    }
    lines.extend(table(counters, styles));
    lines.extend(named(counters));
    lines
}

/// Returns a line for each destination that gets a weaker request.
fn destinations(destinations: &[Destination], styles: Styles) -> Vec<String> {
    let mut lines = Vec::new();
    for destination in destinations {
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
    lines
}

/// Returns the counts by value.
fn table(counters: &Counters, styles: Styles) -> Vec<String> {
    let rows = values(counters, styles);
    if rows.is_empty() {
        return Vec::new();
    }
    let head = styles.head;
    let mut lines = vec![format!(
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
    )];
    lines.extend(rows);
    lines.push("Only CRC bad: errors of the network that TCP does not detect.".to_string());
    lines
}

/// Returns the other counters above zero, by their names.
fn named(counters: &impl serde::Serialize) -> Vec<String> {
    let all = serde_json::to_value(counters).unwrap_or_default();
    let counts = all.as_object().into_iter().flatten();
    let counts = counts.filter_map(|(name, value)| Some((name, value.as_u64()?)));
    let counts = counts.filter(|&(_, count)| count > 0);
    counts.map(|(name, count)| format!("{}: {count}", name.replace('_', " "))).collect()
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
