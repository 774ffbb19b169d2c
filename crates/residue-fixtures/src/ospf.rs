//! OSPF and its link-state advertisements.

use crate::Case;
use crate::Repair;
use crate::clnp::seal_octets;
use crate::ip::{A, Ends, LOCAL6, multicast, seal, seal_alone};
use residue_net::check::Verdict;

/// Returns a link-state advertisement (RFC 2328 section 12.1, RFC 5340 section A.4.2): its age, 2
/// bytes, is not covered.
fn advertisement(fixed: [u8; 16], body: &[u8]) -> Vec<u8> {
    let length = (20 + body.len()) as u16;
    let covered = [&fixed[2..], &[0, 0], &length.to_be_bytes(), body].concat();
    [&fixed[..2], &seal_octets(covered, 14)].concat()
}

/// Returns a router-LSA of OSPFv2 with one link to a stub network.
#[must_use]
pub fn router_lsa() -> Vec<u8> {
    // Age, options, type 1, link state ID, advertising router, sequence number.
    let fixed = [0, 1, 2, 1, 10, 0, 0, 1, 10, 0, 0, 1, 0x80, 0, 0, 1];
    advertisement(fixed, &[0, 0, 0, 1, 10, 1, 0, 0, 255, 255, 0, 0, 3, 0, 0, 10])
}

/// Returns a network-LSA of OSPFv2.
#[must_use]
pub fn network_lsa() -> Vec<u8> {
    let fixed = [0, 9, 2, 2, 192, 0, 2, 1, 10, 0, 0, 1, 0x80, 0, 0, 3];
    advertisement(fixed, &[255, 255, 255, 0, 10, 0, 0, 1, 10, 0, 0, 2])
}

/// Returns an intra-area-prefix-LSA of OSPFv3 with one prefix.
#[must_use]
pub fn prefix_lsa() -> Vec<u8> {
    let fixed = [0, 1, 0x20, 9, 0, 0, 0, 0, 10, 0, 0, 1, 0x80, 0, 0, 1];
    let body = [
        0, 1, 0x20, 1, 0, 0, 0, 0, 10, 0, 0, 1, // what it refers to
        64, 0, 0, 10, 0x20, 1, 0xd, 0xb8, 0, 0, 0, 1,
    ];
    advertisement(fixed, &body)
}

/// Returns an OSPFv2 packet without authentication. The eight bytes for it are not covered.
#[must_use]
pub fn version2(kind: u8, body: &[u8]) -> Vec<u8> {
    let length = ((24 + body.len()) as u16).to_be_bytes();
    let header = [2, kind, length[0], length[1], 10, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0];
    let sealed = seal_alone([&header[..], body].concat(), 12);
    [&sealed[..16], &[0; 8], body].concat()
}

/// Returns an OSPFv3 packet.
#[must_use]
pub fn version3(ends: Ends, kind: u8, body: &[u8]) -> Vec<u8> {
    let length = ((16 + body.len()) as u16).to_be_bytes();
    let header = [3, kind, length[0], length[1], 10, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0];
    seal([&header[..], body].concat(), ends, 89, 12)
}

/// The body of an OSPFv2 hello.
pub const HELLO: [u8; 20] = [255, 255, 255, 0, 0, 10, 2, 1, 0, 0, 0, 40, 192, 0, 2, 1, 0, 0, 0, 0];

/// The body of an OSPFv3 hello.
const HELLO3: [u8; 20] = [0, 0, 0, 5, 1, 0, 0, 0x13, 0, 10, 0, 40, 0, 0, 0, 0, 0, 0, 0, 0];

/// Returns the body of a link state update.
#[must_use]
pub fn update(advertisements: &[Vec<u8>]) -> Vec<u8> {
    let count = (advertisements.len() as u32).to_be_bytes();
    [&count[..], &advertisements.concat()].concat()
}

/// A router to all routers.
const ROUTERS4: Ends = Ends::V4([A, [224, 0, 0, 5]]);
const ROUTERS6: Ends = Ends::V6([LOCAL6, multicast(5)]);

/// Cases of OSPF.
pub(crate) fn cases() -> Vec<Case> {
    let (lsa, lsa3) = (router_lsa(), prefix_lsa());
    let hello = version2(1, &HELLO);
    let hello3 = version3(ROUTERS6, 1, &HELLO3);
    let flooded = ROUTERS4.frame(89, &version2(4, &update(&[lsa.clone(), network_lsa()])));
    let flooded3 = ROUTERS6.frame(89, &version3(ROUTERS6, 4, &update(std::slice::from_ref(&lsa3))));
    let around =
        |lsa: &[u8]| ROUTERS4.frame(89, &version2(4, &update(&[network_lsa(), lsa.to_vec()])));
    // MD5 (RFC 2328 section D.4.3): type 2, key 1, a digest of 16 bytes after the packet.
    let mut authenticated = [&hello[..], &[0x77; 16]].concat();
    authenticated[12..24].copy_from_slice(&[0, 0, 0, 2, 0, 0, 1, 16, 0, 0, 0, 9]);
    // Extended options in a data block, which a bit of the hello's options announces (RFC 5613).
    let block = seal_alone(vec![0, 0, 0, 3, 0, 1, 0, 4, 0, 0, 0, 1], 0);
    let (mut body, mut body3) = (HELLO, HELLO3);
    body[6] |= 0x10;
    body3[6] |= 2;
    let with_block = [&version2(1, &body)[..], &block].concat();
    let mut signed = [&with_block[..44], &[0x77; 16], &[0, 0], &block[2..]].concat();
    signed[12..24].copy_from_slice(&[0, 0, 0, 2, 0, 0, 1, 16, 0, 0, 0, 9]);
    let with_block3 = [&version3(ROUTERS6, 1, &body3)[..], &block].concat();
    vec![
        Case::of_message("ospf", "OSPF packet", "ospf", (ROUTERS4, 89), &hello, 12),
        Case::spoiled("ospf-lsa", "OSPF advertisement", "ospf.lsa", flooded, &lsa, 16..18)
            .also("ospf", Verdict::Bad),
        Case::spoiled(
            "ospf-lls",
            "OSPF link-local signalling",
            "ospf.lls",
            ROUTERS4.frame(89, &with_block),
            &block,
            0..2,
        ),
        Case::spoiled(
            "ospf3-lls",
            "OSPFv3 link-local signalling",
            "ospf.lls",
            ROUTERS6.frame(89, &with_block3),
            &block,
            0..2,
        ),
        Case::of_message("ospf3", "OSPFv3 packet", "ospf", (ROUTERS6, 89), &hello3, 12),
        Case::spoiled("ospf3-lsa", "OSPFv3 advertisement", "ospf.lsa", flooded3, &lsa3, 16..18)
            .also("ospf", Verdict::Bad),
        Case::of(
            "ospf-md5",
            "OSPF with cryptographic authentication",
            "ospf",
            ROUTERS4.frame(89, &hello),
            ROUTERS4.frame(89, &authenticated),
        )
        .verdict(Verdict::Absent, Repair::Never),
        Case::of(
            "ospf-lls-md5",
            "OSPF signalling with cryptographic authentication",
            "ospf.lls",
            ROUTERS4.frame(89, &with_block),
            ROUTERS4.frame(89, &signed),
        )
        .verdict(Verdict::Absent, Repair::Never)
        .also("ospf", Verdict::Absent),
        Case::over_bad(
            "ospf-over-bad",
            "bad advertisement in a good OSPF packet",
            "ospf.lsa",
            &around,
            &lsa,
            16..18,
        ),
    ]
}
