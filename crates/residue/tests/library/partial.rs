//! Partial results: every operation compared with recomputation, for every code and for CRCs of all
//! widths.

use crate::common;
use residue::partial::{self, Partial};
use residue::{Code, Error};
use residue_testing::noise;

/// Returns every named code, and CRCs of every width with all four reflections in turn; an emulator
/// takes some of them.
fn codes() -> Vec<Code> {
    let own = (1..=128).map(|width: u32| {
        let poly = (0x5bd1_e995_ad93_d235_94c9_3659_1b87_3593 & (u128::MAX >> (128 - width))) | 1;
        let ones = u128::MAX >> (128 - width);
        let (init, xorout) = (ones / 3, if width.is_multiple_of(3) { ones } else { ones / 5 });
        let (refin, refout) = (width & 1 == 0, width & 2 == 0);
        let text = format!(
            "width={width},poly={poly:x},init={init:x},\
             refin={refin},refout={refout},xorout={xorout:x}"
        );
        common::code(&text)
    });
    common::thinned(Code::all().chain(own), 7).collect()
}

/// Returns noise, zeros and ones, of lengths within words, at their ends and beyond.
fn pieces() -> Vec<Vec<u8>> {
    let mut pieces = Vec::new();
    for length in [0, 1, 2, 3, 4, 7, 8, 33] {
        pieces.push(noise(length + 5)[5..].to_vec());
        pieces.push(vec![0; length]);
    }
    // Sums that are multiples of 255 and 65535, at even and odd lengths.
    pieces.extend([
        vec![0xff; 4],
        vec![0xff; 9],
        vec![1, 0xfe, 0xfe, 1],
        vec![0x80, 0, 0x7f, 0xff],
    ]);
    pieces
}

fn partial<'a>(code: &'a Code, data: &[u8]) -> Partial<'a> {
    // By the definition, without any kernel or stream.
    Partial::new(code, code.reference(data), data.len() as u64).expect("a value of this length")
}

fn zero(data: &[u8]) -> bool {
    data.iter().all(|&byte| byte == 0)
}

/// Returns the partial that stands for zeros where values do not distinguish them from other
/// multiples of the modulus.
fn other_zeros<'a>(code: &'a Code, length: u64) -> Option<Partial<'a>> {
    let value = match code.name() {
        _ if length == 0 => return None,
        "internet" => 0,
        "rfc1146-8" | "rfc1146-16" => (1 << code.width()) - 1,
        _ => return None,
    };
    Some(Partial::new(code, value, length).expect("a multiple of the modulus"))
}

/// Returns the partial expected for `left` after `gone` was removed, if only values are known.
fn left<'a>(code: &'a Code, left: &[u8], gone: &[u8]) -> Partial<'a> {
    match other_zeros(code, left.len() as u64) {
        Some(other) if zero(left) && !zero(gone) && !left.is_empty() => other,
        _ => partial(code, left),
    }
}

/// Checks that `error` is allowed at `cut`: only codes of longer words may report it.
fn odd(error: Error, cut: usize, code: &Code) {
    assert_eq!(error, Error::OddSplit { bytes: cut as u64 }, "{code}");
    assert!(
        !cut.is_multiple_of(4) && code.params().is_none() && code.width() > 8,
        "{code} at {cut}"
    );
}

#[test]
fn putting_together_and_taking_apart() {
    let pieces = pieces();
    for code in &codes() {
        for a in &pieces {
            let first = partial(code, a);
            assert_eq!(code.partial(a), first, "{code}");
            for b in &pieces {
                let second = partial(code, b);
                let joined = [&a[..], b].concat();
                let whole = partial(code, &joined);
                for (found, expected) in [
                    (first.concat(&second), whole),
                    (whole.remove_prefix(&first), left(code, b, a)),
                    (whole.remove_suffix(&second), left(code, a, b)),
                ] {
                    match found {
                        Ok(found) => assert_eq!(found, expected, "{code}: {a:?} {b:?}"),
                        Err(error) => odd(error, a.len(), code),
                    }
                }
            }
        }
    }
}

#[test]
fn replacing() {
    let pieces = pieces();
    for code in &codes() {
        for old in &pieces {
            for new in pieces.iter().filter(|new| new.len() == old.len()) {
                for (before, after) in [(0, 0), (0, 3), (4, 0), (1, 2), (2, 1), (8, 33), (7, 64)] {
                    // Between noise, and between zeros.
                    for around in [noise(before + after), vec![0; before + after]] {
                        let data =
                            |middle: &[u8]| [&around[..before], middle, &around[before..]].concat();
                        let (from, to) = (data(old), data(new));
                        let replaced = partial(code, &from).replace(
                            before as u64,
                            &partial(code, old),
                            &partial(code, new),
                        );
                        let expected = match other_zeros(code, to.len() as u64) {
                            Some(other) if zero(&to) && !zero(&from) && before + after > 0 => other,
                            _ => partial(code, &to),
                        };
                        match replaced {
                            Ok(found) => assert_eq!(found, expected, "{code}: {from:?} {to:?}"),
                            Err(error) => odd(error, before, code),
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn zeros_of_any_number() {
    for code in &codes() {
        for data in [&[][..], b"1", b"12345678", &noise(101)] {
            let start = partial(code, data);
            for count in (0..=17).chain([64, 1000]) {
                let expected = partial(code, &[data, &vec![0; count]].concat());
                assert_eq!(start.extend_by_zeroes(count as u64), Ok(expected), "{code}");
            }
        }
        // 2^k zeros by doubling, which needs only concatenation.
        let eight = partial(code, b"12345678");
        let mut zeros = partial(code, &[0; 4]);
        let mut mixed = eight;
        for k in 2..40 {
            assert_eq!(zeros.bytes(), 1 << k);
            if k % 3 != 0 {
                mixed = mixed.concat(&zeros).expect("whole words");
            }
            zeros = zeros.concat(&zeros).expect("whole words");
        }
        assert_eq!(Partial::empty(code).extend_by_zeroes(1 << 40), Ok(zeros), "{code}");
        assert_eq!(eight.extend_by_zeroes(mixed.bytes() - 8), Ok(mixed), "{code}");
        let long = eight.concat(&zeros).expect("whole words");
        assert_eq!(eight.extend_by_zeroes(1 << 40), Ok(long), "{code}");
        assert_eq!(long.remove_suffix(&zeros), Ok(eight), "{code}");
        assert_eq!(long.replace(0, &eight, &eight), Ok(long), "{code}");
        // In the middle of terabytes.
        let (old, new) = (partial(code, &[0; 9]), partial(code, b"123456789"));
        let changed = long.replace(1 << 39, &old, &new).expect("at a whole word");
        let end = Partial::empty(code).extend_by_zeroes((1 << 39) + 8 - 12).expect("short enough");
        let middle = partial(code, b"123456789\0\0\0");
        let start = eight.extend_by_zeroes((1 << 39) - 8).expect("short enough");
        let expected = start.concat(&middle).and_then(|start| start.concat(&end));
        assert_eq!(Ok(changed), expected, "{code}");
    }
}

/// Partials equal those of streams, from which they may be taken.
#[test]
fn streams_give_partials() {
    for code in &codes() {
        let mut stream = common::stream(code, b"12345");
        assert_eq!(stream.partial(), partial(code, b"12345"), "{code}");
        stream.update(b"6789");
        assert_eq!(stream.partial(), partial(code, b"123456789"), "{code}");
    }
}

#[test]
fn the_text_is_read_again() {
    for code in &codes() {
        for data in pieces() {
            let written = partial(code, &data);
            let text = written.to_string();
            let (of, value, bytes) = partial::parse(&text).expect("what was written");
            assert_eq!(Partial::new(&of, value, bytes), Ok(written), "{text}");
            assert_eq!(Partial::parse(code, &format!(" {text}\n")), Ok(written));
            // The text is one line and one word.
            assert!(!text.contains(char::is_whitespace), "{text}");
        }
    }
    let code = common::code("crc-24/ble");
    assert_eq!(code.partial(b"123456789").to_string(), "crc-24/ble:c25a56:9");
    let own = Code::Crc(residue::crc::Crc::new(&residue::crc::Params {
        xorout: 1,
        ..residue::crc::catalog::CRC_16_ARC
    }));
    // The name of a CRC does not matter.
    let text = "width=16,poly=8005,init=0,refin=true,refout=true,xorout=1:bb3c:9";
    assert_eq!(own.partial(b"123456789").to_string(), text);
    assert_eq!(Partial::parse(&own, text), Ok(own.partial(b"123456789")));
    let largest = format!("crc-32:00000000:{}", u64::MAX);
    assert_eq!(partial::parse(&largest).map(|(_, _, bytes)| bytes), Ok(u64::MAX));
}

#[test]
fn bad_text_is_refused() {
    for text in [
        "",
        ":",
        "::",
        "crc-32",
        "crc-32:cbf43926",
        "crc-32::9",
        "crc-32:cbf43926:",
        "crc-32:cbf43926:-9",
        "crc-32:+cbf43926:9",
        "crc-32:0xcbf43926:9",
        "crc-32:cbf43926:18446744073709551616",
        "crc-32:cbf43926:9 9",
        "crc-32:111111111111111111111111111111111:9",
        "crc-32:cbf43926:٩",
    ] {
        assert_eq!(partial::parse(text).err(), Some(Error::BadPartial), "{text}");
    }
    assert!(matches!(partial::parse("crc-33:0:1"), Err(Error::UnknownCode(_))));
    assert_eq!(partial::parse("width=8:0:1").err(), Some(Error::MissingParameter("poly")));
    let code = common::code("crc-32");
    assert_eq!(Partial::parse(&code, "crc-32c:0:1"), Err(Error::DifferentCodes));
    let impossible = Err(Error::ImpossibleValue { bytes: 1 });
    assert_eq!(Partial::parse(&code, "crc-32:1cbf43926:1"), impossible);
}

#[test]
fn values_that_cannot_be_are_refused() {
    for (name, value, bytes) in [
        ("crc-32", 1 << 32, 9),
        ("crc-32", 1, 0),
        ("crc-7/mmc", 0x80, 1),
        ("crc-82/darc", 1 << 82, 1),
        ("internet", 0x10000, 2),
        ("internet", 0, 0),
        ("xns", 0xffff, 2),
        ("fletcher-16", 0x00ff, 2),
        ("fletcher-16", 0xff00, 2),
        ("fletcher-32", 0xffff, 2),
        ("fletcher-32/be", 0xffff_0000, 2),
        ("rfc1146-8", 0x0001, 2),
        ("rfc1146-16", 0x0001_0000, 2),
        ("rfc1146-8", 0xffff, 0),
        ("adler-32", 65521, 1),
        ("adler-32", 65521 << 16 | 1, 1),
        ("adler-32", 0, 0),
        ("iso-8473", 0x00ff, 3),
        ("iso-8473", 0x1234, 0),
        ("four-octets", 0xffff, 4),
        ("four-octets", 0xffff_0000, 4),
        ("xor-8", 0x100, 1),
        ("sum-16", 1, 0),
        ("sum-32", u128::MAX, 1),
        ("fletcher-16", 0x00ff, 3),
        ("fletcher-32", 0xffff_0000, 4),
        ("adler-32", 0x0000_fff1, 5),
        ("xor-8", 1, 0),
        ("sum-16", 0x1_0000, 2),
        ("crc-16/arc", 0x1_0000, 2),
        ("dual-16", 253, 8),
        ("dual-16", 253 << 8, 8),
        ("dual-16", 1, 0),
        ("dual-32", 65525, 8),
        ("dual-32", 65525 << 16, 8),
        ("dual-32", 1, 0),
    ] {
        let (code, error) = (common::code(name), Error::ImpossibleValue { bytes });
        assert_eq!(Partial::new(&code, value, bytes), Err(error), "{name} {value:x}");
        assert_eq!(code.resume(value, bytes).map(drop), Err(error), "{name} {value:x}");
    }
}

#[test]
fn what_cannot_be_done_is_refused() {
    let [code, other] = ["crc-32", "crc-32c"].map(common::code);
    let [one, four, nine] = [&b"1"[..], b"1234", b"123456789"].map(|data| code.partial(data));
    let alien = other.partial(b"1");
    let different = Err(Error::DifferentCodes);
    assert_eq!(nine.concat(&alien), different);
    assert_eq!(nine.remove_prefix(&alien), different);
    assert_eq!(nine.remove_suffix(&alien), different);
    assert_eq!(nine.replace(0, &alien, &one), different);
    assert_eq!(nine.replace(0, &one, &alien), different);
    let longer = Err(Error::PartTooLong { part: 9, whole: 4 });
    assert_eq!(four.remove_prefix(&nine), longer);
    assert_eq!(four.remove_suffix(&nine), longer);
    assert_eq!(nine.replace(0, &one, &four), Err(Error::LengthsDiffer { old: 1, new: 4 }));
    for offset in [6, 9, u64::MAX] {
        let outside = Err(Error::RangeOutside { offset, length: 4, bytes: 9 });
        assert_eq!(nine.replace(offset, &four, &four), outside);
    }
    let most = four.extend_by_zeroes(u64::MAX - 4).expect("2^64 - 1 bytes");
    assert_eq!(most.extend_by_zeroes(1), Err(Error::TooLong));
    assert_eq!(most.concat(&one), Err(Error::TooLong));
    // All the data is removed, and it was different data.
    let same_length = code.partial(b"1235");
    assert_eq!(four.remove_prefix(&same_length), Err(Error::Contradiction));
    assert_eq!(four.remove_suffix(&same_length), Err(Error::Contradiction));
    assert_eq!(four.replace(0, &same_length, &four), Err(Error::Contradiction));
    // Zeros have no part that is not zero.
    for name in ["internet", "rfc1146-8", "rfc1146-16"] {
        let code = common::code(name);
        let (zeros, part) = (code.partial(&[0; 8]), code.partial(&[0xff; 4]));
        assert_eq!(zeros.remove_prefix(&part), Err(Error::Contradiction));
        assert_eq!(zeros.remove_suffix(&part), Err(Error::Contradiction));
        assert_eq!(zeros.replace(2, &part, &part), Err(Error::Contradiction));
    }
}

#[test]
fn equal_codes_are_equal_under_any_name() {
    let named = common::code("crc-32/iscsi");
    let own = "width=32,poly=1edc6f41,init=ffffffff,refin=true,refout=true,xorout=ffffffff";
    let own = common::code(own);
    let whole = named.partial(b"12345").concat(&own.partial(b"6789"));
    assert_eq!(whole, Ok(own.partial(b"123456789")));
    let codes: Vec<Code> = Code::all().collect();
    for (i, a) in codes.iter().enumerate() {
        // The catalogue has no code twice.
        assert!(codes.iter().enumerate().all(|(j, b)| (a == b) == (i == j)), "{a}");
    }
}

#[test]
fn streams_take_zeros_that_are_only_counted() {
    for code in codes() {
        for length in [0, 1, 3, 4, 63, 64, 65] {
            for before in [noise(length), vec![0; length], vec![0xff; length]] {
                for count in [0_u64, 1, 2, 63, 64, 65, 200, 5000] {
                    let mut stream = code.stream();
                    stream.update(&before);
                    stream.extend_by_zeroes(count).expect("few bytes");
                    let mut data = before.clone();
                    data.resize(length + count as usize, 0);
                    assert_eq!(stream.bytes(), data.len() as u64);
                    assert_eq!(stream.value(), code.value(&data), "{code}: {length}, {count}");
                    data.extend(noise(5));
                    stream.update(&noise(5));
                    assert_eq!(stream.value(), code.value(&data), "{code}: {length}, {count}");
                }
            }
        }
        let mut long = code.stream();
        long.update(b"1");
        long.extend_by_zeroes(u64::MAX - 2).expect("less than 2^64 bytes");
        let before = long.clone();
        assert_eq!(long.extend_by_zeroes(2), Err(Error::TooLong));
        assert_eq!(long, before);
    }
}
