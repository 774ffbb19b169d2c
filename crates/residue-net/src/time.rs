//! Times of capture: nanoseconds since 1970 as text, and ranges of them.

use std::fmt;
use std::str::FromStr;

const SECOND: u64 = 1_000_000_000;
const DAY: u64 = 86_400;
/// Days from 0000-03-01 to 1970-01-01, and in 400 years.
const BEFORE_1970: i64 = 719_468;
const DAYS_OF_400_YEARS: i64 = 146_097;

/// Returns a time in nanoseconds since 1970 as RFC 3339 writes it, in UTC and with nine decimals.
#[must_use]
pub fn rfc3339(nanoseconds: u64) -> String {
    let (seconds, fraction) = (nanoseconds / SECOND, nanoseconds % SECOND);
    let (year, month, day) = date((seconds / DAY) as i64);
    let [hour, minute, second] = [seconds / 3600 % 24, seconds / 60 % 60, seconds % 60];
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{fraction:09}Z")
}

/// Returns year, month and day, of a number of days since 1970. Years begin in March here, so that
/// the leap day is their last day.
fn date(days: i64) -> (i64, i64, i64) {
    let days = days + BEFORE_1970;
    let (era, day_of_era) =
        (days.div_euclid(DAYS_OF_400_YEARS), days.rem_euclid(DAYS_OF_400_YEARS));
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (era * 400 + year_of_era + i64::from(month <= 2), month, day)
}

/// Returns the number of days since 1970.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, year_of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let month = if month > 2 { month - 3 } else { month + 9 };
    let day_of_year = (153 * month + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * DAYS_OF_400_YEARS + day_of_era - BEFORE_1970
}

/// An end of a range of times.
///
/// ```
/// use residue_net::time::Moment;
///
/// assert_eq!("90s".parse(), Ok(Moment::AfterFirst(90_000_000_000)));
/// assert_eq!("1970-01-01T01:00:00.5+01:00".parse(), Ok(Moment::Absolute(500_000_000)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// Nanoseconds since 1970.
    Absolute(u64),
    /// Nanoseconds after the first packet of the capture.
    AfterFirst(u64),
}

impl Moment {
    /// Returns nanoseconds since 1970, in a capture whose first packet has the time `first`.
    #[must_use]
    pub fn nanoseconds(self, first: u64) -> u64 {
        match self {
            Moment::Absolute(time) => time,
            Moment::AfterFirst(time) => first.saturating_add(time),
        }
    }
}

/// A text that is no time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MomentError(String);

impl fmt::Display for MomentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "expected a time (2026-11-23T10:00:00Z, or with an offset such as +01:00), or a time \
             after the first packet (90, 1.5s, 250ms, 10m, 2h), got `{}`",
            self.0.escape_debug()
        )
    }
}

impl std::error::Error for MomentError {}

impl FromStr for Moment {
    type Err = MomentError;

    fn from_str(text: &str) -> Result<Moment, MomentError> {
        let absolute = || absolute(text).map(Moment::Absolute);
        let relative = || duration(text).map(Moment::AfterFirst);
        absolute().or_else(relative).ok_or_else(|| MomentError(text.into()))
    }
}

/// Reads a number of digits from the start of a text.
fn digits(text: &mut &str, count: usize) -> Option<i64> {
    let (number, rest) = text.split_at_checked(count)?;
    *text = rest;
    number.bytes().all(|byte| byte.is_ascii_digit()).then(|| number.parse().ok())?
}

fn sign(text: &mut &str, signs: &[char]) -> Option<()> {
    *text = text.strip_prefix(signs)?;
    Some(())
}

/// Reads the decimals after a point as nanoseconds; those after the ninth are left out.
fn decimals(text: &mut &str) -> Option<u64> {
    let Some(rest) = text.strip_prefix('.') else { return Some(0) };
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let (fraction, behind) = rest.split_at(end);
    *text = behind;
    let nine: String = fraction.chars().chain("000000000".chars()).take(9).collect();
    (!fraction.is_empty()).then(|| nine.parse().ok())?
}

/// Reads a time of RFC 3339.
fn absolute(text: &str) -> Option<u64> {
    let mut rest = text;
    let rest = &mut rest;
    let year = digits(rest, 4)?;
    sign(rest, &['-'])?;
    let month = digits(rest, 2)?;
    sign(rest, &['-'])?;
    let day = digits(rest, 2)?;
    sign(rest, &['T', 't', ' '])?;
    let hour = digits(rest, 2)?;
    sign(rest, &[':'])?;
    let minute = digits(rest, 2)?;
    sign(rest, &[':'])?;
    let second = digits(rest, 2)?;
    let fraction = decimals(rest)?;
    let offset = match *rest {
        "Z" | "z" => 0,
        _ => {
            let factor = if rest.starts_with('-') { -60 } else { 60 };
            sign(rest, &['+', '-'])?;
            let hours = digits(rest, 2)?;
            sign(rest, &[':'])?;
            let minutes = digits(rest, 2)?;
            if !(rest.is_empty() && hours < 24 && minutes < 60) {
                return None;
            }
            factor * (hours * 60 + minutes)
        }
    };
    let number = days(year, month, day);
    // A day that does not exist is another one.
    let exists = (1..=12).contains(&month) && date(number) == (year, month, day);
    if !exists || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let seconds = number * DAY as i64 + hour * 3600 + minute * 60 + second - offset;
    u64::try_from(seconds).ok()?.checked_mul(SECOND)?.checked_add(fraction)
}

/// Reads a duration: a number of seconds, or of another unit.
fn duration(text: &str) -> Option<u64> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (whole, mut rest) = text.split_at(end);
    let whole: u64 = whole.parse().ok()?;
    let fraction = decimals(&mut rest)?;
    let unit = match rest {
        "" | "s" => SECOND,
        "ns" => 1,
        "us" => 1000,
        "ms" => 1_000_000,
        "m" | "min" => 60 * SECOND,
        "h" => 3600 * SECOND,
        "d" => DAY * SECOND,
        _ => return None,
    };
    let parts = u128::from(whole) * u128::from(SECOND) + u128::from(fraction);
    u64::try_from(parts * u128::from(unit) / u128::from(SECOND)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_and_read() {
        for (nanoseconds, text) in [
            (0, "1970-01-01T00:00:00.000000000Z"),
            (951_782_400 * SECOND, "2000-02-29T00:00:00.000000000Z"),
            (1_700_000_000_123_456_789, "2023-11-14T22:13:20.123456789Z"),
            (u64::MAX, "2554-07-21T23:34:33.709551615Z"),
        ] {
            assert_eq!(rfc3339(nanoseconds), text);
            assert_eq!(text.parse(), Ok(Moment::Absolute(nanoseconds)));
        }
        // Every day of the range, in both directions.
        for number in 0..213_503 {
            let (year, month, day) = date(number);
            assert_eq!(days(year, month, day), number);
        }
        assert_eq!(
            "2023-11-14 23:13:20.5+01:00".parse(),
            Ok(Moment::Absolute(1_700_000_000_500_000_000))
        );
        assert_eq!(
            "2023-11-14t21:43:20-00:30".parse(),
            Ok(Moment::Absolute(1_700_000_000 * SECOND))
        );
    }

    #[test]
    fn durations_have_units() {
        for (text, nanoseconds) in [
            ("0", 0),
            ("10", 10 * SECOND),
            ("1.5", 1_500_000_000),
            ("1.5s", 1_500_000_000),
            ("250ms", 250_000_000),
            ("7us", 7000),
            ("3ns", 3),
            ("2m", 120 * SECOND),
            ("0.5h", 1800 * SECOND),
            ("1d", 86_400 * SECOND),
            ("0.0000000019", 1),
        ] {
            assert_eq!(text.parse(), Ok(Moment::AfterFirst(nanoseconds)), "{text}");
        }
    }

    #[test]
    fn other_texts_are_refused() {
        for text in [
            "",
            "-1",
            "1.",
            ".5",
            "1 s",
            "1w",
            "99999999999999999999",
            "9999999999999d",
            "2023-02-29T00:00:00Z",
            "2023-00-10T00:00:00Z",
            "2023-13-10T00:00:00Z",
            "2023-11-14",
            "2023-11-14T24:00:00Z",
            "2023-11-14T22:13:20",
            "2023-11-14T22:13:20+1:00",
            "2023-11-14T22:13:20+01:00x",
            "1969-12-31T23:59:59Z",
            "2555-01-01T00:00:00Z",
            "é023-11-14T22:13:20Z",
        ] {
            let error = text.parse::<Moment>().unwrap_err().to_string();
            assert!(error.contains("expected a time"), "{text}: {error}");
        }
    }
}
