//! Values of packets that are right: a packet that was changed after its value was computed may
//! have one. And what contradicts itself in them.

use super::contradiction::{self, Contradictions};
use crate::buffer::Finding;
use crate::check::Verdict;
use std::collections::{BTreeMap, HashSet};

/// Number of right values that are looked at, from the first.
const LOOKS: u64 = 1 << 14;
/// Largest number of stored values; if there are so many, that one of them fits proves nothing.
const MOST: usize = 1 << 12;

/// Different values that are right, or the sum of a pseudo-header for a network card to complete.
#[derive(Clone, Debug, Default)]
pub struct RightValues {
    values: HashSet<(&'static str, u64)>,
    counts: BTreeMap<&'static str, u64>,
    looks: u64,
    contradictions: Contradictions,
}

impl RightValues {
    /// Returns whether the values of more findings are stored.
    #[inline]
    pub fn learns(&self) -> bool {
        self.looks < LOOKS
    }

    /// Stores the value of a finding, if it is right and among the first.
    #[inline]
    pub fn learn(&mut self, finding: &Finding<'_>) {
        if self.learns() && matches!(finding.verdict, Verdict::Good | Verdict::Offloaded) {
            self.store(finding);
        }
    }

    fn store(&mut self, finding: &Finding<'_>) {
        self.looks += 1;
        if finding.verdict == Verdict::Good {
            self.contradictions.merge(contradiction::of(finding).unwrap_or_default());
        }
        let protocol = finding.check.protocol.name;
        if let Some(stored) = finding.stored()
            && self.values.len() < MOST
            && self.values.insert((protocol, stored))
        {
            *self.counts.entry(protocol).or_default() += 1;
        }
    }

    /// Returns the contradictions of packets with right values, which prove nothing.
    pub fn contradictions(&self) -> Contradictions {
        self.contradictions
    }

    /// Returns whether a value of a protocol is stored.
    pub fn contains(&self, protocol: &'static str, value: u64) -> bool {
        self.values.contains(&(protocol, value))
    }

    /// Returns the number of stored values of a protocol.
    pub fn count(&self, protocol: &str) -> u64 {
        self.counts.get(protocol).copied().unwrap_or_default()
    }
}
