//! A router that damages forwarded packets.

use crate::fault::Fault;
use crate::link::{blank, damage};
use crate::random::Random;
use residue_guard::is_right;
use residue_guard::packet::{End, SYN, segment};
use residue_guard::queue::{Judge, Verdict};
use residue_net::wire::tcp_checksum_option::REQUEST;
use std::collections::HashSet;

/// Segments with less data are not damaged: a damaged HTTP header would end the transfer, and show
/// nothing about data.
const LEAST_DATA: usize = 512;

/// Damages the packets of a queue.
#[derive(Debug)]
pub struct Router {
    fault: Fault,
    one_in: u64,
    random: Random,
    /// Index of the segment to damage in the current group of `one_in`. One of each group, so that
    /// the share is exact, but at a random place, so that a retransmission is not always the one.
    turn: u64,
    buffer: Vec<u8>,
    /// Connections that began while this router worked: the ends of their SYNs. A segment of an
    /// older one may be a late retransmission to a host whose guard no longer, or not yet, knows
    /// it.
    connections: HashSet<[End; 2]>,
    /// Segments of these connections with at least 512 bytes of data.
    pub segments: u64,
    /// Value of the connections, if one is expected.
    value: Option<u8>,
    /// Changed packets.
    pub damaged: u64,
    /// Those of them that are right by the value: no guard can know that they are damaged.
    pub undetectable: u64,
}

impl Router {
    /// Creates a router that applies the fault to one in `one_in` segments with data, of
    /// connections whose SYN, from the same host, it has forwarded;
    /// [`Fault::NoRequest`] removes option 14 from all SYNs instead. Faults that delay, lose or
    /// translate packets are ignored.
    #[must_use]
    pub fn new(fault: Fault, one_in: u64, seed: u64) -> Router {
        let mut random = Random(seed);
        let one_in = one_in.max(1);
        let turn = random.below(one_in);
        Router {
            fault,
            one_in,
            random,
            turn,
            buffer: Vec::new(),
            connections: HashSet::new(),
            segments: 0,
            value: None,
            damaged: 0,
            undetectable: 0,
        }
    }

    /// Counts changed packets that are right by a value as [`Router::undetectable`].
    #[must_use]
    pub fn expecting(self, value: Option<u8>) -> Router {
        Router { value, ..self }
    }

    /// Returns whether it is this segment's turn.
    fn turn(&mut self) -> bool {
        let place = self.segments % self.one_in;
        self.segments += 1;
        let is_its_turn = place == self.turn;
        if place == self.one_in - 1 {
            self.turn = self.random.below(self.one_in);
        }
        is_its_turn
    }
}

impl Judge for Router {
    fn judge(&mut self, _: u16, packet: &[u8]) -> Verdict<'_> {
        let Some(segment) = segment(packet) else { return Verdict::Accept };
        self.buffer.clear();
        if segment.flags() & SYN != 0 {
            self.connections.insert(segment.ends());
            if self.fault == Fault::NoRequest {
                self.buffer.extend_from_slice(packet);
                blank(&mut self.buffer, REQUEST);
            }
        } else if segment.payload().len() >= LEAST_DATA
            && self.connections.contains(&segment.ends())
            && self.turn()
            && let Some(harm) = self.fault.harm(&mut self.random)
        {
            self.buffer.extend_from_slice(packet);
            damage(&mut self.buffer, harm, &mut self.random);
        }
        if self.buffer.is_empty() || self.buffer == packet {
            return Verdict::Accept;
        }
        self.damaged += 1;
        let is_right = self.value.is_some_and(|value| is_right(&self.buffer, value));
        self.undetectable += u64::from(is_right);
        Verdict::Replace(&self.buffer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use residue_guard::options;
    use residue_guard::packet::{Segment, write_checksum};

    /// Returns a segment over IPv4 with these flags, options and data, and a right TCP checksum.
    fn packet(flags: u8, options: &[u8], data: &[u8]) -> Vec<u8> {
        let header = 20 + options.len();
        let mut packet = vec![0x45, 0, 0, 0, 0, 0, 0, 0, 64, 6, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2];
        packet.extend([0x1f, 0x90, 0xc0, 0, 0, 0, 0, 1, 0, 0, 0, 1]);
        packet.extend([(header / 4) as u8 * 16, flags, 1, 0, 0, 0, 0, 0]);
        packet.extend(options);
        packet.extend(data);
        let length = packet.len() as u16;
        packet[2..4].copy_from_slice(&length.to_be_bytes());
        let ip = segment(&packet).ip;
        write_checksum(&mut packet, &ip, &mut Vec::new());
        packet
    }

    fn segment(packet: &[u8]) -> Segment<'_> {
        residue_guard::packet::segment(packet).expect("a segment")
    }

    fn noise(length: usize) -> Vec<u8> {
        let mut random = Random(9);
        (0..length).map(|_| random.below(256) as u8).collect()
    }

    #[test]
    fn one_of_each_group_is_damaged_and_the_checksum_stays_right() {
        let original = packet(16, &[], &noise(1001));
        for (fault, swapped) in [(Fault::WordSwap, true), (Fault::NatDamage, false)] {
            let mut router = Router::new(fault, 7, 1);
            assert_eq!(router.judge(3, &packet(SYN, &[], &[])), Verdict::Accept);
            for group in 1..=100 {
                for _ in 0..7 {
                    let Verdict::Replace(bytes) = router.judge(3, &original) else { continue };
                    let (old, new) = (segment(&original), segment(bytes));
                    assert!(new.checksum_is_good(&mut Vec::new()));
                    let differ: Vec<usize> =
                        (0..bytes.len()).filter(|&at| bytes[at] != original[at]).collect();
                    assert!(!differ.is_empty() && old.payload() != new.payload());
                    if swapped {
                        let places = |at: &usize| at & !1;
                        let words: std::collections::BTreeSet<_> =
                            differ.iter().map(places).collect();
                        assert_eq!(words.len(), 2, "{differ:?}");
                        let mut sorted = [old.payload().to_vec(), new.payload().to_vec()];
                        sorted.iter_mut().for_each(|bytes| bytes.sort_unstable());
                        assert_eq!(sorted[0], sorted[1]);
                    } else {
                        let data = differ.iter().filter(|&&at| at >= 40).count();
                        assert!(
                            data == 1 && differ.iter().all(|at| (36..38).contains(at) || *at >= 40)
                        );
                    }
                }
                assert_eq!((router.segments, router.damaged), (group * 7, group));
            }
        }
    }

    #[test]
    fn small_segments_and_other_packets_pass() {
        let mut router = Router::new(Fault::WordSwap, 1, 1);
        router.judge(3, &packet(SYN, &[], &[]));
        for passes in [packet(16, &[], &noise(511)), packet(2, &[14, 3, 5, 1], &[]), vec![1, 2, 3]]
        {
            assert_eq!(router.judge(3, &passes), Verdict::Accept);
        }
        assert_eq!((router.segments, router.damaged), (0, 0));
    }

    #[test]
    fn connections_that_began_before_are_left_alone() {
        let mut router = Router::new(Fault::WordSwap, 1, 1);
        let data = packet(16, &[], &noise(600));
        assert_eq!(router.judge(3, &data), Verdict::Accept);
        assert_eq!((router.segments, router.damaged), (0, 0));
        // Another port of the same hosts.
        let mut syn = packet(SYN, &[], &[]);
        syn[23] ^= 1;
        router.judge(3, &syn);
        assert_eq!(router.judge(3, &data), Verdict::Accept);
        syn[23] ^= 1;
        router.judge(3, &syn);
        assert!(matches!(router.judge(3, &data), Verdict::Replace(_)));
        assert_eq!((router.segments, router.damaged), (1, 1));
    }

    #[test]
    fn the_request_is_taken_out_of_syns() {
        let mut router = Router::new(Fault::NoRequest, 1, 1);
        let syn = packet(2, &[14, 3, 5, 1], &[]);
        let Verdict::Replace(bytes) = router.judge(3, &syn) else { panic!("it is replaced") };
        assert!(segment(bytes).checksum_is_good(&mut Vec::new()));
        assert!(options::find(segment(bytes).options(), REQUEST).is_none());
        let data = packet(16, &[], &noise(600));
        assert_eq!(router.judge(3, &data), Verdict::Accept);
        assert_eq!(router.damaged, 1);
    }
}
