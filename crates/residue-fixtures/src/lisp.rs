//! LISP: data, and control messages that contain a packet.

use crate::ip::{INNER4, V4};
use crate::{Case, tcp, udp};
use residue_net::check::Verdict;

/// The UDP port of data.
pub const DATA: u16 = 4341;
/// The UDP port of control messages.
pub const CONTROL: u16 = 4342;

/// Returns what LISP (RFC 9300) puts between UDP and a packet: a nonce, no locator status.
#[must_use]
pub fn data(packet: &[u8]) -> Vec<u8> {
    [&[0x80, 1, 2, 3, 0, 0, 0, 0][..], packet].concat()
}

/// Returns an encapsulated control message (RFC 9301 section 5.8).
#[must_use]
pub fn encapsulated(packet: &[u8]) -> Vec<u8> {
    [&[0x80, 0, 0, 0][..], packet].concat()
}

/// Returns a map request (RFC 9301 section 5.2) for 192.0.2.10.
#[must_use]
pub fn map_request() -> Vec<u8> {
    let header = [0x10, 0, 0, 1, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0];
    [&header[..], &[0, 1, 192, 0, 2, 9], &[0, 32, 0, 1, 192, 0, 2, 10]].concat()
}

/// Cases of LISP.
pub(crate) fn cases() -> Vec<Case> {
    let segment = tcp::segment(INNER4);
    let carried = V4.frame(17, &udp::tunnel(V4, DATA, false, &data(&INNER4.packet(6, &segment))));
    let request = udp::datagram(INNER4, [49152, CONTROL], &map_request());
    let message = encapsulated(&INNER4.packet(17, &request));
    let asked = V4.frame(17, &udp::tunnel(V4, CONTROL, false, &message));
    vec![
        tcp::case("lisp-tcp", "TCP in LISP", carried, &segment).both("udp", Verdict::Absent),
        udp::case("lisp-control", "encapsulated control message of LISP", asked, &request)
            .both("udp", Verdict::Absent),
    ]
}
