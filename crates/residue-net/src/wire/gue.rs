//! Generic UDP encapsulation (draft-ietf-intarea-gue), variants 0 and 1.

use super::link;
use crate::check::Span;
use crate::frame::{Ip, Walk};
use crate::unfollowed::Numbering;

const CONTROL: u8 = 0x20;

/// Walks a packet from the variant on.
pub fn walk(walk: &mut Walk, span: Span) {
    let Some([first, protocol]) = walk.array(span, 0) else { return };
    match first >> 6 {
        0 if first & CONTROL == 0 => {
            let payload = span.skip(4 + u32::from(first & 31) * 4);
            // Only tunnels follow: a protocol with a pseudo-header would have no addresses.
            if matches!(protocol, 4 | 41 | 47 | 97 | 137 | 143) {
                super::ip_protocol(walk, &Ip { protocol, payload, ..Ip::default() });
            } else {
                walk.unfollowed(Numbering::Gue, protocol);
            }
        }
        0 => {}
        1 => link::raw(walk, span),
        _ => walk.unfollowed(Numbering::UdpPort, 6080u16),
    }
}
