//! The messages of a search, and the layouts and codes that fit them.

use super::layout::Layout;
use crate::identify::found::Hit;
use crate::identify::sample::Sample;

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

/// The messages of a search.
pub(super) struct Frames<'a> {
    /// Different messages: the shortest, then those of other lengths, then the rest.
    pub list: Vec<&'a [u8]>,
    pub one_length: bool,
}

impl Frames<'_> {
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
