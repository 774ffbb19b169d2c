//! Small panels on one sheet, as SVG: logarithmic axes, one curve for `residue` and one for each
//! rival, light and dark.

use residue_report::labels::spread;
use std::fmt::Write;

/// One curve.
pub struct Series {
    /// The name, at the curve's end.
    pub name: String,
    /// The colour, below [`HUES`]; `None` for `residue`.
    pub hue: Option<usize>,
    /// The length in bytes and the value, ascending.
    pub points: Vec<(f64, f64)>,
}

/// One code.
pub struct Panel {
    /// The code's title.
    pub title: String,
    /// The curves.
    pub series: Vec<Series>,
}

/// All panels, and the text about them.
pub struct Sheet {
    /// The heading.
    pub title: String,
    /// Lines below it.
    pub about: Vec<String>,
    /// The panels; one place more is taken by `key`.
    pub panels: Vec<Panel>,
    /// A legend for the panels.
    pub key: Vec<String>,
    /// A value to draw a line at: below it `residue` is slower.
    pub even: Option<f64>,
}

/// The number of colours beside that of `residue`.
pub const HUES: usize = 8;

/// Colours after Okabe and Ito, without their yellow and light blue, with a violet, a brown and a
/// grey; then lighter ones for a dark ground.
const LIGHT: [&str; HUES] =
    ["#0072b2", "#d55e00", "#009e73", "#c4649a", "#d18f00", "#6a4fb3", "#8c564b", "#7d7d7d"];
const DARK: [&str; HUES] =
    ["#4aa3df", "#ff8a4c", "#2fc79a", "#e39ac4", "#f2b84b", "#b39ddb", "#c9a08f", "#a8a8a8"];

const COLUMNS: usize = 2;
const CELL: (f64, f64) = (500.0, 280.0);
const HEAD: f64 = 84.0;
/// The margins of the plotting area of a cell: above, right, below, left.
const MARGINS: [f64; 4] = [34.0, 144.0, 40.0, 56.0];

/// Returns the sheet as a complete document.
#[must_use]
pub fn svg(sheet: &Sheet) -> String {
    let rows = (sheet.panels.len() + 1).div_ceil(COLUMNS);
    let (width, height) = (CELL.0 * COLUMNS as f64, HEAD + CELL.1 * rows as f64);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"system-ui, 'DejaVu Sans', sans-serif\">\n\
         <style>{}</style>\n<rect class=\"ground\" width=\"{width}\" height=\"{height}\"/>\n",
        style()
    );
    text(&mut out, (20.0, 30.0), "ink title", "start", &sheet.title);
    for (number, line) in sheet.about.iter().enumerate() {
        text(&mut out, (20.0, 50.0 + 17.0 * number as f64), "faint", "start", line);
    }
    let corner = |number: usize| {
        let (row, column) = (number / COLUMNS, number % COLUMNS);
        (CELL.0 * column as f64, HEAD + CELL.1 * row as f64)
    };
    let lengths = ends(&sheet.panels, |point| point.0);
    for (number, panel) in sheet.panels.iter().enumerate() {
        draw(&mut out, corner(number), panel, lengths, sheet.even);
    }
    let (x, y) = corner(sheet.panels.len());
    for (number, line) in sheet.key.iter().enumerate() {
        let place = (x + MARGINS[3], y + MARGINS[0] + 12.0 + 18.0 * number as f64);
        text(&mut out, place, "ink", "start", line);
    }
    out + "</svg>\n"
}

fn style() -> String {
    let colours = |ground: &str, ink: &str, faint: &str, grid: &str, hues: [&str; HUES]| {
        let mut out = format!(
            ".ground{{fill:{ground}}}.ink,.fo{{fill:{ink}}}.faint{{fill:{faint}}}\
             .grid{{stroke:{grid}}}.even,.so{{stroke:{ink}}}.slower{{fill:{grid}}}"
        );
        for (number, hue) in hues.iter().enumerate() {
            let _ = write!(out, ".s{number}{{stroke:{hue}}}.f{number}{{fill:{hue}}}");
        }
        out
    };
    let shapes = "text{font-size:12px}.title{font-size:19px;font-weight:600}\
                  .name{font-size:14px;font-weight:600}.curve{fill:none;stroke-width:1.6;\
                  stroke-linejoin:round}.so.curve{stroke-width:3}.grid,.even{stroke-width:1}\
                  .tie{stroke-width:1;opacity:.5}.slower{opacity:.45}";
    let light = colours("#ffffff", "#1f2328", "#59636e", "#e3e7eb", LIGHT);
    let dark = colours("#0d1117", "#e6edf3", "#9198a1", "#2a313a", DARK);
    format!("{shapes}{light}@media (prefers-color-scheme: dark){{{dark}}}")
}

fn draw(
    out: &mut String,
    corner: (f64, f64),
    panel: &Panel,
    lengths: (f64, f64),
    even: Option<f64>,
) {
    let (left, right) = (corner.0 + MARGINS[3], corner.0 + CELL.0 - MARGINS[1]);
    let (top, bottom) = (corner.1 + MARGINS[0], corner.1 + CELL.1 - MARGINS[2]);
    let values = ends(std::slice::from_ref(panel), |point| point.1);
    let (low, high) = (values.0.min(even.unwrap_or(f64::INFINITY)) / 1.12, values.1 * 1.12);
    let share = |value: f64, low: f64, high: f64| (value / low).ln() / (high / low).ln();
    let x = |length: f64| left + (right - left) * share(length, lengths.0, lengths.1);
    let y = |value: f64| bottom - (bottom - top) * share(value, low, high);

    text(out, (left, top - 12.0), "ink name", "start", &panel.title);
    if let Some(even) = even {
        let (from, height) = (y(even), bottom - y(even));
        let _ = writeln!(
            out,
            "<rect class=\"slower\" x=\"{left:.1}\" y=\"{from:.1}\" width=\"{:.1}\" \
             height=\"{height:.1}\"/>",
            right - left
        );
    }
    for value in ticks(low, high) {
        line(out, "grid", (left, y(value)), (right, y(value)));
        text(out, (left - 7.0, y(value) + 4.0), "faint", "end", &format!("{value}"));
    }
    // Every third doubling from eight bytes on.
    for power in (3..31).step_by(3).map(|power| f64::from(power).exp2()) {
        if (lengths.0..=lengths.1).contains(&power) {
            line(out, "grid", (x(power), top), (x(power), bottom));
            text(out, (x(power), bottom + 17.0), "faint", "middle", &short_size(power));
        }
    }
    if let Some(even) = even {
        line(out, "even", (left, y(even)), (right, y(even)));
    }

    // Ours last: on top.
    let mut series: Vec<&Series> = panel.series.iter().filter(|s| !s.points.is_empty()).collect();
    series.sort_by_key(|series| series.hue.is_none());
    for series in &series {
        let class = class(series);
        let points: Vec<String> =
            series.points.iter().map(|&(a, b)| format!("{:.1},{:.1}", x(a), y(b))).collect();
        let _ =
            writeln!(out, "<polyline class=\"curve s{class}\" points=\"{}\"/>", points.join(" "));
        for point in &points {
            let (cx, cy) = point.split_once(',').unwrap_or_default();
            let radius = if series.hue.is_none() { 3.0 } else { 2.2 };
            let _ = writeln!(
                out,
                "<circle class=\"f{class}\" cx=\"{cx}\" cy=\"{cy}\" r=\"{radius}\"/>"
            );
        }
    }
    let end = |series: &&Series| series.points.last().map_or(bottom, |point| y(point.1));
    series.sort_by(|a, b| end(a).total_cmp(&end(b)));
    let wanted: Vec<f64> = series.iter().map(end).collect();
    for (series, place) in series.iter().zip(spread(&wanted, 15.0, top + 4.0, bottom - 4.0)) {
        let from = series.points.last().map_or((right, bottom), |&(a, b)| (x(a), y(b)));
        line(out, &format!("tie s{}", class(series)), from, (right + 12.0, place));
        let weight = if series.hue.is_none() { " name" } else { "" };
        let class = format!("f{}{weight}", class(series));
        text(out, (right + 15.0, place + 4.0), &class, "start", &series.name);
    }
}

/// Returns the end of a class name: `o` for ours, else the colour.
fn class(series: &Series) -> String {
    series.hue.map_or("o".to_string(), |hue| (hue % HUES).to_string())
}

fn line(out: &mut String, class: &str, from: (f64, f64), to: (f64, f64)) {
    let ((x1, y1), (x2, y2)) = (from, to);
    let _ = writeln!(
        out,
        "<line class=\"{class}\" x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\"/>"
    );
}

fn text(out: &mut String, (x, y): (f64, f64), class: &str, anchor: &str, words: &str) {
    let words = words.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let words: String = words.chars().filter(|c| !c.is_control()).collect();
    let _ = writeln!(
        out,
        "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{words}</text>"
    );
}

/// Returns the least and the greatest value, never the same.
fn ends(panels: &[Panel], of: impl Fn(&(f64, f64)) -> f64) -> (f64, f64) {
    let points = panels.iter().flat_map(|panel| &panel.series).flat_map(|series| &series.points);
    let (low, high) = points
        .map(of)
        .fold((f64::INFINITY, 0f64), |(low, high), value| (low.min(value), high.max(value)));
    if low < high { (low, high) } else { (low.min(1.0) / 2.0, high.max(1.0) * 2.0) }
}

/// Returns round numbers on a logarithmic axis: not too many, not too few.
fn ticks(low: f64, high: f64) -> Vec<f64> {
    let digits: &[f64] = match (high / low).log10() {
        decades if decades < 0.55 => &[1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0],
        decades if decades < 1.1 => &[1.0, 1.5, 2.0, 3.0, 5.0, 7.0],
        decades if decades < 2.2 => &[1.0, 2.0, 5.0],
        _ => &[1.0],
    };
    let powers = low.log10().floor() as i32..=high.log10().ceil() as i32;
    let each = powers.flat_map(|power| {
        // A quotient prints as it should: 0.2, not 0.2000...01.
        let scale = 10f64.powi(power.abs());
        digits.iter().map(move |digit| if power < 0 { digit / scale } else { digit * scale })
    });
    each.filter(|value| (low..=high).contains(value)).collect()
}

/// Writes a size as `8`, `4K` or `16M`.
fn short_size(bytes: f64) -> String {
    match bytes {
        _ if bytes >= 1_048_576.0 => format!("{}M", bytes / 1_048_576.0),
        _ if bytes >= 1024.0 => format!("{}K", bytes / 1024.0),
        _ => format!("{bytes}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_have_round_numbers() {
        assert_eq!(ticks(0.9, 1.6), [1.0, 1.2, 1.5]);
        assert_eq!(ticks(0.15, 12.0), [0.2, 0.5, 1.0, 2.0, 5.0, 10.0]);
        assert_eq!(ticks(0.5, 500.0), [1.0, 10.0, 100.0]);
        assert_eq!((short_size(64.0), short_size(4096.0)), ("64".into(), "4K".into()));
    }

    #[test]
    fn any_sheet_is_well_formed() {
        let series = |points: &[(f64, f64)]| Series {
            name: "<&\u{1b}".to_string(),
            hue: Some(99),
            points: points.to_vec(),
        };
        for points in [&[][..], &[(64.0, 1.0)], &[(8.0, 0.1), (1e6, 900.0)]] {
            let panel = Panel { title: "a < b".to_string(), series: vec![series(points)] };
            let (title, about, key) = ("&".to_string(), vec![String::new()], Vec::new());
            let svg = svg(&Sheet { title, about, panels: vec![panel], key, even: Some(1.0) });
            assert!(!svg.contains("NaN") && !svg.contains("inf") && !svg.contains('\u{1b}'));
            assert_eq!(svg.matches("<text").count(), svg.matches("</text>").count());
        }
    }
}
