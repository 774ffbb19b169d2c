//! IEEE 802.11: data frames, and the headers with which they are captured.

use crate::ip::V4;
use crate::{Case, ethernet, llc, tcp, udp};
use residue_net::pcap::LinkType;

/// The header of a data frame to the access point: frame control, duration, three addresses, a
/// number.
const HEADER: [u8; 24] =
    [8, 1, 0, 0, 2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 3, 0x10, 0];

/// Returns a data frame with a payload behind LLC and SNAP.
#[must_use]
pub fn frame(ether_type: u16, payload: &[u8]) -> Vec<u8> {
    [&HEADER[..], &llc::snap(ether_type, payload)].concat()
}

/// Returns a data frame with several packets, each in a part of its own (IEEE 802.11 section
/// 9.3.2.2).
#[must_use]
pub fn aggregate(ether_type: u16, payloads: &[&[u8]]) -> Vec<u8> {
    let mut parts = Vec::new();
    for payload in payloads {
        parts.resize(parts.len().next_multiple_of(4), 0);
        // Each has the addresses and the length of an Ethernet frame.
        parts.extend(ethernet::ieee_802_3(&llc::snap(ether_type, payload)));
    }
    [&[0x88][..], &HEADER[1..], &[0x80, 0], &parts].concat()
}

/// Returns a data frame flagged as encrypted, with the header of CCMP and this payload.
fn protected(payload: &[u8]) -> Vec<u8> {
    const CCMP: [u8; 8] = [1, 0, 0, 0x20, 0, 0, 0, 0];
    [&[8, 0x41][..], &HEADER[2..], &CCMP, payload].concat()
}

/// Returns a case of a decrypted frame with the frame check sequence of the encrypted one.
fn decrypted(packet: &[u8]) -> Case {
    let plain = protected(&llc::snap(0x0800, packet));
    let cipher: Vec<u8> =
        plain[32..].iter().map(|byte| byte ^ byte.wrapping_mul(37) ^ 0x5b).collect();
    let sealed = ethernet::with_fcs(&protected(&cipher));
    let fcs = &sealed[sealed.len() - 4..];
    let (good, bad) = (ethernet::with_fcs(&plain), [&plain[..], fcs].concat());
    Case::of(
        "wlan-decrypted",
        "IEEE 802.11, decrypted",
        "wlan.fcs",
        radiotap(&good),
        radiotap(&bad),
    )
    .link(LinkType(127))
    .because("decrypted")
}

/// Returns radiotap's header with the flag of a frame check sequence.
#[must_use]
pub fn radiotap(frame: &[u8]) -> Vec<u8> {
    [&[0, 0, 9, 0, 2, 0, 0, 0, 0x10][..], frame].concat()
}

/// Returns a header of Per-Packet Information (CACE) with the flag of a frame check sequence.
#[must_use]
pub fn per_packet(frame: &[u8]) -> Vec<u8> {
    let mut header = vec![0, 0, 32, 0, 105, 0, 0, 0, 2, 0, 20, 0];
    header.extend([0; 20]);
    header[20] = 1;
    [&header[..], frame].concat()
}

/// Cases of IEEE 802.11.
pub(crate) fn cases() -> Vec<Case> {
    let segment = tcp::segment(V4);
    let packet = V4.packet(6, &segment);
    let plain = frame(0x0800, &packet);
    let sealed = ethernet::with_fcs(&plain);
    let (taps, infos) = (radiotap(&sealed), per_packet(&sealed));
    let field = sealed.len() - 4..sealed.len();
    let other = V4.packet(17, &udp::datagram(V4, udp::PORTS, b"first"));
    let several = aggregate(0x0800, &[&other, &packet]);
    let checked = |name, title, frame, link| {
        Case::spoiled(name, title, "wlan.fcs", frame, &sealed, field.clone()).link(LinkType(link))
    };
    vec![
        tcp::case("wlan-tcp", "IEEE 802.11", plain, &segment).link(LinkType(105)),
        tcp::case("amsdu-tcp", "IEEE 802.11, aggregated", several, &segment).link(LinkType(105)),
        checked("radiotap", "radiotap, frame check sequence", taps, 127),
        decrypted(&packet),
        checked("ppi", "Per-Packet Information, frame check sequence", infos, 192),
    ]
}
