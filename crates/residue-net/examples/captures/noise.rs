//! How often a cause is named for values that are random: the evidence is wrong then.

use residue_net::check::Verdict;
use residue_net::diagnose::CauseKind;
use residue_net::pcap::Reader;
use residue_net::summary::Summary;
use residue_net::verify::{Buffer, Verifier};
use residue_testing::Random;
use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;
use std::fs::File;
use std::path::Path;

/// Number of rounds for each capture in which one value is replaced.
const ROUNDS: u64 = 32;

/// Numbers of replaced values, and of those with a cause.
#[derive(Clone, Debug, Default)]
pub struct Named {
    replaced: u64,
    causes: BTreeMap<CauseKind, u64>,
}

impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named: u64 = self.causes.values().sum();
        let share = 1000.0 * named as f64 / self.replaced.max(1) as f64;
        write!(f, "{named} of {} have a cause: {share:.2} in 1,000", self.replaced)?;
        for (kind, count) in &self.causes {
            write!(f, ", {} {count}", kind.name())?;
        }
        Ok(())
    }
}

/// Random values in place of right ones: in all places of a capture, and in one at a time.
#[derive(Clone, Debug, Default)]
pub struct Noise {
    captures: u64,
    all: Named,
    one: Named,
}

impl Noise {
    /// Replaces the values of a capture, if all are right.
    pub fn add(&mut self, path: &Path) -> Result<(), Box<dyn Error>> {
        let right = summary(path, |_| None)?;
        let total = right.total();
        if total.good == 0 || total.bad + total.offloaded > 0 {
            return Ok(());
        }
        self.captures += 1;
        let mut random = Random(self.captures);
        let all = summary(path, |_| Some(random.next()))?;
        self.all.count(&all, total.good);
        for round in 0..ROUNDS {
            let mut random = Random(self.captures << 32 | round);
            let chosen = random.next() % total.good;
            let one = summary(path, |place| (place == chosen).then(|| random.next()))?;
            self.one.count(&one, 1);
        }
        Ok(())
    }
}

impl Named {
    fn count(&mut self, summary: &Summary, replaced: u64) {
        self.replaced += replaced;
        for ((kind, _), count) in summary.diagnosis.tally() {
            if kind != CauseKind::Unknown {
                *self.causes.entry(kind).or_default() += count;
            }
        }
    }
}

impl fmt::Display for Noise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "random values in {} captures that have none but right ones", self.captures)?;
        write!(f, "all at once: {}\none at a time: {}", self.all, self.one)
    }
}

/// Returns the summary of a capture in which each right value is replaced by that which `other`
/// returns for its number.
fn summary(
    path: &Path,
    mut other: impl FnMut(u64) -> Option<u64>,
) -> Result<Summary, Box<dyn Error>> {
    let mut summary = Summary::new();
    let mut place = 0;
    let mut take = |buffer: &Buffer<'_>| {
        let mut bytes = buffer.bytes.to_vec();
        for finding in buffer.findings().filter(|finding| finding.verdict == Verdict::Good) {
            if let Some(value) = other(place) {
                let mask = u64::MAX >> (64 - 8 * finding.check.rule.width());
                finding.check.store(&mut bytes, value & mask);
            }
            place += 1;
        }
        summary.buffer(&Buffer { bytes: &bytes, ..*buffer });
    };
    let mut reader = Reader::new(File::open(path)?)?;
    let mut verifier = Verifier::new();
    while let Ok(Some(packet)) = reader.next() {
        verifier.packet(&packet, &mut take);
    }
    verifier.finish(take);
    Ok(summary)
}
