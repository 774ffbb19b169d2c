//! The Mobility Header of IPv6.

use crate::Case;
use crate::ip::{Ends, V6, seal};

/// Returns a binding update that asks for an acknowledgment (RFC 6275).
#[must_use]
pub fn binding_update(ends: Ends) -> Vec<u8> {
    // No next header, length, type 5, checksum; sequence number, flags, lifetime; padding.
    seal(vec![59, 1, 5, 0, 0, 0, 0, 7, 0x80, 0, 0, 60, 1, 2, 0, 0], ends, 135, 4)
}

/// Cases of the Mobility Header.
pub(crate) fn cases() -> Vec<Case> {
    let update = binding_update(V6);
    vec![Case::of_message("mobility", "Mobility Header", "mip6", (V6, 135), &update, 4)]
}
