//! Protocols at which a walk ends before the packet does: unparsed ones that may contain check
//! values.
//!
//! Application data is not counted, nor are protocols known to contain no check value (ARP, LLDP,
//! ...).

use std::fmt;

crate::named! {
    /// A registry of protocol numbers.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Numbering {
        /// Link types of capture files.
        LinkType = "link type",
        /// Address families, after the loopback header of BSD systems and Solaris's taps.
        AddressFamily = "address family",
        /// EtherTypes, and the smaller numbers that Linux uses in their place.
        EtherType = "EtherType",
        /// Service access points of IEEE 802.2, of the destination.
        Llc = "LLC service access point",
        /// SNAP: the number of an organization, then its own number of 16 bits.
        Snap = "SNAP protocol",
        /// Network layer protocol identifiers of OSI (ISO/IEC TR 9577).
        NetworkLayer = "OSI network layer protocol",
        /// Protocols of PPP.
        Ppp = "PPP protocol",
        /// IEEE 802.11: the flag because of which a data frame cannot be parsed.
        Wlan = "IEEE 802.11 frame flag",
        /// The first four bits where an IP packet is expected.
        IpVersion = "IP version",
        /// IP protocols.
        IpProtocol = "IP protocol",
        /// IP protocols of fragments whose first one was not captured.
        Fragments = "fragments without the first, IP protocol",
        /// Protocol types of GRE.
        Gre = "GRE protocol",
        /// The first four bits of an MPLS payload.
        Mpls = "MPLS payload beginning with",
        /// Next protocols of the network service header.
        Nsh = "NSH next protocol",
        /// Next protocols of VXLAN.
        Vxlan = "VXLAN next protocol",
        /// Protocols of GUE.
        Gue = "GUE protocol",
        /// CAPWAP and LWAPP, by numbers of this crate: 1 DTLS, 2 fragments, 3 another radio than
        /// IEEE 802.11.
        Capwap = "CAPWAP payload",
        /// UDP ports of tunnels.
        UdpPort = "UDP port",
        /// TCP ports of streams with check values.
        TcpPort = "TCP port",
        /// Too many nested headers.
        Depth = "headers nested deeper than",
    }
}

impl Numbering {
    /// Returns the number of hexadecimal digits of a value in its registry; `None` for decimal
    /// numbers.
    fn digits(self) -> Option<usize> {
        match self {
            Numbering::EtherType | Numbering::Ppp | Numbering::Gre => Some(4),
            Numbering::Llc | Numbering::NetworkLayer | Numbering::Wlan => Some(2),
            Numbering::Mpls => Some(1),
            _ => None,
        }
    }
}

/// A protocol that was not followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Unfollowed {
    /// Registry of the number.
    pub numbering: Numbering,
    /// Number of the protocol. For SNAP, the number of the organization shifted left by 16 bits,
    /// and its own.
    pub value: u64,
}

impl Unfollowed {
    /// Returns the protocol with this number, unless it is known to contain no check value, nor a
    /// protocol that might.
    #[must_use]
    pub fn new(numbering: Numbering, value: u64) -> Option<Self> {
        let is_plain = match numbering {
            Numbering::EtherType => is_plain_ether_type(value),
            // Keepalives have 0; 9000 is a protocol of Aruba here.
            Numbering::Gre => value == 0 || value != 0x9000 && is_plain_ether_type(value),
            // Null, management, SNA, spanning tree, EIA RS-511, NetBIOS, LAN management; and
            // protocols that are parsed, but in frames without data.
            Numbering::Llc => matches!(
                value,
                0 | 2 | 3 | 4 | 5 | 8 | 0x0c | 6 | 0x42 | 0x4e | 0xaa | 0xf0 | 0xf4 | 0xfe
            ),
            // Cisco's protocols (spanning tree, VTP, DTP, PAgP, CGMP), and the spanning tree of
            // bridges.
            Numbering::Snap => matches!(
                value,
                0x0c_0104
                    | 0x0c_010b
                    | 0x0c_010c
                    | 0x0c_0115
                    | 0x0c_2001
                    | 0x0c_2003
                    | 0x0c_2004
                    | 0x0c_200a
                    | 0x80c2_000e
            ),
            // The null layer, and Q.933.
            Numbering::NetworkLayer => matches!(value, 0 | 8),
            // Padding, spanning tree, and control protocols.
            Numbering::Ppp => matches!(value, 1 | 0x0201 | 0x8000..=0xffff),
            // No next header.
            Numbering::IpProtocol => value == 59,
            _ => false,
        };
        (!is_plain).then_some(Unfollowed { numbering, value })
    }

    /// Returns the name of the protocol, if known.
    #[must_use]
    pub fn name(self) -> Option<&'static str> {
        match self.numbering {
            Numbering::LinkType => link_type(self.value),
            Numbering::EtherType => ether_type(self.value),
            Numbering::Gre => match self.value {
                0x9000 => Some("Aruba"),
                value => ether_type(value),
            },
            Numbering::Llc => match self.value {
                0x7e => Some("X.25 packet layer"),
                0xbc => Some("Banyan VINES"),
                0xe0 => Some("IPX"),
                0xff => Some("IPX without LLC"),
                _ => None,
            },
            Numbering::Snap => match self.value {
                0x0c_0111 => Some("unidirectional link detection"),
                0x0008_0007_809b => Some("AppleTalk"),
                0x80c2_0002 | 0x80c2_0008 => Some("bridged Token Bus"),
                0x80c2_0003 | 0x80c2_0009 => Some("bridged Token Ring"),
                0x80c2_0004 | 0x80c2_000a => Some("bridged FDDI"),
                0xe02b_00bb => Some("Extreme discovery"),
                _ => None,
            },
            Numbering::NetworkLayer => match self.value {
                0xb0 => Some("compressed"),
                0xb1 => Some("Frame Relay fragment"),
                0xcf => Some("PPP"),
                _ => None,
            },
            Numbering::Ppp => match self.value {
                0x0029 => Some("AppleTalk"),
                0x002b => Some("IPX"),
                0x002d => Some("TCP/IP with compressed headers"),
                0x002f => Some("TCP/IP before compressed headers"),
                0x0031 => Some("bridging"),
                0x003d => Some("multilink"),
                0x0053 => Some("encrypted"),
                0x00fb | 0x00fd => Some("compressed or encrypted"),
                _ => None,
            },
            Numbering::Wlan => match self.value {
                0x40 => Some("protected: encrypted"),
                _ => None,
            },
            Numbering::IpProtocol | Numbering::Fragments | Numbering::Gue => {
                ip_protocol(self.value)
            }
            Numbering::UdpPort => match self.value {
                1153 => Some("ANSI C12.22"),
                1701 => Some("L2TP version 3"),
                2268 => Some("AMT"),
                4342 => Some("LISP control, signed"),
                4500 => Some("ESP: encrypted"),
                4713 => Some("synchrophasor (IEEE C37.118)"),
                5050 => Some("Ether-S-Bus"),
                6080 => Some("GUE"),
                6081 => Some("Geneve"),
                37008 => Some("TZSP"),
                51820 => Some("WireGuard: encrypted"),
                _ => None,
            },
            Numbering::Capwap => match self.value {
                1 => Some("DTLS: encrypted"),
                2 => Some("fragment"),
                3 => Some("radio other than IEEE 802.11"),
                _ => None,
            },
            Numbering::TcpPort => match self.value {
                1153 => Some("ANSI C12.22"),
                4712 => Some("synchrophasor (IEEE C37.118)"),
                860 | 3260 => Some("iSCSI, beginning not captured"),
                3478 => Some("STUN, across segments"),
                4420 | 8009 => Some("NVMe/TCP, beginning not captured"),
                20000 => Some("DNP3, within a frame"),
                _ => None,
            },
            Numbering::AddressFamily
            | Numbering::IpVersion
            | Numbering::Mpls
            | Numbering::Nsh
            | Numbering::Vxlan
            | Numbering::Depth => None,
        }
    }
}

impl fmt::Display for Unfollowed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Unfollowed { numbering, value } = *self;
        write!(f, "{} ", numbering.name())?;
        match numbering.digits() {
            Some(digits) => write!(f, "{value:0digits$X}")?,
            None if numbering == Numbering::Snap => {
                write!(f, "{:06X} {:04X}", value >> 16, value & 0xffff)?;
            }
            None => write!(f, "{value}")?,
        }
        match self.name() {
            Some(name) => write!(f, " ({name})"),
            None => Ok(()),
        }
    }
}

fn link_type(value: u64) -> Option<&'static str> {
    Some(match value {
        8 => "SLIP",
        106 => "Linux ATM",
        117 => "OpenBSD packet filter log",
        122 => "IP over Fibre Channel",
        123 => "SunATM",
        129 => "ARCNET",
        138 => "IP over IEEE 1394",
        132 | 133 | 134 | 135 | 137 | 164 => "Juniper",
        143 => "DOCSIS",
        147..=162 => "private use",
        165 => "BACnet MS/TP",
        166 => "PPP with direction",
        177 => "LAPD",
        178 => "Juniper Ethernet",
        182 => "multilink Frame Relay",
        187 | 201 => "Bluetooth HCI",
        189 | 220 | 249 | 266 => "USB",
        195 | 215 | 230 | 283 => "IEEE 802.15.4",
        197 => "ERF",
        204 => "PPP with direction",
        224 | 225 => "Fibre Channel",
        227 => "SocketCAN",
        231 => "D-Bus",
        240 | 241 => "netANALYZER",
        251 => "Bluetooth Low Energy",
        252 => "upper PDU",
        253 => "netlink",
        254 => "Bluetooth monitor",
        271 => "vsock",
        0x0100_0000..=0x01ff_ffff => "snoop's own number",
        _ => return None,
    })
}

/// Returns whether an EtherType is a protocol without check values, and without content that may
/// have any.
fn is_plain_ether_type(value: u64) -> bool {
    matches!(
        value,
        0x0806 // ARP
            | 0x0808 // Frame Relay ARP
            | 0x0842 // wake on LAN
            | 0x22ea // SRP
            | 0x22f0 // audio and video (IEEE 1722)
            | 0x6001..=0x6004 // DEC: MOP, DECnet, LAT
            | 0x8035 // reverse ARP, and Cisco's SLARP
            | 0x80f3 // AppleTalk ARP
            | 0x8808 // pause frames
            | 0x8809 // LACP and other slow protocols
            | 0x8863 // PPPoE discovery
            | 0x886f // Microsoft's load balancing
            | 0x887b // HomePlug
            | 0x888e // IEEE 802.1X
            | 0x8892 // PROFINET
            | 0x8899 // Realtek's loop detection
            | 0x889a // HyperSCSI
            | 0x88a2 // ATA over Ethernet
            | 0x88a4 // EtherCAT
            | 0x88ca // TIPC
            | 0x88b8..=0x88ba // GOOSE, GSE, sampled values
            | 0x88cc // LLDP
            | 0x88e1 // HomePlug AV
            | 0x88e3 // media redundancy
            | 0x88f5..=0x88f7 // MVRP, MMRP, PTP
            | 0x88fb // parallel redundancy's supervision
            | 0x890d // fast roaming, TDLS
            | 0x8914 // FCoE's initialization
            | 0x893a // IEEE 1905.1
            | 0x9000 // configuration test
            | 0x9003 // Cisco's loop detection
    )
}

fn ether_type(value: u64) -> Option<&'static str> {
    Some(match value {
        1 => "IPX without LLC",
        0x0bad => "Banyan VINES",
        0x22f3 => "TRILL",
        0x6559 => "Frame Relay",
        0x809b => "AppleTalk",
        0x8137 => "IPX",
        0x876b => "TCP/IP with compressed headers",
        0x88cd => "SERCOS III",
        0x88e5 => "MACsec: encrypted",
        0x8902 => "connectivity fault management",
        0x8906 => "FCoE",
        0x8915 => "RoCE version 1",
        0x8947 => "GeoNetworking",
        0xd28b => "Arista timestamp",
        _ => return None,
    })
}

fn ip_protocol(value: u64) -> Option<&'static str> {
    Some(match value {
        0 => "hop-by-hop options",
        1 => "ICMP",
        2 => "IGMP",
        3 => "GGP",
        6 => "TCP",
        8 => "EGP",
        9 => "IGP",
        17 => "UDP",
        27 => "RDP",
        29 => "ISO-TP4",
        43 => "routing header",
        44 => "fragment",
        46 => "RSVP",
        47 => "GRE",
        50 => "ESP: encrypted",
        55 => "minimal encapsulation",
        58 => "ICMPv6",
        60 => "destination options",
        83 => "Banyan VINES",
        89 => "OSPF",
        94 => "KA9Q IP in IP",
        97 => "EtherIP",
        108 => "compressed",
        111 => "IPX in IP",
        113 => "PGM",
        115 => "L2TP version 3",
        123 => "PTP",
        124 => "IS-IS over IPv4",
        132 => "SCTP",
        139 => "HIP",
        140 => "Shim6",
        _ => return None,
    })
}
