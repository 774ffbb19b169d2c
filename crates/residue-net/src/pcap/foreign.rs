//! Names of files that are no captures of a format read here, so that an error says what they are.

use std::fmt;

/// A kind of file that is not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Foreign {
    /// Name for sentences, with an article.
    pub name: &'static str,
    remedy: Remedy,
}

/// A way to make a readable capture of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Remedy {
    /// Wireshark's editcap reads it.
    Editcap,
    /// A program exports it.
    Export,
    /// A program decompresses it.
    Decompress(&'static str),
    /// A sentence for this kind.
    Say(&'static str),
}

use Remedy::{Decompress, Editcap, Export, Say};

impl fmt::Display for Foreign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the file is {}; ", self.name)?;
        match self.remedy {
            Editcap => write!(f, "convert it: editcap -F pcapng FILE NEW (of Wireshark)"),
            Export => write!(f, "export it as pcap or pcapng with the program that wrote it"),
            Decompress(command) => write!(f, "decompress it first: {command} FILE"),
            Say(remedy) => f.write_str(remedy),
        }
    }
}

/// Kinds of files by their first bytes.
const STARTS: &[(&[u8], &str, Remedy)] = &[
    // Captures.
    (b"GMBU", "a capture of Microsoft Network Monitor 2", Editcap),
    (b"RTSS", "a capture of Microsoft Network Monitor 1", Editcap),
    (b"TRSNIFF data    \x1a", "a capture of the Sniffer for DOS", Editcap),
    (b"XCP\0", "a capture of NetXRay or of the Sniffer for Windows", Editcap),
    (b"VL\0\0", "a capture of NetXRay 1.0", Editcap),
    (b"iptrace 1.0", "an AIX iptrace 1.0", Editcap),
    (b"iptrace 2.0", "an AIX iptrace 2.0", Editcap),
    (b"TR\0d\0", "an HP-UX nettl trace", Editcap),
    (b"\x05VNF", "a capture of Visual Networks", Editcap),
    (b"ObserverPktBuffe", "a capture of Network Instruments' Observer", Editcap),
    (b"\x7fver", "a capture of EtherPeek or OmniPeek (tagged)", Editcap),
    (b"\xaa\xaa\xaa\xaa", "a capture of InfoVista 5View", Editcap),
    (b"\x42\xd2\x00\x34\x12\x66\x22\x88", "a capture of a RADCOM analyser", Editcap),
    (b"\0\0\x02\0\x12\x05\0\x10", "a capture of a Tektronix K12", Editcap),
    (b"+---------+---------------+----------+", "a text of a Tektronix K12", Editcap),
    (b"cpse", "a capture of Colasoft Capsa", Editcap),
    (b"Session Transcript", "a trace of Catapult DCT2000", Editcap),
    (b"EyeSDN", "a trace of EyeSDN", Editcap),
    (b"btsnoop\0", "a Bluetooth capture (btsnoop), which has no check value that is read", Editcap),
    (b"#Format=", "a capture of Daintree's Sensor Network Analyzer", Editcap),
    (b"LOGG", "a Vector log file (BLF)", Editcap),
    (b"LPKSHHRH", "a journal of systemd", Export),
    (b"\x4d\x3c\x2b\xa1", NAVTEL, Export),
    (b"\xa1\x2b\x3c\x4d", NAVTEL, Export),
    (b"\xcd\x34\xb2\xa1", MESQUITA, Export),
    (b"\xa1\xb2\x34\xcd", MESQUITA, Export),
    // Compressed files and archives.
    (b"\xfd7zXZ\0", "compressed by xz", Decompress("xz -d")),
    (b"\x5d\0\0", "compressed by lzma", Decompress("xz -d")),
    (b"BZh", "compressed by bzip2", Decompress("bzip2 -d")),
    (b"\x04\x22\x4d\x18", "compressed by lz4", Decompress("lz4 -d")),
    (b"\x02\x21\x4c\x18", "compressed by lz4", Decompress("lz4 -d")),
    (b"LZIP", "compressed by lzip", Decompress("lzip -d")),
    (b"\x89LZO\0", "compressed by lzop", Decompress("lzop -d")),
    (b"\x1f\x9d", "compressed by compress", Decompress("uncompress")),
    (b"\x1f\x8b", "compressed twice, the second time by gzip", Decompress("gzip -d")),
    (b"\x28\xb5\x2f\xfd", "compressed twice, the second time by zstd", Decompress("zstd -d")),
    (b"\xff\x06\0\0sNaPpY", "compressed by snappy", Decompress("snzip -d")),
    (b"PK\x03\x04", "a ZIP archive", Decompress("unzip")),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive", Decompress("7z x")),
    (b"Rar!\x1a", "a RAR archive", Decompress("unrar x")),
    // Captures that something else changed, and what is taken for them.
    (b"\xff\xfe", UTF_16, Say(SHELL)),
    (b"\xfe\xff", UTF_16, Say(SHELL)),
    (b"\xef\xbf\xbd", "binary data that was saved as text in UTF-8", Say(AGAIN)),
    (b"\x0a\x0d\x0a", "a pcapng file whose line ends were converted", Say(AGAIN)),
    (b"\x0a\x0a\x0a", "a pcapng file whose line ends were converted", Say(AGAIN)),
    (b"\x0d\x0a\x0d\x0d\x0d\x0a", "a pcapng file whose line ends were converted", Say(AGAIN)),
    (b"version https://git-lfs", "a pointer of Git LFS", Say("fetch the file: git lfs pull")),
    (b"/annex/objects/", "a pointer of git-annex", Say("fetch the file: git annex get")),
    (b"\x7fELF", "a program", Say(OTHER)),
    (b"%PDF-", "a PDF document", Say(OTHER)),
    (b"SQLite format 3\0", "an SQLite database", Say(OTHER)),
];

const NAVTEL: &str = "a pcap of Navtel, whose records are not documented";
const MESQUITA: &str = "a pcap of Francisco Mesquita's libpcap, whose records are not documented";
const UTF_16: &str = "text in UTF-16";
const SHELL: &str = "PowerShell's > converts binary data: let the program write the file itself";
const AGAIN: &str = "transfer it again, as binary data";
const OTHER: &str = "pcap, pcapng and snoop are read";

/// Number of first bytes that [`name`] looks at.
pub(super) const ENOUGH: usize = 4096;

/// Returns the kind of a file by its first bytes, if known.
pub(super) fn name(start: &[u8]) -> Option<Foreign> {
    let of = |&(_, name, remedy): &(_, _, _)| Foreign { name, remedy };
    STARTS
        .iter()
        .find(|(known, ..)| start.starts_with(known))
        .map(of)
        .or_else(|| by_structure(start).map(|name| Foreign { name, remedy: Editcap }))
        .or_else(|| as_text(start))
        .or_else(|| {
            let is_archive = start.get(257..262) == Some(b"ustar");
            is_archive.then_some(Foreign { name: "a tar archive", remedy: Decompress("tar -xf") })
        })
}

/// Returns the name of a format without a magic number.
fn by_structure(start: &[u8]) -> Option<&'static str> {
    match start {
        // A record of type 1001 or 1007, its length, version 1.5 or the like.
        [0x01 | 0x07, 0x10, _, 0, 1, 0..=9, ..] => Some("a capture of Novell LANalyzer"),
        _ if is_erf(start) => Some("an ERF capture of Endace's cards"),
        // A length, that of the original packet (both of 16 bits), a source, then a date.
        [a, b, c, d, 0, rest @ ..] if [a, b] == [c, d] && is_date(rest) => {
            Some("a capture of CommView")
        }
        // A length of 32 bits, then a date.
        [_, _, 0, 0, rest @ ..] if is_date(rest) => Some("a capture of CommView (NCFX)"),
        // Version, status; then lengths and times, and seven words that are zero.
        [5..=7, _, rest @ ..] if rest.get(20..48) == Some(&[0; 28]) && rest[..4] != [0; 4] => {
            Some("a capture of EtherPeek (classic)")
        }
        _ => None,
    }
}

/// Returns whether it is a date of CommView: a year of 16 bits, then month, day, hour, minute and
/// second.
fn is_date(bytes: &[u8]) -> bool {
    let &[low, high, month, day, hour, minute, second, ..] = bytes else { return false };
    (1995..2100).contains(&u16::from_le_bytes([low, high]))
        && (1..=12).contains(&month)
        && (1..=31).contains(&day)
        && hour < 24
        && minute < 60
        && second < 61
}

/// Returns whether it begins with at least two records of ERF: a time stamp of 64 bits (lowest byte
/// first, in units of 2^-32 seconds), a type, flags, then the length of the record, a counter, and
/// the length on the wire.
fn is_erf(start: &[u8]) -> bool {
    const HEADER: usize = 16;
    const KNOWN_TYPES: std::ops::RangeInclusive<u8> = 1..=48;
    let (mut rest, mut records, mut last) = (start, 0, 0);
    while let Some(header) = rest.get(..HEADER) {
        let seconds = u32::from_le_bytes([header[4], header[5], header[6], header[7]]);
        let length = usize::from(u16::from_be_bytes([header[10], header[11]]));
        let is_record = KNOWN_TYPES.contains(&(header[8] & 0x7f))
            && length >= HEADER
            && seconds >= last
            && (records == 0 || last == 0 || seconds - last < 86_400);
        if !is_record {
            return false;
        }
        records += 1;
        last = seconds;
        let Some(next) = rest.get(length..) else { break };
        rest = next;
    }
    records >= 2
}

/// Returns the kind of a text.
fn as_text(start: &[u8]) -> Option<Foreign> {
    let is_text = |byte: &u8| matches!(byte, b'\t' | b'\n' | b'\r' | 0x20..=0x7e | 0x80..);
    if start.len() < 4 || !start.iter().all(is_text) {
        return None;
    }
    let text = start.trim_ascii_start();
    let has =
        |word: &[u8]| start.windows(word.len()).any(|window| window.eq_ignore_ascii_case(word));
    let (name, remedy) = match text {
        [b'<', ..] if has(b"<pdml") || has(b"<psml") => {
            ("an XML export of Wireshark (PDML or PSML)", Say("save the packets as pcapng instead"))
        }
        [b'<', ..] if has(b"<html") || has(b"<!doctype html") => {
            ("a web page, perhaps in the place of a download", Say("download the file itself"))
        }
        [b'<', ..] if has(b"<?xml") => ("an XML document", Say(OTHER)),
        [b'{' | b'[', ..] => ("JSON", Say(OTHER)),
        _ if is_hex_dump(text) => {
            ("a hex dump", Say("convert it: text2pcap FILE NEW (of Wireshark)"))
        }
        _ => return None,
    };
    Some(Foreign { name, remedy })
}

/// Returns whether a text begins with an offset of zeros and bytes in hexadecimal.
fn is_hex_dump(text: &[u8]) -> bool {
    let line = text.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let zeros = |word: &[u8]| {
        let word = word.strip_prefix(b"0x").unwrap_or(word);
        let word = word.strip_suffix(b":").unwrap_or(word);
        word.len() >= 3 && word.iter().all(|&byte| byte == b'0')
    };
    let is_byte =
        |word: &[u8]| matches!(word.len(), 2 | 4) && word.iter().all(u8::is_ascii_hexdigit);
    words.next().is_some_and(zeros) && words.next().is_some_and(is_byte)
}
