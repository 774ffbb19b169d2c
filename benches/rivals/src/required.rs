//! What `residue` has to reach.

use crate::contender::{ADLER_32, CRC_32, CRC_32C, CRC_64, FLETCHER_16, FLETCHER_32, INTERNET};
use residue::cpu::{Features, features};

/// Sizes that are judged together, by the worst of them.
pub struct Range {
    /// A heading.
    pub name: &'static str,
    least: usize,
    most: usize,
}

/// The ranges of the requirement.
pub const RANGES: [Range; 7] = [
    Range { name: "8-64 B", least: 8, most: 64 },
    Range { name: "128-550 B", least: 128, most: 550 },
    Range { name: "1500 B", least: 1500, most: 1500 },
    Range { name: "4 KiB", least: 4096, most: 4096 },
    Range { name: "9000 B", least: 9000, most: 9000 },
    Range { name: "16 KiB-1 MiB", least: 16384, most: 1 << 20 },
    Range { name: "64 MiB", least: 1 << 26, most: 1 << 26 },
];

/// On a CPU with AVX-512 and GFNI: the best rival's time over `residue`'s, in the order of [`RANGES`].
const REQUIRED: [(&str, [f64; 7]); 7] = [
    (CRC_32C, [1.4, 1.0, 1.2, 1.5, 1.5, 1.9, 1.0]),
    (CRC_32, [1.05, 1.0, 1.25, 1.5, 1.5, 1.9, 1.0]),
    (CRC_64, [1.0, 1.0, 1.0, 1.0, 1.0, 1.4, 1.0]),
    (INTERNET, [1.05, 1.3, 2.5, 3.0, 2.5, 2.5, 1.1]),
    (ADLER_32, [1.3, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]),
    (FLETCHER_16, [1.3, 8.0, 20.0, 20.0, 20.0, 20.0, 6.0]),
    (FLETCHER_32, [1.2, 4.0, 8.0, 12.0, 12.0, 12.0, 4.0]),
];

impl Range {
    /// Whether a size belongs to it.
    #[must_use]
    pub fn contains(&self, size: usize) -> bool {
        (self.least..=self.most).contains(&size)
    }
}

/// Whether the library may use all that [`REQUIRED`] supposes.
#[must_use]
pub fn full() -> bool {
    let all = [
        Features::AVX512,
        Features::AVX512_VBMI2,
        Features::AVX512_VNNI,
        Features::VPCLMUL,
        Features::GFNI,
    ];
    all.iter().all(|&feature| features().contains(feature))
}

/// What still counts as a tie where the requirement is not to be slower.
const TIE: f64 = 0.97;

/// Whether a ratio reaches a required one: on lesser CPUs a tie will do.
#[must_use]
pub fn reached(ratio: f64, goal: f64) -> bool {
    let ratio = (ratio * 100.0).round() / 100.0;
    ratio >= goal || !full() && ratio >= TIE
}

/// The ratio required of a code in a range: on lesser CPUs, and in the comparison of portable code, 1.
#[must_use]
pub fn required(code: &str, range: &Range) -> Option<f64> {
    let place = RANGES.iter().position(|other| other.name == range.name)?;
    let (_, ratios) = REQUIRED.iter().find(|(name, _)| *name == code)?;
    Some(if full() { ratios[place] } else { 1.0 })
}
