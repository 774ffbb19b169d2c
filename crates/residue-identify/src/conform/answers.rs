//! Cases, the answers of a program to them, and what may explain the answers.

use std::collections::BTreeSet;

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

/// The kind of an explanation of wrong answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A planted mistake, see [`MISTAKES`](super::mistakes::MISTAKES), or one that can be made with
    /// any code.
    Mistake,
    /// Another code.
    OtherCode,
    /// The right value in another form.
    Form,
    /// A CRC with other parameters, near the wanted ones.
    Settings,
    /// Whatever [`identify`](crate::identify()) finds for the answers.
    Identified,
}

impl Kind {
    /// `mistake`, `other code`, `form`, `settings` or `identified`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Mistake => "mistake",
            Kind::OtherCode => "other code",
            Kind::Form => "form",
            Kind::Settings => "settings",
            Kind::Identified => "identified",
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

/// The answers of a program with their cases, shortest first.
pub(super) struct Answers<'a> {
    /// The cases and the answers.
    pub list: Vec<(&'a Case, u128)>,
}

impl<'a> Answers<'a> {
    pub fn new(mut list: Vec<(&'a Case, u128)>) -> Answers<'a> {
        list.sort_by_key(|(case, _)| case.data.len());
        Answers { list }
    }

    fn wrong(&self) -> impl Iterator<Item = (usize, u128)> {
        let wrong = |&(_, (case, answer)): &(usize, &(&Case, u128))| case.expected != *answer;
        self.list.iter().enumerate().filter(wrong).map(|(i, (_, answer))| (i, *answer))
    }

    /// Returns which answers `is` gives; `None` if it leaves more than half of the wrong ones
    /// unexplained. Long inputs are only computed for what gives the answers to short ones.
    pub fn given(&self, is: impl Fn(&Case, u128) -> bool) -> Option<Vec<bool>> {
        let mut left = self.wrong().count() / 2;
        let mut given = Vec::new();
        for (case, answer) in &self.list {
            let gives = is(case, *answer);
            if !gives {
                left = left.checked_sub(1)?;
            }
            given.push(gives);
        }
        Some(given)
    }
}

/// Something that gives some of the answers.
pub(super) struct Candidate {
    pub kind: Kind,
    pub name: String,
    pub why: String,
    /// Whether it gives each answer, in the order of [`Answers::list`].
    pub given: Vec<bool>,
    /// The base-2 logarithm of the number of candidates of its kind, with all their parameters.
    pub tried: f64,
}

impl Candidate {
    pub fn matched(&self) -> usize {
        self.given.iter().filter(|&&given| given).count()
    }

    /// Returns the base-2 logarithm of the number of candidates that give as many of the wrong
    /// answers by chance. An answer that was given several times counts once.
    pub fn chance(&self, answers: &Answers, width: u32) -> f64 {
        let (mut all, mut given, mut different) = (0_u32, 0_u32, BTreeSet::new());
        for (i, answer) in answers.wrong() {
            all += 1;
            if self.given[i] {
                given += 1;
                different.insert(answer);
            }
        }
        let choices: f64 = (0..given).map(|i| f64::from(all - i) / f64::from(i + 1)).product();
        self.tried + choices.log2() - f64::from(width) * different.len() as f64
    }

    pub fn explanation(self) -> Explanation {
        let matched = self.matched();
        Explanation { kind: self.kind, name: self.name, why: self.why, matched }
    }
}
