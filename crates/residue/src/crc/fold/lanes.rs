//! Lanes: their order of bytes, moves, reduction to the register, and data of at most one.

use crate::arch::{CarryLess, CarryLessWide};
use crate::crc::constants::Constants;
use crate::crc::keys::Keys;
use crate::words::short_word;

/// Orders the bytes of each lane so that it is a polynomial.
#[inline(always)]
pub(in crate::crc) fn oriented<T: CarryLessWide, const REFLECTED: bool>(t: T, v: T::W) -> T::W {
    if REFLECTED { v } else { t.reverse(v) }
}

/// Orders the bytes of one lane, as [`oriented`] does.
#[inline(always)]
pub(super) fn oriented_lane<T: CarryLess, const REFLECTED: bool>(t: T, v: T::V) -> T::V {
    const REVERSED: [u8; 16] = [15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0];
    if REFLECTED { v } else { t.shuffle(v, &REVERSED) }
}

/// Returns a lane of the register, aligned for addition to the first bytes of a message.
#[inline(always)]
pub(in crate::crc) fn register_lane<T: CarryLess, const REFLECTED: bool>(t: T, state: u64) -> T::V {
    t.lane_of(u128::from(if REFLECTED { state } else { state.swap_bytes() }))
}

/// Moves a lane forward by `lanes` lanes and adds data, for tiers whose `fold` works only on wider
/// vectors.
#[inline(always)]
pub(super) fn fold_lane<T: CarryLess>(
    t: T,
    keys: &Keys,
    v: T::V,
    lanes: usize,
    data: T::V,
) -> T::V {
    let key = t.constant(keys.lanes[16 - lanes]);
    t.xor(t.xor(t.product::<0x00>(v, key), t.product::<0x11>(v, key)), data)
}

/// Computes the register after 0 to 16 bytes, by words.
#[inline(always)]
pub(super) fn short<T: CarryLess, const REFLECTED: bool>(
    t: T,
    keys: &Keys,
    state: u64,
    data: &[u8],
) -> u64 {
    let n = data.len() as u32;
    let lane = |high: u64, low: u64| t.lane_of(u128::from(high) << 64 | u128::from(low));
    let word = |bytes: &[u8; 8]| {
        if REFLECTED { u64::from_le_bytes(*bytes) } else { u64::from_be_bytes(*bytes) }
    };
    let (Some(first), Some(last)) = (data.first_chunk(), data.last_chunk()) else {
        if n == 0 {
            return state;
        }
        // Fewer than eight bytes consume only a part of the register; the rest remains.
        let (left, out) = (64 - 8 * n, 8 * n);
        let m = short_word(data);
        let sum = if REFLECTED {
            lane(state >> out, (m ^ state) << left)
        } else {
            lane((state ^ m.swap_bytes()) >> left, state << out)
        };
        return reduce64::<T, REFLECTED>(t, keys, sum);
    };
    if let Ok(lane) = data.try_into() {
        let lane = t.xor(t.load(lane), register_lane::<T, REFLECTED>(t, state));
        return reduce128::<T, REFLECTED>(t, keys, oriented_lane::<T, REFLECTED>(t, lane));
    }
    let (first, last) = (word(first), word(last));
    if n == 8 {
        let sum = if REFLECTED { lane(0, first ^ state) } else { lane(first ^ state, 0) };
        return reduce64::<T, REFLECTED>(t, keys, sum);
    }
    // 9 to 15: the first eight bytes and the last eight, which overlap by 16 - n.
    let (overlap, s) = (128 - 8 * n, 8 * n - 64);
    let shift = |a: u64| if REFLECTED { a >> s } else { a << s };
    let sum = if REFLECTED {
        lane(last ^ shift(state), (first ^ state) << overlap)
    } else {
        lane((first ^ state) >> overlap, last ^ shift(state))
    };
    reduce128::<T, REFLECTED>(t, keys, sum)
}

/// Reduces a lane to the register: lane x^64 mod P, in the embedding.
#[inline(always)]
pub(in crate::crc) fn reduce128<T: CarryLess, const REFLECTED: bool>(
    t: T,
    keys: &Keys,
    lane: T::V,
) -> u64 {
    let half = t.constant(keys.half);
    let sum = if REFLECTED {
        t.xor(t.product::<0x00>(lane, half), t.high_down(lane))
    } else {
        t.xor(t.product::<0x01>(lane, half), t.low_up(lane))
    };
    reduce64::<T, REFLECTED>(t, keys, sum)
}

/// Reduces the half of a lane with the upper powers, times x^64, plus the other half, mod P, by
/// Barrett's method.
///
/// The result is exact, because P has degree 64.
#[inline(always)]
pub(in crate::crc) fn reduce64<T: CarryLess, const REFLECTED: bool>(
    t: T,
    keys: &Keys,
    lane: T::V,
) -> u64 {
    let barrett = t.constant(keys.barrett);
    if REFLECTED {
        let q = t.product::<0x00>(lane, barrett);
        let remainder = t.low_of(t.high_down(t.xor(t.product::<0x10>(q, barrett), lane)));
        if keys.odd { remainder ^ t.low_of(q) } else { remainder }
    } else {
        let q = t.xor(t.product::<0x01>(lane, barrett), lane);
        t.low_of(t.xor(t.product::<0x11>(q, barrett), lane))
    }
}

/// Returns the register `state` times `factor`, a power in the form of [`Constants::powers`].
#[inline(always)]
pub(in crate::crc) fn product<T: CarryLess>(
    t: T,
    context: &Constants,
    state: u64,
    factor: u64,
) -> u64 {
    let product = t.product::<0x00>(t.lane_of(state.into()), t.lane_of(factor.into()));
    if context.reflected {
        reduce64::<T, true>(t, &context.fold, product)
    } else {
        reduce64::<T, false>(t, &context.fold, product)
    }
}
