//! Repair: the bytes to change so that check values become right. Only check values are changed,
//! and none that cannot be judged or that such a value covers.

use crate::Error;
use crate::buffer::{Buffer, Finding, Places};
use crate::check::{Check, Piece, Verdict};
use crate::diagnose::{Cause, CauseKind, Diagnosis};
use crate::pcap::Reader;
use crate::pcap::patch::Edit;
use crate::summary::Summary;
use crate::verify::{self, AnyReader, Read};
use std::collections::BTreeMap;
use std::io;
use std::num::NonZero;

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
        Policy::of([CauseKind::Offload, CauseKind::Rewritten, CauseKind::OffloadRewritten])
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

    /// Returns why this policy leaves a wrong value as it is, if it does.
    fn keeps(&self, cause: Option<Cause>, check: &Check) -> Option<Kept> {
        let cause = CauseKind::from(cause);
        if !self.causes.contains(&cause) {
            Some(Kept::Cause { cause, length_zero: check.length_zero && !self.tso })
        } else if check.length_zero && !self.tso {
            Some(Kept::LengthZero)
        } else {
            None
        }
    }
}

/// The reason why a wrong value is left as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kept {
    /// Its cause is not selected.
    Cause {
        /// The cause.
        cause: CauseKind,
        /// Whether the length of the packet is 0, too.
        length_zero: bool,
    },
    /// The length of the packet is 0, so that its coverage is a guess.
    LengthZero,
    /// Another value, which is cut short and cannot be computed, covers it.
    Cut,
    /// Two check values claim the same bytes.
    Contested,
    /// Length fields contradict each other: no value is right.
    LengthConflict,
    /// The sender left the value out, though it must not.
    Illegal,
}

/// Numbers of values left as they are, by reason and name of the protocol.
pub type Left = BTreeMap<(Kept, &'static str), u64>;

/// The repairs of a buffer, and the wrong values left as they are.
#[derive(Debug, Default)]
pub struct Repairs {
    /// The repairs.
    pub repairs: Vec<Repair>,
    /// The protocols of bad and offloaded values that are left, with the reasons.
    pub kept: Vec<(Kept, &'static str)>,
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
    /// Whether the value was offloaded.
    pub offloaded: bool,
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
    /// Values left in reassembled datagrams and streams, and those without a right value.
    left: Left,
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
        open: impl FnMut() -> Result<Reader<R>, Error>,
        policy: Policy,
        each: impl FnMut(&Repair),
    ) -> Result<Self, Error> {
        let count = |reader, summary: &mut Summary, each: &mut dyn FnMut(&Buffer<'_>)| {
            verify::packets(reader, |buffer| {
                summary.buffer(buffer);
                each(buffer);
            })
        };
        Repairer::of(count, open, policy, each)
    }

    /// Analyses a capture, as [`Repairer::new`], on this many threads.
    ///
    /// # Errors
    ///
    /// If the capture cannot be read at all.
    pub fn on_threads<'a>(
        threads: NonZero<usize>,
        open: impl FnMut() -> Result<AnyReader<'a>, Error>,
        policy: Policy,
        each: impl FnMut(&Repair),
    ) -> Result<Self, Error> {
        let count = |reader, summary: &mut Summary, each: &mut dyn FnMut(&Buffer<'_>)| {
            verify::counted(reader, threads, summary, each)
        };
        Repairer::of(count, open, policy, each)
    }

    /// Analyses a capture. `count` counts all findings, and passes buffers with wrong values on.
    fn of<R: io::Read>(
        count: impl FnOnce(Reader<R>, &mut Summary, &mut dyn FnMut(&Buffer<'_>)) -> Read,
        mut open: impl FnMut() -> Result<Reader<R>, Error>,
        policy: Policy,
        mut each: impl FnMut(&Repair),
    ) -> Result<Self, Error> {
        let mut summary = Summary::new();
        let mut across = false;
        let read = count(open()?, &mut summary, &mut |buffer| {
            let is_wrong = |verdict| matches!(verdict, Verdict::Bad | Verdict::Offloaded);
            across |= matches!(buffer.places, Places::Runs(_))
                && buffer.findings().any(|finding| is_wrong(finding.verdict));
        });
        let left = without_right_value(&summary);
        let mut repairer = Repairer { read, summary, policy, across: Changes::new(), left };
        for round in 0..if across { ROUNDS } else { 0 } {
            let before = repairer.across.len();
            verify::packets(open()?, |buffer| {
                if matches!(buffer.places, Places::Runs(_)) {
                    let Repairs { repairs, kept } = repairer.examine(buffer);
                    for kept in kept.into_iter().filter(|_| round == 0) {
                        *repairer.left.entry(kept).or_default() += 1;
                    }
                    for repair in repairs {
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
        self.examine(buffer).repairs
    }

    /// Returns the repairs of a buffer, as [`Repairer::repairs`], and the values left.
    #[must_use]
    pub fn examine(&self, buffer: &Buffer<'_>) -> Repairs {
        repair(buffer, &self.policy, &self.summary.diagnosis, &self.across)
    }

    /// Returns the values left in reassembled datagrams and streams, and those for which no value
    /// would be right; those left in single packets are returned by [`Repairer::examine`].
    #[must_use]
    pub fn left(&self) -> &Left {
        &self.left
    }
}

/// Returns the values for which no value would be right.
fn without_right_value(summary: &Summary) -> Left {
    let mut left = Left::new();
    for (name, (_, counts)) in summary.protocols() {
        let two = [(Kept::LengthConflict, counts.length_conflict), (Kept::Illegal, counts.illegal)];
        left.extend(two.into_iter().filter(|two| two.1 > 0).map(|(why, n)| ((why, name), n)));
    }
    left
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
) -> Repairs {
    let mut all = Repairs::default();
    if buffer.doubt.is_some() {
        return all;
    }
    let mut bytes = Vec::new();
    let changed_before = apply(buffer, changes, &mut bytes);
    let findings = buffer.findings().map(|finding| diagnosis.judged(finding));
    let planned: Vec<(Finding<'_>, Option<Option<Cause>>)> = findings
        .map(|finding| {
            let plan = plan(&finding, policy, diagnosis);
            if let Some(Err(why)) = plan {
                all.kept.push((why, finding.check.protocol.name));
            }
            (finding, plan.and_then(Result::ok))
        })
        .collect();
    if !changed_before && planned.iter().all(|(_, cause)| cause.is_none()) {
        return all;
    }
    if bytes.is_empty() {
        bytes.extend_from_slice(buffer.bytes);
    }
    let contested = contested(buffer, changes);
    // Inner before outer: an outer value covers the inner ones.
    for (finding, cause) in planned.iter().rev() {
        let check = finding.check;
        let follows = finding.verdict == Verdict::Good;
        if !(follows || cause.is_some()) {
            continue;
        }
        if bytes_of(check).any(|at| contested.binary_search(&at).is_ok()) {
            let wrong = cause.map(|_| (Kept::Contested, check.protocol.name));
            all.kept.extend(wrong);
            continue;
        }
        let pieces = &buffer.found.pieces;
        if check.verdict(&bytes, pieces) == Verdict::Good {
            continue;
        }
        let Some(value) = check.computed(&bytes, pieces) else { continue };
        let changed = store(check, value, &mut bytes, buffer);
        all.repairs.push(Repair {
            packet: buffer.packet,
            protocol: check.protocol.name,
            cause: cause.flatten(),
            follows,
            offloaded: finding.verdict == Verdict::Offloaded,
            bytes: changed,
        });
    }
    all
}

/// Returns the cause of a value to repair, or why it is left; `None` for a value that is not wrong.
fn plan(
    finding: &Finding<'_>,
    policy: &Policy,
    diagnosis: &Diagnosis,
) -> Option<Result<Option<Cause>, Kept>> {
    if !matches!(finding.verdict, Verdict::Bad | Verdict::Offloaded) {
        return None;
    }
    let cause = diagnosis.cause(finding);
    Some(match policy.keeps(cause, finding.check) {
        Some(why) => Err(why),
        None if is_covered_by_cut(finding) => Err(Kept::Cut),
        None => Ok(cause),
    })
}

/// Returns whether a value that cannot be computed covers this one, and would become wrong with it.
fn is_covered_by_cut(finding: &Finding<'_>) -> bool {
    let buffer = finding.buffer;
    let field = finding.check.field[0];
    let covers = |check: &&Check| {
        let pieces = check.cover(&buffer.found.pieces).iter();
        let mut spans = pieces.filter_map(|piece| match piece {
            Piece::Bytes(span) => Some(*span),
            _ => None,
        });
        spans.any(|span| span.start < field.end && field.start < span.end)
    };
    buffer.is_cut
        && buffer.found.checks.iter().filter(covers).any(|check| {
            matches!(check.verdict(buffer.bytes, &buffer.found.pieces), Verdict::Unverifiable(_))
        })
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
fn store(check: &Check, value: u64, bytes: &mut [u8], buffer: &Buffer<'_>) -> Vec<(u64, u8, u8)> {
    let before: Vec<u8> = bytes_of(check).map(|at| bytes[at as usize]).collect();
    check.store(bytes, value);
    let bytes = &*bytes;
    let changed = bytes_of(check).zip(before).filter(|&(at, old)| bytes[at as usize] != old);
    changed
        .flat_map(|(at, old)| {
            buffer.offsets(at).map(move |offset| (offset, old, bytes[at as usize]))
        })
        .collect()
}
