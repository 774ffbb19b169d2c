//! Comma-separated values after RFC 4180: a run written out, and the published tables read in.

use std::borrow::Cow;
use std::fmt::Write as _;

use crate::speed::model::Run;

/// All cells of a run, one a line, with a header. Lines end in CR LF and fields are quoted where
/// RFC 4180 asks for it. Numbers are written in full, so that reading them back loses nothing.
/// Columns are the fields of [`Cell`](crate::speed::model::Cell): all but `plain_...` are of the
/// samples that were kept.
pub fn csv(run: &Run) -> String {
    let mut out = String::from(
        "code,kernel,bytes,extra_bytes,samples,mean_cycles_per_byte,standard_deviation,margin_95_percent,\
         median_cycles_per_byte,min_cycles_per_byte,median_ns_per_call,median_low_95_percent,\
         median_high_95_percent,set_aside,plain_mean_cycles_per_byte,plain_margin_95_percent\r\n",
    );
    for c in &run.cells {
        let (code, kernel) = (quoted(&c.code), quoted(&c.kernel));
        let _ = write!(out, "{code},{kernel},{},{},{},", c.bytes, c.extra, c.samples);
        let _ = write!(out, "{},{},{},{},{},{},", c.mean, c.sd, c.margin, c.median, c.min, c.ns);
        let _ = write!(out, "{},{},{},", c.low, c.high, c.set_aside);
        let _ = write!(out, "{},{}\r\n", c.plain_mean, c.plain_margin);
    }
    out
}

/// The field as it stands in a line: in quotes when it holds a comma, a quote or a line end.
pub(super) fn quoted(field: &str) -> Cow<'_, str> {
    if field.contains([',', '"', '\r', '\n']) {
        Cow::Owned(format!("\"{}\"", field.replace('"', "\"\"")))
    } else {
        Cow::Borrowed(field)
    }
}

/// The lines of a table, each as its fields; empty lines are left out.
pub(super) fn parse(text: &str) -> Vec<Vec<String>> {
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
    use crate::report::sample;

    #[test]
    fn fields_are_quoted_only_where_they_must_be() {
        assert_eq!(quoted("crc-32/iscsi"), "crc-32/iscsi");
        assert_eq!(quoted("a,b"), "\"a,b\"");
        assert_eq!(quoted("say \"x\""), "\"say \"\"x\"\"\"");
        assert_eq!(quoted("two\nlines"), "\"two\nlines\"");
    }

    #[test]
    fn what_is_written_reads_back_the_same() {
        let mut run = sample::x86();
        run.cells[0].kernel = "odd, \"quoted\"\r\nname".into();
        let lines = parse(&csv(&run).replace("\r\nname", "\nname"));
        assert_eq!(lines.len(), run.cells.len() + 1);
        assert!(lines.iter().all(|line| line.len() == 16));
        assert_eq!(lines[1][1], "odd, \"quoted\"\nname");
        assert_eq!(lines[2][5].parse::<f64>().unwrap(), run.cells[1].mean);
    }

    #[test]
    fn odd_input_is_read_without_complaint() {
        assert!(parse("").is_empty());
        assert!(parse("\n\r\n").is_empty());
        assert_eq!(parse("a,\"b"), vec![vec!["a".to_string(), "b".to_string()]]);
        assert_eq!(parse("a,b\r\n,\n").len(), 2);
    }
}
