//! Conformance: compares a program's answers with the values of a code, and identifies wrong ones.
//!
//! Answers are compared with the vectors of the code ([`cases`]). Wrong ones are compared with all
//! known mistakes ([`judge`]): the planted mistakes, the other codes of the library, and other
//! forms of the right value (its bytes swapped, its bits reversed, ...).
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

mod forms;
pub mod mistakes;
pub mod vectors;

use forms::FORMS;
use residue::Code;
use vectors::{Input, Vector};

/// A question to a program, with the right answer.
#[derive(Clone, Debug)]
pub struct Case {
    /// The bytes, in the notation of `vectors/README.md`.
    pub input: String,
    /// The bytes themselves.
    pub data: Vec<u8>,
    /// The value.
    pub expected: u128,
    /// The source of the value; `definition` where it was computed from the code's definition.
    pub source: String,
}

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

/// The kind of an explanation of wrong answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A planted mistake, see [`mistakes::MISTAKES`].
    Mistake,
    /// Another code.
    OtherCode,
    /// The right value in another form.
    Form,
}

impl Kind {
    /// `mistake`, `other code` or `form`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Mistake => "mistake",
            Kind::OtherCode => "other code",
            Kind::Form => "form",
        }
    }
}

/// An explanation: something whose values are a program's answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The kind of explanation.
    pub kind: Kind,
    /// Its name.
    pub name: String,
    /// A description in one sentence.
    pub why: String,
    /// The number of answers it gives.
    pub matched: usize,
}

/// The result of a comparison of answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Whether each answer is right, in the order of the cases.
    pub right: Vec<bool>,
    /// The explanations that give *all* the answers, or else those that give most of them, if more
    /// than the code itself.
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
    let pairs: Vec<(&Case, u128)> = cases.iter().zip(answers.iter().copied()).collect();
    let right: Vec<bool> = pairs.iter().map(|(case, answer)| case.expected == *answer).collect();
    let mut verdict = Verdict { right, explanations: Vec::new() };
    if verdict.good() {
        return verdict;
    }
    let matched = |value: &dyn Fn(&Case) -> u128| {
        pairs.iter().filter(|(case, answer)| value(case) == *answer).count()
    };
    let mut found = Vec::new();
    let mut consider = |kind, name: &str, why: &str, matched| {
        found.push(Explanation { kind, name: name.to_string(), why: why.to_string(), matched });
    };
    for mistake in mistakes::MISTAKES.iter().filter(|mistake| mistake.code == code.name()) {
        let count = matched(&|case| (mistake.wrong)(&case.data).into());
        consider(Kind::Mistake, mistake.name, mistake.why, count);
    }
    // A final inversion that is missing is one thing, not two.
    let inverts = code.params().is_none_or(|params| params.xorout == params.mask());
    for form in FORMS.iter().filter(|form| !(inverts && form.name == "xorout-forgotten")) {
        let count = matched(&|case| (form.turn)(case.expected, code));
        consider(Kind::Form, form.name, form.why, count);
    }
    for other in Code::all().filter(|other| other.name() != code.name()) {
        let count = matched(&|case| other.value(&case.data));
        let why = format!("These are values of {other}, not of {code}.");
        consider(Kind::OtherCode, other.name(), &why, count);
    }
    verdict.explanations = best(found, verdict.count(), pairs.len());
    verdict
}

/// Returns the explanations that give all answers, or else the few that give most.
fn best(mut found: Vec<Explanation>, right: usize, all: usize) -> Vec<Explanation> {
    let most = found.iter().map(|one| one.matched).max().unwrap_or(0);
    // One answer in common is chance in a narrow code, and the right code gives some of them as
    // well.
    if most < all && (most <= right || most < 2) {
        return Vec::new();
    }
    found.retain(|one| one.matched == most);
    let mistakes: Vec<String> =
        found.iter().filter(|one| one.kind == Kind::Mistake).map(|one| one.name.clone()).collect();
    // Many a mistake is a form of the right value: said once is enough.
    found.retain(|one| one.kind != Kind::Form || mistakes.is_empty());
    if most < all {
        found.truncate(3);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(name: &str) -> Code {
        name.parse().unwrap()
    }

    fn verdict(name: &str, answer: impl Fn(&[u8]) -> u128) -> Verdict {
        let code = code(name);
        let cases = cases(&code).unwrap();
        let answers: Vec<u128> = cases.iter().map(|case| answer(&case.data)).collect();
        judge(&code, &cases, &answers)
    }

    #[test]
    fn definitions_give_the_vectors() {
        for vector in vectors::all().unwrap() {
            let value = code(&vector.code).reference(&vector.input.bytes());
            assert_eq!(value, vector.value, "{} of {}", vector.code, vector.input);
        }
    }

    #[test]
    fn right_answers_are_good() {
        for code in Code::all() {
            let verdict = verdict(code.name(), |data| code.value(data));
            assert!(verdict.good() && verdict.explanations.is_empty(), "{code}");
            assert!(verdict.right.len() >= PROBES.len());
        }
    }

    #[test]
    fn every_planted_mistake_is_recognised() {
        for mistake in mistakes::MISTAKES {
            let verdict = verdict(mistake.code, |data| (mistake.wrong)(data).into());
            let (code, name) = (mistake.code, mistake.name);
            assert!(verdict.explained(), "{code} {name}");
            assert!(verdict.explanations.iter().any(|found| found.name == name), "{code} {name}");
        }
    }

    #[test]
    fn every_other_code_is_recognised() {
        for other in Code::all().filter(|other| other.name() != "crc-32/iscsi") {
            let verdict = verdict("crc-32/iscsi", |data| other.value(data));
            let names: Vec<_> = verdict.explanations.iter().map(|found| &found.name).collect();
            assert!(names.iter().any(|name| *name == other.name()), "{other}: {names:?}");
        }
    }

    #[test]
    fn forms_of_the_value_are_recognised() {
        for name in ["crc-16/arc", "crc-24/ble", "crc-64/xz", "crc-5/usb", "crc-82/darc", "xns"] {
            let code = code(name);
            for form in FORMS {
                let verdict = verdict(name, |data| (form.turn)(code.value(data), &code));
                // A form may change nothing, as the order of one byte.
                let seen = verdict.explained();
                assert!(seen || verdict.good(), "{name} {}", form.name);
            }
        }
    }

    #[test]
    fn nonsense_and_partial_answers() {
        let nonsense = verdict("crc-32/iscsi", |_| 0x1234_5678);
        assert!(!nonsense.good() && nonsense.explanations.is_empty(), "{nonsense:?}");
        // A mistake, but for one answer.
        let partial = verdict("crc-32/iscsi", |data| match data {
            b"abcde" => 7,
            data => u128::from(residue::crc32c(data).swap_bytes()),
        });
        assert!(!partial.explained());
        assert_eq!(partial.explanations[0].name, "byte-swapped");
        assert_eq!(partial.explanations[0].matched + 1, partial.right.len());
        let none = judge(&code("xns"), &[], &[]);
        assert!(none.good());
    }

    #[test]
    fn parameters_have_the_vectors_of_their_namesake() {
        let custom =
            code("width=32,poly=1edc6f41,init=ffffffff,refin=true,refout=true,xorout=ffffffff");
        let (ours, named) = (cases(&custom).unwrap(), cases(&code("crc32c")).unwrap());
        assert_eq!(ours.len(), named.len());
    }
}
