//! The constants of the kernels for a CRC of up to 64 bits, in its 64-bit embedding, and the family
//! of these kernels.

use super::gf2;
use super::keys::Keys;
use super::matrices::Matrices;
#[cfg(test)]
use crate::arch::Portable;
use crate::arch::x86_64;
use crate::body::Family;

/// The constants of the kernels for a CRC of up to 64 bits, in its 64-bit embedding.
///
/// The register is right-aligned if the code reads the lowest bit first, with bit i the coefficient
/// of x^(w-1-i); left-aligned otherwise.
#[derive(Clone, Debug)]
pub struct Constants {
    pub(crate) width: u8,
    pub(crate) reflected: bool,
    /// Whether the register's bits are reversed between the end of the data and the value.
    pub(super) crossed: bool,
    /// The embedded register before the first byte.
    pub(super) init: u64,
    pub(super) xorout: u64,
    /// The embedded polynomial without its top term, bit i the coefficient of x^i.
    pub(crate) poly: u64,
    pub(crate) fold: Keys,
    /// The byte matrices for folding, if the polynomial allows them, and their code.
    pub(super) taps: Option<(Matrices, Long)>,
    /// The register after each byte, from zero.
    pub(super) bytes: [u64; 256],
    /// x^(8 2^k) modulo the embedded polynomial; for a reflected code x^(8 2^k - 1), reversed,
    /// because its products come out one place low. Each is the square of the one before; those of
    /// lengths from 4 GiB on are computed when they are needed.
    pub(super) powers: [u64; 32],
}

impl Constants {
    /// Embeds a right-aligned register.
    pub(super) const fn embed(&self, register: u64) -> u64 {
        if self.reflected { register } else { register << (64 - self.width) }
    }

    /// Returns the embedded register whose value, before xorout, is `value`.
    pub(super) const fn register(&self, value: u64) -> u64 {
        let register = if self.crossed { reversed(value) >> (64 - self.width) } else { value };
        self.embed(register)
    }

    /// Returns the embedded register before the first byte.
    pub(super) const fn start(&self) -> u64 {
        self.init
    }

    /// Computes the value of `data` a byte at a time, also at compile time.
    pub(super) const fn const_value(&self, data: &[u8]) -> u64 {
        let (mut state, mut i) = (self.init, 0);
        while i < data.len() {
            state = if self.reflected {
                state >> 8 ^ self.bytes[(state as u8 ^ data[i]) as usize]
            } else {
                state << 8 ^ self.bytes[((state >> 56) as u8 ^ data[i]) as usize]
            };
            i += 1;
        }
        self.finish(state)
    }

    #[inline(always)]
    const fn finish(&self, state: u64) -> u64 {
        let register = if self.reflected { state } else { state >> (64 - self.width) };
        let register =
            if self.crossed { reversed(register) >> (64 - self.width) } else { register };
        register ^ self.xorout
    }

    /// Returns the embedded register after `bytes` zero bytes, computed bit by bit.
    ///
    /// [`advance`](super::advance) does it with carry-less products, but not at compile time.
    pub(super) const fn advance(&self, state: u64, bytes: u64) -> u64 {
        let (mut register, mut left) = (state, bytes as u32);
        while left != 0 {
            register = self.multiply(register, self.powers[left.trailing_zeros() as usize]);
            left &= left - 1;
        }
        let (mut power, mut left) = (self.powers[31], bytes >> 32);
        while left != 0 {
            power = self.multiply(power, power);
            if left & 1 == 1 {
                register = self.multiply(register, power);
            }
            left >>= 1;
        }
        register
    }

    /// Returns the embedded register times `factor`, a power in the form of `powers`, computed bit
    /// by bit.
    pub(super) const fn multiply(&self, register: u64, factor: u64) -> u64 {
        if self.reflected {
            let factor = gf2::mulx(factor.reverse_bits(), self.poly);
            gf2::mul(register.reverse_bits(), factor, self.poly).reverse_bits()
        } else {
            gf2::mul(register, factor, self.poly)
        }
    }
}

/// Returns `bits` in reverse order.
///
/// Compilers do it by an affine product, which Bochs 2.7 gets wrong (see `ByteMatrix`): for Bochs,
/// this function is not inlined into any vector tier.
#[cfg_attr(not(residue_bochs), inline(always))]
#[cfg_attr(residue_bochs, inline(never))]
const fn reversed(bits: u64) -> u64 {
    bits.reverse_bits()
}

/// The code of one set of taps in one bit order, on each tier with byte matrices.
///
/// Constants name it, without which a program would hold the code of all sets.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Long {
    #[allow(dead_code)] // Some targets have no such tier.
    pub(super) avx512: Avx512,
    #[cfg(test)]
    pub(super) portable: crate::kernel::Outlined<Portable, Embedded>,
}

x86_64::present_512!({
    pub(super) type Avx512 = crate::kernel::Outlined<x86_64::Avx512Vpclmul, Embedded>;
} else {
    pub(super) type Avx512 = ();
});

/// The family of the CRCs of up to 64 bits.
///
/// The state is the embedded register (see [`Constants`]).
#[derive(Debug)]
pub struct Embedded;

/// The length from which folding hides a copy of the data: on Zen 4 CRC-32 gains 4 % at 384 bytes
/// and loses 9 % at 256 (2026-11-24, `cargo xtask rivals -c crc-32 -m copy -s 256,384`).
pub(super) const COPIES_FROM: usize = 384;

impl Family for Embedded {
    type Context = Constants;
    type State = u64;
    type Value = u64;
    const COPIES_FROM: usize = COPIES_FROM;

    #[inline(always)]
    fn start(context: &Constants) -> u64 {
        context.init
    }

    #[inline(always)]
    fn finish(context: &Constants, state: u64) -> u64 {
        context.finish(state)
    }
}
