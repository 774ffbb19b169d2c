//! Divides the work among machines: a [`Job`] is planned once, its [`Part`]s run anywhere, and
//! their [`Counted`] results make a run equal to that of [`super::run`], which is built on them.
//!
//! Parts and counts are serialisable.

use super::cells;
use super::chunk::{Tools, one_chunk};
use super::model::{self, Run};
use super::question::Options;
use super::source::{Plan, Source};
use super::tally::Tally;
use crate::Error;
use crate::codes::additive::Additive;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The work of a run: which pieces of which files are read.
pub struct Job {
    options: Options,
    plans: Vec<Plan>,
}

/// A part of the work, complete but for the files, which are read by the paths that the job was
/// planned with.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Part {
    codes: Vec<String>,
    trials: u64,
    burst: u32,
    /// The source's place among those of the job.
    source: usize,
    /// The first piece's place in the source's plan.
    from: usize,
    /// Bytes of the source's plan.
    total: u64,
    plan: Plan,
}

/// The counts of one part.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Counted {
    source: usize,
    from: usize,
    to: usize,
    tally: Tally,
}

impl Job {
    /// Examines the sources, and chooses the pieces to read.
    ///
    /// # Errors
    /// Returns an error if a source cannot be read or is too small.
    pub fn new(options: Options) -> Result<Job, Error> {
        let pairs = options.splices.div_ceil(cells::SPLICES);
        let wanted = pairs.saturating_mul(cells::PAYLOAD as u64);
        let plans = options.sources.iter().map(|source| source.plan(wanted, options.seed));
        Ok(Job { plans: plans.collect::<Result<_, _>>()?, options })
    }

    /// Prepares the tables of the codes, for each source.
    pub(super) fn tools(&self) -> Vec<Vec<Tools<'_>>> {
        let codes = &self.options.codes;
        self.plans.iter().map(|plan| Tools::all(codes, plan.bytes())).collect()
    }

    /// Divides the work into parts of about `bytes` bytes of data, at least a piece of a file each.
    #[must_use]
    pub fn parts(&self, bytes: u64) -> Vec<Part> {
        let mut parts = Vec::new();
        for source in 0..self.plans.len() {
            let chunks = &self.plans[source].chunks;
            let mut from = 0;
            while let Some(first) = chunks.get(from) {
                let end = first.before.saturating_add(bytes.max(1));
                let to = from + chunks[from..].iter().take_while(|c| c.before < end).count();
                parts.push(self.part(source, from, to));
                from = to;
            }
        }
        parts
    }

    fn part(&self, source: usize, from: usize, to: usize) -> Part {
        Part {
            codes: self.options.codes.iter().map(|code| code.name().to_string()).collect(),
            trials: self.options.trials,
            burst: self.options.burst,
            source,
            from,
            total: self.plans[source].bytes(),
            plan: self.plans[source].part(from..to),
        }
    }

    /// Merges the counts of all parts, in any order, into the run.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Parts`] if a part is missing, is duplicated or belongs to another job, and
    /// an error if nothing could be read of a source.
    pub fn finish(&self, mut counted: Vec<Counted>) -> Result<Run, Error> {
        counted.sort_by_key(|one| (one.source, one.from));
        let mut counted = counted.into_iter().peekable();
        let mut sources = Vec::new();
        for (place, (source, plan)) in self.options.sources.iter().zip(&self.plans).enumerate() {
            let (mut whole, mut done) = (Tally::new(self.options.codes.len()), 0);
            while let Some(one) = counted.next_if(|one| one.source == place && one.from == done) {
                if !one.tally.fits(&whole) {
                    return Err(Error::Parts(source.name()));
                }
                done = one.to;
                whole.join(one.tally);
            }
            if done != plan.chunks.len() {
                return Err(Error::Parts(source.name()));
            }
            if whole.pieces == 0 {
                return Err(Error::TooLittleData(source.name()));
            }
            sources.push(model::sampled(&self.options, source, plan, whole));
        }
        match counted.next() {
            Some(_) => Err(Error::Parts(
                self.options.sources.last().map_or_else(String::new, Source::name),
            )),
            None => Ok(model::finished(&self.options, sources)),
        }
    }
}

impl Part {
    /// Returns the bytes of data in this part.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.plan.chunks.iter().map(|chunk| chunk.length as u64).sum()
    }

    /// Returns the files that this part reads.
    #[must_use]
    pub fn files(&self) -> &[PathBuf] {
        &self.plan.files
    }

    /// Runs the part on one thread.
    ///
    /// # Errors
    /// Returns an error if a code is not known here.
    pub fn run(&self) -> Result<Counted, Error> {
        let codes = self.codes.iter().map(|name| Additive::named(name));
        let options = Options {
            codes: codes.collect::<Result<_, _>>()?,
            sources: Vec::new(),
            splices: 0,
            trials: self.trials,
            burst: self.burst,
            seed: self.plan.seed,
        };
        Ok(self.count(&options, &Tools::all(&options.codes, self.total)))
    }

    /// Runs the part with tables that were prepared before.
    pub(super) fn count(&self, options: &Options, tools: &[Tools<'_>]) -> Counted {
        let mut tally = Tally::new(options.codes.len());
        for chunk in &self.plan.chunks {
            one_chunk(options, tools, &self.plan, chunk, self.total, &mut tally);
        }
        let to = self.from.saturating_add(self.plan.chunks.len());
        Counted { source: self.source, from: self.from, to, tally }
    }

    /// Returns the source's place among those of the job.
    pub(super) fn source(&self) -> usize {
        self.source
    }
}

#[cfg(test)]
mod tests {
    use super::super::Made;
    use super::*;
    use std::fs;

    fn job(folder: &std::path::Path) -> Job {
        let codes = ["internet", "fletcher-16", "crc-32/iscsi", "width=12,poly=80f"];
        let sources = [Source::Tree(folder.into()), Source::Made(Made::Zeros)];
        let codes = codes.iter().map(|name| Additive::named(name).unwrap()).collect();
        let options = Options {
            codes,
            sources: sources.into(),
            splices: 300_000,
            trials: 400,
            burst: 17,
            seed: 3,
        };
        Job::new(options).unwrap()
    }

    fn json(run: &Run) -> String {
        serde_json::to_string(&run.sources).unwrap()
    }

    #[test]
    fn parts_make_the_run_of_one_machine() {
        let dir = tempfile::tempdir().unwrap();
        for number in 0..20u8 {
            let bytes: Vec<u8> = (0..9000).map(|i: u32| (i / 50) as u8 % (number + 2)).collect();
            fs::write(dir.path().join(number.to_string()), bytes).unwrap();
        }
        let job = job(dir.path());
        let whole = super::super::run(&job.options, &|_, _| {}).unwrap();
        assert!(whole.sources[0].tests.iter().all(|test| test.trials > 0));
        for bytes in [1, 20_000, u64::MAX] {
            let mut counted: Vec<Counted> = job
                .parts(bytes)
                .iter()
                .map(|part| {
                    let part: Part =
                        serde_json::from_str(&serde_json::to_string(part).unwrap()).unwrap();
                    let one = serde_json::to_string(&part.run().unwrap()).unwrap();
                    serde_json::from_str(&one).unwrap()
                })
                .collect();
            counted.reverse();
            assert_eq!(json(&job.finish(counted).unwrap()), json(&whole), "{bytes}");
        }
    }

    #[test]
    fn a_missing_or_second_part_is_noticed() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("a"), vec![7; 9000]).unwrap();
        fs::write(dir.path().join("b"), vec![8; 9000]).unwrap();
        let job = job(dir.path());
        let counted: Vec<Counted> = job.parts(1).iter().map(|part| part.run().unwrap()).collect();
        assert_eq!(counted.len(), 3);
        for left in 0..counted.len() {
            let mut some = counted.clone();
            some.remove(left);
            assert!(matches!(job.finish(some), Err(Error::Parts(_))), "without {left}");
            let mut more = counted.clone();
            more.push(counted[left].clone());
            assert!(matches!(job.finish(more), Err(Error::Parts(_))), "{left} twice");
        }
        let mut other = counted.clone();
        other[1].tally = Tally::new(2);
        assert!(matches!(job.finish(other), Err(Error::Parts(_))));
    }
}
