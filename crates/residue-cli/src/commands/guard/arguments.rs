//! The arguments of the subcommands that run on Linux only, which are parsed on all systems.

#![cfg_attr(not(target_os = "linux"), allow(dead_code))]

use crate::names::names;
use crate::options::Json;
use clap::Args;
use residue_guard::negotiate::GREATEST;
use residue_guard_lab::demo::{Engines, Kind};
use std::net::IpAddr;
use std::path::PathBuf;

// Options of both engines.
#[derive(Debug, Args)]
pub struct GuardOptions {
    /// Network interface; the kernel engine takes several: -i eth0 -i eth1
    #[arg(short, long = "interface", value_name = "NAME", required = true)]
    pub interfaces: Vec<String>,
    /// Guard connections with one of these ports at either end, as 80,8000-8010 [default: all]
    #[arg(short, long, value_name = "PORTS", value_delimiter = ',')]
    pub ports: Vec<String>,
    /// Value to request, 0 to 7; `auto` is the value that `guard check` shows
    #[arg(long, value_name = "VALUE", default_value = "auto", value_parser = value)]
    pub value: Value,
    /// Policy for peers without a guard: regular TCP, or no connection
    #[arg(long, default_value = "prefer")]
    pub policy: Policy,
    /// With `--value auto`, guard even on a CPU without CRC instructions
    #[arg(long)]
    pub force: bool,
}

const ON_HELP: &str = "\
The programs and their state are pinned in the BPF file system (/sys/fs/bpf/residue-guard), and \
stay until `residue guard off`, or until the host restarts. No process runs. Connections that are \
open already stay regular TCP.

Several interfaces share all settings and counts. If the guard is on, the command changes its \
settings, and adds interfaces.

Examples:
  residue guard on --interface eth0
  residue guard on --interface eth0 --interface eth1
  residue guard on --interface eth0 --ports 3260,4420 --value 5
  residue guard on --interface eth0 --cgroup /sys/fs/cgroup/system.slice/nginx.service
  residue guard on --interface eth0 --receive-threads   in a container: use more than one CPU
  residue guard on --interface eth0 --policy require    allow guarded connections only";

// Arguments of `residue guard on`.
#[derive(Debug, Args)]
#[command(after_help = ON_HELP)]
pub struct OnArgs {
    #[command(flatten)]
    pub options: GuardOptions,
    #[command(flatten)]
    pub kernel: KernelOptions,
}

// Options of the kernel engine.
#[derive(Debug, Default, PartialEq, Eq, Args)]
pub struct KernelOptions {
    /// Kernel engine: guard only connections of the processes in this cgroup (version 2)
    /// [default: all]
    #[arg(long, value_name = "FOLDER")]
    pub cgroup: Option<PathBuf>,
    /// Kernel engine: receive in threads, so that another CPU can receive than the one that sends
    /// (for veth interfaces; until `off`)
    #[arg(long)]
    pub receive_threads: bool,
}

const OFF_HELP: &str = "\
Guarded connections need the guard until they end, because their peers drop segments without a \
CRC. By default, new connections are regular TCP from now on, guarded ones go on, and the programs \
are removed once there is none: run the command again to do so.

Examples:
  residue guard off
  residue guard off --reset     also reset the guarded connections, and remove the programs";

// Arguments of `residue guard off`.
#[derive(Debug, Args)]
#[command(after_help = OFF_HELP)]
pub struct OffArgs {
    /// Reset the guarded connections, and remove the programs
    #[arg(long)]
    pub reset: bool,
    /// Remove the programs at once: guarded connections hang until they time out
    #[arg(long, conflicts_with = "reset")]
    pub now: bool,
}

const RUN_HELP: &str = "\
With the kernel engine, this is `residue guard on`, counts in the foreground, and `residue guard \
off --reset` at the end. If the process is killed, the guard stays on.

The rules of the queue engine are in the nft table `inet residue_guard`, or, where the OS has no \
queues for nft, in the chains RESIDUE-GUARD of iptables and ip6tables. They are removed at the \
end. If this guard is killed, packets pass without it; `residue guard clean` removes its rules, \
and the next guard replaces them. Guarded connections stall while no guard runs, because their \
peers drop segments without a CRC; the next guard continues them by its state file.

Stop the guard with Ctrl-C, SIGTERM or SIGHUP; it then prints its counts.

Examples:
  residue guard run --interface eth0
  residue guard run --interface eth0 --ports 80,443,8000-8010 --value 5
  residue guard run --interface eth0 --engine queue
  residue guard run --interface eth0 --policy require    allow guarded connections only
  residue guard run --interface eth0 --json --every 60 | logger";

// Arguments of `residue guard run`.
#[derive(Debug, Args)]
#[command(after_help = RUN_HELP)]
pub struct RunArgs {
    #[command(flatten)]
    pub options: GuardOptions,
    /// Engine; `auto` is the one that `guard check` shows
    #[arg(long, value_name = "ENGINE", default_value = "auto")]
    pub engine: EngineChoice,
    #[command(flatten)]
    pub kernel: KernelOptions,
    /// Queue engine: limit the data of segments, for paths with a smaller MTU than the interface
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u16).range(88..))]
    pub mss: Option<u16>,
    /// Queue engine: file of the state, by which guarded connections outlive the guard [default:
    /// in /run/residue-guard]
    #[arg(long, value_name = "FILE", conflicts_with = "no_state")]
    pub state: Option<PathBuf>,
    /// Queue engine: keep no state, so that guarded connections end with the guard
    #[arg(long)]
    pub no_state: bool,
    /// Print a line of JSON at the start, periodically, and at the end
    #[arg(long)]
    pub json: bool,
    /// Period of the lines of JSON, in seconds
    #[arg(
        long,
        value_name = "SECONDS",
        default_value_t = 10,
        requires = "json",
        value_parser = clap::value_parser!(u32).range(1..=86_400)
    )]
    pub every: u32,
}

/// The engine to use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum EngineChoice {
    Auto,
    Kernel,
    Queue,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub enum Policy {
    Prefer,
    Require,
}

#[derive(Clone, Copy, Debug)]
pub enum Value {
    Auto,
    Own(u8),
}

fn value(text: &str) -> Result<Value, String> {
    match text.parse() {
        _ if text == "auto" => Ok(Value::Auto),
        Ok(value @ 0..=GREATEST) => Ok(Value::Own(value)),
        _ => Err(format!("expected auto, or a value from 0 to {GREATEST}")),
    }
}

const STATUS_HELP: &str = "\
Examples:
  residue guard status
  residue guard status --watch --json | jq .guarded
  residue guard status --prometheus > /var/lib/node_exporter/residue.prom";

// Arguments of `residue guard status`.
#[derive(Debug, Args)]
#[command(after_help = STATUS_HELP)]
pub struct StatusArgs {
    #[command(flatten)]
    pub format: Json,
    /// Print the text format of Prometheus
    #[arg(long, conflicts_with = "json")]
    pub prometheus: bool,
    /// Print the counts every second, until interrupted
    #[arg(long)]
    pub watch: bool,
}

const FORGET_HELP: &str = "\
Examples:
  residue guard forget                     ask all destinations again
  residue guard forget 192.0.2.1";

// Arguments of `residue guard forget`.
#[derive(Debug, Args)]
#[command(after_help = FORGET_HELP)]
pub struct ForgetArgs {
    /// Address of the destination [default: all destinations]
    #[arg(value_name = "ADDRESS")]
    pub address: Option<IpAddr>,
}

const CHECK_HELP: &str = "\
Examples:
  residue guard check --interface eth0
  residue guard check --interface eth0 --json | jq .ready";

// Arguments of `residue guard check`.
#[derive(Debug, Args)]
#[command(after_help = CHECK_HELP)]
pub struct CheckArgs {
    /// Network interface
    #[arg(short, long, value_name = "NAME")]
    pub interface: String,
    #[command(flatten)]
    pub format: Json,
}

const DEMO_HELP: &str = "\
The demonstration runs three hosts on this machine: a client (curl), a router, and a server \
(python3 -m http.server), none of which knows about the guard. They are network namespaces, \
created for the demonstration, that end with the command in any case. This needs root or the right \
to create user namespaces, and programs of the Debian packages iproute2, iptables, curl and \
python3.

Cases:
  swap      the router swaps two 16-bit words, undetected by the TCP checksum: plain TCP, each value
  rewrite   the router changes a byte and writes a valid TCP checksum: plain TCP, \
values 4 and 7
  strip     the router removes the request from SYNs: regular TCP
  kill      the guard process of the server is killed during a transfer (SIGKILL). Kernel engine: \
the same connection finishes, guarded, while the router swaps words, and so does a new one. Queue \
engine: new connections work, and the rules can be removed
  nat       as `swap`, with address translation (MASQUERADE): plain TCP, values 4 and 7
  sequence  the router changes the sequence number and writes a valid TCP checksum, with address \
translation: plain TCP, value 7

Engines:
  queue     both guards are processes
  mixed     one guard is in the kernel: the client's with IPv4, the server's with IPv6
  kernel    both guards are in the kernel (as root)

Columns: segments with data forwarded by the router; damaged packets; segments caught (dropped) by \
the guard of the client; wrong bytes in the received file. Exit code 1 if plain TCP delivers a \
right file, or the guard delivers a wrong one or does not detect a damaged segment. Swapped words \
may leave value 1 unchanged, whose sums are of 8 bits: such segments are counted, and the file may \
be wrong.

Examples:
  residue guard demo
  residue guard demo --case swap,sequence --value 7 --ip 4 --segments 100000
  residue guard demo --json";

// Arguments of `residue guard demo`.
#[derive(Debug, Args)]
#[command(after_help = DEMO_HELP)]
pub struct DemoArgs {
    /// Cases to show, separated by commas [default: all]
    #[arg(
        long = "case",
        value_name = "CASE",
        value_delimiter = ',',
        value_parser = names::<Kind>(Kind::ALL.map(Kind::name))
    )]
    pub cases: Vec<Kind>,
    /// Engines of the guards, separated by commas [default: those that work here]
    #[arg(
        long = "engine",
        value_name = "ENGINE",
        value_delimiter = ',',
        value_parser = names::<Engines>(Engines::ALL.map(Engines::name))
    )]
    pub engines: Vec<Engines>,
    /// Values that both guards request
    #[arg(
        long = "value",
        value_name = "VALUE",
        value_delimiter = ',',
        default_value = "3,4,5,6,7",
        value_parser = clap::value_parser!(u8).range(1..=i64::from(GREATEST))
    )]
    pub values: Vec<u8>,
    /// Versions of IP
    #[arg(
        long = "ip",
        value_name = "VERSION",
        value_delimiter = ',',
        default_value = "4,6",
        value_parser = names::<u8>(["4", "6"])
    )]
    pub versions: Vec<u8>,
    /// Size of the file, in full segments
    #[arg(
        long,
        value_name = "N",
        default_value_t = 10_200,
        value_parser = clap::value_parser!(u32).range(40..=1_000_000)
    )]
    pub segments: u32,
    /// Damage one in N segments
    #[arg(
        long,
        value_name = "N",
        default_value_t = 10,
        value_parser = clap::value_parser!(u32).range(2..)
    )]
    pub one_in: u32,
    #[command(flatten)]
    pub format: Json,
    /// Run in the namespaces that the outer process has created
    #[arg(long, hide = true)]
    pub inside: bool,
}
