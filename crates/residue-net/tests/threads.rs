//! Tests that verification on several threads has the results of one.

use residue_fixtures::Case;
use residue_net::Error;
use residue_net::check::Verdict;
use residue_net::pcap::write::{Header, NgWriter, Writer};
use residue_net::pcap::{ByteOrder, LinkType, ReadAt, Reader};
use residue_net::summary::Summary;
use residue_net::verify::{self, AnyReader, Buffer, Read};
use residue_testing::Random;
use std::io;
use std::num::NonZero;

/// Lines that a list of wrong values would have.
type Lines = Vec<String>;

fn lines(buffer: &Buffer<'_>, lines: &mut Lines) {
    for finding in buffer.findings() {
        if matches!(
            finding.verdict,
            Verdict::Bad | Verdict::Offloaded | Verdict::Illegal | Verdict::LengthConflict
        ) {
            let (name, stored) = (finding.check.protocol.name, finding.stored());
            let place = buffer.places.offset(finding.check.field[0].start);
            let line = (buffer.packet, name, finding.verdict, stored, place, buffer.pdu);
            lines.push(format!("{line:?}"));
        }
    }
}

/// All that a report shows.
fn shown(summary: &Summary, read: &Read) -> String {
    let Summary { diagnosis, .. } = summary;
    let errors = read.error.as_ref().map(ToString::to_string);
    let numbers = (read.packets, read.cut_packets, read.times, &read.links, errors);
    let counts = (summary.protocols(), summary.senders(), summary.flows(), summary.unfollowed());
    // As they are printed: the last digit of a sum depends on the order in a hash table.
    let chances: Vec<_> =
        diagnosis.chances().iter().map(|(key, chance)| (*key, chance.to_string())).collect();
    let rewrites: Vec<_> = diagnosis
        .rewrites()
        .into_iter()
        .map(|it| {
            let chance = it.chance.to_string();
            let pair = (it.kind, it.source, it.destination, it.lacking, it.addresses_only);
            (pair, it.packets, chance, it.likely)
        })
        .collect();
    let causes = (diagnosis.tally(), chances, rewrites);
    format!("{numbers:?}\n{counts:?}\n{causes:?}")
}

/// Verifies a capture on one thread, and on several in buffers of these sizes.
fn same<'a>(name: &str, file: &'a [u8], sizes: &[usize]) -> Lines {
    let (mut summary, mut wrong) = (Summary::new(), Lines::new());
    let Ok(reader) = Reader::new(file) else { return wrong };
    let read = verify::packets(reader, |buffer| {
        summary.buffer(buffer);
        lines(buffer, &mut wrong);
    });
    let expected = shown(&summary, &read);
    for &size in sizes {
        for threads in [2, 3].map(|threads| NonZero::new(threads).unwrap()) {
            let input = || Box::new(file) as Box<dyn io::Read + Send + 'a>;
            let in_turns = || Reader::in_chunks(input(), size, [0, 4096]).unwrap();
            let in_blocks = || Reader::random_access_in_blocks(file.to_vec(), size).unwrap();
            let readers: [(&str, &dyn Fn() -> AnyReader<'a>); 2] =
                [("in turns", &in_turns), ("in blocks", &in_blocks)];
            for (how, reader) in readers {
                let name = format!("{name}: {threads} threads, {size} bytes {how}");
                let (mut summary, mut found) = (Summary::new(), Lines::new());
                let read = verify::counted(reader(), threads, &mut summary, &mut |buffer| {
                    lines(buffer, &mut found);
                });
                let shown = shown(&summary, &read);
                let differs = |(a, b): (&str, &str)| (a != b).then(|| format!("{a}\n{b}"));
                let difference = expected.lines().zip(shown.lines()).find_map(differs);
                assert!(shown == expected, "{name}: {difference:?}");
                assert!(found == wrong, "{name}");
                let mut listed = Lines::new();
                verify::wrong(reader(), threads, &mut |buffer| lines(buffer, &mut listed));
                assert!(listed == wrong, "{name}");
            }
        }
    }
    wrong
}

fn file(case: &Case, frames: &[residue_fixtures::Frame]) -> Vec<u8> {
    let mut file = Vec::new();
    residue_fixtures::file::write(&mut file, case, frames).unwrap();
    file
}

/// All fixtures, good and bad, and an iSCSI session.
fn files() -> Vec<(String, Vec<u8>)> {
    let cases = residue_fixtures::cases();
    let both = cases.iter().flat_map(|case| {
        [("good", &case.good), ("bad", &case.bad)]
            .map(|(which, frames)| (format!("{} {which}", case.name), file(case, frames)))
    });
    // Streams, whose PDUs begin anywhere.
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../captures/iscsi.pcap");
    both.chain([("iscsi bad".to_owned(), std::fs::read(path).unwrap())]).collect()
}

#[test]
fn every_fixture() {
    let wrong: usize =
        files().iter().map(|(name, file)| same(name, file, &[1, 100, 1 << 18]).len()).sum();
    assert!(wrong > 100, "{wrong}");
}

/// Returns the packets of all fixtures in one capture, the good ones many times, in a random order
/// in which neighbours stay together; a few are damaged or cut.
fn mixture(random: &mut Random, damaged: usize) -> Vec<u8> {
    let files = files();
    let mut writer = NgWriter::new(Vec::new(), ByteOrder::Little, &[]).unwrap();
    let mut links: Vec<(LinkType, Option<u8>)> = Vec::new();
    for round in 0..600 {
        let (name, file) = &files[random.below(files.len())];
        if name.ends_with("bad") && random.below(8) > 0 || round < 200 && !is_plain(file) {
            continue;
        }
        let mut reader = Reader::new(&file[..]).unwrap();
        while let Ok(Some(packet)) = reader.next() {
            let Ok(link) = u16::try_from(packet.link.0) else { continue };
            let kind = (packet.link, packet.fcs);
            let number = links.iter().position(|known| *known == kind).unwrap_or_else(|| {
                let fcs = [packet.fcs.unwrap_or(0)];
                let options: &[(u16, &[u8])] =
                    if packet.fcs.is_some() { &[(13, &fcs)] } else { &[] };
                writer.interface(link, 0, options).unwrap();
                links.push(kind);
                links.len() - 1
            });
            let mut bytes = packet.bytes.to_vec();
            let mut length = packet.wire_length;
            if random.below(damaged) == 0 && !bytes.is_empty() {
                let place = random.below(bytes.len());
                bytes[place] ^= 1 << random.below(8);
            }
            if random.below(damaged) == 0 {
                length = length.max(bytes.len() as u32);
                bytes.truncate(random.below(bytes.len() + 1));
            }
            let time = packet.time.unwrap_or(0) / 1000;
            writer.packet(number as u32, time, length, &bytes, &[]).unwrap();
        }
    }
    writer.into_inner()
}

/// Returns whether nothing in a capture is wrong.
fn is_plain(file: &[u8]) -> bool {
    let mut is_plain = true;
    verify::capture(file, |buffer| {
        is_plain &= buffer.found.fragments.is_empty() && buffer.found.segments.is_empty();
        is_plain &= buffer.findings().all(|finding| finding.verdict == Verdict::Good);
    })
    .unwrap();
    is_plain
}

/// Agreements of connections, streams, fragments and zero headers begin anywhere in them.
#[test]
fn mixtures_of_all_fixtures() {
    let mut wrong = 0;
    for seed in 0..12 {
        let file = mixture(&mut Random(seed), if seed % 2 == 0 { 20 } else { 1000 });
        wrong += same(&format!("seed {seed}"), &file, &[700, 10_000, 1 << 18]).len();
        // An error in the middle.
        same(&format!("seed {seed}, cut"), &file[..file.len() * 2 / 3 + 1], &[700, 10_000]);
    }
    assert!(wrong > 500, "{wrong}");
}

/// Many packets with addresses that take each other's places, a few of them rewritten.
#[test]
fn original_addresses_of_rewritten_packets() {
    let mut writer = Writer::new(Vec::new(), Header::new(LinkType::RAW)).unwrap();
    let mut random = Random(3);
    for number in 0..30_000_u32 {
        let host = random.below(20_000) as u16;
        let mut packet = vec![0x45, 0, 0, 32, 0, 0, 0, 0, 64, 17, 0, 0, 10, 0, 0, 0, 192, 0, 2, 2];
        packet[14..16].copy_from_slice(&host.to_be_bytes());
        let ip = residue::internet::checksum(&packet);
        packet[10..12].copy_from_slice(&ip.to_be_bytes());
        let mut udp = [4, 210, 0, 80, 0, 12, 0, 0].to_vec();
        udp.extend(number.to_be_bytes());
        let pseudo = [&packet[12..20], &[0, 17, 0, 12], &udp].concat();
        let value = residue::internet::checksum(&pseudo);
        udp[6..8].copy_from_slice(&value.to_be_bytes());
        packet.extend(udp);
        if number > 20_000 && number % 100 == 0 {
            packet[12..16].copy_from_slice(&[192, 0, 2, 77]);
        }
        writer.packet(u64::from(number), 32, &packet).unwrap();
    }
    same("addresses", &writer.into_inner(), &[5_000, 1 << 18]);
}

/// The first records are looked at to find out the format, up to the end of the file.
#[test]
fn a_short_capture_in_small_blocks() {
    let mut writer = Writer::new(Vec::new(), Header::new(LinkType::ETHERNET)).unwrap();
    for number in 0..2 {
        writer.packet(number, 100, &[0x30; 100]).unwrap();
    }
    same("short", &writer.into_inner(), &[30, 97, 120, 200]);
}

/// What a caller does in between may end in a panic, which must not leave threads that wait.
#[test]
fn a_panic_of_the_caller_ends_all_threads() {
    let (_, file) = files().into_iter().find(|(name, _)| name == "nat-tcp bad").unwrap();
    let panicked = std::panic::catch_unwind(|| {
        let input = Box::new(&file[..]) as Box<dyn io::Read + Send>;
        let reader = Reader::in_chunks(input, 50, [0, 0]).unwrap();
        verify::wrong(reader, NonZero::new(4).unwrap(), &mut |_| panic!("as planned"));
    });
    assert!(panicked.is_err());
}

/// A file that cannot be read from some place on: the packets before are judged, and the error is
/// reported.
#[test]
fn an_error_of_reading_blocks() {
    struct Broken(Vec<u8>, u64);
    impl ReadAt for Broken {
        fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
            let room = self.1.saturating_sub(offset).min(buffer.len() as u64) as usize;
            if room == 0 {
                return Err(io::Error::other("as planned"));
            }
            self.0.read_at(&mut buffer[..room], offset)
        }
    }
    let file = mixture(&mut Random(1), 1000);
    let place = file.len() as u64 / 2;
    let expected = verify::packets(Reader::new(&file[..place as usize]).unwrap(), |_| ());
    for size in [100, 4096, 1 << 18] {
        let reader = Reader::random_access_in_blocks(Broken(file.clone(), place), size).unwrap();
        let read = verify::wrong(reader, NonZero::new(3).unwrap(), &mut |_| ());
        assert_eq!(read.packets, expected.packets, "{size}");
        assert!(read.error.unwrap().to_string().contains("as planned"), "{size}");
    }
}

/// Readers that have read some packets, or all.
#[test]
fn the_rest_in_blocks() {
    let file = mixture(&mut Random(2), 50);
    let all = verify::packets(Reader::new(&file[..]).unwrap(), |_| ()).packets;
    for size in [64, 1000, 1 << 20] {
        for before in [1, 10, all - 1, all, all + 1] {
            let rest = |reader: AnyReader<'_>, threads: usize| {
                let (mut reader, mut wrong) = (reader, Lines::new());
                (0..before).for_each(|_| assert!(reader.next().is_ok()));
                let threads = NonZero::new(threads).unwrap();
                let read = verify::wrong(reader, threads, &mut |it| lines(it, &mut wrong));
                (read.packets, read.error.is_some(), wrong)
            };
            let input = Box::new(&file[..]) as Box<dyn io::Read + Send>;
            let expected = rest(Reader::new(input).unwrap(), 1);
            let reader = Reader::random_access_in_blocks(file.clone(), size).unwrap();
            assert_eq!(rest(reader, 2), expected, "{size} {before}");
            assert_eq!(expected.0, all.saturating_sub(before));
        }
    }
}

/// Where another capture begins, reading ends at the same packet, on any number of threads.
#[test]
fn captures_one_behind_the_other() {
    let mut plain = files();
    plain.retain(|(_, file)| file.starts_with(&[0xd4, 0xc3, 0xb2, 0xa1]));
    for two in plain.windows(2).step_by(7) {
        let joined = [&two[0].1[..], &two[1].1[..]].concat();
        same(&two[0].0, &joined, &[30, 100, 1 << 18]);
        let read = verify::packets(Reader::new(&joined[..]).unwrap(), |_| {});
        let offset = two[0].1.len() as u64;
        match read.error {
            Some(Error::Another { packets, offset: at }) => {
                assert_eq!((packets, at), (read.packets, offset), "{}", two[0].0);
            }
            other => panic!("{}: {other:?}", two[0].0),
        }
    }
    assert!(plain.len() > 100);
}
