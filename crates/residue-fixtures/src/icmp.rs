//! ICMP and ICMPv6.

use crate::ip::{Ends, V4, V6, seal, seal_alone};
use crate::{Case, DATA, udp};

/// Returns an ICMP message (RFC 792). `rest` is the header's second word.
#[must_use]
pub fn message(kind: u8, code: u8, rest: [u8; 4], data: &[u8]) -> Vec<u8> {
    seal_alone([&[kind, code, 0, 0][..], &rest, data].concat(), 2)
}

/// Returns an ICMPv6 message (RFC 4443). `rest` is the header's second word.
#[must_use]
pub fn message_v6(ends: Ends, kind: u8, code: u8, rest: [u8; 4], data: &[u8]) -> Vec<u8> {
    seal([&[kind, code, 0, 0][..], &rest, data].concat(), ends, 58, 2)
}

/// Cases of ICMP.
pub(crate) fn cases() -> Vec<Case> {
    // The quoted datagram is longer than what is quoted of it.
    let quoted = V4.turned().packet(17, &udp::datagram(V4.turned(), udp::PORTS, DATA));
    let error = message(3, 3, [0; 4], &quoted[..28]);
    let echo = message(8, 0, [0, 1, 0, 1], DATA);
    let echo_v6 = message_v6(V6, 128, 0, [0, 1, 0, 1], DATA);
    vec![
        Case::of_message("icmpv6", "ICMPv6", "icmpv6", (V6, 58), &echo_v6, 2),
        Case::of_message("icmp", "ICMP", "icmp", (V4, 1), &echo, 2),
        Case::of_message(
            "icmp-error",
            "ICMP error quoting a cut packet",
            "icmp",
            (V4, 1),
            &error,
            2,
        ),
    ]
}
