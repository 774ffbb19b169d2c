//! A sheet of small panels: curves against the length in bytes on logarithmic axes, with colours
//! for light and dark grounds. [`svg`] draws it.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::axis::{self, Area, Axis};
use super::pen::{Drawn, Place, bar, line, marker, polyline, text};
use super::{Color, HPos, RGBColor, Root, drawable, sized};
use crate::labels::spread;

/// One curve of a panel.
pub struct Series {
    /// The name at its end.
    pub name: String,
    /// Whether it is the subject of the sheet: bold, in the colour of the text, above the others.
    pub bold: bool,
    /// The length in bytes and the value, by length; pairs without a place on logarithmic axes are
    /// left out.
    pub points: Vec<(f64, f64)>,
}

/// One chart of a sheet.
pub struct Panel {
    /// The heading.
    pub title: String,
    /// The curves.
    pub series: Vec<Series>,
}

/// The panels and the text about them.
///
/// A name has one colour in all panels. Each panel has its own axis of values.
pub struct Sheet {
    /// The heading.
    pub title: String,
    /// Lines below the heading.
    pub about: Vec<String>,
    /// The panels, two in a row.
    pub panels: Vec<Panel>,
    /// Lines that explain the axes, in the place after the last panel.
    pub key: Vec<String>,
    /// A value to draw a line at, with the area below it shaded.
    pub even: Option<f64>,
}

/// A colour on a light ground, and the one that replaces it on a dark ground.
type Shades = (RGBColor, RGBColor);

const GROUND: Shades = (RGBColor(255, 255, 255), RGBColor(13, 17, 23));
const INK: Shades = (RGBColor(31, 35, 40), RGBColor(230, 237, 243));
const FAINT: Shades = (RGBColor(89, 99, 110), RGBColor(145, 152, 161));
const GRID: Shades = (RGBColor(227, 231, 235), RGBColor(42, 49, 58));

/// Colours after Okabe and Ito, without their black, yellow and light blue, with a violet, a brown
/// and a grey.
const HUES: [Shades; 8] = [
    (RGBColor(0, 114, 178), RGBColor(74, 163, 223)),
    (RGBColor(213, 94, 0), RGBColor(255, 138, 76)),
    (RGBColor(0, 158, 115), RGBColor(47, 199, 154)),
    (RGBColor(196, 100, 154), RGBColor(227, 154, 196)),
    (RGBColor(209, 143, 0), RGBColor(242, 184, 75)),
    (RGBColor(106, 79, 179), RGBColor(179, 157, 219)),
    (RGBColor(140, 86, 75), RGBColor(201, 160, 143)),
    (RGBColor(125, 125, 125), RGBColor(168, 168, 168)),
];

const COLUMNS: usize = 2;
/// The size of a panel with its margins, in CSS pixels.
const CELL: (f64, f64) = (500.0, 280.0);
/// The height of the heading and the lines below it.
const HEAD: f64 = 84.0;
/// The margins of the plotting area in a panel: above, right, below, left.
const MARGINS: [f64; 4] = [34.0, 144.0, 40.0, 56.0];
/// The numbers on the axis of lengths that there is room for.
const LENGTHS: i32 = 8;

/// Draws the sheet as a complete SVG document for a file of its own: its style sheet, which
/// replaces the colours on a dark ground, would affect other drawings on a page.
#[must_use]
pub fn svg(sheet: &Sheet) -> String {
    let rows = (sheet.panels.len() + 1).div_ceil(COLUMNS);
    let size = ((CELL.0 * COLUMNS as f64) as u32, (HEAD + CELL.1 * rows as f64) as u32);
    let lines = sheet.about.iter().chain(&sheet.key).filter(|line| !line.is_empty());
    let about = lines.map(String::as_str).collect::<Vec<_>>().join(" ");
    sized(size, &style(), &sheet.title, &about, |root| draw(root, sheet))
}

/// Returns the style sheet: the drawing library writes colours as attributes, which rules with
/// attribute selectors override.
fn style() -> String {
    let mut out = "polyline{stroke-linejoin:round}@media (prefers-color-scheme: dark){".to_string();
    for (light, dark) in [GROUND, INK, FAINT, GRID].into_iter().chain(HUES) {
        let [light, dark] =
            [light, dark].map(|RGBColor(r, g, b)| format!("#{r:02X}{g:02X}{b:02X}"));
        let _ =
            write!(out, "[fill=\"{light}\"]{{fill:{dark}}}[stroke=\"{light}\"]{{stroke:{dark}}}");
    }
    out + "}"
}

fn draw(root: &Root<'_>, sheet: &Sheet) -> Drawn {
    root.fill(&GROUND.0)?;
    text(root, &sheet.title, (20.0, 24.0), 19.0, INK.0, HPos::Left, true)?;
    for (number, about) in sheet.about.iter().enumerate() {
        let at = (20.0, 46.0 + 17.0 * number as f64);
        text(root, about, at, 12.0, FAINT.0, HPos::Left, false)?;
    }
    let corner = |number: usize| {
        let (row, column) = (number / COLUMNS, number % COLUMNS);
        (CELL.0 * column as f64, HEAD + CELL.1 * row as f64)
    };
    let points = sheet.panels.iter().flat_map(|panel| &panel.series).flat_map(drawn);
    let (lengths, hues) = (axis::sizes(points.map(|point| point.0), LENGTHS), hues(&sheet.panels));
    for (number, panel) in sheet.panels.iter().enumerate() {
        draw_panel(root, corner(number), panel, &lengths, sheet.even, &hues)?;
    }
    let (x, y) = corner(sheet.panels.len());
    for (number, key) in sheet.key.iter().enumerate() {
        let at = (x + MARGINS[3], y + MARGINS[0] + 8.0 + 18.0 * number as f64);
        text(root, key, at, 12.0, INK.0, HPos::Left, false)?;
    }
    Ok(())
}

/// Returns the points that have a place on logarithmic axes.
fn drawn(series: &Series) -> impl Iterator<Item = (f64, f64)> + '_ {
    series.points.iter().copied().filter(|&(length, value)| drawable(length) && drawable(value))
}

/// Returns the number of each name's colour: one that no other curve of its first panel has, and
/// of these the one with the fewest names.
fn hues(panels: &[Panel]) -> BTreeMap<&str, usize> {
    let mut hues = BTreeMap::new();
    for panel in panels {
        let names = || panel.series.iter().filter(|one| !one.bold).map(|one| one.name.as_str());
        let mut taken: Vec<usize> = names().filter_map(|name| hues.get(name).copied()).collect();
        for name in names() {
            if hues.contains_key(name) {
                continue;
            }
            let uses = |hue: usize| hues.values().filter(|&&other| other == hue).count();
            let free = (0..HUES.len()).filter(|hue| !taken.contains(hue));
            let hue = free.min_by_key(|&hue| uses(hue)).unwrap_or(0);
            taken.push(hue);
            hues.insert(name, hue);
        }
    }
    hues
}

fn draw_panel(
    root: &Root<'_>,
    corner: Place,
    panel: &Panel,
    lengths: &Axis,
    even: Option<f64>,
    hues: &BTreeMap<&str, usize>,
) -> Drawn {
    let [above, right, below, left] = MARGINS;
    let (left, right) = (corner.0 + left, corner.0 + CELL.0 - right);
    let (top, bottom) = (corner.1 + above, corner.1 + CELL.1 - below);
    let values = panel.series.iter().flat_map(drawn).map(|point| point.1).chain(even);
    let values = axis::costs(values);
    let area = Area::new([left, right, top, bottom], lengths, &values);

    text(root, &panel.title, (left, top - 17.0), 14.0, INK.0, HPos::Left, true)?;
    if let Some(even) = even {
        bar(root, (left, area.y(even)), (right, bottom), GRID.0.mix(0.45))?;
    }
    for value in &values.bold {
        let at = area.y(*value);
        line(root, (left, at), (right, at), GRID.0.to_rgba(), 1.0)?;
        let label = axis::cost_label(value);
        text(root, &label, (left - 7.0, at), 12.0, FAINT.0, HPos::Right, false)?;
    }
    for length in &lengths.bold {
        let at = area.x(*length);
        line(root, (at, top), (at, bottom), GRID.0.to_rgba(), 1.0)?;
        let label = axis::short_size_label(*length);
        text(root, &label, (at, bottom + 13.0), 12.0, FAINT.0, HPos::Center, false)?;
    }
    if let Some(even) = even {
        line(root, (left, area.y(even)), (right, area.y(even)), INK.0.to_rgba(), 1.0)?;
    }
    draw_series(root, &area, panel, hues)
}

/// Draws the curves of a panel, and the name of each right of the plotting area.
fn draw_series(root: &Root<'_>, area: &Area, panel: &Panel, hues: &BTreeMap<&str, usize>) -> Drawn {
    let mut ends: Vec<(Place, &Series, usize, RGBColor)> = Vec::new();
    let mut order: Vec<&Series> = panel.series.iter().collect();
    order.sort_by_key(|series| series.bold);
    for series in order {
        let places: Vec<Place> = drawn(series).map(|(x, y)| (area.x(x), area.y(y))).collect();
        let Some(&end) = places.last() else { continue };
        let hue = hues.get(series.name.as_str()).copied().unwrap_or(0);
        let color = if series.bold { INK.0 } else { HUES[hue].0 };
        let (width, scale) = if series.bold { (3.0, 0.75) } else { (1.6, 0.55) };
        polyline(root, &places, color.to_rgba(), width, None)?;
        for place in places {
            marker(root, place, hue, color.to_rgba(), false, scale)?;
        }
        ends.push((end, series, hue, color));
    }
    ends.sort_by(|a, b| a.0.1.total_cmp(&b.0.1));
    let wanted: Vec<f64> = ends.iter().map(|(end, ..)| end.1).collect();
    let heights = spread(&wanted, 15.0, area.top + 4.0, area.bottom - 4.0);
    for ((end, series, hue, color), y) in ends.into_iter().zip(heights) {
        line(root, end, (area.right + 10.0, y), color.mix(0.5), 1.0)?;
        marker(root, (area.right + 14.0, y), hue, color.to_rgba(), false, 0.75)?;
        let size = if series.bold { 14.0 } else { 12.0 };
        let at = (area.right + 22.0, y);
        text(root, &series.name, at, size, color, HPos::Left, series.bold)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn panel(names: &[&str], points: &[(f64, f64)]) -> Panel {
        let series = |&name: &&str| Series {
            name: name.to_string(),
            bold: name == "ours",
            points: points.to_vec(),
        };
        Panel { title: "a < b".to_string(), series: names.iter().map(series).collect() }
    }

    #[test]
    fn any_sheet_is_well_formed() {
        let odd = [(0.0, 1.0), (8.0, -1.0), (8.0, f64::NAN), (64.0, f64::INFINITY)];
        for points in [&[][..], &[(64.0, 1.0)], &[(8.0, 0.1), (1e6, 900.0)], &odd] {
            let panels = vec![panel(&["<&\u{1b}", "ours"], points)];
            let (title, about, key) = ("&".to_string(), vec![String::new()], Vec::new());
            let svg = svg(&Sheet { title, about, panels, key, even: Some(1.0) });
            let document = roxmltree::Document::parse(&svg).unwrap();
            assert_eq!(document.root_element().attribute("height"), Some("364"));
            assert!(!svg.contains("NaN") && !svg.contains("inf"));
        }
    }

    #[test]
    fn every_colour_has_one_for_dark_grounds() {
        let panels = vec![panel(&["a", "b", "ours"], &[(8.0, 0.5), (1500.0, 20.0)])];
        let (title, about, key) = (String::new(), vec!["about".into()], vec!["key".into()]);
        let svg = svg(&Sheet { title, about, panels, key, even: Some(1.0) });
        for attribute in ["fill", "stroke"] {
            for rest in svg.split(&format!(" {attribute}=\"#")).skip(1) {
                let selector = format!("[{attribute}=\"#{}\"]{{", &rest[..6]);
                assert!(svg.contains(&selector), "{selector}");
            }
        }
    }

    #[test]
    fn colours_differ_within_a_panel_and_stay() {
        let panels = [panel(&["ours", "a", "b"], &[]), panel(&["c", "a"], &[])];
        assert_eq!(hues(&panels), BTreeMap::from([("a", 0), ("b", 1), ("c", 2)]));
    }
}
