//! Where bits were flipped: a stuck bit of a memory or a bus is always the same one.

use super::parts::Part;
use residue_report::Figure;
use residue_report::chart::bars::{self, Bars, Kind};

/// Draws the flipped bits of the part with this number: those that sums show, and those of CRCs.
pub fn figures(part: &Part, number: usize) -> Vec<Figure> {
    let mut figures = Vec::new();
    let weights = part.flips.weights.to_vec();
    if weights.iter().any(|&count| count > 0) {
        figures.push(figure(
            number,
            "flipped-words",
            "Flipped bits, in words of 16 bits",
            "A sum shows the bit in its word, and not the word.",
            vec![Kind { name: "flipped bits".into(), counts: weights }],
            "bit of a word, 0 is the lowest",
        ));
    }
    let places = part.flips.places.iter().enumerate();
    let places = places.filter(|(_, counts)| counts.iter().any(|&count| count > 0));
    let kinds: Vec<Kind> = places
        .map(|(bit, counts)| Kind { name: format!("bit {bit}"), counts: counts.to_vec() })
        .collect();
    if !kinds.is_empty() {
        figures.push(figure(
            number,
            "flipped-bytes",
            "Flipped bits, by their place",
            "A CRC shows the place.",
            kinds,
            "offset of the byte in the packet, modulo 64",
        ));
    }
    figures
}

fn figure(
    number: usize,
    id: &str,
    title: &str,
    about: &str,
    kinds: Vec<Kind>,
    axis: &str,
) -> Figure {
    let ends = kinds.first().map_or(1, |kind| kind.counts.len());
    let second = "A bit that is stuck, in memory or on a bus, is one high bar among low ones.";
    let bars = Bars {
        title: title.into(),
        about: [about.into(), second.into()],
        kinds,
        unit: "check values".into(),
        totals: true,
        axis: axis.into(),
        range: [0.0, ends as f64],
    };
    let id = if number == 0 { id.into() } else { format!("{id}-{}", number + 1) };
    Figure { id, title: title.into(), caption: String::new(), svg: bars::svg(&bars) }
}
