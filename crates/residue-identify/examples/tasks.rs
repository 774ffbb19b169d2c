//! Plants 500 CRCs, sums and hash functions, and has them found by `residue identify` and by
//! delsum, another program for this, each as a process.
//!
//! `cargo run --release -p residue-identify --example tasks -- RESIDUE [DELSUM]`, with the paths of
//! both programs. delsum asks for the kind and the width of a code, and is run twice: with the
//! right kind, and with one kind after the other until it answers, so that it gets no more than
//! `residue` does. The answer that is printed first is judged by 20 more messages.

mod random;

use random::Random;
use residue_identify::{Certainty, Hit, Options, Sample, Samples, identify};
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// The messages with which each is looked for.
const MESSAGES: usize = 8;
/// The other messages whose values the answer must give.
const MORE: usize = 20;

/// The kinds of tasks, and how many there are of each.
const KINDS: [(&str, usize); 6] = [
    ("CRC, messages of unequal length", 150),
    ("CRC, messages of one length", 100),
    ("plain sum", 80),
    ("Fletcher's sums", 70),
    ("h = m h + d", 70),
    ("named CRC", 30),
];

/// The programs, and how they are asked.
const WAYS: [&str; 3] = ["residue", "delsum, kind given", "delsum, kind not given"];
/// The time after which a process is ended: some searches of delsum do not end within minutes.
const MOST_TIME: Duration = Duration::from_secs(1);
/// The kinds of codes that delsum finds.
const MODELS: [&str; 4] = ["crc", "modsum", "fletcher", "polyhash"];
/// Those for which it asks for the size of a word.
const SUMS: [&str; 2] = ["modsum", "fletcher"];

/// What a program answers, by what it prints first.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Answer {
    /// It has the values of other messages.
    Right,
    /// It has not.
    Wrong,
    /// It has not, but the program says that it is not settled, and which message decides.
    Open,
    Nothing,
}

type Value = Box<dyn Fn(&[u8]) -> u128>;

/// A planted code.
struct Task {
    kind: usize,
    /// The kind, in the words of delsum.
    model: &'static str,
    bits: u32,
    samples: Vec<Sample>,
    more: Vec<Sample>,
}

impl Task {
    fn new(kind: usize, random: &mut Random) -> Result<Task, Box<dyn Error>> {
        let bits = 8 * (1 + random.below(8)) as u32;
        let (name, bits, value): (&'static str, u32, Value) = match kind {
            0 | 1 => {
                let mut crc = random.crc(bits as u8)?;
                // Unequal ones are seldom, and delsum does not try them without a special option.
                crc.refout = crc.refin;
                ("crc", bits, Box::new(move |m| crc.reference(m)))
            }
            2 => {
                let bits = [8, 16, 32][random.below(3)];
                let modulus = [1 << bits, (1 << bits) - 1][random.below(2)];
                let (start, negated) = (random.bits(bits as u8) % modulus, random.below(2) == 1);
                let sum = move |m: &[u8]| {
                    let sum = m.iter().map(|&d| u128::from(d)).sum::<u128>() % modulus;
                    (start + if negated { modulus - sum } else { sum }) % modulus
                };
                ("modsum", bits, Box::new(sum))
            }
            3 => {
                let bits = [16, 32][random.below(2)];
                let half = bits / 2;
                let modulus = [1 << half, (1 << half) - 1, (1 << half) - 15][random.below(3)];
                let start = random.below(2) as u128;
                let sums = move |m: &[u8]| {
                    let step = |(a, b): (u128, u128), &d: &u8| {
                        let a = (a + u128::from(d)) % modulus;
                        (a, (a + b) % modulus)
                    };
                    let (a, b) = m.iter().fold((start, 0), step);
                    b << half | a
                };
                ("fletcher", bits, Box::new(sums))
            }
            4 => {
                let mask = u128::MAX >> (128 - bits);
                let m = [31, 33, random.bits(bits as u8) | 1][random.below(3)];
                let start = random.bits(bits as u8);
                let step = move |h: u128, &d: &u8| h.wrapping_mul(m).wrapping_add(d.into()) & mask;
                ("polyhash", bits, Box::new(move |message| message.iter().fold(start, step)))
            }
            _ => {
                let named: Vec<_> = residue::crc::catalog::ALL
                    .iter()
                    .filter(|it| it.width >= 8 && it.width % 8 == 0 && it.width <= 64)
                    .collect();
                let crc = named[random.below(named.len())];
                ("crc", crc.width.into(), Box::new(|m| crc.reference(m)))
            }
        };
        let lengths = match kind {
            1 => vec![8 + random.below(20); MESSAGES],
            _ => random.lengths(MESSAGES),
        };
        let mut sample = |length: usize| {
            let message = random.message(length);
            Sample { value: value(&message), message }
        };
        let samples: Vec<Sample> = lengths.iter().map(|&length| sample(length)).collect();
        let length = |i: usize| if kind == 1 { lengths[0] } else { 4 + 2 * i % 28 };
        let more = (0..MORE).map(|i| sample(length(i))).collect();
        Ok(Task { kind, model: name, bits, samples, more })
    }

    fn hex(&self, value: u128) -> String {
        format!("{value:0digits$x}", digits = self.bits as usize / 4)
    }

    /// Returns whether the answer of `residue` is right, and the time of the process.
    fn residue(&self, program: &Path, folder: &Path) -> Result<(Answer, Duration), Box<dyn Error>> {
        let line = |sample: &Sample| {
            let message: String = sample.message.iter().map(|byte| format!("{byte:02x}")).collect();
            format!("{message} {}\n", self.hex(sample.value))
        };
        let file = folder.join("samples");
        fs::write(&file, self.samples.iter().map(line).collect::<String>())?;
        let mut command = Command::new(program);
        command.args(["identify", "--samples"]).arg(&file);
        let (status, _, time) = run(&mut command, &folder.join("output"))?;
        if !status.is_some_and(|status| status.success()) {
            return Ok((Answer::Nothing, time));
        }
        // The program prints what the library finds.
        let samples = Samples::new(self.samples.clone(), self.bits, false)?;
        let report = identify(&samples, &Options::default())?;
        assert_eq!(report.certainty(), Certainty::Found);
        let gives = |hit: &Hit, it: &Sample| hit.field(&it.message, self.bits) == Some(it.value);
        let right = self.more.iter().all(|it| gives(&report.hits[0], it));
        let open = report.decisive.is_some();
        Ok((
            if right {
                Answer::Right
            } else if open {
                Answer::Open
            } else {
                Answer::Wrong
            },
            time,
        ))
    }

    /// Returns whether the answer of delsum is right, and the time of the processes: one for each
    /// of the `models` until one answers.
    fn delsum(
        &self,
        models: &[&str],
        program: &Path,
        folder: &Path,
    ) -> Result<(Answer, Duration), Box<dyn Error>> {
        let write = |samples: &[Sample], name: &str| -> Result<Vec<PathBuf>, Box<dyn Error>> {
            let files: Vec<PathBuf> =
                (0..samples.len()).map(|i| folder.join(format!("{name}{i}"))).collect();
            for (file, sample) in files.iter().zip(samples) {
                fs::write(file, &sample.message)?;
            }
            Ok(files)
        };
        let files = write(&self.samples, "sample")?;
        let values: Vec<String> = self.samples.iter().map(|it| self.hex(it.value)).collect();
        let (mut text, mut time) = (String::new(), Duration::ZERO);
        for model in models {
            let words = if SUMS.contains(model) { " wordsize=8" } else { "" };
            let mut command = Command::new(program);
            command
                .args(["reverse", "-m", &format!("{model} width={}{words}", self.bits)])
                .args(["-c", &values.join(",")])
                .args(&files);
            let took;
            (_, text, took) = run(&mut command, &folder.join("output"))?;
            time += took;
            if !text.is_empty() {
                break;
            }
        }
        let Some(first) = text.lines().next() else {
            return Ok((Answer::Nothing, time));
        };
        let files = write(&self.more, "more")?;
        let ran = Command::new(program).args(["check", "-m", first]).args(&files).output()?;
        let found = String::from_utf8(ran.stdout)?;
        let values: Vec<String> = self.more.iter().map(|it| self.hex(it.value)).collect();
        let right = found.trim() == values.join(",");
        Ok((if right { Answer::Right } else { Answer::Wrong }, time))
    }
}

/// Runs a command, a second at most; returns how it ended, what it printed, and its time.
fn run(
    command: &mut Command,
    output: &Path,
) -> Result<(Option<ExitStatus>, String, Duration), Box<dyn Error>> {
    command.stdout(fs::File::create(output)?).stderr(Stdio::null());
    let start = Instant::now();
    let mut child = command.spawn()?;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break Some(status);
        }
        if start.elapsed() > MOST_TIME {
            child.kill()?;
            child.wait()?;
            break None;
        }
        thread::sleep(Duration::from_micros(50));
    };
    let time = start.elapsed();
    Ok((status, fs::read_to_string(output)?, time))
}

fn main() -> Result<(), Box<dyn Error>> {
    let programs: Vec<PathBuf> = std::env::args().skip(1).map(PathBuf::from).collect();
    let folder = tempfile::tempdir()?;
    let mut random = Random(0x0dd0_5eed_0dd0_5eed);
    let mut tasks = Vec::new();
    for (kind, (_, count)) in KINDS.iter().enumerate() {
        for _ in 0..*count {
            tasks.push(Task::new(kind, &mut random)?);
        }
    }
    println!("| tasks | program | right | open | wrong | nothing | median | longest |");
    println!("|---|---|---|---|---|---|---|---|");
    for (kind, (name, count)) in KINDS.iter().enumerate() {
        let ways: Vec<(usize, &PathBuf)> =
            (0..WAYS.len()).filter_map(|way| Some((way, programs.get(way.min(1))?))).collect();
        let mut results = vec![(Vec::new(), Vec::new()); ways.len()];
        // One after the other for each task, so that all have the same machine.
        for task in tasks.iter().filter(|task| task.kind == kind) {
            for (&(way, program), (answers, times)) in ways.iter().zip(&mut results) {
                let (answer, time) = match way {
                    0 => task.residue(program, folder.path())?,
                    1 => task.delsum(&[task.model], program, folder.path())?,
                    _ => task.delsum(&MODELS, program, folder.path())?,
                };
                answers.push(answer);
                times.push(time.as_secs_f64() * 1e3);
            }
        }
        for ((way, _), (answers, mut times)) in ways.into_iter().zip(results) {
            let words = WAYS[way];
            times.sort_by(f64::total_cmp);
            let number = |of| answers.iter().filter(|it| **it == of).count();
            println!(
                "| {count} of {name} | {words} | {} | {} | {} | {} | {:.1} ms | {:.1} ms |",
                number(Answer::Right),
                number(Answer::Open),
                number(Answer::Wrong),
                number(Answer::Nothing),
                times[times.len() / 2],
                times[times.len() - 1],
            );
        }
    }
    Ok(())
}
