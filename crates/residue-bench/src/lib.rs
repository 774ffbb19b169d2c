//! Measures how fast error-detection codes are.
//!
//! [`measure()`] times every kernel of the codes asked for ([`Options`]) and returns a
//! [`model::Run`]. `report` turns it into tables, figures and one self-contained page; `papers`
//! reproduces the source documents, each in a module of its own. [`harness`] times any functions
//! side by side.
//!
//! Feature `report` (default): the modules `report` and `papers`.

#![forbid(unsafe_code)]

pub mod clock;
pub mod contender;
pub mod data;
mod error;
#[cfg(test)]
mod example;
pub mod harness;
pub mod load;
pub mod machine;
mod measure;
pub mod model;
#[cfg(feature = "report")]
pub mod papers;
mod pin;
#[cfg(feature = "report")]
pub mod report;
mod samples;
mod statistic;
mod timed;
mod wake;

pub use error::Error;
pub use measure::{Mode, Options, Progress, measure, plain};
pub use pin::pin;
pub use timed::timed;
