//! Link-layer headers around packets.

/// Hardware addresses of the two ends, destination first, as Ethernet has them. Unicast, locally administered.
const STATIONS: [u8; 12] = [2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1];

/// An Ethernet frame without frame check sequence.
#[must_use]
pub fn ethernet(ether_type: u16, payload: &[u8]) -> Vec<u8> {
    [&STATIONS[..], &ether_type.to_be_bytes(), payload].concat()
}

/// An IEEE 802.3 frame: its length, then `llc`, the logical link control and what it carries.
#[must_use]
pub fn ieee_802_3(llc: &[u8]) -> Vec<u8> {
    ethernet(llc.len() as u16, llc)
}

/// The SNAP header of an EtherType (IEEE 802), for [`ieee_802_3`].
#[must_use]
pub fn snap(ether_type: u16, payload: &[u8]) -> Vec<u8> {
    [&[0xaa, 0xaa, 3, 0, 0, 0][..], &ether_type.to_be_bytes(), payload].concat()
}

/// The logical link control of the ISO protocols, for [`ieee_802_3`].
#[must_use]
pub fn iso(payload: &[u8]) -> Vec<u8> {
    [&[0xfe, 0xfe, 3][..], payload].concat()
}

/// What follows a VLAN tag's EtherType, 8100 or 88A8 (IEEE 802.1Q).
#[must_use]
pub fn vlan(id: u16, ether_type: u16, payload: &[u8]) -> Vec<u8> {
    [&id.to_be_bytes()[..], &ether_type.to_be_bytes(), payload].concat()
}

/// What follows the EtherType 8847: label stack entries, the last one marked (RFC 3032).
#[must_use]
pub fn mpls(labels: &[u32], payload: &[u8]) -> Vec<u8> {
    let mut packet = Vec::new();
    for (place, label) in labels.iter().enumerate() {
        let last = u32::from(place + 1 == labels.len());
        packet.extend_from_slice(&(label << 12 | last << 8 | 64).to_be_bytes());
    }
    packet.extend_from_slice(payload);
    packet
}

/// What follows the EtherType 8864: a PPPoE session (RFC 2516) with a PPP protocol number.
#[must_use]
pub fn pppoe(protocol: u16, payload: &[u8]) -> Vec<u8> {
    let length = payload.len() as u16 + 2;
    let header = [0x11, 0, 0, 7];
    [&header[..], &length.to_be_bytes(), &protocol.to_be_bytes(), payload].concat()
}

/// A PPP frame with address and control bytes (RFC 1662).
#[must_use]
pub fn ppp(protocol: u16, payload: &[u8]) -> Vec<u8> {
    [&[0xff, 3][..], &protocol.to_be_bytes(), payload].concat()
}

/// A Linux "cooked" header: received from an Ethernet.
#[must_use]
pub fn sll(ether_type: u16, payload: &[u8]) -> Vec<u8> {
    let header = [0, 0, 0, 1, 0, 6, 2, 0, 0, 0, 0, 1, 0, 0];
    [&header[..], &ether_type.to_be_bytes(), payload].concat()
}

/// A Linux "cooked" header of version 2.
#[must_use]
pub fn sll2(ether_type: u16, payload: &[u8]) -> Vec<u8> {
    let rest = [0, 0, 0, 0, 0, 3, 0, 1, 0, 6, 2, 0, 0, 0, 0, 1, 0, 0];
    [&ether_type.to_be_bytes()[..], &rest, payload].concat()
}

/// BSD loopback: the address family in a little-endian host's byte order.
#[must_use]
pub fn null(family: u32, payload: &[u8]) -> Vec<u8> {
    [&family.to_le_bytes()[..], payload].concat()
}

/// OpenBSD loopback: the address family in network byte order.
#[must_use]
pub fn loopback(family: u32, payload: &[u8]) -> Vec<u8> {
    [&family.to_be_bytes()[..], payload].concat()
}

/// The frame with its frame check sequence (IEEE 802.3 section 3.2.9).
#[must_use]
pub fn with_fcs(frame: &[u8]) -> Vec<u8> {
    [frame, &residue::crc32(frame).to_le_bytes()].concat()
}

/// The frame with bytes that belong to no packet behind it, so that it has `length` bytes.
#[must_use]
pub fn padded(frame: &[u8], length: usize) -> Vec<u8> {
    let mut frame = frame.to_vec();
    frame.resize(length.max(frame.len()), 0xa5);
    frame
}
