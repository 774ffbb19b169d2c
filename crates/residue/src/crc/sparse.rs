//! CRCs without products and tables, by sparse multiples of the polynomial.
//!
//! Idea (S. Russell, *Chorba*, 2024, for CRC-32). If P divides 1 + x^a + x^b + x^c, it divides the
//! eighth power of this, which over GF(2) is 1 + x^8a + x^8b + x^8c. So a byte of a message may be
//! replaced by copies of it a, b and c bytes further behind: their sum with it is a multiple of P,
//! and the CRC stays. With a register of zeros (the start value goes into the first bytes) all of
//! a message but its last c bytes is removed by the recurrence
//!
//! ```text
//! r[j] = data[j] ^ r[j-a] ^ r[j-b] ^ r[j-c]
//! ```
//!
//! in vectors of any width, as long as no distance is shorter than what is computed at once. The
//! last c bytes are data[j] and those r that were removed. Example: CRC-8 by x^8 + x^2 + x + 1 =
//! (x + 1)(x^7 + x^6 + ...) divides 1 + x^127, so a byte may be replaced by one copy of it 127
//! bytes behind.
//!
//! Three distances of 32-bit polynomials reach 4000 bytes and more, and those below 1000 bytes are
//! slow: a load that spans two stores still in flight waits for both. What is left is reduced once
//! more, by more and shorter distances, to some 300 bytes.
//!
//! The distances are found by `residue strength multiples`, and proved when this is compiled.

use super::family::CompiledIn;
use super::params::Params;
use super::width::Width;
use crate::arch::{LOADS_ANYWHERE, prefetch};
use crate::body::{Body, ByLength, Edges, OutOfLine, Tier};
use crate::cpu::ReadAhead;
use core::marker::PhantomData;

/// A CRC with known sparse multiples of its polynomial.
pub(crate) trait Sparsely: CompiledIn {
    /// Few distances, in bytes and rising order.
    const FEW: &'static [usize];
    /// The length from which these are faster than short ones, or than tables.
    const FEW_FROM: usize;
    /// More and shorter ones, or none.
    const SHORT: &'static [usize];
}

/// Declares the distances of CRCs with compiled-in constants, and proves them.
macro_rules! sparsely {
    ($($name:ident: $params:ident, $few:expr, from $from:expr, short $short:expr;)*) => {$(
        impl $crate::crc::sparse::Sparsely for $name {
            const FEW: &'static [usize] = &$few;
            const FEW_FROM: usize = $from;
            const SHORT: &'static [usize] = &$short;
        }

        const _: () = {
            use $crate::crc::sparse::{ONCE_FROM, SPARSE_FROM, fits, is_multiple};
            let params = &super::catalog::$params;
            assert!(is_multiple(params, &$few) && is_multiple(params, &$short));
            assert!(fits(&$few, $from) && fits(&$few, ONCE_FROM) && fits(&$short, SPARSE_FROM));
        };
    )*};
}
pub(super) use sparsely;

/// Returns whether a byte and its copies at these distances behind it add up to a multiple of the
/// polynomial; true for no distances.
pub(super) const fn is_multiple(params: &Params, distances: &[usize]) -> bool {
    let (mut sum, mut i) = (1, 0);
    while i < distances.len() {
        sum ^= params.inverse_power(distances[i] as u64);
        i += 1;
    }
    sum == 0 || distances.is_empty()
}

/// Returns whether data of `from` bytes and more can be removed in steps by as many distances as
/// there is code for; true for no distances.
pub(super) const fn fits(distances: &[usize], from: usize) -> bool {
    match *distances {
        [] => true,
        [first, .., last] => {
            matches!(distances.len(), 3..=5 | 7) && first >= STEP && last + STEP <= from
        }
        [_] => false,
    }
}

/// Whether portable code goes by sparse multiples: where there are words of 64 bits or vectors,
/// which are loaded from any address, and buffers of 20 KiB fit on the stack, as they do not in an
/// operating system's kernel.
pub(crate) const FAST: bool = LOADS_ANYWHERE
    && cfg!(all(any(target_pointer_width = "64", target_arch = "wasm32"), not(target_os = "none")));

/// The bytes of a step: of the vectors that are computed at once.
const STEP: usize = 64;

/// How far ahead of what is read the prefetched bytes lie. All data are read ahead: where they are
/// in a cache, no time was lost by it (docs/kernels.md).
const AHEAD: usize = ReadAhead::Cached.distance();

/// Removes all but the end of long data, and then all but the end of this, and leaves the rest to
/// the body `End`, and short data to the body `Short`.
pub(crate) type SparseOr<N, Short, End> =
    ByLength<Short, OutOfLine<Sparse<N, End, true>>, SPARSE_FROM>;

/// Removes all but the end of long data, and leaves this and short data to the body `Rest`, which
/// is fast.
pub(crate) type SparseOnce<N, Rest> = ByLength<Rest, OutOfLine<Sparse<N, Rest, false>>, ONCE_FROM>;

/// The length from which short distances are faster than slicing: on a Zen 4 1024 bytes take 289 ns
/// and 316.
pub(crate) const SPARSE_FROM: usize = 1024;
/// The length from which few distances are faster than 16-byte products on CPUs that start one in
/// each cycle, an estimate; on a Zen 4, which starts one in two, 16 KiB take 953 ns and 1180.
pub(super) const ONCE_FROM: usize = 16 << 10;

/// A buffer on the stack, which fits into the first-level cache.
#[repr(align(64))]
struct Buffer<const BYTES: usize>([u8; BYTES]);

/// Removes all but the end of long data by few distances, and then all but the end of the rest by
/// short ones, if `SHORT`.
pub(crate) struct Sparse<N, Rest, const SHORT: bool>(PhantomData<(N, Rest)>);

impl<N: Sparsely, T: Tier, Rest: Body<T, Family = N>, const SHORT: bool> Body<T>
    for Sparse<N, Rest, SHORT>
{
    type Family = N;
    const EDGES: Edges = Edges::of(&[N::FEW_FROM], &[Rest::EDGES]);
    #[inline(always)]
    fn run(tier: T, (): &(), state: N::Word, data: &[u8]) -> N::Word {
        let mut state: u64 = state.into();
        let (mut long, mut short);
        let mut rest = data;
        if !SHORT || data.len() >= N::FEW_FROM {
            long = Buffer([0; 16 << 10]);
            rest = end(N::FEW, &mut long.0, state, rest);
            state = 0;
        }
        if SHORT && !N::SHORT.is_empty() {
            short = Buffer([0; 4 << 10]);
            rest = end(N::SHORT, &mut short.0, state, rest);
            state = 0;
        }
        tier.outline::<Rest>(&(), N::Word::of_low(state.into()), rest)
    }
}

/// Removes data from the register `state`, and returns what is left: a message with the same CRC
/// from a register of zeros.
///
/// The buffer has zeros, and room for more than is left.
#[inline(always)]
fn end<'a>(distances: &[usize], buffer: &'a mut [u8], state: u64, data: &[u8]) -> &'a [u8] {
    match *distances {
        [a, b, c] => removed([a, b, c], buffer, state, data),
        [a, b, c, d] => removed([a, b, c, d], buffer, state, data),
        [a, b, c, d, e] => removed([a, b, c, d, e], buffer, state, data),
        [a, b, c, d, e, f, g] => removed([a, b, c, d, e, f, g], buffer, state, data),
        _ => unreachable!("`fits` admits no other number"),
    }
}

#[inline(always)]
fn removed<'a, const K: usize>(
    distances: [usize; K],
    buffer: &'a mut [u8],
    state: u64,
    data: &[u8],
) -> &'a [u8] {
    // The buffer has the last removed bytes, from which all that follow are computed, and a block,
    // which begins with a cache line.
    let last = distances[K - 1];
    let start = last.next_multiple_of(STEP);
    let (removed, kept) = data.split_at((data.len() - last) / STEP * STEP);
    let mut state = Some(state);
    let mut left = removed.len();
    for block in removed.chunks((buffer.len() - start) / STEP * STEP) {
        let mut at = start;
        // No byte of a piece depends on others of it.
        for piece in block.chunks(distances[0] / STEP * STEP) {
            let (past, to) = buffer.split_at_mut(at);
            // Near the end, a piece prefetches itself.
            let ahead = if left >= AHEAD + piece.len() { AHEAD } else { 0 };
            left -= piece.len();
            sum(to, piece, distances.map(|it| &past[at - it..]), ahead);
            if let Some(state) = state.take() {
                add(to, &state.to_le_bytes());
            }
            at += piece.len();
        }
        buffer.copy_within(at - last..at, start - last);
    }
    let (past, to) = buffer.split_at_mut(start);
    let to = &mut to[..kept.len()];
    to.copy_from_slice(kept);
    for distance in distances {
        add(to, &past[start - distance..]);
    }
    to
}

/// Adds bytes to others. It is called for some thousand bytes at the end, and shared by all tiers.
#[inline(never)]
fn add(to: &mut [u8], bytes: &[u8]) {
    to.iter_mut().zip(bytes).for_each(|(to, byte)| *to ^= byte);
}

/// Writes the sums of the bytes of a piece, whole steps, and of all `terms`, and prefetches the
/// lines `ahead` bytes later.
#[inline(always)]
fn sum<const K: usize>(to: &mut [u8], piece: &[u8], terms: [&[u8]; K], ahead: usize) {
    let (piece, _) = piece.as_chunks::<STEP>();
    let to = &mut to.as_chunks_mut::<STEP>().0[..piece.len()];
    let terms = terms.map(|term| &term.as_chunks::<STEP>().0[..piece.len()]);
    for (i, (to, own)) in to.iter_mut().zip(piece).enumerate() {
        prefetch(own.as_ptr().wrapping_add(ahead));
        let sum = terms.iter().fold(words(own), |mut sum, term| {
            sum.iter_mut().zip(words(&term[i])).for_each(|(sum, word)| *sum ^= word);
            sum
        });
        for (to, word) in to.as_chunks_mut().0.iter_mut().zip(sum) {
            *to = word.to_ne_bytes();
        }
    }
}

/// Loads a step as words, which the compiler may join to vectors.
#[inline(always)]
fn words(step: &[u8; STEP]) -> [u64; STEP / 8] {
    let mut words = [0; STEP / 8];
    for (word, bytes) in words.iter_mut().zip(step.as_chunks().0) {
        *word = u64::from_ne_bytes(*bytes);
    }
    words
}
