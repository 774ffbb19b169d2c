//! Packets that a capture holds twice, as that of a mirror port does which sees each packet enter
//! and leave a switch.

use crate::buffer::{Buffer, Places};
use crate::lru::Lru;
use crate::pcap::Reader;
use crate::verify::Verifier;
use std::collections::hash_map::DefaultHasher;
use std::hash::Hasher as _;
use std::io::Read;

/// Longest time in nanoseconds between a packet and its copy.
const LONGEST: u64 = 20_000_000;
/// Number of different packets among which a copy is searched.
const MOST: usize = 4096;
/// Number of different packets after which a capture is known not to hold all twice.
const ENOUGH: u64 = 1024;
/// Least number of different packets that show it.
const LEAST: u64 = 16;

/// A packet that was seen.
#[derive(Clone, Copy, Debug)]
struct Seen {
    time: u64,
    count: u32,
}

/// Finds the copies among the packets of a capture.
///
/// A copy is equal to a packet of the last 20 ms from the IP header on, time to live and
/// identification included, and no other packet is a copy of that one: the second of two, and the
/// fourth of four. Link headers and padding may differ. Packets repeated by their sender, or by the
/// network, look alike; but only a point that sees each packet twice gives nearly all of them
/// twice.
#[derive(Debug)]
pub struct Copies {
    recent: Lru<u64, Seen>,
    contents: u64,
    /// Contents that occurred exactly twice.
    twice: u64,
    copies: u64,
}

impl Default for Copies {
    fn default() -> Self {
        Copies { recent: Lru::new([MOST]), contents: 0, twice: 0, copies: 0 }
    }
}

impl Copies {
    /// Takes the next packet, of this [`key`]; returns whether it is a copy. Packets without a time
    /// have the time 0.
    pub fn take(&mut self, key: u64, time: Option<u64>) -> bool {
        let time = time.unwrap_or(0);
        let seen = self.recent.get_mut(&key).filter(|it| it.time.abs_diff(time) <= LONGEST);
        let Some(seen) = seen else {
            self.contents += 1;
            self.recent.insert(key, Seen { time, count: 1 }, 0);
            return false;
        };
        seen.count = seen.count.saturating_add(1);
        match seen.count {
            2 => self.twice += 1,
            3 => self.twice -= 1,
            _ => {}
        }
        let is_copy = seen.count.is_multiple_of(2);
        self.copies += u64::from(is_copy);
        is_copy
    }

    /// Returns the number of copies so far.
    #[must_use]
    pub fn copies(&self) -> u64 {
        self.copies
    }

    /// Returns whether nearly every packet so far was there exactly twice: of 20 contents 19.
    #[must_use]
    pub fn is_doubled(&self) -> bool {
        self.contents >= LEAST && self.twice * 20 >= self.contents * 19
    }

    /// Returns whether so many packets were single that more do not matter.
    #[must_use]
    pub fn is_decided(&self) -> bool {
        self.contents >= ENOUGH && self.twice * 2 < self.contents
    }
}

/// Returns a key of what copies have in common: the captured bytes from the IP header on, without
/// padding, and their number when they were sent.
#[must_use]
pub fn key(bytes: &[u8], sent: usize) -> u64 {
    let word =
        |at: usize| bytes.get(at..at + 2).map(|it| usize::from(it[0]) << 8 | usize::from(it[1]));
    let length = match bytes.first().map(|first| first >> 4) {
        Some(4) => word(2),
        Some(6) => word(4).map(|payload| payload + 40),
        _ => None,
    };
    let length = length.filter(|&length| length >= 20).unwrap_or(sent).min(sent);
    let mut hasher = DefaultHasher::new();
    hasher.write_usize(length);
    hasher.write(&bytes[..length.min(bytes.len())]);
    hasher.finish()
}

/// Returns the [`key`] of a packet of a capture; of a frame without IP that is captured, of all of
/// it. `None` for what is not a packet of the capture, such as a reassembled datagram.
#[must_use]
pub fn key_of(buffer: &Buffer<'_>) -> Option<u64> {
    if !matches!(buffer.places, Places::Contiguous(_)) {
        return None;
    }
    let fragment = buffer.found.fragments.first().map(|it| [it.ip.source, it.ip.destination]);
    let network = buffer.found.networks.first().copied().or(fragment);
    let start = network.and_then(|network| buffer.start_of(network)).unwrap_or(0);
    Some(key(&buffer.bytes[start..], (buffer.sent as usize).saturating_sub(start)))
}

/// Returns the number of copies in a capture that holds nearly every packet twice, or `None`.
/// Reads all of such a capture, and the beginning of others. An error ends the capture.
pub fn doubled<R: Read>(mut reader: Reader<R>) -> Option<u64> {
    let (mut copies, mut verifier) = (Copies::default(), Verifier::new());
    while let Ok(Some(packet)) = reader.next() {
        verifier.packet(&packet, |buffer| {
            if let Some(key) = key_of(buffer) {
                copies.take(key, buffer.time);
            }
        });
        if copies.is_decided() {
            return None;
        }
    }
    copies.is_doubled().then_some(copies.copies)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(packets: &[(u64, u64)]) -> (Copies, Vec<bool>) {
        let mut copies = Copies::default();
        let found = packets.iter().map(|&(key, time)| copies.take(key, Some(time))).collect();
        (copies, found)
    }

    #[test]
    fn the_second_of_each_pair_is_a_copy() {
        let all: Vec<(u64, u64)> =
            (0..100).flat_map(|i| [(i, 1_000_000 * i), (i, 1_000_000 * i + 900)]).collect();
        let (copies, found) = run(&all);
        assert!(copies.is_doubled() && copies.copies() == 100);
        assert!(found.chunks(2).all(|pair| pair == [false, true]));
        // The network duplicated one of them: four are there, and two are copies.
        let (copies, found) = run(&[&all[..], &[(99, 99_900_000), (99, 99_900_500)]].concat());
        assert!(copies.is_doubled() && found[198..] == [false, true, false, true]);
    }

    #[test]
    fn what_is_repeated_otherwise_is_no_doubled_capture() {
        let millisecond = 1_000_000;
        // One content, again and again; each packet thrice; one in ten twice; all once more later.
        let constant: Vec<(u64, u64)> = (0..4000).map(|i| (7, i * millisecond / 10)).collect();
        let thrice: Vec<(u64, u64)> = (0..3000).map(|i| (i / 3, i * millisecond)).collect();
        let some: Vec<(u64, u64)> =
            (0..3000).map(|i| (i - u64::from(i % 10 == 9), i * millisecond)).collect();
        let later: Vec<(u64, u64)> = (0..3000).map(|i| (i % 1500, i * 10 * millisecond)).collect();
        let few: Vec<(u64, u64)> = (0..20).map(|i| (i / 2, i * millisecond)).collect();
        for packets in [&constant, &thrice, &some, &later, &few] {
            assert!(!run(packets).0.is_doubled(), "{:?}", &packets[..8]);
        }
    }

    #[test]
    fn padding_does_not_count() {
        let mut packet = vec![0x45, 0, 0, 24, 1, 2, 3, 4, 64, 17];
        packet.resize(24, 9);
        let padded = [&packet[..], &[0; 22]].concat();
        assert_eq!(key(&packet, 24), key(&padded, 46));
        packet[8] = 63;
        assert_ne!(key(&packet, 24), key(&padded, 46));
        assert_ne!(key(&[1, 2], 2), key(&[1, 2], 9));
    }
}
