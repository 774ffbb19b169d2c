//! Intel's figures 2 and 3: the CRC's cost by size, and the parts of a data-in PDU's cost.

use super::published::{Intel, totals};
use super::{Costs, FUSED, Row, SIZES};
use residue_report::Figure;
use residue_report::chart::pen::{Drawn, bar, line, polyline, text, upward_text};
use residue_report::chart::{
    self, Color, Curve, FAINT, HPos, HUES, INK, Plot, RGBColor, Root, SIZE, Sample,
};
use residue_report::text::{day, shortened};

/// Draws both figures.
#[must_use]
pub fn figures(costs: &Costs) -> Vec<Figure> {
    let machine = format!("{}, {}.", shortened(&costs.cpu, 60), day(&costs.date));
    vec![by_size(costs, &machine), parts(costs, &machine)]
}

/// Returns the kernels, each with its rows.
fn kernels(costs: &Costs) -> Vec<&[Row]> {
    costs.rows.chunk_by(|a, b| a.kernel == b.kernel).collect()
}

fn by_size(costs: &Costs, machine: &str) -> Figure {
    let mut curves = Vec::new();
    for (hue, rows) in kernels(costs).into_iter().enumerate() {
        let sample = |row: &Row| Sample::exact(row.bytes, row.crc);
        let samples = rows.iter().filter_map(sample).collect();
        curves.push(Curve { label: rows[0].kernel.clone(), hue, published: false, samples });
        if let Some(cost) = Intel::of(&rows[0]).per_byte {
            let samples = Sample::exact(8192, cost * 8192.0).into_iter().collect();
            let label = format!("{}, Intel 2006", rows[0].kernel);
            curves.push(Curve { label, hue, published: true, samples });
        }
    }
    let title = "The CRC of a data-in PDU, by read size".to_string();
    let key = "Filled: this CPU. Hollow: Intel 2006, in the text beside figure 2.".to_string();
    let plot = Plot {
        title: format!("Figure 2  {title}"),
        subtitle: format!("{machine} Header and data digest, core cycles, medians."),
        key,
        curves,
        unit: "core cycles per PDU",
        bars: false,
    };
    let caption = "The line of the fused pass holds the copy too.".to_string();
    Figure { id: "iscsi-2".into(), title, caption, svg: chart::svg(&plot) }
}

/// Left and right end of the bars, and the heights of 100 % and 0 %, in CSS pixels.
const BARS: [f64; 4] = [64.0, 884.0, 176.0, 476.0];
/// The parts from the bottom up: protocol, copy, CRC; and both in one pass.
const PARTS: [(&str, usize); 4] =
    [("protocol", 0), ("copy", 2), ("CRC", 1), ("CRC and copy in one pass", 5)];

fn parts(costs: &Costs, machine: &str) -> Figure {
    let title = "What a data-in PDU costs, and what of it the CRC".to_string();
    let subtitle =
        format!("{machine} Shares of the parts; above them the whole in core cycles, medians.");
    let key = "Full colours: this CPU. Pale, to the right: Intel 2006, figure 3 (only what its \
        text gives).";
    let whole = format!("Figure 3  {title}");
    let about = format!("{subtitle} {key}");
    let svg = chart::document(&whole, &about, |root| {
        chart::heading(root, &whole, [&subtitle, key])?;
        legend(root)?;
        panels(root, costs)
    });
    let caption = totals(costs).join(" ");
    Figure { id: "iscsi-3".into(), title, caption, svg }
}

fn legend(root: &Root<'_>) -> Drawn {
    let mut at = 24.0;
    for (name, hue) in PARTS {
        bar(root, (at, 84.0), (at + 12.0, 96.0), HUES[hue].to_rgba())?;
        text(root, name, (at + 18.0, 90.0), 12.0, INK, HPos::Left, false)?;
        at += 48.0 + 7.0 * name.len() as f64;
    }
    Ok(())
}

fn panels(root: &Root<'_>, costs: &Costs) -> Drawn {
    let [left, right, top, bottom] = BARS;
    for percent in [0u8, 25, 50, 75, 100] {
        let at = bottom - f64::from(percent) / 100.0 * (bottom - top);
        line(root, (left, at), (right, at), INK.mix(0.16), 1.0)?;
        text(root, &format!("{percent} %"), (left - 8.0, at), 12.0, INK, HPos::Right, false)?;
    }
    let kernels = kernels(costs);
    let width = (right - left) / kernels.len().max(1) as f64;
    for (panel, rows) in kernels.into_iter().enumerate() {
        let start = left + width * panel as f64;
        let slot = (width - 16.0) / SIZES.len() as f64;
        for (number, row) in rows.iter().enumerate() {
            let middle = start + 8.0 + slot * (number as f64 + 0.5);
            let intel = Intel::of(row);
            // One bar in the middle, or two side by side.
            let (place, half) =
                if intel.shares.is_some() { (middle - 8.0, 7.0) } else { (middle, 9.0) };
            let sum = row.protocol + row.copy + row.crc;
            let shares = [row.protocol, row.copy, row.crc].map(|part| part / sum);
            stack(root, (place, half), shares, row.about == FUSED, 1.0)?;
            total(root, place, Some(row.whole), INK)?;
            if let Some(shares) = intel.shares {
                stack(root, (middle + 8.0, half), shares, false, 0.4)?;
                total(root, middle + 8.0, intel.whole, FAINT)?;
            }
            let size = row.bytes.to_string();
            text(root, &size, (middle, bottom + 14.0), 11.0, INK, HPos::Center, false)?;
        }
        let middle = start + width / 2.0;
        let name = shortened(&rows[0].kernel, 28);
        text(root, &name, (middle, bottom + 36.0), 12.5, INK, HPos::Center, true)?;
        text(root, rows[0].about, (middle, bottom + 53.0), 11.5, FAINT, HPos::Center, false)?;
        if panel > 0 {
            line(root, (start, top - 56.0), (start, bottom + 60.0), INK.mix(0.25), 1.0)?;
        }
    }
    let corners = [(left, top), (left, bottom), (right, bottom)];
    polyline(root, &corners, INK.mix(0.7), 1.0, None)?;
    let height = f64::from(SIZE.1) - 14.0;
    text(
        root,
        "bytes of data in a PDU",
        ((left + right) / 2.0, height),
        13.0,
        INK,
        HPos::Center,
        false,
    )
}

/// Draws protocol, copy and CRC, one upon the other, around a place and half a width wide to both
/// sides.
fn stack(
    root: &Root<'_>,
    (place, half): (f64, f64),
    shares: [f64; 3],
    fused: bool,
    strength: f64,
) -> Drawn {
    let [_, _, top, bottom] = BARS;
    let mut low = bottom;
    for (part, share) in shares.into_iter().enumerate() {
        let high = low - share.clamp(0.0, 1.0) * (bottom - top);
        let hue = PARTS[if fused && part == 2 { 3 } else { part }].1;
        bar(root, (place - half, high), (place + half, low), HUES[hue].mix(strength))?;
        low = high;
    }
    Ok(())
}

fn total(root: &Root<'_>, place: f64, cycles: Option<f64>, ink: RGBColor) -> Drawn {
    match cycles {
        Some(cycles) => {
            upward_text(root, &format!("{cycles:.0}"), (place, BARS[2] - 26.0), 11.0, ink)
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_figures_are_drawn_whatever_the_costs() {
        let row = |kernel: &str, about, bytes, part: f64| Row {
            kernel: kernel.into(),
            about,
            bytes,
            protocol: part,
            crc: part,
            copy: part,
            whole: part * 3.0,
        };
        for part in [1.0, 0.0, 1e9, f64::NAN, f64::INFINITY] {
            let kernels = [("bytewise", "Sarwate"), ("slicing8", "<&>"), ("copy", FUSED)];
            let rows = kernels
                .iter()
                .flat_map(|&(kernel, about)| SIZES.map(|bytes| row(kernel, about, bytes, part)));
            let costs = Costs {
                cpu: "Example <9999>".into(),
                date: "2026-01-02T03:04:05Z".into(),
                ns_per_cycle: 1.0,
                rows: rows.collect(),
            };
            let figures = figures(&costs);
            assert_eq!(figures.len(), 2);
            for figure in figures {
                roxmltree::Document::parse(&figure.svg).unwrap();
                assert!(figure.svg.contains("2026-01-02"));
            }
        }
    }
}
