//! Results as tables, sentences, CSV and JSON, and with the feature `figures` as pages.
//!
//! Uses all other folders; none uses it.

pub mod advise;
pub mod compare;
pub mod data;
pub mod search;
pub mod sums;
