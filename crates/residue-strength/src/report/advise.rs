//! The choice of a code as a table, sentences and CSV.

use std::fmt::Write as _;

use crate::Kind;
use crate::advise::{Advice, Candidate};
use residue_report::number::{grouped, significant};
use residue_report::{Row, Table};

/// The share of a limit above which the limit is near.
const NEAR: f64 = 0.9;

fn limit(candidate: &Candidate) -> String {
    match candidate.holds_to {
        None => "any".into(),
        Some(known) if known.kind == Kind::Exact.name() => grouped(known.value),
        Some(known) => format!("≥{}", grouped(known.value)),
    }
}

/// Returns a table of the codes that meet the requirements, or of the nearest.
#[must_use]
pub fn table(advice: &Advice) -> Table {
    let wanted = &advice.wanted;
    let row = |candidate: &Candidate| {
        let used = match candidate.holds_to {
            None => "-".into(),
            Some(_) => match candidate.used(wanted.data_bits) {
                used if used <= 1.0 => format!("{} %", significant(100.0 * used, 3)),
                over => format!("{} times", significant(over, 3)),
            },
        };
        let then = candidate.then.map_or("-".into(), |distance| distance.to_string());
        let speed = candidate.speed.as_ref();
        let rate = |ns: f64, bytes: usize| significant(bytes as f64 / ns.max(1e-9), 3);
        let values = vec![
            candidate.width.to_string(),
            limit(candidate),
            used,
            then,
            speed.map_or("-".into(), |speed| rate(speed.ns, speed.bytes)),
            speed.map_or("-".into(), |speed| significant(speed.cycles_per_byte, 3)),
            speed.map_or("-".into(), |speed| speed.kernel.into()),
        ];
        Row::Values(candidate.code.clone(), values)
    };
    let (which, rows) = match advice.codes.is_empty() {
        false => ("Codes that keep", &advice.codes),
        true => ("No known code does. The nearest to keep", &advice.nearest),
    };
    let timed = rows.iter().find_map(|code| code.speed.as_ref()).map_or(0, |speed| speed.bytes);
    let mut note = "to, bits: the longest data with that distance, exact, or ≥ a bound; used: the \
        share of it that the data take; then: the distance one bit beyond."
        .to_string();
    if timed > 0 {
        let _ = write!(
            note,
            " GB/s and core cycles a byte: measured now, on {timed} bytes, with the kernel that is \
             chosen on this CPU."
        );
    }
    Table {
        id: "advise",
        title: format!(
            "{which} a Hamming distance of {} in {} bits of data ({} bytes), of at most {} bits",
            wanted.distance,
            grouped(wanted.data_bits),
            grouped(wanted.data_bits.div_ceil(8)),
            wanted.width
        ),
        note,
        stub: "code",
        heads: ["bits", "to, bits", "used", "then", "GB/s", "cycles/B", "kernel"]
            .map(String::from)
            .to_vec(),
        together: 1,
        rows: rows.iter().map(row).collect(),
    }
}

/// Returns advice for the choice, a sentence or two each.
#[must_use]
pub fn findings(advice: &Advice) -> Vec<String> {
    let wanted = &advice.wanted;
    let mut sentences = Vec::new();
    if let Some(first) = advice.codes.first() {
        sentences.push(trade_off(advice, first));
        sentences.extend(near(advice));
    }
    sentences.extend(alike(advice));
    sentences.extend(narrower(advice));
    sentences.push(widths(advice));
    if advice.codes.is_empty() {
        let width = advice.enough_width.clamp(advice.least_width, 64);
        sentences.push(match advice.least_width <= 64 {
            true => format!(
                "To look for a polynomial: residue strength search --width {width} --length {} \
                 --hd {}",
                wanted.data_bits, wanted.distance
            ),
            false => "That is wider than any CRC here. Cut the data into shorter pieces.".into(),
        });
    }
    sentences
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
    let own = all.iter().filter(|code| !instruction(code).is_empty());
    let own = own.max_by_key(|code| instruction(code).len());
    match own {
        Some(own) if own.code != best.code => {
            let _ = write!(
                text,
                " {} ({} bits) has an instruction of its own{}, and keeps it to {} bits.",
                own.code,
                own.width,
                instruction(own),
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

/// Returns the name of the instructions that serve this code alone.
fn instruction(code: &Candidate) -> &'static str {
    match code.code.as_str() {
        "crc-32/iscsi" => " on x86-64 and AArch64",
        "crc-32/iso-hdlc" => " on AArch64",
        _ => "",
    }
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
        .then(|| format!("No known code of these widths does: {}.", list.join("; ")))
}

fn widths(advice: &Advice) -> String {
    let (least, enough) = (advice.least_width, advice.enough_width);
    let distance = advice.wanted.distance;
    match least == enough {
        true => format!(
            "HD {distance} at this length takes at least {least} bits of check value (the bound of \
             spheres), and some CRC of {least} does it (BCH)."
        ),
        false => format!(
            "HD {distance} at this length takes at least {least} bits of check value (the bound of \
             spheres); some CRC of {enough} does it (BCH)."
        ),
    }
}

/// Writes every code, those that meet the requirements first, one per line, with a header.
///
/// Lines end in CR LF.
#[must_use]
pub fn csv(advice: &Advice) -> String {
    let mut out = String::from(
        "code,width,meets,distance,longest_data_bits,kind,then,kernel,bytes,ns,cycles_per_byte\r\n",
    );
    let rows = advice.codes.iter().map(|code| (code, true));
    for (code, meets) in rows.chain(advice.nearest.iter().map(|code| (code, false))) {
        let name = residue_report::csv::quoted(&code.code);
        let (to, kind) = code.holds_to.map_or((String::new(), Kind::Exact.name()), |limit| {
            (limit.value.to_string(), limit.kind)
        });
        let then = code.then.map_or(String::new(), |then| then.to_string());
        let _ = write!(
            out,
            "{name},{},{meets},{},{to},{kind},{then},",
            code.width, advice.wanted.distance
        );
        match &code.speed {
            Some(speed) => {
                let _ = write!(
                    out,
                    "{},{},{},{}",
                    speed.kernel, speed.bytes, speed.ns, speed.cycles_per_byte
                );
            }
            None => out.push_str(",,,"),
        }
        out.push_str("\r\n");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::advise::{Wanted, advise};
    use crate::{Effort, Error};

    fn ask(data_bits: u64, distance: u32, width: u32) -> Advice {
        let time = |names: &[String], _| {
            let times = (1..=names.len()).map(|n| Some((n as f64, 0.1)));
            Ok::<_, Error>(times.collect())
        };
        let wanted = Wanted { data_bits, distance, width };
        advise(&wanted, &Effort::new().within(1)).unwrap().timed(time).unwrap()
    }

    #[test]
    fn codes_that_do_are_listed_with_their_limits() {
        let advice = ask(32_700, 4, 16);
        let text = findings(&advice).join("\n");
        assert!(
            text.contains("Near the limit") && text.contains("51 bits further, then HD 2"),
            "{text}"
        );
        assert!(text.contains("is of the narrowest (16 bits)"));
        let text = table(&advice).text();
        assert!(text.contains("32,751") && text.contains("GB/s"), "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= residue_report::COLUMNS));
        assert!(residue_report::csv::parse(&csv(&advice)).iter().all(|line| line.len() == 11));
    }

    #[test]
    fn where_none_does_a_width_is_named() {
        let advice = ask(12_000, 6, 24);
        assert!(advice.codes.is_empty() && !advice.nearest.is_empty());
        let text = findings(&advice).join("\n");
        assert!(text.contains("at least 28 bits") && text.contains("of 29 does it"), "{text}");
        assert!(
            text.contains("residue strength search --width 29 --length 12000 --hd 6"),
            "{text}"
        );
        assert!(table(&advice).title.contains("No known code does"));
    }
}
