//! Counts of findings by protocol, by sender and by flow.

use crate::address::Address;
use crate::buffer::{Buffer, Finding};
use crate::check::{Protocol, Reason, Verdict};
use crate::diagnose::{self, Diagnosis};
use crate::unfollowed::Unfollowed;
use crate::wire::ipv4;
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::sync::OnceLock;

/// Largest numbers of senders and of flows counted separately. Later ones are counted only in the
/// totals.
const MOST: usize = 1 << 16;

/// Largest number of unparsed protocols counted separately.
const MOST_UNFOLLOWED: usize = 256;

/// Numbers of checks by verdict.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// [`Verdict::Good`].
    pub good: u64,
    /// [`Verdict::Bad`].
    pub bad: u64,
    /// [`Verdict::Offloaded`].
    pub offloaded: u64,
    /// [`Verdict::Absent`].
    pub absent: u64,
    /// [`Verdict::Illegal`].
    pub illegal: u64,
    /// [`Verdict::Unverifiable`], by reason.
    pub unverifiable: BTreeMap<Reason, u64>,
    /// [`Verdict::LengthConflict`].
    pub length_conflict: u64,
}

impl Counts {
    #[inline]
    fn add(&mut self, verdict: Verdict, number: u64) {
        *match verdict {
            Verdict::Good => &mut self.good,
            Verdict::Bad => &mut self.bad,
            Verdict::Offloaded => &mut self.offloaded,
            Verdict::Absent => &mut self.absent,
            Verdict::Illegal => &mut self.illegal,
            Verdict::Unverifiable(reason) => self.unverifiable.entry(reason).or_default(),
            Verdict::LengthConflict => &mut self.length_conflict,
        } += number;
    }

    /// Adds the numbers of others.
    fn merge(&mut self, others: &Counts) {
        self.good += others.good;
        self.bad += others.bad;
        self.offloaded += others.offloaded;
        self.absent += others.absent;
        self.illegal += others.illegal;
        self.length_conflict += others.length_conflict;
        for (&reason, &count) in &others.unverifiable {
            *self.unverifiable.entry(reason).or_default() += count;
        }
    }

    /// Returns the counts by name of the verdict, all unverifiable ones together.
    #[must_use]
    pub fn columns(&self) -> [(&'static str, u64); 7] {
        [
            ("good", self.good),
            ("bad", self.bad),
            ("offloaded", self.offloaded),
            ("absent", self.absent),
            ("illegal", self.illegal),
            ("unverifiable", self.unverifiable()),
            ("length conflict", self.length_conflict),
        ]
    }

    /// Returns the number of unverifiable checks, for all reasons.
    #[must_use]
    pub fn unverifiable(&self) -> u64 {
        self.unverifiable.values().sum()
    }

    /// Returns the number of checks that a receiver rejects: bad, illegal, or with conflicting
    /// lengths.
    #[must_use]
    pub fn wrong(&self) -> u64 {
        self.bad + self.illegal + self.length_conflict
    }

    /// Returns the number of all checks.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.good + self.offloaded + self.absent + self.unverifiable() + self.wrong()
    }
}

/// Numbers of checks by protocol and verdict.
#[derive(Clone, Debug, Default)]
pub(crate) struct Protocols(Vec<(&'static Protocol, Counts)>);

impl Protocols {
    /// Counts a check.
    #[inline]
    pub fn add(&mut self, protocol: &'static Protocol, verdict: Verdict) {
        self.of(protocol).add(verdict, 1);
    }

    /// Counts several checks.
    pub fn add_many(&mut self, protocol: &'static Protocol, verdict: Verdict, number: u64) {
        self.of(protocol).add(verdict, number);
    }

    #[inline]
    fn of(&mut self, protocol: &'static Protocol) -> &mut Counts {
        // An index, because a borrowed entry would exclude the push.
        let known = self.0.iter().position(|(known, _)| std::ptr::eq(*known, protocol));
        let place = known.unwrap_or_else(|| {
            self.0.push((protocol, Counts::default()));
            self.0.len() - 1
        });
        &mut self.0[place].1
    }

    /// Adds the numbers of others.
    fn merge(&mut self, others: &Protocols) {
        for (protocol, counts) in &others.0 {
            self.of(protocol).merge(counts);
        }
    }

    /// Removes all numbers.
    pub fn clear(&mut self) {
        self.0.clear();
    }
}

/// Numbers of checks of a sender or flow that are not right.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Faults {
    /// Number of offloaded checks.
    pub offloaded: u64,
    /// Number of bad and illegal checks, and of those with conflicting lengths.
    pub wrong: u64,
    /// Number of those in `wrong` that are IPv4 headers with the checksum zero: offloaded, if their
    /// sender turns out to leave checksums to its network card.
    zero_headers: u64,
}

/// A flow: a protocol, and two ends, from the first to the second.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Flow {
    /// Name of the protocol.
    pub protocol: &'static str,
    /// Source and destination address.
    pub addresses: [Address; 2],
    /// Source and destination port.
    pub ports: Option<[u16; 2]>,
}

/// Returns senders or flows, most faults first; among equals, by name. `offloads` says whose zero
/// headers are offloaded.
fn ranked<K: Clone + Ord>(
    faults: &HashMap<K, Faults>,
    offloads: impl Fn(&K) -> bool,
) -> Vec<(K, Faults)> {
    let settled = |(key, &faults): (&K, &Faults)| {
        let moved = if offloads(key) { faults.zero_headers } else { 0 };
        let Faults { offloaded, wrong, .. } = faults;
        let settled =
            Faults { offloaded: offloaded + moved, wrong: wrong - moved, zero_headers: 0 };
        (key.clone(), settled)
    };
    let mut ranked: Vec<_> = faults.iter().map(settled).collect();
    ranked.sort_by(|one, other| {
        let rank = |faults: &Faults| (faults.wrong, faults.offloaded);
        rank(&other.1).cmp(&rank(&one.1)).then_with(|| one.0.cmp(&other.0))
    });
    ranked
}

/// Returns an address for reports; some packets have none.
#[must_use]
pub fn sender_name(address: &Address) -> String {
    address.shown().unwrap_or_else(|| "(no address)".into())
}

/// Counts of all findings of a capture.
#[derive(Debug, Default)]
pub struct Summary {
    protocols: Protocols,
    /// The counts with the verdicts that all packets together give.
    settled: OnceLock<Protocols>,
    senders: HashMap<Address, Faults>,
    flows: HashMap<Flow, Faults>,
    /// Causes of the bad checks.
    pub diagnosis: Diagnosis,
    unfollowed: BTreeMap<Unfollowed, u64>,
    /// Packets that ended at protocols that are not counted separately.
    unfollowed_others: u64,
}

impl Summary {
    /// Creates a summary without findings.
    #[must_use]
    pub fn new() -> Self {
        Summary::default()
    }

    /// Counts all findings of a buffer, and the protocols at which its walk ended.
    #[inline]
    pub fn buffer(&mut self, buffer: &Buffer<'_>) {
        buffer.findings().for_each(|finding| self.take(&finding));
        self.unfollowed_in(buffer);
    }

    /// Counts the protocols at which the walk of a buffer ended.
    #[inline]
    pub fn unfollowed_in(&mut self, buffer: &Buffer<'_>) {
        for &(unfollowed, packets) in &buffer.found.unfollowed {
            let known = &mut self.unfollowed;
            if known.len() < MOST_UNFOLLOWED || known.contains_key(&unfollowed) {
                *known.entry(unfollowed).or_default() += packets;
            } else {
                self.unfollowed_others += packets;
            }
        }
    }

    /// Returns the protocols at which walks ended with their numbers of packets, most first; `None`
    /// is all beyond the first 256 protocols.
    #[must_use]
    pub fn unfollowed(&self) -> Vec<(Option<Unfollowed>, u64)> {
        let known = self.unfollowed.iter().map(|(&unfollowed, &count)| (Some(unfollowed), count));
        let mut ranked: Vec<_> = known.collect();
        ranked.sort_by_key(|&(_, packets)| Reverse(packets));
        if self.unfollowed_others > 0 {
            ranked.push((None, self.unfollowed_others));
        }
        ranked
    }

    /// Counts a finding.
    #[inline]
    pub fn take(&mut self, finding: &Finding<'_>) {
        if self.settled.get().is_some() {
            self.settled.take();
        }
        self.protocols.add(finding.check.protocol, finding.verdict);
        self.diagnosis.learn(finding);
        match finding.verdict {
            Verdict::Offloaded => self.fault(finding, |faults| faults.offloaded += 1),
            Verdict::Bad | Verdict::Illegal | Verdict::LengthConflict => {
                let zero = u64::from(diagnose::is_zero_header(finding));
                self.fault(finding, |faults| {
                    faults.wrong += 1;
                    faults.zero_headers += zero;
                });
            }
            Verdict::Good | Verdict::Absent | Verdict::Unverifiable(_) => {}
        }
    }

    /// Counts checks from which nothing is learnt but their addresses.
    pub(crate) fn count(&mut self, protocols: &Protocols) {
        self.settled.take();
        self.protocols.merge(protocols);
    }

    fn fault(&mut self, finding: &Finding<'_>, add: impl Fn(&mut Faults)) {
        let addresses = finding.addresses().map(Address::new);
        let flow =
            Flow { protocol: finding.check.protocol.name, addresses, ports: finding.check.ports };
        if self.senders.len() < MOST || self.senders.contains_key(&addresses[0]) {
            add(self.senders.entry(addresses[0]).or_default());
        }
        if self.flows.len() < MOST || self.flows.contains_key(&flow) {
            add(self.flows.entry(flow).or_default());
        }
    }

    /// Returns the senders of checks that are not right, most faults first.
    #[must_use]
    pub fn senders(&self) -> Vec<(Address, Faults)> {
        ranked(&self.senders, |sender| self.diagnosis.offloads(sender))
    }

    /// Returns the flows of checks that are not right, most faults first.
    #[must_use]
    pub fn flows(&self) -> Vec<(Flow, Faults)> {
        ranked(&self.flows, |flow| self.diagnosis.offloads(&flow.addresses[0]))
    }

    /// Returns the counts of the protocols, with IPv4 headers that were left to the network card
    /// among the offloaded values.
    fn settled(&self) -> &[(&'static Protocol, Counts)] {
        let settled = self.settled.get_or_init(|| {
            let mut settled = self.protocols.clone();
            let offloaded = self.diagnosis.offloaded_headers();
            if offloaded > 0 {
                let counts = settled.of(&ipv4::HEADER);
                let offloaded = offloaded.min(counts.bad);
                counts.bad -= offloaded;
                counts.offloaded += offloaded;
            }
            settled
        });
        &settled.0
    }

    /// Returns the counts of each protocol by name.
    #[must_use]
    pub fn protocols(&self) -> BTreeMap<&'static str, (&'static Protocol, &Counts)> {
        self.settled()
            .iter()
            .map(|(protocol, counts)| (protocol.name, (*protocol, counts)))
            .collect()
    }

    /// Returns the counts of all protocols together.
    #[must_use]
    pub fn total(&self) -> Counts {
        let mut total = Counts::default();
        for (_, counts) in self.settled() {
            total.merge(counts);
        }
        total
    }
}
