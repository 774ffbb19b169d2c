//! The module of an architecture that is not the target's.

/// Compiles the first block if the target has tiers of this architecture, else the second.
macro_rules! present {
    ({ $($yes:tt)* } else { $($no:tt)* }) => { $($no)* };
}
pub(crate) use present;

/// Compiles the first block if the target has tiers of 64-byte vectors, else the second.
#[allow(unused_imports)] // One architecture has such tiers.
pub(crate) use present as present_512;
