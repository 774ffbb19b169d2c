//! Causes of the bad checks of a capture, by all its packets.
//!
//! A value by itself proves little: a flipped bit explains one random checksum in 2048. Therefore
//! findings are only collected at first, by the explanations that fit them, and a cause is named if
//! it fits more often than chance would have it ([`Chance::LIMIT`]).

mod established;

use super::alone;
use super::rewritten::{Addresses, Amount, Base, pseudo_sum};
use super::right::RightValues;
use super::signature::{Signature, Values, is_zero_header};
use super::{Cause, CauseKind, Chance, Rewrite, contradiction};
use crate::address::Address;
use crate::buffer::Finding;
use crate::check::{Reason, Verdict};
use established::{Copied, Established};
use std::collections::{BTreeMap, HashMap};
use std::sync::OnceLock;

/// Largest number of stored signatures, pairs of addresses, and senders, each.
const MOST: usize = 7 << 13;
/// Largest number of stored amounts, and of stored values.
const MOST_AMOUNTS: usize = 7 << 14;
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

/// Values of a sender that are bad or offloaded, and cover a pseudo-header.
#[derive(Clone, Copy, Debug, Default)]
struct Sender {
    tested: u64,
    offloaded: u64,
}

impl Sender {
    /// Returns the probability that so many values are the sum of the pseudo-header by chance.
    fn chance(self) -> Chance {
        Chance::of_fits(self.tested as f64 * SUMS / 65535.0, self.offloaded)
    }
}

/// Sums of a pseudo-header: with the length, and without it.
const SUMS: f64 = 2.0;

/// Values of a protocol that are offloaded.
#[derive(Clone, Copy, Debug, Default)]
struct Offloads {
    count: u64,
    /// Number of changes from one value to another.
    different: u64,
    last: Option<u64>,
}

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
    senders: HashMap<Address, Sender>,
    any_zero_header: bool,
    addresses: Addresses,
    right: RightValues,
    established: OnceLock<Established>,
}

impl Diagnosis {
    /// Learns from a finding; pass every finding of a capture, including good ones, whose addresses
    /// may be the original ones of others.
    #[inline]
    pub fn learn(&mut self, finding: &Finding<'_>) {
        self.addresses.learn(finding);
        self.right.learn(finding);
        match finding.verdict {
            Verdict::Bad => self.learn_bad(finding),
            Verdict::Offloaded => self.learn_offloaded(finding),
            Verdict::Unverifiable(Reason::Cut) if self.any_zero_header => self.learn_cut(finding),
            _ => {}
        }
    }

    /// Returns whether [`Diagnosis::learn`] learns from values that are cut short.
    pub(crate) fn heeds_cut(&self) -> bool {
        self.any_zero_header
    }

    /// Returns whether [`Diagnosis::learn`] learns from values that are right.
    pub(crate) fn heeds_right(&self) -> bool {
        self.right.learns()
    }

    /// Learns the addresses of good findings.
    pub(crate) fn learn_addresses(&mut self, addresses: Addresses) {
        self.addresses.merge(addresses);
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
        if let Some(sender) = self.sender(finding) {
            sender.tested += 1;
            sender.offloaded += 1;
        }
    }

    /// Counts a bad value of a sender that might have been offloaded.
    fn count_tested(&mut self, finding: &Finding<'_>) {
        if finding.check.pseudo > 0
            && finding.check.rule.is_internet()
            && let Some(sender) = self.sender(finding)
        {
            sender.tested += 1;
        }
    }

    fn sender(&mut self, finding: &Finding<'_>) -> Option<&mut Sender> {
        let sender = Address::new(finding.addresses()[0]);
        let has_room = self.senders.len() < MOST || self.senders.contains_key(&sender);
        has_room.then(|| self.senders.entry(sender).or_default())
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
        let contradictions = contradiction::of(finding);
        let tests = alone::tests(finding, contradictions);
        let whole = Signature::of(finding, &tests, contradictions);
        self.any_zero_header |= whole.is_zero_header;
        self.count_tested(finding);
        let signature = self.shortened(whole);
        if self.signatures.len() >= MOST
            || self.pairs.len() >= MOST
            || self.amounts.len().max(self.copies.len()) >= MOST_AMOUNTS
        {
            self.compact();
        }
        let (stored, computed) =
            (finding.stored().unwrap_or_default(), finding.computed().unwrap_or_default());
        let values = self.signatures.entry(signature).or_default();
        values.possible = alone::values(finding.check.rule);
        if !values.count(stored, computed, &tests) {
            return;
        }
        self.count(&signature, finding.check.ports, stored);
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
        }
        if let Some(stored) = signature.stored {
            *self.copies.entry((signature.protocol.name, stored)).or_default() += 1;
        }
        if let Some(ends) = signature.ends {
            *self.pairs.entry(ends).or_default() += 1;
        }
    }

    /// Forgets the amounts and values of fewest packets, until half of the space is free.
    fn compact(&mut self) {
        let mut least = 2;
        while self.signatures.len() > MOST / 2
            || self.pairs.len() > MOST / 2
            || self.amounts.len().max(self.copies.len()) > MOST_AMOUNTS / 2
        {
            self.copies.retain(|_, packets| *packets >= least);
            self.amounts.retain(|_, evidence| evidence.packets >= least);
            self.pairs.retain(|_, values| *values >= least);
            self.senders.retain(|_, sender| sender.offloaded * 2 >= least);
            for (mut signature, values) in std::mem::take(&mut self.signatures) {
                self.forget(&mut signature);
                let merged = self.signatures.entry(signature).or_default();
                if merged.count == 0 { *merged = values } else { merged.add(&values) }
            }
            least *= 2;
        }
    }

    /// Removes from a signature what is no longer stored.
    fn forget(&self, signature: &mut Signature) {
        for base in Base::ALL {
            let amount = signature.amount(base);
            if amount.is_some_and(|amount| !self.amounts.contains_key(&amount)) {
                signature.lacking[base as usize] = None;
            }
        }
        let protocol = signature.protocol.name;
        let is_copied = |stored: &u64| self.copies.contains_key(&(protocol, *stored));
        signature.stored = signature.stored.filter(is_copied);
        let sender = signature.ends.map(|[source, _]| source);
        signature.is_zero_header &= sender.is_some_and(|it| self.senders.contains_key(&it));
        if !signature.is_zero_header && signature.lacking == [None; Base::ALL.len()] {
            signature.ends = None;
        }
    }

    fn established(&self) -> &Established {
        self.established.get_or_init(|| self.establish())
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
        self.senders.get(sender).is_some_and(|sender| sender.chance().is_small())
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
        let established = self.established();
        for (&protocol, offloads) in &self.offloads {
            let is_known = established.alone.contains_key(&(CauseKind::Offload, protocol));
            let kind = if is_known { CauseKind::Offload } else { CauseKind::Unknown };
            *tally.entry((kind, protocol)).or_default() += offloads.count;
        }
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
        let established = self.established();
        for signature in self.signatures.keys() {
            let protocol = signature.protocol.name;
            if let Some(cause) = self.decide(signature, established) {
                add((cause.kind, protocol), cause.chance);
            }
        }
        for (key, &chance) in &established.alone {
            if key.0 == CauseKind::Offload {
                add(*key, chance);
            }
        }
        chances
    }

    /// Returns the cause of a check that is not good, considering all learnt findings.
    #[must_use]
    pub fn cause(&self, finding: &Finding<'_>) -> Option<Cause> {
        match finding.verdict {
            Verdict::Offloaded if !is_zero_header(finding) => {
                let key = (CauseKind::Offload, finding.check.protocol.name);
                return self.established().alone.get(&key).map(|_| Cause::Offload);
            }
            Verdict::Bad | Verdict::Offloaded => {}
            _ => return None,
        }
        let contradictions = contradiction::of(finding);
        let tests = alone::tests(finding, contradictions);
        let whole = Signature::of(finding, &tests, contradictions);
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
            let Rewrite { kind, packets, source, destination, lacking, .. } = *rewrite;
            (std::cmp::Reverse(packets), source, destination, kind, lacking)
        });
        list
    }
}
