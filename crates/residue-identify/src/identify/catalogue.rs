//! Codes with a name, and CRCs by a named generator with other settings.

use super::family::{Equation, Family, Modulus, reflect};
use super::reading::{Form, Place};
use super::sample::{Read, Sample};
use super::{Found, Hit, Tally};
use residue::Code;
use residue::crc::{Crc, Params, catalog};

/// Finds the named codes that have the samples' values.
pub(super) fn named(
    samples: &[Sample],
    bits: u32,
    reads: &[Read],
    forms: &[Form],
    codes: &[Code],
    tally: &mut Tally,
) {
    for read in reads {
        let Some(shortest) = read.messages.first() else { continue };
        for code in codes {
            let width = code.width();
            let forms = forms.iter().filter(|form| {
                // The places differ only if there is room to move.
                form.place == Place::Low && width <= bits
                    || form.place == Place::High && width < bits
                    || width > bits && forms.len() > 2
            });
            let value = code.value(shortest);
            for &form in forms {
                tally.tried += 1.0;
                let right = |(message, sample): (&Vec<u8>, &Sample)| {
                    form.field(code.value(message), bits, width) == sample.value
                };
                if form.field(value, bits, width) == samples[0].value
                    && read.messages.iter().zip(samples).all(right)
                {
                    let family =
                        code.params().and_then(|params| related(params, samples, bits, read, form));
                    let bits_given = f64::from(width.min(bits)) * samples.len() as f64;
                    tally.hits.push(Hit {
                        found: Found::Code(Box::new(code.clone())),
                        family,
                        reading: read.reading,
                        form,
                        chance: -bits_given,
                    });
                }
            }
        }
    }
}

/// Returns the CRCs that differ from this one in init and xorout only and fit as well; none for
/// values cut off.
fn related(
    params: &Params,
    samples: &[Sample],
    bits: u32,
    read: &Read,
    form: Form,
) -> Option<Family> {
    let register = Register::new(params.width, params.poly, params.refin)?;
    let rests = register.after(&read.messages);
    let equations =
        equations(&rests, &read.messages, samples, (form, bits), (params.width, params.refout))?;
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
    messages: &[Vec<u8>],
    samples: &[Sample],
    (form, bits): (Form, u32),
    (width, refout): (u8, bool),
) -> Option<Vec<Equation>> {
    let each = rests.iter().zip(messages).zip(samples);
    each.map(|((rest, message), sample)| {
        let value = form.value(sample.value, bits, width.into())?;
        let value = if refout { reflect(value, width.into()) } else { value };
        Some(Equation { bits: 8 * message.len() as u64, rest: rest ^ value })
    })
    .collect()
}

/// Both orders of bits, of input and output each.
pub(super) const REFLECTIONS: [(bool, bool); 4] =
    [(false, false), (true, true), (false, true), (true, false)];

/// Finds CRCs by the catalogue's generators and their reciprocals, with any init and xorout and any
/// reflections.
pub(super) fn generators(
    samples: &[Sample],
    bits: u32,
    reads: &[Read],
    forms: &[Form],
    tally: &mut Tally,
) {
    let mut generators: Vec<(u8, u128)> = catalog::ALL
        .iter()
        .flat_map(|params| [params.poly, params.reciprocal()].map(|poly| (params.width, poly)))
        .filter(|&(width, _)| u32::from(width) <= bits)
        .collect();
    generators.sort_unstable();
    generators.dedup();
    for (width, poly) in generators {
        for refin in [false, true] {
            let Some(register) = Register::new(width, poly, refin) else { continue };
            for read in reads {
                let rests = register.after(&read.messages);
                for refout in [refin, !refin] {
                    for &form in forms {
                        let known = equations(
                            &rests,
                            &read.messages,
                            samples,
                            (form, bits),
                            (width, refout),
                        );
                        let Some(equations) = known else { continue };
                        tally.tried += 1.0;
                        let family = Family::fit(register.modulus(), (refin, refout), &equations);
                        if let Some(family) = family {
                            tally.family(family, samples.len(), 0, read, form);
                        }
                    }
                }
            }
        }
    }
}
