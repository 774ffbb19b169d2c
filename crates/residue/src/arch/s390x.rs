//! z/Architecture: markers and their operations.

mod clmul;

mod markers {
    use crate::arch::tiers;
    s390x_tiers!(tiers);
}
pub(crate) use markers::*;

/// Compiles the first block; see `absent.rs`.
macro_rules! present {
    ({ $($yes:tt)* } else { $($no:tt)* }) => { $($yes)* };
}
pub(crate) use present;
