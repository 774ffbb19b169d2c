//! The arguments of `residue identify`.

use crate::options::Json;
use clap::Args;
use residue_identify::Notation;
use std::path::PathBuf;

const HELP: &str = "\
A sample is a message and its value, INPUT:VALUE. The value is hexadecimal, with its leading \
zeros: its digits determine its width. INPUT is hexadecimal, or @FILE for the bytes of a file, or \
text:abc, rep:ff*9 and the other forms of vectors/README.md. A file of samples has one sample on a \
line, with the value as the last word; lines that start with # are comments.

The search goes from likely to unlikely codes, and ends when something explains the samples better \
than chance: named codes; values in another byte order; messages with swapped or padded words, or \
without bytes at their ends; hash functions, named as what they are; known generators with other \
settings; sums and hash functions with other settings; and unnamed CRCs, by algebra. Values may be \
text: two hexadecimal digits for each byte.

How many samples are needed? Two or three for a named code. For an unnamed CRC of 12 bits or more, \
five of different lengths (four from 32 bits on), and seven for 8 bits; or if all have one length, \
four (three from 32 bits on). Each result is printed with the probability that it is due to \
chance. Messages of one length determine init and xorout only together. Different messages are \
worth more than long ones.

With --frames, it is also unknown where the value is. FILE is a capture, whose packets are the \
messages; or has a message in hexadecimal digits on each line, or a record of text that ends in \
its value, as Intel HEX, S-records and NMEA 0183; or is one message. The value is \
looked for at up to 64 bytes from either end, over every range that begins and ends there, outside \
of the range, as zeros, or left out: by all named codes of 8 bits and more first, then by other \
sums, hash functions and unnamed CRCs in the usual layouts. Three messages are enough for 16 bits \
and more, five for 8; unnamed CRCs need more. Messages of different lengths say from which end \
places count.

If nothing fits, codes are either ruled out or undecided: too few samples leave unknown CRCs open, \
and the answer names their widths and what was not tried. If a simple relation gives the values, \
such as a constant, a counter, or a copy or a sum of other fields, the answer names it, and no \
code is found.

Exit codes: 0 something fits all samples, and the probability of a chance match is at most 1/1024. \
1 anything less: the result fits only some of the samples, or may be chance, or the value has a \
simple relation to other fields, or nothing was found, whether ruled out or undecided (the JSON \
member `certainty` says which). 2 wrong usage or unreadable input.

Examples:
  residue identify 313233343536373839:e3069283
  residue identify text:123456789:29b1 text:abc:514a
  residue identify @a.bin:1d0f @b.bin:90bd @c.bin:03fe
  residue identify --trailer 2 01030000000ac5cd 010300010001d5ca
  residue identify --samples captured.txt --skip 16
  residue identify --frames bus.hex          (a message on each line)
  residue identify --frames trace.pcap --json
  residue identify text:123456789:29b1 text:abc:514a --as c > crc.c";

// Arguments of `residue identify`.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct IdentifyArgs {
    /// Messages with their values, INPUT:VALUE
    #[arg(value_name = "SAMPLE", required_unless_present_any = ["samples", "frames"])]
    pub list: Vec<String>,
    /// Read samples from this file, one on a line; `-` is standard input
    #[arg(short, long, value_name = "FILE")]
    pub samples: Vec<PathBuf>,
    /// Take the last N bytes of each input (or file) as its value, in unknown byte order
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=16))]
    pub trailer: Option<u8>,
    /// Find the place of the value, and what it covers, in messages of one format: captures, lines
    /// of hexadecimal digits, or a file for each message
    #[arg(
        long,
        value_name = "FILE",
        num_args = 1..,
        conflicts_with_all = ["list", "samples", "trailer", "decimal", "no_catalogue", "skip"]
    )]
    pub frames: Vec<PathBuf>,
    /// Read values as decimal numbers
    #[arg(long, conflicts_with = "trailer")]
    pub decimal: bool,
    /// Allow up to N bytes at each end of a message not to be covered
    #[arg(
        long,
        value_name = "N",
        default_value_t = 8,
        value_parser = clap::value_parser!(u8).range(0..=64)
    )]
    pub skip: u8,
    /// Skip named codes and generators; try only sums and algebra
    #[arg(long)]
    pub no_catalogue: bool,
    /// Continue after a convincing result
    #[arg(long)]
    pub all: bool,
    /// Print only the CRC that was found: for `residue sum -a`, as a line of the RevEng catalogue,
    /// for the Rust crate crc, for Python's crcmod, or as a function in a language
    #[arg(
        long = "as",
        value_name = "NOTATION",
        value_delimiter = ',',
        value_parser = Notation::ALL.map(Notation::name),
        conflicts_with = "json"
    )]
    pub notations: Vec<String>,
    #[command(flatten)]
    pub format: Json,
}
