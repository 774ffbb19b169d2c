//! Causes of the bad checks of a capture, by all its packets.
//!
//! A value by itself proves little: a flipped bit explains one random checksum in 2048. Therefore
//! findings are only collected at first, by the explanations that fit them, and a cause is named if
//! it fits more often than chance would have it ([`Chance::LIMIT`]).

use super::alone::{self, Test};
use super::rewritten::{Addresses, Amount, Base, pseudo_sum};
use super::{Cause, CauseKind, Chance, Rewrite};
use crate::address::Address;
use crate::buffer::Finding;
use crate::check::{Protocol, Reason, Verdict};
use crate::wire::ipv4;
use std::collections::{BTreeMap, HashMap};
use std::sync::OnceLock;

/// Largest number of stored signatures, amounts, pairs of addresses, and senders, each.
const MOST: usize = 1 << 16;

/// Kinds of causes that a packet shows alone, in the order in which they are considered.
const ALONE: [CauseKind; 11] = [
    CauseKind::NegativeZero,
    CauseKind::Zeroed,
    CauseKind::Filled,
    CauseKind::NotComplemented,
    CauseKind::ByteSwapped,
    CauseKind::OtherDestination,
    CauseKind::NoPseudoHeader,
    CauseKind::OtherLength,
    CauseKind::FlippedBit,
    CauseKind::ChangedByte,
    CauseKind::Contradiction,
];
/// Number of these that allow one or two values: others are not considered beside them.
const STRONG: usize = 7;

/// Numbers of checks by kind of cause and name of the protocol.
pub type Tally = BTreeMap<(CauseKind, &'static str), u64>;
/// Probabilities of fitting by chance, by kind of cause and name of the protocol.
pub type Chances = BTreeMap<(CauseKind, &'static str), Chance>;

/// The explanations that fit a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Signature {
    protocol: &'static Protocol,
    /// Which of [`ALONE`] fit.
    alone: [bool; ALONE.len()],
    amounts: [Option<Amount>; 3],
    /// The stored value, which other packets may have, too.
    stored: Option<u64>,
    /// The sender of an IPv4 header whose checksum is zero.
    zero_from: Option<Address>,
}

/// The values with a signature.
#[derive(Clone, Debug, Default)]
struct Values {
    count: u64,
    /// Number of different values: a packet that is sent again is no additional evidence.
    different: u64,
    /// Some of the different values, hashed.
    known: Vec<u32>,
    /// Number of values that the rule allows.
    possible: f64,
    /// Numbers of fits by chance, for each of [`ALONE`].
    expected: [f64; ALONE.len()],
}

impl Values {
    /// Largest number of values to remember; after that, all count as different.
    const MOST_KNOWN: usize = 64;

    /// Counts a value; returns whether it is a new one.
    fn count(&mut self, stored: u64, computed: u64, tests: &[Test]) -> bool {
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
            if let Some(place) = ALONE.iter().position(|&kind| kind == test.kind) {
                self.expected[place] += test.expected;
            }
        }
        true
    }

    fn add(&mut self, other: &Values) {
        self.count += other.count;
        self.different += other.different;
        for (sum, more) in self.expected.iter_mut().zip(other.expected) {
            *sum += more;
        }
    }
}

/// Packets that lack an amount.
#[derive(Clone, Copy, Debug)]
struct Evidence {
    /// Number of different values.
    packets: u64,
    ports: Option<[u16; 2]>,
    several_ports: bool,
    stored: u64,
    several_stored: bool,
}

/// Values of a protocol that are offloaded.
#[derive(Clone, Copy, Debug, Default)]
struct Offloads {
    count: u64,
    /// Number of changes from one value to another.
    different: u64,
    last: Option<u64>,
}

/// Causes that are established.
#[derive(Debug, Default)]
struct Established {
    alone: Chances,
    amounts: HashMap<Amount, Chance>,
    copied: HashMap<Copied, Chance>,
}

/// A protocol, and a value that is stored in several packets.
type Copied = (&'static str, u64);

/// Causes of the bad checks of a capture.
#[derive(Debug, Default)]
pub struct Diagnosis {
    signatures: HashMap<Signature, Values>,
    amounts: HashMap<Amount, Evidence>,
    /// Numbers of different packets with a value.
    copies: HashMap<Copied, u64>,
    /// Numbers of different values between two addresses.
    pairs: HashMap<[Address; 2], u64>,
    offloads: BTreeMap<&'static str, Offloads>,
    /// Senders that leave checksums to the network card.
    offloading: HashMap<Address, u64>,
    any_zero_header: bool,
    any_rewritten: bool,
    addresses: Addresses,
    established: OnceLock<Established>,
}

impl Diagnosis {
    /// Learns from a finding; pass every finding of a capture, including good ones, whose addresses
    /// may be the original ones of others.
    #[inline]
    pub fn learn(&mut self, finding: &Finding<'_>) {
        self.addresses.learn(finding, self.any_rewritten);
        match finding.verdict {
            Verdict::Bad => self.learn_bad(finding),
            Verdict::Offloaded => self.learn_offloaded(finding),
            Verdict::Unverifiable(Reason::Cut) if self.any_zero_header => self.learn_cut(finding),
            _ => {}
        }
    }

    fn learn_offloaded(&mut self, finding: &Finding<'_>) {
        let offloads = self.offloads.entry(finding.check.protocol.name).or_default();
        let stored = finding.stored();
        offloads.count += 1;
        offloads.different += u64::from(offloads.last != stored);
        offloads.last = stored;
        self.offloading_sender(finding);
    }

    fn offloading_sender(&mut self, finding: &Finding<'_>) {
        self.established.take();
        let sender = Address::new(finding.addresses()[0]);
        if self.offloading.len() < MOST || self.offloading.contains_key(&sender) {
            *self.offloading.entry(sender).or_default() += 1;
        }
    }

    /// Learns from a value that is cut short: whether it is the sum of the pseudo-header.
    fn learn_cut(&mut self, finding: &Finding<'_>) {
        let stored = finding.stored();
        if finding.check.rule.is_internet()
            && stored.is_some()
            && [true, false].into_iter().any(|length| pseudo_sum(finding, length) == stored)
        {
            self.offloading_sender(finding);
        }
    }

    fn learn_bad(&mut self, finding: &Finding<'_>) {
        self.established.take();
        let tests = alone::tests(finding);
        let mut signature = Signature::of(finding, &tests);
        self.any_zero_header |= signature.zero_from.is_some();
        if self.signatures.len() >= MOST && !self.signatures.contains_key(&signature) {
            self.compact();
            if self.signatures.len() >= MOST {
                signature = signature.without_evidence();
            }
        }
        let (stored, computed) =
            (finding.stored().unwrap_or_default(), finding.computed().unwrap_or_default());
        let values = self.signatures.entry(signature).or_default();
        values.possible = alone::values(finding.check.rule);
        if !values.count(stored, computed, &tests) {
            return;
        }
        let ports = finding.check.ports;
        for amount in signature.amounts.into_iter().flatten() {
            let evidence = self.amounts.entry(amount).or_insert(Evidence {
                packets: 0,
                ports,
                several_ports: false,
                stored,
                several_stored: false,
            });
            evidence.packets += 1;
            evidence.several_ports |= evidence.ports != ports;
            evidence.several_stored |= evidence.stored != stored;
            self.any_rewritten |= evidence.packets > 1;
        }
        if let Some(stored) = signature.stored {
            *self.copies.entry((signature.protocol.name, stored)).or_default() += 1;
        }
        if let Some(amount) = signature.amounts[0] {
            *self.pairs.entry([amount.source, amount.destination]).or_default() += 1;
        }
    }

    /// Forgets the amounts that only one value lacks, and values that only one packet has.
    fn compact(&mut self) {
        self.copies.retain(|_, packets| *packets > 1);
        self.amounts.retain(|_, evidence| evidence.packets > 1);
        let old = std::mem::take(&mut self.signatures);
        for (mut signature, values) in old {
            let known = |amount: &Amount| self.amounts.contains_key(amount);
            signature.amounts = signature.amounts.map(|amount| amount.filter(known));
            let protocol = signature.protocol.name;
            let is_copied = |stored: &u64| self.copies.contains_key(&(protocol, *stored));
            signature.stored = signature.stored.filter(is_copied);
            let merged = self.signatures.entry(signature).or_default();
            if merged.count == 0 { *merged = values } else { merged.add(&values) }
        }
    }

    fn established(&self) -> &Established {
        self.established.get_or_init(|| self.establish())
    }

    fn establish(&self) -> Established {
        let mut established = Established::default();
        for (amount, evidence) in &self.amounts {
            // With one stored value, nothing shows that it is a sum.
            if amount.base != Base::Complete && !evidence.several_stored {
                continue;
            }
            let all = self.pairs.get(&[amount.source, amount.destination]);
            let chance = amount.chance(evidence.packets, all.copied().unwrap_or_default());
            if chance.is_small() {
                established.amounts.insert(*amount, chance);
            }
        }
        let mut different: BTreeMap<&'static str, (u64, f64)> = BTreeMap::new();
        for (signature, values) in &self.signatures {
            let (count, possible) = different.entry(signature.protocol.name).or_default();
            *count += values.different;
            *possible = values.possible;
        }
        for (&(protocol, stored), &packets) in &self.copies {
            let (all, possible) = different.get(protocol).copied().unwrap_or_default();
            let chance = Chance::of_equal(all, packets, possible);
            if chance.is_small() {
                established.copied.insert((protocol, stored), chance);
            }
        }
        // Each kind is tested on the values that nothing before it explains; what allows only one
        // value comes first, and was tested on all.
        for (place, kind) in ALONE.into_iter().enumerate() {
            let mut tested: BTreeMap<&'static str, (f64, u64)> = BTreeMap::new();
            for (signature, values) in &self.signatures {
                if place >= STRONG && self.decide(signature, &established).is_some() {
                    continue;
                }
                let (expected, fits) = tested.entry(signature.protocol.name).or_default();
                *expected += values.expected[place];
                *fits += if signature.alone[place] { values.different } else { 0 };
            }
            for (protocol, (expected, fits)) in tested {
                let chance = Chance::of_fits(expected, fits);
                if fits > 0 && chance.is_small() {
                    established.alone.insert((kind, protocol), chance);
                }
            }
        }
        established
    }

    /// Returns the kind of cause of values with a signature, with its chance; `None` if nothing
    /// explains them.
    fn decide(
        &self,
        signature: &Signature,
        established: &Established,
    ) -> Option<(CauseKind, Chance)> {
        let protocol = signature.protocol.name;
        let alone = |range: std::ops::Range<usize>| {
            range.filter(|&place| signature.alone[place]).find_map(|place| {
                let kind = ALONE[place];
                let &chance = established.alone.get(&(kind, protocol))?;
                Some((kind, chance))
            })
        };
        if let Some(chance) = self.offloaded_header(signature) {
            return Some((CauseKind::Offload, chance));
        }
        let amount = |amount: Amount| {
            let &chance = established.amounts.get(&amount)?;
            Some((amount.base.kind(), chance))
        };
        alone(0..STRONG)
            .or_else(|| {
                let amounts = signature.amounts.into_iter().flatten().filter_map(amount);
                amounts.min_by(|one, other| one.1.log10().total_cmp(&other.1.log10()))
            })
            .or_else(|| {
                let &chance = established.copied.get(&(protocol, signature.stored?))?;
                Some((CauseKind::Copied, chance))
            })
            .or_else(|| alone(STRONG..ALONE.len()))
    }

    /// Returns the chance of a zero IPv4 header checksum of a sender that leaves others to its
    /// network card; `None` for anything else.
    fn offloaded_header(&self, signature: &Signature) -> Option<Chance> {
        let &others = self.offloading.get(&signature.zero_from?)?;
        // Each of the others may have been one of two sums by chance; and so was the zero.
        (others > 0).then(|| Chance::of_fits(2.0 / 65535.0 / 65535.0, 1))
    }

    /// Returns the finding with the verdict *offloaded* in place of *bad* for an IPv4 header that
    /// its sender left to the network card, as other packets show.
    #[must_use]
    pub fn judged<'a>(&self, finding: Finding<'a>) -> Finding<'a> {
        let is_offloaded = finding.verdict == Verdict::Bad
            && zero_from(&finding).is_some_and(|sender| self.offloading.contains_key(&sender));
        let verdict = if is_offloaded { Verdict::Offloaded } else { finding.verdict };
        Finding { verdict, ..finding }
    }

    /// Returns whether a sender leaves checksums to its network card.
    #[must_use]
    pub fn offloads(&self, sender: &Address) -> bool {
        self.offloading.contains_key(sender)
    }

    /// Returns the number of IPv4 headers whose verdict [`Diagnosis::judged`] changes.
    #[must_use]
    pub fn offloaded_headers(&self) -> u64 {
        let signatures = self.signatures.iter();
        let zero = signatures.filter(|(it, _)| self.offloaded_header(it).is_some());
        zero.map(|(_, values)| values.count).sum()
    }

    /// Returns the numbers of checks by cause.
    #[must_use]
    pub fn tally(&self) -> Tally {
        let mut tally = Tally::new();
        for (&protocol, offloads) in &self.offloads {
            *tally.entry((CauseKind::Offload, protocol)).or_default() += offloads.count;
        }
        let established = self.established();
        for (signature, values) in &self.signatures {
            let cause = self.decide(signature, established);
            let kind = cause.map_or(CauseKind::Unknown, |(kind, _)| kind);
            *tally.entry((kind, signature.protocol.name)).or_default() += values.count;
        }
        tally
    }

    /// Returns for each cause the probability that it fits by chance as often as it does; of
    /// several rewritings, the largest.
    #[must_use]
    pub fn chances(&self) -> Chances {
        let mut chances = Chances::new();
        let mut add = |key, chance: Chance| {
            chances
                .entry(key)
                .and_modify(|known: &mut Chance| *known = known.max(chance))
                .or_insert(chance);
        };
        let mut bad: BTreeMap<&str, u64> = BTreeMap::new();
        let established = self.established();
        for (signature, values) in &self.signatures {
            let protocol = signature.protocol.name;
            *bad.entry(protocol).or_default() += values.different;
            if let Some((kind, chance)) = self.decide(signature, established) {
                add((kind, protocol), chance);
            }
        }
        for (&protocol, offloads) in &self.offloads {
            // With the length, and without it.
            let tested = offloads.different + bad.get(protocol).copied().unwrap_or_default();
            let expected = tested as f64 * 2.0 / 65535.0;
            add((CauseKind::Offload, protocol), Chance::of_fits(expected, offloads.different));
        }
        chances
    }

    /// Returns the cause of a check that is not good, considering all learnt findings.
    #[must_use]
    pub fn cause(&self, finding: &Finding<'_>) -> Option<Cause> {
        match finding.verdict {
            Verdict::Offloaded => return Some(Cause::Offload),
            Verdict::Bad => {}
            _ => return None,
        }
        let tests = alone::tests(finding);
        let signature = Signature::of(finding, &tests);
        let (kind, _) = self.decide(&signature, self.established())?;
        match kind {
            CauseKind::Offload => Some(Cause::Offload),
            CauseKind::Rewritten => Some(Cause::Rewritten),
            CauseKind::OffloadRewritten => Some(Cause::OffloadRewritten),
            CauseKind::Copied => Some(Cause::Copied),
            _ => tests.iter().find(|test| test.kind == kind)?.fits,
        }
    }

    /// Returns the rewritings, most packets first.
    #[must_use]
    pub fn rewrites(&self) -> Vec<Rewrite> {
        let mut list = Vec::new();
        for (amount, &chance) in &self.established().amounts {
            let Some(evidence) = self.amounts.get(amount) else { continue };
            list.push(Rewrite {
                kind: amount.base.kind(),
                source: amount.source,
                destination: amount.destination,
                lacking: amount.lacking,
                packets: evidence.packets,
                chance,
                addresses_only: evidence.several_ports,
                likely: self.addresses.likely(amount),
            });
        }
        list.sort_by_key(|rewrite| {
            (std::cmp::Reverse(rewrite.packets), rewrite.source, rewrite.destination)
        });
        list
    }
}

impl Signature {
    fn of(finding: &Finding<'_>, tests: &[Test]) -> Signature {
        let fits =
            |kind: CauseKind| tests.iter().any(|test| test.kind == kind && test.fits.is_some());
        let alone = ALONE.map(fits);
        let is_strong = alone[..STRONG].contains(&true);
        let amounts = if is_strong { [None; 3] } else { Amount::of(finding) };
        let stored = finding.stored().filter(|_| !is_strong);
        let zero_from = zero_from(finding);
        Signature { protocol: finding.check.protocol, alone, amounts, stored, zero_from }
    }

    fn without_evidence(self) -> Signature {
        Signature { amounts: [None; 3], stored: None, zero_from: None, ..self }
    }
}

/// Returns the sender of an IPv4 header whose checksum is zero.
fn zero_from(finding: &Finding<'_>) -> Option<Address> {
    is_zero_header(finding).then(|| Address::new(finding.addresses()[0]))
}

/// Returns whether a finding is on an IPv4 header whose checksum is zero.
pub fn is_zero_header(finding: &Finding<'_>) -> bool {
    std::ptr::eq(finding.check.protocol, &ipv4::HEADER) && finding.stored() == Some(0)
}
