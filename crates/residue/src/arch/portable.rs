//! The tier without required features: vectors as arrays, which the compiler may turn into the
//! vectors of any CPU.

use super::tiers;

mod clmul;
mod crc32;
mod packets;
mod sums;

tiers! {
    /// The tier of any CPU.
    arrays::Portable: ;
}
