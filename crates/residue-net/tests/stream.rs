//! iSCSI and NVMe/TCP digests in TCP streams, whatever the segments do.

use residue_net::check::{Reason, Verdict};
use residue_net::pcap::{LinkType, Packet};
use residue_net::verify::Verifier;

/// The ends' sequence numbers wrap soon.
const START: u32 = 0xffff_ff80;

#[derive(Clone, Copy, PartialEq)]
enum Protocol {
    Iscsi,
    NvmeTcp,
}
use Protocol::{Iscsi, NvmeTcp};

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
struct Message {
    side: usize,
    bytes: Vec<u8>,
    /// Where its digests stand, header first.
    digests: [Option<usize>; 2],
}

/// A TCP segment.
#[derive(Clone)]
struct Segment {
    side: usize,
    /// Offset in its side's stream; -1 is the SYN.
    at: i64,
    flags: u8,
    bytes: Vec<u8>,
    /// Bytes that were sent, but not captured.
    cut: usize,
}

const SYN: u8 = 2;
const FIN: u8 = 1;

fn noise(length: usize, seed: usize) -> Vec<u8> {
    let mut state = seed as u32 | 1;
    let mut byte = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state as u8
    };
    (0..length).map(|_| byte()).collect()
}

fn digest(bytes: &mut Vec<u8>, from: usize) -> usize {
    let at = bytes.len();
    let value = residue::crc32c(&bytes[from..]);
    bytes.extend(value.to_le_bytes());
    at
}

fn iscsi(opcode: u8, flags: u8, additional: usize, data: &[u8], digests: [bool; 2]) -> Message {
    let mut bytes = noise(48 + additional, data.len() + usize::from(opcode));
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

fn nvme(kind: u8, header: usize, gap: usize, data: &[u8], digests: [bool; 2]) -> Message {
    let side = usize::from(matches!(kind, 1 | 3 | 5 | 7 | 9));
    let has_digest = [digests[0], digests[1] && !data.is_empty()];
    let mut bytes = noise(header, data.len() + usize::from(kind));
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
fn session(protocol: Protocol, digests: [bool; 2]) -> (Vec<Message>, usize) {
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
                let data = noise(37 + 50 * round, 7);
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
                let data = noise(37 + 50 * round, 7);
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
fn segments(messages: &[Message]) -> Vec<Segment> {
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
fn halves(segment: &Segment, place: usize) -> [Segment; 2] {
    let (one, other) = segment.bytes.split_at(place);
    let part = |at: i64, bytes: &[u8]| Segment { at, bytes: bytes.to_vec(), ..segment.clone() };
    [part(segment.at, one), part(segment.at + place as i64, other)]
}

fn packet(protocol: Protocol, segment: &Segment) -> Vec<u8> {
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

/// PDU number, protocol and verdict of each digest, for each side in the order in which they are found.
type Told = [Vec<(u64, &'static str, Verdict)>; 2];

fn verify(protocol: Protocol, segments: &[Segment]) -> Told {
    let mut file = Vec::new();
    let mut verifier = Verifier::new();
    let mut told = [Vec::new(), Vec::new()];
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
            told[side].push((number, finding.check.protocol.name, finding.verdict));
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
    told
}

/// What should be found in whole streams. `from` is the first message that is captured.
fn expected(protocol: Protocol, messages: &[Message], from: usize) -> Told {
    let names = match protocol {
        Iscsi => ["iscsi.header", "iscsi.data"],
        NvmeTcp => ["nvme.header", "nvme.data"],
    };
    let mut told = [Vec::new(), Vec::new()];
    let mut numbers = [0; 2];
    for message in &messages[from..] {
        numbers[message.side] += 1;
        for (name, digest) in names.into_iter().zip(message.digests) {
            if digest.is_some() {
                told[message.side].push((numbers[message.side], name, Verdict::Good));
            }
        }
    }
    told
}

const SOME: [[bool; 2]; 3] = [[true, true], [true, false], [false, true]];

fn cases() -> impl Iterator<Item = (Protocol, [bool; 2])> {
    [Iscsi, NvmeTcp].into_iter().flat_map(|protocol| SOME.map(|digests| (protocol, digests)))
}

#[test]
fn split_at_every_byte() {
    for (protocol, digests) in cases() {
        let (messages, _) = session(protocol, digests);
        let whole = segments(&messages);
        let expected = expected(protocol, &messages, 0);
        assert!(expected.iter().all(|side| side.len() >= 3));
        assert_eq!(verify(protocol, &whole), expected);
        let longest = whole.iter().map(|segment| segment.bytes.len()).max().unwrap();
        for place in 1..longest {
            let split: Vec<_> = whole
                .iter()
                .flat_map(|segment| halves(segment, place.min(segment.bytes.len())))
                .collect();
            assert_eq!(verify(protocol, &split), expected, "at {place}");
        }
        let bytes: Vec<_> = whole
            .iter()
            .flat_map(|segment| {
                let one = |at: usize| Segment {
                    at: segment.at + at as i64,
                    bytes: segment.bytes[at..=at].to_vec(),
                    ..segment.clone()
                };
                let syn = segment.bytes.is_empty().then(|| segment.clone());
                syn.into_iter().chain((0..segment.bytes.len()).map(one))
            })
            .collect();
        assert_eq!(verify(protocol, &bytes), expected, "byte by byte");
    }
}

#[test]
fn several_in_one_segment() {
    for (protocol, digests) in cases() {
        let (messages, login) = session(protocol, digests);
        let whole = segments(&messages);
        let mut joined = whole[..2 + login].to_vec();
        for side in 0..2 {
            let of_side = || whole[2 + login..].iter().filter(move |segment| segment.side == side);
            let bytes = of_side().flat_map(|segment| segment.bytes.clone()).collect();
            joined.push(Segment { bytes, ..of_side().next().unwrap().clone() });
        }
        assert_eq!(verify(protocol, &joined), expected(protocol, &messages, 0));
    }
}

#[test]
fn no_digests() {
    for protocol in [Iscsi, NvmeTcp] {
        let (messages, _) = session(protocol, [false; 2]);
        assert_eq!(verify(protocol, &segments(&messages)), [const { Vec::new() }; 2]);
    }
}

#[test]
fn reordered_retransmitted_overlapping() {
    let mut state = 1u32;
    let mut random = |below: usize| {
        state = state.wrapping_mul(1664525).wrapping_add(1013904223);
        (state >> 8) as usize % below
    };
    for (protocol, digests) in cases() {
        let (messages, login) = session(protocol, digests);
        let expected = expected(protocol, &messages, 0);
        for _ in 0..200 {
            let whole = segments(&messages);
            let mut sent = Vec::new();
            for segment in &whole[2 + login..] {
                let place = random(segment.bytes.len());
                let [one, other] = halves(segment, place);
                // A part twice, and one that overlaps both.
                let again = halves(segment, place / 2)[1].clone();
                sent.extend([one, other, again]);
            }
            for at in (1..sent.len()).rev() {
                sent.swap(at, random(at + 1));
            }
            let mut segments = whole[..2 + login].to_vec();
            segments.extend(sent);
            let mut told = verify(protocol, &segments);
            told.iter_mut().for_each(|side| side.sort());
            let mut expected = expected.clone();
            expected.iter_mut().for_each(|side| side.sort());
            assert_eq!(told, expected);
        }
    }
}

#[test]
fn of_bytes_sent_twice_the_first_count() {
    let (messages, _) = session(Iscsi, [true, true]);
    let mut sent = segments(&messages);
    let mut other = sent[6].clone();
    other.bytes.iter_mut().for_each(|byte| *byte ^= 0xff);
    sent.insert(7, other);
    assert_eq!(verify(Iscsi, &sent), expected(Iscsi, &messages, 0));
}

/// One bit of every byte of every PDU behind the login, in turn: that PDU, and no other, is found to be wrong, by the digest
/// that covers the byte.
#[test]
fn flipped_bits() {
    for (protocol, digests) in cases() {
        let (messages, login) = session(protocol, digests);
        let expected = expected(protocol, &messages, 0);
        let mut numbers = [0; 2];
        for (index, message) in messages.iter().enumerate() {
            numbers[message.side] += 1;
            if index < login {
                continue;
            }
            for at in 0..message.bytes.len() {
                if protocol == Iscsi && at == 4 && index >= messages.len() - 6 {
                    // A header that seems to be longer than what is left of the stream.
                    continue;
                }
                let mut messages = messages.clone();
                messages[index].bytes[at] ^= 1 << (at % 8);
                let told = verify(protocol, &segments(&messages));
                let wrong: Vec<_> = told
                    .iter()
                    .enumerate()
                    .flat_map(|(side, told)| told.iter().map(move |told| (side, told)))
                    .filter(|(_, (_, _, verdict))| *verdict == Verdict::Bad)
                    .map(|(side, (number, name, _))| (side, *number, *name))
                    .collect();
                let covered = |part: usize| {
                    let end = message.digests[part].map(|place| place + 4);
                    // The padding of NVMe/TCP between header and data is covered by nothing.
                    let data = message.digests[1].map(|place| place + 4 - at);
                    let length = data_length(protocol, message);
                    end.is_some_and(|end| at < end)
                        && (part == 0 || data.is_some_and(|from_end| from_end <= length + 4))
                };
                let name = [0, 1].into_iter().find(|&part| covered(part));
                let what = format!("message {index}, byte {at}, digests {digests:?}");
                match name {
                    Some(part) => {
                        let name = match protocol {
                            Iscsi => ["iscsi.header", "iscsi.data"][part],
                            NvmeTcp => ["nvme.header", "nvme.data"][part],
                        };
                        assert_eq!(wrong, [(message.side, numbers[message.side], name)], "{what}");
                        // Nothing else is lost, but data whose length is in doubt.
                        let good = |told: &Told| told.iter().map(Vec::len).sum::<usize>();
                        assert!(good(&told) + 1 >= good(&expected), "{what}: {told:?}");
                    }
                    // Without a digest of the header its lengths may mislead, and then nothing can be said.
                    None if at >= 48 => assert_eq!(wrong, [], "{what}"),
                    None => {}
                }
            }
        }
    }
}

/// The bytes that its data digest covers.
fn data_length(protocol: Protocol, message: &Message) -> usize {
    let Some(end) = message.digests[1] else { return 0 };
    match protocol {
        Iscsi => {
            let header = 48 + usize::from(message.bytes[4]) * 4;
            end - header - if message.digests[0].is_some() { 4 } else { 0 }
        }
        NvmeTcp => end - usize::from(message.bytes[3]),
    }
}

#[test]
fn login_not_captured() {
    for (protocol, digests) in cases() {
        let (messages, login) = session(protocol, digests);
        let whole = segments(&messages);
        for first in login..messages.len() - 6 {
            let told = verify(protocol, &whole[2 + first..]);
            let mut expected = expected(protocol, &messages, first);
            if digests == [false, true] {
                // Only data can show that a PDU begins: those before have none, and are not counted.
                for (told, expected) in told.iter().zip(&mut expected) {
                    let names = |side: &[(u64, &str, Verdict)]| side.len();
                    assert_eq!(names(told), names(expected), "from {first}");
                }
                assert!(told.iter().flatten().all(|told| told.2 == Verdict::Good));
                continue;
            }
            assert_eq!(told, expected, "from {first}, {digests:?}");
        }
    }
}

/// Only the end of the login was captured: the answer, from which one of the two is known.
#[test]
fn login_half_captured() {
    let (messages, _) = session(Iscsi, [true, true]);
    let whole = segments(&messages);
    assert_eq!(verify(Iscsi, &whole[3..]), expected(Iscsi, &messages, 1));
}

#[test]
fn any_port() {
    let (messages, _) = session(Iscsi, [true, true]);
    let mut verifier = Verifier::new();
    let mut count = 0;
    for (number, segment) in (1..).zip(&segments(&messages)) {
        let mut bytes = packet(Iscsi, segment);
        for at in [20, 22] {
            if bytes[at..at + 2] == 3260u16.to_be_bytes() {
                bytes[at..at + 2].copy_from_slice(&3261u16.to_be_bytes());
            }
        }
        let packet = Packet {
            number,
            offset: 0,
            link: LinkType::IPV4,
            bytes: &bytes,
            wire_length: bytes.len() as u32,
            fcs: None,
            time: None,
        };
        verifier.packet(&packet, |buffer| {
            count += usize::from(buffer.pdu.is_some()) * buffer.findings().count();
        });
    }
    assert_eq!(count, expected(Iscsi, &messages, 0).iter().map(Vec::len).sum::<usize>());
}

/// Each segment in turn is not captured, or cut short: nothing is found wrong, and all that does not lie in it is good.
#[test]
fn gaps() {
    for (protocol, digests) in cases() {
        let (messages, login) = session(protocol, digests);
        let whole = segments(&messages);
        let good =
            |told: &Told| told.iter().flatten().filter(|told| told.2 == Verdict::Good).count();
        let all = good(&expected(protocol, &messages, 0));
        for (index, message) in messages.iter().enumerate().skip(login) {
            let mut sent = whole.clone();
            sent.remove(2 + index);
            let told = verify(protocol, &sent);
            let bad = |told: &Told| told.iter().flatten().any(|told| told.2 == Verdict::Bad);
            assert!(!bad(&told), "without {index}: {told:?}");
            let own = message.digests.iter().flatten().count();
            if digests[0] {
                assert_eq!(good(&told), all - own, "without {index}, {digests:?}: {told:?}");
            }
            // Cut behind the header: where the next PDU begins is known, whatever the digests.
            if let Some(end) = message.digests[1] {
                let header = end - data_length(protocol, message) + 5;
                let mut sent = whole.clone();
                let cut = &mut sent[2 + index];
                cut.cut = cut.bytes.len() - header;
                cut.bytes.truncate(header);
                let told = verify(protocol, &sent);
                assert_eq!(good(&told), all - 1, "{index} cut, {digests:?}: {told:?}");
                let unverifiable = Verdict::Unverifiable(Reason::Stream);
                assert_eq!(told.iter().flatten().filter(|told| told.2 == unverifiable).count(), 1);
            }
        }
    }
}

/// The same ends connect again: what was agreed upon before no longer counts.
#[test]
fn another_connection() {
    let (one, _) = session(Iscsi, [true, true]);
    let (other, _) = session(Iscsi, [false, true]);
    let mut sent = segments(&one);
    let ends = [0, 1].map(|side| {
        let last = sent.iter().rfind(|segment| segment.side == side).unwrap();
        last.at + last.bytes.len() as i64
    });
    for (side, at) in ends.into_iter().enumerate() {
        sent.push(Segment { side, at, flags: FIN, bytes: Vec::new(), cut: 0 });
    }
    let again = segments(&other).into_iter().map(|mut segment| {
        segment.at += 1_000_000;
        segment
    });
    sent.extend(again);
    let told = verify(Iscsi, &sent);
    let [first, second] = [expected(Iscsi, &one, 0), expected(Iscsi, &other, 0)];
    for side in 0..2 {
        assert_eq!(told[side], [first[side].clone(), second[side].clone()].concat());
    }
}

/// More than is kept, of everything.
#[test]
fn floods() {
    let (messages, login) = session(Iscsi, [true, true]);
    let whole = segments(&messages);
    // Segments that never become ordered.
    let mut sent = whole[..2 + login].to_vec();
    let far = (0..20_000).map(|number| Segment {
        at: 10_000 + number * 1000,
        bytes: noise(500, number as usize),
        ..whole[2 + login].clone()
    });
    sent.extend(far);
    let told = verify(Iscsi, &sent);
    assert!(told.iter().flatten().count() < 10, "{told:?}");
    // Lengths that lie: 16 MiB are claimed, and never come.
    let mut sent = whole[..2 + login].to_vec();
    let mut at = whole[2 + login].at;
    for number in 0..2000 {
        let mut bytes = noise(1400, number);
        if number == 0 {
            let message = iscsi(0x01, 0x81, 0, &[1; 1348], [true, true]);
            bytes = message.bytes[..1400].to_vec();
            bytes[5] = 0xff;
        }
        sent.push(Segment { at, bytes, ..whole[2 + login].clone() });
        at += 1400;
    }
    let told = verify(Iscsi, &sent);
    assert_eq!(told[0][0], (2, "iscsi.header", Verdict::Bad), "{told:?}");
}
