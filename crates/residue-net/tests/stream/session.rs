//! Made sessions, as segments and packets, and what is found in them.

use residue_net::check::Verdict;
use residue_net::pcap::{LinkType, Packet};
use residue_net::verify::Verifier;
use residue_testing::Random;

/// The ends' sequence numbers wrap soon.
pub const START: u32 = 0xffff_ff80;

#[derive(Clone, Copy, PartialEq)]
pub enum Protocol {
    Iscsi,
    NvmeTcp,
}
pub use Protocol::{Iscsi, NvmeTcp};

impl Protocol {
    fn port(self) -> u16 {
        match self {
            Iscsi => 3260,
            NvmeTcp => 4420,
        }
    }
}

/// What one side sends next.
#[derive(Clone)]
pub struct Message {
    pub side: usize,
    pub bytes: Vec<u8>,
    /// Where its digests stand, header first.
    pub digests: [Option<usize>; 2],
}

/// A TCP segment.
#[derive(Clone)]
pub struct Segment {
    pub side: usize,
    /// Offset in its side's stream; -1 is the SYN.
    pub at: i64,
    pub flags: u8,
    pub bytes: Vec<u8>,
    /// Bytes that were sent, but not captured.
    pub cut: usize,
}

pub const SYN: u8 = 2;
pub const FIN: u8 = 1;

/// Returns random bytes.
pub fn random(length: usize, seed: usize) -> Vec<u8> {
    Random(seed as u64).bytes(length)
}

pub fn digest(bytes: &mut Vec<u8>, from: usize) -> usize {
    let at = bytes.len();
    let value = residue::crc32c(&bytes[from..]);
    bytes.extend(value.to_le_bytes());
    at
}

pub fn iscsi(opcode: u8, flags: u8, additional: usize, data: &[u8], digests: [bool; 2]) -> Message {
    let mut bytes = random(48 + additional, data.len() + usize::from(opcode));
    (bytes[0], bytes[1]) = (opcode, flags);
    bytes[4] = (additional / 4) as u8;
    bytes[5..8].copy_from_slice(&(data.len() as u32).to_be_bytes()[1..]);
    bytes[36] = 0;
    let header = digests[0].then(|| digest(&mut bytes, 0));
    let start = bytes.len();
    bytes.extend(data);
    bytes.resize(start + data.len().next_multiple_of(4), 0);
    let has_data = digests[1] && !data.is_empty();
    let data = has_data.then(|| digest(&mut bytes, start));
    Message { side: usize::from(opcode >> 5 & 1), bytes, digests: [header, data] }
}

pub fn nvme(kind: u8, header: usize, gap: usize, data: &[u8], digests: [bool; 2]) -> Message {
    let side = usize::from(matches!(kind, 1 | 3 | 5 | 7 | 9));
    let has_digest = [digests[0], digests[1] && !data.is_empty()];
    let mut bytes = random(header, data.len() + usize::from(kind));
    let behind = header + if digests[0] { 4 } else { 0 } + gap;
    let start = if data.is_empty() { 0 } else { behind };
    let whole = if data.is_empty() {
        behind - gap
    } else {
        behind + data.len() + if has_digest[1] { 4 } else { 0 }
    };
    let flags = u8::from(has_digest[0]) | u8::from(has_digest[1]) << 1;
    bytes[..4].copy_from_slice(&[kind, flags, header as u8, start as u8]);
    bytes[4..8].copy_from_slice(&(whole as u32).to_le_bytes());
    let header = has_digest[0].then(|| digest(&mut bytes, 0));
    let mut end = None;
    if !data.is_empty() {
        bytes.resize(start, 0);
        bytes.extend(data);
        end = has_digest[1].then(|| digest(&mut bytes, start));
    }
    Message { side, bytes, digests: [header, end] }
}

/// A login and what follows; how many messages are the login.
pub fn session(protocol: Protocol, digests: [bool; 2]) -> (Vec<Message>, usize) {
    let mut messages = Vec::new();
    match protocol {
        Iscsi => {
            let offer = b"InitiatorName=iqn.x\0HeaderDigest=CRC32C,None\0DataDigest=CRC32C,None\0";
            let value = |digest| if digest { "CRC32C" } else { "None" };
            let [header, data] = digests.map(value);
            let answer = format!("HeaderDigest={header}\0DataDigest={data}\0");
            messages.push(iscsi(0x43, 0x87, 0, offer, [false; 2]));
            messages.push(iscsi(0x23, 0x87, 0, answer.as_bytes(), [false; 2]));
            for round in 0..3 {
                let data = random(37 + 50 * round, 7);
                messages.push(iscsi(0x01, 0x81, 0, &[], digests));
                messages.push(iscsi(0x25, 0x80, 0, &data, digests));
                messages.push(iscsi(
                    0x21,
                    0x80,
                    0,
                    if round == 1 { &data[..20] } else { &[] },
                    digests,
                ));
                messages.push(iscsi(0x01, 0xa1, 12, &data[..33], digests));
                messages.push(iscsi(0x31, 0x80, 0, &[], digests));
                messages.push(iscsi(0x05, 0x80, 0, &data, digests));
            }
        }
        NvmeTcp => {
            for kind in [0, 1] {
                let mut bytes = vec![0; 128];
                (bytes[0], bytes[2], bytes[4]) = (kind, 128, 128);
                bytes[11] = u8::from(digests[0]) | u8::from(digests[1]) << 1;
                messages.push(Message { side: usize::from(kind), bytes, digests: [None; 2] });
            }
            for round in 0..3 {
                let data = random(37 + 50 * round, 7);
                messages.push(nvme(4, 72, 0, if round == 1 { &data } else { &[] }, digests));
                messages.push(nvme(7, 24, 4 * round, &data, digests));
                messages.push(nvme(5, 24, 0, &[], digests));
                messages.push(nvme(9, 24, 0, &[], digests));
                messages.push(nvme(6, 24, 0, &data, digests));
            }
        }
    }
    (messages, 2)
}

/// Each message a segment, behind SYNs.
pub fn segments(messages: &[Message]) -> Vec<Segment> {
    let mut ends = [0; 2];
    let syn = |side| Segment { side, at: -1, flags: SYN, bytes: Vec::new(), cut: 0 };
    let mut segments = vec![syn(0), syn(1)];
    for message in messages {
        let at = ends[message.side];
        ends[message.side] += message.bytes.len() as i64;
        let Message { side, ref bytes, .. } = *message;
        segments.push(Segment { side, at, flags: 0, bytes: bytes.clone(), cut: 0 });
    }
    segments
}

/// Every segment in two, at a byte.
pub fn halves(segment: &Segment, place: usize) -> [Segment; 2] {
    let (one, other) = segment.bytes.split_at(place);
    let part = |at: i64, bytes: &[u8]| Segment { at, bytes: bytes.to_vec(), ..segment.clone() };
    [part(segment.at, one), part(segment.at + place as i64, other)]
}

pub fn packet(protocol: Protocol, segment: &Segment) -> Vec<u8> {
    let mut bytes = vec![0x45, 0, 0, 0, 0, 0, 0, 0, 64, 6, 0, 0];
    let ends = [([192, 0, 2, 9], 40000u16), ([192, 0, 2, 1], protocol.port())];
    let (from, to) = (ends[segment.side], ends[1 - segment.side]);
    bytes.extend(from.0.into_iter().chain(to.0));
    bytes.extend(from.1.to_be_bytes().into_iter().chain(to.1.to_be_bytes()));
    let start = START.wrapping_add(segment.side as u32 * 1000);
    bytes.extend(start.wrapping_add(segment.at as u32).to_be_bytes());
    bytes.extend([0, 0, 0, 0, 0x50, segment.flags | 16, 0, 0, 0, 0, 0, 0]);
    bytes.extend(&segment.bytes);
    let length = (bytes.len() + segment.cut) as u16;
    bytes[2..4].copy_from_slice(&length.to_be_bytes());
    bytes
}

/// PDU number, protocol and verdict of each digest, for each side in the order in which they are
/// found.
pub type Found = [Vec<(u64, &'static str, Verdict)>; 2];

pub fn verify(protocol: Protocol, segments: &[Segment]) -> Found {
    let mut file = Vec::new();
    let mut verifier = Verifier::new();
    let mut found = [Vec::new(), Vec::new()];
    let mut packets = Vec::new();
    for segment in segments {
        let offset = file.len();
        file.extend(packet(protocol, segment));
        packets.push((offset, file.len(), segment.cut));
    }
    let mut each = |buffer: &residue_net::verify::Buffer<'_>| {
        let Some(number) = buffer.pdu else { return };
        for finding in buffer.findings() {
            let side = usize::from(finding.check.ports.unwrap()[0] == protocol.port());
            assert_eq!(finding.addresses()[0], [192, 0, 2, if side == 1 { 1 } else { 9 }]);
            found[side].push((number, finding.check.protocol.name, finding.verdict));
        }
        // Every byte stands in the file where it is said to, and in the packets from the one named.
        for at in 8..buffer.bytes.len() {
            let place = buffer.places.offset(at as u32).unwrap() as usize;
            assert_eq!(buffer.bytes[at], file[place]);
            assert!(packets[buffer.packet as usize - 1].0 <= place || at > 8);
        }
        assert_eq!(buffer.places.offset(0), None);
    };
    for (number, &(start, end, cut)) in (1..).zip(&packets) {
        verifier.packet(
            &Packet {
                number,
                offset: start as u64,
                link: LinkType::IPV4,
                bytes: &file[start..end],
                wire_length: (end - start + cut) as u32,
                fcs: None,
                time: None,
            },
            &mut each,
        );
    }
    verifier.finish(&mut each);
    found
}

/// What should be found in whole streams. `from` is the first message that is captured.
pub fn expected(protocol: Protocol, messages: &[Message], from: usize) -> Found {
    let names = match protocol {
        Iscsi => ["iscsi.header", "iscsi.data"],
        NvmeTcp => ["nvme.header", "nvme.data"],
    };
    let mut found = [Vec::new(), Vec::new()];
    let mut numbers = [0; 2];
    for message in &messages[from..] {
        numbers[message.side] += 1;
        for (name, digest) in names.into_iter().zip(message.digests) {
            if digest.is_some() {
                found[message.side].push((numbers[message.side], name, Verdict::Good));
            }
        }
    }
    found
}
