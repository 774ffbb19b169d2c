//! What iSCSI and NVMe/TCP have in common: a stream of PDUs, each with a digest of its header, one
//! of its data, both or neither. A digest is CRC-32C, lowest byte first, right behind what it
//! covers.

use crate::check::Span;

/// Where the parts of a PDU stand, counted from its first byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The bytes that the header digest covers, were there one: from the first.
    pub header: u32,
    /// The bytes that the data digest covers, were there one, with padding; empty if the PDU has no
    /// data.
    pub data: Span,
    /// Is there a digest of the header, one of the data? The latter only counts if there is data.
    pub digests: [bool; 2],
    /// The length of the PDU.
    pub whole: u32,
}

/// The length of a digest.
pub const DIGEST: u32 = 4;

impl Layout {
    /// Where the header ends, with its digest.
    #[must_use]
    pub fn header_end(&self) -> u32 {
        self.header.saturating_add(if self.digests[0] { DIGEST } else { 0 })
    }

    /// What the digests cover and where they stand, of the header and of the data; `None` for the
    /// one that is not there.
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
