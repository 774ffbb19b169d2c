//! Tests of walks through packets that contradict themselves.

use residue_net::check::{Presence, Reason};
use residue_net::frame::{Found, Walk};
use residue_net::pcap::LinkType;
use residue_net::wire::tcp_checksum_option::Agreements;

fn presences(frame: &[u8]) -> Vec<(&'static str, Presence)> {
    let (mut found, mut agreements) = (Found::default(), Agreements::default());
    let sent = frame.len() as u32;
    Walk::new(frame, sent, Reason::Cut, &mut found, &mut agreements).link(LinkType::ETHERNET, None);
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
