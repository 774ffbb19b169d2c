//! The checksum of the Link Management Protocol, which its drafts defined and RFC 4204 reserves.

use super::Field;
use crate::check::{Presence, Protocol, Rule, Span};
use crate::frame::Walk;

/// Checksum over the message. 0 means none.
pub static LMP: Protocol = Protocol { name: "lmp", title: "LMP", source: "draft-ietf-ccamp-lmp" };

const LENGTH: u32 = 4;
const CHECKSUM: Field = 6..8;
const HEADER: u16 = 8;

/// Walks a message from the version on.
pub fn walk(walk: &mut Walk, span: Span) {
    let (Some(length), Some(checksum)) = (walk.u16(span, LENGTH), walk.u16(span, CHECKSUM.start))
    else {
        return;
    };
    let field = span.field(CHECKSUM);
    let cover = Span::at(span.start, u32::from(length));
    let presence = match checksum {
        _ if length < HEADER => Presence::LengthConflict,
        0 => Presence::Absent,
        _ => Presence::Present,
    };
    walk.check(&LMP, Rule::Internet, field, None, cover, presence);
}
