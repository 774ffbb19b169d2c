//! Text made fit to print: escaping, wrapping, columns.

/// Returns the text with its first letter in upper case.
#[must_use]
pub fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or(String::new(), |first| first.to_uppercase().chain(chars).collect())
}

/// Replaces characters that a terminal would obey or that XML forbids. What is printed may come
/// from a file.
#[must_use]
pub fn clean(text: &str) -> String {
    let allowed = |c: char| !(c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}'));
    // Marks that turn the direction of writing would let a name rewrite its neighbours.
    let turns = |c: char| {
        let marks = matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}');
        marks || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    text.chars().map(|c| if allowed(c) && !turns(c) { c } else { '\u{fffd}' }).collect()
}

/// Cleans the text as [`clean`] does, and cuts it to `limit` characters.
#[must_use]
pub fn shortened(text: &str, limit: usize) -> String {
    let text = clean(text);
    if text.chars().count() <= limit {
        return text;
    }
    let kept: String = text.chars().take(limit.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
}

/// Cleans and escapes the text for HTML, XML and quoted attributes.
#[must_use]
pub fn escaped(text: &str) -> String {
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

/// Escapes the text as [`escaped`] does, and marks what stands between backticks as code: for
/// sentences that a terminal shows as well.
#[must_use]
pub fn marked_up(text: &str) -> String {
    let (mut out, mut rest) = (String::new(), escaped(text));
    while let Some((before, after)) = rest.split_once('`') {
        // A backtick without its second one is only that.
        let Some((code, after)) = after.split_once('`') else { break };
        out.push_str(&format!("{before}<code>{code}</code>"));
        rest = after.to_string();
    }
    out + &rest
}

/// Breaks the text between words into lines of at most `width` characters.
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

/// Fills the text up with blanks to `width` characters, on the left or on the right.
#[must_use]
pub fn padded(text: &str, width: usize, blanks_left: bool) -> String {
    let blanks = " ".repeat(width.saturating_sub(text.chars().count()));
    if blanks_left { format!("{blanks}{text}") } else { format!("{text}{blanks}") }
}

/// Returns the day of an RFC 3339 date, or as much of a shorter text as there is.
#[must_use]
pub fn day(date: &str) -> String {
    clean(date).chars().take(10).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert_eq!(capitalised("median"), "Median");
    }
}
