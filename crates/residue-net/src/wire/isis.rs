//! IS-IS (ISO 10589): the checksum of link state PDUs, and the optional one of all others (RFC
//! 3358).

use crate::check::{Presence, Protocol, Rule, Span};
use crate::frame::Walk;

/// Fletcher checksum of a link state PDU, from the identifier of the LSP on, without the lifetime
/// that routers count down.
pub static LSP: Protocol =
    Protocol { name: "isis.lsp", title: "IS-IS LSP", source: "ISO/IEC 10589 section 7.3.11" };

/// Optional checksum of a hello, over the PDU.
pub static HELLO: Protocol =
    Protocol { name: "isis.hello", title: "IS-IS hello", source: "RFC 3358" };

/// Optional checksum of a complete sequence numbers PDU, over the PDU.
pub static CSNP: Protocol = Protocol { name: "isis.csnp", title: "IS-IS CSNP", source: "RFC 3358" };

/// Optional checksum of a partial sequence numbers PDU, over the PDU.
pub static PSNP: Protocol = Protocol { name: "isis.psnp", title: "IS-IS PSNP", source: "RFC 3358" };

const ID_LENGTH: u32 = 3;
const TYPE: u32 = 4;
/// Offset of the length in LSPs and sequence numbers PDUs.
const LENGTH: u32 = 8;
/// Offset of the identifier of an LSP, the start of the coverage.
const IDENTIFIER: u32 = 12;
/// Code of the entry with the checksum.
const CHECKSUM: u8 = 12;

/// Walks a PDU from the network layer protocol identifier on.
pub fn walk(walk: &mut Walk, span: Span) {
    let (Some(id_length), Some(kind)) = (walk.u8(span, ID_LENGTH), walk.u8(span, TYPE)) else {
        return;
    };
    let id = match id_length {
        0 => 6,
        255 => 0,
        length => u32::from(length),
    };
    // Offset of the PDU length, and length of the header.
    let (protocol, length_at, header) = match kind & 31 {
        15 | 16 => (&HELLO, 11 + id, 15 + 2 * id),
        17 => (&HELLO, 11 + id, 14 + id),
        18 | 20 => (&LSP, LENGTH, 21 + id),
        24 | 25 => (&CSNP, LENGTH, 15 + 3 * id),
        26 | 27 => (&PSNP, LENGTH, 11 + id),
        _ => return,
    };
    let Some(length) = walk.u16(span, length_at) else { return };
    let whole = Span::at(span.start, u32::from(length));
    if protocol == &LSP {
        // The field has 2 bytes, after the identifier (with its 2 numbers) and the sequence number.
        let field = Span::at(span.start + IDENTIFIER + id + 6, 2);
        let presence = presence(walk, field);
        walk.check(protocol, Rule::CheckOctets, field, None, whole.skip(IDENTIFIER), presence);
        return;
    }
    let mut rest = whole.skip(header);
    while let Some([kind, length]) = walk.array(rest, 0) {
        if (kind, length) == (CHECKSUM, 2) {
            let field = rest.field(2..4);
            let presence = presence(walk, field);
            walk.check(protocol, Rule::CheckOctets, field, None, whole, presence);
            return;
        }
        rest = rest.skip(2 + u32::from(length));
    }
}

/// Returns the presence of the checksum: 0 in both octets means none, as in purged LSPs.
fn presence(walk: &Walk, field: Span) -> Presence {
    if walk.u16(field, 0) == Some(0) { Presence::Absent } else { Presence::Present }
}
