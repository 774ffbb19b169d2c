//! IPv4: the header checksum, fragments, source routes.

use crate::ip::{A, B, Ends, INNER4, V4, seal_alone, store};
use crate::{Case, DATA, Repair, ethernet, tcp, udp};
use residue::internet::checksum;
use residue_net::check::{Reason, Verdict};

/// Returns a packet. The length of `options` is a multiple of four.
#[must_use]
pub fn packet(ends: [[u8; 4]; 2], protocol: u8, options: &[u8], payload: &[u8]) -> Vec<u8> {
    let header_length = 20 + options.len();
    let total = ((header_length + payload.len()) as u16).to_be_bytes();
    let fixed = [0x40 | (header_length / 4) as u8, 0, total[0], total[1]];
    // Identification, no flags, time to live, protocol.
    let rest = [0x4a, 0x11, 0, 0, 64, protocol, 0, 0];
    let mut packet = [&fixed[..], &rest, ends.as_flattened(), options, payload].concat();
    seal(&mut packet);
    packet
}

/// Computes a packet's header checksum again, after a change.
pub fn seal(packet: &mut [u8]) {
    store(packet, 10, 0);
    let length = usize::from(packet.first().copied().unwrap_or(0) & 15) * 4;
    let value = checksum(packet.get(..length).unwrap_or_default());
    store(packet, 10, value);
}

/// Returns the packets of a datagram whose payload is cut at `cut`, a multiple of eight.
#[must_use]
pub fn fragments(ends: [[u8; 4]; 2], protocol: u8, payload: &[u8], cut: usize) -> [Vec<u8>; 2] {
    let (first, second) = payload.split_at(cut.min(payload.len()));
    let piece = |part: &[u8], flags_and_offset: u16| {
        let mut packet = packet(ends, protocol, &[], part);
        packet[6..8].copy_from_slice(&flags_and_offset.to_be_bytes());
        seal(&mut packet);
        packet
    };
    [piece(first, 0x2000), piece(second, (cut / 8) as u16)]
}

/// Returns the option of a loose source route with one address (RFC 791), padded. `pointer` is 4
/// before that stop, 8 after it.
#[must_use]
pub fn loose_source_route(pointer: u8, stop: [u8; 4]) -> Vec<u8> {
    [&[131, 7, pointer][..], &stop, &[0]].concat()
}

/// Cases of IPv4.
pub(crate) fn cases() -> Vec<Case> {
    let segment = tcp::segment(V4);
    let whole = V4.packet(6, &segment);
    let inner = tcp::segment(INNER4);
    let stop = [198, 51, 100, 9];
    let routed = tcp::segment(Ends::V4([A, stop]));
    let source_routed = packet([A, B], 6, &loose_source_route(4, stop), &routed);
    let used = packet([A, B], 6, &loose_source_route(8, stop), &segment);
    let mut endless = whole.clone();
    store(&mut endless, 2, 0);
    seal(&mut endless);
    let mut cases = vec![
        Case::spoiled("ip", "IPv4 header", "ip", ethernet::frame(0x0800, &whole), &whole, 10..12),
        tcp::case(
            "ipip-tcp",
            "TCP in IPv4 in IPv4",
            V4.frame(4, &INNER4.packet(6, &inner)),
            &inner,
        ),
        tcp::case(
            "lsrr-tcp",
            "IPv4 loose source route",
            ethernet::frame(0x0800, &source_routed),
            &routed,
        ),
        tcp::case(
            "lsrr-end-tcp",
            "IPv4 source route, used up",
            ethernet::frame(0x0800, &used),
            &segment,
        ),
        Case {
            repair: Repair::LengthZero,
            ..tcp::case("tso-tcp", "IPv4 length 0", ethernet::frame(0x0800, &endless), &segment)
        },
    ];
    cases.extend(fragmented());
    cases
}

fn fragmented() -> Vec<Case> {
    let datagram = udp::datagram(V4, udp::PORTS, DATA);
    let [first, second] =
        fragments([A, B], 17, &datagram, 16).map(|packet| ethernet::frame(0x0800, &packet));
    let lone =
        udp::case("lone-fragment", "the first fragment alone", first.clone(), &datagram[..16]);
    let unknown = Verdict::Unverifiable(Reason::Fragment);
    let echo = seal_alone([&[8, 0, 0, 0, 0, 1, 0, 1][..], DATA].concat(), 2);
    let [start, end] =
        fragments([A, B], 1, &echo, 16).map(|packet| ethernet::frame(0x0800, &packet));
    vec![
        udp::case("fragments-v4", "IPv4 fragments", first, &datagram[..16]).before(&[second]),
        Case { good_verdicts: vec![("udp", unknown)], ..lone }.verdict(unknown, Repair::Never),
        Case::spoiled(
            "fragments-late",
            "IPv4 fragments of ICMP, the last first",
            "icmp",
            start,
            &echo[..16],
            2..4,
        )
        .after(&[end]),
    ]
}
