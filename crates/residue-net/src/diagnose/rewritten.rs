//! Addresses or ports changed without the checksum: it is wrong by the sum of the old ones less
//! that of the new ones, an equal amount in every packet between two addresses.

use super::{Cause, CauseKind, cause, flipped_bit};
use crate::address::Address;
use crate::buffer::Finding;
use crate::check::{Piece, Protocol, Verdict};
use std::collections::{BTreeMap, HashMap};

/// Largest number of stored pairs of addresses with amounts.
const MOST: usize = 1 << 16;
/// Number of stored addresses, as candidates for the original ones: a power of two.
const SEEN: usize = 1 << 12;
/// Number of packets whose addresses are stored even if nothing is rewritten yet.
const LOOKS: u64 = 1 << 14;
/// Number of packets needed for an amount of one bit: defective memory or a wire may flip one bit
/// repeatedly.
const PACKETS_OF_ONE_BIT: u64 = 8;

/// A source, a destination, and the amount by which checksums between them are wrong, modulo 65535.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Key {
    source: Address,
    destination: Address,
    lacking: u16,
}

#[derive(Clone, Debug)]
struct Evidence {
    packets: u64,
    /// Causes by the packets alone, which count if the evidence remains single.
    own: Vec<(CauseKind, &'static Protocol, u64)>,
    ports: Option<[u16; 2]>,
    several_ports: bool,
    last: u64,
    flipped_bit: bool,
}

/// A rewriting that explains several packets.
#[derive(Clone, Debug)]
pub struct Rewrite {
    /// Source address in the packets.
    pub source: Address,
    /// Destination address in the packets.
    pub destination: Address,
    /// Amount to add to the stored values, modulo 65535.
    pub lacking: u16,
    /// Number of packets that it explains.
    pub packets: u64,
    /// Whether the packets differ in ports, so that only addresses were rewritten.
    pub addresses_only: bool,
    /// Addresses of this capture that would explain it, each with whether it was the source.
    pub likely: Vec<(bool, Address)>,
}

/// Numbers of checks by kind of cause and name of the protocol.
pub type Tally = BTreeMap<(CauseKind, &'static str), u64>;

/// Causes of the bad checks of a capture.
#[derive(Debug, Default)]
pub struct Diagnosis {
    evidence: HashMap<Key, Evidence>,
    seen: Vec<Address>,
    /// Number of packets whose addresses were stored.
    looks: u64,
    any_rewritten: bool,
    tally: Tally,
}

impl Diagnosis {
    /// Learns from a finding; pass every finding of a capture, including good ones, whose addresses
    /// may be the original ones of others.
    #[inline]
    pub fn learn(&mut self, finding: &Finding<'_>) {
        // Once per packet is enough, and most packets have a check with ports.
        if finding.check.ports.is_some() && (self.looks < LOOKS || self.any_rewritten) {
            self.looks += 1;
            for address in finding.addresses() {
                self.see(address);
            }
        }
        if matches!(finding.verdict, Verdict::Bad | Verdict::Offloaded) {
            self.learn_bad(finding);
        }
    }

    /// Stores an address in a place by its last bytes, where it replaces an earlier one.
    #[inline]
    fn see(&mut self, address: &[u8]) {
        let Some(&last) = address.last_chunk::<4>() else { return };
        if self.seen.is_empty() {
            self.seen.resize(SEEN, Address::default());
        }
        let place = u32::from_ne_bytes(last).wrapping_mul(0x9e37_79b9) >> (32 - SEEN.ilog2());
        let Some(place) = self.seen.get_mut(place as usize) else { return };
        let new = Address::new(address);
        if *place != new {
            *place = new;
        }
    }

    fn learn_bad(&mut self, finding: &Finding<'_>) {
        let own = cause(finding);
        let protocol = finding.check.protocol;
        let found = if may_be_rewritten(own) { key(finding) } else { None };
        let own = CauseKind::from(own);
        let Some((key, stored)) = found else {
            return count(&mut self.tally, own, protocol, 1);
        };
        if self.evidence.len() >= MOST && !self.evidence.contains_key(&key) {
            return count(&mut self.tally, own, protocol, 1);
        }
        let ports = finding.check.ports;
        let evidence = self.evidence.entry(key).or_insert_with(|| Evidence {
            packets: 0,
            own: Vec::new(),
            ports,
            several_ports: false,
            last: !stored,
            flipped_bit: flipped_bit::weight(u64::from(key.lacking), 0).is_some(),
        });
        // A retransmitted packet is no additional evidence.
        if evidence.last != stored {
            evidence.packets += 1;
            evidence.last = stored;
        }
        evidence.several_ports |= evidence.ports != ports;
        self.any_rewritten |= evidence.is_enough();
        match evidence.own.iter_mut().find(|entry| entry.0 == own && entry.1 == protocol) {
            Some(entry) => entry.2 += 1,
            None => evidence.own.push((own, protocol, 1)),
        }
    }

    /// Returns the numbers of checks by cause.
    #[must_use]
    pub fn tally(&self) -> Tally {
        let mut tally = self.tally.clone();
        for evidence in self.evidence.values() {
            for &(own, protocol, times) in &evidence.own {
                let kind = if evidence.is_enough() { CauseKind::Rewritten } else { own };
                count(&mut tally, kind, protocol, times);
            }
        }
        tally
    }

    /// Returns the cause of a check that is not good, considering all learnt findings.
    #[must_use]
    pub fn cause(&self, finding: &Finding<'_>) -> Option<Cause> {
        let own = cause(finding);
        if finding.verdict != Verdict::Bad || !may_be_rewritten(own) {
            return own;
        }
        let known = key(finding).and_then(|(key, _)| self.evidence.get(&key));
        if known.is_some_and(Evidence::is_enough) { Some(Cause::Rewritten) } else { own }
    }

    /// Returns the rewritings, most packets first.
    #[must_use]
    pub fn rewrites(&self) -> Vec<Rewrite> {
        let mut list: Vec<_> = self
            .evidence
            .iter()
            .filter(|(_, evidence)| evidence.is_enough())
            .map(|(key, evidence)| Rewrite {
                source: key.source,
                destination: key.destination,
                lacking: key.lacking,
                packets: evidence.packets,
                addresses_only: evidence.several_ports,
                likely: self.likely(key),
            })
            .collect();
        list.sort_by_key(|rewrite| {
            (std::cmp::Reverse(rewrite.packets), rewrite.source, rewrite.destination)
        });
        list
    }

    /// Returns the stored addresses whose sum exceeds that of the new one by the amount.
    fn likely(&self, key: &Key) -> Vec<(bool, Address)> {
        let mut likely = Vec::new();
        for (is_source, now) in [(true, key.source), (false, key.destination)] {
            let wanted = (now.sum() + u64::from(key.lacking)) % 65535;
            let fits = |before: &&Address| {
                before.bytes().len() == now.bytes().len()
                    && **before != now
                    && before.sum() == wanted
            };
            likely.extend(self.seen.iter().filter(fits).map(|&before| (is_source, before)));
        }
        likely.sort_unstable();
        likely
    }
}

impl Evidence {
    fn is_enough(&self) -> bool {
        self.packets >= if self.flipped_bit { PACKETS_OF_ONE_BIT } else { 2 }
    }
}

/// Returns whether this cause may fit by chance, as other packets may show.
fn may_be_rewritten(own: Option<Cause>) -> bool {
    matches!(own, None | Some(Cause::FlippedBit(_) | Cause::OtherLength(_)))
}

fn count(tally: &mut Tally, kind: CauseKind, protocol: &Protocol, times: u64) {
    *tally.entry((kind, protocol.name)).or_default() += times;
}

/// Returns whether the value covers the addresses: in a pseudo-header, or as in IPv4.
fn covers_addresses(finding: &Finding<'_>) -> bool {
    let [source, destination] = finding.check.addresses;
    let has_both = |piece: &Piece| {
        matches!(piece, Piece::Bytes(span)
        if !source.is_empty() && span.start <= source.start && destination.end <= span.end)
    };
    finding.check.pseudo > 0 || finding.cover().iter().any(has_both)
}

/// Returns the key of the evidence of a finding, and the stored value.
fn key(finding: &Finding<'_>) -> Option<(Key, u64)> {
    if !finding.check.rule.is_internet() || !covers_addresses(finding) {
        return None;
    }
    let (stored, computed) = (finding.stored()?, finding.computed()?);
    let lacking = ((computed + 65535 - stored % 65535) % 65535) as u16;
    let [source, destination] = finding.addresses().map(Address::new);
    Some((Key { source, destination, lacking }, stored))
}
