//! The small types and functions, compared with the definitions: every CRC of the catalogue and
//! every width, in every integer that holds it, with every table.

use crate::common::{self, input, number, thinned, vectors};
use residue::crc::{Params, catalog};
use residue::internet;
use residue::small::{self, Bitwise, Bytewise, Nibblewise};
use residue_testing::noise;

/// A small CRC of one type, with values widened.
trait Small {
    fn name(&self) -> &'static str;
    fn checksum(&self, data: &[u8]) -> u128;
    fn extend(&self, value: u128, data: &[u8]) -> u128;
    fn digest(&self, pieces: &[&[u8]]) -> u128;
}

macro_rules! small {
    ($($table:ident $word:ident)*) => {
        $(impl Small for $table<$word> {
            fn name(&self) -> &'static str {
                concat!(stringify!($table), "<", stringify!($word), ">")
            }

            fn checksum(&self, data: &[u8]) -> u128 {
                $table::checksum(self, data).into()
            }

            fn extend(&self, value: u128, data: &[u8]) -> u128 {
                $table::extend(self, value as $word, data).into()
            }

            fn digest(&self, pieces: &[&[u8]]) -> u128 {
                let mut digest = $table::digest(self);
                // A reset digest is a new one.
                digest.update(b"other data");
                digest.reset();
                pieces.iter().for_each(|piece| digest.update(piece));
                digest.value().into()
            }
        })*

        /// Returns a CRC as every type that holds it.
        fn types(params: &Params) -> Vec<Box<dyn Small>> {
            let mut types: Vec<Box<dyn Small>> = Vec::new();
            $(if u32::from(params.width) <= $word::BITS {
                types.push(Box::new($table::<$word>::new(params)));
            })*
            types
        }
    };
}
small! {
    Bitwise u8 Bitwise u16 Bitwise u32 Bitwise u64 Bitwise u128
    Nibblewise u8 Nibblewise u16 Nibblewise u32 Nibblewise u64 Nibblewise u128
    Bytewise u8 Bytewise u16 Bytewise u32 Bytewise u64 Bytewise u128
}

/// Compares every type of a CRC with the definition: at once, from a value, and in pieces.
fn compare(params: &Params, types: &[Box<dyn Small>], data: &[u8]) {
    let (n, expected) = (data.len(), params.reference(data));
    let (first, second) = data.split_at(n / 3);
    let value = params.reference(first);
    // Bits of a value above the width are ignored.
    let above = !params.mask();
    for small in types {
        let name = small.name();
        assert_eq!(small.checksum(data), expected, "{params:?} {name} of {n} bytes");
        for value in [value, value | above] {
            assert_eq!(small.extend(value, second), expected, "{params:?} {name} of {n} bytes");
        }
        let pieces = [first, &[], second];
        assert_eq!(small.digest(&pieces), expected, "{params:?} {name} of {n} bytes");
    }
}

#[test]
fn all_catalogue_crcs() {
    let data = noise(400);
    for params in catalog::ALL {
        let types = types(params);
        assert!(types.len() >= 3);
        for n in thinned((0..=40).chain([63, 64, 65, 127, 128, 129, 255, 256, 257, 300]), 5) {
            compare(params, &types, &data[n % 64..n % 64 + n]);
        }
    }
}

#[test]
fn all_widths_and_start_states() {
    let data = noise(300);
    for params in common::every_width(1) {
        let types = types(&params);
        for n in [0, 1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 24, 33, 130] {
            compare(&params, &types, &data[n % 64..n % 64 + n]);
        }
    }
}

/// Proves the types for short messages.
///
/// They are linear in the register and the message, and branch on lengths only. If, for a length,
/// one is right for zero and for every message and register with one bit set, it is right for all
/// messages and registers of that length.
#[test]
fn proved_for_every_message_and_register_up_to_forty_bytes() {
    let wide = Params::new("custom", 128, 0x87, 0, (false, false), 0).expect("valid parameters");
    for params in [
        catalog::CRC_3_GSM,
        catalog::CRC_5_USB,
        catalog::CRC_8_SMBUS,
        catalog::CRC_8_MAXIM_DOW,
        catalog::CRC_12_UMTS,
        catalog::CRC_16_MODBUS,
        catalog::CRC_16_XMODEM,
        catalog::CRC_24_OPENPGP,
        catalog::CRC_32_ISCSI,
        catalog::CRC_32_BZIP2,
        catalog::CRC_64_XZ,
        catalog::CRC_64_ECMA_182,
        catalog::CRC_82_DARC,
        wide,
    ] {
        let types = types(&params);
        for n in thinned(0..=40, 7) {
            let mut message = vec![0; n];
            for place in 0..n {
                for bit in 0..8 {
                    message[place] = 1 << bit;
                    let expected = params.reference(&message);
                    for small in &types {
                        let (name, value) = (small.name(), small.checksum(&message));
                        assert_eq!(value, expected, "{params:?} {name} {place}.{bit} of {n}");
                    }
                }
                message[place] = 0;
            }
            for bit in 0..params.width {
                let one = Params { init: 1 << bit, ..params };
                // The register whose value is that of no data.
                let (value, expected) = (one.reference(&[]), one.reference(&message));
                for small in &types {
                    let found = small.extend(value, &message);
                    assert_eq!(found, expected, "{params:?} {} register {bit}", small.name());
                }
            }
        }
    }
}

#[test]
fn every_cited_value() {
    let mut checked = 0;
    for line in vectors("values/crc.txt") {
        let code = common::code(&line[0]);
        let (data, expected) = (input(&line[1]), number(&line[2]));
        for small in types(code.params().expect("a CRC")) {
            assert_eq!(small.checksum(&data), expected, "{} {line:?}", small.name());
            checked += 1;
        }
    }
    for line in vectors("values/internet.txt").iter().filter(|line| line[0] == "internet") {
        assert_eq!(u128::from(small::internet(&input(&line[1]))), number(&line[2]), "{line:?}");
        checked += 1;
    }
    assert!(checked > 1000, "only {checked} values were compared");
}

/// Slices that end, or begin, at a page that may not be read.
#[cfg(unix)]
#[test]
fn nothing_outside_the_slice_is_read() {
    common::Guarded::at_both_ends(1 << 12, 0..=70, |data| {
        for params in [&catalog::CRC_16_ARC, &catalog::CRC_16_XMODEM] {
            compare(params, &types(params), data);
        }
        assert_eq!(small::internet(data), internet::reference(data));
    });
}

#[test]
fn tables_are_computed_at_compile_time() {
    static DNP: Bytewise<u16> = Bytewise::<u16>::new(&catalog::CRC_16_DNP);
    const { assert!(small::internet(&[0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7]) == 0x220d) };
    assert_eq!(DNP.checksum(b"123456789"), 0xea82);
    // A table, and at most three words and five bytes, rounded up to words.
    assert!(size_of::<Bytewise<u16>>() <= 512 + 8);
    assert!(size_of::<Bytewise<u32>>() <= 1024 + 12);
    assert!(size_of::<Bitwise<u16>>() <= 4 + 8);
}

#[test]
#[should_panic = "wider than the word"]
fn a_crc_wider_than_its_word_is_refused() {
    let _ = Bitwise::<u16>::new(&catalog::CRC_24_BLE);
}

#[test]
fn internet_checksum_of_every_length() {
    let data = noise(700);
    for n in 0..=600 {
        let data = &data[n % 64..n % 64 + n];
        assert_eq!(small::internet(data), internet::reference(data), "{n} bytes");
        for cut in [0, 1, n / 3, n / 2] {
            let (first, second) = data.split_at(cut.min(n));
            let [a, b] = [first, second].map(small::internet);
            let joined = internet::combine(a, first.len() % 2 == 1, b);
            assert_eq!(joined, internet::reference(data), "{cut} of {n} bytes");
        }
    }
}

/// The two zeros of the sum, and the most carries.
#[test]
fn internet_checksum_of_extreme_words() {
    for byte in [0x00, 0xff, 0x01, 0x80] {
        let data = vec![byte; (1 << 18) + 9];
        for n in (0..=70).chain([65535, 65536, 131_071, 1 << 18, data.len()]) {
            assert_eq!(small::internet(&data[..n]), internet::reference(&data[..n]), "{byte} {n}");
        }
    }
    // Every multiple of the modulus but zero sums to FFFF.
    for word in 0..=u16::MAX {
        let [a, b] = word.to_be_bytes();
        let [c, d] = (!word).to_be_bytes();
        assert_eq!(small::internet(&[a, b, c, d]), 0);
        assert_eq!(small::internet(&[a, b]), !word);
        assert_eq!(small::internet(&[0, 0, 0, a, b]), internet::reference(&[0, 0, 0, a, b]));
    }
}
