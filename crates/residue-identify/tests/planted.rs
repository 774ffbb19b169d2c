//! Tests the tests: verifies that the vectors detect the mistakes that people make.
//!
//! `vectors/` is worth as much as what it excludes. Here every known wrong implementation is held
//! against the vectors of its code, and each must disagree with one of them. As a control, the
//! definitions, written as plain loops, agree with every line. No definition or mistake uses the
//! library, so neither side can borrow the other's error.

use residue_identify::conform::mistakes;
use std::{collections::HashMap, fs, path::Path};

// ---- reading the vectors

fn lines(file: &str) -> Vec<Vec<String>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors");
    let path = folder.join(file);
    let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    text.lines()
        .filter(|line| !line.trim().is_empty() && !line.starts_with('#'))
        .map(|line| line.split(" | ").map(|field| field.trim().to_owned()).collect())
        .collect()
}

fn hex(digits: &str) -> u128 {
    u128::from_str_radix(digits, 16).unwrap_or_else(|e| panic!("{digits}: {e}"))
}

fn octets(digits: &str) -> Vec<u8> {
    let digit = |c: u8| char::from(c).to_digit(16).expect("a hexadecimal digit") as u8;
    let octet = |pair: &[u8]| digit(pair[0]) * 16 + digit(pair[1]);
    digits.as_bytes().chunks(2).map(octet).collect()
}

fn input(expression: &str) -> Vec<u8> {
    if expression == "empty" {
        return Vec::new();
    }
    let (form, rest) = expression.split_once(':').expect("form:bytes");
    if form == "text" {
        return rest.as_bytes().to_vec();
    }
    if form == "hex" {
        return octets(rest);
    }
    let (rest, start) = rest.split_once('@').unwrap_or((rest, "0"));
    let (value, length) = rest.split_once('*').expect("value*length");
    let (start, length): (usize, usize) = (start.parse().unwrap(), length.parse().unwrap());
    let base = if form == "ramp" || form == "mul" { 10 } else { 16 };
    let value = usize::from_str_radix(value, base).unwrap();
    let byte = |i: usize| match form {
        "rep" => value,
        "ramp" => i % value,
        "mul" => i * value,
        "inc" => value + i,
        "dec" => value.wrapping_sub(i),
        _ => panic!("{expression}: unknown form"),
    };
    (start..start + length).map(|i| byte(i) as u8).collect()
}

struct Vector {
    code: String,
    input: String,
    data: Vec<u8>,
    value: u128,
}

fn vectors() -> Vec<Vector> {
    let families = ["internet", "xns", "fletcher", "adler", "crc"];
    let read = families.map(|family| lines(&format!("values/{family}.txt")));
    read.into_iter()
        .flatten()
        .map(|f| {
            assert_eq!(f.len(), 4, "{f:?}");
            Vector {
                code: f[0].clone(),
                data: input(&f[1]),
                input: f[1].clone(),
                value: hex(&f[2]),
            }
        })
        .collect()
}

// ---- the definitions, as plain loops

fn words(data: &[u8]) -> Vec<u64> {
    let low = |pair: &[u8]| pair.get(1).map_or(0, |&b| u64::from(b));
    let word = |pair: &[u8]| u64::from(pair[0]) * 256 + low(pair);
    data.chunks(2).map(word).collect()
}

fn words_le(data: &[u8]) -> Vec<u64> {
    words(data).iter().map(|&w| rotate(w, 8)).collect()
}

fn bytes(data: &[u8]) -> Vec<u64> {
    data.iter().map(|&b| b.into()).collect()
}

/// Returns one's-complement addition; `ones` is the word of all ones.
fn carry(a: u64, b: u64, ones: u64) -> u64 {
    if a + b > ones { a + b - ones } else { a + b }
}

fn internet(data: &[u8]) -> u64 {
    let sum = words(data).iter().fold(0, |s, &w| carry(s, w, 0xFFFF));
    0xFFFF - sum
}

fn rotate(word: u64, by: u32) -> u64 {
    (word as u16).rotate_left(by).into()
}

fn xns(data: &[u8]) -> u64 {
    let step = |sum, &w: &u64| rotate(carry(sum, w, 0xFFFF), 1);
    words(data).iter().fold(0, step) % 0xFFFF
}

/// Returns both sums modulo `modulus`, the first starting at `start`.
fn sums(units: &[u64], modulus: u64, start: u64) -> (u64, u64) {
    let (mut a, mut b) = (start, 0);
    for &unit in units {
        a = (a + unit) % modulus;
        b = (b + a) % modulus;
    }
    (a, b)
}

fn second_first((a, b): (u64, u64), bits: u32) -> u64 {
    (b << bits) + a
}

fn rfc1146(units: &[u64], bits: u32) -> u64 {
    let ones = (1 << bits) - 1;
    let (mut a, mut b) = (0, 0);
    for &unit in units {
        a = carry(a, unit, ones);
        b = carry(b, a, ones);
    }
    (a << bits) + b
}

#[derive(Clone, Copy)]
struct Model {
    width: u32,
    poly: u128,
    init: u128,
    refin: bool,
    refout: bool,
    xorout: u128,
    residue: u128,
}

impl Model {
    fn bit(&self, register: u128, bit: bool) -> u128 {
        let top = register >> (self.width - 1) == 1;
        let shifted = (register << 1) & (u128::MAX >> (128 - self.width));
        shifted ^ (self.poly * u128::from(top != bit))
    }

    fn byte(&self, register: u128, byte: u8) -> u128 {
        (0..8).fold(register, |r, i| {
            let place = if self.refin { i } else { 7 - i };
            self.bit(r, byte >> place & 1 == 1)
        })
    }

    fn reflect(&self, register: u128) -> u128 {
        if self.refout { register.reverse_bits() >> (128 - self.width) } else { register }
    }

    fn value(&self, data: &[u8]) -> u128 {
        self.reflect(data.iter().fold(self.init, |r, &b| self.byte(r, b))) ^ self.xorout
    }

    /// Returns the register after `length` zero bytes, in about log2(length) steps.
    fn shift(&self, register: u128, length: u64) -> u128 {
        let multiply = |a: u128, b: u128| {
            (0..self.width).rev().fold(0, |product, i| {
                self.bit(product, false) ^ if b >> i & 1 == 1 { a } else { 0 }
            })
        };
        let (mut result, mut power) = (register, (0..8).fold(1, |r, _| self.bit(r, false)));
        for i in 0..64 {
            if length >> i & 1 == 1 {
                result = multiply(result, power);
            }
            power = multiply(power, power);
        }
        result
    }

    fn combine(&self, first: u128, second: u128, length: u64) -> u128 {
        let register = self.reflect(first ^ self.xorout) ^ self.init;
        self.reflect(self.shift(register, length)) ^ second
    }
}

fn models() -> HashMap<String, Model> {
    let models = lines("crc_models.txt").into_iter().map(|f| {
        assert_eq!(f.len(), 8, "{f:?}");
        let model = Model {
            width: f[1].parse().unwrap(),
            poly: hex(&f[2]),
            init: hex(&f[3]),
            refin: f[4] == "true",
            refout: f[5] == "true",
            xorout: hex(&f[6]),
            residue: hex(&f[7]),
        };
        (f[0].clone(), model)
    });
    models.collect()
}

fn right(code: &str, data: &[u8], models: &HashMap<String, Model>) -> u128 {
    let value = match code {
        "internet" => internet(data),
        "xns" => xns(data),
        "fletcher-16" => second_first(sums(&bytes(data), 255, 0), 8),
        "fletcher-16/mod256" => second_first(sums(&bytes(data), 256, 0), 8),
        "fletcher-32" => second_first(sums(&words_le(data), 65535, 0), 16),
        "fletcher-32/be" => second_first(sums(&words(data), 65535, 0), 16),
        "rfc1146-8" => rfc1146(&bytes(data), 8),
        "rfc1146-16" => rfc1146(&words(data), 16),
        "adler-32" => second_first(sums(&bytes(data), 65521, 1), 16),
        crc => return models[crc].value(data),
    };
    value.into()
}

#[test]
fn the_definitions_agree_with_every_vector() {
    let models = models();
    let vectors = vectors();
    assert!(vectors.len() > 350, "only {} vectors", vectors.len());
    for v in &vectors {
        let got = right(&v.code, &v.data, &models);
        assert_eq!(got, v.value, "{} of {}", v.code, v.input);
    }
    for name in models.keys() {
        assert!(vectors.iter().any(|v| v.code == *name), "{name}: no vector");
    }
}

#[test]
fn every_mistake_is_caught_by_a_vector() {
    let vectors = vectors();
    for mistake in mistakes::MISTAKES {
        let name = format!("{} {}", mistake.code, mistake.name);
        let caught = vectors
            .iter()
            .filter(|v| v.code == mistake.code)
            .map(|v| (v, u128::from((mistake.wrong)(&v.data))))
            .find(|(v, got)| *got != v.value);
        let Some((v, got)) = caught else { panic!("{name} passes every vector. {}", mistake.why) };
        let input: String = v.input.chars().take(40).collect();
        println!("{name}: {input} gives {got:x}, not {:x}", v.value);
    }
}

#[test]
fn the_mistakes_have_names_of_their_own_and_differ() {
    let vectors = vectors();
    let answers = |m: &mistakes::Mistake| -> Vec<u64> {
        vectors.iter().filter(|v| v.code == m.code).map(|v| (m.wrong)(&v.data)).collect()
    };
    let all: Vec<_> = mistakes::MISTAKES.iter().map(|m| (m, answers(m))).collect();
    for (i, (a, values)) in all.iter().enumerate() {
        for (b, others) in &all[..i] {
            if a.code == b.code {
                assert_ne!(a.name, b.name, "{}", a.code);
                assert_ne!(values, others, "{}: {} and {}", a.code, a.name, b.name);
            }
        }
    }
}

// ---- residues

/// Returns the codeword's bits after its message: low bit first in a reflected code, high bit first
/// otherwise.
fn append(model: &Model, register: u128, value: u128) -> u128 {
    (0..model.width).fold(register, |r, i| {
        let place = if model.refout { i } else { model.width - 1 - i };
        model.bit(r, value >> place & 1 == 1)
    })
}

#[test]
fn a_correct_codeword_leaves_the_residue() {
    for (name, model) in models() {
        let message = b"123456789";
        let register = message.iter().fold(model.init, |r, &b| model.byte(r, b));
        let register = append(&model, register, model.value(message));
        assert_eq!(model.reflect(register), model.residue, "{name}");
    }
}

#[test]
fn a_crc_appended_in_the_wrong_byte_order_leaves_no_residue() {
    let model = models()["crc-32/iscsi"];
    let value = |order: [u8; 4]| model.value(&[b"123456789", &order[..]].concat());
    assert_eq!(value(0xE306_9283u32.to_le_bytes()), 0x4867_4BC7);
    assert_eq!(model.residue ^ model.xorout, 0x4867_4BC7);
    assert_eq!(value(0xE306_9283u32.to_be_bytes()), 0xBAF5_57BE);
}

// ---- check octets

type Octets = fn(&[u8], usize) -> Vec<u8>;
type Units = fn(&[u8]) -> Vec<u64>;

fn big_endian(words: [i64; 2]) -> Vec<u8> {
    words.iter().flat_map(|w| (w.rem_euclid(65535) as u16).to_be_bytes()).collect()
}

/// Returns the sums as signed numbers, and how many units follow the one at `unit`, itself
/// included.
fn signed(units: &[u64], modulus: u64, unit: usize) -> (i64, i64, i64) {
    let (a, b) = sums(units, modulus, 0);
    (a as i64, b as i64, (units.len() - unit) as i64)
}

fn iso8473(data: &[u8], offset: usize) -> Vec<u8> {
    let (a, b, m) = signed(&bytes(data), 255, offset);
    // from 1 to 255: a zero octet is written as 255
    let octet = |v: i64| (v - 1).rem_euclid(255) as u8 + 1;
    vec![octet((m - 1) * a - b), octet(b - m * a)]
}

fn four_octets_even(data: &[u8], offset: usize) -> Vec<u8> {
    let (a, b, w) = signed(&words(data), 65535, offset / 2);
    big_endian([(w - 1) * a - b, b - w * a])
}

fn straddle(a: i64, first: i64, last: i64) -> Vec<u8> {
    let middle = (-a - first - 256 * last).rem_euclid(65535) as u16;
    [&[first as u8], &middle.to_be_bytes()[..], &[last as u8]].concat()
}

fn four_octets(data: &[u8], offset: usize) -> Vec<u8> {
    if offset.is_multiple_of(2) {
        return four_octets_even(data, offset);
    }
    let (a, b, w) = signed(&words(data), 65535, offset / 2);
    let u = ((w - 1) * a - b - 255).rem_euclid(65535);
    straddle(a, u & 0xFF, 255 - (u >> 8))
}

/// Returns the first isisd: correct but for one pair of sums, (0, 254), where it steps past a wrap
/// in the wrong direction.
fn isisd(data: &[u8], offset: usize) -> Vec<u8> {
    let (a, b, m) = signed(&bytes(data), 255, offset);
    let (mut x, mut y) = ((m * a - b - a) as i32, (b - m * a - 1) as i32);
    y += i32::from(y > 0);
    x -= i32::from(x < 0);
    let (x, y) = (x % 255, y % 255);
    let choose = |v, zero| if v == 0 { zero } else { v as u8 };
    vec![choose(x, 255), choose(y, 1)]
}

#[rustfmt::skip]
const CHECK_OCTETS: &[(&str, &str, Octets)] = &[
    ("iso-8473", "the sums themselves are stored", |d, _| {
        let (a, b) = sums(&bytes(d), 255, 0);
        vec![b as u8, a as u8]
    }),
    ("iso-8473", "the sums themselves are stored, first sum first", |d, _| {
        let (a, b) = sums(&bytes(d), 255, 0);
        vec![a as u8, b as u8]
    }),
    ("iso-8473", "the first isisd", isisd),
    ("iso-8473", "the isisd formula ported to a remainder that is never negative", |d, o| {
        let (a, b, m) = signed(&bytes(d), 255, o);
        [m * a - b - a, b - m * a - 1].map(|v| v.rem_euclid(255) as u8).to_vec()
    }),
    ("iso-8473", "the offset is counted from 1", |d, o| iso8473(&[&[0], d].concat(), o)),
    ("iso-8473", "the octets are swapped", |d, o| iso8473(d, o).into_iter().rev().collect()),
    ("iso-8473", "a zero octet is stored as 00", |d, o| {
        iso8473(d, o).into_iter().map(|v| if v == 255 { 0 } else { v }).collect()
    }),
    ("iso-8473", "modulo 256", |d, o| {
        let (a, b, m) = signed(&bytes(d), 256, o);
        [(m - 1) * a - b, b - m * a].map(|v| v.rem_euclid(256) as u8).to_vec()
    }),
    ("four-octets", "the even formula at odd offsets", four_octets_even),
    ("four-octets", "Sklower's odd case as printed", |d, o| {
        if o % 2 == 0 {
            return four_octets_even(d, o);
        }
        let (a, b, _) = signed(&words(d), 65535, 0);
        let k = (o / 2 + 2) as i64; // the middle word, counted from 1
        let difference = (b - k * a).rem_euclid(65535);
        straddle(a, difference & 0xFF, 255 - (difference >> 8))
    }),
    ("four-octets", "Sklower's odd case with falling weights but without the 255", |d, o| {
        if o % 2 == 0 {
            return four_octets_even(d, o);
        }
        let (a, b, w) = signed(&words(d), 65535, o / 2);
        let difference = ((w - 1) * a - b).rem_euclid(65535);
        straddle(a, difference & 0xFF, 255 - (difference >> 8))
    }),
];

fn place(data: &[u8], offset: usize, octets: &[u8]) -> Vec<u8> {
    let mut data = data.to_vec();
    data[offset..offset + octets.len()].copy_from_slice(octets);
    data
}

#[test]
fn check_octets() {
    let lines: Vec<_> = lines("check_octets.txt")
        .into_iter()
        .map(|f| (f[0].clone(), input(&f[1]), f[2].parse::<usize>().unwrap(), octets(&f[3])))
        .collect();
    for (code, data, offset, want) in &lines {
        let (formula, units, modulus): (Octets, Units, u64) = match code.as_str() {
            "iso-8473" => (iso8473, bytes, 255),
            "four-octets" => (four_octets, words, 65535),
            _ => panic!("{code}: no such form"),
        };
        let got = formula(data, *offset);
        assert_eq!(got, *want, "{code} at {offset} of {data:02x?}");
        let whole = units(&place(data, *offset, want));
        assert_eq!(sums(&whole, modulus, 0), (0, 0));
    }
    for (code, mistake, wrong) in CHECK_OCTETS {
        let caught = lines.iter().find(|(c, d, o, want)| c == code && wrong(d, *o) != *want);
        let (_, data, offset, _) =
            caught.unwrap_or_else(|| panic!("{code}: nothing catches: {mistake}"));
        println!("{code}: {mistake}: caught at {offset} of {data:02x?}");
    }
}

#[test]
fn recomputing_and_comparing_refuses_octets_that_are_correct() {
    // 00 and FF are the same unit, so a sender may have chosen the one that we would not
    let data = place(&octets("017e0000"), 2, &[0x00, 0x80]);
    assert_eq!(sums(&bytes(&data), 255, 0), (0, 0));
    assert_ne!(data[2..], iso8473(&octets("017e0000"), 2));
}

// ---- combining

type Combine = fn(u64, u64, u64) -> u64;
type CrcCombine = fn(&Model, u128, u128, u64) -> u128;

/// Returns the sums of joined strings: `n` units in the second, the first sum starting at `start`.
fn join(first: u64, second: u64, n: u64, bits: u32, modulus: u64, start: u64) -> u64 {
    let ones = (1 << bits) - 1;
    let a = (first & ones) + modulus - start;
    let b = (first >> bits) + (second >> bits) + n % modulus * a;
    ((b % modulus) << bits) + (a + (second & ones)) % modulus
}

fn combined(code: &str, f: u128, s: u128, n: u64, models: &HashMap<String, Model>) -> u128 {
    let (a, b) = (f as u64, s as u64);
    let value = match code {
        "internet" => 0xFFFF - carry(0xFFFF - a, 0xFFFF - b, 0xFFFF),
        "xns" => carry(rotate(a, (n.div_ceil(2) % 16) as u32), b, 0xFFFF) % 0xFFFF,
        "fletcher-16" => join(a, b, n, 8, 255, 0),
        "fletcher-32" | "fletcher-32/be" => join(a, b, n.div_ceil(2), 16, 65535, 0),
        "adler-32" => join(a, b, n, 16, 65521, 1),
        crc => return models[crc].combine(f, s, n),
    };
    value.into()
}

#[rustfmt::skip]
const COMBINE: &[(&str, &str, Combine)] = &[
    ("internet", "the carry is dropped", |a, b, _| (a + b) & 0xFFFF),
    ("xns", "the first sum is not rotated", |a, b, _| carry(a, b, 0xFFFF) % 0xFFFF),
    ("xns", "the first sum is rotated once a byte", |a, b, n| {
        carry(rotate(a, (n % 16) as u32), b, 0xFFFF) % 0xFFFF
    }),
    ("fletcher-16", "the first sum is not carried into the \
        second", |a, b, _| join(a, b, 0, 8, 255, 0)),
    ("fletcher-32", "the length is counted in bytes", |a, b, n| join(a, b, n, 16, 65535, 0)),
    ("adler-32", "the initial 1 is counted twice", |a, b, n| join(a, b, n, 16, 65521, 0)),
];

#[rustfmt::skip]
const CRC_COMBINE: &[(&str, CrcCombine)] = &[
    ("the values are xored", |_, a, b, _| a ^ b),
    ("the length is counted in bits", |m, a, b, n| m.combine(a, b, n.wrapping_mul(8))),
    ("the length is cut to 32 bits", |m, a, b, n| m.combine(a, b, n & 0xFFFF_FFFF)),
    ("init and xorout are taken to be equal", |m, a, b, n| m.reflect(m.shift(m.reflect(a), n)) ^ b),
];

#[test]
fn combining() {
    let models = models();
    let lines: Vec<_> = lines("combine.txt")
        .into_iter()
        .map(|f| (f[0].clone(), hex(&f[1]), hex(&f[2]), f[3].parse::<u64>().unwrap(), hex(&f[4])))
        .collect();
    for (code, first, second, length, want) in &lines {
        let got = combined(code, *first, *second, *length, &models);
        assert_eq!(got, *want, "{code}: {first:x} and {second:x}");
    }
    for (code, mistake, wrong) in COMBINE {
        let caught = lines.iter().any(|(c, a, b, n, want)| {
            c == code && u128::from(wrong(*a as u64, *b as u64, *n)) != *want
        });
        assert!(caught, "{code}: nothing catches: {mistake}");
    }
    for (mistake, wrong) in CRC_COMBINE {
        let caught = lines.iter().find(|(code, a, b, n, want)| {
            models.get(code).is_some_and(|model| wrong(model, *a, *b, *n) != *want)
        });
        let (code, ..) = caught.unwrap_or_else(|| panic!("nothing catches: {mistake}"));
        println!("{mistake}: caught by {code}");
    }
}

#[test]
fn an_internet_sum_after_an_odd_length_is_byte_swapped() {
    let data = octets("0001f203f4f5f6f7");
    let (first, second) = (0xFFFF - internet(&data[..3]), 0xFFFF - internet(&data[3..]));
    assert_eq!((first, second), (0xF201, 0xF0EB));
    assert_eq!(carry(first, rotate(second, 8), 0xFFFF), 0xDDF2);
    assert_ne!(carry(first, second, 0xFFFF), 0xDDF2);
}

// ---- updating

type Update = fn(u64, u64, u64) -> u64;

#[rustfmt::skip]
const UPDATE: &[(&str, Update)] = &[
    ("RFC 1141, equation 2", |hc, m, new| carry(carry(hc, m, 0xFFFF), 0xFFFF - new, 0xFFFF)),
    ("no carry", |hc, m, new| !(!hc).wrapping_sub(m).wrapping_add(new) & 0xFFFF),
    ("the article's general form, which uses one m for old and new", |hc, m, _| {
        0xFFFF - carry(carry(0xFFFF - hc, 0xFFFF - m, 0xFFFF), m, 0xFFFF)
    }),
    ("old and new exchanged",
        |hc, m, new| 0xFFFF - carry(carry(0xFFFF - hc, 0xFFFF - new, 0xFFFF), m, 0xFFFF)),
    ("the checksum is not \
        complemented", |hc, m, new| carry(carry(hc, 0xFFFF - m, 0xFFFF), new, 0xFFFF)),
];

#[test]
fn updating() {
    let lines: Vec<Vec<u64>> = lines("update.txt")
        .into_iter()
        .inspect(|f| assert_eq!(f[0], "internet"))
        .map(|f| f[1..5].iter().map(|digits| hex(digits) as u64).collect())
        .collect();
    for f in &lines {
        let equation3 = 0xFFFF - carry(carry(0xFFFF - f[0], 0xFFFF - f[1], 0xFFFF), f[2], 0xFFFF);
        assert_eq!(equation3, f[3], "{f:x?}");
    }
    for (mistake, wrong) in UPDATE {
        let caught = lines.iter().find(|f| wrong(f[0], f[1], f[2]) != f[3]);
        let row = caught.unwrap_or_else(|| panic!("nothing catches: {mistake}"));
        println!("{mistake}: caught by {row:x?}");
    }
}
