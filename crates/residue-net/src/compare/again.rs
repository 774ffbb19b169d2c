//! TCP data that are sent again, and what that repaired.

use super::layer::{Flow, Layer};
use crate::lru::Lru;
use std::collections::VecDeque;
use std::ops::Range;

/// Largest number of flows that are followed at a point.
const MOST_FLOWS: usize = 1 << 14;
/// Largest number of holes in the data of a flow, and of segments sent again that are remembered.
const MOST_HOLES: usize = 32;
const MOST_SEGMENTS: usize = 256;

/// A stretch of the data of a flow: the number of its first byte, and its length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    start: u32,
    length: u32,
}

impl Stretch {
    /// Returns the data of a TCP segment of which bytes were sent; one byte alone may be a probe
    /// that keeps a connection alive.
    pub fn of(layer: &Layer, bytes: &[u8]) -> Option<Stretch> {
        let [start, _] = layer.numbers?;
        let length = layer.end.checked_sub(layer.start + layer.data(bytes))?;
        (length > 1).then_some(Stretch { start, length: length as u32 })
    }

    /// Returns the stretch of a range of numbers that count from `base`.
    pub fn of_range(range: &Range<i64>, base: u32) -> Stretch {
        let start = base.wrapping_add(range.start as u32);
        Stretch { start, length: (range.end - range.start) as u32 }
    }

    fn end(self) -> u32 {
        self.start.wrapping_add(self.length)
    }

    /// Returns how far a number is behind the start; negative if it is before.
    fn offset(self, number: u32) -> i32 {
        number.wrapping_sub(self.start) as i32
    }

    fn overlaps(self, other: Stretch) -> bool {
        self.offset(other.end()) > 0 && other.offset(self.end()) > 0
    }
}

/// How far a flow got.
#[derive(Clone, Debug)]
struct Progress {
    /// Number of the byte that follows.
    next: u32,
    /// What was skipped: lost before this point, or overtaken.
    holes: VecDeque<Stretch>,
}

/// The progress of the flows at a point.
#[derive(Debug)]
pub struct Passed(Lru<Flow, Progress>);

impl Default for Passed {
    fn default() -> Passed {
        Passed(Lru::new([MOST_FLOWS]))
    }
}

impl Passed {
    /// Takes the next segment; returns whether all of its data passed the point before.
    pub fn take(&mut self, flow: Flow, stretch: Stretch) -> bool {
        let Some(progress) = self.0.touch(&flow) else {
            let progress = Progress { next: stretch.end(), holes: VecDeque::new() };
            self.0.insert(flow, progress, 0);
            return false;
        };
        let ahead = stretch.offset(progress.next);
        // The numbers of another connection between the same ports.
        if ahead.unsigned_abs() > 1 << 30 {
            *progress = Progress { next: stretch.end(), holes: VecDeque::new() };
            return false;
        }
        if ahead < 0 {
            if progress.holes.len() == MOST_HOLES {
                progress.holes.pop_front();
            }
            let length = ahead.unsigned_abs();
            progress.holes.push_back(Stretch { start: progress.next, length });
        }
        if stretch.offset(progress.next) < stretch.length as i32 {
            progress.next = stretch.end();
            return false;
        }
        let fills = progress.holes.iter().any(|hole| hole.overlaps(stretch));
        if fills {
            let holes = std::mem::take(&mut progress.holes);
            progress.holes = holes.into_iter().flat_map(|hole| hole.without(stretch)).collect();
        }
        !fills
    }
}

impl Stretch {
    /// Returns what is left without another stretch.
    fn without(self, other: Stretch) -> impl Iterator<Item = Stretch> {
        let until = self.offset(other.start).clamp(0, self.length as i32) as u32;
        let from = self.offset(other.end()).clamp(0, self.length as i32) as u32;
        let parts = if self.overlaps(other) {
            [Some((0, until)), Some((from, self.length))]
        } else {
            [Some((0, self.length)), None]
        };
        parts.into_iter().flatten().filter(|(from, to)| from < to).map(move |(from, to)| Stretch {
            start: self.start.wrapping_add(from),
            length: to - from,
        })
    }
}

/// Data that were sent again and arrived.
#[derive(Debug)]
pub struct Repairs(Lru<Flow, VecDeque<Stretch>>);

impl Default for Repairs {
    fn default() -> Repairs {
        Repairs(Lru::new([MOST_FLOWS]))
    }
}

impl Repairs {
    pub fn add(&mut self, flow: Flow, stretch: Stretch) {
        if self.0.touch(&flow).is_none() {
            self.0.insert(flow, VecDeque::new(), 0);
        }
        let Some(list) = self.0.get_mut(&flow) else { return };
        if list.len() == MOST_SEGMENTS {
            list.pop_front();
        }
        list.push_back(stretch);
    }

    /// Returns whether all of this data arrived.
    pub fn cover(&self, flow: &Flow, stretch: Stretch) -> bool {
        let mut left = vec![stretch];
        for &other in self.0.get(flow).into_iter().flatten() {
            left = left.into_iter().flat_map(|it| it.without(other)).collect();
        }
        left.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(start: u32, length: u32) -> Stretch {
        Stretch { start, length }
    }

    fn taken(all: &[(u32, u32)]) -> Vec<bool> {
        let mut passed = Passed::default();
        all.iter().map(|&(start, length)| passed.take(Flow::default(), at(start, length))).collect()
    }

    #[test]
    fn data_sent_again_are_told_from_overtaken_ones() {
        for base in [0, u32::MAX - 250] {
            let of = |all: &[(u32, u32)]| {
                let moved = all.iter().map(|&(start, length)| (base.wrapping_add(start), length));
                taken(&moved.collect::<Vec<_>>())
            };
            assert_eq!(of(&[(0, 100), (100, 100), (0, 100)]), [false, false, true]);
            // Overtaken; then sent again.
            let all = of(&[(0, 100), (200, 100), (100, 100), (100, 100), (300, 100)]);
            assert_eq!(all, [false, false, false, true, false]);
            // A hole that is filled in parts.
            let all = of(&[(0, 100), (400, 100), (200, 50), (100, 100), (250, 150), (250, 150)]);
            assert_eq!(all, [false, false, false, false, false, true]);
            // New data behind old ones.
            assert_eq!(of(&[(0, 100), (50, 100), (0, 150)]), [false, false, true]);
            // Another connection.
            assert_eq!(of(&[(0, 100), (1 << 31, 100), (0, 100)]), [false, false, false]);
        }
    }

    #[test]
    fn what_was_sent_again_covers_what_was_lost() {
        let (flow, base) = (Flow::default(), u32::MAX - 50);
        let mut repairs = Repairs::default();
        assert!(!repairs.cover(&flow, at(base, 100)));
        repairs.add(flow, at(base, 60));
        assert!(!repairs.cover(&flow, at(base, 100)) && repairs.cover(&flow, at(base, 60)));
        repairs.add(flow, at(base.wrapping_add(60), 60));
        assert!(repairs.cover(&flow, at(base, 100)) && repairs.cover(&flow, at(5, 20)));
    }
}
