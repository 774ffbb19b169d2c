//! Compares residue-net's counts with those of another judge, per file and protocol.
//!
//! ```text
//! cargo run --release -p residue-net --example captures -- FOLDER
//! cargo run --release -p residue-net --example captures -- --tshark FOLDER
//! cargo run --release -p residue-net --example captures -- --noise FOLDER
//! ```
//!
//! The first compares with FOLDER/ground-truth.csv, the second with tshark on every capture in
//! FOLDER. The third replaces right values by random ones, and counts those for which a cause is
//! named.
//!
//! The judge has five states: good, bad (including offloaded values in tshark before 4.2),
//! unverified, not present and illegal. Only fields that tshark knows are compared; the others are
//! listed. `rules.rs` has the rules that explain differences; any other difference, and a
//! comparison without data, ends the program with exit code 1. `--all` also shows explained
//! differences.
//!
//! Beside that, it prints the share of the bad values for which a cause is known.

mod facts;
mod noise;
mod rules;
#[cfg(test)]
mod tests;
mod tshark;

use facts::Facts;
use residue_net::check::Verdict;
use residue_net::diagnose::{self, CauseKind};
use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tshark::Tshark;

/// Counts of good, bad, unverified, not present and illegal values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counts([u64; 5]);

impl Counts {
    fn add(&mut self, verdict: Verdict) {
        self.0[match verdict {
            Verdict::Good => 0,
            Verdict::Bad | Verdict::Offloaded => 1,
            Verdict::Unverifiable(_) | Verdict::LengthConflict => 2,
            Verdict::Absent => 3,
            Verdict::Illegal => 4,
        }] += 1;
    }

    fn total(&self) -> u64 {
        self.0.iter().sum()
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = self.0.map(|count| count.to_string());
        f.write_str(&words.join("/"))
    }
}

/// Counts by protocol.
type Table = BTreeMap<String, Counts>;

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut option = |name: &str| {
        let before = arguments.len();
        arguments.retain(|argument| argument != name);
        arguments.len() < before
    };
    let (all, tshark, noise) = (option("--all"), option("--tshark"), option("--noise"));
    let [folder] = arguments.as_slice() else {
        return Err("usage: captures [--tshark | --noise] [--all] FOLDER".into());
    };
    let folder = Path::new(folder);
    if noise {
        let mut found = noise::Noise::default();
        for path in read_truth(folder)?.keys() {
            // Captures that cannot be read have no values.
            let _ = found.add(path);
        }
        println!("{found}");
        return Ok(ExitCode::SUCCESS);
    }
    let tally = if tshark {
        let tshark = Tshark::installed("tshark")?;
        for field in &tshark.unknown {
            println!("this tshark does not know {field}: not compared");
        }
        compare(folder, &tshark.truth(folder)?, Some(&tshark.protocols()), all)?
    } else {
        compare(folder, &read_truth(folder)?, None, all)?
    };
    println!("{tally}");
    println!("{}", tally.causes);
    if let Some(why) = tally.nothing_judged() {
        println!("{}: {why}", folder.display());
    }
    Ok(if tally.is_good() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The result of a comparison.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Tally {
    captures: usize,
    /// Number of captures that the other judge could not read.
    unread: usize,
    /// Number of equal counts, each of a protocol in a capture.
    same: usize,
    explained: usize,
    unexplained: usize,
    causes: Causes,
}

/// Numbers of values that are not good, by cause.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Causes {
    kinds: BTreeMap<CauseKind, u64>,
    /// Values without a cause, by protocol and how many bad values of it the capture has.
    left: BTreeMap<(String, &'static str), u64>,
}

impl Causes {
    /// Counts the causes of a capture.
    fn add(&mut self, found: &diagnose::Tally) {
        let mut bad: BTreeMap<&'static str, u64> = BTreeMap::new();
        for ((kind, protocol), count) in found {
            *self.kinds.entry(*kind).or_default() += count;
            *bad.entry(*protocol).or_default() +=
                if *kind == CauseKind::Offload { 0 } else { *count };
        }
        for (protocol, all) in bad {
            let unknown = found.get(&(CauseKind::Unknown, protocol)).copied().unwrap_or_default();
            let beside = match all {
                0 | 1 => "alone",
                2..=9 => "of 2 to 9",
                _ => "of 10 or more",
            };
            if unknown > 0 {
                *self.left.entry((protocol.to_string(), beside)).or_default() += unknown;
            }
        }
    }
}

impl fmt::Display for Causes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = |kind| self.kinds.get(&kind).copied().unwrap_or_default();
        let bad = self.kinds.values().sum::<u64>() - count(CauseKind::Offload);
        let unknown = count(CauseKind::Unknown);
        let share = 100.0 * (bad - unknown) as f64 / bad.max(1) as f64;
        write!(f, "{bad} values bad, {unknown} of them without a cause: {share:.1} % have one")?;
        for (kind, count) in &self.kinds {
            write!(f, "\n{count:>8}  {}", kind.name())?;
        }
        write!(f, "\nwithout a cause, among the bad values of a protocol in a capture:")?;
        for ((protocol, beside), count) in &self.left {
            write!(f, "\n{count:>8}  {protocol}, {beside}")?;
        }
        Ok(())
    }
}

impl Tally {
    fn is_good(&self) -> bool {
        self.unexplained == 0 && self.nothing_judged().is_none()
    }

    /// Returns why nothing was compared, if so: no difference is then meaningless.
    fn nothing_judged(&self) -> Option<&'static str> {
        if self.same + self.explained + self.unexplained > 0 {
            None
        } else if self.captures == 0 {
            Some("no captures, so nothing was judged")
        } else if self.unread == self.captures {
            Some("the other judge could read no capture, so nothing was judged")
        } else {
            Some("no capture has a check value that both judge, so nothing was judged")
        }
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Tally { captures, unread, same, explained, unexplained, .. } = self;
        write!(
            f,
            "{captures} captures, {unread} not read by the other judge: {same} counts equal, \
             {explained} explained differences, {unexplained} unexplained"
        )
    }
}

/// Compares counts, of all or of these protocols, and prints the differences.
fn compare(
    folder: &Path,
    truth: &Truth,
    only: Option<&BTreeSet<&str>>,
    all: bool,
) -> Result<Tally, Box<dyn Error>> {
    let mut tally = Tally { captures: truth.len(), ..Tally::default() };
    for (path, theirs) in truth {
        let name = path.strip_prefix(folder)?.display().to_string();
        let ours = Facts::of(path);
        tally.unread += usize::from(theirs.is_none());
        let (facts, theirs) = match (ours, theirs) {
            (Ok(facts), Some(theirs)) => (facts, theirs),
            (Err(_), None) => continue,
            (Ok(_), None) => {
                println!("{name}: read here, and not by the other judge");
                continue;
            }
            (Err(error), Some(_)) => {
                tally.unexplained += 1;
                println!("{name}: {error}");
                continue;
            }
        };
        tally.causes.add(&facts.causes);
        for ((kind, protocol), count) in &facts.causes {
            if all && *kind == CauseKind::Unknown {
                println!("{name},{protocol},{count} without a cause");
            }
        }
        let protocols: BTreeSet<&String> = facts.ours.keys().chain(theirs.keys()).collect();
        let is_judged = |protocol: &str| only.is_none_or(|only| only.contains(protocol));
        for protocol in protocols.into_iter().filter(|protocol| is_judged(protocol)) {
            let [our, their] =
                [&facts.ours, theirs].map(|table| table.get(protocol).copied().unwrap_or_default());
            if our == their {
                tally.same += 1;
                continue;
            }
            match rules::explain(&facts, protocol, our, their) {
                Some(why) => {
                    tally.explained += 1;
                    if all {
                        println!("{name},{protocol},{our},{their},{}", why.join("; "));
                    }
                }
                None => {
                    tally.unexplained += 1;
                    println!("{name},{protocol},{our},{their},");
                }
            }
        }
    }
    Ok(tally)
}

/// Expected counts of each capture of the folder; `None` for one that cannot be read.
type Truth = BTreeMap<PathBuf, Option<Table>>;

fn read_truth(folder: &Path) -> Result<Truth, Box<dyn Error>> {
    let path = folder.join("ground-truth.csv");
    let text = std::fs::read_to_string(&path)
        .map_err(|error| format!("{}: {error} (--tshark needs no such file)", path.display()))?;
    let mut truth = Truth::new();
    for line in text.lines().skip(1) {
        let columns: Vec<&str> = line.split(',').collect();
        let [
            repository,
            _,
            path,
            _,
            _,
            _,
            _,
            _,
            protocol,
            good,
            bad,
            unverified,
            absent,
            illegal,
            ..,
        ] = columns[..]
        else {
            return Err(format!("ground-truth.csv: no such line is expected: {line}").into());
        };
        // The captures of owner/name are in the folder `name`, without their own folder.
        let project = repository.rsplit('/').next().unwrap_or_default();
        let file = path.split_once('/').map_or(path, |(_, file)| file);
        let table = truth.entry(folder.join(project).join(file)).or_insert(Some(Table::new()));
        match protocol {
            "unreadable" => *table = None,
            "none" => {}
            _ => {
                let number = |text: &str| text.parse().unwrap_or(0);
                let counts = Counts([good, bad, unverified, absent, illegal].map(number));
                table.get_or_insert_default().insert(our_name(protocol).to_string(), counts);
            }
        }
    }
    Ok(truth)
}

fn our_name(protocol: &str) -> &str {
    match protocol {
        "nhrp.hdr" => "nhrp",
        "ospf-packet" => "ospf",
        "ospf-lsa-fletcher" => "ospf.lsa",
        name => name,
    }
}
