//! Tries named codes at every place and over every range of a message, before all else.

use super::frames::{Frames, Spot};
use super::grid::Grid;
use super::layout::{Anchor, Layout, Own};
use crate::identify::family::{Modulus, reflect};
use crate::identify::found::{Found, Hit};
use crate::identify::reading::{Form, Place, Reading};
use residue::Code;
use residue::crc::{Crc, Params, catalog};
use std::collections::HashMap;

/// Bytes at either end of a message that are searched: by CRCs, by CRCs in long messages, and by
/// sums with the value among what they cover.
const EDGE: (usize, usize, usize) = (64, 24, 32);
/// Bytes of a message from which fewer places are searched.
const LONG: usize = 2048;

/// A place in the shortest message where a code has the value.
struct Raw {
    at: usize,
    bytes: usize,
    start: usize,
    end: usize,
    own: Own,
    form: Form,
}

/// Searches the named codes of 8 bits and more, and returns what fits all messages; `tried` counts.
pub(super) fn search(frames: &Frames, tried: &mut f64) -> Vec<Spot> {
    let shortest = frames.shortest();
    let edge = if shortest.len() > LONG { EDGE.1 } else { EDGE.0 };
    let marks = marks(shortest.len(), edge);
    let mut spots = Vec::new();
    let mut groups: Vec<Vec<&Params>> = Vec::new();
    for params in catalog::ALL.iter().filter(|params| params.width >= 8) {
        let like = |group: &&mut Vec<&Params>| {
            (group[0].width, group[0].poly, group[0].refin)
                == (params.width, params.poly, params.refin)
        };
        match groups.iter_mut().find(like) {
            Some(group) => group.push(params),
            None => groups.push(vec![params]),
        }
    }
    for group in groups {
        let modulus = Modulus { width: group[0].width.into(), poly: group[0].poly };
        let grid = Grid::new(shortest, &marks, modulus, group[0].refin);
        for params in group {
            let mut raws = Vec::new();
            let search = Search { frames, marks: &marks, params, modulus, grid: &grid };
            search.outside(&mut raws, tried);
            search.inside(&mut raws, tried);
            settle(frames, &Code::Crc(Crc::new(params)), &raws, &mut spots);
        }
    }
    for code in Code::all().filter(|code| code.params().is_none()) {
        let mut raws = Vec::new();
        sum_outside(frames, &code, &marks, &mut raws, tried);
        sum_inside(frames, &code, &mut raws, tried);
        settle(frames, &code, &raws, &mut spots);
    }
    spots
}

/// Returns the places at either end of a message.
fn marks(length: usize, edge: usize) -> Vec<usize> {
    (0..=length).filter(|&at| at <= edge || at + edge >= length).collect()
}

/// Returns the ways to write a value of this many bits in the bytes that hold it.
fn forms(width: u32) -> impl Iterator<Item = Form> + Clone {
    let bits = 8 * width.div_ceil(8);
    Form::all(bits).into_iter().filter(move |form| form.place == Place::Low || width < bits)
}

/// A value in the shortest message.
struct Value {
    /// The mark at which it begins.
    p: usize,
    /// The mark behind it.
    q: usize,
    /// The registers that give it.
    targets: Vec<(Form, u128)>,
}

/// The search for one CRC.
struct Search<'a> {
    frames: &'a Frames<'a>,
    marks: &'a [usize],
    params: &'a Params,
    modulus: Modulus,
    grid: &'a Grid,
}

impl Search<'_> {
    fn bytes(&self) -> usize {
        usize::from(self.params.width).div_ceil(8)
    }

    /// Returns the places of values, each as a mark, with the marks behind it.
    fn places(&self) -> impl Iterator<Item = (usize, usize)> {
        let bytes = self.bytes();
        (0..self.marks.len()).filter_map(move |p| {
            let after = self.marks.binary_search(&(self.marks[p] + bytes)).ok()?;
            self.frames.varies(self.marks[p], bytes).then_some((p, after))
        })
    }

    /// Returns the registers before the final steps that give the value at a place.
    fn targets(&self, at: usize) -> impl Iterator<Item = (Form, u128)> {
        let (width, bits) = (u32::from(self.params.width), 8 * self.bytes() as u32);
        let field = self.frames.field(at, self.bytes());
        forms(width).filter_map(move |form| {
            let value = form.value(field, bits, width)? ^ self.params.xorout;
            Some((form, if self.params.refout { reflect(value, width) } else { value }))
        })
    }

    /// Returns what the initial value adds after each number of bytes.
    fn inits(&self) -> Vec<u128> {
        let length = self.marks.last().copied().unwrap_or(0);
        let byte = self.modulus.power_of_x(8);
        let next = |init: &u128| Some(self.modulus.times(*init, byte));
        std::iter::successors(Some(self.params.init), next).take(length + 1).collect()
    }

    fn raw(&self, own: Own, form: Form, at: usize, start: usize, end: usize) -> Raw {
        Raw { at, bytes: self.bytes(), start, end, own, form }
    }

    /// Looks for values outside of what they cover.
    fn outside(&self, raws: &mut Vec<Raw>, tried: &mut f64) {
        let mut wanted: HashMap<u128, Vec<(Form, usize)>> = HashMap::new();
        for (p, _) in self.places() {
            for (form, target) in self.targets(self.marks[p]) {
                wanted.entry(target).or_default().push((form, self.marks[p]));
            }
        }
        let (inits, count) = (self.inits(), wanted.values().map(Vec::len).sum::<usize>());
        for (b, &end) in self.marks.iter().enumerate() {
            for (&register, &start) in self.grid.ending(b)[..b].iter().zip(self.marks) {
                *tried += count as f64;
                let Some(places) = wanted.get(&(register ^ inits[end - start])) else { continue };
                let free = |at: usize| at + self.bytes() <= start || at >= end;
                for &(form, at) in places.iter().filter(|(_, at)| free(*at)) {
                    raws.push(self.raw(Own::Outside, form, at, start, end));
                }
            }
        }
    }

    /// Looks for values among what they cover, taken as zeros or left out.
    fn inside(&self, raws: &mut Vec<Raw>, tried: &mut f64) {
        let (inits, bytes) = (self.inits(), self.bytes());
        let back = self.modulus.inverse_power_of_x(8 * bytes);
        let places: Vec<Value> = self
            .places()
            .map(|(p, q)| Value { p, q, targets: self.targets(self.marks[p]).collect() })
            .collect();
        for (b, &end) in self.marks.iter().enumerate() {
            let plain = self.grid.ending(b);
            let moved: Vec<u128> =
                plain.iter().map(|&register| self.modulus.times(register, back)).collect();
            let zero: Vec<u128> = plain
                .iter()
                .zip(self.marks)
                .map(|(register, start)| register ^ inits[end - start])
                .collect();
            let excluded: Vec<u128> = moved
                .iter()
                .zip(self.marks)
                .map(|(register, start)| {
                    register ^ inits.get((end - start).wrapping_sub(bytes)).copied().unwrap_or(0)
                })
                .collect();
            for Value { p, q, targets } in places.iter().filter(|value| value.q <= b) {
                for &(form, target) in targets {
                    *tried += 2.0 * *p as f64;
                    let mut fits = |own, registers: &[u128], wanted: u128, most: usize| {
                        for (a, _) in
                            registers[..most].iter().enumerate().filter(|(_, it)| **it == wanted)
                        {
                            raws.push(self.raw(own, form, self.marks[*p], self.marks[a], end));
                        }
                    };
                    fits(Own::Zero, &zero, target ^ plain[*p] ^ plain[*q], *p + 1);
                    // At either end it would be the same as a value outside.
                    if *q < b {
                        fits(Own::Excluded, &excluded, target ^ moved[*p] ^ plain[*q], *p);
                    }
                }
            }
        }
    }
}

/// Looks for a sum's values outside of what they cover.
fn sum_outside(
    frames: &Frames,
    code: &Code,
    marks: &[usize],
    raws: &mut Vec<Raw>,
    tried: &mut f64,
) {
    let (message, width) = (frames.shortest(), code.width());
    let bytes = width.div_ceil(8) as usize;
    let places: Vec<usize> = marks.iter().copied().filter(|&at| frames.varies(at, bytes)).collect();
    let mut wanted: HashMap<u128, Vec<usize>> = HashMap::new();
    for at in places {
        wanted.entry(frames.field(at, bytes)).or_default().push(at);
    }
    let count = wanted.values().map(Vec::len).sum::<usize>() as f64;
    for &start in marks {
        // A sum of one unit is a copy, such as a length that stands twice.
        for &end in marks.iter().filter(|&&end| end > start + bytes) {
            let value = code.value(&message[start..end]);
            for form in forms(width) {
                *tried += count;
                let places = wanted.get(&form.field(value, 8 * bytes as u32, width));
                let free = |at: &&usize| **at + bytes <= start || **at >= end;
                for &at in places.into_iter().flatten().filter(free) {
                    raws.push(Raw { at, bytes, start, end, own: Own::Outside, form });
                }
            }
        }
    }
}

/// Looks for a sum's values among what they cover.
fn sum_inside(frames: &Frames, code: &Code, raws: &mut Vec<Raw>, tried: &mut f64) {
    let (message, width) = (frames.shortest(), code.width());
    let bytes = width.div_ceil(8) as usize;
    let marks = marks(message.len(), if message.len() > LONG { 8 } else { EDGE.2 });
    for &at in marks.iter().filter(|&&at| frames.varies(at, bytes)) {
        let field = frames.field(at, bytes);
        let mut zero = message.to_vec();
        zero[at..at + bytes].fill(0);
        let mut without = message.to_vec();
        without.drain(at..at + bytes);
        for &start in marks.iter().filter(|&&start| start <= at) {
            for &end in marks.iter().filter(|&&end| end >= at + bytes && end > start + 2 * bytes) {
                let of_zero = code.value(&zero[start..end]);
                let of_rest = code.value(&without[start..end - bytes]);
                for form in forms(width) {
                    *tried += 2.0;
                    let fits = |value| form.field(value, 8 * bytes as u32, width) == field;
                    if fits(of_zero) {
                        raws.push(Raw { at, bytes, start, end, own: Own::Zero, form });
                    }
                    if fits(of_rest) && start < at && end > at + bytes {
                        raws.push(Raw { at, bytes, start, end, own: Own::Excluded, form });
                    }
                }
            }
        }
    }
}

/// Keeps those that fit all messages, with each place counted from either end.
fn settle(frames: &Frames, code: &Code, raws: &[Raw], spots: &mut Vec<Spot>) {
    let length = frames.shortest().len();
    for raw in raws {
        let both = |at: usize| [Anchor::Start(at), Anchor::End(length - at)];
        for value in both(raw.at) {
            for start in both(raw.start) {
                for end in both(raw.end) {
                    let layout = Layout { value, bytes: raw.bytes, start, end, own: raw.own };
                    // With one length all are the same: the usual one is enough.
                    if frames.one_length && !usual(&layout, length) {
                        continue;
                    }
                    let (bits, width) = (8 * raw.bytes as u32, code.width());
                    let fits = frames.all(&layout, |sample| {
                        raw.form.field(code.value(&sample.message), bits, width) == sample.value
                    });
                    if fits {
                        let hit = Hit {
                            found: Found::Code(Box::new(code.clone())),
                            family: None,
                            reading: Reading::PLAIN,
                            form: raw.form,
                            part: None,
                            mask: None,
                            unreached: None,
                            chance: -f64::from(width) * frames.list.len() as f64,
                        };
                        spots.push(frames.spot(layout, hit, frames.list.len()));
                    }
                }
            }
        }
    }
}

/// Returns whether each place is counted from the nearer end, and the end of what is covered from
/// where the value is, or from the end.
fn usual(layout: &Layout, length: usize) -> bool {
    let near = |anchor: Anchor| match anchor {
        Anchor::Start(at) => 2 * at < length,
        Anchor::End(at) => 2 * at <= length,
    };
    let end = if layout.end.at(length) == layout.value.at(length) {
        layout.end == layout.value
    } else {
        near(layout.end)
    };
    near(layout.value) && matches!(layout.start, Anchor::Start(_)) && end
}
