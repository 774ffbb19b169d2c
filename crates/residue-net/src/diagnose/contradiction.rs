//! Headers that contradict the packet or themselves.

use crate::buffer::Finding;
use crate::check::{Span, Verdict};
use crate::wire::ipv4;

/// Share of contradictory headers among those with a right checksum: 4 of 4,784 in the 830 captures
/// of tcpdump's test suite, most of which were made to be odd.
pub const AMONG_GOOD: f64 = 4.0 / 4784.0;

/// Largest number of bytes behind a packet: padding, trailers and the longest datagram of another
/// header around it.
const MOST_BEHIND: usize = 0xffff;

/// Returns whether the IPv4 header of a bad value, or around it, contradicts the packet; `None` if
/// there is no such header, or its checksum is right.
pub fn of(finding: &Finding<'_>) -> Option<bool> {
    let [source, _] = finding.check.addresses;
    if source.len() != 4 {
        return None;
    }
    let start = source.start.checked_sub(ipv4::SOURCE.start)?;
    let header = Span::at(start, ipv4::SHORTEST_HEADER);
    let bytes = finding.buffer.bytes;
    let field = header.field(ipv4::CHECKSUM);
    let check = finding
        .buffer
        .found
        .checks
        .iter()
        .find(|check| std::ptr::eq(check.protocol, &ipv4::HEADER) && check.field[0] == field)?;
    let is_bad = check.verdict(bytes, &finding.buffer.found.pieces) == Verdict::Bad;
    let header: [u8; 20] = header.of(bytes)?.try_into().ok()?;
    let own = u32::from(header[0] & 15) * 4;
    let options = Span { start, end: start.saturating_add(own) }.skip(ipv4::SHORTEST_HEADER);
    let sent = finding.buffer.sent.saturating_sub(start) as usize;
    is_bad.then(|| contradicts(&header, options.of(bytes).unwrap_or_default(), sent))
}

/// Returns whether a header is one that no sender makes. `sent` is the number of bytes sent from
/// it on.
pub fn contradicts(header: &[u8; 20], options: &[u8], sent: usize) -> bool {
    contradicts_lengths(header, sent) || contradicts_addresses(header) || !are_options(options)
}

/// Returns whether a header counts more bytes than were sent, fewer than its own, or by far fewer
/// than were sent; whether it would end behind the longest datagram, has the reserved flag set, or
/// no time to live.
fn contradicts_lengths(header: &[u8; 20], sent: usize) -> bool {
    let number = |at: usize| usize::from(header[at]) << 8 | usize::from(header[at + 1]);
    let own = usize::from(header[0] & 15) * 4;
    let (total, fragment) = (number(2), number(6));
    let is_reserved = fragment & 0x8000 != 0;
    let ends_late = (fragment & 0x1fff) * 8 + total.saturating_sub(own) > 0xffff;
    let has_no_time = header[8] == 0;
    // Segmentation offload leaves a length of 0.
    let differs = total != 0 && (total > sent || total < own || sent - total > MOST_BEHIND);
    differs || is_reserved || ends_late || has_no_time
}

/// Returns whether a header comes from a group, from network 0 or goes there, except that a host
/// without an address uses 0.0.0.0; or goes to a reserved address (RFC 1122 section 3.2.1.3,
/// RFC 6890).
fn contradicts_addresses(header: &[u8; 20]) -> bool {
    let (source, destination) = (&header[12..16], &header[16..20]);
    let from_group = (224..240).contains(&source[0]);
    let from_nowhere = source[0] == 0 && source != [0; 4];
    let is_reserved = destination[0] >= 240 && destination != [255; 4];
    from_group || from_nowhere || destination[0] == 0 || is_reserved
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

    fn with(at: usize, byte: u8) -> [u8; 20] {
        let mut other = HEADER;
        other[at] = byte;
        other
    }

    #[test]
    fn lengths() {
        let contradicts = |header: [u8; 20], sent| contradicts_lengths(&header, sent);
        assert!(!contradicts(HEADER, 40));
        assert!(contradicts(HEADER, 39));
        assert!(!contradicts(HEADER, 40 + 65_535) && contradicts(HEADER, 40 + 65_536));
        assert!(contradicts(with(3, 19), 40));
        assert!(!contradicts(with(3, 0), 40) && !contradicts(with(3, 0), 500_000));
        assert!(contradicts(with(6, 0x80), 40) && !contradicts(with(6, 0x40), 40));
        assert!(contradicts(with(8, 0), 40));
        let mut late = with(6, 0x1f);
        late[7] = 0xff;
        assert!(contradicts(late, 40));
    }

    #[test]
    fn addresses() {
        let contradicts = |at: usize, address: [u8; 4]| {
            let mut header = HEADER;
            header[at..at + 4].copy_from_slice(&address);
            contradicts_addresses(&header)
        };
        assert!(!contradicts_addresses(&HEADER));
        assert!(contradicts(12, [224, 0, 0, 1]) && contradicts(12, [239, 9, 9, 9]));
        assert!(contradicts(12, [0, 0, 0, 1]) && !contradicts(12, [0; 4]));
        assert!(contradicts(16, [0; 4]) && contradicts(16, [0, 234, 1, 2]));
        assert!(!contradicts(16, [224, 0, 0, 5]) && !contradicts(16, [255; 4]));
        assert!(contradicts(16, [240, 0, 0, 1]) && contradicts(16, [255, 255, 255, 254]));
    }

    #[test]
    fn options() {
        assert!(are_options(&[]) && are_options(&[0, 9, 9, 9]) && are_options(&[1, 1, 1, 0]));
        assert!(are_options(&[148, 4, 0, 0]) && are_options(&[1, 7, 3, 4]));
        assert!(!are_options(&[148, 5, 0, 0]) && !are_options(&[1, 1, 1, 7]));
        assert!(!are_options(&[7, 0, 0, 0]) && !are_options(&[7, 1, 0, 0]));
    }
}
