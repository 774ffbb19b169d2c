//! Finds the known codes that keep a Hamming distance at a length, and the width a code needs.

use residue::Code;
use residue::crc::catalog;
use serde::Serialize;

use super::additive::Additive;
use super::bounds::{enough_width, least_width};
use super::compare::Known;
use super::{Effort, Generator, Kind, Profile, Undetected, named, profile, sums};
use crate::Error;
use residue::kernel::KernelInfo;

/// The requirements for a code.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Wanted {
    /// Bits of data.
    pub data_bits: u64,
    /// The required Hamming distance, at least 2.
    pub distance: u32,
    /// The largest width of the check value in bits, at most 64.
    pub width: u32,
}

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
    generator: Option<Generator>,
    /// The longest data with the wanted distance, in bits; `None` if any data have it.
    pub holds_to: Option<Known<u64>>,
    /// The Hamming distance of data one bit longer than that, if it is exact.
    pub then: Option<u32>,
    /// The measured speed, if there is one.
    pub speed: Option<Speed>,
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

/// The codes that meet the requirements, and bounds on the width.
#[derive(Clone, Debug, Serialize)]
pub struct Advice {
    /// The requirements.
    pub wanted: Wanted,
    /// The codes that meet them, narrow ones first; after [`Advice::timed`], of equal width the
    /// fastest.
    pub codes: Vec<Candidate>,
    /// The other codes that keep the distance longest: up to one each of the widths 8, 16, 24, 32,
    /// 40 and 64, longest first.
    pub nearest: Vec<Candidate>,
    /// The least width: no code with fewer bits of check value meets the requirements.
    pub least_width: u32,
    /// A sufficient width: some CRC of this width meets the requirements.
    pub enough_width: u32,
}

/// Searches for codes wider than this stop early: they could take an hour each.
const WIDE: u32 = 32;
const WIDE_SUMS: u64 = 1 << 27;

/// The longest data that are timed.
const TIMED: u64 = 1 << 20;

impl Candidate {
    /// Returns whether it is proved to meet the requirements.
    #[must_use]
    pub fn meets(&self, data: u64) -> bool {
        self.holds_to.is_none_or(|limit| limit.value >= data)
    }

    /// Returns the share of the longest data that `data` takes, from 0 to 1; 0 if any length will
    /// do.
    #[must_use]
    pub fn used(&self, data: u64) -> f64 {
        self.holds_to.map_or(0.0, |limit| data as f64 / limit.value.max(1) as f64)
    }
}

impl Candidate {
    /// Returns the name of the code to time.
    ///
    /// A code without a name in the catalogue is timed as most CRCs are made: lowest bit first.
    fn timed_name(&self) -> String {
        match &self.generator {
            Some(generator) if generator.names().next().is_none() => {
                let (width, poly) = (generator.width(), generator.normal());
                format!("width={width},poly={poly:x},refin=true,refout=true")
            }
            _ => self.code.clone(),
        }
    }
}

fn effort_for<'a>(generator: &Generator, effort: &Effort<'a>) -> Effort<'a> {
    let most = if generator.width() > WIDE { WIDE_SUMS } else { u64::MAX };
    Effort { sums: effort.sums.min(most), ..*effort }
}

fn generators(wanted: &Wanted) -> impl Iterator<Item = Generator> {
    let width = wanted.width;
    Generator::known().into_iter().filter(move |generator| generator.width() <= width)
}

/// Estimates the seconds that [`advise`] takes.
#[must_use]
pub fn seconds(wanted: &Wanted, effort: &Effort<'_>) -> f64 {
    let sums = generators(wanted).map(|generator| {
        profile::sums_to(&generator, wanted.distance, &effort_for(&generator, effort))
    });
    effort.seconds(sums.fold(0, u64::saturating_add))
}

/// Examines every known code.
///
/// [`Advice::timed`] adds the speeds of those that meet the requirements.
///
/// # Errors
/// Returns an error if a code does not confirm the error that proves its limit.
pub fn advise(wanted: &Wanted, effort: &Effort<'_>) -> Result<Advice, Error> {
    let mut all: Vec<Candidate> = generators(wanted)
        .map(|generator| crc(&generator, wanted, effort))
        .collect::<Result<_, _>>()?;
    let sums = Code::all().filter_map(|code| match code {
        Code::Sum(_) if code.width() <= wanted.width => Additive::of(&code, code.name()),
        _ => None,
    });
    for code in sums {
        all.extend(sum(&code, wanted.distance)?);
    }
    let (mut codes, mut others): (Vec<_>, Vec<_>) =
        all.into_iter().partition(|candidate| candidate.meets(wanted.data_bits));
    codes.sort_by_key(|candidate| candidate.width);
    let longest = |candidate: &Candidate| candidate.holds_to.map_or(0, |limit| limit.value);
    others.sort_by_key(|candidate| std::cmp::Reverse(longest(candidate)));
    let nearest = [8, 16, 24, 32, 40, 64].into_iter().filter_map(|width| {
        others.iter().find(|other| other.width == width && longest(other) > 0).cloned()
    });
    let mut nearest: Vec<Candidate> = nearest.collect();
    nearest.sort_by_key(|candidate| std::cmp::Reverse(longest(candidate)));
    Ok(Advice {
        wanted: *wanted,
        codes,
        nearest,
        least_width: least_width(wanted.data_bits, wanted.distance),
        enough_width: enough_width(wanted.data_bits, wanted.distance),
    })
}

fn crc(generator: &Generator, wanted: &Wanted, effort: &Effort<'_>) -> Result<Candidate, Error> {
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
        generator: Some(*generator),
        holds_to,
        then: exact.map(|limit| profile.distance(limit.data.saturating_add(1)).0),
        speed: None,
    })
}

/// Returns the candidate for a sum; `None` for CRCs.
fn sum(code: &Additive, distance: u32) -> Result<Option<Candidate>, Error> {
    let Some(limits) = sums::distance(code)? else { return Ok(None) };
    let holds_to = match distance {
        2 => None,
        3 => Some(Known::new(8 * limits.three_to as u64, Kind::Exact)),
        // Three bits from one unit on, or two.
        _ => Some(Known::new(0, Kind::Exact)),
    };
    Ok(Some(Candidate {
        code: code.name().into(),
        also: Vec::new(),
        width: code.width(),
        crc: false,
        generator: None,
        holds_to,
        then: (distance == 3).then_some(2),
        speed: None,
    }))
}

impl Advice {
    /// Adds the speeds of the codes that meet the requirements, and sorts those of equal width by
    /// speed.
    ///
    /// `time` takes the codes' names, as [`Code`] reads them, and how many bytes of data to time
    /// them on; it returns nanoseconds a call and core cycles per byte of each code, by the kernel
    /// that the library chooses. It is not called if there is no code.
    ///
    /// # Errors
    /// Returns those of `time`.
    pub fn timed<E>(
        mut self,
        time: impl FnOnce(&[String], usize) -> Result<Vec<Option<(f64, f64)>>, E>,
    ) -> Result<Advice, E> {
        if self.codes.is_empty() {
            return Ok(self);
        }
        let bytes = self.wanted.data_bits.div_ceil(8).min(TIMED) as usize;
        let names: Vec<String> = self.codes.iter().map(Candidate::timed_name).collect();
        let times = time(&names, bytes)?;
        for ((candidate, name), time) in self.codes.iter_mut().zip(&names).zip(times) {
            let kernel = name.parse::<Code>().ok().map(|code| code.chosen());
            let speed = |(kernel, (ns, cycles_per_byte)): (KernelInfo, _)| Speed {
                kernel: kernel.name,
                needs: kernel.needs.names().collect(),
                bytes,
                ns,
                cycles_per_byte,
            };
            candidate.speed = kernel.zip(time).map(speed);
        }
        let cost = |candidate: &Candidate| candidate.speed.as_ref().map_or(0.0, |speed| speed.ns);
        self.codes.sort_by(|a, b| a.width.cmp(&b.width).then(cost(a).total_cmp(&cost(b))));
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the later a code stands, the faster it is.
    fn backwards(names: &[String], bytes: usize) -> Result<Vec<Option<(f64, f64)>>, Error> {
        let time = |(place, name): (usize, &String)| {
            assert!(name.parse::<Code>().is_ok(), "{name}");
            let ns = 1e6 - place as f64;
            Some((ns, ns / bytes as f64))
        };
        Ok(names.iter().enumerate().map(time).collect())
    }

    fn ask(data_bits: u64, distance: u32, width: u32) -> Advice {
        let wanted = Wanted { data_bits, distance, width };
        advise(&wanted, &Effort::new().within(5)).unwrap().timed(backwards).unwrap()
    }

    #[test]
    fn six_at_the_length_of_ethernet() {
        let advice = ask(12_000, 6, 32);
        let names: Vec<&str> = advice.codes.iter().map(|code| code.code.as_str()).collect();
        assert!(names.contains(&"crc-32/mef"), "{names:?}");
        let k2 = advice.codes.iter().find(|code| code.code == "koopman:992c1a4c").unwrap();
        assert_eq!((k2.holds_to.unwrap().value, k2.then), (32_738, Some(4)));
        assert!(advice.codes.iter().all(|code| code.width == 32 && code.speed.is_some()));
        assert!(advice.codes.is_sorted_by_key(|code| code.speed.as_ref().map(|it| it.ns as u64)));
        assert!(names.iter().all(|name| !["crc-32/iscsi", "crc-32/iso-hdlc"].contains(name)));
        let iscsi = advice.nearest.iter().find(|code| code.width == 32).unwrap();
        assert!(iscsi.holds_to.unwrap().value < 12_000);
    }

    #[test]
    fn sums_have_three_at_most() {
        let of_three = ask(8 * 1500, 3, 32);
        let sums: Vec<&str> =
            of_three.codes.iter().filter(|code| !code.crc).map(|code| code.code.as_str()).collect();
        assert!(sums.contains(&"fletcher-32") && sums.contains(&"adler-32"), "{sums:?}");
        assert!(!sums.contains(&"internet") && !sums.contains(&"fletcher-16"));
        assert!(of_three.codes.iter().any(|code| code.width == 16 && code.crc));
        assert!(ask(8 * 1500, 4, 16).codes.iter().all(|code| code.crc));
    }
}
