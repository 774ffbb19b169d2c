//! Bytes that were walked through, where they stand in the file, and the checks found in them.

use crate::check::{Check, Piece, Presence, Reason, Span, Verdict};
use crate::frame::Found;

/// Where in the file the bytes of a buffer stand.
#[derive(Clone, Copy, Debug)]
pub enum Places<'a> {
    /// Consecutive bytes from this offset.
    Contiguous(u64),
    /// In runs, each from its offset in the buffer to the next, at an offset in the file; ordered.
    Runs(&'a [(u32, u64)]),
}

impl Places<'_> {
    /// Returns the offset in the file of the buffer's byte `at`; `None` if it stands in no file.
    #[must_use]
    pub fn offset(&self, at: u32) -> Option<u64> {
        match self {
            Places::Contiguous(start) => Some(start + u64::from(at)),
            Places::Runs(runs) => {
                let next = runs.partition_point(|run| run.0 <= at);
                let (start, place) = runs.get(next.checked_sub(1)?)?;
                Some(place + u64::from(at - start))
            }
        }
    }

    /// Returns the runs of a part of the buffer, counted from the start of that part.
    #[must_use]
    pub fn runs(&self, span: Span) -> Vec<(u32, u64)> {
        if span.is_empty() {
            return Vec::new();
        }
        let mut runs: Vec<_> =
            self.offset(span.start).map(|place| (0, place)).into_iter().collect();
        if let Places::Runs(all) = self {
            let inside = all.iter().filter(|(at, _)| span.start < *at && *at < span.end);
            runs.extend(inside.map(|&(at, place)| (at - span.start, place)));
        }
        runs
    }
}

/// Bytes that were walked through, a packet's or those of several put together, and what was found
/// in them.
#[derive(Clone, Copy, Debug)]
pub struct Buffer<'a> {
    /// The packet that the findings are counted for: the one it is, or the first one of those it
    /// comes from.
    pub packet: u64,
    /// The bytes.
    pub bytes: &'a [u8],
    /// Where they stand in the file.
    pub places: Places<'a>,
    /// What is in them.
    pub found: &'a Found,
    /// Does the capture hold less of the packet than was sent?
    pub is_cut: bool,
    /// Why no check in it can be judged, if none can.
    pub doubt: Option<Reason>,
    /// If it is a PDU of a TCP stream: its number among those that its sender sent, from 1.
    pub pdu: Option<u64>,
}

impl Buffer<'_> {
    /// Returns the verdicts on all its checks, outer before inner.
    pub fn findings(&self) -> impl Iterator<Item = Finding<'_>> {
        self.found.checks.iter().map(|check| {
            let verdict = match self.doubt {
                Some(reason) if check.presence == Presence::Present => {
                    Verdict::Unverifiable(reason)
                }
                _ => check.verdict(self.bytes, &self.found.pieces),
            };
            Finding { buffer: self, check, verdict }
        })
    }
}

/// One check with its verdict.
#[derive(Clone, Copy, Debug)]
pub struct Finding<'a> {
    /// The buffer it stands in.
    pub buffer: &'a Buffer<'a>,
    /// The check.
    pub check: &'a Check,
    /// The verdict on it.
    pub verdict: Verdict,
}

impl<'a> Finding<'a> {
    /// Returns the value in the packet.
    #[must_use]
    pub fn stored(&self) -> Option<u64> {
        self.check.stored(self.buffer.bytes)
    }

    /// Returns the value that should be there.
    #[must_use]
    pub fn computed(&self) -> Option<u64> {
        self.check.computed(self.buffer.bytes, &self.buffer.found.pieces)
    }

    /// Returns the pieces that the check covers.
    #[must_use]
    pub fn cover(&self) -> &'a [Piece] {
        self.check.cover(&self.buffer.found.pieces)
    }

    /// Returns the addresses around the check, source and destination: 4 or 16 bytes each, or none.
    #[must_use]
    pub fn addresses(&self) -> [&'a [u8]; 2] {
        self.check.addresses.map(|span| span.of(self.buffer.bytes).unwrap_or_default())
    }
}
