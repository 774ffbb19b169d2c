//! The errors that CRCs do not detect, exactly, by algebra.
//!
//! Uses `field` and `codes`. `profile` and `weights` use `codewords`; all use `generator`.

pub mod bounds;
pub(crate) mod codewords;
pub(crate) mod confirm;
mod generator;
pub mod multiples;
mod notes;
pub mod probability;
pub mod profile;
pub(crate) mod swaps;
mod undetected;
pub mod weights;
mod witness;

pub use generator::Generator;
pub use notes::notes;
pub use profile::{Distance, Limit, Profile};
pub use undetected::named;
pub use weights::Weights;
pub use witness::Witness;
