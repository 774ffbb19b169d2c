//! Tests of cut or damaged compressed captures: every byte before the damage counts.

use super::{Slow, compress};
use residue_net::Error;
use residue_net::pcap::compressed::Compression;
use residue_net::pcap::write::{Header, Writer};
use residue_net::pcap::{LinkType, Reader};
use residue_testing::Random;
use std::io::Read;

/// Size of each packet.
const PACKET: usize = 1400;
/// Offset of the first record, and length of each.
const START: usize = 24;
const RECORD: usize = 16 + PACKET;

/// Returns a capture of packets without repetitions.
fn capture(packets: u32) -> Vec<u8> {
    let mut writer = Writer::new(Vec::new(), Header::new(LinkType::ETHERNET)).unwrap();
    for number in 0..packets {
        let bytes = Random(number.into()).bytes(PACKET);
        writer.packet(number.into(), PACKET as u32, &bytes).unwrap();
    }
    writer.into_inner()
}

/// Returns the number of complete packets in this many bytes of a capture.
fn packets_in(bytes: usize) -> u64 {
    (bytes.saturating_sub(START) / RECORD) as u64
}

/// Returns the number of packets of `file` read from `input`, all of them right, and the final
/// error.
fn read(input: impl Read, file: &[u8]) -> (u64, Option<Error>) {
    let mut reader = match Reader::new(input) {
        Ok(reader) => reader,
        Err(error) => return (0, Some(error)),
    };
    let mut count = 0;
    loop {
        match reader.next() {
            Ok(Some(packet)) => {
                let start = packet.offset as usize;
                assert_eq!(packet.bytes, &file[start..start + PACKET]);
                count = packet.number;
            }
            Ok(None) => return (count, None),
            Err(error) => return (count, Some(error)),
        }
    }
}

/// Returns the capture in a gzip member or a zstd frame with stored blocks, and the offsets of the
/// blocks.
fn stored(file: &[u8], compression: Compression, block: usize) -> (Vec<u8>, Vec<usize>) {
    let (mut out, mut starts) = match compression {
        Compression::Gzip => (b"\x1f\x8b\x08\0\0\0\0\0\0\xff".to_vec(), Vec::new()),
        // No checksum, a window of 8 MiB: as large as decoders must have.
        Compression::Zstd => (b"\x28\xb5\x2f\xfd\0\x68".to_vec(), Vec::new()),
    };
    let count = file.chunks(block).count();
    for (chunk, number) in file.chunks(block).zip(1..) {
        starts.push(out.len());
        let last = usize::from(number == count);
        match compression {
            Compression::Gzip => {
                let length = chunk.len() as u16;
                out.push(last as u8);
                out.extend(length.to_le_bytes());
                out.extend((!length).to_le_bytes());
            }
            Compression::Zstd => out.extend(&(chunk.len() << 3 | last).to_le_bytes()[..3]),
        }
        out.extend(chunk);
    }
    if compression == Compression::Gzip {
        out.extend(residue::crc32(file).to_le_bytes());
        out.extend((file.len() as u32).to_le_bytes());
    }
    (out, starts)
}

/// All bytes before the damage are returned, whatever the size of the request.
#[test]
fn what_is_before_the_damage_comes() {
    const BLOCK: usize = 30_000;
    let file = capture(700);
    for compression in [Compression::Gzip, Compression::Zstd] {
        let (whole, starts) = stored(&file, compression, BLOCK);
        let (count, error) = read(&*whole, &file);
        assert!(count == 700 && error.is_none(), "{count} {error:?}");
        for (number, &start) in starts.iter().enumerate() {
            // A block of an undefined kind; the end of the file.
            let mut damaged = whole.clone();
            damaged[start] |= 6;
            for input in [&damaged[..], &whole[..start], &whole[..start + 2]] {
                let (count, error) = read(input, &file);
                assert_eq!(count, packets_in(number * BLOCK), "{compression}, block {number}");
                assert!(matches!(error, Some(Error::Decompress { .. })), "{error:?}");
            }
        }
    }
}

/// Real compression, cut: all packets that byte-by-byte decompression returns.
#[test]
fn cut_gzip_loses_nothing() {
    let file = capture(100);
    let whole = compress(&file, Compression::Gzip);
    for length in (20..whole.len()).step_by(whole.len() / 9) {
        let mut inflate = flate2::Decompress::new(false);
        let (mut there, mut byte) = (0, [0]);
        loop {
            let rest = &whole[10 + inflate.total_in() as usize..length];
            inflate.decompress(rest, &mut byte, flate2::FlushDecompress::None).unwrap();
            if inflate.total_out() == there {
                break;
            }
            there = inflate.total_out();
        }
        let (count, error) = read(&whole[..length], &file);
        assert_eq!(count, packets_in(there as usize));
        assert!(matches!(error, Some(Error::Decompress { .. })), "{error:?}");
    }
}

/// RFC 1952 section 2.3: every optional field, and what gzip(1) takes for the end.
#[test]
fn gzip_headers_and_ends() {
    let file = capture(3);
    let plain = stored(&file, Compression::Gzip, 1000).0;
    let with = |flags: u8, fields: &[u8]| {
        [&[0x1f, 0x8b, 8, flags], &plain[4..10], fields, &plain[10..]].concat()
    };
    let all = |change: u8| {
        let mut head = vec![0x1f, 0x8b, 8, 0x1f];
        head.extend(&plain[4..10]);
        head.extend(b"\x03\0abcname\0comment\0");
        let check = residue::crc32(&head) as u16;
        head.extend(check.to_le_bytes());
        head[12] ^= change;
        [&head, &plain[10..]].concat()
    };
    let good = [
        with(1, b""),
        with(4, b"\x03\0abc"),
        with(8, b"name\0"),
        with(16, b"\0"),
        with(28, b"\0\0name\0comment\0"),
        all(0),
        [&plain[..], &[0; 1000]].concat(),
        [&plain[..], b"garbage"].concat(),
        [&plain[..], &[0x1f]].concat(),
        [&plain[..], &[0, 0, 0x1f, 0x8b, 8]].concat(),
    ];
    for (number, input) in good.iter().enumerate() {
        for (count, error) in [read(&**input, &file), read(Slow(input, false), &file)] {
            assert!(error.is_none(), "{number}: {error:?}");
            assert_eq!(count, 3, "{number}");
        }
    }
    let changed = |from_end: usize| {
        let mut file = plain.clone();
        file[plain.len() - from_end] ^= 1;
        file
    };
    let bad = [
        (all(1), 0, "header"),
        (with(0x20, b""), 0, "flags"),
        ([&[0x1f, 0x8b, 7], &plain[3..]].concat(), 0, "method"),
        (changed(1), 3, "length"),
        (changed(8), 3, "CRC-32"),
        (plain[..plain.len() - 1].to_vec(), 3, "end"),
        ([&plain[..], &[0x1f, 0x8b, 7, 0, 0, 0, 0, 0, 0, 0]].concat(), 3, "method"),
        ([&plain[..], &plain[..9]].concat(), 3, "end"),
    ];
    for (input, packets, word) in &bad {
        for (count, error) in [read(&**input, &file), read(Slow(input, false), &file)] {
            assert_eq!(count, *packets, "{word}");
            let error = error.expect(word).to_string();
            assert!(error.contains(word), "{word}: {error}");
        }
    }
}
