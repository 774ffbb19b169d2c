//! x86-64: markers and their operations.

mod avx2;
mod avx512;
mod clmul;
mod crc32;
mod packets;
mod sse2;
mod ssse3;
mod words;

mod markers {
    use crate::arch::tiers;
    x86_64_tiers!(tiers);
}
pub(crate) use markers::*;

/// Compiles the first block; see `absent.rs`.
macro_rules! present {
    ({ $($yes:tt)* } else { $($no:tt)* }) => { $($yes)* };
}
pub(crate) use present;

#[cfg(not(feature = "avx512"))]
pub(crate) use crate::arch::absent::present_512;
#[cfg(feature = "avx512")]
pub(crate) use present as present_512;
