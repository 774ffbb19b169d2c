//! Tests judgements on right and wrong programs.

use super::forms::FORMS;
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
