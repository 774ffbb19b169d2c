//! Messages of control and routing protocols: ICMP, ICMPv6, IGMP, DVMRP, PIM, VRRP, EIGRP, NHRP, CDP, Mobility Header.

use super::network::{Ends, store};
use super::transport::seal;
use residue::internet::{Checksum, checksum};

/// Fills in the checksum at `offset` of a message without pseudo-header.
#[must_use]
pub fn seal_alone(mut message: Vec<u8>, offset: usize) -> Vec<u8> {
    store(&mut message, offset, 0);
    let value = checksum(&message);
    store(&mut message, offset, value);
    message
}

/// An ICMP message (RFC 792). `rest` is the header's second word.
#[must_use]
pub fn icmp(kind: u8, code: u8, rest: [u8; 4], data: &[u8]) -> Vec<u8> {
    seal_alone([&[kind, code, 0, 0][..], &rest, data].concat(), 2)
}

/// An ICMPv6 message (RFC 4443). `rest` is the header's second word.
#[must_use]
pub fn icmpv6(ends: Ends, kind: u8, code: u8, rest: [u8; 4], data: &[u8]) -> Vec<u8> {
    seal([&[kind, code, 0, 0][..], &rest, data].concat(), ends, 58, 2)
}

/// Extensions of an ICMP error (RFC 4884 section 7): one MPLS label stack entry (RFC 4950).
#[must_use]
pub fn icmp_extensions() -> Vec<u8> {
    seal_alone(vec![0x20, 0, 0, 0, 0, 8, 1, 1, 0, 1, 1, 64], 2)
}

/// An ICMP time-exceeded error with extensions behind `quoted`, which is padded to 128 bytes.
#[must_use]
pub fn icmp_extended(quoted: &[u8], extensions: &[u8]) -> Vec<u8> {
    let mut data = quoted.to_vec();
    data.resize(128, 0);
    data.extend_from_slice(extensions);
    icmp(11, 0, [0, 32, 0, 0], &data)
}

/// An IGMPv2 report for 239.1.2.3 (RFC 2236).
#[must_use]
pub fn igmp() -> Vec<u8> {
    seal_alone(vec![0x16, 0, 0, 0, 239, 1, 2, 3], 2)
}

/// An IGMPv3 report with one group record (RFC 3376).
#[must_use]
pub fn igmpv3() -> Vec<u8> {
    seal_alone(vec![0x22, 0, 0, 0, 0, 0, 0, 1, 4, 0, 0, 0, 239, 1, 2, 3], 2)
}

/// A PIM hello with a hold time (RFC 7761). The pseudo-header counts for IPv6 only.
#[must_use]
pub fn pim_hello(ends: Ends) -> Vec<u8> {
    let message = vec![0x20, 0, 0, 0, 0, 1, 0, 2, 0, 105];
    match ends {
        Ends::V4(_) => seal_alone(message, 2),
        Ends::V6(_) => seal(message, ends, 103, 2),
    }
}

/// A PIM register (RFC 7761 section 4.9.3) over IPv4: the checksum covers the first eight bytes, not the packet inside.
#[must_use]
pub fn pim_register(packet: &[u8]) -> Vec<u8> {
    let header = seal_alone(vec![0x21, 0, 0, 0, 0, 0, 0, 0], 2);
    [&header, packet].concat()
}

/// A VRRP advertisement of version 2 (RFC 3768): no pseudo-header, no authentication.
#[must_use]
pub fn vrrp2() -> Vec<u8> {
    seal_alone(vec![0x21, 1, 100, 1, 0, 1, 0, 0, 192, 0, 2, 254, 0, 0, 0, 0, 0, 0, 0, 0], 6)
}

/// A VRRP advertisement of version 3 (RFC 9568), over either version of IP with its pseudo-header.
#[must_use]
pub fn vrrp3(ends: Ends) -> Vec<u8> {
    let address = match ends {
        Ends::V4(_) => vec![192, 0, 2, 254],
        Ends::V6(_) => vec![0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xfe],
    };
    seal([&[0x31, 1, 100, 1, 0, 100, 0, 0][..], &address].concat(), ends, 112, 6)
}

/// An EIGRP hello with parameters (RFC 7868).
#[must_use]
pub fn eigrp() -> Vec<u8> {
    let header = [2, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 100];
    let parameters = [0, 1, 0, 12, 1, 0, 1, 0, 0, 0, 0, 15];
    seal_alone([&header[..], &parameters].concat(), 2)
}

/// A Mobility Header (RFC 6275): a binding update that asks for an acknowledgment.
#[must_use]
pub fn mobility(ends: Ends) -> Vec<u8> {
    // No next header, length, type 5, checksum; sequence number, flags, lifetime; padding.
    seal(vec![59, 1, 5, 0, 0, 0, 0, 7, 0x80, 0, 0, 60, 1, 2, 0, 0], ends, 135, 4)
}

/// A DVMRP probe with a generation number (draft-ietf-idmr-dvmrp-v3), a message of IGMP.
#[must_use]
pub fn dvmrp() -> Vec<u8> {
    seal_alone(vec![0x13, 1, 0, 0, 0, 0x0e, 0xff, 3, 0, 0, 0, 9], 2)
}

/// An NHRP resolution request (RFC 2332).
#[must_use]
pub fn nhrp() -> Vec<u8> {
    // Address family, protocol, hops, size, checksum, no extensions, version, type, lengths of addresses.
    let fixed = [0, 1, 8, 0, 0, 0, 0, 0, 0, 255, 0, 40, 0, 0, 0, 0, 1, 1, 4, 0];
    let mandatory = [4, 4, 0xc0, 0, 0, 0, 0, 7, 192, 0, 2, 1, 10, 0, 0, 1, 10, 0, 0, 2];
    seal_alone([fixed, mandatory].concat(), 12)
}

/// What LLC carries of CDP: SNAP with Cisco's number, then the message, whose device has this name. The checksum is at byte
/// 2 of the message, byte 10 of all. An odd last byte is a word's lower half; Cisco's routers add it as a signed number, and
/// lose one when it is negative.
#[must_use]
pub fn cdp(name: &[u8]) -> Vec<u8> {
    let length = (4 + name.len() as u16).to_be_bytes();
    let mut message = [&[2, 180, 0, 0, 0, 1][..], &length, name].concat();
    let (words, odd) = message.as_chunks::<2>();
    let mut sum = Checksum::new();
    sum.update(words.as_flattened());
    if let &[last] = odd {
        let word = if last < 0x80 { u16::from(last) } else { 0xff00 + u16::from(last) - 1 };
        sum.update(&word.to_be_bytes());
    }
    let value = sum.value();
    store(&mut message, 2, value);
    [&[0xaa, 0xaa, 3, 0, 0, 0x0c, 0x20, 0][..], &message].concat()
}
