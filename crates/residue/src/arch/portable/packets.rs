//! Packets side by side on integers.

use super::Portable;
use crate::arch::PacketSums;

impl PacketSums<2> for Portable {
    type Lanes = u32;
    type Four = [u32; 4];
    const SHORTEST: usize = 0;
    const LONGEST: usize = 512;

    #[inline(always)]
    fn none(self) -> u32 {
        0
    }

    #[inline(always)]
    fn quick(self, packet: &[u8]) -> Option<u32> {
        (packet.len() >= 32).then(|| self.lanes(packet))
    }

    #[inline(always)]
    fn brief(self, packet: &[u8]) -> Option<u32> {
        (packet.len() < 32).then(|| self.lanes(packet))
    }

    #[inline(always)]
    fn lanes(self, packet: &[u8]) -> u32 {
        let (words, last) = packet.as_chunks::<2>();
        let sum: u32 = words.iter().map(|word| u32::from(u16::from_le_bytes(*word))).sum();
        sum + last.first().map_or(0, |&byte| u32::from(byte))
    }

    #[inline(always)]
    fn lone(self, sum: u16) -> u32 {
        u32::from(sum)
    }

    #[inline(always)]
    fn four(self, packets: [u32; 4]) -> [u32; 4] {
        packets
    }

    #[inline(always)]
    fn checksums(self, fours: [[u32; 4]; 2]) -> [[u16; 4]; 2] {
        fours.map(|four| {
            four.map(|sum| {
                let sum = (sum & 0xffff) + (sum >> 16);
                (!(sum + (sum >> 16)) as u16).swap_bytes()
            })
        })
    }
}
