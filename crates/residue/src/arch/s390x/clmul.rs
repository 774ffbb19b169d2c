//! Carry-less products of 64-bit words: one instruction adds the product of the upper halves, that
//! of the lower ones, and a third vector (z13 and later).

use super::Vector;
use crate::arch::clmul::{integer_lanes, one_lane};
use crate::arch::{CarryLess, CarryLessWide};
use core::arch::asm;

impl CarryLess for Vector {
    integer_lanes!();

    #[inline(always)]
    fn product<const HALVES: i32>(self, a: u128, b: u128) -> u128 {
        let half = |v: u128, high: bool| if high { v >> 64 } else { v & u128::from(u64::MAX) };
        self.fold(half(a, HALVES & 0x01 != 0), half(b, HALVES & 0x10 != 0), 0)
    }
}

impl CarryLessWide for Vector {
    one_lane!();

    // Lanes are pairs of general registers, as stable Rust has no operands in vector registers.
    #[inline(always)]
    fn fold(self, v: u128, key: u128, data: u128) -> u128 {
        let halves = |v: u128| [(v >> 64) as u64, v as u64];
        let ([v_high, v_low], [key_high, key_low]) = (halves(v), halves(key));
        let [data_high, data_low] = halves(data);
        let (high, low): (u64, u64);
        // SAFETY: the marker proves the instructions, which change nothing but the registers named.
        // f0 to f2 are halves of v0 to v2, so the compiler keeps nothing in these.
        unsafe {
            asm!(
                // The compiler takes this for code of any CPU.
                ".machine push",
                ".machine z13",
                "vlvgp %v0, {v_high}, {v_low}",
                "vlvgp %v1, {key_high}, {key_low}",
                "vlvgp %v2, {data_high}, {data_low}",
                "vgfmag %v0, %v0, %v1, %v2",
                "vlgvg {high}, %v0, 0",
                "vlgvg {low}, %v0, 1",
                ".machine pop",
                v_high = in(reg) v_high, v_low = in(reg) v_low,
                key_high = in(reg) key_high, key_low = in(reg) key_low,
                data_high = in(reg) data_high, data_low = in(reg) data_low,
                high = lateout(reg) high, low = lateout(reg) low,
                out("f0") _, out("f1") _, out("f2") _,
                options(pure, nomem, nostack, preserves_flags)
            );
        }
        u128::from(high) << 64 | u128::from(low)
    }

    #[inline(always)]
    fn reverse(self, v: u128) -> u128 {
        v.swap_bytes()
    }
}
