//! The walk through a packet: from its first header inwards, collecting checks. `wire` knows the
//! protocols.

mod found;

pub use found::{Found, Fragment, Header, Headers, Ip, Segment};

use crate::agreements::Agreements;
use crate::check::{Check, Piece, Presence, Protocol, Reason, Rule, Span};
use crate::unfollowed::{Numbering, Unfollowed};

/// Largest depth of nested headers: networks do not nest so deeply, but a forged packet can.
pub(crate) const DEEPEST: u8 = 24;

/// Largest number of unparsed protocols reported of one buffer, which a forged aggregate of many
/// frames would exceed.
const MOST_UNFOLLOWED: usize = 64;

/// A walk through one buffer.
pub struct Walk<'a> {
    /// The bytes.
    pub bytes: &'a [u8],
    /// Why bytes that a length field claims are missing.
    pub missing: Reason,
    /// Results of the walk.
    pub found: &'a mut Found,
    /// Checksums agreed by TCP connections.
    pub agreements: &'a mut Agreements,
    /// Source and destination of the innermost network header.
    pub addresses: [Span; 2],
    /// Whether its length was 0, as segmentation offload leaves it.
    pub length_zero: bool,
    /// End of the packet when it was sent.
    pub(crate) sent: u32,
    /// Number of headers around the current position, of those that can nest.
    pub(crate) depth: u8,
}

impl<'a> Walk<'a> {
    /// Creates a walk through `bytes`, of which `sent` were sent. `missing` is the reason why there
    /// may be fewer.
    pub fn new(
        bytes: &'a [u8],
        sent: u32,
        missing: Reason,
        found: &'a mut Found,
        agreements: &'a mut Agreements,
    ) -> Self {
        let captured = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
        let sent = sent.max(captured);
        let addresses = [Span::default(); 2];
        Walk { bytes, missing, found, agreements, addresses, length_zero: false, sent, depth: 0 }
    }

    /// Returns the byte at `offset` in `span`, if it was captured.
    #[must_use]
    #[inline]
    pub fn u8(&self, span: Span, offset: u32) -> Option<u8> {
        self.array::<1>(span, offset).map(|[byte]| byte)
    }

    /// Returns the big-endian 16-bit number at `offset` in `span`, if it was captured.
    #[must_use]
    #[inline]
    pub fn u16(&self, span: Span, offset: u32) -> Option<u16> {
        self.array(span, offset).map(u16::from_be_bytes)
    }

    /// Returns the big-endian 32-bit number at `offset` in `span`, if it was captured.
    #[must_use]
    #[inline]
    pub fn u32(&self, span: Span, offset: u32) -> Option<u32> {
        self.array(span, offset).map(u32::from_be_bytes)
    }

    /// Returns the `N` bytes at `offset` in `span`, if they were captured.
    #[must_use]
    #[inline]
    pub fn array<const N: usize>(&self, span: Span, offset: u32) -> Option<[u8; N]> {
        let start = (span.start as usize).checked_add(offset as usize)?;
        let end = start.checked_add(N)?;
        if end > span.end as usize {
            return None;
        }
        self.bytes.get(start..end)?.try_into().ok()
    }

    /// Returns the bytes of `span` that were captured.
    #[must_use]
    #[inline]
    pub fn captured(&self, span: Span) -> &'a [u8] {
        let end = (span.end as usize).min(self.bytes.len());
        self.bytes.get(span.start as usize..end).unwrap_or_default()
    }

    /// Returns whether all bytes of `span` were captured.
    #[must_use]
    #[inline]
    pub fn is_whole(&self, span: Span) -> bool {
        span.end as usize <= self.bytes.len()
    }

    /// Descends one level, up to `DEEPEST`.
    #[inline]
    pub fn deeper(&mut self, walk: impl FnOnce(&mut Self)) {
        if self.depth < DEEPEST {
            self.depth += 1;
            walk(self);
            self.depth -= 1;
        } else {
            self.unfollowed(Numbering::Depth, DEEPEST);
        }
    }

    /// Notes a header for filters.
    #[inline]
    pub fn note(&mut self, header: Header) {
        let Headers { are_wanted, list } = &mut self.found.headers;
        if *are_wanted {
            list.push(header);
        }
    }

    /// Reports that the walk ends at a protocol that is not parsed, unless it is known to contain
    /// no check value.
    #[cold]
    pub fn unfollowed(&mut self, numbering: Numbering, value: impl Into<u64>) {
        let known = &mut self.found.unfollowed;
        if known.len() < MOST_UNFOLLOWED
            && let Some(unfollowed) = Unfollowed::new(numbering, value.into())
            && known.iter().all(|(other, _)| *other != unfollowed)
        {
            known.push((unfollowed, 1));
        }
    }

    /// Reports a check over one run of bytes, with or without the pseudo-header of `ip`; nothing if
    /// the field was not captured. A present check is unverifiable if covered bytes were not
    /// captured. It is a length conflict if they were not even sent, or if the field is outside of
    /// coverage that must contain it.
    #[inline]
    pub fn check(
        &mut self,
        protocol: &'static Protocol,
        rule: Rule,
        field: Span,
        pseudo: Option<&Ip>,
        cover: Span,
        presence: Presence,
    ) -> Option<&mut Check> {
        let start = self.found.pieces.len() as u32;
        if let Some(ip) = pseudo {
            ip.pseudo_header(cover.len(), &mut self.found.pieces);
        }
        let pseudo = self.found.pieces.len() as u32 - start;
        self.found.pieces.push(Piece::Bytes(cover));
        let field = [field, Span::default()];
        self.check_pieces(protocol, rule, field, start, pseudo as u8, presence)
    }

    /// Reports the first of several readings (each a rule, a pseudo-header and a coverage) that
    /// gives the stored value; if none does, one that cannot be judged, or the first. For protocols
    /// with several variants in use.
    pub fn check_any(
        &mut self,
        protocol: &'static Protocol,
        field: Span,
        readings: &[(Rule, Option<&Ip>, Span)],
    ) -> Option<&mut Check> {
        let before = (self.found.checks.len(), self.found.pieces.len());
        let mut otherwise = readings.first();
        for reading in readings {
            let check = self.check_reading(protocol, field, reading)?;
            if let Presence::Unverifiable(_) = check.presence {
                otherwise = Some(reading);
            }
            if self.last_holds() {
                return self.found.checks.last_mut();
            }
            self.found.checks.truncate(before.0);
            self.found.pieces.truncate(before.1);
        }
        self.check_reading(protocol, field, otherwise?)
    }

    fn check_reading(
        &mut self,
        protocol: &'static Protocol,
        field: Span,
        &(rule, pseudo, cover): &(Rule, Option<&Ip>, Span),
    ) -> Option<&mut Check> {
        self.check(protocol, rule, field, pseudo, cover, Presence::Present)
    }

    /// Returns whether the last reported check is present and right.
    #[must_use]
    pub fn last_holds(&self) -> bool {
        self.found.checks.last().is_some_and(|check| self.holds(check))
    }

    fn holds(&self, check: &Check) -> bool {
        let values = (check.stored(self.bytes), check.computed(self.bytes, &self.found.pieces));
        check.presence == Presence::Present
            && matches!(values, (Some(a), Some(b)) if check.rule.agrees(a, b))
    }

    /// Reports a frame check sequence at the end of `frame`, if the frame has room for it behind
    /// `shortest` bytes, and walks the bytes before it by `inside`. The frame itself says that it
    /// has `claimed` bytes or more.
    ///
    /// Files may claim one that frames lack. If it is wrong, and a length of the frame, a fragment
    /// or a right value inside covers its bytes, these are data, and the lengths contradict each
    /// other.
    pub fn check_frame(
        &mut self,
        protocol: &'static Protocol,
        frame: Span,
        shortest: u32,
        claimed: u32,
        inside: impl FnOnce(&mut Self, Span),
    ) {
        const LENGTH: u32 = 4;
        if frame.len() < shortest + LENGTH {
            return inside(self, frame);
        }
        let cover = Span { start: frame.start, end: frame.end - LENGTH };
        let field = Span { start: cover.end, end: frame.end };
        let before = (self.found.checks.len(), self.found.fragments.len());
        let there = self.check(protocol, Rule::Crc32, field, None, cover, Presence::Present);
        let there = there.is_some();
        let wrong = |walk: &Self| there && !walk.holds(&walk.found.checks[before.0]);
        let lacks = claimed > cover.len() && wrong(self);
        inside(self, if lacks { frame } else { cover });
        if lacks || self.reaches(before, field) && wrong(self) {
            self.found.checks[before.0].presence = Presence::LengthConflict;
        }
    }

    /// Returns whether a fragment, or a right value, found after the check and the fragments of
    /// these numbers covers bytes of `field`.
    fn reaches(&self, (check, fragment): (usize, usize), field: Span) -> bool {
        let Found { pieces, checks, fragments, .. } = &*self.found;
        let covers = |check: &&Check| {
            let reaches = |piece: &Piece| matches!(piece, Piece::Bytes(b) if b.end > field.start);
            check.field.iter().any(|own| own.end > field.start)
                || check.pieces.of(pieces).is_some_and(|pieces| pieces.iter().any(reaches))
        };
        let (inner, fragments) = (checks.get(check + 1..), fragments.get(fragment..));
        fragments.is_some_and(|all| all.iter().any(|it| it.ip.payload.end > field.start))
            || inner.is_some_and(|all| all.iter().filter(covers).any(|check| self.holds(check)))
    }

    /// Reports a check over the pieces from index `start` on, the first `pseudo` of which form a
    /// pseudo-header. Presence is determined as in [`Walk::check`].
    #[inline]
    pub fn check_pieces(
        &mut self,
        protocol: &'static Protocol,
        rule: Rule,
        field: [Span; 2],
        start: u32,
        pseudo: u8,
        presence: Presence,
    ) -> Option<&mut Check> {
        let Found { pieces, checks, .. } = &mut *self.found;
        if field.iter().any(|span| span.end as usize > self.bytes.len()) {
            pieces.truncate(start as usize);
            return None;
        }
        let (mut reach, mut inside) = (0, !rule.covers_its_field());
        for piece in &pieces[start as usize..] {
            if let Piece::Bytes(span) = piece {
                reach = span.end.max(reach);
                inside |= span.start <= field[0].start && field[0].end <= span.end;
            }
        }
        let presence = match presence {
            // A length that excludes the field is wrong, too.
            Presence::Present if reach > self.sent || !inside => Presence::LengthConflict,
            Presence::Present if reach as usize > self.bytes.len() => {
                Presence::Unverifiable(self.missing)
            }
            presence => presence,
        };
        checks.push(Check {
            protocol,
            rule,
            field,
            pieces: Span { start, end: pieces.len() as u32 },
            pseudo,
            presence,
            addresses: self.addresses,
            ports: None,
            length_zero: self.length_zero,
        });
        checks.last_mut()
    }
}
