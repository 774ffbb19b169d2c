//! OSI's network layer: CLNP and ES-IS.

use crate::ethernet::ieee_802_3;
use crate::{Case, Repair, cotp, llc};
use residue::fletcher::check_octets;
use residue_net::check::Verdict;

/// Fills in the two check octets at `offset`, as a sender that protects its message does.
#[must_use]
pub fn seal_octets(mut message: Vec<u8>, offset: usize) -> Vec<u8> {
    // They fit: `offset` is in the message's header.
    let _ = check_octets::place(&mut message, offset);
    message
}

/// Returns an ES-IS end system hello (ISO 9542). The field is at byte 7.
#[must_use]
pub fn end_system_hello() -> Vec<u8> {
    let address = [0x49, 0, 1, 0x19, 0x21, 0x68, 0, 0, 1, 1];
    let mut message = vec![0x82, 0, 1, 0, 2, 0, 60, 0, 0, 1, address.len() as u8];
    message.extend_from_slice(&address);
    message[1] = message.len() as u8;
    seal_octets(message, 7)
}

/// Returns a CLNP data PDU without segmentation (ISO 8473). The header is covered; its field is at
/// byte 7.
#[must_use]
pub fn data(payload: &[u8]) -> Vec<u8> {
    // The selector 21 is that of transport protocols.
    let end = |last: u8| [10, 0x49, 0, 1, 0x19, 0x21, 0x68, 0, 0, last, 0x21];
    let mut header = [&[0x81, 0, 1, 64, 28, 0, 0, 0, 0][..], &end(2), &end(1)].concat();
    let length = header.len() as u8;
    header[1] = length;
    let total = (u16::from(length) + payload.len() as u16).to_be_bytes();
    header[5..7].copy_from_slice(&total);
    [&seal_octets(header, 7), payload].concat()
}

/// Returns a pair of a PDU in an IEEE 802.3 frame, spoiled in the two octets at `field` of `unit`.
pub(crate) fn case(
    name: &'static str,
    title: &'static str,
    protocol: &'static str,
    pdu: &[u8],
    unit: &[u8],
    field: usize,
) -> Case {
    let frame = ieee_802_3(&llc::iso(pdu));
    Case::spoiled(name, title, protocol, frame, unit, field..field + 2)
}

/// Cases of CLNP and ES-IS.
pub(crate) fn cases() -> Vec<Case> {
    let (hello, network) = (end_system_hello(), data(&cotp::request()));
    let absent = |name, title, protocol, pdu: &[u8]| {
        let mut without = pdu.to_vec();
        without[7..9].fill(0);
        let [good, bad] = [pdu, &without].map(|pdu| ieee_802_3(&llc::iso(pdu)));
        Case::of(name, title, protocol, good, bad).verdict(Verdict::Absent, Repair::Never)
    };
    vec![
        case("esis", "ES-IS", "esis", &hello, &hello, 7),
        absent("esis-zero", "ES-IS, zero", "esis", &hello),
        case("clnp", "CLNP", "clnp", &network, &network, 7),
        absent("clnp-zero", "CLNP, zero", "clnp", &network),
    ]
}
