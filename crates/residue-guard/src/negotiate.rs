//! Requests, and the agreements of two hosts (Sahu 2019, tables 7.1 and 7.2; RFC 1146).

use residue::cpu::{Features, features};
use residue_net::agreements::agreed;

pub use residue_net::agreements::GREATEST;

/// Returns the value of a host in table 7.1: by whether its network card computes TCP checksums
/// (`offload`), and whether a NAT may be between it and its peers (`nat`).
#[must_use]
pub const fn table_7_1(offload: bool, nat: bool) -> u8 {
    match (offload, nat) {
        (_, true) => 4,
        (true, false) => 5,
        (false, false) => 3,
    }
}

/// Returns whether the CPU has an instruction for CRC-32C or carry-less multiplication, without
/// which the thesis proposes no CRC.
#[must_use]
pub fn has_crc_instructions(cpu: Features) -> bool {
    let wanted = [Features::SSE42, Features::PCLMUL, Features::CRC, Features::PMULL];
    wanted.iter().any(|&feature| cpu.contains(feature))
}

/// Returns the value to request where table 7.1 says `value`: 7 in the place of 4, which does not
/// cover the header.
#[must_use]
pub const fn preferred(value: u8) -> u8 {
    if value == 4 { 7 } else { value }
}

/// Returns the value of `auto` on this CPU: the [`preferred`] one; `None` on a CPU without the
/// instructions, unless `forced`.
#[must_use]
pub fn auto(offload: bool, nat: bool, forced: bool) -> Option<u8> {
    let value = preferred(table_7_1(offload, nat));
    (forced || has_crc_instructions(features())).then_some(value)
}

/// The request of a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offer {
    /// The value in its SYN: 0 to 7.
    pub value: u8,
    /// What 6 counts as for a peer that has not requested 6: the host's value of table 7.1, 3 to 5.
    pub instead: u8,
}

/// The set of values that a connection may have. Empty: regular TCP.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Values(u8);

impl Values {
    /// Regular TCP.
    pub const NONE: Values = Values(0);

    /// Returns the set of one value; regular TCP for 0 and undefined values.
    #[must_use]
    pub const fn one(value: u8) -> Values {
        if matches!(value, 1..=GREATEST) { Values(1 << value) } else { Values::NONE }
    }

    const fn or(self, other: Values) -> Values {
        Values(self.0 | other.0)
    }

    /// Returns the values in ascending order.
    pub fn iter(self) -> impl Iterator<Item = u8> {
        (1..=GREATEST).filter(move |value| self.0 >> value & 1 == 1)
    }

    /// Returns the value, if there is exactly one.
    #[must_use]
    pub fn single(self) -> Option<u8> {
        let mut values = self.iter();
        values.next().filter(|_| values.next().is_none())
    }
}

impl Offer {
    /// Returns what the value counts as for a peer that has requested another one: 6 as `instead`.
    #[must_use]
    pub const fn counts_as(self) -> u8 {
        if self.value == 6 { self.instead } else { self.value }
    }

    /// Returns the values that a connection may have with a peer that requests `peer`. There is
    /// one, or none for regular TCP. But if the peer requests 6 and this host 3, 5 or 7, only the
    /// peer knows what its 6 counts as, and its first segment shows it.
    #[must_use]
    pub fn agreement(self, peer: u8) -> Values {
        match agreed(self.value, peer) {
            Some(value) => Values::one(value),
            None if self.value == 6 => agreed(self.instead, peer).map_or(Values::NONE, Values::one),
            None => (3..=5)
                .filter_map(|instead| agreed(self.value, instead))
                .fold(Values::NONE, |values, value| values.or(Values::one(value))),
        }
    }

    /// Returns all values that this host's connections may have, whatever the peer requests.
    #[must_use]
    pub fn possible(self) -> Values {
        let all = (0..=GREATEST).map(|peer| self.agreement(peer)).fold(Values::NONE, Values::or);
        if self.value == 6 { all.or(Offer { value: self.instead, ..self }.possible()) } else { all }
    }

    /// Returns the value in the SYN-ACK to a SYN that requests `peer`: what this host's value
    /// counts as for that peer.
    #[must_use]
    pub fn answer(self, peer: u8) -> u8 {
        if self.value == peer { self.value } else { self.counts_as() }
    }

    /// Returns the value of a connection whose SYN requested this and whose SYN-ACK answered
    /// `answer`; `None`: regular TCP. A 6 in answer to another value is ambiguous and never sent:
    /// regular TCP.
    #[must_use]
    pub fn conclusion(self, answer: u8) -> Option<u8> {
        if answer == 6 && self.value != 6 { None } else { self.agreement(answer).single() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use residue_net::wire::tcp_checksum_option::{Coverage, Layout};

    #[test]
    fn table_7_1_in_full() {
        assert_eq!(table_7_1(false, false), 3);
        assert_eq!(table_7_1(false, true), 4);
        assert_eq!(table_7_1(true, false), 5);
        assert_eq!(table_7_1(true, true), 4);
    }

    #[test]
    fn without_instructions_nothing_is_proposed() {
        assert!(!has_crc_instructions(Features::NONE));
        assert!(!has_crc_instructions(Features::SSE2.union(Features::NEON)));
        for tier in ["sse42", "sse42_pclmul", "avx512", "crc", "crc_pmull"] {
            assert!(has_crc_instructions(Features::tier(tier).unwrap()), "{tier}");
        }
        assert!(has_crc_instructions(Features::PCLMUL));
        assert_eq!(auto(false, false, true), Some(3));
        assert_eq!(auto(true, false, true), Some(5));
        assert_eq!(auto(true, false, false).is_some(), has_crc_instructions(features()));
    }

    #[test]
    fn where_a_nat_is_possible_the_header_is_covered_nevertheless() {
        for offload in [false, true] {
            assert_eq!(auto(offload, true, true), Some(7));
            let coverage = Layout::of(7).map(|layout| layout.coverage);
            assert_eq!(coverage, Some(Coverage::Translatable));
        }
    }

    /// The nine rows of the thesis: sender, receiver, final value.
    const TABLE_7_2: [[u8; 3]; 9] = [
        [3, 3, 3],
        [3, 4, 4],
        [3, 5, 5],
        [4, 3, 4],
        [4, 4, 4],
        [4, 5, 4],
        [5, 3, 5],
        [5, 4, 4],
        [5, 5, 5],
    ];

    fn rank(value: u8) -> u8 {
        [3, 5, 7, 4].iter().position(|&each| each == value).unwrap() as u8
    }

    /// Returns all offers of a host, with values that all peers understand or not.
    fn offers() -> impl Iterator<Item = Offer> + Clone {
        (0..=GREATEST).flat_map(|value| (3..=5).map(move |instead| Offer { value, instead }))
    }

    /// Returns the value of two offers by the rules; `None`: regular TCP.
    fn expected(one: Offer, other: Offer) -> Option<u8> {
        let counts_as = |offer: Offer| if offer.value == 6 { offer.instead } else { offer.value };
        match (one.value, other.value) {
            (0, 0) => None,
            (value, same) if value == same => Some(value),
            (0..=2, _) | (_, 0..=2) => None,
            _ => [one, other].map(counts_as).into_iter().max_by_key(|&value| rank(value)),
        }
    }

    #[test]
    fn both_ends_reach_equal_results_for_every_pair() {
        for opener in offers() {
            for answerer in offers() {
                let expected = expected(opener, answerer);
                let said = answerer.answer(opener.value);
                assert_eq!(opener.conclusion(said), expected, "{opener:?} {answerer:?}");
                let possible = answerer.agreement(opener.value);
                match expected {
                    Some(value) => assert!(possible.iter().any(|each| each == value)),
                    None => assert_eq!(possible, Values::NONE),
                }
                if opener.value != 6 || answerer.value == 6 {
                    assert_eq!(possible.single(), expected);
                }
                // In a simultaneous open, both have requested, and both answer.
                let other = answerer.conclusion(opener.answer(answerer.value));
                assert_eq!(other, expected, "{opener:?} {answerer:?}");
            }
        }
        for [sender, receiver, value] in TABLE_7_2 {
            let offer = Offer { value: sender, instead: 4 };
            assert_eq!(offer.agreement(receiver), Values::one(value));
        }
    }

    /// The engine in the kernel cannot know the peer's request when it sends the SYN-ACK of a
    /// simultaneous open, and repeats its own.
    #[test]
    fn a_seven_that_is_repeated_means_the_same() {
        for peer in offers() {
            for instead in 3..=5 {
                let own = Offer { value: 7, instead };
                assert_eq!(peer.conclusion(7), expected(peer, own), "{peer:?}");
            }
        }
    }

    #[test]
    fn values_that_nobody_defined_mean_regular_tcp() {
        for value in 0..=GREATEST {
            for peer in GREATEST + 1..=255 {
                assert_eq!(Offer { value, instead: 4 }.agreement(peer), Values::NONE);
                assert_eq!(Offer { value, instead: 4 }.conclusion(peer), None);
            }
        }
        assert_eq!(Offer { value: 3, instead: 3 }.conclusion(6), None);
    }

    #[test]
    fn a_six_leaves_open_what_it_counts_as() {
        let of = |value| Offer { value, instead: value }.agreement(6).iter().collect::<Vec<u8>>();
        assert_eq!([of(3), of(4), of(5)], [vec![3, 4, 5], vec![4], vec![4, 5]]);
    }
}
