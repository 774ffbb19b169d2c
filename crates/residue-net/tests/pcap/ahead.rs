//! Tests that all ways of reading a capture (at once, in pieces, in a thread, decompressed) return
//! equal packets.

use super::*;
use residue_testing::{Random, noise};
use std::io::Cursor;

/// A reader that returns random numbers of bytes, up to the size of a pipe, with interruptions.
struct Pieces {
    file: Cursor<Vec<u8>>,
    random: Random,
}

impl Pieces {
    fn of(file: &[u8]) -> Pieces {
        Pieces { file: Cursor::new(file.to_vec()), random: Random(file.len() as u64) }
    }
}

impl Read for Pieces {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.random.below(8) == 0 {
            return Err(ErrorKind::Interrupted.into());
        }
        let most = [10, 1_000, 65_536][self.random.below(3)];
        let length = buffer.len().min(1 + self.random.below(most));
        self.file.read(&mut buffer[..length])
    }
}

/// Packets of 0 B to 256 KiB, most of them short: about 4 MB.
fn packets() -> Vec<Vec<u8>> {
    let mut random = Random(1);
    let mut packets = vec![noise(0), noise(256 << 10), noise(256 << 10), noise(1)];
    packets.extend((0..250).map(|_| {
        let most = [100, 2_000, 2_000, 20_000, 70_000, 256 << 10][random.below(6)];
        let mut packet = noise(random.below(most + 1));
        let turn = random.below(packet.len() + 1);
        packet.rotate_left(turn);
        packet
    }));
    packets
}

/// Returns the packets in pcap of both byte orders, and in pcapng that changes it halfway.
fn captures(packets: &[Vec<u8>]) -> io::Result<[Vec<u8>; 3]> {
    let pcap = |order| {
        let header = Header { order, ..Header::new(LinkType::ETHERNET) };
        let mut writer = Writer::new(Vec::new(), header)?;
        for packet in packets {
            writer.packet(0, packet.len() as u32, packet)?;
        }
        io::Result::Ok(writer.into_inner())
    };
    let mut ng = NgWriter::new(Vec::new(), ByteOrder::Big, &[])?;
    for (half, order) in packets.chunks(packets.len() / 2 + 1).zip([Some(ByteOrder::Little), None])
    {
        ng.interface(1, 0, &[])?;
        for (number, packet) in half.iter().enumerate() {
            match number % 8 {
                0 => ng.simple_packet(packet.len() as u32, packet)?,
                1 => ng.block(77, packet, &[])?,
                _ => {}
            }
            ng.packet(0, 0, packet.len() as u32, packet, &[(COMMENT, b"as it is")])?;
        }
        if let Some(order) = order {
            ng.section(order, &[])?;
        }
    }
    Ok([pcap(ByteOrder::Little)?, pcap(ByteOrder::Big)?, ng.into_inner()])
}

/// A way of reading a file, its packets, and the error that ended it.
type Outcome = (&'static str, (Vec<Owned>, Option<Error>));

/// Returns the outcomes of every other way of reading a file.
fn every_way(file: &[u8]) -> Vec<Outcome> {
    vec![
        ("in pieces", read(Pieces::of(file))),
        ("ahead", read_all(Reader::ahead(Cursor::new(file.to_vec())))),
        ("ahead, in pieces", read_all(Reader::ahead(Pieces::of(file)))),
    ]
}

#[test]
#[ignore = "long"]
fn packets_of_0_to_262144_bytes_are_the_same_by_every_way_of_reading() {
    let packets = packets();
    for (number, file) in captures(&packets).unwrap().iter().enumerate() {
        let expected = read_good(file);
        assert!(expected.len() >= packets.len());
        let mut ways = every_way(file);
        for compression in COMPRESSIONS {
            let compressed = compress(file, compression);
            ways.push(("compressed", read(&*compressed)));
            ways.extend(every_way(&compressed));
        }
        for (place, (way, (packets, error))) in ways.into_iter().enumerate() {
            assert!(error.is_none(), "capture {number}, {place}, {way}: {error:?}");
            assert!(packets == expected, "capture {number}, {place}, {way}");
        }
    }
}

/// For a cut capture, the packets before and the error are equal.
#[test]
fn cut_captures_end_alike_by_every_way_of_reading() {
    for file in captures(&packets()).unwrap() {
        for end in [file.len() - 1, file.len() / 2, file.len() / 3, 300_000, 150_000, 30, 24] {
            let file = &file[..end];
            let (expected, error) = read(file);
            let error = error.map(|error| error.to_string());
            for (way, (packets, other)) in every_way(file) {
                assert!(packets == expected, "{end}, {way}");
                assert_eq!(other.map(|error| error.to_string()), error, "{end}, {way}");
            }
        }
    }
}

/// Damage in compressed data is reported at an equal offset, after all packets before it.
#[test]
fn damaged_compression_ends_alike_by_every_way_of_reading() {
    let file = &captures(&packets()).unwrap()[0];
    for compression in COMPRESSIONS {
        let compressed = compress(file, compression);
        for end in [compressed.len() - 1, compressed.len() / 2, compressed.len() / 3] {
            let compressed = &compressed[..end];
            let (expected, error) = read(compressed);
            let error = error.expect("an error where the file is cut").to_string();
            for (way, (packets, other)) in every_way(compressed) {
                assert!(packets == expected, "{compression}, {end}, {way}");
                let other = other.map(|error| error.to_string());
                assert_eq!(other.as_ref(), Some(&error), "{end}, {way}");
            }
        }
    }
}

/// Small chunks, so that pages begin at every position, and records span one chunk or many.
#[test]
fn packets_are_the_same_wherever_the_pages_of_chunks_begin() {
    const PAGE: usize = 4096;
    const SIZE: usize = 64;
    let mut random = Random(7);
    let packets: Vec<Vec<u8>> =
        (0..60).map(|_| noise([10, 50, 100, 1_000][random.below(4)])).collect();
    let files = captures(&packets).unwrap();
    let expected = files.each_ref().map(|file| read_good(file));
    for place in (0..=PAGE).step_by(3) {
        let number = random.below(files.len());
        let places = [place, place + 1, place + 2].map(|place| place.min(PAGE));
        let places = [places, [0, place, PAGE], [PAGE, 0, place]][random.below(3)];
        let input = Cursor::new(files[number].clone());
        let ahead = read_all(Reader::ahead_in_chunks(input, SIZE, places));
        let direct =
            read_all(Reader::in_chunks(Pieces::of(&files[number]), SIZE, [places[0], places[1]]));
        for (packets, error) in [ahead, direct] {
            assert!(error.is_none() && packets == expected[number], "{places:?}: {error:?}");
        }
    }
}
