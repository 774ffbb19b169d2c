//! Buffers of walked bytes: their places in the file, and the checks found in them.

use crate::check::{Check, Piece, Presence, Reason, Span, Verdict};
use crate::frame::Found;
use crate::pcap::LinkType;

/// The packet for which the findings of a buffer are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin {
    /// Number of the packet.
    pub packet: u64,
    /// Link type of the packet.
    pub link: LinkType,
    /// Time of capture in nanoseconds since 1970.
    pub time: Option<u64>,
}

/// The places in the file of the bytes of a buffer.
#[derive(Clone, Copy, Debug)]
pub enum Places<'a> {
    /// Consecutive bytes from this offset.
    Contiguous(u64),
    /// Ordered runs: the offset of each in the buffer, up to the next run, and its offset in the
    /// file.
    Runs(&'a [(u32, u64)]),
}

impl Places<'_> {
    /// Returns the offset in the file of byte `at` of the buffer; `None` if it is in no file.
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

/// Bytes that occur in the file once more, in a copy of a fragment.
#[derive(Clone, Copy, Debug)]
pub struct Copied {
    /// Offset of the first one in the buffer.
    pub at: u32,
    /// Their number.
    pub length: u32,
    /// Their offset in the file.
    pub place: u64,
}

/// The walked bytes of a packet, or of several reassembled ones, and the checks found in them.
#[derive(Clone, Copy, Debug)]
pub struct Buffer<'a> {
    /// Number of the packet for which the findings are counted: the packet itself, or the first of
    /// several.
    pub packet: u64,
    /// Link type of that packet.
    pub link: LinkType,
    /// Time of capture of that packet, in nanoseconds since 1970.
    pub time: Option<u64>,
    /// The bytes.
    pub bytes: &'a [u8],
    /// The places of the bytes in the file.
    pub places: Places<'a>,
    /// Further places of bytes of several packets, some of which were captured twice.
    pub copies: &'a [Copied],
    /// The checks and other contents found.
    pub found: &'a Found,
    /// Whether the capture holds less of the packet than was sent.
    pub is_cut: bool,
    /// Number of bytes that were sent, as the capture states.
    pub sent: u32,
    /// Why no check can be judged, if so.
    pub doubt: Option<Reason>,
    /// For a PDU of a TCP stream: its number among those of its sender, from 1.
    pub pdu: Option<u64>,
}

impl Buffer<'_> {
    /// Returns the offset of the IP header with these addresses.
    pub(crate) fn start_of(&self, addresses: [Span; 2]) -> Option<usize> {
        let [source, _] = addresses;
        let before = if source.len() == 4 { 12 } else { 8 };
        let start = (source.start as usize).checked_sub(before)?;
        let version = self.bytes.get(start)? >> 4;
        (version == if source.len() == 4 { 4 } else { 6 }).then_some(start)
    }

    /// Returns the packet for which the findings are counted.
    pub(crate) fn origin(&self) -> Origin {
        Origin { packet: self.packet, link: self.link, time: self.time }
    }

    /// Returns all offsets in the file of byte `at`.
    pub(crate) fn offsets(&self, at: u32) -> impl Iterator<Item = u64> {
        let copy = move |copy: &Copied| {
            let inside = at.checked_sub(copy.at).filter(|&inside| inside < copy.length)?;
            Some(copy.place + u64::from(inside))
        };
        self.places.offset(at).into_iter().chain(self.copies.iter().filter_map(copy))
    }

    /// Returns all checks with their verdicts, outer before inner.
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
    /// The buffer that contains the check.
    pub buffer: &'a Buffer<'a>,
    /// The check.
    pub check: &'a Check,
    /// The verdict on it.
    pub verdict: Verdict,
}

impl<'a> Finding<'a> {
    /// Returns the value stored in the packet.
    #[must_use]
    pub fn stored(&self) -> Option<u64> {
        self.check.stored(self.buffer.bytes)
    }

    /// Returns the right value.
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
