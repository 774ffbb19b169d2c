//! Capture files in memory.

use super::{Case, Format, Frame};
use crate::pcap::LinkType;

/// The time of a file's first packet, in seconds since 1970. One second passes from packet to packet.
const START: u32 = 1_700_000_000;
/// The part of a second in each time: not a number of whole microseconds.
const NANOSECONDS: u32 = 123_456_789;
const SNAPLEN: u32 = 262_144;

/// One twin of a case, [`Case::good`] or [`Case::bad`], as a file of its format.
#[must_use]
pub fn file(case: &Case, twin: &[Frame]) -> Vec<u8> {
    let classic = |nanoseconds, order: fn(u32) -> [u8; 4]| {
        classic(case.link, case.fcs, twin, nanoseconds, order)
    };
    match case.format {
        Format::Pcap => classic(false, u32::to_le_bytes),
        Format::PcapNanoseconds => classic(true, u32::to_le_bytes),
        Format::PcapSwapped => classic(false, u32::to_be_bytes),
        Format::PcapNg => pcapng(case.link, twin),
        Format::Gzip => gzip(&classic(false, u32::to_le_bytes)),
    }
}

/// The name's ending of a file of this format.
#[must_use]
pub fn extension(format: Format) -> &'static str {
    match format {
        Format::Pcap | Format::PcapNanoseconds | Format::PcapSwapped => "pcap",
        Format::PcapNg => "pcapng",
        Format::Gzip => "pcap.gz",
    }
}

/// The header of a classic capture, little-endian, in microseconds.
#[must_use]
pub fn header(link: LinkType) -> [u8; 24] {
    let words = [0xa1b2_c3d4, 0x0004_0002, 0, 0, SNAPLEN, link.0];
    let mut header = [0; 24];
    for (place, word) in header.chunks_exact_mut(4).zip(words) {
        place.copy_from_slice(&word.to_le_bytes());
    }
    header
}

/// The header of a record, little-endian.
#[must_use]
pub fn record(seconds: u32, fraction: u32, captured: u32, wire_length: u32) -> [u8; 16] {
    let mut header = [0; 16];
    let words = [seconds, fraction, captured, wire_length];
    for (place, word) in header.chunks_exact_mut(4).zip(words) {
        place.copy_from_slice(&word.to_le_bytes());
    }
    header
}

fn classic(
    link: LinkType,
    fcs: Option<u8>,
    frames: &[Frame],
    nanoseconds: bool,
    order: fn(u32) -> [u8; 4],
) -> Vec<u8> {
    // The length of the frame check sequence, in words of 16 bits, and a bit that says it is given.
    let network = link.0 | fcs.map_or(0, |bytes| u32::from(bytes / 2) << 28 | 1 << 26);
    let magic = if nanoseconds { 0xa1b2_3c4d } else { 0xa1b2_c3d4 };
    let mut file = order(magic).to_vec();
    // The version is two words of 16 bits.
    file.extend(if order(1)[0] == 1 { [2, 0, 4, 0] } else { [0, 2, 0, 4] });
    file.extend([0, 0, SNAPLEN, network].map(order).as_flattened());
    for (second, frame) in (START..).zip(frames) {
        let fraction = if nanoseconds { NANOSECONDS } else { NANOSECONDS / 1000 };
        let captured = frame.bytes.len() as u32;
        file.extend([second, fraction, captured, frame.wire_length].map(order).as_flattened());
        file.extend_from_slice(&frame.bytes);
    }
    file
}

/// A section with one interface in nanoseconds. Every packet has a comment, and before the first stands a custom block, which a
/// repair must leave alone.
fn pcapng(link: LinkType, frames: &[Frame]) -> Vec<u8> {
    let mut file = Vec::new();
    let mut block = |kind: u32, body: &[&[u8]]| {
        let body = body.concat();
        let total = (12 + body.len() as u32).to_le_bytes();
        file.extend([&kind.to_le_bytes()[..], &total, &body, &total].concat());
    };
    let byte_order = 0x1a2b_3c4d_u32.to_le_bytes();
    block(0x0a0d_0d0a, &[&byte_order, &[1, 0, 0, 0], &[0xff; 8]]);
    // Option 9: 10^-9 seconds. Option 0 ends options.
    let resolution = [9, 0, 1, 0, 9, 0, 0, 0, 0, 0, 0, 0];
    block(1, &[&(link.0 as u16).to_le_bytes(), &[0, 0], &SNAPLEN.to_le_bytes(), &resolution]);
    // A custom block of the enterprise number for documentation (RFC 5612).
    block(0xbad, &[&32473_u32.to_le_bytes(), b"residues"]);
    for (second, frame) in (u64::from(START)..).zip(frames) {
        let time = second * 1_000_000_000 + u64::from(NANOSECONDS);
        let words =
            [0, (time >> 32) as u32, time as u32, frame.bytes.len() as u32, frame.wire_length];
        let padding = [0; 3];
        let padding = &padding[..frame.bytes.len().next_multiple_of(4) - frame.bytes.len()];
        let comment = [&[1, 0, 4, 0][..], b"made", &[0; 4]].concat();
        let words = words.map(u32::to_le_bytes);
        block(6, &[words.as_flattened(), &frame.bytes, padding, &comment]);
    }
    file
}

/// Stored, not compressed: a reader cannot tell (RFC 1951 section 3.2.4, RFC 1952).
fn gzip(data: &[u8]) -> Vec<u8> {
    let mut file = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff];
    let mut blocks = data.chunks(0xffff).peekable();
    while let Some(block) = blocks.next() {
        let length = block.len() as u16;
        file.push(u8::from(blocks.peek().is_none()));
        file.extend([length.to_le_bytes(), (!length).to_le_bytes()].as_flattened());
        file.extend_from_slice(block);
    }
    file.extend(residue::crc32(data).to_le_bytes());
    file.extend((data.len() as u32).to_le_bytes());
    file
}
