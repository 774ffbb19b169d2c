//! Formats without a check value, in which nothing must be found: what an answer with certainty is
//! worth.

mod formats;

use formats::Format;
use residue::Code;
use residue::crc::{Crc, Params};
use residue_identify::{Certainty, Found, Hit, Options, Sample, Samples, identify, locate};
use residue_testing::Random;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// The number of formats.
const FORMATS: usize = 300;
/// The number of further messages of a format that a result must predict to be a true relation.
const FRESH: usize = 100;

/// Returns the results for all numbers below `count`, in their order, by as many threads as there
/// are processors.
fn each<T: Send>(count: usize, of: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let next = AtomicUsize::new(0);
    let work = || {
        let numbers = std::iter::from_fn(|| Some(next.fetch_add(1, Ordering::Relaxed)));
        numbers.take_while(|&i| i < count).map(|i| (i, of(i))).collect::<Vec<_>>()
    };
    let mut all: Vec<(usize, T)> = thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        threads.into_iter().flat_map(|it| it.join().expect("no panic")).collect()
    });
    all.sort_by_key(|(i, _)| *i);
    all.into_iter().map(|(_, it)| it).collect()
}

/// A code found with certainty in a format that has none.
struct Answer {
    /// The format, and what was found in it.
    said: String,
    /// The number of further messages that it predicts.
    predicted: usize,
    fresh: usize,
}

/// Asserts that few answers were given, and that all of them hold for further messages.
fn assert_few(answers: Vec<Option<Answer>>) {
    let answers: Vec<Answer> = answers.into_iter().flatten().collect();
    let said: Vec<String> = answers
        .iter()
        .map(|it| format!("{}; right for {} of {} more", it.said, it.predicted, it.fresh))
        .collect();
    println!("{} of {FORMATS}: {said:#?}", answers.len());
    assert!(100 * answers.len() <= FORMATS, "{said:#?}");
    assert!(answers.iter().all(|it| it.predicted == it.fresh), "{said:#?}");
}

#[test]
fn identify_finds_no_code_where_there_is_none() {
    assert_few(each(FORMATS, |index| {
        let format = Format::new(index);
        let bits = 8 * format.bytes as u32;
        let samples = Samples::new(format.samples(0, format.count), bits, true).unwrap();
        let report = identify(&samples, &Options::default()).unwrap();
        let hit = report.hits.first().filter(|_| report.certainty() == Certainty::Found)?;
        let fresh = format.samples(format.count, FRESH);
        let right = fresh.iter().filter(|it| hit.field(&it.message, bits) == Some(it.value));
        Some(Answer {
            said: format!("{index} {:?}: {}", format.kind, said(hit, &hit.reading.to_string())),
            predicted: right.count(),
            fresh: fresh.len(),
        })
    }));
}

#[test]
fn locate_finds_no_code_where_there_is_none() {
    assert_few(each(FORMATS, |index| {
        let format = Format::new(index);
        let frames = |from, count| -> Vec<Vec<u8>> {
            format.samples(from, count).iter().map(|it| format.frame(it)).collect()
        };
        let located = locate(&frames(0, format.count), false).unwrap();
        let spot = located.spots.first().filter(|_| located.convincing())?;
        let fresh = frames(format.count, FRESH);
        let right = fresh.iter().filter(|message| {
            let stated = spot.layout.sample(message).map(|sample| sample.value);
            stated.is_some() && spot.expected(message) == stated
        });
        Some(Answer {
            said: format!(
                "{index} {:?}: {}",
                format.kind,
                said(&spot.hit, &spot.layout.to_string())
            ),
            predicted: right.count(),
            fresh: fresh.len(),
        })
    }));
}

/// Returns a hit in words.
fn said(hit: &Hit, of: &str) -> String {
    let name = match &hit.found {
        Found::Code(code) => code.params().map_or(code.name().into(), ToString::to_string),
        Found::Sum(model) => model.to_string(),
        Found::Hash(hash) => hash.to_string(),
    };
    format!("{name}; {of}; 2^{:.0}", hit.chance)
}

/// A planted code, and the messages that are searched with.
struct Planted {
    bits: u32,
    code: Code,
    /// Whether messages are a header, a counter and a payload of few bytes.
    structured: bool,
    count: usize,
    seed: u64,
}

/// The number of planted codes.
const PLANTED: usize = 300;

impl Planted {
    fn new(index: usize) -> Planted {
        let mut random = Random(0xc0de ^ (index as u64) << 20);
        let structured = index % 3 == 2;
        let named: Vec<Code> = Code::all().filter(|code| code.width() >= 8).collect();
        let code = if index.is_multiple_of(2) {
            named[random.below(named.len())].clone()
        } else {
            let width = [8, 12, 16, 16, 24, 32, 32, 40, 64][random.below(9)];
            let bits = |random: &mut Random| u128::from(random.next() >> (64 - width));
            let reflections = (random.below(2) == 1, random.below(2) == 1);
            let (poly, init, xorout) = (bits(&mut random), bits(&mut random), bits(&mut random));
            let params = Params::new("custom", width, poly | 1, init, reflections, xorout);
            Code::Crc(Crc::new(&params.unwrap()))
        };
        // Enough for an unnamed CRC of 8 bits.
        let count = if structured { 24 } else { 9 };
        let (bits, seed) = (code.width().next_multiple_of(4), random.next());
        Planted { bits, code, structured, count, seed }
    }

    fn sample(&self, i: usize) -> Sample {
        let mut random = Random(self.seed ^ (i as u64) << 32);
        let message = if self.structured {
            let header = Random(self.seed).bytes(4);
            let start = self.seed as u8 & 0x3f;
            let payload = random.below(6);
            let walk = [20 + random.below(4) as u8, random.below(3) as u8];
            [&header[..], &[start.wrapping_add(i as u8)], &walk, &random.bytes(payload)].concat()
        } else {
            let length = 4 + random.below(28);
            random.bytes(length)
        };
        Sample { value: self.code.value(&message), message }
    }
}

#[test]
fn planted_codes_are_found_and_no_other_with_certainty() {
    let results = each(PLANTED, |index| {
        let planted = Planted::new(index);
        let samples = (0..planted.count).map(|i| planted.sample(i)).collect();
        let samples = Samples::new(samples, planted.bits, false).unwrap();
        let report = identify(&samples, &Options::default()).unwrap();
        if report.certainty() != Certainty::Found {
            return (planted, None);
        }
        let hit = report.hits[0].clone();
        let mut fresh = (planted.count..planted.count + FRESH).map(|i| planted.sample(i));
        let right = fresh.all(|it| hit.field(&it.message, planted.bits) == Some(it.value));
        let said = said(&hit, &hit.reading.to_string());
        (planted, Some((right, said)))
    });
    let (mut found, mut wrong, mut missed) = ([0; 2], Vec::new(), Vec::new());
    for (planted, result) in &results {
        match result {
            None => missed.push(planted.code.to_string()),
            Some((true, _)) => found[usize::from(planted.structured)] += 1,
            Some((false, said)) => wrong.push((planted.code.to_string(), said)),
        }
    }
    println!("{found:?} of 200 and 100 found, not found: {missed:?}");
    assert!(wrong.is_empty(), "{wrong:?}");
    assert!(found[0] >= 198 && found[1] >= 98, "{found:?}, not found: {missed:?}");
}
