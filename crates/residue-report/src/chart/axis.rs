//! The ends of the axes, the values that get a line and a number, and the area between the axes.

use crate::number::{plain_number, significant};

/// A logarithmic axis: its ends, the labelled values and the unlabelled ones between.
pub(super) struct Axis {
    pub(super) low: f64,
    pub(super) high: f64,
    pub(super) bold: Vec<f64>,
    pub(super) light: Vec<f64>,
}

/// Returns the axis of sizes: at most about `room` powers of two with a number, and a third of a
/// doubling to spare at both ends.
pub(super) fn sizes(values: impl Iterator<Item = f64>, room: i32) -> Axis {
    let (low, high) = ends(values, 64.0, 65536.0);
    // A single size still needs a number on each side of it.
    let spare = if high / low < 2.0 { 1.1 } else { 0.33 };
    let (low, high) = (low.log2() - spare, high.log2() + spare);
    let (first, last) = (low.ceil() as i32, high.floor() as i32);
    let step = (last - first) / room + 1;
    let bold = (first..=last).step_by(step as usize).map(|n| f64::from(n).exp2()).collect();
    Axis { low: low.exp2(), high: high.exp2(), bold, light: Vec::new() }
}

/// Returns the axis of costs: as many round numbers in each power of ten as there is room for.
pub(super) fn costs(values: impl Iterator<Item = f64>) -> Axis {
    let (low, high) = ends(values, 0.1, 10.0);
    let spare = if high / low < 1.5 { 0.25 } else { 0.06 };
    let (low, high) = (low.log10() - spare, high.log10() + spare);
    let decades = high - low;
    let numbers: &[f64] = match decades {
        d if d < 0.8 => &[1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0],
        d if d < 1.6 => &[1.0, 1.5, 2.0, 3.0, 5.0, 7.0],
        d if d < 4.0 => &[1.0, 2.0, 5.0],
        _ => &[1.0],
    };
    let step = (decades / 12.0) as usize + 1;
    let powers: Vec<i32> = (low.floor() as i32..=high.ceil() as i32).step_by(step).collect();
    let (low, high) = (10f64.powf(low), 10f64.powf(high));
    let values = |numbers: &[f64]| -> Vec<f64> {
        let each =
            powers.iter().flat_map(|&power| numbers.iter().map(move |n| n * 10f64.powi(power)));
        each.filter(|v| (low..=high).contains(v)).collect()
    };
    let light =
        if decades < 4.0 { values(&[2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]) } else { Vec::new() };
    Axis { bold: values(numbers), light, low, high }
}

/// Returns the number beside a line of the axis of sizes.
pub(super) fn size_label(bytes: &f64) -> String {
    if *bytes < 1e7 { plain(bytes.round()) } else { format!("2^{}", bytes.log2().round()) }
}

/// Returns the number beside a line of the axis of sizes, where there is room for few characters:
/// `64`, `4K`, `16M`.
pub(super) fn short_size_label(bytes: f64) -> String {
    let (bytes, unit) = match bytes {
        _ if bytes >= f64::from(1 << 20) => (bytes / f64::from(1 << 20), "M"),
        _ if bytes >= f64::from(1 << 10) => (bytes / f64::from(1 << 10), "K"),
        _ => (bytes, ""),
    };
    format!("{}{unit}", plain(bytes))
}

/// Returns the number beside a line of the axis of costs.
pub(super) fn cost_label(cost: &f64) -> String {
    plain_number(*cost)
}

fn plain(x: f64) -> String {
    if x.fract() == 0.0 { format!("{x}") } else { significant(x, 3) }
}

/// The plotting area in CSS pixels, and the way from values to places in it.
pub(super) struct Area {
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) top: f64,
    pub(super) bottom: f64,
    x: (f64, f64),
    y: (f64, f64),
}

impl Area {
    /// Returns the area between these ends: left, right, upper and lower.
    pub(super) fn new([left, right, top, bottom]: [f64; 4], x: &Axis, y: &Axis) -> Area {
        let logs = |axis: &Axis| (axis.low.ln(), axis.high.ln());
        Area { left, right, top, bottom, x: logs(x), y: logs(y) }
    }

    /// Returns the place of a size.
    pub(super) fn x(&self, bytes: f64) -> f64 {
        self.left + (bytes.ln() - self.x.0) / (self.x.1 - self.x.0) * (self.right - self.left)
    }

    /// Returns the height of a cost, the edge for one beyond it.
    pub(super) fn y(&self, cost: f64) -> f64 {
        let part = (cost.ln() - self.y.0) / (self.y.1 - self.y.0);
        self.bottom - part.clamp(0.0, 1.0) * (self.bottom - self.top)
    }

    /// Returns the direction, -1 for up or 1 for down, to a cost that has no place on the axis.
    pub(super) fn beyond(&self, cost: f64) -> Option<f64> {
        let cost = cost.ln();
        (cost > self.y.1).then_some(-1.0).or((cost < self.y.0).then_some(1.0))
    }
}

/// Returns the least and the greatest value, or the stand-ins if there is none.
fn ends(values: impl Iterator<Item = f64>, low: f64, high: f64) -> (f64, f64) {
    let (mut least, mut greatest) = (f64::INFINITY, 0f64);
    for value in values {
        least = least.min(value);
        greatest = greatest.max(value);
    }
    if least <= greatest { (least, greatest) } else { (low, high) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_axis_has_at_least_two_numbers_and_not_too_many() {
        let spans: [&[f64]; 6] =
            [&[], &[1500.0], &[64.0, 65536.0], &[1.0, 1e18], &[0.5, 0.6], &[1e-9, 1e9]];
        for values in spans {
            for axis in [sizes(values.iter().copied(), 12), costs(values.iter().copied())] {
                assert!((2..=26).contains(&axis.bold.len()), "{values:?}: {:?}", axis.bold);
                assert!(axis.low > 0.0 && axis.low < axis.high);
                assert!(values.iter().all(|v| (axis.low..=axis.high).contains(v)));
                assert!(axis.bold.iter().all(|v| (axis.low..=axis.high).contains(v)));
            }
        }
        let bold = |room| sizes([8.0, 67_108_864.0].into_iter(), room).bold;
        assert_eq!((bold(12).len(), bold(8).len()), (12, 8));
        let short = bold(8).into_iter().map(short_size_label).collect::<Vec<_>>();
        assert_eq!(short, ["8", "64", "512", "4K", "32K", "256K", "2M", "16M"]);
        assert_eq!(size_label(&1024.0), "1024");
        assert_eq!(cost_label(&0.02), "0.02");
    }
}
