//! Detection on targets without vector tiers: nothing.

use super::features::Features;

/// The bits of the features of this architecture.
pub(super) const POSSIBLE: u32 = 0;

/// Returns the features of the CPU that runs this program.
pub(super) fn features() -> Features {
    Features::NONE
}

/// Returns the name of the profile of the CPU that runs this program.
pub(super) fn profile() -> &'static str {
    "unknown"
}
