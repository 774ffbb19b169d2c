//! EIGRP.

use crate::Case;
use crate::ip::{A, Ends, seal_alone};

/// Returns a hello with parameters (RFC 7868).
#[must_use]
pub fn hello() -> Vec<u8> {
    let header = [2, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 100];
    let parameters = [0, 1, 0, 12, 1, 0, 1, 0, 0, 0, 0, 15];
    seal_alone([&header[..], &parameters].concat(), 2)
}

/// Cases of EIGRP.
pub(crate) fn cases() -> Vec<Case> {
    let ends = Ends::V4([A, [224, 0, 0, 10]]);
    vec![Case::of_message("eigrp", "EIGRP", "eigrp", (ends, 88), &hello(), 2)]
}
