//! The numbers and bits in messages that may describe a value.

use crate::identify::relation::Column;
use std::collections::HashSet;

/// Bytes at either end of a message that are compared with the value.
const EDGE: usize = 64;

/// Where a message has its value, if that is a part of it: the first byte by the length, and the
/// number of bytes.
pub(super) type Hole<'a> = Option<(&'a dyn Fn(usize) -> Option<usize>, usize)>;

/// A column with its number in each message.
pub(super) struct Numbers {
    pub column: Column,
    pub values: Vec<u128>,
}

/// Returns whether a column has bytes of the hole in any message.
fn overlaps(column: &Column, messages: &[&[u8]], hole: Hole) -> bool {
    let Some((place, bytes)) = hole else { return false };
    messages.iter().any(|message| match (column.place(message.len()), place(message.len())) {
        (Some(own), Some(at)) => own < at + bytes && at < own + column.bytes,
        _ => true,
    })
}

/// Returns the places that all messages have near their ends, for this number of bytes.
fn places(messages: &[&[u8]], bytes: usize) -> Vec<(usize, bool)> {
    let lengths = || messages.iter().map(|message| message.len());
    let shortest = lengths().min().unwrap_or(0);
    let starts = (0..EDGE.min((shortest + 1).saturating_sub(bytes))).map(|at| (at, false));
    // With one length, the place counted from the end is another name of that from the start, but
    // for those that are far from it.
    let one_length = lengths().max() == Some(shortest);
    let ends = (bytes..=EDGE.min(shortest)).map(|at| (at, true));
    let ends = ends.filter(|(at, _)| !one_length || shortest - at >= EDGE);
    starts.chain(ends).collect()
}

/// Returns the columns that are not the same in all messages, without copies.
pub(super) fn columns(messages: &[&[u8]], most: usize, hole: Hole) -> Vec<Numbers> {
    let mut columns: Vec<Numbers> = Vec::new();
    let mut known: HashSet<Vec<u128>> = HashSet::new();
    for bytes in [1, 2, 3, 4, 8, 16].into_iter().filter(|&bytes| bytes <= most) {
        for (at, from_end) in places(messages, bytes) {
            for little in [false, true].into_iter().take(if bytes == 1 { 1 } else { 2 }) {
                let column = Column { at, from_end, bytes, little };
                if overlaps(&column, messages, hole) {
                    continue;
                }
                let values = messages.iter().map(|message| column.number(message));
                let Some(values) = values.collect::<Option<Vec<u128>>>() else { continue };
                let varies = values.iter().any(|value| *value != values[0]);
                if varies && known.insert(values.clone()) {
                    columns.push(Numbers { column, values });
                }
            }
        }
    }
    columns
}

/// A bit of the messages: in each message one bit of a vector.
pub(super) type Mark = (u128, (Column, u32));

/// Returns the bits that are not the same in all messages, without copies.
pub(super) fn marks(messages: &[&[u8]], hole: Hole) -> Vec<Mark> {
    let mut marks: Vec<Mark> = Vec::new();
    let mut known: HashSet<u128> = HashSet::new();
    let all = u128::MAX >> (128 - messages.len());
    for (at, from_end) in places(messages, 1) {
        let column = Column { at, from_end, bytes: 1, little: false };
        if overlaps(&column, messages, hole) {
            continue;
        }
        for exponent in 0..8 {
            let bit = |message: &&[u8]| column.number(message).unwrap_or(0) >> exponent & 1;
            let vector = messages.iter().enumerate().map(|(i, message)| bit(message) << i).sum();
            if vector != 0 && vector != all && known.insert(vector) {
                marks.push((vector, (column, exponent)));
            }
        }
    }
    marks
}
