//! The arguments of `residue sum`.

use crate::hex;
use crate::options::CodeNames;
use crate::output::Encoding;
use anyhow::Context as _;
use clap::{Args, ValueEnum};
use std::ffi::OsString;

// Arguments of `residue sum`.
#[derive(Clone, Debug, Args)]
#[command(after_help = HELP)]
pub struct SumArgs {
    #[command(flatten)]
    pub codes: CodeNames,
    /// Files to read; `-` is standard input, which is also the default
    #[arg(value_name = "FILE")]
    pub files: Vec<OsString>,
    /// Use this text as input
    #[arg(long, value_name = "STRING")]
    pub text: Vec<String>,
    /// Use these bytes as input, in hexadecimal; spaces, colons and a leading 0x are ignored
    #[arg(long, value_name = "BYTES")]
    pub hex: Vec<String>,
    /// Read all files below folders, sorted by name; skip symbolic links and special files
    #[arg(short, long, requires = "files")]
    pub recursive: bool,
    /// Take the holes of sparse files for zeros without reading them (Linux)
    ///
    /// The file system says where they are, and is believed.
    #[arg(long, conflicts_with_all = ["profile", "explain", "self_test"])]
    pub sparse: bool,
    /// Use this kernel (only with --text and --hex)
    #[arg(long, value_name = "NAME", conflicts_with_all = ["files", "mode"])]
    pub kernel: Option<String>,

    /// Print `CODE (file) = value`, as is always done for several codes
    #[arg(long, help_heading = "Output", conflicts_with = "mode")]
    pub tag: bool,
    /// Print values in base64, highest byte first, as object stores show them
    #[arg(long, help_heading = "Output", conflicts_with_all = ["explain", "self_test"])]
    pub base64: bool,
    /// Print values in decimal
    #[arg(
        long,
        help_heading = "Output",
        conflicts_with_all = ["base64", "explain", "self_test"]
    )]
    pub decimal: bool,
    /// Print values in this encoding
    #[arg(
        long,
        value_name = "ENCODING",
        help_heading = "Output",
        conflicts_with_all = ["base64", "decimal", "explain", "self_test"]
    )]
    pub format: Option<Encoding>,
    /// Print JSON
    #[arg(long, help_heading = "Output", conflicts_with = "tag")]
    pub json: bool,
    /// End lines with a zero byte, and do not escape file names
    #[arg(
        short,
        long,
        help_heading = "Output",
        conflicts_with_all = ["json", "explain", "self_test"]
    )]
    pub zero: bool,

    /// Print the value that an object store shows for this content
    ///
    /// Values are in base64; composite values of S3 end in the number of parts. gcs: CRC-32C. s3:
    /// the full-object value, which is CRC-64/NVME unless -a names crc-32 or crc-32c. s3-composite:
    /// the crc-32 or crc-32c of the values of the parts, which multipart uploads have unless they
    /// ask for the full-object type.
    #[arg(
        long,
        value_name = "STORE",
        help_heading = "Object stores",
        conflicts_with_all = ["base64", "decimal", "format", "kernel", "explain", "self_test"]
    )]
    pub profile: Option<Profile>,
    /// Size of the parts of the upload, in bytes or as 8MiB
    ///
    /// KB, MB and GB are powers of 1024 as well, as in the settings of aws.
    #[arg(
        long,
        value_name = "SIZE",
        help_heading = "Object stores",
        requires = "profile",
        value_parser = size
    )]
    pub part_size: Option<u64>,
    /// Size from which content is uploaded in parts [default: the size of a part]
    ///
    /// The default is that of aws. Use 0 for uploads that always have parts.
    #[arg(
        long,
        value_name = "SIZE",
        help_heading = "Object stores",
        requires = "part_size",
        value_parser = size
    )]
    pub multipart_threshold: Option<u64>,

    /// Verify lists of check values, printed by `residue sum`, cksum or another tool
    #[arg(
        short,
        long,
        help_heading = "Checking",
        group = "mode",
        conflicts_with_all = ["recursive", "text", "hex"]
    )]
    pub check: bool,
    /// Do not print OK lines
    #[arg(short, long, help_heading = "Checking")]
    pub quiet: bool,
    /// Print nothing; only set the exit code
    #[arg(long, help_heading = "Checking", requires = "check", conflicts_with = "json")]
    pub status: bool,
    /// Fail if a line of a list cannot be read
    #[arg(long, help_heading = "Checking", requires = "check")]
    pub strict: bool,
    /// Ignore missing files
    #[arg(long, help_heading = "Checking", requires = "check")]
    pub ignore_missing: bool,
    /// Report every line that cannot be read
    #[arg(short, long, help_heading = "Checking", requires = "check")]
    pub warn: bool,

    /// Show the arithmetic of a short input (--text or --hex, up to 64 bytes)
    #[arg(
        long,
        help_heading = "Other modes",
        group = "mode",
        conflicts_with_all = ["files", "recursive", "quiet"]
    )]
    pub explain: bool,
    /// Test every kernel of every code against known values (--quiet prints failures only)
    #[arg(
        long,
        help_heading = "Other modes",
        group = "mode",
        conflicts_with_all = ["files", "recursive", "text", "hex"]
    )]
    pub self_test: bool,
}

/// A kind of object store and upload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Profile {
    /// Google Cloud Storage
    Gcs,
    /// S3, full-object type
    S3,
    /// S3, composite type
    S3Composite,
}

pub const HELP: &str = "\
Codes: a name or alias listed by `residue list`, or the parameters of a CRC, for example \
width=16,poly=1021,refin=true,refout=true (init and xorout default to zero); without -a \
crc-32/iscsi. `cksum` is the value that the POSIX program cksum prints: the CRC of the data and \
their length (`crc-32/cksum` is the CRC of the data alone).

Each file gives a line `value  name`, or with several codes a line `CODE (name) = value` per code. \
Backslashes, newlines and carriage returns in names are escaped, and a backslash then starts the \
line. `-a cksum` alone prints `value bytes name`, exactly as cksum does. A terminal gets other \
control characters of names escaped as well (`\\u{1b}`); files and pipes get them as they are, so \
that --check finds the files.

Checking: a tagged line names its code. Other lines are of the code of -a, or of crc-32/iscsi if \
the value has 32 bits. SFV files (`name A3B1C2D4`, comments after ;) are of CRC-32 unless -a \
names another code of 32 bits. Lists of cksum (`value bytes name`) are recognised if a listed \
file has the stated length; else -a cksum names them. The output of --json is read as well. \
Values may be hexadecimal (either case, with or without 0x), base64 or decimal. Digits alone, as \
many as the hexadecimal value has, are read as decimal only if some line of the list must be \
decimal and none must be hexadecimal; to avoid the guess, check lists made with --decimal with \
--decimal, those of --base64 with --base64, and those of --zero with --zero.

Exit code 1: a value is wrong, or a listed file is missing or unreadable. Exit code 2: a list is \
unreadable or has no valid line, or with --strict an invalid line.

Examples:
  residue sum --profile gcs disk.img            as `gcloud storage hash` and the console show it
  residue sum --profile s3-composite --part-size 8MiB -a crc-32c disk.img
                                                as S3 shows it after a multipart upload
  residue sum -r src > list                     write a list of CRC-32C (--tag adds the code)
  residue sum -c list                           verify the list
  residue sum -a cksum file                     print what `cksum file` prints
  residue sum --sparse disk.img                 do not read the holes of a disk image
  residue sum -a crc-8 --explain --text a       show the long division
  residue sum --self-test --quiet               test all kernels on this CPU";

impl SumArgs {
    /// Returns the encoding of values that the options name.
    pub fn encoding(&self) -> Option<Encoding> {
        match (self.base64, self.decimal) {
            (true, _) => Some(Encoding::Base64),
            (_, true) => Some(Encoding::Decimal),
            _ => self.format,
        }
    }
}

/// Reads the bytes of a `--hex` option.
pub fn bytes(text: &str) -> anyhow::Result<Vec<u8>> {
    hex::parse(text).with_context(|| {
        format!("--hex `{}`: expected an even number of hexadecimal digits", text.escape_debug())
    })
}

/// Reads a number of bytes, with an optional unit K, KB, KiB, M, ... G, all powers of 1024.
pub fn size(text: &str) -> Result<u64, String> {
    let wrong =
        || "expected bytes, or a size as 8MiB (KiB, MiB, GiB; K and KB mean KiB here)".to_string();
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, unit) = text.split_at(end);
    let number: u64 = digits.parse().map_err(|_| wrong())?;
    let unit = unit.trim().to_ascii_lowercase();
    let shift = match unit.strip_suffix("ib").or(unit.strip_suffix('b')).unwrap_or(&unit) {
        "" if !unit.starts_with('i') => 0,
        "k" => 10,
        "m" => 20,
        "g" => 30,
        _ => return Err(wrong()),
    };
    number.checked_mul(1 << shift).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::size;

    #[test]
    fn sizes() {
        for (text, bytes) in [
            ("8388608", 8 << 20),
            ("8MiB", 8 << 20),
            ("8MB", 8 << 20),
            ("5g", 5 << 30),
            ("0", 0),
            ("7B", 7),
            ("1 KiB", 1024),
        ] {
            assert_eq!(size(text), Ok(bytes), "{text}");
        }
        for bad in ["", "MiB", "1.5MiB", "-1", "1ib", "8iB", "8TiB", "99999999999GiB", "8 M B"] {
            assert!(size(bad).is_err(), "{bad}");
        }
    }
}
