//! ICMP extensions (RFC 4884, RFC 8335).

use super::Field;
use crate::check::{Presence, Protocol, Rule, Span};
use crate::frame::Walk;

/// Checksum of the extension structure. 0 means none.
pub static EXTENSION: Protocol =
    Protocol { name: "icmp.ext", title: "ICMP extension", source: "RFC 4884 section 7" };

/// The place of an extension structure in an ICMP message.
#[derive(Clone, Copy, Debug)]
pub enum Place {
    /// After the quoted packet of this many bytes; 0 if the sender does not state it (RFC 4884
    /// section 5.5).
    Quote(u32),
    /// Directly after the header (RFC 8335 section 2).
    Header,
}

const ICMP_HEADER: u32 = 8;
/// Least length of a quoted packet, with padding.
const LEAST_QUOTE: u32 = 128;
const CHECKSUM: Field = 2..4;

/// Walks a message from the ICMP type on.
pub fn walk(walk: &mut Walk, message: Span, place: Place) {
    let structure = match place {
        Place::Header => message.skip(ICMP_HEADER),
        Place::Quote(0) => message.skip(ICMP_HEADER + LEAST_QUOTE),
        Place::Quote(length) => message.skip(ICMP_HEADER + length.max(LEAST_QUOTE)),
    };
    let (Some(version), Some(checksum)) =
        (walk.u8(structure, 0), walk.u16(structure, CHECKSUM.start))
    else {
        return;
    };
    if version >> 4 != 2 {
        return;
    }
    let field = structure.field(CHECKSUM);
    if matches!(place, Place::Quote(0)) {
        // Old senders always quote 128 bytes, but such a quote may have no extension: only a
        // checksum shows it.
        let before = walk.found.checks.len();
        walk.check(&EXTENSION, Rule::Internet, field, None, structure, Presence::Present);
        if checksum == 0 || !walk.last_holds() {
            walk.found.checks.truncate(before);
        }
        return;
    }
    let presence = if checksum == 0 { Presence::Absent } else { Presence::Present };
    walk.check(&EXTENSION, Rule::Internet, field, None, structure, presence);
}
