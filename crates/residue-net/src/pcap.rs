//! Captures: pcap and pcapng, read record by record.

/// One captured packet.
#[derive(Clone, Copy, Debug)]
pub struct Packet<'a> {
    /// Its place among the packets of the capture, from 1.
    pub number: u64,
    /// Where its bytes begin in the file (decompressed, if it was compressed).
    pub offset: u64,
    /// What its first header is.
    pub link: LinkType,
    /// The bytes captured.
    pub bytes: &'a [u8],
    /// The packet's length on the wire, in bytes: more than `bytes` has if the capture cut it.
    pub wire_length: u32,
    /// The length of the frame check sequence at the packet's end, in bytes, where the file says one is there.
    pub fcs: Option<u8>,
    /// When it was captured, in nanoseconds since 1970.
    pub time: Option<u64>,
}

/// A link-layer header type, as numbered by <https://www.tcpdump.org/linktypes.html>.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LinkType(pub u32);

impl LinkType {
    /// Ethernet.
    pub const ETHERNET: LinkType = LinkType(1);
    /// An address family in the capturing host's byte order, then its packet.
    pub const NULL: LinkType = LinkType(0);
    /// The same with the family in network byte order.
    pub const LOOP: LinkType = LinkType(108);
    /// PPP, with or without HDLC's address and control bytes.
    pub const PPP: LinkType = LinkType(9);
    /// PPP in HDLC framing, address and control bytes first.
    pub const PPP_HDLC: LinkType = LinkType(50);
    /// IPv4 or IPv6, told by the version.
    pub const RAW: LinkType = LinkType(101);
    /// Linux "cooked" header.
    pub const LINUX_SLL: LinkType = LinkType(113);
    /// Linux "cooked" header, version 2.
    pub const LINUX_SLL2: LinkType = LinkType(276);
    /// IPv4.
    pub const IPV4: LinkType = LinkType(228);
    /// IPv6.
    pub const IPV6: LinkType = LinkType(229);
}
