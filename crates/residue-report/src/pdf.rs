//! A PDF of charts and text, one figure a page. It needs no fonts: every reader has Helvetica and
//! Courier, and the charts hold nothing but lines, shapes and text.
//!
//! The file is ASCII: other characters of Latin-1 are escaped, and those beyond are question marks.

use crate::COLUMNS;
use crate::text::wrapped;
use roxmltree::{Document, Node};
use std::fmt::Write as _;

/// The size of a page, in points: that of a chart of 900 by 560 CSS pixels.
const PAGE: [f64; 2] = [675.0, 420.0];
const MARGIN: f64 = 36.0;
/// The height of a line of text, in multiples of the font's size.
const LEADING: f64 = 1.25;
/// The size of Courier, whose characters are 0.6 wide, at which a line has [`COLUMNS`].
const SIZE: f64 = (PAGE[0] - 2.0 * MARGIN) / (0.6 * COLUMNS as f64);

/// A document under construction: the content of each page.
#[derive(Debug, Default)]
pub struct Pdf {
    pages: Vec<String>,
}

impl Pdf {
    /// Appends a page with a chart, an SVG document of this crate; nothing if it is none.
    pub fn chart(&mut self, svg: &str) {
        let Ok(document) = Document::parse(svg) else { return };
        let root = document.root_element();
        let view = numbers(root.attribute("viewBox").unwrap_or_default());
        let [_, _, width, height] = view[..] else { return };
        let scale = (PAGE[0] / width).min(PAGE[1] / height);
        // As in SVG, y grows downward.
        let mut page = format!("{scale:.4} 0 0 {:.4} 0 {} cm\n", -scale, PAGE[1]);
        for node in root.descendants().filter(Node::is_element) {
            draw(&mut page, node);
        }
        self.pages.push(page);
    }

    /// Appends text in lines of at most [`COLUMNS`] characters, on as many pages as it takes.
    pub fn text(&mut self, text: &str) {
        let lines: Vec<&str> = text.trim_end().lines().collect();
        let fit = ((PAGE[1] - 2.0 * MARGIN) / (SIZE * LEADING)) as usize;
        for lines in lines.chunks(fit) {
            let (top, leading) = (PAGE[1] - MARGIN - SIZE, SIZE * LEADING);
            let mut page = format!("BT /F3 {SIZE:.3} Tf {leading:.3} TL {MARGIN} {top:.3} Td\n");
            for line in lines {
                let _ = writeln!(page, "({}) '", escaped(line));
            }
            page.push_str("ET\n");
            self.pages.push(page);
        }
    }

    /// Appends paragraphs under a heading.
    pub fn paragraphs(&mut self, heading: &str, paragraphs: &[String]) {
        let all = paragraphs.iter().map(|text| wrapped(&text.replace('`', ""), COLUMNS));
        self.text(&format!("{heading}\n\n{}", all.collect::<Vec<_>>().join("\n\n")));
    }

    /// Returns the file.
    #[must_use]
    pub fn finish(self) -> String {
        const FONTS: [&str; 3] = ["Helvetica", "Helvetica-Bold", "Courier"];
        // Catalog, list of pages, fonts, then a page and its content each.
        let first = 3 + FONTS.len();
        let kids: Vec<String> =
            (0..self.pages.len()).map(|page| format!("{} 0 R", first + 2 * page)).collect();
        let fonts: Vec<String> =
            (1..=FONTS.len()).map(|font| format!("/F{font} {} 0 R", font + 2)).collect();
        let mut objects = vec![
            "<< /Type /Catalog /Pages 2 0 R >>".to_string(),
            format!(
                "<< /Type /Pages /Count {} /Kids [{}] /MediaBox [0 0 {} {}] /Resources << /Font << \
                 {} >> >> >>",
                kids.len(),
                kids.join(" "),
                PAGE[0],
                PAGE[1],
                fonts.join(" ")
            ),
        ];
        objects.extend(FONTS.map(|name| {
            format!(
                "<< /Type /Font /Subtype /Type1 /BaseFont /{name} /Encoding /WinAnsiEncoding >>"
            )
        }));
        for (number, page) in self.pages.iter().enumerate() {
            let content = first + 2 * number + 1;
            objects.push(format!("<< /Type /Page /Parent 2 0 R /Contents {content} 0 R >>"));
            objects.push(format!("<< /Length {} >>\nstream\n{page}endstream", page.len()));
        }
        let mut out = String::from("%PDF-1.4\n");
        let mut places = Vec::new();
        for (number, object) in (1..).zip(&objects) {
            places.push(out.len());
            let _ = write!(out, "{number} 0 obj\n{object}\nendobj\n");
        }
        let (table, size) = (out.len(), objects.len() + 1);
        let _ = write!(out, "xref\n0 {size}\n0000000000 65535 f \n");
        for place in places {
            let _ = writeln!(out, "{place:010} 00000 n ");
        }
        let _ = write!(out, "trailer\n<< /Size {size} /Root 1 0 R >>\nstartxref\n{table}\n%%EOF\n");
        out
    }
}

fn numbers(text: &str) -> Vec<f64> {
    text.split([' ', ',']).filter_map(|word| word.parse().ok()).collect()
}

/// Writes the operators of an element; of one that draws nothing, none.
fn draw(page: &mut String, node: Node<'_, '_>) {
    let number = |name: &str| -> f64 {
        node.attribute(name).and_then(|text| text.parse().ok()).unwrap_or(0.0)
    };
    let paint = |name: &str| node.attribute(name).and_then(|text| colour(text, number("opacity")));
    let points = || numbers(node.attribute("points").unwrap_or_default());
    let mut path = String::new();
    match node.tag_name().name() {
        "rect" => {
            let [x, y, width, height] = ["x", "y", "width", "height"].map(number);
            let _ = write!(path, "{x} {y} {width} {height} re ");
        }
        name @ ("polyline" | "polygon") => {
            for (at, point) in points().as_chunks::<2>().0.iter().enumerate() {
                let to = if at == 0 { 'm' } else { 'l' };
                let _ = write!(path, "{} {} {to} ", point[0], point[1]);
            }
            path.push_str(if name == "polygon" { "h " } else { "" });
        }
        "circle" => circle(&mut path, ["cx", "cy", "r"].map(number)),
        "text" => return text(page, node),
        _ => return,
    }
    let (fill, stroke) = (paint("fill"), paint("stroke"));
    let paints = match (&fill, &stroke) {
        (Some(_), Some(_)) => 'B',
        (Some(_), None) => 'f',
        (None, Some(_)) => 'S',
        (None, None) => return,
    };
    if let Some(fill) = fill {
        let _ = write!(page, "{fill} rg ");
    }
    if let Some(stroke) = stroke {
        let _ = write!(page, "{stroke} RG {} w ", number("stroke-width").max(1.0));
    }
    let _ = writeln!(page, "{path}{paints}");
}

/// Returns red, green and blue from 0 to 1 of a colour on white paper; `None` for no colour.
fn colour(text: &str, opacity: f64) -> Option<String> {
    let value = u32::from_str_radix(text.strip_prefix('#')?, 16).ok()?;
    let part = |shift: u32| {
        let part = f64::from(value >> shift & 0xff) / 255.0;
        format!("{:.3}", 1.0 - (1.0 - part) * opacity)
    };
    Some([part(16), part(8), part(0)].join(" "))
}

/// Writes a circle as four curves.
fn circle(path: &mut String, [x, y, r]: [f64; 3]) {
    // The distance of control points at which a curve is nearest to a quarter of a circle.
    let c = 0.5523 * r;
    let _ = write!(path, "{} {y} m ", x + r);
    for [x1, y1, x2, y2, x3, y3] in [
        [r, c, c, r, 0.0, r],
        [-c, r, -r, c, -r, 0.0],
        [-r, -c, -c, -r, 0.0, -r],
        [c, -r, r, -c, r, 0.0],
    ] {
        let to = [x + x1, y + y1, x + x2, y + y2, x + x3, y + y3];
        let _ = write!(path, "{} c ", to.map(|n| format!("{n:.2}")).join(" "));
    }
}

/// Writes a line of text, centred on its height; turned, if the element is, to run upward.
fn text(page: &mut String, node: Node<'_, '_>) {
    let number = |name: &str| -> f64 {
        node.attribute(name).and_then(|text| text.parse().ok()).unwrap_or(0.0)
    };
    let words = node.text().unwrap_or_default().trim();
    let Some(fill) = node.attribute("fill").and_then(|text| colour(text, number("opacity"))) else {
        return;
    };
    let bold = node.attribute("font-weight") == Some("bold");
    let size = number("font-size");
    let width = width(words) * size * if bold { 1.06 } else { 1.0 };
    let back = match node.attribute("text-anchor") {
        Some("middle") => width / 2.0,
        Some("end") => width,
        _ => 0.0,
    };
    // Half the height of a small letter.
    let down = 0.26 * size;
    let (x, y) = (number("x"), number("y"));
    let (turn, x, y) = match node.attribute("transform") {
        None => ("1 0 0 -1", x - back, y + down),
        Some(_) => ("0 -1 -1 0", x + down, y + back),
    };
    let font = if bold { 2 } else { 1 };
    let words = escaped(words);
    let _ = writeln!(
        page,
        "BT {fill} rg /F{font} {size:.2} Tf {turn} {x:.2} {y:.2} Tm ({words}) Tj ET"
    );
}

/// Widths of Helvetica's characters from space to tilde, in thousandths of its size.
const WIDTHS: [u16; 95] = [
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556,
    556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667,
    611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667,
    667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500,
    222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
];

/// Returns the width of a text in Helvetica, in multiples of its size.
fn width(text: &str) -> f64 {
    let of = |c: char| WIDTHS.get((c as usize).wrapping_sub(32)).copied().unwrap_or(556);
    text.chars().map(|c| f64::from(of(c)) / 1000.0).sum()
}

/// Writes a string of PDF, without its parentheses.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match (c, u8::try_from(c)) {
            ('(' | ')' | '\\', _) => out.extend(['\\', c]),
            (' '..='~', _) => out.push(c),
            ('“' | '”', _) => out.push('"'),
            ('’', _) => out.push('\''),
            (_, Ok(byte @ 0xa0..)) => {
                let _ = write!(out, "\\{byte:03o}");
            }
            _ => out.push('?'),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_object_is_where_the_table_says() {
        let mut pdf = Pdf::default();
        pdf.chart(
            "<svg viewBox=\"0 0 3600 2240\"><rect x=\"1\" y=\"2\" width=\"3\" height=\"4\" \
             fill=\"#FFFFFF\" opacity=\"1\" stroke=\"none\"/><polyline points=\"1,2 3,4 \" \
             fill=\"none\" stroke=\"#222222\" opacity=\"0.5\" stroke-width=\"4\"/><circle cx=\"5\" \
             cy=\"5\" r=\"2\" fill=\"#000000\" opacity=\"1\"/><polygon points=\"1,1 2,2 3,1\" \
             fill=\"#FF0000\" opacity=\"1\"/><text x=\"7\" y=\"8\" text-anchor=\"middle\" \
             font-size=\"10\" fill=\"#222222\" opacity=\"1\" transform=\"rotate(270, 7, 8)\">a (b) \
             ± →</text></svg>",
        );
        pdf.chart("no SVG");
        pdf.text(&"line\n".repeat(100));
        pdf.paragraphs("Heading", &["A `kernel`.".into()]);
        let file = pdf.finish();
        assert!(file.is_ascii() && file.starts_with("%PDF-1.4\n") && file.ends_with("%%EOF\n"));
        for part in [
            "1 2 3 4 re f",
            "0.567 0.567 0.567 RG 4 w 1 2 m 3 4 l S",
            "1.000 0.000 0.000 rg 1 1 m 2 2 l 3 1 l h f",
            "(a \\(b\\) \\261 ?) Tj",
            "(A kernel.) '",
        ] {
            assert!(file.contains(part), "{part}:\n{file}");
        }
        let at = file.rfind("xref\n0 ").expect("a table");
        let places: Vec<usize> = file[at..]
            .lines()
            .filter_map(|line| line.strip_suffix(" 00000 n ")?.parse().ok())
            .collect();
        // One chart, the lines on several pages, and one of paragraphs.
        assert!(places.len() >= 5 + 2 * 4, "{}", places.len());
        for (number, place) in (1..).zip(places) {
            assert!(file[place..].starts_with(&format!("{number} 0 obj\n")), "{number}");
        }
        for stream in file.split("/Length ").skip(1) {
            let (length, content) = stream.split_once(" >>\nstream\n").expect("a stream");
            let length: usize = length.parse().expect("a number");
            assert!(content[length..].starts_with("endstream\n"));
        }
    }
}
