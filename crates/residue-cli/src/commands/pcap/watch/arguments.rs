//! The arguments of `residue pcap watch`.

use super::metrics::{self, Target};
use crate::commands::pcap::Filtered;
use clap::{ArgGroup, Args};
use std::ffi::OsString;
use std::path::PathBuf;

const HELP: &str = "\
With an interface, packets are taken from the kernel (Linux, packet sockets), which needs the \
capability CAP_NET_RAW; `any` stands for all interfaces. With -, or a named pipe, they are those \
of a capture that another program writes, on any system. On a terminal, a table is shown and kept \
up to date; the counts are printed at the end in any case: after Ctrl-C, --count or --duration, at \
the end of the input, or when the interface goes down.

Verdicts and causes are those of `residue pcap verify`. On an interface, the kernel says in \
addition which checksums the network card has yet to complete: packets that this host sends, and \
those merged on receipt. These are `offloaded`, whatever their value. A packet with the sum of the \
pseudo-header alone, which no card will complete, is `bad`.

Filters are those of `residue pcap verify`. All packets are verified, and the selected ones \
counted and written.

Packets not verified are counted, with the reason: dropped by the kernel, because its buffer was \
full; or passed over, because most of the buffer was waiting.

--write writes each packet with a wrong value to a pcapng file, with a comment on it, up to 1 GiB. \
The file can be read at any time; it must not exist before, unless it is a pipe or a device.

--prometheus takes the name of a file, which is replaced at each interval (for the text file \
collector of the node exporter), or an address to answer HTTP requests on.

Exit codes: 0 nothing wrong, 1 something bad, illegal or with a length conflict, 2 wrong usage, or \
the input ended with an error (its counts are printed).

Examples:
  residue pcap watch --interface eth0
  residue pcap watch -i eth0 --promiscuous --write damaged.pcapng
  residue pcap watch -i any --duration 60 --json --every 10 | jq '.total.bad'
  residue pcap watch -i eth0 --filter 'host 10.0.0.1 and not port 22'
  residue pcap watch -i eth0 --prometheus 127.0.0.1:9470
  sudo tcpdump -U -i eth0 -w - | residue pcap watch -
  ssh router tcpdump -U -w - | residue pcap watch -";

// Arguments of `residue pcap watch`.
#[derive(Debug, Args)]
#[command(after_help = HELP, group = ArgGroup::new("packets").required(true))]
pub struct WatchArgs {
    /// Capture that is being written: - for standard input, or a named pipe
    #[arg(value_name = "FILE", group = "packets")]
    pub file: Option<OsString>,
    /// Network interface, or `any`
    #[arg(short, long, value_name = "NAME", group = "packets")]
    pub interface: Option<String>,
    /// Also receive frames for other hosts
    #[arg(long, conflicts_with = "file")]
    #[cfg_attr(not(target_os = "linux"), allow(dead_code))]
    pub promiscuous: bool,
    /// Size of the buffer that is shared with the kernel, in MiB
    #[arg(
        long,
        value_name = "MIB",
        default_value_t = 64,
        conflicts_with = "file",
        value_parser = clap::value_parser!(u32).range(4..=4095)
    )]
    #[cfg_attr(not(target_os = "linux"), allow(dead_code))]
    pub buffer: u32,
    #[command(flatten)]
    pub filtered: Filtered,
    /// End after this many packets, of those for which the filter holds
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub count: Option<u64>,
    /// End after this many seconds
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..))]
    pub duration: Option<u32>,
    /// Write the packets with wrong check values to this new file (pcapng)
    #[arg(short, long, value_name = "FILE")]
    pub write: Option<PathBuf>,
    /// Publish the counts for Prometheus: in this file, or at this address and port
    #[arg(long, value_name = "TARGET", value_parser = metrics::target)]
    pub prometheus: Option<Target>,
    /// Print a line of JSON at the start, at each interval, and at the end
    #[arg(long)]
    pub json: bool,
    /// Interval of the table, of JSON and of the metrics, in seconds
    #[arg(
        long,
        value_name = "SECONDS",
        default_value_t = 1,
        value_parser = clap::value_parser!(u32).range(1..=86_400)
    )]
    pub every: u32,
    /// Show at most this many rewritten pairs, senders and flows
    #[arg(long, value_name = "COUNT", default_value_t = 5)]
    pub top: usize,
}
