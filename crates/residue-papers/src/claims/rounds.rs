//! The measurement that claims are judged by: rounds in which all sides take turns.

use super::ratio::{Band, Compared, Ratio};
use super::sides::{BY_DATA, BYTEWISE, SLICING8, Side, kernel};
use crate::{intel2006, sklower1989};
use residue_bench::clock::Clock;
use residue_bench::data::Data;
use residue_bench::load::{Cpus, Load};
use residue_bench::model::{Cell, Run};
use residue_bench::{Error, Mode, Options, Progress, measure};
use std::collections::BTreeSet;

/// The number of rounds in which both sides of a ratio are measured.
pub const ROUNDS: usize = 10;

/// The figures of all rounds.
pub(super) struct Measured {
    /// Single calls, a run for each round.
    single: Vec<Run>,
    /// Batches.
    batches: Vec<Run>,
    /// Single calls on random bytes, zeros and ones, for each round.
    by_data: Vec<[Run; 3]>,
    /// Single calls with 0 to 7 extra bytes.
    extra: Vec<Run>,
    /// Single calls of table kernels with the caches emptied.
    cold: Vec<Run>,
    /// Sklower's mix of packets.
    iso: Vec<Vec<sklower1989::Row>>,
    /// Intel's iSCSI receiver.
    iscsi: Vec<Vec<intel2006::Row>>,
    /// The receiver on all cores: their number, and the PDUs of each beside those of one alone.
    /// Empty on one core.
    cores: Vec<(usize, f64)>,
    load: Load,
    /// The share of the CPUs that other programs took.
    others: f64,
}

/// Kernels and sizes to measure.
struct Wanted {
    sides: BTreeSet<Side>,
    sizes: BTreeSet<usize>,
}

impl Wanted {
    fn of(ratios: &[&Ratio]) -> Wanted {
        Wanted {
            sides: ratios.iter().flat_map(|ratio| [ratio.slower, ratio.faster]).collect(),
            sizes: ratios.iter().flat_map(|ratio| ratio.sizes).copied().collect(),
        }
    }

    fn options(&self, mode: Mode, samples: usize) -> Options {
        let codes: BTreeSet<&str> = self.sides.iter().map(|(code, _)| *code).collect();
        let kernels: BTreeSet<&str> = self.sides.iter().map(|&side| kernel(side)).collect();
        Options {
            codes: codes.into_iter().map(String::from).collect(),
            kernels: Some(kernels.into_iter().map(String::from).collect()),
            sizes: self.sizes.iter().map(|&bytes| (bytes, 0)).collect(),
            samples,
            mode,
            ..Options::default()
        }
    }
}

/// The comparisons that claims need.
pub(super) struct Plan<'a> {
    /// The ratios of single calls.
    pub(super) single: Vec<&'a Ratio>,
    /// The ratios of batches.
    pub(super) batches: Vec<&'a Ratio>,
    /// Whether the other measurements are needed: contents, extra bytes, empty caches, packets.
    pub(super) more: bool,
}

impl Measured {
    /// Measures what `plan` compares, by `calls` calls of each side in all rounds together.
    pub(super) fn new(
        plan: &Plan<'_>,
        calls: usize,
        clock: &Clock,
        progress: Progress<'_>,
    ) -> Result<Measured, Error> {
        let calls = calls.div_ceil(ROUNDS);
        // A batch holds many calls.
        let batches = calls.div_ceil(10);
        let [single, batch] = [&plan.single, &plan.batches].map(|ratios| Wanted::of(ratios));
        let of = |sides: &[Side], sizes: &[usize]| Wanted {
            sides: sides.iter().copied().collect(),
            sizes: sizes.iter().copied().collect(),
        };
        let (by_data, extra) = (of(&BY_DATA, &[1500]), of(&BY_DATA, &[1500, 9000]));
        let cold = of(&[BYTEWISE, SLICING8], &[8192]);
        let before = Cpus::now();
        let mut all = Measured {
            single: Vec::new(),
            batches: Vec::new(),
            by_data: Vec::new(),
            extra: Vec::new(),
            cold: Vec::new(),
            iso: Vec::new(),
            iscsi: Vec::new(),
            cores: Vec::new(),
            load: Load::default(),
            others: 0.0,
        };
        for round in 0..ROUNDS {
            progress(round as u64, ROUNDS as u64);
            let mut run = |options: &Options| {
                let run = measure(options, clock, &mut |_, _| ())?;
                all.load = all.load.max(run.load);
                Ok::<Run, Error>(run)
            };
            if !single.sides.is_empty() {
                all.single.push(run(&single.options(Mode::Thesis, calls))?);
            }
            if !batch.sides.is_empty() {
                all.batches.push(run(&batch.options(Mode::Throughput, batches))?);
            }
            if plan.more {
                let [random, zeros, ones] = [Data::Random, Data::Zeros, Data::Ones]
                    .map(|data| run(&Options { data, ..by_data.options(Mode::Thesis, calls) }));
                all.by_data.push([random?, zeros?, ones?]);
                let mut longer = extra.options(Mode::Thesis, calls.div_ceil(2));
                longer.sizes = [1500, 9000]
                    .map(|size| (0..8).map(move |more| (size, more)))
                    .into_iter()
                    .flatten()
                    .collect();
                all.extra.push(run(&longer)?);
                let few = calls.div_ceil(30);
                all.cold.push(run(&Options { cold: true, ..cold.options(Mode::Thesis, few) })?);
                all.iso.push(sklower1989::measure_only(&["ip", "pairs"], clock.ns_per_tick)?);
                all.iscsi.push(intel2006::measure(3, clock, &mut |_, _| ())?.rows);
                all.cores.extend(intel2006::scaling(clock));
            }
        }
        let taken = before.zip(Cpus::now()).map(|(before, after)| before.taken(after));
        all.others = taken.map_or(0.0, |taken| taken.others);
        Ok(all)
    }

    /// Returns one sentence if the machine was too busy for small margins.
    pub(super) fn busy(&self) -> Option<String> {
        self.load.too_busy().or_else(|| {
            // One thread beside this one may share units of the same core.
            (self.others > 0.1).then(|| {
                let percent = (self.others * 100.0).round();
                format!("Other programs took {percent} % of the CPUs.")
            })
        })
    }

    /// Returns each ratio at each of its sizes; `None` where a kernel is missing here.
    pub(super) fn ratios(&self, mode: Mode, ratios: &[Ratio]) -> Option<Vec<Compared>> {
        let runs = if mode == Mode::Thesis { &self.single } else { &self.batches };
        let mut all = Vec::new();
        for ratio in ratios {
            for &bytes in ratio.sizes {
                let rounds: Option<Vec<f64>> = runs
                    .iter()
                    .map(|run| {
                        quotient(
                            median(run, ratio.slower, (bytes, 0)),
                            median(run, ratio.faster, (bytes, 0)),
                        )
                    })
                    .collect();
                let at = format!("{bytes} bytes");
                all.push(Compared::new(at, rounds?, ratio.band)?);
            }
        }
        Some(all)
    }

    /// Returns how much longer the slowest content takes than the fastest, at 1500 bytes.
    pub(super) fn by_data(&self, side: Side, claimed: Band) -> Option<Compared> {
        let round = |runs: &[Run; 3]| {
            let times: Option<Vec<f64>> =
                runs.iter().map(|run| median(run, side, (1500, 0))).collect();
            widest(&times?)
        };
        let rounds: Option<Vec<f64>> = self.by_data.iter().map(round).collect();
        Compared::new(format!("1500 bytes by `{}`", kernel(side)), rounds?, claimed)
    }

    /// Returns how much longer a byte takes at the worst number of extra bytes than at the best.
    pub(super) fn by_extra(&self, side: Side, bytes: usize, claimed: Band) -> Option<Compared> {
        let round = |run: &Run| {
            let times: Option<Vec<f64>> =
                (0..8).map(|extra| median(run, side, (bytes, extra))).collect();
            widest(&times?)
        };
        let rounds: Option<Vec<f64>> = self.extra.iter().map(round).collect();
        Compared::new(format!("{bytes} bytes by `{}`", kernel(side)), rounds?, claimed)
    }

    /// Returns the ratio of two table kernels at 8 KiB with the caches emptied before each call.
    pub(super) fn cold(&self, slower: Side, faster: Side, claimed: Band) -> Option<Compared> {
        let round =
            |run: &Run| quotient(median(run, slower, (8192, 0)), median(run, faster, (8192, 0)));
        let rounds: Option<Vec<f64>> = self.cold.iter().map(round).collect();
        Compared::new("8192 bytes".into(), rounds?, claimed)
    }

    /// Returns how long Sklower's mix of packets takes by one row beside another.
    pub(super) fn mix(&self, slower: &str, faster: &str, claimed: Band) -> Option<Compared> {
        let round = |rows: &Vec<sklower1989::Row>| {
            let time = |name| rows.iter().find(|row| row.name == name).map(|row| row.mix);
            quotient(time(slower), time(faster))
        };
        let rounds: Option<Vec<f64>> = self.iso.iter().map(round).collect();
        Compared::new("a mix of packets".into(), rounds?, claimed)
    }

    /// Returns how long a PDU of 8 KiB takes with one kernel beside another.
    pub(super) fn pdu(&self, slower: &str, faster: &str, claimed: Band) -> Option<Compared> {
        let round = |rows: &Vec<intel2006::Row>| {
            let row = |name| rows.iter().find(|row| row.kernel == name && row.bytes == 8192);
            quotient(row(slower).map(|row| row.whole), row(faster).map(|row| row.whole))
        };
        let rounds: Option<Vec<f64>> = self.iscsi.iter().map(round).collect();
        Compared::new("a PDU of 8192 bytes".into(), rounds?, claimed)
    }

    /// Returns how many PDUs each of all cores receives at once, beside one core alone.
    pub(super) fn cores(&self, claimed: Band) -> Option<Compared> {
        let (count, _) = self.cores.first()?;
        let rounds = self.cores.iter().map(|(_, per_core)| *per_core).collect();
        Compared::new(format!("{count} cores, of each"), rounds, claimed)
    }
}

fn quotient(a: Option<f64>, b: Option<f64>) -> Option<f64> {
    let (a, b) = (a?, b?);
    (b > 0.0).then(|| a / b)
}

fn widest(times: &[f64]) -> Option<f64> {
    let (low, high) = times.iter().fold((f64::MAX, 0.0f64), |(l, h), &t| (l.min(t), h.max(t)));
    (low > 0.0).then(|| high / low)
}

/// Returns the median of a side's cell, in cycles per byte.
fn median(run: &Run, side: Side, (bytes, extra): (usize, usize)) -> Option<f64> {
    let name = kernel(side);
    let here = |cell: &&Cell| {
        cell.code == side.0 && cell.kernel == name && cell.bytes == bytes && cell.extra == extra
    };
    run.cells.iter().find(here).map(|cell| cell.median)
}
