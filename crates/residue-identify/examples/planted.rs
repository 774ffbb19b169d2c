//! Plants CRCs with random parameters and measures how many of them are found, and in what time.
//!
//! `cargo run --release -p residue-identify --example planted [COUNT]`; with `--reveng` before
//! COUNT, it prints a command line of RevEng for each of them instead.

mod random;

use random::Random;
use residue::crc::Params;
use residue_identify::{Certainty, Options, Sample, Samples, identify};
use std::error::Error;
use std::fmt::Write as _;
use std::time::{Duration, Instant};

/// The number of messages with which each is looked for, all of different lengths.
const MESSAGES: usize = 8;
/// The number of other messages whose values the result must give.
const MORE: usize = 100;
/// The widths from which a row of the table begins.
const ROWS: [u8; 4] = [8, 16, 32, 48];

/// The results for CRCs of some widths.
#[derive(Default)]
struct Row {
    planted: usize,
    found: usize,
    right: usize,
    times: Vec<Duration>,
}

/// A planted CRC, with messages and their values.
struct Planted {
    crc: Params,
    samples: Vec<Sample>,
    more: Vec<Sample>,
}

impl Planted {
    fn new(random: &mut Random) -> Result<Planted, Box<dyn Error>> {
        let width = 8 + random.below(57) as u8;
        let crc = random.crc(width)?;
        let samples = random.lengths(MESSAGES).into_iter();
        let samples = samples.map(|length| sample(random, &crc, length)).collect();
        let more = (0..MORE).map(|_| {
            let length = 1 + random.below(200);
            sample(random, &crc, length)
        });
        let more = more.collect();
        Ok(Planted { crc, samples, more })
    }

    /// Searches for it, with values as their hexadecimal digits give them.
    fn searched(&self, row: &mut Row) -> Result<(), Box<dyn Error>> {
        let bits = u32::from(self.crc.width).next_multiple_of(4);
        let samples = Samples::new(self.samples.clone(), bits, false)?;
        let start = Instant::now();
        let report = identify(&samples, &Options::default())?;
        row.times.push(start.elapsed());
        row.planted += 1;
        if report.certainty() == Certainty::Found {
            row.found += 1;
            let first = &report.hits[0];
            let gives = |it: &Sample| first.field(&it.message, bits) == Some(it.value);
            row.right += usize::from(self.more.iter().all(gives));
        }
        Ok(())
    }

    /// Returns a command line of RevEng: messages with their values, bit by bit.
    ///
    /// The bits of messages and values are in the order of the register, so that RevEng need not
    /// find the reflections.
    fn reveng(&self) -> String {
        let mut line = format!("reveng -a 1 -w {} -s", self.crc.width);
        for sample in &self.samples {
            line += " ";
            for &byte in &sample.message {
                let byte = if self.crc.refin { byte.reverse_bits() } else { byte };
                let _ = write!(line, "{byte:08b}");
            }
            let value = if self.crc.refout { self.crc.reflect(sample.value) } else { sample.value };
            let _ = write!(line, "{value:0width$b}", width = usize::from(self.crc.width));
        }
        line
    }
}

/// Returns a random message of `length` bytes, and the value that the CRC gives.
fn sample(random: &mut Random, crc: &Params, length: usize) -> Sample {
    let message = random.message(length);
    Sample { value: crc.reference(&message), message }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut words: Vec<String> = std::env::args().skip(1).collect();
    let reveng = words.first().is_some_and(|word| word == "--reveng");
    if reveng {
        words.remove(0);
    }
    let count: usize = words.first().map_or(Ok(200), |text| text.parse())?;
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut rows: Vec<Row> = ROWS.iter().map(|_| Row::default()).collect();
    for _ in 0..count {
        let planted = Planted::new(&mut random)?;
        if reveng {
            println!("{}  # poly={:#x}", planted.reveng(), planted.crc.poly);
            continue;
        }
        let row = ROWS.iter().rposition(|&from| from <= planted.crc.width).unwrap_or(0);
        planted.searched(&mut rows[row])?;
    }
    if reveng {
        return Ok(());
    }
    println!("| bits | planted | found | right for {MORE} more messages | median | longest |");
    println!("|---|---|---|---|---|---|");
    let ends = ROWS[1..].iter().map(|next| next - 1).chain([64]);
    for ((from, to), row) in ROWS.iter().zip(ends).zip(&mut rows) {
        row.times.sort();
        let milliseconds = |at: usize| {
            let time = row.times.get(at).copied().unwrap_or_default();
            format!("{:.1} ms", time.as_secs_f64() * 1e3)
        };
        println!(
            "| {from} to {to} | {} | {} | {} | {} | {} |",
            row.planted,
            row.found,
            row.right,
            milliseconds(row.times.len() / 2),
            milliseconds(row.times.len().saturating_sub(1)),
        );
    }
    Ok(())
}
