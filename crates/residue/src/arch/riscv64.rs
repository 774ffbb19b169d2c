//! 64-bit RISC-V: markers and their operations.

// The lint sees marker methods, which have no features of their own; they are inlined into the
// entries, which enable the features.
#![allow(inline_always_mismatching_target_features)]

mod clmul;

mod markers {
    use crate::arch::tiers;
    riscv64_tiers!(tiers);
}
pub(crate) use markers::*;

/// Compiles the first block; see `absent.rs`.
macro_rules! present {
    ({ $($yes:tt)* } else { $($no:tt)* }) => { $($yes)* };
}
pub(crate) use present;
