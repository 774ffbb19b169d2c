//! The codes that are not CRCs: their names, and how each writes the value of its family.

use crate::fletcher::{
    self, Bytes255, Bytes256, Sums, Variant, Words65535, Words65536, check_octets, swap_halves,
};
use crate::foil;
use crate::kernel::Family;
use crate::{adler, internet, xns};

macro_rules! sums {
    ($($variant:ident $name:literal $bits:literal $about:literal;)*) => {
        /// The codes that are not CRCs.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Sum {
            $(#[doc = $about] $variant),*
        }

        impl Sum {
            pub(super) const ALL: &[Sum] = &[$(Sum::$variant),*];

            pub(super) const fn facts(self) -> (&'static str, u32, &'static str) {
                match self {
                    $(Sum::$variant => ($name, $bits, $about)),*
                }
            }
        }
    };
}

sums! {
    Internet "internet" 16 "The Internet checksum (RFC 1071): one's-complement sum of big-endian words, complemented.";
    Xns "xns" 16 "XNS IDP: one's-complement sum of big-endian words, rotated left after each.";
    Fletcher16 "fletcher-16" 16 "Fletcher's sums of bytes modulo 255, B:A.";
    Fletcher32 "fletcher-32" 32 "Fletcher's sums of little-endian words modulo 65535, B:A.";
    Fletcher32Be "fletcher-32/be" 32 "Fletcher's sums of big-endian words modulo 65535, B:A.";
    Fletcher16Mod256 "fletcher-16/mod256" 16 "A common mistake: Fletcher's sums of bytes modulo 256, B:A.";
    Fletcher32Mod65536 "fletcher-32/mod65536" 32 "A common mistake: Fletcher's sums of little-endian words modulo 65536, B:A.";
    Rfc1146B8 "rfc1146-8" 16 "TCP alternate checksum 1 (RFC 1146): one's-complement Fletcher sums of bytes, A:B.";
    Rfc1146B16 "rfc1146-16" 32 "TCP alternate checksum 2 (RFC 1146): one's-complement Fletcher sums of big-endian words, A:B.";
    Iso8473 "iso-8473" 16 "The two check octets of ISO 8473 (RFC 905 annex B) for data they are appended to, as sent.";
    FourOctets "four-octets" 32 "Sklower's four check octets, of 16-bit units, for data they are appended to, as sent.";
    Adler32 "adler-32" 32 "Adler-32 (RFC 1950): sums of bytes modulo 65521, B:A.";
    Xor8 "xor-8" 8 "Exclusive or of bytes (longitudinal redundancy check).";
    Xor16 "xor-16" 16 "Exclusive or of big-endian 16-bit words.";
    Xor32 "xor-32" 32 "Exclusive or of big-endian 32-bit words.";
    Sum8 "sum-8" 8 "Two's-complement sum of bytes.";
    Sum16 "sum-16" 16 "Two's-complement sum of big-endian 16-bit words.";
    Sum32 "sum-32" 32 "Two's-complement sum of big-endian 32-bit words.";
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

fn unpadded<V: Variant>([a, b]: [u32; 2]) -> [u32; 2] {
    [a, (b + 2 * (V::MODULUS - a)) % V::MODULUS]
}

impl Sum {
    /// The code's value from its family's, of `bytes` bytes of data, not all zero if `nonzero`.
    pub(super) fn spell(self, value: u32, bytes: u64, nonzero: impl FnOnce() -> bool) -> u32 {
        match self {
            Sum::Fletcher32Be => swap_halves(value),
            Sum::Rfc1146B8 => fletcher::rfc1146::<Bytes255>(fletcher::end_around::<Bytes255>(
                sums::<Bytes255>(value),
                nonzero(),
            )),
            Sum::Rfc1146B16 => {
                let sums = fletcher::end_around::<Words65535>(sums::<Words65535>(value), nonzero());
                fletcher::rfc1146::<Words65535>(sums)
            }
            Sum::Iso8473 => {
                let sums =
                    Sums::of(padded::<Bytes255>(sums::<Bytes255>(value)), bytes.saturating_add(2));
                let octets = check_octets::octets_from(&sums, bytes);
                octets.map_or(0, |octets| u16::from_be_bytes(octets).into())
            }
            Sum::FourOctets => {
                let sums = Sums::of(
                    padded::<Words65535>(sums::<Words65535>(value)),
                    bytes.saturating_add(4),
                );
                check_octets::four_octets_from(&sums, bytes).map_or(0, u32::from_be_bytes)
            }
            _ => value,
        }
    }

    /// The family's value from the code's: what [`Sum::spell`] undoes.
    pub(super) fn unspell(self, value: u32, bytes: u64) -> u32 {
        match self {
            Sum::Fletcher32Be => swap_halves(value),
            Sum::Rfc1146B8 => {
                Bytes255::finish(&(), [value >> 8, value & 0xff].map(|sum| sum % 255))
            }
            Sum::Rfc1146B16 => {
                let value = swap_halves(value);
                Words65535::finish(&(), [value >> 16, value & 0xffff].map(|sum| sum % 65535))
            }
            // With their octets the data sum to zero: what is missing without them is the data's.
            Sum::Iso8473 => {
                let octets = (value as u16).to_be_bytes();
                let sums = fletcher::update_at::<Bytes255>(
                    [0, 0],
                    bytes.saturating_add(2),
                    bytes,
                    &octets,
                    &[0; 2],
                );
                Bytes255::finish(&(), unpadded::<Bytes255>(sums.unwrap_or_default()))
            }
            Sum::FourOctets => {
                let octets = value.to_be_bytes();
                let sums = fletcher::update_at::<Words65535>(
                    [0, 0],
                    bytes.saturating_add(4),
                    bytes,
                    &octets,
                    &[0; 4],
                );
                Words65535::finish(&(), unpadded::<Words65535>(sums.unwrap_or_default()))
            }
            _ => value,
        }
    }

    /// The definition's value in the family's spelling.
    pub(super) fn reference(self, data: &[u8]) -> u32 {
        fn sums<V: Variant>(data: &[u8]) -> u32 {
            V::finish(&(), fletcher::reference::<V>(data))
        }
        match self {
            Sum::Internet => internet::reference(data).into(),
            Sum::Xns => xns::reference(data).into(),
            Sum::Fletcher16 | Sum::Rfc1146B8 | Sum::Iso8473 => sums::<Bytes255>(data),
            Sum::Fletcher32 | Sum::Fletcher32Be | Sum::Rfc1146B16 | Sum::FourOctets => {
                sums::<Words65535>(data)
            }
            Sum::Fletcher16Mod256 => sums::<Bytes256>(data),
            Sum::Fletcher32Mod65536 => sums::<Words65536>(data),
            Sum::Adler32 => adler::reference(data),
            Sum::Xor8 => foil::reference::<true, 1>(data),
            Sum::Xor16 => foil::reference::<true, 2>(data),
            Sum::Xor32 => foil::reference::<true, 4>(data),
            Sum::Sum8 => foil::reference::<false, 1>(data),
            Sum::Sum16 => foil::reference::<false, 2>(data),
            Sum::Sum32 => foil::reference::<false, 4>(data),
        }
    }

    /// Bytes in a word that no part but the last may end within, for combination.
    pub(crate) const fn word(self) -> u64 {
        match self {
            Sum::Xor32 | Sum::Sum32 => 4,
            Sum::Xns | Sum::Fletcher32 | Sum::Fletcher32Be | Sum::Fletcher32Mod65536 => 2,
            Sum::Rfc1146B16 | Sum::FourOctets | Sum::Xor16 | Sum::Sum16 => 2,
            _ => 1,
        }
    }

    /// Bytes in a unit that moves what is before it.
    const fn unit(self) -> u64 {
        match self {
            Sum::Xns | Sum::Fletcher32 | Sum::Fletcher32Be | Sum::Fletcher32Mod65536 => 2,
            Sum::Rfc1146B16 | Sum::FourOctets => 2,
            _ => 1,
        }
    }

    /// How many units `bytes` bytes are, a part of one counted as one.
    pub(crate) const fn units(self, bytes: u64) -> u64 {
        bytes.div_ceil(self.unit())
    }

    const fn group(self) -> Group {
        match self {
            Sum::Internet => Group { modulus: 65535, step: Step::Rotate(8) },
            Sum::Xns => Group { modulus: 65535, step: Step::Rotate(1) },
            Sum::Fletcher16 | Sum::Rfc1146B8 | Sum::Iso8473 => {
                Group { modulus: 255, step: Step::Sum }
            }
            Sum::Fletcher32 | Sum::Fletcher32Be | Sum::Rfc1146B16 | Sum::FourOctets => {
                Group { modulus: 65535, step: Step::Sum }
            }
            Sum::Fletcher16Mod256 => Group { modulus: 256, step: Step::Sum },
            Sum::Fletcher32Mod65536 => Group { modulus: 65536, step: Step::Sum },
            Sum::Adler32 => Group { modulus: adler::MODULUS as u64, step: Step::Sum },
            Sum::Xor8 | Sum::Xor16 | Sum::Xor32 => Group { modulus: 0, step: Step::None },
            Sum::Sum8 => Group { modulus: 1 << 8, step: Step::None },
            Sum::Sum16 => Group { modulus: 1 << 16, step: Step::None },
            Sum::Sum32 => Group { modulus: 1 << 32, step: Step::None },
        }
    }

    /// The state of data of `bytes` bytes with this value: A in the lower half, B in the upper.
    pub(crate) fn state(self, value: u32, bytes: u64) -> u64 {
        let value = self.unspell(value, bytes);
        let (a, b) = match (self, self.group().step) {
            // Weights are counted from the end, as in the other codes; the checksum's from the beginning.
            (Sum::Internet, _) => {
                let sum = !value as u16;
                (if bytes % 2 == 1 { sum.swap_bytes() } else { sum }.into(), 0)
            }
            (_, Step::Sum) => {
                let bits = self.facts().1 / 2;
                (value & ((1 << bits) - 1), value >> bits)
            }
            _ => (value, 0),
        };
        self.plus(u64::from(b) << 32 | u64::from(a), 0)
    }

    /// The value of data of `bytes` bytes with this state, not all zero if `nonzero`.
    pub(crate) fn of_state(self, state: u64, bytes: u64, nonzero: bool) -> u32 {
        let (a, b) = (state as u32, (state >> 32) as u32);
        let value = match (self, self.group().step) {
            (Sum::Internet, _) => {
                let sum = if a == 0 && nonzero { 0xffff } else { a as u16 };
                !u32::from(if bytes % 2 == 1 { sum.swap_bytes() } else { sum }) & 0xffff
            }
            (_, Step::Sum) => b << (self.facts().1 / 2) | a,
            _ => a,
        };
        self.spell(value, bytes, || nonzero)
    }

    pub(crate) const fn plus(self, x: u64, y: u64) -> u64 {
        match self.group().modulus {
            0 => x ^ y,
            m => {
                let low = ((x & LOW) + (y & LOW)) % m;
                let high = ((x >> 32) + (y >> 32)) % m;
                high << 32 | low
            }
        }
    }

    pub(crate) const fn minus(self, x: u64, y: u64) -> u64 {
        match self.group().modulus {
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
        let Group { modulus, step } = self.group();
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
        let Group { modulus, step } = self.group();
        match step {
            // As many more as make a whole turn.
            Step::None | Step::Rotate(_) => self.advance(state, 16 - units % 16),
            Step::Sum => self.advance(state, modulus - units % modulus),
        }
    }
}

/// The lower half of a state.
const LOW: u64 = 0xffff_ffff;

/// What the states of a code are: one number or two, added modulo `modulus` (0: exclusive or), and what the next unit does
/// to what is before it.
struct Group {
    modulus: u64,
    step: Step,
}

/// What a unit of zero does to a state.
#[derive(Clone, Copy)]
enum Step {
    /// Nothing.
    None,
    /// A 16-bit sum modulo 65535 is rotated left by so many bits, which multiplies it by a power of two.
    Rotate(u32),
    /// A is added to B.
    Sum,
}
