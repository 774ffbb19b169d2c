//! Codewords of low weight: one module for each method that finds them or excludes them.
//!
//! Uses `field` and the generator.
//!
//! | method | result | used for |
//! |---|---|---|
//! | `odd` | a bound on the odd weights, by small divisors | every generator |
//! | `cyclic` | the BCH bound on the weight | widths above 32, odd orders below 2048 |
//! | `short` | the shortest codeword of every weight | up to 22 data bits |
//! | `lightest` | the codewords of one weight, by meeting in the middle | 3 to 16 bits |
//! | `logarithm` | the shortest codeword of four bits | long ones, primitive generators |
//!
//! `collide` finds the equal sums for `lightest`.

mod collide;
pub(crate) mod cyclic;
pub(crate) mod lightest;
pub(crate) mod logarithm;
pub(crate) mod odd;
pub(crate) mod short;
