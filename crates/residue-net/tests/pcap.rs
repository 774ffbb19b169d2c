//! Tests of captures: written ones are read again; damaged ones end in an error, never in a panic
//! or a wrong packet.

mod ahead;
mod compressed;
mod damaged;
mod formats;
mod variants;

use residue_net::Error;
use residue_net::pcap::compressed::Compression;
use residue_net::pcap::write::{COMMENT, Header, NgWriter, Writer};
use residue_net::pcap::{self, ByteOrder, Format, LinkType, Reader};
use residue_testing::noise;
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

/// Returns all packets, and the final error.
fn read(input: impl Read) -> (Vec<Owned>, Option<Error>) {
    read_all(Reader::new(input))
}

fn read_all<R: Read>(reader: Result<Reader<R>, Error>) -> (Vec<Owned>, Option<Error>) {
    let mut packets = Vec::new();
    let mut reader = match reader {
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

/// Reads a file that must have no error, and whose packets must lie at their offsets.
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

/// Packets as (time, wire length, bytes); the third is cut.
fn samples() -> Vec<(u64, u32, Vec<u8>)> {
    let of = |&(time, cut, length)| (time, cut + length as u32, noise(length));
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

/// Returns a file of two sections with different byte orders, three interfaces, and every kind of
/// block.
fn ng() -> Vec<u8> {
    make_ng().unwrap()
}

fn make_ng() -> io::Result<Vec<u8>> {
    let mut writer = NgWriter::new(Vec::new(), ByteOrder::Little, &[(COMMENT, b"made up")])?;
    // Nanoseconds, and a frame check sequence of 4 bytes.
    writer.interface(1, 0, &[(COMMENT, b"!"), (9, &[9]), (13, &[4])])?;
    writer.interface(113, 40, &[])?;
    writer.packet(0, 1_700_000_000_000_000_001, 61, &noise(61), &[(COMMENT, b"first")])?;
    // Flags: a frame check sequence of 2 bytes.
    writer.packet(1, 7, 60, &noise(40), &[(COMMENT, b""), (2, &[0x40, 0, 0, 0])])?;
    // Names, secrets, a custom block, an unknown one.
    writer.block(4, &[0; 4], &[])?;
    writer.block(10, b"TLSK\x05\0\0\0hello", &[])?;
    writer.block(0xbad, b"\x01\x02\x03\x04anything", &[(COMMENT, b"mine")])?;
    writer.block(0x7fff_fff0, &[], &[])?;
    writer.simple_packet(33, &noise(33))?;
    writer.old_packet(1, 8, 10, &noise(10), &[])?;
    writer.section(ByteOrder::Big, &[])?;
    // Seconds / 1024, less one second.
    writer.interface(101, 30, &[(9, &[0x8a]), (14, &(-1_i64).to_be_bytes())])?;
    writer.simple_packet(99, &noise(30))?;
    // Flags: a frame check sequence of 4 bytes.
    writer.packet(0, 3 << 10 | 512, 5, &noise(5), &[(2, &[0, 0, 0, 0x80])])?;
    Ok(writer.into_inner())
}

/// Returns the ends of the records of a file, with the numbers of packets up to them.
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
    pcap::compressed::copy(&mut &*file, &mut out, Some(compression)).unwrap();
    out
}

const COMPRESSIONS: [Compression; 2] = [Compression::Gzip, Compression::Zstd];

/// A reader of one byte at a time, with an interruption before each.
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
