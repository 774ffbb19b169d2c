//! Identifies a code from messages and their values.
//!
//! The search goes from the likely to the possible, in [`Stage`]s, and ends at the first that
//! explains the samples better than chance would. Everything that fits is reported, with the
//! probability that something wrong fits as well.
//!
//! | stage | what is tried | algorithm | in |
//! |---|---|---|---|
//! | `Named` | named codes | values, compared | `catalogue` |
//! | `Written` | their values in another byte order or width, or a part | values, compared | |
//! | `Plain` | sums and unknown generators, of the message as it stands | as the last stages | |
//! | `Fed` | the message's bytes in another order, or padded | values, compared | |
//! | `Offset` | the message without some bytes at its ends | values, compared | |
//! | `Part` | low and high bits of wider values, fed in these ways | values, compared | |
//! | `Hash` | hash functions, checksums of programs | values, compared | `hashes` |
//! | `Generator` | named generators, any init and xorout | linear equations | `family` |
//! | `Sum` | sums, any modulus and start | common divisors of differences | `sums` |
//! | `Masked` | named codes, combined with a byte or an unsent one | values, compared | `masked` |
//! | `Unknown` | any generator | common divisors of sums of samples | `unknown` |

mod catalogue;
mod decide;
mod evidence;
mod family;
mod found;
mod hashes;
mod locate;
mod mask;
mod masked;
mod polynomial;
mod reading;
mod relation;
mod sample;
mod sums;
mod unknown;
mod untried;

use crate::Error;
pub use crate::error::{MOST_BYTES, Unusable};
use catalogue::{Extent, Named};
pub use decide::Decisive;
use evidence::Evidence;
pub use family::Family;
pub use found::{CONVINCING, Found, Hit};
use found::{Tally, narrowest_first};
pub use hashes::{Hash, HashKind};
pub use locate::{Anchor, Layout, Located, Own, Relative, Spot, locate};
pub use mask::{Half, Mask};
pub use reading::{Form, Order, Padding, Part, Place, Reading, Swap, Taken};
pub use relation::{Bit, Column, Relation, Rule};
use sample::{Query, Read};
pub use sample::{Sample, Samples};
use std::cell::LazyCell;
use std::collections::BTreeSet;
pub use sums::{Kind, Model, Step};
pub use unknown::NARROWEST;
pub use untried::Untried;

/// The number of samples that are searched with; results are tried on all.
const MOST_SAMPLES: usize = 24;
/// The number of samples up to which generators with settings of their own are searched; more add
/// no information.
const MOST_OFFSET: usize = 64;

/// The number of searches for an unknown generator that must be affordable for one to come early.
const EARLY: usize = 64;

/// The options of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// The number of bytes that may be left out at each end of a message.
    pub offset: usize,
    /// Whether named codes, and generators that have names, are tried.
    pub catalogue: bool,
    /// Whether the search goes on after something convincing was found.
    pub everything: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options { offset: 8, catalogue: true, everything: false }
    }
}

/// The stages of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// Named codes, of the message as it stands.
    Named,
    /// Named codes, with values in another order of bytes, or in a wider or narrower field.
    Written,
    /// Sums and unknown generators, of the message and the value as they stand: what is found so in
    /// a millisecond need not wait for what takes longer.
    Plain,
    /// Named codes, with bytes fed in another order, or padded.
    Fed,
    /// Named codes, with bytes left out at the ends.
    Offset,
    /// Parts of the values of wider named codes, with the message fed in any of these ways.
    Part,
    /// Hash functions and checksums of programs, which are not codes of this project.
    Hash,
    /// Named generators with other settings.
    Generator,
    /// Sums with other settings.
    Sum,
    /// Named codes, with values combined with a byte of the message, or a constant that it chooses.
    Masked,
    /// Unknown generators.
    Unknown,
}

impl Stage {
    /// All stages, in the order of the search.
    pub const ALL: [Stage; 11] = [
        Stage::Named,
        Stage::Written,
        Stage::Plain,
        Stage::Fed,
        Stage::Offset,
        Stage::Part,
        Stage::Hash,
        Stage::Generator,
        Stage::Sum,
        Stage::Masked,
        Stage::Unknown,
    ];

    /// Returns whether it takes codes of the catalogue.
    #[must_use]
    pub const fn is_named(self) -> bool {
        !matches!(self, Stage::Plain | Stage::Sum | Stage::Unknown)
    }

    /// Returns the name of what is tried in it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Stage::Named => "named codes",
            Stage::Written => "other ways to write the value",
            Stage::Plain => "sums and unknown generators, of messages as they stand",
            Stage::Fed => "other ways to feed the message",
            Stage::Offset => "bytes left out at the ends",
            Stage::Part => "parts of wider values",
            Stage::Hash => "hash functions and checksums of programs",
            Stage::Generator => "known generators with other settings",
            Stage::Sum => "sums with other settings",
            Stage::Masked => "values combined with a byte, or with data that are not sent",
            Stage::Unknown => "unknown generators",
        }
    }
}

/// The result of a search.
#[derive(Clone, Debug)]
pub struct Report {
    /// The codes that fit all samples (or all but the [`Report::strangers`]), most convincing
    /// first.
    pub hits: Vec<Hit>,
    /// The number of further hits that chance alone explains.
    pub weak: usize,
    /// The number of trials.
    pub tried: f64,
    /// The last stage that was searched.
    pub stage: Stage,
    /// The widths of CRCs by unknown generators that the samples neither give nor rule out.
    ///
    /// They matter where nothing convincing was found; widths below 3 bits were not searched.
    pub undecided: BTreeSet<u32>,
    /// The number of ways to feed the messages that were not searched for unknown generators, as
    /// the messages are too long.
    pub left_out: usize,
    /// What else was not tried on these samples, so that it is not ruled out either.
    pub untried: BTreeSet<Untried>,
    /// The samples that the others contradict, counted from 0.
    pub strangers: Vec<usize>,
    /// A message whose value would decide between what was found, if there is one.
    pub decisive: Option<Decisive>,
    /// The simple relation that gives all values, if there is one: the answer, unless a code is
    /// convincing in spite of it.
    pub relation: Option<Relation>,
}

/// The certainty of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Certainty {
    /// Something has the values of all samples, and chance does not explain it.
    Found,
    /// Something has the values of all samples but those that contradict the others.
    Contradicted,
    /// The value is a constant, a counter or a simple function of other fields, and no code is
    /// needed to explain it.
    Related,
    /// Something fits, perhaps by chance.
    Chance,
    /// Nothing fits better than chance, and not everything that was looked for is ruled out.
    Undecided,
    /// Nothing of what was looked for can have given the values, and nothing was left out.
    RuledOut,
}

impl Certainty {
    /// Returns a word for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Certainty::Found => "found",
            Certainty::Contradicted => "contradicted",
            Certainty::Related => "relation",
            Certainty::Chance => "chance",
            Certainty::Undecided => "undecided",
            Certainty::RuledOut => "ruled out",
        }
    }
}

impl Report {
    /// Returns whether something was found that chance does not explain.
    #[must_use]
    pub fn convincing(&self) -> bool {
        self.hits.first().is_some_and(|hit| hit.chance <= CONVINCING)
    }

    /// Returns the certainty of the result.
    #[must_use]
    pub fn certainty(&self) -> Certainty {
        if self.convincing() {
            let all = self.strangers.is_empty();
            return if all { Certainty::Found } else { Certainty::Contradicted };
        }
        if self.relation.is_some() {
            return Certainty::Related;
        }
        if !self.hits.is_empty() {
            return Certainty::Chance;
        }
        let closed = self.weak == 0 && self.undecided.is_empty();
        let all = self.left_out == 0 && self.untried.is_empty();
        if !closed || !all { Certainty::Undecided } else { Certainty::RuledOut }
    }
}

/// Finds the codes that have the samples' values.
///
/// If none has, but one has those of all samples but a few, these are named.
///
/// # Errors
/// Returns [`Error::Offset`] if more than 64 bytes may be left out.
pub fn identify(samples: &Samples, options: &Options) -> Result<Report, Error> {
    if options.offset > MOST_OFFSET {
        return Err(Error::Offset(options.offset));
    }
    let mut report = search(samples, options);
    // A relation holds for all samples: no one contradicts the others.
    if !report.convincing()
        && report.relation.is_none()
        && let Some(better) = without_some(samples, options)
    {
        report = better;
    }
    report.decisive = decide::between(&report.hits, samples);
    Ok(report)
}

/// Searches once, over all samples.
fn search(samples: &Samples, options: &Options) -> Report {
    let bits = samples.bits();
    use Extent::{Part, Whole};
    let evidence = Evidence::of(samples.list(), bits);
    let distinct = chosen(samples.distinct());
    let mut report = Report {
        hits: Vec::new(),
        weak: 0,
        tried: 0.0,
        stage: Stage::Named,
        undecided: BTreeSet::new(),
        left_out: 0,
        untried: BTreeSet::new(),
        strangers: Vec::new(),
        decisive: None,
        relation: evidence.relation.clone(),
    };
    let (codes, hashes) = (Named::codes(), Named::hashes());
    let forms = Form::all(bits);
    let (usual, unusual): (Vec<Form>, Vec<Form>) =
        forms.iter().partition(|form| form.is_plain(samples.octets()));
    let is_usual = |form: &&Form| usual.iter().any(|other| other.order == form.order);
    let both: Vec<Form> = forms.iter().filter(is_usual).copied().collect();
    let read = |readings: &[Reading]| -> Vec<Read> {
        let mut reads: Vec<Read> = Vec::new();
        for read in readings.iter().filter_map(|&reading| Read::new(reading, &distinct)) {
            // Padding that changes nothing is no other reading.
            if reads.iter().all(|other| other.messages != read.messages) {
                reads.push(read);
            }
        }
        reads
    };
    let plain = read(&[Reading::PLAIN]);
    // The message as it stands, fed in another way, and without some bytes at its ends; made when
    // the first stage needs them.
    let altered = LazyCell::new(|| {
        let mut all = read(&[&[Reading::PLAIN], &Reading::ALTERED[..]].concat());
        let fed = all.len();
        let offsets = Reading::offsets(options.offset);
        all.extend(offsets.into_iter().filter_map(|it| Read::new(it, &distinct)));
        (all, fed)
    });
    let all = || &altered.0[..];
    let fed = || &altered.0[1..altered.1];
    let offsets = || &altered.0[altered.1..];
    let longest = distinct.iter().map(|sample| sample.message.len()).max().unwrap_or(0);
    let by = |reads, forms| Query { samples: &distinct, bits, reads, forms };
    for stage in Stage::ALL {
        report.stage = stage;
        let mut tally = Tally { tried: report.tried, ..Tally::default() };
        match stage {
            stage if stage.is_named() && !options.catalogue => {
                report.untried.insert(Untried::Named);
                continue;
            }
            Stage::Named => catalogue::named(by(&plain, &usual), &codes, Whole, &mut tally),
            Stage::Written => {
                catalogue::named(by(&plain, &unusual), &codes, Whole, &mut tally);
                catalogue::named(by(&plain, &forms), &codes, Part, &mut tally);
            }
            Stage::Plain => {
                hashed(by(&plain, &both), &hashes, &mut tally);
                // A sum without its constant first byte is one with another start.
                if !is_framed(&distinct) {
                    sums::search(by(&plain, &both), &mut tally);
                }
                // Of long messages it takes too long to come early.
                if bits >= 8 && unknown::affordable(longest, both.len()) >= EARLY {
                    unknown::search(by(&plain, &both), &mut tally);
                }
                // A named generator may have its own settings, over other bytes.
                if options.catalogue && tally.hits.iter().any(|hit| catalogue::is_named(&hit.found))
                {
                    tally.hits.clear();
                }
            }
            Stage::Fed => catalogue::named(by(fed(), &forms), &codes, Whole, &mut tally),
            Stage::Offset => catalogue::named(by(offsets(), &forms), &codes, Whole, &mut tally),
            Stage::Part => catalogue::named(by(&all()[1..], &forms), &codes, Part, &mut tally),
            Stage::Hash => hashed(by(all(), &forms), &hashes, &mut tally),
            Stage::Generator => catalogue::generators(by(all(), &forms), 1, &mut tally),
            Stage::Sum => sums::search(by(all(), &forms), &mut tally),
            Stage::Masked => {
                // A constant that is shown by one sample only may be anything.
                let (all, counted) = (samples.distinct(), distinct.len());
                masked::search((&all, bits), (&codes, &usual), counted, &mut tally);
            }
            Stage::Unknown => {
                let affordable = unknown::affordable(longest, forms.len()).min(all().len());
                report.left_out = all().len() - affordable;
                unknown::search(by(&all()[..affordable], &forms), &mut tally);
            }
        }
        report.take(tally, samples, &evidence, distinct.len());
        let ends = report.convincing() || evidence.is_settled(report.tried, CONVINCING);
        if ends && !options.everything {
            break;
        }
    }
    report
}

/// Returns whether all messages have the same first byte, or the same last one.
fn is_framed(samples: &[Sample]) -> bool {
    let alike = |byte: fn(&[u8]) -> Option<&u8>| {
        samples.windows(2).all(|pair| byte(&pair[0].message) == byte(&pair[1].message))
    };
    alike(<[u8]>::first) || alike(<[u8]>::last)
}

/// Finds hash functions, and parts of them.
fn hashed(query: Query, hashes: &[Named], tally: &mut Tally) {
    catalogue::named(query, hashes, Extent::Whole, tally);
    // The low half of many is the narrower function of the same name.
    if tally.hits.is_empty() {
        catalogue::named(query, hashes, Extent::Part, tally);
    }
}

/// Returns the samples to search with, shortest first: one of each length before others, as lengths
/// distinguish initial values, and those that are no sums of others before the rest.
fn chosen(distinct: Vec<Sample>) -> Vec<Sample> {
    if distinct.len() <= MOST_SAMPLES {
        return distinct;
    }
    let messages: Vec<&[u8]> = distinct.iter().map(|sample| &sample.message[..]).collect();
    let independent = evidence::independent(&messages);
    let rank = |&i: &usize| match i.checked_sub(1) {
        None => 0,
        Some(before) if messages[before].len() != messages[i].len() => 0,
        Some(_) if independent.binary_search(&i).is_ok() => 1,
        Some(_) => 2,
    };
    let mut places: Vec<usize> = (0..distinct.len()).collect();
    places.sort_by_key(rank);
    places.truncate(MOST_SAMPLES);
    places.sort_unstable();
    places.into_iter().map(|i| distinct[i].clone()).collect()
}

impl Report {
    /// Takes the results of a stage that fit all samples. `counted`: the number of samples whose
    /// values the chance of a hit takes as independent.
    fn take(&mut self, tally: Tally, samples: &Samples, evidence: &Evidence, counted: usize) {
        self.tried = tally.tried;
        self.weak += tally.weak;
        self.undecided.extend(tally.undecided);
        self.untried.extend(tally.untried);
        for mut hit in tally.hits {
            hit.chance += self.tried.log2();
            if !samples.list().iter().all(|sample| hit.fits(sample, samples.bits())) {
                self.open(&hit);
                continue;
            }
            if self.hits.iter().any(|other| other.same(&hit)) {
                continue;
            }
            let bits = samples.bits();
            hit.chance += hit.found.information(bits) * counted as f64;
            hit.chance -= evidence.explained(&hit, bits);
            if hit.chance < 0.0 {
                hit.unreached = sums::unreached(&hit, samples.list(), samples.bits());
                self.hits.push(hit);
            } else {
                self.weak += 1;
                if let Found::Code(code) = &hit.found
                    && code.params().is_some()
                {
                    self.undecided.insert(code.width());
                }
            }
        }
        self.hits.sort_by(|a, b| a.chance.total_cmp(&b.chance));
        narrowest_first(&mut self.hits);
    }
}

impl Report {
    /// Records what a hit leaves open that fits the samples that were searched with, but not all:
    /// other settings of it may fit all.
    fn open(&mut self, hit: &Hit) {
        match (&hit.found, &hit.family) {
            (Found::Sum(_), _) => {
                self.untried.insert(Untried::Moduli);
            }
            (Found::Code(code), Some(family)) if family.dimension() > family.inherent => {
                self.undecided.insert(code.width());
            }
            _ => {}
        }
    }
}

/// Searches all samples but some, where the rest agrees; at most half of them may disagree.
fn without_some(samples: &Samples, options: &Options) -> Option<Report> {
    let count = samples.list().len();
    let subsets: Vec<Vec<usize>> = match count {
        0..3 => return None,
        3..=8 => (0..count).map(|out| (0..count).filter(|&i| i != out).collect()).collect(),
        // One wrong sample is in one of these only.
        _ => (0..count)
            .collect::<Vec<_>>()
            .chunks(count.div_ceil(8).max(5))
            .map(<[usize]>::to_vec)
            .collect(),
    };
    let mut best: Option<Report> = None;
    for subset in subsets {
        let mut report = search(&samples.some(&subset), options);
        if !report.convincing() {
            continue;
        }
        let stranger = |i: &usize| !report.hits[0].fits(&samples.list()[*i], samples.bits());
        report.strangers = (0..count).filter(stranger).collect();
        report.hits.retain(|hit| {
            let fits = |(i, sample)| {
                hit.fits(sample, samples.bits()) != report.strangers.binary_search(&i).is_ok()
            };
            samples.list().iter().enumerate().all(fits)
        });
        // Each choice of samples to leave out was a trial.
        let choices = (0..report.strangers.len()).map(|i| (count - i) as f64 / (i + 1) as f64);
        let choices = choices.map(f64::log2).sum::<f64>();
        report.hits.iter_mut().for_each(|hit| hit.chance += choices);
        if !report.convincing() {
            continue;
        }
        let fewer = best.as_ref().is_none_or(|best| report.strangers.len() < best.strangers.len());
        if fewer && 2 * report.strangers.len() <= count {
            best = Some(report);
        }
    }
    best
}
