//! The network between two hosts.

use super::fault::{Fault, Harm};
use super::host::MTU;
use crate::plan::Plan;
use crate::random::Random;
use residue_guard::options;
use residue_guard::packet::{segment, write_checksum};
use residue_net::wire::tcp_checksum_option::{DATA, REQUEST};
use std::collections::BTreeMap;
use std::time::Duration;

/// Delay of a packet.
const DELAY: Duration = Duration::from_millis(1);
/// Delay of a reordered packet.
const LATE: Duration = Duration::from_micros(1300);
/// Bytes per error of the gateway that swaps bytes.
const BYTES_PER_PAIR: u64 = 1_000_000;
/// One in this many packets is lost, late or duplicated.
const ONE_IN: u64 = 50;
/// Segments with less data are not damaged.
const LEAST_DATA: usize = 64;
/// What a NAT adds to the last address byte and to the port of the opener.
const TRANSLATION: u8 = 100;

/// Destination of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum To {
    Opener,
    Answerer,
}

pub(super) struct Carried {
    pub(super) to: To,
    pub(super) packet: Vec<u8>,
    pub(super) is_damaged: bool,
}

pub(super) struct Link {
    plan: Plan,
    random: Random,
    /// Packets under way, by time of arrival and order of sending.
    carried: BTreeMap<(Duration, u64), Carried>,
    count: u64,
    bytes: u64,
    pub(super) segments: u64,
    pub(super) damaged: u64,
    pub(super) too_long: u64,
}

impl Link {
    pub(super) fn new(plan: &Plan) -> Link {
        Link {
            plan: *plan,
            random: Random(plan.seed),
            carried: BTreeMap::new(),
            count: 0,
            bytes: 0,
            segments: 0,
            damaged: 0,
            too_long: 0,
        }
    }

    /// Returns when the next packet arrives.
    pub(super) fn due(&self) -> Option<Duration> {
        self.carried.first_key_value().map(|(&(time, _), _)| time)
    }

    /// Returns a packet that has arrived, if any.
    pub(super) fn arrived(&mut self, now: Duration) -> Option<Carried> {
        let first = self.carried.first_entry().filter(|first| first.key().0 <= now)?;
        Some(first.remove())
    }

    pub(super) fn send(&mut self, to: To, packet: &[u8], now: Duration) {
        let fault = self.plan.fault;
        self.too_long += u64::from(packet.len() > MTU);
        let mut packet = packet.to_vec();
        let is_damaged = to == To::Answerer && self.harm(&mut packet);
        match fault {
            Fault::NoRequest => blank(&mut packet, REQUEST),
            Fault::NoData => blank(&mut packet, DATA),
            _ if fault.translates() => translate(&mut packet, to),
            _ => {}
        }
        if fault.loses() && self.random.one_in(ONE_IN) {
            self.damaged -= u64::from(is_damaged);
            return;
        }
        let late = fault.reorders() && self.random.one_in(ONE_IN);
        let time = now + if late { LATE } else { DELAY };
        if fault.duplicates() && self.random.one_in(ONE_IN) {
            self.damaged += u64::from(is_damaged);
            self.carry(time + DELAY, Carried { to, packet: packet.clone(), is_damaged });
        }
        self.carry(time, Carried { to, packet, is_damaged });
    }

    fn carry(&mut self, time: Duration, carried: Carried) {
        self.count += 1;
        self.carried.insert((time, self.count), carried);
    }

    /// Damages a segment with data, if it is its turn; returns whether the segment changed.
    fn harm(&mut self, packet: &mut [u8]) -> bool {
        let Some(segment) = segment(packet) else { return false };
        let length = segment.payload().len();
        if length < LEAST_DATA {
            return false;
        }
        self.segments += 1;
        self.bytes += length as u64;
        let is_its_turn = if self.plan.fault == Fault::BytePair {
            let is_time = self.bytes >= BYTES_PER_PAIR;
            self.bytes %= BYTES_PER_PAIR;
            is_time
        } else {
            self.random.one_in(self.plan.one_in)
        };
        let harm = if is_its_turn { self.plan.fault.harm(&mut self.random) } else { None };
        let Some(harm) = harm else { return false };
        damage(packet, harm, &mut self.random);
        self.damaged += 1;
        true
    }
}

/// Attempts to change data by a swap of words, which may be equal.
const TRIES: usize = 100;

/// Changes a segment with at least 8 bytes of data. Data of equal words stays unchanged.
pub(crate) fn damage(packet: &mut [u8], harm: Harm, random: &mut Random) {
    let Some(segment) = segment(packet) else { return };
    let (ip, end, length) = (segment.ip, segment.bytes.len(), segment.payload().len());
    let start = ip.payload.start as usize;
    let before = packet[start..end].to_vec();
    for _ in 0..TRIES {
        harm.apply(&mut packet[start..end], end - length - start, random);
        if packet[start..end] != before {
            break;
        }
    }
    if matches!(harm, Harm::BeforeChecksum | Harm::Sequence) {
        write_checksum(packet, &ip, &mut Vec::new());
    }
}

/// Replaces an option by NOPs, and updates the checksum as a middlebox does (RFC 1624).
pub(crate) fn blank(packet: &mut [u8], kind: u8) {
    let Some(segment) = segment(packet) else { return };
    let places: Vec<_> = options::each(segment.options())
        .filter(|&(each, _)| each == kind)
        .map(|(_, place)| segment.option_span(&place))
        .collect();
    let start = segment.ip.payload.start as usize;
    for place in places {
        for at in place.start as usize..place.end as usize {
            change(packet, start, at, 1, true);
        }
    }
}

/// Translates the address and port of the opener, and updates the checksums.
pub(crate) fn translate(packet: &mut [u8], to: To) {
    let Some(ip) = segment(packet).map(|segment| segment.ip) else { return };
    let start = ip.payload.start as usize;
    let (address, port, by) = match to {
        To::Answerer => (ip.source, start, TRANSLATION),
        To::Opener => (ip.destination, start + 2, TRANSLATION.wrapping_neg()),
    };
    for at in [address.end as usize - 1, port + 1] {
        let value = packet[at].wrapping_add(by);
        change(packet, start, at, value, at >= start);
    }
}

/// Changes a byte that the TCP checksum covers, and updates the checksum; outside the segment also
/// IPv4's.
fn change(packet: &mut [u8], start: usize, at: usize, value: u8, in_segment: bool) {
    let old = std::mem::replace(&mut packet[at], value);
    let is_high = (at - if in_segment { start } else { 0 }).is_multiple_of(2);
    let word = |byte: u8| if is_high { u16::from(byte) << 8 } else { u16::from(byte) };
    let has_header_checksum = !in_segment && packet[0] >> 4 == 4;
    let mut update = |field: usize| {
        let checksum = u16::from_be_bytes([packet[field], packet[field + 1]]);
        let checksum = residue::internet::update(checksum, word(old), word(value));
        packet[field..field + 2].copy_from_slice(&checksum.to_be_bytes());
    };
    update(start + 16);
    if has_header_checksum {
        update(10);
    }
}
