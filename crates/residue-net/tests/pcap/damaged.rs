//! Tests of slow, cut, damaged and endless input, and of input that is no capture.

use super::*;
use proptest::prelude::*;

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

/// Returns `file` with a little-endian number at an offset.
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
    writer.packet(0, 0, 8, &noise(8), &[]).unwrap();
    let first = read_good(&writer.into_inner())[0].offset as usize - 28;
    let make = |second: &dyn Fn(&mut NgWriter<Vec<u8>>) -> io::Result<()>| {
        let mut writer = NgWriter::new(Vec::new(), ByteOrder::Little, &[]).unwrap();
        writer.interface(1, 0, &[]).unwrap();
        writer.packet(0, 0, 8, &noise(8), &[]).unwrap();
        second(&mut writer).unwrap();
        writer.packet(0, 0, 8, &noise(8), &[]).unwrap();
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
    let packet = make(&|writer| writer.packet(0, 0, 8, &noise(8), &[]));
    let unknown = make(&|writer| writer.block(99, &noise(8), &[]));
    let simple = make(&|writer| writer.simple_packet(8, &noise(8)));
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
    malformed(make(&|writer| writer.packet(0, 0, 0, &noise((256 << 10) + 1), &[])));
    // An undefined interface in this section.
    malformed(make(&|writer| writer.packet(1, 0, 8, &noise(8), &[])));
    malformed(make(&|writer| writer.old_packet(1, 0, 8, &noise(8), &[])));
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

/// An endless file that counts the bytes read.
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
        // The first four bytes are read separately, to detect the compression.
        assert!(input.count <= most + 4, "{} bytes read", input.count);
    };
    // A length above the limit costs nothing.
    let header = classic(Header { nanoseconds: false, ..Header::new(LinkType::ETHERNET) });
    ends(&header[..24], &[0xff], 256 << 10);
    // Endless interfaces.
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
        writer.packet(0, length as u32, &noise(length)).unwrap();
    }
    let mut ng = NgWriter::new(Vec::new(), ByteOrder::Big, &[]).unwrap();
    ng.interface(189, 0, &[]).unwrap();
    for length in lengths {
        ng.block(77, &noise(length), &[]).unwrap();
        ng.packet(0, 0, length as u32, &noise(length), &[]).unwrap();
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
    for start in ["x", "snoop", "hello, world"] {
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
    // Some writers give this version, which equals 1.0.
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

    /// After any change, packets are at their stated offsets, and reading ends.
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
        // Half of the files are complete.
        file.truncate((length.index(2 * file.len()) + 1).min(file.len()));
        let (packets, _) = read(&*file);
        assert_in_place(&packets, &file);
        prop_assert_eq!(read(Slow(&file, false)).0, packets);
    }

    /// Damaged compressed files, where a change can have any effect, are read without a panic.
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

/// Captures that were copied one behind the other: pcapng's are one file, pcap's are not.
#[test]
fn captures_one_behind_the_other() {
    let all = files();
    for (first, second) in all.iter().flat_map(|first| all.iter().map(move |it| (first, it))) {
        let expected = read_good(first);
        let (packets, error) = read(&*[&first[..], second].concat());
        assert_eq!(packets[..expected.len()], expected);
        let is_ng = |file: &[u8]| file.starts_with(&[0x0a, 0x0d, 0x0d, 0x0a]);
        match (is_ng(first), is_ng(second)) {
            (true, true) => {
                assert!(error.is_none(), "{error:?}");
                assert_eq!(packets.len(), 2 * expected.len());
            }
            (false, false) => {
                let Some(Error::Another { packets: before, offset }) = error else {
                    panic!("{error:?}");
                };
                assert_eq!((before, offset), (expected.len() as u64, first.len() as u64));
                assert_eq!(packets.len(), expected.len());
            }
            _ => assert!(matches!(error, Some(Error::Malformed { .. } | Error::Truncated { .. }))),
        }
    }
}
