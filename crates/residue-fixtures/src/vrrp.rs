//! VRRP.

use crate::Case;
use crate::ip::{A, Ends, LOCAL6, multicast, seal, seal_alone};

/// Returns an advertisement of version 2 (RFC 3768): no pseudo-header, no authentication.
#[must_use]
pub fn version2() -> Vec<u8> {
    seal_alone(vec![0x21, 1, 100, 1, 0, 1, 0, 0, 192, 0, 2, 254, 0, 0, 0, 0, 0, 0, 0, 0], 6)
}

/// Returns an advertisement of version 3 (RFC 9568), over either version of IP with its
/// pseudo-header.
#[must_use]
pub fn version3(ends: Ends) -> Vec<u8> {
    let address = match ends {
        Ends::V4(_) => vec![192, 0, 2, 254],
        Ends::V6(_) => vec![0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xfe],
    };
    seal([&[0x31, 1, 100, 1, 0, 100, 0, 0][..], &address].concat(), ends, 112, 6)
}

/// Cases of VRRP.
pub(crate) fn cases() -> Vec<Case> {
    let four = Ends::V4([A, [224, 0, 0, 18]]);
    let six = Ends::V6([LOCAL6, multicast(0x12)]);
    vec![
        Case::of_message("vrrp3", "VRRPv3", "vrrp", (four, 112), &version3(four), 6),
        Case::of_message("vrrp2", "VRRPv2", "vrrp", (four, 112), &version2(), 6),
        Case::of_message("vrrp3-v6", "VRRPv3 over IPv6", "vrrp", (six, 112), &version3(six), 6),
    ]
}
