//! VXLAN, and its generic extension.

use crate::ip::{INNER4, INNER6, V4, V6};
use crate::{Case, Repair, nsh, tcp, udp};
use residue_net::check::Verdict;

/// The UDP port.
pub const PORT: u16 = 4789;

/// Returns what VXLAN (RFC 7348) puts between UDP and a frame.
#[must_use]
pub fn payload(frame: &[u8]) -> Vec<u8> {
    [&[8, 0, 0, 0, 0, 0, 42, 0][..], frame].concat()
}

/// The UDP port of the generic extension.
pub const GENERIC_PORT: u16 = 4790;

/// Returns what the generic extension (draft-ietf-nvo3-vxlan-gpe) puts between UDP and the payload
/// of a protocol (1 is IPv4, 4 the network service header).
#[must_use]
pub fn generic(protocol: u8, payload: &[u8]) -> Vec<u8> {
    [&[0x0c, 0, 0, protocol, 0, 0, 42, 0][..], payload].concat()
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
    let in_generic = |protocol, payload: &[u8]| {
        V4.frame(17, &udp::tunnel(V4, GENERIC_PORT, false, &generic(protocol, payload)))
    };
    let packet = INNER4.packet(6, &segment);
    vec![
        tcp::case("vxlan-gpe-tcp", "TCP in VXLAN-GPE", in_generic(1, &packet), &segment)
            .both("udp", Verdict::Absent),
        tcp::case(
            "vxlan-gpe-nsh-tcp",
            "TCP in NSH in VXLAN-GPE",
            in_generic(4, &nsh::packet(1, &packet)),
            &segment,
        )
        .both("udp", Verdict::Absent),
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
