//! Tries sums with other settings, hash functions and unknown CRCs in the layouts that formats use
//! most, where no named code is convincing.

use super::frames::{Frames, Spot};
use super::layout::{Anchor, Layout, Own};
use crate::identify::catalogue::{Extent, Named};
use crate::identify::found::{CONVINCING, Tally};
use crate::identify::reading::{Form, Padding, Reading};
use crate::identify::sample::{Query, Read, Sample};
use crate::identify::{catalogue, masked, sums, unknown};

/// Bytes of the values that are looked for.
const WIDTHS: [usize; 5] = [2, 4, 1, 3, 8];
/// The number of messages that are searched with.
const MOST_MESSAGES: usize = 16;
/// The number of bytes between a value at the end and the end of the message.
const MOST_AFTER: usize = 4;
/// The number of bytes before a value at the start, and of those at the start not covered.
const MOST_BEFORE: usize = 8;

/// Searches, and returns what fits all messages; `tried` counts.
pub(super) fn search(frames: &Frames, tried: &mut f64) -> Vec<Spot> {
    let layouts = layouts();
    let codes = Named::codes();
    let mut spots = Vec::new();
    // Algebra takes longest: it comes last.
    for algebra in [false, true] {
        let longest = frames.list.iter().take(MOST_MESSAGES).map(|message| message.len()).max();
        let most = if algebra { unknown::affordable(longest.unwrap_or(0), 2) } else { usize::MAX };
        for layout in layouts.iter().take(most) {
            let Some(samples) = samples(frames, layout) else { continue };
            in_layout(frames, layout, &samples, (&codes, algebra), tried, &mut spots);
        }
        if spots.iter().any(|spot| spot.hit.chance + tried.log2() <= CONVINCING) {
            break;
        }
    }
    spots
}

/// Returns the samples of a layout; `None` if a message does not have it, or the values are all
/// equal.
fn samples(frames: &Frames, layout: &Layout) -> Option<Vec<Sample>> {
    let each = frames.list.iter().take(MOST_MESSAGES).map(|message| layout.sample(message));
    let mut samples = each.collect::<Option<Vec<Sample>>>()?;
    samples.sort_by(|a, b| (a.message.len(), &a.message).cmp(&(b.message.len(), &b.message)));
    samples.dedup();
    let contradiction = samples.windows(2).any(|pair| pair[0].message == pair[1].message);
    let varies = samples.iter().any(|sample| sample.value != samples[0].value);
    (!contradiction && varies && samples.iter().all(|sample| !sample.message.is_empty()))
        .then_some(samples)
}

fn in_layout(
    frames: &Frames,
    layout: &Layout,
    samples: &[Sample],
    (codes, algebra): (&[Named], bool),
    tried: &mut f64,
    spots: &mut Vec<Spot>,
) {
    let bits = 8 * layout.bytes as u32;
    let Some(read) = Read::new(Reading::PLAIN, samples) else { return };
    let reads = [read];
    let forms: Vec<Form> = Form::all(bits).into_iter().filter(|form| form.is_plain(true)).collect();
    let query = Query { samples, bits, reads: &reads, forms: &forms };
    let mut tally = Tally { tried: *tried, ..Tally::default() };
    if algebra {
        unknown::search(query, &mut tally);
    } else {
        sums::search(query, &mut tally);
        catalogue::named(query, &Named::hashes(), Extent::Whole, &mut tally);
        // Data that are covered but not sent: a constant before the message or behind it, or one
        // that a counter chooses.
        let zeros = |count| Reading { padding: Padding::Zeros(count), ..Reading::PLAIN };
        let unsent = [Reading::PLAIN, zeros(1), zeros(2)];
        let reads: Vec<Read> =
            unsent.into_iter().filter_map(|reading| Read::new(reading, samples)).collect();
        catalogue::generators(Query { reads: &reads, ..query }, bits, &mut tally);
        let all: Vec<Sample> =
            frames.list.iter().filter_map(|message| layout.sample(message)).collect();
        masked::search((&all, bits), (codes, &forms), samples.len(), &mut tally);
    }
    *tried = tally.tried;
    for hit in tally.hits {
        // What is found from some messages is tried on all; the rest adds no certainty, as it was
        // not counted.
        if frames.all(layout, |sample| hit.fits(sample, bits)) {
            spots.push(frames.spot(*layout, hit, samples.len()));
        }
    }
}

/// Returns the layouts, the most usual first.
fn layouts() -> Vec<Layout> {
    let mut all = Vec::new();
    for bytes in WIDTHS {
        for after in 0..=MOST_AFTER {
            let value = Anchor::End(bytes + after);
            for start in (0..=MOST_BEFORE).map(Anchor::Start) {
                all.push(Layout { value, bytes, start, end: value, own: Own::Outside });
            }
        }
        for before in 0..=MOST_BEFORE {
            let value = Anchor::Start(before);
            for end in (0..=1).map(Anchor::End) {
                let start = Anchor::Start(before + bytes);
                all.push(Layout { value, bytes, start, end, own: Own::Outside });
                for start in (0..=before.min(4)).map(Anchor::Start) {
                    all.push(Layout { value, bytes, start, end, own: Own::Zero });
                    all.push(Layout { value, bytes, start, end, own: Own::Excluded });
                }
            }
        }
    }
    all.sort_by_key(Layout::unusual);
    all
}
