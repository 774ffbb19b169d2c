//! Tries named codes and hash functions, and CRCs by a named generator, whose init and xorout are
//! solved for.
//!
//! These stages need no algebra and come before those that do.

use super::family::{Equation, Family, Modulus, reflect};
use super::found::{Found, Hit, Tally};
use super::hashes::Hash;
use super::reading::{Form, Part, Place, Reading};
use super::sample::{Query, Read, Sample};
use super::untried::Untried;
use residue::Code;
use residue::crc::{Crc, Params, catalog};
use std::cell::OnceCell;

/// Bytes of the longest message of which the definition of a CRC gives a value sooner than its
/// tables are made.
const MOST_BY_DEFINITION: usize = 64;
/// The number of readings up to which few values of a CRC are needed.
const FEW_READINGS: usize = 2;
/// Bytes of the shortest message up to which hash functions are tried on readings other than the
/// plain one.
const MOST_HASHED: usize = 1 << 16;

/// The codes that are tried, by the width of their values.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    /// Those with values that the field can hold.
    Whole,
    /// Those with wider values, of which the field holds the lowest or the highest bits.
    Part,
}

/// A code or hash function that has a name.
pub(super) enum Named {
    /// A CRC; its tables are made when they are needed.
    Crc(&'static Params, OnceCell<Found>),
    Other(Found),
}

impl Named {
    /// Lists the codes of [`Code::all`].
    pub fn codes() -> Vec<Named> {
        let sums = Code::all().take_while(|code| code.params().is_none());
        let sums = sums.map(|sum| Named::Other(Found::Code(Box::new(sum))));
        let crcs = catalog::ALL.iter().map(|params| Named::Crc(params, OnceCell::new()));
        sums.chain(crcs).collect()
    }

    /// Lists the hash functions and checksums of programs.
    pub fn hashes() -> Vec<Named> {
        Hash::ALL.iter().map(|hash| Named::Other(Found::Hash(hash))).collect()
    }

    pub fn found(&self) -> &Found {
        match self {
            Named::Crc(params, found) => {
                found.get_or_init(|| Found::Code(Box::new(Code::Crc(Crc::new(params)))))
            }
            Named::Other(found) => found,
        }
    }

    pub fn width(&self, bits: u32) -> u32 {
        match self {
            Named::Crc(params, _) => params.width.into(),
            Named::Other(found) => found.width(bits),
        }
    }

    fn value(&self, message: &[u8], bits: u32) -> u128 {
        match self {
            Named::Crc(params, found)
                if found.get().is_none() && message.len() <= MOST_BY_DEFINITION =>
            {
                params.reference(message)
            }
            _ => self.found().value(message, bits),
        }
    }

    fn params(&self) -> Option<&'static Params> {
        match self {
            Named::Crc(params, _) => Some(params),
            Named::Other(_) => None,
        }
    }
}

/// Finds which of `all` have the samples' values.
pub(super) fn named(query: Query, all: &[Named], extent: Extent, tally: &mut Tally) {
    let Query { samples, bits, reads, forms } = query;
    let fits = |code: &&Named| (code.width(bits) > bits) == (extent == Extent::Part);
    let all: Vec<&Named> = all.iter().filter(fits).collect();
    if reads.len() > FEW_READINGS {
        all.iter().for_each(|code| _ = code.found());
    }
    for read in reads {
        let Some(shortest) = read.messages.first() else { continue };
        let is_long = read.reading != Reading::PLAIN && shortest.len() > MOST_HASHED;
        for code in &all {
            let width = code.width(bits);
            if is_long && matches!(code, Named::Other(Found::Hash(_))) {
                tally.untried.insert(Untried::LongHashes);
                continue;
            }
            // The places differ only if there is room to move.
            let forms = forms.iter().filter(|form| form.place == Place::Low || width != bits);
            let value = code.value(shortest, bits);
            for &form in forms {
                tally.tried += 1.0;
                let right = |(message, sample): (&Vec<u8>, &Sample)| {
                    form.field(code.value(message, bits), bits, width) == sample.value
                };
                if form.field(value, bits, width) == samples[0].value
                    && read.messages.iter().zip(samples).all(right)
                {
                    tally.hits.push(Hit {
                        found: code.found().clone(),
                        family: code.params().and_then(|params| related(params, query, read, form)),
                        reading: read.reading,
                        form,
                        part: (width > bits).then_some(Part { place: form.place, bits }),
                        mask: None,
                        unreached: None,
                        chance: -f64::from(width.min(bits)) * samples.len() as f64,
                    });
                }
            }
        }
    }
}

/// Returns the CRCs that differ from this one in init and xorout only and fit as well; none for
/// values cut off.
fn related(params: &Params, query: Query, read: &Read, form: Form) -> Option<Family> {
    let register = Register::new(params.width, params.poly, params.refin)?;
    let rests = register.after(&read.messages);
    let equations = equations(&rests, read, query, form, (params.width, params.refout))?;
    let mut family = Family::fit(register.modulus(), (params.refin, params.refout), &equations)?;
    // What was found is what is shown, even if others have names.
    family.params = Params { name: "custom", ..*params };
    Some(family)
}

/// A generator with everything else zero.
struct Register(Crc);

impl Register {
    fn new(width: u8, poly: u128, refin: bool) -> Option<Register> {
        Some(Register(Crc::new(&Params::new("custom", width, poly, 0, (refin, refin), 0).ok()?)))
    }

    fn modulus(&self) -> Modulus {
        let params = self.0.params();
        Modulus { width: params.width.into(), poly: params.poly }
    }

    /// Returns M x^w mod P of each message M.
    fn after(&self, messages: &[Vec<u8>]) -> Vec<u128> {
        let params = self.0.params();
        let register = |message: &Vec<u8>| {
            let value = self.0.checksum(message);
            if params.refout { params.reflect(value) } else { value }
        };
        messages.iter().map(register).collect()
    }
}

/// Returns the equations of the samples in init and xorout; `None` if a field holds no value of
/// this form.
fn equations(
    rests: &[u128],
    read: &Read,
    query: Query,
    form: Form,
    (width, refout): (u8, bool),
) -> Option<Vec<Equation>> {
    let each = rests.iter().zip(&read.messages).zip(query.samples);
    each.map(|((rest, message), sample)| {
        let value = form.value(sample.value, query.bits, width.into())?;
        let value = if refout { reflect(value, width.into()) } else { value };
        Some(Equation { bits: 8 * message.len() as u64, rest: rest ^ value })
    })
    .collect()
}

/// Both orders of bits, of input and output each.
pub(super) const REFLECTIONS: [(bool, bool); 4] =
    [(false, false), (true, true), (false, true), (true, false)];

/// Returns whether it is a CRC whose generator, or the reciprocal of it, has a name.
pub(super) fn is_named(found: &Found) -> bool {
    let Found::Code(code) = found else { return false };
    code.params().is_some_and(|own| {
        let of = |params: &Params| {
            params.width == own.width && [params.poly, params.reciprocal()].contains(&own.poly)
        };
        catalog::ALL.iter().any(of)
    })
}

/// Finds CRCs by the catalogue's generators and their reciprocals, with any init and xorout and any
/// reflections; of widths from `least` bits to the field's.
pub(super) fn generators(query: Query, least: u32, tally: &mut Tally) {
    let mut generators: Vec<(u8, u128)> = catalog::ALL
        .iter()
        .flat_map(|params| [params.poly, params.reciprocal()].map(|poly| (params.width, poly)))
        .filter(|&(width, _)| (least..=query.bits).contains(&width.into()))
        .collect();
    generators.sort_unstable();
    generators.dedup();
    for (width, poly) in generators {
        for refin in [false, true] {
            let Some(register) = Register::new(width, poly, refin) else { continue };
            for read in query.reads {
                let rests = register.after(&read.messages);
                for refout in [refin, !refin] {
                    for &form in query.forms {
                        let known = equations(&rests, read, query, form, (width, refout));
                        let Some(equations) = known else { continue };
                        tally.tried += 1.0;
                        let family = Family::fit(register.modulus(), (refin, refout), &equations);
                        if let Some(family) = family {
                            tally.family(family, query.samples.len(), 0, read, form);
                        }
                    }
                }
            }
        }
    }
}
