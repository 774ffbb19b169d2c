//! The measurement itself.
//!
//! The thesis's method (Sahu 2019, chapter 5): for each size, each kernel gets 1000 buffers of fresh random bytes; the
//! counter is read before and after each call; the mean and its 95 % confidence interval are told. No pinning and no
//! priority: an upper bound.
//!
//! Added: kernels take turns, ten samples each, so that a disturbance meets all of them; one untimed call before those
//! ten, so that none pays for the branch predictor; a fence after the bytes are written, so that no load waits for a
//! store; the timer's own cost, measured by a kernel that does nothing, is subtracted; every answer is compared with the
//! code's definition before anything is timed.

use super::clock::{Clock, now};
use super::contender::Contender;
use super::data::{Buffer, Data, Evictor};
use super::model::{Cell, Machine, Run};
use crate::Error;
use residue::Code;
use std::hint::black_box;
use std::ops::RangeInclusive;
use std::sync::atomic::{Ordering, fence};
use std::time::SystemTime;

/// How calls are timed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// One call at a time on fresh bytes, as the thesis does.
    #[default]
    Thesis,
    /// Many independent calls, one after another: what a stream of packets costs.
    Throughput,
    /// Many calls, each waiting for the value of the one before: how long one takes.
    Latency,
}

impl Mode {
    /// `thesis`, `throughput` or `latency`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Mode::Thesis => "thesis",
            Mode::Throughput => "throughput",
            Mode::Latency => "latency",
        }
    }
}

/// What to measure, and how.
#[derive(Debug, Clone)]
pub struct Options {
    /// The codes' names.
    pub codes: Vec<String>,
    /// Only kernels of these names.
    pub kernels: Option<Vec<String>>,
    /// Bytes in a buffer, and bytes added to them, 0 to 7.
    pub sizes: Vec<(usize, usize)>,
    /// In place of `sizes`: random lengths within this range, the same for every kernel.
    pub mixed: Option<RangeInclusive<usize>>,
    /// Samples of each cell; rounds, outside [`Mode::Thesis`].
    pub samples: usize,
    /// How calls are timed.
    pub mode: Mode,
    /// What the buffers hold.
    pub data: Data,
    /// Buffers begin at each of the eight offsets to a multiple of 64 in turn, not at 0.
    pub misaligned: bool,
    /// Drive data and tables out of the caches before each call ([`Mode::Thesis`] only).
    pub cold: bool,
    /// The thread was bound to one core; told in the run.
    pub pinned: bool,
    /// Where the random bytes begin.
    pub seed: u64,
}

impl Default for Options {
    fn default() -> Self {
        let codes = ["crc-32/iscsi", "internet", "adler-32", "fletcher-32", "fletcher-16", "xns"];
        let more = ["crc-32/iso-hdlc", "crc-64/nvme"];
        Options {
            codes: codes.into_iter().chain(more).map(String::from).collect(),
            kernels: None,
            sizes: plain(&[64, 1500, 9000, 65536]),
            mixed: None,
            samples: 1000,
            mode: Mode::Thesis,
            data: Data::Random,
            misaligned: false,
            cold: false,
            pinned: false,
            seed: 1,
        }
    }
}

/// Sizes without extra bytes.
#[must_use]
pub fn plain(sizes: &[usize]) -> Vec<(usize, usize)> {
    sizes.iter().map(|&size| (size, 0)).collect()
}

/// Told of steps done and of how many there are.
pub type Progress<'a> = &'a mut dyn FnMut(u64, u64);

/// Samples a kernel takes before the next one's turn.
const TURN: usize = 10;

/// Measures.
///
/// # Errors
/// If a code is unknown, no kernel is left, or a kernel gives a wrong answer.
pub fn measure(options: &Options, clock: &Clock, progress: Progress<'_>) -> Result<Run, Error> {
    let mut contenders = Vec::new();
    for name in &options.codes {
        let code: Code = name.parse().map_err(|error| Error::Code(name.clone(), error))?;
        for mut contender in Contender::of(&code, options.kernels.as_deref()) {
            if code.name() == "custom" {
                contender.code.clone_from(name);
            }
            contenders.push((code.clone(), contender));
        }
    }
    if contenders.is_empty() {
        return Err(Error::NoKernel(options.kernels.clone().unwrap_or_default().join(", ")));
    }

    let lengths = lengths(options);
    let largest = lengths.iter().flat_map(|(_, list)| list).max().copied().unwrap_or(0);
    let mut bench = Bench {
        options,
        clock,
        random: fastrand::Rng::with_seed(options.seed),
        buffer: Buffer::new(largest + 64),
        evictor: options.cold.then(Evictor::new),
    };
    check(&contenders, largest, &mut bench)?;

    // The timer's own cost, by the same path as everything else.
    let null = Contender::null();
    let overhead = bench.overhead(&null);

    let contenders: Vec<Contender> =
        contenders.into_iter().map(|(_, contender)| contender).collect();
    let steps = lengths.len() as u64;
    let (turns, mut cells) = (options.samples.div_ceil(TURN) as u64, Vec::new());
    for (step, (size, list)) in (0..).zip(&lengths) {
        let mut turn = |done: u64| progress(step * turns + done, steps * turns);
        let samples = match options.mode {
            Mode::Thesis => bench.single(&contenders, list, overhead, &mut turn),
            Mode::Throughput | Mode::Latency => bench.batches(&contenders, list, &null, &mut turn),
        };
        let mean_length = list.iter().sum::<usize>() as f64 / list.len() as f64;
        for (contender, samples) in contenders.iter().zip(samples) {
            cells.push(cell(contender, *size, mean_length, samples, clock));
        }
    }
    let mut run = run_of(options, clock, cells);
    run.machine.overhead_ticks = overhead;
    Ok(run)
}

/// The sizes to measure, each as (size, extra bytes), with the lengths of its calls.
type Lengths = Vec<((usize, usize), Vec<usize>)>;

fn lengths(options: &Options) -> Lengths {
    if let Some(range) = &options.mixed {
        let mut random = fastrand::Rng::with_seed(options.seed);
        let list: Vec<usize> = (0..4096).map(|_| random.usize(range.clone())).collect();
        let mean = list.iter().sum::<usize>() / list.len();
        return vec![((mean, 0), list)];
    }
    let one = |&(size, extra): &(usize, usize)| ((size, extra), vec![size + extra]);
    options.sizes.iter().map(one).collect()
}

/// Every kernel against its code's definition, at the largest size and around it.
fn check(
    contenders: &[(Code, Contender)],
    largest: usize,
    bench: &mut Bench<'_>,
) -> Result<(), Error> {
    let data = bench.buffer.slice(0, largest);
    bench.random.fill(data);
    for length in [largest, largest / 2, largest.min(64), largest.min(41), 0] {
        let mut last: Option<(&str, u128)> = None;
        for (code, contender) in contenders {
            let expected = match last {
                Some((name, value)) if name == contender.code => value,
                _ => code.reference(&data[..length]),
            };
            last = Some((&contender.code, expected));
            contender.check(code, &data[..length], expected)?;
        }
    }
    Ok(())
}

struct Bench<'a> {
    options: &'a Options,
    clock: &'a Clock,
    random: fastrand::Rng,
    buffer: Buffer,
    evictor: Option<Evictor>,
}

impl Bench<'_> {
    /// One call in ticks.
    #[inline(never)]
    fn time(call: &dyn Fn(&[u8]) -> u64, data: &[u8]) -> u64 {
        let start = now();
        let value = call(data);
        let end = now();
        black_box(value);
        end.saturating_sub(start)
    }

    fn overhead(&mut self, null: &Contender) -> f64 {
        let data = self.buffer.slice(0, 64);
        let mut samples: Vec<f64> =
            (0..1001).map(|_| Self::time(&null.call, data) as f64).collect();
        median(&mut samples)
    }

    /// The thesis's method: per kernel, the ticks of each call.
    fn single(
        &mut self,
        contenders: &[Contender],
        list: &[usize],
        overhead: f64,
        turn: &mut dyn FnMut(u64),
    ) -> Vec<Vec<f64>> {
        let mut ticks = vec![Vec::with_capacity(self.options.samples); contenders.len()];
        for round in 0..self.options.samples.div_ceil(TURN) {
            for (contender, ticks) in contenders.iter().zip(&mut ticks) {
                let count = TURN.min(self.options.samples - round * TURN);
                for sample in 0..=count {
                    // The same lengths for every kernel.
                    let length = list[(round * (TURN + 1) + sample) % list.len()];
                    let offset = if self.options.misaligned { sample % 8 } else { 0 };
                    let data = self.buffer.slice(offset, length);
                    self.options.data.fill(&mut self.random, data);
                    // The bytes leave the store buffer: a load over a narrower store in flight would wait.
                    fence(Ordering::SeqCst);
                    if let Some(evictor) = &self.evictor {
                        evictor.evict();
                    }
                    let taken = Self::time(&contender.call, data) as f64;
                    if sample > 0 {
                        ticks.push((taken - overhead).max(0.0));
                    }
                }
            }
            turn(round as u64 + 1);
        }
        ticks
    }

    /// Batches of about 20 microseconds: per kernel, the ticks of a call in each batch.
    fn batches(
        &mut self,
        contenders: &[Contender],
        list: &[usize],
        null: &Contender,
        turn: &mut dyn FnMut(u64),
    ) -> Vec<Vec<f64>> {
        const BATCH_NS: f64 = 20_000.0;
        let latency = self.options.mode == Mode::Latency;
        let misaligned = self.options.misaligned;
        let largest = list.iter().max().copied().unwrap_or(0);
        let data = self.buffer.slice(0, largest + 8);
        self.options.data.fill(&mut self.random, data);
        let data: &[u8] = data;

        let batch = |contender: &Contender, calls: usize| {
            if latency {
                batch::<true>(contender, data, list, misaligned, calls)
            } else {
                batch::<false>(contender, data, list, misaligned, calls)
            }
        };
        // As many calls as fill a batch, at least one of each length.
        let calls = |contender: &Contender| {
            let trial = batch(contender, list.len().max(8));
            let wanted = BATCH_NS / self.clock.ns(trial).max(0.5);
            (wanted as usize).clamp(1, 1 << 16).next_multiple_of(list.len())
        };
        let empty = (0..7).map(|_| batch(null, 1 << 12)).fold(f64::INFINITY, f64::min);
        let calls: Vec<usize> = contenders.iter().map(calls).collect();
        let mut ticks = vec![Vec::with_capacity(self.options.samples); contenders.len()];
        for round in 0..self.options.samples {
            for ((contender, &calls), ticks) in contenders.iter().zip(&calls).zip(&mut ticks) {
                ticks.push((batch(contender, calls) - empty).max(0.0));
            }
            if round % TURN == TURN - 1 {
                turn((round / TURN) as u64 + 1);
            }
        }
        ticks
    }
}

/// The ticks of a call, over `calls` of them. A loop for each mode: a choice inside it may be compiled to a conditional move,
/// by which every call would wait for the one before.
fn batch<const LATENCY: bool>(
    contender: &Contender,
    data: &[u8],
    list: &[usize],
    misaligned: bool,
    calls: usize,
) -> f64 {
    // Always zero, which the compiler does not know: with it the next address hangs on the last value.
    let mask = black_box(0u64);
    let mut value = 0;
    let mut lengths = list.iter().cycle();
    let start = now();
    for call in 0..calls {
        let Some(&length) = lengths.next() else { break };
        let offset = if misaligned { call % 8 } else { 0 };
        let offset = if LATENCY { offset + (value & mask) as usize } else { offset };
        let result = (contender.call)(&data[offset..offset + length]);
        value = if LATENCY { result } else { value ^ result };
    }
    let end = now();
    black_box(value);
    end.saturating_sub(start) as f64 / calls as f64
}

fn median(samples: &mut [f64]) -> f64 {
    samples.sort_by(f64::total_cmp);
    let n = samples.len();
    match n {
        0 => 0.0,
        _ if n % 2 == 1 => samples[n / 2],
        _ => (samples[n / 2 - 1] + samples[n / 2]) / 2.0,
    }
}

/// Student's 97.5 % quantile for this many degrees of freedom, by Fisher's expansion: within 1 % from 3 on; 1.962 for the
/// thesis's 1000 samples.
fn quantile(freedom: f64) -> f64 {
    const Z: f64 = 1.959_964;
    let n = freedom.max(1.0);
    let (z3, z5, z7) = (Z.powi(3), Z.powi(5), Z.powi(7));
    Z + (z3 + Z) / (4.0 * n)
        + (5.0 * z5 + 16.0 * z3 + 3.0 * Z) / (96.0 * n * n)
        + (3.0 * z7 + 19.0 * z5 + 17.0 * z3 - 15.0 * Z) / (384.0 * n.powi(3))
}

/// The statistics of one cell, from ticks a call.
fn cell(
    contender: &Contender,
    (bytes, extra): (usize, usize),
    length: f64,
    mut ticks: Vec<f64>,
    clock: &Clock,
) -> Cell {
    let n = ticks.len() as f64;
    let per_byte = |ticks: f64| clock.cycles(ticks) / length.max(1.0);
    let mean = ticks.iter().sum::<f64>() / n.max(1.0);
    let variance = ticks.iter().map(|t| (t - mean) * (t - mean)).sum::<f64>() / (n - 1.0).max(1.0);
    let sd = variance.sqrt();
    let middle = median(&mut ticks);
    Cell {
        code: contender.code.clone(),
        kernel: contender.kernel.name.to_string(),
        bytes,
        extra,
        samples: ticks.len(),
        mean: per_byte(mean),
        sd: per_byte(sd),
        margin: per_byte(quantile(n - 1.0) * sd / n.max(1.0).sqrt()),
        median: per_byte(middle),
        min: per_byte(ticks.first().copied().unwrap_or(0.0)),
        ns: clock.ns(middle),
    }
}

/// A run of these cells, made here and now.
fn run_of(options: &Options, clock: &Clock, cells: Vec<Cell>) -> Run {
    Run {
        format: 1,
        residue: env!("CARGO_PKG_VERSION").to_string(),
        date: humantime::format_rfc3339_seconds(SystemTime::now()).to_string(),
        machine: Machine {
            cpu: cpu_name(),
            arch: std::env::consts::ARCH.to_string(),
            features: residue::cpu::features().names().map(String::from).collect(),
            counter: residue::counter::NAME.to_string(),
            ticks_per_cycle: clock.ticks_per_cycle,
            ns_per_tick: clock.ns_per_tick,
            resolution_ticks: clock.resolution,
            overhead_ticks: 0.0,
        },
        mode: options.mode.name().to_string(),
        data: options.data.name().to_string(),
        samples: options.samples,
        conditions: conditions(options),
        cells,
        steady: Vec::new(),
    }
}

fn conditions(options: &Options) -> Vec<String> {
    let given = |given: bool, what: &str| given.then(|| what.to_string());
    let all = [
        given(options.cold, "cold"),
        given(options.misaligned, "misaligned"),
        given(options.pinned, "pinned"),
        options.mixed.as_ref().map(|range| format!("mixed {range:?}")),
        (options.seed != Options::default().seed).then(|| format!("seed {}", options.seed)),
    ];
    all.into_iter().flatten().collect()
}

/// The CPU's own name, where the operating system tells it.
#[must_use]
pub fn cpu_name() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let value = |key: &str| {
        let line =
            info.lines().find(|line| line.trim_start().to_ascii_lowercase().starts_with(key))?;
        let name = line.split_once(':')?.1.trim();
        (!name.is_empty()).then(|| name.to_string())
    };
    let name = ["model name", "cpu model", "hardware", "cpu"].into_iter().find_map(value);
    name.unwrap_or_else(|| format!("unnamed {} CPU", std::env::consts::ARCH))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quick(mode: Mode) -> Options {
        Options {
            sizes: vec![(40, 0), (40, 3), (100, 0), (100, 3)],
            samples: 12,
            mode,
            ..Options::default()
        }
    }

    #[test]
    fn every_kernel_gets_every_cell() {
        let clock = Clock { ns_per_tick: 1.0, ticks_per_cycle: 1.0, resolution: 1.0 };
        for mode in [Mode::Thesis, Mode::Throughput, Mode::Latency] {
            let mut last = (0, 0);
            let options = quick(mode);
            let run = measure(&options, &clock, &mut |done, of| last = (done, of)).expect("a run");
            let kernels = options.codes.iter().flat_map(|name| {
                let code: Code = name.parse().expect("a code");
                Contender::of(&code, None)
            });
            assert_eq!(run.cells.len(), 4 * kernels.count());
            assert!(
                run.cells
                    .iter()
                    .all(|c| c.samples == 12 && c.mean.is_finite() && c.min <= c.median)
            );
            assert!(last.0 <= last.1 && last.1 > 0, "{last:?}");
        }
    }

    #[test]
    fn unknown_names_are_refused() {
        let clock = Clock { ns_per_tick: 1.0, ticks_per_cycle: 1.0, resolution: 1.0 };
        let options = Options { codes: vec!["crc-33".into()], ..quick(Mode::Thesis) };
        assert!(matches!(measure(&options, &clock, &mut |_, _| ()), Err(Error::Code(..))));
        let options = Options { kernels: Some(vec!["mmx".into()]), ..quick(Mode::Thesis) };
        assert!(matches!(measure(&options, &clock, &mut |_, _| ()), Err(Error::NoKernel(_))));
    }

    #[test]
    fn a_wrong_kernel_is_not_timed() {
        let code: Code = "crc-32/iscsi".parse().expect("a code");
        let mut wrong = Contender::of(&code, None).remove(0);
        wrong.value = Box::new(|data| u128::from(residue::crc32(data)));
        let data = [1, 2, 3];
        assert!(wrong.check(&code, &data, code.reference(&data)).is_err());
    }

    #[test]
    fn statistics_are_the_textbook_ones() {
        let clock = Clock { ns_per_tick: 0.5, ticks_per_cycle: 2.0, resolution: 1.0 };
        let contender = Contender::null();
        let cell = cell(&contender, (10, 0), 10.0, vec![20.0, 40.0, 60.0, 80.0], &clock);
        assert_eq!((cell.mean, cell.median, cell.min, cell.ns), (2.5, 2.5, 1.0, 25.0));
        // Variance 2000/3 of the ticks.
        assert!((cell.sd - (2000.0f64 / 3.0).sqrt() / 20.0).abs() < 1e-12);
        // t(3) is 3.182, t(30) 2.042, t(999) 1.962.
        assert!((cell.margin / (3.182 * cell.sd / 2.0) - 1.0).abs() < 0.01);
        assert!((quantile(30.0) - 2.042).abs() < 0.001 && (quantile(999.0) - 1.962).abs() < 0.001);
    }
}
