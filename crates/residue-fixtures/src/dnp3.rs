//! DNP3: a CRC for the header and for each block of data.

use crate::Case;
use crate::ip::V4;
use crate::tcp::Tcp;
use residue::crc::{Crc, catalog};
use residue_net::check::Verdict;

static CRC_16_DNP: Crc = Crc::new(&catalog::CRC_16_DNP);

/// Returns a link frame (IEEE 1815): a header block, then blocks of up to 16 bytes of `data`, each
/// with its CRC. `data` has at most 250 bytes.
#[must_use]
pub fn frame(data: &[u8]) -> Vec<u8> {
    let block = |bytes: &[u8]| {
        let value = CRC_16_DNP.checksum(bytes) as u16;
        [bytes, &value.to_le_bytes()].concat()
    };
    // Start, length from control to the end without CRCs, control, destination, source.
    let mut frame = block(&[5, 0x64, 5 + data.len() as u8, 0xc4, 1, 0, 2, 0]);
    data.chunks(16).for_each(|chunk| frame.extend(block(chunk)));
    frame
}

/// Cases of DNP3.
pub(crate) fn cases() -> Vec<Case> {
    let outstation =
        frame(b"\xc0\xc1\x01\x3c\x02\x06\x3c\x03\x06\x3c\x04\x06\x3c\x01\x06\x3c\x01\x06");
    let ports = [49152, 20000];
    let segment = Tcp { ports, data: &outstation, ..Tcp::default() }.segment(V4);
    let case = |name, title, protocol, field| {
        Case::spoiled(name, title, protocol, V4.frame(6, &segment), &outstation, field)
            .also("tcp", Verdict::Bad)
    };
    vec![
        case("dnp3-header", "DNP3 header block", "dnp3.header", 8..10),
        case("dnp3-data", "DNP3 data block", "dnp3.data", 26..28),
        case("dnp3-last", "DNP3 last data block", "dnp3.data", 30..32),
    ]
}
