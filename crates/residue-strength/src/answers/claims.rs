//! Claims of the source documents about the strength of codes, each with its exact condition and
//! the computation that decides it.
//!
//! Limits are searched and witnesses are tried on the library's own codes.

mod claim;
mod comparisons;
mod literature;
mod sklower;
mod thesis;

use crate::{Effort, Error};

pub use claim::{Claim, Verdict};

/// Judges all claims, in some seconds.
///
/// # Errors
/// Returns an error if what decides a statement cannot be computed.
pub fn judge() -> Result<Vec<Claim>, Error> {
    let effort = Effort::new();
    let mut all = thesis::judge(&effort)?;
    all.extend(literature::judge(&effort)?);
    all.extend(comparisons::judge(&effort)?);
    all.extend(sklower::judge()?);
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[ignore = "long"]
    fn every_statement_is_judged_as_known() {
        let all = judge().unwrap();
        let verdicts: Vec<&str> = all.iter().map(|claim| claim.verdict.name()).collect();
        let wanted = [
            "conditional",
            "holds",
            "holds",
            "conditional", // distances
            "does not hold",
            "conditional",
            "conditional",
            "does not hold",
            "conditional",
            "conditional",
            "does not hold",
            "conditional",
            "does not hold",
            "does not hold",
            "does not hold",
            "does not hold",
            "holds",
            "holds",
            "holds",
            "holds",
            "holds",
            "holds",
            "holds",
            "conditional", // properties
            "holds",
            "conditional",
            "does not hold",
            "conditional", // polynomials
            "not here",
            "holds",
            "conditional", // damage
            "holds",
            "holds",
            "holds",
            "does not hold",
            "holds",
            "holds", // comparisons
            "does not hold",
            "does not hold",
            "does not hold",
            "does not hold",
            "holds",
            "holds",
            "conditional",
            "holds",
            "does not hold",
            "holds",
            "holds",
            "holds", // Sklower
        ];
        assert_eq!(verdicts, wanted);
        assert!(all[0].exactly.contains("2147483615"), "{}", all[0].exactly);
        let evidence = |words: &str| {
            let found = all.iter().find(|claim| claim.statement.contains(words));
            found.map_or(String::new(), |claim| format!("{} {}", claim.exactly, claim.evidence))
        };
        for (words, part) in [
            ("12,000 times", "1.6e-4 and 1.5e-4"),
            ("255 pairs", "4278059775"),
            ("signed", "181 pairs"),
            ("signed", "179 after a fold"),
            ("odd place", "1000 of 1000"),
            ("5,275", "5243"),
            ("16 million", "4.92e8"),
            ("CRC-12", "252: 18.30"),
            ("360 words", "361 from zero, 360 after a fold"),
            ("2^K - 1", "4 in 256"),
        ] {
            assert!(evidence(words).contains(part), "{words}: {}", evidence(words));
        }
    }
}
