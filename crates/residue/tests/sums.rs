//! Tests of the sums beyond those of all codes: XNS in depth, and lengths known to the compiler.

mod common;

use residue::kernel::{Family, Kernel};
use residue::koopman::{Mod253, Mod65525, Modulus};
use residue::{Error, adler, dual, fletcher, internet, xns};
use residue_testing::noise;

/// Returns data whose sums reach the ends of every lane, and whose total is minus zero.
fn extremes(length: usize) -> [(&'static str, Vec<u8>); 5] {
    let pattern = |of: &dyn Fn(usize) -> u8| (0..length).map(of).collect();
    [
        ("noise", noise(length)),
        ("zeros", vec![0; length]),
        ("ones", vec![0xff; length]),
        // Alternating words of FFFF and of 0000, and pairs of them.
        ("words", pattern(&|i| if i / 2 % 2 == 0 { 0xff } else { 0 })),
        ("pairs", pattern(&|i| if i / 4 % 2 == 0 { 0 } else { 0xff })),
    ]
}

#[test]
fn xns_kernels_at_every_length_to_2000() {
    for (name, data) in extremes(2064) {
        for n in (0..=2000).step_by(if common::emulated() { 11 } else { 1 }) {
            let data = &data[n % 64..n % 64 + n];
            let expected = xns::reference(data);
            for kernel in xns::KERNELS {
                let Some(forced) = common::force(kernel) else { continue };
                let kernel = kernel.info().name;
                assert_eq!(forced.value(&(), data), expected, "{name} {kernel} {n}");
            }
        }
    }
}

/// Compares the kernels of a code with sums of one unit at a time, from the least and the largest
/// state.
fn compare_sums<F: Family<With = (), State = [u32; 2]>>(
    kernels: &'static [Kernel<F>],
    unit: usize,
    m: u32,
) {
    for (name, data) in extremes(1100) {
        for start in [[0, 0], [1, 0], [m - 1, m - 1]] {
            let next = |[a, b]: [u32; 2], unit: &[u8]| {
                let unit = unit.iter().rev().fold(0, |unit, &byte| unit << 8 | u32::from(byte));
                let a = (a + unit) % m;
                [a, (b + a) % m]
            };
            let mut whole = start;
            for n in 0..=if common::emulated() { 200 } else { data.len() } {
                let (units, last) = data[..n].split_at(n / unit * unit);
                if last.is_empty() && n > 0 {
                    whole = next(whole, &units[n - unit..]);
                }
                let expected = if last.is_empty() { whole } else { next(whole, last) };
                for kernel in kernels {
                    let Some(forced) = common::force(kernel) else { continue };
                    let kernel = kernel.info().name;
                    assert_eq!(forced.run(&(), start, &data[..n]), expected, "{name} {kernel} {n}");
                }
            }
        }
    }
}

#[test]
fn weighted_kernels_at_every_length_to_1100() {
    compare_sums(adler::KERNELS, 1, 65521);
    compare_sums(fletcher::KERNELS_16, 1, 255);
    compare_sums(fletcher::KERNELS_32, 2, 65535);
}

#[test]
fn internet_kernels_at_every_length_to_600() {
    for (name, data) in extremes(664) {
        for n in (0..=600).step_by(if common::emulated() { 7 } else { 1 }) {
            let data = &data[n % 64..n % 64 + n];
            for kernel in internet::KERNELS {
                let Some(forced) = common::force(kernel) else { continue };
                let kernel = kernel.info().name;
                assert_eq!(
                    forced.value(&(), data),
                    internet::reference(data),
                    "{name} {kernel} {n}"
                );
                // From the largest state, which is minus zero.
                let sum = forced.run(&(), u64::MAX, data);
                let expected = match internet::reference(data) {
                    0xffff => 0,
                    value => value,
                };
                assert_eq!(internet::Internet::finish(&(), sum), expected, "{name} {kernel} {n}");
            }
        }
    }
}

/// Every state is reached by one whole word before the data.
#[test]
fn xns_kernels_from_every_state() {
    let data = noise(600);
    let mut joined = vec![0; 2];
    for state in (0..0xffff_u16).step_by(if common::emulated() { 4001 } else { 37 }) {
        let n = usize::from(state) * 7 % 600;
        joined.truncate(2);
        joined[..2].copy_from_slice(&u16::to_be_bytes(state.rotate_right(1)));
        joined.extend(&data[..n]);
        let expected = xns::reference(&joined);
        for kernel in xns::KERNELS {
            let Some(forced) = common::force(kernel) else { continue };
            let kernel = kernel.info().name;
            assert_eq!(forced.run(&(), state, &data[..n]), expected, "{kernel} {state} {n}");
        }
    }
}

/// Lanes are emptied after 1364 steps of eight vectors, of 16 to 64 bytes; tests both sides of this
/// length.
#[test]
fn paired_kernels_around_their_blocks() {
    let data = extremes(1364 * 8 * 64 + 600);
    for vector in [16, 32, 64] {
        let block = 1364 * 8 * vector;
        for n in [block - 1, block, block + 1, block + vector - 1, block + 8 * vector - 2] {
            for (name, data) in &data {
                let data = &data[..n];
                let expected = (internet::reference(data), xns::reference(data));
                for kernel in internet::KERNELS {
                    let Some(forced) = common::force(kernel) else { continue };
                    let kernel = kernel.info().name;
                    assert_eq!(forced.value(&(), data), expected.0, "{name} {kernel} {n}");
                }
                for kernel in xns::KERNELS {
                    let Some(forced) = common::force(kernel) else { continue };
                    let kernel = kernel.info().name;
                    assert_eq!(forced.value(&(), data), expected.1, "{name} {kernel} {n}");
                }
            }
        }
    }
}

#[test]
fn arrays_of_known_length() {
    macro_rules! check {
        ($($n:literal)*) => {$(
            for (name, data) in extremes($n + 3) {
                for at in 0..=3 {
                    let data: &[u8; $n] = data[at..].first_chunk().expect("enough bytes");
                    let expected = internet::reference(data);
                    assert_eq!(internet::checksum_array(data), expected, "{name} {} {at}", $n);
                }
            }
        )*};
    }
    check!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23
        24 25 31 32 33 40 60 64 1500);
}

/// Compares a dual sum of data in two pieces, and of changed data, with the definition.
fn dual_sums<M: Modulus + PartialEq>() {
    let data = noise(304);
    let stream = |data: &[u8]| {
        let mut stream = dual::Checksum::<M>::new();
        stream.update(data);
        stream
    };
    for n in (0..=300).step_by(if common::emulated() { 13 } else { 1 }) {
        let data = &data[n % 4..n % 4 + n];
        let expected = dual::reference::<M>(data);
        for split in 0..=n {
            let (first, second) = data.split_at(split);
            let mut pieces = stream(first);
            assert_eq!(pieces.value(), dual::reference::<M>(first), "{n} {split}");
            let resumed = dual::Checksum::<M>::resume(pieces.value(), split as u64);
            assert_eq!(resumed, Ok(pieces), "{n} {split}");
            pieces.update(second);
            assert_eq!((pieces.value(), pieces.bytes()), (expected, n as u64), "{n} {split}");
            let mut combined = stream(first);
            match combined.combine(&stream(second)) {
                Ok(()) => assert_eq!(combined, pieces, "{n} {split}"),
                Err(error) => {
                    assert_eq!(error, Error::OddSplit { bytes: split as u64 });
                    assert_ne!(split % 4, 0);
                }
            }
            let changed = &mut data.to_vec();
            let end = n.min(split + 5);
            changed[split..end].iter_mut().for_each(|byte| *byte = byte.wrapping_mul(7) ^ 0xa5);
            let (old, new) = (&data[split..end], &changed[split..end]);
            let updated = dual::update_at::<M>(expected, n as u64, split as u64, old, new);
            assert_eq!(updated, Some(dual::reference::<M>(changed)), "{n} {split}");
        }
        // Byte by byte.
        let mut bytes = dual::Checksum::<M>::new();
        data.chunks(1).for_each(|byte| bytes.update(byte));
        assert_eq!(bytes.value(), expected, "{n}");
    }
    assert_eq!(dual::update_at::<M>(0, 4, 2, &[0; 3], &[0; 3]), None);
    assert_eq!(dual::update_at::<M>(0, 4, 2, &[0; 2], &[0; 1]), None);
    let m = M::MODULUS as u32;
    for (value, bytes) in [(m, 8), (m << M::WIDTH, 8), (1, 0)] {
        assert_eq!(
            dual::Checksum::<M>::resume(value, bytes),
            Err(Error::ImpossibleValue { bytes })
        );
    }
}

#[test]
fn dual_sums_of_every_split() {
    dual_sums::<Mod253>();
    dual_sums::<Mod65525>();
}
