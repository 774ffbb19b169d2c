//! Measures how fast error-detection codes are.
//!
//! [`measure()`] times every kernel of the codes asked for ([`Options`]) and returns a
//! [`model::Run`], which [`csv()`] writes and [`compare()`] lays beside another. [`harness`] times
//! any functions side by side.

#![forbid(unsafe_code)]

pub mod clock;
mod compare;
pub mod contender;
mod csv;
pub mod data;
mod error;
#[cfg(any(test, feature = "example"))]
pub mod example;
pub mod harness;
pub mod load;
pub mod machine;
mod measure;
pub mod model;
mod pin;
mod samples;
pub mod select;
pub mod statistic;
mod timed;
mod wake;

pub use compare::compare;
pub use csv::csv;
pub use error::Error;
pub use measure::{Mode, Options, Progress, measure, plain};
pub use pin::pin;
pub use timed::timed;
