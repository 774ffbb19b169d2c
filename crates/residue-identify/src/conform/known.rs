//! Compares answers with everything that has a name: mistakes, forms of the value, other codes.

use super::answers::{Answers, Candidate, Case, Kind};
use super::differences::between;
use super::forms::FORMS;
use super::{general, mistakes};
use residue::Code;

/// Returns the known mistakes, forms and other codes that give many of the answers.
pub(super) fn known(code: &Code, answers: &Answers) -> Vec<Candidate> {
    let (mut found, mut tried) = (Vec::new(), 0.0);
    let mut consider = |kind, name: &str, why: &str, is: &dyn Fn(&Case, u128) -> bool| {
        tried += 1.0;
        if let Some(given) = answers.given(is) {
            let (name, why) = (name.to_string(), why.to_string());
            found.push(Candidate { kind, name, why, given, tried: 0.0 });
        }
    };
    for mistake in mistakes::MISTAKES.iter().filter(|mistake| mistake.code == code.name()) {
        consider(Kind::Mistake, mistake.name, mistake.why, &|case, answer| {
            u128::from((mistake.wrong)(&case.data)) == answer
        });
    }
    // A final inversion that is missing is one thing, not two.
    let inverts = code.params().is_none_or(|params| params.xorout == params.mask());
    for form in FORMS.iter().filter(|form| !(inverts && form.name == "xorout-forgotten")) {
        consider(Kind::Form, form.name, form.why, &|case, answer| {
            (form.turn)(case.expected, code) == answer
        });
    }
    let mask = u128::MAX >> (128 - code.width());
    let why = "The lowest bits are right, but the bits above the value's width are not cleared.";
    consider(Kind::Form, "upper-bits-kept", why, &|case, answer| answer & mask == case.expected);
    for other in Code::all().filter(|other| other.name() != code.name()) {
        let why = format!("These are values of {other}, not of {code}.{}", compared(code, &other));
        consider(Kind::OtherCode, other.name(), &why, &|case, answer| {
            other.value(&case.data) == answer
        });
    }
    for mistake in general::all(code) {
        consider(Kind::Mistake, &mistake.name, &mistake.why, &|case, answer| {
            mistake.value(&case.data) == Some(answer)
        });
    }
    found.iter_mut().for_each(|one| one.tried = f64::log2(tried));
    found
}

/// Returns a sentence about the parameters in which another CRC of one width differs.
fn compared(code: &Code, other: &Code) -> String {
    let (Some(wanted), Some(found)) = (code.params(), other.params()) else {
        return String::new();
    };
    if wanted.width != found.width {
        return String::new();
    }
    let clauses: Vec<String> =
        between(wanted, found).into_iter().map(|(_, clause)| clause).collect();
    if clauses.is_empty() {
        String::new()
    } else {
        format!(" {}.", capitalised(&clauses.join("; ")))
    }
}

/// Returns the text with its first letter in upper case.
pub(super) fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or(String::new(), |first| first.to_uppercase().chain(chars).collect())
}
