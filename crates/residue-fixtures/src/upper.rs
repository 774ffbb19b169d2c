//! More cases: the ISO protocols, what stands above the transport layer, and checks in checks.

use super::application::{alternate, alternate_syn, dnp3, idp, mptcp, roce, stun};
use super::control::{icmp_extended, icmp_extensions};
use super::lab::{INNER4, INNER6, ROUTERS4};
use super::link::{ethernet, ieee_802_3, iso, with_fcs};
use super::network::{Ends, V4, V6};
use super::routing::{
    clnp, cotp_data, cotp_request, esis, isis_hello, isis_lsp, network_lsa, ospf2, router_lsa,
    update,
};
use super::transport::{DATA, Tcp, tcp, udp};
use super::tunnel::{GENEVE, VXLAN, erspan, geneve, gre, gre_summed, over_udp, vxlan};
use super::{Case, Repair, spoil};
use residue_net::check::{Reason, Verdict};

/// The cases.
pub(super) fn upper() -> Vec<Case> {
    [iso_protocols(), applications(), alternates(), vec![alternate_unseen()], nested()].concat()
}

fn iso_protocols() -> Vec<Case> {
    let of_iso = |name, title, protocol, packet: &[u8], unit: &[u8], field: usize| {
        Case::spoiled(name, title, protocol, ieee_802_3(&iso(packet)), unit, field..field + 2)
    };
    let (lsp, hello, esis) = (isis_lsp(), isis_hello(), esis());
    let (request, data) = (cotp_request(), cotp_data(DATA));
    let network = clnp(&request);
    let without = |mut pdu: Vec<u8>, at: usize| {
        pdu[at..at + 2].fill(0);
        ieee_802_3(&iso(&pdu))
    };
    let absent = |name, title, protocol, pdu: &[u8], at| {
        Case::of(name, title, protocol, ieee_802_3(&iso(pdu)), without(pdu.to_vec(), at))
            .verdict(Verdict::Absent, Repair::Never)
    };
    let of_idp = |name, title, datagram: &[u8]| {
        Case::spoiled(name, title, "xns.idp", ethernet(0x0600, datagram), datagram, 0..2)
    };
    vec![
        of_iso("isis-lsp", "IS-IS link state PDU", "isis.lsp", &lsp, &lsp, 24),
        of_iso(
            "isis-hello",
            "IS-IS hello with checksum",
            "isis.hello",
            &hello,
            &hello,
            hello.len() - 2,
        ),
        of_iso("esis", "ES-IS", "esis", &esis, &esis, 7),
        absent("esis-zero", "ES-IS, zero", "esis", &esis, 7),
        of_iso("clnp", "CLNP", "clnp", &network, &network, 7),
        absent("clnp-zero", "CLNP, zero", "clnp", &network, 7),
        of_iso(
            "cotp-request",
            "transport class 4, connection request",
            "cotp",
            &network,
            &request,
            9,
        ),
        of_iso("cotp-data", "transport class 4, data", "cotp", &clnp(&data), &data, 7),
        of_idp("idp", "XNS IDP", &idp(b"residues")),
        of_idp("idp-odd", "XNS IDP, odd length", &idp(b"residue")),
        {
            let good = idp(b"residues");
            let bad = [&[0xff; 2], &good[2..]].concat();
            Case::of(
                "idp-ffff",
                "XNS IDP, FFFF",
                "xns.idp",
                ethernet(0x0600, &good),
                ethernet(0x0600, &bad),
            )
            .verdict(Verdict::Absent, Repair::Never)
        },
    ]
}

fn applications() -> Vec<Case> {
    let message = stun();
    let binding = V4.frame(17, &udp(V4, [49152, 3478], &message));
    let segment = |data: &[u8]| {
        let tcp = Tcp { ports: [49152, 20000], data, ..Tcp::default() }.segment(V4);
        V4.frame(6, &tcp)
    };
    let outstation =
        dnp3(b"\xc0\xc1\x01\x3c\x02\x06\x3c\x03\x06\x3c\x04\x06\x3c\x01\x06\x3c\x01\x06");
    let (mapped, option) = mptcp(V4, DATA);
    let bad_tcp = |case: Case| case.also("tcp", Verdict::Bad);
    let of_roce = |name, title, ends: Ends, zero| {
        let packet = roce(ends, DATA);
        let frame = ethernet(ends.ether_type(), &packet);
        let field = packet.len() - 4..packet.len();
        Case::spoiled(name, title, "roce.icrc", frame, &packet, field).both("udp", zero)
    };
    vec![
        Case::spoiled(
            "stun",
            "STUN fingerprint",
            "stun",
            binding,
            &message,
            message.len() - 4..message.len(),
        )
        .also("udp", Verdict::Bad),
        bad_tcp(Case::spoiled(
            "dnp3-header",
            "DNP3 header block",
            "dnp3.header",
            segment(&outstation),
            &outstation,
            8..10,
        )),
        bad_tcp(Case::spoiled(
            "dnp3-data",
            "DNP3 data block",
            "dnp3.data",
            segment(&outstation),
            &outstation,
            26..28,
        )),
        bad_tcp(Case::spoiled(
            "dnp3-last",
            "DNP3 last data block",
            "dnp3.data",
            segment(&outstation),
            &outstation,
            30..32,
        )),
        bad_tcp(Case::spoiled(
            "mptcp",
            "MPTCP data sequence signal",
            "mptcp.dss",
            V4.frame(6, &mapped),
            &mapped,
            option + 22..option + 24,
        )),
        of_roce("roce-v4", "RoCEv2 over IPv4", V4, Verdict::Absent),
        of_roce("roce-v6", "RoCEv2 over IPv6", V6, Verdict::Absent),
    ]
}

/// A segment of a connection whose SYNs were not captured. Right values explain themselves, wrong ones do not.
fn alternate_unseen() -> Case {
    let segment = alternate(V4, 5, DATA);
    let unseen = Verdict::Unverifiable(Reason::Agreement);
    let case = Case::spoiled(
        "tcp-alternate-unseen",
        "TCP alternate checksum, agreed upon before",
        "tcp.alternate",
        V4.frame(6, &segment),
        &segment,
        22..26,
    );
    case.verdict(unseen, Repair::Differs).also("tcp", Verdict::Bad)
}

/// A connection that agrees upon the value, then a segment; the bad one has a changed check value.
fn alternates() -> Vec<Case> {
    let names = [
        ("tcp-alternate-1", "TCP alternate checksum 1, 8-bit Fletcher"),
        ("tcp-alternate-2", "TCP alternate checksum 2, 16-bit Fletcher"),
        ("tcp-alternate-3", "TCP alternate checksum 3, CRC-32C for the checksum"),
        ("tcp-alternate-4", "TCP alternate checksum 4, CRC-32C of the data"),
        ("tcp-alternate-5", "TCP alternate checksum 5, CRC-32C of all"),
        ("tcp-alternate-6", "TCP alternate checksum 6, CRC-32K of all"),
    ];
    (1..)
        .zip(names)
        .map(|(value, (name, title))| {
            let syns = [
                V4.frame(6, &alternate_syn(V4, [1234, 80], false, value)),
                V4.turned().frame(6, &alternate_syn(V4.turned(), [80, 1234], true, value)),
            ];
            let segment = alternate(V4, value, DATA);
            let field = if value <= 3 { 16..18 } else { 22..26 };
            let frame = V4.frame(6, &segment);
            let case = Case::spoiled(name, title, "tcp.alternate", frame, &segment, field);
            // The ordinary checksum covers the option.
            let case = if value >= 4 { case.also("tcp", Verdict::Bad) } else { case };
            case.after(&syns)
        })
        .collect()
}

/// Outer check values that are right for a wrong inner one: whoever mends the inner must mend the outer.
fn nested() -> Vec<Case> {
    let over_bad = |name, title, protocol, build: &dyn Fn(&[u8]) -> Vec<u8>, good: &[u8], field| {
        Case::of(name, title, protocol, build(good), build(&spoil(good, good, field)))
    };
    let segment = tcp(INNER4);
    let message = stun();
    let fingerprint = message.len() - 4..message.len();
    let in_vxlan =
        |inner: &[u8]| V4.frame(17, &over_udp(V4, VXLAN, true, &vxlan(&INNER4.frame(6, inner))));
    let in_geneve =
        |inner: &[u8]| V6.frame(17, &over_udp(V6, GENEVE, true, &geneve(&INNER4.frame(6, inner))));
    let sealed = |inner: &[u8]| with_fcs(&INNER4.frame(6, inner));
    let mirrored = |inner: &[u8]| V4.frame(47, &erspan(&INNER4.frame(6, inner)));
    let in_gre = |inner: &[u8]| V4.frame(47, &gre_summed(0x86dd, &INNER6.packet(6, inner)));
    let flooded =
        |lsa: &[u8]| ROUTERS4.frame(89, &ospf2(4, &update(&[network_lsa(), lsa.to_vec()])));
    let extended = |part: &[u8]| V4.frame(1, &icmp_extended(&V4.turned().packet(17, &[]), part));
    let keyed = |inner: &[u8]| {
        // A key and a sequence number, no checksum (RFC 2890).
        let header = [0x30, 0, 8, 0, 0, 0, 0, 42, 0, 0, 0, 1];
        V4.frame(47, &[&header[..], &INNER4.packet(6, inner)].concat())
    };
    let bound = |message: &[u8]| V4.frame(17, &udp(V4, [49152, 3478], message));
    let deep = |inner: &[u8]| {
        let two = Ends::V4([[10, 1, 0, 1], [10, 1, 0, 2]])
            .packet(47, &gre(0x0800, &INNER4.packet(6, inner)));
        V4.frame(4, &two)
    };
    vec![
        over_bad(
            "vxlan-over-bad",
            "bad TCP under a good VXLAN",
            "tcp",
            &in_vxlan,
            &segment,
            16..18,
        ),
        over_bad(
            "geneve-over-bad",
            "bad TCP under a good Geneve",
            "tcp",
            &in_geneve,
            &segment,
            16..18,
        ),
        Case {
            fcs: Some(4),
            ..over_bad(
                "fcs-over-bad",
                "bad TCP under a good frame check sequence",
                "tcp",
                &sealed,
                &segment,
                16..18,
            )
        },
        over_bad(
            "gre-over-bad",
            "bad TCP under a good GRE checksum",
            "tcp",
            &in_gre,
            &tcp(INNER6),
            16..18,
        ),
        over_bad("erspan-tcp", "TCP in ERSPAN", "tcp", &mirrored, &segment, 16..18),
        over_bad(
            "gre-key-tcp",
            "TCP in GRE with key and sequence number",
            "tcp",
            &keyed,
            &segment,
            16..18,
        ),
        over_bad("deep-tcp", "TCP in GRE in IPv4 in IPv4", "tcp", &deep, &segment, 16..18),
        over_bad(
            "ospf-over-bad",
            "bad advertisement in a good OSPF packet",
            "ospf.lsa",
            &flooded,
            &router_lsa(),
            16..18,
        ),
        over_bad(
            "icmp-over-bad",
            "bad extensions in a good ICMP message",
            "icmp.ext",
            &extended,
            &icmp_extensions(),
            2..4,
        ),
        over_bad(
            "udp-over-bad",
            "bad fingerprint in a good UDP datagram",
            "stun",
            &bound,
            &message,
            fingerprint,
        ),
    ]
}
