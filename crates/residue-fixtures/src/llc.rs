//! IEEE 802.2 logical link control, and its SNAP extension.

use crate::ip::V4;
use crate::{Case, ethernet, tcp};

/// Returns the SNAP header of an EtherType (IEEE 802), for [`ethernet::ieee_802_3`].
#[must_use]
pub fn snap(ether_type: u16, payload: &[u8]) -> Vec<u8> {
    [&[0xaa, 0xaa, 3, 0, 0, 0][..], &ether_type.to_be_bytes(), payload].concat()
}

/// Returns the logical link control of the ISO protocols, for [`ethernet::ieee_802_3`].
#[must_use]
pub fn iso(payload: &[u8]) -> Vec<u8> {
    [&[0xfe, 0xfe, 3][..], payload].concat()
}

/// Cases of LLC.
pub(crate) fn cases() -> Vec<Case> {
    let segment = tcp::segment(V4);
    let frame = ethernet::ieee_802_3(&snap(0x0800, &V4.packet(6, &segment)));
    vec![tcp::case("snap-tcp", "LLC/SNAP", frame, &segment)]
}
