//! Figures of undetected errors on real data: for each test the effective bits of each code on each
//! source, as bars.

use crate::data::{Run, TestResult};
use residue_report::Figure;
use residue_report::chart::pen::{Drawn, bar, line, polyline, text, upward_text};
use residue_report::chart::{self, Color, FAINT, HPos, HUES, INK, Root, SIZE};
use residue_report::names::short;
use residue_report::text::{clean, day, shortened};

/// Left and right end of the bars, and the heights of [`MOST`] bits and of none, in CSS pixels.
const AREA: [f64; 4] = [64.0, 884.0, 128.0, 470.0];
/// The number of bits at the upper end.
const MOST: f64 = 34.0;

/// Draws a figure for each test, with a bar for each code and source.
#[must_use]
pub fn figures(run: &Run) -> Vec<Figure> {
    let tests = run.sources.first().map_or(&[][..], |source| &source.tests);
    tests.iter().enumerate().map(|(place, test)| figure(run, place, test)).collect()
}

fn figure(run: &Run, place: usize, test: &TestResult) -> Figure {
    let title = format!("Effective bits: {}", test.test.replace('-', " "));
    let trials: Vec<String> = run
        .sources
        .iter()
        .filter_map(|source| {
            Some(format!("{} of {}", source.tests.get(place)?.trials, source.name))
        })
        .collect();
    let lines = [
        format!("{} {}, seed {}.", test.about, day(&run.date), run.seed),
        "Bars: -log2 of the share missed, with its 95 % interval; pale: nothing missed, at least \
         so many. Ticks: an ideal code."
            .to_string(),
    ];
    let svg = chart::document(&title, &lines.join(" "), |root| {
        chart::heading(root, &title, [&lines[0], &lines[1]])?;
        legend(root, run)?;
        bars(root, run, place, test)
    });
    let caption = format!("Sampled: {} trials.", trials.join(", "));
    Figure { id: test.test.clone(), title, caption, svg }
}

fn legend(root: &Root<'_>, run: &Run) -> Drawn {
    let mut at = 24.0;
    for (number, source) in run.sources.iter().enumerate() {
        let name = shortened(&source.name, 30);
        bar(root, (at, 84.0), (at + 12.0, 96.0), HUES[number % HUES.len()].to_rgba())?;
        text(root, &name, (at + 18.0, 90.0), 12.0, INK, HPos::Left, false)?;
        at += 42.0 + 7.0 * name.chars().count() as f64;
    }
    Ok(())
}

/// Returns the height of this many bits.
fn height(bits: f64) -> f64 {
    let [_, _, top, bottom] = AREA;
    let bits = if bits.is_finite() { bits.clamp(0.0, MOST) } else { 0.0 };
    bottom - bits / MOST * (bottom - top)
}

fn bars(root: &Root<'_>, run: &Run, place: usize, test: &TestResult) -> Drawn {
    let [left, right, top, bottom] = AREA;
    for bits in (0u8..=32).step_by(4) {
        let at = height(bits.into());
        line(root, (left, at), (right, at), INK.mix(0.16), 1.0)?;
        text(root, &bits.to_string(), (left - 8.0, at), 12.0, INK, HPos::Right, false)?;
    }
    let slot = (right - left) / test.rows.len().max(1) as f64;
    let each = (slot - 10.0).max(2.0) / run.sources.len().max(1) as f64;
    for (code, row) in test.rows.iter().enumerate() {
        let start = left + slot * code as f64 + 5.0;
        for (number, source) in run.sources.iter().enumerate() {
            let found = source.tests.get(place).and_then(|test| test.rows.get(code));
            let Some((row, bits)) = found.and_then(|row| Some((row, row.bits?))) else { continue };
            let (from, to) = (start + each * number as f64, start + each * (number as f64 + 0.92));
            let strength = if row.misses == 0 { 0.3 } else { 1.0 };
            // A share of 1 is a bar of no height; a line shows that it is there.
            let high = height(bits).min(bottom - 1.0);
            bar(root, (from, high), (to, bottom), HUES[number % HUES.len()].mix(strength))?;
            if row.misses > 0 && row.rate.low > 0.0 {
                let middle = (from + to) / 2.0;
                let ends = (height(-row.rate.low.log2()), height(-row.rate.high.log2()));
                line(root, (middle, ends.0), (middle, ends.1), INK.mix(0.8), 1.0)?;
            }
        }
        let ideal = height(-row.ideal.log2());
        line(root, (start - 3.0, ideal), (start + slot - 7.0, ideal), INK.mix(0.9), 1.5)?;
        name(root, &row.code, (start + slot / 2.0 - 5.0, bottom + 14.0))?;
    }
    let corners = [(left, top), (left, bottom), (right, bottom)];
    polyline(root, &corners, INK.mix(0.7), 1.0, None)?;
    upward_text(root, "effective bits", (20.0, (top + bottom) / 2.0), 13.0, INK)?;
    let at = ((left + right) / 2.0, f64::from(SIZE.1) - 22.0);
    text(
        root,
        "code; each tick is the code's own ideal, uniform data",
        at,
        12.0,
        FAINT,
        HPos::Center,
        false,
    )
}

/// Draws a code's name below its bars, in two lines if it has two parts.
fn name(root: &Root<'_>, code: &str, (x, y): (f64, f64)) -> Drawn {
    let code = clean(short(code));
    let (first, second) = code.split_once('/').unwrap_or((&code, ""));
    text(root, &shortened(first, 12), (x, y), 11.0, INK, HPos::Center, false)?;
    text(root, &shortened(second, 12), (x, y + 15.0), 11.0, FAINT, HPos::Center, false)
}
