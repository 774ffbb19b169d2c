//! A survey of damage in practice: every bad TCP segment is compared with a good copy of its bytes,
//! usually a retransmission, and the difference is classified, as by Stone and Partridge in *When
//! the CRC and TCP Checksum Disagree* (SIGCOMM 2000).
//!
//! The results are counts and shapes, without addresses, data or times, so that they can be
//! published.

mod shape;

pub use shape::{Damage, Shape};

use crate::address::Address;
use crate::buffer::Finding;
use crate::check::{Piece, Verdict};
use crate::diagnose::{Cause, Diagnosis};
use std::collections::{BTreeMap, HashMap};

/// Largest amount of memory for bad segments, in bytes.
const MOST_BYTES: usize = 64 << 20;
/// Memory of a segment beside its data.
const SEGMENT_COST: usize = 64;
/// Largest number of bad segments of a flow, as every good one is compared with all of them.
const MOST_OF_A_FLOW: usize = 1024;

/// The two ends of a flow, source first: addresses and ports.
type Ends = ([Address; 2], [u16; 2]);

/// A bad segment.
#[derive(Debug)]
struct Bad {
    sequence: u32,
    payload: Vec<u8>,
    damage: Option<Damage>,
}

/// A survey of captures. For each capture, call [`Survey::learn`] with all findings, then
/// [`Survey::compare`] with all of them again.
#[derive(Debug, Default)]
pub struct Survey {
    /// TCP segments with a verifiable checksum.
    pub segments: u64,
    /// Segments with a good checksum.
    pub good: u64,
    /// Segments with an offloaded checksum.
    pub offloaded: u64,
    /// Segments that are bad because addresses or ports were rewritten.
    pub rewritten: u64,
    /// Other bad segments: damaged, or with a wrongly computed checksum.
    pub bad: u64,
    /// Bad segments beyond the memory limits.
    pub not_kept: u64,
    /// Bad segments with a good copy, by shape of the difference.
    pub shapes: BTreeMap<Shape, u64>,
    /// Lengths of damage, from the first to the last wrong byte, by powers of two: 1, 2, 3 to 4, 5
    /// to 8, ...
    pub lengths: BTreeMap<u32, u64>,
    /// Offsets of damage in the data modulo 64, which show blocks of caches, cells and buses.
    pub offsets: BTreeMap<u32, u64>,
    kept: HashMap<Ends, Vec<Bad>>,
    bytes: usize,
    unmatched: u64,
}

impl Survey {
    /// Creates an empty survey.
    #[must_use]
    pub fn new() -> Self {
        Survey::default()
    }

    /// Returns the number of bad segments without a good copy.
    #[must_use]
    pub fn unmatched(&self) -> u64 {
        self.unmatched + self.not_kept
    }

    /// Returns the number of bad segments with a good copy.
    #[must_use]
    pub fn matched(&self) -> u64 {
        self.shapes.values().sum()
    }

    /// Counts a finding, and stores a bad segment; `diagnosis` must cover the whole capture.
    pub fn learn(&mut self, finding: &Finding<'_>, diagnosis: &Diagnosis) {
        let Some((ends, sequence, payload)) = segment(finding) else { return };
        match finding.verdict {
            Verdict::Good => self.good += 1,
            Verdict::Offloaded => self.offloaded += 1,
            Verdict::Bad
                if matches!(
                    diagnosis.cause(finding),
                    Some(Cause::Rewritten | Cause::OffloadRewritten)
                ) =>
            {
                self.rewritten += 1;
            }
            Verdict::Bad => {
                self.bad += 1;
                let cost = payload.len() + SEGMENT_COST;
                let of_flow = self.kept.get(&ends).map_or(0, Vec::len);
                if self.bytes + cost > MOST_BYTES || of_flow == MOST_OF_A_FLOW {
                    self.not_kept += 1;
                } else {
                    self.bytes += cost;
                    let bad = Bad { sequence, payload: payload.to_vec(), damage: None };
                    self.kept.entry(ends).or_default().push(bad);
                }
            }
            _ => return,
        }
        self.segments += 1;
    }

    /// Compares a good segment with the stored bad ones.
    pub fn compare(&mut self, finding: &Finding<'_>) {
        if self.kept.is_empty() || finding.verdict != Verdict::Good {
            return;
        }
        let Some((ends, sequence, payload)) = segment(finding) else { return };
        let Some(kept) = self.kept.get_mut(&ends) else { return };
        for bad in kept.iter_mut().filter(|bad| bad.damage.is_none()) {
            // A retransmission may be segmented differently: it must contain all of the bad
            // segment.
            let before = bad.sequence.wrapping_sub(sequence) as usize;
            let copy =
                before.checked_add(bad.payload.len()).and_then(|end| payload.get(before..end));
            if let Some(copy) = copy {
                bad.damage = Some(Damage::between(copy, &bad.payload));
            }
        }
    }

    /// Ends a capture: counts its remaining segments.
    pub fn finish(&mut self) {
        for bad in self.kept.drain().flat_map(|(_, kept)| kept) {
            match bad.damage {
                Some(damage) => {
                    *self.shapes.entry(damage.shape).or_default() += 1;
                    if damage.length > 0 {
                        *self.lengths.entry(damage.length.next_power_of_two()).or_default() += 1;
                        *self.offsets.entry(damage.offset % 64).or_default() += 1;
                    }
                }
                None => self.unmatched += 1,
            }
        }
        self.bytes = 0;
    }
}

/// Returns the ends, the sequence number and the data of a TCP segment.
fn segment<'a>(finding: &Finding<'a>) -> Option<(Ends, u32, &'a [u8])> {
    if finding.check.protocol != &crate::wire::tcp::TCP {
        return None;
    }
    let ports = finding.check.ports?;
    let Some(Piece::Bytes(span)) = finding.cover().get(usize::from(finding.check.pseudo)) else {
        return None;
    };
    let segment = span.of(finding.buffer.bytes)?;
    let sequence = u32::from_be_bytes(*segment.get(4..)?.first_chunk()?);
    let header = usize::from(segment.get(12)? >> 4) * 4;
    let payload = segment.get(header.max(20)..)?;
    Some(((finding.addresses().map(Address::new), ports), sequence, payload))
}
