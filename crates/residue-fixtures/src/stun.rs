//! STUN: the fingerprint.

use crate::ip::V4;
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

/// Cases of STUN.
pub(crate) fn cases() -> Vec<Case> {
    let message = binding_request();
    let field = message.len() - 4..message.len();
    let bound = |message: &[u8]| V4.frame(17, &udp::datagram(V4, [49152, 3478], message));
    vec![
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
