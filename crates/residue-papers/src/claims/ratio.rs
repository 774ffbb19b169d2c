//! Ratios of times, those that a claim allows, and the verdict on both.

use super::sides::Side;
use residue_report::number::significant;
use serde::Serialize;

/// The factor by which an interval reaches beyond its rounds.
pub(super) const MARGIN: f64 = 1.02;
/// The factor on a busy machine, where another thread may take units of the same core.
pub(super) const BUSY_MARGIN: f64 = 1.25;

/// The ratios of times that fulfil a claim.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Band {
    pub(super) low: f64,
    pub(super) high: Option<f64>,
}

impl Band {
    /// The second side is faster than the first.
    pub(super) const FASTER: Band = Band { low: 1.0, high: None };
    /// Both take the same time within a tenth.
    pub(super) const EQUAL: Band = Band { low: 1.0 / 1.1, high: Some(1.1) };

    /// The second side is about `times` as fast as the first: from three quarters of it to four
    /// thirds.
    pub(super) const fn about(times: f64) -> Band {
        let low = if times > 1.0 && times < 4.0 / 3.0 { 1.0 } else { 0.75 * times };
        Band { low, high: Some(times / 0.75) }
    }

    pub(super) const fn from(low: f64, high: f64) -> Band {
        Band { low, high: Some(high) }
    }

    fn contains(self, x: f64) -> bool {
        x > self.low && self.high.is_none_or(|high| x < high)
    }
}

/// Two sides, at some sizes, and the ratios of their times that fulfil the claim.
#[derive(Debug)]
pub struct Ratio {
    pub(super) slower: Side,
    pub(super) faster: Side,
    pub(super) sizes: &'static [usize],
    pub(super) band: Band,
}

/// The outcome of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The claim holds here.
    Holds,
    /// The claim does not hold here.
    DoesNotHold,
    /// The interval of a ratio crosses the border.
    TooClose,
    /// This CPU lacks a kernel that the claim is about.
    NotHere,
}

impl Verdict {
    /// `holds`, `does not hold`, `too close to call` or `not here`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Holds => "holds",
            Verdict::DoesNotHold => "does not hold",
            Verdict::TooClose => "too close to call",
            Verdict::NotHere => "not here",
        }
    }
}

/// The ratio of two times, with its interval over the rounds, and the ratios that were claimed.
#[derive(Debug, Clone, Serialize)]
pub struct Compared {
    /// The condition: `64 bytes`, `mixed packets`, ...
    pub at: String,
    /// The median of the rounds.
    pub ratio: f64,
    /// The least ratio of a round.
    pub low: f64,
    /// The greatest ratio of a round.
    pub high: f64,
    /// The ratios that fulfil the claim.
    pub claimed: Band,
}

impl Compared {
    pub(super) fn new(at: String, mut ratios: Vec<f64>, claimed: Band) -> Option<Compared> {
        ratios.sort_by(f64::total_cmp);
        let (low, high) = (*ratios.first()?, *ratios.last()?);
        let ratio = (ratios[(ratios.len() - 1) / 2] + ratios[ratios.len() / 2]) / 2.0;
        Some(Compared { at, ratio, low, high, claimed })
    }

    pub(super) fn verdict(&self, margin: f64) -> Verdict {
        let (low, high) = (self.low / margin, self.high * margin);
        let Band { low: from, high: to } = self.claimed;
        if self.claimed.contains(low) && self.claimed.contains(high) {
            Verdict::Holds
        } else if high < from || to.is_some_and(|to| low > to) {
            Verdict::DoesNotHold
        } else {
            Verdict::TooClose
        }
    }

    /// Writes the ratio with its interval: `1.05 (0.98 to 1.10) at 1500 bytes`.
    #[must_use]
    pub fn text(&self) -> String {
        let number = |x| significant(x, 3);
        let (ratio, low, high) = (number(self.ratio), number(self.low), number(self.high));
        format!("{ratio} ({low} to {high}) at {}", self.at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compared(low: f64, high: f64, claimed: Band) -> Compared {
        Compared::new("64 bytes".into(), vec![low, high], claimed).expect("two ratios")
    }

    #[test]
    fn an_interval_across_the_border_is_too_close() {
        let verdict = |low, high, band| compared(low, high, band).verdict(MARGIN);
        assert_eq!(verdict(1.05, 1.10, Band::FASTER), Verdict::Holds);
        assert_eq!(verdict(0.80, 0.90, Band::FASTER), Verdict::DoesNotHold);
        assert_eq!(verdict(0.93, 1.10, Band::FASTER), Verdict::TooClose);
        // Within the margin.
        assert_eq!(verdict(1.01, 1.10, Band::FASTER), Verdict::TooClose);
        assert_eq!(compared(1.05, 1.10, Band::FASTER).verdict(BUSY_MARGIN), Verdict::TooClose);
    }

    #[test]
    fn a_multiple_has_an_upper_bound() {
        let about = Band::about(4.4);
        assert_eq!(compared(31.0, 31.5, about).verdict(MARGIN), Verdict::DoesNotHold);
        assert_eq!(compared(4.0, 4.6, about).verdict(MARGIN), Verdict::Holds);
        // A gain of 5 % is not confirmed by a loss.
        assert_eq!(compared(0.9, 0.95, Band::about(1.05)).verdict(MARGIN), Verdict::DoesNotHold);
    }

    #[test]
    fn no_verdict_changes_sides_between_runs_that_differ_by_less_than_the_margin() {
        for centre in 90..110 {
            let run = |shift: f64| {
                let middle = f64::from(centre) / 100.0 * shift;
                compared(middle * 0.99, middle * 1.01, Band::FASTER).verdict(MARGIN)
            };
            let both = [run(1.0), run(1.02)];
            assert!(!both.contains(&Verdict::Holds) || !both.contains(&Verdict::DoesNotHold));
        }
    }
}
