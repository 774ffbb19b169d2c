//! IPv4 (RFC 791): the header checksum, fragments, source routes.

use super::ip::Plain;
use super::{Field, number};
use crate::check::{Presence, Protocol, Rule, Span};
use crate::frame::{Fragment, Ip, Walk};
use crate::unfollowed::Numbering;

/// Header checksum, over the header with options.
pub static HEADER: Protocol =
    Protocol { name: "ip", title: "IPv4 header", source: "RFC 791 section 3.1" };

/// Offset of the version, and the length of the header in units of 4 bytes.
const VERSION: usize = 0;
const TOTAL_LENGTH: Field = 2..4;
const IDENTIFICATION: Field = 4..6;
const FRAGMENT: Field = 6..8;
const PROTOCOL: usize = 9;
/// Range of the checksum.
pub(crate) const CHECKSUM: Field = 10..12;
/// Range of the source address.
pub(crate) const SOURCE: Field = 12..16;
const DESTINATION: Field = 16..20;
/// Length of the header without options.
pub(crate) const SHORTEST_HEADER: u32 = 20;

const MORE_FRAGMENTS: u32 = 0x2000;
/// Mask of the offset of a fragment, in units of 8 bytes.
const OFFSET: u32 = 0x1fff;

const LOOSE_SOURCE_ROUTE: u8 = 131;
const STRICT_SOURCE_ROUTE: u8 = 137;

/// Walks a packet from the version on.
pub fn walk(walk: &mut Walk, span: Span) {
    let Some(header) = walk.array::<{ SHORTEST_HEADER as usize }>(span, 0) else { return };
    let (version, header_length) = (header[VERSION] >> 4, u32::from(header[VERSION] & 15) * 4);
    if version != 4 {
        return walk.unfollowed(Numbering::IpVersion, version);
    }
    if header_length < SHORTEST_HEADER {
        return;
    }
    let outer = (walk.addresses, walk.length_zero);
    let source = span.field(SOURCE);
    let destination = span.field(DESTINATION);
    walk.addresses = [source, destination];
    walk.found.networks.push(walk.addresses);

    let field = span.field(CHECKSUM);
    let cover = Span::at(span.start, header_length);
    walk.check(&HEADER, Rule::Internet, field, None, cover, Presence::Present);

    let total_length = number(&header, TOTAL_LENGTH);
    walk.length_zero = total_length == 0;
    let end = if total_length == 0 { span.end } else { span.start.saturating_add(total_length) };
    if end >= cover.end {
        let ip = Ip {
            version: 4,
            source,
            destination: last_destination(walk, cover).unwrap_or(destination),
            prefix: Span::default(),
            protocol: header[PROTOCOL],
            payload: Span { start: cover.end, end },
            length_zero: total_length == 0,
        };
        let fragment = number(&header, FRAGMENT);
        if fragment & (MORE_FRAGMENTS | OFFSET) == 0 {
            super::ip_protocol(walk, &ip);
        } else {
            super::note_payload(walk, &ip, fragment & OFFSET == 0);
            walk.found.fragments.push(Fragment {
                ip,
                identification: number(&header, IDENTIFICATION),
                offset: (fragment & OFFSET) * 8,
                more: fragment & MORE_FRAGMENTS != 0,
                depth: walk.depth,
            });
        }
    }
    (walk.addresses, walk.length_zero) = outer;
}

/// Returns a plain packet whose header checksum is right.
#[inline]
pub(crate) fn plain(packet: &[u8]) -> Option<Plain<'_>> {
    const ADDRESSES: usize = SOURCE.start as usize;
    let header = packet.first_chunk::<{ SHORTEST_HEADER as usize }>()?;
    let is_fragment = number(header, FRAGMENT) & (MORE_FRAGMENTS | OFFSET) != 0;
    if header[VERSION] != 0x45 || is_fragment || residue::internet::checksum_array(header) != 0 {
        return None;
    }
    let bytes = packet.get(ADDRESSES..number(header, TOTAL_LENGTH) as usize)?;
    let addresses = header.len() - ADDRESSES;
    (bytes.len() >= addresses).then_some(Plain { bytes, addresses, protocol: header[PROTOCOL] })
}

/// Returns the final address of a source route that is not used up; the destination of the header
/// is only the next stop.
fn last_destination(walk: &Walk, header: Span) -> Option<Span> {
    let mut options = header.skip(SHORTEST_HEADER);
    while let Some(kind) = walk.u8(options, 0) {
        match kind {
            0 => break,
            1 => options = options.skip(1),
            _ => {
                let length = walk.u8(options, 1).filter(|&length| length >= 2)?;
                if matches!(kind, LOOSE_SOURCE_ROUTE | STRICT_SOURCE_ROUTE) {
                    // The pointer counts from 1 and passes the end when the route is used up.
                    let pointer = walk.u8(options, 2)?;
                    let end = options.take(u32::from(length)).end;
                    return (pointer < length && length >= 7).then(|| Span::at(end - 4, 4));
                }
                options = options.skip(u32::from(length));
            }
        }
    }
    None
}
