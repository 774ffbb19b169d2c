//! Carry-less products.

use super::{CrcPmull, CrcPmullEor3, Pmull, PmullEor3};
use crate::arch::clmul::one_lane;
use crate::arch::ops;
use crate::arch::{CarryLess, CarryLessWide};
use core::arch::aarch64::*;

/// Implements lanes with an exclusive or of three as one operation, on cores wide enough for eight
/// accumulators, or as two.
macro_rules! carry_less {
    ($($tier:ty, $eight:literal, |$a:ident, $b:ident, $c:ident| $xor3:expr;)*) => {$(
        impl CarryLess for $tier {
            type V = uint8x16_t;
            ops! {
                fn load(self, bytes: &[u8; 16]) -> uint8x16_t { vld1q_u8(bytes.as_ptr()) }
                fn lane_of(self, lane: u128) -> uint8x16_t { vreinterpretq_u8_p128(lane) }
                fn xor(self, a: uint8x16_t, b: uint8x16_t) -> uint8x16_t { veorq_u8(a, b) }
                fn shuffle(self, v: uint8x16_t, index: &[u8; 16]) -> uint8x16_t {
                    vqtbl1q_u8(v, vld1q_u8(index.as_ptr()))
                }
                fn high_down(self, v: uint8x16_t) -> uint8x16_t { vextq_u8::<8>(v, vdupq_n_u8(0)) }
                fn low_up(self, v: uint8x16_t) -> uint8x16_t { vextq_u8::<8>(vdupq_n_u8(0), v) }
                fn low_of(self, v: uint8x16_t) -> u64 {
                    vgetq_lane_u64::<0>(vreinterpretq_u64_u8(v))
                }
            }

            #[inline(always)]
            fn product<const HALVES: i32>(self, a: uint8x16_t, b: uint8x16_t) -> uint8x16_t {
                // SAFETY: the marker proves carry-less products.
                unsafe {
                    let (a, b) = (vreinterpretq_p64_u8(a), vreinterpretq_p64_u8(b));
                    let (a_low, a_high) = (vgetq_lane_p64::<0>(a), vgetq_lane_p64::<1>(a));
                    let (b_low, b_high) = (vgetq_lane_p64::<0>(b), vgetq_lane_p64::<1>(b));
                    vreinterpretq_u8_p128(match HALVES {
                        0x00 => vmull_p64(a_low, b_low),
                        0x01 => vmull_p64(a_high, b_low),
                        0x10 => vmull_p64(a_low, b_high),
                        _ => vmull_high_p64(a, b),
                    })
                }
            }
        }

        impl CarryLessWide for $tier {
            one_lane!();
            const EIGHT: bool = $eight;

            ops! {
                fn fold(self, v: uint8x16_t, key: uint8x16_t, data: uint8x16_t) -> uint8x16_t {
                    let ($a, $b, $c) =
                        (self.product::<0x00>(v, key), self.product::<0x11>(v, key), data);
                    $xor3
                }
                fn reverse(self, v: uint8x16_t) -> uint8x16_t {
                    let pairs = vrev64q_u8(v);
                    vextq_u8::<8>(pairs, pairs)
                }
            }
        }
    )*};
}
carry_less! {
    Pmull, false, |a, b, c| veorq_u8(veorq_u8(a, b), c);
    CrcPmull, false, |a, b, c| veorq_u8(veorq_u8(a, b), c);
    PmullEor3, true, |a, b, c| veor3q_u8(a, b, c);
    CrcPmullEor3, true, |a, b, c| veor3q_u8(a, b, c);
}
