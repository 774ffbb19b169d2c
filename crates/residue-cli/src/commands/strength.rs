//! `residue strength`: the errors that codes do not detect.

mod advice;
mod advise;
mod budget;
mod claims;
mod compare;
mod data;
mod multiples;
mod polynomial;
mod profile;
mod search;
mod sums;
mod weights;

use crate::lengths::bits as length;
use crate::output::Output;
use budget::Budget;
use clap::{Args, Subcommand};
use polynomial::{Polynomial, polynomial_as_text};
use residue_report::number::grouped;

const HELP: &str = "\
Polynomials: the name of a CRC, or hexadecimal with a notation: normal:04c11db7, koopman:82608edb, \
reversed:edb88320, reciprocal:, explicit:104c11db7. Digits alone are enough where only one \
notation is possible, or only one makes a known polynomial. A sum of powers is accepted as well: \
x^16+x^12+x^5+1.

Lengths are of the data, without the check value: in bits (1e9, 64k), or in bytes with the unit B \
(1500B, 1.5kB, 64KiB, 1MiB).

Every figure is marked exact (proved), bound (proved lower limit; the true figure may be larger), \
estimate (errors of few bits counted, of more bits taken as undetected in the share of random \
data) or sampled (evaluated at some points).

A search keeps to a time (--patience) and a memory (--memory), and what they leave open is a \
bound. Ctrl-C ends it early, prints what it has found, and exits with 130; a second one ends it at \
once.

An undetected error is given by its wrong bits in the data, from 0, the first bit sent, and by the \
change of the check value (exclusive or), in hexadecimal as `residue sum` prints it. The first bit \
of a byte is its highest, in reflected CRCs its lowest. Data that are not whole bytes are padded \
with zero bits in front. A polynomial alone is taken highest bit first. Each error is verified \
with the named code itself; docs/strength.md shows how to verify one by hand. CSV has a row for \
each Hamming distance.

Examples:
  residue strength crc-32c                   maximum data length for each Hamming distance
  residue strength crc-32 --length 1500B     Hamming distance of Ethernet frames, and probabilities
  residue strength crc-32 --length 1500B --ber 1e-5
  residue strength koopman:ba0dc66b
  residue strength crc-64/nvme --most 5
  residue strength weights crc-32 --length 1514B --most 4
  residue strength weights crc-16/xmodem --length 64 --ber 1e-6,1e-4
  residue strength sums                      Internet checksum, Fletcher, Adler and others
  residue strength data /usr/lib             undetected damage to these files, by twelve codes
  residue strength search --width 16 --length 64 --hd 6
  residue strength compare --length 1500B    CRC-32C, TCP's checksum, Fletcher, Adler side by side
  residue strength advise --length 1500B --hd 6    codes that detect every error of up to five bits
  residue strength advise --length 64B,1500B --ber 1e-8 --target 1e-3/year
  residue strength multiples crc-32          distances for a CRC without products
  residue strength claims                    claims of the papers, and the exact conditions";

// Arguments of `residue strength`.
#[derive(Debug, Args)]
#[command(
    after_help = HELP,
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true
)]
pub struct StrengthArgs {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    profile: profile::ProfileArgs,
}

#[derive(Debug, Subcommand)]
#[command(defer = true)]
enum Command {
    /// Count the undetected errors of each number of bits, and compute their probability
    Weights(weights::WeightsArgs),
    /// Damage real data as networks and disks do, and count the undetected errors of each code
    Data(data::DataArgs),
    /// Count the undetected errors of sums: distances, bit pairs, bursts, swaps, insertions
    Sums(sums::SumsArgs),
    /// Search for the polynomials of a width with a Hamming distance, or survey all
    Search(search::SearchArgs),
    /// Compare CRCs and sums: distances, shares, probabilities, undetected errors per year
    Compare(compare::CompareArgs),
    /// Recommend codes for an error rate, a target, bursts or a Hamming distance, with reasons
    Advise(advise::AdviseArgs),
    /// Find sparse multiples of a generator, by which a CRC needs no products
    Multiples(multiples::MultiplesArgs),
    /// Check the claims of the papers: each with its exact condition and a proof
    Claims(claims::ClaimsArgs),
}

/// Runs the subcommand, or computes a profile.
pub fn run(args: &StrengthArgs, output: &mut Output) -> anyhow::Result<()> {
    match &args.command {
        Some(Command::Weights(args)) => weights::run(args, output),
        Some(Command::Data(args)) => data::run(args, output),
        Some(Command::Sums(args)) => sums::run(args, output),
        Some(Command::Search(args)) => search::run(args, output),
        Some(Command::Multiples(args)) => multiples::run(args, output),
        Some(Command::Claims(args)) => claims::run(args, output),
        Some(Command::Advise(args)) => advise::run(args, output),
        Some(Command::Compare(args)) => compare::run(args, output),
        None => profile::run(&args.profile, output),
    }
}
