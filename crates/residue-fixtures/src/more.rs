//! Cases beyond the 54: the other protocols and link types, and checks in checks.

use super::control::{
    cdp, dvmrp, eigrp, icmp_extended, icmp_extensions, igmpv3, mobility, nhrp, seal_alone, vrrp2,
    vrrp3,
};
use super::lab::{A, B, INNER6, LOCAL6, PORTS, ROUTERS4, of_message, of_tcp, of_udp};
use super::link::{self, ethernet, ieee_802_3};
use super::network::{
    Ends, V4, V6, documentation, home_address, ipv4, ipv4_fragments, ipv6, ipv6_options,
    loose_source_route, routing, store,
};
use super::routing::{HELLO, ospf2, ospf3, prefix_lsa, update};
use super::transport::{
    DATA, dccp, sctp, sctp_adler, sctp_data, sctp_init, sctp_without, tcp, udp, udp_lite,
};
use super::tunnel::{VXLAN, gre, over_udp, vxlan};
use super::upper::upper;
use super::{Case, Format, Repair};
use residue_net::check::{Reason, Verdict};
use residue_net::pcap::LinkType;

/// The cases.
#[must_use]
pub fn more() -> Vec<Case> {
    [links(), addressing(), transport(), control(), upper(), formats()].concat()
}

fn links() -> Vec<Case> {
    let four = tcp(V4);
    let six = tcp(V6);
    let packet = V4.packet(6, &four);
    let packet6 = V6.packet(6, &six);
    let loops = link::loopback(24, &packet6);
    vec![
        of_tcp("null-tcp", "BSD loopback", link::null(2, &packet), &four).link(LinkType::NULL),
        of_tcp("loop-tcp", "OpenBSD loopback", loops, &six).link(LinkType::LOOP),
        of_tcp("ppp-tcp", "PPP", link::ppp(0x21, &packet), &four).link(LinkType::PPP),
        of_tcp("ppp6-tcp", "PPP in HDLC framing, IPv6", link::ppp(0x57, &packet6), &six)
            .link(LinkType::PPP_HDLC),
        of_tcp("raw6-tcp", "raw IP, version 6", packet6.clone(), &six).link(LinkType::RAW),
        of_tcp("ipv4-tcp", "link type IPv4", packet, &four).link(LinkType::IPV4),
        of_tcp("ipv6-tcp", "link type IPv6", packet6, &six).link(LinkType::IPV6),
    ]
}

fn addressing() -> Vec<Case> {
    let six = [documentation(1), documentation(2)];
    let home = documentation(9);
    let from_home = tcp(Ends::V6([home, six[1]]));
    let homed = ipv6(six, 60, &ipv6_options(6, &home_address(home), &from_home));
    let to_home = tcp(Ends::V6([six[0], home]));
    let stops = [documentation(8), home];
    let arrived = [six[0], home];
    let of_six = |name, title, ends, next, payload: &[u8], segment: &[u8]| {
        of_tcp(name, title, ethernet(0x86dd, &ipv6(ends, next, payload)), segment)
    };
    let hops = ipv6_options(60, &[5, 2, 0, 0], &ipv6_options(6, &[], &tcp(V6)));
    let used = ipv4([A, B], 6, &loose_source_route(8, [198, 51, 100, 9]), &tcp(V4));
    let mut endless = V6.packet(6, &tcp(V6));
    store(&mut endless, 4, 0);
    let datagram = udp(V4, PORTS, DATA);
    let [first, _] = ipv4_fragments([A, B], 17, &datagram, 16);
    let lone = of_udp(
        "lone-fragment",
        "the first fragment alone",
        ethernet(0x800, &first),
        &datagram[..16],
    );
    let unknown = Verdict::Unverifiable(Reason::Fragment);
    let mut claims = udp(V4, PORTS, DATA);
    claims[5] += 9;
    vec![
        of_tcp(
            "home-address-tcp",
            "Mobile IPv6 home address",
            ethernet(0x86dd, &homed),
            &from_home,
        ),
        of_six(
            "routing0-tcp",
            "IPv6 routing header 0",
            six,
            43,
            &routing(0, 2, &stops, 6, &to_home),
            &to_home,
        ),
        of_six(
            "routing0-end-tcp",
            "routing header 0, used up",
            arrived,
            43,
            &routing(0, 0, &stops, 6, &to_home),
            &to_home,
        ),
        of_six(
            "routing2-tcp",
            "IPv6 routing header 2",
            six,
            43,
            &routing(2, 1, &[home], 6, &to_home),
            &to_home,
        ),
        of_six("options-tcp", "IPv6 options headers", six, 0, &hops, &tcp(V6)),
        of_tcp("lsrr-end-tcp", "IPv4 source route, used up", ethernet(0x0800, &used), &tcp(V4)),
        Case {
            repair: Repair::LengthZero,
            ..of_tcp("tso6-tcp", "IPv6 length 0", ethernet(0x86dd, &endless), &tcp(V6))
        },
        Case { good_verdicts: vec![("udp", unknown)], ..lone }.verdict(unknown, Repair::Never),
        Case::of(
            "udp-length",
            "UDP length beyond the packet",
            "udp",
            V4.frame(17, &datagram),
            V4.frame(17, &claims),
        )
        .verdict(Verdict::LengthConflict, Repair::Never),
    ]
}

fn transport() -> Vec<Case> {
    let chunk = sctp_data(DATA);
    let old = sctp_adler(PORTS, &chunk);
    let lite = udp_lite(V4, PORTS, 8, DATA);
    // Zero checksum acceptable, errors detected by DTLS (RFC 9653 section 4).
    let init = sctp_init(1, &[0x80, 1, 0, 8, 0, 0, 0, 1]);
    let over_six = |payload: &[u8], summed| V6.frame(17, &over_udp(V6, VXLAN, summed, payload));
    let inner = vxlan(&INNER6.frame(6, &tcp(INNER6)));
    vec![
        Case {
            repair: Repair::Differs,
            ..Case::spoiled(
                "sctp-adler",
                "SCTP, Adler-32 (RFC 2960)",
                "sctp",
                V4.frame(132, &old),
                &old,
                8..12,
            )
        },
        Case::of(
            "sctp-init-zero",
            "SCTP, zero in an INIT",
            "sctp",
            V4.frame(132, &sctp(PORTS, &init)),
            V4.frame(132, &sctp_without(PORTS, &init)),
        )
        .verdict(Verdict::Illegal, Repair::Never),
        of_message("udplite-8", "UDP-Lite, header only", "udplite", (V4, 136), &lite, 6),
        of_message(
            "dccp-1",
            "DCCP, no data covered",
            "dccp",
            (V4, 33),
            &dccp(V4, PORTS, 1, DATA),
            6,
        ),
        of_message(
            "dccp-3",
            "DCCP, 8 bytes of data covered",
            "dccp",
            (V6, 33),
            &dccp(V6, PORTS, 3, DATA),
            6,
        ),
        Case::of(
            "vxlan6-zero",
            "VXLAN over IPv6 without UDP checksum (RFC 6935)",
            "udp",
            over_six(&inner, true),
            over_six(&inner, false),
        )
        .verdict(Verdict::Absent, Repair::Never),
    ]
}

fn control() -> Vec<Case> {
    let group = Ends::V4([A, [224, 0, 0, 22]]);
    let dvmrp_ends = Ends::V4([A, [224, 0, 0, 4]]);
    let request = nhrp();
    let of_cdp = |name, title, device: &[u8]| {
        let message = cdp(device);
        Case::spoiled(name, title, "cdp", ieee_802_3(&message), &message, 10..12)
    };
    let vrrp = Ends::V4([A, [224, 0, 0, 18]]);
    let vrrp6 = Ends::V6([LOCAL6, multicast(0x12)]);
    let routers6 = Ends::V6([LOCAL6, multicast(5)]);
    let eigrp_ends = Ends::V4([A, [224, 0, 0, 10]]);
    let hello = [[0, 0, 0, 5, 1, 0, 0, 0x13, 0, 10, 0, 40], [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]];
    let hello = ospf3(routers6, 1, &hello.concat()[..20]);
    let lsa = prefix_lsa();
    let flooded = routers6.frame(89, &ospf3(routers6, 4, &update(std::slice::from_ref(&lsa))));
    let extensions = icmp_extensions();
    let quoted = V4.turned().packet(17, &udp(V4.turned(), PORTS, DATA));
    let error = icmp_extended(&quoted, &extensions);
    vec![
        of_message("igmpv3", "IGMPv3", "igmp", (group, 2), &igmpv3(), 2),
        of_message("vrrp2", "VRRPv2", "vrrp", (vrrp, 112), &vrrp2(), 6),
        of_message("vrrp3-v6", "VRRPv3 over IPv6", "vrrp", (vrrp6, 112), &vrrp3(vrrp6), 6),
        of_message("ospf3", "OSPFv3 packet", "ospf", (routers6, 89), &hello, 12),
        Case::spoiled("ospf3-lsa", "OSPFv3 advertisement", "ospf.lsa", flooded, &lsa, 16..18)
            .also("ospf", Verdict::Bad),
        {
            // MD5 (RFC 2328 section D.4.3): type 2, key 1, a digest of 16 bytes behind the packet.
            let good = ospf2(1, &HELLO);
            let mut bad = [&good[..], &[0x77; 16]].concat();
            bad[12..24].copy_from_slice(&[0, 0, 0, 2, 0, 0, 1, 16, 0, 0, 0, 9]);
            Case::of(
                "ospf-md5",
                "OSPF with cryptographic authentication",
                "ospf",
                ROUTERS4.frame(89, &good),
                ROUTERS4.frame(89, &bad),
            )
            .verdict(Verdict::Absent, Repair::Never)
        },
        of_message("dvmrp", "DVMRP", "dvmrp", (dvmrp_ends, 2), &dvmrp(), 2),
        Case::spoiled(
            "nhrp",
            "NHRP",
            "nhrp",
            V4.frame(47, &gre(0x2001, &request)),
            &request,
            12..14,
        ),
        of_cdp("cdp", "CDP", b"router"),
        of_cdp("cdp-odd", "CDP, odd length", b"routers"),
        of_cdp("cdp-odd-negative", "CDP, odd length, last byte above 7F", b"routes\xe9"),
        of_message("eigrp", "EIGRP", "eigrp", (eigrp_ends, 88), &eigrp(), 2),
        of_message("mobility", "Mobility Header", "mip6", (V6, 135), &mobility(V6), 4),
        Case::spoiled(
            "icmp-ext",
            "ICMP extensions",
            "icmp.ext",
            V4.frame(1, &error),
            &extensions,
            2..4,
        )
        .also("icmp", Verdict::Bad),
    ]
}

fn multicast(last: u8) -> [u8; 16] {
    [0xff, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, last]
}

fn formats() -> Vec<Case> {
    let segment = tcp(V4);
    let frame = V4.frame(6, &segment);
    let echo = seal_alone([&[8, 0, 0, 0, 0, 1, 0, 1][..], DATA].concat(), 2);
    let [first, second] = ipv4_fragments([A, B], 1, &echo, 16);
    let late = Case::spoiled(
        "fragments-late",
        "IPv4 fragments of ICMP, the last first",
        "icmp",
        ethernet(0x0800, &first),
        &echo[..16],
        2..4,
    )
    .after(&[ethernet(0x0800, &second)]);
    vec![
        Case { format: Format::Gzip, ..of_tcp("gzip", "gzip", frame.clone(), &segment) },
        Case {
            format: Format::PcapSwapped,
            ..of_tcp("swapped", "pcap in the other byte order", frame, &segment)
        },
        late,
    ]
}
