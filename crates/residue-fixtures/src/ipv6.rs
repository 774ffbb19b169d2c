//! IPv6: extension headers, and the addresses that count in pseudo-headers.

use crate::ip::{Ends, INNER4, INNER6, V4, V6, documentation, store};
use crate::{Case, DATA, Repair, ethernet, tcp, udp};

/// Returns a packet.
#[must_use]
pub fn packet(ends: [[u8; 16]; 2], next: u8, payload: &[u8]) -> Vec<u8> {
    let length = (payload.len() as u16).to_be_bytes();
    let fixed = [0x60, 0, 0, 0, length[0], length[1], next, 64];
    [&fixed[..], ends.as_flattened(), payload].concat()
}

/// Returns a hop-by-hop or destination options header before `payload`, whose number is `next`,
/// padded.
#[must_use]
pub fn options(next: u8, options: &[u8], payload: &[u8]) -> Vec<u8> {
    let mut header = [&[next, 0], options].concat();
    match header.len() % 8 {
        0 => {}
        7 => header.push(0),
        over => {
            let pad = 8 - over;
            header.extend([1, pad as u8 - 2]);
            header.resize(header.len() + pad - 2, 0);
        }
    }
    header[1] = (header.len() / 8 - 1) as u8;
    [&header, payload].concat()
}

/// Returns the destination option that names a mobile node's home address (RFC 6275 section 6.3).
#[must_use]
pub fn home_address(address: [u8; 16]) -> Vec<u8> {
    // Padded so that the address stands at 8n+6.
    [&[1, 2, 0, 0, 201, 16][..], &address].concat()
}

/// Returns a routing header of type 0, 2 or 4 before `payload`, whose number is `next`.
#[must_use]
pub fn routing(kind: u8, left: u8, stops: &[[u8; 16]], next: u8, payload: &[u8]) -> Vec<u8> {
    // Type 4 (RFC 8754) gives the index of the last stop, the others have a reserved word there.
    let last = if kind == 4 { stops.len() as u8 - 1 } else { 0 };
    let header = [next, 2 * stops.len() as u8, kind, left, last, 0, 0, 0];
    [&header[..], stops.as_flattened(), payload].concat()
}

/// Returns the packets of a datagram whose payload is cut at `cut`, a multiple of eight.
#[must_use]
pub fn fragments(ends: [[u8; 16]; 2], next: u8, payload: &[u8], cut: usize) -> [Vec<u8>; 2] {
    let (first, second) = payload.split_at(cut.min(payload.len()));
    let piece = |part: &[u8], offset_and_more: u16| {
        let [high, low] = offset_and_more.to_be_bytes();
        let header = [next, 0, high, low, 0, 0, 0x4a, 0x11];
        packet(ends, 44, &[&header[..], part].concat())
    };
    [piece(first, 1), piece(second, cut as u16)]
}

const ENDS: [[u8; 16]; 2] = [documentation(1), documentation(2)];

/// Cases of IPv6.
pub(crate) fn cases() -> Vec<Case> {
    let (four, six) = (tcp::segment(INNER4), tcp::segment(INNER6));
    let datagram = udp::datagram(V6, udp::PORTS, DATA);
    let [first, second] = fragments(ENDS, 17, &datagram, 16);
    let mut endless = V6.packet(6, &tcp::segment(V6));
    store(&mut endless, 4, 0);
    let mut cases = vec![
        tcp::case("6in4-tcp", "TCP in IPv6 in IPv4", V4.frame(41, &INNER6.packet(6, &six)), &six),
        tcp::case("4in6-tcp", "TCP in IPv4 in IPv6", V6.frame(4, &INNER4.packet(6, &four)), &four),
        udp::case(
            "fragments-v6",
            "IPv6 fragments",
            ethernet::frame(0x86dd, &first),
            &datagram[..16],
        )
        .before(&[ethernet::frame(0x86dd, &second)]),
        Case {
            repair: Repair::LengthZero,
            ..tcp::case(
                "tso6-tcp",
                "IPv6 length 0",
                ethernet::frame(0x86dd, &endless),
                &tcp::segment(V6),
            )
        },
    ];
    cases.extend(extension_headers());
    cases
}

fn extension_headers() -> Vec<Case> {
    let last = documentation(9);
    let to_last = tcp::segment(Ends::V6([ENDS[0], last]));
    let from_last = tcp::segment(Ends::V6([last, ENDS[1]]));
    let stops = [documentation(8), last];
    let hops = options(60, &[5, 2, 0, 0], &options(6, &[], &tcp::segment(V6)));
    let case = |name, title, ends, next, payload: &[u8], segment: &[u8]| {
        tcp::case(name, title, ethernet::frame(0x86dd, &packet(ends, next, payload)), segment)
    };
    vec![
        // The list is in reverse; one segment is left, its first entry.
        case("srv6-tcp", "SRv6", ENDS, 43, &routing(4, 1, &[last, ENDS[1]], 6, &to_last), &to_last),
        case(
            "home-address-tcp",
            "Mobile IPv6 home address",
            ENDS,
            60,
            &options(6, &home_address(last), &from_last),
            &from_last,
        ),
        case(
            "routing0-tcp",
            "IPv6 routing header 0",
            ENDS,
            43,
            &routing(0, 2, &stops, 6, &to_last),
            &to_last,
        ),
        case(
            "routing0-end-tcp",
            "routing header 0, used up",
            [ENDS[0], last],
            43,
            &routing(0, 0, &stops, 6, &to_last),
            &to_last,
        ),
        case(
            "routing2-tcp",
            "IPv6 routing header 2",
            ENDS,
            43,
            &routing(2, 1, &[last], 6, &to_last),
            &to_last,
        ),
        case("options-tcp", "IPv6 options headers", ENDS, 0, &hops, &tcp::segment(V6)),
    ]
}
