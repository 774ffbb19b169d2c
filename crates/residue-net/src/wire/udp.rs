//! UDP (RFC 768): the checksum, and the cases without one.

use super::{Field, number, ports};
use crate::check::{Presence, Protocol, Rule};
use crate::frame::{Ip, Walk};

/// Checksum over pseudo-header, header and data. 0 means none; a computed 0 is sent as FFFF.
pub static UDP: Protocol = Protocol { name: "udp", title: "UDP", source: "RFC 768" };

/// Tunnels that may omit the checksum over IPv6 (RFC 6935 section 5): destination ports.
const ZERO_ALLOWED: [u16; 12] = [
    2152, // GTP-U (3GPP TS 29.281)
    4341, // LISP data (RFC 9300)
    4342, // LISP control
    4754, // GRE in UDP (RFC 8086)
    4789, // VXLAN (RFC 7348)
    4790, // VXLAN-GPE
    4791, // RoCEv2
    6080, // GUE
    6081, // Geneve (RFC 8926)
    6635, // MPLS in UDP (RFC 7510)
    8472, // VXLAN before its port was assigned
    2268, // AMT (RFC 7450)
];

const LENGTH: Field = 4..6;
pub(super) const CHECKSUM: Field = 6..8;
pub(super) const HEADER: u32 = 8;

/// Walks a datagram from the source port on.
#[inline]
pub fn walk(walk: &mut Walk, ip: &Ip) {
    let span = ip.payload;
    let Some(header) = walk.array::<8>(span, 0) else { return };
    let ports = ports(&header);
    let length = number(&header, LENGTH);
    let checksum = number(&header, CHECKSUM);
    // RFC 2675 section 4: 0 in a jumbogram. Segmentation offload leaves any length.
    let cover =
        if ip.length_zero || length == 0 && span.len() > 0xffff { span } else { span.take(length) };
    let presence = if checksum == 0 {
        if ip.version == 4 || ports.iter().any(|port| ZERO_ALLOWED.contains(port)) {
            Presence::Absent
        } else {
            Presence::Illegal
        }
    } else if cover.len() < HEADER || (length > span.len() && !ip.length_zero) {
        Presence::LengthConflict
    } else {
        Presence::Present
    };
    let field = span.field(CHECKSUM);
    if let Some(check) = walk.check(&UDP, Rule::InternetNeverZero, field, Some(ip), cover, presence)
    {
        check.ports = Some(ports);
    }
    super::udp_port(walk, ports, cover.skip(HEADER), ip);
}

/// Returns the number of covered bytes of a datagram that has a checksum, be it right or wrong, and
/// nothing else to verify, as [`walk`] would find out.
#[inline]
pub(crate) fn plain(datagram: &[u8]) -> Option<usize> {
    let header = datagram.first_chunk::<{ HEADER as usize }>()?;
    let length = number(header, LENGTH) as usize;
    let data = datagram.get(header.len()..length)?;
    let is_plain = number(header, CHECKSUM) != 0 && super::is_plain_datagram(ports(header), data);
    is_plain.then_some(length)
}
