//! Headers that contradict the packet or themselves.

use crate::buffer::Finding;
use crate::check::{Span, Verdict};
use crate::wire::ipv4;

/// Share of contradictory headers among those with a right checksum: 4 of 4,722 in the 830 captures
/// of tcpdump's test suite, most of which were made to be odd.
pub const AMONG_GOOD: f64 = 4.0 / 4722.0;

/// Returns whether the IPv4 header of a bad value, or around it, contradicts the packet; `None` if
/// there is no such header, or its checksum is right.
pub fn of(finding: &Finding<'_>) -> Option<bool> {
    let [source, _] = finding.check.addresses;
    if source.len() != 4 {
        return None;
    }
    let header = Span::at(source.start.checked_sub(ipv4::SOURCE.start)?, ipv4::SHORTEST_HEADER);
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
    let rest = bytes.len() - (source.start - ipv4::SOURCE.start) as usize;
    is_bad.then(|| contradicts(&header, (!finding.buffer.is_cut).then_some(rest)))
}

/// Returns whether a header is one that no sender makes: it counts more bytes than there are in the
/// packet (`sent`, if known) or fewer than its own, has the reserved flag set, would end behind the
/// longest datagram, or comes from a group address.
pub fn contradicts(header: &[u8; 20], sent: Option<usize>) -> bool {
    let number = |at: usize| usize::from(header[at]) << 8 | usize::from(header[at + 1]);
    let own = usize::from(header[0] & 15) * 4;
    let (total, fragment) = (number(2), number(6));
    let counts_too_many = sent.is_some_and(|sent| total > sent);
    let counts_too_few = total != 0 && total < own;
    let is_reserved = fragment & 0x8000 != 0;
    let ends_late = (fragment & 0x1fff) * 8 + total.saturating_sub(own) > 0xffff;
    let from_group = (224..240).contains(&header[12]);
    counts_too_many || counts_too_few || is_reserved || ends_late || from_group
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_contradiction_counts() {
        let header: [u8; 20] = *b"E\0\0\x28\0\x01\0\0\x40\x06\0\0\xc0\0\x02\x01\xc0\0\x02\x02";
        let with = |at: usize, byte: u8| {
            let mut other = header;
            other[at] = byte;
            other
        };
        assert!(!contradicts(&header, Some(40)) && !contradicts(&header, None));
        assert!(contradicts(&header, Some(39)));
        assert!(contradicts(&with(3, 19), Some(40)));
        assert!(!contradicts(&with(3, 0), Some(40)));
        assert!(contradicts(&with(6, 0x80), Some(40)));
        assert!(!contradicts(&with(6, 0x40), Some(40)));
        assert!(contradicts(&with(12, 224), Some(40)));
        let mut late = with(6, 0x1f);
        late[7] = 0xff;
        assert!(contradicts(&late, Some(40)));
    }
}
