//! Tests of lists as a whole.

use super::line::SFV;
use super::*;
use crate::codes::DEFAULT;
use std::iter;

/// A list: its entries, the numbers of invalid lines, and what was found about the whole.
struct Whole {
    entries: Vec<Entry>,
    malformed: Vec<usize>,
    doubt: Option<(usize, Doubt)>,
    assumed: bool,
}

fn parse(text: &[u8], reading: Reading<'_>) -> Whole {
    let mut malformed = Vec::new();
    let note = |number| {
        malformed.push(number);
        Ok(())
    };
    let list = look(text, reading, note).unwrap();
    assert_eq!(list.malformed, malformed.len());
    let (count, doubt, assumed) = (list.entries, list.doubt, list.is_assumed());
    let mut lines = Entries::new(text, reading, list);
    let entries: Vec<Entry> = iter::from_fn(|| lines.next().unwrap()).collect();
    assert_eq!(entries.len(), count);
    Whole { entries, malformed, doubt, assumed }
}

fn read(text: &str, code: Option<&str>) -> Whole {
    let code = code.map(|name| Chosen::parse(name).unwrap());
    parse(text.as_bytes(), Reading { code: code.as_ref(), encoding: None, zero: false })
}

fn names(list: &Whole) -> Vec<&str> {
    list.entries.iter().map(|entry| std::str::from_utf8(&entry.name).unwrap()).collect()
}

#[test]
fn lines_of_many_makers() {
    let text = "# comment\n\ne3069283  a\ne3069283 *b\nE3069283\tc\r\ne3069283  d d\n4waSgw==  e\n\
                \\e3069283  f\\\\\\n\nCRC-32/ISCSI (g) = h) = e3069283\nCRC32C (i) = 4waSgw==\n";
    let list = read(text, Some("crc32c"));
    assert_eq!(list.malformed, [0; 0]);
    assert_eq!(names(&list), ["a", "b", "c", "d d", "e", "f\\\n", "g) = h", "i"]);
    assert!(
        list.entries
            .iter()
            .all(|entry| entry.expected == 0xe306_9283 && entry.code.label == DEFAULT)
    );
}

#[test]
fn lines_that_are_none() {
    let text = "e3069283\ne306928  a\ng3069283  a\n\\e3069283  a\\t\nSHA256 (a) = e3069283\n\
                CRC-32C (a) = e30692\nCRC-32C () = e3069283\ne3069283  a\0b\n\u{fffd}  \n=\n \n";
    let list = read(text, Some("crc32c"));
    assert_eq!(list.entries.len(), 0, "{:?}", list.entries);
    assert_eq!(list.malformed.len(), 11);
}

#[test]
fn decimal_or_hexadecimal() {
    let first = |text: &str| read(text, Some("crc32c")).entries.remove(0).expected;
    assert_eq!(first("12345678  a\n"), 0x1234_5678);
    assert_eq!(first("12345678  a\n87654321  b\n"), 0x1234_5678);
    assert_eq!(first("12345678  a\ne3069283  b\n"), 0x1234_5678);
    assert_eq!(first("12345678  a\n3808858755  b\n"), 12_345_678);
    assert_eq!(first("3808858755  b\n"), 3_808_858_755);
    // One decimal line does not change a list with lines that cannot be decimal.
    assert_eq!(first("12345678  a\ne3069283  b\n5  c\n"), 0x1234_5678);
    // cksum prints decimal numbers only, which does not make those of other codes decimal.
    let mixed = "CRC-32C (a) = 12345678\nCKSUM (a) = 5\nCKSUM (b) = 12345678\n";
    let values: Vec<u128> = read(mixed, None).entries.iter().map(|entry| entry.expected).collect();
    assert_eq!(values, [0x1234_5678, 5, 12_345_678]);
}

#[test]
fn decimal_or_base64() {
    let first = |text: &str| read(text, Some("crc-24/ble")).entries.remove(0).expected;
    assert_eq!(first("1234  a\n"), 0x00d7_6df8);
    assert_eq!(first("1234  a\nAAAA  b\n"), 0x00d7_6df8);
    assert_eq!(first("1234  a\n12345  b\n"), 1234);
    assert_eq!(first("123456  a\n12345  b\n"), 123_456);
    assert_eq!(first("123456  a\n"), 0x12_3456);
}

#[test]
fn lists_of_cksum() {
    let list = read("930766865 9 a b\n930766865  c\nCKSUM (d) = 12345678\n", Some("cksum"));
    assert_eq!(names(&list), ["a b", "c", "d"]);
    assert_eq!(list.entries[0].bytes, Some(9));
    assert_eq!(list.entries[2].expected, 12_345_678);
}

#[test]
fn a_code_is_missing() {
    for (line, doubt) in [
        ("bb3d  a\n", Some(Doubt::Code)),
        ("995dc9bbdf1939fa  a\n", Some(Doubt::Code)),
        ("12345  a\n", Some(Doubt::Code)),
        ("1234  deadbeef\n", Some(Doubt::Code)),
        ("930766865 9 a\n", Some(Doubt::Cksum)),
        ("12 9 a\n", Some(Doubt::Cksum)),
        ("cafebabe A3B1C2D4\n", Some(Doubt::Order)),
        ("hello world\n", None),
    ] {
        let list = read(line, None);
        assert_eq!(list.doubt, doubt.map(|doubt| (1, doubt)), "{line}");
        assert!(list.entries.is_empty() && !list.assumed, "{line}");
    }
}

#[test]
fn untagged_values_as_wide_as_the_default_are_its() {
    for line in [
        "e3069283  a",
        "E3069283 *a",
        "e3069283 a",
        "e3069283\ta",
        "4waSgw==  a",
        "3808858755  a",
        "0xe3069283  a",
        "0XE3069283 a",
    ] {
        let list = read(line, None);
        assert_eq!((list.entries.len(), list.entries[0].expected), (1, 0xe306_9283), "{line}");
        assert_eq!(list.entries[0].code.label, DEFAULT);
        assert!(list.assumed);
    }
    assert_eq!(read("0x5  a", Some("crc32c")).entries[0].expected, 5);
    assert_eq!(read("0xBB3D  a", Some("crc-16/arc")).entries[0].expected, 0xbb3d);
    for wrong in ["0x  a", "0x123456789  a", "0xg  a"] {
        assert!(read(wrong, Some("crc32c")).entries.is_empty(), "{wrong}");
    }
}

#[test]
fn lists_of_sfv_files() {
    let text = "; Generated by somebody\r\n;\r\na.bin CBF43926\r\nb c.bin   cbf43926\r\n\
                track1 cbf43926\n\\x.y cbf43926\n";
    let list = read(text, None);
    assert_eq!(
        (names(&list), list.malformed.len()),
        (vec!["a.bin", "b c.bin", "track1", "\\x.y"], 0)
    );
    for entry in &list.entries {
        assert_eq!((entry.expected, &*entry.code.label), (0xcbf4_3926, SFV));
    }
    let list = read("a.bin e3069283\n", Some("crc32c"));
    assert_eq!((names(&list), list.entries[0].code.label.as_str()), (vec!["a.bin"], DEFAULT));
    assert!(read("a.bin e3069283\n", Some("crc-16")).entries.is_empty());
}

#[test]
fn noise_is_no_list() {
    let mut random = residue_testing::Random(1);
    let mut byte = || b" \\\n\r()=*0f1cC-/\0\xff"[random.below(17)];
    let noise: Vec<u8> = (0..100_000).map(|_| byte()).collect();
    for zero in [false, true] {
        for code in [None, Some("cksum"), Some("crc-8")] {
            let code = code.map(|name| Chosen::parse(name).unwrap());
            parse(&noise, Reading { code: code.as_ref(), encoding: None, zero });
        }
    }
}
