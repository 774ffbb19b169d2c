//! `residue guard`: a CRC in live TCP connections.
//!
//! Most subcommands run on Linux only. Their arguments are declared here, because they are parsed
//! on all systems.

#[cfg(target_os = "linux")]
mod check;
#[cfg(target_os = "linux")]
mod demo;
#[cfg(target_os = "linux")]
mod options;
#[cfg(target_os = "linux")]
mod run;
mod simulate;
#[cfg(target_os = "linux")]
mod status;
#[cfg(target_os = "linux")]
mod switch;

use crate::output::Output;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand};
use residue_guard::negotiate::GREATEST;
use residue_guard_lab::demo::{Engines, Kind};
use std::fmt::Debug;
use std::net::IpAddr;
use std::path::PathBuf;
use std::str::FromStr;

const HELP: &str = "\
A guard on each of two hosts adds a CRC to every TCP segment between them, and drops damaged \
segments, so that TCP retransmits. Applications are not involved. docs/guard.md says \
what it costs and what it does not do, docs/guard/rollout.md how to deploy it.

Engines:
  kernel  eBPF programs that stay in the kernel: no process is in the path of the data. Values 4 \
to 7; Linux 5.15 or later, and root
  queue   a process that receives every packet from the kernel's netfilter queue: all values, any \
kernel, and namespaces without root

Values (RFC 1146, and the thesis that the guard implements):
  3  CRC-32C over header and data, in place of the checksum: not through NAT or stateful firewalls
  4  CRC-32C over the data: works through NAT, and does not detect a changed sequence number
  5  CRC-32C over header and data, in addition to the checksum: not through NAT
  6  as 5, with CRC-32K; specific to residue, and used only on request
  7  CRC-32C over header and data without addresses and ports, in addition to the checksum: works \
through NAT; specific to residue

Examples:
  residue guard check --interface eth0          what would be used, and what is missing
  residue guard on --interface eth0             guard all connections to peers that run a guard
  residue guard on --interface eth0 --ports 443 --value 7
  residue guard status                          counts of damaged segments
  residue guard off                             guard no more new connections
  residue guard run --interface eth0            guard in the foreground, until Ctrl-C
  residue guard clean                           remove everything that guards have left
  residue guard demo                            demonstration between namespaces of this machine
  residue guard simulate                        simulation in memory of a hostile network";

/// Arguments of `residue guard`.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct GuardArgs {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Guard the connections of an interface, inside the kernel, until `off` (Linux, root)
    On(OnArgs),
    /// Stop the guard inside the kernel
    Off(OffArgs),
    /// Guard the connections of an interface until interrupted (Linux, root)
    Run(RunArgs),
    /// Show the counts of the guard
    Status(StatusArgs),
    /// Forget destinations for which a value failed
    Forget(ForgetArgs),
    /// Check whether the guard can run here, and what it would use
    Check(CheckArgs),
    /// Remove everything that guards have left in this network namespace
    Clean,
    /// Transfer files through a router that damages them (Linux; root or user namespaces)
    Demo(DemoArgs),
    /// Simulate damaged connections, and count undetected errors of plain TCP and each value
    Simulate(simulate::SimulateArgs),
}

/// Options of both engines.
#[derive(Debug, Args)]
#[cfg_attr(not(target_os = "linux"), allow(dead_code))]
struct GuardOptions {
    /// Network interface; the kernel engine takes several: -i eth0 -i eth1
    #[arg(short, long = "interface", value_name = "NAME", required = true)]
    interfaces: Vec<String>,
    /// Guard connections with one of these ports at either end, as 80,8000-8010 [default: all]
    #[arg(short, long, value_name = "PORTS", value_delimiter = ',')]
    ports: Vec<String>,
    /// Value to request, 0 to 7; `auto` is the value that `guard check` shows
    #[arg(long, value_name = "VALUE", default_value = "auto", value_parser = value)]
    value: Value,
    /// Policy for peers without a guard: regular TCP, or no connection
    #[arg(long, default_value = "prefer")]
    policy: Policy,
    /// With `--value auto`, guard even on a CPU without CRC instructions
    #[arg(long)]
    force: bool,
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

/// Arguments of `residue guard on`.
#[derive(Debug, Args)]
#[command(after_help = ON_HELP)]
#[cfg_attr(not(target_os = "linux"), allow(dead_code))]
struct OnArgs {
    #[command(flatten)]
    options: GuardOptions,
    #[command(flatten)]
    kernel: KernelOptions,
}

/// Options of the kernel engine.
#[derive(Debug, Default, PartialEq, Eq, Args)]
#[cfg_attr(not(target_os = "linux"), allow(dead_code))]
struct KernelOptions {
    /// Kernel engine: guard only connections of the processes in this cgroup (version 2)
    /// [default: all]
    #[arg(long, value_name = "FOLDER")]
    cgroup: Option<PathBuf>,
    /// Kernel engine: receive in threads, so that another CPU can receive than the one that sends
    /// (for veth interfaces; until `off`)
    #[arg(long)]
    receive_threads: bool,
}

const OFF_HELP: &str = "\
Guarded connections need the guard until they end, because their peers drop segments without a \
CRC. By default, new connections are regular TCP from now on, guarded ones go on, and the programs \
are removed once there is none: run the command again to do so.

Examples:
  residue guard off
  residue guard off --reset     also reset the guarded connections, and remove the programs";

/// Arguments of `residue guard off`.
#[derive(Debug, Args)]
#[command(after_help = OFF_HELP)]
#[cfg_attr(not(target_os = "linux"), allow(dead_code))]
struct OffArgs {
    /// Reset the guarded connections, and remove the programs
    #[arg(long)]
    reset: bool,
    /// Remove the programs at once: guarded connections hang until they time out
    #[arg(long, conflicts_with = "reset")]
    now: bool,
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

/// Arguments of `residue guard run`.
#[derive(Debug, Args)]
#[command(after_help = RUN_HELP)]
#[cfg_attr(not(target_os = "linux"), allow(dead_code))]
struct RunArgs {
    #[command(flatten)]
    options: GuardOptions,
    /// Engine; `auto` is the one that `guard check` shows
    #[arg(long, value_name = "ENGINE", default_value = "auto")]
    engine: EngineChoice,
    #[command(flatten)]
    kernel: KernelOptions,
    /// Queue engine: limit the data of segments, for paths with a smaller MTU than the interface
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u16).range(88..))]
    mss: Option<u16>,
    /// Queue engine: file of the state, by which guarded connections outlive the guard [default:
    /// in /run/residue-guard]
    #[arg(long, value_name = "FILE", conflicts_with = "no_state")]
    state: Option<PathBuf>,
    /// Queue engine: keep no state, so that guarded connections end with the guard
    #[arg(long)]
    no_state: bool,
    /// Print a line of JSON at the start, periodically, and at the end
    #[arg(long)]
    json: bool,
    /// Period of the lines of JSON, in seconds
    #[arg(
        long,
        value_name = "SECONDS",
        default_value_t = 10,
        requires = "json",
        value_parser = clap::value_parser!(u32).range(1..=86_400)
    )]
    every: u32,
}

/// The engine to use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum EngineChoice {
    Auto,
    Kernel,
    Queue,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Policy {
    Prefer,
    Require,
}

#[derive(Clone, Copy, Debug)]
#[cfg_attr(not(target_os = "linux"), allow(dead_code))]
enum Value {
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

/// Arguments of `residue guard status`.
#[derive(Debug, Args)]
#[cfg_attr(not(target_os = "linux"), allow(dead_code))]
struct StatusArgs {
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Print the text format of Prometheus
    #[arg(long, conflicts_with = "json")]
    prometheus: bool,
    /// Print the counts every second, until interrupted
    #[arg(long)]
    watch: bool,
}

/// Arguments of `residue guard forget`.
#[derive(Debug, Args)]
#[cfg_attr(not(target_os = "linux"), allow(dead_code))]
struct ForgetArgs {
    /// Address of the destination [default: all destinations]
    #[arg(value_name = "ADDRESS")]
    address: Option<IpAddr>,
}

/// Arguments of `residue guard check`.
#[derive(Debug, Args)]
#[cfg_attr(not(target_os = "linux"), allow(dead_code))]
struct CheckArgs {
    /// Network interface
    #[arg(short, long, value_name = "NAME")]
    interface: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
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
  kernel    both guards are in the kernel (as root; not value 3)

Columns: segments with data forwarded by the router; damaged packets; segments caught (dropped) by \
the guard of the client; wrong bytes in the received file. Exit code 1 if plain TCP delivers a \
right file, or the guard delivers a wrong one or does not detect a damaged segment.

Examples:
  residue guard demo
  residue guard demo --case swap,sequence --value 7 --ip 4 --segments 100000
  residue guard demo --json";

/// Arguments of `residue guard demo`.
#[derive(Debug, Args)]
#[command(after_help = DEMO_HELP)]
#[cfg_attr(not(target_os = "linux"), allow(dead_code))]
struct DemoArgs {
    /// Cases to show, separated by commas [default: all]
    #[arg(
        long = "case",
        value_name = "CASE",
        value_delimiter = ',',
        value_parser = names::<Kind>(Kind::ALL.map(Kind::name))
    )]
    cases: Vec<Kind>,
    /// Engines of the guards, separated by commas [default: those that work here]
    #[arg(
        long = "engine",
        value_name = "ENGINE",
        value_delimiter = ',',
        value_parser = names::<Engines>(Engines::ALL.map(Engines::name))
    )]
    engines: Vec<Engines>,
    /// Values that both guards request
    #[arg(
        long = "value",
        value_name = "VALUE",
        value_delimiter = ',',
        default_value = "3,4,5,6,7",
        value_parser = clap::value_parser!(u8).range(3..=i64::from(GREATEST))
    )]
    values: Vec<u8>,
    /// Versions of IP
    #[arg(
        long = "ip",
        value_name = "VERSION",
        value_delimiter = ',',
        default_value = "4,6",
        value_parser = names::<u8>(["4", "6"])
    )]
    versions: Vec<u8>,
    /// Size of the file, in full segments
    #[arg(
        long,
        value_name = "N",
        default_value_t = 10_200,
        value_parser = clap::value_parser!(u32).range(40..=1_000_000)
    )]
    segments: u32,
    /// Damage one in N segments
    #[arg(
        long,
        value_name = "N",
        default_value_t = 10,
        value_parser = clap::value_parser!(u32).range(2..)
    )]
    one_in: u32,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Run in the namespaces that the outer process has created
    #[arg(long, hide = true)]
    inside: bool,
}

/// Returns a parser of the names of an enum, which lists them in the help.
fn names<T: FromStr<Err: Debug> + Clone + Send + Sync + 'static>(
    names: impl IntoIterator<Item = &'static str>,
) -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(names).map(|name| name.parse().expect("one of the names"))
}

/// Runs the subcommand.
#[cfg(target_os = "linux")]
pub fn run(args: &GuardArgs, output: &mut Output) -> anyhow::Result<()> {
    match &args.command {
        Command::On(args) => switch::on(args, output),
        Command::Off(args) => switch::off(args, output),
        Command::Run(args) => run::run(args, output),
        Command::Status(args) => status::run(args, output),
        Command::Forget(args) => switch::forget(args, output),
        Command::Check(args) => check::run(args, output),
        Command::Clean => switch::clean(output),
        Command::Demo(args) => demo::run(args, output),
        Command::Simulate(args) => simulate::run(args, output),
    }
}

/// Runs the simulation; the other subcommands need Linux.
#[cfg(not(target_os = "linux"))]
pub fn run(args: &GuardArgs, output: &mut Output) -> anyhow::Result<()> {
    match &args.command {
        Command::Simulate(args) => simulate::run(args, output),
        Command::On(_)
        | Command::Off(_)
        | Command::Forget(_)
        | Command::Run(_)
        | Command::Status(_)
        | Command::Check(_)
        | Command::Clean
        | Command::Demo(_) => {
            anyhow::bail!("the guard needs eBPF or the netfilter queue, which only Linux has")
        }
    }
}
