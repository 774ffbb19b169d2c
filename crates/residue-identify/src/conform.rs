//! Conformance: compares a program's answers with the values of a code, and identifies wrong ones.
//!
//! Answers are compared with the vectors of the code ([`cases`]). Wrong ones are compared with all
//! known mistakes ([`judge`]): the planted mistakes, mistakes that can be made with any code (its
//! last byte left out, a length of 8 bits, a shifted table, ...), the other codes of the library,
//! and other forms of the right value (its bytes swapped, its bits reversed, ...). If none of them
//! gives all the answers, CRCs with parameters near the wanted ones are tried, and the answers are
//! handed to [`identify`](crate::identify()).
//!
//! All of these are about values of whole inputs. Mistakes in check octets, combination and update
//! are not looked for.
//!
//! ```
//! use residue_identify::conform;
//! let code: residue::Code = "crc-32/iscsi".parse()?;
//! let cases = conform::cases(&code)?;
//! let answers: Vec<u128> = cases.iter().map(|case| residue::crc32(&case.data).into()).collect();
//! let verdict = conform::judge(&code, &cases, &answers);
//! assert!(!verdict.good());
//! assert!(verdict.explanations.iter().any(|found| found.name == "crc-32/iso-hdlc"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod answers;
mod differences;
mod engines;
mod forms;
mod general;
mod identified;
mod known;
pub mod mistakes;
mod readings;
mod settings;
pub mod vectors;

use crate::identify::CONVINCING;
use answers::{Answers, Candidate};
pub use answers::{Case, Explanation, Kind};
use residue::Code;
use vectors::{Input, Vector};

/// Inputs that every code is asked for beside its own vectors.
///
/// Most CRCs have one vector, and one answer does not distinguish mistakes.
const PROBES: &[&str] = &[
    "hex:00",
    "hex:01",
    "hex:80",
    "text:abcde",
    "hex:00000000000000000001",
    "rep:00*32",
    "rep:ff*32",
    "inc:00*257",
    "mul:13*1021",
    // A byte 00 that is not the first; a length that is 44 modulo 256.
    "mul:7*300@1",
    // Lengths whose remainders modulo all powers of two differ; the second is above 2^16.
    "ramp:249*8191",
    "ramp:251*98303",
];

/// Returns the questions about a code: its vectors, and then the probes, whose values come from the
/// definition.
///
/// # Errors
/// Returns an error if the compiled-in vectors cannot be read.
pub fn cases(code: &Code) -> Result<Vec<Case>, crate::Error> {
    let vectors = vectors::all()?;
    // A CRC given by parameters has the vectors of its namesake.
    let same = |vector: &&Vector| vector.code.parse().as_ref() == Ok(code);
    let mut cases: Vec<Case> = Vec::new();
    for case in vectors.iter().filter(same).map(cited) {
        // Sources may cite the same; one answer is enough, unless they contradict each other.
        if cases.iter().all(|other| (&other.data, other.expected) != (&case.data, case.expected)) {
            cases.push(case);
        }
    }
    for probe in PROBES {
        let Ok(input) = probe.parse::<Input>() else {
            continue;
        };
        let data = input.bytes().into_owned();
        if cases.iter().all(|case| case.data != data) {
            let (expected, source) = (code.reference(&data), "definition".to_string());
            cases.push(Case { input: (*probe).to_string(), data, expected, source });
        }
    }
    Ok(cases)
}

fn cited(vector: &Vector) -> Case {
    Case {
        input: vector.input.to_string(),
        data: vector.input.bytes().into_owned(),
        expected: vector.value,
        source: vector.source.clone(),
    }
}

/// The result of a comparison of answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Whether each answer is right, in the order of the cases.
    pub right: Vec<bool>,
    /// The explanations that give *all* the answers, or else those that give most of them: at least
    /// half as many as the wrong ones beside the right ones, and more than chance would give.
    ///
    /// Empty if all are right.
    pub explanations: Vec<Explanation>,
}

impl Verdict {
    /// Returns whether every answer is right.
    #[must_use]
    pub fn good(&self) -> bool {
        self.right.iter().all(|&right| right)
    }

    /// Returns the number of right answers.
    #[must_use]
    pub fn count(&self) -> usize {
        self.right.iter().filter(|&&right| right).count()
    }

    /// Returns whether the explanations give all the answers.
    #[must_use]
    pub fn explained(&self) -> bool {
        self.explanations.first().is_some_and(|first| first.matched == self.right.len())
    }
}

/// Compares answers with the cases they belong to, in the same order.
///
/// Cases without an answer are not judged.
#[must_use]
pub fn judge(code: &Code, cases: &[Case], answers: &[u128]) -> Verdict {
    let list: Vec<(&Case, u128)> = cases.iter().zip(answers.iter().copied()).collect();
    let right = list.iter().map(|(case, answer)| case.expected == *answer).collect();
    let mut verdict = Verdict { right, explanations: Vec::new() };
    if verdict.good() {
        return verdict;
    }
    let answers = Answers::new(list);
    let mut found = Vec::new();
    for search in [known::known, settings::near, identified::identified] {
        found.extend(search(code, &answers));
        if found.iter().any(|one: &Candidate| one.matched() == answers.list.len()) {
            break;
        }
    }
    verdict.explanations = best(found, &answers, code.width());
    verdict
}

/// Returns the explanations that give all answers, or else the few that give most.
fn best(mut found: Vec<Candidate>, answers: &Answers, width: u32) -> Vec<Explanation> {
    let all = answers.list.len();
    // In a narrow code, chance gives some of the answers.
    found.retain(|one| one.matched() == all || one.chance(answers, width) <= CONVINCING);
    let most = found.iter().map(Candidate::matched).max().unwrap_or(0);
    found.retain(|one| one.matched() == most);
    let has_mistake = found.iter().any(|one| one.kind == Kind::Mistake);
    // Many a mistake is a form of the right value: said once is enough.
    found.retain(|one| one.kind != Kind::Form || !has_mistake);
    if most < all {
        found.truncate(3);
    }
    found.into_iter().map(Candidate::explanation).collect()
}

#[cfg(test)]
mod tests;
