//! Repair: the bytes to change so that check values are right. Nothing but check values is ever changed, and nothing in
//! packets that are good, cut short, or cannot be judged.

use crate::check::{Check, Verdict};
use crate::diagnose::{Cause, Diagnosis, UNKNOWN};
use crate::verify::{Buffer, Finding, Places, judge};
use std::collections::BTreeMap;

/// Which checks to repair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    /// Those with one of these causes, by name.
    pub causes: Vec<String>,
    /// Also in packets whose length is 0, as segmentation offload leaves it. The card cut them into several: with a checksum
    /// over the whole they are not what was sent.
    pub tso: bool,
}

impl Default for Policy {
    /// What is explained without doubt about the data: offloaded checksums and rewritten addresses. A wrong value may be
    /// all that shows that data were corrupted; others are repaired only when asked for.
    fn default() -> Self {
        Policy::of(&[Cause::Offload.name(), Cause::Rewritten.name()])
    }
}

impl Policy {
    /// Repairs what has one of these causes.
    #[must_use]
    pub fn of(causes: &[&str]) -> Self {
        Policy { causes: causes.iter().map(|&cause| cause.to_string()).collect(), tso: false }
    }

    /// Repairs whatever is wrong.
    #[must_use]
    pub fn all() -> Self {
        Policy::of(&Cause::NAMES)
    }

    fn covers(&self, cause: Option<Cause>, check: &Check) -> bool {
        let name = cause.map_or(UNKNOWN, Cause::name);
        (self.tso || !check.length_zero) && self.causes.iter().any(|wanted| wanted == name)
    }
}

/// One check value to be changed in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repair {
    /// The packet it is counted for.
    pub packet: u64,
    /// The check's protocol, by name.
    pub protocol: &'static str,
    /// Why it was wrong; `None` where the cause is unknown, and [`Repair::follows`] where it was right.
    pub cause: Option<Cause>,
    /// Was it right, and has to follow a repair inside of what it covers?
    pub follows: bool,
    /// The bytes: offset in the file, old and new.
    pub bytes: Vec<(u64, u8, u8)>,
}

/// Bytes of the file that repairs changed, by offset: old and new.
pub type Changes = BTreeMap<u64, (u8, u8)>;

/// The repairs of one buffer. `changes` are those made so far: they may have changed bytes of this one (a fragment, or a
/// segment of a stream, inside of which a check value was repaired). The new ones are added.
pub fn repair(
    buffer: &Buffer<'_>,
    policy: &Policy,
    diagnosis: &Diagnosis,
    changes: &mut Changes,
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
    // Inner before outer: an outer value covers the inner ones.
    let mut repairs = Vec::new();
    for (finding, cause) in planned.iter().rev() {
        let check = finding.check;
        let follows = finding.verdict == Verdict::Good;
        let pieces = &buffer.found.pieces;
        if !(follows || cause.is_some()) || judge(check, &bytes, pieces) == Verdict::Good {
            continue;
        }
        let Some(value) = check.computed(&bytes, pieces) else { continue };
        let before = bytes.clone();
        check.store(&mut bytes, value);
        let changed = differences(check, &before, &bytes, &buffer.places);
        for &(offset, old, new) in &changed {
            changes.entry(offset).or_insert((old, old)).1 = new;
        }
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

/// Makes the changes so far in a copy of the buffer. Were there any?
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

fn differences(
    check: &Check,
    before: &[u8],
    after: &[u8],
    places: &Places<'_>,
) -> Vec<(u64, u8, u8)> {
    let fields = check.field.iter().flat_map(|span| span.start..span.end);
    fields
        .filter_map(|at| {
            let (old, new) = (before[at as usize], after[at as usize]);
            let offset = places.offset(at)?;
            (old != new).then_some((offset, old, new))
        })
        .collect()
}
