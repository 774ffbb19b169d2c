//! Tests of captures made to be slow, large in memory, or beyond number ranges. Quadratic time or
//! memory shows as a test that does not end; `--nocapture` prints times.

use residue_net::check::{Reason, Verdict};
use residue_net::fix::{Policy, Repairer};
use residue_net::nat;
use residue_net::pcap::write::{COMMENT, Header, NgWriter, Writer};
use residue_net::pcap::{ByteOrder, LinkType, Reader};
use residue_net::rewrite::Rewriter;
use residue_net::summary::Summary;
use residue_net::survey::Survey;
use residue_net::verify;
use std::io::{self, Read};
use std::time::Instant;

/// Returns the approximate size of each capture in bytes. `RESIDUE_HOSTILE_BYTES` sets another one.
fn size() -> usize {
    std::env::var("RESIDUE_HOSTILE_BYTES").map_or(1 << 20, |text| text.parse().unwrap())
}

/// Creates a capture of packets that `each` returns: their bytes and lengths on the wire.
fn capture(link: LinkType, mut each: impl FnMut(u32) -> (Vec<u8>, u32)) -> Vec<u8> {
    let mut writer = Writer::new(Vec::new(), Header::new(link)).unwrap();
    let (mut bytes, mut number) = (0, 0);
    while bytes < size() {
        let (packet, length) = each(number);
        writer.packet(0, length, &packet).unwrap();
        bytes += 16 + packet.len();
        number += 1;
    }
    writer.into_inner()
}

fn whole(bytes: Vec<u8>) -> (Vec<u8>, u32) {
    let length = bytes.len() as u32;
    (bytes, length)
}

/// Creates an IPv4 packet of a protocol, with these fields for length, fragment and identification.
fn ipv4(
    protocol: u8,
    length: usize,
    identification: u16,
    fragment: u16,
    payload: &[u8],
) -> Vec<u8> {
    let mut packet = vec![0x45, 0];
    packet.extend((length as u16).to_be_bytes());
    packet.extend(identification.to_be_bytes());
    packet.extend(fragment.to_be_bytes());
    packet.extend([64, protocol, 0, 0, 192, 0, 2, 1, 192, 0, 2, 2]);
    let checksum = residue::internet::checksum(&packet);
    packet[10..12].copy_from_slice(&checksum.to_be_bytes());
    packet.extend(payload);
    packet
}

fn ipv6(protocol: u8, length: u16, payload: &[u8]) -> Vec<u8> {
    let mut packet = vec![0x60, 0, 0, 0];
    packet.extend(length.to_be_bytes());
    packet.extend([protocol, 64]);
    packet.extend([0x20; 32]);
    packet.extend(payload);
    packet
}

fn udp(port: u16, payload: &[u8]) -> Vec<u8> {
    let mut datagram = [port.to_be_bytes(), port.to_be_bytes()].concat();
    datagram.extend((8 + payload.len() as u16).to_be_bytes());
    datagram.extend([1, 1]);
    datagram.extend(payload);
    datagram
}

fn tcp(ports: [u16; 2], sequence: u32, flags: u8, payload: &[u8]) -> Vec<u8> {
    let mut segment = ports.map(u16::to_be_bytes).concat();
    segment.extend(sequence.to_be_bytes());
    segment.extend([0, 0, 0, 0, 0x50, flags, 0, 0, 1, 1, 0, 0]);
    segment.extend(payload);
    segment
}

const MORE: u16 = 0x2000;

/// Runs all operations on a capture.
fn everything(name: &str, file: &[u8]) -> Summary {
    let start = Instant::now();
    let mut summary = Summary::new();
    let read = verify::capture(file, |buffer| summary.buffer(buffer)).unwrap();
    assert!(read.error.is_none());
    let verified = start.elapsed();
    let policy = Policy { tso: true, ..Policy::all() };
    let repairer = Repairer::new(|| Reader::new(file), policy, |_| ()).unwrap();
    let mut rewriter = Rewriter::new(file, &repairer.across(), |buffer, edits| {
        for repair in repairer.repairs(buffer) {
            edits.extend(repair.edits());
        }
    })
    .unwrap();
    let mut output = Vec::new();
    rewriter.read_to_end(&mut output).unwrap();
    assert_eq!(output.len(), file.len());
    let fixed = start.elapsed() - verified;
    let mappings = ["192.0.2.1=198.51.100.7".parse().unwrap()];
    drop(nat::across(Reader::new(file).unwrap(), &mappings));
    verify::capture(file, |buffer| drop(nat::translate(buffer, &mappings))).unwrap();
    let translated = start.elapsed() - fixed - verified;
    println!("{name}: {} bytes, {verified:.2?}, {fixed:.2?}, {translated:.2?}", file.len());
    summary
}

/// Each claims 65 KB without data; all overlap.
#[test]
fn fragments_without_bytes() {
    let file = capture(LinkType::RAW, |_| (ipv4(17, 60_020, 1, MORE, &[]), 60_020));
    everything("fragments without bytes", &file);
}

/// Each has 65 KB; all overlap with different bytes.
#[test]
fn fragments_that_overlap() {
    let file = capture(LinkType::RAW, |number| {
        let data = vec![number as u8; 60_000];
        whole(ipv4(17, 60_020, 1, MORE | (number as u16 % 512), &data))
    });
    let summary = everything("fragments that overlap", &file);
    let udp = &summary.protocols()["udp"].1;
    assert_eq!(udp.unverifiable.get(&Reason::Overlap), None);
}

/// The shortest fragments, in reverse order, of many datagrams.
#[test]
fn fragments_of_eight_bytes() {
    let file = capture(LinkType::RAW, |number| {
        let offset = 8191 - number as u16 / 8 % 8191;
        whole(ipv4(17, 28, number as u16 % 8, MORE | offset, &[0; 8]))
    });
    everything("fragments of eight bytes", &file);
}

/// Nested fragments: of IPv4 in IPv4, and fragment headers alone.
#[test]
fn fragments_in_fragments() {
    let mut nested = Vec::new();
    for _ in 0..3200 {
        let header = ipv4(4, 20 + nested.len(), 1, MORE, &[]);
        nested.splice(0..0, header);
        nested.resize(20 + (nested.len() - 20).next_multiple_of(8), 0);
    }
    let file = capture(LinkType::RAW, |number| {
        let mut packet = nested.clone();
        packet[4..6].copy_from_slice(&(number as u16).to_be_bytes());
        whole(packet)
    });
    everything("fragments in fragments", &file);
    let headers: Vec<u8> = [44, 0, 0, 1, 0, 0, 0, 9].repeat(8000);
    let file = capture(LinkType::RAW, |number| {
        let mut headers = headers.clone();
        headers[4..8].copy_from_slice(&number.to_be_bytes());
        whole(ipv6(44, headers.len() as u16, &headers))
    });
    everything("fragment headers in fragments", &file);
}

/// A fragment of a packet with a stated length of 4 GiB.
#[test]
fn fragments_of_absurd_length() {
    let file = capture(LinkType::RAW, |number| {
        let fragment = [17, 0, 0xff, 0xf8, 0, 0, 0, number as u8];
        (ipv6(44, 0, &fragment), u32::MAX)
    });
    everything("fragments of absurd length", &file);
}

/// A reassembled datagram with an invariant CRC, without the header that it covers.
#[test]
fn roce_in_fragments() {
    let mut payload = udp(4791, &[0; 56]);
    payload[6..8].fill(0);
    let parts = payload.split_at(32);
    let mut writer = Writer::new(Vec::new(), Header::new(LinkType::RAW)).unwrap();
    for (part, word) in [(parts.0, [0, 1]), (parts.1, [0, 32])] {
        let fragment = [&[17, 0], &word[..], &[0, 0, 0, 1], part].concat();
        let packet = ipv6(44, fragment.len() as u16, &fragment);
        writer.packet(0, packet.len() as u32, &packet).unwrap();
    }
    let mut names = Vec::new();
    verify::capture(&writer.into_inner()[..], |buffer| {
        names.extend(buffer.findings().map(|finding| finding.check.protocol.name));
    })
    .unwrap();
    assert_eq!(names, ["udp"]);
}

/// Thousands of wrong checks in a packet: each must take time only for its own bytes.
#[test]
#[ignore = "long"]
fn thousands_of_checks() {
    // The length 0: the packet ends with the captured bytes.
    let blocks = [&[5, 0x64, 255, 0, 0, 0, 0, 0, 1, 1][..], &[1; 15 * 18 + 12]].concat();
    let frames = tcp([20000, 20000], 0, 0, &blocks.repeat(250_000 / blocks.len()));
    let file = capture(LinkType::RAW, |_| whole(ipv4(6, 0, 0, 0, &frames)));
    let summary = everything("DNP3", &file);
    assert!(summary.protocols()["dnp3.data"].1.bad > 10_000);

    let mut advertisement = [1; 20];
    advertisement[18..].copy_from_slice(&[0, 20]);
    let mut packet = vec![2, 4, 0xff, 0xdc];
    packet.resize(24, 1);
    packet.extend([0xff; 4]);
    packet.extend(advertisement.repeat(3270));
    let file = capture(LinkType::RAW, |_| whole(ipv4(89, 0, 0, 0, &packet)));
    let summary = everything("OSPF", &file);
    assert!(summary.protocols()["ospf.lsa"].1.bad > 10_000);
}

/// Nested tunnels, each with a checksum over its payload.
#[test]
fn tunnels_in_tunnels() {
    let mut gre = vec![1; 250_000];
    for _ in 0..30 {
        let header = [&[0x80, 0, 0x65, 0x58, 1, 1, 0, 0], &[2; 12][..], &[0x08, 0]].concat();
        let mut next = ipv4(47, 0, 0, 0, &header);
        next.extend(&gre);
        gre = next;
    }
    let file = capture(LinkType::RAW, |_| whole(gre.clone()));
    let summary = everything("GRE", &file);
    assert!(summary.protocols()["gre"].1.bad > 5);

    // Bridged Ethernet with a frame check sequence, in jumbo LLC.
    let header = [&[2; 12][..], &[0x88, 0x70, 0xaa, 0xaa, 3, 0, 0x80, 0xc2, 0, 1, 0, 0]].concat();
    let bridged = [header.repeat(40), vec![1; 250_000]].concat();
    let file = capture(LinkType::ETHERNET, |_| whole(bridged.clone()));
    let summary = everything("frame check sequences", &file);
    assert!(summary.protocols()["eth.fcs"].1.bad > 5);
}

/// Returns a PDU of iSCSI with right digests: 52 bytes.
fn pdu() -> Vec<u8> {
    let mut pdu = vec![0; 48];
    (pdu[0], pdu[1]) = (0x00, 0x80);
    pdu.extend(residue::crc32c(&pdu).to_le_bytes());
    pdu
}

fn iscsi(connection: u32, sequence: u32, flags: u8, payload: &[u8]) -> (Vec<u8>, u32) {
    let ports = [1024 + (connection % 60_000) as u16, 3260];
    whole(ipv4(6, 40 + payload.len(), 0, 0, &tcp(ports, sequence, flags, payload)))
}

/// Segments of one byte, of a stream in which every position may begin a PDU.
#[test]
fn segments_of_one_byte() {
    let file = capture(LinkType::RAW, |number| iscsi(0, number, 0, &[1]));
    everything("segments of one byte", &file);
    // In reverse order.
    let file = capture(LinkType::RAW, |number| {
        let place = 4001 - number % 4002;
        iscsi(number / 4002, place * 250, 0, &[1; 250])
    });
    everything("segments backwards", &file);
    // Repeated bytes, each time one more.
    let file = capture(LinkType::RAW, |number| iscsi(0, 2 + number % 5000, 0, &[1; 1400]));
    everything("segments that overlap", &file);
}

/// PDUs with wrong header digests, and PDUs that wait for data.
#[test]
fn digests_that_are_wrong() {
    let mut data = pdu();
    data.truncate(48);
    data[5..8].copy_from_slice(&[0x0f, 0xff, 0]);
    data.extend(residue::crc32c(&data).to_le_bytes());
    let stream = [pdu(), pdu(), data, vec![1; 1300]].concat();
    let file = capture(LinkType::RAW, |number| iscsi(0, number * stream.len() as u32, 0, &stream));
    everything("digests of long data", &file);
    let mut wrong = pdu();
    wrong[50] ^= 1;
    let stream = [pdu(), wrong].concat().repeat(14);
    let file = capture(LinkType::RAW, |number| iscsi(0, number * stream.len() as u32, 0, &stream));
    let summary = everything("wrong digests", &file);
    assert!(summary.protocols()["iscsi.header"].1.bad > 100);
}

/// Very many PDUs of many connections that wait for earlier bytes, and are completed at once.
#[test]
fn many_pdus_at_the_end() {
    let stream = pdu().repeat(27);
    let file = capture(LinkType::RAW, |number| {
        let connection = number / 100;
        iscsi(connection, 2000 + number % 100 * stream.len() as u32, 0, &stream)
    });
    let summary = everything("PDUs at the end", &file);
    assert!(summary.protocols()["iscsi.header"].1.good > 10_000);
}

/// A STUN message and a DNP3 frame in one datagram claim equal bytes for their values: neither is
/// repaired.
#[test]
fn values_in_the_same_place() {
    // DNP3's start is a STUN type, its length one byte of STUN's length.
    let mut payload = vec![5, 0x64, 21, 80, 0x21, 0x12, 0xa4, 0x42];
    payload.resize(20, 1);
    payload.extend([0x80, 0x28, 0, 4, 1, 1, 1, 1]);
    payload.resize(60, 1);
    let packet = ipv4(17, 28 + payload.len(), 0, 0, &udp(20000, &payload));
    let mut writer = Writer::new(Vec::new(), Header::new(LinkType::RAW)).unwrap();
    writer.packet(0, packet.len() as u32, &packet).unwrap();
    let file = writer.into_inner();
    let summary = everything("values in the same place", &file);
    assert_eq!(summary.protocols()["stun"].1.bad, 1);
    assert_eq!(summary.protocols()["dnp3.data"].1.bad, 1);
    let repairer = Repairer::new(|| Reader::new(&file[..]), Policy::all(), |_| ()).unwrap();
    let mut repaired = Vec::new();
    verify::capture(&file[..], |buffer| {
        repaired.extend(repairer.repairs(buffer).iter().map(|repair| repair.protocol));
    })
    .unwrap();
    assert_eq!(repaired, ["dnp3.header", "udp"]);
}

/// Bad segments of a flow, among good ones, each of which is compared with all of them.
#[test]
fn a_survey_of_bad_segments() {
    let file = capture(LinkType::RAW, |number| {
        let mut segment = tcp([7, 7], number, 0, &[]);
        segment[16..18].fill(0);
        let mut packet = ipv4(6, 40, 0, 0, &segment);
        let pseudo = [&packet[12..20], &[0, 6, 0, 20], &segment].concat();
        // The error of every second one differs: no addresses were rewritten.
        let wrong = if number % 2 == 0 { number / 2 + 3 } else { 0 };
        let checksum = u32::from(residue::internet::checksum(&pseudo)) + wrong;
        let checksum = (checksum % 65535) as u16;
        packet[36..38].copy_from_slice(&checksum.to_be_bytes());
        whole(packet)
    });
    let mut summary = Summary::new();
    verify::capture(&file[..], |buffer| summary.buffer(buffer)).unwrap();
    let mut survey = Survey::new();
    let start = Instant::now();
    verify::capture(&file[..], |buffer| {
        buffer.findings().for_each(|finding| survey.learn(&finding, &summary.diagnosis));
    })
    .unwrap();
    verify::capture(&file[..], |buffer| {
        buffer.findings().for_each(|finding| survey.compare(&finding));
    })
    .unwrap();
    survey.finish();
    println!("survey: {} bytes, {:.2?}", file.len(), start.elapsed());
    assert_eq!(survey.bad - survey.not_kept, 1024, "{survey:?}");
    assert!(survey.not_kept > 5000);
}

/// Blocks without packets are copied while they are skipped, not stored.
#[test]
fn rewriting_takes_no_more_memory_for_long_blocks() {
    /// A section with endless blocks; counts the bytes read.
    struct Endless<'a> {
        head: &'a [u8],
        block: Vec<u8>,
        place: usize,
        read: &'a std::cell::Cell<usize>,
    }
    impl Read for Endless<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let count = if self.head.is_empty() {
                let rest = &self.block[self.place..];
                let count = rest.len().min(buffer.len());
                buffer[..count].copy_from_slice(&rest[..count]);
                self.place = (self.place + count) % self.block.len();
                count
            } else {
                self.head.read(buffer)?
            };
            self.read.set(self.read.get() + count);
            Ok(count)
        }
    }
    let head = NgWriter::new(Vec::new(), ByteOrder::Little, &[(COMMENT, b"none")]).unwrap();
    let head = head.into_inner();
    let mut block = NgWriter::new(Vec::new(), ByteOrder::Little, &[]).unwrap();
    let start = head.len() - 12;
    block.block(0xbad, &vec![7; 8 << 20], &[]).unwrap();
    let block = block.into_inner().split_off(start);
    let read = std::cell::Cell::new(0);
    let input = Endless { head: &head, block, place: 0, read: &read };
    let mut rewriter = Rewriter::new(input, &[], |_, _| ()).unwrap();
    let mut buffer = vec![0; 1 << 16];
    let mut written = 0;
    while written < 40 << 20 {
        written += rewriter.read(&mut buffer).unwrap();
        assert!(read.get() - written < 4 << 20, "{} bytes are kept", read.get() - written);
    }
}

/// The verdicts on a flood equal those on its single packets.
#[test]
fn what_is_right_stays_right_among_the_rest() {
    let good = ipv4(17, 0, 0, 0, &[]);
    let mut datagram = udp(7, b"abcdefgh");
    datagram[6..8].fill(0);
    let pseudo = [&good[12..20], &[0, 17, 0, 16]].concat();
    let checksum = residue::internet::checksum(&[&pseudo[..], &datagram].concat());
    datagram[6..8].copy_from_slice(&checksum.to_be_bytes());
    let mut verdicts = Vec::new();
    let file = capture(LinkType::RAW, |number| {
        let flood = |id: u16| whole(ipv4(17, 36, id, MORE, &[9; 16]));
        match number % 3 {
            0 => whole(ipv4(17, 28, 0xfff0, MORE, &datagram[..8])),
            1 => whole(ipv4(17, 28, 0xfff0, 1, &datagram[8..])),
            _ => flood(number as u16 % 0xfff0),
        }
    });
    verify::capture(&file[..], |buffer| {
        let findings = buffer.findings().filter(|finding| finding.check.protocol.name == "udp");
        verdicts.extend(findings.map(|finding| finding.verdict));
    })
    .unwrap();
    let good = verdicts.iter().filter(|&&verdict| verdict == Verdict::Good).count();
    assert!(good > 1000 && !verdicts.contains(&Verdict::Bad), "{good}");
}
