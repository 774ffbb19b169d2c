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

mod claim;
mod list;
mod ratio;
mod rounds;
mod sides;

use residue_bench::clock::Clock;
use residue_bench::{Error, Mode, Progress};
use serde::Serialize;

use claim::Basis;
use ratio::{BUSY_MARGIN, MARGIN};
use rounds::{Measured, Plan};

pub use claim::{Claim, Document};
pub use list::{CLAIMS, CONCLUSION};
pub use ratio::{Band, Compared, Ratio, Verdict};
pub use rounds::ROUNDS;
pub use sides::Side;

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
    report(CLAIMS, calls, clock, progress)
}

/// Judges the thesis's conclusion alone: CRC-32C against the TCP checksum, by size.
///
/// # Errors
/// Returns the errors of [`residue_bench::measure`].
pub fn conclusion(calls: usize, clock: &Clock, progress: Progress<'_>) -> Result<Report, Error> {
    report(&CLAIMS[..CONCLUSION], calls, clock, progress)
}

fn report(
    claims: &'static [Claim],
    calls: usize,
    clock: &Clock,
    progress: Progress<'_>,
) -> Result<Report, Error> {
    let measured = Measured::new(&plan(claims), calls, clock, progress)?;
    let busy = measured.busy();
    let margin = if busy.is_some() { BUSY_MARGIN } else { MARGIN };
    let claims = claims.iter().map(|claim| judged(claim, &measured, margin)).collect();
    Ok(Report { cpu: residue_bench::machine::cpu_name(), busy, claims })
}

/// Returns what has to be measured for some claims.
fn plan(claims: &'static [Claim]) -> Plan<'static> {
    let of = |mode| {
        let own = claims.iter().filter(move |claim| claim.document.mode() == mode);
        own.filter_map(|claim| match claim.basis {
            Basis::Ratios(ratios) => Some(ratios),
            _ => None,
        })
        .flatten()
    };
    // Today's kernels are compared in batches.
    let today = claims.iter().flat_map(|claim| claim.today);
    Plan {
        single: of(Mode::Thesis).collect(),
        batches: of(Mode::Throughput).chain(today).collect(),
        more: claims.iter().any(|claim| !matches!(claim.basis, Basis::Ratios(_))),
    }
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

    #[test]
    fn every_claim_names_kernels_that_exist() {
        let code = |name: &str| name.parse::<residue::Code>().expect("a code");
        for claim in CLAIMS {
            assert!(!claim.text.is_empty() && !claim.place.is_empty());
            let Basis::Ratios(ratios) = claim.basis else { continue };
            for ratio in ratios.iter().chain(claim.today) {
                for (name, kernel) in [ratio.slower, ratio.faster] {
                    let known = code(name).kernels().any(|known| known.name == kernel);
                    assert!(kernel == sides::TODAY || known, "{}: {name} {kernel}", claim.text);
                }
            }
        }
    }
}
