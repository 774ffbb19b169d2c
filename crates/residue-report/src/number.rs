//! Numbers as text: significant digits, intervals, groups of three.

/// A figure and its 95 % confidence interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The figure.
    pub value: f64,
    /// The lower end of its interval.
    pub low: f64,
    /// The upper end of its interval.
    pub high: f64,
}

impl Estimate {
    /// Returns the distance to the farther end of the interval.
    #[must_use]
    pub fn margin(&self) -> f64 {
        (self.value - self.low).max(self.high - self.value)
    }
}

/// Writes a time that is estimated, in whole seconds, minutes or hours.
#[must_use]
pub fn duration(seconds: f64) -> String {
    match seconds {
        ..100.0 => format!("{seconds:.0} seconds"),
        ..6000.0 => format!("{:.0} minutes", seconds / 60.0),
        _ => format!("{:.0} hours", seconds / 3600.0),
    }
}

/// Writes `x` with this many significant digits, in plain decimals where that stays readable; `-`
/// if it is not finite.
#[must_use]
pub fn significant(x: f64, digits: usize) -> String {
    if !x.is_finite() {
        return "-".into();
    }
    if x == 0.0 {
        return "0".into();
    }
    let digits = digits.clamp(1, 17);
    // Rounded first: 9.996 with three digits is 10.0, which has one decimal and not two.
    let rounded: f64 = format!("{x:.*e}", digits - 1).parse().unwrap_or(x);
    let exponent = rounded.abs().log10().floor();
    if !(-6.0..9.0).contains(&exponent) {
        return format!("{x:.*e}", digits - 1);
    }
    let decimals = (digits as f64 - 1.0 - exponent).max(0.0) as usize;
    format!("{rounded:.decimals$}")
}

/// Writes a figure and how far its interval reaches: `0.128 ±0.0002`.
#[must_use]
pub fn with_margin(estimate: Estimate) -> String {
    let (value, margin) = (estimate.value, estimate.margin());
    if margin.is_finite() && value.is_finite() {
        format!("{} ±{}", significant(value, 3), significant(margin.abs(), 1))
    } else {
        significant(value, 3)
    }
}

/// Writes a number without needless zeros: `2.5`, `1`, `62.5`.
#[must_use]
pub fn plain_number(x: f64) -> String {
    let text = significant(x, 4);
    match text.contains('.') && !text.contains('e') {
        true => text.trim_end_matches('0').trim_end_matches('.').into(),
        false => text,
    }
}

/// Writes the digits of a whole number in groups of three.
#[must_use]
pub fn grouped(number: impl ToString) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups() {
        assert_eq!(grouped(7), "7");
        assert_eq!(grouped(2_147_483_615_u64), "2,147,483,615");
        assert_eq!(grouped(123_456), "123,456");
    }

    #[test]
    fn numbers_keep_three_digits() {
        let cases =
            [(0.12834, "0.128"), (9.996, "10.0"), (161.027, "161"), (0.0, "0"), (1.0, "1.00")];
        for (x, text) in cases {
            assert_eq!(significant(x, 3), text);
        }
        assert_eq!(significant(-0.5, 1), "-0.5");
        assert_eq!(significant(12345.0, 3), "12300");
        assert_eq!(significant(1e300, 3), "1.00e300");
        assert_eq!(significant(5e-324, 3), "4.94e-324");
        assert_eq!(significant(f64::NAN, 3), "-");
        let estimate = |low, high| Estimate { value: 0.248, low, high };
        assert_eq!(with_margin(estimate(0.248 - 0.000_242, 0.2481)), "0.248 ±0.0002");
        assert_eq!(with_margin(estimate(0.248, f64::INFINITY)), "0.248");
        assert_eq!(plain_number(62.5), "62.5");
        assert_eq!(plain_number(100.0), "100");
    }
}
