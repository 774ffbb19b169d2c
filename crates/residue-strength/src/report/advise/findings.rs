//! Advice in sentences.

use super::{NEAR, limit};
use crate::answers::advise::{Advice, Candidate};
use residue_report::number::{duration, grouped, significant};
use std::fmt::Write as _;

/// Returns advice for the choice, a sentence or two each.
#[must_use]
pub fn findings(advice: &Advice) -> Vec<String> {
    let wanted = &advice.wanted;
    let mut sentences = Vec::new();
    if let Some(first) = advice.codes.first() {
        let more = wanted.has_errors() || wanted.burst > 1 || wanted.files;
        match wanted.distance > 2 && !more {
            true => sentences.push(trade_off(advice, first)),
            false => sentences.push(order(advice)),
        }
        if more {
            sentences.extend(reasons(advice));
        }
        sentences.extend(near(advice));
    }
    sentences.extend(alike(advice));
    sentences.extend(narrower(advice));
    sentences.extend(rejected(advice));
    if wanted.distance > 2 {
        sentences.push(widths(advice));
    }
    if advice.codes.is_empty() {
        sentences.push(match (advice.search(), advice.search_seconds) {
            _ if wanted.distance == 2 => {
                "Allow for a wider value (--width), or send shorter messages.".into()
            }
            (Some(task), Some(seconds)) => format!(
                "To look for a polynomial: residue strength search --width {} --length {} --hd {} \
                 (trying all of them may take {} here).",
                task.width(),
                wanted.data_bits,
                wanted.distance,
                duration(seconds)
            ),
            _ if advice.least_width <= 64 => {
                "A search at this length is beyond this program. Cut the data into shorter pieces."
                    .into()
            }
            _ => "That is wider than any CRC here. Cut the data into shorter pieces.".into(),
        });
    }
    sentences
}

/// The number of codes whose reasons are printed, and of rejected ones.
const SHOWN: usize = 3;
const REJECTED: usize = 6;

/// Says how the codes are ranked.
fn order(advice: &Advice) -> String {
    match advice.wanted.files {
        true => "Ranked by speed; of about equal ones the strongest first.".into(),
        false => "Ranked by width; of equal width the fastest first.".into(),
    }
}

/// Gives the reasons for the first codes, one sentence each.
fn reasons(advice: &Advice) -> Vec<String> {
    let first = advice.codes.iter().take(SHOWN).enumerate();
    first
        .map(|(place, code)| format!("{}. {}: {}.", place + 1, code.code, code.reasons.join("; ")))
        .collect()
}

/// Names codes that are narrower than the narrowest that qualifies, or as narrow, and why they do
/// not.
fn rejected(advice: &Advice) -> Option<String> {
    let wanted = &advice.wanted;
    let usual = [
        "internet",
        "fletcher-16",
        "crc-16/xmodem",
        "crc-16/arc",
        "adler-32",
        "fletcher-32",
        "crc-32/iso-hdlc",
        "crc-32/iscsi",
    ];
    let list: Vec<String> = advice
        .rejected
        .iter()
        .filter(|code| usual.contains(&code.code.as_str()))
        .take(REJECTED)
        .map(|code| format!("{} ({})", code.code, code.reasons.join("; ")))
        .collect();
    let more = wanted.has_errors() || wanted.burst > 1;
    (more && !list.is_empty()).then(|| format!("Not: {}.", list.join(", ")))
}

/// The ratio below which two times count as equal.
const ALIKE: f64 = 1.25;

/// Describes a narrow code that is fast and keeps the distance long, and the gains of others.
fn trade_off(advice: &Advice, first: &Candidate) -> String {
    let cost = |code: &Candidate| code.speed.as_ref().map_or(f64::INFINITY, |speed| speed.ns);
    let reach = |code: &Candidate| code.holds_to.map_or(u64::MAX, |limit| limit.value);
    let least =
        |codes: &[&Candidate]| codes.iter().map(|code| cost(code)).fold(f64::INFINITY, f64::min);
    let narrow: Vec<&Candidate> =
        advice.codes.iter().filter(|code| code.width == first.width).collect();
    let fast = narrow.iter().filter(|code| cost(code) <= ALIKE * least(&narrow));
    // The first of equals: the fastest.
    let best = *fast.min_by_key(|code| std::cmp::Reverse(reach(code))).unwrap_or(&first);
    let mut text = format!(
        "{} is of the narrowest ({} bits), about as fast as any of them ({}), and of these keeps \
         the distance longest, to {} bits.",
        best.code,
        best.width,
        needs(best),
        limit(best)
    );
    let all: Vec<&Candidate> = advice.codes.iter().collect();
    if let Some(fastest) =
        all.iter().find(|code| ALIKE * cost(code) < least(&[best]) && cost(code) <= least(&all))
    {
        let times = significant(cost(best) / cost(fastest), 2);
        let _ = write!(
            text,
            " {} ({} bits) is {times} times as fast ({}).",
            fastest.code,
            fastest.width,
            needs(fastest)
        );
    }
    // On more architectures is better.
    let own = all.iter().filter(|code| !code.own_instruction().is_empty());
    let own = own.max_by_key(|code| code.own_instruction().len());
    match own {
        Some(own) if own.code != best.code => {
            let _ = write!(
                text,
                " {} ({} bits) has an instruction of its own on {}, and keeps it to {} bits.",
                own.code,
                own.width,
                own.own_instruction(),
                limit(own)
            );
        }
        Some(_) => {}
        None if all.iter().any(|code| code.width == 32 && code.crc) => text.push_str(
            " None has an instruction of its own, as CRC-32C has: without carry-less \
             multiplication they run by tables.",
        ),
        None => {}
    }
    if let Some(sum) = advice.codes.iter().find(|code| !code.crc) {
        let _ = write!(
            text,
            " {} and other sums do too, but what else they miss depends on the data: see `residue \
             strength compare`.",
            sum.code
        );
    }
    text
}

/// Describes the hardware that a code needs.
fn needs(code: &Candidate) -> String {
    let Some(speed) = &code.speed else { return "not timed".into() };
    match speed.needs.is_empty() {
        true => format!("kernel {}, which needs no special instructions", speed.kernel),
        false => format!("kernel {}, by {}", speed.kernel, speed.needs.join(", ")),
    }
}

/// Lists names of one polynomial, which have equal strength and speed.
fn alike(advice: &Advice) -> Option<String> {
    let named = advice.codes.iter().filter(|code| !code.also.is_empty());
    let list: Vec<String> =
        named.map(|code| format!("{}: {}", code.code, code.also.join(", "))).collect();
    (!list.is_empty()).then(|| format!("By the same polynomials: {}.", list.join("; ")))
}

/// Warns of limits close by.
fn near(advice: &Advice) -> Option<String> {
    let data = advice.wanted.data_bits;
    let near = advice.codes.iter().filter(|code| code.used(data) > NEAR);
    let list: Vec<String> = near
        .map(|code| {
            let limit = code.holds_to.map_or(data, |limit| limit.value);
            let then = code.then.map_or(String::new(), |then| format!(", then HD {then}"));
            format!("{} ends {} bits further{then}", code.code, grouped(limit - data))
        })
        .collect();
    (!list.is_empty()).then(|| format!("Near the limit: {}.", list.join("; ")))
}

/// Describes the limits of narrower codes.
fn narrower(advice: &Advice) -> Option<String> {
    let narrowest = advice.codes.first().map_or(u32::MAX, |code| code.width);
    let others = advice.nearest.iter().filter(|code| code.width < narrowest);
    let list: Vec<String> = others
        .map(|code| {
            format!("of {} bits {} keeps it to {} bits of data", code.width, code.code, limit(code))
        })
        .collect();
    (!list.is_empty() && narrowest < u32::MAX)
        .then(|| format!("Narrower known codes do not: {}.", list.join("; ")))
}

fn widths(advice: &Advice) -> String {
    let (least, enough) = (advice.least_width, advice.enough_width);
    let distance = advice.wanted.distance;
    let narrower = format!(
        "HD {distance} at this length takes at least {least} bits of check value: fewer have too \
         few values to tell the errors apart (Hamming bound)."
    );
    match least == enough {
        true => format!(
            "{narrower} Some polynomial of {least} bits has it, by the construction of \
             Bose, Chaudhuri and Hocquenghem (1960)."
        ),
        false => format!(
            "{narrower} Some polynomial of {enough} bits has it, by the construction of Bose, \
             Chaudhuri and Hocquenghem (1960); whether one of fewer bits does is not known here."
        ),
    }
}
