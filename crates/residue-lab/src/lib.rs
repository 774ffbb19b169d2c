//! Measures error-detection codes and tells what came out: [`speed`] times them, [`report`] turns a measured run
//! into figures, tables and one self-contained page, [`strength`] counts the errors they miss, and
//! [`notation`] writes polynomials.
//!
//! Feature `figures` (default): figures, and the pages they stand in.

#![forbid(unsafe_code)]

mod error;
pub mod notation;
pub mod report;
pub mod speed;
pub mod strength;

pub use error::Error;
