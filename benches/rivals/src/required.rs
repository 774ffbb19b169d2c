//! The required ratios of `residue` to its rivals.

use crate::contender::{ADLER_32, CRC_32, CRC_32C, CRC_64, FLETCHER_16, FLETCHER_32, INTERNET};
use residue::cpu::Features;

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

/// The CPU features that [`REQUIRED`] assumes.
const FULL: [Features; 5] = [
    Features::AVX512,
    Features::AVX512_VBMI2,
    Features::AVX512_VNNI,
    Features::VPCLMUL,
    Features::GFNI,
];

/// The required ratios on a CPU with AVX-512 and GFNI: the best rival's time over `residue`'s, in
/// the order of [`RANGES`].
///
/// At 9000 bytes the lesser one of its neighbours.
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
    /// Returns whether a size belongs to it.
    #[must_use]
    pub fn contains(&self, size: usize) -> bool {
        (self.least..=self.most).contains(&size)
    }
}

/// The ratio that still counts as a tie where the requirement is not to be slower.
pub const TIE: f64 = 0.97;

/// The ratios that are required.
#[derive(Clone, Copy)]
pub struct Goals {
    /// Whether [`REQUIRED`] applies; else, on lesser CPUs and in the comparison of portable code,
    /// `residue` must not be slower.
    pub full: bool,
}

impl Goals {
    /// Chooses the goals by the features that the library could use.
    #[must_use]
    pub fn of(features: &str) -> Goals {
        let mut all = FULL.iter().flat_map(|feature| feature.names());
        Goals { full: all.all(|one| features.split(' ').any(|name| name == one)) }
    }

    /// Returns the ratio required of a code in a range.
    #[must_use]
    pub fn ratio(self, code: &str, range: &Range) -> Option<f64> {
        let place = RANGES.iter().position(|other| other.name == range.name)?;
        let (_, ratios) = REQUIRED.iter().find(|(name, _)| *name == code)?;
        Some(if self.full { ratios[place] } else { 1.0 })
    }

    /// Returns whether a ratio reaches a required one: on lesser CPUs a tie will do.
    #[must_use]
    pub fn reached(self, ratio: f64, goal: f64) -> bool {
        let ratio = (ratio * 100.0).round() / 100.0;
        ratio >= goal || !self.full && ratio >= TIE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goals_hang_on_the_features() {
        let every: Vec<&str> = FULL.iter().flat_map(|feature| feature.names()).collect();
        let full = Goals::of(&every.join(" "));
        assert!(full.full && !Goals::of("sse2 avx2").full);
        assert_eq!(full.ratio(INTERNET, &RANGES[3]), Some(3.0));
        assert!(!full.reached(2.9, 3.0) && Goals::of("").reached(0.97, 1.0));
    }
}
