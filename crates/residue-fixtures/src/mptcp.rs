//! MPTCP: the checksum of a data sequence signal.

use crate::ip::{Ends, V4};
use crate::tcp::Tcp;
use crate::{Case, DATA};
use residue::internet::checksum;
use residue_net::check::Verdict;

/// Returns a segment with a data sequence signal (RFC 8684 section 3.3) that maps its whole data,
/// with checksum: the last two bytes of the option. Returns where the option stands in it, too.
#[must_use]
pub fn segment(ends: Ends, data: &[u8]) -> (Vec<u8>, usize) {
    let length = (data.len() as u16).to_be_bytes();
    let sequence = [0, 0, 0, 0, 0x10, 0x20, 0x30, 0x40];
    let subflow = [0, 0, 0, 1];
    let covered = [&sequence[..], &subflow, &length, &[0, 0], data].concat();
    let value = checksum(&covered).to_be_bytes();
    // Flags: sequence number of eight bytes, mapping, acknowledgment of four bytes.
    let front = [30, 24, 0x20, 0x0d, 0, 0, 0, 1];
    let option = [&front[..], &sequence, &subflow, &length, &value].concat();
    (Tcp { options: &option, data, ..Tcp::default() }.segment(ends), 20)
}

/// Cases of MPTCP.
pub(crate) fn cases() -> Vec<Case> {
    let (segment, option) = segment(V4, DATA);
    let field = option + 22..option + 24;
    let frame = V4.frame(6, &segment);
    let title = "MPTCP data sequence signal";
    let case = Case::spoiled("mptcp", title, "mptcp.dss", frame, &segment, field);
    vec![case.also("tcp", Verdict::Bad)]
}
