//! The arguments of `residue pcap compare`.

use crate::options::Report;
use clap::Args;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

const HELP: &str = "\
Matches the packets of two captures taken at two points, and reports which were lost, duplicated, \
reordered or altered between them. Addresses and ports (NAT), TTL, type of service, MAC addresses, \
VLAN tags, tunnels and fragments may differ, and either capture may be cut by a snap length that \
leaves 40 bytes behind the IP header. Packets travel in both directions; those whose TTL is lower \
in BEFORE travel toward it.

An alteration is: noticed (a check value is wrong after it), recomputed (a device computed the \
check value anew over the altered bytes), blind (the check value did not change and is still \
right), unprotected (no check value covers it) or unknown (the check value was wrong before, or \
the packet is cut). Altered packets are grouped by direction, pattern and outcome. A bit is called \
stuck if chance does not explain how often it has one value at one offset modulo 64.

Clocks may differ, and drift: both are estimated from packets at both points. Packets from before \
the other capture began, or after it ended, do not count as lost. Of segments that offload merges \
or splits (TSO, GRO, and those of UDP), the bytes are compared. Of a capture that holds every \
packet twice, as that of a mirror port may, the copies are left out.

Exit codes: 0 nothing altered, 1 altered packets (with --strict also lost, duplicated, reordered \
or extra ones), 2 wrong usage, no packet in common, or a capture could not be read to its end; the \
part before is compared.

Times above the smallest one are exact to one sixteenth, and up to 16,384 flows are counted alone.

JSON:
One object a line; the member event says which. --schema prints their JSON Schema. Members may be \
added; existing ones keep their names and meanings.
  lost, extra  a packet that is in one capture only: toward, capture, packet, flow
  duplicated   a further copy of a packet: toward, capture, packet, flow, of
  reordered    a packet that was overtaken: toward, before, after, flow
  late         with --late: toward, before, after, flow, nanoseconds_above_least
  altered      an altered packet, after the events above: toward, before, after, flow, outcome,
               checks, shape, fields, offset, length, bytes, bits, translated, hops, example,
               length_change, bit, bit_value, moved, group
  group        altered packets with a common pattern, after all of these: group, toward, packets,
               outcomes, fields, bits, offsets_modulo_64, lengths, hops, translated, culprit,
               pattern, stuck, filters (of Wireshark, for each capture)
  by_flow      with --flows: toward, flow, matched, lost, repaired, sent_again, altered, reordered,
               nanoseconds_above_least
  by_time      with --flows: the same of each hundredth of the time: toward, from_nanoseconds,
               to_nanoseconds, ...
  summary      the last line: before, after, toward_after, toward_before, clock_nanoseconds,
               clock_drift_ppb, groups, altered_not_grouped, left_early, seems_swapped

Examples:
  residue pcap compare lan.pcap wan.pcap
  residue pcap compare --list lan.pcap wan.pcap.gz      every packet that was lost or altered
  residue pcap compare --json lan.pcap wan.pcap | jq -c 'select(.event == \"altered\")'
  residue pcap compare --write altered.pcapng lan.pcap wan.pcap
  residue pcap compare --report ticket lan.pcap wan.pcap     a page: ticket/index.html";

// Arguments of `residue pcap compare`.
#[derive(Clone, Debug, Args)]
#[command(after_help = HELP)]
pub struct CompareArgs {
    /// Capture at the first point; `-` is standard input
    #[arg(value_name = "BEFORE", required_unless_present = "schema")]
    pub before: Option<OsString>,
    /// Capture at the second point; `-` is standard input
    #[arg(value_name = "AFTER", required_unless_present = "schema")]
    pub after: Option<OsString>,
    /// List lost, duplicated, reordered, late, extra and altered packets
    #[arg(long)]
    pub list: bool,
    /// List each flow: losses, and times between the points above the smallest one
    #[arg(long)]
    pub flows: bool,
    /// Print JSON: one object per line
    #[arg(long)]
    pub json: bool,
    /// Write the altered packets of both points to this file (pcapng), with comments
    #[arg(long, value_name = "FILE")]
    pub write: Option<PathBuf>,
    /// Exit with 1 also for lost, duplicated, reordered and extra packets
    #[arg(long)]
    pub strict: bool,
    /// Report packets that take this time longer than the fastest one
    #[arg(long, value_name = "MILLISECONDS", value_parser = milliseconds)]
    pub late: Option<i64>,
    /// Let packets wait this long for their partner
    #[arg(long, value_name = "SECONDS", value_parser = seconds, default_value = "10")]
    pub window: i64,
    /// Let at most this many packets of each capture wait
    #[arg(
        long,
        value_name = "COUNT",
        default_value_t = 100_000,
        value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..=10_000_000)
    )]
    pub waiting: usize,
    /// Time of AFTER's clock less that of BEFORE's [default: estimated]
    #[arg(long, value_name = "SECONDS", value_parser = signed_seconds, allow_hyphen_values = true)]
    pub clock: Option<i64>,
    /// Show at most this many groups
    #[arg(long, value_name = "COUNT", default_value_t = 20)]
    pub top: usize,
    #[command(flatten)]
    pub report: Report,
    /// Print the JSON Schema of a line of --json, and exit
    #[arg(long)]
    pub schema: bool,
}

impl CompareArgs {
    /// Returns the names of the captures.
    pub fn names(&self) -> [&OsStr; 2] {
        [&self.before, &self.after].map(|name| name.as_deref().unwrap_or_default())
    }
}

/// Longest time to wait in seconds.
const LONGEST: f64 = 86_400.0;

fn seconds(text: &str) -> Result<i64, String> {
    scaled(text, 1e9, 0.001..=LONGEST)
}

fn milliseconds(text: &str) -> Result<i64, String> {
    scaled(text, 1e6, 0.0..=LONGEST * 1e3)
}

fn signed_seconds(text: &str) -> Result<i64, String> {
    scaled(text, 1e9, -4e9..=4e9)
}

/// Parses a number in a range as nanoseconds.
fn scaled(text: &str, unit: f64, range: std::ops::RangeInclusive<f64>) -> Result<i64, String> {
    match text.parse::<f64>() {
        Ok(number) if range.contains(&number) => Ok((number * unit).round() as i64),
        _ => Err(format!("expected a number from {} to {}", range.start(), range.end())),
    }
}
