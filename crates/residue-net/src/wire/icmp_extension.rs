//! ICMP extensions (RFC 4884, RFC 8335).

use crate::check::{Presence, Protocol, Rule, Span};
use crate::frame::Walk;

/// The extension structure's checksum: the structure. 0 means none.
pub static EXTENSION: Protocol =
    Protocol { name: "icmp.ext", title: "ICMP extension", source: "RFC 4884 section 7" };

/// Where an ICMP message may have an extension structure.
#[derive(Clone, Copy, Debug)]
pub enum Place {
    /// Behind the quoted packet, which is this many bytes long; 0 if the sender does not say (RFC 4884 section 5.5).
    Quote(u32),
    /// Right behind the header (RFC 8335 section 2).
    Header,
}

/// From the ICMP type on.
pub fn walk(walk: &mut Walk, message: Span, place: Place) {
    let structure = match place {
        Place::Header => message.skip(8),
        Place::Quote(0) => message.skip(8 + 128),
        Place::Quote(length) => message.skip(8 + length.max(128)),
    };
    let (Some(version), Some(checksum)) = (walk.u8(structure, 0), walk.u16(structure, 2)) else {
        return;
    };
    if version >> 4 != 2 {
        return;
    }
    let field = Span::at(structure.start + 2, 2);
    if matches!(place, Place::Quote(0)) {
        // Old senders always quote 128 bytes; but so long a quote may be without any extension. Only a checksum tells.
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
