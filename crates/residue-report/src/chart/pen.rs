//! The few strokes a chart is made of, in CSS pixels. Each fails only if the drawing library does.

use plotters::coord::Shift;
use plotters::element::DashedPathElement;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::text::clean;

/// The factor by which a chart is drawn larger than shown. The drawing library rounds to whole
/// units; curves and dashes sit on quarters of a pixel.
pub(super) const SCALE: f64 = 4.0;

/// The area that a chart is drawn on.
pub type Root<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// The result of drawing.
pub type Drawn = Result<(), Box<dyn std::error::Error>>;

/// Right and down, in CSS pixels.
pub type Place = (f64, f64);

/// CSS pixels to the library's units.
fn units(place: Place) -> (i32, i32) {
    ((place.0 * SCALE).round() as i32, (place.1 * SCALE).round() as i32)
}

fn stroke(color: RGBAColor, width: f64) -> ShapeStyle {
    ShapeStyle { color, filled: false, stroke_width: (width * SCALE).round() as u32 }
}

/// Draws a straight line.
pub fn line(root: &Root<'_>, from: Place, to: Place, color: RGBAColor, width: f64) -> Drawn {
    Ok(root.draw(&PathElement::new([units(from), units(to)], stroke(color, width)))?)
}

/// Draws a line through all the places, dashed if it is given lengths of dash and gap. Draws
/// nothing for fewer than two places.
pub fn polyline(
    root: &Root<'_>,
    places: &[Place],
    color: RGBAColor,
    width: f64,
    dashes: Option<(f64, f64)>,
) -> Drawn {
    let points: Vec<_> = places.iter().copied().map(units).collect();
    if points.len() < 2 {
        return Ok(());
    }
    let style = stroke(color, width);
    match dashes {
        Some((dash, gap)) => {
            let (dash, gap) = ((dash * SCALE) as u32, (gap * SCALE) as u32);
            Ok(root.draw(&DashedPathElement::new(points, dash, gap, style))?)
        }
        None => Ok(root.draw(&PathElement::new(points, style))?),
    }
}

/// Draws the marker of a hue: a shape of its own, so that curves differ without colour. Markers of
/// published curves are hollow; `scale` 1 is the usual size.
pub fn marker(
    root: &Root<'_>,
    at: Place,
    hue: usize,
    color: RGBAColor,
    hollow: bool,
    scale: f64,
) -> Drawn {
    let radius = scale * if hollow { 3.0 } else { 4.0 };
    let corners: &[Place] = match hue % 7 {
        0 => &[],
        1 => &[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)],
        2 => &[(0.0, -1.2), (1.15, 0.9), (-1.15, 0.9)],
        3 => &[(0.0, -1.3), (1.3, 0.0), (0.0, 1.3), (-1.3, 0.0)],
        4 => &[(0.0, 1.2), (1.15, -0.9), (-1.15, -0.9)],
        5 => &[(1.2, 0.0), (-0.9, 1.15), (-0.9, -1.15)],
        _ => &[(-1.2, 0.0), (0.9, 1.15), (0.9, -1.15)],
    };
    let filled = |color: RGBAColor| ShapeStyle { color, filled: true, stroke_width: 0 };
    let inside = if hollow { WHITE.to_rgba() } else { color };
    if corners.is_empty() {
        let radius = (radius * SCALE) as i32;
        root.draw(&Circle::new(units(at), radius, filled(inside)))?;
        if hollow {
            root.draw(&Circle::new(units(at), radius, stroke(color, 1.25)))?;
        }
        return Ok(());
    }
    let mut outline: Vec<_> =
        corners.iter().map(|(x, y)| units((at.0 + x * radius, at.1 + y * radius))).collect();
    root.draw(&Polygon::new(outline.clone(), filled(inside)))?;
    if hollow {
        outline.extend(outline.first().copied());
        root.draw(&PathElement::new(outline, stroke(color, 1.25)))?;
    }
    Ok(())
}

/// Draws an arrow whose tip is at `at`; `way` -1 points upward, 1 downward.
pub fn arrow(root: &Root<'_>, at: Place, way: f64, color: RGBAColor) -> Drawn {
    let outline = [(0.0, 0.0), (4.5, -9.0), (-4.5, -9.0)];
    let outline = outline.map(|(x, y)| units((at.0 + x, at.1 + y * way)));
    let filled = ShapeStyle { color, filled: true, stroke_width: 0 };
    Ok(root.draw(&Polygon::new(outline.to_vec(), filled))?)
}

/// Draws a filled rectangle between two corners.
pub fn bar(root: &Root<'_>, from: Place, to: Place, color: RGBAColor) -> Drawn {
    let filled = ShapeStyle { color, filled: true, stroke_width: 0 };
    Ok(root.draw(&Rectangle::new([units(from), units(to)], filled))?)
}

/// Writes words in one line, centred on the height of `at`.
pub fn text(
    root: &Root<'_>,
    words: &str,
    at: Place,
    size: f64,
    ink: RGBColor,
    h: HPos,
    bold: bool,
) -> Drawn {
    let style = if bold { FontStyle::Bold } else { FontStyle::Normal };
    let style = TextStyle::from(font(size, style)).color(&ink).pos(Pos::new(h, VPos::Center));
    Ok(root.draw(&Text::new(clean(words), units(at), style))?)
}

/// Writes words that read upward, centred on `at`.
pub fn upward_text(root: &Root<'_>, words: &str, at: Place, size: f64, ink: RGBColor) -> Drawn {
    let font = font(size, FontStyle::Normal).transform(FontTransform::Rotate270);
    let style = TextStyle::from(font).color(&ink).pos(Pos::new(HPos::Center, VPos::Center));
    Ok(root.draw(&Text::new(clean(words), units(at), style))?)
}

fn font(size: f64, style: FontStyle) -> FontDesc<'static> {
    // The library divides every font size by 1.24 on its way into SVG.
    FontDesc::new(FontFamily::SansSerif, size * SCALE * 1.24, style)
}
