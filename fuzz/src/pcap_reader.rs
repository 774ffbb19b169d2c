//! Target `pcap_reader`.

use residue_net::Error;
use residue_net::pcap::compressed::Compression;
use residue_net::pcap::write::{Header, NgWriter, Writer};
use residue_net::pcap::{ByteOrder, LinkType, Packet, Reader};
use std::io::{self, Cursor, Read};
use std::sync::LazyLock;

/// Small compressed files can hold endless packets.
const MOST: u64 = 10_000;

/// Largest numbers of chunks and short reads of a described capture: passing them on takes time.
const MOST_CHUNKS: usize = 32;
const MOST_PIECES: usize = 128;
/// Length of the longest packet.
const LONGEST: usize = 256 << 10;
/// Bytes of a described capture: only one in sixteen has packets of [`LONGEST`] bytes.
const MOST_BYTES: usize = 32 << 10;

/// Noise for the bytes of packets.
static NOISE: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let byte = |place: u32| (place.wrapping_mul(0x9e37_79b9) >> 24) as u8;
    (0..(LONGEST + 256) as u32).map(byte).collect()
});

/// A reader that returns at most `most` bytes at a time.
struct Pieces {
    file: Cursor<Vec<u8>>,
    most: usize,
}

impl Read for Pieces {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = buffer.len().min(self.most);
        self.file.read(&mut buffer[..length])
    }
}

/// Options for reading a capture in chunks.
struct Chunks {
    size: usize,
    places: [usize; 3],
    /// Largest number of bytes of a short read.
    piece: usize,
    /// Whether to read ahead in a thread, too, which takes a hundred times as long here.
    ahead: bool,
}

/// Any file, and captures of large packets that a few bytes describe: packets are at their stated
/// offsets, an error is the last item, and the manner of reading (whole, in pieces, ahead, in
/// chunks of any size) makes no difference.
pub fn pcap_reader(input: &[u8]) {
    let compressed = Compression::of_start(input).is_some();
    if compressed || at_once(input).is_ok() {
        let ahead = input.len().is_multiple_of(64);
        let chunks = Chunks { size: 64, places: [0, 4096, 1], piece: 7, ahead };
        assert_alike(input, !compressed, &chunks);
    } else if let Some((file, chunks)) = (Maker { input }).make() {
        assert_alike(&file, true, &chunks);
    }
}

fn assert_alike(file: &[u8], plain: bool, chunks: &Chunks) {
    let &Chunks { size, places, piece: most, ahead } = chunks;
    let all = || Cursor::new(file.to_vec());
    let pieces = || Pieces { file: all(), most };
    let plain = plain.then_some(file);
    let [first, second, _] = places;
    assert_same(at_once(file), Reader::in_chunks(all(), size, [first, second]), plain);
    assert_same(at_once(file), Reader::in_chunks(pieces(), size, [first, second]), plain);
    if ahead {
        assert_same(at_once(file), Reader::ahead_in_chunks(all(), size, places), plain);
        assert_same(at_once(file), Reader::ahead_in_chunks(pieces(), size, places), plain);
    }
}

/// Reads a file as one chunk.
fn at_once(file: &[u8]) -> Opened<&[u8]> {
    Reader::in_chunks(file, file.len(), [0, 0])
}

type Opened<R> = Result<Reader<R>, Error>;

/// Asserts that two readers of a capture agree on all packets, and on a final error.
fn assert_same<R: Read, S: Read>(one: Opened<R>, other: Opened<S>, plain: Option<&[u8]>) {
    let (mut one, mut other) = match (one, other) {
        (Ok(one), Ok(other)) => (one, other),
        (one, other) => return assert_eq!(error(one), error(other)),
    };
    for number in 1..MOST {
        match (one.next(), other.next()) {
            (Ok(Some(one)), Ok(Some(other))) => {
                assert_eq!(one.number, number);
                assert_eq!(fields(&one), fields(&other));
                assert!(one.bytes == other.bytes, "packet {number}");
                if let Some(file) = plain {
                    let offset = one.offset as usize;
                    assert!(&file[offset..offset + one.bytes.len()] == one.bytes);
                }
            }
            (Ok(None), Ok(None)) => return,
            (first, second) => {
                assert_eq!(error(first), error(second));
                assert!(matches!(one.next(), Ok(None)) && matches!(other.next(), Ok(None)));
                return;
            }
        }
    }
}

/// Returns all fields of a packet, with the length in place of the bytes.
fn fields(packet: &Packet) -> impl PartialEq + std::fmt::Debug + use<> {
    let &Packet { number, offset, link, bytes, wire_length, fcs, time } = packet;
    (number, offset, link, bytes.len(), wire_length, fcs, time)
}

fn error<T>(result: Result<T, Error>) -> Option<String> {
    result.err().map(|error| error.to_string())
}

/// Creates a capture from bytes that describe it: a format, sizes, then three bytes per packet.
struct Maker<'a> {
    input: &'a [u8],
}

impl Maker<'_> {
    fn byte(&mut self) -> Option<u8> {
        let (&byte, rest) = self.input.split_first()?;
        self.input = rest;
        Some(byte)
    }

    fn number(&mut self) -> Option<usize> {
        Some(usize::from(u16::from_le_bytes([self.byte()?, self.byte()?])))
    }

    fn make(mut self) -> Option<(Vec<u8>, Chunks)> {
        let format = self.byte()?;
        let choice = self.byte()?;
        // From 16 bytes to 8 KiB, or any number between.
        let mut size = 16 << (choice % 10);
        size += self.number()? % size;
        let places = [self.number()? % 4097, self.number()? % 4097, self.number()? % 4097];
        let most = if choice >> 4 == 15 { 2 * LONGEST } else { MOST_BYTES }.min(MOST_CHUNKS * size);
        let piece = 1 + size * usize::from(self.byte()?) / 256;
        let piece = piece.max(most / MOST_PIECES);
        let ahead = self.byte()? == 7;
        let mut packets = Vec::new();
        let mut length = 0;
        while let (Some(number), Some(seed)) = (self.number(), self.byte()) {
            // Short packets, and packets longer than some chunks.
            let packet = match number & 7 {
                0..5 => number >> 3,
                _ => number * most / 65_536,
            };
            let packet = packet.min(LONGEST).min(most);
            length += packet;
            packets.push((packet, seed));
            if length >= most {
                break;
            }
        }
        let mut file = written(format, &packets).expect("memory takes all");
        // Some files are cut.
        if format & 0x38 == 0 {
            file.truncate(file.len().saturating_sub(1 + usize::from(format >> 6) * size / 3));
        }
        Some((file, Chunks { size, places, piece, ahead }))
    }
}

fn written(format: u8, packets: &[(usize, u8)]) -> io::Result<Vec<u8>> {
    let order = if format & 1 == 0 { ByteOrder::Little } else { ByteOrder::Big };
    let packets = packets.iter().map(|&(length, seed)| &NOISE[seed.into()..][..length]);
    if format & 2 == 0 {
        let header = Header { order, ..Header::new(LinkType::RAW) };
        let mut writer = Writer::new(Vec::new(), header)?;
        for packet in packets {
            writer.packet(0, packet.len() as u32, packet)?;
        }
        return Ok(writer.into_inner());
    }
    let mut writer = NgWriter::new(Vec::new(), order, &[])?;
    writer.interface(1, 0, &[])?;
    for packet in packets {
        if format & 4 != 0 && packet.first().is_some_and(|first| first % 4 == 0) {
            // A custom block, which readers skip.
            writer.block(0xbad, packet, &[])?;
        } else {
            writer.packet(0, 0, packet.len() as u32, packet, &[])?;
        }
    }
    Ok(writer.into_inner())
}
