//! AYIYA, "anything in anything" (draft-massar-v6ops-ayiya): IPv6 of tunnel brokers over UDP.

use crate::check::Span;
use crate::frame::{Ip, Walk};
use crate::unfollowed::Numbering;

/// Length of the header before the identity: lengths and kinds of identity and signature, methods,
/// the operation, the next header, a time.
const HEADER: u32 = 8;
const FORWARD: u8 = 1;
const NO_NEXT_HEADER: u8 = 59;

/// Walks a packet from the length of the identity on.
pub fn walk(walk: &mut Walk, span: Span) {
    let Some([identity, signature, operation, protocol]) = walk.array(span, 0) else { return };
    // The identity has 2^n bytes, the signature n times four.
    let before = HEADER + (1 << (identity >> 4)) + u32::from(signature >> 4) * 4;
    // Other operations, as a heartbeat, carry nothing.
    if operation & 15 != FORWARD || before > span.len() {
        return;
    }
    match protocol {
        // Only tunnels follow: a protocol with a pseudo-header would have no addresses.
        4 | 41 | 47 | 97 | 137 | 143 => {
            let payload = span.skip(before);
            super::ip_protocol(walk, &Ip { protocol, payload, ..Ip::default() });
        }
        NO_NEXT_HEADER => {}
        protocol => walk.unfollowed(Numbering::IpProtocol, protocol),
    }
}
