//! Repair: the bytes to change so that check values become right. Only check values are changed,
//! and nothing in packets that are good, cut, or cannot be judged.

use crate::Error;
use crate::buffer::{Buffer, Finding, Places};
use crate::check::{Check, Verdict};
use crate::diagnose::{Cause, CauseKind, Diagnosis};
use crate::pcap::Reader;
use crate::pcap::patch::Edit;
use crate::summary::Summary;
use crate::verify::{self, Read};
use std::collections::BTreeMap;
use std::io;

/// The selection of checks to repair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    /// Kinds of causes to repair.
    pub causes: Vec<CauseKind>,
    /// Also repair packets whose length is 0, as segmentation offload leaves it. The network card
    /// splits them: with a checksum over the whole, they are not what was sent.
    pub tso: bool,
}

impl Default for Policy {
    /// Repairs offloaded checksums and rewritten addresses, which do not put the data in doubt.
    /// Another wrong value may be the only evidence of corrupted data: it is repaired only on
    /// request.
    fn default() -> Self {
        Policy::of([CauseKind::Offload, CauseKind::Rewritten])
    }
}

impl Policy {
    /// Repairs checks with a cause of these kinds.
    #[must_use]
    pub fn of(causes: impl IntoIterator<Item = CauseKind>) -> Self {
        Policy { causes: causes.into_iter().collect(), tso: false }
    }

    /// Repairs all wrong checks.
    #[must_use]
    pub fn all() -> Self {
        Policy::of(CauseKind::ALL)
    }

    fn covers(&self, cause: Option<Cause>, check: &Check) -> bool {
        (self.tso || !check.length_zero) && self.causes.contains(&cause.into())
    }
}

/// A change of one check value in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repair {
    /// Number of the packet for which it is counted.
    pub packet: u64,
    /// Name of the protocol of the check.
    pub protocol: &'static str,
    /// Cause of the wrong value; `None` if it is unknown, or the value was right.
    pub cause: Option<Cause>,
    /// Whether the value was right, and changes only because covered data is repaired.
    pub follows: bool,
    /// Changed bytes: offset in the file, old and new byte.
    pub bytes: Vec<(u64, u8, u8)>,
}

/// Largest number of passes for nested datagrams and streams.
const ROUNDS: usize = 4;

/// The repair of a capture: its findings, and the repairs across packets.
#[derive(Debug)]
pub struct Repairer {
    /// Result of reading.
    pub read: Read,
    /// Counts of all findings, before any repair.
    pub summary: Summary,
    policy: Policy,
    across: Changes,
}

impl Repairer {
    /// Analyses a capture, and repairs reassembled datagrams and streams, whose repairs are passed
    /// to `each`. Reads the capture once or several times, each time from a reader that `open`
    /// returns.
    ///
    /// # Errors
    ///
    /// If the capture cannot be read at all.
    pub fn new<R: io::Read>(
        mut open: impl FnMut() -> Result<Reader<R>, Error>,
        policy: Policy,
        mut each: impl FnMut(&Repair),
    ) -> Result<Self, Error> {
        let mut summary = Summary::new();
        let mut across = false;
        let read = verify::packets(open()?, |buffer| {
            let several = matches!(buffer.places, Places::Runs(_));
            summary.unfollowed_in(buffer);
            for finding in buffer.findings() {
                summary.take(&finding);
                across |= several && matches!(finding.verdict, Verdict::Bad | Verdict::Offloaded);
            }
        });
        let mut repairer = Repairer { read, summary, policy, across: Changes::new() };
        for _ in 0..if across { ROUNDS } else { 0 } {
            let before = repairer.across.len();
            verify::packets(open()?, |buffer| {
                if matches!(buffer.places, Places::Runs(_)) {
                    for repair in repairer.repairs(buffer) {
                        each(&repair);
                        for &(offset, old, new) in &repair.bytes {
                            repairer.across.entry(offset).or_insert((old, old)).1 = new;
                        }
                    }
                }
            });
            if repairer.across.len() == before {
                break;
            }
        }
        Ok(repairer)
    }

    /// Returns the changes of reassembled datagrams and streams, sorted.
    #[must_use]
    pub fn across(&self) -> Vec<Edit> {
        let changed: Vec<_> = self.across.iter().map(|(&at, &(old, new))| (at, old, new)).collect();
        edits(&changed).collect()
    }

    /// Returns the repairs of a buffer. If a check value inside it was repaired in a reassembled
    /// unit, the values that cover it follow.
    #[must_use]
    pub fn repairs(&self, buffer: &Buffer<'_>) -> Vec<Repair> {
        repair(buffer, &self.policy, &self.summary.diagnosis, &self.across)
    }
}

impl Repair {
    /// Returns the changes of the file.
    pub fn edits(&self) -> impl Iterator<Item = Edit> {
        edits(&self.bytes)
    }
}

/// Bytes of the file changed by repairs, by offset: old and new byte.
type Changes = BTreeMap<u64, (u8, u8)>;

/// Returns the repairs of a buffer. `changes` are those made before, which may affect bytes of this
/// buffer (a fragment or segment with a repaired check value).
fn repair(
    buffer: &Buffer<'_>,
    policy: &Policy,
    diagnosis: &Diagnosis,
    changes: &Changes,
) -> Vec<Repair> {
    if buffer.is_cut || buffer.doubt.is_some() {
        return Vec::new();
    }
    let mut bytes = Vec::new();
    let changed_before = apply(buffer, changes, &mut bytes);
    let planned: Vec<(Finding<'_>, Option<Option<Cause>>)> = buffer
        .findings()
        .map(|finding| {
            let cause = match finding.verdict {
                Verdict::Bad | Verdict::Offloaded => Some(diagnosis.cause(&finding)),
                _ => None,
            };
            (finding, cause.filter(|&cause| policy.covers(cause, finding.check)))
        })
        .collect();
    if !changed_before && planned.iter().all(|(_, cause)| cause.is_none()) {
        return Vec::new();
    }
    if bytes.is_empty() {
        bytes.extend_from_slice(buffer.bytes);
    }
    let contested = contested(buffer, changes);
    // Inner before outer: an outer value covers the inner ones.
    let mut repairs = Vec::new();
    for (finding, cause) in planned.iter().rev() {
        let check = finding.check;
        if bytes_of(check).any(|at| contested.binary_search(&at).is_ok()) {
            continue;
        }
        let follows = finding.verdict == Verdict::Good;
        let pieces = &buffer.found.pieces;
        if !(follows || cause.is_some()) || check.verdict(&bytes, pieces) == Verdict::Good {
            continue;
        }
        let Some(value) = check.computed(&bytes, pieces) else { continue };
        let changed = store(check, value, &mut bytes, &buffer.places);
        repairs.push(Repair {
            packet: buffer.packet,
            protocol: check.protocol.name,
            cause: cause.flatten(),
            follows,
            bytes: changed,
        });
    }
    repairs
}

/// Returns edits of changed bytes; adjacent ones are one edit.
pub fn edits(bytes: &[(u64, u8, u8)]) -> impl Iterator<Item = Edit> {
    let runs = bytes.chunk_by(|one, next| one.0 + 1 == next.0);
    runs.flat_map(|run| {
        let old: Vec<u8> = run.iter().map(|byte| byte.1).collect();
        let new: Vec<u8> = run.iter().map(|byte| byte.2).collect();
        Edit::of(run[0].0, &old, &new).collect::<Vec<_>>()
    })
}

/// Applies the changes so far to a copy of the buffer; returns whether there were any.
fn apply(buffer: &Buffer<'_>, changes: &Changes, copy: &mut Vec<u8>) -> bool {
    if changes.is_empty() {
        return false;
    }
    let whole = crate::check::Span { start: 0, end: buffer.bytes.len() as u32 };
    let runs = buffer.places.runs(whole);
    for (number, &(start, place)) in runs.iter().enumerate() {
        let end = runs.get(number + 1).map_or(whole.end, |next| next.0);
        for (&offset, &(_, new)) in changes.range(place..place + u64::from(end - start)) {
            if copy.is_empty() {
                copy.extend_from_slice(buffer.bytes);
            }
            copy[start as usize + (offset - place) as usize] = new;
        }
    }
    !copy.is_empty()
}

/// Returns the bytes that two checks claim for their values, in this buffer or a reassembled unit,
/// sorted: one of the two is not a check value, and nothing shows which.
fn contested(buffer: &Buffer<'_>, changes: &Changes) -> Vec<u32> {
    let mut all: Vec<u32> = buffer.found.checks.iter().flat_map(bytes_of).collect();
    all.sort_unstable();
    let mut contested: Vec<u32> =
        all.windows(2).filter(|two| two[0] == two[1]).map(|two| two[0]).collect();
    if let Places::Contiguous(start) = buffer.places {
        let end = start + buffer.bytes.len() as u64;
        let inside = changes.range(start..end).map(|(at, _)| (at - start) as u32);
        contested.extend(inside.filter(|at| all.binary_search(at).is_ok()));
        contested.sort_unstable();
    }
    contested
}

/// Returns the offsets of the value of a check.
fn bytes_of(check: &Check) -> impl Iterator<Item = u32> {
    check.field.into_iter().flat_map(|span| span.start..span.end)
}

/// Stores a value in a copy of the buffer; returns the changed bytes of the file.
fn store(check: &Check, value: u64, bytes: &mut [u8], places: &Places<'_>) -> Vec<(u64, u8, u8)> {
    let before: Vec<u8> = bytes_of(check).map(|at| bytes[at as usize]).collect();
    check.store(bytes, value);
    let change = |(at, old): (u32, u8)| {
        let (offset, new) = (places.offset(at)?, bytes[at as usize]);
        (old != new).then_some((offset, old, new))
    };
    bytes_of(check).zip(before).filter_map(change).collect()
}
