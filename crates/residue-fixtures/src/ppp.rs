//! PPP, and PPP over Ethernet.

use crate::ip::{V4, V6};
use crate::{Case, ethernet, tcp};
use residue_net::pcap::LinkType;

/// Returns what follows the EtherType 8864: a PPPoE session (RFC 2516) with a PPP protocol number.
#[must_use]
pub fn over_ethernet(protocol: u16, payload: &[u8]) -> Vec<u8> {
    let length = payload.len() as u16 + 2;
    let header = [0x11, 0, 0, 7];
    [&header[..], &length.to_be_bytes(), &protocol.to_be_bytes(), payload].concat()
}

/// Returns a frame with address and control bytes (RFC 1662).
#[must_use]
pub fn frame(protocol: u16, payload: &[u8]) -> Vec<u8> {
    [&[0xff, 3][..], &protocol.to_be_bytes(), payload].concat()
}

/// Cases of PPP.
pub(crate) fn cases() -> Vec<Case> {
    let (four, six) = (tcp::segment(V4), tcp::segment(V6));
    let (packet, packet6) = (V4.packet(6, &four), V6.packet(6, &six));
    let session = over_ethernet(0x21, &packet);
    vec![
        tcp::case("pppoe-tcp", "PPPoE", ethernet::frame(0x8864, &session), &four),
        tcp::case("ppp-tcp", "PPP", frame(0x21, &packet), &four).link(LinkType::PPP),
        tcp::case("ppp6-tcp", "PPP in HDLC framing, IPv6", frame(0x57, &packet6), &six)
            .link(LinkType::PPP_HDLC),
    ]
}
