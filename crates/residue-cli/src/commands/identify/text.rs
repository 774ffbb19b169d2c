//! The result of a search as text.

use super::advice;
use super::arguments::IdentifyArgs;
use super::hit::{encoded, line, names};
use super::words::{odds, plural, power};
use crate::advice::Advice;
use crate::output::Styles;
use anstyle::Style;
use residue_identify::{Certainty, Found, Hit, NARROWEST, Report, Samples, Untried};
use residue_report::text::wrapped;
use std::collections::BTreeSet;

/// Number of hits printed; JSON has all.
const SHOWN: usize = 8;
/// Columns of the text.
const COLUMNS: usize = 100;

/// Lines of text, wrapped to [`COLUMNS`].
pub(super) struct Text {
    pub(super) lines: Vec<String>,
    pub(super) styles: Styles,
}

impl Text {
    /// Adds a paragraph. It is wrapped before it is styled, because styles take no columns.
    pub(super) fn styled(&mut self, style: Style, indent: &str, text: &str) {
        let lines = wrapped_under(indent, text).into_iter();
        self.lines.extend(lines.map(|line| format!("{style}{line}{style:#}")));
    }

    /// Adds a paragraph in the plain style.
    pub(super) fn plain(&mut self, indent: &str, text: &str) {
        self.styled(Style::new(), indent, text);
    }

    /// Adds the advice at the end.
    pub(super) fn advice(&mut self, advice: &Advice) {
        self.lines.extend(advice.lines(self.styles));
    }

    /// Adds a hit, and what it is of.
    pub(super) fn hit(&mut self, hit: &Hit, covered: &str) {
        let mut name = names(hit).0;
        if let Found::Hash(hash) = &hit.found {
            name = format!("{name}, {}", hash.kind.name());
        }
        self.plain("", "");
        self.styled(self.styles.head, "", &name);
        match &hit.found {
            Found::Hash(hash) => self.plain("  ", hash.about),
            Found::Sum(_) => {}
            Found::Code(code) => match code.params() {
                // One word, for the clipboard.
                Some(params) => self.plain("  ", &line(params)),
                None => self.plain("  ", code.about().unwrap_or_default()),
            },
        }
        self.plain("  ", covered);
        self.plain("  ", &format!("wrong hits to be expected by chance: {}", odds(hit.chance)));
        if let Some(most) = hit.unreached {
            let remark = format!(
                "the modulus is not settled: these messages do not reach it, and every modulus \
                 above {most} gives these values. The figure above is of the kind of sum, not of \
                 its modulus"
            );
            self.plain("  ", &remark);
        }
        for remark in family(hit) {
            self.plain("  ", &remark);
        }
    }
}

/// Returns the result as lines of text.
pub fn lines(
    args: &IdentifyArgs,
    samples: &Samples,
    report: &Report,
    styles: Styles,
) -> Vec<String> {
    let mut text = Text { lines: Vec::new(), styles };
    if let (Certainty::Related, Some(relation)) = (report.certainty(), &report.relation) {
        let count = plural(samples.list().len(), "sample");
        text.plain("", &format!("No check value: in {count}, the value is {relation}."));
        text.advice(&advice::of_samples(samples, report));
        return text.lines;
    }
    if report.hits.is_empty() {
        text.plain("", &nothing(args, samples, report));
        text.advice(&advice::of_samples(samples, report));
        return text.lines;
    }
    contradictions(samples, report, &mut text);
    let fitting = samples.list().len() - report.strangers.len();
    let bits = samples.bits();
    let width = if samples.octets() {
        plural(bits as usize / 8, "byte")
    } else {
        plural(bits as usize, "bit")
    };
    let count = plural(fitting, "sample");
    if report.hits.len() > 1 {
        let all = plural(report.hits.len(), "set");
        let fit = format!("fit {count} with values of {width}, the least likely by chance first:");
        text.plain("", &format!("{all} of parameters {fit}"));
    } else {
        text.plain("", &format!("{count} with values of {width} fit"));
    }
    for hit in report.hits.iter().take(SHOWN) {
        text.hit(hit, &format!("of {}; {}", hit.reading, hit.written()));
    }
    text.plain("", "");
    if report.hits.len() > SHOWN {
        let more = report.hits.len() - SHOWN;
        text.plain("", &format!("{more} more are in the output of --json."));
    }
    advise(samples, report, &mut text);
    text.lines
}

/// Names the samples that contradict the best hit.
fn contradictions(samples: &Samples, report: &Report, text: &mut Text) {
    let bits = samples.bits();
    for &i in &report.strangers {
        let Some(sample) = samples.list().get(i) else { continue };
        let expected = report.hits[0].field(&sample.message, bits);
        let expected = expected.map_or("none".to_string(), |value| encoded(value, bits));
        let value = encoded(sample.value, bits);
        let message = format!(
            "Sample {} contradicts the others: its value is {value}; by what fits them it would be \
             {expected}.",
            i + 1
        );
        text.styled(text.styles.bad, "", &message);
    }
}

/// Says what remains open, and what to do next.
fn advise(samples: &Samples, report: &Report, text: &mut Text) {
    if !report.convincing() {
        text.styled(
            text.styles.bad,
            "",
            "This may be chance: the samples are too few, or their values too short.",
        );
        if let Some(open) = undecided(samples, report) {
            text.plain("", &open);
        }
    }
    text.advice(&advice::of_samples(samples, report));
    if let (Some(name), true) = (names(&report.hits[0]).1, report.convincing()) {
        if report.decisive.is_some() || !report.strangers.is_empty() {
            text.plain("", "With the first result:");
        }
        // Commands to be copied are not wrapped.
        text.lines.push(format!("  residue sum -a {name} FILE"));
        text.lines.push(format!("  residue conform -a {name} -- PROGRAM"));
    }
}

/// Returns why the first result is not the only one, if others fit that are not equal to it.
pub(super) fn open(samples: &Samples, report: &Report) -> Option<String> {
    let decisive = advice::decisive(samples, report)?;
    let others = match report.hits.len() {
        0 | 1 => "other parameters".to_string(),
        count => plural(count - 1, "other set") + " of parameters",
    };
    Some(format!(
        "not settled: {others} fit as well, and this is the most likely one; to decide, {decisive} \
         (the first of these is by what is printed)"
    ))
}

/// Returns remarks on other values of init and xorout that fit.
fn family(hit: &Hit) -> Vec<String> {
    let Some(family) = &hit.family else { return Vec::new() };
    let (all, inherent) = (family.dimension(), family.inherent);
    let mut remarks = Vec::new();
    if all > inherent {
        remarks.push(format!(
            "not settled: init and xorout; {} pairs of them give these values, and this is one. \
             A message of another length narrows them down",
            power(all as f64)
        ));
    }
    if inherent > 0 {
        let pairs =
            if inherent < 20 { (1_u32 << inherent).to_string() } else { format!("2^{inherent}") };
        remarks.push(format!(
            "{pairs} pairs of init and xorout give equal values for every message of whole bytes: \
             any of them may be used"
        ));
    }
    let own = match &hit.found {
        Found::Code(code) => code.name(),
        Found::Sum(_) | Found::Hash(_) => "",
    };
    let others: Vec<&str> = family.names.iter().copied().filter(|&name| name != own).collect();
    if !others.is_empty() {
        remarks.push(format!("fits as well: {}", others.join(", ")));
    }
    remarks
}

/// Returns what a search without hits has ruled out, and what remains open.
fn nothing(args: &IdentifyArgs, samples: &Samples, report: &Report) -> String {
    let count = plural(samples.list().len(), "sample");
    let open = undecided(samples, report);
    if report.weak > 0 {
        return format!(
            "{} of the {:.0} sets of parameters tried fit {count}, as many as expected by chance: \
             this proves nothing. {}",
            report.weak,
            report.tried,
            open.unwrap_or_default()
        );
    }
    let (bits, skip) = (samples.bits(), args.skip);
    let mut out = Vec::new();
    if !args.no_catalogue {
        out.push("no named code or known hash function".to_string());
        if bits < 128 {
            out.push(format!("not the low or high {bits} bits of a wider one"));
        }
        out.push(format!("no known polynomial of up to {bits} bits with other settings"));
    }
    let sums = |it: &Untried| matches!(it, Untried::Sums | Untried::SumFields(_));
    if !report.untried.iter().any(sums) {
        out.push("no sum of those described in docs/identify.md".to_string());
    }
    let closed = (NARROWEST..=samples.bits()).filter(|width| !report.undecided.contains(width));
    let closed: BTreeSet<u32> = closed.collect();
    if !closed.is_empty() {
        out.push(format!("no other CRC of {} bits", ranges(&closed)));
    }
    let last = out.pop().unwrap_or_default();
    format!(
        "Nothing fits {count}. Ruled out by {:.0} sets of parameters: {}{last}; each with the \
         value in each usual order of bytes, of the message as it stands, with its bytes swapped \
         or padded, or without up to {skip} bytes at either end.{}",
        report.tried,
        out.iter().map(|part| format!("{part}, ")).collect::<String>(),
        open.map_or(String::new(), |open| format!(" {open}")),
    )
}

/// Returns what the samples leave open.
fn undecided(samples: &Samples, report: &Report) -> Option<String> {
    let mut open = Vec::new();
    if !report.undecided.is_empty() {
        open.push(format!(
            "Not decided: CRCs of {} bits with an unnamed polynomial, for which {} too few.",
            ranges(&report.undecided),
            match samples.list().len() {
                1 => "1 sample is".to_string(),
                count => format!("{count} samples of these lengths are"),
            }
        ));
    }
    if report.left_out > 0 {
        open.push(format!(
            "Messages of this length are too long to look for unknown CRCs in all readings: {} \
             were left out.",
            report.left_out
        ));
    }
    if !report.untried.is_empty() {
        let all: Vec<String> = report.untried.iter().map(ToString::to_string).collect();
        open.push(format!("Not tried: {}.", all.join("; ")));
    }
    (!open.is_empty()).then(|| open.join(" "))
}

/// Returns numbers as ranges: `3 to 7, 9`.
fn ranges(numbers: &BTreeSet<u32>) -> String {
    let mut parts: Vec<(u32, u32)> = Vec::new();
    for &number in numbers {
        match parts.last_mut() {
            Some((_, end)) if *end + 1 == number => *end = number,
            _ => parts.push((number, number)),
        }
    }
    let word = |(from, to)| if from == to { format!("{from}") } else { format!("{from} to {to}") };
    parts.into_iter().map(word).collect::<Vec<_>>().join(", ")
}

/// Wraps a text, and indents each line.
fn wrapped_under(indent: &str, text: &str) -> Vec<String> {
    let lines = wrapped(text, COLUMNS - indent.len());
    let lines: Vec<String> = lines.lines().map(|line| format!("{indent}{line}")).collect();
    if lines.is_empty() { vec![String::new()] } else { lines }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_in_words() {
        assert_eq!(ranges(&BTreeSet::from([3, 4, 5, 9, 11, 12])), "3 to 5, 9, 11 to 12");
    }
}
