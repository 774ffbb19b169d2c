//! The CRC-32C instruction and carry-less products.

use super::{Crc, CrcPmull, Pmull, ops};
use crate::arch::{CarryLess, Crc32cStep};
use core::arch::aarch64::*;

macro_rules! crc32c_step {
    ($tier:ty) => {
        impl Crc32cStep for $tier {
            ops! {
                fn step8(self, state: u32, word: u64) -> u32 { __crc32cd(state, word) }
                fn step4(self, state: u32, word: u32) -> u32 { __crc32cw(state, word) }
                fn step2(self, state: u32, word: u16) -> u32 { __crc32ch(state, word) }
                fn step1(self, state: u32, byte: u8) -> u32 { __crc32cb(state, byte) }
            }
        }
    };
}

crc32c_step!(Crc);
crc32c_step!(CrcPmull);

macro_rules! carry_less {
    ($tier:ty) => {
        impl CarryLess for $tier {
            type V = uint8x16_t;
            ops! {
                fn load(self, bytes: &[u8; 16]) -> uint8x16_t { vld1q_u8(bytes.as_ptr()) }
                fn lane_of(self, lane: u128) -> uint8x16_t { vreinterpretq_u8_p128(lane) }
                fn bits_of(self, lane: uint8x16_t) -> u128 { vreinterpretq_p128_u8(lane) }
                fn xor(self, a: uint8x16_t, b: uint8x16_t) -> uint8x16_t { veorq_u8(a, b) }
                fn fold(self, v: uint8x16_t, key: uint8x16_t, data: uint8x16_t) -> uint8x16_t {
                    let (v, key) = (vreinterpretq_p64_u8(v), vreinterpretq_p64_u8(key));
                    let low = vmull_p64(vgetq_lane_p64::<0>(v), vgetq_lane_p64::<0>(key));
                    let high = vmull_high_p64(v, key);
                    let products = veorq_u8(vreinterpretq_u8_p128(low), vreinterpretq_u8_p128(high));
                    veorq_u8(products, data)
                }
                fn reverse(self, v: uint8x16_t) -> uint8x16_t {
                    let pairs = vrev64q_u8(v);
                    vextq_u8::<8>(pairs, pairs)
                }
                fn shuffle(self, v: uint8x16_t, index: &[u8; 16]) -> uint8x16_t {
                    vqtbl1q_u8(v, vld1q_u8(index.as_ptr()))
                }
                fn mul(self, a: u64, b: u64) -> u128 { vmull_p64(a, b) }
            }
        }
    };
}

carry_less!(Pmull);
carry_less!(CrcPmull);
