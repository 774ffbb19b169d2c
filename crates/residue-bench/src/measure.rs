//! The measurement.
//!
//! The thesis's method (Sahu 2019, chapter 5): for each size, each kernel gets 1000 buffers of
//! fresh random bytes; the counter is read before and after each call; the mean and its 95 %
//! confidence interval are shown. No pinning and no priority: an upper bound.
//!
//! Added: kernels take turns, ten samples each, in five rounds over all sizes, so that a
//! disturbance meets all of them. Untimed calls on other bytes precede each turn ([`warm_up`]) and
//! each sample ([`Wake`]), so that none pays for the branch predictor, for tables that another
//! kernel drove out of the cache, or for vector units that were switched off. A fence follows the
//! writing of the bytes, so that no load waits for a store. The timer's own cost, measured in turn
//! with the kernels by one that does nothing, is subtracted. Every answer is compared with the
//! code's definition before anything is timed.
//! Disturbed samples are set aside and taken again, and the median of the others stands beside the
//! mean of all; the length of a core cycle is measured with every turn.

use super::clock::{Clock, now};
use super::contender::Contender;
use super::data::{Buffer, Data, Evictor};
use super::harness::{Calls, calls_in_batch};
use super::load::{Load, Watch};
use super::machine::cpu_name;
use super::model::{Cell, FORMAT, Machine, Run};
use super::samples::{Collection, Samples, TURN, Turn};
use super::statistic::{mean, median, middle};
use super::wake::{Wake, warm_up};
use crate::Error;
use residue::Code;
use std::hint::black_box;
use std::ops::RangeInclusive;
use std::sync::atomic::{Ordering, fence};
use std::time::SystemTime;

/// The mode in which calls are timed.
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

/// The options of a measurement.
#[derive(Debug, Clone)]
pub struct Options {
    /// The codes' names.
    pub codes: Vec<String>,
    /// The names of the kernels to measure, or all.
    pub kernels: Option<Vec<String>>,
    /// Bytes in a buffer, and bytes added to them, 0 to 7.
    pub sizes: Vec<(usize, usize)>,
    /// In place of `sizes`: random lengths within this range, the same for every kernel.
    pub mixed: Option<RangeInclusive<usize>>,
    /// Samples of each cell; rounds, outside [`Mode::Thesis`].
    pub samples: usize,
    /// The mode in which calls are timed.
    pub mode: Mode,
    /// The contents of the buffers.
    pub data: Data,
    /// Buffers begin at each of the eight offsets to a multiple of 64 in turn, not at 0.
    pub misaligned: bool,
    /// Whether to drive data and tables out of the caches before each call ([`Mode::Thesis`] only).
    pub cold: bool,
    /// Whether to leave the cost of reading the counter in the figures, as the thesis did.
    pub with_counter: bool,
    /// Whether the thread was bound to one core; the run records it.
    pub pinned: bool,
    /// Seed for the random data.
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
            with_counter: false,
            pinned: false,
            seed: 1,
        }
    }
}

/// Returns sizes without extra bytes.
#[must_use]
pub fn plain(sizes: &[usize]) -> Vec<(usize, usize)> {
    sizes.iter().map(|&size| (size, 0)).collect()
}

/// Receives the number of steps done and the number of all.
pub type Progress<'a> = &'a mut dyn FnMut(u64, u64);

/// Measures the kernels.
///
/// # Errors
/// Returns an error if a code is unknown, no kernel is left, or a kernel gives a wrong answer.
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
        watch: Watch::start(),
    };
    check(&contenders, largest, &mut bench)?;

    let mut contenders: Vec<Contender> =
        contenders.into_iter().map(|(_, contender)| contender).collect();
    // The timer's own cost, by the same path as everything else and in turn with it: it changes
    // with the clock, too.
    contenders.push(Contender::null());
    // Another virtual machine on the same core may take its caches for seconds, which no counter
    // shows. In several rounds over all sizes it disturbs a few samples of many sizes instead of
    // all samples of one.
    let rounds = (options.samples / TURN).clamp(1, ROUNDS);
    let mut groups = vec![Group::new(contenders.len()); lengths.len()];
    let share = options.samples.div_ceil(rounds);
    let steps = (rounds * lengths.len() * share) as u64;
    for round in 0..rounds {
        let goal = (share * (round + 1)).min(options.samples);
        for (size, ((_, list), group)) in lengths.iter().zip(&mut groups).enumerate() {
            let before = (round * lengths.len() + size) * share;
            let mut progress = |done: usize| progress((before + done.min(share)) as u64, steps);
            match options.mode {
                Mode::Thesis => bench.single(&contenders, list, goal, group, &mut progress),
                Mode::Throughput | Mode::Latency => {
                    bench.batches(&contenders, list, goal, group, &mut progress);
                }
            }
        }
    }

    let (mut cells, mut overheads) = (Vec::new(), Vec::new());
    for ((size, list), Group { collection, .. }) in lengths.iter().zip(&groups) {
        // A batch's ticks are of many calls: they lie on no grid.
        let grid = if options.mode == Mode::Thesis { clock.resolution } else { 0.0 };
        let (all, pace) = (&collection.samples, collection.pace(clock));
        let overhead = all.last().map_or(0.0, |null| middle(&null.usable(), grid).median);
        overheads.push(overhead);
        let length = list.iter().sum::<usize>() as f64 / list.len() as f64;
        // A core may change its clock between sizes.
        let clock = &Clock { ticks_per_cycle: pace, ..*clock };
        let overhead = if options.with_counter { 0.0 } else { overhead };
        let timing = Timing { clock, grid, overhead, length };
        let named = &contenders[..contenders.len() - 1];
        cells.extend(named.iter().zip(all).map(|(one, samples)| timing.cell(one, *size, samples)));
    }
    let load = bench.watch.load();
    Ok(run_of(options, clock, cells, median(&mut overheads), load))
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

/// Compares every kernel with its code's definition, at the largest size and around it.
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

/// The number of rounds in which the samples are taken, each over all sizes.
const ROUNDS: usize = 5;

/// The samples of one size, and the state that its contenders keep from round to round.
#[derive(Clone)]
struct Group {
    collection: Collection,
    wakes: Vec<Wake>,
    /// The number of calls that each contender has made, which selects the next of the mixed
    /// lengths.
    taken: Vec<usize>,
    /// The number of calls in a batch of each contender, once it is known.
    calls: Vec<usize>,
}

impl Group {
    fn new(contenders: usize) -> Group {
        Group {
            collection: Collection::new(contenders),
            wakes: vec![Wake::NEW; contenders],
            taken: vec![0; contenders],
            calls: Vec::new(),
        }
    }
}

struct Bench<'a> {
    options: &'a Options,
    clock: &'a Clock,
    random: fastrand::Rng,
    buffer: Buffer,
    evictor: Option<Evictor>,
    watch: Watch,
}

impl Bench<'_> {
    /// Times one call, in ticks.
    #[inline(never)]
    fn time(call: &dyn Fn(&[u8]) -> u64, data: &[u8]) -> u64 {
        let start = now();
        let value = call(data);
        let end = now();
        black_box(value);
        end.saturating_sub(start)
    }

    /// Takes samples by the thesis's method: calls of each contender, until it has `goal` samples.
    fn single(
        &mut self,
        contenders: &[Contender],
        list: &[usize],
        goal: usize,
        group: &mut Group,
        progress: &mut dyn FnMut(usize),
    ) {
        let Bench { options, clock, random, buffer, evictor, watch } = self;
        let Group { collection, wakes, taken, .. } = group;
        // The same lengths for every contender.
        // Other bytes than those of the samples, few enough to leave them in the first cache.
        let mut other = [0; 4096];
        random.fill(&mut other);
        let longest = list.iter().max().copied().unwrap_or(0).min(other.len());
        let mut take = |which: usize, count: usize, turn: &mut Turn<'_>| {
            let call = &contenders[which].call;
            warm_up(call, &other, clock);
            for sample in 0..count {
                let length = list[taken[which] % list.len()];
                taken[which] += 1;
                let offset = if options.misaligned { sample % 8 } else { 0 };
                let data = buffer.slice(offset, length);
                options.data.fill(random, data);
                // The bytes leave the store buffer: a load over a narrower store in flight would
                // wait.
                fence(Ordering::SeqCst);
                if let Some(evictor) = &*evictor {
                    evictor.evict();
                    turn.ask_in_time();
                } else {
                    wakes[which].calls(call, &other[..longest], clock);
                }
                turn.push(Self::time(call, data) as f64);
            }
        };
        collection.collect((goal, TURN), clock, watch, &mut take, progress);
    }

    /// Times batches of each contender until it has `goal` of them; a sample is the ticks of a call
    /// in one.
    fn batches(
        &mut self,
        contenders: &[Contender],
        list: &[usize],
        goal: usize,
        group: &mut Group,
        progress: &mut dyn FnMut(usize),
    ) {
        let Bench { options, clock, random, buffer, watch, .. } = self;
        let largest = list.iter().max().copied().unwrap_or(0);
        let data = buffer.slice(0, largest + 8);
        options.data.fill(random, data);
        let (latency, misaligned) = (options.mode == Mode::Latency, options.misaligned);
        let batch = Calls { data, lengths: list, misaligned, latency };
        // At least one call of each length.
        let calls = |contender: &Contender| {
            let calls = calls_in_batch(clock, |count| batch.time(&*contender.call, count, 0));
            calls.next_multiple_of(list.len())
        };
        let Group { collection, calls: planned, .. } = group;
        if planned.is_empty() {
            planned.extend(contenders.iter().map(calls));
        }
        let mut take = |which: usize, count: usize, turn: &mut Turn<'_>| {
            let (call, calls) = (&contenders[which].call, planned[which]);
            warm_up(call, &batch.data[..largest], clock);
            for _ in 0..count {
                turn.push(batch.time(&**call, calls, 0) as f64 / calls as f64);
            }
        };
        collection.collect((goal, 1), clock, watch, &mut take, progress);
    }
}

/// The parameters that turn the samples of one size into figures.
struct Timing<'a> {
    clock: &'a Clock,
    /// The step of the samples, in ticks; 0 for none.
    grid: f64,
    /// The ticks to subtract from each call.
    overhead: f64,
    /// The mean length of a call.
    length: f64,
}

impl Timing<'_> {
    fn cell(
        &self,
        contender: &Contender,
        (bytes, extra): (usize, usize),
        samples: &Samples,
    ) -> Cell {
        let usable = samples.usable();
        let net = |ticks: f64| (ticks - self.overhead).max(0.0);
        let per_byte = |ticks: f64| self.clock.cycles(ticks) / self.length.max(1.0);
        let middle = middle(&usable, self.grid);
        let (kept, plain) = (mean(usable.iter().copied()), mean(samples.all()));
        Cell {
            code: contender.code.clone(),
            kernel: contender.kernel.name.to_string(),
            bytes,
            extra,
            samples: samples.kept.len(),
            set_aside: samples.aside.len(),
            mean: per_byte(net(kept.mean)),
            sd: per_byte(kept.sd),
            margin: per_byte(kept.margin),
            median: per_byte(net(middle.median)),
            low: per_byte(net(middle.low)),
            high: per_byte(net(middle.high)),
            plain_mean: per_byte(net(plain.mean)),
            plain_margin: per_byte(plain.margin),
            min: per_byte(net(usable.first().copied().unwrap_or(0.0))),
            ns: self.clock.ns(net(middle.median)),
        }
    }
}

/// Returns a run of these cells, made here and now.
fn run_of(options: &Options, clock: &Clock, cells: Vec<Cell>, overhead: f64, load: Load) -> Run {
    Run {
        format: FORMAT,
        residue: env!("CARGO_PKG_VERSION").to_string(),
        date: humantime::format_rfc3339_seconds(SystemTime::now()).to_string(),
        machine: Machine {
            cpu: cpu_name(),
            arch: std::env::consts::ARCH.to_string(),
            features: residue::cpu::features().names().map(String::from).collect(),
            profile: residue::cpu::profile().name.to_string(),
            counter: residue::internals::counter::NAME.to_string(),
            ticks_per_cycle: clock.ticks_per_cycle,
            ticks_per_cycle_by_products: clock.ticks_per_cycle_by_products,
            ns_per_tick: clock.ns_per_tick,
            resolution_ticks: clock.resolution,
            overhead_ticks: overhead,
            overhead_included: options.with_counter,
        },
        mode: options.mode.name().to_string(),
        data: options.data.name().to_string(),
        samples: options.samples,
        conditions: conditions(options),
        cells,
        steady: Vec::new(),
        load,
    }
}

fn conditions(options: &Options) -> Vec<String> {
    let given = |given: bool, what: &str| given.then(|| what.to_string());
    let all = [
        given(options.cold, "cold"),
        given(options.misaligned, "misaligned"),
        given(options.with_counter, "with the counter's cost"),
        given(options.pinned, "pinned"),
        options.mixed.as_ref().map(|range| format!("mixed {range:?}")),
        (options.seed != Options::default().seed).then(|| format!("seed {}", options.seed)),
    ];
    all.into_iter().flatten().collect()
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
        let clock = Clock::NANOSECONDS;
        for mode in [Mode::Thesis, Mode::Throughput, Mode::Latency] {
            let mut last = (0, 0);
            let options = quick(mode);
            let run = measure(&options, &clock, &mut |done, of| last = (done, of)).expect("a run");
            let kernels = options.codes.iter().flat_map(|name| {
                let code: Code = name.parse().expect("a code");
                Contender::of(&code, None)
            });
            assert_eq!(run.cells.len(), 4 * kernels.count());
            for cell in &run.cells {
                assert!(cell.samples <= 12 && cell.samples + cell.set_aside >= 12, "{cell:?}");
                assert!(cell.mean.is_finite() && cell.plain_mean.is_finite(), "{cell:?}");
                assert!(cell.low <= cell.median && cell.median <= cell.high, "{cell:?}");
            }
            assert!(last.0 <= last.1 && last.1 > 0, "{last:?}");
        }
    }

    #[test]
    fn unknown_names_are_refused() {
        let clock = Clock::NANOSECONDS;
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
    fn an_interruption_changes_the_plain_mean_only() {
        let clock = Clock { ns_per_tick: 0.5, ticks_per_cycle: 2.0, ..Clock::NANOSECONDS };
        let timing = Timing { clock: &clock, grid: 1.0, overhead: 10.0, length: 10.0 };
        let cell = |aside: Vec<f64>| {
            let kept = vec![90.0, 30.0, 70.0, 50.0];
            timing.cell(&Contender::null(), (10, 0), &Samples { kept, aside, ..Samples::default() })
        };
        let quiet = cell(Vec::new());
        assert_eq!((quiet.samples, quiet.set_aside), (4, 0));
        assert_eq!((quiet.mean, quiet.plain_mean, quiet.median), (2.5, 2.5, 2.5));
        assert_eq!((quiet.min, quiet.ns, quiet.low, quiet.high), (1.0, 25.0, 1.0, 4.0));
        assert_eq!((quiet.margin, quiet.plain_margin), (quiet.margin, quiet.margin));

        let busy = cell(vec![1e6]);
        assert_eq!((busy.samples, busy.set_aside), (4, 1));
        assert_eq!((busy.mean, busy.median, busy.high), (quiet.mean, quiet.median, quiet.high));
        assert!(busy.plain_mean > 1000.0 && busy.plain_margin > 1000.0);
        // Where nothing was kept, figures are of what there is.
        let samples = Samples { aside: vec![50.0], ..Samples::default() };
        let spoiled = timing.cell(&Contender::null(), (10, 0), &samples);
        assert_eq!((spoiled.samples, spoiled.median), (0, 2.0));
        assert!(spoiled.disturbed());
    }
}
