//! Finds the known codes that meet a designer's requirements: a Hamming distance, bursts, the
//! probability of undetected errors; and the width a code needs.

mod candidates;
pub mod measured;
mod reasons;
mod wanted;

use residue::Code;
use serde::Serialize;

use crate::answers::search::{Question, Range, Search, Task};
use crate::codes::additive::Additive;
use crate::crc::bounds::{enough_width, least_width};
use crate::crc::{Generator, profile};
use crate::{Effort, Error};
pub use candidates::{Candidate, Speed};
use candidates::{OfSums, WIDE, crc, effort_for, side_by_side, sum};
pub use wanted::{AtLength, Instructions, Target, Wanted, rate};

/// The codes that meet the requirements, and bounds on the width.
#[derive(Clone, Debug, Serialize)]
pub struct Advice {
    /// The requirements.
    pub wanted: Wanted,
    /// The codes that meet them, best first: narrow ones, and of equal width the fastest, if they
    /// were [timed](Advice::timed). For files the fastest first, and of about equal ones the
    /// strongest.
    pub codes: Vec<Candidate>,
    /// The codes that do not, narrow ones first, each with its reason.
    pub rejected: Vec<Candidate>,
    /// The other codes that keep the distance longest: up to one each of the widths 8, 16, 24, 32,
    /// 40 and 64, longest first.
    pub nearest: Vec<Candidate>,
    /// The least width: no code with fewer bits of check value meets the requirements.
    pub least_width: u32,
    /// A sufficient width: some CRC of this width meets the requirements.
    pub enough_width: u32,
    /// If no code meets the requirements: the seconds that a search for one of the sufficient width
    /// takes on this machine, by a sample.
    pub search_seconds: Option<f64>,
}

/// The longest data that are timed.
const TIMED: u64 = 1 << 20;

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
    let mut all = crcs(wanted, effort)?;
    let sums = Code::all().filter_map(|code| match code {
        Code::Sum(_) if code.width() <= wanted.width => Additive::of(&code, code.name()),
        _ => None,
    });
    let sums: Vec<Additive> = sums.collect();
    for found in side_by_side(&sums, effort.threads, |code| sum(code, wanted)) {
        all.extend(found?);
    }
    if wanted.has_errors() {
        // Those that fail already need no probability.
        let of_sums = OfSums::new(all.iter().filter(|one| one.meets(wanted)), wanted, effort);
        let chances = side_by_side(&all, effort.threads, |one| match one.meets(wanted) {
            true => one.chances(wanted, &of_sums, effort),
            false => Vec::new(),
        });
        all.iter_mut().zip(chances).for_each(|(one, chances)| one.chances = chances);
    }
    let (mut codes, mut rejected) = (Vec::new(), Vec::new());
    for mut candidate in all {
        match candidate.shortfall(wanted) {
            None => codes.push(candidate),
            Some(why) => {
                candidate.reasons = vec![why];
                rejected.push(candidate);
            }
        }
    }
    let longest = |candidate: &Candidate| candidate.holds_to.map_or(0, |limit| limit.value);
    rejected.sort_by_key(|candidate| std::cmp::Reverse(longest(candidate)));
    let nearest = [8, 16, 24, 32, 40, 64].into_iter().filter_map(|width| {
        rejected.iter().find(|other| other.width == width && longest(other) > 0).cloned()
    });
    let mut nearest: Vec<Candidate> = nearest.collect();
    nearest.sort_by_key(|candidate| std::cmp::Reverse(longest(candidate)));
    rejected.sort_by_key(|candidate| candidate.width);
    let least_width = least_width(wanted.data_bits, wanted.distance);
    let enough_width = enough_width(wanted.data_bits, wanted.distance);
    let wanted = wanted.clone();
    let search_seconds = None;
    let mut advice =
        Advice { wanted, codes, rejected, nearest, least_width, enough_width, search_seconds };
    advice.search_seconds = advice.search().map(|task| {
        // The sample has a time of its own.
        Search::new(task, Range::WHOLE).seconds(&Effort { spend: &|_| true, ..*effort })
    });
    advice.rank();
    Ok(advice)
}

/// The memory that each of several searches has at least. With a quarter of it the limits of CRCs
/// of up to [`WIDE`] bits were the same, for HD 6 at 1500 bytes and HD 8 at 64.
const SEARCH: u64 = 64 << 20;

/// Examines the CRCs: wide ones with all threads and memory, the others side by side, because their
/// searches have more steps that take one thread.
fn crcs(wanted: &Wanted, effort: &Effort<'_>) -> Result<Vec<Candidate>, Error> {
    let (narrow, wide): (Vec<Generator>, Vec<Generator>) =
        generators(wanted).partition(|generator| generator.width() <= WIDE);
    let at_once = (effort.memory / SEARCH).clamp(1, effort.threads as u64);
    let part = Effort {
        threads: effort.threads / at_once as usize,
        memory: effort.memory / at_once,
        ..*effort
    };
    let examined =
        side_by_side(&narrow, at_once as usize, |generator| crc(generator, wanted, &part));
    let wide = wide.iter().map(|generator| crc(generator, wanted, effort));
    examined.into_iter().chain(wide).collect()
}

/// The ratio of two times from which on they count as different, in the ranking for files.
const STEP: f64 = 1.25;

impl Advice {
    /// Returns the search for a polynomial, if no code meets the requirements and one may.
    #[must_use]
    pub fn search(&self) -> Option<Task> {
        let Wanted { data_bits: data, distance, .. } = self.wanted;
        let width = self.enough_width.max(self.least_width).min(64);
        let asked = self.codes.is_empty() && distance > 2 && self.least_width <= 64;
        asked.then(|| Task::new(width, Question::Keep { distance, data }).ok()).flatten()
    }

    /// Adds the speeds of the codes that meet the requirements, and ranks them anew.
    ///
    /// `time` takes the codes' names, as [`Code`] reads them, each with the kernel to time, and how
    /// many bytes of data to time them on; it returns nanoseconds a call and core cycles per byte
    /// of each. It is not called if there is no code.
    ///
    /// # Errors
    /// Returns those of `time`.
    pub fn timed<E>(
        mut self,
        time: impl FnOnce(&[(String, &'static str)], usize) -> Result<Vec<Option<(f64, f64)>>, E>,
    ) -> Result<Advice, E> {
        if self.codes.is_empty() {
            return Ok(self);
        }
        let bytes = self.wanted.data_bits.div_ceil(8).min(TIMED) as usize;
        let instructions = self.wanted.instructions;
        let names: Vec<String> = self.codes.iter().map(Candidate::timed_name).collect();
        let kernels: Vec<_> =
            names.iter().map(|name| instructions.kernel(&name.parse::<Code>().ok()?)).collect();
        let pairs = names.into_iter().zip(&kernels);
        let pairs: Vec<(String, &'static str)> =
            pairs.map(|(name, kernel)| (name, kernel.map_or("portable", |it| it.name))).collect();
        let times = time(&pairs, bytes)?;
        for ((candidate, kernel), time) in self.codes.iter_mut().zip(kernels).zip(times) {
            candidate.speed = kernel.zip(time).map(|(kernel, (ns, cycles_per_byte))| Speed {
                kernel: kernel.name,
                needs: kernel.needs.names().collect(),
                bytes,
                ns,
                cycles_per_byte,
            });
        }
        self.rank();
        Ok(self)
    }

    /// Sorts the codes, and gives the reasons for each.
    fn rank(&mut self) {
        let cost = |candidate: &Candidate| candidate.speed.as_ref().map_or(0.0, |speed| speed.ns);
        let least = self.codes.iter().map(cost).fold(f64::INFINITY, f64::min).max(1e-9);
        let step = |candidate: &Candidate| (cost(candidate) / least).max(1.0).log(STEP) as u32;
        match self.wanted.files {
            true => self.codes.sort_by(|a, b| {
                let strength = a.worst().total_cmp(&b.worst()).then(b.width.cmp(&a.width));
                step(a).cmp(&step(b)).then(strength)
            }),
            false => {
                self.codes.sort_by(|a, b| a.width.cmp(&b.width).then(cost(a).total_cmp(&cost(b))))
            }
        }
        for candidate in &mut self.codes {
            candidate.reasons = candidate.merits(&self.wanted);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the later a code stands, the faster it is.
    fn backwards(
        names: &[(String, &'static str)],
        bytes: usize,
    ) -> Result<Vec<Option<(f64, f64)>>, Error> {
        let time = |(place, (name, _)): (usize, &(String, _))| {
            assert!(name.parse::<Code>().is_ok(), "{name}");
            let ns = 1e6 - place as f64;
            Some((ns, ns / bytes as f64))
        };
        Ok(names.iter().enumerate().map(time).collect())
    }

    fn ask(data_bits: u64, distance: u32, width: u32) -> Advice {
        let wanted = Wanted::new(data_bits, distance, width);
        advise(&wanted, &Effort::new().within(5)).unwrap().timed(backwards).unwrap()
    }

    #[test]
    #[ignore = "long"]
    fn six_at_the_length_of_ethernet() {
        let advice = ask(12_000, 6, 32);
        let names: Vec<&str> = advice.codes.iter().map(|code| code.code.as_str()).collect();
        assert!(names.contains(&"crc-32/mef"), "{names:?}");
        let k2 = advice.codes.iter().find(|code| code.code == "koopman:992c1a4c").unwrap();
        assert_eq!((k2.holds_to.unwrap().value, k2.then), (32_738, Some(4)));
        // Koopman's polynomials of 29 to 31 bits are narrower.
        assert!(advice.codes.iter().all(|code| code.width >= 29 && code.speed.is_some()));
        let rank = |code: &Candidate| (code.width, code.speed.as_ref().map(|it| it.ns as u64));
        assert!(advice.codes.is_sorted_by_key(rank));
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

    #[test]
    #[ignore = "long"]
    fn a_target_rejects_codes_that_miss_it() {
        let mut wanted = Wanted::new(256, 2, 32);
        wanted.rate = Some(1e-6);
        wanted.target = Some(Target::Message(1e-12));
        wanted.burst = 16;
        wanted.shorter = vec![64];
        let advice = advise(&wanted, &Effort::new().within(1)).unwrap();
        let names: Vec<&str> = advice.codes.iter().map(|code| code.code.as_str()).collect();
        assert!(names.contains(&"crc-32/iscsi") && !names.contains(&"internet"), "{names:?}");
        for code in &advice.codes {
            assert!(code.chances.len() == 2 && code.worst() <= 1e-12 && code.burst >= 16);
            assert!(!code.reasons.is_empty(), "{}", code.code);
        }
        let why = |name: &str| {
            let code = advice.rejected.iter().find(|code| code.code == name).unwrap();
            code.reasons.join("; ")
        };
        assert!(why("fletcher-32").contains("bursts"), "{}", why("fletcher-32"));
        wanted.burst = 0;
        wanted.shorter.clear();
        wanted.target = Some(Target::Year(1e-3));
        let stricter = advise(&wanted, &Effort::new().within(1)).unwrap();
        let adler = stricter.rejected.iter().find(|code| code.code == "adler-32").unwrap();
        assert!(adler.reasons[0].contains("a year"), "{:?}", adler.reasons);
        assert!(stricter.codes.iter().all(|code| code.chances[0].per_year <= 1e-3));
    }

    /// Structured damage is not random: of a sum nothing is proved.
    #[test]
    fn sums_get_no_credit_against_lost_and_swapped_blocks() {
        let mut wanted = Wanted::new(8 << 30, 2, 64);
        (wanted.files, wanted.damaged) = (true, 1e-6);
        wanted.target = Some(Target::Message(1e-15));
        let advice = advise(&wanted, &Effort::new().within(2)).unwrap();
        assert!(!advice.codes.is_empty() && advice.codes.iter().all(|code| code.crc));
        let why = |name: &str| {
            advice.rejected.iter().find(|code| code.code == name).unwrap().reasons.join("; ")
        };
        for name in ["xor-32", "sum-32", "internet"] {
            assert!(why(name).contains("swapped blocks are never detected"), "{}", why(name));
        }
        for name in ["fletcher-32", "adler-32", "xns"] {
            assert!(why(name).contains("nothing is proved of a sum"), "{}", why(name));
        }
        // A target that even undetected damage meets.
        wanted.target = Some(Target::Message(1e-6));
        let loose = advise(&wanted, &Effort::new().within(2)).unwrap();
        assert!(loose.codes.iter().any(|code| code.code == "fletcher-32"));
    }

    /// Blocks swapped at a multiple of a polynomial's period leave a CRC as it is.
    #[test]
    fn the_period_of_a_polynomial_limits_what_a_crc_detects() {
        for (name, bytes) in [("crc-8/smbus", 127), ("crc-16/arc", 32_767)] {
            let code: Code = name.parse().unwrap();
            let mut data: Vec<u8> = (0..bytes + 8).map(|i| (i * i % 251) as u8).collect();
            let before = code.value(&data);
            for i in 0..8 {
                data.swap(i, i + bytes);
            }
            assert_eq!(code.value(&data), before, "{name}");
            let wanted = Wanted { damaged: 1e-3, ..Wanted::new(8 * 65_536, 2, 16) };
            let advice = advise(&wanted, &Effort::new().within(2)).unwrap();
            let candidate = advice.codes.iter().find(|code| code.code == name).unwrap();
            assert_eq!(candidate.unseen_swaps, Some(bytes as u64));
            let found = candidate.chances[0].undetected.value;
            assert!(found > 1e-3 * (candidate.random + 0.9 / bytes as f64), "{name} {found}");
        }
    }

    #[test]
    fn koopmans_polynomials_are_known() {
        for (data, distance, width, name) in
            [(992, 8, 32, "koopman:f8c9140a"), (2026, 6, 24, "koopman:bd80de")]
        {
            let wanted = Wanted::new(data, distance, width);
            let text = |one: &Generator| format!("koopman:{:x}", one.koopman());
            let known = generators(&wanted).find(|one| text(one) == name).expect(name);
            let candidate = crc(&known, &wanted, &Effort::new().within(5)).unwrap();
            assert!(candidate.meets(&wanted), "{candidate:?}");
        }
    }

    #[test]
    fn files_are_judged_by_damage_and_speed() {
        let mut wanted = Wanted::new(8 << 30, 2, 64);
        (wanted.files, wanted.damaged) = (true, 1e-6);
        wanted.target = Some(Target::Message(1e-20));
        let advice = advise(&wanted, &Effort::new().within(2)).unwrap().timed(backwards).unwrap();
        assert!(!advice.codes.is_empty() && advice.codes.iter().all(|code| code.width > 40));
        let crc = advice.codes.iter().find(|code| code.code == "crc-64/nvme").unwrap();
        let tenfold = 1e-6 * 10.0 * 0.5_f64.powi(64);
        assert!((crc.chances[0].undetected.value / tenfold - 1.0).abs() < 1e-12);
    }
}
