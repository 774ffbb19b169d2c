//! Packets and captures to verify, each a fixture of two: a good one and a bad one.
//!
//! This crate computes check values with the crate `residue` and places them by its own knowledge
//! of the headers. It uses nothing of [`residue_net::wire`] and [`residue_net::check::Rule`], so
//! that it is evidence for them. A protocol's file has the name of the one in
//! [`residue_net::wire`]: the packets first, then the cases.

pub mod ayiya;
pub mod capwap;
pub mod case;
pub mod causes;
pub mod cdp;
pub mod clnp;
pub mod comparison;
pub mod cotp;
pub mod dccp;
pub mod dnp3;
pub mod eigrp;
pub mod ethernet;
pub mod file;
pub mod geneve;
pub mod gre;
pub mod gtp;
pub mod icmp;
pub mod icmp_extension;
pub mod idp;
pub mod igmp;
pub mod ip;
pub mod ipv4;
pub mod ipv6;
pub mod isis;
pub mod link;
pub mod lisp;
pub mod llc;
pub mod mobility;
pub mod mpls;
pub mod mptcp;
pub mod nhrp;
pub mod nsh;
pub mod ospf;
pub mod pim;
pub mod ppp;
pub mod roce;
pub mod sctp;
pub mod stun;
pub mod synthetic;
pub mod tag;
pub mod tcp;
pub mod tcp_checksum_option;
#[cfg(test)]
mod tests;
pub mod udp;
pub mod udp_lite;
pub mod vrrp;
pub mod vxlan;
pub mod wlan;

pub use case::{Case, Format, Frame, Repair};
pub use synthetic::{Synthetic, synthetic};

/// Data of an odd length, to be carried.
pub const DATA: &[u8] = b"the check values of residue classes";

/// Returns all cases: first those of [`comparison::NAMES`] in their order, then the others by
/// protocol.
#[must_use]
pub fn cases() -> Vec<Case> {
    let all: &[fn() -> Vec<Case>] = &[
        link::cases,
        wlan::cases,
        ethernet::cases,
        tag::cases,
        llc::cases,
        mpls::cases,
        ppp::cases,
        cdp::cases,
        ip::cases,
        ipv4::cases,
        ipv6::cases,
        tcp::cases,
        tcp_checksum_option::cases,
        mptcp::cases,
        udp::cases,
        udp_lite::cases,
        sctp::cases,
        dccp::cases,
        icmp::cases,
        icmp_extension::cases,
        igmp::cases,
        pim::cases,
        vrrp::cases,
        eigrp::cases,
        mobility::cases,
        nhrp::cases,
        ospf::cases,
        isis::cases,
        clnp::cases,
        cotp::cases,
        idp::cases,
        gre::cases,
        vxlan::cases,
        geneve::cases,
        gtp::cases,
        nsh::cases,
        lisp::cases,
        ayiya::cases,
        capwap::cases,
        stun::cases,
        dnp3::cases,
        roce::cases,
        file::cases,
        causes::cases,
    ];
    let mut cases: Vec<Case> = all.iter().flat_map(|cases| cases()).collect();
    cases.sort_by_key(|case| comparison::place(case.name).unwrap_or(usize::MAX));
    cases
}
