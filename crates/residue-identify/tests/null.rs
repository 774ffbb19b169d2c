//! Formats without a check value, in which nothing must be found: what an answer with certainty is
//! worth.
//!
//! A run tries 16 formats and 16 planted codes; `RESIDUE_FORMATS=300` tries 300 of each.

use crate::formats::Format;
use residue::Code;
use residue::crc::{Crc, Params};
use residue_identify::{Certainty, Found, Hit, Options, Sample, Samples, identify, locate};
use residue_testing::Random;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Returns the number of formats, and of planted codes.
fn count() -> usize {
    std::env::var("RESIDUE_FORMATS").map_or(16, |count| count.parse().expect("a number"))
}

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
    println!("{} of {}: {said:#?}", answers.len(), count());
    assert!(100 * answers.len() <= count(), "{said:#?}");
    assert!(answers.iter().all(|it| it.predicted == it.fresh), "{said:#?}");
}

#[test]
fn identify_finds_no_code_where_there_is_none() {
    assert_few(each(count(), |index| {
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
#[ignore = "long"]
fn locate_finds_no_code_where_there_is_none() {
    assert_few(each(count(), |index| {
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
    let results = each(count(), |index| {
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
    let structured = results.iter().filter(|(planted, _)| planted.structured).count();
    let all = [results.len() - structured, structured];
    println!("{found:?} of {all:?} found, not found: {missed:?}");
    assert!(wrong.is_empty(), "{wrong:?}");
    let enough = 100 * found[0] >= 99 * all[0] && 100 * found[1] >= 98 * all[1];
    assert!(enough, "{found:?} of {all:?}, not found: {missed:?}");
}

#[test]
fn planted_codes_are_located_among_fields_that_count() {
    // Modbus and a CAN-like format: an address, a counter, two slow values, the CRC.
    for (index, (name, bytes, little)) in [
        ("crc-16/modbus", 2, true),
        ("crc-16/xmodem", 2, false),
        ("crc-32/iso-hdlc", 4, true),
        ("crc-8/smbus", 1, false),
        ("xor-8", 1, false),
        ("sum-8", 1, false),
        ("fletcher-16", 2, false),
    ]
    .into_iter()
    .enumerate()
    {
        let code: Code = name.parse().unwrap();
        let frame = |i: usize| {
            let mut random = Random(0xface ^ ((index as u64) << 40) ^ ((i as u64) << 16));
            let slow = [100 + random.below(5) as u8, 7 + (i / 3) as u8];
            let payload = random.below(7);
            let mut message =
                [&[0x11, 0x03, i as u8, !(i as u8)][..], &slow, &random.bytes(payload)].concat();
            let value = code.value(&message).to_be_bytes();
            let field = &value[16 - bytes..];
            if little {
                message.extend(field.iter().rev());
            } else {
                message.extend(field);
            }
            message
        };
        let located = locate(&(0..40).map(frame).collect::<Vec<_>>(), false).unwrap();
        let spot = &located.spots[0];
        assert!(located.convincing(), "{name}: {}", said(&spot.hit, &spot.layout.to_string()));
        for message in (40..140).map(frame) {
            let stated = spot.layout.sample(&message).map(|sample| sample.value);
            assert!(stated.is_some() && spot.expected(&message) == stated, "{name}: {spot:?}");
        }
    }
}

#[test]
#[ignore = "long"]
fn values_of_other_messages_are_no_code() {
    // The values of planted codes, each moved to another message: the null model of a fit.
    let found = each(count(), |index| {
        let planted = Planted::new(index);
        let mut random = Random(0x5bff1e ^ (index as u64) << 32);
        let mut samples: Vec<Sample> = (0..planted.count).map(|i| planted.sample(i)).collect();
        let right: Vec<u128> = samples.iter().map(|sample| sample.value).collect();
        // Sattolo's algorithm: no value stays.
        for i in (1..samples.len()).rev() {
            let j = random.below(i);
            (samples[i].value, samples[j].value) = (samples[j].value, samples[i].value);
        }
        assert!(samples.iter().zip(right).any(|(sample, value)| sample.value != value));
        let samples = Samples::new(samples, planted.bits, false).unwrap();
        let report = identify(&samples, &Options::default()).unwrap();
        let hit = report.hits.first().filter(|_| report.certainty() == Certainty::Found)?;
        Some(format!("{}: {}", planted.code, said(hit, &hit.reading.to_string())))
    });
    let found: Vec<String> = found.into_iter().flatten().collect();
    assert!(found.is_empty(), "{found:?}");
}
