//! Stacked bars along a linear axis: counts of several kinds in equal intervals. [`svg`] draws
//! them.

use super::pen::{Drawn, bar, line, polyline, text, upward_text};
use super::{Color, FAINT, HPos, HUES, INK, Root, heading, sized};
use crate::number::{grouped, plain_number};
use crate::text::shortened;

/// One kind of counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kind {
    /// The name in the legend.
    pub name: String,
    /// The counts, by interval.
    pub counts: Vec<u64>,
}

/// Everything one chart shows.
#[derive(Debug, Clone, PartialEq)]
pub struct Bars {
    /// The heading.
    pub title: String,
    /// Two lines below it.
    pub about: [String; 2],
    /// The kinds, the lowest of the stack first; all have equally many intervals.
    pub kinds: Vec<Kind>,
    /// The name of the counts.
    pub unit: String,
    /// Whether sums over intervals mean something; the legend shows them.
    pub totals: bool,
    /// The name of the axis of intervals.
    pub axis: String,
    /// The numbers at the beginning of the first interval and at the end of the last one.
    pub range: [f64; 2],
}

const SIZE: (u32, u32) = (900, 380);
/// The plotting area: left, right, top, bottom.
const AREA: [f64; 4] = [70.0, 690.0, 92.0, 322.0];
/// The most characters of a name in the legend.
const LEGEND: usize = 26;

/// Draws the bars as a complete SVG document.
#[must_use]
pub fn svg(bars: &Bars) -> String {
    let about = bars.about.join(" ");
    sized(SIZE, "", &bars.title, &about, |root| draw(root, bars))
}

/// Returns the least of 1, 2 and 5 times a power of ten that is not less than `least`.
fn step(least: f64) -> f64 {
    let power = 10f64.powf(least.max(1e-9).log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power);
    steps.into_iter().find(|&step| step >= least * 0.999_999).unwrap_or(10.0 * power)
}

/// Returns the multiples of a step in a range.
fn ticks([low, high]: [f64; 2], most: f64) -> Vec<f64> {
    let step = step((high - low) / most);
    let first = (low / step).ceil();
    let count = ((high / step).floor() - first).clamp(0.0, 100.0) as u32;
    (0..=count).map(|number| (first + f64::from(number)) * step).collect()
}

fn draw(root: &Root<'_>, bars: &Bars) -> Drawn {
    let Bars { title, about, kinds, unit, totals, axis, range } = bars;
    let [left, right, top, bottom] = AREA;
    heading(root, title, [&about[0], &about[1]])?;
    let intervals = kinds.iter().map(|kind| kind.counts.len()).max().unwrap_or(0);
    let count = |kind: &Kind, at: usize| kind.counts.get(at).copied().unwrap_or(0);
    let sum = |at: usize| kinds.iter().map(|kind| count(kind, at)).sum::<u64>();
    let highest = (0..intervals).map(sum).max().unwrap_or(0).max(1) as f64;
    let height = step(highest / 5.0).max(1.0);
    let highest = (highest / height).ceil() * height;
    let y = |count: f64| bottom - (bottom - top) * count / highest;
    for tick in 0..=(highest / height) as u32 {
        let count = f64::from(tick) * height;
        line(root, (left, y(count)), (right, y(count)), INK.mix(0.14), 1.0)?;
        let label = grouped(count as u64);
        text(root, &label, (left - 8.0, y(count)), 12.0, INK, HPos::Right, false)?;
    }
    let width = (right - left) / intervals.max(1) as f64;
    let gap = if width > 4.0 { 1.0 } else { 0.0 };
    for at in 0..intervals {
        let (from, to) = (left + width * at as f64, left + width * (at + 1) as f64 - gap);
        let mut below = 0;
        for (number, kind) in kinds.iter().enumerate() {
            let count = count(kind, at);
            if count > 0 {
                let color = HUES[number % HUES.len()].to_rgba();
                // A few among many are still seen.
                let upper = y((below + count) as f64).min(y(below as f64) - 1.5);
                bar(root, (from, upper), (to, y(below as f64)), color)?;
            }
            below += count;
        }
    }
    let length = (range[1] - range[0]).max(f64::MIN_POSITIVE);
    for tick in ticks(*range, 8.0) {
        let at = left + (right - left) * (tick - range[0]) / length;
        line(root, (at, bottom), (at, bottom + 5.0), INK.mix(0.7), 1.0)?;
        text(root, &plain_number(tick), (at, bottom + 16.0), 12.0, INK, HPos::Center, false)?;
    }
    polyline(root, &[(left, top), (left, bottom), (right, bottom)], INK.mix(0.7), 1.0, None)?;
    text(root, axis, ((left + right) / 2.0, bottom + 40.0), 13.0, INK, HPos::Center, false)?;
    upward_text(root, unit, (12.0, (top + bottom) / 2.0), 13.0, INK)?;
    legend(root, kinds, *totals)
}

/// Draws the names of the kinds and their totals, the highest of the stack first.
fn legend(root: &Root<'_>, kinds: &[Kind], totals: bool) -> Drawn {
    let [_, right, top, bottom] = AREA;
    let step = ((bottom - top) / kinds.len().max(1) as f64).min(34.0);
    for (place, (number, kind)) in kinds.iter().enumerate().rev().enumerate() {
        let (x, y) = (right + 22.0, top + 10.0 + step * place as f64);
        let color = HUES[number % HUES.len()].to_rgba();
        bar(root, (x, y - 6.0), (x + 12.0, y + 6.0), color)?;
        let name = shortened(&kind.name, LEGEND);
        text(root, &name, (x + 20.0, y), 12.0, INK, HPos::Left, false)?;
        if !totals {
            continue;
        }
        let total = grouped(kind.counts.iter().sum::<u64>());
        text(root, &total, (x + 20.0, y + 15.0), 11.5, FAINT, HPos::Left, false)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_round() {
        for (least, expected) in [(0.3, 0.5), (1.0, 1.0), (1.1, 2.0), (21.0, 50.0), (60.0, 100.0)] {
            assert!((step(least) - expected).abs() < 1e-9, "{least}");
        }
        assert_eq!(ticks([0.0, 10.0], 5.0), [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]);
        assert_eq!(ticks([1.0, 1.0], 5.0).len(), 1);
    }

    #[test]
    fn any_bars_are_well_formed() {
        let kind = |counts: &[u64]| Kind { name: "<&\u{1b}".into(), counts: counts.to_vec() };
        for kinds in [
            vec![],
            vec![kind(&[])],
            vec![kind(&[0, 0])],
            vec![kind(&[1, 2, u64::MAX / 16]), kind(&[3])],
            (0..9).map(|number| kind(&[number; 90])).collect(),
        ] {
            for range in [[0.0, 0.0], [0.0, 1e-9], [1.0, 1e12], [-5.0, 5.0]] {
                let text = String::from;
                let bars = Bars {
                    title: text("&"),
                    about: [text("a"), text("b")],
                    kinds: kinds.clone(),
                    unit: text("u"),
                    totals: kinds.len() != 1,
                    axis: text("s"),
                    range,
                };
                let svg = svg(&bars);
                let document = roxmltree::Document::parse(&svg).unwrap();
                assert_eq!(document.root_element().attribute("height"), Some("380"));
                assert!(!svg.contains("NaN") && !svg.contains("inf"));
            }
        }
    }
}
