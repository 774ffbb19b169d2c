//! Tests that causes are named by evidence and never by chance, and that memory stays bounded.

use residue_fixtures::ip::{A, B, Ends, V4, V6, documentation, offloaded, store};
use residue_fixtures::ospf;
use residue_fixtures::tcp::Tcp;
use residue_fixtures::{Case, Format, Frame, file};
use residue_net::check::Verdict;
use residue_net::diagnose::{CauseKind, Chance};
use residue_net::pcap::LinkType;
use residue_net::summary::Summary;
use residue_net::verify;
use residue_testing::Random;

fn capture(frames: &[Frame]) -> Vec<u8> {
    let case = Case {
        name: "causes",
        title: "causes",
        link: LinkType::ETHERNET,
        fcs: None,
        format: Format::Pcap,
        protocol: "tcp",
        good: Vec::new(),
        bad: Vec::new(),
        good_verdicts: Vec::new(),
        bad_verdicts: Vec::new(),
        cause: None,
        repair: residue_fixtures::Repair::Never,
    };
    let mut bytes = Vec::new();
    file::write(&mut bytes, &case, frames).unwrap();
    bytes
}

fn summary(frames: &[Frame]) -> Summary {
    let mut summary = Summary::new();
    verify::capture(&capture(frames)[..], |buffer| summary.buffer(buffer)).unwrap();
    summary
}

fn count(summary: &Summary, kind: CauseKind) -> u64 {
    let tally = summary.diagnosis.tally();
    tally.iter().filter(|((known, _), _)| *known == kind).map(|(_, count)| count).sum()
}

/// A segment with number `number`, whose checksum is `value` if there is one.
fn segment(ends: Ends, number: u32, value: Option<u16>) -> Vec<u8> {
    let mut segment = Tcp { numbers: [number, 7], ..Tcp::default() }.segment(ends);
    if let Some(value) = value {
        store(&mut segment, 16, value);
    }
    segment
}

fn noise(count: u32, seed: u64) -> impl Iterator<Item = Frame> {
    let mut random = Random(seed);
    (0..count).map(move |number| {
        Frame::whole(
            V4.frame(6, &segment(V4, number.wrapping_mul(77_777), Some(random.next() as u16))),
        )
    })
}

/// Random checksums fit single explanations by chance, as many as the numbers of values that these
/// allow predict: none is named.
#[test]
fn chance_alone_names_nothing() {
    for seed in 0..20 {
        let summary = summary(&noise(2000, seed).collect::<Vec<_>>());
        let total = summary.total();
        assert!(total.bad >= 1990, "{total:?}");
        let unknown = count(&summary, CauseKind::Unknown);
        let named = total.bad + total.offloaded - unknown;
        assert!(named <= 2, "seed {seed}: {:?}", summary.diagnosis.tally());
        assert!(summary.diagnosis.rewrites().is_empty(), "seed {seed}");
    }
}

/// Two values that lack an equal amount are evidence alone, and none among hundreds.
#[test]
fn two_of_many_are_no_evidence() {
    let private = Ends::V4([[10, 0, 0, 7], B]);
    let moved = |number: u32| {
        let old = segment(private, number, None);
        let value = u16::from_be_bytes([old[16], old[17]]);
        Frame::whole(V4.frame(6, &segment(V4, number, Some(value))))
    };
    let two = [moved(1), moved(2)];
    let alone = summary(&two);
    assert_eq!(count(&alone, CauseKind::Rewritten), 2);
    assert_eq!(alone.diagnosis.rewrites()[0].chance, Chance::of_equal(2, 2, 65535.0));
    // A packet that is sent again proves nothing.
    let again = [moved(1), moved(1), moved(1)];
    assert_eq!(count(&summary(&again), CauseKind::Rewritten), 0);
    let among: Vec<Frame> = noise(500, 3).chain(two).collect();
    assert_eq!(count(&summary(&among), CauseKind::Rewritten), 0);
    let several: Vec<Frame> = noise(500, 3).chain((1..6).map(moved)).collect();
    let summary = summary(&several);
    assert_eq!(count(&summary, CauseKind::Rewritten), 5);
    assert!(summary.diagnosis.rewrites()[0].chance.is_small());
}

/// A few changed bytes are evidence together, one is not.
#[test]
fn one_changed_byte_is_no_evidence() {
    let changed = |number: u32, byte: u8| {
        let mut frame = V4.frame(6, &segment(V4, number, None));
        frame[60] = frame[60].wrapping_add(byte);
        Frame::whole(frame)
    };
    assert_eq!(count(&summary(&[changed(1, 0x35)]), CauseKind::Unknown), 1);
    let both = summary(&[changed(1, 0x35), changed(2, 0x2b)]);
    assert_eq!(count(&both, CauseKind::ChangedByte), 2);
}

/// A contradiction is evidence, unless a packet with a right value contradicts itself alike.
#[test]
fn a_contradiction_that_right_packets_have_is_no_evidence() {
    let set = |number: u32, bits: u8, value: Option<u16>| {
        let mut segment = segment(V4, number, None);
        segment[12] |= bits;
        store(&mut segment, 16, 0);
        let mut right = V4.pseudo(6, segment.len());
        right.update(&segment);
        store(&mut segment, 16, value.unwrap_or(right.value()));
        Frame::whole(V4.frame(6, &segment))
    };
    let contradictions = |frames: &[Frame]| count(&summary(frames), CauseKind::Contradiction);
    let wrong = || set(1, 0x0c, Some(0xbeef));
    assert_eq!(contradictions(&[wrong()]), 1);
    assert_eq!(contradictions(&[set(2, 0, None), wrong()]), 1);
    assert_eq!(contradictions(&[set(2, 0x04, None), wrong()]), 0);
    assert_eq!(contradictions(&[wrong(), set(2, 0x04, None)]), 0);
}

/// The value of a right packet in another one is evidence, unless a changed byte explains it, or
/// many values are right.
#[test]
fn a_right_value_in_another_packet() {
    let right = |number: u32| Frame::whole(V4.frame(6, &segment(V4, number, None)));
    let value = |number: u32| {
        let segment = segment(V4, number, None);
        u16::from_be_bytes([segment[16], segment[17]])
    };
    let wrong =
        |number: u32, value: u16| Frame::whole(V4.frame(6, &segment(V4, number, Some(value))));
    let copied = |frames: &[Frame]| count(&summary(frames), CauseKind::Copied);
    let far = 1 + 0x1357;
    assert_eq!(copied(&[right(1), wrong(far, value(1))]), 1);
    assert_eq!(copied(&[wrong(far, value(1)), right(1)]), 1);
    // The right values differ by one.
    assert_eq!(copied(&[right(1), right(2), wrong(3, value(2))]), 0);
    let mut many: Vec<Frame> = (0..100).map(|number| right(number * 0x2_0301)).collect();
    many.push(wrong(far, value(0)));
    assert_eq!(copied(&many), 0);
}

/// More different values than are stored: all are counted, and a cause shows before and after them.
#[test]
fn more_values_than_are_stored() {
    let private = Ends::V4([[10, 0, 0, 7], B]);
    let other = Ends::V4([A, [192, 0, 2, 99]]);
    let private6 = Ends::V6([documentation(0x77), documentation(2)]);
    let moved = |number: u32, ends: Ends| {
        let old = segment(if ends == V6 { private6 } else { private }, number, None);
        let value = u16::from_be_bytes([old[16], old[17]]);
        Frame::whole(ends.frame(6, &segment(ends, number, Some(value))))
    };
    let early = (1..9).map(|number| moved(number, V6));
    let late = (1..101).map(|number| moved(number, other));
    let frames: Vec<Frame> = early.chain(noise(140_000, 5)).chain(late).collect();
    let summary = summary(&frames);
    let total = summary.total();
    assert_eq!(summary.diagnosis.tally().values().sum::<u64>(), total.bad + total.offloaded);
    // The first ones of the late pair are counted without being stored.
    let rewritten = count(&summary, CauseKind::Rewritten);
    assert!((100..=108).contains(&rewritten), "{rewritten}");
    let rewrites = summary.diagnosis.rewrites();
    let destinations: Vec<String> = rewrites.iter().map(|it| it.destination.to_string()).collect();
    assert_eq!(destinations, ["192.0.2.99", "2001:db8::2"]);
}

/// Acknowledgements of one length all have one sum of the pseudo-header: only packets of another
/// length show that it is one.
#[test]
fn equal_lengths_show_no_sum() {
    let private = Ends::V4([[10, 0, 0, 7], B]);
    let left_to_the_card = |number: u32, length: usize| {
        let data = vec![0x5a; length];
        let good = Tcp { numbers: [number, 7], data: &data, ..Tcp::default() }.segment(V4);
        Frame::whole(V4.frame(6, &offloaded(good, private, 6, 16, true)))
    };
    let equal: Vec<Frame> = (0..30).map(|number| left_to_the_card(number, 4)).collect();
    let alone = summary(&equal);
    assert_eq!(count(&alone, CauseKind::Copied), 30, "{:?}", alone.diagnosis.tally());
    let others = (30..33).map(|number| left_to_the_card(number, 2 * number as usize));
    let both = summary(&equal.into_iter().chain(others).collect::<Vec<_>>());
    assert_eq!(count(&both, CauseKind::OffloadRewritten), 33, "{:?}", both.diagnosis.tally());
    assert_eq!(both.diagnosis.rewrites()[0].packets, 33);
}

/// Linux adds the length of a super-packet with 32 bits.
#[test]
fn a_super_packet_is_offloaded() {
    let data = vec![0x5a; 70_000];
    let mut segment = Tcp { data: &data, ..Tcp::default() }.unsealed();
    let length = segment.len() as u64;
    let sum = u64::from(!V4.pseudo(6, 0).value()) + (length >> 16) + (length & 0xffff);
    store(&mut segment, 16, (sum % 65535) as u16);
    let mut frame = V4.frame(6, &segment);
    frame[16..18].fill(0);
    frame[24..26].fill(0);
    let header = residue::internet::checksum(&frame[14..34]);
    store(&mut frame, 24, header);
    let mut verdicts = Vec::new();
    verify::capture(&capture(&[Frame::whole(frame)])[..], |buffer| {
        verdicts.extend(buffer.findings().map(|finding| finding.verdict));
    })
    .unwrap();
    assert_eq!(verdicts, [Verdict::Good, Verdict::Offloaded]);
}

/// Bytes were appended to the last advertisement of an OSPF packet, and all lengths raised: each
/// value is right for the length before.
#[test]
fn raised_lengths() {
    let routers = Ends::V4([A, [224, 0, 0, 5]]);
    let raised = |bytes: u16| {
        let update = ospf::update(&[ospf::router_lsa()]);
        let mut frame = routers.frame(89, &ospf::version2(4, &update));
        frame.resize(frame.len() + usize::from(bytes), 0x5a);
        // Of IPv4, OSPF and the advertisement behind its header and the number of advertisements.
        for at in [14 + 2, 34 + 2, 34 + 28 + 18] {
            let length = u16::from_be_bytes([frame[at], frame[at + 1]]);
            store(&mut frame, at, length + bytes);
        }
        summary(&[Frame::whole(frame)])
    };
    let named = |summary: &Summary| count(summary, CauseKind::OtherLength);
    for bytes in [12, 40, 60] {
        assert_eq!(named(&raised(bytes)), 3, "{bytes}: {:?}", raised(bytes).diagnosis.tally());
    }
    // One flipped bit of the IPv4 header would do as well.
    for bytes in [4, 64] {
        assert_eq!(named(&raised(bytes)), 2, "{bytes}: {:?}", raised(bytes).diagnosis.tally());
    }
    for bytes in [0, 6, 68] {
        assert_eq!(named(&raised(bytes)), 0, "{bytes}: {:?}", raised(bytes).diagnosis.tally());
    }
}

/// A node removes an option of 12 bytes and lowers the IPv4 header's length alone.
#[test]
fn a_lowered_length() {
    let mut frame = V4.frame(6, &segment(V4, 1, None));
    let length = u16::from_be_bytes([frame[16], frame[17]]);
    frame.truncate(frame.len() - 12);
    store(&mut frame, 16, length - 12);
    let summary = summary(&[Frame::whole(frame)]);
    assert_eq!(summary.diagnosis.tally().get(&(CauseKind::OtherLength, "ip")), Some(&1));
}
