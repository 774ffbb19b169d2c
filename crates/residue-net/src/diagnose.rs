//! Causes of wrong check values: what the sender, or a node on the path, must have computed
//! instead.
//!
//! A cause is named if it explains the stored value exactly, and in so many packets that chance
//! does not ([`Chance`]).

mod alone;
mod cause;
mod chance;
mod contradiction;
mod decrypted;
mod diagnosis;
mod flipped_bit;
mod lengthened;
mod repeated;
mod rewritten;
mod right;
mod signature;

pub use cause::{Bit, Cause, CauseKind, Shown};
pub use chance::Chance;
pub use diagnosis::{Chances, Diagnosis, Tally};
pub(crate) use rewritten::Addresses;
pub use rewritten::Rewrite;
pub(crate) use signature::is_zero_header;
