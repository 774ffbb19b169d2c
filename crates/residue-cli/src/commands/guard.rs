//! `residue guard`: a CRC in live TCP connections.
//!
//! Most subcommands run on Linux only.

mod arguments;
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
use arguments::{CheckArgs, DemoArgs, ForgetArgs, OffArgs, OnArgs, RunArgs, StatusArgs};
use clap::{Args, Subcommand};

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

// Arguments of `residue guard`.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct GuardArgs {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
#[command(defer = true)]
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
    #[command(after_help = "Examples:\n  residue guard clean")]
    Clean,
    /// Transfer files through a router that damages them (Linux; root or user namespaces)
    Demo(DemoArgs),
    /// Simulate damaged connections, and count undetected errors of plain TCP and each value
    Simulate(simulate::SimulateArgs),
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
