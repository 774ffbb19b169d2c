//! GTP-U, and version 0 of GTP.

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

/// The UDP port of version 0, and of GTP'.
pub const PORT_0: u16 = 3386;

/// Returns what version 0 (GSM 09.60) puts between UDP and a packet.
#[must_use]
pub fn payload_0(packet: &[u8]) -> Vec<u8> {
    let length = (packet.len() as u16).to_be_bytes();
    let header = [0x1e, 0xff, length[0], length[1], 0, 1, 0, 2, 0xff, 0xff, 0xff, 0xff];
    [&header[..], &[0x21, 3, 0, 0, 0, 0, 0, 0x10], packet].concat()
}

/// Cases of GTP.
pub(crate) fn cases() -> Vec<Case> {
    let segment = tcp::segment(INNER4);
    let datagram = udp::tunnel(V4, PORT, false, &payload(&INNER4.packet(6, &segment)));
    let case = tcp::case("gtpu-tcp", "TCP in GTP-U", V4.frame(17, &datagram), &segment);
    let datagram = udp::tunnel(V4, PORT_0, false, &payload_0(&INNER4.packet(6, &segment)));
    let old = tcp::case("gtp0-tcp", "TCP in GTP version 0", V4.frame(17, &datagram), &segment);
    [case, old].map(|case| case.both("udp", Verdict::Absent)).into()
}
