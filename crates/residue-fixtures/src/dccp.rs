//! DCCP: the checksum, over as much data as the sender says.

use crate::ip::{Ends, V4, V6, store};
use crate::udp::PORTS;
use crate::{Case, DATA};
use residue::internet::Checksum;

/// Returns a request (RFC 4340), of which `coverage` says how much data is protected: 0 all, 1
/// none, n the first 4 (n - 1) bytes.
#[must_use]
pub fn request(ends: Ends, ports: [u16; 2], coverage: u8, data: &[u8]) -> Vec<u8> {
    let [source, destination] = ports.map(u16::to_be_bytes);
    // Data offset in words, CCVal and CsCov, checksum, type Request with long sequence numbers,
    // service code.
    let rest = [5, coverage, 0, 0, 1, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 42];
    let mut message = [&source[..], &destination, &rest, data].concat();
    let covered = match coverage {
        0 => message.len(),
        count => (20 + 4 * (usize::from(count) - 1)).min(message.len()),
    };
    let mut sum: Checksum = ends.pseudo(33, message.len());
    sum.update(&message[..covered]);
    store(&mut message, 6, sum.value());
    message
}

/// Cases of DCCP.
pub(crate) fn cases() -> Vec<Case> {
    let case = |name, title, ends: Ends, coverage| {
        let message = request(ends, PORTS, coverage, DATA);
        Case::of_message(name, title, "dccp", (ends, 33), &message, 6)
    };
    vec![
        case("dccp", "DCCP", V4, 0),
        case("dccp-1", "DCCP, no data covered", V4, 1),
        case("dccp-3", "DCCP, 8 bytes of data covered", V6, 3),
    ]
}
