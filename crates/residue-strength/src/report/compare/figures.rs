//! Figures of a comparison: the Hamming distances against the length as stairs, and the probability
//! of an undetected error against the bit error rate.

use crate::Kind;
use crate::answers::compare::{Comparison, Row};
use residue_report::Figure;
use residue_report::chart::pen::{Drawn, Place, line, marker, polyline, text, upward_text};
use residue_report::chart::{self, Color, FAINT, HPos, HUES, INK, Root, SIZE};
use residue_report::labels::spread;
use residue_report::names::short;
use residue_report::text::shortened;

/// Left, right, upper and lower end of the plotting area, in CSS pixels.
const AREA: [f64; 4] = [70.0, 670.0, 98.0, 498.0];
/// The ends of the axis of lengths, as powers of two of bits.
const LENGTHS: (f64, f64) = (3.0, 34.0);
/// The largest distance that is drawn.
const HIGHEST: f64 = 12.0;
/// The ends of the axes of rates and probabilities, as powers of ten.
const RATES: (f64, f64) = (-9.0, 0.0);
const PROBABILITIES: (f64, f64) = (-48.0, 0.0);

/// Draws both figures.
#[must_use]
pub fn figures(comparison: &Comparison) -> Vec<Figure> {
    vec![distances(comparison), probabilities(comparison)]
}

/// Returns a value's place on an axis from `low` to `high`, between two places on the sheet.
fn along(value: f64, (low, high): (f64, f64), (from, to): (f64, f64)) -> f64 {
    from + ((value - low) / (high - low)).clamp(0.0, 1.0) * (to - from)
}

fn length(bits: f64) -> f64 {
    along(bits.log2(), LENGTHS, (AREA[0], AREA[1]))
}

fn distances(comparison: &Comparison) -> Figure {
    let title = "Hamming distance against the length of the data".to_string();
    let lines = [
        "The fewest wrong bits of an undetected error. Exact; dashed: proved as far.".to_string(),
        format!(
            "Lines are drawn side by side where codes are alike. Upright: {} bits of data.",
            comparison.data_bits
        ),
    ];
    let svg = chart::document(&title, &lines.join(" "), |root| {
        chart::heading(root, &title, [&lines[0], &lines[1]])?;
        stairs(root, comparison)
    });
    let caption = "Each step down is the longest data with that distance; one bit more, and an \
        undetected error of that many bits is known. `residue strength CODE` names it."
        .to_string();
    Figure { id: "distances".into(), title, caption, svg }
}

fn stairs(root: &Root<'_>, comparison: &Comparison) -> Drawn {
    let [left, right, top, bottom] = AREA;
    let height = |distance: f64| along(distance, (1.5, HIGHEST + 0.5), (bottom, top));
    for distance in 2..=HIGHEST as u8 {
        let at = height(distance.into());
        line(root, (left, at), (right, at), INK.mix(0.12), 1.0)?;
        text(root, &distance.to_string(), (left - 8.0, at), 12.0, INK, HPos::Right, false)?;
    }
    for power in (4..=LENGTHS.1 as i32).step_by(4) {
        let at = length(f64::from(power).exp2());
        line(root, (at, top), (at, bottom), INK.mix(0.1), 1.0)?;
        let label = if power < 20 { (1 << power).to_string() } else { format!("2^{power}") };
        text(root, &label, (at, bottom + 15.0), 12.0, INK, HPos::Center, false)?;
    }
    let here = length(comparison.data_bits as f64);
    line(root, (here, top - 3.0), (here, bottom), INK.mix(0.5), 0.75)?;
    frame(root, "bits of data (logarithmic)", "Hamming distance")?;
    let codes = comparison.codes.len() as f64;
    let gap = (24.0 / codes.max(1.0)).min(3.2);
    let mut ends = Vec::new();
    for (number, row) in comparison.codes.iter().enumerate() {
        let beside = gap * ((codes - 1.0) / 2.0 - number as f64);
        let step = |distance: u32| height(f64::from(distance).min(HIGHEST)) - beside;
        // From the shortest data to the longest: (from, to, distance, whether it ends there).
        let mut from = left;
        let mut steps: Vec<(Vec<Place>, bool)> = Vec::new();
        let mut limits: Vec<_> = row.limits.iter().rev().collect();
        limits.dedup_by_key(|limit| limit.1.value);
        let mut exact = true;
        for (distance, limit) in limits {
            let to = length(limit.value as f64);
            if to <= from && exact {
                continue;
            }
            let below = row.limits.iter().filter(|other| other.1.value > limit.value);
            let next = below.map(|other| other.0).max().unwrap_or(2);
            steps.push((
                vec![(from, step(*distance)), (to, step(*distance)), (to, step(next))],
                exact,
            ));
            from = to;
            // Behind a bound the distance may still be larger than what is drawn.
            exact = limit.kind == Kind::Exact.name();
        }
        let last = step(2);
        steps.push((vec![(from, last), (right, last)], exact));
        let color = HUES[number % HUES.len()];
        for (places, exact) in &steps {
            let dashes = if *exact { None } else { Some((6.0, 4.0)) };
            polyline(root, places, color.to_rgba(), 2.0, dashes)?;
        }
        ends.push((last, number, row));
    }
    names(root, ends)
}

fn probabilities(comparison: &Comparison) -> Figure {
    let title = "Undetected errors against the bit error rate".to_string();
    let lines = [
        format!(
            "Probability for a frame of {} bits of data, each bit wrong independently. Sums: mean \
             over uniform data.",
            comparison.data_bits
        ),
        "Solid: exact. Dashed: the terms that were counted, a lower bound, drawn while less than \
         one wrong bit is expected."
            .to_string(),
    ];
    let svg = chart::document(&title, &lines.join(" "), |root| {
        chart::heading(root, &title, [&lines[0], &lines[1]])?;
        curves(root, comparison)
    });
    let caption = "A line's slope is the Hamming distance: at low rates it decides, not the width."
        .to_string();
    Figure { id: "probabilities".into(), title, caption, svg }
}

fn curves(root: &Root<'_>, comparison: &Comparison) -> Drawn {
    let [left, right, top, bottom] = AREA;
    let x = |rate: f64| along(rate.log10(), RATES, (left, right));
    let y = |value: f64| along(value.log10(), PROBABILITIES, (bottom, top));
    for power in (PROBABILITIES.0 as i32..=0).step_by(6) {
        let at = y(10f64.powi(power));
        line(root, (left, at), (right, at), INK.mix(0.12), 1.0)?;
        let label = format!("1e{power}");
        text(root, &label, (left - 6.0, at), 12.0, INK, HPos::Right, false)?;
    }
    for power in RATES.0 as i32..=0 {
        let at = x(10f64.powi(power));
        line(root, (at, top), (at, bottom), INK.mix(0.1), 1.0)?;
        text(root, &format!("1e{power}"), (at, bottom + 15.0), 12.0, INK, HPos::Center, false)?;
    }
    frame(
        root,
        "bit error rate (logarithmic)",
        "probability of an undetected error (logarithmic)",
    )?;
    let mut ends = Vec::new();
    for (number, row) in comparison.codes.iter().enumerate() {
        let bits = comparison.data_bits as f64;
        let drawn = |(rate, known): &&(f64, crate::answers::compare::Known<f64>)| {
            let likely = known.kind == Kind::Exact.name() || rate * bits <= 1.0;
            likely && known.value >= 10f64.powf(PROBABILITIES.0)
        };
        let points: Vec<_> = row.curve.iter().filter(drawn).collect();
        let Some((_, last)) = points.last() else { continue };
        let places: Vec<Place> = points.iter().map(|(rate, p)| (x(*rate), y(p.value))).collect();
        let color = HUES[number % HUES.len()].to_rgba();
        let bound = last.kind != Kind::Exact.name();
        polyline(root, &places, color, 2.0, bound.then_some((6.0, 4.0)))?;
        // Shapes at places of their own, for readers who do not see the colours.
        for place in places.iter().skip(number).step_by(9) {
            marker(root, *place, number, color, false, 0.8)?;
        }
        let end = places.last().copied().unwrap_or((right, top));
        line(root, end, (right, end.1), color.mix(0.3), 0.75)?;
        ends.push((end.1, number, row));
    }
    names(root, ends)
}

fn frame(root: &Root<'_>, across: &str, up: &str) -> Drawn {
    let [left, right, top, bottom] = AREA;
    let corners = [(left, top), (right, top), (right, bottom), (left, bottom), (left, top)];
    polyline(root, &corners, INK.mix(0.7), 1.0, None)?;
    let middle = (left + right) / 2.0;
    text(root, across, (middle, f64::from(SIZE.1) - 22.0), 13.0, INK, HPos::Center, false)?;
    upward_text(root, up, (18.0, (top + bottom) / 2.0), 13.0, INK)
}

/// Draws the codes' names right of the area, each as near to its line's end as there is room.
fn names(root: &Root<'_>, mut ends: Vec<(f64, usize, &Row)>) -> Drawn {
    ends.sort_by(|a, b| a.0.total_cmp(&b.0));
    let [_, right, top, bottom] = AREA;
    let wanted: Vec<f64> = ends.iter().map(|end| end.0).collect();
    let places = spread(&wanted, 30.0, top + 8.0, bottom - 16.0);
    for ((end, number, row), at) in ends.into_iter().zip(places) {
        let color = HUES[number % HUES.len()].to_rgba();
        line(root, (right, end), (right + 14.0, at), color.mix(0.5), 0.75)?;
        polyline(root, &[(right + 18.0, at), (right + 44.0, at)], color, 2.0, None)?;
        marker(root, (right + 31.0, at), number, color, false, 0.8)?;
        let name = shortened(short(&row.code), 26);
        text(root, &name, (right + 50.0, at), 11.5, INK, HPos::Left, false)?;
        let about = match &row.holds_to {
            Some(known) => {
                format!("{} bits, HD {} to {}", row.width, row.distance.value, known.value)
            }
            None => format!("{} bits, HD {}", row.width, row.distance.value),
        };
        text(root, &about, (right + 50.0, at + 13.0), 10.0, FAINT, HPos::Left, false)?;
    }
    Ok(())
}
