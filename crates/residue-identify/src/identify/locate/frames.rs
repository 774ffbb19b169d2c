//! The messages of a search, and the layouts and codes that fit them.

use super::layout::{Anchor, Layout};
use crate::identify::evidence::{Field, MOST_COUNTED, independent_messages};
use crate::identify::found::Hit;
use crate::identify::relation::Relation;
use crate::identify::sample::Sample;
use std::cell::RefCell;

/// A layout with a code that gives the values of all messages.
#[derive(Clone, Debug)]
pub struct Spot {
    /// Where the value is, and what it covers.
    pub layout: Layout,
    /// The code.
    pub hit: Hit,
    /// Other layouts with which the same code fits all messages, the most usual first.
    pub also: Vec<Layout>,
}

impl Spot {
    /// Returns the value that a message should have, as a number of its bytes; `None` if the
    /// message is too short.
    #[must_use]
    pub fn expected(&self, message: &[u8]) -> Option<u128> {
        let sample = self.layout.sample(message)?;
        self.hit.field(&sample.message, 8 * self.layout.bytes as u32)
    }
}

/// A field that is related to other bytes of its message.
#[derive(Clone, Debug)]
pub struct Relative {
    /// The first byte of the field.
    pub at: Anchor,
    /// Bytes of the field.
    pub bytes: usize,
    /// The relation.
    pub relation: Relation,
}

/// The messages of a search.
pub(super) struct Frames<'a> {
    /// Different messages: the shortest, then those of other lengths, then the rest.
    pub list: Vec<&'a [u8]>,
    pub one_length: bool,
    /// Different messages in the order in which they were given, as many as count.
    ordered: Vec<&'a [u8]>,
    /// The fields that some code fits, each with its place and number of bytes.
    fields: RefCell<Vec<(Anchor, usize, Field)>>,
}

impl<'a> Frames<'a> {
    /// Takes the messages of a search, and all messages in their order.
    pub fn new(list: Vec<&'a [u8]>, all: &'a [Vec<u8>], one_length: bool) -> Frames<'a> {
        let mut ordered: Vec<&[u8]> = Vec::new();
        for message in all {
            if ordered.len() == MOST_COUNTED {
                break;
            }
            if !ordered.contains(&&message[..]) {
                ordered.push(message);
            }
        }
        Frames { list, one_length, ordered, fields: RefCell::new(Vec::new()) }
    }

    /// Returns a spot with a hit that fits all messages, for whose chance `counted` samples are
    /// taken as independent: as few are counted as there are.
    pub fn spot(&self, layout: Layout, mut hit: Hit, counted: usize) -> Spot {
        let bits = 8 * layout.bytes as u32;
        let one = hit.found.information(bits);
        let samples = self.ordered.iter().filter_map(|message| layout.sample(message));
        let messages: Vec<Vec<u8>> = samples.map(|sample| sample.message).collect();
        let rank = independent_messages(&messages, hit.found.counted()) as f64;
        hit.chance += one * counted as f64;
        // What is a chance hit in any case need not be looked at.
        let described = if hit.chance < one * rank { self.described(&layout) } else { f64::MAX };
        hit.chance -= described.min(one * rank);
        Spot { layout, hit, also: Vec::new() }
    }

    /// Returns the bits of the shortest description of the values of a layout.
    fn described(&self, layout: &Layout) -> f64 {
        let mut fields = self.fields.borrow_mut();
        let like = |(at, bytes, _): &&(Anchor, usize, Field)| {
            (*at, *bytes) == (layout.value, layout.bytes)
        };
        if let Some((_, _, field)) = fields.iter().find(like) {
            return field.described;
        }
        let at = layout.value;
        let field = Field::of(&self.ordered, &|length| at.at(length), layout.bytes);
        let described = field.described;
        fields.push((at, layout.bytes, field));
        described
    }

    /// Returns the fields that some code fits and a relation explains.
    pub fn relations(&self) -> Vec<Relative> {
        let fields = self.fields.take();
        let related = fields.into_iter().filter_map(|(at, bytes, field)| {
            field.relation.map(|relation| Relative { at, bytes, relation })
        });
        let mut related: Vec<Relative> = related.collect();
        related.sort_by_key(|it| (it.at, it.bytes));
        related
    }

    pub fn shortest(&self) -> &[u8] {
        self.list[0]
    }

    /// Returns whether the bytes at a place of the shortest message differ in other messages:
    /// equal ones are no check value of different messages.
    pub fn varies(&self, at: usize, bytes: usize) -> bool {
        let from_end = self.shortest().len() - at;
        let at_start = |message: &&[u8]| message.get(at..at + bytes).map(<[u8]>::to_vec);
        let at_end = |message: &&[u8]| {
            let at = message.len().checked_sub(from_end)?;
            message.get(at..at + bytes).map(<[u8]>::to_vec)
        };
        let Some(own) = at_start(&self.shortest()) else { return false };
        self.list.iter().any(|message| at_start(message).is_some_and(|other| other != own))
            && self.list.iter().any(|message| at_end(message).is_some_and(|other| other != own))
    }

    /// Returns the bytes at a place of the shortest message as a number.
    pub fn field(&self, at: usize, bytes: usize) -> u128 {
        let field = &self.shortest()[at..at + bytes];
        field.iter().fold(0, |value, &byte| value << 8 | u128::from(byte))
    }

    /// Returns whether all messages have a sample of this layout that fits.
    pub fn all(&self, layout: &Layout, fits: impl Fn(&Sample) -> bool) -> bool {
        // The first message has been looked at; another one excludes most.
        let mut others = self.list.iter().skip(1).chain(self.list.first());
        others.all(|message| layout.sample(message).is_some_and(|sample| fits(&sample)))
    }
}
