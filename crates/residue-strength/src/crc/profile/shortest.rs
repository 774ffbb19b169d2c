//! Searches the shortest codeword of one weight in rounds.
//!
//! Each round examines all codewords of a length that its number of sums allows, and has more sums
//! than the one before, so that the work is that of the codeword's own length, and a search that is
//! ended leaves a bound. The result for one weight bounds the others: a question with an answer
//! asks for no longer codewords.

use crate::Effort;
use crate::crc::Generator;
use crate::crc::codewords::lightest::{self, Search};
use crate::crc::codewords::logarithm::{self, FourBits};
use crate::crc::codewords::short::Short;
use crate::crc::codewords::{cyclic, odd};

/// A search for the shortest codeword of one weight from 3.
pub(super) struct Shortest<'a> {
    generator: &'a Generator,
    weight: u32,
    /// The longest span to search; see [`lightest::longest_turned`].
    turned: u64,
    known: Search,
    logarithms: Option<FourBits>,
}

impl<'a> Shortest<'a> {
    /// Creates a search for each weight up to `most` that codewords may have, in rising order.
    pub fn of_all(
        generator: &'a Generator,
        order: u64,
        most: u32,
    ) -> impl Iterator<Item = Shortest<'a>> {
        let (short, odd) = (Short::new(generator, most), odd::least_weight(generator));
        let least = cyclic::least_weight(generator, order);
        let possible =
            move |weight: &u32| weight.is_multiple_of(2) || odd.is_some_and(|odd| *weight >= odd);
        (3..=most).filter(possible).map(move |weight| Shortest {
            generator,
            weight,
            turned: lightest::longest_turned(order, weight),
            known: match short.word(weight) {
                Some(word) => Search::Found(word),
                None if weight < least => Search::NoneTo(order),
                None => Search::NoneTo(short.length),
            },
            logarithms: None,
        })
    }

    /// Returns the weight of the codewords.
    pub fn weight(&self) -> u32 {
        self.weight
    }

    /// Returns the places of the shortest, if it is known.
    pub fn places(&self) -> Option<&[u64]> {
        match &self.known {
            Search::Found(places) => Some(places),
            Search::NoneTo(_) => None,
        }
    }

    /// Returns the length up to which there is none, in bits.
    pub fn none_to(&self) -> u64 {
        match &self.known {
            Search::Found(places) => places.last().copied().unwrap_or(0),
            Search::NoneTo(length) => *length,
        }
    }

    /// Returns the memory that is kept for the next round, in bytes.
    pub fn memory(&self) -> u64 {
        self.logarithms.as_ref().map_or(0, FourBits::memory)
    }

    /// Returns whether it is unknown if a codeword lies within `to` bits.
    pub fn is_open(&self, to: u64) -> bool {
        self.places().is_none() && self.none_to() < to
    }

    /// Examines codewords of up to `to` bits, at most the generator's order, as far as the budget
    /// allows at once.
    pub fn advance(&mut self, to: u64, effort: &Effort<'_>) {
        if !self.is_open(to) {
            return;
        }
        let (from, end) = (self.none_to(), to.min(self.turned));
        self.known = match self.search(from, end, effort) {
            Search::NoneTo(length) if length >= end => Search::NoneTo(to),
            known => known,
        };
        if self.places().is_some() {
            self.logarithms = None;
        }
    }

    fn search(&mut self, from: u64, to: u64, effort: &Effort<'_>) -> Search {
        let (generator, weight) = (self.generator, self.weight);
        let length = lightest::longest(generator.width(), weight, from, to, effort);
        if weight != 4 || !logarithm::preferred(generator, length.max(from + 1)) {
            return lightest::search(generator, weight, from, to, effort);
        }
        if self.logarithms.is_none() {
            self.logarithms = FourBits::new(generator, effort);
        }
        match &mut self.logarithms {
            Some(logarithms) => logarithms.search(from, to, effort),
            None => lightest::search(generator, weight, from, to, effort),
        }
    }

    /// Examines ever longer codewords of up to `to` bits, as far as the budget allows.
    pub fn search_to(&mut self, to: u64, effort: &Effort<'_>) {
        for sums in effort.rounds() {
            self.advance(to, &Effort { sums, ..*effort });
            if !self.is_open(to) || effort.is_spent() {
                return;
            }
        }
    }
}
