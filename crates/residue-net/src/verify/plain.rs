//! Plain packets, which are judged in one step: IP without options, in it TCP or UDP, and nothing
//! else to verify or to remember. Nearly all packets of most captures are.
//!
//! What makes a packet plain is said beside the walk of each protocol (`plain`, `is_plain`). In
//! doubt a packet is not plain, and is walked through.

use crate::check::{Protocol, Verdict};
use crate::pcap::{LinkType, Packet};
use crate::summary::Protocols;
use crate::wire::ip::Plain;
use crate::wire::{ipv4, ipv6, tcp, udp};

/// A plain packet all of whose values are right: an IPv4 header, if it has one, and one of TCP or
/// UDP.
pub(super) struct Right<'a> {
    is_v4: bool,
    is_tcp: bool,
    /// Source and destination address.
    pub addresses: [&'a [u8]; 2],
}

impl<'a> Right<'a> {
    /// Returns what a packet holds, if it is plain and right. `allows_tcp` says whether TCP
    /// segments may be plain: they are not if something is known of connections.
    #[inline]
    pub fn of(packet: &Packet<'a>, allows_tcp: bool) -> Option<Self> {
        let bytes = packet.bytes;
        if packet.fcs.is_some() || packet.wire_length as usize > bytes.len() {
            return None;
        }
        let (ether_type, inner) = network(packet.link, bytes)?;
        let (is_v4, ip) = match ether_type {
            IPV4 => (true, ipv4::plain(inner)?),
            IPV6 => (false, ipv6::plain(inner)?),
            _ => return None,
        };
        let Plain { bytes, addresses, protocol } = ip;
        let (addresses, payload) = bytes.split_at_checked(addresses)?;
        let length = match protocol {
            6 if allows_tcp && tcp::is_plain(payload) => payload.len(),
            17 => udp::plain(payload)?,
            _ => return None,
        };
        // The rest of the pseudo-header consists of protocol and length, which are not both 0: the
        // sum is right if it is a multiple of FFFF.
        let sum = !residue::internet::checksum(bytes.get(..addresses.len() + length)?);
        if !(u64::from(sum) + u64::from(protocol) + length as u64).is_multiple_of(0xffff) {
            return None;
        }
        let (source, destination) = addresses.split_at_checked(addresses.len() / 2)?;
        Some(Right { is_v4, is_tcp: protocol == 6, addresses: [source, destination] })
    }
}

const IPV4: u16 = 0x0800;
const IPV6: u16 = 0x86dd;
const VLAN: u16 = 0x8100;

/// Returns the EtherType of a frame without tags, or with one of a VLAN, and the bytes behind it.
#[inline]
fn network(link: LinkType, frame: &[u8]) -> Option<(u16, &[u8])> {
    if link != LinkType::ETHERNET {
        return None;
    }
    let (header, rest) = frame.split_first_chunk::<14>()?;
    match u16::from_be_bytes([header[12], header[13]]) {
        VLAN => {
            let (tag, rest) = rest.split_first_chunk::<4>()?;
            Some((u16::from_be_bytes([tag[2], tag[3]]), rest))
        }
        ether_type => Some((ether_type, rest)),
    }
}

/// Numbers of right values in plain packets.
#[derive(Default)]
pub(super) struct Numbers {
    /// By version of IP and protocol: IPv6 or IPv4, UDP or TCP.
    packets: [[u64; 2]; 2],
}

impl Numbers {
    /// Counts the values of a packet.
    #[inline]
    pub fn add(&mut self, packet: &Right<'_>) {
        self.packets[usize::from(packet.is_v4)][usize::from(packet.is_tcp)] += 1;
    }

    /// Moves the numbers to others.
    pub fn flush(&mut self, counts: &mut Protocols) {
        let [[udp6, tcp6], [udp4, tcp4]] = std::mem::take(self).packets;
        let all: [(&'static Protocol, u64); 3] =
            [(&ipv4::HEADER, udp4 + tcp4), (&tcp::TCP, tcp4 + tcp6), (&udp::UDP, udp4 + udp6)];
        for (protocol, number) in all.into_iter().filter(|(_, number)| *number > 0) {
            counts.add_many(protocol, Verdict::Good, number);
        }
    }
}

#[cfg(test)]
mod tests;
