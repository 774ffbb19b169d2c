//! Which causes count, and which of them explains a value.

use super::{Chances, Diagnosis, SUMS};
use crate::diagnose::rewritten::{Amount, Base};
use crate::diagnose::signature::Signature;
use crate::diagnose::{CauseKind, Chance, Shown};
use std::collections::{BTreeMap, HashMap};

/// What explains a value.
#[derive(Clone, Copy, Debug)]
pub struct Decision {
    pub kind: CauseKind,
    pub chance: Chance,
    pub amount: Option<Amount>,
}

/// Causes that are established.
#[derive(Debug, Default)]
pub struct Established {
    pub alone: Chances,
    pub amounts: HashMap<Amount, Chance>,
    pub copied: HashMap<Copied, Chance>,
    /// Values that are right in other packets.
    pub right: HashMap<Copied, Chance>,
}

/// A protocol, and a value that is stored in several packets.
pub type Copied = (&'static str, u64);

/// Numbers of different bad values, and of possible ones, by protocol.
type Different = BTreeMap<&'static str, (u64, f64)>;

impl Diagnosis {
    /// Returns the causes that count, by what was learnt so far.
    pub(super) fn establish(&self) -> Established {
        let mut established = Established::default();
        self.establish_amounts(&mut established);
        let mut different = Different::new();
        for (signature, values) in &self.signatures {
            let (count, possible) =
                different.entry(signature.protocol.name).or_insert((0, f64::INFINITY));
            *count += values.different;
            // A protocol may have several rules: the one with the fewest values counts.
            *possible = possible.min(values.possible);
        }
        for (&protocol, offloads) in &self.offloads {
            let (all, _) = different.get(protocol).copied().unwrap_or_default();
            let tested = (all + offloads.different) as f64;
            let chance = Chance::of_fits(tested * SUMS / 65535.0, offloads.different);
            if chance.is_small() {
                established.alone.insert((CauseKind::Offload, protocol), chance);
            }
        }
        self.establish_copies(&different, &mut established);
        // Each kind is tested on the values that nothing before it explains; what allows only one
        // value comes first, and was tested on all.
        let usual = self.right.contradictions();
        for kind in CauseKind::ALL {
            let is_weak = match kind.shown() {
                Some(Shown::OneValue) => false,
                Some(Shown::ManyValues) => true,
                Some(Shown::Packets) | None => continue,
            };
            let mut tested: BTreeMap<&'static str, (u64, f64, u64)> = BTreeMap::new();
            for (signature, values) in &self.signatures {
                if is_weak && self.decide(signature, &established).is_some() {
                    continue;
                }
                let (count, expected, fits) = tested.entry(signature.protocol.name).or_default();
                *count += values.different;
                *expected += values.expected(kind);
                *fits += if signature.fits(kind, usual) { values.different } else { 0 };
            }
            for (protocol, (count, expected, fits)) in tested {
                let chance = Chance::of_fits_among(count, expected, fits);
                if fits > 0 && chance.is_small() {
                    established.alone.insert((kind, protocol), chance);
                }
            }
        }
        established
    }

    /// Establishes the values that count: those of more packets than chance would give one, and
    /// those of packets that are right.
    fn establish_copies(&self, different: &Different, established: &mut Established) {
        let mut right: BTreeMap<&'static str, Vec<u64>> = BTreeMap::new();
        for (&(protocol, stored), &packets) in &self.copies {
            let (all, possible) = different.get(protocol).copied().unwrap_or_default();
            let chance = Chance::of_equal(all, packets, possible);
            if chance.is_small() {
                established.copied.insert((protocol, stored), chance);
            }
            if self.right.contains(protocol, stored) {
                right.entry(protocol).or_default().push(stored);
            }
        }
        for (protocol, values) in right {
            let (all, possible) = different.get(protocol).copied().unwrap_or_default();
            let expected = all as f64 * self.right.count(protocol) as f64 / possible;
            let chance = Chance::of_fits_among(all, expected, values.len() as u64);
            if chance.is_small() {
                let keys = values.into_iter().map(|stored| ((protocol, stored), chance));
                established.right.extend(keys);
            }
        }
    }

    /// Establishes the amounts that count even though many pairs of addresses were tested: alone,
    /// or because more pairs have one than chance would give one.
    fn establish_amounts(&self, established: &mut Established) {
        let several = self.pairs.values().filter(|&&values| values > 1);
        let tested = several.clone().count().max(1) as f64;
        let expected: f64 = several
            .map(|&values| {
                let some = Chance::of_equal(values, 2, 65535.0).log10();
                10f64.powf(some.min(Chance::LIMIT.log10()))
            })
            .sum();
        let mut likely = Vec::new();
        for (amount, evidence) in &self.amounts {
            if evidence.packets < 2 || !evidence.may_be_of(amount) {
                continue;
            }
            let all = self.pairs.get(&[amount.source, amount.destination]);
            let chance = amount.chance(evidence.packets, all.copied().unwrap_or_default());
            if chance.is_small() {
                likely.push((*amount, chance));
            }
        }
        // Of the three bases, one is enough.
        let together = Chance::of_fits(expected * Base::ALL.len() as f64, likely.len() as u64);
        for (amount, chance) in likely {
            let alone = chance.times(tested);
            let chance = if together < alone { chance.max(together) } else { alone };
            if chance.is_small() {
                established.amounts.insert(amount, chance);
            }
        }
    }

    /// Returns what explains values with a signature; `None` if nothing does.
    pub(super) fn decide(
        &self,
        signature: &Signature,
        established: &Established,
    ) -> Option<Decision> {
        let protocol = signature.protocol.name;
        let usual = self.right.contradictions();
        let alone = |shown| {
            let fits =
                |kind: &CauseKind| kind.shown() == Some(shown) && signature.fits(*kind, usual);
            CauseKind::ALL.into_iter().filter(fits).find_map(|kind| {
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
            let key = (protocol, signature.stored?);
            // The right values of a flow may be near each other: a small change turns one of them
            // into another.
            let right = established.right.get(&key).filter(|_| !signature.is_near());
            let &chance = established.copied.get(&key).or(right)?;
            Some(Decision { kind: CauseKind::Copied, chance, amount: None })
        };
        if let Some(chance) = self.offloaded_header(signature) {
            return Some(Decision { kind: CauseKind::Offload, chance, amount: None });
        }
        let alone_by_one = alone(Shown::OneValue);
        alone_by_one.or_else(rewritten).or_else(copied).or_else(|| alone(Shown::ManyValues))
    }

    /// Returns the chance of zero IPv4 header checksums of a sender that leaves others to its
    /// network card; `None` for anything else.
    pub(super) fn offloaded_header(&self, signature: &Signature) -> Option<Chance> {
        let [sender, _] = signature.ends.filter(|_| signature.is_zero_header)?;
        let chance = self.senders.get(&sender)?.chance();
        // And each value is zero.
        chance.is_small().then(|| chance.and(Chance::of_fits(1.0 / 65535.0, 1)))
    }
}
