//! VXLAN.

use crate::ip::{INNER4, INNER6, V4, V6};
use crate::{Case, Repair, tcp, udp};
use residue_net::check::Verdict;

/// The UDP port.
pub const PORT: u16 = 4789;

/// Returns what VXLAN (RFC 7348) puts between UDP and a frame.
#[must_use]
pub fn payload(frame: &[u8]) -> Vec<u8> {
    [&[8, 0, 0, 0, 0, 0, 42, 0][..], frame].concat()
}

/// Cases of VXLAN.
pub(crate) fn cases() -> Vec<Case> {
    let segment = tcp::segment(INNER4);
    let over_four = |summed, inner: &[u8]| {
        let payload = payload(&INNER4.frame(6, inner));
        V4.frame(17, &udp::tunnel(V4, PORT, summed, &payload))
    };
    let over_six = |summed| {
        let payload = payload(&INNER6.frame(6, &tcp::segment(INNER6)));
        V6.frame(17, &udp::tunnel(V6, PORT, summed, &payload))
    };
    vec![
        tcp::case("vxlan-tcp", "TCP in VXLAN", over_four(false, &segment), &segment)
            .both("udp", Verdict::Absent),
        tcp::case(
            "vxlan-sum-tcp",
            "TCP in VXLAN with UDP checksum",
            over_four(true, &segment),
            &segment,
        )
        .also("udp", Verdict::Bad),
        Case::of(
            "vxlan6-zero",
            "VXLAN over IPv6 without UDP checksum (RFC 6935)",
            "udp",
            over_six(true),
            over_six(false),
        )
        .verdict(Verdict::Absent, Repair::Never),
        Case::over_bad(
            "vxlan-over-bad",
            "bad TCP under a good VXLAN",
            "tcp",
            &|inner| over_four(true, inner),
            &segment,
            16..18,
        ),
    ]
}
