//! The time line of a capture: values that are not right, by cause.

use super::axis::INTERVALS;
use super::parts::Part;
use residue_net::time::{Moment, rfc3339};
use residue_report::Figure;
use residue_report::chart::bars::{self, Bars, Kind};
use residue_report::csv::Sheet;
use residue_report::number::significant;
use residue_report::text::shortened;

/// Number of characters of the title that fit above the bars.
const LONGEST_TITLE: usize = 120;

/// Draws the time line of the part with this number.
pub fn figure(part: &Part, number: usize) -> Option<Figure> {
    let ranked = part.ranked();
    if ranked.is_empty() {
        return None;
    }
    let axis = part.axis;
    let (unit, name) = axis.unit();
    let place = |at: u64| (at as f64 - axis.first as f64) / unit;
    let (name, range, about) = if axis.is_time {
        let after = format!("{name} after the first packet ({})", rfc3339(axis.first));
        let length = (axis.end - axis.start) as f64 / unit / INTERVALS as f64;
        let length = format!("{} {name}", significant(length, 2));
        (after, [place(axis.start), place(axis.end)], length)
    } else {
        let packets = (axis.end as f64 / INTERVALS as f64).max(1.0);
        ("number of the packet".into(), [1.0, axis.end as f64], format!("{packets:.0} packets"))
    };
    let title = "Check values that are not right, by cause".to_string();
    let kinds = ranked
        .iter()
        .map(|(name, kind)| Kind { name: (*name).into(), counts: kind.intervals.to_vec() });
    let bars = Bars {
        title: title.clone(),
        about: [
            shortened(&part.title, LONGEST_TITLE),
            format!("Each bar is an interval of {about}."),
        ],
        kinds: kinds.collect(),
        unit: "check values".into(),
        totals: true,
        axis: name,
        range,
    };
    let id = if number == 0 { "timeline".into() } else { format!("timeline-{}", number + 1) };
    Some(Figure { id, title, caption: String::new(), svg: bars::svg(&bars) })
}

/// Returns the counts of all time lines as CSV; intervals without values are left out.
pub fn csv(parts: &[Part]) -> String {
    let mut sheet = Sheet::of_lines("capture,from,to,cause,values");
    for part in parts {
        let axis = part.axis;
        let shown = |at: u64| if axis.is_time { rfc3339(at) } else { at.to_string() };
        for interval in 0..INTERVALS {
            for (name, kind) in part.ranked() {
                let count = kind.intervals[interval];
                if count > 0 {
                    let [from, to] = [interval, interval + 1].map(|at| shown(axis.beginning(at)));
                    sheet.row(&[&part.name, &from, &to, &name, &count]);
                }
            }
        }
    }
    sheet.text()
}

/// Returns an end of a range of times as text.
pub fn shown(moment: Moment) -> String {
    match moment {
        Moment::Absolute(time) => rfc3339(time),
        Moment::AfterFirst(time) => {
            format!("{} s after the first packet", time as f64 / 1e9)
        }
    }
}
