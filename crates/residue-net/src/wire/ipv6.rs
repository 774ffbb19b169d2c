//! IPv6 (RFC 8200): extension headers, and the addresses of pseudo-headers.

use super::ip::Plain;
use super::{Field, number};
use crate::check::Span;
use crate::frame::{Fragment, Ip, Walk};
use crate::unfollowed::Numbering;

const VERSION: usize = 0;
const PAYLOAD_LENGTH: Field = 4..6;
const NEXT_HEADER: usize = 6;
/// Range of the source address.
pub(crate) const SOURCE: Field = 8..24;
const DESTINATION: Field = 24..40;
/// Length of the header.
pub(crate) const HEADER: u32 = 40;

/// Fields of extension headers: the type of the next one, and the length in units of 8 bytes, less
/// 1.
const NEXT: u32 = 0;
const LENGTH: u32 = 1;
const FRAGMENT_OFFSET: u32 = 2;
const FRAGMENT_IDENTIFICATION: u32 = 4;
const FRAGMENT_HEADER: u32 = 8;
const ROUTING_TYPE: u32 = 2;
const SEGMENTS_LEFT: u32 = 3;
/// Offset of the prefix lengths of a compressed source route, and of its padding (RFC 6554 section
/// 3).
const COMPRESSION: u32 = 4;
const PADDING: u32 = 5;
/// Offset of the addresses of a routing header.
const ADDRESSES: u32 = 8;

const HOP_BY_HOP: u8 = 0;
const ROUTING: u8 = 43;
const FRAGMENT: u8 = 44;
const AUTHENTICATION: u8 = 51;
const NO_NEXT_HEADER: u8 = 59;
const DESTINATION_OPTIONS: u8 = 60;

const HOME_ADDRESS: u8 = 201;
const JUMBO_PAYLOAD: u8 = 194;

/// Walks a packet from the version on.
pub fn walk(walk: &mut Walk, span: Span) {
    let Some(header) = walk.array::<8>(span, 0) else { return };
    if header[VERSION] >> 4 != 6 {
        return walk.unfollowed(Numbering::IpVersion, header[VERSION] >> 4);
    }
    if !walk.is_whole(span.take(HEADER)) {
        return;
    }
    let outer = (walk.addresses, walk.length_zero);
    let source = span.field(SOURCE);
    let destination = span.field(DESTINATION);
    walk.addresses = [source, destination];
    walk.found.networks.push(walk.addresses);
    let length = number(&header, PAYLOAD_LENGTH);
    let start = span.start + HEADER;
    let end = if length == 0 { span.end } else { start + length };
    let length_zero = length == 0 && header[NEXT_HEADER] != NO_NEXT_HEADER;
    payload(
        walk,
        Ip {
            version: 6,
            source,
            destination,
            prefix: Span::default(),
            protocol: header[NEXT_HEADER],
            payload: Span { start, end: end.max(start) },
            length_zero,
        },
    );
    (walk.addresses, walk.length_zero) = outer;
}

/// Returns a plain packet, if the payload is of a protocol that is no extension header.
#[inline]
pub(crate) fn plain(packet: &[u8]) -> Option<Plain<'_>> {
    let header = packet.first_chunk::<{ HEADER as usize }>()?;
    let (length, protocol) = (number(header, PAYLOAD_LENGTH) as usize, header[NEXT_HEADER]);
    if header[VERSION] >> 4 != 6 || length == 0 || !matches!(protocol, 6 | 17) {
        return None;
    }
    let bytes = packet.get(SOURCE.start as usize..HEADER as usize + length)?;
    Some(Plain { bytes, addresses: (DESTINATION.end - SOURCE.start) as usize, protocol })
}

/// Walks the payload after the fixed header, or of a reassembled datagram: extension headers, then
/// the upper layer.
pub fn payload(walk: &mut Walk, ip: Ip) {
    let mut ip = ip;
    loop {
        let rest = ip.payload;
        let (Some(next), Some(length)) = (walk.u8(rest, NEXT), walk.u8(rest, LENGTH)) else {
            return upper(walk, &ip);
        };
        let in_eights = (u32::from(length) + 1) * 8;
        let header_length = match ip.protocol {
            HOP_BY_HOP | DESTINATION_OPTIONS => {
                options(walk, rest.take(in_eights), &mut ip);
                in_eights
            }
            ROUTING => {
                routing(walk, rest.take(in_eights), &mut ip);
                in_eights
            }
            AUTHENTICATION => (u32::from(length) + 2) * 4,
            FRAGMENT => {
                let (Some(word), Some(identification)) =
                    (walk.u16(rest, FRAGMENT_OFFSET), walk.u32(rest, FRAGMENT_IDENTIFICATION))
                else {
                    return;
                };
                if word & 0xfff9 != 0 {
                    ip.protocol = next;
                    ip.payload = rest.skip(FRAGMENT_HEADER);
                    super::note_payload(walk, &ip, word & 0xfff8 == 0);
                    walk.found.fragments.push(Fragment {
                        ip,
                        identification,
                        offset: u32::from(word & 0xfff8),
                        more: word & 1 != 0,
                        depth: walk.depth,
                    });
                    return;
                }
                FRAGMENT_HEADER
            }
            _ => return upper(walk, &ip),
        };
        ip.protocol = next;
        ip.payload = Span { start: ip.payload.start, end: ip.payload.end }.skip(header_length);
    }
}

fn upper(walk: &mut Walk, ip: &Ip) {
    walk.length_zero = ip.length_zero;
    super::ip_protocol(walk, ip);
}

/// Parses hop-by-hop and destination options (RFC 8200 section 4.2).
fn options(walk: &Walk, header: Span, ip: &mut Ip) {
    let mut options = header.skip(2);
    while let Some(kind) = walk.u8(options, 0) {
        if kind == 0 {
            options = options.skip(1);
            continue;
        }
        let Some(length) = walk.u8(options, 1) else { return };
        let data = options.skip(2).take(u32::from(length));
        match kind {
            // RFC 6275 section 6.3: the home address counts as the source.
            HOME_ADDRESS if data.len() == 16 && walk.is_whole(data) => ip.source = data,
            // RFC 2675 section 2: the length counts from the end of the fixed header.
            JUMBO_PAYLOAD if ip.length_zero => {
                if let Some(length) = walk.u32(data, 0) {
                    ip.payload.end = header.start.saturating_add(length).max(ip.payload.start);
                    ip.length_zero = false;
                }
            }
            _ => {}
        }
        options = options.skip(2 + u32::from(length));
    }
}

/// Parses a routing header: sets the final destination, if segments are left.
fn routing(walk: &Walk, header: Span, ip: &mut Ip) {
    let (Some(kind), Some(left)) = (walk.u8(header, ROUTING_TYPE), walk.u8(header, SEGMENTS_LEFT))
    else {
        return;
    };
    let addresses = header.len().saturating_sub(ADDRESSES) / 16;
    let last = match kind {
        _ if left == 0 => return,
        // RFC 2460 section 4.4 and RFC 6275 section 6.4: in order of travel.
        0 | 2 if addresses > 0 => Span::at(header.start + ADDRESSES + (addresses - 1) * 16, 16),
        // RFC 8754 section 2: the last segment first.
        4 if addresses > 0 => Span::at(header.start + ADDRESSES, 16),
        // RFC 6554 section 3: the last address without the bytes it shares with the header's
        // destination.
        3 => {
            let (Some(compressed), Some(padding)) =
                (walk.u8(header, COMPRESSION), walk.u8(header, PADDING))
            else {
                return;
            };
            let shared = u32::from(compressed & 15);
            let end = header.end - u32::from(padding >> 4);
            if end < header.start + ADDRESSES + 16 - shared {
                return;
            }
            ip.prefix = ip.destination.take(shared);
            Span { start: end - (16 - shared), end }
        }
        _ => return,
    };
    if walk.is_whole(last) && last.end <= header.end {
        ip.destination = last;
    } else {
        ip.prefix = Span::default();
    }
}
