//! Tests of the sums beyond those of all codes: data and states at the ends of every lane, lengths
//! known to the compiler, and every split of short data.

use crate::common::{self, same_states, same_values, stream, thinned};
use residue::fletcher::{Mod255, Mod256, Mod65535, Mod65536, swap_halves};
use residue::internals::{self, Family, Kernel};
use residue::koopman::{self, Mod253, Mod65519, Mod65525, Mod4294967291};
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
        for n in thinned(0..=2000, 11) {
            let data = &data[n % 64..n % 64 + n];
            same_values(internals::XNS, data, xns::reference(data), name);
        }
    }
}

/// Compares the kernels of a code with sums of one unit at a time, from the least and the largest
/// state.
fn compare_sums<F: Family<Context = (), State = [u32; 2]>>(
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
                same_states(kernels, start, &data[..n], expected, name);
            }
        }
    }
}

#[test]
fn weighted_kernels_at_every_length_to_1100() {
    compare_sums(internals::ADLER_32, 1, 65521);
    compare_sums(internals::FLETCHER_16, 1, 255);
    compare_sums(internals::FLETCHER_32, 2, 65535);
}

#[test]
fn internet_kernels_at_every_length_to_600() {
    for (name, data) in extremes(664) {
        for n in thinned(0..=600, 7) {
            let data = &data[n % 64..n % 64 + n];
            let value = internet::reference(data);
            same_values(internals::INTERNET, data, value, name);
            // From the largest state, which is minus zero.
            let expected = if value == 0xffff { 0 } else { value };
            for (kernel, forced) in common::forced(internals::INTERNET) {
                let sum = forced.run(&(), u64::MAX, data);
                assert_eq!(internals::Internet::finish(&(), sum), expected, "{name} {kernel} {n}");
            }
        }
    }
}

/// Every state is reached by one whole word before the data.
#[test]
fn xns_kernels_from_every_state() {
    let data = noise(600);
    for state in (0..0xffff_u16).step_by(if common::emulated() { 4001 } else { 37 }) {
        let data = &data[..usize::from(state) * 7 % 600];
        let joined = [&state.rotate_right(1).to_be_bytes(), data].concat();
        same_states(internals::XNS, state, data, xns::reference(&joined), "any state");
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
                same_values(internals::INTERNET, &data[..n], internet::reference(&data[..n]), name);
                same_values(internals::XNS, &data[..n], xns::reference(&data[..n]), name);
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

/// Returns a sum's value after a change: the value, the length, the offset, the old bytes, the new.
type Update = fn(u32, u64, u64, &[u8], &[u8]) -> Option<u32>;

/// The functions that update the value of one family.
const UPDATES: [(&str, Update); 18] = {
    macro_rules! of_fletcher {
        ($variant:ty, $bits:literal) => {
            |value, length, offset, old, new| {
                let sums = [value & ((1 << $bits) - 1), value >> $bits];
                let sums = fletcher::update_at::<$variant>(sums, length, offset, old, new);
                sums.map(|[a, b]| b << $bits | a)
            }
        };
    }
    macro_rules! of_baseline {
        ($operation:ident, $word:ident) => {
            |value, length, offset, old, new| {
                use residue::baseline::{Baseline, $operation};
                let inside = offset + old.len() as u64 <= length;
                let updated = Baseline::<$operation, $word>::update_at(value, offset, old, new);
                updated.filter(|_| inside)
            }
        };
    }
    [
        ("fletcher-16", of_fletcher!(Mod255, 8)),
        ("fletcher-32", of_fletcher!(Mod65535, 16)),
        ("fletcher-16/mod256", of_fletcher!(Mod256, 8)),
        ("fletcher-32/mod65536", of_fletcher!(Mod65536, 16)),
        ("fletcher-32/be", |value, length, offset, old, new| {
            let update: Update = of_fletcher!(Mod65535, 16);
            update(swap_halves(value), length, offset, old, new).map(swap_halves)
        }),
        ("adler-32", adler::update_at),
        ("xns", |value, length, offset, old, new| {
            xns::update_at(value as u16, length, offset, old, new).map(u32::from)
        }),
        ("dual-16", dual::update_at::<Mod253>),
        ("dual-32", dual::update_at::<Mod65525>),
        ("koopman-8", koopman::update_at::<Mod253>),
        ("koopman-16", koopman::update_at::<Mod65519>),
        ("koopman-32", koopman::update_at::<Mod4294967291>),
        ("xor-8", of_baseline!(Xor, u8)),
        ("xor-16", of_baseline!(Xor, u16)),
        ("xor-32", of_baseline!(Xor, u32)),
        ("sum-8", of_baseline!(Add, u8)),
        ("sum-16", of_baseline!(Add, u16)),
        ("sum-32", of_baseline!(Add, u32)),
    ]
};

/// Compares data in two pieces, resumed and combined, and changed data, with the definition.
#[test]
fn every_split_of_short_data() {
    let data = noise(104);
    for (name, update) in UPDATES {
        let code = common::code(name);
        let short = thinned(0..=70, 13).chain([100]);
        for data in short.map(|n| &data[n % 4..n % 4 + n]) {
            let (n, expected) = (data.len() as u64, code.reference(data));
            for split in 0..=data.len() {
                let (first, second) = data.split_at(split);
                let at = format!("{code}: {split} of {n} bytes");
                let mut pieces = stream(&code, first);
                assert_eq!(pieces.value(), code.reference(first), "{at}");
                let odd = Error::OddSplit { bytes: split as u64 };
                match code.resume(pieces.value(), split as u64) {
                    Ok(resumed) => assert_eq!(resumed, pieces, "{at}"),
                    Err(error) => assert!(error == odd && split % 2 == 1, "{at}: {error}"),
                }
                pieces.update(second);
                assert_eq!((pieces.value(), pieces.bytes()), (expected, n), "{at}");
                let mut combined = stream(&code, first);
                match combined.combine(&stream(&code, second)) {
                    Ok(()) => assert_eq!(combined, pieces, "{at}"),
                    Err(error) => assert!(error == odd && split % 4 != 0, "{at}: {error}"),
                }
                let changed = &mut data.to_vec();
                let end = data.len().min(split + 5);
                changed[split..end].iter_mut().for_each(|byte| *byte = byte.wrapping_mul(7) ^ 0xa5);
                let (old, new) = (&data[split..end], &changed[split..end]);
                let updated = update(expected as u32, n, split as u64, old, new);
                assert_eq!(updated.map(u128::from), Some(code.reference(changed)), "{at}");
            }
            let mut bytes = code.stream();
            data.chunks(1).for_each(|byte| bytes.update(byte));
            assert_eq!(bytes.value(), expected, "{code}: {n} bytes");
        }
        assert_eq!(update(0, 4, 2, &[0; 3], &[0; 3]), None, "{code}");
        assert_eq!(update(0, 4, 2, &[0; 2], &[0; 1]), None, "{code}");
    }
}
