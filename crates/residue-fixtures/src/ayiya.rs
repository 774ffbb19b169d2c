//! AYIYA.

use crate::ip::{INNER6, V4, documentation};
use crate::{Case, tcp, udp};
use residue_net::check::Verdict;

/// The UDP port.
pub const PORT: u16 = 5072;

/// Returns what AYIYA (draft-massar-v6ops-ayiya) puts between UDP and an IPv6 packet: an address of
/// 16 bytes as identity, a signature of 20 bytes, the time.
#[must_use]
pub fn payload(packet: &[u8]) -> Vec<u8> {
    let header = [0x41, 0x52, 0x11, 41, 0x5f, 0, 0, 0];
    [&header[..], &documentation(1), &[0x77; 20], packet].concat()
}

/// Cases of AYIYA.
pub(crate) fn cases() -> Vec<Case> {
    let segment = tcp::segment(INNER6);
    let datagram = udp::tunnel(V4, PORT, false, &payload(&INNER6.packet(6, &segment)));
    let case = tcp::case("ayiya-tcp", "TCP in AYIYA", V4.frame(17, &datagram), &segment);
    vec![case.both("udp", Verdict::Absent)]
}
