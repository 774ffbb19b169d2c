//! The network service header.

use crate::ip::{INNER4, V4};
use crate::{Case, ethernet, tcp};

/// Returns a header (RFC 8300) of the first type of metadata, with its four words, before the
/// payload of a protocol (1 is IPv4).
#[must_use]
pub fn packet(protocol: u8, payload: &[u8]) -> Vec<u8> {
    let header = [0x0f, 0xc6, 1, protocol, 0, 0, 42, 255];
    [&header[..], &[0x5a; 16], payload].concat()
}

/// Cases of the network service header.
pub(crate) fn cases() -> Vec<Case> {
    let segment = tcp::segment(INNER4);
    let inside = packet(1, &INNER4.packet(6, &segment));
    let tunnel = crate::gre::packet(0x894f, &inside);
    vec![
        tcp::case("nsh-tcp", "NSH", ethernet::frame(0x894f, &inside), &segment),
        tcp::case("nsh-gre-tcp", "NSH in GRE", V4.frame(47, &tunnel), &segment),
    ]
}
