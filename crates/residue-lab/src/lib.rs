//! Measures error-detection codes and tells what came out: [`speed`] times them, [`report`] turns a measured run
//! into figures, tables and one self-contained page, [`strength`] counts the errors they miss, [`conform`] holds other programs against the test vectors and
//! knows the mistakes they make, [`explain`] shows the arithmetic of a short input, [`identify`] finds out which code
//! gave some values, and [`notation`] writes polynomials.
//!
//! Feature `figures` (default): figures, and the pages they stand in.

#![forbid(unsafe_code)]

pub mod conform;
mod error;
pub mod explain;
pub mod identify;
pub mod notation;
pub mod report;
pub mod speed;
pub mod strength;

pub use error::Error;
