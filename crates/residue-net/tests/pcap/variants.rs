//! Tests of the variants of pcap, of snoop, and of the names of other files.

use super::*;
use residue_fixtures::case::Variant;
use residue_fixtures::{Case, Format as Written};

/// Returns the good capture of a case as a file.
fn file(case: &Case, format: Written) -> Vec<u8> {
    let mut file = Vec::new();
    let case = Case { format, ..case.clone() };
    residue_fixtures::file::write(&mut file, &case, &case.good).unwrap();
    file
}

const VARIANTS: [(Written, Format); 6] = [
    (Written::Pcap, Format::Pcap),
    (Written::PcapVariant(Variant::RedHat), Format::PcapRedHat),
    (Written::PcapVariant(Variant::Nokia), Format::PcapNokia),
    (Written::PcapVariant(Variant::Modified), Format::PcapModified),
    (Written::PcapVariant(Variant::Suse), Format::PcapSuse),
    (Written::Snoop, Format::Snoop),
];

/// Returns a case with this many packets of Ethernet.
fn case_of(count: usize) -> Case {
    let mut cases = residue_fixtures::cases().into_iter();
    let mut case = cases.find(|case| case.name == "tcp-v4").unwrap();
    let frame = case.good[0].clone();
    case.good = (0..count)
        .map(|extra| {
            let mut frame = frame.clone();
            frame.bytes.extend(noise(extra % 7));
            frame.wire_length = (frame.bytes.len() + extra % 3) as u32;
            frame
        })
        .collect();
    case
}

#[test]
fn variants_are_recognised_by_their_first_records() {
    for count in [1, 2, 3, 10] {
        let case = case_of(count);
        let expected = read_good(&file(&case, Written::Pcap));
        assert_eq!(expected.len(), count);
        for (written, format) in VARIANTS {
            let file = file(&case, written);
            let packets = read_good(&file);
            let mut reader = Reader::new(&*file).unwrap();
            reader.next().unwrap();
            assert_eq!(reader.format(), format, "{count} packets");
            for (packet, expected) in packets.iter().zip(&expected) {
                let expected = Owned { offset: packet.offset, ..expected.clone() };
                assert_eq!(*packet, expected, "{format}, {count} packets");
            }
            assert_eq!(packets.len(), count);
        }
    }
}

/// A file that ends early is not taken for a variant.
#[test]
fn cut_files_keep_their_variant() {
    let case = case_of(4);
    for (written, format) in VARIANTS {
        let file = file(&case, written);
        let whole = read_good(&file);
        for length in whole[2].offset as usize..file.len() {
            let (packets, error) = read(&file[..length]);
            assert_eq!(packets, whole[..packets.len()], "{format} cut to {length}");
            assert!(packets.len() >= 2, "{format} cut to {length}");
            let end = packets.last().map_or(0, |last| last.offset + last.bytes.len() as u64);
            let padding = length as u64 - end;
            assert!(error.is_some() || padding < 4, "{format} cut to {length}");
        }
    }
}

/// Reads the files in chunks of any size.
#[test]
fn variants_do_not_depend_on_reads() {
    let case = case_of(4);
    for (written, format) in VARIANTS {
        let file = file(&case, written);
        let expected = read_good(&file);
        for size in [1, 7, 64] {
            let (packets, error) = read_all(Reader::in_chunks(&*file, size, [0, 0]));
            assert!(error.is_none() && packets == expected, "{format} in chunks of {size}");
        }
    }
}

/// A pipe may have no second packet yet.
#[test]
fn the_first_packet_of_a_pipe_needs_no_second() {
    struct Waits<'a>(&'a [u8]);
    impl Read for Waits<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            match self.0.read(buffer)? {
                0 => panic!("reads more than the first packet"),
                count => Ok(count),
            }
        }
    }
    let file = file(&case_of(1), Written::Pcap);
    let mut reader = Reader::new(Waits(&file)).unwrap();
    assert_eq!(reader.next().unwrap().unwrap().number, 1);
}

/// Version 2.2 of AIX: numbers of interfaces, nanoseconds, and the length on the wire first.
#[test]
fn aix() {
    for (interface, link, padding) in [(6u32, 1, 0), (9, 6, 0), (15, 10, 3), (24, 0, 0)] {
        let mut file = vec![0xa1, 0xb2, 0xc3, 0xd4, 0, 2, 0, 2];
        file.extend([0; 8]);
        file.extend([0, 0, 0xff, 0xff]);
        file.extend(interface.to_be_bytes());
        for word in [7u32, 123_456_789, 40, 30] {
            file.extend(word.to_be_bytes());
        }
        file.extend(noise(30));
        let packets = read_good(&file);
        assert_eq!(Reader::new(&*file).unwrap().format(), Format::PcapAix);
        assert_eq!((packets.len(), packets[0].link), (1, LinkType(link)));
        assert_eq!(packets[0].time, Some(7_123_456_789));
        assert_eq!(
            (packets[0].wire_length, packets[0].bytes.len()),
            (40 - padding, 30 - padding as usize)
        );
    }
}

/// Before version 2.4 the lengths were in the other order, in 2.3 in either.
#[test]
fn old_versions() {
    for (minor, lengths) in [(1u8, [60u32, 30]), (3, [60, 30]), (3, [30, 60]), (4, [30, 60])] {
        let mut file = vec![0xa1, 0xb2, 0xc3, 0xd4, 0, 2, 0, minor];
        file.extend([0; 8]);
        file.extend([0, 0, 0xff, 0xff, 0, 0, 0, 1]);
        for word in [7, 5].into_iter().chain(lengths) {
            file.extend(word.to_be_bytes());
        }
        file.extend(noise(30));
        let packets = read_good(&file);
        assert_eq!((packets[0].wire_length, packets[0].bytes.len()), (60, 30), "2.{minor}");
    }
}

#[test]
fn links_and_versions_of_snoop() {
    let make = |version: u32, link: u32, padding: usize| {
        let mut file = b"snoop\0\0\0".to_vec();
        for word in [version, link, 60, 30, 24 + 30 + padding as u32, 0, 7, 123_456] {
            file.extend(word.to_be_bytes());
        }
        file.extend(noise(30 + padding));
        file
    };
    for (version, number, padding, link, format) in [
        (2, 0, 2, 1, Format::Snoop),
        (2, 4, 0, 1, Format::Snoop),
        (2, 2, 2, 6, Format::Snoop),
        (2, 8, 2, 10, Format::Snoop),
        (2, 14, 2, 0, Format::Snoop),
        (2, 0x8000_0005, 2, 226, Format::Snoop),
        (2, 5, 2, 0x0100_0005, Format::Snoop),
        // Shomiti's, by the padding or by the version.
        (2, 12, 18, 1, Format::Shomiti),
        (4, 14, 2, 6, Format::Shomiti),
    ] {
        let file = make(version, number, padding);
        let mut reader = Reader::new(&*file).unwrap();
        let packet = reader.next().unwrap().unwrap();
        assert_eq!((packet.link, packet.wire_length), (LinkType(link), 60));
        assert_eq!((packet.offset, packet.time), (40, Some(7_123_456_000)));
        assert_eq!(packet.bytes, noise(30));
        assert_eq!((reader.format(), reader.byte_order()), (format, ByteOrder::Big));
    }
    let error = read(&*make(6, 4, 2)).1;
    assert!(matches!(error, Some(Error::Version { format: "snoop", major: 6, .. })));
    // A record that is shorter than its packet, or much longer; an absurd packet.
    for (place, word) in [(24, 53u32), (24, 24 + 30 + 5000), (20, 300 << 10), (24, u32::MAX)] {
        let mut file = make(2, 4, 2);
        file[place..place + 4].copy_from_slice(&word.to_be_bytes());
        let error = read(&*file).1;
        assert!(
            matches!(error, Some(Error::Malformed { packets: 0, offset: 16, .. })),
            "{error:?}"
        );
    }
}

/// Captures of two packets that editcap 4.0.17 of Wireshark wrote: the length of the first packet,
/// and the last bytes of its time.
#[test]
fn captures_of_editcap() {
    let samples = include_str!("editcap.txt");
    for line in samples.lines().filter(|line| !line.starts_with('#')) {
        let (name, digits) = line.split_once(' ').unwrap();
        let file = from_hex(digits);
        let format = match name {
            "modpcap" => Format::PcapModified,
            "rh6_1pcap" => Format::PcapRedHat,
            "suse6_3pcap" => Format::PcapSuse,
            "nokiapcap" => Format::PcapNokia,
            "snoop" => Format::Snoop,
            _ => panic!("{name}"),
        };
        let packets = read_good(&file);
        let mut reader = Reader::new(&*file).unwrap();
        reader.next().unwrap();
        assert_eq!(reader.format(), format, "{name}");
        assert_eq!(packets.len(), 2, "{name}");
        for packet in packets {
            assert_eq!(packet.bytes.len(), packet.wire_length as usize, "{name}");
            assert_eq!(packet.bytes[..16], [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0x45, 0]);
            assert_eq!(packet.time.map(|time| time / 1_000_000_000), Some(0x42cb_56af), "{name}");
        }
    }
}

fn from_hex(digits: &str) -> Vec<u8> {
    let byte = |at| u8::from_str_radix(&digits[at..at + 2], 16).unwrap();
    (0..digits.len()).step_by(2).map(byte).collect()
}

/// First bytes of files, those of captures as editcap 4.0.17 wrote them.
const OTHERS: [(&str, &str); 26] = [
    ("InfoVista 5View", "aaaaaaaa2000000000000100180000000010001800000000"),
    ("CommView", "4a004a0000d5070706033923523525000e00000000000000"),
    ("CommView (NCFX)", "4a000000d50707060339235235250000000000000000"),
    ("Novell LANalyzer", "01104c000105547261636520446973706c61792054726163652046696c65"),
    ("Microsoft Network Monitor 1", "5254535301010100d50707000300060003"),
    ("Microsoft Network Monitor 2", "474d425500020100d50707000300060003"),
    ("HP-UX nettl", "5452006400000000000000802f746d702f"),
    ("Sniffer for DOS", "5452534e4946462064617461202020201a0100120000000400"),
    ("NetXRay or of the Sniffer for Windows", "584350003030322e30303100af56cb42"),
    (
        "Network Instruments' Observer",
        "4f62736572766572506b7442756666657256657273696f6e3d31352e3030",
    ),
    ("Visual Networks", "05564e4603000000af56cb420600ffff"),
    (
        "Tektronix K12",
        "2b2d2d2d2d2d2d2d2d2d2b2d2d2d2d2d2d2d2d2d2d2d2d2d2d2d2b2d2d2d2d2d2d2d2d2d2d2b0d0a",
    ),
    ("AIX iptrace 2.0", "6970747261636520322e30"),
    ("compressed by xz", "fd377a585a00000004e6d6b446"),
    ("compressed by lz4", "04224d186440a7"),
    ("compressed by bzip2", "425a68393141592653"),
    ("ZIP archive", "504b0304140000000800"),
    ("Git LFS", "76657273696f6e2068747470733a2f2f6769742d6c66732e6769746875622e636f6d"),
    ("text in UTF-16", "fffed400c300b200a100"),
    ("saved as text in UTF-8", "efbfbdc3b2efbfbd0200"),
    ("line ends were converted", "0d0a0d0d0d0a1c000000"),
    ("web page", "3c21444f43545950452068746d6c3e0a3c68746d6c3e"),
    ("XML export of Wireshark", "3c3f786d6c2076657273696f6e3d22312e30223f3e0a3c70646d6c3e"),
    ("JSON", "5b0a20207b0a20202020225f696e646578223a"),
    ("hex dump", "3030303020203030203030203030203031203232203333203434203535"),
    (
        "EtherPeek (classic)",
        "07000000010000000001000000000000000000000000\
          00000000000000000000000000000000000000000000000000000000",
    ),
];

#[test]
fn other_files_are_named() {
    for (name, start) in OTHERS {
        let error = read(&*from_hex(start)).1.unwrap();
        assert!(matches!(error, Error::NotACapture { kind: Some(_), .. }), "{name}: {error}");
        let text = error.to_string();
        assert!(text.contains(name), "{name}: {text}");
        assert!(!text.contains("damaged") && text.contains("; "), "{text}");
    }
    // Two records of ERF: Ethernet, of 32 and of 48 bytes.
    let record = |length: u8| {
        let mut record = vec![1, 2, 3, 4, 0xaf, 0x56, 0xcb, 0x42, 2, 4, 0, length, 0, 0, 0, 60];
        record.resize(length.into(), 0);
        record
    };
    let error = read(&*[record(32), record(48)].concat()).1.unwrap();
    assert!(error.to_string().contains("ERF"), "{error}");
    let error = read(&*record(32)).1.unwrap();
    assert!(matches!(error, Error::NotACapture { kind: None, .. }), "{error}");
    // Nothing is made of random bytes, or of prose.
    for start in [&noise(5000)[..], b"hello, world", &[0; 64]] {
        let error = read(start).1.unwrap();
        assert!(matches!(error, Error::NotACapture { kind: None, .. }), "{error}");
    }
    for compression in COMPRESSIONS {
        let twice = compress(&compress(&ng(), compression), compression);
        let error = read(&*twice).1.unwrap();
        assert!(error.to_string().contains("compressed twice"), "{error}");
    }
}
