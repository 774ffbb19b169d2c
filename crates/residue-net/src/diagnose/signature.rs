//! The explanations that fit a value, as a key for counting values.

use super::alone::Test;
use super::cause::{CauseKind, Shown};
use super::contradiction::Contradictions;
use super::rewritten::{Amount, Base};
use crate::address::Address;
use crate::buffer::Finding;
use crate::check::Protocol;
use crate::wire::ipv4;

/// Number of kinds of causes.
const KINDS: usize = CauseKind::ALL.len();

/// The explanations that fit a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Signature {
    /// Protocol of the check.
    pub protocol: &'static Protocol,
    /// Which of [`CauseKind::ALL`] fit by the packet alone.
    pub alone: [bool; KINDS],
    /// What contradicts itself in the packet.
    pub contradictions: Contradictions,
    /// Whether it is an IPv4 header with the checksum zero.
    pub is_zero_header: bool,
    /// Source and destination address, where they matter.
    pub ends: Option<[Address; 2]>,
    /// Amounts that explain the value, for each of [`Base::ALL`].
    pub lacking: [Option<u16>; Base::ALL.len()],
    /// The stored value, which other packets may have, too.
    pub stored: Option<u64>,
}

impl Signature {
    /// Returns the signature of a bad value, for which all tests were made.
    pub fn of(
        finding: &Finding<'_>,
        tests: &[Test],
        contradictions: Option<Contradictions>,
    ) -> Signature {
        let fits =
            |kind: CauseKind| tests.iter().any(|test| test.kind == kind && test.fits.is_some());
        let alone = CauseKind::ALL.map(fits);
        let is_one = |kind: CauseKind| kind.shown() == Some(Shown::OneValue) && fits(kind);
        let is_strong = CauseKind::ALL.into_iter().any(is_one);
        let is_zero_header = is_zero_header(finding);
        let lacking = if is_strong { [None; Base::ALL.len()] } else { Amount::lacking(finding) };
        let [source, destination] = finding.addresses().map(Address::new);
        // Of a zero header, only the sender matters.
        let ends = [source, if is_zero_header { Address::default() } else { destination }];
        let has_ends = is_zero_header || lacking.iter().any(Option::is_some);
        Signature {
            protocol: finding.check.protocol,
            alone,
            contradictions: contradictions.unwrap_or_default(),
            is_zero_header,
            ends: has_ends.then_some(ends),
            lacking,
            stored: finding.stored().filter(|_| !is_strong),
        }
    }

    /// Returns whether a cause fits by the packet alone, if right packets contradict themselves in
    /// `usual`.
    pub fn fits(&self, kind: CauseKind, usual: Contradictions) -> bool {
        let is_usual = || !self.contradictions.any_except(usual);
        self.alone[kind as usize] && !(kind == CauseKind::Contradiction && is_usual())
    }

    /// Returns whether a small change of the packet fits.
    pub fn is_near(&self) -> bool {
        [CauseKind::FlippedBit, CauseKind::ChangedByte]
            .iter()
            .any(|&kind| self.alone[kind as usize])
    }

    /// Returns the amount from a base that explains the value.
    pub fn amount(&self, base: Base) -> Option<Amount> {
        let [source, destination] = self.ends?;
        Some(Amount { source, destination, base, lacking: self.lacking[base as usize]? })
    }

    /// Returns the amounts that explain the value.
    pub fn amounts(&self) -> impl Iterator<Item = Amount> {
        Base::ALL.into_iter().filter_map(|base| self.amount(base))
    }
}

/// The values with a signature.
#[derive(Clone, Debug, Default)]
pub struct Values {
    /// Number of values.
    pub count: u64,
    /// Number of different values: a packet that is sent again is no additional evidence.
    pub different: u64,
    /// Some of the different values, hashed.
    known: Vec<u32>,
    /// Number of values that the rule allows.
    pub possible: f64,
    /// Numbers of fits by chance, for each of [`CauseKind::ALL`].
    expected: [f32; KINDS],
}

impl Values {
    /// Largest number of values to remember; after that, all count as different.
    const MOST_KNOWN: usize = 64;

    /// Counts a value; returns whether it is a new one.
    pub fn count(&mut self, stored: u64, computed: u64, tests: &[Test]) -> bool {
        self.count += 1;
        let both = stored.rotate_left(32) ^ computed;
        let hash = (both.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as u32;
        if self.known.contains(&hash) {
            return false;
        }
        if self.known.len() < Values::MOST_KNOWN {
            self.known.push(hash);
        }
        self.different += 1;
        for test in tests {
            self.expected[test.kind as usize] += test.expected as f32;
        }
        true
    }

    /// Returns the number of fits of a cause by chance.
    pub fn expected(&self, kind: CauseKind) -> f64 {
        f64::from(self.expected[kind as usize])
    }

    /// Adds other values with this signature.
    pub fn add(&mut self, other: &Values) {
        self.count += other.count;
        self.different += other.different;
        for (sum, more) in self.expected.iter_mut().zip(other.expected) {
            *sum += more;
        }
    }
}

/// Returns whether a finding is on an IPv4 header whose checksum is zero.
pub fn is_zero_header(finding: &Finding<'_>) -> bool {
    std::ptr::eq(finding.check.protocol, &ipv4::HEADER) && finding.stored() == Some(0)
}
