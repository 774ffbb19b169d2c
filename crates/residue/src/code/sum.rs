//! The codes that are not CRCs: their names, and how each writes the value of its family.

use crate::fletcher::{
    self, Bytes255, Bytes256, Sums, Variant, Words65535, Words65536, check_octets, swap_halves,
};
use crate::foil::{self, Foil};
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
    pub(super) fn word(self) -> u64 {
        match self {
            Sum::Xor32 | Sum::Sum32 => 4,
            Sum::Xns | Sum::Fletcher32 | Sum::Fletcher32Be | Sum::Fletcher32Mod65536 => 2,
            Sum::Rfc1146B16 | Sum::FourOctets | Sum::Xor16 | Sum::Sum16 => 2,
            _ => 1,
        }
    }

    pub(super) fn combine(self, first: u32, odd: bool, second: u32, length: u64) -> u32 {
        fn pair<V: Variant>(first: u32, second: u32, length: u64) -> u32 {
            let units = length.div_ceil(V::UNIT as u64);
            V::finish(&(), fletcher::combine::<V>(sums::<V>(first), sums::<V>(second), units))
        }
        match self {
            Sum::Internet => internet::combine(first as u16, odd, second as u16).into(),
            Sum::Xns => xns::combine(first as u16, second as u16, length.div_ceil(2)).into(),
            Sum::Fletcher16 | Sum::Rfc1146B8 | Sum::Iso8473 => {
                pair::<Bytes255>(first, second, length)
            }
            Sum::Fletcher32 | Sum::Fletcher32Be | Sum::Rfc1146B16 | Sum::FourOctets => {
                pair::<Words65535>(first, second, length)
            }
            Sum::Fletcher16Mod256 => pair::<Bytes256>(first, second, length),
            Sum::Fletcher32Mod65536 => pair::<Words65536>(first, second, length),
            Sum::Adler32 => adler::combine(first, second, length),
            Sum::Xor8 | Sum::Xor16 | Sum::Xor32 => first ^ second,
            Sum::Sum8 => Foil::<false, 1>::combine(first, second),
            Sum::Sum16 => Foil::<false, 2>::combine(first, second),
            Sum::Sum32 => Foil::<false, 4>::combine(first, second),
        }
    }

    pub(super) fn update(
        self,
        value: u32,
        length: u64,
        offset: u64,
        old: &[u8],
        new: &[u8],
    ) -> Option<u32> {
        fn pair<V: Variant>(
            value: u32,
            length: u64,
            offset: u64,
            old: &[u8],
            new: &[u8],
        ) -> Option<u32> {
            let sums = fletcher::update_at::<V>(sums::<V>(value), length, offset, old, new)?;
            Some(V::finish(&(), sums))
        }
        match self {
            Sum::Internet => internet::update_at(value as u16, offset, old, new).map(u32::from),
            Sum::Xns => xns::update_at(value as u16, length, offset, old, new).map(u32::from),
            Sum::Fletcher16 | Sum::Rfc1146B8 | Sum::Iso8473 => {
                pair::<Bytes255>(value, length, offset, old, new)
            }
            Sum::Fletcher32 | Sum::Fletcher32Be | Sum::Rfc1146B16 | Sum::FourOctets => {
                pair::<Words65535>(value, length, offset, old, new)
            }
            Sum::Fletcher16Mod256 => pair::<Bytes256>(value, length, offset, old, new),
            Sum::Fletcher32Mod65536 => pair::<Words65536>(value, length, offset, old, new),
            Sum::Adler32 => adler::update_at(value, length, offset, old, new),
            Sum::Xor8 => Foil::<true, 1>::update_at(value, offset, old, new),
            Sum::Xor16 => Foil::<true, 2>::update_at(value, offset, old, new),
            Sum::Xor32 => Foil::<true, 4>::update_at(value, offset, old, new),
            Sum::Sum8 => Foil::<false, 1>::update_at(value, offset, old, new),
            Sum::Sum16 => Foil::<false, 2>::update_at(value, offset, old, new),
            Sum::Sum32 => Foil::<false, 4>::update_at(value, offset, old, new),
        }
    }
}
