//! Polynomials over GF(2): arithmetic, factors, orders, discrete logarithms and notations.
//!
//! Uses nothing else of the crate.

pub(crate) mod factor;
pub(crate) mod gf2;
pub(crate) mod integer;
pub(crate) mod logarithm;
pub(crate) mod notation;

pub use factor::Factor;
pub use gf2::WIDEST;
pub use notation::{Notation, Notations};
