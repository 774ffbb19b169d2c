//! Target `guard`.

use residue_guard::{Action, Config, Engine, Limits, Policy};
use residue_net::pcap::Reader;
use std::time::Duration;

const MOST: usize = 8;
/// Largest number of packets of an input.
const MOST_PACKETS: usize = 2000;

fn engine(choice: u8) -> Engine {
    let limits = Limits {
        opening: MOST,
        answering: MOST,
        established: MOST,
        closing: MOST,
        destinations: MOST,
        regular: MOST,
    };
    let policy = if choice & 0x80 == 0 { Policy::Prefer } else { Policy::Require };
    Engine::new(Config { limits, policy, ..Config::offering(choice & 7, 3 + (choice >> 3 & 1)) })
}

/// Passes a packet to the engine; returns the packet that it forwards, if any.
fn pass(engine: &mut Engine, sent: bool, packet: &[u8], now: Duration) -> Option<Vec<u8>> {
    let action = if sent { engine.egress(packet, now) } else { engine.ingress(packet, now) };
    let result = match action {
        Action::Pass => Some(packet.to_vec()),
        Action::Replace(bytes) => {
            let word = |at: usize| usize::from(u16::from_be_bytes([bytes[at], bytes[at + 1]]));
            let said = if bytes[0] >> 4 == 4 { word(2) } else { 40 + word(4) };
            assert_eq!(said, bytes.len());
            Some(bytes.to_vec())
        }
        Action::Drop(_) => None,
    };
    let entries = engine.entries();
    for count in [
        entries.opening,
        entries.answering,
        entries.established,
        entries.closing,
        entries.destinations,
    ] {
        assert!(count <= MOST, "{entries:?}");
    }
    result
}

struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    fn byte(&mut self) -> Option<u8> {
        let (&byte, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(byte)
    }

    fn bytes(&mut self, most: u8) -> Option<&'a [u8]> {
        let length = usize::from(self.byte()? % (most + 1)).min(self.0.len());
        let (bytes, rest) = self.0.split_at(length);
        self.0 = rest;
        Some(bytes)
    }

    /// Returns a segment of one of 16 connections.
    fn segment(&mut self, from: u8) -> Option<Vec<u8>> {
        let (choice, flags) = (self.byte()?, self.byte()?);
        let numbers = [self.byte()?, self.byte()?];
        let mut options = self.bytes(40)?.to_vec();
        options.resize(options.len().next_multiple_of(4), 1);
        let data = self.bytes(64)?;
        let ports = [1000 + u16::from(choice & 15), 80];
        let mut segment =
            if from == 1 { ports } else { [80, ports[0]] }.map(u16::to_be_bytes).concat();
        for number in numbers {
            segment.extend(u32::from(number).to_be_bytes());
        }
        segment.extend([(5 + options.len() as u8 / 4) << 4, flags & 0x3f, 1, 0, 0, 0, 0, 0]);
        segment.extend(options);
        segment.extend(data);
        let length = segment.len() as u16;
        let addresses = [10, 0, 0, from, 10, 0, 0, 3 - from];
        let mut sum = residue::internet::Checksum::new();
        sum.update(&addresses);
        sum.update(&[0, 6]);
        sum.update(&length.to_be_bytes());
        sum.update(&segment);
        segment[16..18].copy_from_slice(&sum.value().to_be_bytes());
        let mut packet = vec![0x45, 0];
        packet.extend((20 + length).to_be_bytes());
        packet.extend([0, 0, 0x40, 0, 64, 6, 0, 0]);
        packet.extend(addresses);
        let checksum = residue::internet::checksum(&packet);
        packet[10..12].copy_from_slice(&checksum.to_be_bytes());
        packet.extend(segment);
        Some(packet)
    }
}

/// Returns the data of a segment over IPv4.
fn data(packet: &[u8]) -> &[u8] {
    &packet[20 + usize::from(packet[32] >> 4) * 4..]
}

fn described(input: &mut Input, engines: &mut [Engine; 2]) -> Option<()> {
    let mut now = Duration::ZERO;
    for _ in 0..MOST_PACKETS {
        let action = input.byte()?;
        now += Duration::from_secs(u64::from(action >> 4) * u64::from(action >> 4));
        let from = usize::from(action & 1);
        let packet = input.segment(from as u8 + 1)?;
        let Some(mut wire) = pass(&mut engines[from], true, &packet, now) else { continue };
        let changed = action & 6 == 2;
        if changed {
            let (at, byte) = (input.byte()?, input.byte()?);
            let at = usize::from(at) % wire.len();
            wire[at] ^= byte;
        }
        if action & 6 == 4 {
            // Lost.
            continue;
        }
        let received = pass(&mut engines[1 - from], false, &wire, now);
        if let Some(received) = received
            && !changed
        {
            // Data of SYNs is left to later segments.
            assert!(packet[33] & 2 != 0 || data(&received) == data(&packet));
        }
    }
    Some(())
}

/// Restores a state with a right CRC; a restored one is saved as it is.
fn restored(bytes: &[u8]) {
    let mut state = bytes.to_vec();
    state.extend(residue::crc32c(bytes).to_be_bytes());
    let mut one = engine(5);
    if one.restore(&state, Duration::ZERO).is_ok() {
        let saved = one.save(Duration::ZERO);
        let mut other = engine(5);
        assert!(other.restore(&saved, Duration::ZERO).is_ok());
        assert_eq!(one.entries(), other.entries());
    }
}

/// Segments described by bytes between two guarded hosts, some changed on the way: tables stay
/// within their limits, outgoing packets have their stated length, and each engine accepts what the
/// other protects, with its data.
pub fn guard(bytes: &[u8]) {
    restored(bytes);
    let mut input = Input(bytes);
    let (Some(one), Some(other)) = (input.byte(), input.byte()) else { return };
    let mut engines = [engine(one), engine(other)];
    if let Ok(mut reader) = Reader::new(bytes) {
        for _ in 0..MOST_PACKETS {
            let Ok(Some(packet)) = reader.next() else { return };
            // With or without an Ethernet header.
            for start in [0, 14] {
                let packet = packet.bytes.get(start..).unwrap_or_default();
                pass(&mut engines[0], false, packet, Duration::ZERO);
                pass(&mut engines[1], true, packet, Duration::ZERO);
            }
        }
    } else {
        described(&mut input, &mut engines);
    }
}
