//! Computes which errors codes do not detect: of CRCs exactly, by algebra; of sums exactly, by
//! counting ([`sums`]); of any code on real data, by trials ([`data`]). [`compare`] puts codes side
//! by side, [`advise`] and [`search`] find codes and polynomials, [`claims`] judges what the
//! literature says, and [`report`] makes tables, figures and pages of the results.
//!
//! A CRC of width r by the generator g does not detect an error if and only if the polynomial of
//! its wrong bits is a multiple of g: a *codeword*. Initial value, final exclusive or and the order
//! of bits do not matter. With n = data + r bits in all, the question is which multiples of g have
//! a degree below n:
//!
//! - the *Hamming distance* (HD) is the least number of wrong bits of an undetected error, the
//!   minimum weight of a codeword. It falls as n grows: the [`profile`] lists up to which length
//!   each HD holds, with a [`Witness`] for each limit: the places of an undetected error one
//!   bit beyond it;
//! - the *weights* A_w count the codewords of w bits ([`weights`]);
//! - the *probability of an undetected error* at a bit error rate follows from them
//!   ([`probability`]).
//!
//! Lengths are of the data, in bits, without the check value, unless it says codeword. The places
//! of a [`Witness`] are powers of x in the codeword's polynomial: 0 is the check value's last bit,
//! `width` the last bit of the data. What is printed is an [`Undetected`], whose bits are numbered
//! from the first that is sent.
//!
//! Feature `figures` (default): figures, and the pages they stand in.

#![forbid(unsafe_code)]

pub mod additive;
pub mod advise;
pub mod bounds;
pub mod chance;
pub mod claims;
mod collide;
pub mod compare;
mod cyclic;
pub mod data;
mod effort;
mod error;
mod factor;
mod generator;
mod gf2;
mod integer;
mod lightest;
pub mod logarithm;
mod odd;
pub mod probability;
pub mod profile;
pub mod report;
pub mod search;
mod short;
mod shortest;
mod spectrum;
pub mod sums;
mod undetected;
pub mod weights;
mod windows;
mod witness;

pub use effort::{Effort, deadline};
pub use error::Error;
pub use factor::Factor;
pub use generator::notation::{Notation, Notations};
pub use generator::notes::notes;
pub use generator::{Fault, Generator, WIDEST};
pub use profile::{Distance, Limit, Profile};
pub use undetected::{Undetected, named};
pub use weights::Weights;
pub use witness::Witness;

/// The certainty of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Proved, to the last digit.
    Exact,
    /// Proved as a bound: the true figure may be larger.
    AtLeast,
    /// Found by trying points: values between them may differ.
    Sampled,
}

impl Kind {
    /// Returns its name, in lower case.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Exact => "exact",
            Kind::AtLeast => "bound",
            Kind::Sampled => "sampled",
        }
    }
}
