//! The candidates: the limits of each code, and its probability of undetected errors.

use super::measured::{self, Measured, measured};
use super::wanted::{AtLength, Wanted};
use crate::answers::chance::{Chance, ESTIMATE};
use crate::answers::compare::{Known, YEAR};
use crate::codes::Undetected;
use crate::codes::additive::Additive;
use crate::crc::{Generator, Profile, named};
use crate::field::factor;
use crate::{Effort, Error, Kind, sums};
use residue::crc::catalog;
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A code that may meet the requirements.
#[derive(Clone, Debug, Serialize)]
pub struct Candidate {
    /// Its name, as `residue strength` takes it.
    pub code: String,
    /// Other names in the catalogue of CRCs by the same polynomial.
    pub also: Vec<&'static str>,
    /// Bits of its value.
    pub width: u32,
    /// Whether it is a CRC.
    pub crc: bool,
    #[serde(skip)]
    of: Of,
    /// The longest data with the wanted distance, in bits; `None` if any data have it.
    pub holds_to: Option<Known<u64>>,
    /// The Hamming distance of data one bit longer than that, if it is exact.
    pub then: Option<u32>,
    /// The length of bursts, in bits, up to which all are detected; of sums no longer than wanted.
    pub burst: u32,
    /// The undetected share of random data.
    pub random: f64,
    /// The least distance in bytes at which two blocks of 8 bytes can change places without a
    /// change of the value, whatever they contain, as at its multiples; `None` if none is known.
    pub unseen_swaps: Option<u64>,
    /// The largest undetected share of damage beyond single bits that was measured, if it is larger
    /// than what is allowed for real data; of a CRC of at most [`measured::WIDEST`] bits.
    pub measured: Option<Measured>,
    /// Undetected errors at each length, the longest first; none without an error rate.
    pub chances: Vec<AtLength>,
    /// The measured speed, if there is one.
    pub speed: Option<Speed>,
    /// Why it meets the requirements, or why it does not.
    pub reasons: Vec<String>,
}

/// The mathematics of a candidate.
#[derive(Clone, Debug)]
enum Of {
    Crc(Generator),
    Sum(Box<Additive>),
}

/// The measured speed of a code on this CPU.
#[derive(Clone, Debug, Serialize)]
pub struct Speed {
    /// The kernel that the library chooses.
    pub kernel: &'static str,
    /// The CPU features that kernel needs.
    pub needs: Vec<&'static str>,
    /// Bytes of the data it was timed on.
    pub bytes: usize,
    /// Nanoseconds a call, the median of batches.
    pub ns: f64,
    /// Core cycles per byte.
    pub cycles_per_byte: f64,
}

/// Searches for codes wider than this stop early: they could take an hour each.
pub(super) const WIDE: u32 = 32;
const WIDE_SUMS: u64 = 1 << 27;

/// The undetected errors of sums in independent wrong bits, at each length: one of the codes that
/// share a group stands for all of them.
pub(super) struct OfSums(BTreeMap<(String, u64), Chance>);

impl OfSums {
    /// Computes those of the sums among `candidates`.
    pub fn new<'a>(
        candidates: impl Iterator<Item = &'a Candidate>,
        wanted: &Wanted,
        effort: &Effort<'_>,
    ) -> OfSums {
        let sums = candidates.filter_map(|candidate| match &candidate.of {
            Of::Sum(code) if wanted.rate.is_some() => Some(code.as_ref()),
            _ => None,
        });
        let each = sums.flat_map(|code| {
            wanted.lengths().map(move |data| ((code.plain().to_string(), data), code))
        });
        let jobs: BTreeMap<(String, u64), &Additive> = each.collect();
        let jobs: Vec<_> = jobs.into_iter().collect();
        let chances =
            side_by_side(&jobs, effort.threads, |((_, data), code)| Chance::sum(code, *data));
        OfSums(jobs.into_iter().map(|(key, _)| key).zip(chances).collect())
    }

    /// Returns the probability of an undetected error of a sum at a bit error rate.
    fn at(&self, code: &Additive, data: u64, rate: f64) -> Known<f64> {
        match self.0.get(&(code.plain().to_string(), data)) {
            Some(chance) => chance.at(rate),
            None => Chance::sum(code, data).at(rate),
        }
    }
}

/// Does the same work on all items, some of them at once.
pub(super) fn side_by_side<T: Sync, R: Send>(
    items: &[T],
    threads: usize,
    work: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let worker = || {
        let mut done = Vec::new();
        while let Some((place, item)) = {
            let place = next.fetch_add(1, Ordering::Relaxed);
            items.get(place).map(|item| (place, item))
        } {
            done.push((place, work(item)));
        }
        done
    };
    let mut all: Vec<(usize, R)> = std::thread::scope(|scope| {
        let workers: Vec<_> = (1..threads.max(1)).map(|_| scope.spawn(worker)).collect();
        let mut all = worker();
        for other in workers {
            all.extend(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        all
    });
    all.sort_by_key(|(place, _)| *place);
    all.into_iter().map(|(_, result)| result).collect()
}

/// Returns the candidate for a CRC.
pub(super) fn crc(
    generator: &Generator,
    wanted: &Wanted,
    effort: &Effort<'_>,
) -> Result<Candidate, Error> {
    let effort = effort_for(generator, effort);
    let profile = Profile::to(generator, wanted.distance, &effort);
    let limit = profile.limits.iter().find(|limit| limit.distance == wanted.distance);
    let holds_to = match (limit, wanted.distance) {
        (_, 2) => None,
        (Some(limit), _) => Some(Known::new(limit.data, limit.kind)),
        (None, _) => Some(Known::new(0, Kind::Exact)),
    };
    let exact = limit.filter(|limit| limit.kind == Kind::Exact);
    let names: Vec<&'static str> = generator.names().collect();
    // Prefers the CRC that the width alone means, or else one without initial value and final
    // exclusive or.
    let width = format!("crc-{}", generator.width());
    let usual = |name: &&&str| {
        let mut aliases = catalog::ALIASES.iter();
        aliases.any(|(alias, params)| *alias == width && params.name == **name)
    };
    let plain = |name: &&&str| {
        let mut all = catalog::ALL.iter();
        all.any(|params| params.name == **name && (params.init, params.xorout) == (0, 0))
    };
    let name = names.iter().find(usual).or_else(|| names.iter().find(plain)).or(names.first());
    let name = name.copied();
    let text = name.map_or_else(|| format!("koopman:{:x}", generator.koopman()), String::from);
    if let Some(limit) = exact {
        let (label, code) = named(&text, generator);
        Undetected::of_limit(limit, (&label, &code))?;
    }
    Ok(Candidate {
        code: text,
        also: names.iter().copied().filter(|other| Some(*other) != name).collect(),
        width: generator.width(),
        crc: true,
        of: Of::Crc(*generator),
        holds_to,
        then: exact.map(|limit| profile.distance(limit.data.saturating_add(1)).0),
        burst: generator.width(),
        random: (-f64::from(generator.width())).exp2(),
        unseen_swaps: Some(period(generator)),
        measured: measured(generator),
        chances: Vec::new(),
        speed: None,
        reasons: Vec::new(),
    })
}

/// Returns the candidate for a sum; `None` for CRCs.
pub(super) fn sum(code: &Additive, wanted: &Wanted) -> Result<Option<Candidate>, Error> {
    let Some(limits) = sums::distance(code)? else { return Ok(None) };
    let holds_to = match wanted.distance {
        2 => None,
        3 => Some(Known::new(8 * limits.three_to as u64, Kind::Exact)),
        // Three bits from one unit on, or two.
        _ => Some(Known::new(0, Kind::Exact)),
    };
    let seen = |&bits: &u32| sums::burst(code, bits as usize).all_seen;
    Ok(Some(Candidate {
        code: code.name().into(),
        also: Vec::new(),
        width: code.width(),
        crc: false,
        holds_to,
        then: (wanted.distance == 3).then_some(2),
        burst: (1..=wanted.burst.min(code.width())).take_while(seen).last().unwrap_or(0),
        random: 1.0 / code.elements(),
        unseen_swaps: ignores_order(code).then_some(BLOCK),
        measured: None,
        chances: Vec::new(),
        speed: None,
        reasons: Vec::new(),
        of: Of::Sum(Box::new(code.clone())),
    }))
}

/// Bytes of the blocks that change places: a multiple of every sum's unit.
const BLOCK: u64 = 8;

/// Returns whether a sum stays as it is when neighbours of [`BLOCK`] bytes change places: tried.
fn ignores_order(code: &Additive) -> bool {
    let pairs = [*b"\x01\x23\x45\x67\x89\xab\xcd\xee", *b"swapping", *b"\0\0\0\0\0\0\0\x01"];
    pairs.windows(2).all(|pair| {
        let (there, back) = ([pair[0], pair[1]].concat(), [pair[1], pair[0]].concat());
        code.element(&there) == code.element(&back)
    })
}

/// Returns the least distance in whole bytes at which swapped blocks leave a CRC as it is: the
/// polynomial divides x^d + 1 for the multiples d of its order.
fn period(generator: &Generator) -> u64 {
    let order = factor::order(&factor::factors(generator.explicit()));
    order >> order.trailing_zeros().min(3)
}

/// Returns the budget of a candidate.
pub(super) fn effort_for<'a>(generator: &Generator, effort: &Effort<'a>) -> Effort<'a> {
    let most = if generator.width() > WIDE { WIDE_SUMS } else { u64::MAX };
    Effort { sums: effort.sums.min(most), ..*effort }
}

impl Candidate {
    /// Returns whether it is proved to meet the requirements.
    #[must_use]
    pub fn meets(&self, wanted: &Wanted) -> bool {
        self.shortfall(wanted).is_none()
    }

    /// Returns the share of the longest data that `data` takes, from 0 to 1; 0 if any length will
    /// do.
    #[must_use]
    pub fn used(&self, data: u64) -> f64 {
        self.holds_to.map_or(0.0, |limit| data as f64 / limit.value.max(1) as f64)
    }

    /// Returns the largest probability of an undetected error at any length; 0 if unknown.
    #[must_use]
    pub fn worst(&self) -> f64 {
        self.chances.iter().map(|at| at.undetected.value).fold(0.0, f64::max)
    }

    /// Returns the name of the code to time.
    ///
    /// A code without a name in the catalogue is timed as most CRCs are made: lowest bit first.
    pub(super) fn timed_name(&self) -> String {
        match &self.of {
            Of::Crc(generator) if generator.names().next().is_none() => {
                let (width, poly) = (generator.width(), generator.normal());
                format!("width={width},poly={poly:x},refin=true,refout=true")
            }
            _ => self.code.clone(),
        }
    }

    /// Returns the share of damage beyond single bits (lost, swapped, repeated or foreign blocks)
    /// that is not detected.
    ///
    /// Of a CRC the larger of what is allowed for real data and what was measured. Of a sum nothing
    /// is proved, as repeated data give equal sums: all of it counts.
    pub(super) fn damage(&self, data_bits: u64) -> f64 {
        match &self.of {
            Of::Sum(_) => 1.0,
            Of::Crc(generator) => {
                let measured = self.measured.as_ref().map_or(0.0, |measured| measured.share);
                measured::allowed(generator, data_bits).max(measured)
            }
        }
    }

    /// Computes the undetected errors at every length.
    pub(super) fn chances(
        &self,
        wanted: &Wanted,
        sums: &OfSums,
        effort: &Effort<'_>,
    ) -> Vec<AtLength> {
        let at = |data_bits| {
            let independent = wanted.rate.map(|rate| match &self.of {
                Of::Crc(generator) => {
                    let effort = effort_for(generator, effort);
                    Chance::crc(generator, data_bits, wanted.distance, rate, &effort).at(rate)
                }
                Of::Sum(code) => sums.at(code, data_bits, rate),
            });
            let damaged = Known { value: wanted.damaged * self.damage(data_bits), kind: ESTIMATE };
            let undetected = match independent {
                Some(known) if wanted.damaged == 0.0 => known,
                Some(known) => Known { value: known.value + damaged.value, ..damaged },
                None => damaged,
            };
            let per_second = undetected.value * wanted.per_second(data_bits);
            let (per_hour, per_year) = (per_second * 3600.0, per_second * YEAR);
            AtLength { data_bits, undetected, per_hour, per_year }
        };
        wanted.lengths().map(at).collect()
    }
}
