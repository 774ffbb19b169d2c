//! Link-state routing and the ISO network layer: OSPF and its advertisements, IS-IS, ES-IS, CLNP, transport class 4.

use super::control::seal_alone;
use super::network::Ends;
use super::transport::seal;
use residue::fletcher::check_octets;

/// Fills in the two check octets at `offset`, as a sender that protects its message does.
#[must_use]
pub fn seal_octets(mut message: Vec<u8>, offset: usize) -> Vec<u8> {
    // They fit: `offset` is in the message's header.
    let _ = check_octets::place(&mut message, offset);
    message
}

/// A link-state advertisement (RFC 2328 section 12.1, RFC 5340 section A.4.2): its age, 2 bytes, is not covered.
fn advertisement(fixed: [u8; 16], body: &[u8]) -> Vec<u8> {
    let length = (20 + body.len()) as u16;
    let covered = [&fixed[2..], &[0, 0], &length.to_be_bytes(), body].concat();
    [&fixed[..2], &seal_octets(covered, 14)].concat()
}

/// A router-LSA of OSPFv2 with one link to a stub network.
#[must_use]
pub fn router_lsa() -> Vec<u8> {
    // Age, options, type 1, link state ID, advertising router, sequence number.
    let fixed = [0, 1, 2, 1, 10, 0, 0, 1, 10, 0, 0, 1, 0x80, 0, 0, 1];
    advertisement(fixed, &[0, 0, 0, 1, 10, 1, 0, 0, 255, 255, 0, 0, 3, 0, 0, 10])
}

/// A network-LSA of OSPFv2.
#[must_use]
pub fn network_lsa() -> Vec<u8> {
    let fixed = [0, 9, 2, 2, 192, 0, 2, 1, 10, 0, 0, 1, 0x80, 0, 0, 3];
    advertisement(fixed, &[255, 255, 255, 0, 10, 0, 0, 1, 10, 0, 0, 2])
}

/// An intra-area-prefix-LSA of OSPFv3 with one prefix.
#[must_use]
pub fn prefix_lsa() -> Vec<u8> {
    let fixed = [0, 1, 0x20, 9, 0, 0, 0, 0, 10, 0, 0, 1, 0x80, 0, 0, 1];
    let body = [
        0, 1, 0x20, 1, 0, 0, 0, 0, 10, 0, 0, 1, // what it refers to
        64, 0, 0, 10, 0x20, 1, 0xd, 0xb8, 0, 0, 0, 1,
    ];
    advertisement(fixed, &body)
}

/// An OSPFv2 packet without authentication. The eight bytes for it are not covered.
#[must_use]
pub fn ospf2(kind: u8, body: &[u8]) -> Vec<u8> {
    let length = ((24 + body.len()) as u16).to_be_bytes();
    let header = [2, kind, length[0], length[1], 10, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0];
    let sealed = seal_alone([&header[..], body].concat(), 12);
    [&sealed[..16], &[0; 8], body].concat()
}

/// An OSPFv3 packet.
#[must_use]
pub fn ospf3(ends: Ends, kind: u8, body: &[u8]) -> Vec<u8> {
    let length = ((16 + body.len()) as u16).to_be_bytes();
    let header = [3, kind, length[0], length[1], 10, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0];
    seal([&header[..], body].concat(), ends, 89, 12)
}

/// The body of an OSPFv2 hello.
pub const HELLO: [u8; 20] = [255, 255, 255, 0, 0, 10, 2, 1, 0, 0, 0, 40, 192, 0, 2, 1, 0, 0, 0, 0];

/// The body of a link state update.
#[must_use]
pub fn update(advertisements: &[Vec<u8>]) -> Vec<u8> {
    let count = (advertisements.len() as u32).to_be_bytes();
    [&count[..], &advertisements.concat()].concat()
}

/// A level-2 IS-IS link state PDU (ISO 10589 section 9.9), covered from its identifier, at byte 12, on. The field is at
/// byte 24.
#[must_use]
pub fn isis_lsp() -> Vec<u8> {
    let header = [0x83, 27, 1, 0, 20, 1, 0, 0];
    let identifier = [0x19, 0x21, 0x68, 0, 0, 1, 0, 0];
    let fixed = [0, 0, 0, 5, 0, 0, 3];
    let values = [
        &[1, 4, 3, 0x49, 0, 1][..], // area address
        &[129, 1, 0xcc],            // protocols: IPv4
        &[132, 4, 192, 0, 2, 1],    // interface address
        &[137, 2, b'r', b'1'],      // host name
    ]
    .concat();
    let length = ((27 + values.len()) as u16).to_be_bytes();
    let covered = seal_octets([&identifier[..], &fixed, &values].concat(), 12);
    // Remaining lifetime: 1199 seconds. Not covered, as every router counts it down.
    [&header[..], &length, &[4, 0xaf], &covered].concat()
}

/// A level-2 IS-IS hello with the optional checksum (RFC 3358), whose octets are the last two. Everything is covered.
#[must_use]
pub fn isis_hello() -> Vec<u8> {
    let values = [&[1, 4, 3, 0x49, 0, 1][..], &[129, 1, 0xcc], &[12, 2, 0, 0]].concat();
    let length = ((27 + values.len()) as u16).to_be_bytes();
    let header = [0x83, 27, 1, 0, 16, 1, 0, 0, 3, 0x19, 0x21, 0x68, 0, 0, 1, 0, 30];
    let rest = [64, 0x19, 0x21, 0x68, 0, 0, 1, 1];
    let message = [&header[..], &length, &rest, &values].concat();
    let offset = message.len() - 2;
    seal_octets(message, offset)
}

/// An ES-IS end system hello (ISO 9542). The field is at byte 7.
#[must_use]
pub fn esis() -> Vec<u8> {
    let address = [0x49, 0, 1, 0x19, 0x21, 0x68, 0, 0, 1, 1];
    let mut message = vec![0x82, 0, 1, 0, 2, 0, 60, 0, 0, 1, address.len() as u8];
    message.extend_from_slice(&address);
    message[1] = message.len() as u8;
    seal_octets(message, 7)
}

/// A CLNP data PDU without segmentation (ISO 8473). The header is covered; its field is at byte 7.
#[must_use]
pub fn clnp(payload: &[u8]) -> Vec<u8> {
    // The selector 21 is that of transport protocols.
    let end = |last: u8| [10, 0x49, 0, 1, 0x19, 0x21, 0x68, 0, 0, last, 0x21];
    let mut header = [&[0x81, 0, 1, 64, 28, 0, 0, 0, 0][..], &end(2), &end(1)].concat();
    let length = header.len() as u8;
    header[1] = length;
    let total = (u16::from(length) + payload.len() as u16).to_be_bytes();
    header[5..7].copy_from_slice(&total);
    [&seal_octets(header, 7), payload].concat()
}

/// A connection request of transport class 4 (ISO 8073) with the checksum parameter, whose octets are at byte 9. All of the
/// unit is covered.
#[must_use]
pub fn cotp_request() -> Vec<u8> {
    let mut unit = vec![0, 0xe0, 0, 0, 0, 1, 0x40, 0xc3, 2, 0, 0, 0xc0, 1, 10];
    unit[0] = unit.len() as u8 - 1;
    seal_octets(unit, 9)
}

/// A data unit of transport class 4 with the checksum parameter, whose octets are at byte 7. Header and data are covered.
#[must_use]
pub fn cotp_data(data: &[u8]) -> Vec<u8> {
    // Length of the header, data, destination reference, last and first unit, checksum parameter.
    let header = [8, 0xf0, 0, 1, 0x80, 0xc3, 2, 0, 0];
    seal_octets([&header[..], data].concat(), 7)
}
