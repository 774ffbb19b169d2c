//! The share of damaged messages that a CRC does not detect, where more is damaged than a few bits.
//!
//! In uniform data it is known by algebra (`swaps`). Real data repeat themselves, and hold text:
//! two words of it differ in few patterns, and up to ten times the share of uniform data was
//! measured. Some polynomials do worse even so, sparse ones most of all. `measured.csv` lists the
//! largest share of each that did, over all [`Test`](crate::data::Test)s, all [`Made`] data and
//! both orders of the bits of a byte. `cargo run --release -p residue-strength --example measured`
//! writes it.

use crate::Error;
use crate::codes::additive::Additive;
use crate::crc::{Generator, swaps};
use crate::data::{Made, Options, Source, run};
use serde::Serialize;

const MEASURED: &str = include_str!("measured.csv");

/// The factor to the share of uniform data that is allowed for real data.
const REAL: f64 = 10.0;

/// Bits of a packet that is damaged.
const PACKET: u64 = 8 * 1500;

/// Fewer undetected errors are chance.
const FEWEST: u64 = 3;

/// Widest polynomial that is measured.
pub const WIDEST: u32 = 32;

/// The largest share of damage that a CRC was measured not to detect.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Measured {
    /// The upper end of the share's 95 % interval.
    pub share: f64,
    /// Damaged messages that were not detected.
    pub undetected: u64,
    /// Damaged messages.
    pub trials: u64,
    /// The damage: the name of a [`Test`](crate::data::Test).
    pub damage: String,
    /// The data: the name of a [`Made`].
    pub data: String,
}

/// Returns what was measured of a polynomial, if it is worse than is allowed for real data.
#[must_use]
pub fn measured(generator: &Generator) -> Option<Measured> {
    let line = MEASURED.lines().skip(1).find(|line| {
        let mut cells = line.split(',');
        let width = cells.next().and_then(|width| width.parse().ok());
        let koopman = cells.next().and_then(|number| u128::from_str_radix(number, 16).ok());
        (width, koopman) == (Some(generator.width()), Some(generator.koopman()))
    })?;
    let cells: Vec<&str> = line.split(',').collect();
    let &[_, _, share, undetected, trials, damage, data] = &cells[..] else { return None };
    Some(Measured {
        share: share.parse().ok()?,
        undetected: undetected.parse().ok()?,
        trials: trials.parse().ok()?,
        damage: damage.into(),
        data: data.into(),
    })
}

/// Measures each polynomial of at most [`WIDEST`] bits, and returns the largest share of each that
/// is larger than what is allowed for real data.
///
/// `trials` are those of each kind of damage and data; there are five times as many splices.
///
/// # Errors
/// Returns an error if a polynomial is wider.
pub fn measure(
    generators: &[Generator],
    trials: u64,
    seed: u64,
) -> Result<Vec<Option<Measured>>, Error> {
    let mut codes = Vec::new();
    for generator in generators {
        for reflected in [false, true] {
            let (width, poly) = (generator.width(), generator.normal());
            let text = format!("width={width},poly={poly:x},refin={reflected},refout={reflected}");
            codes.push(Additive::named(&text)?);
        }
    }
    let sources = Made::ALL.map(Source::Made).to_vec();
    let options = Options { codes, sources, splices: 5 * trials, trials, burst: 40, seed };
    let run = run(&options, &|_, _| {})?;
    let mut worst: Vec<Option<Measured>> = vec![None; generators.len()];
    for source in &run.sources {
        for test in source.tests.iter().filter(|test| test.trials > 0) {
            for (place, row) in test.rows.iter().enumerate() {
                let (generator, worst) = (&generators[place / 2], &mut worst[place / 2]);
                let allowed = allowed(generator, PACKET);
                let more = worst.as_ref().is_none_or(|worst| row.rate.high > worst.share);
                if row.misses >= FEWEST && row.rate.low > allowed && more {
                    *worst = Some(Measured {
                        share: row.rate.high,
                        undetected: row.misses,
                        trials: test.trials,
                        damage: test.test.clone(),
                        data: source.name.clone(),
                    });
                }
            }
        }
    }
    Ok(worst)
}

/// Returns the share of damage beyond single bits that a CRC is allowed not to detect in `data`
/// bits: that of uniform data where it is largest, which is for swapped blocks, times [`REAL`].
pub(super) fn allowed(generator: &Generator, data: u64) -> f64 {
    let random = (-f64::from(generator.width())).exp2();
    (REAL * swaps::undetected(generator, data).max(random)).min(1.0)
}
