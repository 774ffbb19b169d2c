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
//!
//! # Algorithms
//!
//! | question | algorithm | when | in |
//! |---|---|---|---|
//! | HD of a CRC | the generator's order | two bits | `field/factor` |
//! | | small divisors; the BCH bound | to exclude weights | `crc/codewords/` `odd`, `cyclic` |
//! | | every codeword | up to 22 data bits | `crc/codewords/short` |
//! | | meeting in the middle | 3 to 16 bits, longer data | `crc/codewords/lightest` |
//! | | discrete logarithms | four bits far apart | `crc/codewords/logarithm` |
//! | weights of a CRC | codewords one by one | few weights, few words | `crc/codewords/lightest` |
//! | | all codewords, by a transform | up to 32 data bits | `crc/weights/spectrum` |
//! | | the dual code, by a window | primitive, width 17 to 32 | `crc/weights/windows` |
//! | | the dual code, by a transform | others of widths up to 32 | `crc/weights/spectrum` |
//! | sparse multiples of a generator | codewords one by one | few terms | `crc/multiples` |
//! | probability, CRC | the weights, summed exactly | any bit error rate | `crc/probability` |
//! | new polynomials | a filter, then the proof as for HD | widths 3 to 64 | `answers/search` |
//! | HD, bursts, shares of a sum | counts of what each bit adds | always | `sums` |
//! | undetected errors on real data | trials | values of up to 32 bits | `data` |
//!
//! # Folders
//!
//! Each line uses only those above it, and itself; a test reads the list and the imports.
//!
//! ```text
//! field/              polynomials over GF(2)
//! error effort kind   errors, limits of time and memory, kinds of codes
//! codes/              what CRCs and sums share
//! crc/                questions about CRCs
//! sums/               the same about sums
//! data/               trials on real data
//! answers/            codes side by side, advice, new polynomials, claims
//! report/             tables, figures and pages
//! ```

#![forbid(unsafe_code)]

mod answers;
mod codes;
mod crc;
pub mod data;
mod effort;
mod error;
mod field;
mod kind;
pub mod report;
pub mod sums;

pub use answers::{advise, chance, claims, compare, search};
pub use codes::{Undetected, additive};
pub use crc::codewords::lightest::HEAVIEST;
pub use crc::{Distance, Generator, Limit, Profile, Weights, Witness, named, notes};
pub use crc::{bounds, multiples, probability, profile, weights};
pub use effort::{Effort, MEMORY, deadline};
pub use error::{Error, polynomial::Fault};
pub use field::{Factor, Notation, Notations, WIDEST};
pub use kind::Kind;

/// The shortest codeword of four bits by discrete logarithms, and the confirmation of profiles by
/// this method or by meeting in the middle.
pub mod logarithm {
    pub use crate::crc::codewords::logarithm::four_bits;
    pub use crate::crc::confirm::{Confirmation, confirm, cost};
}
