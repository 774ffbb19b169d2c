//! IEEE 802.11 frames that the receiver decrypted: the flag of encryption is still set, but the
//! payload is plain, so that the frame check sequence is that of other bytes.

use crate::buffer::Finding;
use crate::check::Piece;
use crate::wire::wlan;

/// Lengths of what may precede the payload: nothing, as some drivers remove it, the 4 bytes of WEP,
/// or the 8 bytes of TKIP, CCMP and GCMP (IEEE 802.11 section 12.5).
const PREFIXES: [usize; 3] = [0, 4, 8];

/// Average number of fits if the payload is encrypted: the 24 bits of [`wlan::SNAP`] at one of
/// three places.
pub const AMONG_ENCRYPTED: f64 = 3.0 / 16_777_216.0;

/// Returns whether the frame of a frame check sequence is flagged as encrypted and has a plain
/// payload; `None` if it has no such flag.
pub fn of(finding: &Finding<'_>) -> Option<bool> {
    if !std::ptr::eq(finding.check.protocol, &wlan::FCS) {
        return None;
    }
    let Some(&Piece::Bytes(span)) = finding.cover().last() else { return None };
    let frame = span.of(finding.buffer.bytes)?;
    let header = wlan::protected_header(*frame.first_chunk()?)?;
    let is_plain = |prefix: &usize| {
        frame.get(header + prefix..).is_some_and(|payload| payload.starts_with(&wlan::SNAP))
    };
    Some(PREFIXES.iter().any(is_plain))
}
