//! Codes found from messages and their values: every one of the catalogue, by name and by algebra,
//! and many settings that nobody has named.

use residue::Code;
use residue::crc::{Crc, Params, catalog};
use residue_identify::{
    Certainty, Form, Found, Hash, Hit, Kind, Model, Options, Order, Padding, Place, Reading,
    Report, Sample, Samples, Stage, Swap, identify,
};
use residue_testing::Random;

/// Messages of these lengths, without a pattern.
fn messages(lengths: &[usize], seed: u64) -> Vec<Vec<u8>> {
    let mut random = Random(seed);
    lengths.iter().map(|&length| random.bytes(length)).collect()
}

/// Samples whose values are in fields of whole hexadecimal digits.
fn samples(messages: &[Vec<u8>], width: u32, value: impl Fn(&[u8]) -> u128) -> Samples {
    let list = messages
        .iter()
        .map(|message| Sample { message: message.clone(), value: value(message) })
        .collect();
    Samples::new(list, 4 * width.div_ceil(4), false).unwrap()
}

fn find(samples: &Samples) -> Report {
    identify(samples, &Options::default()).unwrap()
}

fn algebra(samples: &Samples) -> Report {
    let options = Options { catalogue: false, offset: 0, ..Options::default() };
    identify(samples, &options).unwrap()
}

fn params(hit: &Hit) -> Params {
    match &hit.found {
        Found::Code(code) => *code.params().unwrap(),
        other => panic!("{other:?}"),
    }
}

/// Returns whether two are one code on all messages of whole bytes.
fn same(a: &Params, b: &Params) -> bool {
    let probes = messages(&[0, 1, 2, 3, 5, 16, 33], 99);
    a.width == b.width && probes.iter().all(|probe| a.reference(probe) == b.reference(probe))
}

#[test]
fn every_named_code_from_four_samples() {
    let inputs = messages(&[5, 9, 14, 31], 1);
    for code in Code::all() {
        let samples = samples(&inputs, code.width(), |message| code.value(message));
        let report = find(&samples);
        assert_eq!(report.stage, Stage::Named, "{code}");
        let names: Vec<&str> = report
            .hits
            .iter()
            .map(|hit| match &hit.found {
                Found::Code(code) => code.name(),
                _ => "no code",
            })
            .collect();
        // With a few bits another may fit as well, and it is said how to tell them apart.
        assert_eq!(names[0], code.name(), "the most convincing one that fits");
        assert!(names.len() == 1 || code.width() < 8 && report.decisive.is_some(), "{names:?}");
        assert_eq!((report.hits[0].reading, report.hits[0].form), (Reading::PLAIN, Form::PLAIN));
        assert!(report.hits[0].chance < 0.0 && report.strangers.is_empty(), "{code}");
    }
}

#[test]
fn every_catalogue_crc_by_algebra_alone() {
    // With n samples, all of different lengths, n w bits determine a generator (w bits), init and
    // xorout (w each); the bits left over distinguish the right one from chance. Eight are enough
    // from 3 bits on, four from 16.
    for crc in catalog::ALL {
        let lengths: &[usize] =
            if crc.width < 16 { &[3, 4, 6, 7, 9, 11, 12, 14] } else { &[3, 7, 12, 14] };
        let inputs = messages(lengths, u64::from(crc.check as u32));
        let samples = samples(&inputs, crc.width.into(), |message| crc.reference(message));
        let report = algebra(&samples);
        assert!([Stage::Plain, Stage::Unknown].contains(&report.stage), "{crc:?}");
        let right = report.hits.iter().find(|hit| same(&params(hit), crc));
        let right = right.unwrap_or_else(|| panic!("{crc:?}: {:?}", report.hits));
        let family = right.family.as_ref().unwrap();
        assert_eq!(family.dimension(), family.inherent, "all that whole bytes show is known");
        assert!(family.names.contains(&crc.name), "{family:?}");
        assert!(report.convincing() || crc.width < 4, "{crc:?}: {:?}", report.hits[0].chance);
        if report.hits.len() == 1 {
            assert_eq!(report.decisive, None);
        } else {
            // Several fit, and it is said how to tell them apart.
            let decisive = report.decisive.expect("different codes differ");
            assert_ne!(decisive.values[0], decisive.values[1]);
        }
    }
}

/// Random parameters of a width, with a constant term.
fn random(width: u8, seed: u64) -> Params {
    let bytes = messages(&[49], seed).remove(0);
    let part = |i: usize| {
        let value = u128::from_le_bytes(bytes[16 * i..16 * i + 16].try_into().unwrap());
        value >> (128 - u32::from(width))
    };
    let reflections = (bytes[48] & 1 == 1, bytes[48] & 2 == 2);
    Params::new("custom", width, part(0) | 1, part(1), reflections, part(2)).unwrap()
}

/// Returns whether a hit is this CRC, or all pairs of init and xorout that it stands for have this
/// one's among them.
fn among(hit: &Hit, crc: &Params) -> bool {
    let Found::Code(code) = &hit.found else { return false };
    let Some(p) = code.params() else { return false };
    let alike =
        (p.width, p.poly, p.refin, p.refout) == (crc.width, crc.poly, crc.refin, crc.refout);
    let member = hit.family.as_ref().and_then(|family| family.member(crc.init));
    same(p, crc) || alike && member.is_some_and(|member| member.xorout == crc.xorout)
}

/// A CRC that gave the samples is in what fits, or its width is among those that were not decided.
#[test]
#[ignore = "long"]
fn samples_never_rule_out_the_crc_that_gave_them() {
    let mut open = 0;
    for width in [3, 4, 5, 7, 8, 12, 16, 17, 24, 32, 40, 64] {
        for lengths in [
            &[9][..],
            &[7, 7],
            &[5, 9],
            &[8, 8, 8],
            &[4, 9, 9],
            &[3, 8, 13],
            &[6, 6, 6, 6],
            &[3, 7, 12, 14],
            &[3, 4, 6, 7, 9],
            &[2, 3, 4, 6, 7, 9, 11, 12],
        ] {
            for seed in 0..2 {
                let seed = seed + 100 * u64::from(width);
                let crc = random(width, seed);
                let inputs = messages(lengths, seed + 50);
                let samples = samples(&inputs, width.into(), |message| crc.reference(message));
                let report = algebra(&samples);
                let found = report.hits.iter().any(|hit| among(hit, &crc));
                let undecided = report.undecided.contains(&width.into());
                assert!(found || undecided, "{crc:?} {lengths:?}: {report:?}");
                assert_ne!(report.certainty(), Certainty::RuledOut);
                open += usize::from(!found);
            }
        }
        // Everything is searched, and too little is known.
        let crc = random(width, u64::from(width));
        let inputs = messages(&[3, 8, 13], 51);
        let report = find(&samples(&inputs, width.into(), |message| crc.reference(message)));
        let found = report.hits.iter().any(|hit| among(hit, &crc));
        assert!(found || report.undecided.contains(&width.into()), "{crc:?}: {report:?}");
    }
    assert!(open > 100, "too few of the cases were hard: {open}");
}

#[test]
fn what_cannot_be_is_ruled_out() {
    // The value of a longer message contradicts every linear code of few bits: the samples are
    // random.
    let inputs = messages(&[8; 20], 30);
    let values = messages(&[4; 20], 31);
    let list = inputs.into_iter().zip(values).map(|(message, value)| Sample {
        message,
        value: u32::from_be_bytes(value.try_into().unwrap()).into(),
    });
    let report = find(&Samples::new(list.collect(), 32, false).unwrap());
    assert_eq!(report.certainty(), Certainty::RuledOut, "{report:?}");
    assert!(report.undecided.is_empty() && report.hits.is_empty());
}

#[test]
fn certainty_follows_what_was_found() {
    let inputs = messages(&[5, 9, 14, 31, 40], 1);
    let good = samples(&inputs, 32, |message| u128::from(residue::crc32c(message)));
    assert_eq!(find(&good).certainty(), Certainty::Found);
    let mut list = good.list().to_vec();
    list[1].value ^= 1;
    assert_eq!(find(&Samples::new(list, 32, false).unwrap()).certainty(), Certainty::Contradicted);
    let crc = random(16, 5);
    let few = samples(&messages(&[4, 9, 13], 32), 16, |message| crc.reference(message));
    assert_eq!(algebra(&few).certainty(), Certainty::Undecided);
}

#[test]
fn generators_nobody_has_named() {
    let inputs = messages(&[2, 5, 9, 10, 16, 21], 7);
    for (width, poly, init, reflections, xorout) in [
        (11, 0x385 ^ 0x56, 0x2a5, (false, true), 0x111),
        (16, 0x1f2b, 0xbeef, (true, true), 0xcafe),
        (23, 0x0a_5a5b, 0, (true, false), 0),
        (32, 0x1234_5679, 0xdead_beef, (true, true), 0x0bad_f00d),
        (48, 0x1234_5678_9abd, 1, (false, false), 2),
        (64, 0xfeed_face_cafe_beef, u128::from(u64::MAX), (true, true), 3),
        (96, 0x0123_4567_89ab_cdef_0123_4567, 77, (false, false), 1 << 95),
        (128, 0x0123_4567_89ab_cdef_0123_4567_89ab_cdef, 1 << 127, (true, true), 5),
    ] {
        let crc = Params::new("custom", width, poly, init, reflections, xorout).unwrap();
        let samples = samples(&inputs, width.into(), |message| crc.reference(message));
        for report in [find(&samples), algebra(&samples)] {
            assert!(report.convincing(), "{crc:?}");
            assert!(report.hits.iter().any(|hit| same(&params(hit), &crc)), "{crc:?}");
        }
        // Of one length three are enough for the generator, and nothing is known of init.
        let equal = messages(&[12, 12, 12, 12], 8);
        let equal = self::samples(&equal, width.into(), |message| crc.reference(message));
        let report = algebra(&equal);
        let hit = report.hits.iter().find(|hit| params(hit).poly == poly).unwrap();
        let family = hit.family.as_ref().unwrap();
        assert_eq!(family.dimension(), usize::from(width));
        assert!(family.member(init).is_some_and(|member| member.xorout == xorout));
        let decisive = report.decisive.unwrap();
        assert_ne!(decisive.message.len(), 12);
        assert_ne!(decisive.values[0], decisive.values[1]);
    }
}

#[test]
fn known_generators_with_other_settings() {
    let inputs = messages(&[4, 7, 11, 20], 3);
    for (width, poly, init, reflections, xorout) in [
        (32, 0x04c1_1db7, 0xffff_ffff, (true, false), 0),
        (32, 0xdb71_0641, 0xffff_ffff, (true, true), 0xffff_ffff),
        (16, 0x1021, 0x1234, (false, false), 0xabcd),
        (16, 0x8005, 0xffff, (true, false), 0),
        (8, 0x07, 0xff, (false, false), 0xff),
    ] {
        let crc = Params::new("custom", width, poly, init, reflections, xorout).unwrap();
        let samples = samples(&inputs, width.into(), |message| crc.reference(message));
        let report = find(&samples);
        assert_eq!(report.stage, Stage::Generator, "{crc:?}");
        assert!(report.hits.iter().any(|hit| same(&params(hit), &crc)), "{crc:?}");
    }
}

#[test]
fn ways_to_feed_and_to_write() {
    let inputs = messages(&[13, 17, 18, 30], 4);
    let plain = Reading::PLAIN;
    for (reading, form) in [
        (plain, Form { order: Order::Little, place: Place::Low }),
        (plain, Form { order: Order::Words, place: Place::Low }),
        (plain, Form { order: Order::Swapped, place: Place::Low }),
        (Reading { swap: Swap::Words(4), ..plain }, Form::PLAIN),
        (Reading { swap: Swap::All, ..plain }, Form { order: Order::Little, place: Place::Low }),
        (Reading { padding: Padding::To(8, 0xff), ..plain }, Form::PLAIN),
        (Reading { padding: Padding::Zeros(4), ..plain }, Form::PLAIN),
        (Reading { lead: 3, ..plain }, Form::PLAIN),
        (Reading { lead: 1, trail: 8, ..plain }, Form { order: Order::Little, place: Place::Low }),
    ] {
        for name in ["crc-32/mpeg-2", "crc-32/iscsi", "adler-32"] {
            let code: Code = name.parse().unwrap();
            let value =
                |message: &[u8]| form.field(code.value(&reading.apply(message).unwrap()), 32, 32);
            let report = find(&samples(&inputs, 32, value));
            let [hit] = &report.hits[..] else { panic!("{reading} {form}: {report:?}") };
            assert_eq!((hit.reading, hit.form), (reading, form));
            assert!(matches!(&hit.found, Found::Code(found) if found.name() == name));
        }
        // An unknown generator is found as well.
        let crc = Params::new("custom", 32, 0x1234_5679, 7, (false, true), 9).unwrap();
        let more = messages(&[13, 17, 18, 30, 35, 36], 5);
        let value =
            |message: &[u8]| form.field(crc.reference(&reading.apply(message).unwrap()), 32, 32);
        let report = find(&samples(&more, 32, value));
        let right =
            |hit: &Hit| (hit.reading, hit.form) == (reading, form) && params(hit).poly == crc.poly;
        assert!(
            report.convincing() && report.hits.iter().any(right),
            "{reading} {form}: {report:?}"
        );
    }
    // A narrow value in a wide field, and half a value.
    let code: Code = "crc-12/umts".parse().unwrap();
    let form = Form { order: Order::Little, place: Place::High };
    let report = find(&samples(&inputs, 16, |message| form.field(code.value(message), 16, 12)));
    assert!(matches!(&report.hits[0].found, Found::Code(found) if found.name() == code.name()));
    assert_eq!(report.hits[0].form, form);
    let report = find(&samples(&inputs, 16, |message| u128::from(residue::crc32(message) >> 16)));
    assert!(
        matches!(&report.hits[0].found, Found::Code(found) if found.name() == "crc-32/iso-hdlc")
    );
    assert_eq!(report.hits[0].form.place, Place::High);
}

#[test]
fn sums_with_settings_of_their_own() {
    let inputs = messages(&[4, 9, 13, 22, 31], 6);
    let base =
        Model { kind: Kind::Xor, unit: 1, little: false, modulus: 0, start: 0, end_around: false };
    let weighted = |first_high, late, second| Kind::Weighted { first_high, late, second };
    for (bits, model) in [
        (8, Model { start: 0x5a, ..base }),
        (
            16,
            Model { kind: Kind::Plain { negated: false }, modulus: 1 << 16, start: 0x1234, ..base },
        ),
        (8, Model { kind: Kind::Plain { negated: true }, modulus: 256, ..base }),
        (8, Model { kind: Kind::Plain { negated: true }, modulus: 255, start: 255, ..base }),
        (16, Model { kind: Kind::Plain { negated: false }, modulus: 40_009, start: 7, ..base }),
        (
            16,
            Model {
                kind: Kind::Plain { negated: false },
                unit: 2,
                little: true,
                modulus: 65_535,
                ..base
            },
        ),
        (16, Model { kind: weighted(true, false, 3), modulus: 251, start: 1, ..base }),
        (16, Model { kind: weighted(false, true, 0), modulus: 256, ..base }),
        (32, Model { kind: weighted(false, false, 0), modulus: 65_521, start: 0, ..base }),
        (32, Model { kind: weighted(false, false, 5), unit: 2, modulus: 65_535, start: 9, ..base }),
        (
            16,
            Model {
                kind: Kind::Rotating { negated: true },
                unit: 2,
                little: true,
                modulus: 65_535,
                start: 0x77,
                ..base
            },
        ),
        (16, Model { kind: Kind::Bsd, modulus: 65_536, ..base }),
        // Sums of large blocks, and dual sums, by Koopman's moduli.
        (8, Model { kind: Kind::Plain { negated: false }, unit: 4, modulus: 253, ..base }),
        (
            8,
            Model { kind: Kind::Plain { negated: false }, unit: 2, modulus: 239, start: 9, ..base },
        ),
        (16, Model { kind: Kind::Plain { negated: true }, unit: 4, modulus: 65_519, ..base }),
        (16, Model { kind: Kind::Plain { negated: false }, unit: 2, modulus: 65_525, ..base }),
        (16, Model { kind: weighted(false, false, 0), modulus: 253, ..base }),
        (16, Model { kind: weighted(true, false, 1), unit: 2, modulus: 253, start: 1, ..base }),
        (32, Model { kind: weighted(false, false, 0), modulus: 65_525, ..base }),
        (32, Model { kind: weighted(false, false, 0), unit: 4, modulus: 65_525, ..base }),
        (
            32,
            Model {
                kind: weighted(false, false, 0),
                unit: 2,
                little: true,
                modulus: 65_519,
                ..base
            },
        ),
    ] {
        let samples = samples(&inputs, bits, |message| model.value(message, bits));
        let report = find(&samples);
        assert!(report.convincing(), "{model}: {report:?}");
        let probes = messages(&[1, 8, 40, 77], 11);
        let right = |hit: &Hit| {
            probes.iter().all(|probe| hit.field(probe, bits) == Some(model.value(probe, bits)))
        };
        assert!(report.hits.iter().any(right), "{model}: {report:?}");
    }
}

/// Koopman's checksums: recommended moduli with any seed, and any modulus.
#[test]
fn messages_as_numbers_modulo() {
    let inputs = messages(&[5, 9, 14, 22, 31, 33], 17);
    let probes = messages(&[1, 8, 40, 77], 18);
    for (bits, zeros, parity, modulus, start) in [
        (8, 1, false, 253, 0),
        (8, 1, false, 253, 0xee),
        (8, 1, true, 125, 0),
        (16, 2, false, 65_519, 0),
        (16, 2, false, 65_519, 1),
        (16, 2, true, 32_749, 0xff),
        (16, 2, false, 40_009, 0),
        (16, 0, false, 65_519, 0),
        (24, 3, false, 16_777_213, 0),
        (32, 4, false, 4_294_967_291, 0),
        (32, 4, true, 2_147_483_629, 0x5a),
        (32, 4, false, 3_141_592_653, 0),
        (64, 8, false, 18_446_744_073_709_551_557, 0),
    ] {
        let kind = Kind::Remainder { zeros, parity };
        let model = Model { kind, unit: 1, little: false, modulus, start, end_around: false };
        for order in [Order::Big, Order::Little] {
            let form = Form { order, place: Place::Low };
            let value = |message: &[u8]| form.field(model.value(message, bits), bits, bits);
            let report = find(&samples(&inputs, bits, value));
            assert!(report.convincing(), "{model}: {report:?}");
            let right =
                |hit: &Hit| probes.iter().all(|probe| hit.field(probe, bits) == Some(value(probe)));
            assert!(right(&report.hits[0]), "{model}: {report:?}");
            if bits == 8 {
                break;
            }
        }
    }
}

/// Values of the crate koopman-checksum 1.0.4.
#[test]
fn koopman_checksums_of_another_program() {
    let model = |zeros, parity, modulus, start| Model {
        kind: Kind::Remainder { zeros, parity },
        unit: 1,
        little: false,
        modulus,
        start,
        end_around: false,
    };
    for (bits, model, values) in [
        (8, model(1, false, 253, 0), [0x2f, 0x26, 0xf6]),
        (8, model(1, false, 253, 0xee), [0x1c, 0xb0, 0x22]),
        (8, model(1, true, 125, 0xee), [0xa3, 0xd9, 0x4c]),
        (16, model(2, false, 65_519, 0), [0xf4a7, 0x671, 0x81a4]),
        (16, model(2, true, 32_749, 0xee), [0x9253, 0x2a75, 0xdd2a]),
        (32, model(4, false, 4_294_967_291, 0), [0xf614_4a50, 0x1e5, 0x1138_218f]),
        (32, model(4, true, 2_147_483_629, 0xee), [0x6b7f_6a89, 0x2a75, 0xee38_dbd0]),
    ] {
        let messages: [&[u8]; 3] = [b"123456789", b"a", b"Hello, World!"];
        for (message, value) in messages.iter().zip(values) {
            assert_eq!(model.value(message, bits), value, "{model}");
        }
        assert_eq!(model.value(b"", bits), 0);
    }
}

#[test]
fn hash_functions_are_named_as_what_they_are() {
    let inputs = messages(&[3, 9, 21, 40], 19);
    for hash in Hash::ALL {
        let report = find(&samples(&inputs[..2], hash.width, |message| hash.value(message)));
        assert!(report.convincing(), "{hash}: {report:?}");
        let found = matches!(report.hits[0].found, Found::Hash(found) if found.name == hash.name);
        assert!(found && report.hits.len() == 1, "{hash}: {report:?}");
        // In the other byte order, of a part of the message.
        let form = Form { order: Order::Little, place: Place::Low };
        let value = |message: &[u8]| form.field(hash.value(&message[2..]), hash.width, hash.width);
        let report = find(&samples(&inputs, hash.width, value));
        let [hit] = &report.hits[..] else { panic!("{hash}: {report:?}") };
        assert!(matches!(hit.found, Found::Hash(found) if found.name == hash.name), "{hash}");
        assert_eq!((hit.form, hit.reading.lead), (form, 2));
    }
}

#[test]
fn a_wrong_sample_is_named() {
    for (count, wrong) in [(4, 2), (5, 0), (12, 11), (40, 6)] {
        let lengths: Vec<usize> = (0..count).map(|i| 6 + i % 17).collect();
        let inputs = messages(&lengths, 12);
        let mut list = samples(&inputs, 32, |m| u128::from(residue::crc32c(m))).list().to_vec();
        list[wrong].value ^= 0x10;
        let report = find(&Samples::new(list, 32, false).unwrap());
        assert_eq!(report.strangers, [wrong]);
        assert!(
            matches!(&report.hits[0].found, Found::Code(code) if code.name() == "crc-32/iscsi")
        );
    }
}

#[test]
fn noise_is_no_code() {
    let inputs = messages(&[5, 9, 14, 14, 31], 13);
    let values = messages(&[4; 5], 14);
    let list: Vec<Sample> = inputs
        .into_iter()
        .zip(values)
        .map(|(message, value)| Sample {
            message,
            value: u32::from_be_bytes(value.try_into().unwrap()).into(),
        })
        .collect();
    let report = find(&Samples::new(list.clone(), 32, false).unwrap());
    assert!(!report.convincing() && report.strangers.is_empty(), "{report:?}");
    assert_eq!(report.stage, Stage::Unknown);
    // A single sample of one hexadecimal digit is everything and nothing.
    let one = Sample { message: list[0].message.clone(), value: 5 };
    let report = find(&Samples::new(vec![one], 4, false).unwrap());
    assert!(!report.convincing() && report.weak > 10, "{report:?}");
}

#[test]
fn several_that_fit() {
    // At one length init and xorout are one unknown: the catalogue itself has pairs that agree
    // there.
    let inputs = messages(&[8, 8, 8, 8], 15);
    let crc: Crc = Crc::new(&catalog::CRC_16_XMODEM);
    let report = find(&samples(&inputs, 16, |message| crc.checksum(message)));
    let family = report.hits[0].family.as_ref().unwrap();
    assert_eq!((family.dimension(), family.params.poly), (16, 0x1021));
    let decisive = report.decisive.unwrap();
    assert_ne!(decisive.message.len(), 8);
    assert_eq!(decisive.values[0], crc.checksum(&decisive.message));
    // One sample of 3 bits.
    let one = samples(&messages(&[6], 16), 3, |message| catalog::CRC_3_GSM.reference(message));
    let report = find(&one);
    assert!(!report.convincing() && report.hits.len() + report.weak > 1, "{report:?}");
}

#[test]
fn samples_that_are_none() {
    use residue_identify::Unusable;
    let sample = |message: &[u8], value| Sample { message: message.to_vec(), value };
    let refused = |list: Vec<Sample>, bits| match Samples::new(list, bits, false) {
        Err(residue_identify::Error::Samples(unusable)) => unusable,
        other => panic!("{other:?}"),
    };
    assert_eq!(refused(vec![], 8), Unusable::None);
    assert_eq!(refused(vec![sample(b"a", 0)], 0), Unusable::Width(0));
    assert_eq!(refused(vec![sample(b"a", 0)], 129), Unusable::Width(129));
    assert_eq!(refused(vec![sample(b"a", 0), sample(b"b", 256)], 8), Unusable::TooWide(1));
    let twice = vec![sample(b"a", 1), sample(b"b", 1), sample(b"a", 2)];
    assert_eq!(refused(twice, 8), Unusable::Contradiction(0, 2));
    assert!(matches!(
        identify(
            &Samples::new(vec![sample(b"", 0)], 8, false).unwrap(),
            &Options { offset: 65, ..Options::default() }
        ),
        Err(residue_identify::Error::Offset(65))
    ));
    // Nothing, of nothing, at every width.
    for bits in [1, 2, 3, 4, 7, 8, 12, 16, 31, 65, 127, 128] {
        for message in [&b""[..], b"a"] {
            let samples =
                Samples::new(vec![sample(message, 0), sample(b"bc", 1)], bits, true).unwrap();
            let _ = identify(&samples, &Options { offset: 1, ..Options::default() });
        }
    }
}
