//! UDP: the checksum, and its absence.

use crate::ip::{Ends, V4, V6, seal, store};
use crate::{Case, DATA, Repair};
use residue_net::check::Verdict;

/// Ports of no known service.
pub const PORTS: [u16; 2] = [1234, 4321];

/// Returns a datagram without checksum.
#[must_use]
pub fn without_checksum(ports: [u16; 2], data: &[u8]) -> Vec<u8> {
    let [source, destination] = ports.map(u16::to_be_bytes);
    let length = (8 + data.len()) as u16;
    [&source[..], &destination, &length.to_be_bytes(), &[0, 0], data].concat()
}

/// Returns a datagram: a computed 0 is sent as FFFF.
#[must_use]
pub fn datagram(ends: Ends, ports: [u16; 2], data: &[u8]) -> Vec<u8> {
    never_zero(seal(without_checksum(ports, data), ends, 17, 6), 6)
}

/// Stores FFFF in the place of 0, which means that there is no checksum.
pub(crate) fn never_zero(mut message: Vec<u8>, offset: usize) -> Vec<u8> {
    if message[offset..offset + 2] == [0, 0] {
        store(&mut message, offset, 0xffff);
    }
    message
}

/// Returns a datagram whose data are chosen so that the checksum is computed as 0.
#[must_use]
pub fn summing_to_zero(ends: Ends, ports: [u16; 2]) -> Vec<u8> {
    let probe = seal(without_checksum(ports, &[0, 0]), ends, 17, 6);
    datagram(ends, ports, &[probe[6], probe[7]])
}

/// Returns a tunnel's datagram, with or without checksum.
#[must_use]
pub fn tunnel(ends: Ends, port: u16, summed: bool, payload: &[u8]) -> Vec<u8> {
    let ports = [49152, port];
    if summed { datagram(ends, ports, payload) } else { without_checksum(ports, payload) }
}

/// Returns a pair of a datagram somewhere in a frame.
pub(crate) fn case(
    name: &'static str,
    title: &'static str,
    frame: Vec<u8>,
    datagram: &[u8],
) -> Case {
    Case::spoiled(name, title, "udp", frame, datagram, 6..8)
}

/// Cases of UDP.
pub(crate) fn cases() -> Vec<Case> {
    let (four, six) = (datagram(V4, PORTS, DATA), datagram(V6, PORTS, DATA));
    let zero = |name, title, ends: Ends, good: &[u8], verdict| {
        let bad = ends.frame(17, &without_checksum(PORTS, DATA));
        Case::of(name, title, "udp", ends.frame(17, good), bad).verdict(verdict, Repair::Never)
    };
    let summing = summing_to_zero(V4, PORTS);
    let mut claims = four.clone();
    claims[5] += 9;
    vec![
        case("udp-v4", "UDP over IPv4", V4.frame(17, &four), &four),
        case("udp-v6", "UDP over IPv6", V6.frame(17, &six), &six),
        case("udp-ffff", "UDP whose value is FFFF", V4.frame(17, &summing), &summing),
        zero("udp-zero-v4", "UDP, zero over IPv4", V4, &four, Verdict::Absent),
        zero("udp-zero-v6", "UDP, zero over IPv6", V6, &six, Verdict::Illegal),
        case("cut-udp", "UDP, cut by the capture", V4.frame(17, &four), &four).cut(14 + 20 + 8 + 8),
        Case::of(
            "udp-length",
            "UDP length beyond the packet",
            "udp",
            V4.frame(17, &four),
            V4.frame(17, &claims),
        )
        .verdict(Verdict::LengthConflict, Repair::Never),
    ]
}
