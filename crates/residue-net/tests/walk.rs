//! Tests of walks through packets that contradict themselves.

use residue_net::agreements::Agreements;
use residue_net::check::{Presence, Reason};
use residue_net::frame::{Found, Walk};
use residue_net::pcap::LinkType;
use residue_net::wire;

fn presences(frame: &[u8]) -> Vec<(&'static str, Presence)> {
    presences_with(frame, None)
}

/// For a file that states the length of frame check sequences.
fn presences_with(frame: &[u8], fcs: Option<u8>) -> Vec<(&'static str, Presence)> {
    let (mut found, mut agreements) = (Found::default(), Agreements::default());
    let sent = frame.len() as u32;
    let mut walk = Walk::new(frame, sent, Reason::Cut, &mut found, &mut agreements);
    wire::walk(&mut walk, LinkType::ETHERNET, fcs);
    found.checks.iter().map(|check| (check.protocol.name, check.presence)).collect()
}

/// Found by fuzzing: an LSP whose length ends before its own checksum.
#[test]
fn check_octets_beyond_the_pdu() {
    let mut frame = vec![0; 12];
    frame.extend([0, 40, 0xfe, 0xfe, 3]);
    // An LSP of level 1: header of 27 bytes, identifiers of 6, checksum after 24.
    frame.extend([0x83, 27, 1, 0, 18, 1, 0, 0]);
    let length = frame.len();
    frame.resize(14 + 40, 0x11);
    for (pdu, expected) in [
        (37, Presence::Present),
        (26, Presence::Present),
        (25, Presence::LengthConflict),
        (12, Presence::LengthConflict),
        (0, Presence::LengthConflict),
        (200, Presence::LengthConflict),
    ] {
        frame[length..length + 2].copy_from_slice(&[0, pdu]);
        assert_eq!(presences(&frame), [("isis.lsp", expected)], "{pdu}");
    }
}

/// A length that covers the frame check sequence contradicts a wrong one, not a right one.
#[test]
fn lengths_over_a_frame_check_sequence() {
    let frame = |length: u16, fcs: fn(u32) -> u32| {
        let mut frame = [&[2; 12][..], &length.to_be_bytes(), &[0xfe; 30]].concat();
        let value = fcs(residue::crc32(&frame));
        frame.extend(value.to_le_bytes());
        presences_with(&frame, Some(4))[0]
    };
    assert_eq!(frame(30, |right| right), ("eth.fcs", Presence::Present));
    assert_eq!(frame(34, |right| right), ("eth.fcs", Presence::Present));
    assert_eq!(frame(30, |right| !right), ("eth.fcs", Presence::Present));
    assert_eq!(frame(31, |right| !right), ("eth.fcs", Presence::LengthConflict));
    assert_eq!(frame(34, |right| !right), ("eth.fcs", Presence::LengthConflict));
}
