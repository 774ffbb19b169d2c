//! OSI's connection-oriented transport protocol, class 4 (ISO 8073, RFC 905).

use crate::check::{Presence, Protocol, Rule, Span};
use crate::frame::Walk;

/// Fletcher checksum in a parameter, over the transport PDU. 0 in both octets means none.
pub static COTP: Protocol =
    Protocol { name: "cotp", title: "COTP class 4", source: "RFC 905 section 6.17" };

/// Code of the parameter.
const CHECKSUM: u8 = 0xc3;

/// Walks a PDU from the length indicator on.
pub fn walk(walk: &mut Walk, span: Span) {
    let mut rest = span;
    while let Some([length, code]) = walk.array(rest, 0) {
        let header = rest.take(u32::from(length) + 1);
        // Offset of the parameters: numbers have 7 bits, or 31 if the connection agreed on that.
        let (fixed, has_data): (&[u32], bool) = match code & 0xf0 {
            0xe0 | 0xd0 | 0x80 => (&[7], true),
            0xc0 => (&[6], false),
            0xf0 | 0x10 => (&[5, 8], true),
            0x60 => (&[5, 10], false),
            0x20 => (&[5, 8], false),
            0x70 => (&[5], false),
            _ => return,
        };
        // A PDU without user data may be followed by another one (section 6.4).
        let pdu = if has_data { rest } else { header };
        if let Some(field) = fixed.iter().find_map(|&at| parameter(walk, header, at)) {
            let absent = walk.u16(field, 0) == Some(0);
            let presence = if absent { Presence::Absent } else { Presence::Present };
            walk.check(&COTP, Rule::CheckOctets, field, None, pdu, presence);
        }
        rest = rest.skip(pdu.len().max(1));
    }
}

/// Returns the span of the checksum, if parameters from `at` on fill the header.
fn parameter(walk: &Walk, header: Span, at: u32) -> Option<Span> {
    let mut rest = header.skip(at);
    let mut field = None;
    while !rest.is_empty() {
        let [kind, length] = walk.array(rest, 0)?;
        let value = rest.skip(2).take(u32::from(length));
        if value.len() != u32::from(length) {
            return None;
        }
        if (kind, length) == (CHECKSUM, 2) {
            field = Some(value);
        }
        rest = rest.skip(2 + u32::from(length));
    }
    field
}
