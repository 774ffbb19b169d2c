//! Measures how fast error-detection codes are: [`speed`] times them, and [`report`] turns a measured
//! run into figures, tables and one self-contained page.
//!
//! Feature `figures` (default): figures, and the pages they stand in.

#![forbid(unsafe_code)]

mod error;
pub mod report;
pub mod speed;

pub use error::Error;
