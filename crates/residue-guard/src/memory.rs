//! Peers for which a value failed. A negotiated value can fail on a path, and then nothing arrives
//! any more: a NAT breaks values 3 and 5, a middlebox removes option 15. That connection is lost;
//! the next one to the same address requests a weaker value.

use crate::negotiate::Offer;
use residue_net::Address;
use residue_net::lru::Lru;
use std::time::Duration;

/// What is left to request from a peer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Step {
    /// The host's own value.
    #[default]
    Own,
    /// 4, which survives a NAT.
    Four,
    /// Nothing.
    Nothing,
}

/// Peers for which a value failed.
#[derive(Debug)]
pub(crate) struct Memory {
    /// What is left to request, and since when.
    failed: Lru<Address, (Step, Duration)>,
    timeout: Duration,
}

impl Memory {
    pub(crate) fn new(most: usize, timeout: Duration) -> Memory {
        Memory { failed: Lru::new([most]), timeout }
    }

    pub(crate) fn step(&self, peer: &Address) -> Step {
        self.failed.get(peer).map_or(Step::Own, |&(step, _)| step)
    }

    /// Returns the offer for a peer; `None`: no request. If protection is required, at least value
    /// 4 is requested.
    pub(crate) fn offer(&self, peer: &Address, own: Offer, required: bool) -> Option<Offer> {
        match self.step(peer) {
            Step::Own => Some(own),
            _ if matches!(own.value, 0..=2) => required.then_some(own),
            Step::Nothing if !required => None,
            _ => Some(Offer { value: 4, instead: 4 }),
        }
    }

    /// Records that a connection requested at `step` failed. Of several that fail at once, only the
    /// first counts. Returns whether the next request is weaker.
    pub(crate) fn failed(&mut self, peer: Address, step: Step, own: Offer, now: Duration) -> bool {
        if self.step(&peer) != step {
            return false;
        }
        let next = match step {
            Step::Own if matches!(own.value, 3 | 5 | 6) => Step::Four,
            _ => Step::Nothing,
        };
        self.failed.insert(peer, (next, now), 0);
        next != step
    }

    /// Records that SYNs with the option are lost on the way to this peer. Returns whether that is
    /// new.
    pub(crate) fn give_up(&mut self, peer: Address, now: Duration) -> bool {
        let is_new = self.step(&peer) != Step::Nothing;
        self.failed.insert(peer, (Step::Nothing, now), 0);
        is_new
    }

    /// Removes outdated records.
    pub(crate) fn expire(&mut self, now: Duration) {
        let time = now.saturating_sub(self.timeout);
        while self.failed.pop_if(0, |&(_, since)| since < time).is_some() {}
    }

    pub(crate) fn len(&self) -> usize {
        self.failed.len(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Duration = Duration::from_secs(100);

    fn own(value: u8) -> Offer {
        Offer { value, instead: 5 }
    }

    #[test]
    fn less_is_asked_for_after_each_failure() {
        let peer = Address::new(&[192, 0, 2, 1]);
        for value in 0..=6 {
            let mut memory = Memory::new(8, Duration::from_secs(60));
            assert_eq!(memory.offer(&peer, own(value), false), Some(own(value)));
            assert!(memory.failed(peer, Step::Own, own(value), NOW));
            // A connection that was opened earlier.
            assert!(!memory.failed(peer, Step::Own, own(value), NOW));
            if matches!(value, 3 | 5 | 6) {
                let offer = memory.offer(&peer, own(value), false).unwrap();
                assert_eq!(offer.value, 4);
                assert!(memory.failed(peer, Step::Four, own(value), NOW));
            }
            assert_eq!(memory.offer(&peer, own(value), false), None);
            let required = memory.offer(&peer, own(value), true).unwrap();
            assert_eq!(required.value, if value <= 2 { value } else { 4 });
            assert!(!memory.failed(peer, Step::Nothing, own(value), NOW));
            assert!(!memory.give_up(peer, NOW));
            memory.expire(NOW + Duration::from_secs(61));
            assert_eq!(memory.offer(&peer, own(value), false), Some(own(value)));
            assert!(memory.give_up(peer, NOW));
        }
    }

    #[test]
    fn it_is_bounded() {
        let mut memory = Memory::new(8, Duration::from_secs(60));
        for host in 0..=255 {
            memory.give_up(Address::new(&[10, 0, 0, host]), NOW);
        }
        assert_eq!(memory.len(), 8);
    }
}
