//! Captures: what is written is read again; what is damaged ends in an error, never in a panic or a wrong packet.

use proptest::prelude::*;
use residue_net::Error;
use residue_net::pcap::compressed::{self, Compression};
use residue_net::pcap::write::{COMMENT, Header, NgWriter, Writer};
use residue_net::pcap::{ByteOrder, Format, LinkType, Reader};
use std::io::{self, ErrorKind, Read};

/// A packet that owns its bytes.
#[derive(Clone, Debug, PartialEq)]
struct Owned {
    number: u64,
    offset: u64,
    link: LinkType,
    bytes: Vec<u8>,
    wire_length: u32,
    fcs: Option<u8>,
    time: Option<u64>,
}

/// All packets, and the error that ended them.
fn read(input: impl Read) -> (Vec<Owned>, Option<Error>) {
    let mut packets = Vec::new();
    let mut reader = match Reader::new(input) {
        Ok(reader) => reader,
        Err(error) => return (packets, Some(error)),
    };
    loop {
        match reader.next() {
            Ok(Some(packet)) => packets.push(Owned {
                number: packet.number,
                offset: packet.offset,
                link: packet.link,
                bytes: packet.bytes.to_vec(),
                wire_length: packet.wire_length,
                fcs: packet.fcs,
                time: packet.time,
            }),
            Ok(None) => return (packets, None),
            Err(error) => {
                assert!(matches!(reader.next(), Ok(None)), "a packet after an error");
                return (packets, Some(error));
            }
        }
    }
}

/// The same where there must be no error, and every packet must lie where it says.
fn read_good(file: &[u8]) -> Vec<Owned> {
    let (packets, error) = read(file);
    assert!(error.is_none(), "{error:?}");
    assert_in_place(&packets, file);
    packets
}

fn assert_in_place(packets: &[Owned], file: &[u8]) {
    for (packet, number) in packets.iter().zip(1..) {
        let offset = packet.offset as usize;
        assert_eq!(packet.number, number);
        assert_eq!(file[offset..offset + packet.bytes.len()], packet.bytes, "packet {number}");
    }
}

/// Bytes that are nowhere alike.
fn bytes(length: usize) -> Vec<u8> {
    (0..length as u32).map(|place| (place.wrapping_mul(0x9e37_79b9) >> 24) as u8).collect()
}

/// Packets as (time, wire length, bytes); the third is cut.
fn samples() -> Vec<(u64, u32, Vec<u8>)> {
    let of = |&(time, cut, length)| (time, cut + length as u32, bytes(length));
    let packets = [
        (0, 0, 0),
        (1_700_000_000_123_456_000, 0, 1),
        (1_700_000_000_999_999_000, 1400, 54),
        (4_294_967_295_000_001_000, 0, 1514),
        (1, 0, 67),
    ];
    packets.iter().map(of).collect()
}

fn classic(header: Header) -> Vec<u8> {
    let mut writer = Writer::new(Vec::new(), header).unwrap();
    for (time, wire_length, bytes) in samples() {
        writer.packet(time, wire_length, &bytes).unwrap();
    }
    writer.into_inner()
}

/// Two sections of different byte order, three interfaces, every sort of block.
fn ng() -> Vec<u8> {
    make_ng().unwrap()
}

fn make_ng() -> io::Result<Vec<u8>> {
    let mut writer = NgWriter::new(Vec::new(), ByteOrder::Little, &[(COMMENT, b"made up")])?;
    // Nanoseconds, and a frame check sequence of 4 bytes.
    writer.interface(1, 0, &[(COMMENT, b"!"), (9, &[9]), (13, &[4])])?;
    writer.interface(113, 40, &[])?;
    writer.packet(0, 1_700_000_000_000_000_001, 61, &bytes(61), &[(COMMENT, b"first")])?;
    // Flags: a frame check sequence of 2 bytes.
    writer.packet(1, 7, 60, &bytes(40), &[(COMMENT, b""), (2, &[0x40, 0, 0, 0])])?;
    // Names, secrets, a block of somebody's own, one nobody knows.
    writer.block(4, &[0; 4], &[])?;
    writer.block(10, b"TLSK\x05\0\0\0hello", &[])?;
    writer.block(0xbad, b"\x01\x02\x03\x04anything", &[(COMMENT, b"mine")])?;
    writer.block(0x7fff_fff0, &[], &[])?;
    writer.simple_packet(33, &bytes(33))?;
    writer.old_packet(1, 8, 10, &bytes(10), &[])?;
    writer.section(ByteOrder::Big, &[])?;
    // Seconds / 1024, less one second.
    writer.interface(101, 30, &[(9, &[0x8a]), (14, &(-1_i64).to_be_bytes())])?;
    writer.simple_packet(99, &bytes(30))?;
    // Flags: a frame check sequence of 4 bytes.
    writer.packet(0, 3 << 10 | 512, 5, &bytes(5), &[(2, &[0, 0, 0, 0x80])])?;
    Ok(writer.into_inner())
}

/// Where the records of a file end, and how many packets it has up to there.
fn ends(file: &[u8]) -> Vec<(usize, usize)> {
    let mut order = if file[0] < 0xa0 { ByteOrder::Big } else { ByteOrder::Little };
    let mut ends = Vec::new();
    let (mut place, mut packets) = (0, 0);
    let number = |order, place: usize| {
        let bytes = file[place..place + 4].try_into().unwrap();
        match order {
            ByteOrder::Little => u32::from_le_bytes(bytes),
            ByteOrder::Big => u32::from_be_bytes(bytes),
        }
    };
    if file[0] != 10 {
        // Classic, written by `classic`.
        order = if file[0] == 0xa1 { ByteOrder::Big } else { ByteOrder::Little };
        ends.push((24, 0));
        place = 24;
    }
    while place < file.len() {
        if file[0] != 10 {
            place += 16 + number(order, place + 8) as usize;
            packets += 1;
        } else {
            if file[place] == 10 && file[place + 3] == 10 {
                order = if file[place + 8] == 0x4d { ByteOrder::Little } else { ByteOrder::Big };
            }
            packets += usize::from(matches!(number(order, place), 2 | 3 | 6));
            place += number(order, place + 4) as usize;
        }
        ends.push((place, packets));
    }
    ends
}

/// One small file of each format.
fn files() -> Vec<Vec<u8>> {
    let micro = Header { nanoseconds: false, ..Header::new(LinkType::ETHERNET) };
    let big = Header { order: ByteOrder::Big, ..Header::new(LinkType::RAW) };
    vec![classic(micro), classic(big), ng()]
}

fn compress(file: &[u8], compression: Compression) -> Vec<u8> {
    let mut out = Vec::new();
    compressed::copy(&mut &*file, &mut out, Some(compression)).unwrap();
    out
}

const COMPRESSIONS: [Compression; 2] = [Compression::Gzip, Compression::Zstd];

/// Gives what it has in reads of one byte, with an interruption before each.
struct Slow<'a>(&'a [u8], bool);

impl Read for Slow<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.1 = !self.1;
        if self.1 {
            return Err(ErrorKind::Interrupted.into());
        }
        let length = buffer.len().min(1);
        self.0.read(&mut buffer[..length])
    }
}

#[test]
fn classic_round_trip() {
    for order in [ByteOrder::Little, ByteOrder::Big] {
        for nanoseconds in [false, true] {
            for (link, fcs) in
                [(LinkType::ETHERNET, None), (LinkType(276), Some(0)), (LinkType(0xffff), Some(4))]
            {
                let header = Header { order, nanoseconds, link, snaplen: 65535, fcs };
                let file = classic(header);
                let reader = Reader::new(&*file).unwrap();
                let format = if nanoseconds { Format::PcapNanoseconds } else { Format::Pcap };
                assert_eq!((reader.format(), reader.byte_order()), (format, order));
                assert_eq!(reader.compression(), None);
                let packets = read_good(&file);
                assert_eq!(packets.len(), samples().len());
                for (packet, (time, wire_length, bytes)) in packets.iter().zip(samples()) {
                    let unit = if nanoseconds { 1 } else { 1000 };
                    assert_eq!(packet.time, Some(time - time % unit));
                    assert_eq!(packet.wire_length, wire_length);
                    assert_eq!(packet.bytes, bytes);
                    assert_eq!((packet.link, packet.fcs), (link, fcs));
                }
            }
        }
    }
}

/// Byte for byte by the documents, so that reader and writer cannot be wrong together.
#[test]
fn headers_are_those_of_the_documents() {
    let header = Header {
        order: ByteOrder::Little,
        nanoseconds: false,
        link: LinkType::ETHERNET,
        snaplen: 0x0004_0000,
        fcs: Some(4),
    };
    let mut writer = Writer::new(Vec::new(), header).unwrap();
    writer.packet(0x1234_5678 * 1_000_000_000 + 999_999_000, 9, b"ab").unwrap();
    let expected = b"\xd4\xc3\xb2\xa1\x02\0\x04\0\0\0\0\0\0\0\0\0\0\0\x04\0\x01\0\0\x24\
        \x78\x56\x34\x12\x3f\x42\x0f\0\x02\0\0\0\x09\0\0\0ab";
    assert_eq!(writer.into_inner(), expected);

    let mut writer = NgWriter::new(Vec::new(), ByteOrder::Big, &[]).unwrap();
    writer.interface(1, 96, &[(9, &[6])]).unwrap();
    writer.packet(0, 0x0001_0203_0405_0607, 5, b"abc", &[(COMMENT, b"x")]).unwrap();
    let expected = b"\x0a\x0d\x0d\x0a\0\0\0\x1c\x1a\x2b\x3c\x4d\0\x01\0\0\xff\xff\xff\xff\xff\xff\xff\xff\0\0\0\x1c\
        \0\0\0\x01\0\0\0\x20\0\x01\0\0\0\0\0\x60\0\x09\0\x01\x06\0\0\0\0\0\0\0\0\0\0\x20\
        \0\0\0\x06\0\0\0\x30\0\0\0\0\0\x01\x02\x03\x04\x05\x06\x07\0\0\0\x03\0\0\0\x05abc\0\
        \0\x01\0\x01x\0\0\0\0\0\0\0\0\0\0\x30";
    assert_eq!(writer.into_inner(), expected);
}

#[test]
fn modified_magics() {
    // Kuznetzov's records have eight bytes more: interface, protocol, packet type.
    let mut file = b"\xa1\xb2\xcd\x34\0\x02\0\x04\0\0\0\0\0\0\0\0\0\0\xff\xff\0\0\0\x01".to_vec();
    for length in [3, 4] {
        file.extend(b"\0\0\0\x01\0\0\0\x02\0\0\0");
        file.extend([length, 0, 0, 0, 9]);
        file.extend(b"\0\0\0\x02\x08\0\0\0");
        file.extend(bytes(length.into()));
    }
    let packets = read_good(&file);
    let lengths: Vec<_> = packets.iter().map(|packet| packet.bytes.len()).collect();
    assert_eq!(lengths, [3, 4]);
    assert_eq!((packets[1].time, packets[1].wire_length), (Some(1_000_002_000), 9));
    assert_eq!(Reader::new(&*file).unwrap().format(), Format::PcapModified);

    // Ixia's header is four bytes longer.
    for magic in [0xab, 0xac] {
        let mut file = vec![magic, 1, 0, 0x1c];
        file.extend(b"\x02\0\x04\0\0\0\0\0\0\0\0\0\xff\xff\0\0\x01\0\0\0\x14\0\0\0");
        file.extend(b"\x01\0\0\0\x02\0\0\0\x04\0\0\0\x04\0\0\0");
        file.extend(bytes(4));
        let packets = read_good(&file);
        assert_eq!((packets.len(), packets[0].time), (1, Some(1_000_002_000)));
        assert_eq!(Reader::new(&*file).unwrap().format(), Format::PcapIxia);
    }
}

#[test]
fn ng_round_trip() {
    let file = ng();
    let second = 1_000_000_000;
    let packets = read_good(&file);
    let expected = [
        (1, 61, 61, Some(4), Some(1_700_000_000_000_000_001)),
        (113, 40, 60, Some(2), Some(7_000)),
        (1, 33, 33, Some(4), None),
        (113, 10, 10, None, Some(8_000)),
        (101, 30, 99, None, None),
        (101, 5, 5, Some(4), Some(2 * second + second / 2)),
    ];
    assert_eq!(packets.len(), expected.len());
    for (packet, (link, length, wire_length, fcs, time)) in packets.iter().zip(expected) {
        assert_eq!((packet.link, packet.wire_length), (LinkType(link), wire_length));
        assert_eq!((packet.fcs, packet.time), (fcs, time), "packet {}", packet.number);
        assert_eq!(packet.bytes, bytes(length));
    }
}

#[test]
fn time_stamps() {
    /// Resolution, offset in seconds, time stamp, nanoseconds.
    const CASES: [(u8, i64, u64, u64); 13] = [
        (6, 0, 1_700_000_000_000_001, 1_700_000_000_000_001_000),
        (0, 0, 17, 17_000_000_000),
        (9, 0, u64::MAX, u64::MAX),
        (6, 0, u64::MAX, u64::MAX),
        (12, 0, 1_999, 1),
        (127, 0, u64::MAX, 0),
        (0x80, 0, 5, 5_000_000_000),
        (0x81, 0, 5, 2_500_000_000),
        (0xa0, 0, 1 << 31, 500_000_000),
        (0xc0, 0, u64::MAX, 999_999_999),
        (0xff, 0, u64::MAX, 0),
        (9, 5, 3, 5_000_000_003),
        (9, i64::MIN, u64::MAX, 0),
    ];
    for (resolution, offset, stamp, expected) in CASES {
        let mut writer = NgWriter::new(Vec::new(), ByteOrder::Little, &[]).unwrap();
        writer.interface(1, 0, &[(9, &[resolution]), (14, &offset.to_le_bytes())]).unwrap();
        writer.packet(0, stamp, 0, &[], &[]).unwrap();
        let time = read_good(&writer.into_inner())[0].time;
        assert_eq!(time, Some(expected), "{resolution:#x} {offset} {stamp}");
    }
}

/// Bits by the document, bytes by its example and by what Wireshark writes.
#[test]
fn interface_fcs_length() {
    for (option, expected) in [(0, 0), (2, 2), (4, 4), (16, 2), (32, 4)] {
        let mut writer = NgWriter::new(Vec::new(), ByteOrder::Little, &[]).unwrap();
        writer.interface(1, 0, &[(13, &[option])]).unwrap();
        writer.packet(0, 0, 0, &[], &[]).unwrap();
        assert_eq!(read_good(&writer.into_inner())[0].fcs, Some(expected));
    }
}

#[test]
fn compressed_is_the_same() {
    for file in files() {
        let expected = read_good(&file);
        for compression in COMPRESSIONS {
            let whole = compress(&file, compression);
            assert_eq!(Reader::new(&*whole).unwrap().compression(), Some(compression));
            // Members and frames in a row are one file; so is a frame to be skipped before.
            let (head, tail) = file.split_at(file.len() / 2);
            let parts = [compress(head, compression), compress(tail, compression)].concat();
            for input in [whole, parts] {
                let (packets, error) = read(&*input);
                assert!(error.is_none(), "{compression}: {error:?}");
                assert_eq!(packets, expected);
            }
        }
        let skipped = [b"\x5a\x2a\x4d\x18\x03\0\0\0abc", &*compress(&file, Compression::Zstd)];
        assert_eq!(read(&*skipped.concat()).0, expected);
    }
}

#[test]
fn one_byte_at_a_time() {
    for file in files() {
        let expected = read_good(&file);
        assert_eq!(read(Slow(&file, false)).0, expected);
        for compression in COMPRESSIONS {
            assert_eq!(read(Slow(&compress(&file, compression), false)).0, expected);
        }
    }
}

#[test]
fn every_truncation() {
    for file in files() {
        let expected = read_good(&file);
        let ends = ends(&file);
        assert_eq!(ends.last(), Some(&(file.len(), expected.len())));
        for length in 0..file.len() {
            let (packets, error) = read(&file[..length]);
            let (end, count) =
                ends.iter().rfind(|(end, _)| *end <= length).copied().unwrap_or_default();
            assert_eq!(packets, expected[..count], "{length}");
            match error {
                None => assert!(length == end && length > 0, "no error at {length}"),
                Some(Error::Empty) => assert_eq!(length, 0),
                Some(Error::NotACapture { .. }) => assert!(length < 4),
                Some(Error::Truncated { packets, offset, wanted, found }) => {
                    assert_eq!((packets, offset), (count as u64, end as u64), "{length}");
                    assert_eq!(found, (length - end) as u64);
                    assert!(wanted > found);
                }
                Some(other) => panic!("{other}"),
            }
        }
    }
}

#[test]
fn every_truncation_of_compressed_files() {
    for file in files() {
        let expected = read_good(&file);
        for compression in COMPRESSIONS {
            let file = compress(&file, compression);
            for length in 4..file.len() {
                let (packets, error) = read(&file[..length]);
                assert_eq!(packets, expected[..packets.len()]);
                let error = error.expect("an error where the file is cut");
                assert!(matches!(error, Error::Decompress { .. }), "{length}: {error}");
            }
        }
    }
}

#[test]
fn damaged_compressed_files() {
    for compression in COMPRESSIONS {
        let mut file = compress(&files()[0], compression);
        // In gzip's checksum and in zstd's.
        let last = file.len() - if compression == Compression::Gzip { 5 } else { 1 };
        file[last] ^= 1;
        let (_, error) = read(&*file);
        assert!(matches!(error, Some(Error::Decompress { .. })), "{compression}: {error:?}");
    }
}

/// `file` with a little-endian number at a place.
fn with(file: &[u8], place: usize, number: u32) -> Vec<u8> {
    let mut file = file.to_vec();
    file[place..place + 4].copy_from_slice(&number.to_le_bytes());
    file
}

#[test]
fn absurd_lengths_in_classic() {
    let file = &files()[0];
    for length in [(256 << 10) + 1, 0x7fff_ffff, 0x8000_0000, u32::MAX] {
        let (packets, error) = read(&*with(file, 24 + 8, length));
        assert!(packets.is_empty());
        let Some(Error::Malformed { packets: 0, offset: 24, what }) = error else {
            panic!("{error:?}");
        };
        assert!(what.contains(&length.to_string()), "{what}");
    }
    let (_, error) = read(&*with(file, 24 + 8, 256 << 10));
    assert!(matches!(error, Some(Error::Truncated { packets: 0, offset: 24, .. })), "{error:?}");
}

#[test]
fn absurd_lengths_in_ng() {
    let mut writer = NgWriter::new(Vec::new(), ByteOrder::Little, &[]).unwrap();
    writer.interface(1, 0, &[]).unwrap();
    writer.packet(0, 0, 8, &bytes(8), &[]).unwrap();
    let first = read_good(&writer.into_inner())[0].offset as usize - 28;
    let make = |second: &dyn Fn(&mut NgWriter<Vec<u8>>) -> io::Result<()>| {
        let mut writer = NgWriter::new(Vec::new(), ByteOrder::Little, &[]).unwrap();
        writer.interface(1, 0, &[]).unwrap();
        writer.packet(0, 0, 8, &bytes(8), &[]).unwrap();
        second(&mut writer).unwrap();
        writer.packet(0, 0, 8, &bytes(8), &[]).unwrap();
        writer.into_inner()
    };
    let second = first + 40;
    let malformed = |file: Vec<u8>| {
        let (packets, error) = read(&*file);
        assert_eq!(packets.len(), 1);
        match error {
            Some(Error::Malformed { packets: 1, offset, .. }) => assert_eq!(offset, second as u64),
            other => panic!("{other:?}"),
        }
    };
    let packet = make(&|writer| writer.packet(0, 0, 8, &bytes(8), &[]));
    let unknown = make(&|writer| writer.block(99, &bytes(8), &[]));
    let simple = make(&|writer| writer.simple_packet(8, &bytes(8)));
    let interface = make(&|writer| writer.interface(1, 0, &[]));
    let section = make(&|writer| writer.section(ByteOrder::Little, &[]));
    for file in [&packet, &unknown, &simple, &interface, &section] {
        for length in [0, 3, 4, 8, 11, 13, 0xffff_ffff, 0xffff_fffd] {
            malformed(with(file, second + 4, length));
        }
    }
    // Shorter than their fields, by both lengths.
    for kind in [1, 2, 3, 6] {
        malformed(make(&|writer| writer.block(kind, &[], &[])));
    }
    for kind in [2, 6] {
        malformed(make(&|writer| writer.block(kind, &[0; 16], &[])));
    }
    malformed(make(&|writer| writer.block(0x0a0d_0d0a, &0x1a2b_3c4d_u32.to_le_bytes(), &[])));
    // Two lengths that differ.
    for (file, tail) in [(&packet, 36), (&unknown, 16), (&simple, 20)] {
        malformed(with(file, second + tail, 12));
    }
    // A packet larger than its block, or than any packet.
    for length in [9, 0x8000_0000, u32::MAX] {
        malformed(with(&packet, second + 20, length));
        malformed(with(&simple, second + 8, length));
    }
    malformed(make(&|writer| writer.packet(0, 0, 0, &bytes((256 << 10) + 1), &[])));
    // An interface that was not described, in this section.
    malformed(make(&|writer| writer.packet(1, 0, 8, &bytes(8), &[])));
    malformed(make(&|writer| writer.old_packet(1, 0, 8, &bytes(8), &[])));
    malformed(with(&section, second + 8, 0x1a2b_3c4e));
    let (packets, error) = read(&*section);
    assert_eq!(packets.len(), 1);
    let third = second as u64 + 28;
    assert!(matches!(error, Some(Error::Malformed { packets: 1, offset, .. }) if offset == third));
    // Unknown blocks may be of any length; the file may not end in them.
    let (packets, error) = read(&*with(&unknown, second + 4, 0xffff_fffc));
    assert_eq!(packets.len(), 1);
    let found = (unknown.len() - second) as u64;
    match error {
        Some(Error::Truncated { packets: 1, offset, wanted: 0xffff_fffc, found: f }) => {
            assert_eq!((offset, f), (second as u64, found));
        }
        other => panic!("{other:?}"),
    }
}

/// Counts what is read of an endless file.
struct Endless<'a> {
    head: &'a [u8],
    again: &'a [u8],
    count: usize,
}

impl Read for Endless<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        for byte in &mut *buffer {
            let place = self.count.checked_sub(self.head.len());
            *byte = match place {
                None => self.head[self.count],
                Some(place) => self.again[place % self.again.len()],
            };
            self.count += 1;
        }
        Ok(buffer.len())
    }
}

#[test]
fn endless_input_is_not_kept() {
    let ends = |head: &[u8], again: &[u8], most: usize| {
        let mut input = Endless { head, again, count: 0 };
        let mut reader = Reader::new(&mut input).unwrap();
        let error = loop {
            match reader.next() {
                Ok(packet) => assert!(packet.is_some()),
                Err(error) => break error,
            }
        };
        drop(reader);
        assert!(matches!(error, Error::Malformed { .. }), "{error}");
        // The first four are read by themselves, to tell the compression.
        assert!(input.count <= most + 4, "{} bytes read", input.count);
    };
    // A length above the bound costs nothing.
    let header = classic(Header { nanoseconds: false, ..Header::new(LinkType::ETHERNET) });
    ends(&header[..24], &[0xff], 256 << 10);
    // Interfaces without end.
    let mut writer = NgWriter::new(Vec::new(), ByteOrder::Little, &[]).unwrap();
    writer.interface(1, 0, &[]).unwrap();
    let file = writer.into_inner();
    let (section, interface) = file.split_at(28);
    ends(section, interface, (20 << 16) + (512 << 10));
}

#[test]
fn larger_than_the_buffer() {
    let usb = Header::new(LinkType(189));
    let mut writer = Writer::new(Vec::new(), usb).unwrap();
    let lengths = [10, 1_000_000, 3, 262_144, 262_128, 262_127, 5_000_001];
    for length in lengths {
        writer.packet(0, length as u32, &bytes(length)).unwrap();
    }
    let mut ng = NgWriter::new(Vec::new(), ByteOrder::Big, &[]).unwrap();
    ng.interface(189, 0, &[]).unwrap();
    for length in lengths {
        ng.block(77, &bytes(length), &[]).unwrap();
        ng.packet(0, 0, length as u32, &bytes(length), &[]).unwrap();
    }
    for file in [writer.into_inner(), ng.into_inner()] {
        let packets = read_good(&file);
        assert_eq!(packets.len(), lengths.len());
        for (packet, length) in packets.iter().zip(lengths) {
            assert_eq!(packet.bytes.len(), length);
        }
    }
}

#[test]
fn not_captures() {
    assert!(matches!(read(&b""[..]).1, Some(Error::Empty)));
    for start in ["x", "snoop\0\0\0", "<?xml version=\"1.0\"?><pdml>"] {
        let error = read(start.as_bytes()).1.unwrap();
        assert!(matches!(error, Error::NotACapture { .. }));
        assert!(error.to_string().contains(&format!("{:02x}", start.as_bytes()[0])), "{error}");
    }
    let mut old = files()[0].clone();
    old[4] = 1;
    let error = read(&*old).1;
    assert!(matches!(
        error,
        Some(Error::Version { format: "pcap", major: 1, minor: 4, offset: 0 })
    ));
    let mut new = ng();
    new[14] = 3;
    let error = read(&*new).1;
    assert!(matches!(error, Some(Error::Version { format: "pcapng", major: 1, minor: 3, .. })));
    // Written by some, and the same as 1.0.
    new[14] = 2;
    assert_eq!(read(&*new).0, read(&*ng()).0);
    for compression in COMPRESSIONS {
        assert!(matches!(read(&*compress(b"", compression)).1, Some(Error::Empty)));
        let twice = compress(&compress(&ng(), compression), compression);
        assert!(matches!(read(&*twice).1, Some(Error::NotACapture { .. })));
    }
}

#[test]
fn an_error_of_the_input_comes_after_its_packets() {
    struct Breaks<'a>(&'a [u8]);
    impl Read for Breaks<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            match self.0.read(buffer)? {
                0 => Err(io::Error::other("cable pulled")),
                count => Ok(count),
            }
        }
    }
    for file in files() {
        let (packets, error) = read(Breaks(&file));
        assert_eq!(packets, read_good(&file));
        let error = error.unwrap();
        assert!(matches!(error, Error::Io { .. }));
        assert_eq!(error.to_string(), "cannot read the capture: cable pulled");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, ..ProptestConfig::default() })]

    /// Whatever is changed, packets lie where they say, and reading ends.
    #[test]
    fn damaged_files(
        which in 0_usize..3,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
        numbers in prop::collection::vec((any::<prop::sample::Index>(), 0_u32..3000), 0..2),
        length in any::<prop::sample::Index>(),
    ) {
        let mut file = files().swap_remove(which);
        for (place, number) in numbers {
            let place = place.index(file.len() / 4 - 1) * 4;
            file[place..place + 4].copy_from_slice(&number.to_le_bytes());
        }
        for (place, value) in changes {
            let place = place.index(file.len());
            file[place] = value;
        }
        // Half of the files are whole.
        file.truncate((length.index(2 * file.len()) + 1).min(file.len()));
        let (packets, _) = read(&*file);
        assert_in_place(&packets, &file);
        prop_assert_eq!(read(Slow(&file, false)).0, packets);
    }

    /// The same of compressed files, where a change can become anything.
    #[test]
    fn damaged_compressed(
        which in 0_usize..3,
        zstd in any::<bool>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
    ) {
        let mut file = compress(&files().swap_remove(which), COMPRESSIONS[usize::from(zstd)]);
        for (place, value) in changes {
            let place = place.index(file.len());
            file[place] = value;
        }
        let _ = read(&*file);
    }
}
