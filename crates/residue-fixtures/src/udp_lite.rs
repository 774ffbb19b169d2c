//! UDP-Lite: the checksum, over as many bytes as the sender says.

use crate::ip::{Ends, V4, V6, store};
use crate::udp::{PORTS, never_zero, without_checksum};
use crate::{Case, DATA};

/// Returns a datagram (RFC 3828) whose first `coverage` bytes are protected; 0 means all.
#[must_use]
pub fn datagram(ends: Ends, ports: [u16; 2], coverage: u16, data: &[u8]) -> Vec<u8> {
    let mut message = without_checksum(ports, data);
    store(&mut message, 4, coverage);
    let covered = if coverage == 0 { message.len() } else { usize::from(coverage) };
    let mut sum = ends.pseudo(136, message.len());
    sum.update(&message[..covered.min(message.len())]);
    store(&mut message, 6, sum.value());
    never_zero(message, 6)
}

/// Cases of UDP-Lite.
pub(crate) fn cases() -> Vec<Case> {
    let case = |name, title, ends: Ends, coverage| {
        let message = datagram(ends, PORTS, coverage, DATA);
        Case::of_message(name, title, "udplite", (ends, 136), &message, 6)
    };
    vec![
        case("udplite-12", "UDP-Lite, coverage 12", V4, 12),
        case("udplite-0", "UDP-Lite, coverage 0", V6, 0),
        case("udplite-8", "UDP-Lite, header only", V4, 8),
    ]
}
