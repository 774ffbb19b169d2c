//! Check values above the transport layer, and such as need several headers: STUN, DNP3, RoCEv2, MPTCP, XNS IDP, TCP alternate
//! checksums.

use super::network::{Ends, store};
use super::transport::{Tcp, seal, udp_without};
use residue::crc::{Crc, catalog};
use residue::fletcher::{rfc1146_8, rfc1146_16};
use residue::internet::checksum;
use residue::{crc32, crc32c, xns};

static CRC_16_DNP: Crc = Crc::new(&catalog::CRC_16_DNP);
/// CRC-32K with a last exclusive-or is not in the catalogue.
static CRC_32_MEF: Crc = Crc::new(&catalog::CRC_32_MEF);

/// A STUN binding request (RFC 8489) with a fingerprint, its last four bytes.
#[must_use]
pub fn stun() -> Vec<u8> {
    let software = [0x80, 0x22, 0, 7, b'r', b'e', b's', b'i', b'd', b'u', b'e', 0];
    let header = [0, 1, 0, 20, 0x21, 0x12, 0xa4, 0x42, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12];
    let message = [&header[..], &software].concat();
    let fingerprint = crc32(&message) ^ u32::from_be_bytes(*b"STUN");
    [&message[..], &[0x80, 0x28, 0, 4], &fingerprint.to_be_bytes()].concat()
}

/// A DNP3 link frame (IEEE 1815): a header block, then blocks of up to 16 bytes of `data`, each with its CRC. `data` has at
/// most 250 bytes.
#[must_use]
pub fn dnp3(data: &[u8]) -> Vec<u8> {
    let block = |bytes: &[u8]| {
        let value = CRC_16_DNP.checksum(bytes) as u16;
        [bytes, &value.to_le_bytes()].concat()
    };
    // Start, length from control to the end without CRCs, control, destination, source.
    let mut frame = block(&[5, 0x64, 5 + data.len() as u8, 0xc4, 1, 0, 2, 0]);
    data.chunks(16).for_each(|chunk| frame.extend(block(chunk)));
    frame
}

/// The UDP port of RoCEv2.
pub const ROCE: u16 = 4791;

/// A RoCEv2 packet (InfiniBand annex A17) over `ends`: a SEND, whose invariant CRC is the last four bytes. It covers the
/// network header too, with ones for whatever routers change, and for the link header that InfiniBand would have.
#[must_use]
pub fn roce(ends: Ends, data: &[u8]) -> Vec<u8> {
    // Base transport header: opcode SEND only, flags, partition key, reserved, queue pair, sequence number.
    let transport = [4, 0x40, 0xff, 0xff, 0, 0, 0, 0x11, 0, 0, 0, 1];
    let payload = [&transport[..], data, &[0; 4]].concat();
    // Without a UDP checksum: the ICRC is there instead.
    let mut packet = ends.packet(17, &udp_without([49152, ROCE], &payload));
    let mut masked = [&[0xff; 8][..], &packet[..packet.len() - 4]].concat();
    let udp = match ends {
        Ends::V4(_) => {
            // Type of service, time to live, checksum.
            [1, 8, 10, 11].into_iter().for_each(|at| masked[8 + at] = 0xff);
            20
        }
        Ends::V6(_) => {
            // Traffic class, flow label, hop limit.
            masked[8] |= 0x0f;
            [1, 2, 3, 7].into_iter().for_each(|at| masked[8 + at] = 0xff);
            40
        }
    };
    // UDP checksum; the transport header's reserved byte.
    [6, 7, 12].into_iter().for_each(|at| masked[8 + udp + at] = 0xff);
    let end = packet.len() - 4;
    packet[end..].copy_from_slice(&crc32(&masked).to_le_bytes());
    packet
}

/// An MPTCP data sequence signal (RFC 8684 section 3.3) that maps the whole data of `tcp`, with checksum: the last two bytes
/// of the option. Returns a segment and where the option stands in it.
#[must_use]
pub fn mptcp(ends: Ends, data: &[u8]) -> (Vec<u8>, usize) {
    let length = (data.len() as u16).to_be_bytes();
    let sequence = [0, 0, 0, 0, 0x10, 0x20, 0x30, 0x40];
    let subflow = [0, 0, 0, 1];
    let covered = [&sequence[..], &subflow, &length, &[0, 0], data].concat();
    let value = checksum(&covered).to_be_bytes();
    // Flags: sequence number of eight bytes, mapping, acknowledgment of four bytes.
    let front = [30, 24, 0x20, 0x0d, 0, 0, 0, 1];
    let option = [&front[..], &sequence, &subflow, &length, &value].concat();
    (Tcp { options: &option, data, ..Tcp::default() }.segment(ends), 20)
}

/// An XNS internet datagram (XSIS 028112), whose checksum is its first two bytes. A garbage byte that the length does not
/// count makes odd data even; it is covered.
#[must_use]
pub fn idp(data: &[u8]) -> Vec<u8> {
    let length = (30 + data.len()) as u16;
    let ends = [
        [0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0, 2], // network, host, socket
        [0, 0, 0, 1, 2, 0, 0, 0, 0, 1, 0x10, 0],
    ];
    // Checksum, length, hops, packet type: echo.
    let header = [&[0, 0][..], &length.to_be_bytes(), &[0, 2]].concat();
    let mut packet = [&header, ends.as_flattened(), data].concat();
    if packet.len() % 2 == 1 {
        packet.push(0x5e);
    }
    let value = xns::checksum(&packet[2..]);
    store(&mut packet, 0, value);
    packet
}

/// A SYN that asks for an alternate checksum (RFC 1146 kind 14), or its answer.
#[must_use]
pub fn alternate_syn(ends: Ends, ports: [u16; 2], answer: bool, value: u8) -> Vec<u8> {
    let options = [14, 3, value, 1];
    let (flags, numbers) = if answer { (0x12, [1, 1]) } else { (2, [0, 0]) };
    Tcp { ports, numbers, flags, options: &options, data: &[] }.segment(ends)
}

/// A segment with the alternate checksum that `value` names: 1 and 2 of RFC 1146, 3 to 5 of Sahu's thesis (2019, chapter 7),
/// 6 as 5 with CRC-32K.
#[must_use]
pub fn alternate(ends: Ends, value: u8, data: &[u8]) -> Vec<u8> {
    let options: &[u8] = match value {
        1 => &[],
        2 | 3 => &[15, 4, 0, 0],
        _ => &[15, 6, 0, 0, 0, 0, 1, 1],
    };
    let mut segment = Tcp { options, data, ..Tcp::default() }.unsealed();
    let covered = [&ends.pseudo_bytes(6, segment.len())[..], &segment].concat();
    let word = match value {
        1 => u32::from(rfc1146_8(&covered)) << 16,
        2 => rfc1146_16(&covered),
        3 | 5 => crc32c(&covered),
        4 => crc32c(data),
        _ => !(CRC_32_MEF.checksum(&covered) as u32),
    };
    let [a, b, c, d] = word.to_be_bytes();
    if value <= 3 {
        segment[16..18].copy_from_slice(&[a, b]);
        if value > 1 {
            segment[22..24].copy_from_slice(&[c, d]);
        }
        return segment;
    }
    segment[22..26].copy_from_slice(&[a, b, c, d]);
    seal(segment, ends, 6, 16)
}
