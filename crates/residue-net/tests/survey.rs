//! Tests that planted damage of every kind is found.

use residue_fixtures::ip::Ends;
use residue_fixtures::tcp::Tcp;
use residue_fixtures::{Case, Format, Frame, file};
use residue_net::pcap::LinkType;
use residue_net::summary::Summary;
use residue_net::survey::{Damage, Shape, Survey};
use residue_net::verify;

fn data() -> Vec<u8> {
    (0..512u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 13) as u8 | 1).collect()
}

#[test]
fn shapes() {
    let good = data();
    let with = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut bad = good.clone();
        change(&mut bad);
        bad.resize(good.len(), 0x77);
        Damage::between(&good, &bad)
    };
    let expect = |damage: Damage, shape, offset, length| {
        assert_eq!(damage, Damage { shape, offset, length });
    };
    expect(with(&|_| {}), Shape::Header, 0, 0);
    expect(with(&|bad| bad[9] ^= 4), Shape::Bit, 9, 1);
    expect(with(&|bad| bad[9] ^= 5), Shape::Byte, 9, 1);
    expect(with(&|bad| (64..128).step_by(8).for_each(|at| bad[at] ^= 8)), Shape::BitColumn, 64, 57);
    expect(with(&|bad| bad.swap(10, 11)), Shape::Swap, 10, 2);
    expect(
        with(&|bad| {
            bad.swap(10, 100);
            bad.swap(11, 101);
        }),
        Shape::Swap,
        10,
        92,
    );
    expect(with(&|bad| bad[32..64].fill(0)), Shape::Zeroed, 32, 32);
    assert_eq!(with(&|bad| bad[33..64].fill(0xff)).shape, Shape::Ones);
    assert_eq!(with(&|bad| drop(bad.drain(100..104))).shape, Shape::Missing);
    assert_eq!(with(&|bad| bad.splice(100..100, [1, 2, 3]).for_each(drop)).shape, Shape::Inserted);
    expect(with(&|bad| bad.copy_within(64..128, 256)), Shape::Stale, 256, 64);
    assert_eq!(
        with(&|bad| bad[40..60].iter_mut().for_each(|b| *b ^= *b << 1 ^ 0x55)).shape,
        Shape::Run
    );
    assert_eq!(
        with(&|bad| {
            bad[40] ^= 3;
            bad[200] ^= 0x70;
            bad[300] ^= 0x21;
        })
        .shape,
        Shape::Scattered
    );
}

/// Good segments, damaged copies, and retransmissions, one of which is segmented differently.
#[test]
fn retransmissions_are_matched() {
    let data = data();
    let frames = stream(&data);
    let case = Case {
        good: frames.clone(),
        format: Format::Pcap,
        link: LinkType::ETHERNET,
        ..residue_fixtures::cases().remove(0)
    };
    let mut capture = Vec::new();
    file::write(&mut capture, &case, &frames).unwrap();
    let mut summary = Summary::new();
    verify::capture(&capture[..], |buffer| summary.buffer(buffer)).unwrap();
    let mut survey = Survey::new();
    let learn = |buffer: &verify::Buffer<'_>| {
        buffer.findings().for_each(|finding| survey.learn(&finding, &summary.diagnosis));
    };
    verify::capture(&capture[..], learn).unwrap();
    verify::capture(&capture[..], |buffer| {
        buffer.findings().for_each(|finding| survey.compare(&finding));
    })
    .unwrap();
    survey.finish();
    assert_eq!((survey.segments, survey.bad, survey.matched(), survey.unmatched()), (6, 3, 2, 1));
    assert_eq!(survey.shapes, [(Shape::Bit, 1), (Shape::Zeroed, 1)].into());
    assert_eq!(survey.offsets, [(5, 1), (32, 1)].into());
}

/// Three segments: two are damaged and retransmitted together; one is damaged and lost.
fn stream(data: &[u8]) -> Vec<Frame> {
    let ends: Ends = residue_fixtures::ip::V4;
    let segment = |sequence: u32, data: &[u8]| {
        Tcp { numbers: [sequence, 2], data, ..Tcp::default() }.segment(ends)
    };
    let frame = |segment: &[u8]| Frame::whole(ends.frame(6, segment));
    let damaged = |sequence: u32, data: &[u8], change: &dyn Fn(&mut [u8])| {
        let mut segment = segment(sequence, data);
        let header = segment.len() - data.len();
        change(&mut segment[header..]);
        frame(&segment)
    };
    vec![
        frame(&segment(1000, &data[..100])),
        damaged(1100, &data[100..200], &|data| data[5] ^= 16),
        damaged(1200, &data[200..300], &|data| data[32..48].fill(0)),
        frame(&segment(1100, &data[100..300])),
        damaged(1300, &data[300..400], &|data| data[7] ^= 0x81),
        frame(&segment(1400, &data[400..])),
    ]
}
