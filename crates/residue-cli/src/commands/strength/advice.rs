//! The advice at the end of profiles, choices and searches.

use super::grouped;
use crate::advice::Advice;
use residue_strength::advise::Advice as Choice;
use residue_strength::search::{Outcome, Question};
use residue_strength::{Distance, Generator, HEAVIEST, Kind, Notation, Profile};

/// Advises on the limits of a polynomial, of which those up to HD `most` were asked for.
pub fn of_profile(profile: &Profile, text: &str, most: u32) -> Advice {
    let limits = &profile.limits;
    let open: Vec<u32> =
        limits.iter().filter(|one| one.kind == Kind::AtLeast).map(|one| one.distance).collect();
    let certain = match (limits.first(), open.len() == limits.len()) {
        (None, _) => {
            "every error of one bit is detected, and none of two bits is sure to be.".into()
        }
        (_, true) => "up to each length, every error of fewer bits than HD is detected.".into(),
        _ => "up to each length, every error of fewer bits than HD is detected; one bit beyond an \
              exact length the error shown is not, as the code itself confirms."
            .into(),
    };
    let one = format!("`residue strength {text} --length N` takes one length alone");
    let open_text = open.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
    let (not_certain, next) = match open.last() {
        Some(&last) => {
            let heavy = if last as usize > HEAVIEST + 1 {
                format!(", and errors of more than {HEAVIEST} bits are not searched")
            } else {
                String::new()
            };
            (
                format!(
                    "how much farther HD {open_text} holds: its search ended at a limit of time or \
                     memory{heavy}."
                ),
                match open[0] < most {
                    true => format!(
                        "--patience and --memory allow more, and --most {} leaves all of it to \
                         errors of fewer bits; {one}.",
                        open[0]
                    ),
                    false => format!("--patience and --memory allow more; {one}."),
                },
            )
        }
        None => (
            "how many errors of HD or more bits are undetected, and damage of other kinds: lost, \
             swapped or foreign blocks."
                .into(),
            format!(
                "`residue strength {text} --length N` gives probabilities at a length, `residue \
                 strength advise --length N --hd H` other codes."
            ),
        ),
    };
    Advice { certain, not_certain, next }
}

/// Advises on the distance of a polynomial at one length.
pub fn of_distance(found: &Distance, generator: &Generator, text: &str, data: u64) -> Advice {
    let Distance { distance, kind, .. } = found;
    let length = grouped(data);
    let fewer = match distance {
        2 => "every error of one bit".to_string(),
        _ => format!("every error of up to {} bits", distance - 1),
    };
    let bursts = format!("every burst of up to {} bits", generator.width());
    let certain = match kind {
        Kind::Exact => format!(
            "in {length} bits of data {fewer} and {bursts} is detected; the error of {distance} \
             bits is not, as the code itself confirms."
        ),
        _ => format!("in {length} bits of data {fewer} and {bursts} is detected."),
    };
    let assumed = "the probabilities hold for bits that are wrong independently of each other";
    let (not_certain, next) = match kind {
        Kind::Exact => (
            format!("{assumed}; lost, swapped or foreign blocks are other damage."),
            format!(
                "`residue strength weights {text} --length {data}` counts the undetected errors, \
                 `residue strength data FILE` tries other damage."
            ),
        ),
        _ => (
            format!(
                "whether all errors of {distance} bits are detected: the search ended at a limit \
                 of time or memory; {assumed}."
            ),
            "--patience and --memory allow more.".to_string(),
        ),
    };
    Advice { certain, not_certain, next }
}

/// Advises on codes that meet requirements.
pub fn of_choice(choice: &Choice) -> Advice {
    let wanted = &choice.wanted;
    let data = wanted.data_bits;
    let Some(first) = choice.codes.first() else {
        return Advice {
            certain: format!(
                "none of {} known codes is shown to meet the requirements.",
                choice.rejected.len()
            ),
            not_certain: "whether another polynomial does, or one of these whose bound (≥) is too \
                          short."
                .into(),
            next: match choice.search() {
                Some(_) => {
                    "search, by the command above; or cut the data into shorter pieces.".into()
                }
                None => "allow a wider value or a larger target, or send shorter data.".into(),
            },
        };
    };
    let mut certain = Vec::new();
    if wanted.distance > 2 {
        certain.push(format!(
            "each code listed detects every error of up to {} bits in {} bits of data",
            wanted.distance - 1,
            grouped(data)
        ));
    }
    if wanted.burst > 1 {
        certain.push(format!("bursts of up to {} bits are detected", wanted.burst));
    }
    if certain.is_empty() {
        certain.push("every error of one bit is detected".into());
    }
    let mut not_certain = Vec::new();
    if wanted.rate.is_some() {
        not_certain.push("P holds for bits that are wrong independently of each other");
    }
    if wanted.damaged > 0.0 {
        not_certain.push(
            "other damage to your data: the share was computed for uniform data and \
             measured on made data",
        );
    }
    if wanted.damaged == 0.0 {
        not_certain.push("damage of other kinds: lost, swapped or foreign blocks");
    }
    not_certain.push("speeds, which were measured now, on this CPU and this length");
    let next = match wanted.damaged > 0.0 {
        true => {
            "`residue strength data PATH` tries such damage on your files, with codes of up to \
                 32 bits."
                .into()
        }
        false => format!(
            "`residue strength {}` shows an undetected error that proves each limit.",
            first.code
        ),
    };
    Advice { certain: certain.join("; ") + ".", not_certain: not_certain.join("; ") + ".", next }
}

/// Advises on the polynomials that a search found.
pub fn of_search(outcome: &Outcome) -> Advice {
    let width = outcome.task.width();
    let complete = outcome.missing.is_empty();
    let certain = match (complete, outcome.task.question()) {
        (true, Question::Longest { .. }) => {
            format!("every polynomial of {width} bits was tried: none keeps the distance longer.")
        }
        (true, _) => format!("every polynomial of {width} bits was tried: there are no others."),
        (false, _) => "those found have the distance as shown.".into(),
    };
    let exact = outcome.kind() == Kind::Exact;
    let not_certain = match (complete, exact) {
        (false, _) => "whether the polynomials that were not tried are better.".into(),
        (true, false) => {
            "the lengths with ≥, whose proof takes longer than a search allows.".into()
        }
        (true, true) => {
            "which of them suits: equal distances do not make equal probabilities.".into()
        }
    };
    let next = match (complete, outcome.found.first()) {
        (false, _) => "try the missing ranges (--range), and combine them with --merge.".into(),
        (true, Some(found)) => {
            let koopman = found.generator.digits(Notation::Koopman);
            format!(
                "`residue strength koopman:{koopman}` shows all distances of the first, `residue \
                 strength weights koopman:{koopman} --length N` its undetected errors."
            )
        }
        (true, None) => "ask for a wider polynomial, shorter data or a smaller distance.".into(),
    };
    Advice { certain, not_certain, next }
}
