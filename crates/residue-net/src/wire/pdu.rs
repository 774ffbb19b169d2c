//! Common parts of iSCSI and NVMe/TCP: a stream of PDUs, each with a digest of its header, of its
//! data, both or neither. A digest is CRC-32C, lowest byte first, directly after the covered bytes.

use crate::check::Span;

/// The layout of a PDU, from its first byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Length of the header, which a header digest covers.
    pub header: u32,
    /// Span of the data with padding, which a data digest covers; empty without data.
    pub data: Span,
    /// Whether there are digests of the header and of the data. The latter is ignored without data.
    pub digests: [bool; 2],
    /// Length of the PDU.
    pub whole: u32,
}

/// Length of a digest.
pub const DIGEST: u32 = 4;

impl Layout {
    /// Returns the end of the header, including its digest.
    #[must_use]
    pub fn header_end(&self) -> u32 {
        self.header.saturating_add(if self.digests[0] { DIGEST } else { 0 })
    }

    /// Returns the coverage and the span of the digests of header and data; `None` for an absent
    /// one.
    #[must_use]
    pub fn parts(&self) -> [Option<(Span, Span)>; 2] {
        let header = Span { start: 0, end: self.header };
        let has_data = self.digests[1] && !self.data.is_empty();
        [
            self.digests[0].then(|| (header, Span::at(header.end, DIGEST))),
            has_data.then(|| (self.data, Span::at(self.data.end, DIGEST))),
        ]
    }

    /// Returns whether the digest of the header (`part` 0) or of the data (1) is right; `None` if
    /// there is none, or bytes are missing.
    #[must_use]
    pub fn is_right(&self, part: usize, bytes: &[u8]) -> Option<bool> {
        let (cover, field) = self.parts()[part]?;
        let stored = field.of(bytes)?;
        Some(residue::crc32c(cover.of(bytes)?).to_le_bytes() == stored)
    }
}
