//! The only unsafe code that touches instructions: markers that prove a CPU feature, and vector operations on them.
//!
//! # The safety argument
//!
//! An instruction the CPU does not have is undefined behaviour, so its intrinsic may run only where the CPU is known
//! to have it. That knowledge is a value here, a *marker*: a zero-sized type whose only constructor is inside
//! [`Tier::enter`] and [`Tier::enter_whole`], which are `unsafe` to call, with one condition: the CPU has
//! [`Tier::NEEDS`]. [`crate::kernel`] checks that before it calls them. So every method that takes a marker may use
//! the marker's instructions, and can itself be safe.
//!
//! Memory is only read through references to whole vectors (`&[u8; 16]`, `&[u8; 32]`), so no operation reads outside a
//! slice.
//!
//! x86-64 without SSE2 is a target for operating-system kernels, whose code must leave the vector registers alone: it has
//! no vector tiers here.
//!
//! Every function that takes a marker is `#[inline(always)]`: an intrinsic that is not inlined into a function with the
//! same features is an ordinary call, and costs up to 190 times as much.

use crate::cpu::Features;
use crate::kernel::{Body, State, Value, With};

#[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
pub(crate) mod aarch64;
pub mod counter;
mod portable;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
pub(crate) mod x86_64;

pub(crate) use portable::Portable;
pub(crate) use portable::scalar;

/// What each tier needs; told on every architecture, so that lists can name kernels of the others.
#[allow(non_upper_case_globals)] // They are the tiers' names.
pub(crate) mod needs {
    use crate::cpu::Features;

    pub(crate) const Sse2: Features = Features::SSE2;
    pub(crate) const Sse42: Features = Features::SSE42;
    pub(crate) const Pclmul: Features = Features::PCLMUL.union(Features::SSSE3);
    pub(crate) const Sse42Pclmul: Features = Pclmul.union(Sse42);
    pub(crate) const Avx2: Features = Features::AVX2;
    pub(crate) const Avx2Vpclmul: Features = Avx2.union(Sse42Pclmul).union(Features::VPCLMUL);
    pub(crate) const Avx512Vpclmul: Features = Avx2Vpclmul.union(Features::AVX512);
    pub(crate) const Avx512Vnni: Features =
        Avx2.union(Features::AVX512).union(Features::AVX512_VNNI);
    pub(crate) const Crc: Features = Features::CRC;
    pub(crate) const Pmull: Features = Features::NEON.union(Features::PMULL);
    pub(crate) const CrcPmull: Features = Pmull.union(Crc);
}

/// A line of a table of kernels: a body on a tier of x86-64, or elsewhere its name alone.
macro_rules! on_x86_64 {
    ($tier:ident, $body:ty, $name:literal) => {{
        #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
        {
            $crate::kernel::Kernel::on::<$crate::arch::x86_64::$tier, $body>($name)
        }
        #[cfg(not(all(target_arch = "x86_64", target_feature = "sse2")))]
        {
            $crate::kernel::Kernel::elsewhere::<$body>($name, $crate::arch::needs::$tier)
        }
    }};
}
pub(crate) use on_x86_64;

/// The same for aarch64.
macro_rules! on_aarch64 {
    ($tier:ident, $body:ty, $name:literal) => {{
        #[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
        {
            $crate::kernel::Kernel::on::<$crate::arch::aarch64::$tier, $body>($name)
        }
        #[cfg(not(all(
            target_arch = "aarch64",
            target_feature = "neon",
            target_endian = "little"
        )))]
        {
            $crate::kernel::Kernel::elsewhere::<$body>($name, $crate::arch::needs::$tier)
        }
    }};
}
pub(crate) use on_aarch64;

/// A set of CPU features as a type. Holding a value of it proves that the CPU has them.
pub trait Tier: Copy + 'static {
    /// The features.
    const NEEDS: Features;

    /// Runs a body with the features switched on.
    ///
    /// # Safety
    /// The CPU has [`Tier::NEEDS`].
    #[allow(private_bounds, private_interfaces)]
    unsafe fn enter<B: Body<Self>>(
        with: &With<B, Self>,
        state: State<B, Self>,
        data: &[u8],
    ) -> State<B, Self>;

    /// The same from first byte to finished value.
    ///
    /// # Safety
    /// The CPU has [`Tier::NEEDS`].
    #[allow(private_bounds, private_interfaces)]
    unsafe fn enter_whole<B: Body<Self>>(with: &With<B, Self>, data: &[u8]) -> Value<B, Self>;
}

/// Declares a marker and its two entries.
macro_rules! tier {
    ($(#[$doc:meta])* $name:ident, $needs:expr $(, $features:literal)?) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub(crate) struct $name(());

        impl crate::arch::Tier for $name {
            const NEEDS: crate::cpu::Features = $needs;

            #[allow(private_bounds, private_interfaces)]
            $(#[target_feature(enable = $features)])?
            unsafe fn enter<B: crate::kernel::Body<Self>>(
                with: &crate::kernel::With<B, Self>,
                state: crate::kernel::State<B, Self>,
                data: &[u8],
            ) -> crate::kernel::State<B, Self> {
                B::run($name(()), with, state, data)
            }

            #[allow(private_bounds, private_interfaces)]
            $(#[target_feature(enable = $features)])?
            unsafe fn enter_whole<B: crate::kernel::Body<Self>>(
                with: &crate::kernel::With<B, Self>,
                data: &[u8],
            ) -> crate::kernel::Value<B, Self> {
                use crate::kernel::Family;
                let state = B::run($name(()), with, B::Family::start(with), data);
                B::Family::finish(with, state)
            }
        }
    };
}
pub(crate) use tier;

/// Carry-less arithmetic on 16-byte lanes, for CRCs.
///
/// A lane holds a polynomial of degree below 128: little-endian with bit i as the coefficient of x^(127-i) for a
/// reflected CRC, of x^i for a normal one (after [`CarryLess::reverse`]).
pub(crate) trait CarryLess: Tier {
    type V: Copy;
    fn load(self, bytes: &[u8; 16]) -> Self::V;
    fn lane_of(self, lane: u128) -> Self::V;
    fn bits_of(self, lane: Self::V) -> u128;
    fn xor(self, a: Self::V, b: Self::V) -> Self::V;
    /// low(v) * low(key) + high(v) * high(key) + data.
    fn fold(self, v: Self::V, key: Self::V, data: Self::V) -> Self::V;
    /// The bytes of the lane in opposite order.
    fn reverse(self, v: Self::V) -> Self::V;
    /// Byte i of the result is byte `index[i]` of `v`, or zero where `index[i]` is 0x80.
    fn shuffle(self, v: Self::V, index: &[u8; 16]) -> Self::V;
    /// The 127-bit carry-less product.
    fn mul(self, a: u64, b: u64) -> u128;
}

/// The same on vectors of several lanes, each of which is a lane of its own.
pub(crate) trait CarryLessWide: CarryLess {
    type W: Copy;
    /// The bytes of one vector.
    type Block: 'static;
    /// Lanes in a vector: 2 or 4.
    const LANES: usize;
    fn blocks(self, data: &[u8]) -> (&[Self::Block], &[u8]);
    fn load_wide(self, block: &Self::Block) -> Self::W;
    /// The lane, before zero lanes.
    fn first_lane(self, lane: Self::V) -> Self::W;
    /// The lane in every place.
    fn all_lanes(self, lane: Self::V) -> Self::W;
    fn xor_wide(self, a: Self::W, b: Self::W) -> Self::W;
    /// [`CarryLess::fold`] in every lane.
    fn fold_wide(self, v: Self::W, key: Self::W, data: Self::W) -> Self::W;
    /// [`CarryLess::reverse`] in every lane.
    fn reverse_wide(self, v: Self::W) -> Self::W;
    /// Lane `index`, which is below [`CarryLessWide::LANES`].
    fn lane(self, v: Self::W, index: usize) -> Self::V;
}

/// The CRC-32C instruction.
pub(crate) trait Crc32cStep: Tier {
    /// The state after the eight bytes of `word`, lowest first.
    fn step8(self, state: u32, word: u64) -> u32;
    /// The state after the four bytes of `word`, lowest first.
    fn step4(self, state: u32, word: u32) -> u32;
    /// The state after the two bytes of `word`, lowest first.
    fn step2(self, state: u32, word: u16) -> u32;
    /// The state after one byte.
    fn step1(self, state: u32, byte: u8) -> u32;
}

/// Sums of 16-bit words: vectors of words, accumulators of 32-bit lanes.
///
/// The multiply-add works on signed words, so words are loaded with their top bit flipped: a word w counts as
/// w - 32768, and the caller adds the bias back.
pub(crate) trait WordDot: Tier {
    /// A vector of words, and of 32-bit lanes.
    type V: Copy;
    /// The bytes of one vector.
    type Block: 'static;
    /// Words in a vector.
    const WORDS: usize;
    fn blocks(self, data: &[u8]) -> (&[Self::Block], &[u8]);
    fn zero(self) -> Self::V;
    /// The little-endian words of a block, each less 32768.
    fn load(self, block: &Self::Block) -> Self::V;
    /// Adds the words to the lanes, two to a lane.
    fn sum(self, lanes: Self::V, words: Self::V) -> Self::V;
    /// The same with weights: the first word `WORDS` times, the last once.
    fn weigh(self, lanes: Self::V, words: Self::V) -> Self::V;
    /// Adds lane by lane.
    fn add(self, a: Self::V, b: Self::V) -> Self::V;
    /// The sum of all lanes.
    fn total(self, lanes: Self::V) -> i64;
}

/// Sums of bytes: vectors of bytes, accumulators wide enough for 2048 steps.
pub(crate) trait ByteDot: Tier {
    /// A vector of bytes.
    type V: Copy;
    /// Lanes that hold sums.
    type Lanes: Copy;
    /// The bytes of one vector.
    type Block: 'static;
    /// Bytes in a vector.
    const BYTES: usize;
    fn blocks(self, data: &[u8]) -> (&[Self::Block], &[u8]);
    fn zero(self) -> Self::Lanes;
    fn load(self, block: &Self::Block) -> Self::V;
    /// Adds the bytes to the lanes.
    fn sum(self, lanes: Self::Lanes, bytes: Self::V) -> Self::Lanes;
    /// The same with weights: the first byte `BYTES` times, the last once.
    fn weigh(self, lanes: Self::Lanes, bytes: Self::V) -> Self::Lanes;
    /// Adds lane by lane, where both are results of `sum`.
    fn add(self, a: Self::Lanes, b: Self::Lanes) -> Self::Lanes;
    /// The sum of all lanes of a result of `sum` or `add`.
    fn sum_total(self, lanes: Self::Lanes) -> u64;
    /// The sum of all lanes of a result of `weigh`.
    fn weigh_total(self, lanes: Self::Lanes) -> u64;
}
