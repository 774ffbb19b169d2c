//! The first pass: a sample of both captures that contains the packets of both points alike, from
//! which the difference of the clocks and the translations of flows are learned.

use super::flows::Flows;
use super::intake::Intake;
use super::layer::Layer;
use std::collections::BTreeMap;
use std::io::Read;

/// Number of packets in a sample. Those with the smallest hashes are taken, so that the samples of
/// two captures contain the same packets, wherever the captures begin.
const SAMPLE: usize = 1 << 14;

/// A sampled packet.
#[derive(Clone, Copy, Debug)]
struct Sampled {
    time: i64,
    number: i64,
    layer: Layer,
    /// Number of packets with this hash.
    count: u32,
}

/// A sample of a capture.
#[derive(Debug, Default)]
pub struct Sketch {
    packets: BTreeMap<u64, Sampled>,
    /// Whether all packets have a time.
    pub timed: bool,
}

impl Sketch {
    /// Samples a capture.
    pub fn of<R: Read>(intake: &mut Intake<R>) -> Sketch {
        let mut sketch = Sketch { timed: true, ..Sketch::default() };
        while let Some(packet) = intake.next() {
            sketch.timed &= packet.time.is_some();
            let (time, number) = (packet.time_or_number(true), packet.time_or_number(false));
            for layer in packet.layers.iter().filter(|layer| layer.payload_length() > 0) {
                let hash = layer.head.unwrap_or(layer.content);
                if let Some(known) = sketch.packets.get_mut(&hash) {
                    known.count += 1;
                    continue;
                }
                sketch.packets.insert(hash, Sampled { time, number, layer: *layer, count: 1 });
                if sketch.packets.len() > SAMPLE {
                    sketch.packets.pop_last();
                }
            }
        }
        sketch
    }
}

/// What two samples show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Clocks {
    /// Time of the second capture less that of the first, in nanoseconds, for the median packet.
    pub difference: i64,
    /// Largest deviation of 99 of 100 packets from it.
    pub spread: i64,
    /// Smallest time from the first to the second capture of packets in that direction, and from
    /// the second to the first of the others, in nanoseconds, on clocks that differ.
    pub least: [Option<i64>; 2],
    /// Number of packets in both samples.
    pub packets: u64,
    /// Whether all packets of both captures have a time; if not, packets are numbered.
    pub timed: bool,
}

/// Compares two samples, and learns the translations of flows.
pub fn compare(sketches: &[Sketch; 2], flows: &mut Flows) -> Clocks {
    let [one, two] = sketches;
    let timed = one.timed && two.timed;
    let mut differences: Vec<i64> = Vec::new();
    let mut least: [Option<i64>; 2] = [None; 2];
    for (hash, before) in &one.packets {
        let Some(after) = two.packets.get(hash) else { continue };
        // Of equal packets it is not known which is which.
        if before.count != 1 || after.count != 1 {
            continue;
        }
        if before.layer.content == after.layer.content {
            flows.learn([&before.layer, &after.layer]);
        }
        let time = |it: &Sampled| if timed { it.time } else { it.number };
        let difference = time(after).saturating_sub(time(before));
        differences.push(difference);
        let turned = after.layer.ttl > before.layer.ttl;
        let delay = if turned { difference.saturating_neg() } else { difference };
        let least = &mut least[usize::from(turned)];
        *least = Some(least.map_or(delay, |known| known.min(delay)));
    }
    differences.sort_unstable();
    let Some(&difference) = differences.get(differences.len() / 2) else {
        return Clocks { timed, ..Clocks::default() };
    };
    let mut deviations: Vec<i64> = differences
        .iter()
        .map(|time| i64::try_from(time.abs_diff(difference)).unwrap_or(i64::MAX))
        .collect();
    deviations.sort_unstable();
    let spread = deviations.get(deviations.len() * 99 / 100).copied().unwrap_or(0);
    Clocks { difference, spread, least, packets: differences.len() as u64, timed }
}
