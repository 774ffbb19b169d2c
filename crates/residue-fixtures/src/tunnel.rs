//! Packets in packets: GRE, VXLAN, Geneve, GTP-U, ERSPAN.

use super::network::{Ends, store};
use super::transport::{udp, udp_without};
use residue::internet::checksum;

/// GRE without options (RFC 2784).
#[must_use]
pub fn gre(ether_type: u16, payload: &[u8]) -> Vec<u8> {
    [&[0, 0][..], &ether_type.to_be_bytes(), payload].concat()
}

/// GRE with its checksum, at byte 4: header and payload are covered.
#[must_use]
pub fn gre_summed(ether_type: u16, payload: &[u8]) -> Vec<u8> {
    let header = ether_type.to_be_bytes();
    let mut packet = [&[0x80, 0, header[0], header[1], 0, 0, 0, 0][..], payload].concat();
    let value = checksum(&packet);
    store(&mut packet, 4, value);
    packet
}

/// ERSPAN type II (draft-foschiano-erspan): GRE with a sequence number, eight bytes, the mirrored frame.
#[must_use]
pub fn erspan(frame: &[u8]) -> Vec<u8> {
    let gre = [0x10, 0, 0x88, 0xbe, 0, 0, 0, 1];
    let header = [0x10, 1, 0, 1, 0, 0, 0, 0];
    [&gre[..], &header, frame].concat()
}

/// What VXLAN (RFC 7348) puts between UDP and a frame.
#[must_use]
pub fn vxlan(frame: &[u8]) -> Vec<u8> {
    [&[8, 0, 0, 0, 0, 0, 42, 0][..], frame].concat()
}

/// What Geneve (RFC 8926) puts between UDP and a frame: one option of four bytes.
#[must_use]
pub fn geneve(frame: &[u8]) -> Vec<u8> {
    [&[2, 0, 0x65, 0x58, 0, 0, 42, 0][..], &[1, 2, 3, 1, 0, 0, 0, 7], frame].concat()
}

/// What GTP-U (3GPP TS 29.281) puts between UDP and a packet.
#[must_use]
pub fn gtp_u(packet: &[u8]) -> Vec<u8> {
    let length = (packet.len() as u16).to_be_bytes();
    [&[0x30, 0xff, length[0], length[1], 0, 0, 0, 42][..], packet].concat()
}

/// The UDP port of [`vxlan`].
pub const VXLAN: u16 = 4789;
/// The UDP port of [`geneve`].
pub const GENEVE: u16 = 6081;
/// The UDP port of [`gtp_u`].
pub const GTP_U: u16 = 2152;

/// A tunnel's UDP datagram, with or without checksum.
#[must_use]
pub fn over_udp(ends: Ends, port: u16, summed: bool, payload: &[u8]) -> Vec<u8> {
    let ports = [49152, port];
    if summed { udp(ends, ports, payload) } else { udp_without(ports, payload) }
}
