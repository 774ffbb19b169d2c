//! NHRP.

use crate::ip::{V4, seal_alone};
use crate::{Case, gre};

/// Returns a resolution request (RFC 2332).
#[must_use]
pub fn request() -> Vec<u8> {
    // Address family, protocol, hops, size, checksum, no extensions, version, type, lengths of
    // addresses.
    let fixed = [0, 1, 8, 0, 0, 0, 0, 0, 0, 255, 0, 40, 0, 0, 0, 0, 1, 1, 4, 0];
    let mandatory = [4, 4, 0xc0, 0, 0, 0, 0, 7, 192, 0, 2, 1, 10, 0, 0, 1, 10, 0, 0, 2];
    seal_alone([fixed, mandatory].concat(), 12)
}

/// Cases of NHRP.
pub(crate) fn cases() -> Vec<Case> {
    let request = request();
    let frame = V4.frame(47, &gre::packet(0x2001, &request));
    vec![Case::spoiled("nhrp", "NHRP", "nhrp", frame, &request, 12..14)]
}
