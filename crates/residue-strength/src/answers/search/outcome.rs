//! The outcome of a search, or of several over ranges.

use super::range::{Range, count};
use super::{Fault, Found, Question, Search, Task};
use crate::{Error, Kind};
use std::ops;

/// The polynomials found, and the candidates not tried.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The task.
    pub task: Task,
    /// One of each pair of mirror images, the longest data first, then by number; in a survey by
    /// number.
    pub found: Vec<Found>,
    /// The candidates that were not tried, in words; empty if all were.
    pub missing: Vec<String>,
    /// The share of the candidates that were tried.
    pub tried: f64,
}

impl Outcome {
    /// Returns the outcome of one search.
    #[must_use]
    pub fn of(search: &Search) -> Outcome {
        Outcome::joined(search.task, &[search])
    }

    /// Merges searches with one task, in ranges that do not overlap, each with the name of its
    /// file.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Search`] if there is none, if the tasks differ, or if two searches tried
    /// the same candidates.
    pub fn merge(parts: &[(String, Search)]) -> Result<Outcome, Error> {
        let Some((_, first)) = parts.first() else { return Err(Error::Search(Fault::Nothing)) };
        for (i, (path, part)) in parts.iter().enumerate() {
            if part.task != first.task {
                let (holds, asked) = (part.task.to_string(), first.task.to_string());
                return Err(Error::Search(Fault::Foreign { path: path.clone(), holds, asked }));
            }
            let own = part.range.candidates(part.task.width);
            for (other, before) in &parts[..i] {
                let range = before.range.candidates(before.task.width);
                if own.start < range.end && range.start < own.end {
                    return Err(Error::Search(Fault::Overlap {
                        paths: [other.clone(), path.clone()],
                    }));
                }
            }
        }
        let all: Vec<&Search> = parts.iter().map(|(_, part)| part).collect();
        Ok(Outcome::joined(first.task, &all))
    }

    fn joined(task: Task, parts: &[&Search]) -> Outcome {
        let mut found: Vec<Found> =
            parts.iter().flat_map(|part| part.found.values().cloned()).collect();
        if let Question::Longest { .. } = task.question {
            let longest = found.iter().map(Found::data).max();
            found.retain(|found| Some(found.data()) == longest);
        }
        match task.question {
            Question::Survey => found.sort_by_key(|found| found.generator.explicit()),
            _ => found
                .sort_by_key(|found| (std::cmp::Reverse(found.data()), found.generator.explicit())),
        }
        let done: Vec<ops::Range<u64>> =
            parts.iter().map(|part| part.range.candidates(task.width).start..part.next).collect();
        let tried: u64 = done.iter().map(|done| done.end - done.start).sum();
        let of = parts.iter().map(|part| part.range.of()).max().unwrap_or(1);
        let missing =
            if tried == count(task.width) { Vec::new() } else { missing(task, of, &done) };
        Outcome { task, found, missing, tried: tried as f64 / count(task.width) as f64 }
    }

    /// Returns whether the outcome is complete, or a lower bound.
    #[must_use]
    pub fn kind(&self) -> Kind {
        let longest = matches!(self.task.question, Question::Longest { .. });
        let known = |found: &Found| found.limits.iter().all(|limit| limit.kind == Kind::Exact);
        if self.missing.is_empty() && (!longest || self.found.iter().all(known)) {
            Kind::Exact
        } else {
            Kind::AtLeast
        }
    }
}

/// Returns the ranges of `of` that are not among those done.
fn missing(task: Task, of: u64, done: &[ops::Range<u64>]) -> Vec<String> {
    let mut done: Vec<&ops::Range<u64>> = done.iter().collect();
    done.sort_by_key(|done| done.start);
    let (mut words, mut whole) = (Vec::new(), Vec::<(u64, u64)>::new());
    // The first that may still reach into the range.
    let mut from = 0;
    for index in 1..=of {
        let Ok(range) = Range::new(index, of) else { continue };
        let range = range.candidates(task.width);
        while done.get(from).is_some_and(|done| done.end <= range.start) {
            from += 1;
        }
        let tried: u64 = done[from..]
            .iter()
            .take_while(|done| done.start < range.end)
            .map(|done| done.end.min(range.end) - done.start.max(range.start))
            .sum();
        let all = range.end - range.start;
        match whole.last_mut() {
            _ if tried == all => {}
            Some((_, last)) if tried == 0 && *last == index - 1 => *last = index,
            _ if tried == 0 => whole.push((index, index)),
            _ => words.push(format!(
                "{:.0} % of range {index}/{of}",
                100.0 * (all - tried) as f64 / all as f64
            )),
        }
    }
    words.extend(whole.into_iter().map(|(first, last)| match last - first {
        0 => format!("range {first}/{of}"),
        _ => format!("ranges {first}/{of} to {last}/{of}"),
    }));
    words
}
