//! OSPF (RFC 2328, RFC 5340): the checksums of packets, of the link state advertisements in them,
//! and of the data blocks behind them.

use super::Field;
use crate::check::{Piece, Presence, Protocol, Rule, Span};
use crate::frame::{Ip, Walk};

/// Checksum of a packet. Version 2: over the packet without the 8 bytes of authentication, and none
/// with cryptographic authentication. Version 3: over pseudo-header and packet.
pub static OSPF: Protocol = Protocol {
    name: "ospf",
    title: "OSPF packet",
    source: "RFC 2328 section D.4, RFC 5340 section A.3.1",
};

/// Fletcher checksum of a link state advertisement, over all but its age.
pub static LSA: Protocol =
    Protocol { name: "ospf.lsa", title: "OSPF LSA", source: "RFC 2328 section 12.1.7" };

/// Checksum of the data block of link-local signalling behind a packet. None with cryptographic
/// authentication.
pub static LLS: Protocol = Protocol {
    name: "ospf.lls",
    title: "OSPF link-local signalling",
    source: "RFC 5613 section 2.2",
};

const CHECKSUM: Field = 12..14;
/// Offset of the authentication type of version 2.
const AUTHENTICATION_TYPE: u32 = 14;
const AUTHENTICATION: u32 = 16;
/// Lengths of the headers of both versions.
const HEADER2: u32 = 24;
const HEADER3: u32 = 16;
const LSA_AGE: Field = 0..2;
const LSA_CHECKSUM: Field = 16..18;
const LSA_LENGTH: u32 = 18;
const LSA_HEADER: u32 = 20;

const HELLO: u8 = 1;
const DATABASE_DESCRIPTION: u8 = 2;
const LINK_STATE_UPDATE: u8 = 4;
const CRYPTOGRAPHIC: u16 = 2;
/// Offset of the length of the digest behind the packet.
const DIGEST_LENGTH: u32 = 19;

/// Offset, from the end of the header, of the byte of the options that says whether a data block
/// is there, and its bit in versions 2 and 3.
const HELLO_OPTIONS: u32 = 6;
const DESCRIPTION_OPTIONS: u32 = 2;
const HAS_BLOCK2: u8 = 0x10;
const HAS_BLOCK3: u8 = 0x02;
const BLOCK_CHECKSUM: Field = 0..2;
/// Offset of the length of a block, in words of four bytes.
const BLOCK_LENGTH: u32 = 2;

/// Walks a packet from the version on.
pub fn walk(walk: &mut Walk, ip: &Ip) {
    let Some([version, kind, a, b]) = walk.array(ip.payload, 0) else { return };
    let length = u32::from(u16::from_be_bytes([a, b]));
    let packet = Span::at(ip.payload.start, length);
    let field = packet.field(CHECKSUM);
    let header = match version {
        2 => {
            let Some(authentication) = walk.u16(ip.payload, AUTHENTICATION_TYPE) else { return };
            let presence = match length {
                ..HEADER2 => Presence::LengthConflict,
                _ if authentication == CRYPTOGRAPHIC => Presence::Absent,
                _ => Presence::Present,
            };
            let start = walk.found.pieces.len() as u32;
            let pieces = [packet.take(AUTHENTICATION), packet.skip(HEADER2)];
            walk.found.pieces.extend(pieces.map(Piece::Bytes));
            let field = [field, Span::default()];
            walk.check_pieces(&OSPF, Rule::Internet, field, start, 0, presence);
            if has_block(walk, kind, packet.skip(HEADER2), HAS_BLOCK2) {
                if authentication == CRYPTOGRAPHIC {
                    let digest = walk.u8(packet, DIGEST_LENGTH).unwrap_or(0);
                    signalling(walk, ip.payload.skip(length + u32::from(digest)), Presence::Absent);
                } else {
                    signalling(walk, ip.payload.skip(length), Presence::Present);
                }
            }
            HEADER2
        }
        3 => {
            let presence = match length {
                ..HEADER3 => Presence::LengthConflict,
                // RFC 7166 section 4: with an authentication trailer, it is left out.
                _ if walk.u16(packet, CHECKSUM.start) == Some(0) && packet.end < ip.payload.end => {
                    Presence::Absent
                }
                _ => Presence::Present,
            };
            walk.check(&OSPF, Rule::Internet, field, Some(ip), packet, presence);
            if has_block(walk, kind, packet.skip(HEADER3), HAS_BLOCK3) {
                signalling(walk, ip.payload.skip(length), presence);
            }
            HEADER3
        }
        _ => return,
    };
    if kind == LINK_STATE_UPDATE {
        let mut rest = packet.skip(header + 4);
        for _ in 0..walk.u32(packet, header).unwrap_or(0) {
            let Some(length) =
                walk.u16(rest, LSA_LENGTH).map(u32::from).filter(|&length| length >= LSA_HEADER)
            else {
                return;
            };
            advertisement(walk, Span::at(rest.start, length));
            rest = rest.skip(length);
        }
    }
}

/// Returns whether the options of a packet of this kind say that a data block is behind it.
fn has_block(walk: &Walk, kind: u8, body: Span, bit: u8) -> bool {
    let at = match kind {
        HELLO => HELLO_OPTIONS,
        DATABASE_DESCRIPTION => DESCRIPTION_OPTIONS,
        _ => return false,
    };
    walk.u8(body, at).is_some_and(|options| options & bit != 0)
}

/// Walks a data block of link-local signalling.
fn signalling(walk: &mut Walk, rest: Span, presence: Presence) {
    let Some(words) = walk.u16(rest, BLOCK_LENGTH) else { return };
    let block = Span::at(rest.start, 4 * u32::from(words));
    let presence = if words == 0 { Presence::LengthConflict } else { presence };
    walk.check(&LLS, Rule::Internet, block.field(BLOCK_CHECKSUM), None, block, presence);
}

/// Walks an advertisement from its age on, which routers count up and the checksum excludes.
fn advertisement(walk: &mut Walk, span: Span) {
    let field = span.field(LSA_CHECKSUM);
    let presence = match walk.u16(span, LSA_CHECKSUM.start) {
        Some(0) => Presence::Illegal,
        _ => Presence::Present,
    };
    walk.check(&LSA, Rule::CheckOctets, field, None, span.skip(LSA_AGE.end), presence);
}
