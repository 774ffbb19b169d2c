//! Headers that contradict the packet or themselves.

use crate::buffer::Finding;
use crate::check::{Check, Piece, Span};
use crate::wire::{ipv4, ipv6, tcp, udp};

/// Bound on the share of contradictory packets among those with a right value, if no right value of
/// the capture is in one that contradicts itself alike: of 8,942 right values in the captures of
/// tcpdump's test suite, many of which were made to be odd, none was. At a share of 3 in 8,942,
/// none is seen with a probability of 5 %.
pub const AMONG_GOOD: f64 = 3.0 / 8942.0;

/// Largest number of bytes behind a packet, unless they are zeros: padding and trailers.
const MOST_BEHIND: usize = 64;
/// Length of the longest datagram, which another header around a packet may count.
const LONGEST: usize = 0xffff;
/// Largest number of bytes that a capture may lack at the end of a frame, as programs leave out the
/// frame check sequence.
const MOST_LACKING: usize = 4;
/// Numbers that stand for no IP protocol (IANA, 2026; 253 and 254 are for experiments).
const UNASSIGNED: std::ops::RangeInclusive<u8> = 150..=252;

/// Contradictions of a packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Contradictions(u16);

impl Contradictions {
    /// The header counts more bytes than were sent, or fewer than its own.
    const LENGTH: Contradictions = Contradictions(1);
    /// Many bytes follow that no header counts.
    const BEHIND: Contradictions = Contradictions(1 << 1);
    /// The reserved flag of IPv4 is set.
    const RESERVED: Contradictions = Contradictions(1 << 2);
    /// A fragment ends behind the longest datagram, or is not the last one and has a length that no
    /// other can follow.
    const FRAGMENT: Contradictions = Contradictions(1 << 3);
    /// The time to live is zero.
    const NO_TIME: Contradictions = Contradictions(1 << 4);
    /// The packet comes from, or goes to, an address that nobody has.
    const ADDRESS: Contradictions = Contradictions(1 << 5);
    /// The options of IPv4 cannot be read.
    const OPTIONS: Contradictions = Contradictions(1 << 6);
    /// The number of the protocol stands for none.
    const PROTOCOL: Contradictions = Contradictions(1 << 7);
    /// The UDP header counts more bytes than the IPv4 header.
    const UDP_LONG: Contradictions = Contradictions(1 << 8);
    /// The UDP header counts fewer bytes than the IP header, and the others are not zeros.
    const UDP_SHORT: Contradictions = Contradictions(1 << 9);
    /// The TCP header has reserved bits set, no end, or options that cannot be read.
    const TCP: Contradictions = Contradictions(1 << 10);
    /// The source is made from the sender's Ethernet address, but for some bytes.
    const INTERFACE: Contradictions = Contradictions(1 << 11);

    /// Adds another, if a condition holds.
    fn add(&mut self, other: Contradictions, holds: bool) {
        self.0 |= if holds { other.0 } else { 0 };
    }

    /// Adds all others.
    pub fn merge(&mut self, others: Contradictions) {
        self.0 |= others.0;
    }

    /// Returns whether there is any except `others`.
    pub fn any_except(self, others: Contradictions) -> bool {
        self.0 & !others.0 != 0
    }
}

/// Returns the contradictions of the headers that a value covers or belongs to; `None` if there is
/// no such header. Those of an IPv4 header count if its checksum is bad as the value is, or right
/// as the value is.
pub fn of(finding: &Finding<'_>) -> Option<Contradictions> {
    let header = match finding.check.addresses[0].len() {
        4 => of_ipv4(finding),
        16 => of_ipv6(finding),
        _ => None,
    };
    let content = of_content(finding);
    if header.is_none() && content.is_none() {
        return None;
    }
    let mut all = header.unwrap_or_default();
    all.merge(content.unwrap_or_default());
    Some(all)
}

/// Returns the contradictions of the IPv4 header around a value.
fn of_ipv4(finding: &Finding<'_>) -> Option<Contradictions> {
    let [source, _] = finding.check.addresses;
    let start = source.start.checked_sub(ipv4::SOURCE.start)?;
    let span = Span::at(start, ipv4::SHORTEST_HEADER);
    let bytes = finding.buffer.bytes;
    let field = span.field(ipv4::CHECKSUM);
    let mut checks = finding.buffer.found.checks.iter();
    let is_its =
        |check: &&Check| std::ptr::eq(check.protocol, &ipv4::HEADER) && check.field[0] == field;
    let check = checks.find(is_its)?;
    if check.verdict(bytes, &finding.buffer.found.pieces) != finding.verdict {
        return None;
    }
    let header: [u8; 20] = span.of(bytes)?.try_into().ok()?;
    let sent = finding.buffer.sent.saturating_sub(start) as usize;
    let captured = bytes.get(start as usize..).unwrap_or_default();
    Some(in_ipv4(&header, captured, sent))
}

/// Returns the contradictions of an IPv4 header. `captured` are the bytes from it on, and `sent` is
/// their number when they were sent.
fn in_ipv4(header: &[u8; 20], captured: &[u8], sent: usize) -> Contradictions {
    let number = |at: usize| usize::from(header[at]) << 8 | usize::from(header[at + 1]);
    let own = usize::from(header[0] & 15) * 4;
    let (total, fragment) = (number(2), number(6));
    let mut found = Contradictions::default();
    // Segmentation offload leaves a length of 0.
    let is_wrong = total != 0 && (total > sent + MOST_LACKING || total < own);
    found.add(Contradictions::LENGTH, is_wrong);
    found.add(Contradictions::BEHIND, total != 0 && is_followed(captured, total, sent));
    found.add(Contradictions::RESERVED, fragment & 0x8000 != 0);
    let rest = total.saturating_sub(own);
    let is_late = (fragment & 0x1fff) * 8 + rest > 0xffff;
    let has_rest = fragment & 0x2000 != 0 && total != 0 && !rest.is_multiple_of(8);
    found.add(Contradictions::FRAGMENT, is_late || has_rest);
    found.add(Contradictions::NO_TIME, header[8] == 0);
    found.add(Contradictions::ADDRESS, is_nobody(&header[12..16], &header[16..20]));
    let options = captured.get(20..own).unwrap_or_default();
    found.add(Contradictions::OPTIONS, !are_options(options));
    found.add(Contradictions::PROTOCOL, UNASSIGNED.contains(&header[9]));
    if header[9] == 17
        && fragment & 0x3fff == 0
        && total != 0
        && let Some(&[high, low]) = captured.get(own + 4..).and_then(<[u8]>::first_chunk)
    {
        let length = usize::from(u16::from_be_bytes([high, low]));
        found.add(Contradictions::UDP_LONG, length > rest);
    }
    found
}

/// Returns whether many bytes follow the first `length`, and not only zeros, or more than any other
/// header could count.
fn is_followed(captured: &[u8], length: usize, sent: usize) -> bool {
    let behind = captured.get(length..).unwrap_or_default();
    let is_filled = || behind.iter().any(|&byte| byte != 0);
    sent > length + LONGEST || sent > length + MOST_BEHIND && is_filled()
}

/// Returns whether an IPv4 packet comes from network 0 or goes there, except that a host without an
/// address uses 0.0.0.0; or goes to a reserved address (RFC 1122 section 3.2.1.3, RFC 6890).
fn is_nobody(source: &[u8], destination: &[u8]) -> bool {
    let from_nowhere = source[0] == 0 && source != [0; 4];
    let is_reserved = destination[0] >= 240 && destination != [255; 4];
    from_nowhere || destination[0] == 0 || is_reserved
}

/// Returns the contradictions of the IPv6 header around a value that covers its addresses and its
/// length.
fn of_ipv6(finding: &Finding<'_>) -> Option<Contradictions> {
    let [source, destination] = finding.check.addresses;
    let start = source.start.checked_sub(ipv6::SOURCE.start)?;
    let bytes = finding.buffer.bytes;
    let captured = bytes.get(start as usize..)?;
    let header: &[u8; ipv6::HEADER as usize] = captured.first_chunk()?;
    // Extension headers may hold other addresses.
    if finding.check.pseudo == 0 || header[0] >> 4 != 6 || destination.start != source.end {
        return None;
    }
    let length = usize::from(u16::from_be_bytes([header[4], header[5]]));
    let sent = finding.buffer.sent.saturating_sub(start) as usize;
    let mut found = Contradictions::default();
    // Jumbograms have no length, and segments left to the network card neither.
    found.add(Contradictions::LENGTH, length == 0 && !matches!(header[6], 0 | 6 | 17));
    let is_followed = length != 0 && is_followed(captured, header.len() + length, sent);
    found.add(Contradictions::BEHIND, is_followed);
    let (source, destination) = (&header[8..24], &header[24..40]);
    let is_nobody = source[0] == 0xff || is_unassigned(source) || is_unassigned(destination);
    found.add(Contradictions::ADDRESS, is_nobody);
    if let Some(ethernet) = ethernet_source(bytes.get(..start as usize)?) {
        found.add(Contradictions::INTERFACE, is_nearly_of(source, ethernet));
    }
    Some(found)
}

/// Returns whether an IPv6 address is in the space that is for no use yet (RFC 4291 section 2.4,
/// IANA 2026).
fn is_unassigned(address: &[u8]) -> bool {
    !matches!(address[0], 0..=1 | 0x20..=0x3f | 0x5f | 0xfc..=0xff)
}

/// Returns the source of the Ethernet header, with a tag or without, before an IPv6 header.
fn ethernet_source(before: &[u8]) -> Option<&[u8]> {
    let rest = before.strip_suffix(&[0x86, 0xdd])?;
    let rest = match rest {
        [tagged @ .., 0x81, 0x00, _, _] => tagged,
        untagged => untagged,
    };
    rest.len().checked_sub(6).map(|start| &rest[start..])
}

/// Returns whether a link-local address is nearly the one that is made from an Ethernet address
/// (RFC 4291, appendix A): the number of the interface is the same, that of the manufacturer or the
/// middle is in part.
fn is_nearly_of(address: &[u8], ethernet: &[u8]) -> bool {
    let &[a, b, c, d, e, f] = ethernet else { return false };
    let made = [a ^ 2, b, c, 0xff, 0xfe, d, e, f];
    let Some(interface) = address.strip_prefix(&[0xfe, 0x80, 0, 0, 0, 0, 0, 0]) else {
        return false;
    };
    let equal = made.iter().zip(interface).filter(|(made, there)| made == there).count();
    // Some senders leave the bit of local addresses as it is.
    let is_other_bit = equal == 7 && interface[0] == a;
    interface.ends_with(&[d, e, f]) && (6..8).contains(&equal) && !is_other_bit
}

/// Returns the contradictions of a TCP or UDP header with the covered bytes.
fn of_content(finding: &Finding<'_>) -> Option<Contradictions> {
    let check = finding.check;
    let Some(&Piece::Bytes(span)) = finding.cover().last() else { return None };
    let bytes = finding.buffer.bytes;
    let covered = span.of(bytes)?;
    let mut found = Contradictions::default();
    if std::ptr::eq(check.protocol, &tcp::TCP) {
        found.add(Contradictions::TCP, !is_tcp(covered));
    } else if std::ptr::eq(check.protocol, &udp::UDP) {
        let end = payload_end(finding)?.min(finding.buffer.sent);
        let beyond = Span { start: span.end, end: end.min(bytes.len() as u32) };
        let is_filled = |bytes: &[u8]| bytes.iter().any(|&byte| byte != 0);
        found.add(Contradictions::UDP_SHORT, beyond.of(bytes).is_some_and(is_filled));
    } else {
        return None;
    }
    Some(found)
}

/// Returns whether the header of a TCP segment has an end, options that can be read, and zeros in
/// the bits that are for no use (RFC 9293 section 3.1; the one of RFC 9768 is).
fn is_tcp(segment: &[u8]) -> bool {
    let Some(&offset) = segment.get(12) else { return true };
    let options = segment.get(20..usize::from(offset >> 4) * 4);
    offset & 0xe == 0 && options.is_some_and(are_options)
}

/// Returns the end of the payload of the IP header around a value, as the header counts it.
pub fn payload_end(finding: &Finding<'_>) -> Option<u32> {
    let [source, destination] = finding.check.addresses;
    let bytes = finding.buffer.bytes;
    let number = |at: u32| {
        let number: [u8; 2] = Span::at(at, 2).of(bytes)?.try_into().ok()?;
        Some(u32::from(u16::from_be_bytes(number))).filter(|&number| number != 0)
    };
    if destination.start != source.end {
        return None;
    }
    if source.len() == 4 {
        let start = source.start.checked_sub(ipv4::SOURCE.start)?;
        Some(start + number(start + 2)?)
    } else {
        let start = source.start.checked_sub(ipv6::SOURCE.start)?;
        Some(start + ipv6::HEADER + number(start + 4)?)
    }
}

/// Returns whether the options of a header can be read to their end.
fn are_options(mut options: &[u8]) -> bool {
    loop {
        match options {
            [] | [0, ..] => return true,
            [1, rest @ ..] => options = rest,
            [_, length, ..] if *length >= 2 => match options.get(usize::from(*length)..) {
                Some(rest) => options = rest,
                None => return false,
            },
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: [u8; 20] = *b"E\0\0\x28\0\x01\0\0\x40\x06\0\0\xc0\0\x02\x01\xc0\0\x02\x02";

    fn with(at: usize, bytes: &[u8]) -> [u8; 20] {
        let mut other = HEADER;
        other[at..at + bytes.len()].copy_from_slice(bytes);
        other
    }

    /// Returns the contradictions of a header followed by bytes, of which `sent` were sent in all.
    fn found(header: [u8; 20], behind: &[u8], sent: usize) -> Contradictions {
        in_ipv4(&header, &[&header, behind].concat(), sent)
    }

    #[test]
    fn lengths() {
        let found = |header, sent| found(header, &[7; 200], sent);
        let none = Contradictions::default();
        assert_eq!(found(HEADER, 40), none);
        // A capture may lack the frame check sequence.
        assert_eq!([found(HEADER, 36), found(HEADER, 35)], [none, Contradictions::LENGTH]);
        assert_eq!([found(HEADER, 104), found(HEADER, 105)], [none, Contradictions::BEHIND]);
        let zeros = [0; 300];
        assert_eq!(in_ipv4(&HEADER, &zeros, 300), none);
        assert_eq!(in_ipv4(&HEADER, &zeros, 40 + 0xffff), none);
        assert_eq!(in_ipv4(&HEADER, &zeros, 41 + 0xffff), Contradictions::BEHIND);
        assert_eq!(found(with(3, &[19]), 40), Contradictions::LENGTH);
        assert_eq!([found(with(3, &[0]), 40), found(with(3, &[0]), 500_000)], [none; 2]);
        assert_eq!(found(with(6, &[0x80]), 40), Contradictions::RESERVED);
        assert_eq!(found(with(6, &[0x40]), 40), none);
        assert_eq!(found(with(8, &[0]), 40), Contradictions::NO_TIME);
        assert_eq!(found(with(6, &[0x1f, 0xff]), 40), Contradictions::FRAGMENT);
        // Another fragment must begin at a multiple of eight bytes.
        assert_eq!(
            [found(with(6, &[0x20]), 40), found(with(6, &[0]), 40)],
            [Contradictions::FRAGMENT, none]
        );
        assert_eq!(found(with(2, &[0, 44, 0, 1, 0x20]), 44), none);
        assert_eq!(found(with(9, &[200]), 40), Contradictions::PROTOCOL);
        assert_eq!([found(with(9, &[132]), 40), found(with(9, &[253]), 40)], [none; 2]);
    }

    #[test]
    fn lengths_of_udp() {
        let found = |fragment, length| {
            let header = with(6, &[fragment, 0, 64, 17]);
            found(header, &[0, 9, 0, 9, 0, length, 0, 0, 1, 2, 3, 4], 40)
        };
        assert_eq!([found(0, 20), found(0, 8), found(0, 0)], [Contradictions::default(); 3]);
        assert_eq!(found(0, 21), Contradictions::UDP_LONG);
        assert_eq!(found(0x01, 21), Contradictions::default(), "a fragment has no UDP header");
    }

    #[test]
    fn addresses() {
        let contradicts = |at: usize, address: [u8; 4]| {
            found(with(at, &address), &[7; 20], 40) == Contradictions::ADDRESS
        };
        assert!(contradicts(12, [0, 0, 0, 1]) && !contradicts(12, [0; 4]));
        assert!(!contradicts(12, [224, 0, 0, 1]), "some senders use groups");
        assert!(contradicts(16, [0; 4]) && contradicts(16, [0, 234, 1, 2]));
        assert!(!contradicts(16, [224, 0, 0, 5]) && !contradicts(16, [255; 4]));
        assert!(contradicts(16, [240, 0, 0, 1]) && contradicts(16, [255, 255, 255, 254]));
        for (first, is) in [(0, false), (0x20, false), (0x6e, true), (0xfd, false), (0xc0, true)] {
            assert_eq!(is_unassigned(&[first; 16]), is);
        }
    }

    #[test]
    fn interfaces() {
        let ethernet = [0, 0x21, 0x28, 0x08, 0xf1, 0x50];
        let near = |interface: [u8; 8]| {
            is_nearly_of(&[&[0xfe, 0x80, 0, 0, 0, 0, 0, 0][..], &interface].concat(), &ethernet)
        };
        let made = [2, 0x21, 0x28, 0xff, 0xfe, 0x08, 0xf1, 0x50];
        let with = |at: usize, byte: u8| {
            let mut other = made;
            other[at] = byte;
            near(other)
        };
        assert!(!near(made));
        assert!(with(4, 0xff) && with(1, 0x5a) && with(0, 0x12));
        assert!(!with(0, 0), "a bit that some senders leave");
        assert!(!with(7, 0x51), "another interface of the host");
        assert!(!near([1, 2, 3, 4, 5, 0x08, 0xf1, 0x50]));
        let tagged = [&ethernet[..], &[0x81, 0, 0, 5, 0x86, 0xdd]].concat();
        assert_eq!(ethernet_source(&tagged), Some(&ethernet[..]));
        assert_eq!(ethernet_source(&tagged[..6]), None);
    }

    #[test]
    fn headers_of_tcp() {
        let mut segment = [0; 24];
        segment[12] = 0x60;
        segment[20..].copy_from_slice(&[1, 1, 1, 0]);
        assert!(is_tcp(&segment) && is_tcp(&[]));
        for (at, byte) in [(12, 0x62), (12, 0x70), (12, 0x40), (21, 9)] {
            let mut other = segment;
            other[at] = byte;
            assert!(!is_tcp(&other), "{at} {byte}");
        }
        segment[12] = 0x61;
        assert!(is_tcp(&segment), "the bit of accurate notification of congestion");
    }

    #[test]
    fn options() {
        assert!(are_options(&[]) && are_options(&[0, 9, 9, 9]) && are_options(&[1, 1, 1, 0]));
        assert!(are_options(&[148, 4, 0, 0]) && are_options(&[1, 7, 3, 4]));
        assert!(!are_options(&[148, 5, 0, 0]) && !are_options(&[1, 1, 1, 7]));
        assert!(!are_options(&[7, 0, 0, 0]) && !are_options(&[7, 1, 0, 0]));
    }
}
