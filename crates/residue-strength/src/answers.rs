//! Compares codes, recommends them, searches for polynomials and judges claims of the literature.
//!
//! Uses `crc`, `sums`, `codes` and `field`.

pub mod advise;
pub mod chance;
pub mod claims;
pub mod compare;
pub mod search;

#[cfg(test)]
mod tests;
