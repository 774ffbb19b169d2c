//! Multipath TCP (RFC 8684): the checksum of a data sequence mapping.

use crate::check::{Piece, Presence, Protocol, Reason, Rule, Span};
use crate::frame::Walk;

/// Checksum of a mapping, over data sequence number, subflow sequence number, length, and the
/// mapped data.
pub static DSS: Protocol =
    Protocol { name: "mptcp.dss", title: "MPTCP data sequence", source: "RFC 8684 section 3.3.1" };

const SUBTYPE: u32 = 2;
const FLAGS: u32 = 3;

const MPTCP: u8 = 30;
const DATA_SEQUENCE_SIGNAL: u8 = 2;
const DATA_FIN: u8 = 0x10;

/// Walks the options of a segment; `payload` is its data.
pub fn walk(walk: &mut Walk, options: Span, payload: Span, ports: [u16; 2]) {
    let mut options = options;
    while let Some(kind) = walk.u8(options, 0) {
        if kind == 0 {
            return;
        }
        if kind == 1 {
            options = options.skip(1);
            continue;
        }
        let Some(length) = walk.u8(options, 1).filter(|&length| length >= 2) else { return };
        let option = options.take(u32::from(length));
        if kind == MPTCP
            && walk.u8(option, SUBTYPE).map(|byte| byte >> 4) == Some(DATA_SEQUENCE_SIGNAL)
        {
            signal(walk, option, payload, ports);
        }
        options = options.skip(u32::from(length));
    }
}

fn signal(walk: &mut Walk, option: Span, payload: Span, ports: [u16; 2]) {
    let Some(flags) = walk.u8(option, FLAGS) else { return };
    let acknowledgment = match flags & 3 {
        1 => 4,
        3 => 8,
        _ => 0,
    };
    let sequence = if flags & 8 != 0 { 8 } else { 4 };
    // The checksum is present if the option is long enough.
    if flags & 4 == 0 || option.len() != 4 + acknowledgment + sequence + 4 + 2 + 2 {
        return;
    }
    let mapping = option.skip(4 + acknowledgment);
    let Some(length) = walk.u16(mapping, sequence + 4).map(u32::from) else { return };
    // The end of the data takes a sequence number, but no byte.
    let length = length.saturating_sub(u32::from(flags & DATA_FIN != 0));
    // A truncated sequence number needs earlier segments, as do other parts of the mapping.
    let presence = if sequence == 4 || length > payload.len() {
        Presence::Unverifiable(Reason::Stream)
    } else {
        Presence::Present
    };
    let start = walk.found.pieces.len() as u32;
    // The fields of the mapping are the pseudo-header, which has zeros in place of the checksum.
    let pieces = [mapping, payload.take(length)];
    walk.found.pieces.extend(pieces.map(Piece::Bytes));
    let field = [mapping.skip(sequence + 6), Span::default()];
    if let Some(check) = walk.check_pieces(&DSS, Rule::Internet, field, start, 0, presence) {
        check.ports = Some(ports);
    }
}
