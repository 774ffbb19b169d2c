//! CAPWAP, and LWAPP before it.

use crate::ip::{INNER4, V4};
use crate::{Case, tcp, udp, wlan};
use residue_net::check::Verdict;

/// The UDP port of data.
pub const PORT: u16 = 5247;
/// The UDP port of LWAPP's data.
pub const LWAPP_PORT: u16 = 12222;

/// Returns what CAPWAP (RFC 5415) puts between UDP and an Ethernet frame, or one of IEEE 802.11
/// (`native`).
#[must_use]
pub fn payload(native: bool, frame: &[u8]) -> Vec<u8> {
    // Two words of header, radio 1, the binding of IEEE 802.11.
    let bits = 2 << 19 | 1 << 14 | 1 << 9 | u32::from(native) << 8;
    [&u32::to_be_bytes(bits)[..], &[0; 4], frame].concat()
}

/// Returns what LWAPP (RFC 5412) puts between UDP and a frame of IEEE 802.11, whose two bytes of
/// frame control Cisco exchanges.
#[must_use]
pub fn lwapp(frame: &[u8]) -> Vec<u8> {
    let length = (frame.len() as u16).to_be_bytes();
    let mut payload = [&[8, 1, length[0], length[1], 0, 0][..], frame].concat();
    payload.swap(6, 7);
    payload
}

/// Cases of CAPWAP and LWAPP.
pub(crate) fn cases() -> Vec<Case> {
    let segment = tcp::segment(INNER4);
    let (frame, native) =
        (INNER4.frame(6, &segment), wlan::frame(0x0800, &INNER4.packet(6, &segment)));
    let case = |name, title, port, payload: &[u8]| {
        let frame = V4.frame(17, &udp::tunnel(V4, port, false, payload));
        tcp::case(name, title, frame, &segment).both("udp", Verdict::Absent)
    };
    vec![
        case("capwap-tcp", "TCP in CAPWAP, Ethernet", PORT, &payload(false, &frame)),
        case("capwap-wlan-tcp", "TCP in CAPWAP, IEEE 802.11", PORT, &payload(true, &native)),
        case("lwapp-tcp", "TCP in LWAPP", LWAPP_PORT, &lwapp(&native)),
    ]
}
