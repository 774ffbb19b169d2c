//! The status of a running guard.

use crate::counters::Counters;
use crate::engine::Entries;
use crate::host::metrics::{Metrics, labels, number, object};
use crate::memory::Destination;
use serde::{Deserialize, Serialize};
use std::fs::read_to_string;

/// The state of a guard, and its counts since the start.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Status {
    /// Number of the process; 0: it is in a PID namespace that is not visible here.
    pub process: u32,
    /// Name of the guarded interface.
    pub interface: String,
    /// Guarded ports; empty: all.
    pub ports: Vec<String>,
    /// Requested value; `None`: no request.
    pub value: Option<u8>,
    /// Whether it refuses connections that it cannot guard.
    pub required: bool,
    /// Program that installed the rules.
    pub rules: String,
    /// Seconds since its start.
    pub uptime: f64,
    /// Seconds of processor time, including the kernel's for its packets.
    pub cpu_time: f64,
    /// Number of judged packets.
    pub packets: u64,
    /// Number of batches of packets.
    pub batches: u64,
    /// Counts of the kernel for the queues of sent and received packets.
    pub queues: Vec<QueueStatus>,
    /// Numbers of entries in use.
    pub entries: Entries,
    /// Counters of the engine.
    pub counters: Counters,
    /// Destinations for which a value failed; at most 64 of them.
    #[serde(default)]
    pub destinations: Vec<Destination>,
    /// File of the state, which the next guard continues.
    #[serde(default)]
    pub state: Option<String>,
    /// Why the state is not saved, or could not be restored.
    #[serde(default)]
    pub state_error: Option<String>,
}

/// Counts of the kernel for one queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueueStatus {
    /// Number of the queue.
    pub number: u16,
    /// Packets that wait for a verdict.
    pub waiting: u64,
    /// Packets dropped because too many waited.
    pub full: u64,
    /// Packets dropped because the program's socket had no memory left.
    pub lost: u64,
}

/// The kernel's file of counts, with the fields number, listener, waiting, copy mode, copy range,
/// full, lost, last packet, 1.
const QUEUES: &str = "/proc/net/netfilter/nfnetlink_queue";

fn columns(table: &str, number: u16) -> Option<Vec<u64>> {
    let row = |line: &str| {
        let numbers = line.split_whitespace().map(str::parse);
        numbers.collect::<Result<Vec<u64>, _>>().ok()
    };
    table.lines().filter_map(row).find(|row| row.len() >= 8 && row[0] == u64::from(number))
}

impl QueueStatus {
    /// Returns the counts of a queue of the current network namespace; `None` without a listener or
    /// the permission.
    pub(super) fn of(number: u16) -> Option<QueueStatus> {
        QueueStatus::read(&read_to_string(QUEUES).ok()?, number)
    }

    fn read(table: &str, number: u16) -> Option<QueueStatus> {
        let row = columns(table, number)?;
        Some(QueueStatus { number, waiting: row[2], full: row[5], lost: row[6] })
    }
}

/// Returns the listener of a queue of the current network namespace.
pub(super) fn listener(number: u16) -> Option<String> {
    let row = columns(&read_to_string(QUEUES).ok()?, number)?;
    // The number of a socket is usually that of its process.
    let name = read_to_string(format!("/proc/{}/comm", row[1])).ok();
    let name = name.map(|name| name.trim().escape_debug().to_string());
    Some(name.map_or_else(
        || format!("netlink socket {}", row[1]),
        |name| format!("process {} ({name})", row[1]),
    ))
}

impl Status {
    /// Formats the status for Prometheus. Counters end in `_total`; all counters of the engine are
    /// included, by their names.
    #[must_use]
    pub fn prometheus(&self) -> String {
        let mut text = Metrics::default();
        text.metric(
            "uptime_seconds",
            "Seconds since the start",
            "gauge",
            [(String::new(), self.uptime)],
        );
        let cpu = [(String::new(), self.cpu_time)];
        text.metric("cpu_seconds_total", "Processor time, the kernel's included", "counter", cpu);
        let packets = [(String::new(), self.packets as f64)];
        text.metric("packets_total", "Packets judged", "counter", packets);
        let queues = |of: fn(&QueueStatus) -> [(&str, u64); 2]| {
            let rows = self.queues.iter().flat_map(move |queue| {
                of(queue).map(|(why, count)| {
                    (labels(&[("queue", &queue.number.to_string()), ("why", why)]), count as f64)
                })
            });
            rows.collect::<Vec<_>>()
        };
        let dropped = queues(|queue| [("full", queue.full), ("lost", queue.lost)]);
        text.metric(
            "queue_dropped_total",
            "Packets that the kernel dropped before the guard saw them",
            "counter",
            dropped,
        );

        let entries = object(&self.entries);
        let entries =
            entries.iter().map(|(name, count)| (labels(&[("state", name)]), number(count)));
        text.metric("entries", "Entries in use", "gauge", entries);

        let unprotected = [(String::new(), self.entries.regular as f64)];
        let words = "Regular connections, which have no check value, now";
        text.metric("unprotected_connections", words, "gauge", unprotected);
        text.destinations(&self.destinations);
        text.counters(&self.counters);
        text.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::Failure;

    #[test]
    fn the_kernels_table() {
        let table = concat!(
            "   14   1234     3 2 65531     1     2      900  1\n",
            "   15  99999     0 2 65531     0     0        0  1\n",
        );
        let expected = QueueStatus { number: 14, waiting: 3, full: 1, lost: 2 };
        assert_eq!(QueueStatus::read(table, 14), Some(expected));
        assert_eq!(QueueStatus::read(table, 1), None);
        for bad in ["", "14", "14 x 3 2 65531 1 2 900 1", "14 1 2 3"] {
            assert_eq!(QueueStatus::read(bad, 14), None);
        }
    }

    #[test]
    fn prometheus_has_every_counter() {
        let mut counters = Counters { adopted: 7, ..Counters::default() };
        counters.received[5].only_crc_bad = 3;
        counters.sent[6] = 11;
        let status = Status {
            process: 1,
            interface: "eth0".to_string(),
            ports: Vec::new(),
            value: Some(5),
            required: false,
            rules: "nft".to_string(),
            uptime: 1.5,
            cpu_time: 0.25,
            packets: 9,
            batches: 3,
            queues: vec![QueueStatus { number: 14, waiting: 0, full: 0, lost: 2 }],
            entries: Entries { established: 4, regular: 6, ..Entries::default() },
            counters,
            destinations: vec![Destination {
                address: "192.0.2.1".to_string(),
                value: None,
                failure: Failure::NothingGood,
                age: 40,
                left: 20,
            }],
            state: None,
            state_error: None,
        };
        let text = status.prometheus();
        for line in [
            "residue_guard_uptime_seconds 1.5",
            "residue_guard_cpu_seconds_total 0.25",
            "residue_guard_queue_dropped_total{queue=\"14\",why=\"lost\"} 2",
            "residue_guard_entries{state=\"established\"} 4",
            "residue_guard_received_total{value=\"5\",verdict=\"only_crc_bad\"} 3",
            "residue_guard_sent_total{value=\"6\"} 11",
            "residue_guard_adopted_total 7",
            "residue_guard_unprotected_connections 6",
            "residue_guard_failed_destination_age_seconds{address=\"192.0.2.1\",requested=\"none\",\
             failure=\"nothing_good\"} 40",
            "# TYPE residue_guard_passed_total counter",
        ] {
            assert!(text.lines().any(|each| each == line), "{line}\n{text}");
        }
        for name in object(&status.counters).keys() {
            assert!(text.contains(&format!("\nresidue_guard_{name}_total")), "{name}");
        }
        let again: Status = serde_json::from_slice(&serde_json::to_vec(&status).unwrap()).unwrap();
        assert_eq!(again, status);
    }
}
