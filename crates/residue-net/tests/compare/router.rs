//! A simulated router between two captures: it translates addresses, lowers the time to live,
//! delays, loses, duplicates and damages packets, and keeps account.

use residue_fixtures::ip::Ends;
use residue_net::pcap::LinkType;
use residue_net::pcap::write::{Header, Writer};
use residue_testing::Random;
use std::collections::{BTreeMap, BTreeSet};

/// A way to damage a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Harm {
    /// One bit, after the checksum was computed.
    Bit,
    /// One bit, before the checksum was computed.
    BitRecomputed,
    /// Two 16-bit words of the data swapped.
    Swap,
    /// Bit 5 of every byte at 21 modulo 64 from the IP header is 1; checksum computed later.
    Stuck,
    /// 32 bytes are zero; checksum computed later.
    Zeroed,
    /// 48 bytes repeat those 48 before them.
    Repeated,
}

pub const HARMS: [Harm; 6] =
    [Harm::Bit, Harm::BitRecomputed, Harm::Swap, Harm::Stuck, Harm::Zeroed, Harm::Repeated];

/// The kinds of traffic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Traffic {
    Tcp,
    Udp,
    UdpWithoutChecksum,
    Icmp,
}

/// A packet before it has addresses.
#[derive(Clone, Debug)]
pub struct Body {
    pub traffic: Traffic,
    pub ports: [u16; 2],
    pub sequence: u32,
    pub id: u16,
    pub data: Vec<u8>,
}

impl Body {
    /// Returns the IP packet: its checksums are right for the data.
    pub fn packet(&self, ends: Ends, ttl: u8) -> Vec<u8> {
        let [a, b] = self.ports.map(u16::to_be_bytes);
        let mut message = [a, b].concat();
        let (protocol, field) = match (self.traffic, ends) {
            (Traffic::Tcp, _) => {
                message.extend(self.sequence.to_be_bytes());
                message.extend([0, 0, 0, 9, 0x50, 0x18, 0x20, 0, 0, 0, 0, 0]);
                (6, Some(16))
            }
            (Traffic::Udp | Traffic::UdpWithoutChecksum, _) => {
                message.extend((8 + self.data.len() as u16).to_be_bytes());
                message.extend([0; 2]);
                (17, (self.traffic == Traffic::Udp).then_some(6))
            }
            (Traffic::Icmp, Ends::V4(_)) => {
                message = [&[8, 0, 0, 0], &a[..], &(self.sequence as u16).to_be_bytes()].concat();
                (1, Some(2))
            }
            (Traffic::Icmp, Ends::V6(_)) => {
                message = [&[128, 0, 0, 0], &a[..], &(self.sequence as u16).to_be_bytes()].concat();
                (58, Some(2))
            }
        };
        message.extend(&self.data);
        if let Some(field) = field {
            message = if protocol == 1 {
                residue_fixtures::ip::seal_alone(message, field)
            } else {
                residue_fixtures::ip::seal(message, ends, protocol, field)
            };
        }
        let mut packet = ends.packet(protocol, &message);
        if packet[0] >> 4 == 4 {
            packet[4..6].copy_from_slice(&self.id.to_be_bytes());
            packet[8] = ttl;
            packet[10..12].fill(0);
            let sum = residue::internet::checksum(&packet[..20]);
            packet[10..12].copy_from_slice(&sum.to_be_bytes());
        } else {
            packet[7] = ttl;
        }
        packet
    }

    /// Returns the offset of the data from the IP header.
    fn start(&self, ends: Ends) -> usize {
        let header = if matches!(ends, Ends::V4(_)) { 20 } else { 40 };
        header + if self.traffic == Traffic::Tcp { 20 } else { 8 }
    }
}

/// A captured packet: its time in nanoseconds, and its bytes from the IP header on.
pub type Captured = (u64, Vec<u8>);

/// Returns a capture of packets on a link: raw, or in Ethernet with a VLAN tag and these MACs.
pub fn capture(packets: &[Captured], mac: Option<u8>) -> Vec<u8> {
    let link = if mac.is_some() { LinkType::ETHERNET } else { LinkType::RAW };
    let mut writer = Writer::new(Vec::new(), Header::new(link)).unwrap();
    for (time, packet) in packets {
        let mut frame = Vec::new();
        if let Some(mac) = mac {
            frame.extend([mac; 12]);
            frame.extend([0x81, 0, 0, mac]);
            frame.extend(if packet[0] >> 4 == 4 { [8, 0] } else { [0x86, 0xdd] });
        }
        frame.extend(packet);
        writer.packet(*time, frame.len() as u32, &frame).unwrap();
    }
    writer.into_inner()
}

/// The traffic and the faults of a simulation.
#[derive(Clone, Debug)]
pub struct Plan {
    pub packets: usize,
    pub seed: u64,
    /// Kinds of traffic with the IP version.
    pub traffic: Vec<(Traffic, u8)>,
    /// Whether IPv4 addresses and ports are translated.
    pub nat: bool,
    /// One in so many packets is lost, duplicated, late, damaged; 0 for none.
    pub lost: usize,
    pub duplicated: usize,
    pub late: usize,
    pub damaged: usize,
    /// Difference of the clocks in nanoseconds.
    pub clock: u64,
}

impl Default for Plan {
    fn default() -> Self {
        Plan {
            packets: 10_000,
            seed: 1,
            traffic: vec![
                (Traffic::Tcp, 4),
                (Traffic::Udp, 4),
                (Traffic::UdpWithoutChecksum, 4),
                (Traffic::Icmp, 4),
                (Traffic::Tcp, 6),
                (Traffic::Udp, 6),
                (Traffic::Icmp, 6),
            ],
            nat: true,
            lost: 83,
            duplicated: 97,
            late: 71,
            // Of TCP and UDP with a checksum, so 1 in 100 of all.
            damaged: 57,
            clock: 0,
        }
    }
}

/// What the router did. Numbers are those of the packets in the first capture.
#[derive(Debug, Default)]
pub struct Account {
    pub captures: [Vec<Captured>; 2],
    pub lost: BTreeSet<u64>,
    pub duplicated: u64,
    pub reordered: u64,
    pub harmed: BTreeMap<u64, Harm>,
    pub translated: u64,
}

/// An arrival: time, order, flow, index when sent, packet.
type Arrival = (u64, usize, (usize, usize), usize, Vec<u8>);

/// Numbers of flows of each kind of traffic.
const FLOWS: usize = 5;
const START: u64 = 1_700_000_000_000_000_000;
const STEP: u64 = 1_000_000;

/// Runs a simulation. The first and the last packets are left alone.
pub fn run(plan: &Plan) -> Account {
    let mut random = Random(plan.seed);
    let mut account = Account::default();
    let mut sequences: BTreeMap<(usize, usize), u32> = BTreeMap::new();
    let mut arrivals: Vec<Arrival> = Vec::new();
    for index in 0..plan.packets {
        let number = index as u64 + 1;
        let kind = random.below(plan.traffic.len());
        let flow = (kind, random.below(FLOWS));
        let (traffic, version) = plan.traffic[kind];
        let sequence = sequences.entry(flow).or_insert(1000 * flow.1 as u32);
        let length = 200 + random.below(1200);
        let body = Body {
            traffic,
            ports: [20_000 + (kind * FLOWS + flow.1) as u16, 50_001],
            sequence: *sequence,
            id: 1 + (index % 65_535) as u16,
            // No zeros, so that a zeroed block differs in all its bytes.
            data: (0..length).map(|_| 1 + random.below(255) as u8).collect(),
        };
        *sequence += if traffic == Traffic::Icmp { 1 } else { length as u32 };
        let ends = ends(version, false);
        let time = START + index as u64 * STEP;
        account.captures[0].push((time, body.packet(ends, 64)));
        let is_inside = index > plan.packets / 50 && index < plan.packets - plan.packets / 50;
        let mut one_in = |count: usize| is_inside && count > 0 && random.below(count) == 0;
        let (lost, duplicated) = (one_in(plan.lost), one_in(plan.duplicated));
        let (late, damaged) = (one_in(plan.late), one_in(plan.damaged));
        if lost {
            account.lost.insert(number);
            continue;
        }
        let arrives = body.translated(plan.nat && version == 4);
        let ends = self::ends(version, plan.nat);
        account.translated += u64::from(plan.nat && version == 4);
        let checked = matches!(traffic, Traffic::Tcp | Traffic::Udp);
        let packet = if damaged && checked {
            let harm = HARMS[random.below(HARMS.len())];
            account.harmed.insert(number, harm);
            damage(&arrives, ends, harm, &mut random)
        } else {
            arrives.packet(ends, 63)
        };
        let delay = 2_000_000 + random.below(900_000) as u64 + if late { 40_000_000 } else { 0 };
        let arrival = time + delay + plan.clock;
        if duplicated {
            account.duplicated += 1;
            arrivals.push((arrival + 300_000, 1, flow, usize::MAX, packet.clone()));
        }
        arrivals.push((arrival, 0, flow, index, packet));
    }
    arrivals.sort();
    let mut greatest: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    for (time, _, flow, index, packet) in arrivals {
        account.captures[1].push((time, packet));
        if index != usize::MAX {
            let greatest = greatest.entry(flow).or_insert(index);
            account.reordered += u64::from(*greatest > index);
            *greatest = (*greatest).max(index);
        }
    }
    account
}

/// Returns the ends before or after translation.
fn ends(version: u8, outside: bool) -> Ends {
    match (version, outside) {
        (4, false) => Ends::V4([[10, 0, 0, 5], [198, 51, 100, 7]]),
        (4, true) => Ends::V4([[203, 0, 113, 1], [198, 51, 100, 7]]),
        _ => residue_fixtures::ip::V6,
    }
}

impl Body {
    fn translated(&self, translates: bool) -> Body {
        let [source, destination] = self.ports;
        let source = if translates { source.wrapping_mul(3).wrapping_add(7919) } else { source };
        Body { ports: [source, destination], ..self.clone() }
    }
}

/// Returns the packet with damage, its checksum computed before or after.
fn damage(body: &Body, ends: Ends, harm: Harm, random: &mut Random) -> Vec<u8> {
    let mut damaged = body.clone();
    let start = body.start(ends);
    let data = &mut damaged.data;
    let length = data.len();
    match harm {
        Harm::Bit | Harm::BitRecomputed => data[random.below(length)] ^= 1 << random.below(8),
        Harm::Swap => loop {
            let [a, b] = [random.below(length / 2) * 2, random.below(length / 2) * 2];
            if data[a] != data[b] && data[a + 1] != data[b + 1] && a != b {
                data.swap(a, b);
                data.swap(a + 1, b + 1);
                break;
            }
        },
        Harm::Stuck => {
            // With 200 bytes or more there are three places or more; if all have the bit already,
            // one loses it first, at both points.
            (0..length).filter(|at| (at + start) % 64 == 21).for_each(|at| data[at] |= 32);
        }
        Harm::Zeroed => {
            let at = random.below(length - 32);
            data[at..at + 32].fill(0);
        }
        Harm::Repeated => {
            let at = 48 + random.below(length - 96);
            data.copy_within(at - 48..at, at);
        }
    }
    let mut packet = damaged.packet(ends, 63);
    if matches!(harm, Harm::Bit | Harm::Swap | Harm::Repeated) {
        let good = body.packet(ends, 63);
        let header = if matches!(ends, Ends::V4(_)) { 20 } else { 40 };
        let field = header + if body.traffic == Traffic::Tcp { 16 } else { 6 };
        packet[field..field + 2].copy_from_slice(&good[field..field + 2]);
    }
    packet
}
