//! Cases as capture files, and cases of file formats.

use crate::case::Variant;
use crate::ip::V4;
use crate::{Case, Format, Frame, tcp};
use residue_net::pcap::ByteOrder;
use residue_net::pcap::compressed::{self, Compression};
use residue_net::pcap::write::{COMMENT, Header, NgWriter, Writer};
use std::io::{self, Write};

/// The time of a file's first packet, in nanoseconds since 1970: not a whole number of
/// microseconds. One second passes from packet to packet.
const START: u64 = 1_700_000_000_123_456_789;
const SECOND: u64 = 1_000_000_000;

/// A custom block's type, and the enterprise number for documentation (RFC 5612).
const CUSTOM: u32 = 0xbad;
const ENTERPRISE: u32 = 32473;
/// The option of an interface that gives the resolution of its times: here 10^-9 seconds.
const RESOLUTION: (u16, &[u8]) = (9, &[9]);

/// Writes the packets of a case, [`Case::good`] or [`Case::bad`], as a file of its format.
///
/// # Errors
///
/// Those of `out`.
pub fn write(mut out: impl Write, case: &Case, frames: &[Frame]) -> io::Result<()> {
    let plain = Header { nanoseconds: false, fcs: case.fcs, ..Header::new(case.link) };
    match case.format {
        Format::Pcap => classic(out, plain, frames),
        Format::PcapNanoseconds => classic(out, Header { nanoseconds: true, ..plain }, frames),
        Format::PcapSwapped => classic(out, Header { order: ByteOrder::Big, ..plain }, frames),
        Format::PcapNg => pcapng(out, case, frames),
        Format::Gzip => {
            let mut inside = Vec::new();
            classic(&mut inside, plain, frames)?;
            compressed::copy(&mut &inside[..], &mut out, Some(Compression::Gzip))
        }
        Format::PcapVariant(variant) => pcap_variant(out, case, variant, frames),
        Format::Snoop => snoop(out, frames),
    }
}

/// Returns the files of all cases, good and bad.
#[must_use]
pub fn all() -> Vec<Vec<u8>> {
    let cases = crate::cases();
    let both = cases.iter().flat_map(|case| [(case, &case.good), (case, &case.bad)]);
    both.map(|(case, frames)| {
        let mut file = Vec::new();
        write(&mut file, case, frames).expect("memory takes all");
        file
    })
    .collect()
}

impl Format {
    /// Returns the ending of a file's name in this format.
    #[must_use]
    pub fn extension(self) -> &'static str {
        match self {
            Format::Pcap
            | Format::PcapNanoseconds
            | Format::PcapSwapped
            | Format::PcapVariant(_) => "pcap",
            Format::Snoop => "snoop",
            Format::PcapNg => "pcapng",
            Format::Gzip => "pcap.gz",
        }
    }
}

fn classic(out: impl Write, header: Header, frames: &[Frame]) -> io::Result<()> {
    let mut writer = Writer::new(out, header)?;
    for (second, frame) in (0..).zip(frames) {
        writer.packet(START + second * SECOND, frame.wire_length, &frame.bytes)?;
    }
    Ok(())
}

/// Writes pcapng with a comment on every packet and a custom block before the first: a repair must
/// leave both alone.
fn pcapng(out: impl Write, case: &Case, frames: &[Frame]) -> io::Result<()> {
    let mut writer = NgWriter::new(out, ByteOrder::Little, &[(COMMENT, case.title.as_bytes())])?;
    writer.interface(case.link.0 as u16, 256 << 10, &[RESOLUTION])?;
    writer.block(CUSTOM, &[&ENTERPRISE.to_le_bytes()[..], b"residues"].concat(), &[])?;
    for (second, frame) in (0..).zip(frames) {
        let time = START + second * SECOND;
        let comment = (COMMENT, case.name.as_bytes());
        writer.packet(0, time, frame.wire_length, &frame.bytes, &[comment])?;
    }
    Ok(())
}

/// Writes classic pcap, little-endian with microseconds, with bytes added to the header of each
/// record.
fn pcap_variant(
    mut out: impl Write,
    case: &Case,
    variant: Variant,
    frames: &[Frame],
) -> io::Result<()> {
    let (magic, added): (u32, &[u8]) = match variant {
        // Interface 2, IPv4, for this host; then two CPUs and padding.
        Variant::Modified => (0xa1b2_cd34, &[2, 0, 0, 0, 8, 0, 0, 0]),
        Variant::RedHat => (0xa1b2_c3d4, &[2, 0, 0, 0, 8, 0, 0, 0]),
        Variant::Suse => (0xa1b2_cd34, &[2, 0, 0, 0, 8, 0, 0, 1, 1, 0, 0, 0]),
        Variant::Nokia => (0xa1b2_c3d4, &[0x01, 0xb6, 0xbf, 0x9f]),
    };
    for word in [magic, 4 << 16 | 2, 0, 0, 0xffff, case.link.0] {
        out.write_all(&word.to_le_bytes())?;
    }
    for (second, frame) in (0..).zip(frames) {
        let time = START + second * SECOND;
        let (seconds, fraction) = (time / SECOND, time % SECOND / 1000);
        let lengths = [frame.bytes.len() as u32, frame.wire_length];
        for word in [seconds as u32, fraction as u32].into_iter().chain(lengths) {
            out.write_all(&word.to_le_bytes())?;
        }
        out.write_all(added)?;
        out.write_all(&frame.bytes)?;
    }
    Ok(())
}

/// Writes snoop with Ethernet, whose packets are padded to a multiple of four bytes.
fn snoop(mut out: impl Write, frames: &[Frame]) -> io::Result<()> {
    const ETHERNET: u32 = 4;
    out.write_all(b"snoop\0\0\0")?;
    for word in [2, ETHERNET] {
        out.write_all(&u32::to_be_bytes(word))?;
    }
    for (second, frame) in (0..).zip(frames) {
        let time = START + second * SECOND;
        let captured = frame.bytes.len();
        let whole = 24 + captured.next_multiple_of(4);
        let lengths = [frame.wire_length, captured as u32, whole as u32, 0];
        let times = [(time / SECOND) as u32, (time % SECOND / 1000) as u32];
        for word in lengths.into_iter().chain(times) {
            out.write_all(&word.to_be_bytes())?;
        }
        out.write_all(&frame.bytes)?;
        out.write_all(&[0; 3][..whole - 24 - captured])?;
    }
    Ok(())
}

/// Cases of file formats.
pub(crate) fn cases() -> Vec<Case> {
    let segment = tcp::segment(V4);
    let case = |name, title, format| Case {
        format,
        ..tcp::case(name, title, V4.frame(6, &segment), &segment)
    };
    vec![
        case("nanoseconds", "pcap with nanoseconds", Format::PcapNanoseconds),
        case("pcapng", "pcapng", Format::PcapNg),
        case("gzip", "gzip", Format::Gzip),
        case("snoop", "snoop", Format::Snoop),
        case("modified", "modified pcap", Format::PcapVariant(Variant::Modified)),
        case("red-hat", "pcap of Red Hat 6.1", Format::PcapVariant(Variant::RedHat)),
        case("suse", "pcap of SuSE 6.3", Format::PcapVariant(Variant::Suse)),
        case("nokia", "Nokia pcap", Format::PcapVariant(Variant::Nokia)),
        case("swapped", "pcap in the other byte order", Format::PcapSwapped),
    ]
}
