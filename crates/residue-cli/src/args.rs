//! The arguments, and the help they come with.

use crate::codes::Names;
use crate::commands::bench::BenchArgs;
use crate::commands::guard::GuardArgs;
use crate::commands::identify::IdentifyArgs;
use crate::commands::manual::{CompletionsArgs, ManArgs};
use crate::commands::pcap::PcapArgs;
use crate::commands::strength::StrengthArgs;
use crate::commands::sum::profile::{Profile, size};
use crate::output::Spelling;
use clap::{Parser, Subcommand};
use std::ffi::OsString;

/// Computes, checks, explains and compares error-detection codes
///
/// Checksums of the Internet, Fletcher and Adler kind, and any cyclic redundancy check of up to 128 bits, by the fastest
/// way this CPU has.
#[derive(Debug, Parser)]
#[command(name = "residue", version, max_term_width = 100, after_help = MAIN_HELP)]
pub struct Args {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

const MAIN_HELP: &str = "\
Exit codes: 0 good, 1 a bad check value was found, 2 wrong usage or something could not be read.

Environment:
  RESIDUE_CPU=TIER  use no more of the CPU than this tier has (`residue list` names them)
  NO_COLOR=1        print without colour, which is only used on a terminal anyway

Examples:
  residue sum disk.img                   CRC-32C of a file
  residue sum -a crc-32,adler-32 *.gz    two codes, each file read once
  residue list crc-16                    all that is known about a code
  residue strength crc-32c               to which length each Hamming distance holds
  residue pcap verify trace.pcapng       which check values are wrong, and why?
  residue conform -a crc-32 -- ./mycrc   does this program compute CRC-32?
  residue identify 313233:107b2fb2       which code gave this value?";

/// The commands, in the order of the help.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Compute check values of files, or check lists of them
    Sum(Box<SumArgs>),
    /// List the codes and their kernels, or show one whole
    List(ListArgs),
    /// Measure how fast each code is on this CPU
    Bench(Box<BenchArgs>),
    /// Find out exactly which errors a CRC misses, and what codes miss on real data
    Strength(Box<StrengthArgs>),
    /// Verify, explain and repair the check values in packet captures
    Pcap(PcapArgs),
    /// Put a CRC into live TCP connections, and drop what the network has damaged
    Guard(GuardArgs),
    /// Find out whether another program computes a code, and what it does wrong
    Conform(ConformArgs),
    /// Find out which code gave some values, known or unknown
    Identify(IdentifyArgs),
    /// Print what makes a shell complete the arguments of this program
    Completions(CompletionsArgs),
    /// Write the manual pages
    Man(ManArgs),
}

/// `residue list`
#[derive(Debug, clap::Args)]
#[command(after_help = LIST_HELP)]
pub struct ListArgs {
    /// Show these codes whole: names, aliases, or a CRC's parameters
    #[arg(value_name = "CODE", value_parser = Names, hide_possible_values = true)]
    pub codes: Vec<String>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

const LIST_HELP: &str = "\
Examples:
  residue list                                      every named code
  residue list crc-32/iscsi                         parameters, notations, aliases, kernels
  residue list width=16,poly=1021,init=ffff         a CRC of your own
  residue list --json | jq -r '.codes[].name'       the names alone";

/// `residue sum`
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = SUM_HELP)]
pub struct SumArgs {
    /// The code, or several with commas between them [default: crc-32/iscsi]
    ///
    /// A name or alias of `residue list`, or a CRC's parameters, as width=16,poly=1021,refin=true,refout=true (init and
    /// xorout are zero if left out). `cksum` stands for what the POSIX program cksum prints: the CRC of the data and
    /// their length (`crc-32/cksum` is the CRC of the data alone).
    #[arg(short = 'a', long = "code", visible_alias = "algorithm", value_name = "CODE", value_parser = Names, hide_possible_values = true)]
    pub codes: Vec<String>,
    /// Files to read; `-` is the standard input, as is no file at all
    #[arg(value_name = "FILE")]
    pub files: Vec<OsString>,
    /// Take these characters as input
    #[arg(long, value_name = "STRING")]
    pub text: Vec<String>,
    /// Take these bytes as input, in hexadecimal; spaces, colons and a leading 0x do not matter
    #[arg(long, value_name = "BYTES")]
    pub hex: Vec<String>,
    /// Read all files in folders, sorted by name. Symbolic links in them are not followed, and what is no regular file
    /// is left out
    #[arg(short, long, requires = "files")]
    pub recursive: bool,
    /// Use this kernel (only with --text and --hex)
    #[arg(long, value_name = "NAME", conflicts_with_all = ["files", "mode"])]
    pub kernel: Option<String>,

    /// Print `CODE (file) = value`. Several codes are always printed so
    #[arg(long, help_heading = "Output", conflicts_with = "mode")]
    pub tag: bool,
    /// Print values in base64, highest byte first, as object stores show them
    #[arg(long, help_heading = "Output", conflicts_with_all = ["explain", "self_test"])]
    pub base64: bool,
    /// Print values in decimal
    #[arg(long, help_heading = "Output", conflicts_with_all = ["base64", "explain", "self_test"])]
    pub decimal: bool,
    /// How values are spelled
    #[arg(long, value_name = "SPELLING", help_heading = "Output", conflicts_with_all = ["base64", "decimal", "explain", "self_test"])]
    pub format: Option<Spelling>,
    /// Print what an object store shows for this content: the value in base64, and for S3's composite values the number of
    /// parts
    ///
    /// gcs: CRC-32C. s3: the full-object value, CRC-64/NVME unless -a names crc-32 or crc-32c. s3-composite: the crc-32 or
    /// crc-32c of the parts' values, as multipart uploads have it that do not ask for the full-object type.
    #[arg(long, value_name = "STORE", help_heading = "Object stores", conflicts_with_all = ["base64", "decimal", "format", "kernel", "explain", "self_test"])]
    pub profile: Option<Profile>,
    /// The size of the upload's parts, in bytes, or as 8MiB (as in the settings of aws, KB, MB and GB are powers of 1024,
    /// too)
    #[arg(long, value_name = "SIZE", help_heading = "Object stores", requires = "profile", value_parser = size)]
    pub part_size: Option<u64>,
    /// Content of fewer bytes is uploaded whole, and its value is that of all of it [default: the size of a part, as aws
    /// has it; 0 for uploads that always have parts]
    #[arg(long, value_name = "SIZE", help_heading = "Object stores", requires = "part_size", value_parser = size)]
    pub multipart_threshold: Option<u64>,
    /// Print JSON
    #[arg(long, help_heading = "Output", conflicts_with = "tag")]
    pub json: bool,
    /// End lines with a zero byte and do not escape file names
    #[arg(short, long, help_heading = "Output", conflicts_with_all = ["json", "explain", "self_test"])]
    pub zero: bool,

    /// Check the files named in lists that `residue sum` (or cksum, or another tool) printed
    #[arg(short, long, help_heading = "Checking", group = "mode", conflicts_with_all = ["recursive", "text", "hex"])]
    pub check: bool,
    /// Print no OK
    #[arg(short, long, help_heading = "Checking")]
    pub quiet: bool,
    /// Print nothing; the exit code tells
    #[arg(long, help_heading = "Checking", requires = "check", conflicts_with = "json")]
    pub status: bool,
    /// Fail if a line of a list cannot be read
    #[arg(long, help_heading = "Checking", requires = "check")]
    pub strict: bool,
    /// Neither fail nor speak of files that are missing
    #[arg(long, help_heading = "Checking", requires = "check")]
    pub ignore_missing: bool,
    /// Name each line that cannot be read
    #[arg(short, long, help_heading = "Checking", requires = "check")]
    pub warn: bool,

    /// Show the arithmetic of a short input (--text or --hex, up to 64 bytes)
    #[arg(long, help_heading = "Other modes", group = "mode", conflicts_with_all = ["files", "recursive", "quiet"])]
    pub explain: bool,
    /// Test every kernel of every code against known values (--quiet prints failures only)
    #[arg(long, help_heading = "Other modes", group = "mode", conflicts_with_all = ["files", "recursive", "text", "hex"])]
    pub self_test: bool,
}

impl SumArgs {
    /// How values are spelled, if that was said.
    pub fn spelling(&self) -> Option<Spelling> {
        match (self.base64, self.decimal) {
            (true, _) => Some(Spelling::Base64),
            (_, true) => Some(Spelling::Decimal),
            _ => self.format,
        }
    }
}

const SUM_HELP: &str = "\
Output is `value  name`, a line for each file, or with several codes `CODE (name) = value`, a line for each file and \
code. A name with a backslash, a newline or a carriage return is escaped, and a backslash starts its line. \
`-a cksum` alone prints `value bytes name`, exactly as cksum does.

Checking: a tagged line names its code; another has that of -a, or crc-32/iscsi if its value has 32 bits, as `residue sum` \
prints it. Lists of SFV files (`name A3B1C2D4`, comments after ;) are of CRC-32 unless -a names another code of 32 bits, and \
what --json prints is read as well. Values are hexadecimal, in either case and with or without 0x, base64 or decimal. \
Digits alone that are as many as the code's hexadecimal digits are hexadecimal, unless other lines of the list can \
only be decimal and none can only be hexadecimal: check lists made with --decimal with --decimal, which leaves no \
doubt. --base64 does the same for base64, and --zero reads lists made with --zero.

Exit code 1: a value is bad, or a listed file is missing or cannot be read. Exit code 2: a list cannot be read or has no proper line, or with --strict one that is not proper.

Examples:
  residue sum --profile gcs disk.img            as `gcloud storage hash` and the console show it
  residue sum --profile s3-composite --part-size 8MiB -a crc-32c disk.img
                                                as S3 shows it after a multipart upload
  residue sum -r src > list                     a list of CRC-32C; --tag names the code in it
  residue sum -c list                           check it
  residue sum -a cksum file                     as `cksum file`
  residue sum -a crc-8 --explain --text a       the long division, on paper
  residue sum --self-test --quiet               are all kernels right on this CPU?";

/// `residue conform`
#[derive(Debug, clap::Args)]
#[command(after_help = CONFORM_HELP)]
pub struct ConformArgs {
    /// The code that the program is meant to compute
    #[arg(short = 'a', long = "code", visible_alias = "algorithm", value_name = "CODE", value_parser = Names, hide_possible_values = true)]
    pub code: String,
    /// Give the bytes in hexadecimal as the last argument, not on standard input (inputs above 32 KiB are left out)
    #[arg(long)]
    pub arg_hex: bool,
    /// The answer is the first decimal number (a negative one as of a signed type), not the first hexadecimal one
    #[arg(long)]
    pub decimal: bool,
    /// How long one run may take
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = seconds)]
    pub timeout: std::time::Duration,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// The program and its arguments
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}

const CONFORM_HELP: &str = "\
The program is run once for each test input. The input's bytes are its standard input. Its answer is the first word on \
its standard output that consists of hexadecimal digits alone; 0x may stand before them. (Words such as `dead` and \
`be` do, too: let the program print the number first.) What comes after it does not matter.

The answers are values of whole inputs. Mistakes that show elsewhere, as in check octets put into a message, values \
combined, or a value updated for changed bytes, are not found this way.

If answers are wrong, they are compared with known mistakes, with all other codes, and with other forms of the right \
value. Exit code 1: an answer is wrong. Exit code 2: the program cannot be started, fails, takes too long or prints no \
number.

Examples:
  residue conform -a crc-32 -- crc32 /dev/stdin
  residue conform -a cksum --decimal -- ./my-cksum
  residue conform -a crc-32c -- python3 -c 'import sys, zlib; print(hex(zlib.crc32(sys.stdin.buffer.read())))'";

fn seconds(text: &str) -> Result<std::time::Duration, String> {
    let wrong = || "a number of seconds above zero, as 10 or 0.5".to_string();
    let seconds: f64 = text.parse().map_err(|_| wrong())?;
    let duration = std::time::Duration::try_from_secs_f64(seconds).map_err(|_| wrong())?;
    // Beyond a day nobody waits, and a deadline of centuries would not fit the clock.
    if duration.is_zero() {
        Err(wrong())
    } else {
        Ok(duration.min(std::time::Duration::from_secs(86_400)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_consistent() {
        use clap::CommandFactory as _;
        Args::command().debug_assert();
    }

    #[test]
    fn timeouts() {
        assert_eq!(seconds("0.5").map(|d| d.as_millis()), Ok(500));
        assert!(seconds("1e300").is_err());
        for bad in ["", "x", "0", "-1", "nan", "inf"] {
            assert!(seconds(bad).is_err(), "{bad}");
        }
    }
}
