//! Target `walk`.

use residue_net::agreements::Agreements;
use residue_net::check::{Presence, Reason};
use residue_net::frame::{Found, Walk};
use residue_net::pcap::Reader;
use residue_net::wire;

/// Small compressed files can hold endless packets.
const MOST: usize = 1000;

/// Largest number of checks in a packet: it has bytes for no more, however its headers nest.
const MOST_CHECKS: usize = 70_000;

/// Any file: every packet is walked, every check is computed, and storing the computed value makes
/// it right.
pub fn walk(file: &[u8]) {
    let Ok(mut reader) = Reader::new(file) else { return };
    let (mut found, mut agreements) = (Found::default(), Agreements::default());
    for _ in 0..MOST {
        let Ok(Some(packet)) = reader.next() else { return };
        found.clear();
        let bytes = packet.bytes;
        let mut walk =
            Walk::new(bytes, packet.wire_length, Reason::Cut, &mut found, &mut agreements);
        wire::walk(&mut walk, packet.link, packet.fcs);
        assert!(found.checks.len() < MOST_CHECKS, "{} checks", found.checks.len());
        for check in &found.checks {
            let stored = check.stored(bytes).expect("a check is found with its field");
            let computed = check.computed(bytes, &found.pieces);
            if check.presence == Presence::Present {
                let computed = computed.expect("a check to be judged has all its bytes");
                let mut bytes = bytes.to_vec();
                check.store(&mut bytes, stored);
                assert_eq!(bytes, packet.bytes);
                check.store(&mut bytes, computed);
                assert_eq!(check.stored(&bytes), Some(computed));
            }
        }
    }
}
