//! Ethernet: the frame check sequence, VLAN tags, padding.

use crate::Case;
use crate::ip::{INNER4, V4};
use crate::tcp::{self, Tcp};

/// Hardware addresses of the two ends, destination first. Unicast, locally administered.
const STATIONS: [u8; 12] = [2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1];

/// Returns a frame without frame check sequence.
#[must_use]
pub fn frame(ether_type: u16, payload: &[u8]) -> Vec<u8> {
    [&STATIONS[..], &ether_type.to_be_bytes(), payload].concat()
}

/// Returns an IEEE 802.3 frame: its length, then `llc`, the logical link control and what it
/// carries.
#[must_use]
pub fn ieee_802_3(llc: &[u8]) -> Vec<u8> {
    frame(llc.len() as u16, llc)
}

/// Returns what follows a VLAN tag's EtherType, 8100 or 88A8 (IEEE 802.1Q).
#[must_use]
pub fn vlan(id: u16, ether_type: u16, payload: &[u8]) -> Vec<u8> {
    [&id.to_be_bytes()[..], &ether_type.to_be_bytes(), payload].concat()
}

/// Returns the frame with its frame check sequence (IEEE 802.3 section 3.2.9).
#[must_use]
pub fn with_fcs(frame: &[u8]) -> Vec<u8> {
    [frame, &residue::crc32(frame).to_le_bytes()].concat()
}

/// Returns the frame with bytes that belong to no packet after it, so that it has `length` bytes.
#[must_use]
pub fn padded(frame: &[u8], length: usize) -> Vec<u8> {
    let mut frame = frame.to_vec();
    frame.resize(length.max(frame.len()), 0xa5);
    frame
}

/// Cases of Ethernet.
pub(crate) fn cases() -> Vec<Case> {
    let segment = tcp::segment(V4);
    let whole = V4.frame(6, &segment);
    let tagged = vlan(42, 0x0800, &V4.packet(6, &segment));
    let twice = vlan(7, 0x8100, &tagged);
    let short = Tcp { data: b"", ..Tcp::default() }.segment(V4);
    let sealed = with_fcs(&whole);
    let title = "Ethernet frame check sequence";
    let checked =
        Case::spoiled("fcs", title, "eth.fcs", sealed.clone(), &sealed[whole.len()..], 0..4);
    let inner = tcp::segment(INNER4);
    let over_bad = Case::over_bad(
        "fcs-over-bad",
        "bad TCP under a good frame check sequence",
        "tcp",
        &|inner| with_fcs(&INNER4.frame(6, inner)),
        &inner,
        16..18,
    );
    vec![
        tcp::case("vlan-tcp", "VLAN", frame(0x8100, &tagged), &segment),
        tcp::case("qinq-tcp", "QinQ", frame(0x88a8, &twice), &segment),
        tcp::case("padding-tcp", "padding after IP", padded(&V4.frame(6, &short), 60), &short),
        Case { fcs: Some(4), ..checked },
        Case { fcs: Some(4), ..over_bad },
    ]
}
