//! What files of all formats have: packets, and numbers in a byte order.

/// A captured packet.
#[derive(Clone, Copy, Debug)]
pub struct Packet<'a> {
    /// Number of the packet in the capture, from 1.
    pub number: u64,
    /// Offset of its bytes in the (decompressed) file.
    pub offset: u64,
    /// Type of its first header.
    pub link: LinkType,
    /// Captured bytes.
    pub bytes: &'a [u8],
    /// Length of the packet on the wire in bytes: more than `bytes` has if it was cut. From the
    /// file, which may be wrong.
    pub wire_length: u32,
    /// Length of the frame check sequence at the end of the packet in bytes, if the file states
    /// that there is one.
    pub fcs: Option<u8>,
    /// Time of capture in nanoseconds since 1970, limited to the largest possible value.
    pub time: Option<u64>,
}

/// A link-layer header type, as numbered by <https://www.tcpdump.org/linktypes.html>.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LinkType(pub u32);

impl LinkType {
    /// Ethernet.
    pub const ETHERNET: LinkType = LinkType(1);
    /// BSD loopback: an address family in the byte order of the capturing host, then a packet.
    pub const NULL: LinkType = LinkType(0);
    /// BSD loopback with the family in network byte order.
    pub const LOOP: LinkType = LinkType(108);
    /// PPP, with or without HDLC's address and control bytes.
    pub const PPP: LinkType = LinkType(9);
    /// PPP in HDLC framing, address and control bytes first.
    pub const PPP_HDLC: LinkType = LinkType(50);
    /// IPv4 or IPv6, by the version field.
    pub const RAW: LinkType = LinkType(101);
    /// Linux "cooked" header.
    pub const LINUX_SLL: LinkType = LinkType(113);
    /// Linux "cooked" header, version 2.
    pub const LINUX_SLL2: LinkType = LinkType(276);
    /// IPv4.
    pub const IPV4: LinkType = LinkType(228);
    /// IPv6.
    pub const IPV6: LinkType = LinkType(229);

    /// Returns the largest size of a packet in bytes, as in libpcap. Messages of some software are
    /// longer than packets of any network.
    #[inline]
    pub(crate) fn longest(self) -> u32 {
        match self.0 {
            // USB of four systems, D-Bus, and the Elektrobit bus format.
            189 | 220 | 249 | 266 | 231 | 279 => 128 << 20,
            _ => 256 << 10,
        }
    }
}

/// The byte order of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ByteOrder {
    /// Least significant first.
    Little,
    /// Most significant first.
    Big,
}

/// Functions that read a number at an offset; 0 where there are too few bytes.
macro_rules! numbers {
    ($($number:ident)*) => {
        impl ByteOrder {
            $(
                #[inline]
                pub(crate) fn $number(self, bytes: &[u8], place: usize) -> $number {
                    // By an array: a copy of a slice may be a call.
                    let number = bytes.get(place..).and_then(|bytes| bytes.first_chunk());
                    let number = number.copied().unwrap_or_default();
                    match self {
                        ByteOrder::Little => $number::from_le_bytes(number),
                        ByteOrder::Big => $number::from_be_bytes(number),
                    }
                }
            )*
        }
    };
}
numbers!(u16 u32 u64);

crate::named! {
    /// A format of captures.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum Format {
        /// pcap, time stamps in microseconds.
        Pcap = "pcap",
        /// pcap, time stamps in nanoseconds.
        PcapNanoseconds = "pcap with nanoseconds",
        /// pcap with A. Kuznetzov's longer record headers.
        PcapModified = "modified pcap",
        /// pcap of Red Hat 6.1: as [`Format::PcapModified`], under the ordinary magic number.
        PcapRedHat = "pcap of Red Hat 6.1",
        /// pcap of SuSE 6.3, with even longer record headers.
        PcapSuse = "pcap of SuSE 6.3",
        /// pcap of Nokia's firewalls.
        PcapNokia = "Nokia pcap",
        /// pcap of AIX.
        PcapAix = "AIX pcap",
        /// pcap of Ixia's testers.
        PcapIxia = "Ixia pcap",
        /// snoop of Solaris (RFC 1761).
        Snoop = "snoop",
        /// snoop of Shomiti's (later Finisar's) analysers.
        Shomiti = "Shomiti snoop",
        /// pcapng.
        PcapNg = "pcapng",
    }
}

/// A packet whose bytes are still in the window, as the formats return it.
#[derive(Clone, Copy)]
pub struct Record {
    pub start: usize,
    pub length: usize,
    pub offset: u64,
    pub link: LinkType,
    pub wire_length: u32,
    pub fcs: Option<u8>,
    pub time: Option<u64>,
}

/// The next item of a file.
pub enum Next {
    Packet(Record),
    /// An item without a packet.
    Passed,
    End,
}
