//! The Link Management Protocol's checksum, which its drafts had and RFC 4204 reserves.

use crate::check::{Presence, Protocol, Rule, Span};
use crate::frame::Walk;

/// The checksum: the message. 0 means none.
pub static LMP: Protocol = Protocol { name: "lmp", title: "LMP", source: "draft-ietf-ccamp-lmp" };

/// From the version on.
pub fn walk(walk: &mut Walk, span: Span) {
    let (Some(length), Some(checksum)) = (walk.u16(span, 4), walk.u16(span, 6)) else { return };
    let field = Span::at(span.start + 6, 2);
    let cover = Span::at(span.start, u32::from(length));
    let presence = match checksum {
        _ if length < 8 => Presence::LengthConflict,
        0 => Presence::Absent,
        _ => Presence::Present,
    };
    walk.check(&LMP, Rule::Internet, field, None, cover, presence);
}
