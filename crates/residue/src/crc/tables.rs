//! Table-driven CRCs: nibble-wise, byte-wise (Sarwate 1988) and slicing (Kounavis and Berry 2005;
//! Intel 2006).
//!
//! Idea. The register after a byte depends on eight of its bits and on the byte only through their
//! sum, so a table of 256 remainders does eight steps of the division at once. Table k holds the
//! remainders of a byte followed by k zero bytes; with N of them the look-ups for N message bytes
//! do not wait for each other, which is the gain of slicing-by-N.
//!
//! | kernel | tables | of 32-bit words |
//! |---|---|---|
//! | `nibble` | 16 entries | 64 bytes |
//! | `bytewise` | 256 entries | 1 KiB |
//! | `slicing4`, `slicing8`, `slicing16` | 4, 8, 16 x 256 entries | 4, 8, 16 KiB |
//!
//! Words have the smallest of 32, 64 and 128 bits that holds the CRC: larger words would fill more
//! of the cache.

use super::params::Params;
use super::small::{Ends, advance};
use super::width::Width;
use crate::arch::{Portable, entry};
use crate::body::{Body, Edges, Family, Tier};
use crate::kernel::Kernel;
use crate::words::short_word;
use core::fmt;

/// A word of the tables: `u32`, `u64` or `u128`.
///
/// Registers are right-aligned if the code is reflected, else left-aligned.
pub trait Word: Width {
    /// The kernels on tables of this word.
    #[doc(hidden)]
    const KERNELS: &'static [Kernel<Tabled<Self>>];
}

/// The tables of one CRC: 16 x 256 words and 16 more, 16 KiB for CRCs of up to 32 bits.
///
/// Store them in a `static` or a `Box`. The types of [`small`](crate::small) have one table.
///
/// ```
/// use residue::crc::{catalog, tables::Tables};
/// static BZIP2: Tables<u32> = Tables::<u32>::new(&catalog::CRC_32_BZIP2);
/// assert_eq!(BZIP2.checksum(b"123456789"), 0xfc89_1918);
/// ```
#[derive(Clone)]
pub struct Tables<W> {
    ends: Ends<W>,
    nibbles: [W; 16],
    slices: [[W; 256]; 16],
}

impl<W: fmt::Debug> fmt::Debug for Tables<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tables").field("ends", &self.ends).finish_non_exhaustive()
    }
}

macro_rules! word {
    ($word:ident, $kernels:ident) => {
        impl Word for $word {
            const KERNELS: &'static [Kernel<Tabled<$word>>] = $kernels;
        }

        impl Tables<$word> {
            /// Computes the tables.
            ///
            /// # Panics
            /// If the CRC is wider than the word, or [`Params::validate`] fails; in a `static` this
            /// is a compile error.
            #[must_use]
            pub const fn new(params: &Params) -> Self {
                let ends = Ends::<$word>::new(params);
                let mut slices = [[0; 256]; 16];
                Self::fill(params, &mut slices);
                Tables { ends, nibbles: Ends::<$word>::entries(params), slices }
            }

            #[inline(never)]
            const fn fill(params: &Params, slices: &mut [[$word; 256]; 16]) {
                slices[0] = Ends::<$word>::entries(params);
                let mut i = 256;
                while i < 16 * 256 {
                    let before = slices[i / 256 - 1][i % 256];
                    let (end, moved) = if params.refin {
                        (before, before >> 8)
                    } else {
                        (before >> ($word::BITS - 8), before << 8)
                    };
                    slices[i / 256][i % 256] = moved ^ slices[0][(end & 0xff) as usize];
                    i += 1;
                }
            }
        }

        #[doc = concat!("The kernels on tables of `", stringify!($word), "`, best first.")]
        pub(crate) const $kernels: &[Kernel<Tabled<$word>>] = &[
            #[cfg(feature = "methods")]
            Kernel::compact::<Portable, Slicing<$word, 16>>("slicing16").method(),
            #[cfg(feature = "methods")]
            Kernel::compact::<Portable, Slicing<$word, 8>>("slicing8").historical(),
            #[cfg(feature = "methods")]
            Kernel::compact::<Portable, Slicing<$word, 4>>("slicing4").historical(),
            #[cfg(feature = "methods")]
            Kernel::compact::<Portable, Bytewise<$word>>("bytewise").historical(),
            #[cfg(feature = "methods")]
            Kernel::compact::<Portable, Nibble<$word>>("nibble").historical(),
        ];
    };
}

word!(u32, KERNELS_U32);
word!(u64, KERNELS_U64);
word!(u128, KERNELS_U128);

impl<W: Word> Tables<W> {
    /// Returns the check value of `data`, of any length, by slicing-by-16.
    #[must_use]
    pub fn checksum(&self, data: &[u8]) -> W {
        let state = slicing::<W, 16>(self, Tabled::start(self), data);
        Tabled::finish(self, state)
    }
}

/// Whether few CPUs of the target need the tables of a compiled-in CRC, 16 KiB of a program that no
/// compressor makes smaller.
pub(super) const RARE: bool = cfg!(any(target_arch = "x86_64", target_arch = "aarch64"));

/// Whether these tables are computed at first use. A module of WebAssembly is downloaded.
pub(super) const LATE: bool = cfg!(feature = "std") && (RARE || cfg!(target_arch = "wasm32"));

/// The family of the CRCs that fit a word `W`, on tables.
///
/// The state is the register.
#[derive(Debug)]
#[doc(hidden)]
pub struct Tabled<W>(core::marker::PhantomData<W>);

impl<W: Word> Family for Tabled<W> {
    type Context = Tables<W>;
    type State = W;
    type Value = W;

    #[inline(always)]
    fn start(context: &Tables<W>) -> W {
        context.ends.start()
    }

    #[inline(always)]
    fn finish(context: &Tables<W>, state: W) -> W {
        context.ends.finish(state)
    }
}

/// Takes half a byte at a time.
pub(crate) struct Nibble<W>(core::marker::PhantomData<W>);

impl<W: Word, T: Tier> Body<T> for Nibble<W> {
    type Family = Tabled<W>;
    const EDGES: Edges = Edges::NONE;
    #[inline(always)]
    fn run(_: T, context: &Tables<W>, state: W, data: &[u8]) -> W {
        context.ends.advance(&context.nibbles, state, data)
    }
}

/// Takes one byte at a time.
pub(crate) struct Bytewise<W>(core::marker::PhantomData<W>);

impl<W: Word, T: Tier> Body<T> for Bytewise<W> {
    type Family = Tabled<W>;
    const EDGES: Edges = Edges::NONE;
    #[inline(always)]
    fn run(_: T, context: &Tables<W>, state: W, data: &[u8]) -> W {
        context.ends.advance(&context.slices[0], state, data)
    }
}

/// Takes `N` bytes at a time, and the rest byte by byte.
pub(crate) struct Slicing<W, const N: usize>(core::marker::PhantomData<W>);

impl<W: Word, const N: usize, T: Tier> Body<T> for Slicing<W, N> {
    type Family = Tabled<W>;
    const EDGES: Edges = Edges::NONE;
    #[inline(always)]
    fn run(_: T, context: &Tables<W>, state: W, data: &[u8]) -> W {
        slicing::<W, N>(context, state, data)
    }
}

/// [`Slicing`] for reflected CRCs alone, in half of the code.
pub(crate) struct Reflected<W, const N: usize>(core::marker::PhantomData<W>);

impl<W: Word, const N: usize, T: Tier> Body<T> for Reflected<W, N> {
    type Family = Tabled<W>;
    const EDGES: Edges = Edges::NONE;
    #[inline(always)]
    fn run(_: T, context: &Tables<W>, state: W, data: &[u8]) -> W {
        ordered::<W, N, true>(context, state, data)
    }
}

/// [`Reflected`] by 16 bytes for long data, whose last bytes it takes one by one: half of the code.
pub(crate) struct ReflectedEnd<W>(core::marker::PhantomData<W>);

impl<W: Word, T: Tier> Body<T> for ReflectedEnd<W> {
    type Family = Tabled<W>;
    const EDGES: Edges = Edges::NONE;
    #[inline(always)]
    fn run(_: T, context: &Tables<W>, state: W, data: &[u8]) -> W {
        let (state, rest) = steps::<W, 16, true, true>(context, state, data);
        advance::<W, 256, true>(&context.slices[0], state, rest)
    }
}

#[inline(always)]
fn slicing<W: Word, const N: usize>(context: &Tables<W>, state: W, data: &[u8]) -> W {
    if context.ends.reflected() {
        ordered::<W, N, true>(context, state, data)
    } else {
        ordered::<W, N, false>(context, state, data)
    }
}

#[inline(always)]
fn ordered<W: Word, const N: usize, const REFLECTED: bool>(
    context: &Tables<W>,
    state: W,
    data: &[u8],
) -> W {
    // The published algorithms take the rest byte by byte.
    if N > 8 {
        let (state, rest) = steps::<W, N, REFLECTED, true>(context, state, data);
        let (state, rest) = steps::<W, 8, REFLECTED, true>(context, state, rest);
        return last_step::<W, REFLECTED>(context, state, data, rest.len());
    }
    let (state, rest) = steps::<W, N, REFLECTED, false>(context, state, data);
    advance::<W, 256, REFLECTED>(&context.slices[0], state, rest)
}

/// Returns the register after all whole steps of `N` bytes, and the rest of the data.
///
/// `APART` says whether bytes that do not meet the register are loaded byte by byte: they need not
/// wait for the step before. The published algorithms take all bytes from words.
#[inline(always)]
fn steps<'a, W: Word, const N: usize, const REFLECTED: bool, const APART: bool>(
    context: &Tables<W>,
    mut state: W,
    mut data: &'a [u8],
) -> (W, &'a [u8]) {
    // A loop over chunks would first compute their number, ten instructions for the shortest data.
    while let Some((bytes, rest)) = data.split_first_chunk() {
        state = slice_step::<W, N, REFLECTED, APART>(context, state, bytes);
        data = rest;
    }
    (state, data)
}

/// Returns the register after the last `n` bytes of the data, at most seven.
///
/// They and the register's bytes that meet them are moved behind zeros, which add nothing from a
/// register of zeros, and make one step: a branch for each further byte would be mispredicted where
/// lengths vary.
#[inline(always)]
fn last_step<W: Word, const REFLECTED: bool>(
    context: &Tables<W>,
    state: W,
    data: &[u8],
    n: usize,
) -> W {
    if n == 0 {
        return state;
    }
    // Whole words are frequent, and need half of the work.
    if n == 4
        && let Some(last) = data.last_chunk()
    {
        return slice_step::<W, 4, REFLECTED, true>(context, state, last);
    }
    // Shifts take no account of multiples of 64.
    let zeros = (8 * n as u32).wrapping_neg();
    let bytes = match data.last_chunk() {
        Some(last) => u64::from_le_bytes(*last).wrapping_shr(zeros),
        None => short_word(data),
    };
    let (left, step) = if REFLECTED {
        let step = (bytes ^ state.low()).wrapping_shl(zeros);
        (state.down(8 * n), step.to_le_bytes())
    } else {
        let step = bytes.wrapping_shl(zeros).swap_bytes() ^ top(state).wrapping_shr(zeros);
        (state.up(8 * n), step.to_be_bytes())
    };
    left ^ slice_step::<W, 8, REFLECTED, false>(context, W::default(), &step)
}

/// Returns the highest 64 bits of a register, above zeros if it is shorter.
#[inline(always)]
fn top<W: Word>(state: W) -> u64 {
    state.down(W::BITS.saturating_sub(64)).low() << 64usize.saturating_sub(W::BITS)
}

#[inline(always)]
fn slice_step<W: Word, const N: usize, const REFLECTED: bool, const APART: bool>(
    context: &Tables<W>,
    state: W,
    bytes: &[u8; N],
) -> W {
    let lookup = |place: usize, byte: u8| entry(&context.slices[N - 1 - place][usize::from(byte)]);
    let (met, apart) = bytes.split_at(if APART { N.min(W::BITS / 8) } else { N });
    // The part of the register beyond N bytes.
    let mut sum = if REFLECTED { state.down(8 * N) } else { state.up(8 * N) };
    for (i, &byte) in apart.iter().enumerate() {
        sum = sum ^ lookup(met.len() + i, byte);
    }
    for (i, chunk) in met.chunks(8).enumerate() {
        let place = 8 * i;
        let register = if REFLECTED {
            state.down(8 * place).low()
        } else {
            // The word's bytes, highest first, with the first of them at the top.
            top(state.up(8 * place))
        };
        let word = register ^ word::<REFLECTED>(chunk);
        for k in 0..chunk.len() {
            let byte = (word >> if REFLECTED { 8 * k } else { 56 - 8 * k }) as u8;
            sum = sum ^ lookup(place + k, byte);
        }
    }
    sum
}

/// Loads four or eight bytes: lowest first from the bottom, or highest first from the top.
#[inline(always)]
fn word<const REFLECTED: bool>(bytes: &[u8]) -> u64 {
    if let Ok(bytes) = <[u8; 8]>::try_from(bytes) {
        return if REFLECTED { u64::from_le_bytes(bytes) } else { u64::from_be_bytes(bytes) };
    }
    let Ok(bytes) = <[u8; 4]>::try_from(bytes) else {
        return 0;
    };
    if REFLECTED {
        u64::from(u32::from_le_bytes(bytes))
    } else {
        u64::from(u32::from_be_bytes(bytes)) << 32
    }
}
