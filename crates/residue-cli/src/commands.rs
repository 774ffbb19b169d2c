//! The commands: a file each, with its arguments and a `run` that prints to an [`Output`].

mod bench;
pub mod completions;
mod conform;
mod guard;
mod identify;
mod list;
mod man;
mod pcap;
mod strength;
mod sum;

use crate::output::Output;
use clap::{CommandFactory as _, Parser, Subcommand};

/// Compute, check, explain and compare error-detection codes
///
/// Supports the Internet checksum, Fletcher and Adler sums, and any cyclic redundancy check (CRC)
/// of up to 128 bits, each with the fastest kernel that this CPU can run.
#[derive(Debug, Parser)]
#[command(name = "residue", version, max_term_width = 100, after_help = HELP)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

const HELP: &str = "\
Exit codes: 0 success, 1 a wrong check value was found, 2 wrong usage or unreadable input.

Environment:
  RESIDUE_CPU=TIER      limit the CPU features in use to a tier (`residue list` names the tiers)
  RESIDUE_PROFILE=NAME  choose kernels by another CPU's profile (`residue list` names the profiles)
  NO_COLOR=1            print without colour (colour is only used on a terminal)

Examples:
  residue sum disk.img                   CRC-32C of a file
  residue sum -a crc-32,adler-32 *.gz    two codes, each file read once
  residue list crc-16                    parameters and kernels of a code
  residue strength crc-32c               maximum data length for each Hamming distance
  residue pcap verify trace.pcapng       wrong check values in a capture, and their causes
  residue conform -a crc-32 -- ./mycrc   whether a program computes CRC-32
  residue identify 313233:107b2fb2       the code that gives this value";

/// The commands, in the order of the help.
// Types of deferred arguments have comments that are no documentation: it would take the place of
// what the help says of the command. All of them together take 1.3 ms (Zen 4, 2026-11-29).
#[derive(Debug, Subcommand)]
#[command(defer = true)]
enum Command {
    /// Compute check values of files, or verify lists of them
    Sum(Box<sum::SumArgs>),
    /// List the codes and their kernels, or describe some codes
    List(list::ListArgs),
    /// Measure the speed of each code on this CPU
    Bench(Box<bench::BenchArgs>),
    /// Analyse which errors codes do not detect, exactly and on real data
    Strength(Box<strength::StrengthArgs>),
    /// Verify, explain and repair the check values in packet captures
    Pcap(pcap::PcapArgs),
    /// Protect live TCP connections with a CRC, and drop damaged segments
    Guard(guard::GuardArgs),
    /// Test whether another program computes a code, and name its mistake
    Conform(conform::ConformArgs),
    /// Identify the code, known or unknown, that gives some values
    Identify(identify::IdentifyArgs),
    /// Generate shell completions
    Completions(completions::CompletionsArgs),
    /// Generate manual pages
    Man(man::ManArgs),
}

impl Cli {
    /// Runs the command.
    pub fn run(&self, output: &mut Output) -> anyhow::Result<()> {
        match &self.command {
            Command::List(args) => list::run(args, output),
            Command::Sum(args) => sum::run(args, output),
            Command::Bench(args) => bench::run(args, output),
            Command::Strength(args) => strength::run(args, output),
            Command::Pcap(args) => pcap::run(args, output),
            Command::Guard(args) => guard::run(args, output),
            Command::Conform(args) => conform::run(args, output),
            Command::Identify(args) => identify::run(args, output),
            Command::Completions(args) => completions::run(args, output),
            Command::Man(args) => man::run(args, Cli::command(), output),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_consistent() {
        Cli::command().debug_assert();
    }
}
