//! Properties of every code for any data: pieces, combination, update, verification.

use crate::common::{self, any_code, code, stream};
use proptest::prelude::*;
use residue::crc::{Crc, catalog};
use residue::fletcher::{self, check_octets};
use residue::{Code, Error, internet};
use residue_testing::noise;
use std::io::IoSlice;

fn data() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any::<u8>(), 0..700)
}

proptest! {
    #![proptest_config(common::cases(512, 64))]

    #[test]
    fn pieces_give_what_the_whole_gives(
        code in any_code(),
        data in data(),
        cuts in prop::collection::vec(0usize..700, 0..7)
    ) {
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(data.len())).collect();
        cuts.sort_unstable();
        let (mut pieces, mut from) = (Vec::new(), 0);
        for cut in cuts {
            pieces.push(&data[from..cut]);
            from = cut;
        }
        pieces.push(&data[from..]);
        let expected = code.reference(&data);
        let mut one_by_one = code.stream();
        pieces.iter().for_each(|piece| one_by_one.update(piece));
        prop_assert_eq!(one_by_one.value(), expected);
        let mut scattered = code.stream();
        scattered.update_scattered(&pieces);
        prop_assert_eq!(scattered.value(), expected);
        if let Code::Crc(crc) = &code {
            let extended =
                pieces.iter().fold(crc.checksum(b""), |value, piece| crc.extend(value, piece));
            prop_assert_eq!(extended, expected);
        }
        let slices: Vec<IoSlice> = pieces.iter().map(|piece| IoSlice::new(piece)).collect();
        let mut scattered = code.stream();
        scattered.update_scattered(&slices);
        prop_assert_eq!(scattered.value(), expected);
    }

    #[test]
    fn combination_is_concatenation_or_an_error(
        code in any_code(),
        a in data(),
        b in data(),
        c in data()
    ) {
        let joined = [&*a, &b].concat();
        let mut whole = stream(&code, &a);
        let values = code.partial(&a).concat(&code.partial(&b));
        match whole.combine(&stream(&code, &b)) {
            Ok(()) => {
                prop_assert_eq!(whole.value(), code.reference(&joined));
                prop_assert_eq!(values, Ok(whole.partial()), "{}", code);
                // It continues like any other stream.
                whole.update(&c);
                prop_assert_eq!(whole.value(), code.reference(&[joined, c].concat()));
            }
            Err(error) => {
                prop_assert_eq!(error, Error::OddSplit { bytes: a.len() as u64 });
                prop_assert!(a.len() % 4 != 0 && code.params().is_none());
                prop_assert_eq!(whole.value(), code.reference(&a));
                // Only of nothing behind it.
                let expected = if b.is_empty() { Ok(code.partial(&a)) } else { Err(error) };
                prop_assert_eq!(values, expected, "{}", code);
            }
        }
    }

    #[test]
    fn four_octets_are_updated(
        mut data in prop::collection::vec(any::<u8>(), 8..300),
        at in any::<prop::sample::Index>(),
        place in any::<prop::sample::Index>(),
        new in any::<[u8; 3]>()
    ) {
        let (offset, place) = (at.index(data.len() - 3), place.index(data.len() - 2));
        let octets = check_octets::place_four(&mut data, offset).expect("they fit");
        let old = data[place..place + 3].to_vec();
        let [length, o, p] = [data.len(), offset, place].map(|n| n as u64);
        let updated = check_octets::update_four(octets, length, o, p, &old, &new);
        if place + 3 <= offset || place >= offset + 4 {
            data[place..place + 3].copy_from_slice(&new);
            data[offset..offset + 4].copy_from_slice(&updated.expect("outside"));
            prop_assert!(check_octets::verify_four(&data));
        } else {
            prop_assert_eq!(updated, None);
        }
    }

    #[test]
    fn update_is_recomputation(
        code in any_code(),
        mut data in data(),
        new in prop::collection::vec(any::<u8>(), 0..90),
        at in any::<prop::sample::Index>()
    ) {
        prop_assume!(new.len() <= data.len());
        let offset = at.index(data.len() - new.len() + 1);
        let before = code.reference(&data);
        let old = data[offset..offset + new.len()].to_vec();
        data[offset..offset + new.len()].copy_from_slice(&new);
        // The one inexact case of one's-complement codes.
        prop_assume!(data.iter().any(|&byte| byte != 0));
        let updated = code.update(before, data.len() as u64, offset as u64, &old, &new);
        prop_assert_eq!(updated, Some(code.reference(&data)), "{} at {}", code, offset);
        let length = data.len() as u64;
        prop_assert_eq!(code.update(before, length, length, &[1], &[2]), None);
        prop_assert_eq!(code.update(before, 10, 0, &[1], &[]), None);
    }

    #[test]
    fn an_appended_crc_leaves_the_residue(
        index in 0..catalog::ALL.len(),
        data in data(),
        flip in any::<prop::sample::Index>()
    ) {
        let crc: Crc = Crc::new(&catalog::ALL[index]);
        let Some((bytes, count)) = crc.append(crc.checksum(&data)) else { return Ok(()) };
        let mut sent = data;
        sent.extend_from_slice(&bytes[..count]);
        prop_assert_eq!(crc.verify(&sent), Some(true));
        let flip = flip.index(8 * sent.len());
        sent[flip / 8] ^= 1 << (flip % 8);
        prop_assert_eq!(crc.verify(&sent), Some(false));
    }

    #[test]
    fn a_crc_is_linear(index in 0..catalog::ALL.len(), a in data(), seed in any::<u8>()) {
        let crc: Crc = Crc::new(&catalog::ALL[index]);
        let noise = noise(a.len() + usize::from(seed));
        let b = &noise[usize::from(seed)..];
        let sum: Vec<u8> = a.iter().zip(b).map(|(x, y)| x ^ y).collect();
        let zeros = vec![0; a.len()];
        // An even number of terms must include the zero message: init and xorout do not cancel
        // otherwise.
        prop_assert_eq!(
            crc.checksum(&a) ^ crc.checksum(b) ^ crc.checksum(&zeros),
            crc.checksum(&sum)
        );
    }

    #[test]
    fn placed_octets_verify(
        mut data in prop::collection::vec(any::<u8>(), 4..600),
        at in any::<prop::sample::Index>(),
        flip in any::<prop::sample::Index>()
    ) {
        let offset = at.index(data.len() - 1);
        let octets = check_octets::place(&mut data, offset);
        prop_assert!(octets.is_some_and(|octets| octets.iter().all(|&octet| octet != 0)));
        prop_assert!(check_octets::verify(&data));
        let place = flip.index(data.len());
        let old = data[place];
        data[place] = old.wrapping_add(1);
        prop_assert_eq!(check_octets::verify(&data), old == 255);
        if place != offset && place != offset + 1 {
            // Another member of the residue class is equally valid.
            let updated = check_octets::update(
                [data[offset], data[offset + 1]],
                offset,
                place,
                old,
                data[place]
            );
            data[offset..offset + 2].copy_from_slice(&updated.expect("outside the octets"));
            prop_assert!(check_octets::verify(&data));
        } else {
            prop_assert_eq!(check_octets::update([0, 0], offset, place, old, 1), None);
        }
    }

    #[test]
    fn four_placed_octets_verify_in_either_byte_order(
        mut data in prop::collection::vec(any::<u8>(), 4..600),
        at in any::<prop::sample::Index>()
    ) {
        let offset = at.index(data.len() - 3);
        prop_assert!(check_octets::place_four(&mut data, offset).is_some());
        prop_assert!(check_octets::verify_four(&data), "offset {} of {}", offset, data.len());
        prop_assert_eq!(check_octets::four_octets(&data, data.len() - 3), None);
        if data.len() % 2 == 1 {
            data.push(0);
        }
        data.chunks_exact_mut(2).for_each(|pair| pair.swap(0, 1));
        prop_assert!(check_octets::verify_four(&data));
    }

    #[test]
    fn the_sum_of_swapped_words_is_the_swapped_sum(mut data in data()) {
        if data.len() % 2 == 1 {
            data.pop();
        }
        let (internet, fletcher) = (internet::checksum(&data), fletcher::fletcher32(&data));
        data.chunks_exact_mut(2).for_each(|pair| pair.swap(0, 1));
        prop_assert_eq!(internet::checksum(&data), internet.swap_bytes());
        prop_assert_eq!(fletcher::fletcher32(&data), fletcher::swap_halves(fletcher));
    }

    #[test]
    fn both_equations_of_rfc_1624_agree(
        checksum in any::<u16>(),
        old in any::<u16>(),
        new in any::<u16>()
    ) {
        let ones = |a: u16, b: u16| {
            let (sum, carry) = a.overflowing_add(b);
            sum + u16::from(carry)
        };
        // Equation 4: HC' = HC - ~m - m', a subtraction being the addition of the complement.
        let equation4 = ones(ones(checksum, old), !new);
        let equation3 = internet::update(checksum, old, new);
        prop_assert!(
            equation3 == equation4
                || (equation3 ^ equation4) == 0xffff && equation3.is_multiple_of(0xffff)
        );
    }

    #[test]
    fn a_code_is_parsed_or_refused(text in ".{0,60}") {
        let _ = text.parse::<Code>();
    }

    #[test]
    fn parameters_spell_the_same_crc(index in 0..catalog::ALL.len(), data in data()) {
        let p = &catalog::ALL[index];
        let text = format!(
            "width={} poly=0x{:x},init={:X} refin={} refout={} xorout=0x{:x} check=0x{:x}",
            p.width, p.poly, p.init, p.refin, p.refout, p.xorout, p.check
        );
        let code = code(&text);
        prop_assert_eq!(code.value(&data), p.reference(&data));
        prop_assert_eq!(code.params().map(|q| (q.check, q.residue)), Some((p.check, p.residue)));
    }
}

#[test]
fn pseudo_headers_enter_as_the_rfcs_say() {
    // 192.0.2.1:1234 to 192.0.2.2:80, five bytes of payload: C2CC.
    let segment = common::hex("04d2 0050 00000001 00000002 5018 2000 0000 0000 68656c6c6f");
    let mut sum =
        internet::Checksum::with_ipv4([192, 0, 2, 1], [192, 0, 2, 2], 6, segment.len() as u16);
    sum.update(&segment);
    assert_eq!(sum.value(), 0xc2cc);
    // 2001:db8::1 port 53 to 2001:db8::2 port 1234, UDP: DA93.
    let datagram = common::hex("0035 04d2 000c 0000 61626364");
    let address = |last: u8| {
        let mut address = [0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        address[15] = last;
        address
    };
    let mut sum = internet::Checksum::with_ipv6(address(1), address(2), 17, datagram.len() as u32);
    sum.update(&datagram);
    assert_eq!(sum.value(), 0xda93);
}

#[test]
fn lengths_beyond_memory_combine() {
    // crc32fast's golden value, a length of 64 bits.
    let crc: Crc = Crc::new(&catalog::CRC_32_ISO_HDLC);
    assert_eq!(crc.combine(0x7f6a_4306, 0xbc92_9646, 0x828c_de72_b3e2_5301), 0xef92_2dda);
    // Combining is associative: three times 2 GiB of zeros is 6 GiB of them.
    let zeros = crc.checksum(&[0; 1 << 16]);
    let mut two_gib = zeros;
    for k in 16..31 {
        two_gib = crc.combine(two_gib, two_gib, 1 << k);
    }
    let left = crc.combine(crc.combine(two_gib, two_gib, 1 << 31), two_gib, 1 << 31);
    let right = crc.combine(two_gib, crc.combine(two_gib, two_gib, 1 << 31), 1 << 32);
    assert_eq!(left, right);
}

#[test]
fn appended_check_octets_make_the_sums_zero() {
    let [two, four] = ["iso-8473", "four-octets"].map(code);
    for length in 0..300 {
        let data = noise(length);
        let whole = [&data[..], &(two.value(&data) as u16).to_be_bytes()].concat();
        assert!(check_octets::verify(&whole));
        let whole = [&data[..], &(four.value(&data) as u32).to_be_bytes()].concat();
        assert!(check_octets::verify_four(&whole), "{length}");
    }
}

#[test]
fn different_codes_do_not_combine() {
    let sums = ["fletcher-16", "rfc1146-8"];
    let crcs = ["crc-32/iscsi", "crc-32/iso-hdlc", "width=8,poly=7", "width=8,poly=9"];
    let codes: Vec<Code> = sums.into_iter().chain(crcs).map(code).collect();
    for (i, a) in codes.iter().enumerate() {
        for (j, b) in codes.iter().enumerate() {
            let expected = if i == j { Ok(()) } else { Err(Error::DifferentCodes) };
            assert_eq!(a.stream().combine(&b.stream()), expected, "{a} {b}");
        }
    }
}

#[test]
fn parameters_find_the_crc_compiled_in() {
    // They have kernels of their own, which no operation may bypass.
    for name in ["crc-32/iscsi", "crc-32/iso-hdlc", "crc-64/nvme"] {
        let named = code(name);
        let params = *named.params().expect("a CRC");
        let by_params = Code::from(Crc::<u128>::new(&params));
        assert!(by_params.kernels().eq(named.kernels()));
        let text = format!(
            "width={},poly={:x},init={:x},refin=true,refout=true,xorout={:x}",
            params.width, params.poly, params.init, params.xorout
        );
        let own = code(&text);
        assert_eq!(own.chosen(), named.chosen());
        assert!(own.kernels().eq(named.kernels()));
    }
    let other = residue::crc::Params { init: 0, ..catalog::CRC_32_ISO_HDLC };
    let other = Code::from(Crc::<u128>::new(&other));
    assert!(!other.kernels().eq(code("crc-32/iso-hdlc").kernels()));
}

#[test]
fn bad_parameters_are_refused_with_their_reason() {
    let refused = |text: &str| text.parse::<Code>().expect_err(text);
    assert!(matches!(refused("crc-33"), Error::UnknownCode(_)));
    assert!(matches!(refused(""), Error::UnknownCode(_)));
    assert_eq!(refused("width=16"), Error::MissingParameter("poly"));
    assert_eq!(refused("poly=1021"), Error::MissingParameter("width"));
    assert_eq!(refused("width=0,poly=1"), Error::Width(0));
    assert_eq!(refused("width=129,poly=1"), Error::Width(129));
    assert_eq!(refused("width=4294967295,poly=1"), Error::Width(4_294_967_295));
    assert_eq!(refused("width=8,poly=107"), Error::TooWide("poly"));
    assert_eq!(refused("width=8,poly=7,init=100"), Error::TooWide("init"));
    assert_eq!(refused("width=8,poly=8"), Error::EvenPolynomial);
    assert_eq!(refused("width=8,poly=xyz"), Error::BadParameter);
    assert_eq!(refused("width=8,poly=7,refin=yes"), Error::BadParameter);
    assert_eq!(refused("width=8,poly=7,colour=red"), Error::BadParameter);
    assert_eq!(refused("width=8,poly=+7"), Error::BadParameter);
    assert_eq!(refused("width=8,poly=7,poly=7"), Error::BadParameter);
    assert_eq!(refused("width=8,poly=7,check=f5"), Error::WrongCheck);
    assert_eq!(refused("width=8,poly=7,residue=1"), Error::WrongCheck);
    assert!("width=8,poly=7,check=f4,residue=0,name=CRC-8/SMBUS".parse::<Code>().is_ok());
}

#[test]
fn debug_prints_names_or_parameters_and_no_tables() {
    use residue::crc::tables::Tables;
    let own: Code = "width=5,poly=15".parse().expect("a code");
    let small = residue::small::Bytewise::<u16>::new(&catalog::CRC_16_ARC);
    let tables = Tables::<u32>::new(&catalog::CRC_32_BZIP2);
    let dnp = Crc::<u16>::new(&catalog::CRC_16_DNP);
    let mut digest = dnp.digest();
    digest.update(b"abc");
    for (printed, expected) in [
        (format!("{:?}", code("crc-32c")), "Crc(Crc(crc-32/iscsi))"),
        (format!("{:?}", code("internet")), "Sum(Internet)"),
        (format!("{own:?}"), "Crc(Crc(width=5,poly=15,init=0,refin=false,refout=false,xorout=0))"),
        (format!("{dnp:?}"), "Crc(crc-16/dnp)"),
        (format!("{digest:?}"), "Crc(crc-16/dnp)"),
        (format!("{:?}", code("crc-82/darc")), "Crc(Crc(crc-82/darc))"),
        (format!("{small:?}"), "Crc { ends: "),
        (format!("{tables:?}"), "Tables { ends: "),
    ] {
        assert!(printed.contains(expected) && printed.len() < 200, "{expected}: {printed}");
    }
}
