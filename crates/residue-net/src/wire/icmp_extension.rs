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
const STRUCTURE_HEADER: u32 = 4;
/// Offset of the length of the first object, with the object's header, in bytes.
const OBJECT_LENGTH: u32 = 4;
/// Length of the header of an object.
const LEAST_OBJECT: u32 = 4;

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
    if matches!(place, Place::Header) && checksum != 0 {
        // The structure has one object; data of the request may follow. Of senders that sum both,
        // nothing shows but the value.
        let length = walk.u16(structure, OBJECT_LENGTH).map_or(0, u32::from);
        if length >= LEAST_OBJECT {
            let one = structure.take(STRUCTURE_HEADER + length);
            let readings = [one, structure].map(|cover| (Rule::Internet, None, cover));
            walk.check_any(&EXTENSION, field, &readings);
            return;
        }
    }
    let presence = if checksum == 0 { Presence::Absent } else { Presence::Present };
    walk.check(&EXTENSION, Rule::Internet, field, None, structure, presence);
}
