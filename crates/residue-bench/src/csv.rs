//! A run as comma-separated values after RFC 4180.

use crate::model::Run;
use residue_report::csv::Sheet;

/// Writes all cells of a run, one per line, with a header.
///
/// Lines end in CR LF and fields are quoted where RFC 4180 requires it. Numbers are written in
/// full, so that reading them back loses nothing. Columns are the fields of
/// [`Cell`](crate::model::Cell): all but `plain_...` are of the samples that were kept.
pub fn csv(run: &Run) -> String {
    let mut sheet = Sheet::new(
        "code,kernel,bytes,extra_bytes,samples,mean_cycles_per_byte,standard_deviation,\
         margin_95_percent,median_cycles_per_byte,min_cycles_per_byte,median_ns_per_call,\
         median_low_95_percent,median_high_95_percent,set_aside,plain_mean_cycles_per_byte,\
         plain_margin_95_percent",
    );
    for c in &run.cells {
        sheet.cells(&[&c.code, &c.kernel, &c.bytes, &c.extra, &c.samples]);
        sheet.cells(&[&c.mean, &c.sd, &c.margin, &c.median, &c.min, &c.ns]);
        sheet.cells(&[&c.low, &c.high, &c.set_aside, &c.plain_mean, &c.plain_margin]).end();
    }
    sheet.text()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example;
    use residue_report::csv::parse;

    #[test]
    fn what_is_written_reads_back_the_same() {
        let mut run = example::x86();
        run.cells[0].kernel = "odd, \"quoted\"\r\nname".into();
        let lines = parse(&csv(&run).replace("\r\nname", "\nname"));
        assert_eq!(lines.len(), run.cells.len() + 1);
        assert!(lines.iter().all(|line| line.len() == 16));
        assert_eq!(lines[1][1], "odd, \"quoted\"\nname");
        assert_eq!(lines[2][5].parse::<f64>().unwrap(), run.cells[1].mean);
    }
}
