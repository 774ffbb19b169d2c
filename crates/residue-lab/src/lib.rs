//! Measures error-detection codes and tells what came out: [`speed`] holds a measured run, [`report`] turns
//! it into figures, tables and one self-contained page.

#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod report;
pub mod speed;
