//! `residue guard`: a CRC in live TCP connections.

#[cfg(target_os = "linux")]
mod check;
#[cfg(target_os = "linux")]
mod demo;
#[cfg(target_os = "linux")]
mod run;
mod simulate;
#[cfg(target_os = "linux")]
mod status;

use crate::output::Output;
use clap::{Args, Subcommand};

const HELP: &str = "\
A guard on each of two hosts puts a CRC into every TCP segment between them, and drops segments that the network has \
damaged, so that TCP sends them again. Applications need not know. docs/guard.md says how, and what it costs.

Values (RFC 1146, and the thesis that the guard is built from):
  3  CRC-32C over header and data, in the place of the checksum: not through NAT or stateful firewalls
  4  CRC-32C over the data: through NAT
  5  CRC-32C over header and data, beside the checksum: not through NAT
  6  as 5, with CRC-32K; ours, and asked for by name only

Examples:
  residue guard check --interface eth0                     what would `--value auto` ask for, and can it run?
  residue guard run --interface eth0                       guard all connections with peers that have a guard
  residue guard run --interface eth0 --ports 443 --value 4
  residue guard status                                     what has the network damaged?
  residue guard clean                                      remove the rules of a guard that was killed
  residue guard demo                                       the proof, between namespaces of this machine
  residue guard simulate                                   the same in memory, on a hostile network";

/// `residue guard`
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct GuardArgs {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Guard the connections of an interface until interrupted (Linux, root)
    Run(RunArgs),
    /// Show what the running guard has counted
    Status(StatusArgs),
    /// Show what the guard would do here, and what is missing for it
    Check(CheckArgs),
    /// Remove the rules of a guard that was killed
    Clean,
    /// Send files through a router that damages them, with and without guard (Linux; root or user namespaces)
    Demo(DemoArgs),
    /// Damage connections in memory, and count what plain TCP and each value let through
    Simulate(simulate::SimulateArgs),
}

const RUN_HELP: &str = "\
The guard's rules are in the nft table `inet residue_guard`, or in the chains RESIDUE-GUARD of iptables and ip6tables \
where the kernel has no queues for nft. They are removed at the end. If the guard is killed, packets pass without it; \
`residue guard clean` removes the rules, and a guard that is started again replaces them. Connections that were guarded \
do not outlive it for long: their peers drop what has no CRC.

Stop it with Ctrl-C, or SIGTERM or SIGHUP. It prints what it has counted.

Examples:
  residue guard run --interface eth0
  residue guard run --interface eth0 --ports 80,443,8000-8010 --value 5
  residue guard run --interface eth0 --policy require    no connections but guarded ones
  residue guard run --interface eth0 --json --every 60 | logger";

/// `residue guard run`
#[derive(Debug, Args)]
#[command(after_help = RUN_HELP)]
#[cfg_attr(not(target_os = "linux"), allow(dead_code))]
struct RunArgs {
    /// The network interface
    #[arg(short, long, value_name = "NAME")]
    interface: String,
    /// Guard connections with one of these ports at either end, as 80,443,8000-8010 [default: all]
    #[arg(short, long, value_name = "PORTS", value_delimiter = ',')]
    ports: Vec<String>,
    /// The value to ask for, 0 to 6; `auto` is what `guard check` says
    #[arg(long, value_name = "VALUE", default_value = "auto", value_parser = value)]
    value: Value,
    /// What to do where a peer does not take part: regular TCP, or no connection
    #[arg(long, default_value = "prefer")]
    policy: Policy,
    /// Let no segment carry more bytes than this: for paths whose MTU is smaller than the interface's
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u16).range(88..))]
    mss: Option<u16>,
    /// With `--value auto`: even on a CPU without instructions for CRCs
    #[arg(long)]
    force: bool,
    /// Print a line of JSON at the start, every so often, and at the end
    #[arg(long)]
    json: bool,
    /// How often, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 10, requires = "json", value_parser = clap::value_parser!(u32).range(1..=86_400))]
    every: u32,
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
        Ok(value @ 0..=6) => Ok(Value::Own(value)),
        _ => Err("auto, or a value from 0 to 6".to_string()),
    }
}

/// `residue guard status`
#[derive(Debug, Args)]
#[cfg_attr(not(target_os = "linux"), allow(dead_code))]
struct StatusArgs {
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Print the text that Prometheus reads
    #[arg(long, conflicts_with = "json")]
    prometheus: bool,
    /// Print it every second, until interrupted
    #[arg(long)]
    watch: bool,
}

/// `residue guard check`
#[derive(Debug, Args)]
#[cfg_attr(not(target_os = "linux"), allow(dead_code))]
struct CheckArgs {
    /// The network interface
    #[arg(short, long, value_name = "NAME")]
    interface: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

const DEMO_HELP: &str = "\
Three hosts on this machine: a client (curl), a router, and a server (python3 -m http.server), which know nothing of the \
guard. They are network namespaces, made for it, and they end with the command whatever happens. It needs \
root or the right to make user namespaces, and the programs of the Debian packages iproute2, iptables, curl and python3.

Cases:
  swap      the router swaps two 16-bit words, which TCP's checksum cannot see: plain TCP, and each value
  rewrite   the router changes a byte and writes a valid TCP checksum: plain TCP, and value 4
  strip     the router takes the request out of SYNs: regular TCP
  kill      the server's guard is killed in mid transfer (SIGKILL): new connections work, the rules can be removed
  nat       as `swap`, with address translation (MASQUERADE): plain TCP, and value 4

segments: with data, that the router has forwarded; caught: what the client's guard has dropped; wrong: bytes of the file \
that are not those of the server. Exit code 1 if plain TCP delivers a right file, or the guard a wrong one, or misses a \
damaged segment.

Examples:
  residue guard demo
  residue guard demo --case swap,nat --value 4 --ip 4 --segments 100000
  residue guard demo --json";

/// `residue guard demo`
#[derive(Debug, Args)]
#[command(after_help = DEMO_HELP)]
#[cfg_attr(not(target_os = "linux"), allow(dead_code))]
struct DemoArgs {
    /// What to show [default: everything]
    #[arg(long = "case", value_name = "CASE", value_delimiter = ',')]
    cases: Vec<DemoCase>,
    /// Values that both guards ask for
    #[arg(long = "value", value_name = "VALUE", value_delimiter = ',', default_value = "3,4,5,6", value_parser = clap::value_parser!(u8).range(3..=6))]
    values: Vec<u8>,
    /// Versions of IP
    #[arg(long = "ip", value_name = "VERSION", value_delimiter = ',', default_value = "4,6", value_parser = clap::builder::PossibleValuesParser::new(["4", "6"]))]
    versions: Vec<String>,
    /// Segments that the file fills, at least
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = clap::value_parser!(u32).range(40..=1_000_000))]
    segments: u32,
    /// One in so many of them is damaged
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(2..))]
    one_in: u32,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// It runs in the namespaces already
    #[arg(long, hide = true)]
    inside: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum, serde::Serialize)]
#[serde(rename_all = "lowercase")]
enum DemoCase {
    Swap,
    Rewrite,
    Strip,
    Kill,
    Nat,
}

/// Does what was asked for.
#[cfg(target_os = "linux")]
pub fn run(args: &GuardArgs, output: &mut Output) -> anyhow::Result<()> {
    match &args.command {
        Command::Run(args) => run::run(args, output),
        Command::Status(args) => status::run(args, output),
        Command::Check(args) => check::run(args, output),
        Command::Clean => clean(output),
        Command::Demo(args) => demo::run(args, output),
        Command::Simulate(args) => simulate::run(args, output),
    }
}

/// The adapter is Linux's.
#[cfg(not(target_os = "linux"))]
pub fn run(args: &GuardArgs, output: &mut Output) -> anyhow::Result<()> {
    match &args.command {
        Command::Simulate(args) => simulate::run(args, output),
        Command::Run(_)
        | Command::Status(_)
        | Command::Check(_)
        | Command::Clean
        | Command::Demo(_) => {
            anyhow::bail!("the guard needs the netfilter queue, which Linux alone has")
        }
    }
}

#[cfg(target_os = "linux")]
fn clean(output: &mut Output) -> anyhow::Result<()> {
    use residue_guard::adapter;

    if let Some(status) = adapter::ask()? {
        anyhow::bail!(
            "process {} guards `{}` with these rules; it removes them when it ends",
            status.process,
            status.interface
        );
    }
    let removed = adapter::clean()?;
    for rules in &removed {
        output.line(format!("removed: {rules}"))?;
    }
    if removed.is_empty() {
        output.line("no rules of a guard in this network namespace")?;
    }
    Ok(())
}
