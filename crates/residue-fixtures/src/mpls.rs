//! MPLS, and pseudowires over it.

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

/// Returns a frame of a pseudowire (RFC 4448) with a control word of this number.
#[must_use]
pub fn with_control_word(number: u16, frame: &[u8]) -> Vec<u8> {
    [&[0, 0][..], &number.to_be_bytes(), frame].concat()
}

/// Cases of MPLS and pseudowires.
pub(crate) fn cases() -> Vec<Case> {
    let segment = tcp::segment(V4);
    let inside = V4.packet(6, &segment);
    let frame = V4.frame(6, &segment);
    let labelled = |payload: &[u8]| ethernet::frame(0x8847, &packet(&[16, 17], payload));
    // The destination begins like an IPv4 packet.
    let mut like_ip = frame.clone();
    like_ip[0] = 0x44;
    let worded = with_control_word(7, &frame);
    let serial = with_control_word(0, &crate::ppp::frame(0x21, &inside));
    vec![
        tcp::case("mpls-tcp", "MPLS", labelled(&inside), &segment),
        tcp::case("pw-tcp", "pseudowire", labelled(&like_ip), &segment),
        tcp::case("pw-word-tcp", "pseudowire with control word", labelled(&worded), &segment),
        tcp::case("pw-ppp-tcp", "pseudowire of PPP", labelled(&serial), &segment),
    ]
}
