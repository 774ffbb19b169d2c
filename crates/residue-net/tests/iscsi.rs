//! Tests of iSCSI digests in real sessions: Debian's `tgt` on loopback, libiscsi's tools and our
//! own small initiator. The traffic is captured, verified with and without flipped bits, and
//! compared with tshark; missing tools are skipped. The stored session is tested without any tools.
#![cfg(unix)]

mod initiator;
mod relay;
mod target;

use initiator::{Counts, Initiator};
use relay::Relay;
use residue_net::check::Verdict;
use residue_net::verify;
use residue_testing::{installed, skip};
use std::path::{Path, PathBuf};
use std::process::Command;
use target::Target;

/// A digest in a capture.
#[derive(Clone, Debug)]
struct Digest {
    /// 0: initiator; 1: target.
    side: usize,
    port: u16,
    pdu: u64,
    protocol: &'static str,
    verdict: Verdict,
    /// Offsets in the file: of the digest, and of its first and last covered byte.
    places: [u64; 3],
}

impl Digest {
    fn name(&self) -> (usize, u16, u64, &'static str) {
        (self.side, self.port, self.pdu, self.protocol)
    }
}

fn digests(capture: &[u8]) -> Vec<Digest> {
    let mut all = Vec::new();
    let read = verify::capture(capture, |buffer| {
        for finding in buffer.findings() {
            let Some(pdu) = buffer.pdu else {
                assert_eq!(finding.verdict, Verdict::Good, "{:?}", finding.check);
                continue;
            };
            let ports = finding.check.ports.unwrap();
            let side = usize::from(ports[0] == relay::PORT);
            let residue_net::check::Piece::Bytes(cover) = finding.cover()[0] else { panic!() };
            let ends = [finding.check.field[0].start, cover.start, cover.end - 1];
            all.push(Digest {
                side,
                port: ports[side],
                pdu,
                protocol: finding.check.protocol.name,
                verdict: finding.verdict,
                places: ends.map(|at| buffer.places.offset(at).unwrap()),
            });
        }
    });
    assert!(read.unwrap().error.is_none());
    all
}

/// Counts the header and data digests of a side.
fn count(digests: &[Digest], side: usize) -> Counts {
    ["iscsi.header", "iscsi.data"].map(|protocol| {
        let of = |digest: &&Digest| digest.side == side && digest.protocol == protocol;
        digests.iter().filter(of).count()
    })
}

fn is_all_good(digests: &[Digest]) -> bool {
    digests.iter().all(|digest| digest.verdict == Verdict::Good)
}

/// Starts a target for one test; `test` makes its control number unique.
fn target(folder: &Path, test: u16) -> Option<Target> {
    if !installed("tgtd") || !installed("tgtadm") {
        return None;
    }
    let control = 1000 + (std::process::id() as u16 % 1000) * 10 + test;
    Target::start(folder, control).map_err(|why| skip(&why)).ok()
}

/// Report of tshark: right and wrong digests of header and data, and the frames of the wrong ones.
#[derive(Debug, PartialEq)]
struct Tshark {
    right: Counts,
    wrong: Counts,
    frames: Vec<u64>,
}

fn tshark(capture: &[u8]) -> Option<Tshark> {
    if !installed("tshark") {
        return None;
    }
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), capture).unwrap();
    let output = Command::new("tshark")
        .args(["-n", "-V", "-O", "iscsi", "-r"])
        .arg(file.path())
        .output()
        .expect("tshark runs");
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut report = Tshark { right: [0; 2], wrong: [0; 2], frames: Vec::new() };
    let mut frame = 0;
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("Frame ") {
            frame = rest.split(':').next().and_then(|number| number.parse().ok()).unwrap_or(0);
        }
        let line = line.trim_start();
        for (part, name) in ["HeaderDigest: 0x", "DataDigest: 0x"].into_iter().enumerate() {
            if !line.starts_with(name) {
                continue;
            }
            if line.contains("Good CRC32") {
                report.right[part] += 1;
            } else {
                assert!(line.contains("Bad CRC32"), "{line}");
                report.wrong[part] += 1;
                report.frames.push(frame);
            }
        }
    }
    Some(report)
}

fn sum(counts: [Counts; 2]) -> Counts {
    [0, 1].map(|part| counts[0][part] + counts[1][part])
}

/// Returns the number of the packet at an offset in the file.
fn packet_at(capture: &[u8], place: u64) -> u64 {
    let mut reader = residue_net::pcap::Reader::new(capture).unwrap();
    while let Some(packet) = reader.next().unwrap() {
        if place < packet.offset + packet.bytes.len() as u64 {
            return packet.number;
        }
    }
    panic!("behind the end")
}

/// Runs the session of the stored capture.
fn session(initiator: &mut Initiator, sizes: &[u16]) {
    // The first command after a login reports that the target was restarted.
    let first = initiator.test_unit_ready().unwrap();
    assert!(first.status == 0 || first.status == 2 && first.sense.len() >= 14, "{first:?}");
    let second = initiator.test_unit_ready().unwrap();
    assert_eq!((second.status, second.sense.as_slice()), (0, &[][..]));
    let inquiry = initiator.inquiry(37).unwrap();
    assert_eq!((inquiry.status, inquiry.data.len()), (0, 37));
    for (number, &blocks) in sizes.iter().enumerate() {
        let start = 8 + 200 * number as u32;
        let written: Vec<u8> =
            (0..usize::from(blocks) * 512).map(|at| (at / 3 + number) as u8).collect();
        assert_eq!(initiator.write(start, &written).unwrap().status, 0);
        let read = initiator.read(start, blocks).unwrap();
        assert!(read.status == 0 && read.data == written, "{blocks} blocks");
    }
    // After the end of the disk: sense data, with a digest.
    let beyond = initiator.read(target::BLOCKS, 1).unwrap();
    assert_eq!(beyond.status, 2);
    assert!(beyond.sense.len() >= 14, "{beyond:?}");
    initiator.logout().unwrap();
}

/// Tests that every digest is found, good, and bad once one of its bits or of the covered bytes is
/// flipped.
fn judge(capture: &[u8], counts: Option<[Counts; 2]>) {
    let found = digests(capture);
    let sides = [count(&found, 0), count(&found, 1)];
    assert!(is_all_good(&found), "{found:?}");
    if let Some(counts) = counts {
        assert_eq!(sides, counts);
    }
    assert!(sum(sides).iter().all(|&count| count > 10), "{sides:?}");
    let theirs = tshark(capture);
    if let Some(theirs) = &theirs {
        assert_eq!((theirs.right, theirs.wrong), (sum(sides), [0; 2]));
    }

    // One digest of each kind: of both sides, of headers and of data, early and late.
    let mut chosen: Vec<Digest> = Vec::new();
    for sort in [(0, "iscsi.header"), (0, "iscsi.data"), (1, "iscsi.header"), (1, "iscsi.data")] {
        let of: Vec<_> =
            found.iter().filter(|digest| (digest.side, digest.protocol) == sort).collect();
        chosen.extend([of[0], of[of.len() / 2], of[of.len() - 1]].map(Clone::clone));
    }
    for (index, digest) in chosen.iter().enumerate() {
        let is_header = digest.protocol == "iscsi.header";
        // The digest; the last covered byte, which may be padding; in a header not the lengths, but
        // a byte of the command at an equal distance from the end.
        let [field, first, last] = digest.places;
        let covered = if is_header { last } else { first };
        for place in [field, field + 3, last, covered] {
            let mut flipped = capture.to_vec();
            flipped[place as usize] ^= 1 << (index % 8);
            let mut reported = Vec::new();
            let read = verify::capture(&flipped[..], |buffer| {
                for finding in buffer.findings().filter(|_| buffer.pdu.is_some()) {
                    if finding.verdict != Verdict::Good {
                        let ports = finding.check.ports.unwrap();
                        let side = usize::from(ports[0] == relay::PORT);
                        assert_eq!(finding.verdict, Verdict::Bad);
                        let name = finding.check.protocol.name;
                        reported.push((side, ports[side], buffer.pdu.unwrap(), name));
                    }
                }
            });
            assert!(read.unwrap().error.is_none());
            assert_eq!(reported, [digest.name()], "byte {place}");
        }
        // tshark determines from the first PDUs whether there are digests: with a wrong one there,
        // it finds none.
        if theirs.is_some() && index % 3 > 0 {
            let mut flipped = capture.to_vec();
            flipped[field as usize] ^= 1 << (index % 8);
            let theirs = tshark(&flipped).unwrap();
            assert_eq!(theirs.wrong, if is_header { [1, 0] } else { [0, 1] });
            // tshark reports a PDU in the frame of its end.
            let own = packet_at(capture, field);
            assert!(theirs.frames[0] >= own && theirs.frames[0] < own + 10, "{theirs:?} {own}");
        }
    }
}

fn kept() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../captures/iscsi.pcap")
}

#[test]
fn own_initiator() {
    let folder = tempfile::tempdir().unwrap();
    let Some(target) = target(folder.path(), 0) else { return };
    let relay = Relay::to(target.address);
    let mut initiator = Initiator::login(relay.port).unwrap();
    session(&mut initiator, &[1, 2, 7, 8, 16, 17, 128]);
    let counts = initiator.counts;
    drop(initiator);
    judge(&relay.capture(), Some(counts));
}

#[test]
fn libiscsi() {
    let folder = tempfile::tempdir().unwrap();
    if !installed("iscsi-inq") || !installed("iscsi-perf") {
        return;
    }
    let Some(target) = target(folder.path(), 1) else { return };
    let relay = Relay::to(target.address);
    let url = format!("iscsi://127.0.0.1:{}/{}/1?header_digest=crc32c", relay.port, target::NAME);
    for (tool, args) in [("iscsi-inq", &[][..]), ("iscsi-perf", &["-t", "1", "-m", "4", "-b", "8"])]
    {
        // These tools reconnect endlessly after errors.
        let output = Command::new("timeout").arg("20").arg(tool).args(args).arg(&url).output();
        let output = output.expect("timeout runs");
        assert!(output.status.success(), "{tool}: {output:?}");
        let capture = relay.capture();
        let found = digests(&capture);
        let counts = sum([count(&found, 0), count(&found, 1)]);
        assert!(is_all_good(&found) && counts[0] >= 4 && counts[1] == 0, "{tool}: {counts:?}");
        println!("{tool}: {} header digests", counts[0]);
        if tool == "iscsi-inq"
            && let Some(theirs) = tshark(&capture)
        {
            assert_eq!((theirs.right, theirs.wrong), (counts, [0; 2]));
        }
    }
}

#[test]
fn kept_session() {
    let capture = std::fs::read(kept()).unwrap();
    judge(&capture, None);
    let found = digests(&capture);
    assert_eq!([count(&found, 0), count(&found, 1)], KEPT);
}

/// Counts of digests in the stored session, of initiator and target, of headers and data.
const KEPT: [Counts; 2] = [[14, 5], [15, 8]];

/// Not a test: it is run by hand.
mod by_hand {
    use super::*;

    /// Creates the stored session: `cargo test -p residue-net iscsi -- --ignored keep`.
    #[test]
    #[ignore = "writes the capture that is kept"]
    fn keep() {
        let folder = tempfile::tempdir().unwrap();
        let Some(target) = target(folder.path(), 2) else { return };
        let relay = Relay::to(target.address);
        let mut initiator = Initiator::login(relay.port).unwrap();
        session(&mut initiator, &[1, 2, 5, 18]);
        println!("{:?}", initiator.counts);
        drop(initiator);
        let capture = relay.capture();
        assert!(capture.len() < 60_000, "{}", capture.len());
        std::fs::create_dir_all(kept().parent().unwrap()).unwrap();
        std::fs::write(kept(), capture).unwrap();
    }
}
