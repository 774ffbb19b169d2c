//! Values that are written in fields of another width than the code's, and what a search may say of
//! them: parts of wider values, narrow values in wider fields, sums that never reach their modulus,
//! and what is ruled out.

use residue::Code;
use residue::crc::Params;
use residue_identify::{
    Certainty, Form, Found, Hash, Hit, Options, Order, Place, Report, Sample, Samples, Untried,
    identify,
};
use residue_testing::Random;

/// Messages of these lengths, without a pattern.
fn messages(lengths: &[usize], seed: u64) -> Vec<Vec<u8>> {
    let mut random = Random(seed);
    lengths.iter().map(|&length| random.bytes(length)).collect()
}

/// Samples with values in fields of `bits` bits.
fn samples(messages: &[Vec<u8>], bits: u32, value: impl Fn(&[u8]) -> u128) -> Samples {
    let list = messages
        .iter()
        .map(|message| Sample { message: message.clone(), value: value(message) })
        .collect();
    Samples::new(list, bits, false).unwrap()
}

fn find(samples: &Samples) -> Report {
    identify(samples, &Options::default()).unwrap()
}

fn name(hit: &Hit) -> &str {
    match &hit.found {
        Found::Code(code) => code.name(),
        Found::Hash(hash) => hash.name,
        Found::Sum(_) => "a sum",
    }
}

/// Every way to write a part of a wider value in a field of `bits` bits.
fn parts(bits: u32) -> Vec<Form> {
    let orders = if bits > 8 { &[Order::Big, Order::Little][..] } else { &[Order::Big] };
    let places = [Place::Low, Place::High];
    places
        .iter()
        .flat_map(|&place| orders.iter().map(move |&order| Form { order, place }))
        .collect()
}

/// Asserts that the search finds this code, and says which part of its value is written.
fn assert_part(code: &str, width: u32, bits: u32, value: impl Fn(&[u8]) -> u128, seed: u64) {
    let lengths: &[usize] = if bits == 8 { &[5, 8, 9, 14, 21, 31, 40] } else { &[5, 9, 14, 31] };
    let inputs = messages(lengths, seed);
    for form in parts(bits) {
        let samples = samples(&inputs, bits, |message| form.field(value(message), bits, width));
        let report = find(&samples);
        assert_eq!(report.certainty(), Certainty::Found, "{code} {bits} {form}: {report:?}");
        let hit = report.hits.iter().find(|hit| name(hit) == code && hit.form == form);
        let hit = hit.unwrap_or_else(|| panic!("{code} {bits} {form}: {report:?}"));
        let part = hit.part.expect("only a part is written");
        assert_eq!((part.place, part.bits), (form.place, bits));
        let side = if form.place == Place::Low { "low" } else { "high" };
        assert_eq!(part.to_string(), format!("the {side} {bits} bits"));
        assert!(hit.written().starts_with(&format!("{part} of the value, ")), "{}", hit.written());
    }
}

#[test]
fn parts_of_every_wider_named_code() {
    let wide: Vec<Code> = Code::all().filter(|code| code.width() > 16).collect();
    assert!(wide.len() > 40);
    for (i, code) in wide.iter().enumerate() {
        // Each code in some of the widths, and each width with some of the codes.
        for bits in [8, 16, 24, 32].into_iter().filter(|&bits| bits < code.width()) {
            if (i + bits as usize / 8).is_multiple_of(3) {
                assert_part(code.name(), code.width(), bits, |m| code.value(m), i as u64);
            }
        }
    }
    // Fields of hexadecimal digits that are no whole bytes.
    let code: Code = "crc-32/iso-hdlc".parse().unwrap();
    for bits in [12, 20, 28] {
        let inputs = messages(&[5, 9, 14, 31], 3);
        for place in [Place::Low, Place::High] {
            let form = Form { order: Order::Big, place };
            let report = find(&samples(&inputs, bits, |m| form.field(code.value(m), bits, 32)));
            assert_eq!((name(&report.hits[0]), report.hits[0].form), (code.name(), form));
        }
    }
}

#[test]
fn parts_of_codes_over_other_readings() {
    let code: Code = "crc-32/iso-hdlc".parse().unwrap();
    let inputs = messages(&[9, 12, 18, 25, 33, 34, 40], 5);
    for bits in [8, 16] {
        for form in parts(bits) {
            let value = |message: &[u8]| form.field(code.value(&message[3..]), bits, 32);
            let report = find(&samples(&inputs, bits, value));
            let hit = report.hits.iter().find(|hit| name(hit) == code.name() && hit.form == form);
            let hit = hit.unwrap_or_else(|| panic!("{bits} {form}: {report:?}"));
            assert_eq!((hit.reading.lead, report.certainty()), (3, Certainty::Found));
        }
    }
}

#[test]
fn parts_of_hash_functions() {
    for (i, hash) in Hash::ALL.iter().enumerate() {
        // The low 32 bits of some hash functions of 64 bits are another one.
        for bits in [8, 16, 24] {
            if (i + bits as usize / 8).is_multiple_of(2) {
                assert_part(hash.name, hash.width, bits, |m| hash.value(m), i as u64);
            }
        }
    }
}

/// Random values are ruled out only if nothing was left out, and what was left out is named.
#[test]
fn what_was_not_tried_is_not_ruled_out() {
    let noise = |count: usize, length: usize, bits: u32, seed: u64| {
        let values = messages(&[16; 32], seed + 1);
        let mut list = samples(&messages(&vec![length; count], seed), 128, |_| 0).list().to_vec();
        for (sample, value) in list.iter_mut().zip(values) {
            sample.value = u128::from_be_bytes(value.try_into().unwrap()) >> (128 - bits);
        }
        list
    };
    let report = |list: Vec<Sample>, bits: u32, options: &Options| {
        identify(&Samples::new(list, bits, false).unwrap(), options).unwrap()
    };
    let usual = Options { offset: 2, ..Options::default() };
    for (bits, count, length, untried) in [
        (16, 20, 12, None),
        (32, 12, 12, None),
        (64, 8, 12, None),
        (20, 20, 12, Some(Untried::SumFields(20))),
        (12, 30, 12, Some(Untried::SumFields(12))),
        (96, 8, 12, Some(Untried::SumFields(96))),
        (64, 1, 12, Some(Untried::Sums)),
        (32, 2, 66_000, Some(Untried::LongHashes)),
    ] {
        let report = report(noise(count, length, bits, 40), bits, &usual);
        assert!(report.hits.is_empty() && (report.weak == 0 || count < 3), "{bits}: {report:?}");
        let ruled_out = report.certainty() == Certainty::RuledOut;
        match untried {
            None => assert!(ruled_out && report.untried.is_empty(), "{bits}: {report:?}"),
            Some(untried) => {
                assert!(!ruled_out && report.untried.contains(&untried), "{bits}: {report:?}");
            }
        }
        assert_eq!(ruled_out, report.untried.is_empty() && report.undecided.is_empty());
    }
    // Koopman's checksum of a message without bytes is zero, and its settings are not searched.
    let mut list = noise(20, 12, 32, 41);
    list[3] = Sample { message: Vec::new(), value: 0 };
    let empty = report(list, 32, &usual);
    assert!(empty.untried.contains(&Untried::Remainders), "{empty:?}");
    // Only what the options allow was tried.
    let algebra = Options { catalogue: false, ..usual };
    let algebra = report(noise(20, 12, 32, 40), 32, &algebra);
    assert!(algebra.untried.contains(&Untried::Named), "{algebra:?}");
    assert_eq!(algebra.certainty(), Certainty::Undecided);
}

/// More samples than are searched with, of which only one has another length.
#[test]
fn the_only_sample_of_another_length_is_used() {
    let crc: Code =
        "width=16,poly=0x1f2b,init=0xbeef,refin=true,refout=false,xorout=0xcafe".parse().unwrap();
    let mut lengths = vec![8; 30];
    lengths.push(9);
    let report = find(&samples(&messages(&lengths, 50), 16, |message| crc.value(message)));
    assert_eq!(report.certainty(), Certainty::Found, "{report:?}");
    let family = report.hits[0].family.as_ref().unwrap();
    assert!(family.dimension() < 16, "the lengths distinguish initial values: {family:?}");
}

/// Sums whose differences have a large factor in common besides the modulus.
#[test]
#[ignore = "long"]
fn moduli_with_large_common_factors_are_not_ruled_out() {
    let (modulus, mut random) = (40_009_u64, Random(60));
    let mut list = Vec::new();
    for i in 0..8_u64 {
        // Words whose sum is a value and a multiple of 67 times the modulus.
        let value = random.next() % modulus;
        let mut left = value + 67 * modulus * (i + 1);
        let mut message = Vec::new();
        while left > 0 {
            let word = if left <= 0xffff { left } else { 0x4000 + random.next() % 0xc000 };
            left -= word.min(left);
            message.extend((word as u16).to_be_bytes());
        }
        list.push(Sample { message, value: value.into() });
    }
    let report = find(&Samples::new(list, 16, false).unwrap());
    assert!(report.hits.is_empty(), "{report:?}");
    assert!(report.untried.contains(&Untried::Moduli), "{report:?}");
    assert_eq!(report.certainty(), Certainty::Undecided);
}

fn some(code: &str, bits: u32, messages: &[&[u8]]) -> Report {
    let code: Code = code.parse().unwrap();
    let inputs: Vec<Vec<u8>> = messages.iter().map(|message| message.to_vec()).collect();
    find(&samples(&inputs, bits, |message| code.value(message)))
}

/// A modulus is not claimed that no sum of the samples reaches.
#[test]
fn moduli_that_no_sum_reaches_are_open() {
    let short: [&[u8]; 4] = [b"abc", b"1234", b"Wikipedia", b"x"];
    let long = b"a message with sums that are greater than the modulus: all bytes of it together";
    for code in ["adler-32", "fletcher-32", "fletcher-32/be", "fletcher-32/mod65536", "sum-32"] {
        // Words of 16 bits reach their modulus sooner than bytes.
        let tiny: [&[u8]; 4] = [b"\x01\x02\x03", b"\0\x05\x01\x09\x02", b"\x02\x01", b"\x07"];
        let report = some(code, 32, if code == "adler-32" { &short } else { &tiny });
        assert_eq!(report.certainty(), Certainty::Found);
        let first = report.hits.iter().find(|hit| name(hit) == code).unwrap();
        let most = first.unreached.unwrap_or_else(|| panic!("{code}: {report:?}"));
        // A longer message decides, by values that differ.
        let decisive = report.decisive.as_ref().unwrap_or_else(|| panic!("{code}: {report:?}"));
        assert!(decisive.values.iter().any(|value| *value != decisive.values[0]), "{code}");
        assert!(most < 1 << 28, "{code}: {most}");
    }
    // Adler-32 of these four: B of "Wikipedia" is 4582, and no sum is greater.
    assert_eq!(some("adler-32", 32, &short).hits[0].unreached, Some(4582));
    // With the message that decides, the modulus is shown.
    let mut more: Vec<&[u8]> = short.to_vec();
    let decisive = some("adler-32", 32, &short).decisive.unwrap().message;
    more.push(&decisive);
    let report = some("adler-32", 32, &more);
    assert_eq!((report.hits[0].unreached, report.hits.len()), (None, 1), "{report:?}");
    assert_eq!(report.decisive, None);
    for (code, bits) in [("adler-32", 32), ("fletcher-16", 16), ("internet", 16), ("sum-8", 8)] {
        let report = some(code, bits, &[long, b"a", b"bc", b"efg"]);
        assert_eq!(report.hits[0].unreached, None, "{code}: {report:?}");
    }
    // Sums with settings of their own: each modulus that is listed is open.
    let code = |message: &[u8]| 0x55 + message.iter().map(|&byte| u128::from(byte)).sum::<u128>();
    let inputs: Vec<Vec<u8>> = short.iter().map(|message| message.to_vec()).collect();
    let report = find(&samples(&inputs, 16, code));
    assert!(report.hits.len() > 1, "{report:?}");
    assert!(report.hits.iter().all(|hit| hit.unreached == Some(1004)), "{report:?}");
    assert!(report.decisive.is_some());
    let longer = |message: &[u8]| code(message) % 40_009;
    let mut inputs = inputs;
    inputs.extend([vec![0xff; 200], vec![0xfe; 170]]);
    let report = find(&samples(&inputs, 16, longer));
    assert!(report.hits.iter().any(|hit| hit.unreached.is_none()), "{report:?}");
}

/// Every number above the greatest sum is a modulus that fits, and none at or below it.
#[test]
fn every_modulus_above_the_greatest_sum_fits() {
    let short: [&[u8]; 3] = [b"\x01\x02\x03", b"\x09\x05", b"\x11"];
    let report = some("fletcher-16", 16, &short);
    let most = report.hits[0].unreached.expect("short messages");
    let sums = |message: &[u8], modulus: u128| {
        let step = |(a, b): (u128, u128), &byte: &u8| {
            let a = (a + u128::from(byte)) % modulus;
            (a, (b + a) % modulus)
        };
        let (a, b) = message.iter().fold((0, 0), step);
        b << 8 | a
    };
    for modulus in 2..=256 {
        let code: Code = "fletcher-16".parse().unwrap();
        let all = short.iter().all(|message| sums(message, modulus) == code.value(message));
        assert_eq!(all, modulus > most, "{modulus} {most}");
    }
}

/// Random parameters of a width, with a constant term.
fn random(width: u8, random: &mut Random) -> Params {
    let mut part = || {
        let value = u128::from_le_bytes(random.bytes(16).try_into().unwrap());
        value >> (128 - u32::from(width))
    };
    let (poly, init, xorout, bits) = (part() | 1, part(), part(), part());
    let reflections = (bits & 1 == 1, bits & 2 == 2);
    Params::new("custom", width, poly, init, reflections, xorout).unwrap()
}

/// Returns whether a hit gives this CRC's values for messages of all lengths.
fn is(hit: &Hit, crc: &Params, form: Form, bits: u32) -> bool {
    messages(&[0, 1, 2, 3, 5, 16, 33], 99).iter().all(|probe| {
        let value = form.field(crc.reference(probe), bits, crc.width.into());
        hit.field(probe, bits) == Some(value)
    })
}

/// Returns the results without their tables.
fn brief(report: &Report) -> Vec<String> {
    let line = |hit: &Hit| match &hit.found {
        Found::Code(code) => format!("{:?} {} {}", code.params(), hit.form, hit.chance),
        found => format!("{found:?} {} {}", hit.form, hit.chance),
    };
    report.hits.iter().map(line).collect()
}

/// CRCs of widths that are no multiple of 8, in fields of whole bytes: the one that gave the values
/// comes before wider ones by multiples of its generator, and a message is named that decides.
#[test]
fn narrow_values_in_wider_fields() {
    let options = Options { catalogue: false, offset: 0, ..Options::default() };
    let (mut ambiguous, mut source) = (0, Random(70));
    for width in (3..=63_u8).filter(|width| width % 8 != 0) {
        let bits = u32::from(width).next_multiple_of(8);
        // Few samples, with which factors in common are likely; more where few bits say little.
        let lengths: &[usize] = match width {
            0..8 => &[2, 3, 4, 6, 7, 9, 11, 12, 14, 17],
            8..16 => &[3, 4, 6, 7, 9, 11],
            16..32 => &[3, 4, 6, 7, 9],
            _ => &[3, 7, 12, 14],
        };
        for place in [Place::Low, Place::High] {
            for _ in 0..4 {
                let crc = random(width, &mut source);
                let form = Form { order: Order::Big, place };
                let inputs = messages(lengths, source.next());
                let value = |message: &[u8]| form.field(crc.reference(message), bits, width.into());
                let samples = samples(&inputs, bits, value);
                let report = identify(&samples, &options).unwrap();
                if !report.convincing() && width < 16 {
                    assert_ne!(report.certainty(), Certainty::RuledOut, "{crc:?}");
                    continue;
                }
                let found = report.hits.iter().position(|hit| is(hit, &crc, form, bits));
                let found = found.unwrap_or_else(|| panic!("{crc:?} {form}: {report:?}"));
                let wider = |hit: &Hit| match &hit.found {
                    Found::Code(code) => code.width() > width.into(),
                    _ => false,
                };
                let before = report.hits[..found].iter().filter(|hit| wider(hit)).count();
                assert_eq!(before, 0, "{crc:?} {form}: {:#?}", brief(&report));
                if report.hits.len() == 1 {
                    continue;
                }
                ambiguous += 1;
                // All that fit are listed, and those that differ are distinguished by a message.
                let Some(decisive) = &report.decisive else {
                    // Powers of x + 1 up to the eighth divide x^8 + 1.
                    assert!(report.hits.iter().all(|hit| is(hit, &crc, form, bits)), "{report:?}");
                    continue;
                };
                let own = decisive.values[found];
                assert_eq!(own, value(&decisive.message));
                assert!(decisive.values.iter().any(|value| *value != own), "{report:?}");
            }
        }
    }
    assert!(ambiguous > 10, "too few of the cases were hard: {ambiguous}");
}

/// Two samples are enough for init and xorout of zeros or ones, and have factors in common more
/// often than not.
#[test]
fn narrow_values_of_usual_settings_from_two_samples() {
    let (mut ambiguous, mut source) = (0, Random(71));
    for width in [13, 14, 15, 23, 46_u8] {
        let bits = u32::from(width).next_multiple_of(8);
        for (refin, init) in [(false, 0), (true, u128::MAX >> (128 - u32::from(width)))] {
            for place in [Place::Low, Place::High] {
                let poly = random(width, &mut source).poly;
                let crc = Params::new("custom", width, poly, init, (refin, refin), 0).unwrap();
                let form = Form { order: Order::Big, place };
                let count = if width < 32 { 4 } else { 3 };
                let inputs = messages(&[7, 12, 19, 23][..count], source.next());
                let value = |message: &[u8]| form.field(crc.reference(message), bits, width.into());
                let options = Options { everything: true, offset: 1, ..Options::default() };
                let report = identify(&samples(&inputs, bits, value), &options).unwrap();
                let found = report.hits.iter().position(|hit| is(hit, &crc, form, bits));
                assert_eq!(found, Some(0), "{crc:?} {form}: {report:?}");
                ambiguous += usize::from(report.hits.len() > 1);
            }
        }
    }
    assert!(ambiguous > 0, "none of the cases was hard");
}
