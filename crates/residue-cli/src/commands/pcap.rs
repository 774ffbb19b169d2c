//! `residue pcap`: check values in packet captures.

mod annotate;
mod capture;
mod compare;
mod fix;
mod make;
mod nat;
mod page;
mod report;
mod separate;
mod survey;
mod target;
mod verify;
mod watch;

use crate::output::Output;
use capture::{Capture, Captures, Filtered, trouble};
use clap::{Args, Subcommand};
use target::{Changed, FEW, Target};

const HELP: &str = "\
Reads pcap, pcapng and snoop, plain or compressed with gzip or zstd; `-` is standard input.

Exit codes: 0 no wrong check value, 1 wrong check values found, 2 wrong usage or unreadable input.

Examples:
  residue pcap verify trace.pcapng          counts for each protocol, and causes of wrong values
  residue pcap verify --list trace.pcapng   every wrong check value
  residue pcap watch --interface eth0       the same counts, of live packets
  residue pcap fix trace.pcap -o good.pcap  repair the effects of offload and address rewriting
  residue pcap nat trace.pcap --map 10.0.0.1=192.0.2.1 -o new.pcap
  residue pcap compare lan.pcap wan.pcap    what changed between two points
  residue pcap annotate trace.pcap -o noted.pcapng         comments that Wireshark shows";

// Arguments of `residue pcap`.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct PcapArgs {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
#[command(defer = true)]
enum Command {
    /// Verify every check value, and name the causes of wrong ones
    Verify(verify::VerifyArgs),
    /// Verify packets as they come, of an interface or a pipe
    Watch(Box<watch::WatchArgs>),
    /// Repair check values, without any other change
    Fix(fix::FixArgs),
    /// Translate addresses and ports, and update the check values
    Nat(nat::NatArgs),
    /// Classify how damaged TCP segments differ from their retransmissions; prints no data and no
    /// addresses
    Survey(survey::SurveyArgs),
    /// Compare captures of two points: what was lost, duplicated, reordered or altered between them
    Compare(compare::CompareArgs),
    /// Copy a capture with comments about its packets, for Wireshark
    Annotate(annotate::AnnotateArgs),
    /// Generate captures with right and wrong check values, for tests
    Make(make::MakeArgs),
}

/// Runs the subcommand.
pub fn run(args: &PcapArgs, output: &mut Output) -> anyhow::Result<()> {
    match &args.command {
        Command::Verify(args) => verify::run(args, output),
        Command::Watch(args) => watch::run(args, output),
        Command::Fix(args) => fix::run(args, output),
        Command::Nat(args) => nat::run(args, output),
        Command::Survey(args) => survey::run(args, output),
        Command::Compare(args) => compare::run(args, output),
        Command::Annotate(args) => annotate::run(args, output),
        Command::Make(args) => make::run(args, output),
    }
}
