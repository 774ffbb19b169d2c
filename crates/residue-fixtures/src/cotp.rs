//! OSI's transport protocol, class 4.

use crate::clnp::{self, seal_octets};
use crate::{Case, DATA};

/// Returns a connection request (ISO 8073) with the checksum parameter, whose octets are at byte 9.
/// All of the unit is covered.
#[must_use]
pub fn request() -> Vec<u8> {
    let mut unit = vec![0, 0xe0, 0, 0, 0, 1, 0x40, 0xc3, 2, 0, 0, 0xc0, 1, 10];
    unit[0] = unit.len() as u8 - 1;
    seal_octets(unit, 9)
}

/// Returns a data unit with the checksum parameter, whose octets are at byte 7. Header and data are
/// covered.
#[must_use]
pub fn data_unit(data: &[u8]) -> Vec<u8> {
    // Length of the header, data, destination reference, last and first unit, checksum parameter.
    let header = [8, 0xf0, 0, 1, 0x80, 0xc3, 2, 0, 0];
    seal_octets([&header[..], data].concat(), 7)
}

/// Cases of transport class 4.
pub(crate) fn cases() -> Vec<Case> {
    let case = |name, title, unit: &[u8], field| {
        clnp::case(name, title, "cotp", &clnp::data(unit), unit, field)
    };
    vec![
        case("cotp-request", "transport class 4, connection request", &request(), 9),
        case("cotp-data", "transport class 4, data", &data_unit(DATA), 7),
    ]
}
