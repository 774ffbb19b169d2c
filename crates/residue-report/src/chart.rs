//! Charts as SVG. [`svg`] draws a [`Plot`]: two logarithmic axes, curves with error bars, and each
//! curve's name at its end. A [`sheet`] has several small ones. Other charts are drawn into a
//! [`document`] with the strokes of [`pen`].

mod axis;
pub mod bars;
pub mod pen;
pub mod sheet;

use plotters::prelude::*;

use crate::labels::spread;
use crate::number::Estimate;
use crate::text::escaped;
use axis::{Area, Axis};
pub use pen::Root;
use pen::{Drawn, Place, SCALE, arrow, line, marker, polyline, text, upward_text};
pub use plotters::style::{Color, RGBAColor, RGBColor, text_anchor::HPos};

/// The size of a chart in CSS pixels.
pub const SIZE: (u32, u32) = (900, 560);

/// The room around the plotting area, in CSS pixels: above, right, below, left.
const MARGINS: [f64; 4] = [98.0, 238.0, 58.0, 70.0];

/// Okabe and Ito's colours, which stay apart for colour-blind eyes; without the yellow, too pale on
/// white.
pub const HUES: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(0, 0, 0),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
];

/// The colour of text and axes.
pub const INK: RGBColor = RGBColor(34, 34, 34);
/// The colour of text that matters less.
pub const FAINT: RGBColor = RGBColor(95, 95, 95);

/// Sizes that matter on the wire (one Ethernet frame, one jumbo frame) and are no powers of two.
const GUIDES: [f64; 2] = [1500.0, 9000.0];

/// A point of a curve: size in bytes, cost in the plot's unit, and the ends of the cost's
/// interval.
#[derive(Debug, Clone, Copy)]
pub struct Sample {
    bytes: f64,
    cost: f64,
    low: f64,
    high: f64,
    /// A cost that nothing disturbed, which the axis must show; `None` if there is none.
    usual: Option<f64>,
}

/// Costs that have a place on a logarithmic axis.
fn drawable(cost: f64) -> bool {
    (1e-9..=1e9).contains(&cost)
}

impl Sample {
    /// Makes a point for logarithmic axes; `None` for zeros, negatives and what is no number.
    /// `usual` is a cost that nothing disturbed, which the axis must show.
    #[must_use]
    pub fn new(bytes: usize, estimate: Estimate, usual: Option<f64>) -> Option<Sample> {
        let Estimate { value: cost, low, high } = estimate;
        // An interval that reaches zero has no lower end on a logarithmic axis: a tenth stands for
        // it.
        let low = if low.is_finite() { low.min(cost).max(cost / 10.0) } else { cost };
        let high = if high.is_finite() { high.max(cost).min(cost * 10.0) } else { cost };
        let bytes = bytes as f64;
        let sample = Sample { bytes, cost, low, high, usual: usual.filter(|&cost| drawable(cost)) };
        (bytes > 0.0 && drawable(cost)).then_some(sample)
    }

    /// Makes a point without an interval.
    #[must_use]
    pub fn exact(bytes: usize, cost: f64) -> Option<Sample> {
        Sample::new(bytes, Estimate { value: cost, low: cost, high: cost }, Some(cost))
    }

    /// Returns the costs that the axis must show: the usual one, and so much of the interval as is
    /// near it.
    fn reach(&self) -> Option<[f64; 2]> {
        const NEAR: f64 = 1.5;
        let usual = self.usual?;
        let near = |end: f64| end.clamp(usual / NEAR, usual * NEAR);
        Some([near(self.low), near(self.high)])
    }
}

/// One curve.
pub struct Curve {
    /// The name at its end.
    pub label: String,
    /// The number of the colour and marker; a published curve shares them with ours.
    pub hue: usize,
    /// Whether it was published, not measured here: dashed then.
    pub published: bool,
    /// The points, by size.
    pub samples: Vec<Sample>,
}

/// The unit of most charts.
pub const PER_BYTE: &str = "core cycles per byte";

/// Everything one chart shows.
pub struct Plot {
    /// The heading.
    pub title: String,
    /// The first line below it: who measured what, and when.
    pub subtitle: String,
    /// The second line below it: how to read the curves.
    pub key: String,
    /// The curves.
    pub curves: Vec<Curve>,
    /// The unit of the curves' costs, in words.
    pub unit: &'static str,
    /// Whether the intervals are what the chart is about: small markers then, and every bar drawn.
    pub bars: bool,
}

/// Draws a plot as a complete SVG document. A chart that cannot be drawn comes out blank but
/// well-formed; the drawing library only fails on output devices, and a string is none.
#[must_use]
pub fn svg(plot: &Plot) -> String {
    let about = format!("{}. {}", plot.subtitle, plot.key);
    document(&plot.title, &about, |root| draw(root, plot))
}

/// Returns what `draw` draws as a complete SVG document of [`SIZE`], with a title and a description
/// for those who cannot see it.
#[must_use]
pub fn document(title: &str, about: &str, draw: impl FnOnce(&Root<'_>) -> Drawn) -> String {
    sized(SIZE, "", title, about, draw)
}

/// Returns a [`document`] of this width and height in CSS pixels, with a style sheet unless `style`
/// is empty.
fn sized(
    (width, height): (u32, u32),
    style: &str,
    title: &str,
    about: &str,
    draw: impl FnOnce(&Root<'_>) -> Drawn,
) -> String {
    let (inner_width, inner_height) = (width * SCALE as u32, height * SCALE as u32);
    let (title, about) = (escaped(title), escaped(about));
    let style = if style.is_empty() { "" } else { &format!("<style>{style}</style>") };
    let opening = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {inner_width} {inner_height}\" role=\"img\"><title>{title}</title>\
         <desc>{about}</desc>{style}"
    );
    let mut out = String::new();
    {
        let backend = SVGBackend::with_string(&mut out, (inner_width, inner_height));
        let root = backend.into_drawing_area();
        if draw(&root).and_then(|()| Ok(root.present()?)).is_err() {
            return format!("{opening}</svg>\n");
        }
    }
    // The library's own opening tag knows neither the scale nor a description.
    match out.find('>') {
        Some(end) => format!("{opening}{}", &out[end + 1..]),
        None => format!("{opening}</svg>\n"),
    }
}

fn draw(root: &Root<'_>, plot: &Plot) -> Drawn {
    let samples = || plot.curves.iter().flat_map(|curve| &curve.samples);
    let x = axis::sizes(samples().map(|s| s.bytes), 12);
    let y = axis::costs(samples().filter_map(Sample::reach).flatten());
    let [above, right, below, left] = MARGINS;
    let (width, height) = (f64::from(SIZE.0), f64::from(SIZE.1));
    let area = Area::new([left, width - right, above, height - below], &x, &y);
    let beyond = samples().any(|s| s.low < y.low || y.high < s.high);
    let note = if beyond { " Arrows: beyond this axis." } else { "" };
    heading(root, &plot.title, [&plot.subtitle, &format!("{}{note}", plot.key)])?;
    frame(root, &area, &x, &y, plot.unit)?;
    // Ours last, so that they lie above the published ones.
    for published in [true, false] {
        for curve in plot.curves.iter().filter(|curve| curve.published == published) {
            draw_curve(root, &area, curve, plot.bars)?;
        }
    }
    draw_labels(root, &area, &plot.curves)
}

/// Draws a white ground, a title, and two lines below it.
///
/// # Errors
/// Returns an error if the drawing library fails.
pub fn heading(root: &Root<'_>, title: &str, lines: [&str; 2]) -> Drawn {
    root.fill(&WHITE)?;
    text(root, title, (24.0, 26.0), 17.0, INK, HPos::Left, true)?;
    text(root, lines[0], (24.0, 48.0), 12.5, FAINT, HPos::Left, false)?;
    text(root, lines[1], (24.0, 66.0), 12.5, FAINT, HPos::Left, false)
}

fn place(area: &Area, sample: &Sample) -> Place {
    (area.x(sample.bytes), area.y(sample.cost))
}

/// Returns the grid, the numbers on it and the names of the axes.
fn frame(root: &Root<'_>, area: &Area, x: &Axis, y: &Axis, unit: &str) -> Drawn {
    let (left, right, top, bottom) = (area.left, area.right, area.top, area.bottom);
    for cost in &y.light {
        line(root, (left, area.y(*cost)), (right, area.y(*cost)), INK.mix(0.06), 1.0)?;
    }
    for cost in &y.bold {
        let at = area.y(*cost);
        line(root, (left, at), (right, at), INK.mix(0.16), 1.0)?;
        text(root, &axis::cost_label(cost), (left - 8.0, at), 12.0, INK, HPos::Right, false)?;
    }
    for bytes in &x.bold {
        let at = area.x(*bytes);
        line(root, (at, top), (at, bottom), INK.mix(0.1), 1.0)?;
        line(root, (at, bottom), (at, bottom + 4.0), INK.mix(0.7), 1.0)?;
        text(root, &axis::size_label(bytes), (at, bottom + 15.0), 12.0, INK, HPos::Center, false)?;
    }
    for bytes in GUIDES.into_iter().filter(|bytes| (x.low..=x.high).contains(bytes)) {
        let at = area.x(bytes);
        line(root, (at, top - 3.0), (at, bottom), INK.mix(0.4), 0.75)?;
        text(root, &format!("{bytes} B"), (at, top - 9.0), 11.0, FAINT, HPos::Center, false)?;
    }
    let corners = [(left, top), (right, top), (right, bottom), (left, bottom), (left, top)];
    polyline(root, &corners, INK.mix(0.7), 1.0, None)?;
    let (middle_x, middle_y) = ((left + right) / 2.0, (top + bottom) / 2.0);
    let name = "buffer size in bytes (logarithmic)";
    text(root, name, (middle_x, bottom + 40.0), 13.0, INK, HPos::Center, false)?;
    upward_text(root, &format!("{unit} (logarithmic)"), (20.0, middle_y), 13.0, INK)
}

fn hue(curve: &Curve) -> RGBColor {
    HUES[curve.hue % HUES.len()]
}

/// Dashes of a published curve: drawn and left out, in CSS pixels.
const DASHES: (f64, f64) = (6.0, 4.0);

/// Returns the width of a curve's line, and its dashes.
fn strokes(curve: &Curve) -> (f64, Option<(f64, f64)>) {
    if curve.published { (1.5, Some(DASHES)) } else { (2.25, None) }
}

fn draw_curve(root: &Root<'_>, area: &Area, curve: &Curve, bars: bool) -> Drawn {
    let color = hue(curve).to_rgba();
    let places: Vec<Place> = curve.samples.iter().map(|sample| place(area, sample)).collect();
    let (width, dashes) = strokes(curve);
    let bars = bars && !curve.published;
    polyline(root, &places, color, if bars { 1.25 } else { width }, dashes)?;
    for (sample, &(x, y)) in curve.samples.iter().zip(&places) {
        let (low, high) = (area.y(sample.low), area.y(sample.high));
        // Shorter than its own caps, a bar would only smear the marker; tables have every margin.
        if bars || low - high > 1.5 {
            let cap = if bars { 6.0 } else { 4.0 };
            line(root, (x, low), (x, high), color, 1.25)?;
            for (end, cost) in [(low, sample.low), (high, sample.high)] {
                match area.beyond(cost) {
                    None => line(root, (x - cap, end), (x + cap, end), color, 1.0)?,
                    Some(way) => arrow(root, (x, end), way, color)?,
                }
            }
        }
        let scale = if bars { 0.5 } else { 1.0 };
        match area.beyond(sample.cost) {
            None => marker(root, (x, y), curve.hue, color, curve.published, scale)?,
            Some(way) => arrow(root, (x, y), way, color)?,
        }
    }
    Ok(())
}

/// Returns the name of each curve right of the plotting area, beside the curve's end or tied to it
/// by a thin line.
fn draw_labels(root: &Root<'_>, area: &Area, curves: &[Curve]) -> Drawn {
    let mut ends: Vec<(Place, &Curve)> = curves
        .iter()
        .filter_map(|curve| Some((place(area, curve.samples.last()?), curve)))
        .collect();
    ends.sort_by(|a, b| a.0.1.total_cmp(&b.0.1));
    let wanted: Vec<f64> = ends.iter().map(|(end, _)| end.1).collect();
    let places = spread(&wanted, 17.0, area.top + 4.0, area.bottom - 4.0);
    for ((end, curve), y) in ends.into_iter().zip(places) {
        let color = hue(curve).to_rgba();
        let (tie, swatch, words) = (area.right + 14.0, area.right + 18.0, area.right + 50.0);
        line(
            root,
            (end.0 + 5.0, end.1),
            (area.right.max(end.0 + 5.0), end.1),
            color.mix(0.35),
            0.75,
        )?;
        line(root, (area.right, end.1), (tie, y), color.mix(0.5), 0.75)?;
        let (width, dashes) = strokes(curve);
        polyline(root, &[(swatch, y), (swatch + 26.0, y)], color, width, dashes)?;
        marker(root, (swatch + 13.0, y), curve.hue, color, curve.published, 1.0)?;
        text(root, &curve.label, (words, y), 11.5, INK, HPos::Left, false)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plot(samples: Vec<Sample>) -> Plot {
        let curve = |published| Curve {
            label: "<&\u{0}\">".into(),
            hue: 99,
            published,
            samples: samples.clone(),
        };
        let title = "a < b & \u{1b}".into();
        Plot {
            title,
            subtitle: "'".into(),
            key: "\"".into(),
            curves: vec![curve(true), curve(false)],
            unit: PER_BYTE,
            bars: true,
        }
    }

    #[test]
    fn any_chart_is_well_formed() {
        let wide =
            |value: f64, margin: f64| Estimate { value, low: value - margin, high: value + margin };
        let one = Sample::new(1500, wide(0.2, 5.0), Some(0.2));
        let far = Sample::new(usize::MAX, wide(1e9, 1e300), Some(1e9));
        let disturbed = Sample::new(64, wide(1e4, 1.0), None);
        for samples in [vec![], vec![one], vec![one, far], vec![one, one], vec![disturbed, one]] {
            let svg = svg(&plot(samples.into_iter().flatten().collect()));
            let document = roxmltree::Document::parse(&svg).unwrap();
            assert_eq!(document.root_element().attribute("width"), Some("900"));
            assert!(!svg.contains("NaN") && !svg.contains("inf"));
        }
    }

    #[test]
    fn what_has_no_place_on_logarithmic_axes_is_left_out() {
        for (bytes, cost) in [(0, 1.0), (64, 0.0), (64, -1.0), (64, f64::NAN), (64, f64::INFINITY)]
        {
            assert!(Sample::exact(bytes, cost).is_none());
        }
        let estimate = Estimate { value: 1.0, low: f64::NAN, high: f64::INFINITY };
        let wide = Sample::new(64, estimate, Some(1.0)).unwrap();
        assert_eq!((wide.low, wide.high), (1.0, 1.0));
    }
}
