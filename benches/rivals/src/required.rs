//! The required ratios of `residue` to its rivals, and the limits of a CPU's units, by its profile.

use crate::contender::{
    ADLER_32, CRC_32, CRC_32C, CRC_64, FLETCHER_16, FLETCHER_32, INTERNET, SUBJECTS,
};
use crate::model::Mode;
use crate::record::Record;

/// Cells of one mode that are judged together, by the worst of them.
#[derive(Clone, Copy, PartialEq)]
pub struct Range {
    /// A heading.
    pub name: &'static str,
    /// The mode of the cells.
    pub mode: Mode,
    least: usize,
    most: usize,
}

/// The ranges of the requirement: throughput, and the latency of short calls.
pub const REQUIRED: [Range; 7] = [
    Range::new("8-64 B", 8, 64),
    Range::new("128-550 B", 128, 550),
    Range::new("1500 B", 1500, 1500),
    Range::new("4-9 KB", 4096, 9000),
    Range::new("16 KiB-1 MiB", 16384, 1 << 20),
    Range::new("64 MiB", 1 << 26, 1 << 26),
    Range { mode: Mode::Latency, ..Range::new("latency to 550 B", 0, 550) },
];

/// Required ratios of a code: the best rival's time over `residue`'s, in the order of [`REQUIRED`].
type Ratios = (&'static str, [f64; REQUIRED.len()]);

/// Profiles with the required ratios of the CRCs.
struct Row {
    /// The profile that the ratios were found for.
    profile: &'static str,
    crcs: [Ratios; 3],
    /// Bytes a cycle from the first-level cache, in the order of `SUBJECTS`: the limit by the units
    /// of the profile, which docs/speed/peers.md derives.
    walls: [f64; SUBJECTS.len()],
}

const ROWS: [Row; 4] = [
    Row {
        profile: "intel_avx512",
        crcs: [
            (CRC_32C, [1.2, 1.0, 1.3, 1.05, 1.1, 1.0, 1.0]),
            (CRC_32, [1.1, 1.0, 1.0, 1.0, 1.04, 1.0, 1.0]),
            (CRC_64, [1.4, 2.0, 2.4, 1.1, 1.0, 1.0, 1.0]),
        ],
        walls: [40.0, 37.0, 32.0, 64.0, 64.0, 64.0, 43.0],
    },
    Row {
        profile: "zen4",
        crcs: [
            (CRC_32C, [1.1, 1.3, 1.7, 1.1, 1.25, 1.0, 1.0]),
            (CRC_32, [1.0, 1.0, 1.0, 1.0, 1.05, 1.0, 1.0]),
            (CRC_64, [1.3, 2.0, 2.4, 1.1, 1.0, 1.0, 1.0]),
        ],
        walls: [24.0, 20.0, 18.0, 64.0, 32.0, 32.0, 32.0],
    },
    Row {
        profile: "zen5",
        crcs: [
            (CRC_32C, [1.4, 1.0, 1.2, 1.5, 1.9, 1.0, 1.0]),
            (CRC_32, [1.05, 1.0, 1.25, 1.5, 1.9, 1.0, 1.0]),
            (CRC_64, [1.0, 1.0, 1.0, 1.0, 1.4, 1.0, 1.0]),
        ],
        walls: [40.0, 40.0, 28.0, 128.0, 64.0, 64.0, 64.0],
    },
    Row {
        profile: "zen3",
        crcs: [
            (CRC_32C, [1.0, 1.0, 1.0, 1.4, 1.25, 1.0, 1.0]),
            (CRC_32, [1.0; 7]),
            (CRC_64, [1.0; 7]),
        ],
        walls: [16.0, 8.0, 8.0, 43.0, 26.0, 26.0, 24.0],
    },
];

/// The required ratios of the sums, on each profile of [`ROWS`].
const SUMS: [Ratios; 4] = [
    (INTERNET, [1.05, 1.3, 2.5, 2.5, 2.5, 1.1, 1.0]),
    (ADLER_32, [1.0; 7]),
    (FLETCHER_16, [1.0, 3.0, 8.0, 12.0, 12.0, 2.0, 1.0]),
    (FLETCHER_32, [1.0, 3.0, 8.0, 12.0, 12.0, 2.0, 1.0]),
];

impl Range {
    const fn new(name: &'static str, least: usize, most: usize) -> Range {
        Range { name, mode: Mode::Throughput, least, most }
    }

    /// Returns the ranges of sizes of one mode.
    pub fn of(mode: Mode) -> impl Iterator<Item = Range> {
        let sizes = REQUIRED.into_iter().filter(|range| range.mode == Mode::Throughput);
        sizes.map(move |range| Range { mode, ..range })
    }

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
    /// The row of the profile; without one `residue` must not be slower.
    row: Option<&'static Row>,
}

impl Goals {
    /// The goals of other CPUs, of restricted tiers and of the comparison of portable code.
    pub const NOT_SLOWER: Goals = Goals { row: None };

    /// Chooses the goals of a record by its profile, its tier and its kind of rivals.
    #[must_use]
    pub fn of(record: &Record) -> Goals {
        if record.fact("tier") != "all" || record.fact("against") == "portable code" {
            return Goals::NOT_SLOWER;
        }
        Goals::of_profile(record.profile())
    }

    /// Returns the goals of a profile.
    #[must_use]
    pub fn of_profile(name: &str) -> Goals {
        Goals { row: ROWS.iter().find(|row| row.profile == name) }
    }

    /// Returns the ratio required of a code in a range; nothing of misaligned and mixed lengths.
    #[must_use]
    pub fn ratio(self, code: &str, range: &Range) -> Option<f64> {
        match range.mode {
            Mode::Misaligned | Mode::Mixed | Mode::Threads => return None,
            Mode::Batch | Mode::Imix | Mode::Copy | Mode::Walk => return Some(1.0),
            Mode::Throughput | Mode::Latency => (),
        }
        let place = REQUIRED.iter().position(|other| other == range)?;
        let row = self.row.map_or(&[][..], |row| &row.crcs);
        let found = row.iter().chain(&SUMS).find(|(name, _)| *name == code);
        Some(self.row.and(found).map_or(1.0, |(_, ratios)| ratios[place]))
    }

    /// Returns whether a ratio reaches a required one: without a row a tie will do.
    #[must_use]
    pub fn reached(self, ratio: f64, goal: f64) -> bool {
        let ratio = (ratio * 100.0).round() / 100.0;
        ratio >= goal || self.row.is_none() && ratio >= TIE
    }

    /// Returns the bytes a cycle that the CPU's units allow for a code, if its profile says.
    #[must_use]
    pub fn wall(self, code: &str) -> Option<f64> {
        Some(self.row?.walls[SUBJECTS.iter().position(|subject| subject.code == code)?])
    }

    /// Describes the origin of the goals in a sentence.
    #[must_use]
    pub fn describe(self) -> String {
        match self.row {
            Some(row) => format!("Required ratios: those of the profile {}.", row.profile),
            None => format!("Required here: not to be slower; {TIE} is a tie."),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use residue::cpu::Profile;

    #[test]
    fn goals_are_those_of_the_profile() {
        let long = REQUIRED[4];
        let goal = |profile, code| Goals::of_profile(profile).ratio(code, &long);
        assert_eq!([goal("intel_avx512", CRC_32), goal("zen5", CRC_32)], [Some(1.04), Some(1.9)]);
        assert_eq!([goal("zen4", CRC_64), goal("unknown", CRC_32C)], [Some(1.0), Some(1.0)]);
        assert_eq!([goal("zen3", INTERNET), goal("unknown", INTERNET)], [Some(2.5), Some(1.0)]);
        assert!(!Goals::of_profile("zen3").reached(0.99, 1.0));
        assert!(Goals::of_profile("unknown").reached(0.97, 1.0));
    }

    #[test]
    fn walls_are_those_of_the_profile_itself() {
        let wall = |profile| Goals::of_profile(profile).wall(CRC_32);
        assert_eq!([wall("zen3"), wall("unknown")], [Some(8.0), None]);
    }

    #[test]
    fn modes_without_a_requirement_have_none() {
        let goal = |mode| Goals::of_profile("zen5").ratio(CRC_32C, &Range::of(mode).next()?);
        assert_eq!([goal(Mode::Copy), goal(Mode::Throughput)], [Some(1.0), Some(1.4)]);
        assert_eq!([goal(Mode::Mixed), goal(Mode::Latency)], [None, None]);
        assert_eq!(Goals::of_profile("zen5").ratio(CRC_32C, &REQUIRED[6]), Some(1.0));
    }

    #[test]
    fn rows_name_profiles_of_the_library() {
        assert!(ROWS.iter().all(|row| Profile::named(row.profile).is_some()));
    }
}
