//! `residue pcap watch`: verifies packets as they come, of an interface or of a capture that is
//! being written.

mod input;
#[cfg(target_os = "linux")]
mod interface;
mod metrics;
mod print;
mod session;

use super::separate::separate;
use crate::output::{Output, Styles};
use anyhow::{Context as _, bail};
use clap::{ArgGroup, Args};
use metrics::Target;
use session::Session;
use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

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

/// Arguments of `residue pcap watch`.
#[derive(Debug, Args)]
#[command(after_help = HELP, group = ArgGroup::new("packets").required(true))]
pub struct WatchArgs {
    /// Capture that is being written: - for standard input, or a named pipe
    #[arg(value_name = "FILE", group = "packets")]
    file: Option<OsString>,
    /// Network interface, or `any`
    #[arg(short, long, value_name = "NAME", group = "packets")]
    interface: Option<String>,
    /// Also receive frames for other hosts
    #[arg(long, conflicts_with = "file")]
    #[cfg_attr(not(target_os = "linux"), allow(dead_code))]
    promiscuous: bool,
    /// Size of the buffer that is shared with the kernel, in MiB
    #[arg(
        long,
        value_name = "MIB",
        default_value_t = 64,
        conflicts_with = "file",
        value_parser = clap::value_parser!(u32).range(4..=4095)
    )]
    #[cfg_attr(not(target_os = "linux"), allow(dead_code))]
    buffer: u32,
    /// Count only packets for which this filter holds, such as 'host 10.0.0.1 and tcp port 80'
    #[arg(long, value_name = "EXPRESSION")]
    filter: Option<String>,
    /// End after this many packets, of those for which the filter holds
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    count: Option<u64>,
    /// End after this many seconds
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..))]
    duration: Option<u32>,
    /// Write the packets with wrong check values to this new file (pcapng)
    #[arg(short, long, value_name = "FILE")]
    write: Option<PathBuf>,
    /// Publish the counts for Prometheus: in this file, or at this address and port
    #[arg(long, value_name = "TARGET", value_parser = metrics::target)]
    prometheus: Option<Target>,
    /// Print a line of JSON at the start, at each interval, and at the end
    #[arg(long)]
    json: bool,
    /// Interval of the table, of JSON and of the metrics, in seconds
    #[arg(
        long,
        value_name = "SECONDS",
        default_value_t = 1,
        value_parser = clap::value_parser!(u32).range(1..=86_400)
    )]
    every: u32,
    /// Show at most this many rewritten pairs, senders and flows
    #[arg(long, value_name = "COUNT", default_value_t = 5)]
    top: usize,
}

/// Verifies until the end, and prints the counts.
pub fn run(args: &WatchArgs, output: &mut Output) -> anyhow::Result<()> {
    let capture = args.file.as_deref();
    if let Some(path) = &args.write {
        separate("--write", path, capture)?;
    }
    if let Some(Target::File(path)) = &args.prometheus {
        separate("--prometheus", path, capture)?;
        if args.write.as_ref() == Some(path) {
            bail!("--write and --prometheus name one file; choose another name for one of them");
        }
    }
    match (&args.interface, &args.file) {
        (Some(name), _) => of_interface(args, name, output),
        (None, Some(file)) => {
            let input = input::open(file)?;
            let session = Session::new(args, &Styles::plain(file), output)?;
            input::run(session, input)
        }
        // The group of arguments requires one of them.
        (None, None) => Ok(()),
    }
}

#[cfg(target_os = "linux")]
fn of_interface(args: &WatchArgs, name: &str, output: &mut Output) -> anyhow::Result<()> {
    interface::run(args, name, output)
}

#[cfg(not(target_os = "linux"))]
fn of_interface(_: &WatchArgs, name: &str, _: &mut Output) -> anyhow::Result<()> {
    anyhow::bail!(
        "packets of an interface are taken by packet sockets, which only Linux has; let another \
         program capture them: tcpdump -U -i {} -w - | residue pcap watch -",
        name.escape_debug()
    )
}

/// Creates the file of `--write`. What exists is not overwritten, as it may be the only record of
/// its packets.
fn create(path: &Path) -> anyhow::Result<File> {
    let special = std::fs::metadata(path).is_ok_and(|there| !there.is_file() && !there.is_dir());
    let mut options = OpenOptions::new();
    let options = options.write(true);
    let file = if special { options.open(path) } else { options.create_new(true).open(path) };
    file.with_context(|| match std::fs::metadata(path) {
        Ok(there) if there.is_file() => format!(
            "--write: `{}` is there already; remove it, or choose another name",
            Styles::plain(path.as_os_str())
        ),
        _ => format!("--write: {}", Styles::plain(path.as_os_str())),
    })
}

/// Returns whether an error means that the reader of the output is gone.
fn is_closed(error: &anyhow::Error) -> bool {
    let error = error.downcast_ref::<io::Error>();
    error.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
