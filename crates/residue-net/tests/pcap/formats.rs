//! Tests that written captures are read again, and conform to the documents.

use super::*;

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

/// Compares bytes with the documents, so that reader and writer cannot be wrong together.
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
    let expected = b"\x0a\x0d\x0d\x0a\0\0\0\x1c\x1a\x2b\x3c\x4d\0\x01\0\0\
        \xff\xff\xff\xff\xff\xff\xff\xff\0\0\0\x1c\
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
        file.extend(noise(length.into()));
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
        file.extend(noise(4));
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
        assert_eq!(packet.bytes, noise(length));
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
            // Consecutive members and frames are one file, as is a skippable frame before.
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
