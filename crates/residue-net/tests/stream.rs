//! iSCSI and NVMe/TCP digests in TCP streams, whatever the segments do.

mod session;

use residue_net::check::{Reason, Verdict};
use residue_net::pcap::{LinkType, Packet};
use residue_net::verify::Verifier;
use residue_testing::Random;
use session::*;

const SOME: [[bool; 2]; 3] = [[true, true], [true, false], [false, true]];

fn cases() -> impl Iterator<Item = (Protocol, [bool; 2])> {
    [Iscsi, NvmeTcp].into_iter().flat_map(|protocol| SOME.map(|digests| (protocol, digests)))
}

#[test]
fn split_at_every_byte() {
    for (protocol, digests) in cases() {
        let (messages, _) = session(protocol, digests);
        let whole = segments(&messages);
        let expected = expected(protocol, &messages, 0);
        assert!(expected.iter().all(|side| side.len() >= 3));
        assert_eq!(verify(protocol, &whole), expected);
        let longest = whole.iter().map(|segment| segment.bytes.len()).max().unwrap();
        for place in 1..longest {
            let split: Vec<_> = whole
                .iter()
                .flat_map(|segment| halves(segment, place.min(segment.bytes.len())))
                .collect();
            assert_eq!(verify(protocol, &split), expected, "at {place}");
        }
        let bytes: Vec<_> = whole
            .iter()
            .flat_map(|segment| {
                let one = |at: usize| Segment {
                    at: segment.at + at as i64,
                    bytes: segment.bytes[at..=at].to_vec(),
                    ..segment.clone()
                };
                let syn = segment.bytes.is_empty().then(|| segment.clone());
                syn.into_iter().chain((0..segment.bytes.len()).map(one))
            })
            .collect();
        assert_eq!(verify(protocol, &bytes), expected, "byte by byte");
    }
}

#[test]
fn several_in_one_segment() {
    for (protocol, digests) in cases() {
        let (messages, login) = session(protocol, digests);
        let whole = segments(&messages);
        let mut joined = whole[..2 + login].to_vec();
        for side in 0..2 {
            let of_side = || whole[2 + login..].iter().filter(move |segment| segment.side == side);
            let bytes = of_side().flat_map(|segment| segment.bytes.clone()).collect();
            joined.push(Segment { bytes, ..of_side().next().unwrap().clone() });
        }
        assert_eq!(verify(protocol, &joined), expected(protocol, &messages, 0));
    }
}

#[test]
fn no_digests() {
    for protocol in [Iscsi, NvmeTcp] {
        let (messages, _) = session(protocol, [false; 2]);
        assert_eq!(verify(protocol, &segments(&messages)), [const { Vec::new() }; 2]);
    }
}

#[test]
fn reordered_retransmitted_overlapping() {
    let mut random = Random(1);
    for (protocol, digests) in cases() {
        let (messages, login) = session(protocol, digests);
        let expected = expected(protocol, &messages, 0);
        for _ in 0..200 {
            let whole = segments(&messages);
            let mut sent = Vec::new();
            for segment in &whole[2 + login..] {
                let place = random.below(segment.bytes.len());
                let [one, other] = halves(segment, place);
                // A part twice, and one that overlaps both.
                let again = halves(segment, place / 2)[1].clone();
                sent.extend([one, other, again]);
            }
            for at in (1..sent.len()).rev() {
                sent.swap(at, random.below(at + 1));
            }
            let mut segments = whole[..2 + login].to_vec();
            segments.extend(sent);
            let mut found = verify(protocol, &segments);
            found.iter_mut().for_each(|side| side.sort());
            let mut expected = expected.clone();
            expected.iter_mut().for_each(|side| side.sort());
            assert_eq!(found, expected);
        }
    }
}

#[test]
fn of_bytes_sent_twice_the_first_count() {
    let (messages, _) = session(Iscsi, [true, true]);
    let mut sent = segments(&messages);
    let mut other = sent[6].clone();
    other.bytes.iter_mut().for_each(|byte| *byte ^= 0xff);
    sent.insert(7, other);
    assert_eq!(verify(Iscsi, &sent), expected(Iscsi, &messages, 0));
}

/// One bit of every byte of every PDU behind the login, in turn: that PDU, and no other, is found
/// to be wrong, by the digest that covers the byte.
#[test]
fn flipped_bits() {
    for (protocol, digests) in cases() {
        let (messages, login) = session(protocol, digests);
        let expected = expected(protocol, &messages, 0);
        let mut numbers = [0; 2];
        for (index, message) in messages.iter().enumerate() {
            numbers[message.side] += 1;
            if index < login {
                continue;
            }
            for at in 0..message.bytes.len() {
                if protocol == Iscsi && at == 4 && index >= messages.len() - 6 {
                    // A header that seems to be longer than what is left of the stream.
                    continue;
                }
                let mut messages = messages.clone();
                messages[index].bytes[at] ^= 1 << (at % 8);
                let found = verify(protocol, &segments(&messages));
                let wrong: Vec<_> = found
                    .iter()
                    .enumerate()
                    .flat_map(|(side, found)| found.iter().map(move |digest| (side, digest)))
                    .filter(|(_, (_, _, verdict))| *verdict == Verdict::Bad)
                    .map(|(side, (number, name, _))| (side, *number, *name))
                    .collect();
                let covered = |part: usize| {
                    let end = message.digests[part].map(|place| place + 4);
                    // The padding of NVMe/TCP between header and data is covered by nothing.
                    let data = message.digests[1].map(|place| place + 4 - at);
                    let length = data_length(protocol, message);
                    end.is_some_and(|end| at < end)
                        && (part == 0 || data.is_some_and(|from_end| from_end <= length + 4))
                };
                let name = [0, 1].into_iter().find(|&part| covered(part));
                let what = format!("message {index}, byte {at}, digests {digests:?}");
                match name {
                    Some(part) => {
                        let name = match protocol {
                            Iscsi => ["iscsi.header", "iscsi.data"][part],
                            NvmeTcp => ["nvme.header", "nvme.data"][part],
                        };
                        assert_eq!(wrong, [(message.side, numbers[message.side], name)], "{what}");
                        // Nothing else is lost, but data whose length is in doubt.
                        let good = |found: &Found| found.iter().map(Vec::len).sum::<usize>();
                        assert!(good(&found) + 1 >= good(&expected), "{what}: {found:?}");
                    }
                    // Without a digest of the header its lengths may mislead, and then nothing can
                    // be said.
                    None if at >= 48 => assert_eq!(wrong, [], "{what}"),
                    None => {}
                }
            }
        }
    }
}

/// The bytes that its data digest covers.
fn data_length(protocol: Protocol, message: &Message) -> usize {
    let Some(end) = message.digests[1] else { return 0 };
    match protocol {
        Iscsi => {
            let header = 48 + usize::from(message.bytes[4]) * 4;
            end - header - if message.digests[0].is_some() { 4 } else { 0 }
        }
        NvmeTcp => end - usize::from(message.bytes[3]),
    }
}

#[test]
fn login_not_captured() {
    for (protocol, digests) in cases() {
        let (messages, login) = session(protocol, digests);
        let whole = segments(&messages);
        for first in login..messages.len() - 6 {
            let found = verify(protocol, &whole[2 + first..]);
            let mut expected = expected(protocol, &messages, first);
            if digests == [false, true] {
                // Only data can show that a PDU begins: those before have none, and are not
                // counted.
                for (found, expected) in found.iter().zip(&mut expected) {
                    let names = |side: &[(u64, &str, Verdict)]| side.len();
                    assert_eq!(names(found), names(expected), "from {first}");
                }
                assert!(found.iter().flatten().all(|digest| digest.2 == Verdict::Good));
                continue;
            }
            assert_eq!(found, expected, "from {first}, {digests:?}");
        }
    }
}

/// Only the end of the login was captured: the answer, from which one of the two is known.
#[test]
fn login_half_captured() {
    let (messages, _) = session(Iscsi, [true, true]);
    let whole = segments(&messages);
    assert_eq!(verify(Iscsi, &whole[3..]), expected(Iscsi, &messages, 1));
}

#[test]
fn any_port() {
    let (messages, _) = session(Iscsi, [true, true]);
    let mut verifier = Verifier::new();
    let mut count = 0;
    for (number, segment) in (1..).zip(&segments(&messages)) {
        let mut bytes = packet(Iscsi, segment);
        for at in [20, 22] {
            if bytes[at..at + 2] == 3260u16.to_be_bytes() {
                bytes[at..at + 2].copy_from_slice(&3261u16.to_be_bytes());
            }
        }
        let packet = Packet {
            number,
            offset: 0,
            link: LinkType::IPV4,
            bytes: &bytes,
            wire_length: bytes.len() as u32,
            fcs: None,
            time: None,
        };
        verifier.packet(&packet, |buffer| {
            count += usize::from(buffer.pdu.is_some()) * buffer.findings().count();
        });
    }
    assert_eq!(count, expected(Iscsi, &messages, 0).iter().map(Vec::len).sum::<usize>());
}

/// Each segment in turn is not captured, or cut short: nothing is found wrong, and all that does
/// not lie in it is good.
#[test]
fn gaps() {
    for (protocol, digests) in cases() {
        let (messages, login) = session(protocol, digests);
        let whole = segments(&messages);
        let good = |found: &Found| {
            found.iter().flatten().filter(|digest| digest.2 == Verdict::Good).count()
        };
        let all = good(&expected(protocol, &messages, 0));
        for (index, message) in messages.iter().enumerate().skip(login) {
            let mut sent = whole.clone();
            sent.remove(2 + index);
            let found = verify(protocol, &sent);
            let bad = |found: &Found| found.iter().flatten().any(|digest| digest.2 == Verdict::Bad);
            assert!(!bad(&found), "without {index}: {found:?}");
            let own = message.digests.iter().flatten().count();
            if digests[0] {
                assert_eq!(good(&found), all - own, "without {index}, {digests:?}: {found:?}");
            }
            // Cut behind the header: where the next PDU begins is known, whatever the digests.
            if let Some(end) = message.digests[1] {
                let header = end - data_length(protocol, message) + 5;
                let mut sent = whole.clone();
                let cut = &mut sent[2 + index];
                cut.cut = cut.bytes.len() - header;
                cut.bytes.truncate(header);
                let found = verify(protocol, &sent);
                assert_eq!(good(&found), all - 1, "{index} cut, {digests:?}: {found:?}");
                let unverifiable = Verdict::Unverifiable(Reason::Stream);
                assert_eq!(
                    found.iter().flatten().filter(|digest| digest.2 == unverifiable).count(),
                    1
                );
            }
        }
    }
}

/// A second connection between the same ends negotiates its own digests.
#[test]
fn another_connection() {
    let (one, _) = session(Iscsi, [true, true]);
    let (other, _) = session(Iscsi, [false, true]);
    let mut sent = segments(&one);
    let ends = [0, 1].map(|side| {
        let last = sent.iter().rfind(|segment| segment.side == side).unwrap();
        last.at + last.bytes.len() as i64
    });
    for (side, at) in ends.into_iter().enumerate() {
        sent.push(Segment { side, at, flags: FIN, bytes: Vec::new(), cut: 0 });
    }
    let again = segments(&other).into_iter().map(|mut segment| {
        segment.at += 1_000_000;
        segment
    });
    sent.extend(again);
    let found = verify(Iscsi, &sent);
    let [first, second] = [expected(Iscsi, &one, 0), expected(Iscsi, &other, 0)];
    for side in 0..2 {
        assert_eq!(found[side], [first[side].clone(), second[side].clone()].concat());
    }
}

/// More than is kept, of everything.
#[test]
fn floods() {
    let (messages, login) = session(Iscsi, [true, true]);
    let whole = segments(&messages);
    // Segments that never become ordered.
    let mut sent = whole[..2 + login].to_vec();
    let far = (0..20_000).map(|number| Segment {
        at: 10_000 + number * 1000,
        bytes: Random(number as u64).bytes(500),
        ..whole[2 + login].clone()
    });
    sent.extend(far);
    let found = verify(Iscsi, &sent);
    assert!(found.iter().flatten().count() < 10, "{found:?}");
    // Lengths that lie: 16 MiB are claimed, and never come.
    let mut sent = whole[..2 + login].to_vec();
    let mut at = whole[2 + login].at;
    for number in 0..2000 {
        let mut bytes = Random(number as u64).bytes(1400);
        if number == 0 {
            let message = iscsi(0x01, 0x81, 0, &[1; 1348], [true, true]);
            bytes = message.bytes[..1400].to_vec();
            bytes[5] = 0xff;
        }
        sent.push(Segment { at, bytes, ..whole[2 + login].clone() });
        at += 1400;
    }
    let found = verify(Iscsi, &sent);
    assert_eq!(found[0][0], (2, "iscsi.header", Verdict::Bad), "{found:?}");
}

/// What tshark finds right and wrong of NVMe/TCP: it counts what we count.
#[test]
fn nvme_tcp_as_tshark_has_it() {
    use std::process::Command;
    if !residue_testing::installed("tshark") {
        return;
    }
    for digests in SOME {
        let (mut messages, login) = session(NvmeTcp, digests);
        // tshark 4.0 takes the padding between header and data for data.
        for message in &mut messages[login..] {
            let (kind, start) = (message.bytes[0], usize::from(message.bytes[3]));
            let tail = if digests[1] { 4 } else { 0 };
            if kind == 7 {
                let data = message.bytes[start..message.bytes.len() - tail].to_vec();
                *message = nvme(kind, 24, 0, &data, digests);
            }
        }
        for flipped in [None, Some(login + 1)] {
            if let Some(index) = flipped
                && let Some(place) = messages[index].digests.into_iter().flatten().last()
            {
                messages[index].bytes[place] ^= 1;
            }
            let segments = segments(&messages);
            let header = residue_net::pcap::write::Header::new(LinkType::IPV4);
            let mut file = residue_net::pcap::write::Writer::new(Vec::new(), header).unwrap();
            for (time, segment) in (0..).zip(&segments) {
                let bytes = packet(NvmeTcp, segment);
                file.packet(time, bytes.len() as u32, &bytes).unwrap();
            }
            let capture = tempfile::NamedTempFile::new().unwrap();
            std::fs::write(capture.path(), file.into_inner()).unwrap();
            let output = Command::new("tshark")
                .args(["-n", "-d", "tcp.port==4420,nvme-tcp", "-T", "fields"])
                .args(["-o", "nvme-tcp.check_hdgst:TRUE", "-o", "nvme-tcp.check_ddgst:TRUE"])
                .args(["-e", "nvme-tcp.hdgst.status", "-e", "nvme-tcp.ddgst.status", "-r"])
                .arg(capture.path())
                .output()
                .unwrap();
            assert!(output.status.success(), "{output:?}");
            let text = String::from_utf8_lossy(&output.stdout);
            let count = |status| text.matches(status).count();
            let ours = verify(NvmeTcp, &segments);
            let of = |verdict| ours.iter().flatten().filter(|digest| digest.2 == verdict).count();
            let name = format!("{digests:?} {flipped:?}\n{text}");
            assert_eq!((count('1'), count('0')), (of(Verdict::Good), of(Verdict::Bad)), "{name}");
        }
    }
}
