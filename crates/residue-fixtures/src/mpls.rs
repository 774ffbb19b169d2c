//! MPLS.

use crate::ip::V4;
use crate::{Case, ethernet, tcp};

/// Returns what follows the EtherType 8847: label stack entries, the last one marked (RFC 3032).
#[must_use]
pub fn packet(labels: &[u32], payload: &[u8]) -> Vec<u8> {
    let mut packet = Vec::new();
    for (place, label) in labels.iter().enumerate() {
        let last = u32::from(place + 1 == labels.len());
        packet.extend_from_slice(&(label << 12 | last << 8 | 64).to_be_bytes());
    }
    packet.extend_from_slice(payload);
    packet
}

/// Cases of MPLS.
pub(crate) fn cases() -> Vec<Case> {
    let segment = tcp::segment(V4);
    let packet = packet(&[16, 17], &V4.packet(6, &segment));
    vec![tcp::case("mpls-tcp", "MPLS", ethernet::frame(0x8847, &packet), &segment)]
}
