//! Plants mistakes in programs that compute a code, and asserts that `conform` names them.
//!
//! The programs are written here, byte by byte and bit by bit, and use nothing of the library.

use residue::Code;
use residue_identify::conform::{Kind, Verdict, cases, judge};

fn verdict(name: &str, program: impl Fn(&[u8]) -> u128) -> Verdict {
    let code: Code = name.parse().unwrap();
    let cases = cases(&code).unwrap();
    let answers: Vec<u128> = cases.iter().map(|case| program(&case.data)).collect();
    judge(&code, &cases, &answers)
}

/// A CRC program, each part of which may be wrong.
#[derive(Clone, Copy)]
struct Program {
    width: u32,
    poly: u64,
    init: u64,
    refin: bool,
    refout: bool,
    xorout: u64,
}

const CRC_32: Program = Program {
    width: 32,
    poly: 0x04c1_1db7,
    init: 0xffff_ffff,
    refin: true,
    refout: true,
    xorout: 0xffff_ffff,
};
const KERMIT: Program =
    Program { width: 16, poly: 0x1021, init: 0, refin: true, refout: true, xorout: 0 };
const SMBUS: Program =
    Program { width: 8, poly: 0x07, init: 0, refin: false, refout: false, xorout: 0 };
const XZ: Program = Program {
    width: 64,
    poly: 0x42f0_e1eb_a9ea_3693,
    init: u64::MAX,
    refin: true,
    refout: true,
    xorout: u64::MAX,
};

/// The programs, by the names of the codes that they are meant to compute.
const PROGRAMS: [(&str, Program); 4] = [
    ("crc-32/iso-hdlc", CRC_32),
    ("crc-16/kermit", KERMIT),
    ("crc-8/smbus", SMBUS),
    ("crc-64/xz", XZ),
];

impl Program {
    fn mask(&self) -> u64 {
        u64::MAX >> (64 - self.width)
    }

    fn reversed(&self, value: u64) -> u64 {
        value.reverse_bits() >> (64 - self.width)
    }

    fn run(&self, data: &[u8]) -> u128 {
        let mut register = self.init;
        for &byte in data {
            for i in 0..8 {
                let bit = if self.refin { byte >> i } else { byte >> (7 - i) } & 1;
                let top = register >> (self.width - 1) & 1 ^ u64::from(bit);
                register = (register << 1 & self.mask()) ^ if top == 1 { self.poly } else { 0 };
            }
        }
        let register = if self.refout { self.reversed(register) } else { register };
        u128::from(register ^ self.xorout)
    }
}

#[test]
fn the_programs_are_right_without_a_mistake() {
    for (name, program) in PROGRAMS {
        assert!(verdict(name, |data| program.run(data)).good(), "{name}");
    }
}

fn named(verdict: &Verdict, name: &str) -> bool {
    let found = verdict.explanations.iter();
    verdict.explained()
        && found.filter(|found| found.kind == Kind::Mistake).any(|it| it.name == name)
}

#[test]
fn mistakes_in_reading_are_named_for_every_code() {
    type Read = fn(&[u8]) -> Vec<u8>;
    let list: [(&str, Read); 19] = [
        ("ends-early-1", |d| d.split_last().map_or(vec![], |(_, rest)| rest.to_vec())),
        ("ends-early-4", |d| d.iter().copied().take(d.len().max(4) - 4).collect()),
        ("begins-late-1", |d| d.iter().copied().skip(1).collect()),
        ("stops-at-nul", |d| d.split(|&byte| byte == 0).next().unwrap().to_vec()),
        ("stops-at-newline", |d| d.split(|&byte| byte == 10).next().unwrap().to_vec()),
        ("stops-at-ff", |d| d.split(|&byte| byte == 255).next().unwrap().to_vec()),
        ("nul-appended", |d| d.iter().copied().chain([0]).collect()),
        ("newlines-as-crlf", |d| {
            d.iter().flat_map(|&byte| if byte == 10 { vec![13, 10] } else { vec![byte] }).collect()
        }),
        ("as-utf-8", |d| {
            let two = |byte: u8| vec![0xc0 | byte >> 6, 0x80 | byte & 0x3f];
            d.iter().flat_map(|&b| if b < 0x80 { vec![b] } else { two(b) }).collect()
        }),
        ("8-bit-length", |d| d[..d.len() % 256].to_vec()),
        ("16-bit-length", |d| d[..d.len() % 65536].to_vec()),
        ("first-block-only-64", |d| d.iter().copied().take(64).collect()),
        ("first-block-only-4096", |d| d.iter().copied().take(4096).collect()),
        ("restarts-each-16", |d| d.chunks(16).last().unwrap_or(&[]).to_vec()),
        ("restarts-each-1024", |d| d.chunks(1024).last().unwrap_or(&[]).to_vec()),
        ("restarts-each-65536", |d| d.chunks(65536).last().unwrap_or(&[]).to_vec()),
        ("last-part-dropped-4", |d| d.chunks_exact(4).flatten().copied().collect()),
        ("bytes-swapped-in-words-2", |d| {
            d.chunks(2).flat_map(|pair| pair.iter().rev().copied()).collect()
        }),
        ("7-bit-bytes", |d| d.iter().map(|byte| byte % 128).collect()),
    ];
    for (mistake, read) in list {
        for (name, program) in PROGRAMS {
            let verdict = verdict(name, |data| program.run(&read(data)));
            assert!(!verdict.good(), "{name} {mistake}: no vector shows it");
            assert!(named(&verdict, mistake), "{name} {mistake}: {:?}", verdict.explanations);
        }
        // A sum, as one code that is no CRC.
        let sum = |data: &[u8]| {
            let (mut a, mut b) = (1, 0);
            for byte in read(data) {
                a = (a + u128::from(byte)) % 65521;
                b = (b + a) % 65521;
            }
            b << 16 | a
        };
        let verdict = verdict("adler-32", sum);
        assert!(named(&verdict, mistake), "adler-32 {mistake}: {:?}", verdict.explanations);
    }
}

/// Computes CRC-32 by a table, as most programs do.
fn by_table(data: &[u8], steps: u32, entry: fn(&[u32], u8) -> u32) -> u128 {
    let table: Vec<u32> =
        (0..256)
            .map(|i| {
                (0..steps).fold(i, |value: u32, _| {
                    if value & 1 == 1 { value >> 1 ^ 0xedb8_8320 } else { value >> 1 }
                })
            })
            .collect();
    let mut register = u32::MAX;
    for byte in data {
        register = register >> 8 ^ entry(&table, register as u8 ^ byte);
    }
    u128::from(!register)
}

#[test]
fn mistakes_in_the_table_and_in_the_loop_are_named() {
    let same = |table: &[u32], i: u8| table[usize::from(i)];
    let crc = |mistake: &str, program: &dyn Fn(&[u8]) -> u128| {
        let verdict = verdict("crc-32/iso-hdlc", program);
        assert!(named(&verdict, mistake), "{mistake}: {:?}", verdict.explanations);
    };
    assert!(verdict("crc-32/iso-hdlc", |d| by_table(d, 8, same)).good());
    crc("table-of-7-steps", &|d| by_table(d, 7, same));
    crc("table-of-9-steps", &|d| by_table(d, 9, same));
    crc("table-one-entry-early", &|d| by_table(d, 8, |t, i| t[usize::from(i.wrapping_add(1))]));
    crc("table-one-entry-late", &|d| by_table(d, 8, |t, i| t[usize::from(i.wrapping_sub(1))]));
    crc("table-without-last-entry", &|d| {
        by_table(d, 8, |t, i| if i == 255 { 0 } else { t[usize::from(i)] })
    });
    let bits = |data: &[u8], extend: fn(u8) -> u32, shift: fn(u32) -> u32| {
        let mut register = u32::MAX;
        for &byte in data {
            register ^= extend(byte);
            for _ in 0..8 {
                let poly = if register & 1 == 1 { 0xedb8_8320 } else { 0 };
                register = shift(register) ^ poly;
            }
        }
        u128::from(!register)
    };
    crc("sign-extended-bytes", &|d| bits(d, |byte| i32::from(byte as i8) as u32, |r| r >> 1));
    crc("shifted-sign", &|d| bits(d, u32::from, |r| (r as i32 >> 1) as u32));
    crc("table-shifted-sign", &|data| {
        let mut register = -1_i32;
        for byte in data {
            let mut entry = u32::from(register as u8 ^ byte);
            for _ in 0..8 {
                entry = if entry & 1 == 1 { entry >> 1 ^ 0xedb8_8320 } else { entry >> 1 };
            }
            register = register >> 8 ^ entry as i32;
        }
        u128::from(!register as u32)
    });
    crc("bit-tested-after-shift", &|data| {
        let mut register = u32::MAX;
        for &byte in data {
            register ^= u32::from(byte);
            for _ in 0..8 {
                register >>= 1;
                if register & 1 == 1 {
                    register ^= 0xedb8_8320;
                }
            }
        }
        u128::from(!register)
    });
    crc("zero-bits-not-fed", &|data| {
        let mut register = u32::MAX;
        for &byte in data {
            for i in 0..8 {
                let bit = u32::from(byte >> i & 1) << 31;
                let out = register & 1 == 1;
                register = (register >> 1 | bit) ^ if out { 0xedb8_8320 } else { 0 };
            }
        }
        u128::from(!register)
    });
    crc("continued-with-final-value-64", &|data| {
        let mut value = u128::from(u32::MAX);
        for (i, piece) in data.chunks(64).enumerate() {
            let loaded = if i == 0 { u64::from(u32::MAX) } else { value as u64 };
            value = Program { init: CRC_32.reversed(loaded), ..CRC_32 }.run(piece);
        }
        if data.is_empty() { 0 } else { value }
    });
}

#[test]
fn signed_bytes_in_sums_are_named() {
    let adler = |data: &[u8]| {
        let (mut a, mut b) = (1_u32, 0_u32);
        for &byte in data {
            a = a.wrapping_add(byte as i8 as u32) % 65521;
            b = (b + a) % 65521;
        }
        u128::from(b << 16 | a)
    };
    let found = verdict("adler-32", adler);
    assert!(named(&found, "sign-extended-bytes"), "{:?}", found.explanations);
    let internet = |data: &[u8]| {
        let mut sum = 0_u64;
        for pair in data.chunks(2) {
            let low = pair.get(1).map_or(0, |&byte| byte as i8 as u16);
            sum += u64::from(u16::from(pair[0]) << 8 | low);
        }
        while sum > 0xffff {
            sum = (sum & 0xffff) + (sum >> 16);
        }
        u128::from(!sum as u16)
    };
    let found = verdict("internet", internet);
    assert!(named(&found, "sign-extended-second-bytes"), "{:?}", found.explanations);
}

/// Asserts that the answers are explained by other parameters, with these clauses.
fn settings(name: &str, program: impl Fn(&[u8]) -> u128, names: &str, clauses: &[&str]) {
    let verdict = verdict(name, program);
    let found = verdict.explanations.first().unwrap_or_else(|| panic!("{name}: nothing"));
    assert!(verdict.explained(), "{name}: {found:?}");
    assert_eq!((found.kind, found.name.as_str()), (Kind::Settings, names), "{found:?}");
    for clause in clauses {
        assert!(found.why.contains(clause), "{}", found.why);
    }
}

#[test]
fn a_slip_in_the_polynomial_is_named() {
    for (poly, relation) in [
        (0x04c1_1db6, "one bit differs, x^0 is missing"),
        (0x04c1_1dbc, "hexadecimal digit 8 is c, not 7"),
        (0x04c1_1d7b, "hexadecimal digits 7 and 8 are swapped"),
        (0x004c_11b7, "hexadecimal digit 6 is missing"),
        (0xdb71_0641, "it is the reciprocal"),
        (0x04c1_1db7 ^ 1 << 30 ^ 1 << 3, "2 bits differ"),
    ] {
        let program = Program { poly, ..CRC_32 };
        let why = format!("The polynomial is {poly:08x}, not 04c11db7: {relation}");
        let same = "Everything else is as in crc-32/iso-hdlc.";
        settings("crc-32", |d| program.run(d), "poly", &[&why, same]);
    }
    settings(
        "crc-16/kermit",
        |d| Program { poly: 0x8408, ..KERMIT }.run(d),
        "poly",
        &["The polynomial is 8408, not 1021: its bits are reversed"],
    );
}

#[test]
fn other_parameters_are_named_one_by_one() {
    let refin = "refin is false, not true: each byte's highest bit comes first";
    let run = |program: Program| move |data: &[u8]| program.run(data);
    let [kermit, smbus, xz] = ["crc-16/kermit", "crc-8/smbus", "crc-64/xz"];
    settings(kermit, run(Program { refin: false, ..KERMIT }), "refin", &[&refin[1..]]);
    settings(xz, run(Program { init: 0, ..XZ }), "init", &["nit is 0000000000000000, not ffff"]);
    settings(
        xz,
        run(Program { init: 1, poly: XZ.poly ^ 1 << 40, ..XZ }),
        "poly, init",
        &["one bit differs, x^40 is missing; init is 0000000000000001, not ffffffffffffffff"],
    );
    settings(
        smbus,
        run(Program { xorout: 0x5a, refin: true, ..SMBUS }),
        "refin, xorout",
        &["xorout is 5a, not 00"],
    );
    let swapped = |data: &[u8]| {
        u128::from((Program { refin: false, ..CRC_32 }.run(data) as u32).swap_bytes())
    };
    settings("crc-32", swapped, "refin, value", &["the value's bytes are in the opposite order"]);
    let truncated = |data: &[u8]| Program { init: 0, ..XZ }.run(data) & 0xffff_ffff;
    settings(xz, truncated, "init, value", &["only the lowest 32 bits are there"]);
}

#[test]
fn what_identify_finds_is_reported() {
    let identified = |name: &str, program: &dyn Fn(&[u8]) -> u128, says: &[&str]| {
        let verdict = verdict(name, program);
        let found = verdict.explanations.first().unwrap_or_else(|| panic!("{name}: nothing"));
        assert!(verdict.explained() && found.kind == Kind::Identified, "{name}: {found:?}");
        for text in says {
            assert!(format!("{}: {}", found.name, found.why).contains(text), "{found:?}");
        }
    };
    // An initial value and a polynomial that are nobody's.
    let other = Program { poly: 0x1f2b, init: 0xbeef, refin: false, ..KERMIT };
    identified(
        "crc-16/kermit",
        &|d| other.run(d),
        &["poly=1f2b,init=beef,refin=false,refout=true", "the polynomial is 1f2b, not 1021"],
    );
    // A hash function.
    let fnv = |data: &[u8]| {
        data.iter().fold(0x811c_9dc5_u32, |h, &byte| (h ^ u32::from(byte)).wrapping_mul(16_777_619))
    };
    identified("crc-32", &|d| fnv(d).into(), &["FNV-1a, a hash function"]);
}

/// Messages that are shorter than what is left out do not hide what the others show.
#[test]
fn another_code_of_a_part_of_the_message() {
    let program = Program { xorout: 0xffff, init: 0xffff, ..KERMIT };
    let found = verdict("crc-16/kermit", |data| match data.get(2..) {
        Some(rest) => program.run(rest),
        None => 0,
    });
    let first = &found.explanations[0];
    assert_eq!((first.kind, first.name.as_str()), (Kind::Identified, "crc-16/ibm-sdlc"));
    assert!(first.why.contains("without its first 2 bytes"), "{first:?}");
    assert_eq!((first.matched, found.right.len()), (10, 13));
}

/// What explains most answers, but not all, says how many; and what chance explains is not said.
#[test]
fn partial_explanations_say_how_many() {
    let nearly = |data: &[u8]| {
        if data == b"abcde" { 7 } else { CRC_32.run(data.split_last().map_or(&[], |it| it.1)) }
    };
    let found = verdict("crc-32", nearly);
    assert!(!found.explained());
    assert_eq!(found.explanations[0].name, "ends-early-1");
    assert_eq!(found.explanations[0].matched + 1, found.right.len());
    // A narrow code has the values of nonsense now and then.
    for seed in 0..40_u32 {
        let nonsense = |data: &[u8]| {
            let mix = data.iter().fold(seed.wrapping_mul(0x9e37_79b9), |h, &byte| {
                (h ^ u32::from(byte)).wrapping_mul(0x85eb_ca6b).rotate_left(13)
            });
            u128::from(mix.wrapping_mul(0xc2b2_ae35) >> 29)
        };
        for name in ["crc-3/gsm", "crc-3/rohc"] {
            let found = verdict(name, nonsense);
            assert!(found.explanations.is_empty(), "{name} {seed}: {:?}", found.explanations);
        }
    }
}

#[test]
fn values_printed_in_another_base_or_with_more_bits() {
    let form = |program: &dyn Fn(&[u8]) -> u128, name: &str| {
        let found = verdict("crc-16/kermit", program);
        let first = &found.explanations[0];
        assert!(found.explained() && first.name == name, "{:?}", found.explanations);
    };
    let decimal = |data: &[u8]| u128::from_str_radix(&KERMIT.run(data).to_string(), 16).unwrap();
    form(&decimal, "decimal digits");
    form(&|data| KERMIT.run(data) | (data.len() as u128 & 255) << 16, "upper-bits-kept");
}
