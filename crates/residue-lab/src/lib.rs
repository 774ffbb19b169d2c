//! Measures error-detection codes and tells what came out: [`speed`] times them, [`report`] turns a measured run
//! into figures, tables and one self-contained page, and [`conform`] knows the mistakes other programs make.

#![forbid(unsafe_code)]

pub mod conform;
mod error;
pub mod report;
pub mod speed;

pub use error::Error;
