//! CRCs on one table of any size, from one bit at a time to one byte at a time.
//!
//! Idea. The register after b bits depends on b of its bits and on the message bits only through
//! their sum, so a table of 2^b remainders does b steps of the division at once. The table of two
//! entries, 0 and the polynomial, is the division bit by bit.

use super::params::Params;
use super::width::Width;
use crate::streaming::streaming;
use core::fmt;

/// A CRC with one table of `ENTRIES` words, 2, 16 or 256: [`Bitwise`], [`Nibblewise`] or
/// [`Bytewise`].
///
/// `W` is the integer of its values, of its table and of its register: `u8` for CRCs of up to 8
/// bits, and so on. It has `ENTRIES` + 3 words at most, and no other code than a loop for each bit
/// order.
#[derive(Clone)]
pub struct Crc<W: Width, const ENTRIES: usize> {
    ends: Ends<W>,
    table: [W; ENTRIES],
}

impl<W: Width, const ENTRIES: usize> fmt::Debug for Crc<W, ENTRIES> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Crc").field("ends", &self.ends).finish_non_exhaustive()
    }
}

/// A CRC that takes a bit at a time, with a table of two words: the least code and data.
///
/// ```
/// use residue::crc::catalog;
/// use residue::small::Bitwise;
/// static MODBUS: Bitwise<u16> = Bitwise::<u16>::new(&catalog::CRC_16_MODBUS);
/// assert_eq!(MODBUS.checksum(b"123456789"), 0x4b37);
/// ```
pub type Bitwise<W> = Crc<W, 2>;

/// A CRC that takes half a byte at a time, with a table of 16 words: 32 bytes for `u16`.
///
/// ```
/// use residue::crc::catalog;
/// use residue::small::Nibblewise;
/// static MODBUS: Nibblewise<u16> = Nibblewise::<u16>::new(&catalog::CRC_16_MODBUS);
/// assert_eq!(MODBUS.checksum(b"123456789"), 0x4b37);
/// ```
pub type Nibblewise<W> = Crc<W, 16>;

/// A CRC that takes a byte at a time (Sarwate 1988), with a table of 256 words: 512 bytes for
/// `u16`, 1 KiB for `u32`.
///
/// ```
/// use residue::crc::catalog;
/// use residue::small::Bytewise;
/// static CRC_32C: Bytewise<u32> = Bytewise::<u32>::new(&catalog::CRC_32_ISCSI);
/// assert_eq!(CRC_32C.checksum(b"123456789"), residue::crc32c(b"123456789"));
/// ```
pub type Bytewise<W> = Crc<W, 256>;

impl<W: Width, const ENTRIES: usize> Crc<W, ENTRIES> {
    /// Returns the check value of `data`, of any length.
    #[must_use]
    pub fn checksum(&self, data: &[u8]) -> W {
        self.after(self.ends.start(), data)
    }

    /// Returns the check value of data with the value `value`, followed by `data`.
    ///
    /// To start, pass the CRC of the empty message. Bits of `value` above the width are ignored.
    ///
    /// ```
    /// use residue::crc::catalog;
    /// use residue::small::Nibblewise;
    /// static ARC: Nibblewise<u16> = Nibblewise::<u16>::new(&catalog::CRC_16_ARC);
    /// assert_eq!(ARC.extend(ARC.checksum(b"12345"), b"6789"), ARC.checksum(b"123456789"));
    /// ```
    #[must_use]
    pub fn extend(&self, value: W, data: &[u8]) -> W {
        self.after(self.ends.register(value), data)
    }

    /// Starts the CRC of data that arrives in pieces.
    #[must_use]
    pub fn digest(&self) -> Digest<'_, W, ENTRIES> {
        Digest { crc: self, register: self.ends.start() }
    }

    /// Returns the value after `data`, from a register.
    fn after(&self, register: W, data: &[u8]) -> W {
        self.ends.finish(self.ends.advance(&self.table, register, data))
    }
}

/// The CRC of data that arrives in pieces: a register, and a reference to the CRC.
///
/// ```
/// use residue::crc::catalog;
/// use residue::small::{Bytewise, Digest};
/// static DNP: Bytewise<u16> = Bytewise::<u16>::new(&catalog::CRC_16_DNP);
/// let mut digest: Digest<u16, 256> = DNP.digest();
/// digest.update(b"12345");
/// digest.update(b"6789");
/// assert_eq!(digest.value(), 0xea82);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Digest<'a, W: Width, const ENTRIES: usize> {
    crc: &'a Crc<W, ENTRIES>,
    register: W,
}

impl<W: Width, const ENTRIES: usize> Digest<'_, W, ENTRIES> {
    /// Adds the next bytes.
    pub fn update(&mut self, data: &[u8]) {
        self.register = self.crc.ends.advance(&self.crc.table, self.register, data);
    }

    /// Returns the value of the data added up to now.
    #[must_use]
    pub fn value(&self) -> W {
        self.crc.ends.finish(self.register)
    }

    /// Starts again with the CRC of the empty message.
    pub fn reset(&mut self) {
        self.register = self.crc.ends.start();
    }
}

streaming!([W: Width, const ENTRIES: usize] Digest<'_, W, ENTRIES>);

/// The parameters of a CRC that a table of remainders does not hold: the register before the first
/// byte, and the way from the register to the value.
///
/// The register is right-aligned, highest power of x last, if `refin`, else left-aligned.
#[derive(Clone, Debug)]
pub(super) struct Ends<W> {
    refin: bool,
    refout: bool,
    /// The bits of the word above the width.
    spare: u8,
    init: W,
    xorout: W,
}

impl<W: Width> Ends<W> {
    /// Returns whether the lowest bit of each byte comes first.
    #[inline(always)]
    pub(super) fn reflected(&self) -> bool {
        self.refin
    }

    /// Returns the register before the first byte.
    #[inline(always)]
    pub(super) fn start(&self) -> W {
        self.init
    }

    /// Returns the register after `data`, log2(`N`) bits at a time.
    #[inline(always)]
    pub(super) fn advance<const N: usize>(&self, table: &[W; N], register: W, data: &[u8]) -> W {
        if self.refin {
            advance::<W, N, true>(table, register, data)
        } else {
            advance::<W, N, false>(table, register, data)
        }
    }

    /// Returns the value of a register.
    #[inline(always)]
    pub(super) fn finish(&self, register: W) -> W {
        let register = if self.refin == self.refout { register } else { register.reversed() };
        let value = if self.refout { register } else { register.down(self.spare.into()) };
        value ^ self.xorout
    }

    /// Returns the register whose value is `value`, without its bits above the width.
    #[inline(always)]
    fn register(&self, value: W) -> W {
        let left = (value ^ self.xorout).up(self.spare.into());
        let register = if self.refout { left.down(self.spare.into()) } else { left };
        if self.refin == self.refout { register } else { register.reversed() }
    }
}

/// Returns the register after `data`, log2(`N`) bits at a time, lowest first if `REFLECTED`.
#[inline(always)]
pub(super) fn advance<W: Width, const N: usize, const REFLECTED: bool>(
    table: &[W; N],
    register: W,
    data: &[u8],
) -> W {
    let bits = const {
        assert!(matches!(N, 2 | 16 | 256), "the table has 2, 16 or 256 entries");
        N.ilog2() as usize
    };
    data.iter().fold(register, |register, &byte| {
        let byte = W::of_low(byte.into());
        let register = register ^ if REFLECTED { byte } else { byte.up(W::BITS - 8) };
        (0..8 / bits).fold(register, |register, _| {
            let end = if REFLECTED { register } else { register.down(W::BITS - bits) };
            let moved = if REFLECTED { register.down(bits) } else { register.up(bits) };
            moved ^ table[end.low() as usize & (N - 1)]
        })
    })
}

macro_rules! words {
    ($($word:ident)*) => {$(
        impl Ends<$word> {
            pub(super) const fn new(params: &Params) -> Self {
                assert!(params.validate().is_ok(), "the parameters do not define a CRC");
                assert!(params.width as u32 <= $word::BITS, "the CRC is wider than the word");
                let Params { width, refin, refout, .. } = *params;
                let spare = $word::BITS - width as u32;
                let init = (params.init as $word) << spare;
                Ends {
                    refin,
                    refout,
                    spare: spare as u8,
                    init: if refin { init.reverse_bits() } else { init },
                    xorout: params.xorout as $word,
                }
            }

            /// Returns the registers after log2(`N`) bits, for each value of these bits.
            pub(super) const fn entries<const N: usize>(params: &Params) -> [$word; N] {
                let mut table = [0; N];
                Self::fill(params, &mut table);
                table
            }

            /// Does what [`Ends::entries`] does, in code that tables of all sizes share.
            #[inline(never)]
            const fn fill(params: &Params, table: &mut [$word]) {
                let poly = (params.poly as $word) << ($word::BITS - params.width as u32);
                let poly = if params.refin { poly.reverse_bits() } else { poly };
                // The entry of the last bit is the polynomial, that of each bit before it has one
                // step more.
                let (mut register, mut one) = (poly, 1);
                while one < table.len() {
                    table[if params.refin { table.len() / 2 / one } else { one }] = register;
                    let (carry, moved) = if params.refin {
                        (register & 1, register >> 1)
                    } else {
                        (register >> ($word::BITS - 1), register << 1)
                    };
                    register = moved ^ (poly & carry.wrapping_neg());
                    one *= 2;
                }
                // The others are sums of those with one bit set.
                let mut i = 1usize;
                while i < table.len() {
                    let lowest = i & i.wrapping_neg();
                    table[i] = table[lowest] ^ table[i ^ lowest];
                    i += 1;
                }
            }
        }

        impl<const ENTRIES: usize> Crc<$word, ENTRIES> {
            /// Computes the table; in a `static` or `const`, at compile time.
            ///
            /// # Panics
            /// If the CRC is wider than the word, or [`Params::validate`] fails; in a `static` this
            /// is a compile error.
            #[must_use]
            pub const fn new(params: &Params) -> Self {
                Crc { ends: Ends::<$word>::new(params), table: Ends::<$word>::entries(params) }
            }
        }
    )*};
}
words!(u8 u16 u32 u64 u128);
