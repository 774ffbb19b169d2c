//! IPv4 (RFC 791): the header checksum, fragments, source routes.

use super::ip::Ip;
use crate::check::{Presence, Protocol, Rule, Span};
use crate::frame::{Fragment, Walk};
use crate::unfollowed::Numbering;

/// The header checksum: the header alone, options included.
pub static HEADER: Protocol =
    Protocol { name: "ip", title: "IPv4 header", source: "RFC 791 section 3.1" };

const LOOSE_SOURCE_ROUTE: u8 = 131;
const STRICT_SOURCE_ROUTE: u8 = 137;

/// From the version on.
pub fn walk(walk: &mut Walk, span: Span) {
    let Some(header) = walk.array::<20>(span, 0) else { return };
    let header_length = u32::from(header[0] & 15) * 4;
    if header[0] >> 4 != 4 {
        return walk.unfollowed(Numbering::IpVersion, header[0] >> 4);
    }
    if header_length < 20 {
        return;
    }
    let outer = (walk.addresses, walk.length_zero);
    let source = Span::at(span.start + 12, 4);
    let destination = Span::at(span.start + 16, 4);
    walk.addresses = [source, destination];
    walk.found.networks.push(walk.addresses);

    let field = Span::at(span.start + 10, 2);
    let cover = Span::at(span.start, header_length);
    walk.check(&HEADER, Rule::Internet, field, None, cover, Presence::Present);

    let total_length = u32::from(u16::from_be_bytes([header[2], header[3]]));
    walk.length_zero = total_length == 0;
    let end = if total_length == 0 { span.end } else { span.start.saturating_add(total_length) };
    if end >= cover.end {
        let ip = Ip {
            version: 4,
            source,
            destination: last_destination(walk, cover).unwrap_or(destination),
            prefix: Span::default(),
            protocol: header[9],
            payload: Span { start: cover.end, end },
            length_zero: total_length == 0,
        };
        let fragment = u16::from_be_bytes([header[6], header[7]]);
        if fragment & 0x3fff == 0 {
            super::ip_protocol(walk, &ip);
        } else {
            walk.found.fragments.push(Fragment {
                ip,
                identification: u32::from(u16::from_be_bytes([header[4], header[5]])),
                offset: u32::from(fragment & 0x1fff) * 8,
                more: fragment & 0x2000 != 0,
                depth: walk.depth,
            });
        }
    }
    (walk.addresses, walk.length_zero) = outer;
}

/// The last address of a source route that is not used up: the header's destination is only the next stop.
fn last_destination(walk: &Walk, header: Span) -> Option<Span> {
    let mut options = header.skip(20);
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
