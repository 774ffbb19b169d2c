//! Tests `residue pcap` on packets longer than those of networks: offload and loopback.

use crate::common::{Ran, residue};
use residue_fixtures::ip::V4;
use residue_fixtures::tcp::Tcp;
use residue_net::pcap::LinkType;
use residue_net::pcap::compressed::{Compression, copy};
use residue_net::pcap::write::{Header, Writer};
use std::fs;
use std::path::Path;

const PACKETS: u32 = 4000;
const HEADERS: u32 = 14 + 20 + 20;

/// Every twentieth packet has 65,000 bytes, the others about 1,400.
fn length(number: u32) -> u32 {
    if number.is_multiple_of(20) { 65_000 } else { 1_400 + number * 7 % 13 }
}

/// Returns whether a packet is damaged: every thirteenth long one, and some short ones.
fn is_damaged(number: u32) -> bool {
    number % 97 == 5 || number.is_multiple_of(260)
}

/// Returns whether a packet is a retransmission, as for some of the short damaged ones.
fn is_again(number: u32) -> bool {
    number % 97 == 6 && length(number - 1) < 65_000 && length(number) < 65_000
}

/// Changes two bytes, differently in each packet: equal changes would look like rewritten
/// addresses.
fn damage(data: &mut [u8], number: u32) {
    let place = (number % 1000) as usize;
    data[place] ^= (1 + number * 37 % 255) as u8;
    data[place + 1] ^= (1 + number * 101 % 255) as u8;
}

/// 18 MB of segments, some of them damaged.
struct Made {
    capture: Vec<u8>,
    /// The capture with checksums recomputed over the damaged data.
    fixed: Vec<u8>,
    damaged: u64,
    again: u64,
}

fn make() -> Made {
    let file = || Writer::new(Vec::new(), Header::new(LinkType::ETHERNET)).unwrap();
    let (mut capture, mut fixed, mut damaged, mut again) = (file(), file(), 0, 0);
    let pool: Vec<u8> = residue_testing::noise(4096).repeat(17);
    let (mut sequence, mut data) = (0_u32, Vec::new());
    for number in 1..=PACKETS {
        if is_again(number) {
            again += 1;
        } else {
            sequence += data.len() as u32;
            data = pool[(number % 4096) as usize..][..(length(number) - HEADERS) as usize].to_vec();
        }
        let frame = |data: &[u8]| {
            V4.frame(6, &Tcp { numbers: [sequence, 1], data, ..Tcp::default() }.segment(V4))
        };
        let (mut sent, mut right) = (frame(&data), None);
        if is_damaged(number) {
            damaged += 1;
            let mut data = data.clone();
            damage(&mut data, number);
            damage(&mut sent[HEADERS as usize..], number);
            right = Some(frame(&data));
        }
        for (writer, frame) in
            [(&mut capture, &sent), (&mut fixed, right.as_ref().unwrap_or(&sent))]
        {
            writer.packet(number.into(), frame.len() as u32, frame).unwrap();
        }
    }
    Made { capture: capture.into_inner(), fixed: fixed.into_inner(), damaged, again }
}

fn gzip(file: &[u8]) -> Vec<u8> {
    let mut compressed = Vec::new();
    copy(&mut &*file, &mut compressed, Some(Compression::Gzip)).unwrap();
    compressed
}

/// Runs `residue pcap COMMAND INPUT OPTIONS`, with the file on standard input if `INPUT` is `-`.
fn pcap(folder: &Path, words: &str, file: &[u8]) -> Ran {
    let run = residue(["pcap"].into_iter().chain(words.split(' '))).within(folder);
    if words.contains(" - ") { run.input(file).run() } else { run.run() }
}

/// Runs every command from a file, from standard input and compressed, and checks verdicts and
/// output.
#[test]
fn packets_of_65000_bytes_in_every_command_and_from_every_source() {
    let Made { capture, fixed, damaged, again } = make();
    assert!((17_000_000..19_000_000).contains(&capture.len()), "{}", capture.len());
    assert!(damaged > 50 && again > 30);
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("file"), &capture).unwrap();
    fs::write(folder.join("gzip"), gzip(&capture)).unwrap();
    let written = |name: &str| fs::read(folder.join(name)).unwrap();
    let total = u64::from(PACKETS);
    for source in ["file", "-", "gzip"] {
        let run = |words: &str, code| {
            let ran = pcap(folder, &words.replace("IN", source), &capture);
            ran.ends(code);
            ran
        };
        let verify = run("verify IN --json", 1).json();
        let (packets, protocols) = (&verify["packets"], &verify["protocols"]);
        assert_eq!(*packets, total, "{source}");
        assert_eq!(protocols["ip"]["good"], total, "{source}");
        assert_eq!(protocols["tcp"]["good"], total - damaged, "{source}");
        assert_eq!(protocols["tcp"]["bad"], damaged, "{source}");

        run("fix IN --all -o fixed.pcap", 0);
        assert!(written("fixed.pcap") == fixed, "{source}");

        // Translated there and back, damage is unchanged.
        run("nat IN --map 192.0.2.1=198.51.100.7 -o there.pcap", 0);
        assert!(written("there.pcap") != capture, "{source}");
        let back = "nat there.pcap --map 198.51.100.7=192.0.2.1 -o back.pcap";
        pcap(folder, back, b"").ends(0);
        assert!(written("back.pcap") == capture, "{source}");

        let survey = run("survey IN --json", 0).json();
        for (name, expected) in [
            ("segments", total),
            ("good", total - damaged),
            ("bad", damaged),
            ("matched", again),
            ("unmatched", damaged - again),
        ] {
            assert_eq!(survey[name], expected, "{source}: {name}");
        }
    }
}
