//! TCP, UDP, UDP-Lite, SCTP, DCCP.

use super::network::{Ends, store};
use residue::adler32;
use residue::crc32c;
use residue::internet::Checksum;

/// Data of an odd length, to be carried.
pub const DATA: &[u8] = b"the check values of residue classes";

/// A TCP header's fields, and the data.
#[derive(Clone, Copy, Debug)]
pub struct Tcp<'a> {
    /// Source and destination.
    pub ports: [u16; 2],
    /// Sequence and acknowledgment number.
    pub numbers: [u32; 2],
    /// SYN is 2, RST 4, PSH 8, ACK 16.
    pub flags: u8,
    /// Their length is a multiple of four.
    pub options: &'a [u8],
    /// The data.
    pub data: &'a [u8],
}

impl Default for Tcp<'_> {
    fn default() -> Self {
        Tcp { ports: [1234, 80], numbers: [1, 2], flags: 0x18, options: &[], data: DATA }
    }
}

impl Tcp<'_> {
    /// The segment with a checksum field of zero.
    #[must_use]
    pub fn unsealed(&self) -> Vec<u8> {
        let [source, destination] = self.ports.map(u16::to_be_bytes);
        let [sequence, acknowledgment] = self.numbers.map(u32::to_be_bytes);
        let offset = ((20 + self.options.len()) / 4) as u8;
        let rest = [offset << 4, self.flags, 0x20, 0, 0, 0, 0, 0];
        let header = [&source[..], &destination, &sequence, &acknowledgment, &rest].concat();
        [&header, self.options, self.data].concat()
    }

    /// The segment between these ends.
    #[must_use]
    pub fn segment(&self, ends: Ends) -> Vec<u8> {
        seal(self.unsealed(), ends, 6, 16)
    }
}

/// Fills in the checksum at `offset` of a whole message of `protocol`.
#[must_use]
pub fn seal(mut message: Vec<u8>, ends: Ends, protocol: u8, offset: usize) -> Vec<u8> {
    store(&mut message, offset, 0);
    let mut sum = ends.pseudo(protocol, message.len());
    sum.update(&message);
    store(&mut message, offset, sum.value());
    message
}

/// A TCP segment with [`DATA`].
#[must_use]
pub fn tcp(ends: Ends) -> Vec<u8> {
    Tcp::default().segment(ends)
}

/// What a host hands to a network card that computes checksums: the field holds the sum of the pseudo-header alone, with
/// the length or, as large-send offload wants it, without.
#[must_use]
pub fn offloaded(
    mut message: Vec<u8>,
    ends: Ends,
    protocol: u8,
    offset: usize,
    length: bool,
) -> Vec<u8> {
    let counted = if length { message.len() } else { 0 };
    store(&mut message, offset, !ends.pseudo(protocol, counted).value());
    message
}

/// A UDP datagram without checksum.
#[must_use]
pub fn udp_without(ports: [u16; 2], data: &[u8]) -> Vec<u8> {
    let [source, destination] = ports.map(u16::to_be_bytes);
    let length = (8 + data.len()) as u16;
    [&source[..], &destination, &length.to_be_bytes(), &[0, 0], data].concat()
}

/// A UDP datagram: a computed 0 is sent as FFFF.
#[must_use]
pub fn udp(ends: Ends, ports: [u16; 2], data: &[u8]) -> Vec<u8> {
    never_zero(seal(udp_without(ports, data), ends, 17, 6), 6)
}

fn never_zero(mut message: Vec<u8>, offset: usize) -> Vec<u8> {
    if message[offset..offset + 2] == [0, 0] {
        store(&mut message, offset, 0xffff);
    }
    message
}

/// A UDP datagram whose data are chosen so that the checksum comes out as 0.
#[must_use]
pub fn udp_summing_to_zero(ends: Ends, ports: [u16; 2]) -> Vec<u8> {
    let probe = seal(udp_without(ports, &[0, 0]), ends, 17, 6);
    udp(ends, ports, &[probe[6], probe[7]])
}

/// A UDP-Lite datagram (RFC 3828) whose first `coverage` bytes are protected; 0 means all.
#[must_use]
pub fn udp_lite(ends: Ends, ports: [u16; 2], coverage: u16, data: &[u8]) -> Vec<u8> {
    let mut message = udp_without(ports, data);
    store(&mut message, 4, coverage);
    let covered = if coverage == 0 { message.len() } else { usize::from(coverage) };
    let mut sum = ends.pseudo(136, message.len());
    sum.update(&message[..covered.min(message.len())]);
    store(&mut message, 6, sum.value());
    never_zero(message, 6)
}

/// An SCTP packet with a checksum of zero.
#[must_use]
pub fn sctp_without(ports: [u16; 2], chunks: &[u8]) -> Vec<u8> {
    let [source, destination] = ports.map(u16::to_be_bytes);
    let rest = [0x12, 0x34, 0x56, 0x78, 0, 0, 0, 0];
    [&source[..], &destination, &rest, chunks].concat()
}

/// An SCTP packet (RFC 9260): CRC-32C, lowest byte first.
#[must_use]
pub fn sctp(ports: [u16; 2], chunks: &[u8]) -> Vec<u8> {
    let mut packet = sctp_without(ports, chunks);
    let value = crc32c(&packet).to_le_bytes();
    packet[8..12].copy_from_slice(&value);
    packet
}

/// An SCTP packet as of RFC 2960: Adler-32, highest byte first.
#[must_use]
pub fn sctp_adler(ports: [u16; 2], chunks: &[u8]) -> Vec<u8> {
    let mut packet = sctp_without(ports, chunks);
    let value = adler32(&packet).to_be_bytes();
    packet[8..12].copy_from_slice(&value);
    packet
}

/// A DATA chunk, padded.
#[must_use]
pub fn sctp_data(data: &[u8]) -> Vec<u8> {
    let length = (16 + data.len() as u16).to_be_bytes();
    // Flags: first and last fragment. Then transmission sequence number, stream, number in it, payload protocol.
    let header = [0, 3, length[0], length[1], 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0];
    let mut chunk = [&header[..], data].concat();
    chunk.resize(chunk.len().next_multiple_of(4), 0);
    chunk
}

/// An INIT (kind 1) or INIT ACK (kind 2) chunk with parameters.
#[must_use]
pub fn sctp_init(kind: u8, parameters: &[u8]) -> Vec<u8> {
    let length = (20 + parameters.len() as u16).to_be_bytes();
    // Initiate tag, receiver window, outbound and inbound streams, initial transmission sequence number.
    let fixed = [0x12, 0x34, 0x56, 0x78, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 1];
    [&[kind, 0, length[0], length[1]][..], &fixed, parameters].concat()
}

/// A DCCP request (RFC 4340), of which `coverage` says how much data is protected: 0 all, 1 none, n the first 4 (n - 1).
#[must_use]
pub fn dccp(ends: Ends, ports: [u16; 2], coverage: u8, data: &[u8]) -> Vec<u8> {
    let [source, destination] = ports.map(u16::to_be_bytes);
    // Data offset in words, CCVal and CsCov, checksum, type Request with long sequence numbers, service code.
    let rest = [5, coverage, 0, 0, 1, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 42];
    let mut message = [&source[..], &destination, &rest, data].concat();
    let covered = match coverage {
        0 => message.len(),
        count => (20 + 4 * (usize::from(count) - 1)).min(message.len()),
    };
    let mut sum: Checksum = ends.pseudo(33, message.len());
    sum.update(&message[..covered]);
    store(&mut message, 6, sum.value());
    message
}
