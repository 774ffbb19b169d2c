//! Streams of every family: resumption from a value, copies, reset, equality, and the standard
//! library's traits; digests that borrow, own and share their CRC.

use crate::common::{self, any_code};
use proptest::prelude::*;
use residue::crc::{self, CRC_32C, Crc, Digest, Params, catalog};
use residue::{Code, Error, copy};
use residue_testing::noise;
use std::hash::Hasher;
use std::io::Write;
use std::sync::Arc;

fn data() -> impl Strategy<Value = Vec<u8>> {
    let sparse = prop::collection::vec(prop_oneof![9 => Just(0), 1 => any::<u8>()], 0..70);
    let dense = prop::collection::vec(any::<u8>(), 0..3000);
    prop_oneof![sparse, dense]
}

proptest! {
    #![proptest_config(common::cases(512, 64))]

    #[test]
    fn a_value_resumes_its_stream(code in any_code(), a in data(), b in data()) {
        let (value, bytes) = (code.value(&a), a.len() as u64);
        let expected = code.reference(&[a, b.clone()].concat());
        match code.resume(value, bytes) {
            Ok(mut stream) => {
                prop_assert_eq!((stream.value(), stream.bytes()), (value, bytes), "{}", code);
                stream.update(&b);
                prop_assert_eq!(stream.value(), expected, "{}", code);
            }
            Err(error) => {
                // Where the value does not determine the bytes of the word it ends in.
                prop_assert_eq!(error, Error::OddSplit { bytes }, "{}", code);
                prop_assert!(bytes % 4 != 0 && code.params().is_none());
            }
        }
    }

    #[test]
    fn a_stream_copies_what_it_adds(code in any_code(), a in data(), b in data()) {
        let mut stream = code.stream();
        let (mut to_a, mut to_b) = (vec![0; a.len()], vec![0; b.len()]);
        stream.update_copying(&a, to_a.as_mut_slice());
        stream.update_copying(&b, to_b.as_mut_slice());
        prop_assert_eq!(stream.bytes(), (a.len() + b.len()) as u64);
        prop_assert_eq!(stream.value(), code.reference(&[&*a, &b].concat()), "{}", code);
        prop_assert!(to_a == a && to_b == b);
        stream.reset();
        prop_assert_eq!(&stream, &code.stream());
        stream.update(&b);
        prop_assert_eq!(stream.value(), code.reference(&b), "{}", code);
    }

    #[test]
    fn the_traits_of_the_standard_library_add_bytes(code in any_code(), data in data()) {
        let (mut hasher, mut writer) = (code.stream(), code.stream());
        Hasher::write(&mut hasher, &data);
        prop_assert_eq!(hasher.finish(), code.reference(&data) as u64);
        writer.write_all(&data).expect("it never fails");
        prop_assert_eq!(&writer, &hasher);
    }

    #[test]
    fn prepared_combination_is_combination(
        index in 0..catalog::ALL.len(),
        a in data(),
        b in data()
    ) {
        let crc: Crc = Crc::new(&catalog::ALL[index]);
        let combine = crc.combine_with_length(b.len() as u64);
        let whole = crc.checksum(&[&*a, &b].concat());
        prop_assert_eq!(combine.combine(crc.checksum(&a), crc.checksum(&b)), whole);
    }

    #[test]
    fn an_initial_register_is_that_of_other_parameters(
        index in 0..catalog::ALL.len(),
        init in any::<u128>(),
        data in data()
    ) {
        let params = catalog::ALL[index];
        let crc: Crc = Crc::new(&params);
        let mut digest = Digest::with_init(&crc, init);
        digest.update(&data);
        let other = Params { init: init & params.mask(), ..params };
        prop_assert_eq!(digest.value(), other.reference(&data), "{}", params.name);
    }

    #[test]
    fn compile_time_values_are_those_of_run_time(
        index in 0..catalog::ALL.len(),
        data in data()
    ) {
        let crc: Crc = Crc::new(&catalog::ALL[index]);
        prop_assert_eq!(crc.checksum_const(&data), crc.checksum(&data));
    }
}

#[test]
fn digests_borrow_own_and_share() {
    let data = noise(3000);
    let expected: u32 = residue::crc32c(&data);
    let borrowed: Digest<u32> = CRC_32C.digest();
    let owned: Digest<u32, Crc<u32>> = Digest::new(CRC_32C.clone());
    let shared: Digest<u32, Arc<Crc<u32>>> = Digest::new(Arc::new(CRC_32C.clone()));
    let (mut a, mut b, mut c) = (borrowed, owned, shared);
    a.update(&data);
    b.update(&data);
    assert_eq!(a, b);
    c.update_scattered(&[&data[..300], &data[300..1000]]);
    assert!(a != c);
    let next = CRC_32C.digest();
    c.combine(&{ next }).expect("one CRC");
    let mut rest = CRC_32C.digest();
    rest.update(&data[1000..]);
    c.combine(&rest).expect("one CRC");
    assert_eq!([a.value(), b.value(), c.value()], [expected; 3]);
    assert_eq!((c.bytes(), c.crc().params().name), (3000, "crc-32/iscsi"));
    let other = Digest::new(Crc::<u32>::new(&catalog::CRC_32_BZIP2));
    assert_eq!(a.combine(&other), Err(Error::DifferentCodes));
}

/// Values have the type of the CRC, and the statics are those of the catalogue.
#[test]
fn statics_and_types() {
    let check = b"123456789";
    assert_eq!(crc::CRC_8_SMBUS.checksum(check), 0xf4_u8);
    macro_rules! of_16_bits {
        ($($name:ident)*) => {$(
            let value: u16 = crc::$name.checksum(check);
            assert_eq!(u128::from(value), catalog::$name.check, stringify!($name));
        )*};
    }
    of_16_bits!(CRC_16_ARC CRC_16_MODBUS CRC_16_XMODEM CRC_16_IBM_3740 CRC_16_IBM_SDLC);
    assert_eq!(crc::CRC_24_OPENPGP.checksum(check), 0x21_cf02_u32);
    assert_eq!(crc::CRC_64_XZ.checksum(check), 0x995d_c9bb_df19_39fa_u64);
    let wide: u128 = Crc::<u128>::new(&catalog::CRC_82_DARC).checksum(check);
    assert_eq!(wide, catalog::CRC_82_DARC.check);
    assert_eq!(Code::from(crc::CRC_16_ARC.clone()).value(check), 0xbb3d);
}

#[test]
fn one_validation() {
    let good = Params { width: 16, poly: 0x8005, ..Params::CUSTOM };
    let bad = [
        (Params { width: 0, ..good }, Error::Width(0)),
        (Params { width: 129, ..good }, Error::Width(129)),
        (Params { width: 15, ..good }, Error::TooWide("poly")),
        (Params { init: 0x1_0000, ..good }, Error::TooWide("init")),
        (Params { xorout: 0x1_0000, ..good }, Error::TooWide("xorout")),
        (Params { poly: 0x8004, ..good }, Error::EvenPolynomial),
    ];
    for (params, error) in bad {
        let Params { name, width, poly, init, refin, refout, xorout, .. } = params;
        assert_eq!(Params::new(name, width, poly, init, (refin, refout), xorout), Err(error));
        assert_eq!(Crc::<u128>::try_new(&params).map(drop), Err(error));
        if cfg!(panic = "unwind") {
            assert!(std::panic::catch_unwind(|| Crc::<u128>::new(&params)).is_err());
        }
    }
    assert_eq!(Crc::<u8>::try_new(&good).map(drop), Err(Error::TooWide("width")));
    let completed = Crc::<u16>::new(&good);
    assert_eq!(completed.params().check, good.reference(b"123456789"));
}

#[test]
fn copies_continue_from_a_value() {
    let data = noise(10_000);
    let mut to = vec![0; data.len()];
    for cut in [0, 1, 1000, 5000, 9999, 10_000] {
        let (first, second) = data.split_at(cut);
        let to = &mut to[..second.len()];
        macro_rules! check {
            ($($value:ident $extend:ident)*) => {$(
                to.fill(0);
                let expected = residue::$value(&data);
                assert_eq!(copy::$extend(residue::$value(first), second, to), expected, "{cut}");
                assert_eq!(to, second);
                assert_eq!(residue::$extend(residue::$value(first), second), expected, "{cut}");
            )*};
        }
        check!(crc32c crc32c_extend crc32 crc32_extend crc64_nvme crc64_nvme_extend
            adler32 adler32_extend);
    }
}

#[test]
#[should_panic(expected = "2 bytes are copied to 3")]
fn a_digest_copies_to_as_many_bytes() {
    CRC_32C.digest().update_copying(b"12", &mut [0; 3]);
}

#[test]
fn words_of_the_machine() {
    let words: Vec<u16> = (0..500).map(|i: u16| i.wrapping_mul(0x9e37)).collect();
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    assert_eq!(residue::fletcher::fletcher32_words(&words), residue::fletcher32(&bytes));
}
