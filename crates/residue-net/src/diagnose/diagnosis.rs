//! Causes of the bad checks of a capture, by all its packets.
//!
//! A value by itself proves little: a flipped bit explains one random checksum in 2048. Therefore
//! findings are only collected at first, by the explanations that fit them, and a cause is named if
//! it fits more often than chance would have it ([`Chance::LIMIT`]).

use super::alone;
use super::rewritten::{Addresses, Amount, Base, pseudo_sum};
use super::signature::{ALONE, STRONG, Signature, Values, is_zero_header};
use super::{Cause, CauseKind, Chance, Rewrite};
use crate::address::Address;
use crate::buffer::Finding;
use crate::check::{Reason, Verdict};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::OnceLock;

/// Largest number of stored signatures, pairs of addresses, and senders, each.
const MOST: usize = 1 << 16;
/// Largest number of stored amounts, and of stored values.
const MOST_AMOUNTS: usize = 1 << 18;
/// Number of values from which on an amount or a copied value is taken for the only explanation of
/// others, so that these share a signature.
const ENOUGH: u64 = 8;

/// Numbers of checks by kind of cause and name of the protocol.
pub type Tally = BTreeMap<(CauseKind, &'static str), u64>;
/// Probabilities of fitting by chance, by kind of cause and name of the protocol.
pub type Chances = BTreeMap<(CauseKind, &'static str), Chance>;

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

impl Evidence {
    /// Returns whether the values may be sums that lack this amount: of one value in all packets,
    /// nothing shows that it is the sum of a pseudo-header.
    fn may_be_of(&self, amount: &Amount) -> bool {
        amount.base == Base::Complete || self.several_stored
    }
}

/// Values of a protocol that are offloaded.
#[derive(Clone, Copy, Debug, Default)]
struct Offloads {
    count: u64,
    /// Number of changes from one value to another.
    different: u64,
    last: Option<u64>,
}

/// What explains a value.
#[derive(Clone, Copy, Debug)]
struct Decision {
    kind: CauseKind,
    chance: Chance,
    amount: Option<Amount>,
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
    offloading: HashSet<Address>,
    /// Whether signatures are so many that forgetting some frees little.
    is_full: bool,
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
        if self.offloading.len() < MOST {
            self.offloading.insert(sender);
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
        let whole = Signature::of(finding, &tests);
        self.any_zero_header |= whole.is_zero_header;
        let signature = self.place(whole);
        let (stored, computed) =
            (finding.stored().unwrap_or_default(), finding.computed().unwrap_or_default());
        let values = self.signatures.entry(signature).or_default();
        values.possible = alone::values(finding.check.rule);
        if !values.count(stored, computed, &tests) {
            return;
        }
        // Without room for the value itself, it is still evidence for later ones.
        let evidence = if signature.is_bare() { whole } else { signature };
        self.count(&evidence, finding.check.ports, stored);
    }

    /// Returns the signature under which a value with this one is counted.
    fn place(&mut self, whole: Signature) -> Signature {
        let short = self.shortened(whole);
        if self.signatures.len() < MOST || self.signatures.contains_key(&short) {
            return short;
        }
        if !self.is_full {
            self.compact();
            self.is_full = self.signatures.len() > MOST / 2;
        }
        let most = if short == whole && !whole.is_zero_header { MOST } else { 2 * MOST };
        if self.signatures.len() < most { short } else { short.bare() }
    }

    /// Returns the signature with only that amount or value which explains enough others.
    fn shortened(&self, whole: Signature) -> Signature {
        let is_enough = |amount: &Amount| {
            let evidence = self.amounts.get(amount);
            evidence.is_some_and(|it| it.packets >= ENOUGH && it.may_be_of(amount))
        };
        if let Some(amount) = whole.amounts().find(is_enough) {
            let mut lacking = [None; Base::ALL.len()];
            lacking[amount.base as usize] = Some(amount.lacking);
            return Signature { lacking, stored: None, ..whole };
        }
        let key = whole.stored.map(|stored| (whole.protocol.name, stored));
        let copies = key.and_then(|key| self.copies.get(&key));
        if copies.is_some_and(|&packets| packets >= ENOUGH) {
            // Packets of another length may show that it is the sum of a pseudo-header.
            let [_, partial, without_length] = whole.lacking;
            return Signature { lacking: [None, partial, without_length], ..whole };
        }
        whole
    }

    /// Counts a new value as evidence.
    fn count(&mut self, signature: &Signature, ports: Option<[u16; 2]>, stored: u64) {
        for amount in signature.amounts() {
            if self.amounts.len() >= MOST_AMOUNTS && !self.amounts.contains_key(&amount) {
                continue;
            }
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
            let key = (signature.protocol.name, stored);
            if self.copies.len() < MOST_AMOUNTS || self.copies.contains_key(&key) {
                *self.copies.entry(key).or_default() += 1;
            }
        }
        if let Some(ends) = signature.ends
            && (self.pairs.len() < MOST || self.pairs.contains_key(&ends))
        {
            *self.pairs.entry(ends).or_default() += 1;
        }
    }

    /// Forgets the amounts that only one value lacks, and values that only one packet has.
    fn compact(&mut self) {
        self.copies.retain(|_, packets| *packets > 1);
        self.amounts.retain(|_, evidence| evidence.packets > 1);
        let old = std::mem::take(&mut self.signatures);
        for (mut signature, values) in old {
            for base in Base::ALL {
                let amount = signature.amount(base);
                if amount.is_some_and(|amount| !self.amounts.contains_key(&amount)) {
                    signature.lacking[base as usize] = None;
                }
            }
            if !signature.is_zero_header && signature.lacking == [None; Base::ALL.len()] {
                signature.ends = None;
            }
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
            if !evidence.may_be_of(amount) {
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
                *expected += f64::from(values.expected[place]);
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

    /// Returns what explains values with a signature; `None` if nothing does.
    fn decide(&self, signature: &Signature, established: &Established) -> Option<Decision> {
        let protocol = signature.protocol.name;
        let alone = |range: std::ops::Range<usize>| {
            range.filter(|&place| signature.alone[place]).find_map(|place| {
                let kind = ALONE[place];
                let &chance = established.alone.get(&(kind, protocol))?;
                Some(Decision { kind, chance, amount: None })
            })
        };
        let rewritten = || {
            let amounts = signature.amounts().filter_map(|amount| {
                let &chance = established.amounts.get(&amount)?;
                Some(Decision { kind: amount.base.kind(), chance, amount: Some(amount) })
            });
            amounts.min_by(|one, other| one.chance.log10().total_cmp(&other.chance.log10()))
        };
        let copied = || {
            let &chance = established.copied.get(&(protocol, signature.stored?))?;
            Some(Decision { kind: CauseKind::Copied, chance, amount: None })
        };
        if self.is_offloaded_header(signature) {
            // A zero and the sum of a pseudo-header, with its length or without, are rare.
            let chance = Chance::of_fits(2.0 / 65535.0 / 65535.0, 1);
            return Some(Decision { kind: CauseKind::Offload, chance, amount: None });
        }
        alone(0..STRONG).or_else(rewritten).or_else(copied).or_else(|| alone(STRONG..ALONE.len()))
    }

    /// Returns whether these are zero IPv4 header checksums of a sender that leaves others to its
    /// network card.
    fn is_offloaded_header(&self, signature: &Signature) -> bool {
        let sender = signature.ends.map(|[source, _]| source);
        signature.is_zero_header && sender.is_some_and(|sender| self.offloads(&sender))
    }

    /// Returns the finding with the verdict *offloaded* in place of *bad* for an IPv4 header that
    /// its sender left to the network card, as other packets show.
    #[must_use]
    pub fn judged<'a>(&self, finding: Finding<'a>) -> Finding<'a> {
        let is_offloaded = finding.verdict == Verdict::Bad
            && is_zero_header(&finding)
            && self.offloads(&Address::new(finding.addresses()[0]));
        let verdict = if is_offloaded { Verdict::Offloaded } else { finding.verdict };
        Finding { verdict, ..finding }
    }

    /// Returns whether a sender leaves checksums to its network card.
    #[must_use]
    pub fn offloads(&self, sender: &Address) -> bool {
        self.offloading.contains(sender)
    }

    /// Returns the number of IPv4 headers whose verdict [`Diagnosis::judged`] changes.
    #[must_use]
    pub fn offloaded_headers(&self) -> u64 {
        let signatures = self.signatures.iter();
        let zero = signatures.filter(|(it, _)| self.is_offloaded_header(it));
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
            let kind = cause.map_or(CauseKind::Unknown, |cause| cause.kind);
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
            if let Some(cause) = self.decide(signature, established) {
                add((cause.kind, protocol), cause.chance);
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
        let whole = Signature::of(finding, &tests);
        let is_stored = self.signatures.contains_key(&whole);
        let signature = if is_stored { whole } else { self.shortened(whole) };
        let kind = self.decide(&signature, self.established())?.kind;
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
        let mut packets: HashMap<Amount, u64> = HashMap::new();
        let established = self.established();
        for (signature, values) in &self.signatures {
            let cause = self.decide(signature, established);
            if let Some(amount) = cause.and_then(|cause| cause.amount) {
                *packets.entry(amount).or_default() += values.different;
            }
        }
        let rewrite = |(amount, packets): (Amount, u64)| {
            let evidence = self.amounts.get(&amount)?;
            Some(Rewrite {
                kind: amount.base.kind(),
                source: amount.source,
                destination: amount.destination,
                lacking: amount.lacking,
                packets,
                chance: *established.amounts.get(&amount)?,
                addresses_only: evidence.several_ports,
                likely: self.addresses.likely(&amount),
            })
        };
        let mut list: Vec<Rewrite> = packets.into_iter().filter_map(rewrite).collect();
        list.sort_by_key(|rewrite| {
            let Rewrite { packets, source, destination, lacking, .. } = *rewrite;
            (std::cmp::Reverse(packets), source, destination, lacking)
        });
        list
    }
}
