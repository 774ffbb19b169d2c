//! The judgement on a program, as text and as JSON.

use crate::advice::Advice;
use crate::codes::Chosen;
use crate::output::{Encoding, Output, Styles};
use residue_identify::conform::{self, Case, Kind, Verdict};
use serde::Serialize;

/// Columns of the input names in the table, at most.
const LONGEST_NAME: usize = 50;
/// Number of explanations that are printed; JSON has all.
const SHOWN: usize = 6;

/// The answers of a program, and the verdict on them.
pub(super) struct Judged<'a> {
    pub(super) chosen: &'a Chosen,
    pub(super) cases: &'a [Case],
    pub(super) answers: &'a [u128],
    pub(super) verdict: &'a Verdict,
}

/// The document of `--json`.
#[derive(Serialize)]
pub(super) struct Report {
    code: String,
    command: Vec<String>,
    right: usize,
    of: usize,
    explained: bool,
    explanations: Vec<Explanation>,
    cases: Vec<Answer>,
    advice: Advice,
}

#[derive(Serialize)]
struct Explanation {
    kind: &'static str,
    name: String,
    why: String,
    matched: usize,
}

#[derive(Serialize)]
struct Answer {
    input: String,
    expected: String,
    answer: String,
    right: bool,
    source: String,
}

impl Judged<'_> {
    /// Returns the document of `--json`.
    pub(super) fn json(&self, command: Vec<String>) -> Report {
        let Judged { chosen, cases, answers, verdict } = *self;
        let answer = |((case, answer), right): ((&Case, &u128), &bool)| Answer {
            input: case.input.clone(),
            expected: self.encoded(case.expected),
            answer: self.encoded(*answer),
            right: *right,
            source: case.source.clone(),
        };
        let explanation = |found: &conform::Explanation| Explanation {
            kind: found.kind.name(),
            name: found.name.clone(),
            why: found.why.clone(),
            matched: found.matched,
        };
        Report {
            code: chosen.label.clone(),
            command,
            right: verdict.count(),
            of: cases.len(),
            explained: verdict.explained(),
            explanations: verdict.explanations.iter().map(explanation).collect(),
            cases: cases.iter().zip(answers).zip(&verdict.right).map(answer).collect(),
            advice: self.advice(),
        }
    }

    /// Prints the verdict, the wrong answers, their explanations and the advice.
    pub(super) fn print(&self, output: &mut Output) -> anyhow::Result<()> {
        let Styles { good, bad, .. } = output.styles;
        let (right, all, code) = (self.verdict.count(), self.cases.len(), &self.chosen.label);
        if self.verdict.good() {
            output
                .line(format!("{good}conforms{good:#}: all {all} answers are values of {code}"))?;
        } else {
            output.line(format!(
                "{bad}does not conform{bad:#}: {right} of {all} answers are values of {code}"
            ))?;
            self.print_wrong(output)?;
            self.print_explanations(output)?;
        }
        for line in self.advice().lines(output.styles) {
            output.line(line)?;
        }
        Ok(())
    }

    fn encoded(&self, value: u128) -> String {
        Encoding::Hex.encode(value, self.chosen.code.width())
    }

    /// Prints a table of the wrong answers.
    fn print_wrong(&self, output: &mut Output) -> anyhow::Result<()> {
        let head = output.styles.head;
        let names = self.cases.iter().map(|case| case.input.len());
        let longest = names.max().unwrap_or(0).min(LONGEST_NAME);
        let digits = self.chosen.code.width().div_ceil(4).max(8) as usize;
        output
            .line(format!("{head}{:longest$}  {:digits$}  answer{head:#}", "input", "expected"))?;
        for ((case, answer), right) in self.cases.iter().zip(self.answers).zip(&self.verdict.right)
        {
            if *right {
                continue;
            }
            let input = if case.input.len() > longest {
                case.input.chars().take(longest.saturating_sub(3)).collect::<String>() + "..."
            } else {
                case.input.clone()
            };
            let (expected, answer) = (self.encoded(case.expected), self.encoded(*answer));
            output.line(format!("{input:longest$}  {expected:digits$}  {answer}"))?;
        }
        Ok(())
    }

    /// Prints what would give the answers of the program.
    fn print_explanations(&self, output: &mut Output) -> anyhow::Result<()> {
        let head = output.styles.head;
        let found = &self.verdict.explanations;
        let all = self.cases.len();
        if found.is_empty() {
            output.line(
                "No known mistake, other code or other form of the value gives these answers,",
            )?;
            output.line("and the search of `residue identify` finds nothing for them.")?;
            return Ok(());
        }
        output.line(if self.verdict.explained() {
            format!("{head}All answers are explained by{head:#}")
        } else {
            format!("{head}Not all answers are explained; nearest comes{head:#}")
        })?;
        for one in found.iter().take(SHOWN) {
            let count = if one.matched < all {
                format!(" (explains {} of {all} values)", one.matched)
            } else {
                String::new()
            };
            let (kind, name) = (introduction(one.kind), &one.name);
            output.line(format!("  {kind}{head}{name}{head:#}{count}: {}", one.why))?;
        }
        if found.len() > SHOWN {
            output.line(format!("  {} more are in the output of --json.", found.len() - SHOWN))?;
        }
        Ok(())
    }

    /// Returns what follows for whoever wrote the program.
    fn advice(&self) -> Advice {
        let Judged { chosen, cases, answers, verdict } = *self;
        let (code, all) = (&chosen.label, cases.len());
        let longest = cases.iter().map(|case| case.data.len()).max().unwrap_or(0);
        let wrong = all - verdict.count();
        let (certain, not_certain, next) = if verdict.good() {
            (
                format!("for these {all} inputs, of up to {longest} bytes, the values are right."),
                "inputs that are longer, data that come in several pieces, and check octets: they \
                 were not tested."
                    .to_string(),
                "if the program takes data in pieces, compare the value of pieces with that of the \
                 whole."
                    .to_string(),
            )
        } else if verdict.explained() {
            let first = &verdict.explanations[0];
            let many = verdict.explanations.len();
            let what = format!("{}{}", introduction(first.kind), first.name);
            (
                format!("{wrong} of {all} values are wrong, and all {all} are those of {what}."),
                if many > 1 {
                    format!("which of the {many} lines above it is: they have equal values here.")
                } else {
                    "other faults that these inputs do not show.".to_string()
                },
                "change the program, and run this command again.".to_string(),
            )
        } else if let Some(first) = verdict.explanations.first() {
            (
                format!("{wrong} of {all} values are wrong."),
                format!(
                    "the cause: {}{} explains {} of {all} values, so that there is another fault, \
                     or another cause.",
                    introduction(first.kind),
                    first.name,
                    first.matched
                ),
                "look at the inputs that it does not explain (--json has all); change one thing, \
                 and run this command again."
                    .to_string(),
            )
        } else if answers.windows(2).all(|pair| pair[0] == pair[1]) {
            (
                format!("{wrong} of {all} values are wrong, and all {all} answers are one value."),
                "the cause. The program seems not to read its input, or the answer taken is \
                 another number of its output."
                    .to_string(),
                "let it read standard input, or take the input as an argument (--arg-hex); let it \
                 print the value first."
                    .to_string(),
            )
        } else {
            (
                format!("{wrong} of {all} values are wrong."),
                "the cause: nothing that was tried has these values.".to_string(),
                format!(
                    "check that the first number of its output is the value (--decimal for decimal \
                     ones); follow a short input step by step with `residue sum -a {code} \
                     --explain`."
                ),
            )
        };
        Advice { certain, not_certain, next }
    }
}

/// Returns the words before the name of an explanation.
fn introduction(kind: Kind) -> &'static str {
    match kind {
        Kind::Mistake => "the mistake ",
        Kind::OtherCode => "another code, ",
        Kind::Form => "another form of the value, ",
        Kind::Settings => "other parameters, ",
        Kind::Identified => "what `residue identify` finds, ",
    }
}
