//! Cases of known causes. Where the cause shows only in several packets, there are several.

use crate::ethernet::padded;
use crate::ip::{A, B, Ends, INNER4, V4, V6, documentation, offloaded, seal_alone, store};
use crate::tcp::{self, Tcp};
use crate::udp::{self, PORTS};
use crate::{Case, DATA, Frame, Repair, ethernet, icmp, ipv4, ipv6, sctp, vxlan};
use residue_net::check::{Reason, Verdict};

/// Cases of causes.
pub(crate) fn cases() -> Vec<Case> {
    [
        rewritten(),
        offload_rewritten(),
        offloads(),
        offloaded_headers(),
        wrong_value(),
        wrong_cover(),
        damage(),
        copies(),
        cut_headers(),
    ]
    .concat()
}

/// Returns a case of several frames, all of whose bad ones are bad.
fn several(
    name: &'static str,
    title: &'static str,
    protocol: &'static str,
    pairs: impl IntoIterator<Item = (Vec<u8>, Vec<u8>)>,
) -> Case {
    let (good, bad): (Vec<_>, Vec<_>) =
        pairs.into_iter().map(|(good, bad)| (Frame::whole(good), Frame::whole(bad))).unzip();
    let bad_verdicts = vec![(protocol, Verdict::Bad); bad.len()];
    Case { good, bad, bad_verdicts, ..Case::of(name, title, protocol, Vec::new(), Vec::new()) }
}

/// Returns segments of one connection, each with other data and numbers.
fn segments(ports: [u16; 2]) -> Vec<Tcp<'static>> {
    let numbers = |part: usize| [1 + 1000 * part as u32, 2];
    (0..8)
        .map(|part| Tcp { ports, numbers: numbers(part), data: &DATA[part..], ..Tcp::default() })
        .collect()
}

fn rewritten() -> Vec<Case> {
    let private = Ends::V4([[10, 0, 0, 7], B]);
    let private6 = Ends::V6([documentation(0x77), documentation(2)]);
    // What was computed for the old ends stays in the packet with the new ones.
    let moved = |old: Ends, new: Ends| {
        segments([1234, 80]).into_iter().map(move |segment| {
            (new.frame(6, &segment.segment(new)), new.frame(6, &segment.segment(old)))
        })
    };
    let ports = segments([1234, 80]).into_iter().zip(segments([40321, 80])).map(|(old, new)| {
        let good = new.segment(V4);
        let mut bad = good.clone();
        bad[16..18].copy_from_slice(&old.segment(V4)[16..18]);
        (V4.frame(6, &good), V4.frame(6, &bad))
    });
    let datagrams = (0..8).map(|part| {
        let datagram = udp::datagram(V4, PORTS, &DATA[part..]);
        let mut bad = datagram.clone();
        bad[6..8].copy_from_slice(&udp::datagram(private, PORTS, &DATA[part..])[6..8]);
        (V4.frame(17, &datagram), V4.frame(17, &bad))
    });
    // The header's checksum is not updated either.
    let headers = segments([1234, 80]).into_iter().map(|segment| {
        let good = V4.packet(6, &segment.segment(V4));
        let mut bad = good.clone();
        bad[10..12].copy_from_slice(&private.packet(6, &segment.segment(private))[10..12]);
        (ethernet::frame(0x0800, &good), ethernet::frame(0x0800, &bad))
    });
    let explained = |case: Case| Case { repair: Repair::Explained, ..case.because("rewritten") };
    vec![
        explained(several(
            "nat-tcp",
            "address rewritten, TCP not updated",
            "tcp",
            moved(private, V4),
        )),
        explained(several(
            "nat6-tcp",
            "IPv6 address rewritten, TCP not updated",
            "tcp",
            moved(private6, V6),
        )),
        explained(several("nat-udp", "address rewritten, UDP not updated", "udp", datagrams)),
        explained(several("nat-ip", "address rewritten, IPv4 header not updated", "ip", headers)),
        explained(several("nat-port", "port rewritten, TCP not updated", "tcp", ports)),
    ]
}

/// Returns cases of addresses changed in packets that the network card never completed: the sum of
/// the old pseudo-header stays.
fn offload_rewritten() -> Vec<Case> {
    let private = Ends::V4([[10, 0, 0, 7], B]);
    let private6 = Ends::V6([documentation(0x77), documentation(2)]);
    let moved = |old: Ends, new: Ends, length: bool| {
        segments([1234, 80]).into_iter().map(move |segment| {
            let good = segment.segment(new);
            let bad = offloaded(good.clone(), old, 6, 16, length);
            (new.frame(6, &good), new.frame(6, &bad))
        })
    };
    let datagrams = (0..8).map(|part| {
        let good = udp::datagram(V4, PORTS, &DATA[part..]);
        let bad = offloaded(good.clone(), private, 17, 6, true);
        (V4.frame(17, &good), V4.frame(17, &bad))
    });
    let explained =
        |case: Case| Case { repair: Repair::Explained, ..case.because("offload-rewritten") };
    vec![
        explained(several(
            "nat-offload-tcp",
            "address rewritten, TCP left to the card",
            "tcp",
            moved(private, V4, true),
        )),
        explained(several(
            "nat-offload-tcp6",
            "IPv6 address rewritten, TCP left to the card",
            "tcp",
            moved(private6, V6, true),
        )),
        explained(several(
            "nat-offload-udp",
            "address rewritten, UDP left to the card",
            "udp",
            datagrams,
        )),
    ]
}

/// Returns cases of IPv4 header checksums left to the card: zero, beside an offloaded TCP checksum
/// of the same packet, of another packet of the sender, and of one that is cut short.
fn offloaded_headers() -> Vec<Case> {
    let zero = |frame: &[u8]| {
        let mut frame = frame.to_vec();
        store(&mut frame, 14 + 10, 0);
        frame
    };
    let good = V4.frame(6, &tcp::segment(V4));
    let partial = V4.frame(6, &offloaded(tcp::segment(V4), V4, 6, 16, true));
    let ping = V4.frame(1, &icmp::message(8, 0, [0, 1, 0, 1], DATA));
    let whole = |frame: &[u8]| Frame::whole(frame.to_vec());
    let case = |name, title, pairs: Vec<(Frame, Frame)>| {
        let (good, bad) = pairs.into_iter().unzip();
        Case { good, bad, ..Case::of(name, title, "ip", Vec::new(), Vec::new()) }
            .verdict(Verdict::Offloaded, Repair::Explained)
            .because("offload")
    };
    let both = (whole(&good), whole(&zero(&partial)));
    let other = vec![(whole(&good), whole(&partial)), (whole(&ping), whole(&zero(&ping)))];
    // The TCP checksum cannot be judged, and shows the sender all the same.
    let cut = (whole(&partial).cut(60), whole(&zero(&partial)).cut(60));
    vec![
        case("offload-ip", "IPv4 and TCP left to the card", vec![both])
            .also("tcp", Verdict::Offloaded),
        case("offload-ip-icmp", "IPv4 around ICMP left to the card", other)
            .also("tcp", Verdict::Offloaded),
        case("offload-ip-cut", "IPv4 and TCP left to the card, cut short", vec![cut])
            .both("tcp", Verdict::Unverifiable(Reason::Cut)),
    ]
}

fn offloads() -> Vec<Case> {
    let partial = |name, title, protocol, ends: Ends, number, good: Vec<u8>, field, length| {
        let bad = offloaded(good.clone(), ends, number, field, length);
        Case::of(name, title, protocol, ends.frame(number, &good), ends.frame(number, &bad))
            .verdict(Verdict::Offloaded, Repair::Explained)
            .because("offload")
    };
    let datagram = |ends| udp::datagram(ends, PORTS, DATA);
    vec![
        partial(
            "offload-udp",
            "UDP, sum of the pseudo-header",
            "udp",
            V4,
            17,
            datagram(V4),
            6,
            true,
        ),
        partial(
            "offload-tcp6",
            "TCP over IPv6, sum of the pseudo-header",
            "tcp",
            V6,
            6,
            tcp::segment(V6),
            16,
            true,
        ),
        partial(
            "offload-large",
            "TCP, that sum without the length",
            "tcp",
            V4,
            6,
            tcp::segment(V4),
            16,
            false,
        ),
        offload_both(),
        partial("offload-large6", "the same over IPv6", "tcp", V6, 6, tcp::segment(V6), 16, false),
    ]
}

/// Returns a case of inner and outer checksum left to the card.
fn offload_both() -> Case {
    let frame = |inner: Vec<u8>| vxlan::payload(&INNER4.frame(6, &inner));
    let good = udp::tunnel(V4, vxlan::PORT, true, &frame(tcp::segment(INNER4)));
    let inner = offloaded(tcp::segment(INNER4), INNER4, 6, 16, true);
    let bad = offloaded(udp::tunnel(V4, vxlan::PORT, true, &frame(inner)), V4, 17, 6, true);
    Case::of(
        "offload-both",
        "TCP in VXLAN, both left to the card",
        "tcp",
        V4.frame(17, &good),
        V4.frame(17, &bad),
    )
    .verdict(Verdict::Offloaded, Repair::Explained)
    .also("udp", Verdict::Offloaded)
    .because("offload")
}

fn wrong_value() -> Vec<Case> {
    let good = tcp::segment(V4);
    let with_field = |segment: &[u8], field: [u8; 2]| {
        let mut segment = segment.to_vec();
        segment[16..18].copy_from_slice(&field);
        V4.frame(6, &segment)
    };
    // All zeros: an echo reply whose checksum is FFFF.
    let nothing = seal_alone(vec![0; 16], 2);
    let summing = udp::summing_to_zero(V6, PORTS);
    let zero = {
        let mut datagram = summing.clone();
        store(&mut datagram, 6, 0);
        datagram
    };
    // Data chosen so that the checksum is 0, as TCP may send it.
    let probe = Tcp { data: &[0, 0], ..Tcp::default() }.segment(V4);
    let filled = Tcp { data: &probe[16..18], ..Tcp::default() }.segment(V4);
    let filler = udp::datagram(V4, PORTS, &[0xaa; 24]);
    let filled_over = {
        let mut datagram = filler.clone();
        store(&mut datagram, 6, 0xaaaa);
        datagram
    };
    let chunk = sctp::data_chunk(DATA);
    let packet = sctp::packet(PORTS, &chunk);
    let mut reversed = packet.clone();
    reversed[8..12].reverse();
    vec![
        Case::of("zeroed", "TCP, zero", "tcp", V4.frame(6, &good), with_field(&good, [0, 0]))
            .because("zeroed"),
        Case::of(
            "not-complemented",
            "TCP, the sum for its complement",
            "tcp",
            V4.frame(6, &good),
            with_field(&good, [!good[16], !good[17]]),
        )
        .because("not-complemented"),
        Case::of(
            "filled",
            "UDP, a byte of the data over the field",
            "udp",
            V4.frame(17, &filler),
            V4.frame(17, &filled_over),
        )
        .because("filled"),
        Case::of(
            "no-pseudo-header",
            "TCP, summed without pseudo-header",
            "tcp",
            V4.frame(6, &good),
            V4.frame(6, &seal_alone(good.clone(), 16)),
        )
        .because("no-pseudo-header"),
        Case::of(
            "swapped-tcp",
            "TCP, bytes swapped",
            "tcp",
            V4.frame(6, &good),
            with_field(&good, [good[17], good[16]]),
        )
        .because("byte-swapped"),
        Case::of(
            "swapped-sctp",
            "SCTP, highest byte first",
            "sctp",
            V4.frame(132, &packet),
            V4.frame(132, &reversed),
        )
        .because("byte-swapped"),
        Case::of(
            "negative-zero",
            "ICMP, 0000 for FFFF",
            "icmp",
            V4.frame(1, &nothing),
            V4.frame(1, &[0; 16]),
        )
        .because("negative-zero"),
        Case::of(
            "negative-zero-udp6",
            "UDP over IPv6, 0000 for FFFF",
            "udp",
            V6.frame(17, &summing),
            V6.frame(17, &zero),
        )
        .verdict(Verdict::Illegal, Repair::Never),
        // Receivers cannot tell: with either zero all adds up to ones.
        Case {
            bad_verdicts: Vec::new(),
            repair: Repair::Never,
            ..Case::of(
                "positive-zero",
                "TCP, FFFF for 0000 (RFC 1141)",
                "tcp",
                V4.frame(6, &filled),
                with_field(&filled, [0xff; 2]),
            )
        },
    ]
}

fn wrong_cover() -> Vec<Case> {
    let short = Tcp { data: b"ab", ..Tcp::default() };
    let frame = padded(&V4.frame(6, &short.segment(V4)), 60);
    let padding = frame[14 + 20 + 22..].to_vec();
    // Summed to the end of the frame, with and without the padding in the length.
    let over = |counted: usize| {
        let mut segment = [&short.unsealed()[..], &padding].concat();
        let mut sum = V4.pseudo(6, counted);
        sum.update(&segment);
        store(&mut segment, 16, sum.value());
        padded(&V4.frame(6, &segment[..22]), 60)
    };
    let stop = [198, 51, 100, 9];
    let routed = |ends| {
        let segment = Tcp::default().segment(ends);
        ethernet::frame(
            0x0800,
            &ipv4::packet([A, B], 6, &ipv4::loose_source_route(4, stop), &segment),
        )
    };
    let Ends::V6(ends6) = V6 else { unreachable!("addresses of IPv6") };
    let mobile = |ends| {
        let options = ipv6::options(6, &ipv6::home_address(documentation(9)), &tcp::segment(ends));
        ethernet::frame(0x86dd, &ipv6::packet(ends6, 60, &options))
    };
    // The last byte of an odd number forgotten.
    let odd = {
        let mut message = udp::without_checksum(PORTS, DATA);
        let mut sum = V4.pseudo(17, message.len());
        sum.update(&message[..message.len() - 1]);
        store(&mut message, 6, sum.value());
        message
    };
    let whole = udp::datagram(V4, PORTS, DATA);
    vec![
        Case::of("padding-summed", "padding in the sum", "tcp", frame.clone(), over(22))
            .because("other-length"),
        Case::of("padding-counted", "padding in sum and length", "tcp", frame, over(26))
            .because("other-length"),
        Case::of(
            "odd-byte",
            "the odd last byte forgotten",
            "udp",
            V4.frame(17, &whole),
            V4.frame(17, &odd),
        )
        .because("other-length"),
        Case::of(
            "other-destination",
            "the next stop for the last",
            "tcp",
            routed(Ends::V4([A, stop])),
            routed(V4),
        )
        .because("other-destination"),
        Case::of(
            "care-of-address",
            "the care-of address for the home address",
            "tcp",
            mobile(Ends::V6([documentation(9), ends6[1]])),
            mobile(V6),
        )
        .because("other-destination"),
    ]
}

fn damage() -> Vec<Case> {
    let flip = |frame: &[u8], byte: usize, bit: u8| {
        let mut frame = frame.to_vec();
        frame[byte] ^= 1 << bit;
        frame
    };
    let segment = V4.frame(6, &tcp::segment(V4));
    let packet = V4.frame(132, &sctp::packet(PORTS, &sctp::data_chunk(DATA)));
    let stays = |case: Case| Case { repair: Repair::Differs, ..case.because("flipped-bit") };
    // The reserved flag and another identification: no sender makes such a header.
    let mut forged = segment.clone();
    forged[18..21].copy_from_slice(&[0xde, 0xad, 0xc0]);
    // The UDP header counts fewer bytes than the IPv4 header.
    let datagram = V4.frame(17, &udp::datagram(V4, PORTS, DATA));
    let mut short = datagram.clone();
    short[38..40].copy_from_slice(&[0, 9]);
    // The window, the checksum and all up to the data, once more in the data.
    let mut repeated = segment.clone();
    repeated.copy_within(48..56, 60);
    let bytes = (0..).zip(segments([1234, 80])).map(|(part, segment)| {
        let good = V4.frame(6, &segment.segment(V4));
        let mut bad = good.clone();
        let byte = &mut bad[60 + usize::from(part)];
        *byte = byte.wrapping_add(0x35 + 2 * part);
        (good, bad)
    });
    vec![
        Case {
            repair: Repair::Differs,
            ..several("changed-byte", "TCP, a byte of each packet changed", "tcp", bytes)
        }
        .because("changed-byte"),
        Case {
            repair: Repair::Differs,
            ..Case::of("contradiction", "IPv4 header overwritten", "ip", segment.clone(), forged)
        }
        .because("contradiction"),
        Case {
            repair: Repair::Differs,
            ..Case::of("contradiction-udp", "UDP length changed", "udp", datagram, short)
        }
        .because("contradiction"),
        Case {
            repair: Repair::Differs,
            ..Case::of("repeated", "TCP header copied over data", "tcp", segment.clone(), repeated)
        }
        .because("repeated"),
        stays(Case::of(
            "flip-tcp",
            "TCP, one bit of the data flipped",
            "tcp",
            segment.clone(),
            flip(&segment, 60, 3),
        )),
        Case::of(
            "flip-tcp-field",
            "TCP, one bit of the checksum flipped",
            "tcp",
            segment.clone(),
            flip(&segment, 50, 6),
        )
        .because("flipped-bit"),
        stays(Case::of(
            "flip-sctp",
            "SCTP, one bit of the data flipped",
            "sctp",
            packet.clone(),
            flip(&packet, 70, 0),
        )),
        stays(Case::of(
            "flip-ip",
            "IPv4 header, one bit of the time to live flipped",
            "ip",
            segment.clone(),
            flip(&segment, 22, 2),
        )),
    ]
}

/// Returns cases of segments made from others without computing the checksum again: several, and
/// one beside the right one.
fn copies() -> Vec<Case> {
    let first = tcp::segment(V4);
    let pairs = segments([1234, 80]).into_iter().map(|segment| {
        let good = segment.segment(V4);
        let mut bad = good.clone();
        bad[16..18].copy_from_slice(&first[16..18]);
        (V4.frame(6, &good), V4.frame(6, &bad))
    });
    let title = "TCP, segments made from one";
    let pairs: Vec<_> = pairs.skip(1).collect();
    let (good, bad) = pairs[0].clone();
    let one = Case::of("copied-right", "TCP, a segment made from a right one", "tcp", good, bad)
        .after(&[V4.frame(6, &first)]);
    vec![several("copied", title, "tcp", pairs).because("copied"), one.because("copied")]
}

/// Returns cases of IPv4 headers that are whole in packets that are cut short: alone, and covered
/// by a checksum that cannot be computed.
fn cut_headers() -> Vec<Case> {
    let cut = Verdict::Unverifiable(Reason::Cut);
    let cut_to = |mut case: Case, length: usize| {
        for frames in [&mut case.good, &mut case.bad] {
            *frames = frames.drain(..).map(|frame| frame.cut(length)).collect();
        }
        case
    };
    let packet = V4.packet(6, &tcp::segment(V4));
    let alone = Case::spoiled(
        "cut-ip",
        "whole IPv4 header of a cut packet",
        "ip",
        ethernet::frame(0x0800, &packet),
        &packet,
        10..12,
    );
    let inner = INNER4.packet(6, &tcp::segment(INNER4));
    let tunnel = |inner: &[u8]| {
        let frame = vxlan::payload(&ethernet::frame(0x0800, inner));
        V4.frame(17, &udp::tunnel(V4, vxlan::PORT, true, &frame))
    };
    let title = "the same under a checksum that covers it";
    let covered = Case::over_bad("cut-ip-covered", title, "ip", &tunnel, &inner, 10..12);
    vec![
        cut_to(alone, 60).both("tcp", cut),
        Case { repair: Repair::Never, ..cut_to(covered, 110).both("udp", cut).both("tcp", cut) },
    ]
}
