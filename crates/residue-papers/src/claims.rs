//! The comparative sentences of the documents, judged on this CPU.
//!
//! A claim is judged with the algorithms that its document used (the historical kernels named after
//! it), timed as it timed them: one call at a time on fresh bytes for the thesis, calls in batches
//! for the others. Both sides of a ratio are measured in [`ROUNDS`] rounds that take turns; the
//! interval of the ratio reaches from the least to the greatest of the rounds, and 2 % beyond,
//! because two runs of one program differ by more than the rounds of one. A claim
//! holds if the whole interval lies where the claim says, does not hold if the whole interval lies
//! elsewhere, and is too close to call otherwise. On a busy machine the margin is a quarter.
//!
//! What the kernels that run today make of a claim is a line of its own.

mod list;
mod rounds;

use residue_bench::Error;
use residue_bench::clock::Clock;
use residue_bench::{Mode, Progress};
use residue_report::number::significant;
use serde::Serialize;

pub use list::{CLAIMS, CONCLUSION};
use rounds::Measured;

/// The number of rounds in which both sides of a ratio are measured.
pub const ROUNDS: usize = 10;

/// The factor by which an interval reaches beyond its rounds.
const MARGIN: f64 = 1.02;
/// The factor on a busy machine, where another thread may take units of the same core.
const BUSY_MARGIN: f64 = 1.25;

/// A document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum Document {
    /// The thesis (Sahu 2019).
    #[serde(rename = "Sahu 2019")]
    Thesis,
    /// The article (Pino García 2018).
    #[serde(rename = "Pino García 2018")]
    Article,
    /// The white paper (Intel 2006).
    #[serde(rename = "Intel 2006")]
    Intel,
    /// The paper on the ISO checksum (Sklower 1989).
    #[serde(rename = "Sklower 1989")]
    Sklower,
}

impl Document {
    /// Returns the author and year.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Document::Thesis => "Sahu 2019",
            Document::Article => "Pino García 2018",
            Document::Intel => "Intel 2006",
            Document::Sklower => "Sklower 1989",
        }
    }

    /// Returns how the document timed calls.
    #[must_use]
    pub fn mode(self) -> Mode {
        if self == Document::Thesis { Mode::Thesis } else { Mode::Throughput }
    }
}

/// A code and a kernel of it; `today` stands for the kernel that is dispatched.
pub type Side = (&'static str, &'static str);

/// The kernel name that stands for the dispatched kernel.
const TODAY: &str = "today";

/// The ratios of times that fulfil a claim.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Band {
    low: f64,
    high: Option<f64>,
}

impl Band {
    /// The second side is faster than the first.
    const FASTER: Band = Band { low: 1.0, high: None };
    /// Both take the same time within a tenth.
    const EQUAL: Band = Band { low: 1.0 / 1.1, high: Some(1.1) };

    /// The second side is about `times` as fast as the first: from three quarters of it to four
    /// thirds.
    const fn about(times: f64) -> Band {
        let low = if times > 1.0 && times < 4.0 / 3.0 { 1.0 } else { 0.75 * times };
        Band { low, high: Some(times / 0.75) }
    }

    const fn from(low: f64, high: f64) -> Band {
        Band { low, high: Some(high) }
    }

    fn contains(self, x: f64) -> bool {
        x > self.low && self.high.is_none_or(|high| x < high)
    }
}

/// Two sides, at some sizes, and the ratios of their times that fulfil the claim.
#[derive(Debug)]
pub struct Ratio {
    slower: Side,
    faster: Side,
    sizes: &'static [usize],
    band: Band,
}

/// What judges a claim.
#[derive(Debug)]
enum Basis {
    /// Each of these ratios at each of their sizes.
    Ratios(&'static [Ratio]),
    /// Each ratio that the function makes of the measurement; `None` where kernels are missing.
    All(fn(&Measured) -> Option<Vec<Compared>>),
    /// At least one of them.
    Any(fn(&Measured) -> Option<Vec<Compared>>),
}

/// A claim of a document.
#[derive(Debug)]
pub struct Claim {
    /// The document.
    pub document: Document,
    /// The page or section.
    pub place: &'static str,
    /// The claim, in our words.
    pub text: &'static str,
    /// The figure printed there.
    pub published: &'static str,
    basis: Basis,
    /// The comparison between the kernels of today.
    today: &'static [Ratio],
}

/// The outcome of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The claim holds here.
    Holds,
    /// The claim does not hold here.
    DoesNotHold,
    /// The interval of a ratio crosses the border.
    TooClose,
    /// This CPU lacks a kernel that the claim is about.
    NotHere,
}

impl Verdict {
    /// `holds`, `does not hold`, `too close to call` or `not here`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Holds => "holds",
            Verdict::DoesNotHold => "does not hold",
            Verdict::TooClose => "too close to call",
            Verdict::NotHere => "not here",
        }
    }
}

/// The ratio of two times, with its interval over the rounds, and the ratios that were claimed.
#[derive(Debug, Clone, Serialize)]
pub struct Compared {
    /// The condition: `64 bytes`, `mixed packets`, ...
    pub at: String,
    /// The median of the rounds.
    pub ratio: f64,
    /// The least ratio of a round.
    pub low: f64,
    /// The greatest ratio of a round.
    pub high: f64,
    /// The ratios that fulfil the claim.
    pub claimed: Band,
}

impl Compared {
    fn new(at: String, mut ratios: Vec<f64>, claimed: Band) -> Option<Compared> {
        ratios.sort_by(f64::total_cmp);
        let (low, high) = (*ratios.first()?, *ratios.last()?);
        let ratio = (ratios[(ratios.len() - 1) / 2] + ratios[ratios.len() / 2]) / 2.0;
        Some(Compared { at, ratio, low, high, claimed })
    }

    fn verdict(&self, margin: f64) -> Verdict {
        let (low, high) = (self.low / margin, self.high * margin);
        let Band { low: from, high: to } = self.claimed;
        if self.claimed.contains(low) && self.claimed.contains(high) {
            Verdict::Holds
        } else if high < from || to.is_some_and(|to| low > to) {
            Verdict::DoesNotHold
        } else {
            Verdict::TooClose
        }
    }

    /// Writes the ratio with its interval: `1.05 (0.98 to 1.10) at 1500 bytes`.
    #[must_use]
    pub fn text(&self) -> String {
        let number = |x| significant(x, 3);
        let (ratio, low, high) = (number(self.ratio), number(self.low), number(self.high));
        format!("{ratio} ({low} to {high}) at {}", self.at)
    }
}

/// A claim, and its measurement.
#[derive(Debug, Clone, Serialize)]
pub struct Judged {
    /// The document that makes the claim.
    pub document: Document,
    /// The page or section.
    pub place: &'static str,
    /// The claim, in our words.
    pub claim: &'static str,
    /// The figure printed there.
    pub published: &'static str,
    /// The ratios of the first side's time to the second's, by the document's algorithms and way of
    /// timing.
    pub here: Vec<Compared>,
    /// The verdict on `here`.
    pub verdict: Verdict,
    /// The comparison between today's kernels in batches; empty where none is made.
    pub today: Vec<Compared>,
}

/// The judged claims, and whether the machine was too busy.
#[derive(Debug, Clone, Serialize)]
pub struct Report {
    /// The CPU's name.
    pub cpu: String,
    /// A sentence, if the machine was busy: intervals then reach a quarter beyond their rounds.
    pub busy: Option<String>,
    /// The claims.
    pub claims: Vec<Judged>,
}

/// Judges all claims, by `calls` timed calls of each side.
///
/// # Errors
/// Returns the errors of [`residue_bench::measure`].
pub fn judge(calls: usize, clock: &Clock, progress: Progress<'_>) -> Result<Report, Error> {
    let claims: Vec<&Claim> = CLAIMS.iter().collect();
    report(&claims, &Measured::new(&claims, calls, clock, progress)?)
}

/// Judges the thesis's conclusion alone: CRC-32C against the TCP checksum, by size.
///
/// # Errors
/// Returns the errors of [`residue_bench::measure`].
pub fn conclusion(calls: usize, clock: &Clock, progress: Progress<'_>) -> Result<Report, Error> {
    let claims: Vec<&Claim> = CLAIMS.iter().take(CONCLUSION).collect();
    report(&claims, &Measured::new(&claims, calls, clock, progress)?)
}

fn report(claims: &[&Claim], measured: &Measured) -> Result<Report, Error> {
    let busy = measured.busy();
    let margin = if busy.is_some() { BUSY_MARGIN } else { MARGIN };
    let claims = claims.iter().map(|claim| judged(claim, measured, margin)).collect();
    Ok(Report { cpu: residue_bench::machine::cpu_name(), busy, claims })
}

fn judged(claim: &Claim, measured: &Measured, margin: f64) -> Judged {
    let mode = claim.document.mode();
    let (here, all) = match claim.basis {
        Basis::Ratios(ratios) => (measured.ratios(mode, ratios), true),
        Basis::All(compare) => (compare(measured), true),
        Basis::Any(compare) => (compare(measured), false),
    };
    let here = here.unwrap_or_default();
    let verdicts: Vec<Verdict> = here.iter().map(|compared| compared.verdict(margin)).collect();
    // One ratio elsewhere refutes "each"; one in place proves "at least one".
    let (deciding, otherwise) = match all {
        true => (Verdict::DoesNotHold, Verdict::Holds),
        false => (Verdict::Holds, Verdict::DoesNotHold),
    };
    let verdict = if here.is_empty() {
        Verdict::NotHere
    } else if verdicts.contains(&deciding) {
        deciding
    } else if verdicts.contains(&Verdict::TooClose) {
        Verdict::TooClose
    } else {
        otherwise
    };
    Judged {
        document: claim.document,
        place: claim.place,
        claim: claim.text,
        published: claim.published,
        here,
        verdict,
        today: measured.ratios(Mode::Throughput, claim.today).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compared(low: f64, high: f64, claimed: Band) -> Compared {
        Compared::new("64 bytes".into(), vec![low, high], claimed).expect("two ratios")
    }

    #[test]
    fn an_interval_across_the_border_is_too_close() {
        let verdict = |low, high, band| compared(low, high, band).verdict(MARGIN);
        assert_eq!(verdict(1.05, 1.10, Band::FASTER), Verdict::Holds);
        assert_eq!(verdict(0.80, 0.90, Band::FASTER), Verdict::DoesNotHold);
        assert_eq!(verdict(0.93, 1.10, Band::FASTER), Verdict::TooClose);
        // Within the margin.
        assert_eq!(verdict(1.01, 1.10, Band::FASTER), Verdict::TooClose);
        assert_eq!(compared(1.05, 1.10, Band::FASTER).verdict(BUSY_MARGIN), Verdict::TooClose);
    }

    #[test]
    fn a_multiple_has_an_upper_bound() {
        let about = Band::about(4.4);
        assert_eq!(compared(31.0, 31.5, about).verdict(MARGIN), Verdict::DoesNotHold);
        assert_eq!(compared(4.0, 4.6, about).verdict(MARGIN), Verdict::Holds);
        // A gain of 5 % is not confirmed by a loss.
        assert_eq!(compared(0.9, 0.95, Band::about(1.05)).verdict(MARGIN), Verdict::DoesNotHold);
    }

    #[test]
    fn no_verdict_changes_sides_between_runs_that_differ_by_less_than_the_margin() {
        for centre in 90..110 {
            let run = |shift: f64| {
                let middle = f64::from(centre) / 100.0 * shift;
                compared(middle * 0.99, middle * 1.01, Band::FASTER).verdict(MARGIN)
            };
            let both = [run(1.0), run(1.02)];
            assert!(!both.contains(&Verdict::Holds) || !both.contains(&Verdict::DoesNotHold));
        }
    }

    #[test]
    fn every_claim_names_kernels_that_exist() {
        let code = |name: &str| name.parse::<residue::Code>().expect("a code");
        for claim in CLAIMS {
            assert!(!claim.text.is_empty() && !claim.place.is_empty());
            let Basis::Ratios(ratios) = claim.basis else { continue };
            for ratio in ratios.iter().chain(claim.today) {
                for (name, kernel) in [ratio.slower, ratio.faster] {
                    let known = code(name).kernels().any(|known| known.name == kernel);
                    assert!(kernel == TODAY || known, "{}: {name} {kernel}", claim.text);
                }
            }
        }
    }
}
