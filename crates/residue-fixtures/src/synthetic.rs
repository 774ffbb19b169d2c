//! A large capture for timings: TCP and UDP over IPv4 and IPv6, with a few packets damaged.

use crate::ip::{Ends, V4, V6, store};
use crate::tcp::Tcp;
use crate::udp::without_checksum;
use crate::{ethernet, ipv4};
use residue::internet::Checksum;
use residue_net::pcap::LinkType;
use residue_net::pcap::write::{Header, Writer};
use std::io::{self, Write};

/// Counts of a written capture.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Synthetic {
    /// Bytes of the file.
    pub bytes: u64,
    /// Packets.
    pub packets: u64,
    /// The numbers of the damaged packets, from 1, in order. Each has one bit flipped after its IP
    /// header.
    pub planted: Vec<u64>,
}

/// Frame lengths in bytes, and how many of 16 frames have them.
const LENGTHS: [(usize, u64); 3] = [(64, 7), (576, 4), (1500, 5)];
/// One packet in this many is damaged.
const DAMAGED: u64 = 1000;
const ETHERNET: usize = 14;
const POOL: usize = 1 << 16;
/// The time of the first packet, and from packet to packet, in nanoseconds.
const START: u64 = 1_700_000_000_000_000_000;
const APART: u64 = 10_000;

/// Writes a classic capture of about `bytes` bytes: it ends with the packet that reaches them.
///
/// 7 of 16 frames have 64 bytes (or what their headers need), 4 have 576 and 5 have 1500; 40 % are
/// IPv6, 70 % TCP and the others UDP; one in a thousand has one bit flipped after the IP header.
/// Equal seeds give equal bytes.
///
/// # Errors
///
/// Those of `out`, which should have a buffer.
pub fn synthetic(out: impl Write, bytes: u64, seed: u64) -> io::Result<Synthetic> {
    let mut random = Random(seed);
    let mut pool = Vec::with_capacity(POOL + 1500);
    while pool.len() < POOL + 1500 {
        pool.extend(random.next().to_le_bytes());
    }
    let headers = Headers::new();
    let header = Header { nanoseconds: false, ..Header::new(LinkType::ETHERNET) };
    let mut writer = Writer::new(out, header)?;
    let mut done = Synthetic { bytes: 24, ..Synthetic::default() };
    let mut frame = Vec::with_capacity(1500);
    while done.bytes < bytes {
        let draw = random.next();
        headers.frame(draw, random.next(), &pool, &mut frame);
        done.packets += 1;
        if random.below(DAMAGED) == 0 {
            damage(&mut frame, &mut random);
            done.planted.push(done.packets);
        }
        let length = frame.len() as u32;
        writer.packet(START + done.packets * APART, length, &frame)?;
        done.bytes += 16 + u64::from(length);
    }
    writer.into_inner().flush()?;
    Ok(done)
}

/// Frames without data, whose lengths, ports and sums are to be filled in.
struct Headers {
    /// IPv4 before IPv6, TCP before UDP.
    frames: [Vec<u8>; 4],
}

impl Headers {
    fn new() -> Self {
        let tcp = Tcp { data: &[], ..Tcp::default() }.unsealed();
        let udp = without_checksum([0, 0], &[]);
        let frame = |ends: Ends, protocol, header: &[u8]| {
            ethernet::frame(ends.ether_type(), &ends.packet(protocol, header))
        };
        Headers {
            frames: [
                frame(V4, 6, &tcp),
                frame(V4, 17, &udp),
                frame(V6, 6, &tcp),
                frame(V6, 17, &udp),
            ],
        }
    }

    /// Makes the frame that the two random numbers describe.
    fn frame(&self, draw: u64, other: u64, pool: &[u8], frame: &mut Vec<u8>) {
        let is_v6 = ((draw & 0xffff) * 10) >> 16 < 4;
        let is_udp = ((draw >> 16 & 0xffff) * 10) >> 16 < 3;
        let mut ticket = draw >> 32 & 15;
        let mut length = 0;
        for (choice, weight) in LENGTHS {
            length = choice;
            if ticket < weight {
                break;
            }
            ticket -= weight;
        }
        frame.clear();
        frame.extend_from_slice(&self.frames[2 * usize::from(is_v6) + usize::from(is_udp)]);
        let network = if is_v6 { 40 } else { 20 };
        let transport = ETHERNET + network;
        let data = length.saturating_sub(frame.len());
        let place = (draw >> 36) as usize % POOL;
        frame.extend_from_slice(&pool[place..place + data]);
        let payload = frame.len() - transport;
        let host = (other >> 32) as u8;
        if is_v6 {
            store(frame, ETHERNET + 4, payload as u16);
            frame[ETHERNET + 23] = host;
        } else {
            store(frame, ETHERNET + 2, (network + payload) as u16);
            frame[ETHERNET + 15] = host;
            ipv4::seal(&mut frame[ETHERNET..]);
        }
        // Ports that belong to no tunnel.
        store(frame, transport, 0xc000 | other as u16 >> 2);
        store(frame, transport + 2, 0xc001);
        let (protocol, field) = if is_udp { (17, 6) } else { (6, 16) };
        if is_udp {
            store(frame, transport + 4, payload as u16);
        } else {
            let numbers = [other as u32, (other >> 16) as u32].map(u32::to_be_bytes);
            frame[transport + 4..transport + 12].copy_from_slice(numbers.as_flattened());
        }
        let mut sum = Checksum::new();
        let addresses = if is_v6 { ETHERNET + 8 } else { ETHERNET + 12 };
        sum.update(&frame[addresses..transport]);
        sum.update(&(payload as u32).to_be_bytes());
        sum.update(&[0, protocol]);
        sum.update(&frame[transport..]);
        let value = if is_udp && sum.value() == 0 { 0xffff } else { sum.value() };
        store(frame, transport + field, value);
    }
}

/// Flips a bit after the IP header, but none that leaves a UDP datagram without checksum: that
/// would be no error.
fn damage(frame: &mut [u8], random: &mut Random) {
    let is_v6 = frame[12] == 0x86;
    let transport = ETHERNET + if is_v6 { 40 } else { 20 };
    let is_udp = frame[if is_v6 { ETHERNET + 6 } else { ETHERNET + 9 }] == 17;
    loop {
        let place = random.below(8 * (frame.len() - transport) as u64) as usize;
        let (byte, bit) = (transport + place / 8, 1 << (place % 8));
        frame[byte] ^= bit;
        if !is_udp || frame[transport + 6..transport + 8] != [0, 0] {
            return;
        }
        frame[byte] ^= bit;
    }
}

/// Steele, Lea and Flood's SplitMix64 (OOPSLA 2014).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// Returns a number less than `limit`, which is small: numbers are not quite equally likely.
    fn below(&mut self, limit: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(limit)) >> 64) as u64
    }
}
