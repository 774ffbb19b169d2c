//! The primitives of filters, and whether they hold.

use crate::check::Span;
use crate::frame::{Found, Header};

/// The direction of an address or a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    Source,
    Destination,
    Either,
    Both,
}

impl Way {
    /// Returns whether a source and a destination hold.
    fn of<T>(self, ends: &[T; 2], mut holds: impl FnMut(&T) -> bool) -> bool {
        let [source, destination] = ends;
        match self {
            Way::Source => holds(source),
            Way::Destination => holds(destination),
            Way::Either => holds(source) || holds(destination),
            Way::Both => holds(source) && holds(destination),
        }
    }
}

/// Addresses with equal bits where the mask has ones. All are of 4 bytes, or all of 16.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Net {
    pub address: Vec<u8>,
    pub mask: Vec<u8>,
}

impl Net {
    fn has(&self, address: &[u8]) -> bool {
        address.len() == self.address.len()
            && address.iter().zip(&self.mask).zip(&self.address).all(|((a, m), b)| a & m == b & m)
    }
}

/// A primitive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Primitive {
    /// An address of IP, of ARP, or of either.
    Address { way: Way, net: Net, in_ip: bool, in_arp: bool },
    /// An address of Ethernet.
    Ethernet { way: Way, address: [u8; 6] },
    /// A port in a range.
    Port { way: Way, protocols: Vec<u8>, range: [u16; 2] },
    /// A payload of IP, of version 4 or 6, or of either (0).
    Protocol { version: u8, number: u8 },
    /// An IP header of version 4 or 6.
    Ip { version: u8 },
    /// An EtherType.
    EtherType(u16),
    /// A VLAN tag, with this number if there is one.
    Vlan(Option<u16>),
    /// An Ethernet destination of all ones, or of a group.
    EthernetGroup { is_broadcast: bool },
    /// An IP destination of a group.
    Multicast { version: u8 },
    /// At most so many bytes.
    Less(u32),
    /// At least so many bytes.
    Greater(u32),
}

impl Primitive {
    /// Returns whether it holds for any of the headers `found` in `bytes`, or for a packet of this
    /// length.
    pub fn holds(&self, bytes: &[u8], found: &Found, length: Option<u32>) -> bool {
        let any = |holds: &dyn Fn(&Header) -> bool| found.headers.list.iter().any(holds);
        match self {
            Primitive::Address { way, net, in_ip, in_arp } => {
                let has = |span: &Span| span.of(bytes).is_some_and(|address| net.has(address));
                let of_unit = |header: &Header| match header {
                    Header::Addresses(ends) => way.of(ends, |end| net.has(end.bytes())),
                    _ => false,
                };
                *in_ip && (found.networks.iter().any(|ends| way.of(ends, has)) || any(&of_unit))
                    || *in_arp
                        && any(&|header| arp(header, bytes).is_some_and(|it| way.of(&it, has)))
            }
            Primitive::Ethernet { way, address } => any(&|header| {
                let is = |span: &Span| span.of(bytes) == Some(address);
                matches!(header, Header::Ethernet(ends) if way.of(ends, is))
            }),
            Primitive::Port { way, protocols, range: [from, to] } => any(&|header| {
                let Header::Payload { protocol, ports: Some(ports), .. } = header else {
                    return false;
                };
                protocols.contains(protocol) && way.of(ports, |port| (from..=to).contains(&port))
            }),
            Primitive::Protocol { version, number } => any(&|header| {
                matches!(header, Header::Payload { version: of, protocol, .. }
                    if protocol == number && (*version == 0 || version == of))
            }),
            Primitive::Ip { version } => {
                let of_version = |length: u32| length == address_length(*version);
                let of_unit = |header: &Header| match header {
                    Header::Addresses([source, _]) => of_version(source.bytes().len() as u32),
                    _ => false,
                };
                found.networks.iter().any(|ends| of_version(ends[0].len())) || any(&of_unit)
            }
            Primitive::EtherType(number) => {
                any(&|header| matches!(header, Header::EtherType(it, _) if it == number))
            }
            Primitive::Vlan(wanted) => any(&|header| {
                let Header::Vlan(number) = header else { return false };
                wanted.is_none_or(|wanted| wanted == *number)
            }),
            Primitive::EthernetGroup { is_broadcast } => any(&|header| {
                let Header::Ethernet([_, destination]) = header else { return false };
                destination.of(bytes).is_some_and(|it| match is_broadcast {
                    true => *it == [0xff; 6],
                    false => it[0] & 1 != 0,
                })
            }),
            Primitive::Multicast { version } => found.networks.iter().any(|[_, destination]| {
                let group =
                    |it: &[u8]| if it.len() == 4 { it[0] >> 4 == 14 } else { it[0] == 0xff };
                destination.len() == address_length(*version)
                    && destination.of(bytes).is_some_and(group)
            }),
            Primitive::Less(most) => length.is_some_and(|length| length <= *most),
            Primitive::Greater(least) => length.is_some_and(|length| length >= *least),
        }
    }
}

fn address_length(version: u8) -> u32 {
    if version == 4 { 4 } else { 16 }
}

/// Returns the addresses of the sender and the target of an ARP message (RFC 826), if it is one.
fn arp(header: &Header, bytes: &[u8]) -> Option<[Span; 2]> {
    const FIXED: u32 = 8;
    let &Header::EtherType(0x0806 | 0x8035, span) = header else { return None };
    let fixed = span.take(FIXED).of(bytes)?;
    let (hardware, protocol) = (u32::from(*fixed.get(4)?), u32::from(*fixed.get(5)?));
    let sender = Span::at(span.start + FIXED + hardware, protocol);
    let target = Span::at(sender.end + hardware, protocol);
    (target.end <= span.end).then_some([sender, target])
}
