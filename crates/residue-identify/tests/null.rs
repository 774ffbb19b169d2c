//! Formats without a check value, in which nothing must be found: what an answer with certainty is
//! worth.

mod formats;

use formats::Format;
use residue::Code;
use residue::crc::{Crc, Params};
use residue_identify::{Certainty, Options, Sample, Samples, identify, locate};
use residue_testing::Random;

/// The number of formats.
const FORMATS: usize = 300;
/// The number of further messages of a format that a result must predict to be a true relation.
const FRESH: usize = 100;

#[test]
fn identify_finds_no_code_where_there_is_none() {
    let mut found = Vec::new();
    for (index, format) in (0..FORMATS).map(|index| (index, Format::new(index))) {
        let samples = format.samples(0, format.count);
        let bits = 8 * format.bytes as u32;
        let samples = Samples::new(samples, bits, true).unwrap();
        let report = identify(&samples, &Options::default()).unwrap();
        if report.certainty() != Certainty::Found {
            continue;
        }
        let hit = &report.hits[0];
        let fresh = format.samples(format.count, FRESH);
        let right = fresh.iter().filter(|it| hit.field(&it.message, bits) == Some(it.value));
        let right = right.count();
        println!(
            "{index} {:?} {} of {} bytes: {:?} {} {:.1}: {right} of {}",
            format.kind,
            format.count,
            format.bytes,
            hit.found,
            hit.reading,
            hit.chance,
            fresh.len()
        );
        found.push((index, right == fresh.len()));
    }
    println!("{} of {FORMATS} exit 0", found.len());
    assert!(found.len() * 100 <= FORMATS, "{found:?}");
    assert!(found.iter().all(|(_, right)| *right), "{found:?}");
}

#[test]
fn locate_finds_no_code_where_there_is_none() {
    let mut found = Vec::new();
    for (index, format) in (0..FORMATS).map(|index| (index, Format::new(index))) {
        let frames: Vec<Vec<u8>> =
            format.samples(0, format.count).iter().map(|sample| format.frame(sample)).collect();
        let Ok(located) = locate(&frames, false) else { continue };
        if !located.convincing() {
            continue;
        }
        let spot = &located.spots[0];
        let fresh: Vec<Vec<u8>> =
            format.samples(format.count, FRESH).iter().map(|it| format.frame(it)).collect();
        let right = fresh.iter().filter(|message| {
            let stated = spot.layout.sample(message).map(|sample| sample.value);
            stated.is_some() && spot.expected(message) == stated
        });
        let right = right.count();
        println!(
            "{index} {:?} {} of {} bytes: {:?} {} {:.1}: {right} of {}",
            format.kind,
            format.count,
            format.bytes,
            spot.hit.found,
            spot.layout,
            spot.hit.chance,
            fresh.len()
        );
        found.push((index, right == fresh.len()));
    }
    println!("{} of {FORMATS} exit 0", found.len());
    assert!(found.len() * 100 <= FORMATS, "{found:?}");
    assert!(found.iter().all(|(_, right)| *right), "{found:?}");
}

/// A planted code, and the messages that are searched with.
struct Planted {
    name: String,
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
        Planted { name: code.name().into(), bits, code, structured, count, seed }
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
    let (mut found, mut wrong) = ([0; 2], Vec::new());
    let mut missed = Vec::new();
    for index in 0..PLANTED {
        let planted = Planted::new(index);
        let samples = (0..planted.count).map(|i| planted.sample(i)).collect();
        let samples = Samples::new(samples, planted.bits, false).unwrap();
        let report = identify(&samples, &Options::default()).unwrap();
        if report.certainty() != Certainty::Found {
            missed.push((index, planted.name, report.certainty().name()));
            continue;
        }
        let hit = &report.hits[0];
        let mut fresh = (planted.count..planted.count + FRESH).map(|i| planted.sample(i));
        if fresh.all(|it| hit.field(&it.message, planted.bits) == Some(it.value)) {
            found[usize::from(planted.structured)] += 1;
        } else {
            wrong.push((index, planted.name, hit.found.clone(), hit.chance));
        }
    }
    println!("{found:?} of [200, 100] found, not found: {missed:?}");
    assert!(wrong.is_empty(), "{wrong:?}");
    assert!(found[0] >= 195 && found[1] >= 90, "{found:?}, not found: {missed:?}");
}
