//! Comma-separated values after RFC 4180.

use std::borrow::Cow;

/// Returns the field as it stands in a line: in quotes when it holds a comma, a quote or a line
/// end.
#[must_use]
pub fn quoted(field: &str) -> Cow<'_, str> {
    if field.contains([',', '"', '\r', '\n']) {
        Cow::Owned(format!("\"{}\"", field.replace('"', "\"\"")))
    } else {
        Cow::Borrowed(field)
    }
}

/// Returns the lines of a table, each as its fields; empty lines are left out.
#[must_use]
pub fn parse(text: &str) -> Vec<Vec<String>> {
    let mut lines = Vec::new();
    let (mut line, mut field, mut in_quotes) = (Vec::new(), String::new(), false);
    let mut chars = text.chars().peekable();
    loop {
        match chars.next() {
            Some('"') if in_quotes && chars.peek() == Some(&'"') => {
                chars.next();
                field.push('"');
            }
            Some('"') => in_quotes = !in_quotes,
            Some(c) if in_quotes => field.push(c),
            Some(',') => line.push(std::mem::take(&mut field)),
            Some('\r') => {}
            Some('\n') | None => {
                line.push(std::mem::take(&mut field));
                if line.len() > 1 || !line[0].is_empty() {
                    lines.push(std::mem::take(&mut line));
                }
                line.clear();
                in_quotes = false;
                if chars.peek().is_none() {
                    return lines;
                }
            }
            Some(c) => field.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_quoted_only_where_they_must_be() {
        assert_eq!(quoted("crc-32/iscsi"), "crc-32/iscsi");
        assert_eq!(quoted("a,b"), "\"a,b\"");
        assert_eq!(quoted("say \"x\""), "\"say \"\"x\"\"\"");
        assert_eq!(quoted("two\nlines"), "\"two\nlines\"");
    }

    #[test]
    fn odd_input_is_read_without_complaint() {
        assert!(parse("").is_empty());
        assert!(parse("\n\r\n").is_empty());
        assert_eq!(parse("a,\"b"), vec![vec!["a".to_string(), "b".to_string()]]);
        assert_eq!(parse("a,b\r\n,\n").len(), 2);
    }
}
