//! The register of a CRC of up to 64 bits after any number of zero bytes, without walking over
//! them, for combination and update.
//!
//! n zero bytes multiply the register by x^(8n) mod P (rule 3 of [`gf2`](super::gf2)).
//! [`Constants`] has x^(8 2^k), so it takes one multiplication modulo P for each bit set in n: a
//! carry-less product and the two of Barrett's reduction, as at the end of folding. Reflected
//! products come out one place low, so their powers are of x^(8 2^k - 1).

use super::constants::Constants;
use super::fold::product;
use crate::arch::{CarryLess, Portable};
use crate::body::{Body, Edges, Family, Tier};
use crate::kernel::{Dispatch, Kernel, dispatch, on_aarch64, on_riscv64, on_s390x, on_x86_64};

/// The family of the kernels that advance a register, over a number of zero bytes or by a factor.
///
/// There are no data: the state is an embedded register and that number or factor, which becomes 0.
#[derive(Debug)]
pub(super) struct Advance;

impl Family for Advance {
    type Context = Constants;
    type State = (u64, u64);
    type Value = u64;

    #[inline(always)]
    fn start(_: &Constants) -> (u64, u64) {
        (0, 0)
    }

    #[inline(always)]
    fn finish(_: &Constants, (register, _): (u64, u64)) -> u64 {
        register
    }
}

/// Returns the embedded register after `bytes` zero bytes.
pub(super) fn advance(context: &Constants, register: u64, bytes: u64) -> u64 {
    DISPATCH.run(context, (register, bytes), &[]).0
}

/// Returns the factor that advances a register over `bytes` zero bytes, at least one, in the form
/// of [`Constants::powers`].
pub(super) fn factor(context: &Constants, bytes: u64) -> u64 {
    // The largest power in `context` that goes into it, times the others.
    let first = bytes.trailing_zeros().min(31);
    advance(context, context.powers[first as usize], bytes - (1 << first))
}

/// Returns the embedded register times a factor of [`factor`].
pub(super) fn multiply(context: &Constants, register: u64, factor: u64) -> u64 {
    DISPATCH_PRODUCT.run(context, (register, factor), &[]).0
}

/// Multiplies by a carry-less product.
struct Product;

impl<T: CarryLess> Body<T> for Product {
    type Family = Advance;
    const EDGES: Edges = Edges::NONE;
    #[inline(always)]
    fn run(t: T, context: &Constants, (state, factor): (u64, u64), _: &[u8]) -> (u64, u64) {
        (product(t, context, state, factor), 0)
    }
}

/// Multiplies bit by bit.
struct ProductBits;

impl<T: Tier> Body<T> for ProductBits {
    type Family = Advance;
    const EDGES: Edges = Edges::NONE;
    #[inline(always)]
    fn run(_: T, context: &Constants, (state, factor): (u64, u64), _: &[u8]) -> (u64, u64) {
        (context.multiply(state, factor), 0)
    }
}

/// Advances with carry-less products.
struct Products;

impl<T: CarryLess> Body<T> for Products {
    type Family = Advance;
    const EDGES: Edges = Edges::NONE;
    #[inline(always)]
    fn run(t: T, context: &Constants, (mut state, bytes): (u64, u64), _: &[u8]) -> (u64, u64) {
        let mut left = bytes as u32;
        while left != 0 {
            let power = context.powers[left.trailing_zeros() as usize];
            state = product(t, context, state, power);
            left &= left - 1;
        }
        let (mut power, mut left) = (context.powers[31], bytes >> 32);
        while left != 0 {
            power = product(t, context, power, power);
            if left & 1 == 1 {
                state = product(t, context, state, power);
            }
            left >>= 1;
        }
        (state, 0)
    }
}

/// Advances bit by bit.
struct Bits;

impl<T: Tier> Body<T> for Bits {
    type Family = Advance;
    const EDGES: Edges = Edges::NONE;
    #[inline(always)]
    fn run(_: T, context: &Constants, (state, bytes): (u64, u64), _: &[u8]) -> (u64, u64) {
        (context.advance(state, bytes), 0)
    }
}

/// The kernels, best first.
const KERNELS: &[Kernel<Advance>] = &[
    on_x86_64!(Pclmul, Products, "pclmul"),
    on_aarch64!(Pmull, Products, "pmull"),
    on_riscv64!(Zbc, Products, "zbc"),
    on_s390x!(Vector, Products, "vgfm"),
    #[cfg(feature = "generic")]
    Kernel::generic::<Products>("generic"),
    Kernel::on::<Portable, Bits>("portable"),
];

const DISPATCH: Dispatch<Advance> = dispatch!(Advance, KERNELS);

/// The kernels that multiply once, best first.
const PRODUCTS: &[Kernel<Advance>] = &[
    on_x86_64!(Pclmul, Product, "pclmul"),
    on_aarch64!(Pmull, Product, "pmull"),
    on_riscv64!(Zbc, Product, "zbc"),
    on_s390x!(Vector, Product, "vgfm"),
    #[cfg(feature = "generic")]
    Kernel::generic::<Product>("generic"),
    Kernel::on::<Portable, ProductBits>("portable"),
];

const DISPATCH_PRODUCT: Dispatch<Advance> = dispatch!(Advance, PRODUCTS);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crc::{Params, catalog, gf2};

    /// Returns CRCs of every width to 64 in both bit orders, and those of the catalogue.
    fn params() -> impl Iterator<Item = Params> {
        let own = (1..=64).flat_map(|width| {
            let mask = u128::MAX >> (128 - width);
            let poly = (0xad93_d235_94c9_3659 & mask) | 1;
            [false, true].map(|refin| Params {
                width: width as u8,
                poly,
                refin,
                refout: refin,
                ..catalog::CRC_8_SMBUS
            })
        });
        own.chain(catalog::ALL.iter().copied().filter(|params| params.width <= 64))
    }

    /// Returns registers with each single bit set, with all bits set, and some others.
    fn states(context: &Constants) -> impl Iterator<Item = u64> {
        let top = if context.reflected { 0 } else { 64 - context.width };
        let mask = u64::MAX >> (64 - context.width) << top;
        let single = (0..context.width).map(move |bit| 1 << (bit + top));
        single.chain([0, mask, 0x0123_4567_89ab_cdef & mask])
    }

    fn ways(context: &Constants, state: u64, bytes: u64, expected: u64) {
        if bytes != 0 {
            let factor = factor(context, bytes);
            for kernel in PRODUCTS {
                if let Some(forced) = kernel.force() {
                    let register = forced.run(context, (state, factor), &[]);
                    assert_eq!(register, (expected, 0), "{}", kernel.info().name);
                }
            }
        }
        for kernel in KERNELS {
            if let Some(forced) = kernel.force() {
                let name = kernel.info().name;
                let register = forced.run(context, (state, bytes), &[]);
                assert_eq!(
                    register,
                    (expected, 0),
                    "{name}: width {}, {bytes} bytes",
                    context.width
                );
            }
        }
    }

    #[test]
    fn zero_bytes_one_after_the_other() {
        for params in params().step_by(crate::one_in(23)) {
            let context = Constants::new(&params);
            for mut state in states(&context) {
                let first = state;
                for bytes in 0..=67 {
                    ways(&context, first, bytes, state);
                    // A register divides zeros alike in both bit orders: each step shifts it and
                    // subtracts P.
                    for _ in 0..8 {
                        state = if context.reflected {
                            state >> 1 ^ (context.poly.reverse_bits() & (state & 1).wrapping_neg())
                        } else {
                            gf2::mulx(state, context.poly)
                        };
                    }
                }
            }
        }
    }

    #[test]
    fn more_bytes_than_any_memory_holds() {
        for params in params().step_by(5 * crate::one_in(7)) {
            let context = Constants::new(&params);
            let powers = (0..=60).flat_map(|k| [(1 << k) - 1, 1 << k, (1 << k) + 1]);
            for bytes in powers.chain([0x0765_4321_0fed_cba9, (1 << 61) - 1]) {
                // Computes the power of x by square and multiply, independently of `Constants`.
                let power = gf2::xpow(8 * bytes, context.poly);
                for state in states(&context).step_by(9) {
                    let turned = |a: u64| if context.reflected { a.reverse_bits() } else { a };
                    let expected = turned(gf2::mul(turned(state), power, context.poly));
                    ways(&context, state, bytes, expected);
                }
            }
        }
    }
}
