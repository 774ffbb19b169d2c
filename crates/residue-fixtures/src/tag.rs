//! Tags of Ethernet beside those of VLANs.

use crate::ip::V4;
use crate::{Case, ethernet, tcp};
use residue_net::check::Verdict;

/// Returns what follows the EtherType 8903: Cisco's FabricPath, forwarding tag 1 and 32 hops, then
/// a frame.
#[must_use]
pub fn fabric_path(frame: &[u8]) -> Vec<u8> {
    [&(1u16 << 6 | 32).to_be_bytes()[..], frame].concat()
}

/// Returns what follows the EtherType 893F: an E-tag (IEEE 802.1BR) between the numbers 4 and 2,
/// then a type and its payload.
#[must_use]
pub fn extender(ether_type: u16, payload: &[u8]) -> Vec<u8> {
    [&[0, 4, 0, 2, 0, 0][..], &ether_type.to_be_bytes(), payload].concat()
}

/// Returns what follows the EtherType 8926: Cisco's VN-tag, from interface 2 to interface 1.
#[must_use]
pub fn virtual_network(ether_type: u16, payload: &[u8]) -> Vec<u8> {
    [&[0x80, 1, 0, 2][..], &ether_type.to_be_bytes(), payload].concat()
}

/// Returns what follows the EtherType 892F: HSR (IEC 62439-3) with the size of what is behind it.
#[must_use]
pub fn redundancy(ether_type: u16, payload: &[u8]) -> Vec<u8> {
    let size = (payload.len() as u16 + 6).to_be_bytes();
    [&size[..], &[0, 7], &ether_type.to_be_bytes(), payload].concat()
}

/// Returns what follows the EtherType 88E7: the instance tag of a provider backbone bridge (IEEE
/// 802.1Q), then the customer's frame.
#[must_use]
pub fn backbone(service: u32, frame: &[u8]) -> Vec<u8> {
    [&service.to_be_bytes()[..], frame].concat()
}

/// Cases of tags.
pub(crate) fn cases() -> Vec<Case> {
    let segment = tcp::segment(V4);
    let packet = V4.packet(6, &segment);
    let frame = V4.frame(6, &segment);
    let tagged = ethernet::vlan(42, 0x0800, &packet);
    // The inner frame has no check sequence of its own.
    let inner = ethernet::frame(0x8100, &tagged);
    let fabric = ethernet::with_fcs(&ethernet::frame(0x8903, &fabric_path(&inner)));
    let extended = ethernet::frame(0x893f, &extender(0x8100, &tagged));
    let virtual_network = ethernet::frame(0x8926, &virtual_network(0x0800, &packet));
    let ring = ethernet::frame(0x892f, &redundancy(0x0800, &packet));
    let nested = (0..40).fold(frame.clone(), |frame, service| {
        let instance = backbone(service, &frame);
        ethernet::frame(0x88a8, &ethernet::vlan(service as u16, 0x88e7, &instance))
    });
    vec![
        Case { fcs: Some(4), ..tcp::case("fabricpath-tcp", "FabricPath", fabric, &segment) }
            .also("eth.fcs", Verdict::Bad),
        tcp::case("etag-tcp", "E-tag", extended, &segment),
        tcp::case("vntag-tcp", "VN-tag", virtual_network, &segment),
        tcp::case("hsr-tcp", "HSR", ring, &segment),
        tcp::case("pbb-tcp", "40 provider backbones, one in another", nested, &segment),
    ]
}
