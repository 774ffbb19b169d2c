//! The result of a comparison.

use super::clocks::Clocks;
use super::delays::Delays;
use super::intake::Counts;
use super::judge::Rewritten;
use super::layer::{Flow, Layer};
use super::options::MOST_ALTERED;
use super::pattern::{Altered, Toward};
use super::traffic::Survey;
use crate::Error;
use std::collections::BTreeMap;

/// A packet at one point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen {
    /// Its number in the capture.
    pub number: u64,
    /// Its flow.
    pub flow: Flow,
}

/// A finding about a packet. `point` is 0 for the first capture and 1 for the second; pairs of
/// numbers are of the first and of the second.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// A packet did not arrive.
    Lost {
        /// Direction.
        toward: Toward,
        /// The point that saw it.
        point: usize,
        /// The packet.
        seen: Seen,
    },
    /// A packet arrived that was not sent.
    Extra {
        /// Direction.
        toward: Toward,
        /// The point that saw it.
        point: usize,
        /// The packet.
        seen: Seen,
    },
    /// A packet arrived more often than it was sent.
    Duplicated {
        /// Direction.
        toward: Toward,
        /// The point that saw it.
        point: usize,
        /// The packet.
        seen: Seen,
        /// Number of the copy that has a partner.
        of: u64,
    },
    /// A packet arrived after one of its flow that was sent later.
    Reordered {
        /// Direction.
        toward: Toward,
        /// Numbers in the captures.
        numbers: [u64; 2],
        /// Flow where it came from.
        flow: Flow,
    },
    /// A packet took longer than allowed.
    Late {
        /// Direction.
        toward: Toward,
        /// Numbers in the captures.
        numbers: [u64; 2],
        /// Flow where it came from.
        flow: Flow,
        /// Time above that of the fastest packet, in nanoseconds.
        above: i64,
    },
    /// A packet arrived altered.
    Altered {
        /// The alteration.
        altered: &'a Altered,
        /// The captured bytes at both points, from the compared IP header on.
        bytes: [&'a [u8]; 2],
    },
}

/// A capture.
#[derive(Debug, Default)]
pub struct Point {
    /// Numbers of packets.
    pub counts: Counts,
    /// Packets and reassembled datagrams that were compared.
    pub compared: u64,
    /// Packets without a partner from before the other capture began, or after it ended.
    pub outside: u64,
    /// Packets without a partner that no router forwards: between neighbours on a link.
    pub local: u64,
    /// Why reading ended early, if it did.
    pub error: Option<Error>,
}

/// The packets in one direction.
#[derive(Debug, Default)]
pub struct Direction {
    /// Packets at both points.
    pub matched: u64,
    /// Packets that did not arrive.
    pub lost: u64,
    /// Packets that arrived without having been sent.
    pub extra: u64,
    /// Further copies of packets.
    pub duplicated: u64,
    /// Packets that arrived after one of their flow that was sent later.
    pub reordered: u64,
    /// Packets that took longer than allowed.
    pub late: u64,
    /// TCP segments whose data passed the point before.
    pub again: u64,
    /// Lost TCP segments whose data arrived, because they were sent again.
    pub repaired: u64,
    /// Packets that open a TCP connection.
    pub openings: u64,
    /// Altered packets.
    pub altered: u64,
    /// Altered packets that no receiver notices: all check values are right or there is none.
    pub unnoticed: u64,
    /// Packets whose addresses or ports were translated.
    pub translated: u64,
    /// Packets whose type of service or traffic class was changed.
    pub service: u64,
    /// Packets whose identification was changed.
    pub identification: u64,
    /// Packets with another segment size, or translated quotes in ICMP errors.
    pub other: u64,
    /// Packets whose check values a card completed that were offloaded.
    pub completed: u64,
    /// Packets whose check values were wrong or absent, and arrived right.
    pub corrected: u64,
    /// Packets of each point whose TCP data the other point has in packets with other boundaries,
    /// as with segmentation offload.
    pub resegmented: [u64; 2],
    /// Reductions of the time to live.
    pub hops: BTreeMap<i16, u64>,
    /// Times between the points.
    pub delays: Delays,
}

impl Direction {
    pub(super) fn count(&mut self, rewritten: &Rewritten, origin: &Layer, arrived: &Layer) {
        self.matched += 1;
        self.translated += u64::from(rewritten.addresses);
        self.service += u64::from(rewritten.service);
        self.identification += u64::from(rewritten.identification);
        self.other += u64::from(rewritten.other);
        self.completed += u64::from(rewritten.completed);
        self.corrected += u64::from(rewritten.corrected);
        let hops = i16::from(origin.ttl) - i16::from(arrived.ttl);
        *self.hops.entry(hops).or_default() += 1;
    }
}

/// The result of a comparison.
#[derive(Debug, Default)]
pub struct Report {
    /// Both captures.
    pub points: [Point; 2],
    /// Both directions, as [`Toward`] numbers them.
    pub directions: [Direction; 2],
    /// Difference of the clocks.
    pub clocks: Clocks,
    /// Altered packets, to be grouped by [`super::groups`].
    pub altered: Vec<Altered>,
    /// Number of times that packets left early because too many waited.
    pub crowded: u64,
    /// The packets of each flow, and of each part of the time.
    pub survey: Survey,
}

impl Report {
    pub(super) fn alter(&mut self, altered: Altered) {
        use super::judge::Outcome;
        let direction = &mut self.directions[altered.toward as usize];
        direction.altered += 1;
        let unnoticed = [Outcome::Recomputed, Outcome::Blind, Outcome::Unprotected];
        direction.unnoticed += u64::from(unnoticed.contains(&altered.outcome));
        if self.altered.len() < MOST_ALTERED {
            self.altered.push(altered);
        }
    }

    /// Returns a sum over both directions.
    #[must_use]
    pub fn total(&self, number: impl Fn(&Direction) -> u64) -> u64 {
        self.directions.iter().map(number).sum()
    }

    /// Returns whether the captures seem to be given in the wrong order: all packets whose time to
    /// live was lowered travelled from the second to the first; or all TCP connections were opened
    /// that way.
    #[must_use]
    pub fn seems_swapped(&self) -> bool {
        let [after, before] = &self.directions;
        let lowered = |direction: &Direction| -> u64 {
            direction.hops.iter().filter(|(hops, _)| **hops > 0).map(|(_, count)| count).sum()
        };
        let raised: u64 =
            before.hops.iter().filter(|(hops, _)| **hops != 0).map(|(_, count)| count).sum();
        let opened = before.openings > 0 && after.openings == 0;
        opened || after.matched == 0 && raised > 0 && lowered(after) == 0
    }
}
