//! Words and numbers made fit to print: significant digits, escaping, wrapping, columns.

use crate::speed::model::Estimate;

/// `x` with so many significant digits, in plain decimals where that stays readable; `-` if it is
/// no number.
pub(super) fn significant(x: f64, digits: usize) -> String {
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

/// A figure and how far its interval reaches: `0.128 ±0.0002`.
pub(super) fn with_margin(estimate: Estimate) -> String {
    let (value, margin) = (estimate.value, estimate.margin());
    if margin.is_finite() && value.is_finite() {
        format!("{} ±{}", significant(value, 3), significant(margin.abs(), 1))
    } else {
        significant(value, 3)
    }
}

/// The text with its first letter in upper case.
pub(super) fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or(String::new(), |first| first.to_uppercase().chain(chars).collect())
}

/// A number without needless zeros, for facts about the machine: `2.5`, `1`, `62.5`.
pub(super) fn plain_number(x: f64) -> String {
    let text = significant(x, 4);
    match text.contains('.') && !text.contains('e') {
        true => text.trim_end_matches('0').trim_end_matches('.').into(),
        false => text,
    }
}

/// The text without characters that a terminal would obey or that XML forbids; runs come from
/// files.
pub(super) fn clean(text: &str) -> String {
    let allowed = |c: char| !(c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}'));
    // Marks that turn the direction of writing would let a name rewrite its neighbours.
    let turns = |c: char| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    text.chars().map(|c| if allowed(c) && !turns(c) { c } else { '\u{fffd}' }).collect()
}

/// [`clean`], and not longer than `limit` characters.
pub(super) fn shortened(text: &str, limit: usize) -> String {
    let text = clean(text);
    if text.chars().count() <= limit {
        return text;
    }
    let kept: String = text.chars().take(limit.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
}

/// [`clean`] and escaped, for HTML and XML text and for quoted attributes.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in clean(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

/// [`escaped`], with what stands between backticks as code: for sentences that a terminal shows as
/// well.
pub(super) fn marked_up(text: &str) -> String {
    let (mut out, mut rest) = (String::new(), escaped(text));
    while let Some((before, after)) = rest.split_once('`') {
        // A backtick without its second one is only that.
        let Some((code, after)) = after.split_once('`') else { break };
        out.push_str(&format!("{before}<code>{code}</code>"));
        rest = after.to_string();
    }
    out + &rest
}

/// A whole number's digits in groups of three.
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

/// The text in lines of at most `width` characters, broken between words.
#[must_use]
pub fn wrapped(text: &str, width: usize) -> String {
    let (mut out, mut used) = (String::new(), 0);
    for word in clean(text).split_whitespace() {
        let length = word.chars().count();
        if used > 0 && used + 1 + length > width {
            out.push('\n');
            used = 0;
        } else if used > 0 {
            out.push(' ');
            used += 1;
        }
        out.push_str(word);
        used += length;
    }
    out
}

/// The text filled up with blanks to `width` characters, on the left or on the right.
pub(super) fn padded(text: &str, width: usize, blanks_left: bool) -> String {
    let blanks = " ".repeat(width.saturating_sub(text.chars().count()));
    if blanks_left { format!("{blanks}{text}") } else { format!("{text}{blanks}") }
}

/// The day of an RFC 3339 date, or as much of a shorter text as there is.
pub(super) fn day(date: &str) -> String {
    clean(date).chars().take(10).collect()
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
        assert_eq!(capitalised("median"), "Median");
        assert_eq!(plain_number(62.5), "62.5");
        assert_eq!(plain_number(100.0), "100");
    }

    #[test]
    fn text_from_outside_is_made_harmless() {
        assert_eq!(escaped("<b a='\"'>&\u{1b}"), "&lt;b a=&#39;&quot;&#39;&gt;&amp;\u{fffd}");
        assert_eq!(
            marked_up("by `adc`, `<x>` and"),
            "by <code>adc</code>, <code>&lt;x&gt;</code> and"
        );
        assert_eq!(marked_up("`a` and a ` alone"), "<code>a</code> and a ` alone");
        assert_eq!(shortened("abcdef", 4), "abc…");
        assert_eq!(shortened("abc", 4), "abc");
        assert_eq!(wrapped("one two  three", 7), "one two\nthree");
        assert_eq!(padded("ab", 4, true), "  ab");
        assert_eq!(day("2026-11-21T10:00:00Z"), "2026-11-21");
    }
}
