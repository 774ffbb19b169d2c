//! STUN: the fingerprint, over UDP, TCP and TURN.

use crate::ip::V4;
use crate::tcp::Tcp;
use crate::{Case, udp};
use residue::crc32;
use residue_net::check::Verdict;

/// Returns a binding request (RFC 8489) with a fingerprint, its last four bytes.
#[must_use]
pub fn binding_request() -> Vec<u8> {
    let software = [0x80, 0x22, 0, 7, b'r', b'e', b's', b'i', b'd', b'u', b'e', 0];
    let header = [0, 1, 0, 20, 0x21, 0x12, 0xa4, 0x42, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12];
    let message = [&header[..], &software].concat();
    let fingerprint = crc32(&message) ^ u32::from_be_bytes(*b"STUN");
    [&message[..], &[0x80, 0x28, 0, 4], &fingerprint.to_be_bytes()].concat()
}

/// Returns a message of a channel of TURN (RFC 8656 section 12.4), padded as in TCP.
#[must_use]
pub fn channel(number: u16, data: &[u8]) -> Vec<u8> {
    let length = (data.len() as u16).to_be_bytes();
    let mut message = [&number.to_be_bytes()[..], &length, data].concat();
    message.resize(message.len().next_multiple_of(4), 0);
    message
}

/// Cases of STUN.
pub(crate) fn cases() -> Vec<Case> {
    let message = binding_request();
    let field = message.len() - 4..message.len();
    let bound = |message: &[u8]| V4.frame(17, &udp::datagram(V4, [49152, 3478], message));
    let in_tcp = |data: &[u8]| {
        V4.frame(6, &Tcp { ports: [49152, 3478], data, ..Tcp::default() }.segment(V4))
    };
    let turn = |message: &[u8]| {
        in_tcp(&[&channel(0x4001, b"media"), message, &channel(0x4000, b"more")].concat())
    };
    let over_ice = |message: &[u8]| {
        in_tcp(&[&(message.len() as u16).to_be_bytes()[..], message, &[0, 2, 0x80, 0]].concat())
    };
    let over_bad = |name, title, build: &dyn Fn(&[u8]) -> Vec<u8>| {
        Case::over_bad(name, title, "stun", build, &message, field.clone())
    };
    vec![
        over_bad("stun-tcp", "STUN between TURN's channels over TCP", &turn),
        over_bad("stun-ice-tcp", "STUN with a length before it over TCP", &over_ice),
        over_bad("turn", "STUN in a channel of TURN", &|message| bound(&channel(0x4000, message))),
        Case::spoiled("stun", "STUN fingerprint", "stun", bound(&message), &message, field.clone())
            .also("udp", Verdict::Bad),
        Case::over_bad(
            "udp-over-bad",
            "bad fingerprint in a good UDP datagram",
            "stun",
            &bound,
            &message,
            field,
        ),
    ]
}
