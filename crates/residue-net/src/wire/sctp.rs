//! SCTP (RFC 9260): CRC-32C, earlier Adler-32, and the cases without either.

use super::{Field, number, ports};
use crate::check::{Presence, Protocol, Rule, Span};
use crate::frame::Walk;

/// Checksum over the packet, without a pseudo-header: CRC-32C, or Adler-32 in the first years.
pub static SCTP: Protocol =
    Protocol { name: "sctp", title: "SCTP", source: "RFC 9260 section 6.8, RFC 2960, RFC 9653" };

pub(super) const CHECKSUM: Field = 8..12;
const HEADER: u32 = 12;
const CHUNK_TYPE: u32 = 0;
const CHUNK_LENGTH: u32 = 2;

const INIT: u8 = 1;
const COOKIE_ECHO: u8 = 10;
const ADDRESS_CHANGE: u8 = 0xc1;

/// Walks a packet from the source port on.
pub fn walk(walk: &mut Walk, span: Span) {
    let Some(header) = walk.array::<{ HEADER as usize }>(span, 0) else { return };
    let ports = ports(&header);
    let field = span.field(CHECKSUM);
    let check = if number(&header, CHECKSUM) == 0 {
        let presence = zero_presence(walk, span.skip(HEADER));
        walk.check(&SCTP, Rule::Crc32c, field, None, span, presence)
    } else {
        let readings = [(Rule::Crc32c, None, span), (Rule::Adler32, None, span)];
        walk.check_any(&SCTP, field, &readings)
    };
    if let Some(check) = check {
        check.ports = Some(ports);
    }
}

/// Returns the presence of a value of 0 by RFC 9653: hosts that agreed on another way to detect
/// errors may send 0 for no checksum, but not in packets that begin an association or change its
/// addresses.
fn zero_presence(walk: &Walk, chunks: Span) -> Presence {
    let mut rest = chunks;
    while let (Some(kind), Some(length)) = (walk.u8(rest, CHUNK_TYPE), walk.u16(rest, CHUNK_LENGTH))
    {
        if matches!(kind, INIT | COOKIE_ECHO | ADDRESS_CHANGE) {
            return Presence::Illegal;
        }
        rest = rest.skip(u32::from(length.max(4)).next_multiple_of(4));
    }
    if walk.is_whole(chunks) { Presence::Absent } else { Presence::Unverifiable(walk.missing) }
}
