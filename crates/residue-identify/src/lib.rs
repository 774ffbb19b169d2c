//! Identifies codes from values: [`identify()`] finds the code that gave some values, [`conform`]
//! compares the values of another program with the test vectors and names the mistake behind wrong
//! ones, [`explain`] shows how a code computes its value.
//!
//! ```
//! use residue_identify::{Options, Sample, Samples, identify};
//!
//! let sample = Sample { message: b"123456789".to_vec(), value: 0xe306_9283 };
//! let report = identify(&Samples::new(vec![sample], 32, false)?, &Options::default())?;
//! assert!(report.convincing());
//! # Ok::<(), residue_identify::Error>(())
//! ```

#![forbid(unsafe_code)]

pub mod conform;
mod definition;
mod error;
pub mod explain;
mod identify;
pub mod source;

pub use definition::Notation;
pub use error::Error;
pub use identify::*;
