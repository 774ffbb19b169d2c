//! The comparative sentences of the documents, judged on this CPU.

use super::sklower1989;
use residue_bench::Error;
use residue_bench::Mode;
use residue_bench::clock::Clock;
use residue_bench::data::Data;
use residue_bench::model::{Run, cell};
use residue_bench::{Options, Progress, measure, plain};
use serde::Serialize;

/// The outcome of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// The claim holds here.
    Holds,
    /// The claim does not hold here.
    Fails,
    /// This CPU lacks a kernel that the claim is about.
    NotHere,
}

impl Outcome {
    /// `holds`, `does not hold` or `not here`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Outcome::Holds => "holds",
            Outcome::Fails => "does not hold",
            Outcome::NotHere => "not here",
        }
    }
}

/// A claim, and its measurement.
#[derive(Debug, Clone, Serialize)]
pub struct Judged {
    /// The document that makes the claim.
    pub source: &'static str,
    /// The claim, in our words.
    pub claim: &'static str,
    /// The figure printed there.
    pub published: &'static str,
    /// The figure here.
    pub here: String,
    /// The outcome.
    pub outcome: Outcome,
}

/// The runs by which claims are judged.
struct Measured {
    random: Run,
    /// Runs at 1500 bytes on random bytes, zeros and ones, each several times in turn.
    by_data: [Vec<Run>; 3],
    /// The table kernels at 8 KiB with caches emptied before each call.
    cold: Run,
    /// Sklower's tests.
    iso: Vec<sklower1989::Row>,
}

impl Measured {
    /// Returns how many times as long kernel `a` takes as kernel `b`.
    fn ratio(&self, a: (&str, &str), b: (&str, &str), bytes: usize) -> Option<f64> {
        let time =
            |(code, kernel)| cell(&self.random.cells, code, kernel, bytes).map(|cell| cell.median);
        let (a, b) = (time(a)?, time(b)?);
        (b > 0.0).then(|| a / b)
    }

    /// Returns the widest ratio between the times on random bytes, zeros and ones, each the least
    /// of all batches.
    ///
    /// A disturbance of one run need not affect the next.
    fn spread(&self, (code, kernel): (&str, &str), bytes: usize) -> Option<f64> {
        let least = |runs: &Vec<Run>| {
            let cells = runs.iter().filter_map(|run| cell(&run.cells, code, kernel, bytes));
            cells.map(|cell| cell.min).min_by(f64::total_cmp)
        };
        let [random, zeros, ones] = &self.by_data;
        let times = [least(random)?, least(zeros)?, least(ones)?];
        let (low, high) = times.iter().fold((f64::MAX, 0.0f64), |(l, h), &t| (l.min(t), h.max(t)));
        (low > 0.0).then(|| high / low)
    }
}

/// Figures and verdict, or nothing where a kernel is missing.
type Judgement = Option<(String, bool)>;

/// A claim: its source, its text in our words, the figure printed there, and the function that
/// judges it.
type Claim = (&'static str, &'static str, &'static str, fn(&Measured) -> Judgement);

const THREE_WAY: (&str, &str) =
    ("crc-32/iscsi", if cfg!(target_arch = "aarch64") { "crc_pmull" } else { "sse42_pclmul" });
const SERIAL: (&str, &str) =
    ("crc-32/iscsi", if cfg!(target_arch = "aarch64") { "crc" } else { "sse42" });
const BY_TABLES: (&str, &str) = ("crc-32/iscsi", "sse42_tables");
const FOLDING: &str = if cfg!(target_arch = "aarch64") { "pmull" } else { "pclmul" };
const BYTEWISE: (&str, &str) = ("crc-32/iscsi", "bytewise");
const SLICING4: (&str, &str) = ("crc-32/iscsi", "slicing4");
const SLICING8: (&str, &str) = ("crc-32/iscsi", "slicing8");
const WORD16: (&str, &str) = ("internet", "word16");
const WORD32: (&str, &str) = ("internet", "word32");
const ADC: (&str, &str) = ("internet", "adc");
const ADLER: (&str, &str) = ("adler-32", "deferred");
const FLETCHER: (&str, &str) = ("fletcher-32", "deferred");

fn times(ratio: f64) -> String {
    format!("{ratio:.2} times")
}

fn percent(ratio: f64) -> String {
    format!("{:+.0} %", (ratio - 1.0) * 100.0)
}

/// Returns whether at least three quarters of a printed multiple were measured, and a gain at all.
fn reaches(published: f64, ratio: f64) -> bool {
    ratio >= 0.75 * published && ratio > 1.0
}

/// Lists the ratios of two kernels at several sizes in one line, and whether all satisfy `holds`.
fn each(
    m: &Measured,
    a: (&str, &str),
    b: (&str, &str),
    sizes: &[usize],
    holds: fn(f64) -> bool,
) -> Judgement {
    let ratios: Option<Vec<f64>> = sizes.iter().map(|&bytes| m.ratio(a, b, bytes)).collect();
    let ratios = ratios?;
    let text: Vec<String> =
        sizes.iter().zip(&ratios).map(|(bytes, r)| format!("{r:.2} at {bytes}")).collect();
    Some((text.join(", "), ratios.into_iter().all(holds)))
}

const THESIS: &str = "Sahu 2019";
const ARTICLE: &str = "Pino García 2018";
const INTEL: &str = "Intel 2006";
const SKLOWER: &str = "Sklower 1989";

/// The claims; each ratio is time over time: above 1 means that the second is faster.
const CLAIMS: &[Claim] = &[
    (
        THESIS,
        "CRC-32C is faster than the 64-bit TCP checksum at 1500 bytes",
        "38 % (i3), 48 % (Xeon)",
        |m| m.ratio(ADC, THREE_WAY, 1500).map(|r| (percent(r), r > 1.0)),
    ),
    (THESIS, "... and at 9000 bytes", "72 % (i3), 73 % (Xeon)", |m| {
        m.ratio(ADC, THREE_WAY, 9000).map(|r| (percent(r), r > 1.0))
    }),
    (THESIS, "... but slower at 64 bytes", "11 % (i3), 28 % (Xeon)", |m| {
        m.ratio(THREE_WAY, ADC, 64).map(|r| (percent(r), r > 1.0))
    }),
    (THESIS, "CRC-32C is ahead of the TCP checksum from 256 bytes on", "from 256", |m| {
        each(m, ADC, THREE_WAY, &[256, 1024, 1500, 9000, 65536], |r| r > 1.0)
    }),
    (
        THESIS,
        "CRC-32C is faster than the 16-bit-word checksum, too, at 1500 bytes",
        "30 % (computed)",
        |m| m.ratio(WORD16, THREE_WAY, 1500).map(|r| (percent(r), r > 1.0)),
    ),
    (
        THESIS,
        "The three-way CRC-32C is about 2.5 times as fast as the serial one at 1500 bytes",
        "2.5 times",
        |m| m.ratio(SERIAL, THREE_WAY, 1500).map(|r| (times(r), reaches(2.5, r))),
    ),
    (
        THESIS,
        "Joining by tables beats joining by products at 64 and 128 bytes",
        "1.15 against 1.25 cycles",
        |m| each(m, THREE_WAY, BY_TABLES, &[64, 128], |r| r > 1.0),
    ),
    (THESIS, "... and loses from 256 bytes on", "0.37 against 0.211 at 1500", |m| {
        each(m, BY_TABLES, THREE_WAY, &[256, 1500, 9000], |r| r > 1.0)
    }),
    (THESIS, "Slicing-by-4 is 2.7 times as fast as byte-wise", "2.7 times", |m| {
        m.ratio(BYTEWISE, SLICING4, 9000).map(|r| (times(r), reaches(2.7, r)))
    }),
    (THESIS, "Slicing-by-8 is 4.3 times as fast as byte-wise", "4.3 times", |m| {
        m.ratio(BYTEWISE, SLICING8, 9000).map(|r| (times(r), reaches(4.3, r)))
    }),
    (
        THESIS,
        "The CRC instruction alone is 5 times as fast as slicing-by-8 (ARM)",
        "5 times",
        |m| m.ratio(SLICING8, SERIAL, 9000).map(|r| (times(r), reaches(5.0, r))),
    ),
    (THESIS, "... and 7.4 times as fast as slicing-by-4 (ARM)", "7.4 times", |m| {
        m.ratio(SLICING4, SERIAL, 9000).map(|r| (times(r), reaches(7.4, r)))
    }),
    (
        THESIS,
        "16- and 32-bit words beat 64-bit words from 1024 bytes on, optimised",
        "0.275, 0.285 against 0.292",
        |m| {
            let (sixteen, ok) = each(m, ADC, WORD16, &[1024, 1500, 9000], |r| r > 1.0)?;
            let (thirty_two, also) = each(m, ADC, WORD32, &[1024, 1500, 9000], |r| r > 1.0)?;
            Some((format!("16-bit: {sixteen}; 32-bit: {thirty_two}"), ok && also))
        },
    ),
    (
        THESIS,
        "Vectors made by the compiler gain 2.5 times with 16-bit words",
        "2.5 times (-O1 to -O3)",
        |m| {
            m.ratio(("internet", "word16_scalar"), WORD16, 1500)
                .map(|r| (times(r), reaches(2.5, r)))
        },
    ),
    (THESIS, "... and 1.3 times with 32-bit words", "1.3 times (-O1 to -O3)", |m| {
        m.ratio(("internet", "word32_scalar"), WORD32, 1500).map(|r| (times(r), reaches(1.3, r)))
    }),
    (
        THESIS,
        "Adler-32 is slower than CRC-32C and the TCP checksum",
        "1.31 against 0.211, 0.292 at 1500",
        |m| {
            let (a, b) = (m.ratio(ADLER, THREE_WAY, 1500)?, m.ratio(ADLER, ADC, 1500)?);
            Some((format!("{a:.1} and {b:.1} times their time"), a > 1.0 && b > 1.0))
        },
    ),
    (
        THESIS,
        "Fletcher-32 is slower than CRC-32C and the TCP checksum",
        "1.18 against 0.211, 0.292 at 1500",
        |m| {
            let (a, b) = (m.ratio(FLETCHER, THREE_WAY, 1500)?, m.ratio(FLETCHER, ADC, 1500)?);
            Some((format!("{a:.1} and {b:.1} times their time"), a > 1.0 && b > 1.0))
        },
    ),
    (THESIS, "The time of a one's-complement sum depends on the data", "no figure", |m| {
        let spreads = [ADC, WORD16].map(|kernel| m.spread(kernel, 1500));
        let [adc, word16] = [spreads[0]?, spreads[1]?];
        let text = format!("slowest over fastest data: adc {adc:.2}, word16 {word16:.2}");
        Some((text, adc > 1.2 || word16 > 1.2))
    }),
    (THESIS, "The time of a CRC does not", "no figure", |m| {
        let (hardware, table) = (m.spread(THREE_WAY, 1500)?, m.spread(SLICING8, 1500)?);
        Some((
            format!("slowest over fastest data: {hardware:.2}, slicing8 {table:.2}"),
            hardware < 1.2 && table < 1.2,
        ))
    }),
    (
        THESIS,
        "A CRC by Koopman's polynomial costs more than one by CRC-32's",
        "expected, not measured",
        |m| {
            let [koopman, ethernet] = ["crc-32/mef", "crc-32/iso-hdlc"].map(|code| (code, FOLDING));
            m.ratio(koopman, ethernet, 9000).map(|r| (times(r), r > 1.1))
        },
    ),
    (
        ARTICLE,
        "Add with carry beats AVX2 at 44 and 550 bytes",
        "83.2 to 52.1, 318 to 271 ns",
        |m| each(m, ("internet", "avx2"), ADC, &[44, 550], |r| r > 1.0),
    ),
    (ARTICLE, "... and loses to it at 1500", "744 to 665 ns", |m| {
        m.ratio(ADC, ("internet", "avx2"), 1500).map(|r| (times(r), r > 1.0))
    }),
    (ARTICLE, "AVX2 beats SSE2 at every size", "86.1 to 83.2, 510 to 318, 991 to 665 ns", |m| {
        each(m, ("internet", "sse2"), ("internet", "avx2"), &[44, 550, 1500], |r| r > 1.0)
    }),
    (
        ARTICLE,
        "The plain 16-bit loop takes about four times AVX2's time at 1500 bytes",
        "4.4 times",
        |m| {
            m.ratio(("internet", "word16_scalar"), ("internet", "avx2"), 1500)
                .map(|r| (times(r), reaches(4.4, r)))
        },
    ),
    (
        INTEL,
        "Slicing-by-8 is three times as fast as Sarwate's byte-wise algorithm at 8 KiB",
        "6.55 to 2.15 cycles",
        |m| m.ratio(BYTEWISE, SLICING8, 8192).map(|r| (times(r), reaches(3.0, r))),
    ),
    (
        INTEL,
        "... and keeps an advantage though its tables take 8 KiB of cache",
        "tables stay resident",
        |m| {
            let time =
                |(code, kernel)| cell(&m.cold.cells, code, kernel, 8192).map(|cell| cell.median);
            let ratio = time(BYTEWISE)? / time(SLICING8)?.max(f64::MIN_POSITIVE);
            Some((format!("{} with caches emptied before each call", times(ratio)), ratio > 1.0))
        },
    ),
    (SKLOWER, "Two bytes at a time gain 5 to 10 per cent on the ISO checksum", "5 to 10 %", |m| {
        let r = m.ratio(("fletcher-16", "simple"), ("fletcher-16", "pairs"), 1500)?;
        Some((percent(r), r > 1.03))
    }),
    (SKLOWER, "16-bit units are up to twice as fast as the ISO checksum", "up to 2 times", |m| {
        m.ratio(("fletcher-16", "pairs"), ("fletcher-32", "f16"), 8192)
            .map(|r| (times(r), reaches(2.0, r)))
    }),
    (SKLOWER, "16-bit Fletcher is faster than XNS", "4.8 against 5.7 s (VAX 8800)", |m| {
        m.ratio(("xns", "words"), ("fletcher-32", "f16"), 8192).map(|r| (times(r), r > 1.0))
    }),
    (SKLOWER, "The ISO checksum takes 4.5 times IP's time on large packets", "4.5 times", |m| {
        m.ratio(("fletcher-16", "pairs"), ADC, 65536).map(|r| (times(r), reaches(4.5, r)))
    }),
    (SKLOWER, "... but only 2.5 times for a mix of packets", "2.5 times", |m| {
        let time = |name: &str| m.iso.iter().find(|row| row.name == name).map(|row| row.mix);
        let ratio = time("pairs")? / time("ip")?.max(f64::MIN_POSITIVE);
        let single = m.ratio(("fletcher-16", "pairs"), ADC, 65536)?;
        Some((times(ratio), ratio < single && ratio <= 2.5 / 0.75))
    }),
];

/// Measures the kernels of the claims and judges each claim.
///
/// Calls follow each other (the mode `throughput`): the claims speak of differences smaller than a
/// step of many counters. A claim with a figure holds if the measured gain is at least three
/// quarters of the printed one; a claim of an order holds if the order is the same.
///
/// # Errors
/// Returns the errors of [`measure`].
pub fn judge(samples: usize, clock: &Clock, progress: Progress<'_>) -> Result<Vec<Judged>, Error> {
    let options = Options {
        sizes: plain(&[44, 64, 128, 256, 550, 1024, 1500, 8192, 9000, 65536]),
        samples,
        mode: Mode::Throughput,
        codes: Options::default().codes.into_iter().chain(["crc-32/mef".to_string()]).collect(),
        ..Options::default()
    };
    let kernels = [THREE_WAY, SLICING8, ADC, WORD16].map(|(_, kernel)| kernel.to_string());
    let of_data = |data| Options {
        codes: ["crc-32/iscsi", "internet"].map(String::from).to_vec(),
        kernels: Some(kernels.to_vec()),
        sizes: plain(&[1500]),
        data,
        ..options.clone()
    };
    let random = measure(&options, clock, progress)?;
    let mut by_data = [const { Vec::new() }; 3];
    for _ in 0..5 {
        for (runs, data) in by_data.iter_mut().zip([Data::Random, Data::Zeros, Data::Ones]) {
            runs.push(measure(&of_data(data), clock, &mut |_, _| ())?);
        }
    }
    let cold = Options {
        codes: vec!["crc-32/iscsi".to_string()],
        kernels: Some(["bytewise", "slicing8"].map(String::from).to_vec()),
        sizes: plain(&[8192]),
        mode: Mode::Thesis,
        cold: true,
        ..options.clone()
    };
    let cold = measure(&cold, clock, &mut |_, _| ())?;
    let iso = sklower1989::measure(1, clock.ns_per_tick, &mut |_, _| ())?;
    Ok(judged(&Measured { random, by_data, cold, iso }))
}

fn judged(measured: &Measured) -> Vec<Judged> {
    let one = |&(source, claim, published, judge): &Claim| {
        let (here, outcome) = match judge(measured) {
            Some((here, true)) => (here, Outcome::Holds),
            Some((here, false)) => (here, Outcome::Fails),
            None => ("-".to_string(), Outcome::NotHere),
        };
        Judged { source, claim, published, here, outcome }
    };
    CLAIMS.iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use residue_bench::example;

    #[test]
    fn a_claim_can_hold_fail_and_be_missing() {
        let mut run = example::x86();
        let judge = |run: &Run| {
            let list = judged(&Measured {
                random: run.clone(),
                by_data: [const { Vec::new() }; 3],
                cold: run.clone(),
                iso: Vec::new(),
            });
            let found = list
                .into_iter()
                .find(|j| j.claim.starts_with("Slicing-by-8 is 4.3"))
                .expect("the claim");
            found.outcome
        };
        let set = |run: &mut Run, kernel: &str, cycles: f64| {
            let cells =
                run.cells.iter_mut().filter(|c| c.code == "crc-32/iscsi" && c.kernel == kernel);
            cells.for_each(|cell| cell.median = cycles);
        };
        set(&mut run, "bytewise", 4.3);
        set(&mut run, "slicing8", 1.0);
        assert_eq!(judge(&run), Outcome::Holds);
        set(&mut run, "slicing8", 4.0);
        assert_eq!(judge(&run), Outcome::Fails);
        run.cells.retain(|cell| cell.kernel != "slicing8");
        assert_eq!(judge(&run), Outcome::NotHere);
    }

    #[test]
    fn nothing_measured_means_nothing_judged() {
        let run = example::empty();
        let measured = Measured {
            random: run.clone(),
            by_data: [const { Vec::new() }; 3],
            cold: run,
            iso: Vec::new(),
        };
        assert!(judged(&measured).iter().all(|j| j.outcome == Outcome::NotHere));
    }
}
