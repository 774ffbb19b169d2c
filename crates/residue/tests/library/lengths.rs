//! Lengths at the end of 64 bits: no stream wraps around there, and none combines what is too long.

use crate::common::{self, stream};
use residue::crc::{CRC_32C, Digest};
use residue::{Code, Error, Stream};

/// The largest length that ends at a whole word of every code.
const LARGE: u64 = u64::MAX - 7;

/// Returns a stream of eight bytes and so many zeros that it has `length` bytes.
fn long(code: &Code, length: u64) -> Stream<'_> {
    let partial = code.partial(b"12345678").extend_by_zeroes(length - 8).expect("below 2^64");
    code.resume(partial.value(), partial.bytes()).expect("the value of these data")
}

#[test]
fn streams_of_two_to_the_64_bytes_are_refused() {
    for code in Code::all() {
        let first = long(&code, LARGE);
        let mut most = first.clone();
        most.combine(&stream(&code, b"1234567")).expect("2^64 - 1 bytes");
        let expected = first.partial().concat(&code.partial(b"1234567"));
        assert_eq!(Ok(most.partial()), expected, "{code}");
        assert_eq!(most.bytes(), u64::MAX, "{code}");
        for next in [stream(&code, b"12345678"), first.clone()] {
            let mut whole = first.clone();
            assert_eq!(whole.combine(&next), Err(Error::TooLong), "{code}");
            assert_eq!(whole, first, "{code} changed by a refused combination");
        }
        let mut short = stream(&code, b"12345678");
        assert_eq!(short.combine(&first), Err(Error::TooLong), "{code}");
        assert_eq!(short, stream(&code, b"12345678"), "{code}");
    }
}

#[test]
fn updates_past_the_last_length_neither_wrap_nor_change_values() {
    let data = b"123456789abcdefghijklmno";
    for code in Code::all() {
        let start = long(&code, LARGE);
        // No value depends on more of the length than its place in a word.
        let mut expected = code.resume(start.value(), 8).expect("a possible value");
        expected.update(data);
        for cut in 0..=data.len() {
            let mut long = start.clone();
            let mut copy = [0; 32];
            long.update(&data[..cut]);
            long.update_copying(&data[cut..], &mut copy[cut..data.len()]);
            assert_eq!(long.value(), expected.value(), "{code}, cut at {cut}");
            assert!(long.bytes() >= LARGE, "{code} has {} bytes", long.bytes());
            assert_eq!(long.combine(&stream(&code, data)), Err(Error::TooLong), "{code}");
            // Its length is not known any more, so nothing can precede it.
            let mut first = stream(&code, b"1234");
            assert_eq!(first.combine(&long), Err(Error::TooLong), "{code}");
            let mut empty = code.stream();
            empty.combine(&long).expect("nothing precedes it");
            assert_eq!(empty.value(), expected.value(), "{code}");
        }
    }
}

#[test]
fn the_last_byte_of_all_is_updated() {
    let code = common::code("adler-32");
    let (value, at) = (long(&code, u64::MAX).value(), u64::MAX - 1);
    let expected = code.update(value, u64::MAX, at, &[0], &[9]);
    let updated = residue::adler::update_at(value as u32, u64::MAX, at, &[0], &[9]);
    assert!(expected.is_some());
    assert_eq!(updated.map(u128::from), expected);
}

#[test]
fn digests_do_not_wrap() {
    let mut digest: Digest<u32, _> = CRC_32C.resume(residue::crc32c(b"12345"), u64::MAX);
    assert_eq!(digest.combine(&CRC_32C.resume(0, 1)), Err(Error::TooLong));
    digest.update(b"6789");
    assert_eq!(digest.value(), 0xe306_9283);
    assert!(digest.bytes() >= LARGE);
}

#[test]
fn check_octets_do_not_depend_on_the_distance_from_the_end_of_64_bits() {
    for name in ["iso-8473", "four-octets"] {
        let code = common::code(name);
        for left in 0..8 {
            let zeros = u64::MAX - 10 - left;
            let data = code.partial(b"1234567890");
            // The sums repeat after as many words as the modulus.
            let near = data.extend_by_zeroes(zeros % (2 * 65535)).expect("short");
            let far = data.extend_by_zeroes(zeros).expect("below 2^64");
            assert_eq!(far.value(), near.value(), "{name}, {left} bytes from the end");
            assert_eq!(far.remove_prefix(&data).map(|zeros| zeros.bytes()), Ok(zeros));
        }
    }
}
