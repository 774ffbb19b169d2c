//! PIM.

use crate::ip::{A, Ends, LOCAL6, V4, multicast, seal, seal_alone};
use crate::{Case, DATA, udp};

/// Returns a hello with a hold time (RFC 7761). The pseudo-header counts for IPv6 only.
#[must_use]
pub fn hello(ends: Ends) -> Vec<u8> {
    let message = vec![0x20, 0, 0, 0, 0, 1, 0, 2, 0, 105];
    match ends {
        Ends::V4(_) => seal_alone(message, 2),
        Ends::V6(_) => seal(message, ends, 103, 2),
    }
}

/// Returns a register (RFC 7761 section 4.9.3) over IPv4: the checksum covers the first eight
/// bytes, not the packet inside.
#[must_use]
pub fn register(packet: &[u8]) -> Vec<u8> {
    let header = seal_alone(vec![0x21, 0, 0, 0, 0, 0, 0, 0], 2);
    [&header, packet].concat()
}

/// Cases of PIM.
pub(crate) fn cases() -> Vec<Case> {
    let four = Ends::V4([A, [224, 0, 0, 13]]);
    let six = Ends::V6([LOCAL6, multicast(0xd)]);
    let stream = Ends::V4([[10, 0, 0, 1], [239, 1, 2, 3]]);
    let inside = stream.packet(17, &udp::datagram(stream, udp::PORTS, DATA));
    vec![
        Case::of_message("pim-v4", "PIM over IPv4", "pim", (four, 103), &hello(four), 2),
        Case::of_message("pim-v6", "PIM over IPv6", "pim", (six, 103), &hello(six), 2),
        Case::of_message("pim-register", "PIM register", "pim", (V4, 103), &register(&inside), 2),
    ]
}
