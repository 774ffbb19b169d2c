//! GTP-U.

use crate::ip::{INNER4, V4};
use crate::{Case, tcp, udp};
use residue_net::check::Verdict;

/// The UDP port.
pub const PORT: u16 = 2152;

/// Returns what GTP-U (3GPP TS 29.281) puts between UDP and a packet.
#[must_use]
pub fn payload(packet: &[u8]) -> Vec<u8> {
    let length = (packet.len() as u16).to_be_bytes();
    [&[0x30, 0xff, length[0], length[1], 0, 0, 0, 42][..], packet].concat()
}

/// Cases of GTP-U.
pub(crate) fn cases() -> Vec<Case> {
    let segment = tcp::segment(INNER4);
    let datagram = udp::tunnel(V4, PORT, false, &payload(&INNER4.packet(6, &segment)));
    let case = tcp::case("gtpu-tcp", "TCP in GTP-U", V4.frame(17, &datagram), &segment);
    vec![case.both("udp", Verdict::Absent)]
}
