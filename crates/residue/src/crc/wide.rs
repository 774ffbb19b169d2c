//! CRCs of 65 to 128 bits: half a byte at a time, unless the caller uses
//! [`Tables`](super::tables::Tables). A table for whole bytes would be larger than the constants of
//! all other CRCs, whose type is the same.

use super::family::Register;
use super::params::Params;
use crate::arch::Portable;
use crate::body::{Body, Edges, Family, Tier};
use crate::kernel::{Kernel, dispatched};

/// The constants of the kernels for a CRC of more than 64 bits.
///
/// The register is right-aligned, highest power first.
#[derive(Clone, Debug)]
pub struct Wide {
    params: Params,
    /// The register after each half of a byte, from zero.
    halves: [u128; 16],
}

impl Wide {
    pub(super) const fn new(params: &Params) -> Wide {
        let (mut halves, mut i) = ([0; 16], 0);
        while i < halves.len() {
            halves[i] = params.feed(0, i as u128, 4);
            i += 1;
        }
        Wide { params: *params, halves }
    }

    pub(super) const fn register(&self, value: u128) -> u128 {
        if self.params.refout { self.params.reflect(value) } else { value }
    }

    /// Returns the product of two registers modulo P.
    pub(super) const fn multiply(&self, a: u128, b: u128) -> u128 {
        self.params.multiply(a, b)
    }

    pub(super) const fn advance(&self, state: u128, bytes: u64) -> u128 {
        // x^8 has degree below the width.
        let (mut register, mut power, mut left) = (state, 1 << 8, bytes);
        while left != 0 {
            if left & 1 == 1 {
                register = self.params.multiply(register, power);
            }
            power = self.params.multiply(power, power);
            left >>= 1;
        }
        register
    }
}

/// The family of the CRCs of 65 to 128 bits.
#[derive(Debug)]
pub struct WideFamily;

impl Family for WideFamily {
    type Context = Wide;
    type State = u128;
    type Value = u128;

    #[inline(always)]
    fn start(context: &Wide) -> u128 {
        context.params.init
    }

    #[inline(always)]
    fn finish(context: &Wide, state: u128) -> u128 {
        context.register(state) ^ context.params.xorout
    }
}

impl Register for WideFamily {
    #[inline(always)]
    fn register(context: &Wide, value: u128) -> u128 {
        context.register(value ^ context.params.xorout)
    }
}

/// Takes half a byte at a time.
struct WideNibble;

impl<T: Tier> Body<T> for WideNibble {
    type Family = WideFamily;
    const EDGES: Edges = Edges::NONE;
    #[inline(always)]
    fn run(_: T, context: &Wide, mut state: u128, data: &[u8]) -> u128 {
        let (top, mask) = (context.params.width - 4, context.params.mask());
        for &byte in data {
            let byte = if context.params.refin { byte.reverse_bits() } else { byte };
            for half in [byte >> 4, byte & 15] {
                let first = (state >> top) as u8;
                state = state << 4 & mask ^ context.halves[usize::from((first ^ half) & 15)];
            }
        }
        state
    }
}

/// The kernel of the CRCs above 64 bits that needs no tables of the caller.
pub(crate) const KERNELS_WIDE: &[Kernel<WideFamily>] =
    &[Kernel::compact::<Portable, WideNibble>("portable").same_as("nibble")];

dispatched!(WideFamily, KERNELS_WIDE);
