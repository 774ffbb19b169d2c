//! TCP Alternate Checksum options: kind 14 asks for another checksum in both SYNs, kind 15 carries
//! what of it does not fit the checksum field (RFC 1146, which defines values 0 to 2; values 3 to 5
//! are of Sahu's thesis of 2019, chapter 7; values 6 and 7 are additions: CRC-32K in the place of
//! CRC-32C, and CRC-32C over all that a network address translator leaves as it is).
//!
//! | value | code | covers | stored |
//! |---|---|---|---|
//! | 0 | Internet checksum | as ever | checksum field |
//! | 1 | 8-bit Fletcher | pseudo-header, segment | checksum field |
//! | 2 | 16-bit Fletcher | pseudo-header, segment | A in the checksum field, B in the option |
//! | 3 | CRC-32C | pseudo-header, segment | upper half in the checksum field, lower in the option |
//! | 4 | CRC-32C | data | option; the checksum field as ever, computed last |
//! | 5 | CRC-32C | pseudo-header, segment | option; the checksum field as ever, computed last |
//! | 6 | CRC-32K | pseudo-header, segment | option; the checksum field as ever, computed last |
//! | 7 | CRC-32C | segment without ports | option; the checksum field as ever, computed last |
//!
//! Where a value covers the segment, checksum field and option data count as zero, and under value
//! 7 both ports. Values are in network byte order. SYN and RST segments have the ordinary checksum
//! and no option 15.

use super::{ports, tcp};
use crate::agreements::{Connection, GREATEST};
use crate::check::{Check, Piece, Presence, Protocol, Reason, Rule, Span};
use crate::frame::{Ip, Walk};

/// The alternate checksum of TCP.
pub static ALTERNATE: Protocol = Protocol {
    name: "tcp.alternate",
    title: "TCP alternate checksum",
    source: "RFC 1146; Sahu 2019 chapter 7",
};

/// Kind of the option that requests a checksum: kind, length 3, value.
pub const REQUEST: u8 = 14;
/// Kind of the option with the value: kind, length 4 or 6, data.
pub const DATA: u8 = 15;
/// The part of a packet that a value covers. The field of the value, and the checksum field, count
/// as zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coverage {
    /// Data.
    Data,
    /// Header and data, with both ports as zero.
    Translatable,
    /// Pseudo-header, header and data.
    All,
}

/// The layout of a value in a segment that is neither SYN nor RST.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Rule for computing the check value.
    pub rule: Rule,
    /// Length of option 15 with its kind and length; 0: the value has no option.
    pub option: u8,
    /// What the value covers.
    pub coverage: Coverage,
    /// Whether the checksum field is the ordinary one, computed last; otherwise it holds the value,
    /// or its upper half.
    pub keeps_checksum: bool,
}

impl Layout {
    /// Returns the layout of values 1 to 7. Value 0 is the ordinary checksum; others are undefined.
    #[must_use]
    pub const fn of(value: u8) -> Option<Layout> {
        let (rule, option) = match value {
            1 => (Rule::Fletcher8, 0),
            2 => (Rule::Fletcher16, 4),
            3 => (Rule::Crc32cBig, 4),
            4 | 5 | 7 => (Rule::Crc32cBig, 6),
            6 => (Rule::Crc32kBig, 6),
            _ => return None,
        };
        let coverage = match value {
            4 => Coverage::Data,
            7 => Coverage::Translatable,
            _ => Coverage::All,
        };
        Some(Layout { rule, option, coverage, keeps_checksum: value >= 4 })
    }

    /// Returns the check of a segment of `ip`, and appends its pieces. `data` is option 15, with
    /// its kind and length.
    #[must_use]
    pub fn check(
        &self,
        ip: &Ip,
        header_length: u32,
        data: Option<Span>,
        pieces: &mut Vec<Piece>,
    ) -> Check {
        let start = pieces.len() as u32;
        let pseudo = self.cover(ip, header_length, pieces);
        let cover = Span { start, end: pieces.len() as u32 };
        let addresses = [ip.source, ip.destination];
        let field = self.field(ip.payload, data);
        Check::present(&ALTERNATE, self.rule, field, (cover, pseudo), addresses)
    }

    /// Returns the spans of the value: `data` is option 15, with its kind and length.
    fn field(&self, segment: Span, data: Option<Span>) -> [Span; 2] {
        let checksum = segment.field(tcp::CHECKSUM);
        let option = data.map_or(Span::default(), |data| data.take(self.option.into()).skip(2));
        // Without the option, the checksum field is the only place to report.
        if self.keeps_checksum && data.is_some() {
            [option, Span::default()]
        } else {
            [checksum, if self.option == 0 { Span::default() } else { option }]
        }
    }

    /// Appends the covered pieces of a segment, including the field. Returns the number of pieces
    /// of the pseudo-header.
    fn cover(&self, ip: &Ip, header_length: u32, pieces: &mut Vec<Piece>) -> u8 {
        let segment = ip.payload;
        let start = pieces.len();
        let mut covered = segment;
        match self.coverage {
            Coverage::Data => {
                pieces.push(Piece::Bytes(segment.skip(header_length)));
                return 0;
            }
            Coverage::Translatable => {
                pieces.push(Piece::given(&[0; tcp::SEQUENCE.start as usize]));
                covered = segment.skip(tcp::SEQUENCE.start);
            }
            Coverage::All => ip.pseudo_header(segment.len(), pieces),
        }
        let pseudo = if self.coverage == Coverage::All { (pieces.len() - start) as u8 } else { 0 };
        if self.keeps_checksum {
            let before = Span { end: segment.take(tcp::CHECKSUM.start).end, ..covered };
            pieces.push(Piece::Bytes(before));
            pieces.push(Piece::given(&[0, 0]));
            pieces.push(Piece::Bytes(segment.skip(tcp::CHECKSUM.end)));
        } else {
            pieces.push(Piece::Bytes(covered));
        }
        pseudo
    }
}

const RST: u8 = 4;
const SYN: u8 = 2;
const ACK: u8 = 16;

/// Walks the options of a segment, and reports its checks unless only the ordinary one applies.
/// Otherwise returns `false`, and reports nothing.
pub fn walk(walk: &mut Walk, ip: &Ip, header: &[u8; 20], options: Span) -> bool {
    let [request, data] = find(walk, options);
    let (ports, flags) = (ports(header), header[tcp::FLAGS]);
    if flags & RST != 0 {
        return false;
    }
    let connection = || {
        let [source, destination] = walk.addresses.map(|span| walk.captured(span));
        Connection::of(source, destination, ports)
    };
    if flags & SYN != 0 {
        if request.is_some() || !walk.agreements.is_empty() {
            let (connection, side) = connection();
            let value = request
                .filter(|request| request.len() == 3)
                .and_then(|request| walk.u8(request, 2));
            walk.agreements.syn(connection, side, flags & ACK == 0, value);
        }
        return false;
    }
    let known = if walk.agreements.is_empty() { None } else { walk.agreements.of(&connection().0) };
    match (known, data) {
        (None | Some(0), None) => false,
        // Without an agreement, the option is meaningless.
        (Some(0), Some(_)) => false,
        (Some(1), _) => report(walk, ip, ports, 1, None, Presence::Present),
        (Some(value), Some(data)) => {
            let presence =
                if fits(value, data) { Presence::Present } else { Presence::LengthConflict };
            report(walk, ip, ports, value, Some(data), presence)
        }
        (Some(value), None) => report(walk, ip, ports, value, None, Presence::Illegal),
        (None, Some(data)) => {
            let fitting = (2..=GREATEST).filter(|&value| fits(value, data));
            let mut first = None;
            for value in fitting {
                let (checks, pieces) = (walk.found.checks.len(), walk.found.pieces.len());
                report(walk, ip, ports, value, Some(data), Presence::Present);
                let alternate = walk.found.checks[checks..].iter().find(|check| {
                    check.protocol == &ALTERNATE && check.presence == Presence::Present
                });
                let is_right = alternate.is_some_and(|check| {
                    check.stored(walk.bytes) == check.computed(walk.bytes, &walk.found.pieces)
                });
                if is_right {
                    return true;
                }
                walk.found.checks.truncate(checks);
                walk.found.pieces.truncate(pieces);
                first = first.or(Some(value));
            }
            let presence = Presence::Unverifiable(Reason::Agreement);
            first.is_some_and(|value| report(walk, ip, ports, value, Some(data), presence))
        }
    }
}

/// Returns the options of kinds 14 and 15.
fn find(walk: &Walk, options: Span) -> [Option<Span>; 2] {
    let mut found = [None; 2];
    let mut rest = options;
    while let Some(kind) = walk.u8(rest, 0) {
        match kind {
            0 => break,
            1 => rest = rest.skip(1),
            _ => {
                let Some(length) = walk.u8(rest, 1).filter(|&length| length >= 2) else { break };
                let option = rest.take(u32::from(length));
                match kind {
                    REQUEST => found[0] = Some(option),
                    DATA => found[1] = Some(option),
                    _ => {}
                }
                rest = rest.skip(u32::from(length));
            }
        }
    }
    found
}

/// Returns whether the option has the length of the value.
fn fits(value: u8, data: Span) -> bool {
    Layout::of(value).is_some_and(|layout| data.len() == u32::from(layout.option))
}

/// Reports the checks of a segment with this value; `false` if the value is undefined.
fn report(
    walk: &mut Walk,
    ip: &Ip,
    ports: [u16; 2],
    value: u8,
    data: Option<Span>,
    presence: Presence,
) -> bool {
    let Some(layout) = Layout::of(value) else { return false };
    if layout.keeps_checksum {
        tcp::checksum(walk, ip, ports);
    }
    let start = walk.found.pieces.len() as u32;
    let header_length = walk
        .u8(ip.payload, tcp::DATA_OFFSET as u32)
        .map_or(tcp::HEADER, |byte| u32::from(byte >> 4) * 4);
    let pseudo = layout.cover(ip, header_length, &mut walk.found.pieces);
    let field = layout.field(ip.payload, data);
    if let Some(check) = walk.check_pieces(&ALTERNATE, layout.rule, field, start, pseudo, presence)
    {
        check.ports = Some(ports);
    }
    true
}

#[cfg(test)]
mod tests;
