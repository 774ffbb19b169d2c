//! SCTP: CRC-32C, and the Adler-32 of its first years.

use crate::ip::{Ends, V4, V6};
use crate::udp::PORTS;
use crate::{Case, DATA, Repair};
use residue::{adler32, crc32c};
use residue_net::check::Verdict;

/// Returns a packet with a checksum of zero.
#[must_use]
pub fn without_checksum(ports: [u16; 2], chunks: &[u8]) -> Vec<u8> {
    let [source, destination] = ports.map(u16::to_be_bytes);
    let rest = [0x12, 0x34, 0x56, 0x78, 0, 0, 0, 0];
    [&source[..], &destination, &rest, chunks].concat()
}

/// Returns a packet (RFC 9260): CRC-32C, lowest byte first.
#[must_use]
pub fn packet(ports: [u16; 2], chunks: &[u8]) -> Vec<u8> {
    let mut packet = without_checksum(ports, chunks);
    let value = crc32c(&packet).to_le_bytes();
    packet[8..12].copy_from_slice(&value);
    packet
}

/// Returns a packet as of RFC 2960: Adler-32, highest byte first.
#[must_use]
pub fn packet_with_adler(ports: [u16; 2], chunks: &[u8]) -> Vec<u8> {
    let mut packet = without_checksum(ports, chunks);
    let value = adler32(&packet).to_be_bytes();
    packet[8..12].copy_from_slice(&value);
    packet
}

/// Returns a DATA chunk, padded.
#[must_use]
pub fn data_chunk(data: &[u8]) -> Vec<u8> {
    let length = (16 + data.len() as u16).to_be_bytes();
    // Flags: first and last fragment. Then transmission sequence number, stream, number in it,
    // payload protocol.
    let header = [0, 3, length[0], length[1], 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0];
    let mut chunk = [&header[..], data].concat();
    chunk.resize(chunk.len().next_multiple_of(4), 0);
    chunk
}

/// Returns an INIT (kind 1) or INIT ACK (kind 2) chunk with parameters.
#[must_use]
pub fn init_chunk(kind: u8, parameters: &[u8]) -> Vec<u8> {
    let length = (20 + parameters.len() as u16).to_be_bytes();
    // Initiate tag, receiver window, outbound and inbound streams, initial transmission sequence
    // number.
    let fixed = [0x12, 0x34, 0x56, 0x78, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 1];
    [&[kind, 0, length[0], length[1]][..], &fixed, parameters].concat()
}

/// Cases of SCTP.
pub(crate) fn cases() -> Vec<Case> {
    let chunk = data_chunk(DATA);
    let case = |name, title, ends: Ends, packet: &[u8]| {
        Case::spoiled(name, title, "sctp", ends.frame(132, packet), packet, 8..12)
    };
    let good = packet(PORTS, &chunk);
    // Zero checksum acceptable, errors detected by DTLS (RFC 9653 section 4).
    let init = init_chunk(1, &[0x80, 1, 0, 8, 0, 0, 0, 1]);
    let zero = |name, title, chunk: &[u8], verdict| {
        let bad = V4.frame(132, &without_checksum(PORTS, chunk));
        Case::of(name, title, "sctp", V4.frame(132, &packet(PORTS, chunk)), bad)
            .verdict(verdict, Repair::Never)
    };
    vec![
        case("sctp-v4", "SCTP over IPv4", V4, &good),
        case("sctp-v6", "SCTP over IPv6", V6, &good),
        zero("sctp-zero", "SCTP, zero (RFC 9653)", &chunk, Verdict::Absent),
        Case {
            repair: Repair::Differs,
            ..case("sctp-adler", "SCTP, Adler-32 (RFC 2960)", V4, &packet_with_adler(PORTS, &chunk))
        },
        zero("sctp-init-zero", "SCTP, zero in an INIT", &init, Verdict::Illegal),
    ]
}
