//! Batches of packets: `residue::batch` against calls one by one, of the library and of its rivals.
//!
//! The calls are inlined into the loop over the packets where their crates allow it, as in a user's
//! program.

use crate::contender::{Contender, Many, SINGLY, Values};
use crate::model::Mode;
use crate::race::{Race, Runner};
use residue_bench::harness::{Timed, ticks};
use std::hint::black_box;
use std::rc::Rc;

/// The longest packets.
pub const LONGEST: usize = 1500;
/// The bytes that packets begin in, which the first cache holds.
pub const WINDOW: usize = 16384;
/// Batches before they repeat.
const BATCHES: usize = 128;

type Packets<'a> = Vec<Vec<&'a [u8]>>;

/// Batches of packets of one code.
///
/// # Errors
/// Returns an error if `residue` gives a wrong answer.
pub fn race<'a>(
    group: &[Contender],
    mode: Mode,
    size: usize,
    data: &'a [u8],
) -> Result<Race<'a>, String> {
    let mut random = fastrand::Rng::with_seed(size as u64);
    let parts = if mode == Mode::Imix { 32 } else { 16 };
    let packets: Packets = (0..BATCHES)
        .map(|_| (0..parts).map(|_| packet(mode, size, data, &mut random)).collect())
        .collect();
    let bytes = packets.iter().flatten().map(|packet| packet.len() as f64).sum::<f64>();
    let (packets, mut runners) = (Rc::new(packets), Vec::new());
    for contender in group.iter().filter(|contender| mode.suits(contender, size)) {
        let ways = [(contender.name, contender.many), (SINGLY, contender.singly)];
        for (name, many) in ways.into_iter().filter_map(|(name, many)| Some((name, many?))) {
            check(contender, name, many, &packets)?;
            let timed = timed(many, Rc::clone(&packets));
            runners.push(Runner::new(contender, name, timed));
        }
    }
    let mut race = Race::new(group, mode, size, runners);
    (race.bytes, race.parts) = (bytes / (parts * BATCHES) as f64, parts);
    Ok(race)
}

fn packet<'a>(mode: Mode, size: usize, data: &'a [u8], random: &mut fastrand::Rng) -> &'a [u8] {
    let length = match (mode, random.u8(0..12)) {
        (Mode::Imix, 0..7) => 40,
        (Mode::Imix, 7..11) => 576,
        _ => size,
    };
    let start = random.usize(0..WINDOW / 64) * 64;
    &data[start..start + length]
}

/// Returns all answers of a batch against those for single packets, which were checked before.
fn check(
    contender: &Contender,
    name: &str,
    many: Many,
    packets: &[Vec<&[u8]>],
) -> Result<(), String> {
    let mut values = Values::default();
    for packets in packets {
        many(packets, &mut values);
        for (index, packet) in packets.iter().enumerate() {
            let (answer, expected) = (values.get(contender.code, index), (contender.call)(packet));
            if answer != expected {
                let length = packet.len();
                return Err(format!(
                    "{name} gives {answer:x} for packet {index} of a batch, {length} bytes of {}, \
                     not {expected:x}",
                    contender.code
                ));
            }
        }
    }
    Ok(())
}

fn timed<'a>(many: Many, packets: Rc<Packets<'a>>) -> Timed<'a> {
    let mut values = Values::default();
    Box::new(move |count, first| {
        // The function must stay unknown in the loop.
        let many = black_box(many);
        let batch = |number: usize| &packets[(first + number) % BATCHES];
        let ticks = ticks(count, |number| many(batch(number), &mut values));
        black_box(&values);
        ticks
    })
}
