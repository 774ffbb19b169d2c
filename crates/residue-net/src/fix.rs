//! Repair: the bytes to change so that check values are right. Nothing but check values is ever
//! changed, and nothing in packets that are good, cut short, or cannot be judged.

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

/// Which checks to repair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    /// Those with a cause of one of these kinds.
    pub causes: Vec<CauseKind>,
    /// Also in packets whose length is 0, as segmentation offload leaves it. The card cut them into
    /// several: with a checksum over the whole they are not what was sent.
    pub tso: bool,
}

impl Default for Policy {
    /// What is explained without doubt about the data: offloaded checksums and rewritten addresses.
    /// A wrong value may be all that shows that data were corrupted; others are repaired only when
    /// asked for.
    fn default() -> Self {
        Policy::of([CauseKind::Offload, CauseKind::Rewritten])
    }
}

impl Policy {
    /// Repairs what has a cause of one of these kinds.
    #[must_use]
    pub fn of(causes: impl IntoIterator<Item = CauseKind>) -> Self {
        Policy { causes: causes.into_iter().collect(), tso: false }
    }

    /// Repairs whatever is wrong.
    #[must_use]
    pub fn all() -> Self {
        Policy::of(CauseKind::ALL)
    }

    fn covers(&self, cause: Option<Cause>, check: &Check) -> bool {
        (self.tso || !check.length_zero) && self.causes.contains(&cause.into())
    }
}

/// One check value to be changed in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repair {
    /// The packet it is counted for.
    pub packet: u64,
    /// The check's protocol, by name.
    pub protocol: &'static str,
    /// Why it was wrong; `None` where the cause is unknown, and where it was right.
    pub cause: Option<Cause>,
    /// Valid before; changes only because data it covers is repaired.
    pub follows: bool,
    /// The bytes: offset in the file, old and new.
    pub bytes: Vec<(u64, u8, u8)>,
}

/// How often datagrams and streams inside of each other are gone through.
const ROUNDS: usize = 4;

/// The repair of a capture: what is known of it as a whole.
#[derive(Debug)]
pub struct Repairer {
    /// What was read.
    pub read: Read,
    /// All findings, counted, before any repair.
    pub summary: Summary,
    policy: Policy,
    across: Changes,
}

impl Repairer {
    /// Learns what is wrong with a capture, and repairs what is put together from several packets:
    /// those repairs are shown to `each`. The capture is read once, or several times, each time
    /// from what `open` gives.
    ///
    /// # Errors
    ///
    /// If it cannot be read at all.
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

    /// The changes in what is put together from several packets, sorted.
    #[must_use]
    pub fn across(&self) -> Vec<Edit> {
        let changed: Vec<_> = self.across.iter().map(|(&at, &(old, new))| (at, old, new)).collect();
        edits(&changed).collect()
    }

    /// The repairs of one buffer. Where a check value inside of what it is a part of was repaired,
    /// its own follow.
    #[must_use]
    pub fn repairs(&self, buffer: &Buffer<'_>) -> Vec<Repair> {
        repair(buffer, &self.policy, &self.summary.diagnosis, &self.across)
    }
}

impl Repair {
    /// The changes of the file.
    pub fn edits(&self) -> impl Iterator<Item = Edit> {
        edits(&self.bytes)
    }
}

/// Bytes of the file that repairs changed, by offset: old and new.
type Changes = BTreeMap<u64, (u8, u8)>;

/// The repairs of one buffer. `changes` are those made so far: they may have changed bytes of this
/// one (a fragment, or a segment of a stream, inside of which a check value was repaired).
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

/// Changed bytes, those that stand together as one edit.
pub fn edits(bytes: &[(u64, u8, u8)]) -> impl Iterator<Item = Edit> {
    let runs = bytes.chunk_by(|one, next| one.0 + 1 == next.0);
    runs.flat_map(|run| {
        let old: Vec<u8> = run.iter().map(|byte| byte.1).collect();
        let new: Vec<u8> = run.iter().map(|byte| byte.2).collect();
        Edit::of(run[0].0, &old, &new).collect::<Vec<_>>()
    })
}

/// Makes the changes so far in a copy of the buffer. Returns whether there were any.
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

/// Bytes that two checks claim for their values, or one check here and another in what is put
/// together from several packets, sorted: one of the two is no check value, and nothing shows
/// which.
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

/// Returns the offsets of a check's value.
fn bytes_of(check: &Check) -> impl Iterator<Item = u32> {
    check.field.into_iter().flat_map(|span| span.start..span.end)
}

/// Stores a value in a copy of the buffer, and says what that changes in the file.
fn store(check: &Check, value: u64, bytes: &mut [u8], places: &Places<'_>) -> Vec<(u64, u8, u8)> {
    let before: Vec<u8> = bytes_of(check).map(|at| bytes[at as usize]).collect();
    check.store(bytes, value);
    let change = |(at, old): (u32, u8)| {
        let (offset, new) = (places.offset(at)?, bytes[at as usize]);
        (old != new).then_some((offset, old, new))
    };
    bytes_of(check).zip(before).filter_map(change).collect()
}
