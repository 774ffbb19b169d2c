//! RoCEv2: the invariant CRC.

use crate::ip::{Ends, V4, V6};
use crate::udp::without_checksum;
use crate::{Case, DATA, ethernet};
use residue::crc32;
use residue_net::check::Verdict;

/// The UDP port.
pub const PORT: u16 = 4791;

/// Returns a packet (InfiniBand annex A17) over `ends`: a SEND, whose invariant CRC is the last
/// four bytes. It covers the network header too, with ones for whatever routers change, and for the
/// link header that InfiniBand would have.
#[must_use]
pub fn packet(ends: Ends, data: &[u8]) -> Vec<u8> {
    // Base transport header: opcode SEND only, flags, partition key, reserved, queue pair, sequence
    // number.
    let transport = [4, 0x40, 0xff, 0xff, 0, 0, 0, 0x11, 0, 0, 0, 1];
    let payload = [&transport[..], data, &[0; 4]].concat();
    // Without a UDP checksum: the ICRC is there instead.
    let mut packet = ends.packet(17, &without_checksum([49152, PORT], &payload));
    let mut masked = [&[0xff; 8][..], &packet[..packet.len() - 4]].concat();
    let udp = match ends {
        Ends::V4(_) => {
            // Type of service, time to live, checksum.
            [1, 8, 10, 11].into_iter().for_each(|at| masked[8 + at] = 0xff);
            20
        }
        Ends::V6(_) => {
            // Traffic class, flow label, hop limit.
            masked[8] |= 0x0f;
            [1, 2, 3, 7].into_iter().for_each(|at| masked[8 + at] = 0xff);
            40
        }
    };
    // UDP checksum; the transport header's reserved byte.
    [6, 7, 12].into_iter().for_each(|at| masked[8 + udp + at] = 0xff);
    let end = packet.len() - 4;
    packet[end..].copy_from_slice(&crc32(&masked).to_le_bytes());
    packet
}

/// Cases of RoCEv2.
pub(crate) fn cases() -> Vec<Case> {
    let case = |name, title, ends: Ends| {
        let packet = packet(ends, DATA);
        let frame = ethernet::frame(ends.ether_type(), &packet);
        let field = packet.len() - 4..packet.len();
        Case::spoiled(name, title, "roce.icrc", frame, &packet, field)
    };
    vec![
        case("roce-v4", "RoCEv2 over IPv4", V4).both("udp", Verdict::Absent),
        case("roce-v6", "RoCEv2 over IPv6", V6).both("udp", Verdict::Absent),
    ]
}
