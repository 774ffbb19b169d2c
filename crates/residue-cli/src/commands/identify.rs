//! `residue identify`: which code gave these values?

mod input;

use crate::Outcome;
use crate::output::{Output, Spelling};
use anstyle::Style;
use clap::Args;
use residue::Code;
use residue::crc::Params;
use residue_identify::{
    Certainty, Found, Hit, NARROWEST, Options, Report, Samples, Tier, identify,
};
use residue_report::text::wrapped;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// As many hits are printed. JSON has them all.
const SHOWN: usize = 8;
/// Columns of text.
const COLUMNS: usize = 100;

const HELP: &str = "\
A sample is a message and its value, INPUT:VALUE. The value is hexadecimal, as it is written, leading zeros and all: \
its digits say how wide it is. INPUT is hexadecimal too, or @FILE for a file's bytes, or text:abc, rep:ff*9 and the \
other forms of vectors/README.md. Messages in a file of samples are written the same way, one on a line, with the \
value as the last word; what follows a # at the start of a line is a comment.

The search goes from the likely to the possible, and ends when something explains the samples better than chance: \
named codes; values in another order of bytes; messages with swapped or padded words, or without bytes at their ends; \
known generators with other settings; sums with other settings; and CRCs that nobody has named, by algebra.

How many samples? Two or three for a code with a name. For a CRC that nobody has named five of different lengths from \
12 bits on (four from 32), seven of 8 bits; of one length four from 12 bits on (three from 32). What is found says how likely \
chance would find as much. Messages of one length tell init and xorout together only. Different messages are worth more than \
long ones.

What nothing fits is either ruled out or not decided: too few samples leave unknown CRCs open, and the answer names their \
widths.

Exit codes: 0 something fits all samples, and chance would find as much once in 1024 searches at most. 1 anything less: it \
fits only without some of the samples, or may be chance, or nothing was found, whether ruled out or not decided (--json has \
the word in `certainty`). 2 wrong usage, or something could not be read.

Examples:
  residue identify 313233343536373839:e3069283
  residue identify text:123456789:29b1 text:abc:514a
  residue identify @a.bin:1d0f @b.bin:90bd @c.bin:03fe
  residue identify --trailer 2 01030000000ac5cd 010300010001d5ca
  residue identify --samples captured.txt --skip 16";

/// `residue identify`
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct IdentifyArgs {
    /// Messages with their values, INPUT:VALUE
    #[arg(value_name = "SAMPLE", required_unless_present = "samples")]
    list: Vec<String>,
    /// Read samples from this file, one on a line; `-` is the standard input
    #[arg(short, long, value_name = "FILE")]
    samples: Vec<std::path::PathBuf>,
    /// The last N bytes of each input (or file) are its value, in an unknown order
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=16))]
    trailer: Option<u8>,
    /// Values are decimal
    #[arg(long, conflicts_with = "trailer")]
    decimal: bool,
    /// Up to N bytes at each end of a message may not be covered
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u8).range(0..=64))]
    skip: u8,
    /// Try no named codes and generators: sums and algebra alone
    #[arg(long)]
    no_catalogue: bool,
    /// Go on after something convincing was found
    #[arg(long)]
    all: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Searches and tells.
pub fn run(args: &IdentifyArgs, output: &mut Output) -> anyhow::Result<()> {
    let samples = input::samples(args)?;
    let options =
        Options { offset: args.skip.into(), catalogue: !args.no_catalogue, everything: args.all };
    let report = identify(&samples, &options)?;
    if report.certainty() != Certainty::Found {
        output.found(Outcome::Bad);
    }
    if args.json {
        output.json(&document(args, &samples, &report))?;
        return Ok(());
    }
    for paragraph in told(args, &samples, &report, output) {
        output.line(paragraph)?;
    }
    Ok(())
}

/// The parameters of a CRC as RevEng and `residue sum -a` have them.
fn line(p: &Params) -> String {
    let hex =
        |value: u128| format!("0x{value:0digits$x}", digits = usize::from(p.width).div_ceil(4));
    format!(
        "width={},poly={},init={},refin={},refout={},xorout={},check={},residue={}",
        p.width,
        hex(p.poly),
        hex(p.init),
        p.refin,
        p.refout,
        hex(p.xorout),
        hex(p.check),
        hex(p.residue)
    )
}

/// What a hit is called, and what `residue sum -a` takes, if it knows it.
fn names(hit: &Hit) -> (String, Option<String>) {
    match &hit.found {
        Found::Sum(model) => (model.to_string(), None),
        Found::Code(code) => {
            let custom = code.params().filter(|params| params.name == "custom");
            match custom {
                Some(params) => ("a CRC without a name".to_string(), Some(line(params))),
                None => (code.name().to_string(), Some(code.name().to_string())),
            }
        }
    }
}

/// A value in a field of so many bits.
fn spelled(value: u128, bits: u32) -> String {
    Spelling::Hex.spell(value, bits)
}

/// "1 in 2^40"
fn odds(chance: f64) -> String {
    if chance > -3.5 {
        format!("{:.2}", chance.exp2())
    } else if chance > -20.0 {
        format!("1 in {:.0}", (-chance).exp2())
    } else {
        format!("1 in 2^{:.0}", -chance)
    }
}

fn plural(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

fn told(args: &IdentifyArgs, samples: &Samples, report: &Report, output: &Output) -> Vec<String> {
    let (plain, head, bad) = (Style::new(), output.styles.head, output.styles.bad);
    let bits = samples.bits();
    let mut lines = Vec::new();
    // Words are put into lines before they are styled: what is no word does not count.
    let mut say = |style: Style, indent: &str, text: &str| {
        let text = wrapped_under(indent, text);
        lines.extend(text.into_iter().map(|line| format!("{style}{line}{style:#}")));
    };
    if report.hits.is_empty() {
        say(plain, "", &nothing(args, samples, report));
        return lines;
    }
    for &i in &report.strangers {
        let Some(sample) = samples.list().get(i) else { continue };
        let expected = report.hits[0].field(&sample.message, bits);
        let expected = expected.map_or("none".to_string(), |value| spelled(value, bits));
        let value = spelled(sample.value, bits);
        say(
            bad,
            "",
            &format!(
                "Sample {} contradicts the others: its value is {value}; by what fits them it would be {expected}.",
                i + 1
            ),
        );
    }
    let fitting = samples.list().len() - report.strangers.len();
    let width =
        if samples.octets() { format!("{} bytes", bits / 8) } else { plural(bits as usize, "bit") };
    let count = plural(fitting, "sample");
    if report.hits.len() > 1 {
        let all = plural(report.hits.len(), "set");
        say(
            plain,
            "",
            &format!(
                "{all} of parameters fit {count} with values of {width}; the most convincing first:"
            ),
        );
    } else {
        say(plain, "", &format!("{count} with values of {width} fit"));
    }
    for hit in report.hits.iter().take(SHOWN) {
        let (name, _) = names(hit);
        say(plain, "", "");
        say(head, "", &name);
        if let Found::Code(code) = &hit.found {
            match code.params() {
                // One word, for the clipboard.
                Some(params) => say(plain, "  ", &line(params)),
                None => say(plain, "  ", code.about().unwrap_or_default()),
            }
        }
        say(plain, "  ", &format!("of {}; the value {}", hit.reading, hit.form));
        say(plain, "  ", &format!("wrong hits to be expected by chance: {}", odds(hit.chance)));
        for remark in family(hit) {
            say(plain, "  ", &remark);
        }
    }
    say(plain, "", "");
    if report.hits.len() > SHOWN {
        say(plain, "", &format!("{} more are in the output of --json.", report.hits.len() - SHOWN));
    }
    if !report.convincing() {
        say(
            bad,
            "",
            "This may be chance: the samples are too few, or their values too short. Give more, of different lengths.",
        );
        if let Some(open) = undecided(samples, report) {
            say(plain, "", &open);
        }
    }
    if let Some(decisive) = &report.decisive {
        let message: String = decisive.message.iter().map(|byte| format!("{byte:02x}")).collect();
        let mut values: Vec<String> = Vec::new();
        for value in decisive.values.iter().map(|&value| spelled(value, bits)) {
            if !values.contains(&value) {
                values.push(value);
            }
        }
        values.truncate(SHOWN);
        say(
            plain,
            "",
            &format!(
                "To decide, get the value of the message {message}: it may be {}.",
                values.join(", ")
            ),
        );
    }
    if let (Some(name), true) = (names(&report.hits[0]).1, report.convincing()) {
        say(plain, "", "Next:");
        // To be copied: not put into lines.
        lines.push(format!("  residue sum -a {name} FILE"));
        lines.push(format!("  residue conform -a {name} -- PROGRAM"));
    }
    lines
}

/// What is known of init and xorout.
fn family(hit: &Hit) -> Vec<String> {
    let Some(family) = &hit.family else { return Vec::new() };
    let (all, inherent) = (family.dimension(), family.inherent);
    let mut remarks = Vec::new();
    if all > inherent {
        remarks.push(format!(
            "not settled: 2^{all} pairs of init and xorout give these values; this is one of them. A message of another length tells more"
        ));
    }
    if inherent > 0 {
        let pairs =
            if inherent < 20 { (1_u32 << inherent).to_string() } else { format!("2^{inherent}") };
        remarks.push(format!(
            "{pairs} pairs of init and xorout are the same on all messages of whole bytes, as the generator has a factor in common with x^8 + 1"
        ));
    }
    let own = match &hit.found {
        Found::Code(code) => code.name(),
        Found::Sum(_) => "",
    };
    let others: Vec<&str> = family.names.iter().copied().filter(|&name| name != own).collect();
    if !others.is_empty() {
        remarks.push(format!("fits as well: {}", others.join(", ")));
    }
    remarks
}

fn nothing(args: &IdentifyArgs, samples: &Samples, report: &Report) -> String {
    let count = plural(samples.list().len(), "sample");
    let open = undecided(samples, report);
    if report.weak > 0 {
        return format!(
            "{} of the {:.0} sets of parameters tried fit {count}, as many as chance gives: this tells nothing. {} Give more \
             samples, of different lengths.",
            report.weak,
            report.tried,
            open.unwrap_or_default()
        );
    }
    let mut out = vec!["no sum of those tried".to_string()];
    if !args.no_catalogue {
        out.splice(0..0, ["no named code", "no known generator"].map(String::from));
    }
    let closed = (NARROWEST..=samples.bits()).filter(|width| !report.undecided.contains(width));
    let closed: BTreeSet<u32> = closed.collect();
    if !closed.is_empty() {
        out.push(format!("no other CRC of {} bits", ranges(&closed)));
    }
    let last = out.pop().unwrap_or_default();
    let more = if report.certainty() == Certainty::Undecided {
        "give more samples, of different lengths"
    } else {
        "check that the values belong to these messages"
    };
    format!(
        "Nothing fits {count}. Ruled out by {:.0} sets of parameters: {} and {last}.{} What to do: {more}; try --skip with \
         more bytes than the header has; leave out the value and what comes after it, or name it with --trailer. A value \
         may also be encrypted, keyed, or no code of this sort.",
        report.tried,
        out.join(", "),
        open.map_or(String::new(), |open| format!(" {open}")),
    )
}

/// What the samples do not settle, where nothing convincing was found.
fn undecided(samples: &Samples, report: &Report) -> Option<String> {
    let mut open = Vec::new();
    if !report.undecided.is_empty() {
        open.push(format!(
            "Not decided: CRCs of {} bits with a generator that nobody has named, for which {} too few.",
            ranges(&report.undecided),
            match samples.list().len() {
                1 => "1 sample is".to_string(),
                count => format!("{count} samples of these lengths are"),
            }
        ));
    }
    if report.left_out > 0 {
        open.push(format!(
            "Messages of this length are too long to look for unknown CRCs in all readings: {} were left out.",
            report.left_out
        ));
    }
    (!open.is_empty()).then(|| open.join(" "))
}

/// Numbers in words: `3 to 7, 9`.
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

/// The text in lines, each indented.
fn wrapped_under(indent: &str, text: &str) -> Vec<String> {
    let lines = wrapped(text, COLUMNS - indent.len());
    let lines: Vec<String> = lines.lines().map(|line| format!("{indent}{line}")).collect();
    if lines.is_empty() { vec![String::new()] } else { lines }
}

fn document(args: &IdentifyArgs, samples: &Samples, report: &Report) -> Value {
    let bits = samples.bits();
    let hits: Vec<Value> = report.hits.iter().map(|hit| entry(hit, bits)).collect();
    let strangers: Vec<Value> = report
        .strangers
        .iter()
        .filter_map(|&i| {
            let sample = samples.list().get(i)?;
            let expected = report.hits.first()?.field(&sample.message, bits);
            Some(json!({
                "sample": i + 1,
                "value": spelled(sample.value, bits),
                "expected": expected.map(|value| spelled(value, bits)),
            }))
        })
        .collect();
    let decisive = report.decisive.as_ref().map(|decisive| {
        let message: String = decisive.message.iter().map(|byte| format!("{byte:02x}")).collect();
        let values: Vec<String> =
            decisive.values.iter().map(|&value| spelled(value, bits)).collect();
        json!({ "message": message, "values": values })
    });
    let searched = Tier::ALL
        .into_iter()
        .filter(|&tier| tier <= report.tier && (tier >= Tier::Sum || !args.no_catalogue));
    json!({
        "samples": samples.list().len(),
        "bits": bits,
        "found": report.certainty() == Certainty::Found,
        "convincing": report.convincing(),
        "certainty": report.certainty().name(),
        "undecided_widths": if report.convincing() { None } else { Some(&report.undecided) },
        "tried": report.tried,
        "searched": searched.map(|tier| tier.name()).collect::<Vec<_>>(),
        "hits": hits,
        "by_chance": report.weak,
        "contradicting": strangers,
        "decisive": decisive,
    })
}

fn entry(hit: &Hit, bits: u32) -> Value {
    let (name, code) = names(hit);
    let width = match &hit.found {
        Found::Code(code) => Code::width(code),
        Found::Sum(_) => bits,
    };
    let params = match &hit.found {
        Found::Code(code) => code.params().map(line),
        Found::Sum(_) => None,
    };
    json!({
        "name": name,
        "code": code,
        "params": params,
        "width": width,
        "message": hit.reading.to_string(),
        "left_out": [hit.reading.lead, hit.reading.trail],
        "value": hit.form.to_string(),
        "chance_log2": hit.chance,
        "pairs_log2": hit.family.as_ref().map(|family| family.dimension()),
        "same_on_bytes_log2": hit.family.as_ref().map(|family| family.inherent),
        "names": hit.family.as_ref().map(|family| family.names.clone()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_read_again() {
        for params in residue::crc::catalog::ALL {
            let code: Code = line(params).parse().unwrap();
            assert_eq!(code.params().unwrap().check, params.check, "{}", params.name);
        }
    }

    #[test]
    fn ranges_in_words() {
        assert_eq!(ranges(&BTreeSet::from([3, 4, 5, 9, 11, 12])), "3 to 5, 9, 11 to 12");
    }

    #[test]
    fn odds_in_words() {
        assert_eq!(odds(-1.0), "0.50");
        assert_eq!(odds(-10.0), "1 in 1024");
        assert_eq!(odds(-40.2), "1 in 2^40");
    }
}
