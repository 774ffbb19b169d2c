//! ICMP extensions.

use crate::ip::{V4, seal_alone};
use crate::{Case, DATA, icmp, udp};
use residue_net::check::Verdict;

/// Returns extensions of an ICMP error (RFC 4884 section 7): one MPLS label stack entry (RFC 4950).
#[must_use]
pub fn structure() -> Vec<u8> {
    seal_alone(vec![0x20, 0, 0, 0, 0, 8, 1, 1, 0, 1, 1, 64], 2)
}

/// Returns an ICMP time-exceeded error with extensions after `quoted`, which is padded to 128
/// bytes.
#[must_use]
pub fn message(quoted: &[u8], extensions: &[u8]) -> Vec<u8> {
    let mut data = quoted.to_vec();
    data.resize(128, 0);
    data.extend_from_slice(extensions);
    icmp::message(11, 0, [0, 32, 0, 0], &data)
}

/// Cases of ICMP extensions.
pub(crate) fn cases() -> Vec<Case> {
    let extensions = structure();
    let quoted = V4.turned().packet(17, &udp::datagram(V4.turned(), udp::PORTS, DATA));
    let error = message(&quoted, &extensions);
    let extended = |part: &[u8]| V4.frame(1, &message(&V4.turned().packet(17, &[]), part));
    vec![
        Case::spoiled(
            "icmp-ext",
            "ICMP extensions",
            "icmp.ext",
            V4.frame(1, &error),
            &extensions,
            2..4,
        )
        .also("icmp", Verdict::Bad),
        Case::over_bad(
            "icmp-over-bad",
            "bad extensions in a good ICMP message",
            "icmp.ext",
            &extended,
            &extensions,
            2..4,
        ),
    ]
}
