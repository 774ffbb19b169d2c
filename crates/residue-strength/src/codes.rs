//! What CRCs and sums share: a code as a group, and an error that the code itself confirms.
//!
//! Uses none of the other folders.

pub mod additive;
mod undetected;

pub use undetected::Undetected;
