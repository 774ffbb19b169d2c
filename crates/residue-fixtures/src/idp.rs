//! The Internet Datagram Protocol of Xerox Network Systems.

use crate::ip::store;
use crate::{Case, Repair, ethernet};
use residue::xns;
use residue_net::check::Verdict;

/// Returns a datagram (XSIS 028112), whose checksum is its first two bytes. A garbage byte that the
/// length does not count makes odd data even; it is covered.
#[must_use]
pub fn datagram(data: &[u8]) -> Vec<u8> {
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

/// Cases of IDP.
pub(crate) fn cases() -> Vec<Case> {
    let case = |name, title, datagram: &[u8]| {
        let frame = ethernet::frame(0x0600, datagram);
        Case::spoiled(name, title, "xns.idp", frame, datagram, 0..2)
    };
    let good = datagram(b"residues");
    let without = [&[0xff; 2], &good[2..]].concat();
    vec![
        case("idp", "XNS IDP", &good),
        case("idp-odd", "XNS IDP, odd length", &datagram(b"residue")),
        Case::of(
            "idp-ffff",
            "XNS IDP, FFFF",
            "xns.idp",
            ethernet::frame(0x0600, &good),
            ethernet::frame(0x0600, &without),
        )
        .verdict(Verdict::Absent, Repair::Never),
    ]
}
