//! Captures from arbitrary bytes, and what they have.

use residue_net::pcap::compressed::Compression;
use residue_net::pcap::write::{Header, Writer};
use residue_net::pcap::{LinkType, Reader};
use std::borrow::Cow;
use std::collections::BTreeSet;

/// Returns the input if it is a capture, otherwise a capture of packets that it describes, so that
/// related fragments and segments are generated soon. `None` for compressed input, which may be
/// endless.
pub fn of(input: &[u8]) -> Option<Cow<'_, [u8]>> {
    if Compression::of_start(input).is_some() {
        None
    } else if Reader::new(input).is_ok() {
        Some(Cow::Borrowed(input))
    } else {
        Some(Cow::Owned(Maker { input, packets: 0, file: file() }.make()))
    }
}

fn file() -> Writer<Vec<u8>> {
    Writer::new(Vec::new(), Header::new(LinkType::RAW)).expect("memory takes all")
}

/// Largest number of packets of an input, so that a few bytes do not describe many packets.
const MOST_PACKETS: u64 = 2000;

/// Protocols of fragmented datagrams, ports of segments and datagrams.
const PROTOCOLS: [u8; 8] = [17, 6, 1, 4, 41, 132, 89, 47];
const PORTS: [u16; 8] = [3260, 4420, 20000, 80, 4791, 4789, 2152, 3544];

struct Maker<'a> {
    input: &'a [u8],
    packets: u64,
    file: Writer<Vec<u8>>,
}

impl<'a> Maker<'a> {
    fn make(mut self) -> Vec<u8> {
        while let Some((&kind, rest)) = self.input.split_first() {
            self.input = rest;
            let (wire, times) = (self.byte(), usize::from(kind >> 3));
            let packet = match kind & 7 {
                0 => self.data(),
                1 | 2 => self.fragment(kind & 1 == 0),
                3 => self.datagram(),
                _ => self.segment(),
            };
            let length = packet.len() as u32;
            let length = match wire {
                0xff => u32::MAX,
                0xf0..0xff => length + 1400,
                _ => length,
            };
            for _ in 0..times.max(1) {
                if self.packets < MOST_PACKETS {
                    self.packets += 1;
                    self.file.packet(0, length, &packet).expect("memory takes all");
                }
            }
        }
        self.file.into_inner()
    }

    fn byte(&mut self) -> u8 {
        let Some((&byte, rest)) = self.input.split_first() else { return 0 };
        self.input = rest;
        byte
    }

    fn number(&mut self) -> u16 {
        u16::from_be_bytes([self.byte(), self.byte()])
    }

    /// Takes up to 127 bytes of the input; returns them once or 16 times.
    fn data(&mut self) -> Vec<u8> {
        let length = self.byte();
        let (data, rest) = self.input.split_at(usize::from(length & 0x7f).min(self.input.len()));
        self.input = rest;
        data.repeat(if length & 0x80 != 0 { 16 } else { 1 })
    }

    fn fragment(&mut self, version_6: bool) -> Vec<u8> {
        let (choice, offset) = (self.byte(), self.number());
        let data = self.data();
        // A wrong length.
        let claimed = if choice & 0x80 != 0 { self.number() } else { 0 };
        let protocol = PROTOCOLS[usize::from(choice & 7)];
        let more = u16::from(choice >> 3 & 1);
        let identification = choice >> 4 & 3;
        let mut fragment;
        if version_6 {
            fragment = vec![protocol, 0];
            fragment.extend(((offset & !7) | more).to_be_bytes());
            fragment.extend([0, 0, 0, identification]);
            fragment.extend(data);
            ipv6(44, claimed, &fragment)
        } else {
            fragment = ipv4(protocol, claimed, &data);
            fragment[5] = identification;
            fragment[6..8].copy_from_slice(&(more << 13 | (offset & 0x1fff)).to_be_bytes());
            check(&mut fragment);
            fragment
        }
    }

    fn ports(&mut self) -> (u8, [u16; 2]) {
        let choice = self.byte();
        let (service, own) = (PORTS[usize::from(choice & 7)], 1024 + u16::from(choice >> 3 & 1));
        (choice, if choice & 0x80 != 0 { [own, service] } else { [service, own] })
    }

    fn datagram(&mut self) -> Vec<u8> {
        let (choice, ports) = self.ports();
        let data = self.data();
        let mut datagram: Vec<u8> = ports.map(u16::to_be_bytes).concat();
        datagram.extend((8 + data.len() as u16).to_be_bytes());
        datagram.extend([choice, choice]);
        datagram.extend(data);
        if choice & 0x40 != 0 { ipv6(17, 0, &datagram) } else { ipv4(17, 0, &datagram) }
    }

    fn segment(&mut self) -> Vec<u8> {
        let ((choice, ports), flags, sequence) = (self.ports(), self.byte(), self.number());
        let mut data = self.data();
        // A PDU header with its digest.
        if choice & 0x20 != 0 {
            data.resize(data.len().clamp(24, 48), 0);
            data.extend(residue::crc32c(&data).to_le_bytes());
        }
        let mut segment: Vec<u8> = ports.map(u16::to_be_bytes).concat();
        // Sequence numbers that wrap around.
        segment.extend((0xffff_0000_u32.wrapping_add(u32::from(sequence) * 2)).to_be_bytes());
        segment.extend([0, 0, 0, 0, 0x50, flags, 0, 0, choice, choice, 0, 0]);
        segment.extend(data);
        let mut packet =
            if choice & 0x40 != 0 { ipv6(6, 0, &segment) } else { ipv4(6, 0, &segment) };
        if choice & 0x80 != 0 {
            // The other direction.
            let at = if choice & 0x40 != 0 { 23 } else { 15 };
            let length = if choice & 0x40 != 0 { 16 } else { 4 };
            packet.swap(at, at + length);
            check(&mut packet);
        }
        packet
    }
}

fn ipv4(protocol: u8, claimed: u16, payload: &[u8]) -> Vec<u8> {
    let length = if claimed == 0 { 20 + payload.len() as u16 } else { claimed };
    let mut packet = vec![0x45, 0];
    packet.extend(length.to_be_bytes());
    packet.extend([0, 0, 0, 0, 64, protocol, 0, 0, 192, 0, 2, 1, 192, 0, 2, 2]);
    packet.extend(payload);
    check(&mut packet);
    packet
}

fn ipv6(protocol: u8, claimed: u16, payload: &[u8]) -> Vec<u8> {
    let length = if claimed == 0 { payload.len() as u16 } else { claimed };
    let mut packet = vec![0x60, 0, 0, 0];
    packet.extend(length.to_be_bytes());
    packet.extend([protocol, 64]);
    for host in [1, 2] {
        packet.extend([0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, host]);
    }
    packet.extend(payload);
    packet
}

/// Corrects the header checksum of an IPv4 packet.
fn check(packet: &mut [u8]) {
    if packet[0] == 0x45 {
        packet[10..12].fill(0);
        let checksum = residue::internet::checksum(&packet[..20]);
        packet[10..12].copy_from_slice(&checksum.to_be_bytes());
    }
}

/// Passes every packet of a readable capture, and every datagram and stream reassembled from its
/// packets, to `each`.
pub fn buffers(file: &[u8], each: impl FnMut(&residue_net::verify::Buffer<'_>)) {
    residue_net::verify::capture(file, each).expect("it was read before");
}

/// Returns the offsets of all bytes of check values in the file.
pub fn fields(file: &[u8]) -> BTreeSet<u64> {
    let mut fields = BTreeSet::new();
    buffers(file, |buffer| {
        for span in buffer.found.checks.iter().flat_map(|check| check.field) {
            fields.extend((span.start..span.end).filter_map(|at| buffer.places.offset(at)));
        }
    });
    fields
}
