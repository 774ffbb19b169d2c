//! Finds where messages of one format hold their check value, and what it covers.
//!
//! Named codes are tried with the value at every place near the ends of the messages, over every
//! range that begins and ends near them, with the value outside of the range, taken as zeros, or
//! left out. Then come sums with other settings, hash functions and unknown CRCs, in the layouts
//! that formats use most.

mod frames;
mod grid;
mod layout;
mod likely;
mod named;

use super::found::CONVINCING;
use super::sums;
use crate::Error;
use crate::error::{MOST_BYTES, Unusable};
use frames::Frames;
pub use frames::{Relative, Spot};
pub use layout::{Anchor, Layout, Own};

/// The number of messages that are searched with; more add nothing but time.
const MOST_MESSAGES: usize = 256;
/// The number of other layouts that are kept beside an equally good one.
const MOST_LIKE: usize = 64;

/// The result of [`locate`].
#[derive(Clone, Debug)]
pub struct Located {
    /// What fits all messages, most convincing first; of equals, the most usual layout.
    pub spots: Vec<Spot>,
    /// The number of trials.
    pub tried: f64,
    /// The number of different messages that were searched with.
    pub messages: usize,
    /// Whether all messages have one length, so that it is not decided from which end places count.
    pub one_length: bool,
    /// The fields whose values some code fits, but a simple relation explains, so that they are no
    /// check values.
    pub relations: Vec<Relative>,
}

impl Located {
    /// Returns whether something was found that chance does not explain.
    #[must_use]
    pub fn convincing(&self) -> bool {
        self.spots.first().is_some_and(|spot| spot.hit.chance <= CONVINCING)
    }
}

/// Finds where messages of one format hold their check value, what it covers, and by which code.
///
/// At most 256 different messages are searched with, shortest first. `everything` goes on after a
/// convincing result.
///
/// # Errors
/// Returns [`Error::Samples`] if there are fewer than two different messages, or if they have more
/// bytes together than [`MOST_BYTES`].
pub fn locate(messages: &[Vec<u8>], everything: bool) -> Result<Located, Error> {
    let bytes = messages.iter().map(Vec::len).fold(0, usize::saturating_add);
    if bytes > MOST_BYTES {
        return Err(Error::Samples(Unusable::TooLong(bytes)));
    }
    let mut list: Vec<&[u8]> = messages.iter().map(Vec::as_slice).collect();
    list.sort_by_key(|message| (message.len(), *message));
    list.dedup();
    if list.len() < 2 {
        return Err(Error::Samples(Unusable::Few(list.len())));
    }
    let shortest = list[0].len();
    let one_length = list.iter().all(|message| message.len() == shortest);
    if let Some(other) = list.iter().rposition(|message| message.len() != shortest) {
        list.swap(1, other);
    }
    list.truncate(MOST_MESSAGES);
    let frames = Frames::new(list, messages, one_length);
    let mut tried = 0.0;
    let spots = named::search(&frames, &mut tried);
    let mut located = Located {
        spots: Vec::new(),
        tried,
        messages: frames.list.len(),
        one_length,
        relations: Vec::new(),
    };
    located.take(&frames, spots);
    if !located.convincing() || everything {
        let spots = likely::search(&frames, &mut located.tried);
        located.take(&frames, spots);
    }
    located.relations = frames.relations();
    Ok(located)
}

impl Located {
    /// Takes the results of a stage: one for each code, with the layouts in which it fits.
    fn take(&mut self, frames: &Frames, mut spots: Vec<Spot>) {
        for spot in &mut spots {
            spot.hit.chance += self.tried.log2();
        }
        spots.retain(|spot| spot.hit.chance < 0.0);
        for spot in &mut spots {
            let samples = frames.list.iter().filter_map(|message| spot.layout.sample(message));
            let (samples, bits) = (samples.collect::<Vec<_>>(), 8 * spot.layout.bytes as u32);
            spot.hit.unreached = sums::unreached(&spot.hit, &samples, bits);
        }
        spots.sort_by_key(|spot| spot.layout.unusual());
        for spot in spots {
            let like = |other: &&mut Spot| other.hit.same(&spot.hit);
            match self.spots.iter_mut().find(like) {
                Some(other) if other.also.len() < MOST_LIKE => other.also.push(spot.layout),
                Some(_) => {}
                None => self.spots.push(spot),
            }
        }
        let rank = |spot: &Spot| spot.layout.unusual();
        self.spots
            .sort_by(|a, b| a.hit.chance.total_cmp(&b.hit.chance).then(rank(a).cmp(&rank(b))));
    }
}
