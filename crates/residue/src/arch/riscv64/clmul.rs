//! Carry-less products of 64-bit words (Zbc), each half of one by an instruction.

use super::Zbc;
use crate::arch::clmul::{integer_lanes, one_lane};
use crate::arch::{CarryLess, CarryLessWide};
use core::arch::asm;

/// The lower (`clmul`) or the upper half (`clmulh`) of a product.
macro_rules! half {
    ($name:ident, $instruction:literal) => {
        #[inline(always)]
        fn $name(_proof: Zbc, a: u64, b: u64) -> u64 {
            let half;
            // SAFETY: the marker proves the instruction, which changes its target alone.
            unsafe {
                asm!(
                    // The compiler takes this for code of any CPU.
                    ".option push",
                    ".option arch, +zbc",
                    concat!($instruction, " {}, {}, {}"),
                    ".option pop",
                    out(reg) half, in(reg) a, in(reg) b,
                    options(pure, nomem, nostack, preserves_flags)
                );
            }
            half
        }
    };
}
half!(lower, "clmul");
half!(upper, "clmulh");

impl CarryLess for Zbc {
    integer_lanes!();

    #[inline(always)]
    fn product<const HALVES: i32>(self, a: u128, b: u128) -> u128 {
        let half = |v: u128, high: bool| if high { (v >> 64) as u64 } else { v as u64 };
        let (a, b) = (half(a, HALVES & 0x01 != 0), half(b, HALVES & 0x10 != 0));
        u128::from(upper(self, a, b)) << 64 | u128::from(lower(self, a, b))
    }
}

impl CarryLessWide for Zbc {
    one_lane!();

    #[inline(always)]
    fn fold(self, v: u128, key: u128, data: u128) -> u128 {
        self.product::<0x00>(v, key) ^ self.product::<0x11>(v, key) ^ data
    }

    #[inline(always)]
    fn reverse(self, v: u128) -> u128 {
        v.swap_bytes()
    }
}
