//! How fast: the thesis's benchmark, and what a careful engineer adds to it.
//!
//! [`measure`] times every kernel of the codes asked for ([`Options`]) and leaves a [`model::Run`]; [`verdict`] says in
//! words what came out, [`claims`] holds the documents' comparative sentences against it, and [`iso`] repeats Sklower's
//! two tests.

pub mod claims;
pub mod clock;
pub mod contender;
pub mod data;
pub mod iscsi;
pub mod iso;
pub mod load;
mod measure;
pub mod model;
mod pin;
mod samples;
mod statistic;
pub mod verdict;
mod wake;

pub use measure::{Mode, Options, Progress, chosen, cpu_name, measure, plain};
pub use pin::pin;
