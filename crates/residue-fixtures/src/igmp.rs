//! IGMP, and DVMRP in it.

use crate::Case;
use crate::ip::{A, Ends, seal_alone};

/// Returns an IGMPv2 report for 239.1.2.3 (RFC 2236).
#[must_use]
pub fn report() -> Vec<u8> {
    seal_alone(vec![0x16, 0, 0, 0, 239, 1, 2, 3], 2)
}

/// Returns an IGMPv3 report with one group record (RFC 3376).
#[must_use]
pub fn report_v3() -> Vec<u8> {
    seal_alone(vec![0x22, 0, 0, 0, 0, 0, 0, 1, 4, 0, 0, 0, 239, 1, 2, 3], 2)
}

/// Returns a DVMRP probe with a generation number (draft-ietf-idmr-dvmrp-v3).
#[must_use]
pub fn dvmrp_probe() -> Vec<u8> {
    seal_alone(vec![0x13, 1, 0, 0, 0, 0x0e, 0xff, 3, 0, 0, 0, 9], 2)
}

/// Cases of IGMP and DVMRP.
pub(crate) fn cases() -> Vec<Case> {
    let to = |group| (Ends::V4([A, group]), 2);
    let routers = [224, 0, 0, 22];
    vec![
        Case::of_message("igmp", "IGMP", "igmp", to([239, 1, 2, 3]), &report(), 2),
        Case::of_message("igmpv3", "IGMPv3", "igmp", to(routers), &report_v3(), 2),
        Case::of_message("dvmrp", "DVMRP", "dvmrp", to([224, 0, 0, 4]), &dvmrp_probe(), 2),
    ]
}
