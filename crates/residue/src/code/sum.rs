//! The codes that are not CRCs, in one table: the family that computes each, and the encoding of
//! the family's value.

use super::families::Kind;
use crate::sums::fletcher::{
    self, Mod255, Mod65535, Sums, Variant, check_octets, end_around, rfc1146, swap_halves,
};
use crate::sums::group::Group;
use crate::sums::running::Summed;

/// The description of a code that is not a CRC.
pub(super) struct Spec {
    pub(super) name: &'static str,
    /// Width of the value in bits.
    pub(super) width: u32,
    /// A description in one sentence.
    pub(super) about: &'static str,
    pub(super) family: Kind,
    encoding: Encoding,
}

/// The encoding of a family's value as a code's value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Encoding {
    /// Unchanged.
    Plain,
    /// The bytes of each half swapped: sums of big-endian words.
    Swapped,
    /// The one's-complement sums A, B of bytes.
    Rfc1146Bytes,
    /// The one's-complement sums A, B of big-endian words.
    Rfc1146Words,
    /// The two octets that bring the sums of bytes to zero.
    Iso8473,
    /// The four octets that bring the sums of words to zero.
    FourOctets,
}

macro_rules! sums {
    ($($variant:ident: $name:literal, $width:literal, $family:ident, $encoding:ident,
        $about:literal;)*) => {
        /// The codes that are not CRCs.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Sum {
            $(#[doc = $about] $variant),*
        }

        /// The descriptions, in the order of the variants of [`Sum`].
        const SPECS: &[Spec] = &[$(Spec {
            name: $name,
            width: $width,
            about: $about,
            family: Kind::$family,
            encoding: Encoding::$encoding,
        }),*];

        impl Sum {
            pub(super) const ALL: &[Sum] = &[$(Sum::$variant),*];
        }
    };
}

sums! {
    Internet: "internet", 16, Internet, Plain,
        "The Internet checksum (RFC 1071): one's-complement sum of big-endian words, complemented.";
    Xns: "xns", 16, Xns, Plain,
        "XNS IDP: one's-complement sum of big-endian words, rotated left after each.";
    Fletcher16: "fletcher-16", 16, Fletcher16, Plain,
        "Fletcher's sums of bytes modulo 255, B:A.";
    Fletcher32: "fletcher-32", 32, Fletcher32, Plain,
        "Fletcher's sums of little-endian words modulo 65535, B:A.";
    Fletcher32Be: "fletcher-32/be", 32, Fletcher32, Swapped,
        "Fletcher's sums of big-endian words modulo 65535, B:A.";
    Fletcher16Mod256: "fletcher-16/mod256", 16, Fletcher16Mod256, Plain,
        "A common mistake: Fletcher's sums of bytes modulo 256, B:A.";
    Fletcher32Mod65536: "fletcher-32/mod65536", 32, Fletcher32Mod65536, Plain,
        "A common mistake: Fletcher's sums of little-endian words modulo 65536, B:A.";
    Rfc1146B8: "rfc1146-8", 16, Fletcher16, Rfc1146Bytes,
        "TCP alternate checksum 1 (RFC 1146): one's-complement Fletcher sums of bytes, A:B.";
    Rfc1146B16: "rfc1146-16", 32, Fletcher32, Rfc1146Words,
        "TCP alternate checksum 2 (RFC 1146): one's-complement Fletcher sums of big-endian words, \
        A:B.";
    Iso8473: "iso-8473", 16, Fletcher16, Iso8473,
        "The two check octets of ISO 8473 (RFC 905 annex B) for data they are appended to, as \
        sent.";
    FourOctets: "four-octets", 32, Fletcher32, FourOctets,
        "Sklower's four check octets, of 16-bit units, for data they are appended to, as sent.";
    Adler32: "adler-32", 32, Adler, Plain,
        "Adler-32 (RFC 1950): sums of bytes modulo 65521, B:A.";
    Xor8: "xor-8", 8, Xor8, Plain,
        "Exclusive or of bytes (longitudinal redundancy check).";
    Xor16: "xor-16", 16, Xor16, Plain,
        "Exclusive or of big-endian 16-bit words.";
    Xor32: "xor-32", 32, Xor32, Plain,
        "Exclusive or of big-endian 32-bit words.";
    Sum8: "sum-8", 8, Add8, Plain,
        "Two's-complement sum of bytes.";
    Sum16: "sum-16", 16, Add16, Plain,
        "Two's-complement sum of big-endian 16-bit words.";
    Sum32: "sum-32", 32, Add32, Plain,
        "Two's-complement sum of big-endian 32-bit words.";
    Koopman8: "koopman-8", 8, Koopman8, Plain,
        "Koopman's checksum (2023): the message as a number, times 2^8, modulo 253.";
    Koopman16: "koopman-16", 16, Koopman16, Plain,
        "Koopman's checksum (2023): the message as a number, times 2^16, modulo 65519.";
    Koopman32: "koopman-32", 32, Koopman32, Plain,
        "Koopman's checksum (2023): the message as a number, times 2^32, modulo 4294967291.";
    Dual16: "dual-16", 16, Dual16, Plain,
        "Fletcher's sums of big-endian 32-bit words modulo 253, B:A.";
    Dual32: "dual-32", 32, Dual32, Plain,
        "Fletcher's sums of big-endian 32-bit words modulo 65525, B:A.";
}

/// Aliases of the sums.
pub(super) const SUM_ALIASES: &[(&str, Sum)] = &[
    ("rfc1071", Sum::Internet),
    ("ip", Sum::Internet),
    ("tcp", Sum::Internet),
    ("udp", Sum::Internet),
    ("idp", Sum::Xns),
    ("ipx", Sum::Xns),
    ("lrc", Sum::Xor8),
];

/// Splits a value B:A into A and B.
fn sums<V: Variant>(value: u32) -> [u32; 2] {
    let bits = 8 * V::WORD;
    [value & ((1 << bits) - 1), value >> bits]
}

/// Appends two zero units, the place of the check octets, to data with the sums A and B.
fn padded<V: Variant>([a, b]: [u32; 2]) -> [u32; 2] {
    [a, (b + 2 * a) % V::MODULUS]
}

/// Removes the two zero units that [`padded`] appends.
fn unpadded<V: Variant>([a, b]: [u32; 2]) -> [u32; 2] {
    [a, (b + 2 * (V::MODULUS - a)) % V::MODULUS]
}

/// Returns the place in a word of octets that follow `bytes` bytes. They depend on no more of it.
const fn in_word(bytes: u64) -> u64 {
    bytes % 2
}

/// Returns the family's value of `bytes` bytes of data that are followed by the check octets
/// `octets`.
///
/// The octets bring the sums to zero, so the sums without them are those of the data.
fn without_octets<V: Variant, const N: usize>(octets: [u8; N], bytes: u64) -> u32 {
    let place = in_word(bytes);
    let length = place + N as u64;
    let sums = fletcher::update_at::<V>([0, 0], length, place, &octets, &[0; N]);
    V::value_of(unpadded::<V>(sums.unwrap_or_default()))
}

impl Sum {
    pub(super) const fn spec(self) -> &'static Spec {
        &SPECS[self as usize]
    }

    /// Returns the family that computes the code.
    pub(crate) const fn family(self) -> Kind {
        self.spec().family
    }

    /// Returns whether the family's value is used unchanged.
    pub(crate) fn is_plain(self) -> bool {
        self.spec().encoding == Encoding::Plain
    }

    /// Returns whether the value has two forms of zero, one for data that is all zero and one for
    /// other data.
    pub(crate) fn ones_complement(self) -> bool {
        let Spec { family, encoding, .. } = self.spec();
        *family == Kind::Internet
            || matches!(encoding, Encoding::Rfc1146Bytes | Encoding::Rfc1146Words)
    }

    /// Returns the value of data that is all zero, where other data never have it.
    pub(crate) fn zero(self) -> u32 {
        if self.family() == Kind::Internet { 0xffff } else { 0 }
    }

    /// Converts the family's value of `bytes` bytes of data, not all zero if `nonzero`, to the
    /// code's.
    pub(super) fn encode(self, value: u32, bytes: u64, nonzero: impl FnOnce() -> bool) -> u32 {
        match self.spec().encoding {
            Encoding::Plain => value,
            Encoding::Swapped => swap_halves(value),
            Encoding::Rfc1146Bytes => {
                rfc1146::<Mod255>(end_around::<Mod255>(sums::<Mod255>(value), nonzero()))
            }
            Encoding::Rfc1146Words => {
                let sums = end_around::<Mod65535>(sums::<Mod65535>(value), nonzero());
                rfc1146::<Mod65535>(sums)
            }
            Encoding::Iso8473 => {
                let sums = padded::<Mod255>(sums::<Mod255>(value));
                let place = in_word(bytes);
                let octets = check_octets::octets_from(&Sums::of(sums, place + 2), place);
                octets.map_or(0, |octets| u16::from_be_bytes(octets).into())
            }
            Encoding::FourOctets => {
                let sums = padded::<Mod65535>(sums::<Mod65535>(value));
                let place = in_word(bytes);
                let sums = Sums::of(sums, place + 4);
                check_octets::four_octets_from(&sums, place).map_or(0, u32::from_be_bytes)
            }
        }
    }

    /// Converts the code's value to the family's: the inverse of [`Sum::encode`].
    pub(super) fn decode(self, value: u32, bytes: u64) -> u32 {
        match self.spec().encoding {
            Encoding::Plain => value,
            Encoding::Swapped => swap_halves(value),
            Encoding::Rfc1146Bytes => {
                Mod255::value_of([value >> 8, value & 0xff].map(|sum| sum % 255))
            }
            Encoding::Rfc1146Words => {
                let value = swap_halves(value);
                Mod65535::value_of([value >> 16, value & 0xffff].map(|sum| sum % 65535))
            }
            Encoding::Iso8473 => without_octets::<Mod255, 2>((value as u16).to_be_bytes(), bytes),
            Encoding::FourOctets => without_octets::<Mod65535, 4>(value.to_be_bytes(), bytes),
        }
    }

    /// Returns the bytes in a word; only the last of several combined parts may end inside one.
    pub(crate) const fn word(self) -> u64 {
        self.family().word()
    }

    /// Returns the arithmetic of the states.
    pub(super) const fn group(self) -> Group {
        self.family().group()
    }

    /// Returns the number of words in `bytes` bytes, counting a partial word as one.
    pub(super) const fn units(self, bytes: u64) -> u64 {
        bytes.div_ceil(self.word())
    }

    /// Returns the state of `bytes` bytes of data with this value.
    pub(super) fn state(self, value: u32, bytes: u64) -> u64 {
        self.family().state(self.decode(value, bytes), bytes)
    }

    /// Returns the value of data of `bytes` bytes with this state, not all zero if `nonzero`.
    pub(super) fn value(self, state: u64, bytes: u64, nonzero: bool) -> u32 {
        self.encode(self.family().value(state, bytes, nonzero), bytes, || nonzero)
    }
}
