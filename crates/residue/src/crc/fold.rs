//! Carry-less folding: any CRC of up to 64 bits, 16 bytes to a lane.
//!
//! Idea. A lane V that stands D bits before another lane can be removed by adding V x^D mod P to that lane, and V x^D is
//! one carry-less multiplication of each half of V by a constant. So four accumulators walk over the data 64 bytes at a
//! time, are folded into one lane, and that lane is reduced to the register by Barrett's method: no table, and the same
//! code for every polynomial (V. Gopal et al., *Fast CRC Computation for Generic Polynomials Using PCLMULQDQ*, 2009).
//!
//! The register enters by xor into the first bytes of the message. Leading zero bytes then cost nothing, so a length
//! that is not a multiple of 16 is made one by putting the ragged part at the *head*, behind zeros, and the end is exact.
//!
//! A lane as a 128-bit integer is, for a reflected code, its bytes in little-endian order with bit i the coefficient of
//! x^(127-i); for a normal code, in big-endian order with bit i that of x^i. A reflected product comes out one place low,
//! which its constants make up for: rev(a) rev(b) = rev(a b x).

use super::{Constants, Embedded, gf2};
use crate::arch::{CarryLess, CarryLessWide};
use crate::kernel::Body;

/// The constants of folding and reduction.
#[derive(Clone, Debug)]
pub(crate) struct Keys {
    /// What moves a lane forward by 1 to 16 lanes of 128 bits: the factors of its low and its high 64 bits.
    lanes: [u128; 16],
    /// x^128 (normal) or x^127 (reflected): brings the upper 64 bits of a lane down.
    half: u64,
    /// The quotient x^128 / P.
    quotient: u64,
    /// P.
    poly: u64,
    /// Whether P has a constant term, which the reflected form of the reduction does not hold. It does only at 64 bits.
    odd: bool,
}

impl Keys {
    pub(crate) const fn new(poly: u64, reflected: bool) -> Keys {
        // The factors' exponents grow by 128 from lane to lane.
        let (mut low, mut high) = if reflected {
            (gf2::xpow(128 + 63, poly), gf2::xpow(128 - 1, poly))
        } else {
            (gf2::xpow(128, poly), gf2::xpow(128 + 64, poly))
        };
        let one_lane = gf2::xpow(128, poly);
        let mut lanes = [0; 16];
        let mut i = 0;
        while i < 16 {
            lanes[i] = (orient(high, reflected) as u128) << 64 | orient(low, reflected) as u128;
            (low, high) = (gf2::mul(low, one_lane, poly), gf2::mul(high, one_lane, poly));
            i += 1;
        }
        let quotient = gf2::quotient128(poly);
        // Divided by x when reflected, which makes room for the term x^64 at the other end.
        const TOP: u64 = 1 << 63;
        Keys {
            lanes,
            half: orient(gf2::xpow(if reflected { 127 } else { 128 }, poly), reflected),
            quotient: if reflected { (TOP | quotient >> 1).reverse_bits() } else { quotient },
            poly: if reflected { (TOP | poly >> 1).reverse_bits() } else { poly },
            odd: poly & 1 == 1,
        }
    }
}

const fn orient(a: u64, reflected: bool) -> u64 {
    if reflected { a.reverse_bits() } else { a }
}

/// Folding with four accumulators.
pub(crate) struct Fold;

impl<T: CarryLess> Body<T> for Fold {
    type Family = Embedded;
    #[inline(always)]
    fn run(tier: T, with: &Constants, state: u64, data: &[u8]) -> u64 {
        // Two copies of the code, so that the order of bits is no question inside the loops.
        if with.reflected {
            run::<T, true>(tier, &with.fold, state, data)
        } else {
            run::<T, false>(tier, &with.fold, state, data)
        }
    }
}

#[inline(always)]
fn run<T: CarryLess, const REFLECTED: bool>(t: T, keys: &Keys, state: u64, data: &[u8]) -> u64 {
    let n = data.len();
    if let Some(short) = short::<T, REFLECTED>(t, keys, state, data) {
        return short;
    }

    // Head: h bytes behind 16 - h zeros, so that h + 16 m = n. The register covers the first eight bytes, which may
    // reach into the second lane.
    let h = (n - 1) % 16 + 1;
    let register = t.lane_of(u128::from(if REFLECTED { state } else { state.swap_bytes() }));
    let Some(first) = data.first_chunk() else {
        return state;
    };
    let up = t.shuffle(t.xor(t.load(first), register), shift_index(h));
    let spill = t.shuffle(register, shift_index(16 + h));
    let lane = |v: T::V| if REFLECTED { v } else { t.reverse(v) };
    let (lanes, _) = data[h..].as_chunks::<16>();
    let Some((second, lanes)) = lanes.split_first() else {
        return state;
    };
    let (head, second) = (lane(up), lane(t.xor(t.load(second), spill)));

    let key = [0, 1, 2, 3].map(|i| t.lane_of(keys.lanes[i]));
    let mut last;
    let mut rest = lanes;
    if lanes.len() < 6 {
        last = t.fold(head, key[0], second);
    } else {
        let (steps, _) = lanes[2..].as_chunks::<4>();
        let mut v = [head, second, lane(t.load(&lanes[0])), lane(t.load(&lanes[1]))];
        for step in steps {
            for i in 0..4 {
                v[i] = t.fold(v[i], key[3], lane(t.load(&step[i])));
            }
        }
        last = t.fold(v[0], key[2], t.fold(v[1], key[1], t.fold(v[2], key[0], v[3])));
        rest = &lanes[2 + 4 * steps.len()..];
    }
    for bytes in rest {
        last = t.fold(last, key[0], lane(t.load(bytes)));
    }
    reduce128::<T, REFLECTED>(t, keys, t.bits_of(last))
}

/// Folding with four accumulators of several lanes each, as far as whole steps of four vectors reach; [`Fold`] does the
/// rest.
pub(crate) struct WideFold;

impl WideFold {
    /// Steps of four vectors below which gathering the lanes at the end costs more than they gain.
    const STEPS: usize = 2;
}

impl<T: CarryLessWide> Body<T> for WideFold {
    type Family = Embedded;
    #[inline(always)]
    fn run(tier: T, with: &Constants, state: u64, data: &[u8]) -> u64 {
        let (vectors, _) = tier.blocks(data);
        let (steps, rest) = vectors.as_chunks::<4>();
        let Some((first, steps)) = steps.split_first() else {
            return <Fold as Body<T>>::run(tier, with, state, data);
        };
        if steps.len() + 1 < WideFold::STEPS {
            return <Fold as Body<T>>::run(tier, with, state, data);
        }
        let left = rest.len() * 16 * T::LANES + data.len() % (16 * T::LANES);
        let state = if with.reflected {
            wide::<T, true>(tier, &with.fold, state, first, steps)
        } else {
            wide::<T, false>(tier, &with.fold, state, first, steps)
        };
        <Fold as Body<T>>::run(tier, with, state, &data[data.len() - left..])
    }
}

#[inline(always)]
fn wide<T: CarryLessWide, const REFLECTED: bool>(
    t: T,
    keys: &Keys,
    state: u64,
    first: &[T::Block; 4],
    steps: &[[T::Block; 4]],
) -> u64 {
    let load = |block: &T::Block| {
        let v = t.load_wide(block);
        if REFLECTED { v } else { t.reverse_wide(v) }
    };
    let register = if REFLECTED { u128::from(state) } else { u128::from(state) << 64 };
    let mut v = [load(&first[0]), load(&first[1]), load(&first[2]), load(&first[3])];
    v[0] = t.xor_wide(v[0], t.first_lane(t.lane_of(register)));
    let key = |lanes: usize| t.all_lanes(t.lane_of(keys.lanes[lanes - 1]));
    let step_key = key(4 * T::LANES);
    for step in steps {
        for i in 0..4 {
            v[i] = t.fold_wide(v[i], step_key, load(&step[i]));
        }
    }
    let last = t.fold_wide(v[2], key(T::LANES), v[3]);
    let last = t.fold_wide(v[1], key(2 * T::LANES), last);
    let last = t.fold_wide(v[0], key(3 * T::LANES), last);
    let mut lane = t.lane(last, T::LANES - 1);
    for i in 0..T::LANES - 1 {
        let key = t.lane_of(keys.lanes[T::LANES - 2 - i]);
        lane = t.fold(t.lane(last, i), key, lane);
    }
    reduce128::<T, REFLECTED>(t, keys, t.bits_of(lane))
}

/// An index for `shuffle` from a table of 16 zeros, the 16 places in order, 16 zeros. From `h` below 16: the first h bytes
/// move to the end, behind zeros. From 16 + h: the bytes from h on move to the start, zeros behind.
#[inline(always)]
fn shift_index(from: usize) -> &'static [u8; 16] {
    const ZERO: u8 = 0x80;
    static TABLE: [u8; 48] = {
        let mut table = [ZERO; 48];
        let mut i = 0;
        while i < 16 {
            table[16 + i] = i as u8;
            i += 1;
        }
        table
    };
    TABLE[from..].first_chunk().unwrap_or(&[ZERO; 16])
}

/// 0 to 16 bytes, by words.
#[inline(always)]
fn short<T: CarryLess, const REFLECTED: bool>(
    t: T,
    keys: &Keys,
    state: u64,
    data: &[u8],
) -> Option<u64> {
    // Compared before it is narrowed: a slice may be longer than 2^32.
    if data.len() > 16 {
        return None;
    }
    let n = data.len() as u32;
    let word = |bytes: &[u8; 8]| {
        if REFLECTED { u64::from_le_bytes(*bytes) } else { u64::from_be_bytes(*bytes) }
    };
    let (Some(first), Some(last)) = (data.first_chunk(), data.last_chunk()) else {
        // Fewer than eight bytes: part of the register outlives them.
        if n == 0 {
            return Some(state);
        }
        let m = data.iter().enumerate().fold(0, |m, (i, &byte)| {
            let place = if REFLECTED { i } else { data.len() - 1 - i };
            m | u64::from(byte) << (8 * place)
        });
        let (left, out) = (64 - 8 * n, 8 * n);
        return Some(if REFLECTED {
            reduce64::<T, true>(t, keys, (m ^ state) << left, state >> out)
        } else {
            reduce64::<T, false>(t, keys, (state >> left) ^ m, state << out)
        });
    };
    let (first, last) = (word(first), word(last));
    if n == 8 {
        return Some(reduce64::<T, REFLECTED>(t, keys, first ^ state, 0));
    }
    // 9 to 16: the first eight bytes and the last eight, which overlap by 16 - n.
    let (overlap, s) = (64 - 8 * (n - 8), 8 * (n - 8));
    let shift = |a: u64| {
        if s == 64 {
            0
        } else if REFLECTED {
            a >> s
        } else {
            a << s
        }
    };
    let (upper, lower) = if REFLECTED {
        (last ^ shift(state), (first ^ state) << overlap)
    } else {
        ((first ^ state) >> overlap, last ^ shift(state))
    };
    Some(reduce128::<T, REFLECTED>(t, keys, u128::from(upper) << 64 | u128::from(lower)))
}

/// The register of a lane: lane x^64 mod P, in the embedding.
#[inline(always)]
fn reduce128<T: CarryLess, const REFLECTED: bool>(t: T, keys: &Keys, lane: u128) -> u64 {
    let (low, high) = (lane as u64, (lane >> 64) as u64);
    let (upper, lower) = if REFLECTED {
        let sum = t.mul(low, keys.half) ^ u128::from(high);
        (sum as u64, (sum >> 64) as u64)
    } else {
        let sum = t.mul(high, keys.half) ^ u128::from(low) << 64;
        ((sum >> 64) as u64, sum as u64)
    };
    reduce64::<T, REFLECTED>(t, keys, upper, lower)
}

/// upper x^64 + lower mod P, by Barrett's method: exact, because P has degree 64.
#[inline(always)]
fn reduce64<T: CarryLess, const REFLECTED: bool>(t: T, keys: &Keys, upper: u64, lower: u64) -> u64 {
    if REFLECTED {
        let q = t.mul(upper, keys.quotient) as u64;
        let remainder = (t.mul(q, keys.poly) >> 64) as u64 ^ lower;
        if keys.odd { remainder ^ q } else { remainder }
    } else {
        let q = (t.mul(upper, keys.quotient) >> 64) as u64 ^ upper;
        t.mul(q, keys.poly) as u64 ^ lower
    }
}
