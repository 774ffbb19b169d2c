//! The state of the PDUs of a connection: which digests they have, where one ends, and where the
//! next one may begin.

use crate::check::{Check, Piece, Presence, Reason, Rule, Span};
use crate::frame::Found;
use crate::wire::pdu::Layout;
use crate::wire::storage::Kind;
use crate::wire::{iscsi, nvme_tcp};

/// Length of the longest PDU to store; the data of longer ones is not verified.
pub const LONGEST_PDU: u32 = 8 << 20;
/// Length of the longest PDU whose data may prove where it begins.
const LONGEST_PROOF: u32 = 1 << 20;

/// The item that begins with some bytes of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Frame {
    /// More bytes are needed.
    More,
    /// No PDU, or none that can be recognised.
    Lost,
    /// A PDU, of which bytes may be missing.
    Pdu(Layout),
    /// The header of a PDU with a wrong digest, so that the end of the PDU, and even of the header,
    /// is unknown. The layout has no data.
    Header(Layout),
}

/// Whether a PDU begins with some bytes of a stream, as a right digest proves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    /// No proof.
    No,
    /// Undecided: this many bytes decide.
    Wait(usize),
    /// A PDU begins.
    Yes,
}

/// The state of a connection. Its sides are numbered 0 and 1.
#[derive(Debug)]
pub struct Session {
    kind: Kind,
    /// Whether there are digests of header and data, if known.
    agreed: [Option<bool>; 2],
    login: iscsi::Login,
    /// Side of the initiator, after the first PDU.
    initiator: Option<usize>,
    /// Whether the login of a side is over, so that a PDU that looks like a login has a wrong bit.
    full_feature: [bool; 2],
}

impl Session {
    /// Creates a session without data.
    #[must_use]
    pub fn new(kind: Kind) -> Self {
        let login = iscsi::Login::default();
        Session { kind, agreed: [None; 2], login, initiator: None, full_feature: [false; 2] }
    }

    /// Returns the protocol of the PDUs.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Returns whether the absence of digests is known.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        self.agreed == [Some(false); 2]
    }

    /// Returns whether the presence of digests is known.
    #[must_use]
    pub fn has_digests(&self) -> bool {
        self.agreed.contains(&Some(true))
    }

    /// Returns the item at the start of `bytes`, where a PDU of `side` begins; `last`: no bytes
    /// follow.
    pub fn frame(&mut self, side: usize, bytes: &[u8], last: bool) -> Frame {
        if bytes.len() < self.kind.least() {
            return if last { Frame::Lost } else { Frame::More };
        }
        let Some(layout) = self.layout(side, bytes) else { return Frame::Lost };
        if layout.digests[0] {
            match layout.is_right(0, bytes) {
                Some(true) => {}
                Some(false) => return doubt(layout, bytes, last),
                None => return if last { alone(layout) } else { Frame::More },
            }
        }
        let undecided = self.kind == Kind::Iscsi
            && self.agreed[1].is_none()
            && !self.is_login(side, bytes)
            && !layout.data.is_empty();
        if undecided { self.decide(side, bytes, last) } else { Frame::Pdu(layout) }
    }

    /// Returns the layout of the next PDU of `side`; unknown digests of data count as absent.
    fn layout(&self, side: usize, bytes: &[u8]) -> Option<Layout> {
        match self.kind {
            Kind::Iscsi => {
                let header = bytes.first_chunk()?;
                if self.is_login(side, bytes) {
                    return iscsi::is_believable(header).then(|| iscsi::layout(header, [false; 2]));
                }
                let digests = [self.agreed[0]?, self.agreed[1].unwrap_or(false)];
                (digests[0] || iscsi::is_believable(header)).then(|| iscsi::layout(header, digests))
            }
            Kind::NvmeTcp => {
                let header = bytes.first_chunk()?;
                nvme_tcp::layout(header, self.agreed)
            }
        }
    }

    fn is_login(&self, side: usize, bytes: &[u8]) -> bool {
        !self.full_feature[side] && bytes.first_chunk().is_some_and(iscsi::is_login)
    }

    /// Decides whether the first PDU with data has a data digest: by whether the bytes after the
    /// data are a right digest, or by where the next header begins, as its digest proves.
    fn decide(&mut self, side: usize, bytes: &[u8], last: bool) -> Frame {
        let Some(header) = bytes.first_chunk() else { return Frame::More };
        let has_header_digest = self.agreed[0] == Some(true);
        let [without, with] =
            [false, true].map(|digest| iscsi::layout(header, [has_header_digest, digest]));
        if bytes.len() < with.whole as usize {
            let waits = !last && with.whole <= LONGEST_PDU;
            return if waits { Frame::More } else { Frame::Pdu(without) };
        }
        if with.is_right(1, bytes) == Some(true) {
            self.agreed[1] = Some(true);
            return Frame::Pdu(with);
        }
        if !has_header_digest {
            return Frame::Pdu(without);
        }
        for (layout, digest) in [(without, false), (with, true)] {
            let next = &bytes[layout.whole as usize..];
            let proof = self.proof(side, next, false);
            if proof == Proof::Yes {
                self.agreed[1] = Some(digest);
                return Frame::Pdu(layout);
            }
            if !last && (next.len() < self.kind.least() || proof != Proof::No) {
                return Frame::More;
            }
        }
        alone(without)
    }

    /// Returns whether a PDU of `side` begins here; `starts`: a segment begins here. If headers
    /// have no digests, or it is unknown, only such positions are considered.
    pub fn proof(&mut self, side: usize, bytes: &[u8], starts: bool) -> Proof {
        if starts && !self.full_feature[side] && Kind::of_start(bytes) == Some(self.kind) {
            return Proof::Yes;
        }
        let mut proof = Proof::No;
        if self.agreed[0] != Some(false)
            && let Some(layout) = self.suppose(side, bytes, [true, false])
        {
            match layout.is_right(0, bytes) {
                Some(true) => {
                    self.proved(side, bytes, [Some(true), self.agreed[1]]);
                    return Proof::Yes;
                }
                Some(false) => {}
                None => proof = Proof::Wait(layout.header_end() as usize),
            }
        }
        if starts
            && self.agreed[0] != Some(true)
            && self.agreed[1] != Some(false)
            && let Some(layout) = self.suppose(side, bytes, [false, true])
            && layout.parts()[1].is_some()
            && layout.whole <= LONGEST_PROOF
        {
            match layout.is_right(1, bytes) {
                Some(true) => {
                    self.proved(side, bytes, [Some(false), Some(true)]);
                    return Proof::Yes;
                }
                Some(false) => {}
                None => proof = Proof::Wait(layout.whole as usize),
            }
        }
        proof
    }

    /// Returns the layout of a PDU of `side` with these digests, if no byte is wrong.
    fn suppose(&self, side: usize, bytes: &[u8], digests: [bool; 2]) -> Option<Layout> {
        match self.kind {
            Kind::Iscsi => {
                let header = bytes.first_chunk()?;
                let is_initiator = !iscsi::is_from_target(header);
                let is_possible = iscsi::is_believable(header)
                    && !iscsi::is_login(header)
                    && self.initiator.is_none_or(|one| (one == side) == is_initiator);
                is_possible.then(|| iscsi::layout(header, digests))
            }
            Kind::NvmeTcp => {
                let header =
                    bytes.first_chunk().filter(|header| nvme_tcp::is_believable(header))?;
                // The flags decide.
                let layout = nvme_tcp::layout(header, [None; 2])?;
                (layout.digests[0] == digests[0]).then_some(layout)
            }
        }
    }

    fn proved(&mut self, side: usize, bytes: &[u8], agreed: [Option<bool>; 2]) {
        if self.kind == Kind::Iscsi {
            self.agreed = agreed;
            self.full_feature[side] = true;
            self.side_of(side, bytes);
        }
    }

    fn side_of(&mut self, side: usize, bytes: &[u8]) {
        if self.initiator.is_none()
            && let Some(header) = bytes.first_chunk()
        {
            let is_target = iscsi::is_from_target(header);
            self.initiator = Some(if is_target { 1 - side } else { side });
        }
    }

    /// Learns from a complete PDU about the following ones.
    pub fn learn(&mut self, side: usize, pdu: &[u8], layout: &Layout) {
        match self.kind {
            Kind::Iscsi => {
                self.side_of(side, pdu);
                if !self.is_login(side, pdu) {
                    self.full_feature[side] = true;
                } else if let iscsi::Step::Done(agreed) = self.login.take(pdu) {
                    self.agreed = agreed;
                    self.full_feature[side] = true;
                }
            }
            Kind::NvmeTcp => {
                if let Some(agreed) = nvme_tcp::agreed(pdu) {
                    self.agreed = agreed.map(Some);
                } else if layout.is_right(0, pdu) == Some(true) {
                    // The flags of a verified header.
                    self.agreed[0] = Some(true);
                    if !layout.data.is_empty() {
                        self.agreed[1] = Some(layout.digests[1]);
                    }
                }
            }
        }
    }

    /// Reports the digests of a PDU with these available bytes, which are in a buffer from `base`
    /// on.
    pub fn report(&self, bytes: &[u8], layout: &Layout, base: u32, found: &mut Found) {
        let protocols = match self.kind {
            Kind::Iscsi => [&iscsi::HEADER, &iscsi::DATA],
            Kind::NvmeTcp => [&nvme_tcp::HEADER, &nvme_tcp::DATA],
        };
        for (protocol, part) in protocols.into_iter().zip(layout.parts()) {
            let Some((cover, field)) = part else { continue };
            let is_whole = field.end as usize <= bytes.len();
            let behind = |span: Span| Span {
                start: span.start.saturating_add(base),
                end: span.end.saturating_add(base),
            };
            let start = found.pieces.len() as u32;
            found.pieces.push(Piece::Bytes(behind(cover)));
            found.checks.push(Check {
                protocol,
                rule: Rule::Crc32c,
                field: [behind(field), Span::default()],
                pieces: Span { start, end: start + 1 },
                pseudo: 0,
                presence: if is_whole {
                    Presence::Present
                } else {
                    Presence::Unverifiable(Reason::Stream)
                },
                addresses: [Span::default(); 2],
                ports: None,
                length_zero: false,
            });
        }
    }
}

/// Returns the item for a header with a wrong digest. Its lengths may be wrong, and are used only
/// if they lead to data with a right digest.
fn doubt(layout: Layout, bytes: &[u8], last: bool) -> Frame {
    if layout.parts()[1].is_none() || layout.whole > LONGEST_PDU {
        return alone(layout);
    }
    match layout.is_right(1, bytes) {
        Some(true) => Frame::Pdu(layout),
        None if !last => Frame::More,
        _ => alone(layout),
    }
}

/// Returns only the header of a PDU.
fn alone(layout: Layout) -> Frame {
    Frame::Header(Layout { data: Span::default(), whole: layout.header_end(), ..layout })
}
