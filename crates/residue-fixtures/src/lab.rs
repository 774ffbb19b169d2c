//! The 54 cases by which tshark, tcpdump, tcprewrite and scapy were judged.

use super::control::{icmp, icmpv6, igmp, pim_hello, pim_register, vrrp3};
use super::link::{self, ethernet, ieee_802_3, mpls, padded, pppoe, snap, vlan, with_fcs};
use super::network::{
    Ends, V4, V6, authentication, documentation, ipv4, ipv4_fragments, ipv6, ipv6_fragments,
    loose_source_route, routing, seal_ipv4, store,
};
use super::routing::{HELLO, network_lsa, ospf2, router_lsa, update};
use super::transport::{
    DATA, Tcp, dccp, offloaded, sctp, sctp_data, sctp_without, tcp, udp, udp_lite,
    udp_summing_to_zero, udp_without,
};
use super::tunnel::{GENEVE, GTP_U, VXLAN, geneve, gre, gre_summed, gtp_u, over_udp, vxlan};
use super::{Case, Format, Repair};
use residue_net::check::Verdict;
use residue_net::pcap::LinkType;

pub(super) const A: [u8; 4] = [192, 0, 2, 1];
pub(super) const B: [u8; 4] = [192, 0, 2, 2];
/// Ends of what is inside a tunnel.
pub(super) const INNER4: Ends = Ends::V4([[10, 0, 0, 1], [10, 0, 0, 2]]);
pub(super) const INNER6: Ends = Ends::V6([documentation(0x11), documentation(0x12)]);
/// To groups.
pub(super) const ROUTERS4: Ends = Ends::V4([A, [224, 0, 0, 5]]);
pub(super) const LOCAL6: [u8; 16] = [0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1];
const PIM_GROUP: [u8; 16] = [0xff, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xd];

pub(super) const PORTS: [u16; 2] = [1234, 4321];

/// Twins of a TCP segment somewhere in a frame.
pub(super) fn of_tcp(
    name: &'static str,
    title: &'static str,
    frame: Vec<u8>,
    segment: &[u8],
) -> Case {
    Case::spoiled(name, title, "tcp", frame, segment, 16..18)
}

/// Twins of a UDP datagram somewhere in a frame.
pub(super) fn of_udp(
    name: &'static str,
    title: &'static str,
    frame: Vec<u8>,
    datagram: &[u8],
) -> Case {
    Case::spoiled(name, title, "udp", frame, datagram, 6..8)
}

/// Twins of a message over IP on Ethernet, spoiled in the two bytes at `field`.
pub(super) fn of_message(
    name: &'static str,
    title: &'static str,
    protocol: &'static str,
    (ends, number): (Ends, u8),
    message: &[u8],
    field: usize,
) -> Case {
    Case::spoiled(name, title, protocol, ends.frame(number, message), message, field..field + 2)
}

/// The 54 cases, in the order of the table in `docs/packets.md`.
#[must_use]
pub fn lab() -> Vec<Case> {
    let mut cases = [transport(), control(), tunnels(), links(), addressing(), captures()].concat();
    cases.iter_mut().for_each(|case| case.lab = true);
    cases
}

fn transport() -> Vec<Case> {
    let ip = V4.packet(6, &tcp(V4));
    let datagram = |ends| udp(ends, PORTS, DATA);
    let zero = |name, title, ends: Ends, verdict| {
        let bad = ends.frame(17, &udp_without(PORTS, DATA));
        Case::of(name, title, "udp", ends.frame(17, &datagram(ends)), bad)
            .verdict(verdict, Repair::Never)
    };
    let chunk = sctp_data(DATA);
    let partial = offloaded(tcp(V4), V4, 6, 16, true);
    vec![
        Case::spoiled("ip", "IPv4 header", "ip", ethernet(0x0800, &ip), &ip, 10..12),
        of_tcp("tcp-v4", "TCP over IPv4", V4.frame(6, &tcp(V4)), &tcp(V4)),
        of_udp("udp-v4", "UDP over IPv4", V4.frame(17, &datagram(V4)), &datagram(V4)),
        of_tcp("tcp-v6", "TCP over IPv6", V6.frame(6, &tcp(V6)), &tcp(V6)),
        of_udp("udp-v6", "UDP over IPv6", V6.frame(17, &datagram(V6)), &datagram(V6)),
        {
            let echo = icmpv6(V6, 128, 0, [0, 1, 0, 1], DATA);
            of_message("icmpv6", "ICMPv6", "icmpv6", (V6, 58), &echo, 2)
        },
        Case::of(
            "tcp-offload",
            "TCP, sum of the pseudo-header alone",
            "tcp",
            V4.frame(6, &tcp(V4)),
            V4.frame(6, &partial),
        )
        .verdict(Verdict::Offloaded, Repair::Explained)
        .because("offload"),
        {
            let datagram = udp_summing_to_zero(V4, PORTS);
            of_udp("udp-ffff", "UDP whose value is FFFF", V4.frame(17, &datagram), &datagram)
        },
        zero("udp-zero-v4", "UDP, zero over IPv4", V4, Verdict::Absent),
        zero("udp-zero-v6", "UDP, zero over IPv6", V6, Verdict::Illegal),
        {
            let message = udp_lite(V4, PORTS, 12, DATA);
            of_message("udplite-12", "UDP-Lite, coverage 12", "udplite", (V4, 136), &message, 6)
        },
        {
            let message = udp_lite(V6, PORTS, 0, DATA);
            of_message("udplite-0", "UDP-Lite, coverage 0", "udplite", (V6, 136), &message, 6)
        },
        {
            let packet = sctp(PORTS, &chunk);
            Case::spoiled(
                "sctp-v4",
                "SCTP over IPv4",
                "sctp",
                V4.frame(132, &packet),
                &packet,
                8..12,
            )
        },
        {
            let packet = sctp(PORTS, &chunk);
            Case::spoiled(
                "sctp-v6",
                "SCTP over IPv6",
                "sctp",
                V6.frame(132, &packet),
                &packet,
                8..12,
            )
        },
        Case::of(
            "sctp-zero",
            "SCTP, zero (RFC 9653)",
            "sctp",
            V4.frame(132, &sctp(PORTS, &chunk)),
            V4.frame(132, &sctp_without(PORTS, &chunk)),
        )
        .verdict(Verdict::Absent, Repair::Never),
    ]
}

fn control() -> Vec<Case> {
    // The quoted datagram is longer than what is quoted of it.
    let quoted = V4.turned().packet(17, &udp(V4.turned(), PORTS, DATA));
    let error = icmp(3, 3, [0; 4], &quoted[..28]);
    let echo = icmp(8, 0, [0, 1, 0, 1], DATA);
    let hosts = Ends::V4([A, [239, 1, 2, 3]]);
    let vrrp = Ends::V4([A, [224, 0, 0, 18]]);
    let pim4 = Ends::V4([A, [224, 0, 0, 13]]);
    let pim6 = Ends::V6([LOCAL6, PIM_GROUP]);
    let stream = Ends::V4([[10, 0, 0, 1], [239, 1, 2, 3]]);
    let register = pim_register(&stream.packet(17, &udp(stream, PORTS, DATA)));
    let hello = ospf2(1, &HELLO);
    let lsa = router_lsa();
    let flooded = ROUTERS4.frame(89, &ospf2(4, &update(&[lsa.clone(), network_lsa()])));
    let summed = gre_summed(0x0800, &INNER4.packet(6, &tcp(INNER4)));
    vec![
        of_message("icmp", "ICMP", "icmp", (V4, 1), &echo, 2),
        of_message("icmp-error", "ICMP error quoting a cut packet", "icmp", (V4, 1), &error, 2),
        of_message("igmp", "IGMP", "igmp", (hosts, 2), &igmp(), 2),
        of_message("vrrp3", "VRRPv3", "vrrp", (vrrp, 112), &vrrp3(vrrp), 6),
        of_message("pim-v4", "PIM over IPv4", "pim", (pim4, 103), &pim_hello(pim4), 2),
        of_message("pim-v6", "PIM over IPv6", "pim", (pim6, 103), &pim_hello(pim6), 2),
        of_message("pim-register", "PIM register", "pim", (V4, 103), &register, 2),
        of_message("ospf", "OSPF packet", "ospf", (ROUTERS4, 89), &hello, 12),
        Case::spoiled("ospf-lsa", "OSPF advertisement", "ospf.lsa", flooded, &lsa, 16..18)
            .also("ospf", Verdict::Bad),
        {
            let request = dccp(V4, PORTS, 0, DATA);
            of_message("dccp", "DCCP", "dccp", (V4, 33), &request, 6)
        },
        Case::spoiled("gre", "GRE with checksum", "gre", V4.frame(47, &summed), &summed, 4..6),
    ]
}

fn tunnels() -> Vec<Case> {
    let four = tcp(INNER4);
    let six = tcp(INNER6);
    let packet = INNER4.packet(6, &four);
    let frame = INNER4.frame(6, &four);
    let in_udp = |port, summed, payload: &[u8]| V4.frame(17, &over_udp(V4, port, summed, payload));
    vec![
        of_tcp("gre-tcp", "TCP in GRE", V4.frame(47, &gre(0x0800, &packet)), &four),
        of_tcp("ipip-tcp", "TCP in IPv4 in IPv4", V4.frame(4, &packet), &four),
        of_tcp("6in4-tcp", "TCP in IPv6 in IPv4", V4.frame(41, &INNER6.packet(6, &six)), &six),
        of_tcp("4in6-tcp", "TCP in IPv4 in IPv6", V6.frame(4, &packet), &four),
        of_tcp("vxlan-tcp", "TCP in VXLAN", in_udp(VXLAN, false, &vxlan(&frame)), &four)
            .both("udp", Verdict::Absent),
        of_tcp("geneve-tcp", "TCP in Geneve", in_udp(GENEVE, false, &geneve(&frame)), &four)
            .both("udp", Verdict::Absent),
        of_tcp(
            "vxlan-sum-tcp",
            "TCP in VXLAN with UDP checksum",
            in_udp(VXLAN, true, &vxlan(&frame)),
            &four,
        )
        .also("udp", Verdict::Bad),
        of_tcp("gtpu-tcp", "TCP in GTP-U", in_udp(GTP_U, false, &gtp_u(&packet)), &four)
            .both("udp", Verdict::Absent),
    ]
}

fn links() -> Vec<Case> {
    let segment = tcp(V4);
    let packet = V4.packet(6, &segment);
    let tagged = vlan(42, 0x0800, &packet);
    let twice = vlan(7, 0x8100, &tagged);
    vec![
        of_tcp("vlan-tcp", "VLAN", ethernet(0x8100, &tagged), &segment),
        of_tcp("qinq-tcp", "QinQ", ethernet(0x88a8, &twice), &segment),
        of_tcp("mpls-tcp", "MPLS", ethernet(0x8847, &mpls(&[16, 17], &packet)), &segment),
        of_tcp("pppoe-tcp", "PPPoE", ethernet(0x8864, &pppoe(0x21, &packet)), &segment),
        of_tcp("snap-tcp", "LLC/SNAP", ieee_802_3(&snap(0x0800, &packet)), &segment),
        of_tcp("sll-tcp", "Linux cooked", link::sll(0x0800, &packet), &segment)
            .link(LinkType::LINUX_SLL),
        of_tcp("sll2-tcp", "Linux cooked, version 2", link::sll2(0x0800, &packet), &segment)
            .link(LinkType::LINUX_SLL2),
        of_tcp("raw-tcp", "raw IP", packet, &segment).link(LinkType::RAW),
    ]
}

fn addressing() -> Vec<Case> {
    let last = documentation(9);
    let six = [documentation(1), documentation(2)];
    let routed6 = tcp(Ends::V6([six[0], last]));
    // The list is in reverse; one segment is left, its first entry.
    let routing_header = routing(4, 1, &[last, six[1]], 6, &routed6);
    let stop = [198, 51, 100, 9];
    let routed4 = tcp(Ends::V4([A, stop]));
    let source_routed = ipv4([A, B], 6, &loose_source_route(4, stop), &routed4);
    let datagram4 = udp(V4, PORTS, DATA);
    let datagram6 = udp(V6, PORTS, DATA);
    let [first4, second4] = ipv4_fragments([A, B], 17, &datagram4, 16);
    let [first6, second6] = ipv6_fragments(six, 17, &datagram6, 16);
    let protected = authentication(6, &tcp(V4));
    let mut endless = V4.packet(6, &tcp(V4));
    store(&mut endless, 2, 0);
    seal_ipv4(&mut endless);
    vec![
        of_tcp("srv6-tcp", "SRv6", ethernet(0x86dd, &ipv6(six, 43, &routing_header)), &routed6),
        of_tcp("lsrr-tcp", "IPv4 loose source route", ethernet(0x0800, &source_routed), &routed4),
        of_udp("fragments-v4", "IPv4 fragments", ethernet(0x0800, &first4), &datagram4[..16])
            .before(&[ethernet(0x0800, &second4)]),
        of_udp("fragments-v6", "IPv6 fragments", ethernet(0x86dd, &first6), &datagram6[..16])
            .before(&[ethernet(0x86dd, &second6)]),
        of_tcp("ah-tcp", "TCP behind AH", V4.frame(51, &protected), &tcp(V4)),
        Case {
            repair: Repair::LengthZero,
            ..of_tcp("tso-tcp", "IPv4 length 0", ethernet(0x0800, &endless), &tcp(V4))
        },
    ]
}

fn captures() -> Vec<Case> {
    let segment = tcp(V4);
    let frame = V4.frame(6, &segment);
    let datagram = udp(V4, PORTS, DATA);
    let short = Tcp { data: b"", ..Tcp::default() }.segment(V4);
    let sealed = with_fcs(&frame);
    let checked = Case::spoiled(
        "fcs",
        "Ethernet frame check sequence",
        "eth.fcs",
        sealed.clone(),
        &sealed[frame.len()..],
        0..4,
    );
    vec![
        of_tcp("cut-tcp", "TCP, cut by the capture", frame.clone(), &segment).cut(14 + 20 + 20 + 8),
        of_udp("cut-udp", "UDP, cut by the capture", V4.frame(17, &datagram), &datagram)
            .cut(14 + 20 + 8 + 8),
        of_tcp("padding-tcp", "padding after IP", padded(&V4.frame(6, &short), 60), &short),
        Case { fcs: Some(4), ..checked },
        Case {
            format: Format::PcapNanoseconds,
            ..of_tcp("nanoseconds", "pcap with nanoseconds", frame.clone(), &segment)
        },
        Case { format: Format::PcapNg, ..of_tcp("pcapng", "pcapng", frame, &segment) },
    ]
}
