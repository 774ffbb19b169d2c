//! Hash functions and checksums of programs that are not codes of this project, so that their
//! values are named and not reported as unknown.

use residue::crc::catalog;
use std::fmt;

/// A function of messages that is not a code of this project.
#[derive(Clone, Copy)]
pub struct Hash {
    /// The usual name.
    pub name: &'static str,
    /// Bits of the value.
    pub width: u32,
    /// What it is: a hash function, or the checksum of a program.
    pub kind: HashKind,
    /// Its definition, and who published it.
    pub about: &'static str,
    value: fn(&[u8]) -> u64,
}

/// The purpose of a [`struct@Hash`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HashKind {
    /// Spreads keys over a table. It guarantees the detection of no error.
    Hash,
    /// Detects errors, but is not a code of this project.
    Checksum,
}

impl HashKind {
    /// Returns what it is, in words.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            HashKind::Hash => "a hash function, not an error-detection code",
            HashKind::Checksum => "the checksum of a program",
        }
    }
}

impl Hash {
    /// All functions.
    pub const ALL: &'static [Hash] = HASHES;

    /// Returns the value of a message.
    #[must_use]
    pub fn value(&self, message: &[u8]) -> u128 {
        (self.value)(message).into()
    }
}

impl fmt::Debug for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {}", self.name, self.kind.name())
    }
}

macro_rules! hashes {
    ($($name:literal, $width:literal, $kind:ident, $value:expr, $about:literal;)*) => {
        const HASHES: &[Hash] = &[$(Hash {
            name: $name,
            width: $width,
            kind: HashKind::$kind,
            about: $about,
            value: $value,
        }),*];
    };
}

hashes! {
    "djb2", 32, Hash, |m| times(m, 5381, 33).into(),
        "h = 33 h + byte modulo 2^32, from 5381 (D. J. Bernstein; also the hash of GNU's symbol \
        tables)";
    "djb2 of 64 bits", 64, Hash,
        |m| m.iter().fold(5381, |h: u64, &b| h.wrapping_mul(33).wrapping_add(b.into())),
        "h = 33 h + byte modulo 2^64, from 5381 (D. J. Bernstein, with a long of 64 bits)";
    "djb2a", 32, Hash,
        |m| m.iter().fold(5381, |h: u32, &b| h.wrapping_mul(33) ^ u32::from(b)).into(),
        "h = 33 h xor byte modulo 2^32, from 5381 (D. J. Bernstein)";
    "sdbm", 32, Hash, |m| times(m, 0, 65_599).into(),
        "h = 65599 h + byte modulo 2^32 (the database library sdbm)";
    "sdbm of 64 bits", 64, Hash,
        |m| m.iter().fold(0, |h: u64, &b| h.wrapping_mul(65_599).wrapping_add(b.into())),
        "h = 65599 h + byte modulo 2^64 (the database library sdbm, with a long of 64 bits)";
    "hashCode", 32, Hash, |m| times(m, 0, 31).into(),
        "h = 31 h + byte modulo 2^32 (Java's String.hashCode; Kernighan and Ritchie)";
    "FNV-1", 32, Hash,
        |m| m.iter().fold(FNV_32, |h, &b| h.wrapping_mul(0x0100_0193) ^ u32::from(b)).into(),
        "h = 16777619 h xor byte modulo 2^32, from 2166136261 (Fowler, Noll, Vo; RFC 9923)";
    "FNV-1a", 32, Hash,
        |m| m.iter().fold(FNV_32, |h, &b| (h ^ u32::from(b)).wrapping_mul(0x0100_0193)).into(),
        "h = 16777619 (h xor byte) modulo 2^32, from 2166136261 (Fowler, Noll, Vo; RFC 9923)";
    "FNV-1 of 64 bits", 64, Hash,
        |m| m.iter().fold(FNV_64, |h, &b| h.wrapping_mul(0x0100_0000_01b3) ^ u64::from(b)),
        "h = 1099511628211 h xor byte modulo 2^64 (Fowler, Noll, Vo; RFC 9923)";
    "FNV-1a of 64 bits", 64, Hash,
        |m| m.iter().fold(FNV_64, |h, &b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3)),
        "h = 1099511628211 (h xor byte) modulo 2^64 (Fowler, Noll, Vo; RFC 9923)";
    "one-at-a-time", 32, Hash, one_at_a_time,
        "shifts by 10 and 6 after each byte, by 3, 11 and 15 at the end (Bob Jenkins, Dr. Dobb's \
        Journal, September 1997)";
    "ELF hash", 32, Hash, elf,
        "h = 16 h + byte, its top four bits folded down (System V Application Binary Interface; a \
        form of PJW, by P. J. Weinberger)";
    "MurmurHash3", 32, Hash, murmur3,
        "x86_32 with the seed 0 (Austin Appleby)";
    "xxHash32", 32, Hash, xxhash32,
        "XXH32 with the seed 0 (Yann Collet)";
    "xxHash64", 64, Hash, xxhash64,
        "XXH64 with the seed 0 (Yann Collet)";
    "cksum", 32, Checksum, cksum,
        "CRC-32/CKSUM of the message followed by its length, lowest byte first (POSIX)";
}

const FNV_32: u32 = 0x811c_9dc5;
const FNV_64: u64 = 0xcbf2_9ce4_8422_2325;

fn times(message: &[u8], start: u32, factor: u32) -> u32 {
    message.iter().fold(start, |h, &b| h.wrapping_mul(factor).wrapping_add(b.into()))
}

fn one_at_a_time(message: &[u8]) -> u64 {
    let mut h = 0_u32;
    for &byte in message {
        h = h.wrapping_add(byte.into());
        h = h.wrapping_add(h << 10);
        h ^= h >> 6;
    }
    h = h.wrapping_add(h << 3);
    h ^= h >> 11;
    h.wrapping_add(h << 15).into()
}

fn elf(message: &[u8]) -> u64 {
    let mut h = 0_u32;
    for &byte in message {
        h = (h << 4).wrapping_add(byte.into());
        let top = h & 0xf000_0000;
        h = (h ^ top >> 24) & !top;
    }
    h.into()
}

fn cksum(message: &[u8]) -> u64 {
    let length = (message.len() as u64).to_le_bytes();
    let bytes = length.len() - length.iter().rev().take_while(|&&byte| byte == 0).count();
    let whole = [message, &length[..bytes]].concat();
    residue::Code::Crc(residue::crc::Crc::new(&catalog::CRC_32_CKSUM)).value(&whole) as u64
}

fn murmur3(message: &[u8]) -> u64 {
    let mix = |k: u32| k.wrapping_mul(0xcc9e_2d51).rotate_left(15).wrapping_mul(0x1b87_3593);
    let (blocks, rest) = message.as_chunks::<4>();
    let mut h = 0_u32;
    for &block in blocks {
        h ^= mix(u32::from_le_bytes(block));
        h = h.rotate_left(13).wrapping_mul(5).wrapping_add(0xe654_6b64);
    }
    h ^= mix(rest.iter().rev().fold(0, |k, &byte| k << 8 | u32::from(byte)));
    h ^= message.len() as u32;
    h = (h ^ h >> 16).wrapping_mul(0x85eb_ca6b);
    h = (h ^ h >> 13).wrapping_mul(0xc2b2_ae35);
    (h ^ h >> 16).into()
}

fn xxhash32(message: &[u8]) -> u64 {
    const P: [u32; 5] = [0x9e37_79b1, 0x85eb_ca77, 0xc2b2_ae3d, 0x27d4_eb2f, 0x1656_67b1];
    let round = |sum: u32, word: u32| {
        sum.wrapping_add(word.wrapping_mul(P[1])).rotate_left(13).wrapping_mul(P[0])
    };
    let (stripes, rest) = message.as_chunks::<16>();
    let mut h = P[4];
    if !stripes.is_empty() {
        let mut sums = [P[0].wrapping_add(P[1]), P[1], 0, P[0].wrapping_neg()];
        for stripe in stripes {
            for (sum, &word) in sums.iter_mut().zip(stripe.as_chunks::<4>().0) {
                *sum = round(*sum, u32::from_le_bytes(word));
            }
        }
        let turned = sums.iter().zip([1, 7, 12, 18]).map(|(sum, bits)| sum.rotate_left(bits));
        h = turned.fold(0, u32::wrapping_add);
    }
    h = h.wrapping_add(message.len() as u32);
    let (words, bytes) = rest.as_chunks::<4>();
    for &word in words {
        h = h.wrapping_add(u32::from_le_bytes(word).wrapping_mul(P[2]));
        h = h.rotate_left(17).wrapping_mul(P[3]);
    }
    for &byte in bytes {
        h = h.wrapping_add(u32::from(byte).wrapping_mul(P[4])).rotate_left(11).wrapping_mul(P[0]);
    }
    h = (h ^ h >> 15).wrapping_mul(P[1]);
    h = (h ^ h >> 13).wrapping_mul(P[2]);
    (h ^ h >> 16).into()
}

fn xxhash64(message: &[u8]) -> u64 {
    const P: [u64; 5] = [
        0x9e37_79b1_85eb_ca87,
        0xc2b2_ae3d_27d4_eb4f,
        0x1656_67b1_9e37_79f9,
        0x85eb_ca77_c2b2_ae63,
        0x27d4_eb2f_1656_67c5,
    ];
    let round = |sum: u64, word: u64| {
        sum.wrapping_add(word.wrapping_mul(P[1])).rotate_left(31).wrapping_mul(P[0])
    };
    let (stripes, rest) = message.as_chunks::<32>();
    let mut h = P[4];
    if !stripes.is_empty() {
        let mut sums = [P[0].wrapping_add(P[1]), P[1], 0, P[0].wrapping_neg()];
        for stripe in stripes {
            for (sum, &word) in sums.iter_mut().zip(stripe.as_chunks::<8>().0) {
                *sum = round(*sum, u64::from_le_bytes(word));
            }
        }
        let turned = sums.iter().zip([1, 7, 12, 18]).map(|(sum, bits)| sum.rotate_left(bits));
        h = turned.fold(0, u64::wrapping_add);
        for sum in sums {
            h = (h ^ round(0, sum)).wrapping_mul(P[0]).wrapping_add(P[3]);
        }
    }
    h = h.wrapping_add(message.len() as u64);
    let (words, rest) = rest.as_chunks::<8>();
    for &word in words {
        h ^= round(0, u64::from_le_bytes(word));
        h = h.rotate_left(27).wrapping_mul(P[0]).wrapping_add(P[3]);
    }
    let (words, bytes) = rest.as_chunks::<4>();
    for &word in words {
        h ^= u64::from(u32::from_le_bytes(word)).wrapping_mul(P[0]);
        h = h.rotate_left(23).wrapping_mul(P[1]).wrapping_add(P[2]);
    }
    for &byte in bytes {
        h = (h ^ u64::from(byte).wrapping_mul(P[4])).rotate_left(11).wrapping_mul(P[0]);
    }
    h = (h ^ h >> 33).wrapping_mul(P[1]);
    h = (h ^ h >> 29).wrapping_mul(P[2]);
    h ^ h >> 32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values as published: RFC 9923 (FNV), the articles and references named beside them.
    #[test]
    fn published_values() {
        let fox: &[u8] = b"The quick brown fox jumps over the lazy dog";
        let vectors: &[(&str, &[u8], u128)] = &[
            // DT_GNU_HASH and DT_HASH of symbols in GNU's C library.
            ("djb2", b"", 5381),
            ("djb2", b"printf", 0x156b_2bb8),
            ("djb2", b"exit", 0x7c96_7e3f),
            ("djb2", b"syscall", 0xbac2_12a0),
            ("djb2a", b"a", (5381 * 33) ^ 0x61),
            ("ELF hash", b"printf", 0x0779_05a6),
            ("ELF hash", b"exit", 0x0006_cf04),
            ("ELF hash", b"syscall", 0x0b09_985c),
            ("sdbm", b"hello", 0x28d1_9932),
            // java.lang.String, "hello".hashCode() == 99162322.
            ("hashCode", b"hello", 99_162_322),
            ("FNV-1", b"foobar", 0x31f0_b262),
            ("FNV-1a", b"foobar", 0xbf9c_f968),
            ("FNV-1a", b"a", 0xe40c_292c),
            ("FNV-1 of 64 bits", b"foobar", 0x340d_8765_a4dd_a9c2),
            ("FNV-1a of 64 bits", b"foobar", 0x8594_4171_f739_67e8),
            // Wikipedia, "Jenkins hash function" and "MurmurHash".
            ("one-at-a-time", b"a", 0xca2e_9442),
            ("one-at-a-time", fox, 0x519e_91f5),
            ("MurmurHash3", b"", 0),
            ("MurmurHash3", b"test", 0xba6b_d213),
            ("MurmurHash3", b"Hello, world!", 0xc036_3e43),
            ("MurmurHash3", fox, 0x2e4f_f723),
            // xxhsum.
            ("xxHash32", b"", 0x02cc_5d05),
            ("xxHash32", b"a", 0x550d_7456),
            ("xxHash32", b"abc", 0x32d1_53ff),
            ("xxHash32", fox, 0xe85e_a4de),
            ("xxHash64", b"", 0xef46_db37_51d8_e999),
            ("xxHash64", b"abc", 0x44bc_2cf5_ad77_0999),
            ("xxHash64", fox, 0x0b24_2d36_1fda_71bc),
            // POSIX, the program cksum.
            ("cksum", b"", 4_294_967_295),
            ("cksum", b"123456789", 930_766_865),
        ];
        for (name, message, value) in vectors {
            let hash = Hash::ALL.iter().find(|hash| hash.name == *name).unwrap();
            assert_eq!(hash.value(message), *value, "{name} of {}", message.escape_ascii());
        }
    }

    #[test]
    fn names_are_different() {
        for (i, hash) in Hash::ALL.iter().enumerate() {
            assert!(Hash::ALL[..i].iter().all(|other| other.name != hash.name), "{hash}");
        }
    }
}
