//! Fields that occur again in their packet, with the bytes around them: a part of the packet was
//! copied over another, as fuzzers do.

use crate::buffer::Finding;
use crate::check::Span;

/// Number of bytes before or behind the field that must occur again with it.
const AROUND: usize = 4;
/// Number of bytes before and behind the field in which it is looked for.
const NEAR: u32 = 1024;

/// Returns the number of values for which the field would occur again, and whether it does.
pub fn of(finding: &Finding<'_>, stored: u64) -> (f64, bool) {
    let [field, rest] = finding.check.field;
    let bytes = finding.buffer.bytes;
    let end = field.end.saturating_add(NEAR).min(bytes.len() as u32);
    let near = Span { start: field.start.saturating_sub(NEAR), end };
    let Some(bytes) = near.of(bytes).filter(|_| rest.is_empty()) else { return (0.0, false) };
    let at = (field.start - near.start) as usize;
    let length = field.len() as usize;
    let (before, behind) = (at.checked_sub(AROUND), at + length);
    let mut values = Vec::new();
    let mut add = |start: usize| {
        let there = bytes.get(start..start + length).filter(|_| start.abs_diff(at) >= length);
        let value = there.map(|there| finding.check.rule.read(there));
        // Where all bytes are equal, so are hundreds of values.
        if value.as_ref() != values.last() {
            values.extend(value);
        }
    };
    let around = |from: usize| Some(u32::from_ne_bytes(*bytes.get(from..)?.first_chunk()?));
    let [before_it, behind_it] = [before.and_then(around), around(behind)];
    for (place, window) in bytes.windows(AROUND).enumerate() {
        let window = window.first_chunk().map(|&window| u32::from_ne_bytes(window));
        if window == before_it && before != Some(place) {
            add(place + AROUND);
        }
        if window == behind_it && place != behind && place >= length {
            add(place - length);
        }
    }
    values.sort_unstable();
    values.dedup();
    (values.len() as f64, values.contains(&stored))
}
