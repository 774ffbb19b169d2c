//! Geneve.

use crate::ip::{INNER4, V4, V6};
use crate::{Case, tcp, udp};
use residue_net::check::Verdict;

/// The UDP port.
pub const PORT: u16 = 6081;

/// Returns what Geneve (RFC 8926) puts between UDP and a frame: one option of four bytes.
#[must_use]
pub fn payload(frame: &[u8]) -> Vec<u8> {
    [&[2, 0, 0x65, 0x58, 0, 0, 42, 0][..], &[1, 2, 3, 1, 0, 0, 0, 7], frame].concat()
}

/// Cases of Geneve.
pub(crate) fn cases() -> Vec<Case> {
    let segment = tcp::segment(INNER4);
    let over_four = udp::tunnel(V4, PORT, false, &payload(&INNER4.frame(6, &segment)));
    let over_six = |inner: &[u8]| {
        V6.frame(17, &udp::tunnel(V6, PORT, true, &payload(&INNER4.frame(6, inner))))
    };
    vec![
        tcp::case("geneve-tcp", "TCP in Geneve", V4.frame(17, &over_four), &segment)
            .both("udp", Verdict::Absent),
        Case::over_bad(
            "geneve-over-bad",
            "bad TCP under a good Geneve",
            "tcp",
            &over_six,
            &segment,
            16..18,
        ),
    ]
}
