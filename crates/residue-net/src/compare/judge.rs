//! The differences of a packet at two points, beyond what devices on the way are to change.

use super::intake::Packet;
use super::layer::{Flow, Layer, Masks};
use crate::agreements::Agreements;
use crate::check::{Check, Presence, Reason, Rule, Span, Verdict};
use crate::frame::{Found, Walk};
use crate::pcap::LinkType;
use crate::wire::{self, has_ports};
use std::collections::BTreeSet;

/// How the check values that cover altered bytes turned out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Outcome {
    /// A check value is wrong: a receiver discards the packet.
    Noticed,
    /// A check value was right before and is right again: a device computed it anew over the
    /// altered bytes. No receiver notices.
    Recomputed,
    /// The check value is as it was and still right: it is blind to this change.
    Blind,
    /// The packet has no check value that covers the bytes.
    Unprotected,
    /// The check value cannot be judged: it was wrong before, or bytes were not captured.
    Unknown,
}

impl Outcome {
    /// Returns the name for reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Outcome::Noticed => "noticed",
            Outcome::Recomputed => "recomputed",
            Outcome::Blind => "blind",
            Outcome::Unprotected => "unprotected",
            Outcome::Unknown => "unknown",
        }
    }
}

/// What devices changed in a packet as they are to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rewritten {
    /// Addresses or ports.
    pub addresses: bool,
    /// Type of service or traffic class.
    pub service: bool,
    /// Identification of IPv4.
    pub identification: bool,
    /// Largest segment size, or a packet quoted by ICMP.
    pub other: bool,
    /// A check value was offloaded before, and is right after.
    pub completed: bool,
    /// A check value was wrong or absent before, and is right after.
    pub corrected: bool,
}

impl Rewritten {
    /// Records that a check value with this verdict became right.
    fn righted(&mut self, was: Option<Verdict>) {
        self.completed |= was == Some(Verdict::Offloaded);
        self.corrected |= matches!(was, Some(Verdict::Bad | Verdict::Absent | Verdict::Illegal));
    }
}

/// An alteration, by the bytes of the network layer.
#[derive(Debug)]
pub struct Difference {
    /// The packet as it should have arrived, from the IP header on.
    pub expected: Vec<u8>,
    /// The packet as it arrived; check values that were computed anew are as expected.
    pub arrived: Vec<u8>,
    /// Offsets of altered bytes, in order.
    pub places: Vec<usize>,
    /// Change of the length that was sent.
    pub grown: i64,
    /// How the check values turned out.
    pub outcome: Outcome,
    /// The check values behind the outcome.
    pub checks: BTreeSet<&'static str>,
}

/// A packet at one point.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    pub packet: &'a Packet,
    pub layer: &'a Layer,
}

/// The walk through a network layer.
struct Walked {
    found: Found,
    verdicts: Vec<Verdict>,
}

impl Walked {
    fn new(bytes: &[u8], sent: usize) -> Walked {
        let (mut found, mut agreements) = (Found::default(), Agreements::default());
        let sent = u32::try_from(sent).unwrap_or(u32::MAX);
        let mut walk = Walk::new(bytes, sent, Reason::Cut, &mut found, &mut agreements);
        wire::walk(&mut walk, LinkType::RAW, None);
        let verdicts = found.checks.iter().map(|check| check.verdict(bytes, &found.pieces));
        Walked { verdicts: verdicts.collect(), found }
    }

    fn checks(&self) -> impl Iterator<Item = (&Check, Verdict)> {
        self.found.checks.iter().zip(self.verdicts.iter().copied())
    }

    fn of(&self, other: &Check) -> Option<(&Check, Verdict)> {
        self.checks()
            .find(|(check, _)| check.protocol == other.protocol && check.field[0] == other.field[0])
    }

    /// Returns whether all check values are right or rightly absent.
    fn is_good(&self) -> bool {
        self.verdicts.iter().all(|it| matches!(it, Verdict::Good | Verdict::Absent))
    }
}

/// Stores the right check values into a network layer, of which `sent` bytes were sent.
pub fn complete(bytes: &mut [u8], sent: usize) {
    let walked = Walked::new(bytes, sent);
    // Inner before outer: an outer value covers the inner ones.
    for check in walked.found.checks.iter().rev() {
        if let Some(value) = check.computed(bytes, &walked.found.pieces) {
            check.store(bytes, value);
        }
    }
}

/// Compares a packet where it came from and where it arrived. `flow` is the flow that it should
/// have after translation, if known; `keeps_id` is whether devices leave the identification.
pub fn judge(
    from: View<'_>,
    to: View<'_>,
    flow: Option<Flow>,
    keeps_id: bool,
) -> (Rewritten, Option<Difference>) {
    let (origin, arrived) = (from.layer.captured(&from.packet.bytes), captured(to));
    let mut rewritten = Rewritten::default();
    let mut expected = expectation(from, to, flow, keeps_id, &mut rewritten);
    let sent = to.layer.end - to.layer.start;
    let after = Walked::new(arrived, sent);
    // The usual case: all is right, and nothing differs but what devices are to change.
    if after.is_good() && same_but_checks(&expected, arrived, &after) {
        let before = Walked::new(origin, from.layer.end - from.layer.start);
        for (check, _) in after.checks().filter(|(_, verdict)| *verdict == Verdict::Good) {
            rewritten.righted(before.of(check).map(|(_, verdict)| verdict));
        }
        return (rewritten, None);
    }
    let before = Walked::new(origin, from.layer.end - from.layer.start);
    let translated = rewritten.addresses || rewritten.other;
    store_expected(&mut expected, from, origin, arrived, &before, translated);
    let difference = difference(expected, arrived, &before, &after, &mut rewritten);
    let grown = sent as i64 - (from.layer.end - from.layer.start) as i64;
    (rewritten, difference.map(|it| Difference { grown, ..it }))
}

fn captured(view: View<'_>) -> &[u8] {
    view.layer.captured(&view.packet.bytes)
}

/// Returns the packet that should arrive, with the check values of the origin.
fn expectation(
    from: View<'_>,
    to: View<'_>,
    flow: Option<Flow>,
    keeps_id: bool,
    rewritten: &mut Rewritten,
) -> Vec<u8> {
    let (origin, arrived) = (captured(from), captured(to));
    let at = |view: View<'_>| view.layer.transport - view.layer.start;
    let flow = flow.unwrap_or(to.layer.flow);
    rewritten.addresses = from.layer.flow != flow;
    let made_up = from.packet.reassembled || to.packet.reassembled;
    let mut expected = if from.layer.version != to.layer.version || made_up {
        // Only the transport layers can be compared.
        let head = arrived.get(..at(to)).unwrap_or_default();
        [head, origin.get(at(from)..).unwrap_or_default()].concat()
    } else {
        header(origin, arrived, from.layer, to.layer, &flow, keeps_id, rewritten)
    };
    let start = if made_up || from.layer.version != to.layer.version { at(to) } else { at(from) };
    let protocol = from.layer.flow.protocol;
    let masks = Masks::of(protocol, origin.get(at(from)..).unwrap_or_default());
    let ports = [flow.ports[0].to_be_bytes(), flow.ports[1].to_be_bytes()];
    for range in masks.iter() {
        let place = range.start + start..range.end + start;
        let theirs = arrived.get(range.start + at(to)..range.end + at(to));
        let Some(mine) = expected.get_mut(place) else { continue };
        if has_ports(protocol) && range.start == 0 {
            mine.copy_from_slice(ports.as_flattened());
        } else if matches!(protocol, 1 | 58) && range == (4..6) {
            mine.copy_from_slice(&ports[0]);
        } else if is_own_check(protocol, &range) {
            // Computed later.
        } else if let Some(theirs) = theirs.filter(|theirs| *theirs != mine) {
            mine.copy_from_slice(theirs);
            rewritten.other = true;
        }
    }
    expected
}

/// Returns whether a masked range is the check value of the transport header itself.
fn is_own_check(protocol: u8, range: &std::ops::Range<usize>) -> bool {
    let expected = match protocol {
        6 => 16..18,
        17 | 33 | 136 => 6..8,
        132 => 8..12,
        _ => 2..4,
    };
    *range == expected
}

/// Returns the origin with the IP header that should arrive.
fn header(
    origin: &[u8],
    arrived: &[u8],
    from: &Layer,
    to: &Layer,
    flow: &Flow,
    keeps_id: bool,
    rewritten: &mut Rewritten,
) -> Vec<u8> {
    let mut expected = origin.to_vec();
    let mut copy = |place: usize, mask: u8| {
        if let (Some(mine), Some(theirs)) = (expected.get_mut(place), arrived.get(place)) {
            *mine = *mine & !mask | theirs & mask;
        }
    };
    let addresses = if from.version == 4 {
        copy(1, 0xff);
        rewritten.service = origin.get(1) != arrived.get(1);
        if to.ttl < from.ttl {
            copy(8, 0xff);
        }
        if !keeps_id && origin.get(4..6) != arrived.get(4..6) {
            copy(4, 0xff);
            copy(5, 0xff);
            rewritten.identification = true;
        }
        12
    } else {
        copy(0, 0x0f);
        copy(1, 0xf0);
        rewritten.service = origin.get(..2) != arrived.get(..2);
        if to.ttl < from.ttl {
            copy(7, 0xff);
        }
        8
    };
    let both = [flow.addresses[0].bytes(), flow.addresses[1].bytes()].concat();
    if let Some(place) = expected.get_mut(addresses..addresses + both.len()) {
        place.copy_from_slice(&both);
    }
    expected
}

/// Returns whether bytes differ in no place but the fields of checks.
fn same_but_checks(expected: &[u8], arrived: &[u8], after: &Walked) -> bool {
    let length = expected.len().min(arrived.len());
    (0..length)
        .all(|at| expected[at] == arrived[at] || after.checks().any(|(check, _)| is_in(check, at)))
}

fn is_in(check: &Check, at: usize) -> bool {
    check.field.iter().any(|span| (span.start as usize..span.end as usize).contains(&at))
}

/// Stores into the expected packet the check values that devices should have made of those of the
/// origin: right ones stay right, wrong ones stay wrong by an equal amount.
fn store_expected(
    expected: &mut [u8],
    from: View<'_>,
    origin: &[u8],
    arrived: &[u8],
    before: &Walked,
    translated: bool,
) {
    let walked = Walked::new(expected, from.layer.end - from.layer.start);
    // Inner before outer: an outer value covers the inner ones.
    for (check, _) in walked.found.checks.iter().zip(&walked.verdicts).rev() {
        let computed = check.computed(expected, &walked.found.pieces);
        let value = match (before.of(check), computed) {
            (Some((_, Verdict::Good | Verdict::Offloaded)), Some(right)) => Some(right),
            (Some((old, Verdict::Bad)), Some(right)) if check.rule.is_internet() => {
                let was = (old.stored(origin), old.computed(origin, &before.found.pieces));
                match was {
                    (Some(stored), Some(computed)) => Some(shifted(right, stored, computed)),
                    _ => None,
                }
            }
            (_, None) if translated && check.presence != Presence::Absent => check.stored(arrived),
            _ => None,
        };
        if let Some(value) = value {
            check.store(expected, value);
        }
    }
}

/// Returns a wrong Internet checksum after the right one changed from `computed` to `right`.
fn shifted(right: u64, stored: u64, computed: u64) -> u64 {
    let value = (right + stored + 65535 - computed % 65535) % 65535;
    if value == 0 && stored != 0 { 65535 } else { value }
}

fn difference(
    expected: Vec<u8>,
    arrived: &[u8],
    before: &Walked,
    after: &Walked,
    rewritten: &mut Rewritten,
) -> Option<Difference> {
    let length = expected.len().min(arrived.len());
    let mut arrived = arrived.to_vec();
    let differs = |arrived: &[u8]| -> BTreeSet<usize> {
        (0..length).filter(|&at| expected[at] != arrived[at]).collect()
    };
    let mut places = differs(&arrived);
    let fields: Vec<usize> = places
        .iter()
        .copied()
        .filter(|&at| after.checks().any(|(check, _)| is_in(check, at)))
        .collect();
    let outside: BTreeSet<usize> =
        places.iter().copied().filter(|at| !fields.contains(at)).collect();
    let mut found: [BTreeSet<&'static str>; 4] = Default::default();
    let [noticed, recomputed, blind, unknown] = &mut found;
    for (check, verdict) in after.checks() {
        let was = before.of(check).map(|(_, verdict)| verdict);
        let covers = covers(check, after, &outside, &places);
        let (stored, wanted) = (check.stored(&arrived), check.stored(&expected));
        let same = match (stored, wanted) {
            (Some(a), Some(b)) => a == b || congruent(check.rule, a, b),
            _ => true,
        };
        let name = check.protocol.name;
        // Whether it was right before is not known of a packet that was cut.
        let was_cut = matches!(was, Some(Verdict::Unverifiable(_) | Verdict::LengthConflict));
        match verdict {
            Verdict::Good | Verdict::Offloaded if covers && was_cut => unknown.insert(name),
            Verdict::Good if covers && !same => recomputed.insert(name),
            // The card computes it over the altered bytes.
            Verdict::Offloaded if covers => recomputed.insert(name),
            Verdict::Good if covers => blind.insert(name),
            Verdict::Bad if was == Some(Verdict::Bad) && covers => unknown.insert(name),
            Verdict::Bad if covers || !same => noticed.insert(name),
            Verdict::Unverifiable(_) | Verdict::LengthConflict if covers => unknown.insert(name),
            _ => false,
        };
        if verdict == Verdict::Good && !covers && !same {
            rewritten.righted(was);
        }
        // A right value is no damage, whoever computed it; one over bytes that were not captured
        // may be right.
        let unjudged = matches!(verdict, Verdict::Unverifiable(_));
        if same || matches!(verdict, Verdict::Good | Verdict::Offloaded) || unjudged {
            for span in check.field {
                let span = span.start as usize..(span.end as usize).min(length);
                for at in span {
                    places.remove(&at);
                    arrived[at] = expected[at];
                }
            }
        }
    }
    if places.is_empty() {
        return None;
    }
    let outcomes = [Outcome::Noticed, Outcome::Recomputed, Outcome::Blind, Outcome::Unknown];
    let judged = outcomes.into_iter().zip(found).find(|(_, names)| !names.is_empty());
    let (outcome, checks) = judged.unwrap_or((Outcome::Unprotected, BTreeSet::new()));
    let places = places.into_iter().collect();
    Some(Difference { expected, arrived, places, grown: 0, outcome, checks })
}

/// Returns whether a check covers an altered byte: one outside of all fields of checks, or in the
/// field of another.
fn covers(
    check: &Check,
    walked: &Walked,
    outside: &BTreeSet<usize>,
    places: &BTreeSet<usize>,
) -> bool {
    check.cover(&walked.found.pieces).iter().any(|piece| match piece {
        crate::check::Piece::Bytes(Span { start, end }) => {
            let range = *start as usize..(*end).max(*start) as usize;
            outside.range(range.clone()).next().is_some()
                || places.range(range).any(|&at| {
                    !is_in(check, at)
                        && walked
                            .checks()
                            .any(|(other, verdict)| is_in(other, at) && verdict == Verdict::Bad)
                })
        }
        _ => false,
    })
}

/// Returns whether two values are both zero modulo the modulus of the rule, or equal.
fn congruent(rule: Rule, a: u64, b: u64) -> bool {
    rule.is_internet() && a % 65535 == b % 65535
}
