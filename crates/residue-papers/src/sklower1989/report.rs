//! The tables of the paper, beside ours.

use super::Row as Measured;
use residue_bench::select::three_digits;
use residue_report::{Row, Table};

/// A row of the paper's Tables 1 and 2.
#[derive(Debug, Clone, PartialEq)]
pub struct Published {
    /// The single large packet, or the mix of about 250,000.
    pub test: String,
    /// The name the paper gives.
    pub algorithm: String,
    /// Our name of it.
    pub kernel: &'static str,
    /// The computer.
    pub machine: String,
    /// CPU time in seconds.
    pub seconds: f64,
}

/// Returns the paper's Tables 1 and 2.
#[must_use]
pub fn published() -> Vec<Published> {
    let read = |row: &Vec<String>| {
        let [test, algorithm, machine, seconds] = row.as_slice() else {
            return None;
        };
        let kernel = match algorithm.as_str() {
            "Null" => "null",
            "IP" => "ip",
            "PIP" => "pip",
            "XNS" => "xns",
            "Simple" => "simple",
            "NoMagic" => "pairs",
            "Magic" => "pairs_double",
            "Ediv" => "rfc1008",
            "F16" => "f16",
            "F16-NOAI" => "f16_indexed",
            _ => return None,
        };
        let seconds = seconds.parse().ok()?;
        let (test, machine) = (test.clone(), machine.clone());
        Some(Published { test, algorithm: algorithm.clone(), kernel, machine, seconds })
    };
    published!("sklower_1989_iso_checksum").iter().filter_map(read).collect()
}

/// Returns the paper's two tables, filled with our seconds and those of one of its machines.
#[must_use]
pub fn table(ours: &[Measured]) -> Table {
    const MACHINE: &str = "VAX 8800";
    let printed = published();
    let his = |test: &str, name: &str| {
        let row = printed
            .iter()
            .find(|row| row.machine == MACHINE && row.test.starts_with(test) && row.kernel == name);
        three_digits(row.map(|row| row.seconds))
    };
    let ip = ours.iter().find(|row| row.name == "ip");
    let ratio = |of: fn(&Measured) -> f64, row: &Measured| {
        three_digits(ip.map(of).filter(|&ip| ip > 0.0).map(|ip| of(row) / ip))
    };
    let line = |row: &Measured| {
        let (single, mix, gateway) = (row.single * 1e3, row.mix * 1e3, row.gateway * 1e3);
        let values = vec![
            three_digits(Some(single)),
            ratio(|row| row.single, row),
            his("single", row.name),
            three_digits(Some(mix)),
            ratio(|row| row.mix, row),
            his("about", row.name),
            three_digits(Some(gateway)),
            ratio(|row| row.gateway, row),
        ];
        Row::Values(row.name.into(), values)
    };
    let (theirs, more) =
        ours.split_at(ours.iter().position(|row| row.name == "quads").unwrap_or(ours.len()));
    let mut rows = vec![Row::Group("Sklower's rows".into())];
    rows.extend(theirs.iter().map(line));
    rows.push(Row::Group("and ours".into()));
    rows.extend(more.iter().map(line));
    Table {
        id: "iso",
        title: "Sklower's two tests: one packet of 16 MiB, and 250,000 packets in segments".into(),
        note: format!(
            "Milliseconds here, times IP's; then his seconds on a {MACHINE}. mix: three of four \
             packets small; gateway: half of them."
        ),
        stub: "row",
        heads: ["16 MiB, ms", "/ ip", "his s", "mix, ms", "/ ip", "his s", "gateway, ms", "/ ip"]
            .map(String::from)
            .to_vec(),
        together: 1,
        rows,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_read() {
        assert_eq!(published().len(), 106);
    }
}
