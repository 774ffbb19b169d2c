//! Filters: which packets to look at, in the language of pcap filters (tcpdump, Wireshark's
//! capture filters).
//!
//! A [`Filter`] asks for the headers that a walk meets, so it follows each link type, tag and
//! tunnel that verification follows. A primitive (`host 10.0.0.1`) holds if any header of the
//! packet, outer or inner, has the property; `not host 10.0.0.1` holds if none has. `vlan`
//! therefore has no effect on the rest of the expression. As in libpcap, `and` and `or` have equal
//! precedence and are grouped from the left.
//!
//! | primitive | holds for |
//! |---|---|
//! | `[ip\|ip6\|arp] [src\|dst] host ADDRESS` | an address of IPv4, IPv6 or ARP |
//! | `[ip\|ip6\|arp] [src\|dst] net NET` | `10.1`, `10.1.0.0/16`, `2001:db8::/32`, `NET mask M` |
//! | `[tcp\|udp\|sctp\|...] [src\|dst] port PORT` | a port: a number, or a name such as `http` |
//! | `[tcp\|udp\|sctp\|...] [src\|dst] portrange FROM-TO` | a port in a range |
//! | `ether [src\|dst] host MAC` | an address of Ethernet |
//! | `[ip\|ip6\|ether] proto NUMBER` | the payload of IP, or an EtherType |
//! | `ip`, `ip6`, `arp`, `tcp`, `udp`, `icmp`, ... | a protocol |
//! | `vlan [NUMBER]` | a VLAN tag |
//! | `[ether] broadcast`, `[ether\|ip\|ip6] multicast` | a destination of a group |
//! | `less LENGTH`, `greater LENGTH` | packets of at most, or at least, so many bytes on the wire |
//!
//! `src or dst` (the default) and `src and dst` are directions too. A value without a word before
//! it repeats the words of the last one: `tcp port 80 or 443`. Names of hosts and comparisons of
//! bytes (`tcp[13] & 2 != 0`) are not supported. Incomplete datagrams have no length: neither
//! `less` nor `greater` holds for them. An empty filter holds for all packets.

mod error;
mod expression;
mod names;
mod parse;
mod primitive;
mod token;
mod value;

pub use error::FilterError;

use crate::agreements::Agreements;
use crate::buffer::Buffer;
use crate::check::Reason;
use crate::frame::{Found, Walk};
use crate::pcap::{LinkType, Packet};
use crate::wire;
use expression::Expression;
use std::str::FromStr;

/// A filter for packets.
///
/// ```
/// use residue_net::filter::Filter;
/// use residue_net::pcap::LinkType;
///
/// let filter = Filter::parse("host 192.0.2.1 and not tcp port 80")?;
/// let mut header = [0x45, 0, 0, 20, 0, 0, 0, 0, 64, 6, 0, 0, 192, 0, 2, 1, 192, 0, 2, 2];
/// assert!(filter.matches(LinkType::RAW, &header));
/// header[15] = 3;
/// assert!(!filter.matches(LinkType::RAW, &header));
///
/// let error = Filter::parse("tcp port htp").unwrap_err();
/// assert!(error.to_string().ends_with("\n  tcp port htp\n           ^^^"));
/// # Ok::<(), residue_net::filter::FilterError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Filter(Expression);

impl Filter {
    /// Reads an expression.
    ///
    /// # Errors
    ///
    /// If it is no filter of the supported language; the error shows the place.
    pub fn parse(expression: &str) -> Result<Filter, FilterError> {
        parse::parse(expression).map(Filter)
    }

    /// Returns whether the filter holds for the packet `bytes`, which begins with a header of type
    /// `link`. Its length on the wire is that of `bytes`.
    #[must_use]
    pub fn matches(&self, link: LinkType, bytes: &[u8]) -> bool {
        let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
        self.walks(link, bytes, length, None)
    }

    /// Returns whether the filter holds for a packet of a capture.
    #[must_use]
    pub fn matches_packet(&self, packet: &Packet<'_>) -> bool {
        self.walks(packet.link, packet.bytes, packet.wire_length, packet.fcs)
    }

    fn walks(&self, link: LinkType, bytes: &[u8], length: u32, fcs: Option<u8>) -> bool {
        let Expression { root, primitives } = &self.0;
        let Some(root) = root else { return true };
        let (mut found, mut agreements) = (Found::default(), Agreements::default());
        found.headers.are_wanted = true;
        let mut walk = Walk::new(bytes, length, Reason::Cut, &mut found, &mut agreements);
        wire::walk(&mut walk, link, fcs);
        root.holds(&mut |index| primitives[index].holds(bytes, &found, Some(length)))
    }

    /// Sets `holds` to whether each primitive holds for a buffer, whose walk noted headers.
    /// `length` is the length of the packet on the wire, if the buffer is one.
    pub(crate) fn ask(&self, buffer: &Buffer<'_>, length: Option<u32>, holds: &mut Vec<bool>) {
        holds.clear();
        let Buffer { bytes, found, .. } = buffer;
        holds.extend(self.0.primitives.iter().map(|it| it.holds(bytes, found, length)));
    }

    /// Returns whether the filter holds if its primitives do.
    pub(crate) fn decide(&self, holds: &[bool]) -> bool {
        let mut primitive = |index: usize| holds.get(index) == Some(&true);
        self.0.root.as_ref().is_none_or(|root| root.holds(&mut primitive))
    }
}

impl FromStr for Filter {
    type Err = FilterError;

    fn from_str(expression: &str) -> Result<Filter, FilterError> {
        Filter::parse(expression)
    }
}
