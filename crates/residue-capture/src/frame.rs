//! The frames of a block of the ring (`TPACKET_V3`), with the headers that the kernel keeps apart
//! put back: VLAN tags, and a link header for interfaces without a common one.

#[cfg(test)]
mod tests;

use crate::live::Evidence;
use residue_net::pcap::LinkType;
use std::mem::{offset_of, size_of};
use std::ops::Range;

/// Length of a VLAN tag.
const TAG: usize = 4;
/// Length of the "cooked" header, `LINKTYPE_LINUX_SLL`.
const COOKED: usize = 16;
/// Room before each packet for both.
pub(crate) const ROOM: usize = TAG + COOKED;

/// Offset in a block of the header of its contents.
const BLOCK: usize = offset_of!(libc::tpacket_block_desc, hdr);
/// Offset of the address that follows a packet's header.
const ADDRESS: usize = size_of::<libc::tpacket3_hdr>().next_multiple_of(libc::TPACKET_ALIGNMENT);

/// `ARPHRD_RAWIP`.
const RAW_IP: u16 = 519;

/// How the packets of a capture begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Link {
    /// With the link header of the interface.
    Own(LinkType),
    /// With the network header; the frame gets a "cooked" header.
    Cooked,
}

impl Link {
    /// Returns the link of an interface by its type of hardware.
    pub fn of_hardware(hardware: u32) -> Link {
        match u16::try_from(hardware) {
            Ok(libc::ARPHRD_ETHER | libc::ARPHRD_LOOPBACK) => Link::Own(LinkType::ETHERNET),
            // Tunnels whose packets begin with an IP header.
            Ok(libc::ARPHRD_NONE | RAW_IP) => Link::Own(LinkType::RAW),
            Ok(libc::ARPHRD_IEEE80211) => Link::Own(LinkType(105)),
            Ok(libc::ARPHRD_IEEE80211_RADIOTAP) => Link::Own(LinkType(127)),
            _ => Link::Cooked,
        }
    }

    /// Returns the type of the first header of its frames.
    pub fn kind(self) -> LinkType {
        match self {
            Link::Own(kind) => kind,
            Link::Cooked => LinkType::LINUX_SLL,
        }
    }

    /// Returns the offset of the EtherType, before which a VLAN tag belongs.
    fn ether_type(self) -> Option<usize> {
        match self {
            Link::Own(LinkType::ETHERNET) => Some(12),
            Link::Own(_) => None,
            Link::Cooked => Some(COOKED - 2),
        }
    }
}

/// A frame of an interface.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    /// Captured bytes, from the link header on.
    pub bytes: &'a [u8],
    /// Length of the frame on the interface.
    pub wire_length: u32,
    /// Time in nanoseconds since 1970.
    pub time: u64,
    /// What the kernel knows about its transport checksum.
    pub evidence: Evidence,
    /// Whether this host sends it.
    pub outgoing: bool,
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_ne_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_ne_bytes(*bytes.get(at..)?.first_chunk()?))
}

/// The packets of a block.
pub(crate) struct Packets<'a> {
    block: &'a mut [u8],
    link: Link,
    /// Offset of the header of the next packet.
    next: usize,
    left: usize,
}

impl<'a> Packets<'a> {
    /// Returns the packets of a block that belongs to this process.
    pub fn of(block: &'a mut [u8], link: Link) -> Packets<'a> {
        let count = BLOCK + offset_of!(libc::tpacket_hdr_v1, num_pkts);
        let first = BLOCK + offset_of!(libc::tpacket_hdr_v1, offset_to_first_pkt);
        // No more than fit, whatever the count.
        let most = block.len() / size_of::<libc::tpacket3_hdr>();
        let left = (u32_at(block, count).unwrap_or(0) as usize).min(most);
        let next = u32_at(block, first).unwrap_or(0) as usize;
        Packets { block, link, next, left }
    }

    /// Returns the next frame. Packets that the loopback device shows on their way out are left
    /// out: they come in again.
    pub fn next(&mut self) -> Option<Frame<'_>> {
        loop {
            let raw = self.raw()?;
            if raw.looped {
                continue;
            }
            let bytes = self.whole(&raw)?;
            let added = bytes.len() - raw.bytes.len();
            let wire_length = raw.wire_length.saturating_add(added as u32);
            let Raw { time, evidence, outgoing, .. } = raw;
            let bytes = &self.block[bytes];
            return Some(Frame { bytes, wire_length, time, evidence, outgoing });
        }
    }

    /// Returns the number of packets that [`Packets::next`] would return.
    pub fn count(mut self) -> u64 {
        let mut count = 0;
        while let Some(raw) = self.raw() {
            count += u64::from(!raw.looped);
        }
        count
    }

    /// Reads the headers of the next packet.
    fn raw(&mut self) -> Option<Raw> {
        if self.left == 0 {
            return None;
        }
        let place = self.next;
        let head = self.block.get(place..)?;
        self.left -= 1;
        let word = |at| u32_at(head, at);
        let next = word(offset_of!(libc::tpacket3_hdr, tp_next_offset))? as usize;
        self.next = place.saturating_add(next);
        let start = usize::from(u16_at(head, offset_of!(libc::tpacket3_hdr, tp_mac))?) + place;
        let length = word(offset_of!(libc::tpacket3_hdr, tp_snaplen))? as usize;
        let bytes = start..start.checked_add(length)?;
        self.block.get(bytes.clone())?;
        let seconds = u64::from(word(offset_of!(libc::tpacket3_hdr, tp_sec))?);
        let status = word(offset_of!(libc::tpacket3_hdr, tp_status))?;
        let variant = offset_of!(libc::tpacket3_hdr, hv1);
        let tci = word(variant + offset_of!(libc::tpacket_hdr_variant1, tp_vlan_tci))?;
        let tpid = u16_at(head, variant + offset_of!(libc::tpacket_hdr_variant1, tp_vlan_tpid))?;
        let address = head.get(ADDRESS..)?;
        let hardware = u16_at(address, offset_of!(libc::sockaddr_ll, sll_hatype))?;
        let outgoing =
            address.get(offset_of!(libc::sockaddr_ll, sll_pkttype)) == Some(&libc::PACKET_OUTGOING);
        Some(Raw {
            place,
            bytes,
            wire_length: word(offset_of!(libc::tpacket3_hdr, tp_len))?,
            time: seconds * 1_000_000_000
                + u64::from(word(offset_of!(libc::tpacket3_hdr, tp_nsec))?),
            evidence: evidence(status),
            tag: tag(status, tpid, tci as u16),
            outgoing,
            looped: outgoing && hardware == libc::ARPHRD_LOOPBACK,
        })
    }

    /// Puts the missing headers before the bytes of a packet; returns the place of all of them.
    fn whole(&mut self, raw: &Raw) -> Option<Range<usize>> {
        let mut bytes = raw.bytes.clone();
        if self.link == Link::Cooked {
            let header = self.cooked(raw.place)?;
            bytes.start = bytes.start.checked_sub(COOKED)?;
            self.block.get_mut(bytes.start..)?.first_chunk_mut().map(|place| *place = header)?;
        }
        if let (Some(tag), Some(at)) = (raw.tag, self.link.ether_type())
            && bytes.len() >= at
        {
            let start = bytes.start.checked_sub(TAG)?;
            self.block.copy_within(bytes.start..bytes.start + at, start);
            self.block.get_mut(start + at..)?.first_chunk_mut().map(|place| *place = tag)?;
            bytes.start = start;
        }
        Some(bytes)
    }

    /// Returns the "cooked" header of the packet whose headers are at `place`: its kind, the type
    /// of hardware, the sender's link address with its length, the protocol.
    fn cooked(&self, place: usize) -> Option<[u8; COOKED]> {
        let address = self.block.get(place + ADDRESS..)?;
        let at = |field: usize| address.get(field).copied();
        let mut header = [0; COOKED];
        header[1] = at(offset_of!(libc::sockaddr_ll, sll_pkttype))?;
        let hardware = u16_at(address, offset_of!(libc::sockaddr_ll, sll_hatype))?;
        header[2..4].copy_from_slice(&hardware.to_be_bytes());
        header[5] = at(offset_of!(libc::sockaddr_ll, sll_halen))?.min(8);
        let link = address.get(offset_of!(libc::sockaddr_ll, sll_addr)..)?;
        header[6..14].copy_from_slice(link.first_chunk::<8>()?);
        // Big-endian already.
        let protocol = address.get(offset_of!(libc::sockaddr_ll, sll_protocol)..)?;
        header[14..].copy_from_slice(protocol.first_chunk::<2>()?);
        Some(header)
    }
}

/// A packet as the kernel describes it.
struct Raw {
    /// Offset of its headers in the block.
    place: usize,
    bytes: Range<usize>,
    wire_length: u32,
    time: u64,
    evidence: Evidence,
    tag: Option<[u8; TAG]>,
    outgoing: bool,
    looped: bool,
}

fn evidence(status: u32) -> Evidence {
    if status & libc::TP_STATUS_CSUMNOTREADY != 0 {
        Evidence::Incomplete
    } else if status & libc::TP_STATUS_CSUM_VALID != 0 {
        Evidence::Checked
    } else {
        Evidence::Complete
    }
}

/// Returns the VLAN tag that the network card removed: the type, 8100 unless stated, and the
/// control information.
fn tag(status: u32, tpid: u16, tci: u16) -> Option<[u8; TAG]> {
    if status & libc::TP_STATUS_VLAN_VALID == 0 {
        return None;
    }
    let stated = status & libc::TP_STATUS_VLAN_TPID_VALID != 0;
    let [a, b] = if stated { tpid } else { libc::ETH_P_8021Q as u16 }.to_be_bytes();
    let [c, d] = tci.to_be_bytes();
    Some([a, b, c, d])
}
