//! Values planted in messages at many places, found again with what they cover.

use residue::Code;
use residue::crc::Params;
use residue_identify::{
    Anchor, Error, Form, Found, Hash, Kind, Layout, Located, Model, Order, Own, Place, Unusable,
    locate,
};

use Anchor::{End, Start};
use Own::{Excluded, Outside, Zero};
use residue_testing::Random;

fn layout(value: Anchor, bytes: usize, start: Anchor, end: Anchor, own: Own) -> Layout {
    Layout { value, bytes, start, end, own }
}

const BIG: Form = Form { order: Order::Big, place: Place::Low };
const LITTLE: Form = Form { order: Order::Little, place: Place::Low };

/// Writes the field of a message that `value` gives.
fn plant(message: &mut [u8], layout: &Layout, value: impl Fn(&[u8]) -> u128) {
    let field = value(&layout.sample(message).unwrap().message).to_be_bytes();
    let at = layout.value.at(message.len()).unwrap();
    message[at..at + layout.bytes].copy_from_slice(&field[16 - layout.bytes..]);
}

/// Messages of these lengths with planted values.
fn frames(
    lengths: &[usize],
    seed: u64,
    layout: &Layout,
    value: impl Fn(&[u8]) -> u128,
) -> Vec<Vec<u8>> {
    let mut random = Random(0x9e37_79b9_7f4a_7c15 ^ seed << 20);
    let mut frame = |&length: &usize| {
        let mut message = random.bytes(length);
        plant(&mut message, layout, &value);
        message
    };
    lengths.iter().map(&mut frame).collect()
}

const LENGTHS: [usize; 10] = [33, 40, 47, 33, 52, 64, 71, 38, 45, 90];

/// Asserts that the best result is right for other messages too, and wrong for damaged ones.
///
/// The place may be another one: of an Internet checksum, every word is the value of the others.
fn right(located: &Located, layout: &Layout, value: impl Fn(&[u8]) -> u128) {
    assert!(located.convincing(), "{layout}: {located:?}");
    let spot = &located.spots[0];
    for mut message in frames(&[35, 60, 81], 77, layout, &value) {
        let stated = |message: &[u8]| spot.layout.sample(message).unwrap().value;
        assert_eq!(spot.expected(&message), Some(stated(&message)), "{layout}: {}", spot.layout);
        let covered = layout.start.at(message.len()).unwrap();
        message[covered] ^= 1;
        assert_ne!(spot.expected(&message), Some(stated(&message)), "{layout}: {}", spot.layout);
    }
}

#[test]
fn named_codes_at_planted_places() {
    for (i, (name, form, layout)) in [
        ("crc-16/modbus", LITTLE, layout(End(2), 2, Start(0), End(2), Outside)),
        // A byte after the value, and one before what is covered, as in XMODEM or DNP.
        ("crc-16/ibm-3740", BIG, layout(End(3), 2, Start(1), End(3), Outside)),
        ("crc-16/xmodem", BIG, layout(Start(3), 2, Start(1), End(0), Excluded)),
        ("crc-16/kermit", LITTLE, layout(Start(6), 2, Start(0), Start(6), Outside)),
        ("crc-32/iso-hdlc", LITTLE, layout(End(4), 4, Start(14), End(4), Outside)),
        ("crc-32/iscsi", LITTLE, layout(Start(8), 4, Start(0), End(0), Zero)),
        ("crc-32/mpeg-2", BIG, layout(Start(4), 4, Start(8), End(0), Outside)),
        ("crc-32/bzip2", BIG, layout(Start(20), 4, Start(5), End(3), Excluded)),
        ("crc-8/smbus", BIG, layout(End(1), 1, Start(2), End(1), Outside)),
        ("crc-8/maxim-dow", BIG, layout(Start(7), 1, Start(0), Start(7), Outside)),
        ("crc-12/umts", BIG, layout(End(2), 2, Start(0), End(2), Outside)),
        ("crc-24/openpgp", BIG, layout(End(3), 3, Start(0), End(3), Outside)),
        ("crc-64/xz", LITTLE, layout(End(8), 8, Start(0), End(8), Outside)),
        ("crc-64/nvme", LITTLE, layout(Start(0), 8, Start(0), End(0), Zero)),
        ("crc-82/darc", BIG, layout(End(11), 11, Start(3), End(11), Outside)),
        ("internet", BIG, layout(Start(10), 2, Start(0), Start(20), Zero)),
        ("internet", BIG, layout(Start(2), 2, Start(0), End(0), Zero)),
        ("fletcher-16", BIG, layout(End(2), 2, Start(4), End(2), Outside)),
        ("iso-8473", BIG, layout(End(2), 2, Start(0), End(2), Outside)),
        ("adler-32", BIG, layout(End(4), 4, Start(2), End(4), Outside)),
        ("sum-8", BIG, layout(End(1), 1, Start(3), End(1), Outside)),
        ("xor-8", BIG, layout(End(2), 1, Start(1), End(2), Outside)),
    ]
    .into_iter()
    .enumerate()
    {
        let code: Code = name.parse().unwrap();
        let bits = 8 * layout.bytes as u32;
        let value = |message: &[u8]| form.field(code.value(message), bits, code.width());
        let located = locate(&frames(&LENGTHS, i as u64, &layout, value), false).unwrap();
        right(&located, &layout, value);
        let spot = &located.spots[0];
        assert!(matches!(&spot.hit.found, Found::Code(found) if found.name() == name), "{spot:?}");
        // Sums have several equivalent layouts.
        let crc = code.params().is_some();
        assert!(spot.layout == layout || !crc, "{name}: {layout}: {}", spot.layout);
        assert!(!located.one_length && located.messages == LENGTHS.len());
    }
}

#[test]
fn messages_of_one_length() {
    let code: Code = "crc-16/arc".parse().unwrap();
    let layout = layout(Start(20), 2, Start(4), Start(20), Outside);
    let value = |message: &[u8]| LITTLE.field(code.value(message), 16, 16);
    let frames = frames(&[24; 6], 3, &layout, value);
    let located = locate(&frames, false).unwrap();
    assert!(located.one_length && located.convincing());
    let spot = &located.spots[0];
    assert_eq!((spot.layout.value, spot.layout.start), (End(4), Start(4)));
    for message in &frames {
        let value = layout.sample(message).unwrap().value;
        assert_eq!(spot.expected(message), Some(value));
    }
}

#[test]
fn headers_that_never_change() {
    // With an initial value of 0, leading zeros may be covered or not: the usual layout is shown,
    // the others are kept.
    let code: Code = "crc-16/xmodem".parse().unwrap();
    let layout = layout(End(2), 2, Start(2), End(2), Outside);
    let value = |message: &[u8]| code.value(message);
    let mut messages = frames(&LENGTHS, 5, &layout, value);
    for message in &mut messages {
        message[..2].fill(0);
        plant(message, &layout, value);
    }
    let located = locate(&messages, false).unwrap();
    let spot = &located.spots[0];
    assert_eq!(spot.layout.start, Start(0));
    assert!(spot.also.contains(&layout), "{spot:?}");
}

#[test]
#[ignore = "long"]
fn other_sums_hashes_and_unknown_crcs() {
    let lengths = [33, 33, 33, 33, 40, 47, 52, 64, 40, 38];
    let koopman = Model {
        kind: Kind::Remainder { zeros: 2, parity: false },
        unit: 1,
        little: false,
        modulus: 65_519,
        start: 0,
        end_around: false,
    };
    let dual = Model {
        kind: Kind::Weighted { first_high: false, late: false, second: 0 },
        modulus: 253,
        ..koopman
    };
    for model in [koopman, dual] {
        let layout = layout(End(2), 2, Start(1), End(2), Outside);
        let value = |message: &[u8]| model.value(message, 16);
        let located = locate(&frames(&lengths, 9, &layout, value), false).unwrap();
        right(&located, &layout, value);
    }
    let hash = Hash::ALL.iter().find(|hash| hash.name == "FNV-1a").unwrap();
    let at = layout(Start(4), 4, Start(8), End(0), Outside);
    let located = locate(&frames(&lengths, 10, &at, |m| hash.value(m)), false).unwrap();
    right(&located, &at, |m| hash.value(m));
    for (width, poly, init, reflections, at) in [
        (16, 0x1f2b, 0xbeef, (false, false), layout(End(2), 2, Start(2), End(2), Outside)),
        (16, 0x3d65 ^ 2, 0xffff, (true, true), layout(Start(2), 2, Start(0), End(0), Zero)),
        (32, 0x1234_5679, 0, (true, true), layout(End(4), 4, Start(4), End(4), Outside)),
    ] {
        let crc = Params::new("custom", width, poly, init, reflections, 0).unwrap();
        let value = |message: &[u8]| crc.reference(message);
        let located = locate(&frames(&lengths, 11, &at, value), false).unwrap();
        right(&located, &at, value);
        let found = &located.spots[0].hit.found;
        assert!(matches!(found, Found::Code(code) if code.params().unwrap().poly == poly));
    }
}

#[test]
#[ignore = "long"]
fn nothing_in_random_messages() {
    for (seed, lengths) in [(1, &LENGTHS[..]), (2, &[24; 8]), (3, &[12, 13, 14, 15, 16, 17])] {
        let mut random = Random(0xdead_beef ^ seed << 32);
        let messages: Vec<Vec<u8>> = lengths.iter().map(|&length| random.bytes(length)).collect();
        let located = locate(&messages, false).unwrap();
        assert!(!located.convincing(), "{:?}", located.spots[0]);
    }
}

#[test]
fn messages_that_cannot_be_searched() {
    let few = |messages: &[&[u8]]| {
        let messages: Vec<Vec<u8>> = messages.iter().map(|message| message.to_vec()).collect();
        locate(&messages, false).map(|located| located.spots.len())
    };
    assert_eq!(few(&[]), Err(Error::Samples(Unusable::Few(0))));
    assert_eq!(few(&[b"one", b"one"]), Err(Error::Samples(Unusable::Few(1))));
    // Short and empty messages hold nothing.
    assert_eq!(few(&[b"", b"a"]), Ok(0));
    assert_eq!(few(&[b"ax", b"qd", b"e7"]), Ok(0));
    let long = vec![vec![0; 1 << 23], vec![1; 1 << 23], vec![2]];
    assert!(matches!(locate(&long, false), Err(Error::Samples(Unusable::TooLong(_)))));
}
