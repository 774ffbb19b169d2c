//! GRE, with checksum and without, and ERSPAN in it.

use crate::ip::{Ends, INNER4, INNER6, V4, store};
use crate::{Case, tcp, wlan};
use residue::internet::checksum;

/// Returns GRE without options (RFC 2784).
#[must_use]
pub fn packet(ether_type: u16, payload: &[u8]) -> Vec<u8> {
    [&[0, 0][..], &ether_type.to_be_bytes(), payload].concat()
}

/// Returns GRE with its checksum, at byte 4: header and payload are covered.
#[must_use]
pub fn packet_with_checksum(ether_type: u16, payload: &[u8]) -> Vec<u8> {
    let header = ether_type.to_be_bytes();
    let mut packet = [&[0x80, 0, header[0], header[1], 0, 0, 0, 0][..], payload].concat();
    let value = checksum(&packet);
    store(&mut packet, 4, value);
    packet
}

/// Returns ERSPAN type II (draft-foschiano-erspan): GRE with a sequence number, eight bytes, the
/// mirrored frame.
#[must_use]
pub fn erspan(frame: &[u8]) -> Vec<u8> {
    let gre = [0x10, 0, 0x88, 0xbe, 0, 0, 0, 1];
    let header = [0x10, 1, 0, 1, 0, 0, 0, 0];
    [&gre[..], &header, frame].concat()
}

/// Cases of GRE and ERSPAN.
pub(crate) fn cases() -> Vec<Case> {
    let segment = tcp::segment(INNER4);
    let inside = INNER4.packet(6, &segment);
    let summed = packet_with_checksum(0x0800, &inside);
    let mirrored = |inner: &[u8]| V4.frame(47, &erspan(&INNER4.frame(6, inner)));
    let in_gre =
        |inner: &[u8]| V4.frame(47, &packet_with_checksum(0x86dd, &INNER6.packet(6, inner)));
    let keyed = |inner: &[u8]| {
        // A key and a sequence number, no checksum (RFC 2890).
        let header = [0x30, 0, 8, 0, 0, 0, 0, 42, 0, 0, 0, 1];
        V4.frame(47, &[&header[..], &INNER4.packet(6, inner)].concat())
    };
    let aruba = |inner: &[u8]| {
        V4.frame(47, &packet(0x8200, &wlan::frame(0x0800, &INNER4.packet(6, inner))))
    };
    let deep = |inner: &[u8]| {
        let middle = Ends::V4([[10, 1, 0, 1], [10, 1, 0, 2]]);
        V4.frame(4, &middle.packet(47, &packet(0x0800, &INNER4.packet(6, inner))))
    };
    let over_bad = |name, title, build: &dyn Fn(&[u8]) -> Vec<u8>, good: &[u8]| {
        Case::over_bad(name, title, "tcp", build, good, 16..18)
    };
    vec![
        Case::spoiled("gre", "GRE with checksum", "gre", V4.frame(47, &summed), &summed, 4..6),
        tcp::case("gre-tcp", "TCP in GRE", V4.frame(47, &packet(0x0800, &inside)), &segment),
        over_bad(
            "gre-over-bad",
            "bad TCP under a good GRE checksum",
            &in_gre,
            &tcp::segment(INNER6),
        ),
        over_bad("erspan-tcp", "TCP in ERSPAN", &mirrored, &segment),
        over_bad("gre-key-tcp", "TCP in GRE with key and sequence number", &keyed, &segment),
        over_bad("aruba-tcp", "TCP in IEEE 802.11 in Aruba's GRE", &aruba, &segment),
        over_bad("deep-tcp", "TCP in GRE in IPv4 in IPv4", &deep, &segment),
    ]
}
