//! What follows from a search: what is certain, what is not, what to do next.

use super::hit::{encoded, names};
use super::words::{odds, plural, power};
use crate::advice::Advice;
use crate::hex;
use residue_identify::{CONVINCING, Certainty, Hit, Located, Report, Samples};
use std::collections::BTreeSet;

/// Number of values of a decisive message that are named.
const SHOWN: usize = 4;

/// Returns what follows from a search over samples.
pub(super) fn of_samples(samples: &Samples, report: &Report) -> Advice {
    let count = samples.list().len();
    let given = plural(count, "sample");
    let (certain, not_certain) = match (report.certainty(), report.hits.as_slice()) {
        (Certainty::Found, [hit]) => {
            let chance = odds(hit.chance);
            let fits = if count == 1 { "the sample".to_string() } else { format!("all {given}") };
            let name = names(hit).0;
            (
                format!(
                    "{name} gives the value of {fits}; a wrong code would with probability \
                     {chance}."
                ),
                open(samples, hit),
            )
        }
        (Certainty::Found, hits) => (
            format!(
                "the values are not chance ({} for the first result), and every result gives all \
                 of them.",
                odds(hits.first().map_or(0.0, |hit| hit.chance))
            ),
            format!("which of the {} results it is{}.", hits.len(), in_all(hits)),
        ),
        (Certainty::Contradicted, [hit, ..]) => {
            let strangers = report.strangers.len();
            (
                format!("{} gives the values of {} of {given}.", names(hit).0, count - strangers),
                format!(
                    "why {} not: the message or the value may be damaged or copied wrongly, or it \
                     is of another code.",
                    if strangers == 1 { "the other does" } else { "the others do" }
                ),
            )
        }
        (Certainty::Related, _) => (
            format!("the relation gives the value of all {given}, and needs no code."),
            "whether it holds for messages in which other bytes change.".to_string(),
        ),
        (_, [hit, ..]) => (
            format!(
                "nothing: the best result would fit by chance alone with probability {}.",
                odds(hit.chance)
            ),
            "whether any result is right.".to_string(),
        ),
        (Certainty::Undecided, []) => (
            "no named code that was tried gives all values.".to_string(),
            "other CRCs and sums: these samples are too few for them, or too long.".to_string(),
        ),
        (_, []) => (
            "nothing that was tried gives these values.".to_string(),
            "what was not tried: an encrypted or keyed value, bytes that are covered but not in \
             the message, more bytes at its ends than --skip allows."
                .to_string(),
        ),
    };
    Advice { certain, not_certain, next: next(samples, report) }
}

/// Returns what the samples leave open about the one result.
fn open(samples: &Samples, hit: &Hit) -> String {
    if let Some(all) = hit.family.as_ref().filter(|all| all.dimension() > all.inherent) {
        return format!(
            "init and xorout: {} pairs of them give these values, and the pair shown is one.",
            power(all.dimension() as f64)
        );
    }
    if let Some(most) = hit.unreached {
        return format!("the modulus: every one above {most} gives these values.");
    }
    let lengths: BTreeSet<usize> = samples.list().iter().map(|it| it.message.len()).collect();
    match (lengths.first(), lengths.last()) {
        (Some(shortest), Some(longest)) if shortest == longest => {
            format!("messages of other lengths: all samples have {}.", plural(*longest, "byte"))
        }
        (_, longest) => format!(
            "messages unlike these, such as those of more than {}.",
            plural(longest.copied().unwrap_or(0), "byte")
        ),
    }
}

/// Returns a remark on the number of codes behind all results, if their settings leave more.
fn in_all(hits: &[Hit]) -> String {
    let codes = candidates(hits);
    if codes > (hits.len() as f64).log2() + 0.1 {
        format!("; with their open settings they are about {} codes", power(codes))
    } else {
        String::new()
    }
}

/// Returns the base-2 logarithm of the number of codes that the results leave, of those that differ
/// on messages of whole bytes.
fn candidates(hits: &[Hit]) -> f64 {
    let each = hits.iter().map(|hit| {
        let all = hit.family.as_ref();
        all.map_or(0.0, |all| all.dimension().saturating_sub(all.inherent) as f64).exp2()
    });
    each.sum::<f64>().log2()
}

/// Returns what to do after a search over samples.
fn next(samples: &Samples, report: &Report) -> String {
    let bits = samples.bits();
    let more = |hit: &Hit| {
        // Each further sample that fits makes a wrong hit less likely by the bits of its value.
        let missing = (hit.chance - CONVINCING).max(1.0) / f64::from(bits.max(1));
        missing.ceil() as usize
    };
    if report.convincing()
        && report.strangers.is_empty()
        && let Some(text) = decisive(samples, report)
    {
        return format!("{text}.");
    }
    match (report.certainty(), report.hits.as_slice()) {
        (Certainty::Found, [hit, ..]) => {
            if names(hit).1.is_some() {
                return "compute values with it, or test a program with it:".to_string();
            }
            let message = b"residue";
            match hit.field(message, bits) {
                Some(value) => format!(
                    "try it on a message whose value you know or can get: the value of \
                     text:residue is {}.",
                    encoded(value, bits)
                ),
                None => "try it on further messages.".to_string(),
            }
        }
        (Certainty::Related, _) => "get a message in which only another byte differs: a check \
                                    value covers it and changes, a copy or a counter does not."
            .to_string(),
        (Certainty::Contradicted, [hit, ..]) => {
            let list: Vec<String> =
                report.strangers.iter().map(|place| (place + 1).to_string()).collect();
            let s = if list.len() == 1 { "" } else { "s" };
            let list = list.join(", ");
            format!(
                "check sample{s} {list} at the source; if it is right, search it alone with more \
                 of its kind. The others say {}.",
                names(hit).0
            )
        }
        (Certainty::RuledOut, _) => "check that each value belongs to its message; leave out the \
                                     value and what follows it, or name it with --trailer; raise \
                                     --skip above the length of the header; give whole frames \
                                     with --frames."
            .to_string(),
        (_, [hit, ..]) => format!(
            "give at least {}, different from these and of other lengths.",
            plural(more(hit), "more sample")
        ),
        (_, []) => "give more samples, short ones and of different lengths: five decide about \
                    most CRCs from 12 bits on; raise --skip above the length of a header that is \
                    not covered."
            .to_string(),
    }
}

/// Returns the message whose value would decide, with its value by the first results.
pub(super) fn decisive(samples: &Samples, report: &Report) -> Option<String> {
    let decisive = report.decisive.as_ref()?;
    let bits = samples.bits();
    let mut values: Vec<String> = Vec::new();
    for value in decisive.values.iter().map(|&value| encoded(value, bits)) {
        if !values.contains(&value) {
            values.push(value);
        }
    }
    let codes = candidates(&report.hits);
    let shown = values.len().min(SHOWN);
    let hidden = codes.exp2() > shown as f64 + 0.5;
    let list = match &values[..shown] {
        [first, rest @ ..] if !rest.is_empty() => format!("{first} or {}", rest.join(" or ")),
        all => all.concat(),
    };
    let others = if report.hits.iter().any(|hit| hit.unreached.is_some()) {
        " or another, by another modulus".to_string()
    } else if hidden {
        format!(
            " or another, and each leaves fewer of the {} codes that are possible now",
            power(codes)
        )
    } else {
        String::new()
    };
    Some(format!(
        "get the value of this message of {}, in hexadecimal: {}; it may be {list}{others}",
        plural(decisive.message.len(), "byte"),
        hex::digits(decisive.message.iter().copied())
    ))
}

/// Returns what follows from a search over whole messages.
pub(super) fn of_messages(located: &Located) -> Advice {
    let count = plural(located.messages, "different message");
    let Some(spot) = located.spots.first() else {
        return Advice {
            certain: format!("no place, range and code of those tried fit {count}."),
            not_certain: "other places and codes: a value may also be encrypted, keyed, or not an \
                          error-detection code."
                .to_string(),
            next: "give only messages of one format; give more, of different lengths; remove what \
                   is not part of the format at their ends, such as other headers."
                .to_string(),
        };
    };
    let (name, code) = names(&spot.hit);
    let chance = odds(spot.hit.chance);
    if !located.convincing() {
        return Advice {
            certain: format!(
                "nothing: the best result would fit by chance alone with probability {chance}."
            ),
            not_certain: format!("whether {name} is right, and where the value is."),
            next: "give more messages of this format, of different lengths.".to_string(),
        };
    }
    let rivals = located.spots.len() - 1;
    let mut open = Vec::new();
    if rivals > 0 {
        open.push(format!("which of the {} codes listed it is", rivals + 1));
    }
    if !spot.also.is_empty() {
        open.push(format!(
            "which of {} it is: they fit equally well",
            plural(spot.also.len() + 1, "layout")
        ));
    }
    if located.one_length {
        open.push("from which end the places count, as all messages have one length".to_string());
    }
    let is_open = !open.is_empty();
    if !is_open {
        open.push("messages unlike these".to_string());
    }
    Advice {
        certain: format!(
            "{name} fits all of {count}; something wrong would with probability {chance}."
        ),
        not_certain: format!("{}.", open.join("; ")),
        next: match (is_open, code) {
            (true, _) => {
                "give messages that differ in length and in their first and last bytes.".to_string()
            }
            (false, Some(code)) => {
                format!("compute values with `residue sum -a {code}` over the bytes covered.")
            }
            (false, None) => "try it on further messages.".to_string(),
        },
    }
}
