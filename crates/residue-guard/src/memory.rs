//! Destinations for which a value failed. A negotiated value can fail on a path, and then nothing
//! arrives any more: a NAT breaks values 3, 5 and 6, a middlebox that changes headers 7, and one
//! removes option 15. That connection is lost; the next one to the same address requests a weaker
//! value. After a time one connection tries the stronger value again.

use crate::negotiate::{GREATEST, Offer};
use residue_net::Address;
use residue_net::lru::Lru;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::time::Duration;

/// What is left to request from a peer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Step {
    /// The host's own value.
    #[default]
    Own,
    /// 4, which survives every change of the header.
    Four,
    /// Nothing.
    Nothing,
}

/// Why a destination gets a weaker request, or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Failure {
    /// SYNs with the option got no answer, and one without it did.
    Silence,
    /// After an agreement no good segment arrived.
    NothingGood,
    /// After an agreement a RST arrived before any good segment.
    Reset,
    /// Small segments arrived with the value, large ones did not, or in parts.
    Large,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Failure::Silence => "no answer to SYNs with the option",
            Failure::NothingGood => "no good segment after an agreement",
            Failure::Reset => "reset before any good segment",
            Failure::Large => "small segments arrived, large ones did not",
        })
    }
}

/// A destination that gets a weaker request, or none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Destination {
    /// Its address.
    pub address: String,
    /// The value requested from it; `None`: connections are regular.
    pub value: Option<u8>,
    /// The last failure.
    pub failure: Failure,
    /// Seconds since that failure.
    pub age: u64,
    /// Seconds until a connection tries the stronger value again; 0: the next one does.
    pub left: u64,
}

/// Failures of a destination.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record {
    pub(crate) step: Step,
    pub(crate) failure: Failure,
    /// Time of the last failure.
    pub(crate) since: Duration,
    /// Time without attempts.
    pub(crate) pause: Duration,
    /// Time of the last attempt.
    attempt: Option<Duration>,
    /// A single silence, which may have been an outage, or RST, which may have been the program's,
    /// or connection to a known peer on which nothing good arrived; and its time.
    doubt: Option<(Failure, Duration)>,
}

/// The time that an attempt has to show its result, before another connection makes the next one.
const ATTEMPT: Duration = Duration::from_secs(15);

/// The time for which a peer is known to have a guard after a connection with a value.
const KNOWN: Duration = Duration::from_secs(600);

/// Destinations for which a value failed, and those for which one worked lately.
#[derive(Debug)]
pub(crate) struct Memory {
    failed: Lru<Address, Record>,
    /// Times of the last connections with a value.
    worked: Lru<Address, Duration>,
    /// Longest time without a request.
    longest: Duration,
}

impl Record {
    pub(crate) fn new(step: Step, failure: Failure, since: Duration, pause: Duration) -> Record {
        Record { step, failure, since, pause, attempt: None, doubt: None }
    }

    /// Returns whether it is time to try a stronger request.
    fn is_due(&self, now: Duration) -> bool {
        now >= self.since + self.pause
    }
}

fn has_weaker(own: Offer) -> bool {
    matches!(own.value, 3 | 5..=GREATEST)
}

impl Memory {
    pub(crate) fn new(most: usize, longest: Duration) -> Memory {
        Memory { failed: Lru::new([most]), worked: Lru::new([most]), longest }
    }

    /// Returns what to request from a peer now. If a stronger request is due, one connection that
    /// this host opens (`opens`) makes it.
    pub(crate) fn step(&mut self, peer: &Address, own: Offer, opens: bool, now: Duration) -> Step {
        if self.failed.is_empty() {
            return Step::Own;
        }
        let Some(record) = self.failed.get_mut(peer) else { return Step::Own };
        let is_under_way = record.attempt.is_some_and(|attempt| now < attempt + ATTEMPT);
        if !record.is_due(now) || opens && is_under_way {
            return record.step;
        }
        if opens {
            record.attempt = Some(now);
        }
        match record.step {
            Step::Nothing if record.failure != Failure::Silence && has_weaker(own) => Step::Four,
            _ => Step::Own,
        }
    }

    /// Returns the offer of a step; `None`: no request. If protection is required, at least value 4
    /// is requested.
    pub(crate) fn offer(step: Step, own: Offer, required: bool) -> Option<Offer> {
        match step {
            Step::Own => Some(own),
            _ if matches!(own.value, 0..=2) => required.then_some(own),
            Step::Nothing if !required => None,
            _ => Some(Offer { value: 4, instead: 4 }),
        }
    }

    /// Records that a connection requested at `step`, whose first segment was seen at `opened`,
    /// failed. Of several that fail at once, only the first counts. Returns whether the next
    /// request is weaker.
    pub(crate) fn failed(
        &mut self,
        peer: Address,
        (step, opened): (Step, Duration),
        own: Offer,
        failure: Failure,
        now: Duration,
    ) -> bool {
        let old = self.failed.get(&peer).copied();
        if old.is_some_and(|old| opened < old.since) {
            return false;
        }
        let next = match (step, failure) {
            (_, Failure::Silence) => Step::Nothing,
            (Step::Own, _) if has_weaker(own) => Step::Four,
            // What accepts value 4 and resets is no NAT.
            (_, Failure::Reset) => return false,
            _ => Step::Nothing,
        };
        // A known peer may have dropped the segments, in a flood.
        let is_doubtful = failure != Failure::NothingGood || self.is_known(&peer, now);
        if failure != Failure::NothingGood {
            self.worked.remove(&peer);
        }
        if is_doubtful && old.is_none_or(|old| old.step != next) {
            match old.and_then(|old| old.doubt).filter(|(doubt, _)| *doubt == failure) {
                // At the same time.
                Some((_, then)) if opened < then => return false,
                Some(_) => {}
                None => {
                    let new = Record::new(Step::Own, failure, now, Duration::ZERO);
                    let record = Record { doubt: Some((failure, now)), ..old.unwrap_or(new) };
                    self.failed.insert(peer, record, 0);
                    return false;
                }
            }
        }
        self.worked.remove(&peer);
        let (first, longest) = match (next, failure) {
            (Step::Four, _) => (self.longest, self.longest * 6),
            (_, Failure::Silence) => (self.longest / 10, self.longest),
            // Programs may wait as long for a connection that hangs.
            _ => (self.longest / 5, self.longest),
        };
        let again = old.filter(|old| old.step == next);
        let pause = again.map_or(first, |old| (old.pause * 2).min(longest));
        self.failed.insert(peer, Record::new(next, failure, now, pause), 0);
        old.is_none_or(|old| old.step != next)
    }

    /// Records that a connection requested at `step` works.
    pub(crate) fn worked(&mut self, peer: &Address, step: Step, now: Duration) {
        self.worked.insert(*peer, now, 0);
        if self.failed.is_empty() {
            return;
        }
        let Some(record) = self.failed.get_mut(peer) else { return };
        match (step, record.step) {
            (Step::Own, _) => drop(self.failed.remove(peer)),
            (Step::Four, Step::Nothing) => {
                let failure = record.failure;
                *record = Record::new(Step::Four, failure, now, self.longest);
            }
            _ => {}
        }
    }

    /// Returns whether a value worked for this peer lately. Losses then explain a lack of answers
    /// better than a path that blocks the option.
    pub(crate) fn is_known(&self, peer: &Address, now: Duration) -> bool {
        self.worked.get(peer).is_some_and(|&then| now < then + KNOWN)
    }

    /// Removes outdated records: those whose pause ended as long ago as the longest pause.
    pub(crate) fn expire(&mut self, now: Duration) {
        let longest = self.longest;
        let is_old = |record: &Record| now > record.since + record.pause + longest;
        while self.failed.pop_if(0, is_old).is_some() {}
    }

    /// Removes all records; returns their number.
    pub(crate) fn clear(&mut self) -> usize {
        let count = self.len();
        while self.failed.pop(0).is_some() {}
        count
    }

    pub(crate) fn restore(&mut self, peer: Address, record: Record) {
        self.failed.insert(peer, record, 0);
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&Address, &Record)> {
        self.failed.iter()
    }

    /// Returns the destinations that get a weaker request, or none, at most `most`.
    pub(crate) fn destinations(&self, own: Offer, now: Duration, most: usize) -> Vec<Destination> {
        let weaker = self.iter().filter(|(_, record)| record.step != Step::Own);
        let destination = |(address, record): (&Address, &Record)| Destination {
            address: address.to_string(),
            value: Memory::offer(record.step, own, false).map(|offer| offer.value),
            failure: record.failure,
            age: now.saturating_sub(record.since).as_secs(),
            left: (record.since + record.pause).saturating_sub(now).as_secs(),
        };
        weaker.take(most).map(destination).collect()
    }

    pub(crate) fn len(&self) -> usize {
        self.failed.len(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Duration = Duration::from_secs(1000);
    const MINUTE: Duration = Duration::from_secs(60);
    const BAD: Failure = Failure::NothingGood;

    fn own(value: u8) -> Offer {
        Offer { value, instead: 5 }
    }

    fn memory() -> Memory {
        Memory::new(8, MINUTE * 10)
    }

    #[test]
    fn less_is_asked_for_after_each_failure() {
        let peer = Address::new(&[192, 0, 2, 1]);
        for value in 0..=GREATEST {
            let (mut memory, own) = (memory(), own(value));
            assert_eq!(memory.step(&peer, own, true, NOW), Step::Own);
            let mut now = NOW;
            assert!(memory.failed(peer, (Step::Own, now), own, BAD, now));
            // A connection that was opened earlier.
            let earlier = now - MINUTE;
            assert!(!memory.failed(peer, (Step::Own, earlier), own, BAD, now));
            if has_weaker(own) {
                assert_eq!(memory.step(&peer, own, true, now), Step::Four);
                assert!(!memory.failed(peer, (Step::Four, now), own, Failure::Reset, now));
                now += MINUTE;
                assert!(memory.failed(peer, (Step::Four, now), own, BAD, now));
            }
            assert_eq!(memory.step(&peer, own, true, now), Step::Nothing);
            assert_eq!(Memory::offer(Step::Nothing, own, false), None);
            let required = Memory::offer(Step::Nothing, own, true).unwrap();
            assert_eq!(required.value, if value <= 2 { value } else { 4 });
            assert_eq!(memory.destinations(own, now + MINUTE, 9)[0].left, 60);
            assert_eq!(memory.clear(), 1);
            assert_eq!(memory.step(&peer, own, true, now), Step::Own);
        }
    }

    #[test]
    fn one_connection_tries_again_and_pauses_grow() {
        let peer = Address::new(&[192, 0, 2, 1]);
        let (mut memory, own) = (memory(), own(4));
        let (mut now, mut pauses) = (NOW, Vec::new());
        assert!(memory.failed(peer, (Step::Own, now), own, BAD, now));
        for _ in 0..6 {
            let failed = now;
            while memory.step(&peer, own, true, now) == Step::Nothing {
                now += Duration::from_secs(1);
            }
            pauses.push((now - failed).as_secs() / 60);
            // Others do not try at the same time, unless the first one shows nothing.
            assert_eq!(memory.step(&peer, own, true, now), Step::Nothing);
            assert_eq!(memory.step(&peer, own, true, now + ATTEMPT), Step::Own);
            now += ATTEMPT;
            assert!(!memory.failed(peer, (Step::Own, now), own, BAD, now));
        }
        assert_eq!(pauses, [2, 4, 8, 10, 10, 10]);
        now += MINUTE * 10;
        assert_eq!(memory.step(&peer, own, true, now), Step::Own);
        memory.worked(&peer, Step::Own, now);
        assert_eq!((memory.len(), memory.step(&peer, own, true, now)), (0, Step::Own));
    }

    #[test]
    fn a_single_reset_is_the_programs() {
        let peer = Address::new(&[192, 0, 2, 1]);
        let (mut memory, own) = (memory(), own(3));
        for (second, step) in [(0, Step::Own), (1, Step::Four)] {
            let now = NOW + Duration::from_secs(second);
            memory.failed(peer, (Step::Own, now), own, Failure::Reset, now);
            assert_eq!(memory.step(&peer, own, true, now), step);
        }
    }

    #[test]
    fn a_single_silence_is_an_outage() {
        let peer = Address::new(&[192, 0, 2, 1]);
        let (mut memory, own) = (memory(), own(5));
        for _ in 0..10 {
            // All in the same outage.
            memory.failed(peer, (Step::Own, NOW - MINUTE), own, Failure::Silence, NOW);
            assert_eq!(memory.step(&peer, own, true, NOW), Step::Own);
        }
        assert!(memory.destinations(own, NOW, 9).is_empty());
        let mut later = NOW + MINUTE;
        assert!(memory.failed(peer, (Step::Own, later), own, Failure::Silence, later));
        assert_eq!(memory.step(&peer, own, true, later), Step::Nothing);
        assert_eq!(memory.destinations(own, later, 9)[0].failure, Failure::Silence);
        later += MINUTE;
        assert_eq!(memory.step(&peer, own, true, later), Step::Own);
        memory.expire(later + MINUTE * 20);
        assert_eq!(memory.len(), 0);
    }

    #[test]
    fn value_4_that_works_stays() {
        let peer = Address::new(&[192, 0, 2, 1]);
        let (mut memory, own) = (memory(), own(5));
        memory.failed(peer, (Step::Own, NOW), own, BAD, NOW);
        memory.failed(peer, (Step::Four, NOW), own, BAD, NOW);
        let now = NOW + MINUTE * 2;
        assert_eq!(memory.step(&peer, own, true, now), Step::Four);
        memory.worked(&peer, Step::Four, now);
        assert_eq!(memory.step(&peer, own, true, now + MINUTE), Step::Four);
        assert_eq!(memory.destinations(own, now, 9)[0].value, Some(4));
    }

    #[test]
    fn it_is_bounded() {
        let mut memory = memory();
        for host in 0..=255 {
            memory.failed(Address::new(&[10, 0, 0, host]), (Step::Own, NOW), own(4), BAD, NOW);
        }
        assert_eq!(memory.len(), 8);
    }
}
