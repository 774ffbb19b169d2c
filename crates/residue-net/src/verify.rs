//! Verdicts: packets in, findings out.

use crate::check::{Check, Piece, Presence, Reason, Span, Verdict};
use crate::datagram::Datagrams;
use crate::frame::{Found, Walk};
use crate::pcap::Packet;
use crate::wire;
use crate::wire::ip::Ip;
use crate::wire::tcp_checksum_option::Agreements;
use residue::internet::Checksum;

/// Where in the file the bytes of a buffer stand.
#[derive(Clone, Copy, Debug)]
pub enum Places<'a> {
    /// One behind the other from this offset.
    Contiguous(u64),
    /// In runs, each from its offset in the buffer to the next, at an offset in the file; ordered.
    Runs(&'a [(u32, u64)]),
}

impl Places<'_> {
    /// The offset in the file of the buffer's byte `at`; `None` if it stands in no file.
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

    /// The runs of a part of the buffer, counted from its start.
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

/// A datagram put together from several packets.
#[derive(Debug)]
pub struct Unit {
    /// The packet that the findings are counted for.
    pub packet: u64,
    /// Addresses, then payload.
    pub bytes: Vec<u8>,
    /// Where they stand in the file, as of [`Places::Runs`].
    pub places: Vec<(u32, u64)>,
    /// The network layer, with the spans of this buffer.
    pub ip: Ip,
    /// Where the payload ends, with what is missing.
    pub sent: u32,
    /// Why bytes are missing, if there are any.
    pub missing: Reason,
    /// Why nothing in it can be judged.
    pub doubt: Option<Reason>,
}

/// One check with its verdict.
#[derive(Clone, Copy, Debug)]
pub struct Finding<'a> {
    /// The packet it is counted for: the one it is in, or the first one of those it is in.
    pub packet: u64,
    /// The check.
    pub check: &'a Check,
    /// What it turned out to be.
    pub verdict: Verdict,
    /// The bytes it is in.
    pub buffer: &'a [u8],
    /// The pieces of all checks in the buffer.
    pub pieces: &'a [Piece],
    /// Where the bytes stand in the file.
    pub places: Places<'a>,
}

impl<'a> Finding<'a> {
    /// The value in the packet.
    #[must_use]
    pub fn stored(&self) -> Option<u64> {
        self.check.stored(self.buffer)
    }

    /// The value that should be there.
    #[must_use]
    pub fn computed(&self) -> Option<u64> {
        self.check.computed(self.buffer, self.pieces)
    }

    /// The pieces that the check covers.
    #[must_use]
    pub fn cover(&self) -> &'a [Piece] {
        let pieces = self.check.pieces;
        self.pieces.get(pieces.start as usize..pieces.end as usize).unwrap_or_default()
    }

    /// The addresses around the check, source and destination: 4 or 16 bytes each, or none.
    #[must_use]
    pub fn addresses(&self) -> [&'a [u8]; 2] {
        self.check.addresses.map(|span| span.of(self.buffer).unwrap_or_default())
    }
}

/// Goes through the packets of a capture in order. Keeps fragments, streams and agreements from packet to packet, in
/// bounded memory.
#[derive(Debug, Default)]
pub struct Verifier {
    found: Found,
    agreements: Agreements,
    datagrams: Datagrams,
    ready: Vec<Unit>,
}

impl Verifier {
    /// Nothing seen yet.
    #[must_use]
    pub fn new() -> Self {
        Verifier::default()
    }

    /// Takes the next packet. All checks in it are shown to `each`, outer before inner, and those of datagrams it completes.
    pub fn packet(&mut self, packet: &Packet<'_>, mut each: impl FnMut(&Finding<'_>)) {
        self.found.clear();
        let Verifier { found, agreements, .. } = self;
        let mut walk = Walk::new(packet.bytes, packet.wire_length, Reason::Cut, found, agreements);
        walk.link(packet.link, packet.fcs);
        let places = Places::Contiguous(packet.offset);
        self.judge(packet.bytes, places, packet.number, None, &mut each);
        self.units(&mut each);
    }

    /// No packet follows: what waits for others is judged as it is.
    pub fn finish(&mut self, mut each: impl FnMut(&Finding<'_>)) {
        // What is given up may itself hold fragments.
        loop {
            self.datagrams.finish(&mut self.ready);
            if self.ready.is_empty() {
                return;
            }
            self.units(&mut each);
        }
    }

    fn units(&mut self, each: &mut impl FnMut(&Finding<'_>)) {
        while let Some(unit) = self.ready.pop() {
            self.found.clear();
            let Verifier { found, agreements, .. } = self;
            let mut walk = Walk::new(&unit.bytes, unit.sent, unit.missing, found, agreements);
            walk.addresses = [unit.ip.source, unit.ip.destination];
            if unit.ip.version == 4 {
                wire::ip_protocol(&mut walk, &unit.ip);
            } else {
                wire::ipv6::payload(&mut walk, unit.ip);
            }
            self.judge(&unit.bytes, Places::Runs(&unit.places), unit.packet, unit.doubt, each);
        }
    }

    fn judge(
        &mut self,
        buffer: &[u8],
        places: Places<'_>,
        packet: u64,
        doubt: Option<Reason>,
        each: &mut impl FnMut(&Finding<'_>),
    ) {
        for check in &self.found.checks {
            let verdict = match doubt {
                Some(reason) if check.presence == Presence::Present => {
                    Verdict::Unverifiable(reason)
                }
                _ => judge(check, buffer, &self.found.pieces),
            };
            let pieces = &self.found.pieces;
            each(&Finding { packet, check, verdict, buffer, pieces, places });
        }
        for fragment in &self.found.fragments {
            self.datagrams.take(fragment, buffer, &places, packet, &mut self.ready);
        }
    }
}

/// The verdict on one check.
#[must_use]
#[inline]
pub fn judge(check: &Check, buffer: &[u8], pieces: &[Piece]) -> Verdict {
    match check.presence {
        Presence::Present => {}
        Presence::Absent => return Verdict::Absent,
        Presence::Illegal => return Verdict::Illegal,
        Presence::Unverifiable(reason) => return Verdict::Unverifiable(reason),
        Presence::LengthConflict => return Verdict::LengthConflict,
    }
    let cover = &pieces[check.pieces.start as usize..check.pieces.end as usize];
    if check.rule.is_internet() {
        // As receivers do: with its field, everything adds up to ones.
        let mut sum = Checksum::new();
        for piece in cover {
            let Some(bytes) = piece.of(buffer) else { return Verdict::Unverifiable(Reason::Cut) };
            sum.update(bytes);
        }
        if sum.value() == 0 {
            return Verdict::Good;
        }
        return if is_offloaded(check, buffer, cover) { Verdict::Offloaded } else { Verdict::Bad };
    }
    let (Some(stored), Some(computed)) = (check.stored(buffer), check.computed(buffer, pieces))
    else {
        return Verdict::Unverifiable(Reason::Cut);
    };
    if check.rule.agrees(stored, computed) { Verdict::Good } else { Verdict::Bad }
}

/// Does the field hold the sum of the pseudo-header alone, with the length (Linux, and what NDIS calls checksum offload) or
/// without it (large-send offload)?
fn is_offloaded(check: &Check, buffer: &[u8], cover: &[Piece]) -> bool {
    let Some(stored) = check.stored(buffer) else { return false };
    let pseudo = &cover[..usize::from(check.pseudo).min(cover.len())];
    let sum = |length: bool| {
        let mut sum = Checksum::new();
        for piece in pseudo {
            match *piece {
                Piece::Given { mut bytes, length: count } if !length => {
                    without_length(&mut bytes, count);
                    sum.update(&bytes[..usize::from(count).min(16)]);
                }
                _ => sum.update(piece.of(buffer).unwrap_or_default()),
            }
        }
        u64::from(!sum.value())
    };
    !pseudo.is_empty() && (stored == sum(true) || stored == sum(false))
}

/// A pseudo-header's given part is zero, protocol and length for IPv4, length, zeros and protocol for IPv6.
fn without_length(bytes: &mut [u8; 16], count: u8) {
    if count == 4 {
        bytes[2..4].fill(0);
    } else {
        bytes[..4].fill(0);
    }
}
