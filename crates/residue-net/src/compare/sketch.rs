//! The first pass: a sample of both captures that contains the packets of both points alike, from
//! which the difference of the clocks and the translations of flows are learned.

use super::clocks::{Clocks, Pair};
use super::flows::Flows;
use super::intake::Intake;
use super::layer::Layer;
use super::pattern::Toward;
use crate::copies::Copies;
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
    /// Number of packets with this hash, and of copies among them.
    count: u32,
    copies: u32,
}

/// A sample of a capture.
#[derive(Debug, Default)]
pub struct Sketch {
    packets: BTreeMap<u64, Sampled>,
    /// Whether all packets have a time.
    pub timed: bool,
    /// Whether the capture holds every packet twice.
    pub doubled: bool,
    /// Times of the first and of the last packet.
    pub times: Option<[u64; 2]>,
}

impl Sketch {
    /// Samples a capture.
    pub fn of<R: Read>(intake: &mut Intake<R>) -> Sketch {
        let mut sketch = Sketch { timed: true, ..Sketch::default() };
        while let Some(packet) = intake.next() {
            sketch.timed &= packet.time.is_some();
            if let Some(time) = packet.time {
                let [first, last] = sketch.times.unwrap_or([time; 2]);
                sketch.times = Some([first.min(time), last.max(time)]);
            }
            // Nothing is looked for that is not there.
            if intake.copies.as_ref().is_some_and(Copies::is_decided) {
                intake.copies = None;
            }
            let (time, number) = (packet.time_or_number(true), packet.time_or_number(false));
            for layer in packet.layers.iter().filter(|layer| layer.payload_length() > 0) {
                let hash = layer.head.unwrap_or(layer.content);
                if let Some(known) = sketch.packets.get_mut(&hash) {
                    known.count += 1;
                    known.copies += u32::from(packet.is_copy);
                    continue;
                }
                let sampled = Sampled { time, number, layer: *layer, count: 1, copies: 0 };
                sketch.packets.insert(hash, sampled);
                if sketch.packets.len() > SAMPLE {
                    sketch.packets.pop_last();
                }
            }
        }
        sketch.doubled = intake.copies.as_ref().is_some_and(Copies::is_doubled);
        sketch
    }

    /// Returns how many packets a sampled one stands for.
    fn number(&self, sampled: &Sampled) -> u32 {
        sampled.count - if self.doubled { sampled.copies } else { 0 }
    }
}

/// Compares two samples, and learns the translations of flows.
pub fn compare(sketches: &[Sketch; 2], flows: &mut Flows) -> Clocks {
    let [one, two] = sketches;
    let timed = one.timed && two.timed;
    let mut pairs: Vec<Pair> = Vec::new();
    for (hash, before) in &one.packets {
        let Some(after) = two.packets.get(hash) else { continue };
        // Of equal packets it is not known which is which.
        if one.number(before) != 1 || two.number(after) != 1 {
            continue;
        }
        flows.learn([&before.layer, &after.layer]);
        let time = |it: &Sampled| if timed { it.time } else { it.number };
        let difference = time(after).saturating_sub(time(before));
        let hops = [before.layer.ttl, after.layer.ttl];
        let (toward, sure) = (Toward::by_hops(hops), hops[0] != hops[1]);
        pairs.push(Pair { time: time(after), difference, toward, sure });
    }
    Clocks::of(pairs, timed)
}
