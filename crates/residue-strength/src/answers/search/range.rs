//! The candidates, their order, and their division into ranges.
//!
//! Candidate i of a width is the polynomial that Koopman's notation writes as 2^(width - 1) + i. Of
//! a polynomial and its mirror image, which are equally strong, one is tried. Their middle terms
//! decide which, so that every range of candidates has about as many to be tried.

use super::Fault;
use std::fmt;
use std::str::FromStr;

/// The largest number of ranges.
const RANGES: u64 = 1 << 20;

/// Part `index` of `of` parts of all candidates, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    index: u64,
    of: u64,
}

impl Range {
    /// The range of all candidates.
    pub const WHOLE: Range = Range { index: 1, of: 1 };

    /// Creates part `index`, from 1 to `of`, of `of` parts, at most a million.
    ///
    /// # Errors
    /// Returns [`Fault::Range`].
    pub fn new(index: u64, of: u64) -> Result<Range, Fault> {
        if (1..=of).contains(&index) && of <= RANGES {
            Ok(Range { index, of })
        } else {
            Err(Fault::Range(format!("{index}/{of}")))
        }
    }

    /// Returns the number of parts.
    #[must_use]
    pub fn of(&self) -> u64 {
        self.of
    }

    /// Returns the candidates of a width.
    #[must_use]
    pub fn candidates(&self, width: u32) -> std::ops::Range<u64> {
        let all = u128::from(count(width));
        let bound = |index: u64| (all * u128::from(index) / u128::from(self.of)) as u64;
        bound(self.index - 1)..bound(self.index)
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.of)
    }
}

impl FromStr for Range {
    type Err = Fault;

    fn from_str(text: &str) -> Result<Range, Fault> {
        let fault = || Fault::Range(text.escape_debug().to_string());
        let (index, of) = text.split_once('/').ok_or_else(fault)?;
        match (index.parse(), of.parse()) {
            (Ok(index), Ok(of)) => Range::new(index, of).map_err(|_| fault()),
            _ => Err(fault()),
        }
    }
}

/// Returns the number of candidates of a width of 3 to 64.
pub(super) const fn count(width: u32) -> u64 {
    1 << (width - 1)
}

/// Returns the polynomial with its top term, if it is to be tried and not its mirror image.
pub(super) const fn candidate(width: u32, index: u64) -> Option<u128> {
    let explicit = 1 << width | (index as u128) << 1 | 1;
    let mirrored = explicit.reverse_bits() >> (127 - width);
    // Above the middle, the lowest place in which they differ.
    let middle = width.div_ceil(2);
    let differ = (explicit ^ mirrored) >> middle;
    if differ & differ.wrapping_neg() & (explicit >> middle) == 0 { Some(explicit) } else { None }
}

/// Returns the index of a polynomial of this width.
pub(super) const fn index(width: u32, explicit: u128) -> u64 {
    (explicit >> 1) as u64 & (count(width) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_of_each_pair() {
        for width in 3..=12 {
            for explicit in ((1 << width) + 1..2_u128 << width).step_by(2) {
                let mirrored = explicit.reverse_bits() >> (127 - width);
                let tried = |p| candidate(width, index(width, p)) == Some(p);
                assert_eq!(tried(explicit) != tried(mirrored), explicit != mirrored);
                assert!(tried(explicit) || tried(mirrored));
            }
        }
        // The published survey has as many lines.
        let tried = (0..count(16)).filter(|&i| candidate(16, i).is_some()).count();
        assert_eq!(tried, 16_512);
        assert_eq!(candidate(64, u64::MAX >> 1), Some((1 << 65) - 1));
    }

    #[test]
    fn ranges_are_even() {
        for width in [3, 8, 16, 64] {
            for of in [1, 2, 7, 1000] {
                let mut end = 0;
                for index in 1..=of {
                    let range = Range::new(index, of).unwrap().candidates(width);
                    assert_eq!(range.start, end);
                    end = range.end;
                }
                assert_eq!(end, count(width));
            }
        }
        for index in 1..=8 {
            let range = Range::new(index, 8).unwrap().candidates(16);
            let tried = range.filter(|&i| candidate(16, i).is_some()).count();
            assert!((1900..2300).contains(&tried), "{index}: {tried}");
        }
    }

    #[test]
    fn texts() {
        assert_eq!("3/8".parse(), Range::new(3, 8));
        for wrong in ["0/4", "5/4", "1", "1/0", "a/b", "1/2/3", "-1/2", "1/9999999999", ""] {
            assert_eq!(wrong.parse::<Range>(), Err(Fault::Range(wrong.into())));
        }
    }
}
