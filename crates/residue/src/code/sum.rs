//! The codes that are not CRCs, in one table: which family computes each, and how it writes the
//! family's value.

use super::families::Kind;
use crate::fletcher::{
    self, Bytes255, Sums, Variant, Words65535, check_octets, end_around, rfc1146, swap_halves,
};
use crate::kernel::Family;

/// What a code that is not a CRC is.
pub(super) struct Spec {
    pub(super) name: &'static str,
    /// Bits of the value.
    pub(super) width: u32,
    /// One sentence.
    pub(super) about: &'static str,
    pub(super) family: Kind,
    encoding: Encoding,
}

/// How a code writes the value of its family.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Encoding {
    /// As it is.
    Plain,
    /// With the bytes of each half swapped: the sums of big-endian words.
    Swapped,
    /// The one's-complement sums A, B, of bytes.
    Rfc1146Bytes,
    /// The one's-complement sums A, B, of big-endian words.
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
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Sum {
            $(#[doc = $about] $variant),*
        }

        /// In the order of the variants of [`Sum`].
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
    Fletcher16: "fletcher-16", 16, Bytes255, Plain,
        "Fletcher's sums of bytes modulo 255, B:A.";
    Fletcher32: "fletcher-32", 32, Words65535, Plain,
        "Fletcher's sums of little-endian words modulo 65535, B:A.";
    Fletcher32Be: "fletcher-32/be", 32, Words65535, Swapped,
        "Fletcher's sums of big-endian words modulo 65535, B:A.";
    Fletcher16Mod256: "fletcher-16/mod256", 16, Bytes256, Plain,
        "A common mistake: Fletcher's sums of bytes modulo 256, B:A.";
    Fletcher32Mod65536: "fletcher-32/mod65536", 32, Words65536, Plain,
        "A common mistake: Fletcher's sums of little-endian words modulo 65536, B:A.";
    Rfc1146B8: "rfc1146-8", 16, Bytes255, Rfc1146Bytes,
        "TCP alternate checksum 1 (RFC 1146): one's-complement Fletcher sums of bytes, A:B.";
    Rfc1146B16: "rfc1146-16", 32, Words65535, Rfc1146Words,
        "TCP alternate checksum 2 (RFC 1146): one's-complement Fletcher sums of big-endian words, \
        A:B.";
    Iso8473: "iso-8473", 16, Bytes255, Iso8473,
        "The two check octets of ISO 8473 (RFC 905 annex B) for data they are appended to, as \
        sent.";
    FourOctets: "four-octets", 32, Words65535, FourOctets,
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
}

/// Other names in use for the sums.
pub(super) const SUM_ALIASES: &[(&str, Sum)] = &[
    ("rfc1071", Sum::Internet),
    ("ip", Sum::Internet),
    ("tcp", Sum::Internet),
    ("udp", Sum::Internet),
    ("idp", Sum::Xns),
    ("ipx", Sum::Xns),
    ("lrc", Sum::Xor8),
];

/// A and B of a value B:A.
fn sums<V: Variant>(value: u32) -> [u32; 2] {
    let bits = 8 * V::UNIT;
    [value & ((1 << bits) - 1), value >> bits]
}

/// The sums of data with two units of zero bytes, for check octets, appended; and back.
fn padded<V: Variant>([a, b]: [u32; 2]) -> [u32; 2] {
    [a, (b + 2 * a) % V::MODULUS]
}

/// What [`padded`] undoes.
fn unpadded<V: Variant>([a, b]: [u32; 2]) -> [u32; 2] {
    [a, (b + 2 * (V::MODULUS - a)) % V::MODULUS]
}

/// The family's value of data of `bytes` bytes that these check octets, `N`, follow. With them the
/// sums are zero: what is missing without them is the data's.
fn without_octets<V: Variant, const N: usize>(octets: [u8; N], bytes: u64) -> u32 {
    let length = bytes.saturating_add(N as u64);
    let sums = fletcher::update_at::<V>([0, 0], length, bytes, &octets, &[0; N]);
    V::finish(&(), unpadded::<V>(sums.unwrap_or_default()))
}

impl Sum {
    pub(super) const fn spec(self) -> &'static Spec {
        &SPECS[self as usize]
    }

    /// The family that computes it.
    pub(crate) const fn family(self) -> Kind {
        self.spec().family
    }

    /// Whether the value is its family's, as it is.
    pub(crate) fn is_plain(self) -> bool {
        self.spec().encoding == Encoding::Plain
    }

    /// Whether the value has two forms of zero, one of data that is zero throughout and one of
    /// other data.
    pub(crate) fn ones_complement(self) -> bool {
        let Spec { family, encoding, .. } = self.spec();
        *family == Kind::Internet
            || matches!(encoding, Encoding::Rfc1146Bytes | Encoding::Rfc1146Words)
    }

    /// The value of data that is zero throughout, where other data never have it.
    pub(crate) fn zero(self) -> u32 {
        if self.family() == Kind::Internet { 0xffff } else { 0 }
    }

    /// The state of no data.
    pub(crate) fn start(self) -> u64 {
        u64::from(self.family() == Kind::Adler)
    }

    /// The code's value from its family's, of `bytes` bytes of data, not all zero if `nonzero`.
    pub(super) fn spell(self, value: u32, bytes: u64, nonzero: impl FnOnce() -> bool) -> u32 {
        match self.spec().encoding {
            Encoding::Plain => value,
            Encoding::Swapped => swap_halves(value),
            Encoding::Rfc1146Bytes => {
                rfc1146::<Bytes255>(end_around::<Bytes255>(sums::<Bytes255>(value), nonzero()))
            }
            Encoding::Rfc1146Words => {
                let sums = end_around::<Words65535>(sums::<Words65535>(value), nonzero());
                rfc1146::<Words65535>(sums)
            }
            Encoding::Iso8473 => {
                let sums = padded::<Bytes255>(sums::<Bytes255>(value));
                let octets =
                    check_octets::octets_from(&Sums::of(sums, bytes.saturating_add(2)), bytes);
                octets.map_or(0, |octets| u16::from_be_bytes(octets).into())
            }
            Encoding::FourOctets => {
                let sums = padded::<Words65535>(sums::<Words65535>(value));
                let sums = Sums::of(sums, bytes.saturating_add(4));
                check_octets::four_octets_from(&sums, bytes).map_or(0, u32::from_be_bytes)
            }
        }
    }

    /// The family's value from the code's: what [`Sum::spell`] undoes.
    fn unspell(self, value: u32, bytes: u64) -> u32 {
        match self.spec().encoding {
            Encoding::Plain => value,
            Encoding::Swapped => swap_halves(value),
            Encoding::Rfc1146Bytes => {
                Bytes255::finish(&(), [value >> 8, value & 0xff].map(|sum| sum % 255))
            }
            Encoding::Rfc1146Words => {
                let value = swap_halves(value);
                Words65535::finish(&(), [value >> 16, value & 0xffff].map(|sum| sum % 65535))
            }
            Encoding::Iso8473 => without_octets::<Bytes255, 2>((value as u16).to_be_bytes(), bytes),
            Encoding::FourOctets => without_octets::<Words65535, 4>(value.to_be_bytes(), bytes),
        }
    }

    /// The definition's value, as the family writes it.
    pub(super) fn reference(self, data: &[u8]) -> u32 {
        self.family().reference(data)
    }

    /// Bytes in a word that no part but the last may end within, for combination.
    pub(crate) const fn word(self) -> u64 {
        self.family().word()
    }

    /// How many words `bytes` bytes are, a part of one counted as one.
    pub(crate) const fn units(self, bytes: u64) -> u64 {
        bytes.div_ceil(self.word())
    }

    /// The state of data of `bytes` bytes with this value: A in the lower half, B in the upper.
    pub(crate) fn state(self, value: u32, bytes: u64) -> u64 {
        let value = self.unspell(value, bytes);
        let (a, b) = match (self, self.family().group().step) {
            // Weights are counted from the end, as in the other codes; the checksum's from the
            // beginning.
            (Sum::Internet, _) => {
                let sum = !value as u16;
                (if bytes % 2 == 1 { sum.swap_bytes() } else { sum }.into(), 0)
            }
            (_, Step::Sum) => {
                let bits = self.spec().width / 2;
                (value & ((1 << bits) - 1), value >> bits)
            }
            _ => (value, 0),
        };
        self.plus(u64::from(b) << 32 | u64::from(a), 0)
    }

    /// The value of data of `bytes` bytes with this state, not all zero if `nonzero`.
    pub(crate) fn of_state(self, state: u64, bytes: u64, nonzero: bool) -> u32 {
        let (a, b) = (state as u32, (state >> 32) as u32);
        let value = match (self, self.family().group().step) {
            (Sum::Internet, _) => {
                let sum = if a == 0 && nonzero { 0xffff } else { a as u16 };
                !u32::from(if bytes % 2 == 1 { sum.swap_bytes() } else { sum }) & 0xffff
            }
            (_, Step::Sum) => b << (self.spec().width / 2) | a,
            _ => a,
        };
        self.spell(value, bytes, || nonzero)
    }

    pub(crate) const fn plus(self, x: u64, y: u64) -> u64 {
        match self.family().group().modulus {
            0 => x ^ y,
            m => {
                let low = ((x & LOW) + (y & LOW)) % m;
                let high = ((x >> 32) + (y >> 32)) % m;
                high << 32 | low
            }
        }
    }

    pub(crate) const fn minus(self, x: u64, y: u64) -> u64 {
        match self.family().group().modulus {
            0 => x ^ y,
            m => {
                let low = ((x & LOW) + m - (y & LOW)) % m;
                let high = ((x >> 32) + m - (y >> 32)) % m;
                high << 32 | low
            }
        }
    }

    /// The state after `units` units of zero.
    pub(crate) const fn advance(self, state: u64, units: u64) -> u64 {
        let Group { modulus, step } = self.family().group();
        match step {
            Step::None => state,
            Step::Rotate(bits) => (state as u16).rotate_left((units % 16) as u32 * bits) as u64,
            Step::Sum => {
                let a = state & LOW;
                let b = ((state >> 32) + units % modulus * a) % modulus;
                b << 32 | a
            }
        }
    }

    /// What [`Sum::advance`] undoes.
    pub(crate) const fn retreat(self, state: u64, units: u64) -> u64 {
        let Group { modulus, step } = self.family().group();
        match step {
            // As many more as make a whole turn.
            Step::None | Step::Rotate(_) => self.advance(state, 16 - units % 16),
            Step::Sum => self.advance(state, modulus - units % modulus),
        }
    }
}

/// The lower half of a state.
const LOW: u64 = 0xffff_ffff;

/// What the states of a code are: one number or two, added modulo `modulus` (0: exclusive or), and
/// what the next unit does to what is before it.
pub(super) struct Group {
    pub(super) modulus: u64,
    pub(super) step: Step,
}

/// What a unit of zero does to a state.
#[derive(Clone, Copy)]
pub(super) enum Step {
    /// Nothing.
    None,
    /// A 16-bit sum modulo 65535 is rotated left by so many bits, which multiplies it by a power of
    /// two.
    Rotate(u32),
    /// A is added to B.
    Sum,
}
